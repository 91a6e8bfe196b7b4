"""In languages that the built-in vectors do not know, a paraphrase is found no less often than by keyword alone.

The pairs (tests/data/pairs) were written by hand for this: 200 a language, a statement and somebody else's way
of saying the same. Some share a word or a name, some only an inflected form, some next to nothing. There are 200 others
a language (`-far`) that share less, a quarter of them questions.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import holdfast

PAIRS = Path(__file__).parents[1] / "data" / "pairs"
LANGUAGES = ("de", "es", "zh", "ja", "ar")
FAR = tuple(f"{language}-far" for language in LANGUAGES)
COUNT = 200
ROOMY = {"cache.entries": 1_000}  # saves half the time and changes no answer

Pairs = list[tuple[str, str]]


def pairs(language: str) -> Pairs:
    lines = (PAIRS / f"{language}.tsv").read_text("utf-8").splitlines()
    return [(statement, paraphrase) for statement, paraphrase in (line.split("\t") for line in lines)]


def fill(home: Path, texts: Sequence[str]) -> list[str]:
    """Remember these, and return their ids: fixed ones, because they decide between equals."""
    ids = [f"mem_{number:026}" for number in range(len(texts))]
    with holdfast.open(home) as memory:
        memory.add_many({"id": id, "text": text} for id, text in zip(ids, texts, strict=True))
        memory.sync()
    return ids


def found(home: Path, embedder: str, questions: Sequence[str], ids: Sequence[str]) -> int:
    """How many of these questions have their partner among the first ten."""
    mode = "keyword" if embedder == "none" else "hybrid"
    hits = 0
    with holdfast.open(home, embedder=embedder, settings=ROOMY) as memory:
        for question, partner in zip(questions, ids, strict=True):
            answer = memory.search(question, limit=10, min_score=0)
            assert (answer.mode, answer.degraded) == (mode, None)
            hits += partner in [hit.id for hit in answer]
    return hits


def both(home: Path, questions: Sequence[str], ids: Sequence[str]) -> tuple[int, int]:
    """How many production defaults find, and how many words alone, which must be some and not all to show anything."""
    by_keyword = found(home, "none", questions, ids)
    assert 0 < by_keyword < len(questions)
    return found(home, "auto", questions, ids), by_keyword


@pytest.mark.parametrize("language", LANGUAGES + FAR)
def test_there_are_200_different_pairs(language: str) -> None:
    statements, paraphrases = zip(*pairs(language), strict=True)
    assert len(set(statements)) == len(set(paraphrases)) == COUNT
    assert not set(statements) & set(paraphrases)
    assert all(text == text.strip() != "" for text in (*statements, *paraphrases))


@pytest.mark.parametrize("language", LANGUAGES + FAR)
def test_a_paraphrase_finds_its_statement_no_less_often_than_by_keyword(tmp_path: Path, language: str) -> None:
    statements, paraphrases = zip(*pairs(language), strict=True)
    ids = fill(tmp_path, statements)
    hybrid, by_keyword = both(tmp_path, paraphrases, ids)
    assert hybrid >= by_keyword


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_statement_finds_its_paraphrase_no_less_often_than_by_keyword(tmp_path: Path, language: str) -> None:
    statements, paraphrases = zip(*pairs(language), strict=True)
    ids = fill(tmp_path, paraphrases)
    hybrid, by_keyword = both(tmp_path, statements[::2], ids[::2])  # every other one: half the time
    assert hybrid >= by_keyword
