"""Contract of a Journal, several journals in one call: all of them are written, or none (D33)."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from ..errors import Denied, HoldfastError, Invalid, NotFound, SizeLimit
from ..model.batch import Batch
from ..model.card import Card
from ..model.ids import entry_id, user_dir
from ..model.moment import iso
from ..model.record import entry_from
from ..model.scope import Scope
from .workbench import ALL, ANA, BEN, OTHER, SESSION

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..model.entry import Draft, Entry
    from ..ports import Journal
    from .workbench import Workbench

CARD = Card(id=OTHER, user_id="ana", key="made", created_at=iso(0))


def batch(journal: str, *drafts: Draft, scope: Scope = ANA, card: Card | None = None) -> Batch:
    return Batch(scope=scope, journal=journal, drafts=drafts, card=card)


def refused(journal: Journal, error: type[HoldfastError], *batches: Batch, **known: Any) -> None:
    """Whichever comes first, all of them are refused."""
    for order in (batches, batches[::-1]):
        with pytest.raises(error):
            journal.append_all(ALL, order, **known)


class SeveralContract:
    """Entries for several journals are stored together."""

    def test_each_journal_gets_its_own_and_the_caller_all_in_order(self, backend: Workbench) -> None:
        backend.session()
        own = backend.user()
        backend.add("before")
        written = backend.journal.append_all(
            ALL,
            [
                batch(own, backend.draft("hers", own)),
                batch(SESSION, backend.draft("one"), backend.draft("two")),
            ],
        )
        assert [[entry.text for entry in entries] for entries in written] == [["hers"], ["one", "two"]]
        assert [[entry.seq for entry in entries] for entries in written] == [[1], [2, 3]]
        backend.reopen()
        assert (backend.texts(), backend.texts(own)) == (["before", "one", "two"], ["hers"])
        found = backend.journal.fetch(ANA, [backend.address(entry.id) for entry in written[1]])
        assert list(found.values()) == written[1]

    def test_the_index_learns_of_all_of_them(self, backend: Workbench) -> None:
        backend.session()
        backend.session(OTHER)
        written = backend.journal.append_all(
            ALL, [batch(SESSION, backend.draft("one")), batch(OTHER, backend.draft("two", OTHER))]
        )
        assert set(backend.ids()) == {entry.id for entries in written for entry in entries}

    def test_each_is_written_in_its_own_scope(self, backend: Workbench) -> None:
        backend.session()
        backend.session(OTHER, "ben")
        his = backend.draft("his", OTHER, "ben")
        backend.journal.append_all(ALL, [batch(SESSION, backend.draft("hers")), batch(OTHER, his, scope=BEN)])
        assert (backend.texts(), backend.texts(OTHER)) == (["hers"], ["his"])
        refused(backend.journal, Denied, batch(SESSION, backend.draft("no")), batch(OTHER, his.replace(id=entry_id(1))))
        assert (backend.texts(), backend.texts(OTHER)) == (["hers"], ["his"])

    def test_of_another_agents_journals_none_is_written(self, backend: Workbench) -> None:
        backend.session()
        stranger = Scope(agent="other", user="ana")
        with pytest.raises(Denied):
            backend.journal.append_all(stranger, [batch(SESSION, backend.draft())])
        refused(
            backend.journal, Denied, batch(SESSION, backend.draft()),
            batch(OTHER, backend.draft(journal=OTHER), scope=stranger),
        )  # fmt: skip
        assert backend.texts() == []

    def test_a_journal_that_does_not_exist_is_made_if_a_card_is_given(self, backend: Workbench) -> None:
        backend.session()
        two = batch(OTHER, backend.draft("two", OTHER), card=CARD)
        backend.journal.append_all(ALL, [batch(SESSION, backend.draft("one")), two])
        assert backend.journal.card(ANA, OTHER) == CARD
        assert (backend.texts(), backend.texts(OTHER)) == (["one"], ["two"])

    def test_a_journal_that_exists_keeps_its_card(self, backend: Workbench) -> None:
        backend.session()
        backend.session(OTHER, key="first")
        two = batch(OTHER, backend.draft("two", OTHER), card=CARD)
        backend.journal.append_all(ALL, [batch(SESSION, backend.draft("one")), two])
        card = backend.journal.card(ANA, OTHER)
        assert card is not None
        assert card.key == "first"

    def test_where_one_does_not_exist_none_is_written(self, backend: Workbench) -> None:
        backend.session()
        gone = batch(OTHER, backend.draft(journal=OTHER))
        refused(backend.journal, NotFound, batch(SESSION, backend.draft()), gone)
        assert backend.texts() == []

    def test_an_error_makes_no_journal(self, backend: Workbench) -> None:
        own = user_dir("ana")
        made = batch(OTHER, backend.draft(journal=OTHER), card=CARD)
        refused(backend.journal, NotFound, made, batch(own, backend.draft(journal=own)))
        assert backend.journal.card(ANA, OTHER) is None
        assert list(backend.journal.replay(ANA, OTHER).lines) == []
        backend.session(OTHER)
        backend.add("later", OTHER)
        assert backend.texts(OTHER) == ["later"]

    def test_where_one_is_full_none_is_written(self, backend: Workbench) -> None:
        journal = backend.limited(4000, 4000)
        for id in (SESSION, OTHER):
            journal.create(ANA, Card(id=id, user_id="ana", created_at=iso(0)))
        journal.append(ANA, OTHER, [backend.draft("x" * 2500, OTHER)])
        full = batch(OTHER, backend.draft("y" * 1500, OTHER))
        refused(journal, SizeLimit, batch(SESSION, backend.draft()), full)
        assert journal.replay(ANA, SESSION).lines == ()

    def test_the_one_that_is_full_is_named(self, backend: Workbench) -> None:
        journal = backend.limited(4000, 4000)
        for id in (SESSION, OTHER):
            journal.create(ANA, Card(id=id, user_id="ana", created_at=iso(0)))
        journal.append(ANA, OTHER, [backend.draft("x" * 2500, OTHER)])
        with pytest.raises(SizeLimit) as caught:
            journal.append_all(ALL, [batch(SESSION, backend.draft()), batch(OTHER, backend.draft("y" * 1500, OTHER))])
        assert caught.value.details["journal"] == OTHER

    def test_a_known_id_is_not_written_again(self, backend: Workbench) -> None:
        backend.session()
        backend.session(OTHER)
        draft = backend.draft("once", chosen_id=True)
        (stored,) = backend.journal.append(ANA, SESSION, [draft])
        both = [batch(SESSION, draft), batch(OTHER, backend.draft("new", OTHER))]
        again = backend.journal.append_all(ALL, both, lambda drafts: {draft.id: stored})
        assert again[0] == [stored]
        assert (backend.texts(), backend.texts(OTHER)) == (["once"], ["new"])

    def test_where_one_id_was_erased_none_is_written(self, backend: Workbench) -> None:
        backend.session()
        backend.session(OTHER)
        draft = backend.draft("words", chosen_id=True)
        (entry,) = backend.journal.append(ANA, SESSION, [draft])
        backend.bury(entry, reason="forget")
        refused(backend.journal, Invalid, batch(SESSION, draft), batch(OTHER, backend.draft(journal=OTHER)))
        assert backend.texts(OTHER) == []

    @pytest.mark.parametrize("together", [False, True])
    def test_an_id_that_comes_to_two_journals_at_once_is_stored_once(self, backend: Workbench, together: bool) -> None:
        backend.session()
        backend.session(OTHER)
        id = entry_id(1)

        def known(drafts: Sequence[Draft]) -> dict[str, Entry]:
            lines = [line for journal in (SESSION, OTHER) for line in backend.journal.replay(ALL, journal).lines]
            time.sleep(0.02)
            return {line.record["id"]: entry_from(line.record) for line in lines if line.record}

        def write(journal: str) -> None:
            own = batch(journal, backend.draft("once", journal, id=id, chosen_id=True))
            if together:
                backend.journal.append_all(ALL, [own], known)
            else:
                backend.journal.append(ANA, journal, own.drafts, known)

        threads = [threading.Thread(target=write, args=(journal,)) for journal in (SESSION, OTHER)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert backend.texts() + backend.texts(OTHER) == ["once"]

    def test_no_id_and_no_journal_can_stand_twice_in_one_call(self, backend: Workbench) -> None:
        backend.session()
        backend.session(OTHER)
        draft = backend.draft()
        same = batch(OTHER, draft.replace(session_id=OTHER))
        refused(backend.journal, Invalid, batch(SESSION, draft), same)
        refused(backend.journal, Invalid, batch(SESSION, draft), batch(SESSION, backend.draft()))
        assert (backend.texts(), backend.texts(OTHER)) == ([], [])
