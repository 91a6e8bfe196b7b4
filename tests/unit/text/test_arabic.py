"""Arabic: forms of one word meet, short words stay, and what was cut once is not cut further."""

import pytest

from holdfast.text.arabic import is_arabic, light


@pytest.mark.parametrize(
    ("form", "word"),
    [
        ("القهوة", "قهوة"),  # with the article
        ("والمدرسة", "مدرسة"),  # and with "and"
        ("بالسيارة", "سيارة"),  # with a preposition
        ("للفريق", "الفريق"),
        ("اجتماعات", "اجتماع"),  # the plural
        ("قَهْوَة", "قهوة"),  # with vowel signs
        ("أحمد", "احمد"),  # spelt without hamza
        ("مستشفى", "مستشفي"),
        ("كـــتاب", "كتاب"),  # stretched
    ],
)
def test_forms_of_a_word_are_cut_to_the_same(form, word):
    assert light(form) == light(word)


@pytest.mark.parametrize("word", ["من", "الى", "ولد", "ابن", "هذه"])
def test_at_least_three_letters_of_a_word_stay(word):
    assert len(light(word)) == len(word)


@pytest.mark.parametrize("text", ["الالتزامات والاجتماعات", "وووالكتابان", "OAuth2 والقهوة 7", "plain", "Ünïcode"])
def test_what_was_cut_once_is_not_cut_further(text):
    assert light(light(text)) == light(text)


def test_other_scripts_stay_as_they_are():
    assert light("Ünïcode 日本語 עברית 7") == "Ünïcode 日本語 עברית 7"
    assert is_arabic("xقهوة")
    assert not is_arabic("Ünïcode 日本語")


@pytest.mark.parametrize("letter", ["و", "ي", "وَ"])
def test_what_is_too_long_for_a_word_stays_as_it_is(letter):
    """Cut from both ends, a text that is one word of this length took minutes."""
    long = light(letter * 500_000)
    assert long == letter[0] * 500_000
    assert light(long) == long
    assert light(letter * 65) == letter[0] * 65
    assert light(letter * 64) == letter[0] * 3
