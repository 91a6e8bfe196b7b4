"""A journal cut or with a bit flipped, seen through `open`: never a wrong entry, and damage has an address."""

from __future__ import annotations

import os
import random
import shutil
from bisect import bisect_right

import pytest

import holdfast
from holdfast.testing import FixedClock
from tests.crash.homes import AGENT, WORDS_ONLY, copied, everything, make, sessions_of
from tests.sizes import CUTS_AND_FLIPS


class Template:
    """A home with a journal to damage, and what it says."""

    def __init__(self, home, work):
        self.home, self.work = home, work
        self.journal = max(sessions_of(home), key=os.path.getsize)  # the one with amendments
        with open(self.journal, "rb") as source:
            self.data = source.read()
        self.ends = [place for place, byte in enumerate(self.data, 1) if byte == 10]
        with holdfast.open(home, clock=FixedClock(), settings=WORDS_ONLY) as memory:
            self.entries = everything(memory)
        session = os.path.basename(os.path.dirname(self.journal))
        self.here = {id for id, entry in self.entries.items() if entry.get("session_id") == session}

    def with_bytes(self, data, *, index):
        """A copy of the home in which the journal holds these bytes."""
        shutil.rmtree(self.work, ignore_errors=True)
        copied(self.home, self.work)
        path = os.path.join(self.work, os.path.relpath(self.journal, self.home))
        with open(path, "wb") as target:
            target.write(data)
        if not index:
            shutil.rmtree(os.path.join(self.work, AGENT, "index"))
        return os.path.relpath(path, self.work)

    def line_at(self, offset):
        """The number of the line that a byte belongs to."""
        return bisect_right(self.ends, offset) + 1


@pytest.fixture(scope="module")
def template(swift_home_path):
    home = make(os.path.join(swift_home_path, "home"), rounds=5)
    made = Template(home, os.path.join(swift_home_path, "work"))
    assert len(made.here) >= 20
    assert b'"amends"' in made.data
    return made


def seen_through_open(template):
    """What the damaged home shows and what `verify` says; a write after it works, with a seq of its own."""
    with holdfast.open(template.work, clock=FixedClock(), settings=WORDS_ONLY) as memory:
        memory.sync()
        shown = everything(memory)
        for id in list(shown):
            assert memory.get(id).to_dict() == shown[id]
        report = memory.verify()
        session = os.path.basename(os.path.dirname(template.journal))
        added = memory.add("written after the damage", session=session)
        seqs = [entry.seq for entry in memory.query(session=session, rank="oldest", every=True)]
        assert len(seqs) == len(set(seqs))
        assert memory.get(added.id).text == "written after the damage"
    return shown, report["problems"], report


def wrong(template, shown):
    """Entries that are not what was written: an earlier text of an amended entry counts too."""
    return [id for id, entry in shown.items() if template.entries.get(id) != entry]


def chances(count, seed):
    return [(random.Random(f"{seed}-{number}"), number % 2 == 0) for number in range(count)]


def test_a_flipped_bit_costs_at_most_two_entries_and_has_an_address(template):
    for chance, index in chances(CUTS_AND_FLIPS // 2, "flip"):
        place = chance.randrange(len(template.data) * 8)
        data = bytearray(template.data)
        data[place // 8] ^= 1 << place % 8
        path = template.with_bytes(bytes(data), index=index)
        shown, problems, _ = seen_through_open(template)
        lost = template.entries.keys() - shown.keys()
        assert len(lost) <= 2, place
        assert lost <= template.here, place
        assert set(wrong(template, shown)) <= unamended(template, place // 8), place
        lines = {problem["line"] for problem in problems if problem.get("file") == path}
        line = template.line_at(place // 8)
        assert lines & {line, line + 1}, (place, problems)


def unamended(template, offset):
    """Whom a damaged amendment leaves with its former values: the entry whose line it is, and nobody else."""
    start = max((end for end in template.ends if end <= offset), default=0)
    stop = next(end for end in template.ends if end > offset)
    following = next((end for end in template.ends if end > stop), stop)
    raw = template.data[start:following]
    return {id for id in template.here if f'"amends":"{id}"'.encode() in raw}


def test_a_cut_costs_what_was_cut_off_and_nothing_before_it(template):
    for chance, index in chances(CUTS_AND_FLIPS - CUTS_AND_FLIPS // 2, "cut"):
        place = chance.choice([*template.ends, *(chance.randrange(len(template.data)) for _ in range(60))])
        path = template.with_bytes(template.data[:place], index=index)
        shown, problems, report = seen_through_open(template)
        lost = template.entries.keys() - shown.keys()
        whole = {id for id in template.here if is_whole(template, id, place)}
        assert not lost & whole, place
        assert lost <= template.here, place
        changed = set(wrong(template, shown))
        assert all(f'"amends":"{id}"'.encode() in template.data[place - 1 :] or amended_in(template, id, place)
                   for id in changed), place  # fmt: skip
        between = place in template.ends or place + 1 in template.ends
        if not between:
            line = template.line_at(place)
            assert (path, line) in [(problem.get("file"), problem.get("line")) for problem in problems], place
        elif index and lost:
            assert salvaged(report, template.work) >= len(lost), place


def is_whole(template, id, place):
    """Whether the line of an entry lies before the cut, its line end perhaps not."""
    start = template.data.index(f'"id":"{id}"'.encode())
    end = next(end for end in template.ends if end > start)
    return end - 1 <= place


def amended_in(template, id, place):
    """Whether an amendment of this entry was cut."""
    start = template.data.find(f'"amends":"{id}"'.encode())
    return start >= 0 and next(end for end in template.ends if end > start) > place


def salvaged(report, home):
    """What the index had and the journal has no longer lies in quarantine (D40)."""
    folder = os.path.join(home, AGENT, "quarantine")
    pieces = os.listdir(folder) if os.path.isdir(folder) else []
    assert {"what": f"{len(pieces)} damaged pieces lie in quarantine", "pieces": len(pieces)} in report["notes"]
    return len(pieces)
