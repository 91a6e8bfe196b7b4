"""Clauses of nothing but greetings and thanks."""

import pytest

from holdfast.text.greetings import greets, takes_note
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


@pytest.mark.parametrize(
    "text",
    ["Okay, I will remember that.", "Noted, thanks.", "Got it!", "Sure.", "I'll keep that in mind, thank you", "Saved",
     "Alles klar, merke ich mir.", "Entendido, de acuerdo"],
)  # fmt: skip
def test_what_only_says_that_it_was_heard_takes_note(text):
    assert takes_note(text)


@pytest.mark.parametrize(
    "text",
    ["", "I will", "Noted: Erik is vegetarian", "Sure, port 5433", "Done. All tests pass", "Yes", "Remember the milk",
     "ok " * 30],
)  # fmt: skip
def test_what_says_anything_besides_does_not(text):
    assert not takes_note(text)
