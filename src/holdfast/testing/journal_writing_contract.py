"""Contract of a Journal, writing: cards, scopes, appends, amendments, tombstones."""

from __future__ import annotations

from time import sleep
from typing import TYPE_CHECKING, Any

import pytest

from ..errors import Denied, Invalid, NotFound, SizeLimit
from ..model.card import Card
from ..model.entry import Tombstone
from ..model.ids import entry_id, user_dir
from ..model.moment import iso
from ..model.scope import Scope
from ..model.value import FrozenDict
from .workbench import ALL, ANA, BEN, OTHER, SESSION

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..model.entry import Draft, Entry
    from .workbench import Workbench

STRANGER = Scope(agent="other", user="ana")


class CardContract:
    """Making journals, and their cards."""

    def test_a_journal_is_made_with_its_card(self, backend: Workbench) -> None:
        card = Card(id=SESSION, user_id="ana", key="k", workspace="/w", created_at=iso(0), title="Über alles")
        assert backend.journal.create(ANA, card) == card
        assert backend.journal.card(ANA, SESSION) == card

    def test_making_it_again_changes_nothing(self, backend: Workbench) -> None:
        backend.session(title="first")
        backend.add("kept")
        again = Card(id=SESSION, user_id="ana", title="second", created_at=iso(0))
        assert backend.journal.create(ANA, again).title == "first"
        assert backend.texts() == ["kept"]

    def test_a_card_is_replaced_as_a_whole(self, backend: Workbench) -> None:
        backend.session()
        card = backend.journal.card(ANA, SESSION)
        assert card is not None
        changed = card.replace(title="new", preferences=FrozenDict({"language": "de"}))
        backend.journal.save_card(ANA, changed)
        backend.reopen()
        assert backend.journal.card(ANA, SESSION) == changed

    def test_a_change_of_a_card_is_made_to_what_it_says_by_now(self, backend: Workbench) -> None:
        backend.session()
        backend.journal.change_card(ANA, SESSION, lambda card: card.replace(title="new"))
        changed = backend.journal.change_card(ANA, SESSION, lambda card: card.replace(channel="chat"))
        assert (changed.title, changed.channel) == ("new", "chat")
        backend.reopen()
        assert backend.journal.card(ANA, SESSION) == changed

    def test_fields_of_a_card_that_we_do_not_know_are_kept(self, backend: Workbench) -> None:
        backend.session(extra=FrozenDict({"colour": "blue"}))
        card = backend.journal.card(ANA, SESSION)
        assert card is not None
        assert card.extra == {"colour": "blue"}

    def test_where_there_is_no_journal_there_is_no_card(self, backend: Workbench) -> None:
        assert backend.journal.card(ANA, SESSION) is None
        assert backend.journal.size(ANA, SESSION) is None

    def test_a_card_cannot_be_saved_for_a_journal_that_is_not_there(self, backend: Workbench) -> None:
        with pytest.raises(NotFound):
            backend.journal.save_card(ANA, Card(id=SESSION, user_id="ana", created_at=iso(0)))

    @pytest.mark.parametrize("id", ["../escape", "sess_", "", "u_short", "globalx", "sess_20260101_AB", "."])
    def test_a_name_that_is_no_journal_id_is_refused(self, backend: Workbench, id: str) -> None:
        with pytest.raises(Invalid):
            backend.journal.replay(ALL, id)

    def test_a_user_card_must_carry_the_hash_of_its_user(self, backend: Workbench) -> None:
        with pytest.raises(Invalid):
            backend.journal.create(ALL, Card(id=user_dir("ana"), kind="user", user_id="ben", created_at=iso(0)))

    def test_the_roster_is_the_same_until_a_session_is_made(self, backend: Workbench) -> None:
        backend.session()
        before = backend.journal.roster(ALL)
        backend.add("some words")
        assert backend.journal.roster(ALL) == before
        sleep(0.02)  # a file system tells times apart no finer than the ticks of its clock
        backend.session(OTHER)
        assert backend.journal.roster(ALL) != before


