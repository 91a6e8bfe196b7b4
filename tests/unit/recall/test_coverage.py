"""The score of a hit: how much of a question it holds, and whether the question is answered here at all."""

import pytest

import holdfast
from holdfast.recall.coverage import calibrated

SAID = (
    "We moved the staging database to Frankfurt",
    "The budget of the tracker project is 400 euros",
    "Ana wants the release notes in Spanish",
    "The chat service keeps its sockets open",
)


@pytest.fixture
def memory(tmp_path):
    with holdfast.open(tmp_path / "home", embedder="none") as memory:
        memory.add_many([{"text": text} for text in SAID])
        yield memory


def best(memory, question):
    return next(iter(memory.search(question, limit=1, min_score=0)), None)


def coverage(memory, question):
    return best(memory, question).scores["coverage"]


def test_an_entry_with_every_word_is_covered_whole(memory):
    assert coverage(memory, "Frankfurt staging database") == 1.0


def test_half_the_words_are_half(memory):
    assert coverage(memory, "Frankfurt zeppelin") < coverage(memory, "Frankfurt database zeppelin") < 1.0


def test_nobody_misses_the_words_of_asking(memory):
    plain = coverage(memory, "budget tracker zeppelin")
    asked = "Can you list in order what we discussed about the budget tracker zeppelin? Mention five items"
    assert coverage(memory, asked) == plain


def test_a_word_of_asking_counts_where_it_is_held(memory):
    assert best(memory, "chat zeppelin").snippet == SAID[3]
    assert coverage(memory, "chat zeppelin") > 0
    assert coverage(memory, "chat sockets zeppelin") > coverage(memory, "sockets zeppelin")


def test_words_of_asking_alone_are_words_like_others(memory):
    assert coverage(memory, "chat") == 1.0
    assert coverage(memory, "chat summary") < 1.0


def test_a_question_about_something_else_scores_below_what_a_context_takes(memory):
    bar = memory.store.settings["context.min_score"]
    assert best(memory, "What is the budget of the tracker project?").score >= bar
    assert best(memory, "Which zeppelin project did the ornithologist photograph over Lisbon?").score < bar


@pytest.mark.parametrize(("cosine", "near"), [(None, 0.0), (0.1, 0.0), (0.2, 0.0), (0.6, 0.5), (1.0, 1.0)])
def test_cosines_up_to_the_noise_floor_are_nothing(cosine, near):
    assert calibrated(cosine, 0.2) == pytest.approx(near)
