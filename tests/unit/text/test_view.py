"""What a vector sees of an entry."""

import pytest

from holdfast.text.view import LONGEST, is_answer, view


@pytest.mark.parametrize(
    ("text", "author", "before", "seen"),
    [
        ("yes", None, None, "yes"),
        ("yes", "Ana", None, "Ana: yes"),
        ("yes", "Ana", ("which one?", "Ben"), "Ben: which one?\nAna: yes"),
        ("yes", None, ("which one?", None), "which one?\nyes"),
        ("", "Ana", None, "Ana: "),
    ],
)
def test_turns_stand_under_each_other_with_their_authors(text, author, before, seen):
    assert view(text, author, before) == seen


def test_two_turns_that_just_fit_are_seen_together():
    earlier, later = "a" * 299 + "?", "b" * (LONGEST - 301)
    assert view(later, None, (earlier, None)) == f"{earlier}\n{later}"


def test_a_turn_that_does_not_fit_with_the_one_before_is_seen_alone():
    assert view("b" * 400, None, ("a" * 300 + "?", None)) == "b" * 400


def test_a_long_text_is_cut_with_its_author():
    seen = view("b" * 1000, "Ana")
    assert seen.startswith("Ana: b")
    assert len(seen) == LONGEST


@pytest.mark.parametrize("before", ["I see. Which one?", "Which one? I see", "どれ？", "أيهما؟"])
def test_an_answer_is_seen_with_its_question(before):
    assert view("the second", None, (before, None)) == f"{before}\nthe second"


def test_whoever_answers_anyway_is_seen_with_what_was_said():
    said = "Suggest a hotel in Lisbon"
    assert view("Casa do Jasmim", None, (said, None), answers=True) == f"{said}\nCasa do Jasmim"
    assert view("b" * 400, None, ("a" * 300, None), answers=True) == "b" * 400


@pytest.mark.parametrize(
    ("role", "before", "answers"),
    [
        ("assistant", "user", True), ("user", "assistant", False), ("assistant", "assistant", False),
        ("assistant", "tool", False), ("assistant", None, False), (None, "user", False), (None, None, False),
    ],
)  # fmt: skip
def test_an_assistant_answers_a_user(role, before, answers):
    assert is_answer(role, before) is answers


def test_what_was_merely_said_before_is_left_out():
    assert view("the lease ends in May", None, ("Shoe size 44, shirt L.", None)) == "the lease ends in May"
