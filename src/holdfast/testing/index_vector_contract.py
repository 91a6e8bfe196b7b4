"""Contract of an Index: vectors, from the backlog to what lies near, and how they end with what they are made of."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from ..errors import ProviderFailed
from ..model.entry import Tombstone
from ..model.moment import iso
from ..model.query import Filter
from ..model.scope import Scope
from ..model.vector import Vector
from .embedder import HashingEmbedder
from .index_history import random_filter, random_scope, varied
from .workbench import AGENT, ALL, ANA, BEN, OTHER, SESSION

if TYPE_CHECKING:
    from typing import Any

    from ..model.entry import Entry
    from ..ports import Keep
    from .workbench import Workbench


class Broken(HashingEmbedder):
    """Gives the wrong thing, of one of several kinds."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind

    def embed(self, texts: Any, *, query: bool = False) -> Any:
        import numpy as np

        right = super().embed(texts, query=query)
        wrong = {
            "too short": right[:, :-1], "too few": right[:-1], "not finite": np.full_like(right, np.nan),
            "infinite": np.full_like(right, np.inf), "too long": right * 3,
        }  # fmt: skip
        return wrong[self.kind]


class Choosy(HashingEmbedder):
    """Takes no text with `poison`."""

    def embed(self, texts: Any, *, query: bool = False) -> Any:
        rows = super().embed(texts, query=query)
        rows[["poison" in text for text in texts]] = float("nan")
        return rows


def asked(embedder: HashingEmbedder, text: str) -> Vector:
    return Vector(embedder.identity, embedder.embed([text], query=True)[0])


def near(
    backend: Workbench, embedder: HashingEmbedder, text: str, scope: Scope = ANA, wanted: Filter | None = None
) -> list[str]:
    rows = backend.level().near(scope, wanted or Filter(), asked(embedder, text), 50)
    return [row.id for row in rows]


def filled(backend: Workbench, embedder: HashingEmbedder) -> None:
    assert backend.level().embed(ALL, embedder, None) == 0
    embedder.calls.clear()


def heard(backend: Workbench, text: str) -> Entry:
    """A turn of nobody knows whom."""
    return backend.add(content={"text": text})


def without(gone: Entry) -> Keep:
    """Keeps all others."""
    return lambda one: None if one.id == gone.id else one


