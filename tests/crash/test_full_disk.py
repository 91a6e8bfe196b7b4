"""A full disk: writes are refused and say so, everything else works, forgetting too, and nothing is lost."""

from __future__ import annotations

import contextlib
import os
import subprocess

import pytest

import holdfast
from tests.crash.homes import AGENT
from tests.leftovers import leftovers

SECRET = "the vexnomblark lives at 12 quixotrabble lane"


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 64 MiB of its own."""
    point = tmp_path / "disk"
    point.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64m,mode=0700", "tmpfs", str(point)], capture_output=True, text=True
    )
    if made.returncode != 0:
        pytest.skip(f"a file system cannot be mounted here: {made.stderr.strip()}")
    yield point
    subprocess.run(["umount", "-l", str(point)], check=True)


def fill_up(disk, leave=0):
    """Take all the space that is left but `leave` bytes."""
    with open(disk / "filler", "ab", buffering=0) as filler:  # what a buffer kept would be refused again at its end
        block = 1 << 16
        while block:
            room = os.statvfs(disk)
            if room.f_bavail * room.f_frsize <= leave:
                return
            try:
                filler.write(b"\0" * block)
            except OSError:
                block //= 2


def empty(disk):
    os.unlink(disk / "filler")


@pytest.fixture
def full(small_disk):
    """An open store on a disk without a free byte, and what it acknowledged so far."""
    with holdfast.open(str(small_disk / "home")) as memory:
        told = {memory.add(f"harbour number {number}", session="work").id for number in range(20)}
        secret = memory.add(SECRET, session="work", tags=["private"]).id
        memory.search("harbour")
        fill_up(small_disk)
        yield small_disk, memory, told, secret


def journal_of(memory, disk):
    session = memory.load_session("work").id
    return disk / "home" / AGENT / "sessions" / session / "memory.jsonl"


def holding(found):
    """The hits that have the word themselves, without neighbours that came along."""
    return {hit.id for hit in found if "harbour" in hit.text}


def add_until_refused(memory, told):
    """Entries fit as long as the last block has room for them."""
    for number in range(200):
        try:
            told.add(memory.add(f"harbour at last {number} " + "x" * 2000, session="work").id)
        except holdfast.StorageFailed as error:
            return error
    return None


def test_a_write_is_refused_with_the_reason(full):
    _, memory, told, _ = full
    error = add_until_refused(memory, told)
    assert error is not None
    assert error.details["errno"] == "ENOSPC"
    assert "free some space" in error.message
    assert "harbour" not in error.message


def test_what_was_acknowledged_is_read_and_found_on_a_full_disk(full):
    _, memory, told, secret = full
    indexed = set(told)
    add_until_refused(memory, told)
    assert {memory.get(id).id for id in indexed} == indexed
    for id in told - indexed:  # the index may have found no room for them: then nobody says that they do not exist
        with contextlib.suppress(holdfast.Locked):
            assert memory.get(id).id == id
    found = memory.search("harbour", limit=200)
    assert holding(found) <= told
    assert holding(found) == told or found.degraded
    assert memory.get(secret).text == SECRET


def test_nothing_half_written_is_left_by_refused_writes(full):
    disk, memory, told, _ = full
    path = journal_of(memory, disk)
    add_until_refused(memory, told)
    before = path.read_bytes()
    assert add_until_refused(memory, told) is not None
    assert path.read_bytes() == before
    assert before.endswith(b"\n")


def test_forgetting_works_on_a_full_disk(full):
    disk, memory, told, secret = full
    add_until_refused(memory, told)
    receipt = memory.forget(secret)
    assert receipt.clean, receipt.residue
    assert leftovers(disk / "home", [SECRET]) == []
    empty(disk)
    assert {memory.get(id).id for id in told} == told


def test_a_journal_larger_than_the_ballast_is_erased_in_place(small_disk):
    with holdfast.open(str(small_disk / "home")) as memory:
        items = [{"text": f"harbour {number}", "session": "work"} for number in range(11_000)]
        told = [entry.id for entry in memory.add_many(items)]
        secret = memory.add(SECRET, session="work").id
    with holdfast.open(str(small_disk / "home")) as memory:
        path = journal_of(memory, small_disk)
        size = path.stat().st_size
        assert size > 4 << 20
        fill_up(small_disk)
        receipt = memory.forget(secret)
        assert receipt.clean, receipt.residue
        assert path.stat().st_size == size, "it was rewritten: this tests nothing"
        assert leftovers(small_disk / "home", [SECRET]) == []
        empty(small_disk)
        assert memory.add("and on it goes", session="work").seq == len(told) + 2
        assert memory.stats()["entries"] == len(told) + 1
        assert [memory.get(id).text for id in told[::500]] == [f"harbour {number}" for number in range(0, 11_000, 500)]


def test_a_forget_that_finds_no_room_at_all_changes_nothing_and_can_be_repeated(full):
    disk, memory, told, secret = full
    os.unlink(disk / "home" / "ballast")
    fill_up(disk)
    with pytest.raises(holdfast.StorageFailed):
        memory.forget(secret)
    assert {memory.get(id).id for id in told} == told
    empty(disk)
    assert memory.forget(secret).clean
    assert leftovers(disk / "home", [SECRET]) == []


def test_the_ballast_is_taken_again_by_a_later_open(full):
    disk, memory, _, secret = full
    memory.forget(secret)
    assert not (disk / "home" / "ballast").exists()
    empty(disk)
    with holdfast.open(str(disk / "home"), agent="another"):
        assert (disk / "home" / "ballast").stat().st_size == 4 << 20


def test_deleting_works_or_says_why_not(full):
    _, memory, told, secret = full
    add_until_refused(memory, told)
    try:
        memory.delete(secret)
    except holdfast.StorageFailed:
        assert memory.get(secret).text == SECRET
    else:
        with pytest.raises(holdfast.NotFound):
            memory.get(secret)


def test_it_is_writable_again_when_space_is_freed(full):
    disk, memory, told, _ = full
    add_until_refused(memory, told)
    empty(disk)
    told.add(memory.add("harbour regained", session="work").id)
    memory.sync()
    assert holding(memory.search("harbour", limit=200)) == told
    with holdfast.open(str(disk / "home")) as again:
        assert again.verify()["problems"] == []


def test_a_home_cannot_be_made_on_a_full_disk(small_disk):
    fill_up(small_disk)
    with pytest.raises(holdfast.StorageFailed), holdfast.open(str(small_disk / "new")) as memory:
        memory.add("anything")
