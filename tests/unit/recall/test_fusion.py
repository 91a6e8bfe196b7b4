"""Fusion: each signal adds what it is meant to, nothing is lost, and the parts are shown."""

import pytest

from holdfast.model.query import Row
from holdfast.recall.asking import understand
from holdfast.recall.fusion import (
    ANYTHING,
    APART,
    FEW,
    PIECE,
    WITHOUT_VECTORS,
    Fused,
    Weights,
    answering,
    blended,
    by_author,
    by_form,
    by_words,
    fused,
    lent,
    scaled,
    spread,
    talk_of,
)
from holdfast.recall.wording import Sought


def row(id, session="s", author=None, role=None, seq=0, said="", size=100, score=0.0, cosine=None):
    made = Row(id, 0, "conversation", 0.5, False, session, None, role, author, session or "", seq)
    made.said, made.size, made.score, made.cosine = said, size, score, cosine
    return made


def test_a_hit_of_one_side_only_is_not_lost():
    rows = [row("a", score=3.0), row("b", cosine=0.5)]
    assert blended(rows, Weights(keyword=0.5, vector=0.5)) == [0.5, 0.5]
    assert blended(rows, WITHOUT_VECTORS) == [1.0, 0.0]


def test_scaling_is_by_the_best_and_spreading_from_the_worst():
    assert scaled([4.0, 1.0]) == [1.0, 0.25]
    assert scaled([]) == []
    assert scaled([0.0]) == [0.0]
    assert spread([0.9, 0.5, None, 0.1]) == pytest.approx([1.0, 0.5, 0.0, 0.0])
    assert spread([0.3, None]) == [1.0, 0.0]


def test_vectors_that_are_all_about_as_alike_say_the_less():
    cosines = [0.5 + place / 1000 for place in range(FEW)]
    assert max(spread(cosines)) == pytest.approx(0.059 / APART)
    assert max(spread([*cosines, 0.1])) == 1.0
    assert max(spread(cosines[:-1])) == 1.0  # these are all there are, and the best of them is the best


def test_among_few_the_less_alike_half_says_nothing_by_vector():
    cosines = [place / 20 for place in range(20)]
    found = spread(cosines)
    assert found[:10] == [0.0] * 10
    assert found[-1] == 1.0
    assert spread([*cosines, None])[1] > 0  # one was not compared, so these are not all there are
    assert spread([place / FEW for place in range(FEW)])[1] > 0  # nor are so many
    assert spread(cosines[:9])[1] > 0  # the best eight always count


def test_among_a_handful_the_worst_may_be_nearly_as_good_as_the_best():
    assert spread([0.8, 0.7]) == pytest.approx([1.0, 0.75])
    assert spread([0.8, 0.4]) == pytest.approx([1.0, 0.0])
    assert spread([0.8, 0.2]) == pytest.approx([1.0, 0.0])


def test_among_few_words_count_less_as_far_as_the_vectors_know_the_language():
    rows = [row("a", score=1.0, cosine=0.1), row("b", cosine=0.9)]
    weights = Weights(keyword=0.5, vector=0.5)
    assert blended(rows, weights) == pytest.approx([1 / 3, 2 / 3])
    assert blended(rows, weights.replace(known=0.0)) == [0.5, 0.5]
    many = [*rows, *(row(str(number), cosine=0.1) for number in range(FEW))]
    assert blended(many, weights)[:2] == [0.5, 0.5]


def test_neighbours_lend_a_share_in_both_directions_and_those_beyond_a_little():
    rows = [row(id, seq=seq, said="Why?") for seq, id in enumerate("abcde", 7)]
    found = lent(rows, [0.0, 1.0, 0.0, 0.0, 0.0], Weights(neighbour=0.2, beyond=0.1))
    assert found == [0.2, 0.0, 0.2, 0.1, 0.0]


def test_notes_beside_each_other_lend_nothing_but_what_was_said_lends_to_a_note():
    rows = [row(id, seq=seq) for seq, id in enumerate("abc")]
    for one in rows:
        one.type = "finding"
    assert not any(lent(rows, [0.0, 1.0, 0.0], Weights(neighbour=0.2)))
    rows[1].type, rows[1].said = "conversation", "Why?"
    assert lent(rows, [0.0, 1.0, 0.0], Weights(neighbour=0.2)) == [0.2, 0.0, 0.2]
    assert lent(rows, [1.0, 0.0, 0.0], Weights(neighbour=0.2)) == [0.0, 0.2, 0.0]


def test_nothing_is_lent_from_one_journal_to_another():
    rows = [row("a", session="s", seq=1, said="Why?"), row("b", session="t", seq=2)]
    assert lent(rows, [0.0, 1.0], Weights()) == [0.0, 0.0]


@pytest.mark.parametrize(
    ("asking", "role", "lends"), [(0, None, False), (1, None, False), (3, None, True), (0, "user", True)]
)
def test_neighbours_lend_where_people_ask_or_talk_with_an_assistant(asking, role, lends):
    rows = [
        row(str(seq), seq=seq, author="Ana", role=role, said="Why?" if seq < asking else "Done.") for seq in range(40)
    ]
    assert any(lent(rows, [1.0] * 40, Weights())) is lends


