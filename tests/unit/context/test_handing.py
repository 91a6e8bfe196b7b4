from types import SimpleNamespace

import pytest

import holdfast
from holdfast.context.handing import BESIDE, _after_questions, injectable
from holdfast.model.entry import Entry
from holdfast.model.value import FrozenDict
from holdfast.recall import searching


def entry(provenance="user", sensitive=False):
    return Entry(
        seq=1,
        id="mem_01KDVDNA00BZTVBVR3NFHBXFS6",
        scope="user",
        timestamp="2026-01-10T14:23:45.678Z",
        type="note",
        content=FrozenDict({"text": "x"}),
        provenance=provenance,
        sensitive=sensitive,
    )


@pytest.mark.parametrize("provenance", ["user", "agent"])
def test_what_user_and_agent_said_may_be_handed_over_unasked(provenance):
    assert injectable(entry(provenance))


@pytest.mark.parametrize("provenance", ["tool:grep", "web", "file", "import:chatgpt", "user:ana", "agents", ""])
def test_what_came_from_elsewhere_may_not(provenance):
    assert not injectable(entry(provenance))


@pytest.mark.parametrize("provenance", ["user", "agent"])
def test_what_is_sensitive_may_not(provenance):
    assert not injectable(entry(provenance, sensitive=True))


def test_what_holds_little_beside_the_answer_is_not_handed_over(tmp_path):
    answer, other = "The manual is set in Typst for the printer", "The neighbours built a shed with every tool they had"
    question = "With which tool is the manual set for the printer, Typst?"
    with holdfast.open(tmp_path / "home") as memory:
        memory.create_session().add_many([{"text": text} for text in (answer, "Ana is away", "Tea at nine", other)])
        bar = memory.store.settings["context.min_score"]
        assert [hit.snippet for hit in memory.search(question, min_score=bar)] == [answer, other]
        assert [item.snippet for item in memory.context(question).items] == [answer]


TICKETS = (
    "ABC-123: checkout button is disabled on Safari", "ABC-213: move Postgres from 14 to 16",
    "Redis runs on port 6380 with TLS", "Customer 7c9e6679-7425-40de-944b has a discount of 12 %",
    "Exit code 137 of the worker means out of memory", "Staging is at 10.0.4.17",
    "On-call contact: phone +1 415 555 0137", "Error E11000 means a duplicate key", "numpy is pinned to 1.26.4",
    "Order 4711 was paid with $1,249.99", "Branch names: feat/<ticket>-<slug>",
)  # fmt: skip


def test_beside_what_was_asked_for_by_its_number_other_numbers_are_not_handed_over(tmp_path):
    with holdfast.open(tmp_path / "home") as memory:
        memory.add_many([{"text": text, "type": "note"} for text in TICKETS])
        found = [item.snippet for item in memory.context("what is ABC-123?").items]
        assert found[0] == TICKETS[0]
        assert set(found) <= set(TICKETS[:2])  # the other ticket has a part of its name
        bar = memory.store.settings["context.min_score"]
        listed = [hit.snippet for hit in memory.search("what is ABC-123?", min_score=bar)]
        assert not set(listed) <= set(TICKETS[:2])  # of these a search still tells


ERROR = "pq: deadlock detected (SQLSTATE 40P01) while locking tuple (12,7) in relation processed_messages"
CAUSE = "The deadlock came from two consumers inserting ids in different orders. Sorting the batch removed it."


WORKERS = [
    "mailer", "billing", "search", "gateway", "exporter", "ledger", "planner", "scraper", "indexer", "notifier",
]  # fmt: skip


@pytest.mark.parametrize("printed", [["alone"], range(30), WORKERS], ids=["once", "often", "by many"])
def test_who_pastes_an_error_is_handed_what_was_found_out_about_it(tmp_path, printed):
    with holdfast.open(tmp_path / "home") as memory:
        session = memory.create_session()
        session.add("Comments explain why, not what", role="user")
        session.add_many({"text": f"{ERROR} at {place}", "role": "tool"} for place in printed)
        session.add(CAUSE, role="assistant", type="finding")
        session.add("The outbox relay publishes a message twice when an ack is lost", role="assistant", type="finding")
        for prompt in (ERROR, f"fix: {ERROR[:40]}"):
            assert [item.snippet for item in memory.context(prompt).items] == [CAUSE]
        assert memory.context("Which colour has the new bicycle of my sister Ana?").items == ()


