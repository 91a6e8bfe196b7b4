"""The score of a hit: how much of a question it holds, and whether the question is answered here at all."""

import pytest

import holdfast
from holdfast.recall import coverage as scoring
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


def test_nobody_misses_the_words_of_a_date(memory):
    plain = coverage(memory, "budget tracker zeppelin")
    assert coverage(memory, "budget tracker zeppelin on 7 July, 2023") == plain
    assert coverage(memory, "budget tracker zeppelin 7 julep 2023x") < plain


def test_who_asks_for_a_day_alone_is_answered_by_what_is_of_that_day(memory):
    memory.add("Ship the beta", timestamp="2023-07-07T10:00:00Z")
    memory.add("Buy chairs", timestamp="2023-08-07T10:00:00Z")
    hits = memory.search("What did we do on 7 July 2023?")
    assert [hit.snippet for hit in hits] == ["Ship the beta"]
    assert coverage(memory, "What did we do on 7 July 2023?") == 1.0


@pytest.mark.parametrize("day", ["2023-07-07", "2023/07/07", "07/07/2023", "7.7.2023", "7/7/2023"])
def test_a_day_in_numbers_is_asked_for_like_one_in_words(memory, day):
    memory.add("Ship the beta", timestamp="2023-07-07T10:00:00Z")
    in_words = best(memory, "What did we do on 7 July 2023?")
    for question in (f"What did we do on {day}?", f"what happened {day}", day):
        assert best(memory, question).score == in_words.score
        assert [item.snippet for item in memory.context(question, parts=["recall"]).items] == ["Ship the beta"]


def test_who_asks_for_a_pattern_on_a_day_does_not_ask_for_the_day_alone(memory):
    memory.add("Ship the beta", timestamp="2023-07-07T10:00:00Z")
    assert coverage(memory, "zeppel* on 2023-07-07") < 0.5


def test_what_is_of_the_day_that_is_named_holds_a_little_of_the_question(memory):
    memory.add("Ship the beta", timestamp="2023-07-07T10:00:00Z")
    assert 0 < coverage(memory, "Which chairs on 7 July 2023?") < 0.5


def test_a_word_that_nobody_has_used_stands_for_those_that_begin_with_it(memory):
    memory.add("Der Zahnarzttermin ist am Montag")
    memory.add("CertExpiresSoon fires a week before")
    assert best(memory, "Wann ist Zahnarzt?").snippet == "Der Zahnarzttermin ist am Montag"
    assert best(memory, "CertExpires").scores["coverage"] == 0.8
    assert best(memory, "CertX") is None


def test_what_begins_with_a_word_is_not_looked_for_where_the_word_itself_is_known(memory):
    memory.add("The tracks are muddy")
    assert [hit.snippet for hit in memory.search("tracker")] == [SAID[1]]


def test_nobody_learns_of_another_users_word_by_what_it_begins_with(tmp_path):
    with holdfast.open(tmp_path / "home", embedder="none") as memory:
        memory.add("Tea at nine", user="ana")
        memory.add("Der Arzttermin ist am Montag", user="ben")
        (before,) = memory.search("Tea Zahnarzt", user="ana")
        memory.add("Der Zahnarzttermin ist am Montag", user="ben")
        (after,) = memory.search("Tea Zahnarzt", user="ana")
        assert after.score == pytest.approx(before.score, abs=0.02)


def test_a_decision_need_not_say_that_it_was_decided(memory):
    memory.add("Postgres for the ledger", type="decision")
    assert coverage(memory, "What was decided about the ledger?") == 1.0


def test_a_date_alone_is_words_like_others(memory):
    memory.add("The contract of 7 July 2023 was signed")
    assert coverage(memory, "7 July 2023") == 1.0
    assert coverage(memory, "8 July 2023") < 1.0


@pytest.fixture
def about_tea(tmp_path):
    """A store about one thing: a word that says so stands in all of it."""
    with holdfast.open(tmp_path / "tea", embedder="none") as memory:
        memory.add_many([{"text": f"tea note {number}, sort k{number}"} for number in range(40)])
        yield memory


def test_what_the_store_is_about_is_worth_more_than_half_of_the_rarest_word(about_tea):
    """A stranger's question lacks just this word; without a least worth, having it would count for nothing."""
    assert 0.3 < coverage(about_tea, "tea zeppelin") < coverage(about_tea, "k7 zeppelin") < 0.6


