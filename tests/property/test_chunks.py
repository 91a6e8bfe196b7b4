"""Chunks: properties that hold for any text."""

from __future__ import annotations

from unicodedata import category

from hypothesis import given
from hypothesis import strategies as st

from holdfast.text.chunks import chunks, fits
from holdfast.text.tokens import estimate

_ALPHABET = st.one_of(
    st.sampled_from(list("ab .\n\r字。é\u0301\u200d👩🏽🇩🇪")), st.characters(exclude_categories=("Cs",))
)
TEXTS = st.one_of(st.text(_ALPHABET, max_size=400), st.text("ab .\n", max_size=1200), st.text("字。\n", max_size=300))
TOKENS = st.integers(32, 80)
OVERLAPS = st.integers(0, 31)


@given(TEXTS, TOKENS, OVERLAPS)
def test_every_character_is_in_a_chunk_and_chunks_go_forward(text: str, tokens: int, overlap: int) -> None:
    found = chunks(text, tokens, overlap)
    assert bool(found) == bool(text)
    if found:
        assert (found[0].start, found[-1].end) == (0, len(text))
    for one, other in zip(found, found[1:], strict=False):
        assert one.start < other.start <= one.end < other.end


@given(TEXTS, TOKENS, OVERLAPS)
def test_no_chunk_costs_more_than_was_asked_for(text: str, tokens: int, overlap: int) -> None:
    assert all(estimate(text[chunk.start : chunk.end]) <= tokens for chunk in chunks(text, tokens, overlap))


@given(TEXTS, TOKENS, OVERLAPS)
def test_one_chunk_means_that_it_fits(text: str, tokens: int, overlap: int) -> None:
    assert (len(chunks(text, tokens, overlap)) <= 1) == fits(text, tokens)


@given(TEXTS, TOKENS, OVERLAPS)
def test_lines_are_counted_truly(text: str, tokens: int, overlap: int) -> None:
    for chunk in chunks(text, tokens, overlap):
        assert chunk.start_line == 1 + text[: chunk.start].count("\n")
        assert chunk.end_line == 1 + text[: chunk.end - 1].count("\n")


@given(st.text("abc \n.字👩🏽e\u0301", max_size=800), TOKENS, OVERLAPS)
def test_no_mark_begins_or_follows_a_cut(text: str, tokens: int, overlap: int) -> None:
    """Marks in runs that a chunk can hold; a longer run is no character of any language."""
    for chunk in chunks(text, tokens, overlap):
        if chunk.start and not _crowded(text, chunk.start):
            assert category(text[chunk.start])[0] != "M"
            assert text[chunk.start] != "🏽"


def _crowded(text: str, place: int) -> bool:
    """Whether marks alone fill the place before a cut."""
    return all(category(letter)[0] == "M" or letter == "🏽" for letter in text[max(0, place - 8) : place])
