"""Bits flipped in index.db: whatever is shown is what the journals say, and nothing ends in a stray exception."""

from __future__ import annotations

import contextlib
import os
import random
import re

import pytest

import holdfast
from holdfast.testing import FixedClock
from holdfast.text.content import searchable_text
from tests.crash.homes import AGENT, QUESTIONS, WORDS_ONLY, copied, everything, index_of, make
from tests.sizes import INDEX_FLIPS

WORKERS = 2  # halves of the work, so that two test processes share it


@pytest.fixture(scope="module")
def home(swift_home_path):
    return make(os.path.join(swift_home_path, "home"), rounds=1)


class Flipping:
    """One open home whose database is replaced by a flipped copy before every look at it."""

    def __init__(self, home, work):
        self.home = copied(home, work)
        self.clock = FixedClock()
        with holdfast.open(self.home, clock=self.clock) as memory:
            self.truth = everything(memory)
            assert memory.context("deploy the server").items
        self.path = index_of(self.home)
        with open(self.path, "rb") as source:
            self.data = source.read()
        self.used = [place for place, byte in enumerate(self.data) if byte]
        self.looked = self.rebuilt = 0

    def flip(self, chance):
        """Half of the flips hit bytes that are in use: most of a small database is empty space."""
        place = chance.choice(self.used) if chance.random() < 0.5 else chance.randrange(len(self.data))
        data = bytearray(self.data)
        data[place] ^= 1 << chance.randrange(8)
        self._put(bytes(data))

    def _put(self, data):
        for name in os.listdir(os.path.dirname(self.path)):
            os.unlink(os.path.join(os.path.dirname(self.path), name))
        with contextlib.suppress(FileNotFoundError):  # every look adds to it
            os.unlink(os.path.join(self.home, AGENT, "recalled.jsonl"))
        with open(self.path, "wb") as target:
            target.write(data)

    def look(self, chance):
        settings = WORDS_ONLY if chance.random() < 0.9 else {}
        with holdfast.open(self.home, clock=self.clock, settings=settings) as memory:
            with contextlib.suppress(holdfast.NotFound):  # its id is no longer readable in the index
                self.compare(memory.get(chance.choice(sorted(self.truth))))
            for hit in memory.search(chance.choice(QUESTIONS), limit=20):
                self.compare(hit.entry)
                assert_within(hit.snippet, searchable_text(self.truth[hit.id]["content"]))
            for entry in memory.query(rank=chance.choice(["oldest", "recent", "relevance"]), limit=10):
                self.compare(entry)
            for item in memory.context("deploy the server").items:
                self.compare(item.entry)
        self.looked += 1

    def compare(self, entry):
        assert entry.to_dict() == self.truth[entry.id]


def assert_within(snippet, text):
    """A snippet is made of the text's own words, with marks where it was cut."""
    words = re.findall(r"\w+", snippet)
    assert [word for word in words if word not in text] == []


@pytest.mark.parametrize("part", range(WORKERS))
def test_no_flipped_bit_of_the_index_changes_what_is_shown(home, swift_path, part):
    flipping = Flipping(home, os.path.join(swift_path, "work"))
    for number in range(INDEX_FLIPS // WORKERS):
        chance = random.Random(f"{part}-{number}")
        flipping.flip(chance)
        with contextlib.suppress(holdfast.HoldfastError):
            flipping.look(chance)
        if index_of(flipping.home) != flipping.path:  # a new generation took the place of the damaged one
            flipping.rebuilt += 1
            flipping.path = index_of(flipping.home)
    assert flipping.looked > INDEX_FLIPS // WORKERS * 0.95
    assert flipping.rebuilt > 0
