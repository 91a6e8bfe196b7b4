"""Echoes: what was asked before is no answer to being asked again."""

import pytest

import holdfast
from holdfast.recall.asking import understand
from holdfast.recall.echoes import LONGEST, asks_anew, echoes
from holdfast.recall.wording import Sought

PORT = Sought([("port", 2.0), ("stage", 2.0), ("databas", 2.0), ("use", 1.0)])
QUESTION = understand("Which port does the staging database use?", ())


def only_ask(*said, question=QUESTION, sought=PORT):
    return echoes(said, [bits.bit_count() for bits, _ in sought.held(said)], question, sought)


@pytest.mark.parametrize(
    "said",
    [
        "Which port does the staging database use?", "port of the staging databases?", "What is it?",
        "which port is our staging database listening on?", "The staging database, which port?",
        "which port does the staging database use",
    ],
)  # fmt: skip
def test_a_turn_that_asks_in_hardly_any_other_words_is_one(said):
    assert only_ask(said, "It is 5433") == [True, False]


@pytest.mark.parametrize(
    "other",
    [
        "The staging database has port 5433", "Can we move the staging database to another rack in Oslo?", "",
        "The staging database is slow. " * (LONGEST // 30) + "Which port does the staging database use?",
        "The staging database uses port 5433, ok?", "Does the staging database use the port of Postgres?",
        "How about the standard port for the staging database?", "Which port did the staging database use on Friday?",
        "Which port did the Oslo staging database use?", "can you remember that the staging database uses port 5433",
        "which port the staging database uses", "Did Portugal usher in the stagecoach?",
        'We named it "Which port does the staging database use?"',
    ],
)  # fmt: skip
def test_what_tells_or_may_tell_something_is_none(other):
    assert only_ask(other) == []


@pytest.mark.parametrize(
    ("question", "same", "other"),
    [
        ("我的猫叫什么名字？", "我的猫叫什么名字？", "我的猫叫小白你记得吗？"),
        ("ランチのレストランはどこ？", "ランチのレストランはどこ？", "ランチのレストランは駅前のすし屋でいい？"),
        ("Wie heißt meine Katze?", "wie heißt meine katze?", "Heißt meine Katze nicht Minka?"),
    ],
)
def test_in_any_script_only_what_has_no_other_words(question, same, other):
    asked = understand(question, ())
    assert only_ask(same, other, question=asked, sought=Sought()) == [True, False]


@pytest.mark.parametrize("text", ["implement oauth2", "What did I ask about OAuth2?", "my questions on OAuth2?"])
def test_who_does_not_ask_or_asks_for_questions_wants_what_was_asked(text):
    assert not asks_anew(understand(text, ()))
    assert asks_anew(understand("How do I implement OAuth2?", ()))
    assert asks_anew(understand("how do I implement OAuth2", ()))


def test_a_note_that_asks_was_written_down_to_be_found(tmp_path):
    with holdfast.open(tmp_path / "home") as memory:
        memory.add("Which port does the staging database use?", type="note")
        (found,) = memory.search("port of the staging database")
        assert found.scores["echo"] == 0.0


FILLING = (
    "Please rename the button to Save", "Write a haiku about spring", "The tests are slow today", "Translate it",
    "Summarise the notes of the meeting", "Fix the typo in the readme", "Add a dark theme", "The invoice is paid",
)  # fmt: skip
ASKED = ("Which port does the staging database use?", "what port is the staging database on?", "staging database port?")


@pytest.mark.parametrize("provider", ["builtin", "none"])
def test_what_was_asked_before_does_not_stand_before_the_answer(tmp_path, provider):
    answer = "The staging database listens on port 5433 since the move"
    with holdfast.open(tmp_path / "home", embedder=provider) as memory:
        for said in (answer, *FILLING):
            memory.create_session().add(said, role="user")
        for said in ASKED:
            unknown = {"text": "I could not find that in the project", "role": "assistant"}
            memory.create_session().add_many([{"text": said, "role": "user"}, unknown])
        found = [hit.text for hit in memory.search("Which port does the staging database use?", limit=20)]
        assert found.index(answer) < min(found.index(said) for said in ASKED)


def test_an_answer_stands_before_the_question_that_it_answered(tmp_path):
    with holdfast.open(tmp_path / "home") as memory:
        for said in FILLING:
            memory.create_session().add(said, role="user")
        talk = ["When do we meet the auditors?", "On the ninth, in the small room"]
        memory.create_session().add_many(
            {"text": said, "role": role} for said, role in zip(talk, ("user", "assistant"), strict=True)
        )
        assert [hit.text for hit in memory.search("When do we meet the auditors?", limit=2)] == talk[::-1]


@pytest.mark.parametrize(
    "question", ["Did I ask when we meet the auditors?", "My questions about the auditors we meet?"]
)
def test_who_asks_what_was_asked_finds_it(tmp_path, question):
    asked = "When do we meet the auditors?"
    with holdfast.open(tmp_path / "home") as memory:
        for said in (asked, *FILLING):
            memory.create_session().add(said, role="user")
        assert memory.search(question)[0].scores["echo"] == 0.0
        assert asked in [item.snippet for item in memory.context(question).items]