def scored(folder, entries, question):
    """The best score in a store of so many entries, of which one holds half of the question."""
    with holdfast.open(folder, embedder="none") as memory:
        memory.add_many([{"text": "the staging database"}] + [{"text": f"w{number}"} for number in range(entries - 1)])
        return best(memory, question).score


def test_a_word_that_a_store_does_not_know_counts_against_it_the_more_it_has_heard(tmp_path):
    small = scored(tmp_path / "small", 4, "staging zeppelin")
    large = scored(tmp_path / "large", 400, "staging zeppelin")
    assert large < 0.75 * small


def test_a_known_word_that_a_hit_lacks_says_less_than_an_unknown_one(tmp_path):
    lacking = scored(tmp_path / "lacking", 400, "staging w7")
    unknown = scored(tmp_path / "unknown", 400, "staging zeppelin")
    assert unknown < 0.75 * lacking


def test_a_question_of_which_no_word_is_known_is_found_by_its_vector_in_a_large_store(tmp_path, monkeypatch):
    monkeypatch.setattr(scoring, "SMALL", 1)
    with holdfast.open(tmp_path / "home", embedder="builtin") as memory:
        memory.add_many([{"text": "The physician prescribed antibiotics"}, *({"text": f"n{n}"} for n in range(300))])
        memory.sync()
        assert next(iter(memory.search("doctor medicine", limit=1))).snippet == "The physician prescribed antibiotics"


def test_a_question_about_something_else_scores_below_what_a_context_takes(memory):
    bar = memory.store.settings["context.min_score"]
    assert best(memory, "What is the budget of the tracker project?").score >= bar
    assert best(memory, "Which zeppelin project did the ornithologist photograph over Lisbon?").score < bar


def test_part_of_an_answer_by_who_is_named_is_enough_for_a_context_and_the_same_words_about_a_stranger_are_not(
    tmp_path,
):
    said = [("Ana", "The harbour was full of boats"), ("Ben", "I see"), ("Ana", "We stayed for a week")]
    with holdfast.open(tmp_path / "home", embedder="none") as memory:
        memory.add_many([{"text": text, "author": author, "session": "s"} for author, text in said])
        bar = memory.store.settings["context.min_score"]
        assert best(memory, "Which harbour did Ana photograph, sketch, paint, film, admire and curse?").score >= bar
        assert best(memory, "Which harbour did Zoe photograph, sketch, paint, film, admire and curse?").score < bar


def test_what_the_named_author_said_is_found_and_by_the_name_alone_is_worth_nothing(tmp_path):
    said = [("Ana", "The harbour was full of boats"), ("Ben", "I see"), ("Ana", "Tax 7%"), ("Ben", "Tax 9%")]
    with holdfast.open(tmp_path / "home", embedder="builtin") as memory:
        memory.add_many([{"text": text, "author": author, "session": "s"} for author, text in said])
        memory.sync()
        found = [(hit.entry.author, hit.snippet) for hit in memory.search("What boats did Ana see?", min_score=0)]
        assert found[0] == said[0]
        assert said[2] in found
        assert said[3] not in found
        named = list(memory.search("Which zeppelin did Ana photograph?"))
        assert {(hit.entry.author, hit.score) for hit in named} == {("Ana", 0.0)}


@pytest.mark.parametrize(("cosine", "near"), [(None, 0.0), (0.1, 0.0), (0.2, 0.0), (0.6, 0.5), (1.0, 1.0)])
def test_cosines_up_to_the_noise_floor_are_nothing(cosine, near):
    assert calibrated(cosine, 0.2) == pytest.approx(near)


def test_a_score_does_not_tell_one_user_which_words_another_has(tmp_path):
    with holdfast.open(tmp_path / "home", embedder="none") as memory:
        memory.add_many([{"text": f"walnut tree {number}", "user": "ana", "session": "a"} for number in range(50)])
        memory.add_many([{"text": f"talk {number}", "user": "ben", "session": "b"} for number in range(500)])
        other = memory.add("my doctor said nothing", user="ben", session="b")
        (before,) = memory.search("walnut mesothelioma", user="ana", limit=1)
        memory.amend(other.id, text="my doctor said mesothelioma")
        (after,) = memory.search("walnut mesothelioma", user="ana", limit=1)
        assert after.score == before.score


