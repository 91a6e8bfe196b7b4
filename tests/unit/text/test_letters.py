"""Unknown words by their letters: fixed numbers, and forms of a word that share some."""

from __future__ import annotations

import zlib

from hypothesis import given
from hypothesis import strategies as st

from holdfast.text.letters import MOST_LETTERS, groups


def test_a_word_is_itself_and_every_three_letters_within_its_bounds() -> None:
    expected = ["слон", "<сл", "сло", "лон", "он>"]
    assert groups("слон") == tuple(zlib.crc32(part.encode()) for part in expected)


def test_a_short_word_is_its_letters() -> None:
    assert groups("好") == (zlib.crc32("好".encode()),)
    assert groups("ああ") == (zlib.crc32("あ".encode()),) * 2


def test_decomposed_hangul_is_read_by_syllable() -> None:
    assert groups("\u1112\u1161\u11ab\u1100\u116e\u11a8\u110b\u1165") == groups("한국어")


def test_two_forms_of_a_word_share_some_of_their_groups() -> None:
    assert set(groups("مدرسة")) & set(groups("المدرسة"))


@given(st.text(st.characters(), min_size=1))
def test_any_word_gives_a_bounded_number_of_groups_below_two_to_the_32(word: str) -> None:
    found = groups(word)
    assert 1 <= len(found) <= MOST_LETTERS + 1
    assert all(0 <= number < 2**32 for number in found)