def test_named_authors_are_boosted_as_far_as_trusted():
    rows = [row("a", author="Ana"), row("b", author="Ben")]
    assert by_author(rows, understand("What did Ana eat?", ["Ana", "Ben"]), {"Ana": 0.5}) == [0.5, 0.0]
    both = understand("What did Ana and Ben eat?", ["Ana", "Ben", "Cem"])
    assert by_author([*rows, row("c", author="Cem"), row("d")], both, {"Ana": 1.0, "Ben": 0.5}) == [1.0, 0.5, 0.0, 0.0]


def test_what_others_tell_of_somebody_counts_like_what_they_say():
    told, spoken_to = row("a", author="Ben", said="Ana broke it"), row("b", author="Ben", said="Thanks, Ana!")
    asked = understand("What did Ana break?", ["Ana", "Ben"])
    assert by_author([told, spoken_to, row("c", author="Ana")], asked, {"Ana": 0.5}) == [1.0, 0.0, 0.5]


def test_what_others_tell_counts_less_where_somebody_is_asked_for_their_own_words():
    rows = [row("a", author="Ben", said="Ana broke it"), row("b", author="Ana", said="It was me")]
    trusted = {"Ana": 1.0}
    assert by_author(rows, understand("What did Ana say about the lamp?", ["Ana", "Ben"]), trusted) == [0.0, 1.0]
    assert by_author(rows, understand("What did Ana say?", ["Ana", "Ben"]), trusted) == [0.0, ANYTHING]
    assert by_author(rows, understand("What did Ana say?", ["Ana", "Ben"]), {"Ana": 0.0}) == [0.0, 0.0]  # not believed


def test_what_one_who_is_named_tells_of_another_counts_most():
    rows = [row("a", author="Ana", said="Ben broke it"), row("b", author="Ana", said="Hi"), row("c", author="Cem")]
    asked = understand("What did Ana say about Ben?", ["Ana", "Ben", "Cem"])
    of_ben, of_nobody, of_another = by_author(rows, asked, {"Ana": 1.0, "Ben": 1.0})
    assert of_ben > of_nobody > of_another


def test_a_first_person_question_means_the_user():
    rows = [row("a", role="user"), row("b", role="assistant"), row("c", author="user")]
    assert by_author(rows, understand("What did I eat?", []), {}) == [1.0, 0.0, 1.0]
    assert by_author(rows, understand("What was eaten?", []), {}) == []


def test_what_somebody_kept_without_saying_it_is_the_users_own():
    kept, said = row("a"), row("b")
    kept.type = "decision"
    assert by_author([kept, said], understand("What did I decide?", []), {}) == [1.0, 0.0]


def test_a_decision_counts_more_where_one_is_asked_for():
    decided, said = row("a", score=1.0), row("b", score=1.0)
    decided.type = "decision"
    assert (
        fused([decided, said], understand("What was decided?", []), (Sought(), None, None), {}, Weights()).match[1] < 1
    )


def test_the_form_of_a_turn_counts_where_names_are_missing():
    rows = [row("a", said="Why?"), row("b", size=400)]
    assert by_form(rows, talk_of(rows), understand("tea", []), Weights())[0] < 0


def test_the_form_of_a_turn_counts_only_among_people():
    people = [row("a", author="Ana", said="Why?"), row("b", author="Ben", size=400)]
    question = understand("tea", [])
    asking, telling = by_form(people, talk_of(people), question, Weights())
    assert asking < 0 < telling
    assisted = [row("a", role="user", said="Why?"), row("b", role="assistant")]
    assert not any(by_form(assisted, talk_of(assisted), question, Weights()))
    mixed = [row("a", author="Ana", role="user", said="Why?"), row("b", role="assistant")]
    assert not any(by_form(mixed, talk_of(mixed), question, Weights()))


def test_an_assistant_that_nobody_named_so_is_known_by_how_long_it_goes_on():
    said = [row("a", author="Ana", said="Why?"), row("b", author="Copilot", size=5 * PIECE)]
    assert talk_of(said) == [False, False]
    pasted = [row(str(number), author="Ana") for number in range(9)]
    assert talk_of([*pasted, row("log", author="Ben", size=5 * PIECE)]) == [True] * 10
    assert talk_of([*said, row("c", session="other", author="Ana", said="Why?")]) == [False, False, True]


def test_what_nobody_signed_is_talk_only_beside_another_turn():
    alone = row("c", session="other")
    assert talk_of([row("a"), row("b"), alone]) == [True, True, False]
    alone.author = "Ana"
    assert talk_of([alone]) == [True]


