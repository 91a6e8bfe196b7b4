"""Chunks: what a cut prefers, what it never does, and that lines are told truly."""

from __future__ import annotations

import time

import pytest

from holdfast.text.chunks import Chunk, chunks, fits
from holdfast.text.tokens import estimate


def pieces(text: str, tokens: int = 32, overlap: int = 8) -> list[str]:
    return [text[chunk.start : chunk.end] for chunk in chunks(text, tokens, overlap)]


def test_a_text_that_fits_is_one_chunk_as_it_is() -> None:
    text = "Two lines\nof a turn.\n"
    assert chunks(text, 400, 80) == [Chunk(start=0, end=len(text), start_line=1, end_line=2)]
    assert fits(text, 400)


def test_no_text_has_no_chunk() -> None:
    assert chunks("", 400, 80) == []


def test_a_text_is_judged_by_tokens_and_not_by_characters() -> None:
    assert fits("a" * 128, 32)
    assert not fits("a" * 129, 32)
    assert fits("字" * 32, 32)
    assert not fits("字" * 33, 32)


def test_a_cut_prefers_the_end_of_a_line() -> None:
    text = "first line, with a sentence. " * 3 + "\n" + "second line of words " * 6
    assert pieces(text)[0].endswith(". \n")


def test_without_lines_a_cut_prefers_the_end_of_a_sentence() -> None:
    text = "The deploy key lives in the vault and nowhere else at all. Only the release job may read it, they say. " * 3
    assert pieces(text)[0].endswith("at all. ") or pieces(text)[0].endswith("they say. ")


def test_a_japanese_sentence_ends_without_a_space() -> None:
    assert pieces("鍵は金庫にあります。それを読めるのは一人だけ。" * 4)[0].endswith("。")


def test_without_sentences_a_cut_is_made_between_words() -> None:
    found = pieces("alpha beta gamma delta " * 20)
    assert all(piece[-1] == " " for piece in found[:-1])
    assert all(piece.split()[0] in ("alpha", "beta", "gamma", "delta") for piece in found)


def test_a_line_longer_than_a_chunk_is_cut_within_and_keeps_its_number() -> None:
    found = chunks("short\n" + "x" * 500 + "\nlast", 32, 8)
    inner = [chunk for chunk in found if chunk.start > 6 and chunk.end < 506]
    assert len(inner) > 2
    assert {(chunk.start_line, chunk.end_line) for chunk in inner} == {(2, 2)}


def test_three_long_lines_make_no_chunk_above_the_limit_and_lose_nothing() -> None:
    text = "\n".join(letter * 1500 for letter in "abc")
    found = chunks(text, 400, 80)
    assert max(estimate(text[chunk.start : chunk.end]) for chunk in found) <= 400
    assert (found[0].start, found[-1].end) == (0, len(text))


def test_lines_are_those_of_the_first_and_last_character() -> None:
    text = "".join(f"line {number} says something of its own\n" for number in range(1, 40))
    lines = text.split("\n")
    for chunk in chunks(text, 48, 12):
        piece = text[chunk.start : chunk.end]
        assert lines[chunk.start_line - 1].endswith(piece.split("\n")[0])
        assert lines[chunk.end_line - 1].startswith(piece.rstrip("\n").split("\n")[-1])


def test_each_chunk_begins_within_the_one_before_it() -> None:
    text = "alpha beta gamma delta " * 40
    found = chunks(text, 64, 16)
    for one, other in zip(found, found[1:], strict=False):
        shared = estimate(text[other.start : one.end])
        assert 8 <= shared <= 16


def test_an_overlap_above_half_a_chunk_counts_as_half() -> None:
    text = "alpha beta gamma delta " * 40
    assert chunks(text, 32, 31) == chunks(text, 32, 16)


def test_no_overlap_parts_a_text_exactly() -> None:
    text = "alpha beta\ngamma delta. " * 40
    assert "".join(pieces(text, 32, 0)) == text


@pytest.mark.parametrize("cluster", ["e\u0301", "👨\u200d👩\u200d👧", "👍🏽", "\r\n"])
def test_a_character_stays_with_its_marks(cluster: str) -> None:
    text = "x" + cluster * 300
    for chunk in chunks(text, 32, 8):
        assert (chunk.start - 1) % len(cluster) == 0 or chunk.start == 0
        assert (chunk.end - 1) % len(cluster) == 0


def test_what_was_cut_stays_so_when_text_is_added_at_the_end() -> None:
    text = "The deploy key lives in the vault.\nOnly the release job may read it. " * 30
    before, after = chunks(text, 64, 16), chunks(text + "And one more thing. " * 10, 64, 16)
    assert after[: len(before) - 1] == before[:-1]


@pytest.mark.parametrize("unit", ["a", "word ", "\n", "字", "\u0301", "e\u0301", ". "])
def test_time_grows_with_the_length(unit: str) -> None:
    def took(size: int) -> float:
        text, started = unit * (size // len(unit)), time.process_time()
        chunks(text, 400, 80)
        return time.process_time() - started

    took(1000)
    assert took(400_000) < 40 * took(40_000) + 0.05  # ten times the text; a square would take a hundred times as long
