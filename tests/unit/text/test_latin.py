"""What is taken as it is would not be changed by what it is spared."""

import pytest

from holdfast.text.arabic import light
from holdfast.text.content import rooted, searchable
from holdfast.text.latin import is_latin
from holdfast.text.scripts import apart, spread
from holdfast.text.spelling import composed, lettered

TAKEN = "".join(letter for letter in map(chr, range(0x110000)) if is_latin(letter))


def test_no_character_that_is_taken_as_it_is_is_changed_elsewhere():
    for text in (TAKEN, " ".join(TAKEN)):
        assert light(lettered(apart(spread(composed(text))))) == text


@pytest.mark.parametrize("text", ["Übung, Łódź – “naïve” café’s…", "Việt Nam", "ASCII"])
def test_latin_letters_dashes_and_quotation_marks_are_taken_as_they_are(text):
    assert is_latin(text)
    assert searchable(text) is text
    assert rooted(text) is text


@pytest.mark.parametrize("text", ["ß", "e\u0301", "猫", "любовь", "🎉", "€", "\u200d", "كتاب", "ef\u00adfi"])
def test_all_else_is_left_to_those_who_know(text):
    assert not is_latin(text)