def test_what_follows_a_question_among_people_may_be_the_answer():
    turns = [row("a", author="Ana", said="Where is the kite?", seq=1), row("b", author="Ben", said="Gone.", seq=2)]
    three = [*turns, row("c", author="Ana", seq=3)]
    assert answering(three, talk_of(three), [1.0, 0.0, 0.0], Weights(answer=0.2)) == [0.0, 0.2, 0.0]
    assert (
        answering(turns[::-1], talk_of(turns), [1.0, 0.0], Weights()) == []
    )  # nobody asked for what the question holds
    turns[1].role = "assistant"
    assert answering(turns, talk_of(turns), [1.0, 0.0], Weights()) == []


def test_texts_that_were_not_read_do_not_say_how_long_they_are():
    unread = [row(str(number), author="Ana", size=0) for number in range(9)]
    assert talk_of([*unread, row("long", author="Copilot", size=5 * PIECE)]) == [False] * 10


@pytest.mark.parametrize(
    ("asked", "answer", "other"),
    [
        ("When did she go?", "I went there last Friday", "I went there"),
        ("How many came?", "About 40 of them", "Quite a crowd of them"),
        ("Where is it?", "It is in Lisbon now", "It is over there now"),
    ],
)
def test_what_can_be_the_answer_counts_more_among_people(asked, answer, other):
    rows = [row("a", author="Ana", said=answer), row("b", author="Ben", said=other)]
    better, worse = by_form(rows, talk_of(rows), understand(asked, []), Weights())
    assert better > worse


def of_words(rows, sought, weights):
    return by_words(rows, sought.held([row.said for row in rows]), sought, weights)


def test_a_session_counts_by_the_words_that_its_entries_hold_between_them():
    rows = [row("a", "s1"), row("b", "s1"), row("c", "s2"), row("d", None)]
    rows[0].said, rows[1].said, rows[2].said, rows[3].said = "a red kite", "the kites of Lisbon", "Lisbon", "red"
    found = of_words(rows, Sought([("red", 2.0), ("kite", 1.0), ("lisbon", 1.0)]), Weights(session=1.0))
    assert found[1] == [1.0, 1.0, 0.25, 0.5]


def test_words_that_stand_together_count_once_more():
    rows = [row("a"), row("b")]
    rows[0].said, rows[1].said = "It was a red kite.", "A kite, and much later in the afternoon a red balloon."
    found = of_words(rows, Sought([("red", 2.0), ("kite", 1.0)]), Weights(together=1.0))
    assert found[0] == [0.5, 0.0]


def test_among_few_a_row_counts_by_the_words_that_it_holds_itself_and_among_many_it_does_not():
    rows = [row("a", said="a red kite", cosine=0.4), row("b", said="a kite", cosine=0.5)]
    sought = Sought([("red", 1.0), ("kite", 1.0)])
    assert of_words(rows, sought, Weights(whole=1.0))[2] == [1.0, 0.125]
    assert of_words([*rows, row("c", said="red")], sought, Weights(whole=1.0))[2] == []  # not all were compared
    assert of_words(rows, sought, WITHOUT_VECTORS)[2] == []


def test_a_text_of_many_pieces_is_taken_down_and_one_piece_is_not():
    rows = [row(id, role="user", size=pieces * PIECE) for id, pieces in (("a", 1), ("b", 2), ("c", 8))]
    one, two, eight = by_form(rows, talk_of(rows), understand("tea", []), Weights())
    assert one == 0
    assert eight == pytest.approx(3 * two)
    assert two < 0


def test_every_part_is_shown_and_the_best_match_is_one():
    rows = [row("a", author="Ana", score=1.0), row("b", author="Ben", score=0.9)]
    question = understand("What did Ben eat in May 2023?", ["Ana", "Ben"])
    found = fused(rows, question, (Sought(), None, None), {"Ben": 1.0}, Weights())
    assert max(found.match) == found.match[1] == 1.0
    assert found.explained(1)["author"] > 0 == found.explained(0)["author"]
    assert set(found.explained(0)) == {
        "base", "neighbour", "answer", "author", "date", "kind", "form", "together", "session", "whole", "asked",
        "called", "echo", "newer",
    }  # fmt: skip
    assert not any(found.explained(-1).values())


def test_a_match_is_the_sum_of_its_parts():
    rows = [row("a", author="Ana", session="s", score=1.0), row("b", author="Ben", session="t", score=0.9)]
    question = understand("What did Ben eat in May 2023?", ["Ana", "Ben"])
    found = fused(rows, question, (Sought(), None, None), {"Ben": 1.0}, Weights())
    assert found.match == pytest.approx([sum(found.explained(place).values()) for place in (0, 1)])
    assert 0 < found.match[0] < 1


def test_a_match_is_never_below_nothing():
    found = Fused({"base": [1.0, 0.1], "form": [0.0, -0.3]})
    assert found.match == [1.0, 0.0]
    assert found.explained(1) == {"base": 0.1, "form": -0.3}


def test_without_names_dates_or_neighbours_the_order_is_the_keyword_order():
    rows = [row("a", session=None, score=0.4), row("b", session=None, score=1.0)]
    match = fused(rows, understand("tea", []), (Sought(), None, None), {"Ben": 1.0}, Weights()).match
    assert match[1] > match[0] > 0
