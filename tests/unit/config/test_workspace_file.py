"""What a cloned repository's `.holdfast.toml` may do: switch off, make smaller, and nothing else."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.config import TABLE, Row, Settings, load

if TYPE_CHECKING:
    from pathlib import Path


def narrowed(tmp_path: Path, text: str, **arguments: Any) -> Settings:
    (tmp_path / ".holdfast.toml").write_text(text)
    return load(str(tmp_path / "home"), environ={}, arguments=arguments).narrowed(str(tmp_path))


def test_without_a_file_nothing_changes(tmp_path: Path) -> None:
    settings = load(str(tmp_path / "home"), environ={})
    assert settings.narrowed(str(tmp_path)) is settings


def test_it_may_switch_off(tmp_path: Path) -> None:
    settings = narrowed(tmp_path, "[context]\ninject = false\n[hooks]\ncapture = false\n")
    assert (settings["context.inject"], settings["hooks.capture"], settings.warnings) == (False, False, ())
    assert settings.origin("context.inject") == str(tmp_path / ".holdfast.toml")


def test_it_may_make_a_limit_smaller(tmp_path: Path) -> None:
    assert narrowed(tmp_path, "[context]\nbudget = 200\n")["context.budget"] == 200


def test_a_byte_order_mark_before_it_is_skipped(tmp_path: Path) -> None:
    settings = narrowed(tmp_path, "\ufeff[context]\nbudget = 200\n")
    assert (settings["context.budget"], settings.warnings) == (200, ())


def test_it_is_looked_for_at_the_root_of_the_workspace(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").touch()
    (tmp_path / "src").mkdir()
    (tmp_path / ".holdfast.toml").write_text("[context]\ninject = false\n")
    assert not load(str(tmp_path / "home"), environ={}).narrowed(str(tmp_path / "src"))["context.inject"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("[context]\nbudget = 801\n", "context.budget"),
        ("[recall]\ncross_workspace = true\n", "recall.cross_workspace"),
        ("[recall]\nmin_score = 0.0\n", "recall.min_score"),
        ("[context]\nbudget = -1\n", "context.budget"),
        ('[context]\nbudget = "none"\n', "context.budget"),
        ('user = "ana"\n', "user"),
        ('agent = "other"\n', "agent"),
        ('[log]\nfile = "/tmp/log"\n', "log.file"),
        ('[log]\nlevel = "debug"\n', "log.level"),
        ('[embedder]\nurl = "https://example.com/"\n', "embedder.url"),
        ('[embedder]\nprovider = "openai"\n', "embedder.provider"),
        ('[index]\npath = "/tmp/{agent}"\n', "index.path"),
        ("[retention]\narmed = true\n", "retention.armed"),
        ("[journal]\nsession_bytes = 65536\n", "journal.session_bytes"),
        ("[agents.main.recall]\nlimit = 1\n", "agents.main"),
        ('[workspace_aliases]\n"/a" = "/b"\n', "workspace_aliases"),
        ("[nonsense]\nkey = 1\n", "nonsense.key"),
        ("[recall]\n[recall.deep]\nlimit = 1\n", "recall.deep"),
    ],
)
def test_anything_else_is_refused_with_a_warning(tmp_path: Path, text: str, name: str) -> None:
    before = load(str(tmp_path / "home"), environ={})
    after = narrowed(tmp_path, text)
    assert {row.name: after[row.name] for row in TABLE} == {row.name: before[row.name] for row in TABLE}
    assert after.aliases == {}
    assert len(after.warnings) == 1
    assert name in after.warnings[0]
    assert str(tmp_path / ".holdfast.toml") in after.warnings[0]


OTHERS: dict[str, Any] = {
    "choice": "none", "choices": ["memory", "sessions"], "text": "x", "user": "x", "agent": "x", "zone": "UTC",
    "path": "/tmp/x", "template": "/tmp/{agent}", "url": "https://example.com/", "float": 0.5,
}  # fmt: skip


def toml(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
def test_no_setting_can_be_switched_on_or_made_larger(tmp_path: Path, row: Row) -> None:
    before = load(str(tmp_path / "home"), environ={})
    if row.kind == "bool":
        wishes = [True, False]
    elif row.kind == "int":
        wishes = [row.allowed[0], row.allowed[1]]
    else:
        wishes = [OTHERS[row.kind]]
    for wish in wishes:
        after = narrowed(tmp_path, f"{row.name} = {toml(wish)}\n")
        changed = {other.name for other in TABLE if after[other.name] != before[other.name]}
        assert changed <= ({row.name} if row.direction != "never" else set())
        assert not changed or after[row.name] < before[row.name]


def test_an_argument_beats_it(tmp_path: Path) -> None:
    assert narrowed(tmp_path, "[context]\nbudget = 200\n", **{"context.budget": 500})["context.budget"] == 500


def test_it_lowers_what_the_home_has_set(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.toml").write_text("[recall]\nlimit = 50\n")
    assert narrowed(tmp_path, "[recall]\nlimit = 20\n")["recall.limit"] == 20


def test_a_file_that_would_contradict_itself_is_ignored_whole(tmp_path: Path) -> None:
    settings = narrowed(tmp_path, "[context]\nfull_budget = 10\ninject = false\n")
    assert (settings["context.full_budget"], settings["context.inject"]) == (4000, True)
    assert "larger than the context" in settings.warnings[0]


@pytest.mark.parametrize("data", [b"[context\n", b"\xff", b"a = " + b"[" * 30000, b"#" * 70_000])
def test_a_file_that_cannot_be_read_is_ignored_with_a_warning(tmp_path: Path, data: bytes) -> None:
    (tmp_path / ".holdfast.toml").write_bytes(data)
    settings = load(str(tmp_path / "home"), environ={}).narrowed(str(tmp_path))
    assert len(settings.warnings) == 1


def test_a_directory_in_its_place_is_ignored_with_a_warning(tmp_path: Path) -> None:
    (tmp_path / ".holdfast.toml").mkdir()
    assert len(load(str(tmp_path / "home"), environ={}).narrowed(str(tmp_path)).warnings) == 1


@pytest.mark.timeout(20)
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_in_its_place_does_not_hold_us_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".holdfast.toml")
    assert len(load(str(tmp_path / "home"), environ={}).narrowed(str(tmp_path)).warnings) == 1


def test_a_remembered_workspace_is_read_once_and_again_when_its_file_changed(tmp_path: Path) -> None:
    settings = load(str(tmp_path / "home"), environ={})
    workspace, file = str(tmp_path), tmp_path / ".holdfast.toml"
    assert settings.within(workspace) is settings
    file.write_text("[recall]\nlimit = 3\n")
    first = settings.within(workspace)
    assert (first["recall.limit"], settings.within(workspace)) == (3, first)
    file.write_text("[recall]\nlimit = 10\n# longer\n")
    with pytest.warns(RuntimeWarning, match="may only make it smaller"):
        assert settings.within(workspace)["recall.limit"] == 6
    file.unlink()
    assert settings.within(workspace) is settings


def test_a_file_that_may_not_be_looked_at_is_told_of(tmp_path: Path) -> None:
    (tmp_path / ".holdfast.toml").symlink_to(tmp_path / ".holdfast.toml")
    settings = load(str(tmp_path / "home"), environ={})
    with pytest.warns(RuntimeWarning, match="cannot be read"):
        assert settings.within(str(tmp_path))["recall.limit"] == 6
    assert settings.within(str(tmp_path))["recall.limit"] == 6
