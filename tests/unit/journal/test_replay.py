import json

import pytest

from holdfast.disk import Disk
from holdfast.journal.line import entry_line, sealed
from holdfast.journal.replay import Scan, replay_bytes, replay_file
from holdfast.model.entry import Entry
from holdfast.model.value import FrozenDict
from tests.unit.journal.world import ALL, ANA, SESSION, texts

HEADER = sealed({"journal": 1, "id": SESSION, "generation": 1, "next_seq": 1})


def entry(seq, text="words", **fields):
    return entry_line(Entry(
        seq=seq, id=f"mem_{seq:026}", scope="session", timestamp="2026-01-01T00:00:00.000Z", type="note",
        content=FrozenDict({"text": text}), **fields,
    ))  # fmt: skip


def joined(*lines):
    return b"".join(line + b"\n" for line in lines)


def test_lines_carry_number_offset_and_record():
    replay = replay_bytes(joined(HEADER, entry(1), entry(2)))
    assert [(line.number, line.record["seq"]) for line in replay.lines] == [(2, 1), (3, 2)]
    assert [line.offset for line in replay.lines] == [len(HEADER) + 1, len(HEADER) + len(entry(1)) + 2]
    assert replay.lines[0].raw == entry(1)
    assert replay.fresh
    assert (replay.torn, replay.newer, replay.lost) == (False, False, False)


def test_only_newline_ends_a_line():
    text = "a\u2028b\u2029c\u0085d\x0be\x0cf\rg"
    replay = replay_bytes(joined(HEADER, entry(1, text)))
    assert texts(replay) == [text]


def test_crlf_is_accepted():
    replay = replay_bytes(b"\r\n".join([HEADER, entry(1), entry(2), b""]))
    assert [line.record["seq"] for line in replay.lines] == [1, 2]


def test_a_line_of_a_megabyte_is_read_whole():
    replay = replay_bytes(joined(HEADER, entry(1, "é" * 500_000)))
    assert len(texts(replay)[0]) == 500_000


def test_a_damaged_line_costs_only_itself():
    replay = replay_bytes(joined(HEADER, entry(1), entry(2)[:-9] + b"x" * 9, entry(3)))
    assert [line.record and line.record["seq"] for line in replay.lines] == [1, None, 3]
    assert replay.lines[1].number == 3


def test_an_unfinished_last_line_is_left_unread():
    data = joined(HEADER, entry(1)) + entry(2)[:40]
    replay = replay_bytes(data)
    assert replay.torn
    assert len(replay.lines) == 1
    assert replay.mark.offset == len(data) - 40


def test_a_last_line_that_only_lost_its_line_end_is_good():
    replay = replay_bytes(joined(HEADER, entry(1)) + entry(2))
    assert not replay.torn
    assert replay.mark.seq == 2
    assert [line.number for line in replay.lines] == [2, 3]


def test_erased_lines_are_no_damage_but_count_for_seq_and_empty_lines_are_nothing():
    scan = Scan(None).read(joined(HEADER, entry(1), b" " * 300, b"", b""))
    assert len(scan.lines) == 1
    assert scan.next_seq == 3


def test_the_next_seq_counts_damaged_lines_and_those_glued_together():
    assert Scan(None).read(joined(HEADER, entry(1), b"rubbish")).next_seq == 3
    assert Scan(None).read(joined(HEADER, entry(1), entry(2) + b"?" + entry(3))).next_seq == 4
    assert Scan(None).read(joined(HEADER, entry(1)) + b"torn").next_seq == 3


def test_the_next_seq_honours_the_header_of_a_rewritten_journal():
    header = sealed({"journal": 1, "id": SESSION, "generation": 4, "next_seq": 100})
    assert Scan(None).read(joined(header, entry(7))).next_seq == 100
    assert Scan(None).read(joined(header, entry(7), b"damaged, was 100")).next_seq == 101