class ScopeContract:
    """Nothing is read or written outside the scope."""

    def test_another_users_journal_cannot_be_seen(self, backend: Workbench) -> None:
        backend.session()
        entry = backend.add("secret plans")
        assert backend.journal.card(BEN, SESSION) is None
        assert backend.journal.size(BEN, SESSION) is None
        assert SESSION not in list(backend.journal.journals(BEN))
        assert backend.journal.fetch(BEN, [backend.address(entry.id)]) == {}
        with pytest.raises(Denied):
            backend.journal.replay(BEN, SESSION)
        with pytest.raises(Denied):
            backend.journal.tombstones(BEN, SESSION)

    def test_another_users_journal_cannot_be_changed(self, backend: Workbench) -> None:
        backend.session()
        entry = backend.add()
        stone = Tombstone(id=entry.id, timestamp=iso(0), reason="user")
        card = Card(id=SESSION, user_id="ana", created_at=iso(0))
        acts: list[Callable[[], Any]] = [
            lambda: backend.journal.append(BEN, SESSION, [backend.draft("mine now")]),
            lambda: backend.journal.amend(BEN, SESSION, entry.id, "ben", {"pinned": True}),
            lambda: backend.journal.bury(BEN, SESSION, [stone]),
            lambda: backend.journal.rewrite(BEN, SESSION, lambda entry: None),
            lambda: backend.journal.blank(BEN, SESSION, [entry.id]),
            lambda: backend.journal.remove(BEN, SESSION),
            lambda: backend.journal.save_card(BEN, card),
            lambda: backend.journal.change_card(BEN, card.id, lambda found: found),
            lambda: backend.journal.create(BEN, card),
            lambda: backend.journal.release(BEN, SESSION, lambda raw: True),
        ]
        for act in acts:
            with pytest.raises(Denied):
                act()
        assert backend.texts() == ["hello"]

    def test_another_agents_scope_opens_nothing(self, backend: Workbench) -> None:
        backend.session()
        with pytest.raises(Denied):
            backend.journal.replay(STRANGER, SESSION)
        with pytest.raises(Denied):
            backend.journal.append(STRANGER, SESSION, [backend.draft()])
        with pytest.raises(Denied):
            list(backend.journal.journals(STRANGER))

    def test_a_scope_narrowed_to_a_workspace_fetches_only_its_entries(self, backend: Workbench) -> None:
        backend.session()
        here = backend.add("here", workspace="/here")
        there = backend.add("there", workspace="/there")
        both = [backend.address(here.id), backend.address(there.id)]
        narrow = Scope(agent="main", user="ana", workspace="/here")
        assert list(backend.journal.fetch(narrow, both)) == [here.id]

    def test_what_is_shared_is_seen_by_all_who_may(self, backend: Workbench) -> None:
        entry = backend.add("for all", journal=backend.shared())
        place = backend.address(entry.id, "global")
        assert entry.id in backend.journal.fetch(BEN, [place])
        assert backend.journal.fetch(BEN.replace(shared=False), [place]) == {}
        assert backend.journal.card(BEN.replace(shared=False), "global") is None

    def test_all_journals_of_the_agent_are_listed_in_order(self, backend: Workbench) -> None:
        backend.session(OTHER, user="ben")
        backend.session(SESSION)
        backend.user("ana")
        backend.shared()
        assert list(backend.journal.journals(ALL)) == [SESSION, OTHER, user_dir("ana"), "global"]
        assert list(backend.journal.journals(ANA)) == [SESSION, user_dir("ana"), "global"]


