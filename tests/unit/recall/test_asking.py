"""What a question says besides its words: who is named, who asks, when."""

import pytest

from holdfast.recall import asking
from holdfast.recall.asking import trust, understand
from holdfast.recall.dates import MOST
from holdfast.text.form import TIME

AUTHORS = ["Ana Lucia Ruiz", "Caroline", "Melanie", "Will", "assistant", "user"]


def test_a_named_author_is_taken_out_of_the_words():
    asked = understand("When did Melanie's kids visit the museum?", AUTHORS)
    assert asked.authors == ("Melanie",)
    assert asked.words.terms == ("kids", "visit", "museum")


def test_those_who_are_named_are_known_by_what_others_call_them():
    assert understand("What did Ana break?", ["Ana Ruiz", "Ben"]).names == ("ana",)
    assert understand("Where is Ana?", ["Ana Ruiz", "Ben"]).names == ("ana",)
    assert understand("What broke?", ["Ana Ruiz", "Ben"]).names == ()


def test_two_named_authors_are_both_taken_out():
    asked = understand("What do Caroline and Melanie share?", AUTHORS)
    assert set(asked.authors) == {"Caroline", "Melanie"}
    assert asked.words.terms == ("share",)


@pytest.mark.parametrize(
    "question", ["What did Caroline say?", "who is Caroline?", "tell me about Caroline", "Caroline"]
)
def test_where_only_a_name_is_asked_for_it_stays_a_word(question):
    asked = understand(question, AUTHORS)
    assert asked.authors == ("Caroline",)
    assert asked.words.terms == ("caroline",)


def test_a_name_of_several_words_is_found_whole_and_by_its_first_word():
    assert understand("What did Ana Lucia Ruiz say about tea?", AUTHORS).authors == ("Ana Lucia Ruiz",)
    assert understand("What did Ana say about tea?", AUTHORS).authors == ("Ana Lucia Ruiz",)


def test_of_many_names_only_those_that_stand_in_a_question_cost_a_pattern(monkeypatch):
    sought = []
    monkeypatch.setattr(asking.re, "escape", lambda name: sought.append(name) or name)
    crowd = [f"Given{number} Family{number}" for number in range(2000)]
    assert understand("What did ANA RUIZ say about tea?", ["Ana Ruiz", *crowd]).authors == ("Ana Ruiz",)
    assert sought == ["ana ruiz"]


def test_a_name_that_is_also_a_word_does_not_count_at_the_beginning():
    assert understand("Will it rain tomorrow?", AUTHORS).authors == ()
    assert understand("What did Will plant?", AUTHORS).authors == ("Will",)
    assert understand("what will it cost?", AUTHORS).authors == ()


def test_roles_are_not_names():
    assert understand("What did the user and the assistant decide?", AUTHORS).authors == ()


def test_a_first_name_that_few_authors_share_means_any_of_them():
    assert understand("What did Ana say?", ["Ana Ruiz", "Ana Lopez"]).authors == ("Ana Ruiz", "Ana Lopez")
    assert understand("What did Ana say?", [f"Ana {number}" for number in range(5)]).authors == ()


def test_a_possessive_is_a_name_also_where_it_begins_a_question():
    assert understand("Will's garden", AUTHORS).authors == ("Will",)


def test_a_question_in_lower_case_names_authors_too_unless_they_may_be_words():
    assert understand("what did melanie plant", AUTHORS).authors == ("Melanie",)
    assert understand("what did will plant", AUTHORS).authors == ()
    assert understand("What did melanie and I plant?", AUTHORS).authors == ("Melanie",)
    assert understand("What did melanie plant in Rome", AUTHORS).authors == ()
    assert understand("What did will plant", AUTHORS).authors == ()
    assert understand("which stone did we take", ["Stone", "Melanie"]).authors == ()


@pytest.mark.parametrize(
    "question",
    [
        "What is the project deadline?", "Why did the build fail?", "How much rosemary goes into the sauce?",
        "Which van did we rent?", "Why does the cursor blink?", "Where do I store customer data?",
    ],
)  # fmt: skip
def test_a_word_in_small_letters_is_no_name_behind_an_article_nor_of_an_office(question):
    authors = ["Project Manager", "Build Bot", "Rosemary", "Van", "cursor", "Customer Success", "Data Analyst"]
    assert understand(question, authors).authors == ()


def test_who_is_written_in_small_letters_is_named_so_in_any_question():
    assert understand("What did melanie plant in Rome", ["melanie", "Ben"]).authors == ("melanie",)
    assert understand("What did Melanie plant in Rome", ["melanie", "Ben"]).authors == ("melanie",)
    assert understand("What will grow in Rome", ["will", "Ben"]).authors == ()
    assert understand("Which herb grows in Rome", ["herb", "Ben"]).authors == ()


