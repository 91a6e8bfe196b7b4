"""docs/points.md says what every code of a design point stands for that is cited anywhere in the tree."""

from __future__ import annotations

import re

from tests.docs.pages import ROOT, pages, read, rows

PAGE = read("docs/points.md")
POINTS = {row[0]: row for row in rows(PAGE) if re.fullmatch(r"D\d+", row[0])}
_CODE = re.compile(r"\bD\d{1,2}\b")


def cited() -> set[str]:
    files = [*(ROOT / "src" / "holdfast").rglob("*.py"), *(path for path in pages() if path.name != "points.md")]
    return {code for path in files for code in _CODE.findall(path.read_text("utf-8"))}


def test_every_point_that_is_cited_has_a_row() -> None:
    assert sorted(cited() - POINTS.keys()) == []


def test_the_rows_are_in_order_and_whole() -> None:
    assert list(POINTS) == sorted(POINTS, key=lambda code: int(code[1:]))
    assert [code for code, row in POINTS.items() if len(row) != 3 or not all(row)] == []
