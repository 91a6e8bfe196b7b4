"""Reading our Markdown: tables, links, code blocks and headings."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)")
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def pages() -> list[Path]:
    """Every page that we write: docs/ and the Markdown files at the top."""
    return sorted([*DOCS.rglob("*.md"), *ROOT.glob("*.md")])


def read(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def blocks(text: str, language: str | None = None) -> list[str]:
    """The insides of code blocks, of one language or of all."""
    return [body for kind, body in _FENCE.findall(text) if language is None or kind == language]


def links(text: str) -> list[tuple[str, str]]:
    """(label, target) of every link outside code."""
    plain = re.sub(r"`([^`\n]+)`", lambda code: "" if "](" in code[1] else code[0], _FENCE.sub("", text))
    return [(label, target) for label, target in _LINK.findall(plain)]


def rows(text: str) -> list[list[str]]:
    """The cells of every table row that is no heading rule."""
    lines = [line for line in _FENCE.sub("", text).splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in cells if not all(set(cell) <= {"-", ":"} for cell in row)]


def anchors(text: str) -> set[str]:
    """What `#…` may point at: headings, as they are commonly turned into anchors."""
    headings = re.findall(r"^#{1,6} (.+)$", _FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def section(text: str, heading: str) -> str:
    """The text below a second-level heading, up to the next."""
    found = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, f"no section {heading!r}"
    return found[1]