class VectorContract:
    """Backlog, nearness, and the end of vectors."""

    def test_what_is_new_waits_until_it_is_embedded(self, backend: Workbench) -> None:
        backend.session()
        backend.session(OTHER, "ben")
        backend.add("one")
        backend.add("two")
        backend.add("three", OTHER, "ben")
        index, embedder = backend.level(), HashingEmbedder()
        assert index.backlog(ANA) == (2, 2)
        assert index.backlog(ALL) == (3, 3)
        assert index.embed(ANA, embedder, None) == 0
        assert (index.backlog(ANA), index.backlog(ALL)) == ((0, 0), (1, 3))

    def test_the_nearest_come_first_with_their_cosine(self, backend: Workbench) -> None:
        backend.session()
        exact = backend.add("the quick brown fox", type="note")
        close = backend.add("the quick brown dog", type="note")
        far = backend.add("nothing of the sort", type="note")
        embedder = HashingEmbedder()
        filled(backend, embedder)
        rows = backend.level().near(ANA, Filter(), asked(embedder, "the quick brown fox"), 3)
        assert [row.id for row in rows] == [exact.id, close.id, far.id]
        assert rows[0].cosine == pytest.approx(1.0, abs=1e-5)
        assert all(row.cosine is not None and row.cosine <= 1.0 + 1e-6 for row in rows)

    def test_only_as_many_as_wanted(self, backend: Workbench) -> None:
        backend.session()
        for number in range(9):
            backend.add(f"entry {number}")
        embedder = HashingEmbedder()
        filled(backend, embedder)
        assert len(backend.level().near(ANA, Filter(), asked(embedder, "entry"), 4)) == 4

    def test_a_turn_is_seen_with_the_one_before_it(self, backend: Workbench) -> None:
        backend.session()
        backend.add(content={"text": "Which database?", "author": "Ana"})
        backend.add("an event between them", type="event")
        backend.add(content={"text": "The second one", "author": "Ben"})
        embedder = HashingEmbedder()
        backend.level().embed(ALL, embedder, None)
        assert set(embedder.calls) == {
            "Ana: Which database?", "an event between them", "Ana: Which database?\nBen: The second one",
        }  # fmt: skip

    def test_a_long_turn_is_seen_alone_and_in_parts(self, backend: Workbench) -> None:
        backend.session()
        backend.add("before it")
        backend.add("long " * 200)
        embedder = HashingEmbedder()
        backend.level().embed(ALL, embedder, None)
        seen = set(embedder.calls) - {"before it"}
        assert seen
        assert all(set(text.split()) == {"long"} and len(text) <= 700 for text in seen)

    def test_nothing_of_another_user_is_near(self, backend: Workbench) -> None:
        backend.session()
        backend.session(OTHER, "ben")
        backend.shared()
        mine, theirs = backend.add("common words"), backend.add("common words", OTHER, "ben")
        common = backend.add("common words", "global")
        embedder = HashingEmbedder()
        filled(backend, embedder)
        assert set(near(backend, embedder, "common words")) == {mine.id, common.id}
        assert set(near(backend, embedder, "common words", BEN.replace(shared=False))) == {theirs.id}
        assert set(near(backend, embedder, "common words", ALL)) == {mine.id, theirs.id, common.id}
        assert near(backend, embedder, "common words", Scope(agent=AGENT, user="nobody", shared=False)) == []

    def test_a_vector_of_another_kind_finds_nothing(self, backend: Workbench) -> None:
        backend.session()
        backend.add("words")
        filled(backend, HashingEmbedder())
        assert near(backend, HashingEmbedder(model="other"), "words") == []
        assert near(backend, HashingEmbedder(32), "words") == []

    def test_nearness_keeps_to_scope_and_filter(self, backend: Workbench) -> None:
        pick = Random(8)
        entries = varied(backend, pick, 80)
        embedder = HashingEmbedder()
        filled(backend, embedder)
        for _ in range(60):
            scope, wanted = random_scope(pick), random_filter(pick, entries)
            if wanted.hidden or wanted.superseded:
                continue
            passing = {row.id for row in backend.level().rows(scope, wanted)}
            found = backend.level().near(scope, wanted, asked(embedder, "apple pear"), 10_000)
            assert {row.id for row in found} == passing

    def test_whatever_becomes_of_entries_every_vector_is_what_was_stored(self, backend: Workbench) -> None:
        backend.session()
        pick, entries = Random(8), [heard(backend, "alpha?")]
        for number in range(120):
            entry = pick.choice(entries)
            match pick.choice(("add", "add", "amend", "bury", "lift", "rewrite", "embed", "embed")):
                case "add":
                    entries.append(heard(backend, f"{pick.choice(('alpha', 'beta'))} {number}{pick.choice('.?')}"))
                case "amend":
                    backend.journal.amend(ANA, SESSION, entry.id, "ana", {"text": f"gamma {number}"})
                case "bury" | "lift" as act:
                    backend.bury(entry, reason="user" if act == "bury" else "undelete")
                case "rewrite" if len(entries) > 1:
                    entries.remove(entry)
                    backend.journal.rewrite(ANA, SESSION, without(entry))
                case _:
                    backend.level().embed(ALL, HashingEmbedder(), None)
            assert backend.level().unsound(ALL) == []
        assert backend.index.make_sound(ALL, 2_000)

    def test_who_goes_on_speaking_is_not_seen_with_what_they_said_before(self, backend: Workbench) -> None:
        backend.session()
        for text, role in (("alpha?", "user"), ("beta?", "user"), ("gamma", "assistant")):
            backend.add(content={"text": text, "role": role})
        embedder = HashingEmbedder()
        backend.level().embed(ALL, embedder, None)
        assert set(embedder.calls) == {"alpha?", "beta?", "beta?\ngamma"}

    def test_a_named_speaker_is_seen_with_a_question_before_whoever_asked_it(self, backend: Workbench) -> None:
        backend.session()
        for text in ("alpha?", "beta", "gamma"):
            backend.add(content={"text": text, "author": "Ana", "role": "user"})
        embedder = HashingEmbedder()
        backend.level().embed(ALL, embedder, None)
        assert set(embedder.calls) == {"Ana: alpha?", "Ana: alpha?\nAna: beta", "Ana: gamma"}

    def test_a_deleted_turn_ends_its_vector_and_that_of_the_turn_after_it(self, backend: Workbench) -> None:
        backend.session()
        first, second, third = heard(backend, "alpha?"), heard(backend, "beta?"), heard(backend, "gamma")
        embedder = HashingEmbedder()
        filled(backend, embedder)
        backend.bury(second)
        assert near(backend, embedder, "beta") == [first.id]
        assert backend.index.backlog(ANA) == (1, 2)
        filled_again = HashingEmbedder()
        backend.level().embed(ALL, filled_again, None)
        assert filled_again.calls == ["alpha?\ngamma"]
        assert set(near(backend, embedder, "beta")) == {first.id, third.id}

    def test_a_text_that_is_not_taken_is_counted_until_it_says_something_else(self, backend: Workbench) -> None:
        backend.session()
        backend.add("alpha", type="note")
        refused = backend.add("poison", type="note")
        assert backend.level().embed(ALL, Choosy(), None) == 1
        assert (backend.index.backlog(ANA), backend.index.not_taken(ANA)) == ((1, 2), 1)
        backend.journal.amend(ANA, SESSION, refused.id, "user", {"text": "beta"})
        assert (backend.level().backlog(ANA), backend.index.not_taken(ANA)) == ((1, 2), 0)

    def test_an_undeleted_entry_waits_again(self, backend: Workbench) -> None:
        backend.session()
        entry = backend.add("alpha")
        embedder = HashingEmbedder()
        backend.level()
        backend.bury(entry)
        filled(backend, embedder)
        lifted = Tombstone(id=entry.id, timestamp=iso(backend.clock.now()), reason="undelete")
        backend.journal.bury(ANA, SESSION, [lifted])
        assert backend.level().backlog(ANA) == (1, 1)
        filled(backend, embedder)
        assert near(backend, embedder, "alpha") == [entry.id]

    def test_another_text_is_embedded_anew_with_the_turn_after_it(self, backend: Workbench) -> None:
        backend.session()
        first = heard(backend, "alpha?")
        heard(backend, "beta")
        embedder = HashingEmbedder()
        filled(backend, embedder)
        backend.journal.amend(ANA, SESSION, first.id, "user", {"text": "omega?"})
        assert backend.level().backlog(ANA) == (2, 2)
        backend.index.embed(ALL, embedder, None)
        assert set(embedder.calls) == {"omega?", "omega?\nbeta"}

    def test_other_amendments_leave_vectors_alone(self, backend: Workbench) -> None:
        backend.session()
        entry = backend.add("alpha")
        filled(backend, HashingEmbedder())
        for change in ({"importance": 0.9}, {"tags": ["new"]}, {"pinned": True}, {"sensitive": True}):
            backend.journal.amend(ANA, SESSION, entry.id, "user", change)
        assert backend.level().backlog(ANA) == (0, 0)

    def test_a_rewrite_that_drops_a_turn_ends_the_vector_after_it(self, backend: Workbench) -> None:
        backend.session()
        gone = heard(backend, "alpha?")
        heard(backend, "beta?")
        heard(backend, "gamma")
        embedder = HashingEmbedder()
        filled(backend, embedder)
        backend.journal.rewrite(ANA, SESSION, lambda entry: None if entry.id == gone.id else entry)
        assert backend.level().backlog(ANA) == (1, 2)
        backend.index.embed(ALL, embedder, None)
        assert embedder.calls == ["beta?"]

    def test_an_erased_entry_is_near_nothing(self, backend: Workbench) -> None:
        backend.session()
        gone, stays = backend.add("alpha"), backend.add("beta")
        embedder = HashingEmbedder()
        filled(backend, embedder)
        backend.journal.rewrite(ANA, SESSION, lambda entry: None if entry.id == gone.id else entry)
        backend.index.erase(ANA, [], [gone.id])
        filled(backend, embedder)
        assert near(backend, embedder, "alpha") == [stays.id]

    def test_a_rebuild_embeds_nothing_anew(self, backend: Workbench) -> None:
        backend.session()
        entries = [backend.add(text) for text in ("alpha", "beta", "gamma")]
        embedder = HashingEmbedder()
        filled(backend, embedder)
        before = near(backend, embedder, "beta")
        embedder.calls.clear()
        backend.index.rebuild(ALL)
        assert backend.level().backlog(ALL) == (0, 0)
        backend.index.rebuild(ALL, None, embedder)
        assert embedder.calls == []
        assert near(backend, embedder, "beta") == before
        assert len(before) == len(entries)

    def test_a_rebuild_without_vectors_has_none(self, backend: Workbench) -> None:
        backend.session()
        backend.add("anchors")
        filled(backend, HashingEmbedder())
        backend.index.rebuild(ALL, vectors=False)
        assert backend.index.embedded_by(ALL) is None
        assert backend.index.backlog(ALL) == (1, 1)

    def test_vectors_of_other_dimensions_are_of_another_kind(self, backend: Workbench) -> None:
        backend.session()
        backend.add("alpha")
        assert backend.index.dimensions(ALL) is None
        old, new = HashingEmbedder(64, "one"), HashingEmbedder(32)
        new.identity = old.identity
        filled(backend, old)
        assert backend.index.dimensions(ALL) == 64
        assert near(backend, new, "alpha") == []
        backend.add("beta")
        with pytest.raises(ProviderFailed, match="64 dimensions"):
            backend.level().embed(ALL, new, None)
        backend.index.rebuild(ALL, None, new)
        assert backend.index.dimensions(ALL) == 32
        assert len(near(backend, new, "alpha")) == 2

    def test_a_rebuild_with_another_embedder_changes_the_kind_of_all(self, backend: Workbench) -> None:
        backend.session()
        entry = backend.add("alpha")
        backend.add("beta")
        old, new = HashingEmbedder(), HashingEmbedder(32, "other")
        filled(backend, old)
        assert backend.index.embedded_by(ALL) == old.identity
        backend.index.rebuild(ALL, None, new)
        assert backend.index.embedded_by(ALL) == new.identity
        assert len(new.calls) == 2
        assert backend.level().backlog(ALL) == (0, 0)
        assert near(backend, old, "alpha") == []
        assert near(backend, new, "alpha")[0] == entry.id

    def test_a_second_embedder_is_refused(self, backend: Workbench) -> None:
        backend.session()
        backend.add("alpha")
        filled(backend, HashingEmbedder())
        backend.add("beta")
        with pytest.raises(ProviderFailed):
            backend.level().embed(ALL, HashingEmbedder(32, "other"), None)
        assert backend.index.backlog(ALL) == (1, 2)

    @pytest.mark.parametrize("kind", ["too short", "too few", "not finite", "infinite", "too long"])
    def test_what_is_not_a_vector_is_never_stored(self, backend: Workbench, kind: str) -> None:
        backend.session()
        backend.add("alpha")
        backend.add("beta")
        assert backend.level().embed(ALL, Broken(kind), None) == 2
        assert backend.index.backlog(ALL) == (2, 2)
        assert near(backend, HashingEmbedder(), "alpha") == []
        filled(backend, HashingEmbedder())

    def test_what_says_nothing_does_not_wait_for_ever(self, backend: Workbench) -> None:
        backend.session()
        said = backend.add("alpha", type="note")
        backend.add(" ? ! ", type="note")

        class Silent(HashingEmbedder):
            def embed(self, texts: Any, *, query: bool = False) -> Any:
                vectors = super().embed(texts, query=query)
                vectors[[place for place, text in enumerate(texts) if "alpha" not in text]] = 0.0
                return vectors

        embedder = Silent()
        filled(backend, embedder)
        assert near(backend, embedder, "alpha") == [said.id]

    def test_an_empty_budget_leaves_the_rest_waiting(self, backend: Workbench) -> None:
        backend.session()
        for number in range(40):
            backend.add(f"entry {number}")
        left = backend.level().embed(ALL, HashingEmbedder(), 0)
        assert left == backend.index.backlog(ALL)[0]
        filled(backend, HashingEmbedder())

    def test_vectors_are_there_after_reopening(self, backend: Workbench) -> None:
        backend.session()
        entry = backend.add("alpha")
        embedder = HashingEmbedder()
        filled(backend, embedder)
        backend.add("beta")
        filled(backend, embedder)
        assert near(backend, embedder, "alpha")[0] == entry.id