@pytest.mark.parametrize("author", ["ana.ruiz@example.com", "ana80", "Ana-Lucia", "@ana_r"])
def test_a_handle_or_an_address_is_named_by_what_people_call_its_owner(author):
    asked = understand("What did Ana say about tea?", ["Ben", author])
    assert (asked.authors, asked.words.terms) == ((author,), ("tea",))
    assert understand("What did Ben say about tea?", ["Ben", author]).authors == ("Ben",)


PRACTICE = ["Dr. Priya Shah", "Dr. Omar Smith", "Mia Keller", "Mia Tanaka", "Ito, Ben", "Jean-Luc Picard", "Tanaka"]


@pytest.mark.parametrize(
    ("question", "authors", "names"),
    [
        ("What did Priya paint?", ("Dr. Priya Shah",), ("priya",)),
        ("What did Dr. Shah paint?", ("Dr. Priya Shah",), ("priya", "shah")),
        ("What did Shah paint?", ("Dr. Priya Shah",), ("priya", "shah")),
        ("Which dr. did Keller's team paint?", ("Mia Keller",), ("mia", "keller")),
        ("What did Mia paint?", ("Mia Keller", "Mia Tanaka"), ("mia",)),
        ("What did Mia Tanaka paint?", ("Mia Tanaka",), ("mia", "tanaka")),
        ("What did Tanaka paint?", ("Tanaka",), ("tanaka",)),
        ("What did Ben paint?", ("Ito, Ben",), ("ben",)),
        ("What did Ben Ito paint?", ("Ito, Ben",), ("ben", "ito")),
        ("What did Jean-Luc paint?", ("Jean-Luc Picard",), ("jean", "luc")),
        ("Keller paint", (), ()),
        ("what did the smith paint?", (), ()),
    ],
)
def test_people_are_named_with_titles_and_by_any_of_their_names(question, authors, names):
    asked = understand(question, PRACTICE)
    assert (asked.authors, asked.names) == (authors, names)
    assert not {"shah", "tanaka", "ito", "luc"}.intersection(asked.words.terms)


def test_those_who_are_told_apart_by_a_number_are_named_with_it():
    speakers = [f"Speaker {number}" for number in range(1, 4)]
    asked = understand("What did Speaker 3 think of the tea?", speakers)
    assert (asked.authors, asked.names, asked.speakers) == (("Speaker 3",), ("speaker 3",), ("Speaker 3",))
    assert understand("What did Speaker 4 think of the tea?", speakers).authors == ()
    assert understand("Which Speaker likes tea?", speakers).authors == ()


def test_small_words_are_names_only_with_a_capital_within_a_sentence():
    assert understand("where is the tea", ["The Dungeon Master", "Ben"]).authors == ()
    assert understand("Do we have tea?", ["Do", "Ben"]).authors == ()
    assert understand("What tea does Do like?", ["Do", "Ben"]).authors == ("Do",)


def test_a_handle_is_named_as_it_is_written():
    assert understand("What did user_42 say about tea?", ["user_42", "user_43"]).authors == ("user_42",)
    asked = understand("What did ana.ruiz@example.com's team say?", ["ana.ruiz@example.com"])
    assert (asked.authors, asked.words.terms) == (("ana.ruiz@example.com",), ("team",))


def test_what_a_handle_begins_with_may_be_another_word():
    assert understand("how do i get support", ["support@example.com"]).authors == ()
    assert understand("Support for tea", ["support7"]).authors == ()
    assert understand("What cost 42 euros?", ["42"]).authors == ()


@pytest.mark.parametrize(
    ("question", "author"),
    [
        ("What did Emile say about tea?", "Émile"),
        ("what did zoe say about tea?", "Zoë Miller"),
        ("What did Soren Kierkegaard say about tea?", "Søren Kierkegaard"),
        ("What did Zoë's tea cost?", "Zoe"),
        ("What did José say about tea?", "Jose\u0301"),
        ("İs Zoe's tea cold?", "Zoë"),
    ],
)
def test_names_are_compared_without_accents(question, author):
    asked = understand(question, ["Ben", author])
    assert asked.authors == (author,)
    assert "tea" in asked.words.terms
    assert not {"kierkegaard", "zoe", "zoë"}.intersection(asked.words.terms)


@pytest.mark.parametrize(
    ("question", "author"),
    [
        ("ماذا قال محمد عن الشاي؟", "محمد"),
        ("मोहन ने चाय के बारे में क्या कहा?", "मोहन"),
        ("李明说发布会什么时候", "李明"),
        ("What did 李明 say about tea?", "李明"),
        ("王小明 说了什么", "王小明"),
        ("さくらは何を買った？", "さくら"),
        ("สมศรีซื้ออะไร", "สมศรี"),
        ("지민이 차를 샀어?", "지민"),
        ("차는 지민한테서 왔어?", "지민"),
    ],
)
def test_a_name_in_letters_without_case_is_found_as_it_is(question, author):
    assert understand(question, ["Ben", author]).authors == (author,)


