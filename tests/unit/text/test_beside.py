"""One look that tells what a text may hold."""

import pytest

from holdfast.text.beside import HUMP, JOINT, pairs


@pytest.mark.parametrize("text", ["", "Ana said: HTTP is fine, TS2345 is not. Well - yes", "日本語、です", "-- ... //"])
def test_most_texts_have_nothing_to_look_at(text):
    assert pairs(text) == b""


@pytest.mark.parametrize(
    ("text", "found"),
    [("aB", [HUMP]), ("9B", [HUMP]), ("a-b", [JOINT]), ("1,0", [JOINT]), ("a/B cD", [JOINT, HUMP]), ("é-b", [JOINT])],
)
def test_capitals_and_what_follows_a_separator_are_told_apart(text, found):
    assert pairs(text).replace(b"\0", b"") == b"".join(found)


def test_places_are_those_of_the_text_in_utf8():
    assert pairs("日-b") == b"\0" * 4 + JOINT
