"""Which words of a question a text holds, and which of them stand together."""

import pytest

from holdfast.index.fulltext import Stemmer
from holdfast.recall.wording import GAP, MOST, Sought
from holdfast.text.words import words


def share(words, text):
    sought = Sought([(word, 1.0) for word in words])
    return sought.share(sought.held([text])[0][0])


@pytest.mark.parametrize(
    ("stem", "text", "held"),
    [
        ("deploi", "We deployed it", 1.0),  # the index keeps `deploi` for `deploy`
        ("happi", "So happy!", 1.0),
        ("stage", "On staging", 1.0),
        ("art", "The start of it", 0.0),  # inside a word
        ("art", "The start of art", 1.0),
        ("art", "(Art)", 1.0),
        ("東京", "私は東京に住む", 1.0),
        ("x", "", 0.0),
    ],
)
def test_a_word_is_held_where_one_begins_with_its_stem(stem, text, held):
    assert share([stem], text) == held


def test_rare_words_are_more_of_a_question():
    sought = Sought([("rare", 3.0), ("common", 1.0)])
    assert sought.share(sought.held(["a rare thing"])[0][0]) == 0.75
    assert sought.share(sought.held(["a common thing"])[0][0]) == 0.25


def together(text, words=(("red", 2.0), ("kite", 1.0), ("lisbon", 1.0))):
    return Sought(words).held([text])[0][1]


def test_words_stand_together_in_the_order_of_the_question_and_near_each_other():
    assert together("a red kite") == 0.5
    assert together("a red paper kite in Lisbon") == 1.0
    assert together("a kite that is red") == 0.0
    assert together("red " + "x" * GAP + " kite") == 0.0
    assert together("redress " + "x" * GAP + " red kite") == 0.5


def test_words_with_one_between_them_that_is_missing_do_not_stand_together():
    assert together("red Lisbon") == 0.0


def test_no_words_are_held_by_nothing():
    assert Sought().held(["anything"]) == [(0, 0.0)]
    assert Sought().share(0) == 0.0
    assert Sought([("", 1.0)]).held(["anything"]) == [(0, 0.0)]


def test_of_very_many_words_the_rarest_are_sought():
    words = [(f"w{number}q", float(number)) for number in range(100)]
    sought = Sought(words)
    assert sought.held(["w1q w2q"])[0][0] == 0
    assert sought.held([" ".join(word for word, _ in words)])[0][0] == (1 << MOST) - 1


def test_each_text_holds_its_own_words():
    sought = Sought([("red", 2.0), ("kite", 1.0)])
    assert [bits for bits, _ in sought.held(["a kite", "", "RED kites\nred", "hundred", "İ red"])] == [2, 0, 3, 0, 1]
    assert sought.held(["red", "kite"]) == [(1, 0.0), (2, 0.0)]


@pytest.mark.parametrize(
    "text",
    [
        "зелёная ёлка",
        "Việt phở",
        "lange Straße",
        "मेरी किताब",
        "ＡＢＣ１２３ ｻｰﾊﾞｰ",
        "καλός κωδικός",
        "été",
        "eﬃ\u00adcient",
    ],
)
def test_words_are_held_however_they_are_spelled(text):
    stemmer = Stemmer()
    stems = [stem for term in words(text).terms for stem in stemmer.stems(term)]
    ((bits, _),) = Sought([(stem, 1.0) for stem in stems]).held([text])
    assert bits == (1 << len(stems)) - 1


def test_a_number_is_held_by_itself_and_not_by_a_longer_one():
    held = Sought([("12", 1.0), ("1.2", 1.0)]).held(["128 boats", "12 boats", "1.25 boats", "v 1.2, boats"])
    assert [bits for bits, _ in held] == [0, 1, 0, 2]
