"""Contract of an Index: everything that can be asked besides words and vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..model.ids import entry_id
from ..model.moment import HOUR_MS, iso
from ..model.query import Filter, label_of
from ..model.scope import Scope
from .workbench import AGENT, ALL, ANA, BEN, OTHER, SESSION

if TYPE_CHECKING:
    from .workbench import Workbench

MANY = 40_000


class AskContract:
    """Everything else that can be asked."""

    def test_an_entry_is_located_at_its_lines(self, backend: Workbench) -> None:
        backend.session()
        entry = backend.add("one")
        backend.add("two")
        backend.journal.amend(ANA, SESSION, entry.id, "ana", {"pinned": True})
        place = backend.level().locate(ANA, [entry.id, entry_id(3)])
        assert place == {entry.id: backend.address(entry.id)}
        assert backend.journal.fetch(ANA, place.values())[entry.id].pinned

    def test_a_thousand_ids_can_be_asked_at_once(self, backend: Workbench) -> None:
        backend.session()
        drafts = [backend.draft(str(number)) for number in range(1000)]
        backend.journal.append(ANA, SESSION, drafts)
        ids = [draft.id for draft in drafts]
        assert set(backend.level().locate(ANA, ids)) == set(ids)
        assert backend.index.buried(ANA, ids) == {}
        assert backend.index.same_text(ANA, ids) == []

    def test_a_filter_may_name_more_than_a_statement_has_room_for(self, backend: Workbench) -> None:
        backend.session()
        wanted = backend.add("one")
        others = tuple(f"mem_{number:026d}" for number in range(MANY))
        assert backend.ids(wanted=Filter(ids=(*others, wanted.id))) == [wanted.id]
        assert backend.ids(wanted=Filter(keys=others)) == backend.ids(wanted=Filter(provenance=others)) == []

    def test_a_provenance_is_covered_by_itself_and_by_its_first_word(self, backend: Workbench) -> None:
        backend.session()
        grep, deep = (backend.add("x", provenance=origin).id for origin in ("tool:grep", "tool:grep:deep"))
        assert backend.ids(wanted=Filter(provenance=("tool:grep",))) == [grep]
        assert backend.ids(wanted=Filter(provenance=("tool",))) == [grep, deep]

    def test_labels_say_what_entries_say_hidden_ones_included(self, backend: Workbench) -> None:
        backend.session()
        own, said = backend.user(), {"text": "deleted", "role": "tool", "author": "grep"}
        deleted = backend.add(content=said, tags=("b", "a"), workspace="w", tool="grep", path="/p", provenance="tool:x")
        entries = [backend.add("editor", own, type="preference", key="editor"), deleted, backend.add("amended")]
        backend.bury(deleted)
        backend.journal.amend(ANA, SESSION, entries[2].id, "ana", {"tags": ["z", "y"], "pinned": True})
        labels = backend.level().labels(ANA, [entry.id for entry in entries])
        assert labels.pop(entries[2].id) == label_of(entries[2].replace(tags=("z", "y"), pinned=True))
        assert labels == {entry.id: label_of(entry) for entry in entries[:2]}
        assert backend.index.labels(BEN, [deleted.id]) == {}

    def test_nothing_of_another_user_is_answered(self, backend: Workbench) -> None:
        backend.session()
        backend.session(OTHER, user="ben")
        theirs = backend.add("shared words", OTHER, user="ben", tags=("t",), references=(entry_id(1),))
        mine = backend.add("shared words", references=(theirs.id,))
        index = backend.level()
        assert backend.ids() == backend.find("shared") == [mine.id]
        assert index.locate(ANA, [theirs.id], every=True) == {}
        assert index.same_text(ANA, [mine.id]) == []
        assert index.references(BEN, [theirs.id], inbound=True) == []
        assert index.tags(ANA) == {}
        assert [card.id for card in index.cards(ANA)] == [SESSION]
        assert index.cards(ANA, journal=OTHER) == []
        assert index.sessions(ANA, [OTHER]) == {}
        assert index.counts(ANA)["entries"] == 1

    def test_shared_entries_are_in_sight_of_who_may_see_them(self, backend: Workbench) -> None:
        entry = backend.add("for all", backend.shared())
        assert backend.ids(BEN) == backend.find("all", BEN) == [entry.id]
        blind = BEN.replace(shared=False)
        assert backend.ids(blind) == backend.find("all", blind) == []

    def test_references_are_edges_in_both_directions(self, backend: Workbench) -> None:
        backend.session()
        a = backend.add("a")
        b = backend.add("b", references=(a.id,))
        nowhere = entry_id(1)
        c = backend.add("c", references=(a.id, b.id, nowhere))
        index = backend.level()
        assert sorted(index.references(ANA, [a.id], inbound=True)) == sorted([(b.id, a.id), (c.id, a.id)])
        outward = index.references(ANA, [c.id], inbound=False)
        assert sorted(outward) == sorted([(c.id, a.id), (c.id, b.id), (c.id, nowhere)])

    def test_a_deleted_entry_refers_to_nothing(self, backend: Workbench) -> None:
        backend.session()
        a = backend.add("a")
        b = backend.add("b", references=(a.id,))
        backend.bury(b)
        assert backend.level().references(ANA, [a.id], inbound=True) == []

    def test_other_entries_with_exactly_the_same_text_are_named(self, backend: Workbench) -> None:
        backend.session()
        one, two = backend.add("the same words"), backend.add("the same words")
        backend.add("the same words and more")
        backend.bury(backend.add("the same words"))
        assert backend.level().same_text(ANA, [one.id]) == [two.id]

    def test_a_fragment_is_held_by_any_entry_that_still_lies_in_a_file(self, backend: Workbench) -> None:
        backend.session()
        hidden = backend.add("concealed treasure")
        backend.add(
            "x", tags=("quartermaster",), path="lib/navigator.c", metadata={"ship": "Endeavour"}, tool="sextant"
        )
        backend.bury(hidden)
        index = backend.level()
        for fragment in ("ncealed", "TREASURE", "artermas", "avigator", "deavour", "xtant"):
            assert index.contains(ALL, fragment), fragment
        assert not index.contains(ALL, "kraken")
        assert not index.contains(ALL, "%")
        assert not index.contains(ALL, "tr_asure")

    def test_an_entry_that_is_being_forgotten_holds_nothing(self, backend: Workbench) -> None:
        backend.session()
        entry = backend.add("concealed treasure")
        backend.level()
        backend.bury(entry, reason="forget")
        assert not backend.level().contains(ALL, "treasure")

    def test_the_names_that_its_own_files_are_made_of_are_told(self, backend: Workbench) -> None:
        backend.session()
        backend.add("x")
        told = backend.level().names(ALL).lower()
        assert [name for name in backend.structure() if name.lower() not in told] == []

    def test_cards_come_last_used_first_with_live_counts(self, backend: Workbench) -> None:
        backend.session(OTHER, workspace="/b")
        backend.clock.advance(1000)
        backend.session(SESSION, workspace="/a")
        backend.clock.advance(1000)
        backend.add("x", OTHER, type="decision")
        gone = backend.add("y", OTHER)
        backend.bury(gone, journal=OTHER)
        first, second = backend.level().cards(ANA)
        assert (first.id, second.id) == (OTHER, SESSION)
        assert (first.total_entries, second.total_entries) == (1, 0)
        assert first.statistics["decisions"] == 1
        assert first.statistics["conversations"] == 0
        size = backend.journal.size(ANA, OTHER)
        assert size is not None
        assert first.total_size_bytes == size.total

    def test_the_sessions_under_a_key_are_those_of_its_user(self, backend: Workbench) -> None:
        for session in (OTHER, SESSION):
            backend.session(session, key="the key")
            backend.clock.advance(1000)
        backend.session("sess_20260101_cccccc", "ben", key="the key")
        assert backend.level().under_key(ANA, "the key") == [SESSION, OTHER]
        backend.add("the first one goes on", OTHER)
        index = backend.level()
        assert index.under_key(ANA, "the key") == [OTHER, SESSION]  # last used first
        assert index.under_key(ANA, "another") == []

    def test_cards_are_found_by_key_workspace_and_page(self, backend: Workbench) -> None:
        backend.session(SESSION, key="agent:main:slack:42", workspace="/a")
        backend.session(OTHER, key="other", workspace="/b")
        third = backend.session("sess_20260101_cccccc", key="none")
        index = backend.level()
        assert [card.id for card in index.cards(ANA, key="agent:main:slack:42")] == [SESSION]
        narrow = Scope(agent=AGENT, user="ana", workspace="/b")
        assert [card.id for card in index.cards(narrow)] == [OTHER]
        assert {card.id for card in index.cards(narrow.replace(loose=True))} == {OTHER, third}
        assert index.cards(BEN.replace(workspace="/b", loose=True)) == []
        assert len(index.cards(ANA, limit=2)) == 2
        assert len(index.cards(ANA, limit=2, offset=2)) == 1

    def test_a_journal_of_any_kind_is_found_by_its_id(self, backend: Workbench) -> None:
        own = backend.user()
        backend.session()
        assert [card.id for card in backend.level().cards(ANA, journal=own)] == [own]
        assert [card.id for card in backend.index.cards(ANA)] == [SESSION]

    def test_a_saved_card_is_the_one_that_is_answered(self, backend: Workbench) -> None:
        backend.session()
        backend.level()
        card = backend.journal.card(ANA, SESSION)
        assert card is not None
        backend.journal.save_card(ANA, card.replace(title="renamed", ended_at=iso(5)))
        (found,) = backend.level().cards(ANA)
        assert (found.title, found.ended_at) == ("renamed", iso(5))

    def test_key_and_decay_of_sessions_are_known(self, backend: Workbench) -> None:
        backend.session(key="the key", decay_config={"enabled": False})
        assert backend.level().sessions(ANA, [SESSION, OTHER]) == {SESSION: ("the key", {"enabled": False})}

    def test_tags_are_counted_most_used_first(self, backend: Workbench) -> None:
        backend.session()
        backend.add("x", tags=("b", "a"))
        backend.add("y", tags=("b", "c.d"))
        backend.bury(backend.add("z", tags=("hidden",)))
        assert list(backend.level().tags(ANA).items()) == [("b", 2), ("a", 1), ("c.d", 1)]

    def test_counts_tell_what_there_is(self, backend: Workbench) -> None:
        backend.session()
        own = backend.user()
        first = backend.add("x", type="decision")
        backend.add("y", pinned=True)
        backend.bury(backend.add("z"))
        backend.add("vim", own, type="preference", key="editor")
        last = backend.add("emacs", own, type="preference", key="editor")
        counts = backend.level().counts(ANA)
        assert counts["types"] == {"conversation": 1, "decision": 1, "preference": 1}
        names = ("entries", "sessions", "active", "deleted", "superseded", "pinned", "damaged")
        assert [counts[name] for name in names] == [3, 1, 1, 1, 1, 1, 0]
        assert (counts["oldest"], counts["newest"]) == (first.timestamp, last.timestamp)
        assert counts["bytes"] > 0

    def test_a_session_is_active_until_it_ends(self, backend: Workbench) -> None:
        backend.session()
        (card,) = backend.level().cards(ANA)
        assert [backend.index.counts(scope)["active"] for scope in (ANA, ALL, BEN)] == [1, 1, 0]
        backend.journal.save_card(ANA, card.replace(ended_at=iso(5)))
        assert [backend.level().counts(scope)["active"] for scope in (ANA, ALL)] == [0, 0]

    def test_damage_is_counted_for_whom_it_concerns(self, backend: Workbench) -> None:
        backend.session()
        backend.session(OTHER, user="ben")
        backend.damage(OTHER, backend.add("spoilt", OTHER, user="ben").id)
        index = backend.level()
        scopes = (ANA, BEN, ALL, BEN.replace(sessions=(OTHER,)), BEN.replace(sessions=(SESSION,)))
        assert [index.counts(scope)["damaged"] for scope in scopes] == [0, 1, 1, 1, 0]

    def test_an_empty_store_counts_nothing(self, backend: Workbench) -> None:
        counts = backend.level().counts(ALL)
        assert (counts["entries"], counts["types"], counts["oldest"]) == (0, {}, None)
        assert backend.index.tags(ALL) == {}
        assert backend.index.rarity(ALL, ["x"]) == (0, {"x": 0})

    def test_what_was_recalled_is_known_to_the_hour_and_after_reopening(self, backend: Workbench) -> None:
        backend.session()
        entry = backend.add()
        backend.level()
        now = backend.clock.now()
        backend.index.recall(ANA, [entry.id], now)
        backend.reopen()
        assert backend.recalled(entry) == now - now % HOUR_MS

    def test_the_status_says_where_it_stands(self, backend: Workbench) -> None:
        backend.session()
        backend.add()
        status = backend.level().status(ALL)
        assert status["behind"] == 0
        assert status["entries"] == 1
        assert {"generation", "path", "bytes", "journals", "damaged"} <= set(status)