def test_what_a_tool_answered_alone_brings_nothing_else(tmp_path):
    with holdfast.open(tmp_path / "home") as memory:
        session = memory.create_session()
        session.add("The harbour ferry leaves at nine from pier four", role="tool")
        session.add("Dark theme everywhere, please", role="user")
        assert memory.search("when does the harbour ferry leave?").hits
        assert memory.context("when does the harbour ferry leave?").items == ()


def test_a_month_beside_a_question_does_not_bring_all_that_is_of_it(tmp_path):
    of_may = (
        "Three of the desks arrived at reception.", "My flight was cancelled again.", "Lunch at the Georgian bakery?",
        "The gateway gave 502s for ten minutes.", "Finance wants the May numbers by Friday.", "I run on Sundays.",
        "The toggle fails contrast.", "We need a cat carrier.", "The offer goes to Beatriz.", "The old logo is gone.",
        "Her laptop should run Linux.", "Expense reports go through Spendesk.",
    )  # fmt: skip
    answer = "We're moving the repo from GitHub to the self-hosted Forgejo at git.northpeak.eu on May 4."
    with holdfast.open(tmp_path / "home") as memory:
        memory.create_session().add(answer, role="user", author="Priya", timestamp="2026-04-15T11:00:00Z")
        talk = memory.create_session()
        for day, text in enumerate(of_may, 2):
            talk.add(text, role="user", author=("Tom", "Mei", "Anna")[day % 3], timestamp=f"2026-05-{day:02}T10:00:00Z")
        items = [item.snippet for item in memory.context("where will the source code be hosted from May?").items]
        assert answer in items
        assert len(items) <= 5
        items = [item.snippet for item in memory.context("What happened in May 2026?").items]
        assert len(items) > 5


def test_what_only_takes_note_of_an_answer_is_not_handed_over_with_it(tmp_path):
    told = "The boiler is serviced every April by Hobbs & Sons."
    with holdfast.open(tmp_path / "home") as memory:
        turns = ({"text": told, "role": "user"}, {"text": "Okay, I will remember that.", "role": "assistant"})
        memory.create_session().add_many(turns)
        assert [item.snippet for item in memory.context("when is the boiler serviced?").items] == [told]


def test_small_words_of_german_bring_no_entries_into_a_context(tmp_path):
    told = (
        "Die Kantine schließt um 14 Uhr.", "Frau Petersen hat das Archiv aufgeräumt.", "Die Miete steigt im Mai.",
        "Der Techniker kommt am Donnerstag.", "Zwei Auszubildende haben gekündigt.", "Halle B wird geräumt.",
    )  # fmt: skip
    with holdfast.open(tmp_path / "home") as memory:
        for text in told:
            memory.create_session().add(text, role="user")
        for prompt in ("Was hat der Steuerberater gesagt?", "Wer hat den Firmenwagen?", "Was kostet die Heizung?"):
            assert memory.context(prompt).items == ()
        assert [item.snippet for item in memory.context("Wann schließt die Kantine?").items] == [told[0]]


def test_beside_a_word_another_one_for_the_same_is_handed_over(tmp_path):
    told = ("My manager is called Rosalind.", "Rosalind has left, my new boss is Dmitri.", "The fence is painted")
    with holdfast.open(tmp_path / "home") as memory:
        for number, text in enumerate(told):
            memory.create_session().add(text, role="user", timestamp=1_760_000_000_000 + number)
        assert {item.snippet for item in memory.context("who is my manager?").items} == {*told[:2]}


def test_answers_that_match_about_as_well_are_all_handed_over(tmp_path):
    with holdfast.open(tmp_path / "home") as memory:
        memory.add("The manual is set in Typst")
        memory.add("The manual was set in Typst by Ana")
        assert len(memory.context("manual Typst").items) == 2