class AppendContract:
    """Entries are appended in order, once, within the limits."""

    def test_entries_come_back_as_they_were_given(self, backend: Workbench) -> None:
        backend.session()
        drafts = [
            backend.draft("日本語 🎉 \u2028 \\ \" \n \x01", tags=("a.b", "c"), importance=0.25, pinned=True,
                          references=(entry_id(1),), metadata={"n": [1, {"deep": None}]}, path="/x", tool="grep",
                          workspace="/w", provenance="tool:grep", sensitive=True, type="event"),
            backend.draft("second"),
        ]  # fmt: skip
        entries = backend.journal.append(ANA, SESSION, drafts)
        for draft, entry in zip(drafts, entries, strict=True):
            for name in ("id", "content", "tags", "importance", "pinned", "references", "metadata", "path", "tool",
                         "workspace", "provenance", "sensitive", "type", "timestamp", "user_id"):  # fmt: skip
                assert getattr(entry, name) == getattr(draft, name), name
            assert entry.checksum is not None
            assert entry.checksum.startswith("sha256:")
        backend.reopen()
        found = backend.journal.fetch(ANA, [backend.address(entry.id) for entry in entries])
        assert list(found.values()) == entries

    def test_seq_rises_by_one_over_entries_and_amendments(self, backend: Workbench) -> None:
        backend.session()
        first = backend.add()
        change = backend.journal.amend(ANA, SESSION, first.id, "ana", {"pinned": True})
        assert (first.seq, change.seq, backend.add().seq) == (1, 2, 3)
        backend.reopen()
        assert backend.add().seq == 4

    def test_a_journal_must_exist_before_it_is_written(self, backend: Workbench) -> None:
        with pytest.raises(NotFound):
            backend.journal.append(ANA, SESSION, [backend.draft()])
        with pytest.raises(NotFound):
            backend.journal.amend(ANA, SESSION, entry_id(1), "ana", {"pinned": True})

    def test_appending_nothing_changes_nothing(self, backend: Workbench) -> None:
        backend.session()
        before = backend.journal.size(ANA, SESSION)
        assert backend.journal.append(ANA, SESSION, []) == []
        assert backend.journal.size(ANA, SESSION) == before

    def test_an_id_cannot_stand_twice_in_a_batch(self, backend: Workbench) -> None:
        backend.session()
        draft = backend.draft()
        with pytest.raises(Invalid):
            backend.journal.append(ANA, SESSION, [draft, draft])
        assert backend.texts() == []

    def test_an_entry_of_another_session_is_refused(self, backend: Workbench) -> None:
        backend.session()
        with pytest.raises(Invalid):
            backend.journal.append(ANA, SESSION, [backend.draft(journal=OTHER)])

    def test_known_is_asked_about_chosen_ids_only(self, backend: Workbench) -> None:
        backend.session()
        asked: list[Draft] = []

        def known(drafts: Sequence[Draft]) -> dict[str, Entry]:
            asked.extend(drafts)
            return {}

        chosen = backend.draft("chosen", chosen_id=True)
        backend.journal.append(ANA, SESSION, [backend.draft("ours"), chosen], known)
        assert asked == [chosen]

    def test_what_is_known_is_not_written_again(self, backend: Workbench) -> None:
        backend.session()
        draft = backend.draft("once", chosen_id=True)
        (stored,) = backend.journal.append(ANA, SESSION, [draft])
        again = backend.journal.append(ANA, SESSION, [draft, backend.draft("new")], lambda drafts: {draft.id: stored})
        assert again[0] == stored
        assert backend.texts() == ["once", "new"]

    def test_where_an_id_is_used_otherwise_nothing_is_written(self, backend: Workbench) -> None:
        backend.session()

        def known(drafts: Sequence[Draft]) -> dict[str, Entry]:
            raise Invalid("in use", field="id")

        with pytest.raises(Invalid):
            backend.journal.append(ANA, SESSION, [backend.draft("new"), backend.draft("other", chosen_id=True)], known)
        assert backend.texts() == []

    def test_measure_says_what_a_batch_takes(self, backend: Workbench) -> None:
        backend.session()
        drafts = [backend.draft("one"), backend.draft("two")]
        before = backend.journal.size(ANA, SESSION)
        taken = backend.journal.measure(ANA, drafts)
        assert backend.journal.size(ANA, SESSION) == before
        backend.journal.append(ANA, SESSION, drafts)
        after = backend.journal.size(ANA, SESSION)
        assert before is not None
        assert after is not None
        assert after.entries - before.entries == taken

    def test_a_journal_may_be_exactly_full_and_not_a_byte_more(self, backend: Workbench) -> None:
        backend.session()
        draft = backend.draft("x" * 50)
        empty = backend.journal.size(ANA, SESSION)
        assert empty is not None
        full = empty.total + backend.journal.measure(ANA, [draft])
        card = backend.journal.card(ANA, SESSION)
        assert card is not None
        for limit, fits in ((full, True), (full - 1, False)):
            journal = backend.limited(limit, 1 << 20)
            journal.create(ANA, card)
            if fits:
                assert len(journal.append(ANA, SESSION, [draft])) == 1
                continue
            with pytest.raises(SizeLimit) as caught:
                journal.append(ANA, SESSION, [draft])
            assert caught.value.details["limit"] == limit
            assert journal.replay(ANA, SESSION).lines == ()

    def test_an_entry_that_is_too_large_is_named_as_such(self, backend: Workbench) -> None:
        journal = backend.limited(1 << 20, 2000)
        journal.create(ANA, Card(id=SESSION, user_id="ana", created_at=iso(0)))
        for act in (lambda d: journal.measure(ANA, d), lambda d: journal.append(ANA, SESSION, d)):
            with pytest.raises(SizeLimit) as caught:
                act([backend.draft("small"), backend.draft("x" * 3000)])
            assert caught.value.details["kind"] == "entry"
        assert journal.replay(ANA, SESSION).lines == ()

    def test_burying_works_however_full_the_journal_is(self, backend: Workbench) -> None:
        journal = backend.limited(1500, 1500)
        journal.create(ANA, Card(id=SESSION, user_id="ana", created_at=iso(0)))
        (entry,) = journal.append(ANA, SESSION, [backend.draft("x" * 300)])
        for _ in range(10):
            journal.bury(ANA, SESSION, [Tombstone(id=entry.id, timestamp=iso(0), reason="user")])
        with pytest.raises(SizeLimit):
            journal.append(ANA, SESSION, [backend.draft()])


