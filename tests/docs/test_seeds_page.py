"""docs/decisions/0001-seeds.md has a row for every open question, trade-off and conflict of the documents."""

from __future__ import annotations

import re

import pytest

from tests.docs.pages import DOCS, read, rows

PAGE = read("docs/decisions/0001-seeds.md")
ROWS = [row for row in rows(PAGE) if row[0] != "item"]
ITEMS = {item for row in ROWS for item in re.findall(r"[ACFGPS]\d{2,3}", row[0])}
WANTED = (
    [f"S{number:02}" for number in range(1, 31)]
    + [f"C{number:02}" for number in range(1, 69)]
    + ["F085", "F086", "F087", "A159", "A163", "A164", "A165", "A166", "A209"]
)


@pytest.mark.parametrize("item", WANTED)
def test_each_item_has_its_row(item: str) -> None:
    assert item in ITEMS


def test_each_row_says_what_they_say_what_we_do_and_why() -> None:
    assert [row[0] for row in ROWS if len(row) != 4 or not all(row)] == []


def test_no_item_has_two_rows() -> None:
    names = [row[0] for row in ROWS]
    assert len(names) == len(set(names))


def test_decisions_are_numbered_without_gaps_and_titled() -> None:
    files = sorted((DOCS / "decisions").glob("*.md"))
    assert [int(file.name[:4]) for file in files] == list(range(1, len(files) + 1))
    for file in files:
        assert file.read_text("utf-8").startswith(f"# {file.name[:4]} ")


@pytest.mark.parametrize("name", [file.name for file in sorted((DOCS / "decisions").glob("*.md"))[1:]])
def test_a_decision_fits_on_a_page(name: str) -> None:
    assert len((DOCS / "decisions" / name).read_text("utf-8").splitlines()) <= 60
