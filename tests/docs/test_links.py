"""Links between our pages and into the tree lead somewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.pages import ROOT, anchors, links, pages

NAMES = [path.relative_to(ROOT).as_posix() for path in pages()]


def broken(page: Path) -> list[str]:
    """Relative links of a page that lead nowhere."""
    found = []
    for _label, target in links(page.read_text("utf-8")):
        if "://" in target or target.startswith("mailto:"):
            continue
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        if not file.exists() or (anchor and file.suffix == ".md" and anchor not in anchors(file.read_text("utf-8"))):
            found.append(target)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_every_relative_link_resolves(name: str) -> None:
    assert broken(ROOT / name) == []


@pytest.mark.parametrize("name", NAMES)
def test_no_link_leaves_the_tree(name: str) -> None:
    for _label, target in links((ROOT / name).read_text("utf-8")):
        if "://" not in target:
            assert ((ROOT / name).parent / target.partition("#")[0]).resolve().is_relative_to(ROOT)


def test_a_broken_link_is_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A\n[a](#a) [b](#b) [c](page.md#a) [d](none.md) `[e](none)`\n```\n[f](none)\n```\n", "utf-8")
    assert broken(page) == ["#b", "none.md"]


def test_every_page_of_docs_can_be_reached_from_the_index() -> None:
    start = ROOT / "docs" / "index.md"
    seen, waiting = set(), [start]
    while waiting:
        page = waiting.pop()
        if page in seen:
            continue
        seen.add(page)
        targets = [target.partition("#")[0] for _label, target in links(page.read_text("utf-8")) if "://" not in target]
        waiting += [(page.parent / name).resolve() for name in targets if name.endswith(".md")]
    assert [page.name for page in (ROOT / "docs").rglob("*.md") if page.resolve() not in seen] == []
