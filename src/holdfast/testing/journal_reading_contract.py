"""Contract of a Journal, reading and upkeep: replays, fetches, rewrites, sizes, quarantine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ..errors import NotFound
from ..model.entry import Tombstone
from ..model.ids import entry_id
from ..model.moment import iso
from ..model.replay import Address, Mark
from ..model.salvage import Salvage, salvaged
from ..model.value import FrozenDict
from .workbench import ALL, ANA, OTHER, SESSION

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..model.entry import Entry
    from .workbench import Workbench


class ReplayContract:
    """Reading from a mark, and what damage does to it."""

    def test_everything_is_read_from_the_start(self, backend: Workbench) -> None:
        backend.session()
        entries = [backend.add(text) for text in ("one", "two")]
        replay = backend.journal.replay(ANA, SESSION)
        assert replay.fresh
        assert [line.record["id"] for line in replay.lines if line.record] == [entry.id for entry in entries]
        assert [line.number for line in replay.lines] == sorted({line.number for line in replay.lines})
        assert replay.mark.seq == 2

    def test_from_a_mark_only_what_is_new_is_read(self, backend: Workbench) -> None:
        backend.session()
        backend.add("one")
        mark = backend.journal.replay(ANA, SESSION).mark
        assert backend.journal.replay(ANA, SESSION, mark).lines == ()
        backend.add("two")
        replay = backend.journal.replay(ANA, SESSION, mark)
        assert not replay.fresh
        assert [line.record["content"]["text"] for line in replay.lines if line.record] == ["two"]
        assert backend.journal.replay(ANA, SESSION, replay.mark).lines == ()

    def test_pieces_are_together_what_is_read_at_once(self, backend: Workbench) -> None:
        backend.session()
        for text in ("one", "two " * 100, "three"):
            backend.add(text)
        whole = backend.journal.replay(ANA, SESSION)
        piece = backend.journal.replay(ANA, SESSION, None, 200)
        lines = list(piece.lines)
        while piece.more:
            piece = backend.journal.replay(ANA, SESSION, piece.mark, 200)
            assert not piece.fresh
            lines += piece.lines
        assert [(line.number, line.offset, line.raw) for line in lines] == [
            (line.number, line.offset, line.raw) for line in whole.lines
        ]
        assert piece.mark == whole.mark

    def test_a_mark_of_an_empty_journal_works_like_any_other(self, backend: Workbench) -> None:
        backend.session()
        mark = backend.journal.replay(ANA, SESSION).mark
        backend.add("one")
        replay = backend.journal.replay(ANA, SESSION, mark)
        assert [line.record["content"]["text"] for line in replay.lines if line.record] == ["one"]

    def test_a_mark_no_longer_fits_after_a_rewrite(self, backend: Workbench) -> None:
        backend.session()
        backend.add("one")
        mark = backend.journal.replay(ANA, SESSION).mark
        backend.journal.rewrite(ANA, SESSION, lambda entry: entry)
        replay = backend.journal.replay(ANA, SESSION, mark)
        assert replay.fresh
        assert not replay.lost
        assert len(replay.lines) == 1

    def test_a_mark_of_another_journal_reads_all(self, backend: Workbench) -> None:
        backend.session()
        backend.add("one")
        wrong = Mark(generation=1, offset=7, line=1, seq=9, tail_offset=0, tail_hash="sha256:0")
        assert backend.journal.replay(ANA, SESSION, wrong).fresh

    def test_a_journal_that_is_not_there_is_empty(self, backend: Workbench) -> None:
        replay = backend.journal.replay(ALL, SESSION)
        assert (replay.lines, replay.fresh) == ((), True)

    def test_a_damaged_line_costs_itself_only_and_is_never_returned(self, backend: Workbench) -> None:
        backend.session()
        entries = [backend.add(text) for text in ("before", "damaged", "after")]
        places = [backend.address(entry.id) for entry in entries]
        backend.damage(SESSION, entries[1].id)
        lines = backend.journal.replay(ANA, SESSION).lines
        assert [line.record is None for line in lines] == [False, True, False]
        assert list(backend.journal.fetch(ANA, places)) == [entries[0].id, entries[2].id]

    def test_after_damage_no_seq_is_given_twice(self, backend: Workbench) -> None:
        backend.session()
        backend.add("one")
        last = backend.add("two")
        backend.damage(SESSION, last.id)
        assert backend.add("three").seq > last.seq

    def test_damage_is_named_by_line(self, backend: Workbench) -> None:
        backend.session()
        entry = backend.add("fine")
        assert backend.journal.inspect(ANA, SESSION) == []
        number = backend.journal.replay(ANA, SESSION).lines[0].number
        backend.damage(SESSION, entry.id)
        (found,) = backend.journal.inspect(ANA, SESSION)
        assert found["line"] == number
        assert {"file", "offset", "bytes", "what"} <= set(found)
        assert "fine" not in str(found)


class FetchContract:
    """Entries at addresses."""

    def test_an_address_with_another_id_gives_nothing(self, backend: Workbench) -> None:
        backend.session()
        entry = backend.add()
        wrong = backend.address(entry.id).replace(id=entry_id(5))
        assert backend.journal.fetch(ANA, [wrong]) == {}

    def test_an_address_into_nowhere_gives_nothing(self, backend: Workbench) -> None:
        backend.session()
        entry = backend.add()
        (offset, length), = backend.address(entry.id).spans  # fmt: skip
        for spans in (((offset + 1, length),), ((offset, length - 1),), ((10**9, 10),), ()):
            assert backend.journal.fetch(ANA, [Address(id=entry.id, journal=SESSION, spans=spans)]) == {}

    def test_an_amendment_of_another_entry_spoils_the_address(self, backend: Workbench) -> None:
        backend.session()
        one, two = backend.add(), backend.add()
        backend.journal.amend(ANA, SESSION, two.id, "ana", {"pinned": True})
        mixed = (*backend.address(one.id).spans, backend.address(two.id).spans[1])
        assert backend.journal.fetch(ANA, [Address(id=one.id, journal=SESSION, spans=mixed)]) == {}

    def test_an_old_address_gives_nothing_wrong_after_a_rewrite(self, backend: Workbench) -> None:
        backend.session()
        first, second = backend.add("first " * 20), backend.add("second")
        places = [backend.address(first.id), backend.address(second.id)]
        backend.journal.rewrite(ANA, SESSION, lambda entry: None if entry.id == first.id else entry)
        for id, entry in backend.journal.fetch(ANA, places).items():
            assert (entry.id, entry.text) == (id, "second")

    def test_an_entry_cannot_be_changed_by_who_reads_it(self, backend: Workbench) -> None:
        backend.session()
        entry = backend.add()
        found = backend.journal.fetch(ANA, [backend.address(entry.id)])[entry.id]
        with pytest.raises(TypeError):
            found.content["text"] = "other"


class RewriteContract:
    """Writing a journal anew, erasing in place, removing it."""

    def test_what_is_kept_keeps_its_seq_and_its_order(self, backend: Workbench) -> None:
        backend.session()
        entries = [backend.add(str(number)) for number in range(5)]
        gone = {entries[1].id, entries[3].id}
        done = backend.journal.rewrite(ANA, SESSION, lambda entry: None if entry.id in gone else entry)
        lines = backend.journal.replay(ANA, SESSION).lines
        assert [line.record["seq"] for line in lines if line.record] == [1, 3, 5]
        assert (done.kept, done.dropped) == (3, 2)
        assert done.bytes_after < done.bytes_before
        assert backend.add().seq == 6

    def test_a_seq_is_never_given_again_even_if_the_last_entry_went(self, backend: Workbench) -> None:
        backend.session()
        backend.add()
        backend.journal.rewrite(ANA, SESSION, lambda entry: None)
        backend.reopen()
        assert backend.add().seq == 2

    def test_every_rewrite_raises_the_generation(self, backend: Workbench) -> None:
        backend.session()
        before = backend.journal.replay(ANA, SESSION).mark.generation
        done = backend.journal.rewrite(ANA, SESSION, lambda entry: entry)
        assert done.generation == backend.journal.replay(ANA, SESSION).mark.generation == before + 1

    def test_amendments_are_folded_and_their_lines_go(self, backend: Workbench) -> None:
        backend.session()
        entry = backend.add("old")
        backend.journal.amend(ANA, SESSION, entry.id, "ana", {"text": "new"})
        seen: list[str] = []

        def keep(entry: Entry) -> Entry:
            seen.append(entry.text)
            return entry

        backend.journal.rewrite(ANA, SESSION, keep)
        assert seen == ["new"]
        assert backend.texts() == ["new"]
        assert len(backend.journal.replay(ANA, SESSION).lines) == 1

    def test_what_keep_returns_is_what_stands_with_a_checksum_of_its_own(self, backend: Workbench) -> None:
        backend.session()
        entry = backend.add("long", metadata={"detail": "x" * 500})
        backend.journal.rewrite(ANA, SESSION, lambda e: e.replace(metadata=FrozenDict(), compacted=True))
        found = backend.journal.fetch(ANA, [backend.address(entry.id)])[entry.id]
        assert (found.metadata, found.compacted) == ({}, True)
        assert found.checksum != entry.checksum

    def test_damaged_lines_go_to_quarantine_once(self, backend: Workbench) -> None:
        backend.session()
        backend.damage(SESSION, backend.add("spoilt").id)
        done = backend.journal.rewrite(ANA, SESSION, lambda entry: entry)
        assert done.damaged == 1
        assert len(backend.journal.quarantined(ANA)) == 1
        assert backend.journal.replay(ANA, SESSION).lines == ()

    def test_damaged_lines_that_shall_go_are_not_kept(self, backend: Workbench) -> None:
        backend.session()
        backend.damage(SESSION, backend.add("spoilt").id)
        backend.journal.rewrite(ANA, SESSION, lambda entry: entry, drop_damaged=lambda raw: True)
        assert backend.journal.quarantined(ANA) == []

    def test_tombstones_can_be_read_while_a_rewrite_decides(self, backend: Workbench) -> None:
        backend.session()
        entry = backend.add()
        backend.bury(entry)
        seen: list[str] = []

        def keep(entry: Entry) -> None:
            seen.extend(stone.id for stone in backend.journal.tombstones(ANA, SESSION)[0])

        backend.journal.rewrite(ANA, SESSION, keep)
        assert seen == [entry.id]

    def test_a_rewrite_that_fails_changes_nothing(self, backend: Workbench) -> None:
        backend.session()
        backend.add("stays")

        def keep(entry: Entry) -> Entry:
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            backend.journal.rewrite(ANA, SESSION, keep)
        assert backend.texts() == ["stays"]
        assert backend.add("next").seq == 2

    def test_blanked_entries_are_gone_and_nothing_moves(self, backend: Workbench) -> None:
        backend.session()
        first, second = backend.add("gone"), backend.add("stays")
        backend.journal.amend(ANA, SESSION, first.id, "ana", {"text": "gone too"})
        place = backend.address(second.id)
        assert backend.journal.blank(ANA, SESSION, [first.id]) == 2
        assert backend.texts() == ["stays"]
        assert list(backend.journal.fetch(ANA, [place])) == [second.id]
        assert backend.journal.inspect(ANA, SESSION) == []
        assert backend.add().seq == 4

    def test_a_removed_journal_leaves_its_tombstones(self, backend: Workbench) -> None:
        backend.session()
        entry = backend.add()
        backend.bury(entry, reason="forget")
        backend.journal.remove(ANA, SESSION)
        backend.reopen()
        assert backend.journal.card(ALL, SESSION) is None
        assert backend.journal.replay(ALL, SESSION).lines == ()
        assert [stone.id for stone in backend.journal.tombstones(ALL, SESSION)[0]] == [entry.id]
        assert SESSION in list(backend.journal.journals(ALL))
        with pytest.raises(NotFound):
            backend.journal.append(ALL, SESSION, [backend.draft()])

    def test_removing_what_is_not_there_is_done_already(self, backend: Workbench) -> None:
        backend.journal.remove(ALL, SESSION)
        assert backend.journal.size(ALL, SESSION) is None

    def test_a_removed_journal_can_still_be_buried_in(self, backend: Workbench) -> None:
        backend.session()
        entry = backend.add()
        backend.bury(entry)
        backend.journal.remove(ANA, SESSION)
        backend.journal.bury(ALL, SESSION, [Tombstone(id=SESSION, timestamp=iso(0), reason="forget")])
        assert [stone.id for stone in backend.journal.tombstones(ALL, SESSION)[0]] == [entry.id, SESSION]

    def test_nobody_writes_to_a_session_that_is_being_forgotten(self, backend: Workbench) -> None:
        backend.session()
        backend.add("goes")
        backend.journal.bury(ALL, SESSION, [Tombstone(id=SESSION, timestamp=iso(0), reason="forget")])
        with pytest.raises(NotFound):
            backend.journal.append(ANA, SESSION, [backend.draft("late")])
        assert backend.texts() == ["goes"]

    def test_a_forgotten_session_is_not_made_again_under_its_id(self, backend: Workbench) -> None:
        backend.session()
        card = backend.journal.card(ANA, SESSION)
        assert card is not None
        backend.journal.bury(ALL, SESSION, [Tombstone(id=SESSION, timestamp=iso(0), reason="forget")])
        backend.journal.remove(ANA, SESSION)
        with pytest.raises(NotFound):
            backend.journal.create(ANA, card)
        assert backend.journal.card(ALL, SESSION) is None

    def test_the_journal_of_a_forgotten_user_is_made_again_by_the_next_write(self, backend: Workbench) -> None:
        own = backend.user()
        backend.journal.bury(ALL, own, [Tombstone(id=own, timestamp=iso(0), reason="forget")])
        backend.journal.remove(ANA, own)
        backend.user()
        assert backend.add("anew", own).seq == 1


class FilesContract:
    """Sizes, locks and quarantine."""

    def test_size_grows_with_entries_and_tombstones(self, backend: Workbench) -> None:
        backend.session()
        sizes = [backend.journal.size(ANA, SESSION)]
        entry = backend.add("some words")
        sizes.append(backend.journal.size(ANA, SESSION))
        backend.bury(entry)
        sizes.append(backend.journal.size(ANA, SESSION))
        empty, added, buried = (size for size in sizes if size is not None)
        assert added.entries > empty.entries
        assert (buried.entries, buried.tombstones > 0) == (added.entries, True)
        assert buried.total == buried.entries + buried.tombstones

    def test_every_change_can_be_told_by_size(self, backend: Workbench) -> None:
        backend.session()
        entry = backend.add()
        card = backend.journal.card(ANA, SESSION)
        assert card is not None
        seen = {repr(backend.journal.size(ANA, SESSION))}
        acts: list[Callable[[], Any]] = [
            lambda: backend.add(),
            lambda: backend.journal.amend(ANA, SESSION, entry.id, "ana", {"pinned": True}),
            lambda: backend.bury(entry),
            lambda: backend.journal.save_card(ANA, card.replace(title="t")),
            lambda: backend.journal.rewrite(ANA, SESSION, lambda entry: entry),
        ]
        for count, act in enumerate(acts, 2):
            act()
            seen.add(repr(backend.journal.size(ANA, SESSION)))
            assert len(seen) == count

    def test_something_can_be_done_while_nobody_writes(self, backend: Workbench) -> None:
        backend.session()
        done: list[int] = []
        assert backend.journal.when_idle(ANA, SESSION, lambda: done.append(1))
        assert done == [1]

    def test_while_somebody_writes_nothing_is_done(self, backend: Workbench) -> None:
        backend.session()
        backend.add()
        done: list[int] = []
        answers: list[bool] = []

        def keep(entry: Entry) -> Entry:
            answers.append(backend.journal.when_idle(ANA, SESSION, lambda: done.append(1)))
            return entry

        backend.journal.rewrite(ANA, SESSION, keep)
        assert (answers, done) == ([False], [])

    def test_a_damaged_piece_is_kept_as_found_and_once(self, backend: Workbench) -> None:
        backend.session()
        pieces = [(10, b"\xff\x00 broken"), (99, b"other")]
        assert backend.journal.quarantine(ANA, SESSION, pieces) == 2
        assert backend.journal.quarantine(ANA, SESSION, pieces) == 0
        assert backend.journal.quarantine(ANA, SESSION, [(10, b"again")]) == 1
        kept = backend.journal.quarantined(ANA, SESSION)
        assert sorted((piece["offset"], piece["bytes"]) for piece in kept) == [(10, 5), (10, 9), (99, 5)]
        assert all(piece["journal"] == SESSION and piece["file"] and piece["hash"] for piece in kept)

    def test_quarantine_is_seen_only_by_its_owner(self, backend: Workbench) -> None:
        backend.session()
        backend.session(OTHER, user="ben")
        backend.journal.quarantine(ALL, SESSION, [(1, b"ana's")])
        backend.journal.quarantine(ALL, OTHER, [(1, b"ben's")])
        assert [piece["journal"] for piece in backend.journal.quarantined(ANA)] == [SESSION]
        assert len(backend.journal.quarantined(ALL)) == 2
        assert len(backend.journal.quarantined(ALL, OTHER)) == 1

    def test_released_pieces_are_gone(self, backend: Workbench) -> None:
        backend.session()
        backend.journal.quarantine(ANA, SESSION, [(1, b"one"), (2, b"two")])
        assert backend.journal.release(ANA, SESSION, lambda raw: raw == b"one") == 1
        assert [piece["offset"] for piece in backend.journal.quarantined(ANA)] == [2]

    def test_what_an_index_still_knew_is_told_from_damaged_lines(self, backend: Workbench) -> None:
        backend.session()
        gone = salvaged(Salvage(entry="mem_A", user_id="ana"), {"text": "words"})
        damaged = salvaged(Salvage(entry="mem_B", gone=False, user_id="ana"), {"text": "words"})
        backend.journal.quarantine(ALL, SESSION, [(1, b'{"id":"mem_C"'), (2, gone), (3, damaged)])
        kept = backend.journal.quarantined(ANA)
        assert [piece["lost"] for piece in kept] == [None, "mem_A", None]
        assert [piece["user_id"] for piece in kept] == [None, "ana", "ana"]

    def test_whose_a_journal_is_can_be_asked(self, backend: Workbench) -> None:
        backend.session()
        assert [backend.journal.owner(ALL, name) for name in (SESSION, OTHER)] == ["ana", None]
