"""One look that tells what a text may hold."""

import pytest

from holdfast.text.beside import AMOUNT, HUMP, JOINT, pairs


@pytest.mark.parametrize("text", ["", "Ana said: HTTP is fine, TS2345's not. Well - yes", "日本語、です", "-- ... //"])
def test_most_texts_have_nothing_to_look_at(text):
    assert pairs(text) == b""


@pytest.mark.parametrize(
    ("text", "found"),
    [("aB", [HUMP]), ("9B", [HUMP]), ("a-b", [JOINT]), ("1,0", [JOINT]), ("a/B cD", [JOINT, HUMP]), ("é-b", [JOINT]),
     ("5 ms", [AMOUNT]), ("B5 -5 x", [AMOUNT, JOINT, AMOUNT]), ("A 5\n", [])],
)  # fmt: skip
def test_capitals_what_follows_a_separator_and_ends_of_numbers_are_told_apart(text, found):
    assert pairs(text).replace(b"\0", b"") == b"".join(found)


def test_places_are_those_of_the_text_in_utf8():
    assert pairs("日-b") == b"\0" * 4 + JOINT