def test_the_same_words_of_two_people_are_two_things(tmp_path):
    with holdfast.open(tmp_path / "home") as memory:
        for author in ("Erik", "Ana", "Erik"):
            memory.create_session().add("I'm vegetarian now", author=author)
        items = memory.context("Who is vegetarian now?").items
        assert sorted(item.author for item in items) == ["Ana", "Erik"]


def test_what_says_the_same_takes_one_seat(tmp_path):
    with holdfast.open(tmp_path / "home") as memory:
        for number in range(12):
            memory.create_session().add("deploy failed on staging", type="note", timestamp=1_760_000_000_000 + number)
        cause = memory.create_session().add("deploy on staging failed since the disk was full", type="note")
        items = memory.context("why did the deploy fail on staging?").items
        assert sorted(item.snippet for item in items) == ["deploy failed on staging", cause.text]


def test_where_much_says_the_same_the_rest_is_looked_at_in_the_same_search(tmp_path, monkeypatch):
    often = [f"The staging database {what}" for what in ("has port 5433", "is Ben's", "runs on Debian", "is small")]
    with holdfast.open(tmp_path / "home", embedder="none") as memory:
        for number in range(3):
            memory.add_many({"text": text, "type": "note", "session": f"s{number}"} for text in often)
        once = memory.add(
            "All in the team should know that the staging database is rebuilt at night", type="note", session="other"
        )
        asked, search = [], searching.search
        monkeypatch.setattr(searching, "search", lambda *given: asked.append(given) or search(*given))
        found = memory.context("what do we know about the staging database?")
    assert {item.snippet for item in found.items} == {*often, once.text}
    assert len(found.items) == 5
    assert len(asked) == 1


def test_one_value_of_two_keys_is_two_things(tmp_path):
    with holdfast.open(tmp_path / "home") as memory:
        user = memory.user("local")
        user.remember("car_color", "green")
        user.remember("wall_color", "green")
        items = memory.context("what color is the wall, and the car?", parts=["recall"]).items
        assert sorted(item.entry.key for item in items) == ["car_color", "wall_color"]


def test_what_was_asked_before_is_not_handed_over_and_keeps_no_answer_out(tmp_path):
    asked, answer = "When do we meet the auditors?", "We see them in the small room on the ninth"
    with holdfast.open(tmp_path / "home") as memory:
        for said in ("The tests are slow today", "Add a dark theme", "The invoice is paid"):
            memory.create_session().add(said, role="user")
        assert memory.context(asked).items == ()
        memory.create_session().add(asked, role="user")
        assert memory.context(asked).items == ()
        memory.create_session().add_many([{"text": asked, "role": "user"}, {"text": answer, "role": "assistant"}])
        assert [item.snippet for item in memory.context(asked).items] == [answer]


TALKS = (
    ("My landlord wants to raise the rent by 18 percent, is that legal in Munich?",
     "In tight markets such as Munich the cap is 15 percent within three years, so 18 exceeds it."),
    ("I got the job! Start is 1 August.", "Congratulations, that is wonderful news."),
    ("Write a cover letter for a data engineer.", "Dear team, with six years of Spark behind me ..."),
    ("I hurt my knee, no running for six weeks.", "Sorry to hear that. Cycling keeps your fitness."),
    ("How do I write parquet with zstd?", "df.to_parquet('x.parquet', compression='zstd')"),
)  # fmt: skip


def test_the_reply_to_a_question_that_is_handed_over_goes_with_it(tmp_path):
    with holdfast.open(tmp_path / "home") as memory:
        for said in TALKS:
            turns = zip(said, ("user", "assistant"), strict=True)
            memory.create_session().add_many({"text": text, "role": role} for text, role in turns)
        prompt = "How much may my landlord raise the rent?"
        found = memory.search(prompt, limit=2)
        assert found[1].scores["match"] < BESIDE * found[0].scores["match"]
        assert [item.snippet for item in memory.context(prompt).items] == [*TALKS[0]]


def test_a_reply_stands_in_the_session_of_its_question():
    """Entries of no session lie in several journals, whose numbers say nothing of each other."""
    asked = [SimpleNamespace(session_id=name, text="Who is it?", entry=SimpleNamespace(seq=4)) for name in ("a", None)]
    assert _after_questions(asked) == {("a", 5)}
