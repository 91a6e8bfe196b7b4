"""WordPiece: the cutting rules, one test each, with a small vocabulary; and any text at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.text import wordpiece
from holdfast.text.wordpiece import LONGEST_WORD, WordPiece, words

PIECES = ["hug", "##s", "##ging", "face", "!", "cafe", "un", "##able", "##a", "a", "日", "σ", "don", "'", "t", "i"]
VOCABULARY = {piece: number for number, piece in enumerate(PIECES)}
UNKNOWN = 99


def cut(text: str) -> list[str]:
    found = WordPiece(VOCABULARY, lambda word: (UNKNOWN,)).encode(text)
    return ["?" if number == UNKNOWN else PIECES[number] for number in found]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Hugs hugging", ["hug", "##s", "hug", "##ging"]),
        ("FACE!face", ["face", "!", "face"]),
        ("Café cafe\u0301", ["cafe", "cafe"]),
        ("日a日", ["日", "a", "日"]),
        ("don't", ["don", "'", "t"]),
        ("unable", ["un", "##able"]),
        ("hugx face", ["?", "face"]),
        ("a\u200bface\x00!\ufffd\ud800", ["?", "!"]),
        ("face\u00a0face\u3000face\u2028face", ["face"] * 4),
        ("ΣΣ Σ", ["?", "σ"]),
        ("İ", ["i"]),
        ("", []),
        (" \t\r\n\x0b", []),
    ],
)
def test_text_is_cut_as_the_uncased_models_expect(text: str, pieces: list[str]) -> None:
    assert cut(text) == pieces


def test_the_longest_piece_wins_over_shorter_ones() -> None:
    assert WordPiece({"a": 0, "ab": 1, "##c": 2, "##bc": 3}).encode("abc") == [1, 2]


def test_a_run_of_more_than_a_hundred_characters_is_unknown_as_a_whole() -> None:
    assert cut("a" * LONGEST_WORD) == ["a", *["##a"] * (LONGEST_WORD - 1)]
    assert cut("a" * (LONGEST_WORD + 1)) == ["?"]


def test_unknown_words_give_nothing_unless_somebody_says_what() -> None:
    assert WordPiece(VOCABULARY).encode("xyz face") == [PIECES.index("face")]


def test_the_cache_of_words_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wordpiece, "CACHED_WORDS", 10)
    pieces = WordPiece(VOCABULARY)
    first = [pieces.encode(f"face{number}") for number in range(50)]
    assert len(pieces._cache) <= 10
    assert [pieces.encode(f"face{number}") for number in range(50)] == first
    pieces.encode("x" * 10_000)
    assert max(map(len, pieces._cache)) <= LONGEST_WORD


@given(st.text(st.characters()))
def test_any_text_is_cut_the_same_twice_and_by_a_fresh_cutter(text: str) -> None:
    pieces = WordPiece(VOCABULARY, lambda word: (UNKNOWN,))
    found = pieces.encode(text)
    assert found == pieces.encode(text) == WordPiece(VOCABULARY, lambda word: (UNKNOWN,)).encode(text)
    assert set(found) <= {*range(len(PIECES)), UNKNOWN}


@given(st.text(st.characters()))
def test_words_hold_no_space_and_folding_them_again_changes_nothing(text: str) -> None:
    found = words(text)
    assert all(word and not any(letter.isspace() for letter in word) for word in found)
    assert words(" ".join(found)) == found


@given(st.text(st.characters(), max_size=30), st.text(st.characters(), max_size=30))
def test_a_space_between_two_texts_keeps_their_words_apart(left: str, right: str) -> None:
    assert words(f"{left} {right}") == words(left) + words(right)
