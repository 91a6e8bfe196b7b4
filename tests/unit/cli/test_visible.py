"""What may reach a terminal: nothing that moves a cursor, reverses a line or cannot be seen."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.cli.visible import in_json, in_one_line, visible

CONTROLS = [chr(code) for code in (*range(9), *range(11, 32), *range(127, 160))]
DIRECTIONS = list("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
INVISIBLE = list("\u200b\u2028\u2029\u2060\ufeff\ud800\U000e0001")


@pytest.mark.parametrize("char", [*CONTROLS, *DIRECTIONS, *INVISIBLE])
def test_an_unsafe_character_is_spelt_out(char: str) -> None:
    shown = visible(f"a{char}b")
    assert char not in shown
    assert shown.startswith("a\\")
    assert f"{ord(char):x}" in shown


@pytest.mark.parametrize("text", ["two\nlines", "العربية", "日本語", "👩‍👧", "é", "back\\slash", "[bold]not markup[/]"])
def test_everything_else_passes(text: str) -> None:
    assert visible(text) == text


def test_tabs_and_foreign_line_ends_become_ours() -> None:
    assert visible("a\tb\r\nc") == "a   b\nc"


@given(st.text())
def test_what_is_visible_stays_as_it_is(text: str) -> None:
    assert visible(visible(text)) == visible(text)


@given(st.text())
def test_json_reads_back_equal_and_is_safe(text: str) -> None:
    escaped = in_json(json.dumps({"text": text}, ensure_ascii=False))
    assert json.loads(escaped) == {"text": text}
    assert visible(escaped) == escaped


def test_line_breaks_are_marked_in_one_line() -> None:
    assert in_one_line("first\n  second\t third ") == "first / second third "
