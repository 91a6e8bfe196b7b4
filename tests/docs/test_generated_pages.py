"""Pages that are made from the code say what the code says."""

from __future__ import annotations

import importlib.util
import sys
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.config import NOT_SETTINGS, OTHER_DEFAULTS, TABLE
from tests.docs.pages import ROOT, read, rows

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def docs(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(sys, "path", list(sys.path))
    spec = importlib.util.spec_from_file_location("docs_tool", ROOT / "tools" / "docs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_no_generated_page_is_stale(docs: Any, capsys: pytest.CaptureFixture[str]) -> None:
    code = docs.main(["--check"])
    assert (code, capsys.readouterr().err) == (0, "")


def test_a_stale_page_is_named_and_written_anew(
    docs: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(docs, "ROOT", tmp_path)
    assert docs.main(["--check", "settings"]) == 1
    assert "docs/reference/settings.md is stale" in capsys.readouterr().err
    assert docs.main(["settings"]) == 0
    assert docs.main(["--check", "settings"]) == 0
    (tmp_path / "docs/reference/settings.md").write_text("changed by hand")
    assert docs.main(["--check", "settings"]) == 1


def test_an_unknown_page_is_a_usage_error(docs: Any) -> None:
    with pytest.raises(SystemExit) as caught:
        docs.main(["nothing"])
    assert caught.value.code == 2


def test_every_setting_has_a_row_on_the_page() -> None:
    listed = {row[0] for row in rows(read("docs/reference/settings.md"))}
    assert {f"`{row.name}`" for row in TABLE} <= listed


def test_every_reason_is_on_the_page() -> None:
    text = read("docs/reference/settings.md")
    assert all(reason in text for reason in (*NOT_SETTINGS.values(), *OTHER_DEFAULTS.values()))
