"""What this process appended is handed to its index without reading it back, while it is what the file says."""

import os

import pytest

from holdfast.disk import Disk
from holdfast.journal.replay import replay_file
from holdfast.model.value import FrozenDict
from tests.unit.journal.world import ALL, ANA, SESSION, World


class Reads(Disk):
    """Counts how often the bytes of a file were read."""

    count = 0

    def pread(self, fd, count, offset):
        self.count += 1
        return super().pread(fd, count, offset)


@pytest.fixture
def disk():
    return Reads()


@pytest.fixture
def world(tmp_path, disk):
    world = World(tmp_path / "home", disk)
    world.session()
    world.add("one")
    return world


@pytest.fixture
def mark(world):
    """Up to where an index has read."""
    return world.replay().mark


def plain(replay):
    def shown(record):
        return record and {name: list(value) if isinstance(value, tuple) else value for name, value in record.items()}

    lines = [(line.number, line.offset, line.length, line.raw, shown(line.record)) for line in replay.lines]
    return lines, replay.replace(lines=())


def heard(world, disk, since):
    """The replay, and whether it took no look into the file; it always equals what the file says."""
    before = disk.count
    found = world.journal.replay(ALL, SESSION, since)
    silent = disk.count == before
    assert plain(found) == plain(replay_file(disk, world.path(), since))
    return found, silent


def test_what_we_appended_is_not_read_back(world, disk, mark):
    world.add("two", "three")
    found, silent = heard(world, disk, mark)
    assert silent
    assert [line.record["content"]["text"] for line in found.lines] == ["two", "three"]
    world.add("four")
    assert heard(world, disk, found.mark)[1], "and so on from there"


def test_appends_that_nobody_has_heard_yet_are_heard_together(world, disk, mark):
    for text in ("two", "three", "four"):
        world.add(text)
    found, silent = heard(world, disk, mark)
    assert silent
    assert len(found.lines) == 3


@pytest.mark.parametrize(
    "fields",
    [
        {"tags": ("a.b",), "references": ("mem_" + "0" * 26,)},
        {"metadata": FrozenDict({"deep": FrozenDict({"er": [1, None, True]})}), "tool": "grep", "path": "/x"},
        {"content": FrozenDict({"text": 'quotes " and \\ and \u2028 and ü 😀 \x00', "role": "user", "covers": [1, 2]})},
        {"importance": 1.0, "pinned": True, "sensitive": True, "workspace": "/w", "provenance": "tool:x", "tool": "x"},
    ],
)
def test_an_echo_says_what_the_line_says(world, disk, mark, fields):
    world.journal.append(
        ANA, SESSION, [world.draft(**{"text": "x", **fields}) if "content" not in fields else world.draft(**fields)]
    )
    assert heard(world, disk, mark)[1]


def test_each_echo_is_heard_once(world, disk, mark):
    world.add("two")
    assert heard(world, disk, mark)[1]
    assert not heard(world, disk, mark)[1]


def test_lines_of_another_process_are_read_from_the_file(world, disk, mark):
    world.add("two")
    world.add("three", journal=world.another(Disk()))
    assert not heard(world, disk, mark)[1]
    world.add("four", journal=world.another(Disk()))
    world.add("five")
    assert not heard(world, disk, mark)[1]


def test_a_mark_that_is_not_the_one_before_the_append_is_looked_up_in_the_file(world, disk, mark):
    world.add("two")
    assert not heard(world, disk, mark.replace(tail_hash="sha256:" + "0" * 64))[1]
    world.add("three")
    assert not heard(world, disk, None)[1]


def test_a_file_that_was_changed_after_our_append_is_read(world, disk, mark):
    world.add("two")
    os.utime(world.path(), ns=(0, 0))
    assert not heard(world, disk, mark)[1]


def test_after_an_amendment_the_file_is_read(world, disk, mark):
    entry = world.add("two")[0]
    world.journal.amend(ANA, SESSION, entry.id, "user", {"pinned": True})
    assert not heard(world, disk, mark)[1]


def test_a_torn_tail_is_sealed_and_then_read_from_the_file(world, disk, mark):
    with open(world.path(), "ab") as target:
        target.write(b'{"torn')
    world.add("two")
    assert not heard(world, disk, mark)[1]


def test_much_at_once_is_read_from_the_file(world, disk, mark):
    world.add(*["x" * 100_000] * 12)
    assert not heard(world, disk, mark)[1]
