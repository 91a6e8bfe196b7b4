"""What a question says besides its words: who is named, who asks, when."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from holdfast.recall import asking, dates
from holdfast.recall.asking import trust, understand
from holdfast.recall.dates import MOST, Days, Named, counted, meant, named_dates, spans, spelled
from holdfast.text.form import TIME
from holdfast.text.words import tokens

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
    assert sought == ["Ana Ruiz"]


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
    assert understand("What did melanie plant", AUTHORS).authors == ()


@pytest.mark.parametrize("author", ["ana.ruiz@example.com", "ana80", "Ana-Lucia", "@ana_r"])
def test_a_handle_or_an_address_is_named_by_what_people_call_its_owner(author):
    asked = understand("What did Ana say about tea?", ["Ben", author])
    assert (asked.authors, asked.words.terms) == ((author,), ("tea",))
    assert understand("What did Ben say about tea?", ["Ben", author]).authors == ("Ben",)


def test_a_handle_is_named_as_it_is_written():
    assert understand("What did user_42 say about tea?", ["user_42", "user_43"]).authors == ("user_42",)
    asked = understand("What did ana.ruiz@example.com's team say?", ["ana.ruiz@example.com"])
    assert (asked.authors, asked.words.terms) == (("ana.ruiz@example.com",), ("team",))


def test_what_a_handle_begins_with_may_be_another_word():
    assert understand("how do i get support", ["support@example.com"]).authors == ()
    assert understand("Support for tea", ["support7"]).authors == ()
    assert understand("What cost 42 euros?", ["42"]).authors == ()


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


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What happened on 7 May 2023?", [Named(year=2023, month=5, day=7)]),
        ("What happened on May 7th, 2023?", [Named(year=2023, month=5, day=7)]),
        ("the 3rd of March", [Named(month=3, day=3)]),
        ("on 2024-02-29", [Named(year=2024, month=2, day=29)]),
        ("in June", [Named(month=6)]),
        ("in August 2022", [Named(year=2022, month=8)]),
        ("since 2021", [Named(year=2021)]),
        ("May I march in?", []),
        ("a 2000 word essay", []),
    ],
)
def test_dates_are_read_as_people_write_them(question, found):
    assert named_dates(question) == found


@pytest.mark.parametrize(
    ("question", "others"),
    [
        ("what happened on 7 July, 2023", {"what", "happened", "on"}),
        ("what did she say on July 7th 2023", {"what", "did", "she", "say", "on"}),
        ("notes of 2023-07-07", {"notes", "of"}),
        ("the first week of Sept 2022", {"the", "first", "week", "of"}),
        ("where did we go in 2021", {"where", "did", "we", "go", "in"}),
        ("7 of the items", {"7", "of", "the", "items"}),
    ],
)
def test_the_words_of_a_date_are_told_from_the_others(question, others):
    assert set(tokens(question.lower())) - spelled(named_dates(question)) == others


DAY = 86_400_000
MAY_7 = 1_683_417_600_000  # 2023-05-07T00:00:00Z


def test_the_named_day_and_the_days_after_are_nearest():
    named = [Named(year=2023, month=5, day=7)]
    days = [Days(named).nearness(MAY_7 + away * DAY) for away in (-3, -1, 0, 3, 4, 10, 11)]
    assert days == [0.0, 0.6, 1.0, 1.0, 0.6, 0.6, 0.0]


def test_a_month_reaches_a_little_into_the_next():
    named = [Named(month=4)]
    assert Days(named).nearness(MAY_7 - 20 * DAY) == 1.0
    assert Days(named).nearness(MAY_7) == 0.4
    assert Days(named).nearness(MAY_7 + 2 * DAY) == 0.0
    assert Days([Named(year=2022, month=4)]).nearness(MAY_7 - 20 * DAY) == 0.0


def test_december_reaches_into_january():
    january_3 = 1_704_240_000_000  # 2024-01-03
    assert Days([Named(year=2023, month=12)]).nearness(january_3) == 0.4
    assert Days([Named(year=2024, month=12)]).nearness(january_3) == 0.0


def test_a_day_that_the_calendar_lacks_is_near_nothing():
    assert Days([Named(year=2023, month=2, day=30)]).nearness(MAY_7) == 0.0


def test_no_date_gives_no_signal():
    assert Days([]).nearness(MAY_7) == 0.0


MONDAY = 1_794_830_400_000  # 16 November 2026, noon
DAY = 86_400_000


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("what happened today?", 0, 1),
        ("what happened yesterday?", -1, 0),
        ("where were we last night", -1, 0),
        ("what did we say last Tuesday", -6, -5),
        ("what did we say on Monday", 0, 1),
        ("what did we say last monday", -7, -6),
        ("three days ago", -3, -2),
        ("two weeks ago", -17, -10),
        ("a month ago", -45, -15),
        ("the plan of last week", -7, 0),
        ("the plan of this week", 0, 1),
        ("the day before yesterday", -2, -1),
        ("what is on tonight", 0, 1),
        ("over the weekend", -2, 0),
        ("last weekend", -2, 0),
        ("what broke since Friday", -3, 1),
        ("in the last three days", -3, 1),
        ("the past 2 weeks", -14, 1),
        ("a couple of days ago", -2, -1),
        ("fifteen days ago", -15, -14),
    ],
)
def test_days_are_counted_from_today(question, first, last):
    (found,) = counted(question, MONDAY, "UTC")
    midnight = MONDAY - DAY // 2
    assert found.span == (midnight + first * DAY, midnight + last * DAY)


@pytest.mark.parametrize("question", ["the last supper", "on the week", "two days", "ago", "Tuesday's child"])
def test_other_words_count_no_days(question):
    assert counted(question, MONDAY, "UTC") == []


def test_numbers_with_dots_or_strokes_are_dates_too():
    said = {"said": ("15", "11")}
    assert named_dates("on 15.11.2025") == [Named(year=2025, month=11, day=15, **said)]
    assert named_dates("on 15/11/2025") == [Named(year=2025, month=11, day=15, **said)]
    assert named_dates("on 2025/11/15") == [Named(year=2025, month=11, day=15)]
    either = {(date.day, date.month) for date in named_dates("on 5/11/2025")}
    assert either == {(5, 11), (11, 5)}
    assert named_dates("version 1.2.3 of 10.20.30") == []


def test_half_a_year_is_no_year():
    assert counted("half a year ago", MONDAY, "") == []


def test_months_and_years_are_those_of_the_calendar():
    (last,), (this,) = counted("last month", MONDAY, "UTC"), counted("this year", MONDAY, "UTC")
    assert (last.year, last.month, this.year, this.month) == (2026, 10, 2026, None)
    (december,) = counted("past month", MONDAY + 50 * DAY, "UTC")
    assert (december.year, december.month) == (2026, 12)


@pytest.mark.parametrize(("zone", "hours"), [("Asia/Tokyo", -9), ("America/Los_Angeles", 8)])
def test_today_and_its_day_of_the_week_are_the_users(zone, hours):
    for question in ("today", "on Monday"):
        (there,), (utc,) = counted(question, MONDAY, zone), counted(question, MONDAY, "UTC")
        assert there.span[0] == utc.span[0] + hours * DAY // 24


@pytest.mark.parametrize("zone", ["Pacific/Auckland", "Pacific/Kiritimati", "Etc/GMT+12", "Europe/Berlin"])
@pytest.mark.parametrize("hour", range(0, 24, 6))
def test_days_are_those_of_the_users_calendar_however_far_from_utc(zone, hour):
    wednesday = datetime(2026, 4, 1, hour, tzinfo=ZoneInfo(zone))  # a few days after Berlin's clocks were set
    now = int(wednesday.timestamp() * 1000)
    for question, first, last in (("last Tuesday", 31, 1), ("last week", 23, 30), ("three days ago", 29, 30)):
        (found,) = counted(question, now, zone)
        begin, end = (datetime.fromtimestamp(moment / 1000, ZoneInfo(zone)) for moment in found.span)
        assert (begin.day, begin.hour, end.day, end.hour) == (first, 0, last, 0)
    (month,) = counted("last month", now, zone)
    assert (month.year, month.month) == (2026, 3)


def test_a_span_counts_in_full_and_the_days_beside_it_less():
    (found,) = counted("yesterday", MONDAY, "UTC")
    assert [Days([found]).nearness(MONDAY - back * DAY) for back in (0, 1, 2, 3)] == [0.6, 1.0, 0.6, 0.0]
    assert spelled([found]) == {"yesterday"}


def test_dates_without_a_year_may_be_of_any_that_there_is():
    found = spans([Named(month=12), Named(month=2, day=30), Named(year=2024), Named(year=2025, month=3, day=1)], [2024])
    days = [(since // DAY, until // DAY) for since, until in found]
    assert days == [(20058, 20089), (20148, 20152)]  # all of December 2024; 1 to 4 March 2025


def test_each_date_is_worked_out_once_however_much_is_compared_with_it(monkeypatch):
    asked = []
    monkeypatch.setattr(dates, "_epoch", lambda *date: asked.append(date) or MAY_7)
    days = Days([Named(year=2023, month=5, day=day) for day in range(1, 9)])
    assert [days.nearness(MAY_7 + away * DAY) for away in range(100)] == [1.0] * 4 + [0.6] * 7 + [0.0] * 89
    assert len(asked) == 8


def test_a_date_that_is_named_in_several_ways_is_one_date():
    named = named_dates("on 7 May 2023, or 2023-05-07, or 7.5.2023, in June, in June")
    assert meant(named) == (Named(year=2023, month=5, day=7), Named(month=6))


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