def test_a_pair_that_lies_across_two_words_is_hardly_missed(memory, monkeypatch):
    memory.add("数据库在法兰克福运行")
    held = coverage(memory, "法兰克福有什么")
    assert held < coverage(memory, "法兰克福") == 1.0
    monkeypatch.setattr(scoring, "STRAY", scoring.UNSEEN)
    assert coverage(memory, "法兰克福有什么") < held - 0.1


@pytest.fixture
def in_words(tmp_path):
    """Facts of one person, with vectors."""
    said = (
        "I work as a nurse, and the job is hard", "We saw a film about penguins", "The flat has two rooms",
        "I play the violin on Sundays", "The car is in the garage", "Mum was born in Porto",
    )  # fmt: skip
    with holdfast.open(tmp_path / "home", embedder="builtin") as memory:
        memory.add_many([{"text": text, "type": "note"} for text in said])
        memory.sync()
        yield memory


@pytest.mark.parametrize(
    ("question", "answer"),
    [("Which movie did we watch?", "We saw a film about penguins"), ("Where is my automobile?", "The car is in")],
)
def test_an_answer_in_other_words_reaches_a_context(in_words, question, answer):
    assert in_words.context(question, parts=["recall"]).items[0].snippet.startswith(answer)


@pytest.mark.parametrize(
    ("question", "answer"),
    [("What is my profession?", "I work as a nurse"), ("Where does my mother come from?", "Mum was born in Porto")],
)
def test_an_answer_that_shares_no_word_reaches_a_context_among_short_notes(in_words, question, answer):
    assert in_words.context(question, parts=["recall"]).items[0].snippet.startswith(answer)


def test_the_same_nearness_is_worth_less_among_long_texts(tmp_path, monkeypatch):
    monkeypatch.setattr(scoring, "calibrated", lambda *_: 0.5)
    scores = []
    for rain in ("", " It rained a little, and then it went on raining as it does here in autumn." * 4):
        with holdfast.open(tmp_path / f"home{len(rain)}", embedder="builtin") as memory:
            memory.add_many([{"text": said + rain, "type": "note"} for said in ("A tulip", "A rose", "A daisy")])
            memory.sync()
            scores.append(next(iter(memory.search("flowers"))).score)
    assert scores[1] < 0.6 * scores[0]


def test_what_is_a_little_less_near_than_noise_is_found_and_worth_nothing(in_words):
    found = {hit.snippet: hit.score for hit in in_words.search("Where did we park?")}
    assert found["The car is in the garage"] == 0.0
    assert not in_words.context("Where did we park?", parts=["recall"]).items
    assert not in_words.search("kubernetes pods").hits


def test_nothing_faint_is_found_beside_a_good_answer(tmp_path):
    with holdfast.open(tmp_path / "home", embedder="builtin") as memory:
        memory.add_many([{"text": text} for text in ("The elm grows on the hill", "The oak grows by the river")])
        memory.sync()
        assert [hit.snippet for hit in memory.search("oak river")] == ["The oak grows by the river"]


@pytest.mark.parametrize("question", ["Which opera did we hear?", "Where is my passport?", "Which tablets do I take?"])
def test_a_question_about_a_thing_of_the_same_kind_does_not(in_words, question):
    assert not in_words.context(question, parts=["recall"]).items


def test_words_that_stand_together_as_in_the_question_are_worth_more(memory):
    memory.add("The air fryer hums")
    apart = best(memory, "fryer zeppelin air ornithologist").score
    assert best(memory, "air fryer zeppelin ornithologist").score > 1.05 * apart


def test_what_is_said_in_other_words_counts_where_the_question_is_not_answered_in_its_own(tmp_path, monkeypatch):
    with holdfast.open(tmp_path / "home", embedder="builtin") as memory:
        memory.add_many([{"text": "That film about whales was far too long"}, {"text": "The bridge is closed"}])
        memory.sync()
        question = "Which movie about whales did we see in the harbour?"
        with_others = best(memory, question).scores["answered"]
        monkeypatch.setattr(
            type(memory.store.embedding), "alike", lambda _, terms, texts: [[0.0] * len(terms)] * len(texts)
        )
        assert best(memory, question).scores["answered"] < with_others < 1.0
