"""Promise 3 at the level of the journal's reader: a damaged byte costs at most its own record, and is seen.

A newline that is lost or that appears costs two entries at most. The journal is read whole by the
real reader for every single cut and flip.
"""

from __future__ import annotations

import pytest

from holdfast.journal.replay import replay_bytes
from holdfast.testing.disk import UnsyncedDisk
from tests.unit.journal.world import ALL, SESSION, World

pytestmark = pytest.mark.crash

TEXTS = [f"{sample} {number}" for number, sample in enumerate([
    "plain words", "日本語のテキスト", "emoji 😀🎉👩‍👧", "line\u2028separator", "tab\tand \\n escaped", "한국어",
    "Ünïcö", "", "中文内容测试", "quote \" and {\"checksum\":\"sha256:", "עברית", "𝕬𝖓𝖓𝖆", "a", "é́", "0", "नमस्ते", "🇩🇪",
    "x" * 60, "ω", "end",
])]  # fmt: skip


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    world = World(tmp_path_factory.mktemp("damage") / "home", UnsyncedDisk())
    world.session()
    world.add(*TEXTS)
    return world


@pytest.fixture(scope="module")
def whole(world):
    data = world.bytes()
    assert len(replay_bytes(data).lines) == len(TEXTS) >= 20
    return data


def test_cut_at_every_byte_all_whole_lines_survive_and_nothing_else(whole):
    good = {line.raw: line.record for line in replay_bytes(whole).lines}
    ends = [line.offset + line.length for line in replay_bytes(whole).lines]
    for cut in range(len(whole) + 1):
        replay = replay_bytes(whole[:cut])
        assert all(good[line.raw] == line.record for line in replay.lines if line.record is not None)
        assert len([line for line in replay.lines if line.record]) == sum(end <= cut for end in ends)
        assert all(line.record for line in replay.lines), "a torn tail is not read as a bad line"


def test_flipped_at_every_bit_no_entry_is_wrong_at_most_two_are_lost_and_the_line_is_named(whole):
    good = {line.raw: line.record for line in replay_bytes(whole).lines}
    flipped = bytearray(whole)
    line_number = 1
    for place in range(len(whole)):
        for bit in range(8):
            flipped[place] ^= 1 << bit
            replay = replay_bytes(bytes(flipped))
            flipped[place] ^= 1 << bit
            records = [line for line in replay.lines if line.record is not None]
            damaged = [line.number for line in replay.lines if line.record is None]
            assert all(good.get(line.raw) == line.record for line in records), (place, bit)
            assert len(records) >= len(TEXTS) - 2, (place, bit)
            assert damaged or replay.torn, (place, bit)
            assert all(abs(number - line_number) <= 1 for number in damaged), (place, bit)
        line_number += whole[place] == 10


def test_a_writer_after_any_cut_seals_it_and_loses_nothing_more(world, whole):
    last_lines = whole.rindex(b"\n", 0, whole.rindex(b"\n", 0, -1)) - 300
    cuts = [*range(0, last_lines, 23), *range(last_lines, len(whole) + 1)]
    for cut in cuts:
        world.put(whole[:cut])
        before = world.texts()
        taken = {line.record["seq"] for line in world.replay().lines}
        entry = world.another().append(ALL, SESSION, [world.draft("after")])[0]
        assert world.texts() == [*before, "after"], cut
        assert entry.seq not in taken
    world.put(whole)


def test_zeros_at_the_end_as_a_power_cut_may_leave_them_cost_nothing(world, whole):
    world.put(whole + bytes(4096))
    world.another().append(ALL, SESSION, [world.draft("after")])
    assert world.texts() == [*TEXTS, "after"]
    world.put(whole)


def test_inspect_names_the_line_of_random_damage(world, whole):
    lines = replay_bytes(whole).lines
    for line in lines[::3]:
        broken = bytearray(whole)
        broken[line.offset + line.length // 2] ^= 4
        world.put(bytes(broken))
        found = world.journal.inspect(ALL, SESSION)
        assert [(place["file"], place["line"]) for place in found] == [(world.path(), line.number)]
    world.put(whole)
