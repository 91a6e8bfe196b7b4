"""Which words one mistake makes of each other."""

import pytest

from holdfast.text.mistakes import MOST, is_named, may_be_wrong, spellings


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("adress", "address"),
        ("recieve", "receive"),
        ("seperate", "separate"),
        ("charrger", "charger"),
        ("tabl", "table"),
    ],
)
def test_one_letter_missing_too_many_or_wrong_and_two_that_changed_places(wrong, right):
    assert right in spellings(wrong)
    assert wrong in spellings(right)


def test_the_first_letter_is_right():
    assert not {"able", "fable", "atble"}.intersection(spellings("table"))


def test_a_word_is_no_misspelling_of_itself_and_each_stands_once():
    found = spellings("letter")
    assert "letter" not in found
    assert len(found) == len(set(found))


@pytest.mark.parametrize("word", ["word", "x" * (MOST + 1), "naïve", "ab12cd", "don't", ""])
def test_short_and_long_words_and_those_of_other_letters_are_left_alone(word):
    assert not may_be_wrong(word)


def test_there_are_not_too_many_to_look_up():
    assert len(spellings("abcdefghijklmnop")) < 900


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("what is the adress", False),
        ("Adress of the dentist?", False),
        ("«Adress»", False),
        ("I moved. Adress of the dentist?", False),
        ("Tell me:\nAdress", False),
        ("THE ADRESS OF THE DENTIST", False),
        ("Is Adress a dentist?", True),
        ("the ADRESS of the dentist", True),
        ("  Adress called", True),  # after a name that was taken out
        ("Addresses", True),
    ],
)
def test_a_capital_makes_a_name_unless_a_sentence_or_shouting_gave_it(text, named):
    assert is_named("adress", text) is named