@pytest.mark.parametrize(
    ("question", "author"),
    [
        ("ماذا قال محمدي؟", "محمد"),
        ("रामू ने क्या कहा?", "राम"),
        ("明天开会吗", "明"),
        ("あいさつは何？", "あい"),
        ("서지민이 왔어?", "지민"),
        ("지민하고싶다면서 왔어?", "지민"),
    ],
)
def test_a_part_of_another_word_is_no_name(question, author):
    assert understand(question, ["Ben", author]).authors == ()


def test_a_korean_name_is_taken_out_with_what_is_written_on_to_it():
    asked = understand("지민이 서버를 껐어?", ["지민"])
    assert (asked.words.prefixes, "서버" in asked.words.terms) == ((), True)


def test_a_prompt_that_names_many_asks_for_none_of_them():
    team = [f"Person{number}" for number in range(9)]
    asked = understand("Notes of " + ", ".join(team), team)
    assert (asked.authors, len(asked.words.terms)) == ((), 10)


def test_a_question_of_nothing_but_a_name_keeps_it():
    asked = understand("Melanie?", AUTHORS)
    assert asked.words.terms == ("melanie",)


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("What did I order?", True),
        ("my favourite tea", True),
        ("What did Ana order?", False),
        ("How do we pay them?", False),
        ("what did i order", True),
        ("i've to order tea", True),
        ("drinks, i.e. tea", False),
        ("Tea of type i", False),
        ("mystery me-too", False),
        ("Tell me where the tea is", False),
        ("Can you remind me which tea it was?", False),
        ("What does Ana know about me?", True),
        ("I need to know which tea it was", False),
        ("I'd like to find the tea", False),
        ("I was wondering who ordered tea", False),
        ("I was wondering where my tea is", True),
        ("Is disk I/O slow?", False),
        ("What stands in my.cnf?", False),
        ("Who wrote my-app/config.yml?", False),
        ("Which tea did you recommend for my cough?", False),
        ("Which tea have you told me to drink when I cough?", False),
        ("Did you see my tea?", True),
    ],
)
def test_the_first_person_is_heard(question, first):
    assert understand(question.replace("me-too", "methods"), []).first_person is first


def test_names_are_believed_as_far_as_the_store_bears_them_out():
    assert trust(0, 40) == 1.0
    assert trust(20, 20) == 0.0
    assert trust(0, 0) == 1.0
    assert 0.0 < trust(2, 20) < 1.0


def test_a_name_is_believed_by_how_much_of_what_is_said_there_is_its_bearers():
    assert trust(5, 35, share=0.5) > 0.6
    assert trust(5, 35, share=0.1) == 0.0  # among eight whose names are mixed up, everybody names everybody
    assert trust(0, 40, share=0.02) == 1.0
    assert trust(1, 5, share=0.02) == 1.0  # "Hi all, I'm Ana"
    assert trust(1, 5, share=0.0) == trust(1, 5)


def test_a_prompt_that_names_dozens_of_days_asks_for_none_of_them():
    days = [f"2023-05-{day:02}" for day in range(1, MOST + 2)]
    assert len(understand(f"deploy {' '.join(days[:-1])}", []).dates) == MOST
    assert understand(f"deploy {' '.join(days)}", []).dates == ()
    assert len(understand(f"deploy {' '.join(days[:-1] * 9)}", []).dates) == MOST  # a log of a few days has them often


def test_the_words_of_dates_that_nobody_asks_for_are_words_of_dates_all_the_same():
    asked = understand(f"deploy {' '.join(f'2023-05-{day:02}' for day in range(1, 31))}", [])
    assert not asked.dates
    assert {"2023", "05", "may", "30"} <= asked.days


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("What did we decide about tea?", ("decision",)),
        ("my favourite tea, and why it was chosen", ("decision", "preference")),
        ("tea", ()),
    ],
)
def test_what_kind_of_entry_is_asked_for(question, kinds):
    assert understand(question, []).kinds == kinds


def test_who_frames_a_question_in_the_first_person_does_not_ask_about_themselves():
    asked = understand("I want you to check your memory. Where did Ben leave the kite?", ["Ben"])
    assert (asked.authors, asked.first_person) == (("Ben",), False)
    assert "memory" not in asked.words.terms


def test_what_frames_a_question_may_still_say_who_when_and_in_what_form():
    assert understand("Postgres migration: when was that?", []).form == TIME
    assert understand("I need the notes on Postgres. What did Will say?", ["Will"]).authors == ("Will",)
    asked = understand("Which kites did we fly? Look at last week.", [], None, 1_760_000_000_000)
    assert len(asked.dates) == 1


@pytest.mark.parametrize(
    "question", ["What did Caroline recommend?", "what does Caroline think?", "Did Caroline mention"]
)
def test_words_of_asking_beside_a_name_leave_it_the_question(question):
    assert "caroline" in understand(question, AUTHORS).words.terms
