"""What a text can answer, told by its shape."""

import pytest

from holdfast.text.form import NAME, NUMBER, TIME, asks, marked, wanted_form


def test_a_question_says_what_its_answer_should_show():
    assert wanted_form("When did we deploy?") == TIME
    assert wanted_form("  when was that") == TIME
    assert wanted_form("how many nodes are there?") == NUMBER
    assert wanted_form("who broke the build?") == NAME


@pytest.mark.timeout(60)
def test_a_long_run_of_spaces_takes_no_time():
    assert wanted_form("hello" + " " * 300_000 + "world") == 0  # by the square of its length it took minutes


@pytest.mark.parametrize(
    "text", ["Are you there?", "Really?!", "Free on Friday? 😊", "(any news?)", "متى؟", "真的？ ", "so? :-)"]
)
def test_a_text_that_ends_with_a_question_mark_asks_whatever_marks_are_behind_it(text):
    assert asks(text)


@pytest.mark.parametrize(
    "text",
    [
        "", "😊", "Are you there? Yes.", "Why? 12", "No" + " " * 300_000, 'We named the button "Delete it?"',
        'The dialog says "Are you sure?".', "I went in the end (why not?).", "Er fragte »Wirklich?«",
    ],
)  # fmt: skip
def test_one_that_goes_on_or_quotes_a_question_does_not(text):
    assert not asks(text)


@pytest.mark.parametrize("text", ['"Are you sure?"', "(Are you sure?)", "Does «Save» work? :)", 'What is "it"?'])
def test_what_is_quoted_as_a_whole_asks_and_so_does_what_stands_behind(text):
    assert marked(text)


@pytest.mark.parametrize(
    "text",
    [
        "when are you back", "Which login flow did we take", "what time is it 😊", "ok, did she call",
        "how do I reset it", "is there any news", "has anyone seen my key",
    ],
)  # fmt: skip
def test_a_clause_that_begins_as_questions_do_asks_without_its_mark(text):
    assert asks(text)
    assert not marked(text)


@pytest.mark.parametrize(
    "text",
    [
        "when I was ill", "What he did was wrong", "what a day it was", "How nice", "did it again", "do not touch it",
        "was a long day", "have a nice day", "can you", "Which is why it is slow", "should you need it take the key",
        "what is important: it is slow", "Had I known it I would have said so",
        "when are you back.", "who is late pays! so there", "where is it? no idea", "is are " * 40,
    ],
)  # fmt: skip
def test_a_clause_that_begins_otherwise_or_ends_does_not(text):
    assert not asks(text)
