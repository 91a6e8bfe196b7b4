"""Fusion: each signal adds what it is meant to, nothing is lost, and the parts are shown."""

import pytest

from holdfast.model.query import Row
from holdfast.recall.asking import understand
from holdfast.recall.fusion import (
    PIECE,
    Sides,
    Weights,
    blended,
    by_author,
    by_form,
    by_length,
    by_words,
    fused,
    lent,
    scaled,
    spread,
)
from holdfast.recall.wording import Sought


def row(id, session="s", author=None, role=None, seq=0, asks=False, size=100, time=0):
    made = Row(id, time, "conversation", 0.5, False, session, None)
    made.author, made.role, made.file, made.seq, made.asks, made.size = author, role, session or "", seq, asks, size
    return made


def test_a_hit_of_one_side_only_is_not_lost():
    both = blended(Sides(keyword={"a": 1.0}, vector={"b": 1.0}), Weights(keyword=0.5, vector=0.5))
    assert both == {"a": 0.5, "b": 0.5}
    assert blended(Sides(keyword={"a": 1.0}, vector=None), Weights()) == {"a": 1.0}


def test_scaling_is_by_the_best_and_spreading_from_the_worst():
    assert scaled({"a": 4.0, "b": 1.0}) == {"a": 1.0, "b": 0.25}
    assert scaled({}) == {}
    assert spread({"a": 0.9, "b": 0.5, "c": 0.1}) == pytest.approx({"a": 1.0, "b": 0.5, "c": 0.0})
    assert spread({"a": 0.3}) == {"a": 1.0}


def test_neighbours_lend_a_share_in_both_directions_and_those_beyond_a_little():
    rows = [row(id, seq=seq) for seq, id in enumerate("abcde", 7)]
    found = lent(rows, {"b": 1.0}, Weights(neighbour=0.2, beyond=0.1))
    assert found == {"a": 0.2, "b": 0.0, "c": 0.2, "d": 0.1, "e": 0.0}


def test_nothing_is_lent_from_one_journal_to_another():
    rows = [row("a", session="s", seq=1), row("b", session="t", seq=2)]
    assert not any(lent(rows, {"b": 1.0}, Weights()).values())


def test_the_one_named_author_is_boosted_as_far_as_trusted():
    rows = [row("a", author="Ana"), row("b", author="Ben")]
    assert by_author(rows, understand("What did Ana eat?", ["Ana", "Ben"]), 0.5) == {"a": 0.5}
    assert by_author(rows, understand("What did Ana and Ben eat?", ["Ana", "Ben"]), 1.0) == {}


def test_a_first_person_question_means_the_user():
    rows = [row("a", role="user"), row("b", role="assistant"), row("c", author="user")]
    assert by_author(rows, understand("What did I eat?", []), 1.0) == {"a": 1.0, "c": 1.0}
    assert by_author(rows, understand("What was eaten?", []), 1.0) == {}


def test_the_form_of_a_turn_counts_where_names_are_missing():
    assert by_form([row("a", asks=True), row("b", size=400)], understand("tea", []), Weights())["a"] < 0


def test_the_form_of_a_turn_counts_only_among_people():
    people = [row("a", author="Ana", asks=True), row("b", author="Ben", size=400)]
    question = understand("tea", [])
    moved = by_form(people, question, Weights())
    assert moved["a"] < 0 < moved["b"]
    assert by_form([row("a", role="user", asks=True), row("b", role="assistant")], question, Weights()) == {}
    mixed = [row("a", author="Ana", role="user", asks=True), row("b", role="assistant")]
    assert by_form(mixed, question, Weights()) == {}


@pytest.mark.parametrize(
    ("asked", "answer", "other"),
    [
        ("When did she go?", "I went there last Friday", "I went there"),
        ("How many came?", "About 40 of them", "Quite a crowd of them"),
        ("Where is it?", "It is in Lisbon now", "It is over there now"),
    ],
)
def test_what_can_be_the_answer_counts_more_among_people(asked, answer, other):
    rows = [row("a", author="Ana"), row("b", author="Ben")]
    rows[0].said, rows[1].said = answer, other
    moved = by_form(rows, understand(asked, []), Weights())
    assert moved["a"] > moved["b"]


def test_a_session_counts_by_the_words_that_its_entries_hold_between_them():
    rows = [row("a", "s1"), row("b", "s1"), row("c", "s2"), row("d", None)]
    rows[0].said, rows[1].said, rows[2].said, rows[3].said = "a red kite", "the kites of Lisbon", "Lisbon", "red"
    found = by_words(rows, Sought([("red", 2.0), ("kite", 1.0), ("lisbon", 1.0)]), Weights(session=1.0))
    assert found["session"] == {"a": 1.0, "b": 1.0, "c": 0.25, "d": 0.5}


def test_words_that_stand_together_count_once_more():
    rows = [row("a"), row("b")]
    rows[0].said, rows[1].said = "It was a red kite.", "A kite, and much later in the afternoon a red balloon."
    found = by_words(rows, Sought([("red", 2.0), ("kite", 1.0)]), Weights(together=1.0))
    assert found["together"] == {"a": 0.5}


def test_a_text_of_many_pieces_is_taken_down_and_one_piece_is_not():
    rows = [row("a"), row("b"), row("c")]
    rows[0].size, rows[1].size, rows[2].size = PIECE, 2 * PIECE, 8 * PIECE
    taken = by_length(rows, Weights())
    assert set(taken) == {"b", "c"}
    assert taken["c"] == pytest.approx(3 * taken["b"])
    assert taken["b"] < 0


def test_every_part_is_shown_and_the_best_match_is_one():
    rows = [row("a", author="Ana"), row("b", author="Ben")]
    question = understand("What did Ben eat in May 2023?", ["Ana", "Ben"])
    found = fused(rows, question, Sides(keyword={"a": 1.0, "b": 0.9}), 1.0, Weights())
    assert max(found.match.values()) == found.match["b"] == 1.0
    assert found.explained("b")["author"] > 0 == found.explained("a")["author"]
    assert set(found.explained("a")) == {"base", "neighbour", "author", "date", "form", "together", "session"}


def test_a_match_is_the_sum_of_its_parts():
    rows = [row("a", author="Ana", session="s"), row("b", author="Ben", session="t")]
    question = understand("What did Ben eat in May 2023?", ["Ana", "Ben"])
    found = fused(rows, question, Sides(keyword={"a": 1.0, "b": 0.9}), 1.0, Weights())
    assert found.match == pytest.approx({id: sum(found.explained(id).values()) for id in "ab"})
    assert 0 < found.match["a"] < 1


def test_without_names_dates_or_neighbours_the_order_is_the_keyword_order():
    rows = [row("a", session=None), row("b", session=None)]
    match = fused(rows, understand("tea", []), Sides(keyword={"a": 0.4, "b": 1.0}), 1.0, Weights()).match
    assert match["b"] > match["a"] > 0
