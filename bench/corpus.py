"""Corpus: turns and natural questions of any number, the same for the same seed.

Turns are resampled from the recall data: as many sentences as a real turn has, each drawn from all of
them, so that word frequencies and lengths are real and no two turns are alike. Nothing of the data is
written into the project. Where it is not there, words are made up with Zipf's frequencies.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import re
from collections.abc import Iterator
from pathlib import Path

DATA = Path(os.environ.get("HOLDFAST_RECALL_DATA", "../shared/data/recall"))
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_SEED = 20261115
_LONGEST_SENTENCE = 1_000  # characters; a pasted table is no sentence
_MOST_SENTENCES = 100


class Corpus:
    """Where turns and questions come from; `origin` says it in a line."""

    def __init__(self, origin: str, sentences: list[str], lengths: list[int], questions: list[str]) -> None:
        self.origin = origin
        self._sentences, self._lengths, self._questions = sentences, lengths, questions

    def turns(self, count: int, part: int = 0) -> Iterator[str]:
        """So many turns; another `part` gives others."""
        chance = random.Random(_SEED + part)
        for _ in range(count):
            yield " ".join(chance.choices(self._sentences, k=chance.choice(self._lengths)))

    def questions(self, count: int) -> list[str]:
        """So many questions, in no order."""
        chance = random.Random(_SEED)
        return chance.sample(self._questions, min(count, len(self._questions)))


def corpus(of: str = "") -> Corpus:
    """Resampled from the recall data (of the sets whose name begins so), or made up."""
    files = sorted(DATA.glob(f"{of}*.jsonl.gz"))
    return _resampled(files) if files else _made_up()


def _resampled(files: list[Path]) -> Corpus:
    sentences: list[str] = []
    lengths, questions = [], []
    for file in files:
        with gzip.open(file, "rt", encoding="utf-8") as source:
            for line in source:
                store = json.loads(line)
                for unit in store["units"]:
                    found = [
                        piece for piece in _SENTENCE.split(unit["text"]) if 0 < len(piece.strip()) < _LONGEST_SENTENCE
                    ]
                    sentences += found
                    lengths.append(min(_MOST_SENTENCES, max(1, len(found))))
                questions += [asked["q"] for asked in store["questions"]]
    origin = f"resampled from {len(lengths)} turns of {', '.join(file.name.split('.')[0] for file in files)}"
    return Corpus(origin, sentences, lengths, sorted(set(questions)))


def _made_up() -> Corpus:
    """30,000 words of two to five syllables; a word's frequency falls with its rank."""
    chance = random.Random(_SEED)
    syllables = [first + vowel + last for first in "bdfgklmnprst" for vowel in "aeiou" for last in ("", "n", "r", "s")]
    words = list(dict.fromkeys("".join(chance.choices(syllables, k=chance.randint(2, 5))) for _ in range(33_000)))
    weights = [1 / rank for rank in range(3, len(words) + 3)]
    drawn = iter(chance.choices(words, weights, k=600_000))
    sentences = [" ".join(next(drawn) for _ in range(chance.randint(6, 18))) + "." for _ in range(40_000)]
    lengths = [max(1, min(60, round(chance.lognormvariate(1.6, 1.0)))) for _ in range(5_000)]
    questions = [" ".join(chance.choices(words[40:6_000], weights[40:6_000], k=6)) + "?" for _ in range(1_000)]
    return Corpus(f"made up (no recall data in {DATA}; set HOLDFAST_RECALL_DATA)", sentences, lengths, questions)