def test_a_damaged_header_makes_no_line_acceptable_without_checksum():
    bare = json.dumps({"id": "mem_1", "timestamp": "2026-01-01T00:00:00.000Z", "content": {"text": "a"}}).encode()
    replay = replay_bytes(joined(HEADER.replace(b"journal", b"jourmal"), bare, entry(2)))
    assert [line.record and line.record["seq"] for line in replay.lines] == [None, None, 2]


def test_a_file_that_begins_with_a_bare_entry_is_read_without_checksums_and_counted():
    bare = json.dumps({"id": "mem_1", "timestamp": "2026-01-01T00:00:00.000Z", "content": {"text": "a"}}).encode()
    replay = replay_bytes(joined(bare, bare, entry(3)))
    assert [line.record["seq"] for line in replay.lines] == [1, 2, 3]
    assert replay.mark.generation == 0


def test_what_a_later_version_wrote_is_read_as_far_as_possible_and_said():
    later = sealed({"schema_version": 2, "seq": 2, "whatever": 1})
    replay = replay_bytes(joined(HEADER, entry(1), later, entry(3)))
    assert replay.newer
    assert [line.record["seq"] for line in replay.lines] == [1, 3]
    assert replay_bytes(joined(sealed({"journal": 2, "id": SESSION, "generation": 1, "next_seq": 1}), entry(1))).newer


def test_an_empty_file_is_an_empty_journal():
    replay = replay_bytes(b"")
    assert replay.lines == ()
    assert replay.mark.offset == 0


def test_a_mark_gives_only_what_came_after_it(world):
    world.add("one")
    mark = world.replay().mark
    assert world.journal.replay(ALL, SESSION, mark).lines == ()
    assert world.journal.replay(ALL, SESSION, mark).mark == mark
    world.add("two", "three")
    later = world.journal.replay(ALL, SESSION, mark)
    assert texts(later) == ["two", "three"]
    assert not later.fresh
    assert [line.number for line in later.lines] == [3, 4]
    assert later.mark == world.replay().mark


def test_a_mark_after_a_line_without_line_end_goes_on_correctly(world):
    world.add("one", "two")
    world.put(world.bytes()[:-1])
    mark = world.replay().mark
    world.add("three")
    later = world.journal.replay(ALL, SESSION, mark)
    assert texts(later) == ["three"]
    assert not later.fresh
    assert later.mark == world.replay().mark
    assert [line.number for line in later.lines] == [4]


def test_a_mark_before_a_torn_tail_goes_on_after_it_was_sealed(world):
    world.add("one")
    world.put(world.bytes() + b'{"torn')
    mark = world.replay().mark
    world.add("two")
    later = world.journal.replay(ALL, SESSION, mark)
    assert [line.record is None for line in later.lines] == [True, False]
    assert not later.fresh


def test_a_mark_of_another_generation_starts_again(world):
    world.add("one", "two")
    mark = world.replay().mark
    world.journal.rewrite(ALL, SESSION, lambda entry: entry)
    again = world.journal.replay(ALL, SESSION, mark)
    assert again.fresh
    assert not again.lost
    assert texts(again) == ["one", "two"]


def test_a_journal_shorter_than_its_mark_is_lost_and_read_again(world):
    world.add("one", "two")
    mark = world.replay().mark
    data = world.bytes()
    for cut in (len(data) - 1, data.rindex(b"\n", 0, -1) + 1, 10, 0):
        world.put(data[:cut])
        again = world.journal.replay(ALL, SESSION, mark)
        assert again.fresh, cut
        assert again.lost, cut


def test_a_changed_last_line_means_reading_again(world):
    world.add("one", "two")
    mark = world.replay().mark
    world.put(world.bytes()[:-5] + b"xxxx\n")
    again = world.journal.replay(ALL, SESSION, mark)
    assert again.fresh
    assert not again.lost


def test_a_removed_journal_is_empty_but_a_vanished_one_is_lost(world):
    import os

    world.add("one")
    mark = world.replay().mark
    os.unlink(world.path())
    assert world.journal.replay(ALL, SESSION, mark).lost
    world.journal.remove(ALL, SESSION)
    gone = world.journal.replay(ALL, SESSION, mark)
    assert gone.fresh
    assert not gone.lost
    assert gone.lines == ()