class AmendContract:
    """Changes after the fact."""

    def test_an_amendment_is_folded_into_what_is_fetched(self, backend: Workbench) -> None:
        backend.session()
        entry = backend.add("old words", tags=("a",))
        backend.journal.amend(ANA, SESSION, entry.id, "ana", {"text": "new words", "tags": ["b"], "importance": 0.9})
        backend.journal.amend(ANA, SESSION, entry.id, "ana", {"pinned": True, "importance": 0.8})
        found = backend.journal.fetch(ANA, [backend.address(entry.id)])[entry.id]
        assert (found.text, found.tags, found.importance, found.pinned) == ("new words", ("b",), 0.8, True)
        assert (found.seq, found.timestamp) == (entry.seq, entry.timestamp)

    def test_new_words_of_a_decision_are_the_decision_and_of_nothing_else(self, backend: Workbench) -> None:
        backend.session()
        said = {"text": "old words", "decision": "old words"}
        decision, event = (backend.add(type=type, content=said) for type in ("decision", "event"))
        for entry in (decision, event):
            backend.journal.amend(ANA, SESSION, entry.id, "ana", {"text": "new words"})
        found = backend.journal.fetch(ANA, [backend.address(entry.id) for entry in (decision, event)])
        assert [found[entry.id].content["decision"] for entry in (decision, event)] == ["new words", "old words"]

    def test_an_amendment_says_who_and_when(self, backend: Workbench) -> None:
        backend.session()
        entry = backend.add()
        backend.clock.advance(5000)
        change = backend.journal.amend(ANA, SESSION, entry.id, "agent", {"sensitive": True})
        assert (change.amends, change.by, change.set) == (entry.id, "agent", {"sensitive": True})
        assert change.timestamp == iso(backend.clock.now())
        assert change.checksum is not None

    @pytest.mark.parametrize("changes", [{}, {"id": "x"}, {"pinned": True, "seq": 1}])
    def test_only_what_may_change_can_be_amended(self, backend: Workbench, changes: dict[str, object]) -> None:
        backend.session()
        entry = backend.add()
        with pytest.raises(Invalid):
            backend.journal.amend(ANA, SESSION, entry.id, "ana", changes)


