"""Run: what every measurement is given."""

from __future__ import annotations

from dataclasses import dataclass

from bench.corpus import Corpus
from bench.homes import Homes

TURNS = 100_000
MANY_TURNS = 1_000_000


@dataclass(frozen=True)
class Run:
    """Where the homes are, what is said in them, and how often things are done."""

    homes: Homes
    rounds: int
    large: bool

    @property
    def corpus(self) -> Corpus:
        return self.homes.corpus