def test_a_piece_ends_with_a_line_and_holds_at_least_one(tmp_path):
    path = tmp_path / "memory.jsonl"
    path.write_bytes(joined(HEADER, entry(1), entry(2, "long " * 1_000), entry(3)))
    first = replay_file(Disk(), str(path), None, 600)
    rest = replay_file(Disk(), str(path), first.mark, 600)
    assert [[line.record["seq"] for line in piece.lines] for piece in (first, rest)] == [[1], [2, 3]]
    assert [(piece.fresh, piece.more) for piece in (first, rest)] == [(True, True), (False, False)]


def test_a_torn_last_line_is_left_to_the_last_piece(tmp_path):
    path = tmp_path / "memory.jsonl"
    path.write_bytes(joined(HEADER, entry(1), entry(2)) + entry(3)[:-5])
    first = replay_file(Disk(), str(path), None, 600)
    last = replay_file(Disk(), str(path), first.mark)
    assert (first.torn, first.more) == (False, True)
    assert (last.torn, last.more) == (True, False)


def test_a_file_without_our_header_is_read_at_once_since_its_lines_may_have_no_seq(tmp_path):
    path = tmp_path / "memory.jsonl"
    line = {"id": "x", "timestamp": "2026-01-01T00:00:00Z", "type": "note", "content": "words " * 20}
    path.write_bytes(joined(*(json.dumps({**line, "id": f"x{n}"}).encode() for n in range(50))))
    replay = replay_file(Disk(), str(path), None, 600)
    assert not replay.more
    assert [line.record["seq"] for line in replay.lines] == list(range(1, 51))


def foreign(count=3):
    """Lines as another program writes them: no header, no checksums."""
    said = {"timestamp": "2026-01-01T00:00:00Z", "type": "conversation"}
    return [
        json.dumps({"id": f"mem_x{number}", **said, "content": {"text": f"words {number}"}}).encode()
        for number in range(count)
    ]


@pytest.mark.parametrize(
    "before", [b"\xef\xbb\xbf", b"\n\n", b"\r\n", b"\n" * 5000], ids=["mark", "lf", "crlf", "many"]
)
def test_what_an_editor_puts_before_the_first_line_costs_nothing(world, before):
    world.put(before + b"\n".join(foreign()) + b"\n")
    assert world.texts() == ["words 0", "words 1", "words 2"]
    found = world.journal.fetch(ALL, world.addresses().values())
    assert sorted(entry.text for entry in found.values()) == ["words 0", "words 1", "words 2"]
    assert [finding for finding in world.journal.inspect(ANA, SESSION) if finding["file"] == world.path()] == []


def test_a_mark_before_our_own_header_costs_nothing(world):
    world.add("one")
    world.put(b"\xef\xbb\xbf" + world.bytes())
    world.add("two")
    assert world.another().replay(ALL, SESSION).mark.generation == 1
    assert (world.texts(), world.journal.inspect(ANA, SESSION)) == (["one", "two"], [])


def test_a_damaged_first_line_of_another_program_costs_that_line(world):
    first, *others = foreign()
    for bit in range(0, len(first) * 8, 5):
        flipped = bytearray(first)
        flipped[bit // 8] ^= 1 << bit % 8
        world.put(b"\n".join([bytes(flipped), *others]) + b"\n")
        assert world.texts()[-2:] == ["words 1", "words 2"]


def test_no_flipped_bit_of_our_header_makes_lines_without_a_checksum_good(world):
    world.add("one")
    header, line, _ = world.bytes().split(b"\n")
    bare = line[: line.rindex(b',"checksum"')] + b"}"
    for bit in range(len(header) * 8):
        flipped = bytearray(header)
        flipped[bit // 8] ^= 1 << bit % 8
        assert texts(replay_bytes(joined(bytes(flipped), bare, line))) == ["one"]
