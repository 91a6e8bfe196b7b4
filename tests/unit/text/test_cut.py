import pytest

from holdfast.text.cut import end_before, shorten, start_after


def test_a_short_text_is_not_cut():
    assert shorten("as it is", 8) == "as it is"


def test_a_long_text_is_cut_at_the_end_of_a_word_and_says_so():
    assert shorten("one two three four", 12) == "one two…"


def test_a_text_without_spaces_is_cut_where_it_must_be():
    assert shorten("a" * 100, 10) == "a" * 9 + "…"


@pytest.mark.parametrize("limit", [0, 1])
def test_no_room_gives_nothing(limit):
    assert shorten("anything", limit) == ""


@pytest.mark.parametrize(
    "whole",
    [
        "e\u0301",
        "👩\u200d💻",
        "👍\U0001f3fd",
        "\U0001f1e9\U0001f1ea",
        "❤\ufe0f",
        "ก\u0e31",
        "\u1112\u1161\u11ab",
        "\ua960\ud7b0\ud7cb",
        "\r\n",
    ],
    ids=[
        "combining accent",
        "joined emoji",
        "skin tone",
        "flag",
        "variation selector",
        "Thai vowel",
        "Korean syllable in parts",
        "old Korean syllable",
        "line end",
    ],
)
def test_a_cut_never_parts_a_character_from_what_belongs_to_it(whole):
    text = "x" + whole + "y"
    for place in range(len(text) + 1):
        assert end_before(text, place) in (0, 1, 1 + len(whole), len(text))
        assert start_after(text, place) in (0, 1, 1 + len(whole), len(text))
