"""Months of German, Spanish and French in a question."""

import time

import pytest

import holdfast
from holdfast.recall.dates import named_dates, spelled


@pytest.mark.parametrize(
    ("question", "dates"),
    [
        ("Was wurde am 3. März 2026 besprochen?", [(2026, 3, 3)]),
        ("Protokoll vom 14. Dezember", [(None, 12, 14)]),
        ("Am 2. Mai 2025 und im Juni", [(2025, 5, 2), (None, 6, None)]),
        ("¿Qué pasó el 10 de marzo de 2026?", [(2026, 3, 10)]),
        ("septiembre del 2025", [(2025, 9, None)]),
        ("qu'avons-nous décidé le 1er mars ?", [(None, 3, 1)]),
        ("depuis février", [(None, 2, None)]),
        ("en mars 2024", [(2024, 3, None)]),
        ("Protokoll vom 14. April", [(None, 4, 14)]),
        ("14 April, again", [(None, 4, 14)]),
        ("which 3 Mars rovers drove?", []),
        ("a mai tai recipe", []),
        ("marzo", []),
    ],
)
def test_dates_are_heard_with_the_months_of_other_languages(question, dates):
    assert [(date.year, date.month, date.day) for date in named_dates(question)] == dates


def test_the_name_of_such_a_month_is_a_word_that_no_answer_need_hold():
    assert {"märz", "marzo", "mars", "march"} <= spelled(named_dates("im März"))


def test_what_was_said_on_a_day_that_is_named_so_comes_first(tmp_path):
    with holdfast.open(tmp_path / "home") as memory:
        for day in range(1, 29):
            memory.add(f"Besprechung Nummer {day}", role="user", timestamp=f"2026-03-{day:02}T10:00:00Z")
        for question in ("Was wurde am 17. März 2026 besprochen?", "¿De qué hablamos el 17 de marzo de 2026?"):
            assert memory.search(question, limit=1).hits[0].text == "Besprechung Nummer 17"


@pytest.mark.parametrize("said", ["am 3. März 2026 ", "3 mars ", "14. April "])
def test_a_prompt_full_of_dates_takes_no_long(said):
    started = time.process_time()
    named_dates(said * 6_000)
    assert time.process_time() - started < 2
