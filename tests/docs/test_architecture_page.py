"""docs/architecture.md answers "where is…": every idea leads to a module whose docstring owns it."""

from __future__ import annotations

import ast
import re

import pytest

from tests.docs.pages import DOCS, links, read, rows, section

PAGE = read("docs/architecture.md")
WHERE = {row[0]: row for row in rows(section(PAGE, "Where is…")) if row[0] != "idea"}
WANTED = [
    "amendment", "ballast", "behind marks", "budget", "catch-up", "checksum", "compaction", "decay", "fsync",
    "generations", "locks", "quarantine", "receipt", "redaction", "relevance", "scope", "settings", "snippet",
    "tag hierarchy", "tombstone", "torn tail",
]  # fmt: skip
SPELLINGS = {"catch-up": r"catch(es|ing)? up", "fsync": r"f?syncs?\b"}


def pattern(idea: str) -> re.Pattern[str]:
    """The idea as prose has it: any case, singular or plural, over a line's end."""
    plain = SPELLINGS.get(idea, r"\s+".join(f"{re.escape(word.removesuffix('s'))}s?" for word in idea.split()))
    return re.compile(rf"\b{plain}", re.IGNORECASE)


def docstring(target: str) -> str:
    path = (DOCS / target).resolve()
    return ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""


@pytest.mark.parametrize("idea", WANTED)
def test_the_page_says_where_an_idea_lives(idea: str) -> None:
    assert idea in WHERE


@pytest.mark.parametrize("idea", sorted(WHERE))
def test_the_link_leads_to_a_module_whose_docstring_owns_the_idea(idea: str) -> None:
    targets = [target for _label, target in links(WHERE[idea][1])]
    assert targets
    for target in targets:
        assert target.startswith("../src/holdfast/")
        assert target.endswith(".py")
        assert pattern(idea).search(docstring(target)), f"{target} does not speak of {idea}"


@pytest.mark.parametrize("idea", sorted(WHERE))
def test_the_label_of_a_link_is_its_module(idea: str) -> None:
    for label, target in links(WHERE[idea][1]):
        assert label.strip("`") == target.removeprefix("../src/holdfast/")


def test_a_docstring_that_does_not_own_the_idea_is_seen() -> None:
    assert not pattern("decay").search(docstring("../src/holdfast/lock.py"))
    assert pattern("torn tail").search("Seals torn\ntails.")


def test_the_page_tells_the_life_of_one_add_and_of_one_search() -> None:
    assert "1. " in section(PAGE, "The life of one `add`")
    assert "1. " in section(PAGE, "The life of one `search`")


def test_every_part_of_the_package_is_in_the_tree() -> None:
    package = DOCS.parent / "src" / "holdfast"
    parts = {path.name for path in package.iterdir() if path.suffix == ".py"}
    parts |= {f"{path.parent.name}/" for path in package.glob("*/__init__.py")}
    told = {name: row[1] for row in rows(section(PAGE, "The tree")) for name in re.findall(r"`([a-z_.]+/?)`", row[0])}
    assert parts <= set(told)
    assert [name for name in set(told) - parts if "*later*" not in told[name]] == []


def test_the_page_is_one_page() -> None:
    assert len(PAGE.splitlines()) <= 150
