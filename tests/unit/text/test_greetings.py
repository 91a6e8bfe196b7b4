"""Clauses of nothing but greetings and thanks."""

import pytest

from holdfast.text.greetings import greets
from holdfast.text.words import tokens


@pytest.mark.parametrize(
    "clause",
    [
        "Hi!", "Hello there", "Good morning, everyone!", "Thanks", "Thanks a lot", "great, thank you so much", "Ok.",
        "Yes please", "ok thanks", "Quick question", "Thank you very much in advance", "Guten Morgen", "Vielen Dank!",
        "danke im Voraus", "Hola, buenos días", "muchas gracias", "Bonjour", "Merci d'avance", "s'il vous plaît",
    ],
)  # fmt: skip
def test_what_only_greets_or_thanks(clause):
    assert greets(tokens(clause.lower()))


@pytest.mark.parametrize(
    "clause",
    [
        "", "morning", "In the morning", "good", "good bread", "thanks Ana", "hello world", "so much", "there",
        "question", "the quick fox", "ok 5", "thank you for the kite", "hi " * 11,
    ],
)  # fmt: skip
def test_what_says_more_than_a_greeting_or_is_only_the_end_of_one(clause):
    assert not greets(tokens(clause.lower()))


def test_an_answer_is_told_from_a_greeting():
    assert greets(["ok"])
    assert not greets(["ok"], answers=False)
    assert greets(["hi"], answers=False)