class BuryContract:
    """Tombstones are kept for good, and can be lifted."""

    def test_tombstones_come_back_in_order_from_any_offset(self, backend: Workbench) -> None:
        backend.session()
        entry = backend.add()
        backend.bury(entry)
        first, offset = backend.journal.tombstones(ANA, SESSION)
        backend.bury(entry, reason="undelete")
        more, end = backend.journal.tombstones(ANA, SESSION, offset)
        assert [stone.reason for stone in first + more] == ["user", "undelete"]
        assert [stone.hides for stone in first + more] == [True, False]
        assert backend.journal.tombstones(ANA, SESSION, end) == ([], end)
        assert backend.journal.tombstones(ANA, SESSION, 10**9)[0] == first + more

    def test_a_tombstone_keeps_digest_and_time_of_erasure(self, backend: Workbench) -> None:
        backend.session()
        stone = Tombstone(id=entry_id(1), timestamp=iso(5), reason="forget", digest="abc", compacted_at=iso(6))
        backend.journal.bury(ANA, SESSION, [stone])
        backend.reopen()
        assert backend.journal.tombstones(ANA, SESSION)[0] == [stone]

    def test_what_was_erased_is_neither_amended_nor_shown_again(self, backend: Workbench) -> None:
        backend.session()
        forgotten, compacted = backend.add("forgotten"), backend.add("compacted")
        backend.bury(forgotten, reason="forget")
        stone = Tombstone(id=compacted.id, timestamp=iso(5), reason="user", compacted_at=iso(6))
        backend.journal.bury(ANA, SESSION, [stone])
        before, _ = backend.journal.tombstones(ANA, SESSION)
        for entry in (forgotten, compacted):
            with pytest.raises(NotFound):
                backend.journal.amend(ANA, SESSION, entry.id, "ana", {"text": "words"})
            with pytest.raises(NotFound):
                backend.bury(entry, reason="undelete")
            backend.bury(entry)
        assert backend.journal.tombstones(ANA, SESSION)[0] == before

    def test_what_was_erased_is_not_added_again_under_its_id(self, backend: Workbench) -> None:
        backend.session()
        draft = backend.draft("words", chosen_id=True)
        (entry,) = backend.journal.append(ANA, SESSION, [draft])
        backend.bury(entry, reason="forget")
        with pytest.raises(Invalid):
            backend.journal.append(ANA, SESSION, [draft], known=lambda drafts: {entry.id: entry})
        with pytest.raises(Invalid):
            backend.journal.append(ANA, SESSION, [draft, backend.draft("others")])
        assert backend.texts() == ["words"]

    def test_what_was_deleted_or_compacted_can_still_be_forgotten(self, backend: Workbench) -> None:
        backend.session()
        entry = backend.add()
        for reason in ("user", "undelete", "user", "forget"):
            backend.bury(entry, reason=reason)
        assert backend.journal.tombstones(ANA, SESSION)[0][-1].final

    def test_a_reason_is_a_code_and_never_a_text(self, backend: Workbench) -> None:
        backend.session()
        with pytest.raises(Invalid):
            backend.bury(backend.add(), reason="because it was embarrassing")

    def test_only_a_journal_that_was_there_has_tombstones(self, backend: Workbench) -> None:
        with pytest.raises(NotFound):
            backend.journal.bury(ALL, SESSION, [Tombstone(id=entry_id(1), timestamp=iso(0), reason="user")])
        assert backend.journal.tombstones(ALL, SESSION) == ([], 0)
