"""What a text can answer, told by its shape."""

import pytest

from holdfast.text.form import NAME, NUMBER, TIME, wanted_form


def test_a_question_says_what_its_answer_should_show():
    assert wanted_form("When did we deploy?") == TIME
    assert wanted_form("  when was that") == TIME
    assert wanted_form("how many nodes are there?") == NUMBER
    assert wanted_form("who broke the build?") == NAME


@pytest.mark.timeout(60)
def test_a_long_run_of_spaces_takes_no_time():
    assert wanted_form("hello" + " " * 300_000 + "world") == 0  # by the square of its length it took minutes
