"""`holdfast config` as a person uses it: list, get, set, unset, explain, path, workspace-alias."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from holdfast.cli import screen
from holdfast.cli.run import run
from holdfast.config import TABLE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class Answer(NamedTuple):
    """What a call printed, and its exit code."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOLDFAST_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def config(home: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    def call(*arguments: str) -> Answer:
        capsys.readouterr()
        code = run(["config", *arguments])
        shown = capsys.readouterr()
        return Answer(code, shown.out, shown.err)

    return call


def test_list_shows_every_setting_as_toml_that_can_be_used(config: Callable[..., Answer], home: Path) -> None:
    answer = config("list")
    listed = tomllib.loads(answer.out)
    names = {
        f"{name}.{key}" if isinstance(value, dict) else name
        for name, value in listed.items()
        for key in (value if isinstance(value, dict) else [""])
    }
    assert (answer.code, answer.err) == (0, "")
    assert names == {row.name for row in TABLE}
    home.mkdir()
    (home / "config.toml").write_text(answer.out)
    assert config("get", "recall.limit").out == "6\n"


def test_list_says_where_a_value_came_from_and_what_it_does(
    config: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    config("set", "recall.limit", "10")
    monkeypatch.setenv("HOLDFAST_RECALL_CANDIDATES", "8")
    lines = config("list", "recall").out.splitlines()
    assert lines[0] == "[recall]"
    assert "limit = 10  # config.toml:2: Hits of a search that names no limit." in lines
    assert any(line.startswith("candidates = 8  # HOLDFAST_RECALL_CANDIDATES: ") for line in lines)
    assert not any("lock_ms" in line for line in lines)


def test_list_is_a_table_on_a_terminal(config: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screen, "on_terminal", lambda: True)
    answer = config("list", "recall")
    assert answer.code == 0
    assert "recall.limit" in answer.out
    assert "what it does" in answer.out


def test_list_of_what_was_changed(config: Callable[..., Answer]) -> None:
    assert config("list", "--changed").code == 3
    config("set", "recall.limit", "10")
    assert [item["name"] for item in config("list", "--changed", "--json").json()] == ["recall.limit"]


def test_list_of_an_unknown_section_names_the_sections(config: Callable[..., Answer]) -> None:
    answer = config("list", "recal")
    assert answer.code == 2
    assert "journal, compaction" in answer.err


def test_list_as_json_has_every_field(config: Callable[..., Answer]) -> None:
    first = config("list", "recall", "--json").json()[0]
    assert first["name"] == "recall.limit"
    assert {"value", "origin", "default", "allowed", "about", "scope", "workspace", "variable", "items"} <= set(first)


def test_set_then_get(config: Callable[..., Answer]) -> None:
    assert config("set", "context.budget", "1200").out == "context.budget = 1200\n"
    assert config("get", "context.budget").out == "1200\n"
    assert config("get", "context.budget", "--json").json()["value"] == 1200


def test_set_for_one_agent(config: Callable[..., Answer]) -> None:
    config("set", "decay.enabled", "off", "--agent", "coder")
    assert config("get", "decay.enabled").out == "true\n"
    assert config("get", "decay.enabled", "--agent", "coder").out == "false\n"
    config("unset", "decay.enabled", "--agent", "coder")
    assert config("get", "decay.enabled", "--agent", "coder").out == "true\n"


def test_set_keeps_comments(config: Callable[..., Answer], home: Path) -> None:
    home.mkdir()
    (home / "config.toml").write_text("# mine\n[recall]\nlimit = 10 # ten\n")
    config("set", "recall.limit", "12")
    assert (home / "config.toml").read_text() == "# mine\n[recall]\nlimit = 12 # ten\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("set", "recall.limit", "900"), "a whole number from 1 to 200"),
        (("set", "recal.limit", "9"), "did you mean recall.limit?"),
        (("set", "chunking.overlap", "400"), "the overlap must be smaller"),
        (("set", "log.level", "info", "--agent", "coder"), "one for the whole home"),
        (("get", "recal.limit"), "did you mean recall.limit?"),
        (("explain", "nothing.like.it"), "is no setting"),
        (("unset", "recal.limit"), "did you mean recall.limit?"),
    ],
)
def test_a_mistake_is_explained_and_changes_nothing(
    config: Callable[..., Answer], home: Path, arguments: tuple[str, ...], message: str
) -> None:
    answer = config(*arguments)
    assert (answer.code, answer.out) == (2, "")
    assert message in answer.err
    assert not (home / "config.toml").exists()


def test_a_mistake_in_the_file_is_named_with_its_line(config: Callable[..., Answer], home: Path) -> None:
    home.mkdir()
    (home / "config.toml").write_text("[recall]\nlimit = 900\n")
    answer = config("list")
    assert answer.code == 2
    assert f"{home}/config.toml:2" in answer.err


def test_set_says_when_the_environment_wins(config: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_RECALL_LIMIT", "30")
    answer = config("set", "recall.limit", "10")
    assert answer.code == 0
    assert answer.err == "warning: HOLDFAST_RECALL_LIMIT wins, with 30\n"


def test_unset_says_what_holds_now(config: Callable[..., Answer]) -> None:
    config("set", "recall.limit", "10")
    assert config("unset", "recall.limit").out == "recall.limit is no longer set; it is 6 (default)\n"
    again = config("unset", "recall.limit")
    assert (again.code, again.out) == (3, "recall.limit was not set in config.toml; it is 6 (default)\n")


def test_explain_tells_what_it_is_and_how_to_set_it(config: Callable[..., Answer]) -> None:
    shown = config("explain", "context.budget").out
    for part in (
        "context.budget = 800",
        "Most tokens of a context block.",
        "from      default",
        "a whole number from 0 to 100000",
        "HOLDFAST_CONTEXT_BUDGET",
        "may make it smaller",
    ):
        assert part in shown
    assert config("explain", "context.budget", "--json").json()["allowed"] == "a whole number from 0 to 100000"


def test_explain_says_what_a_setting_waits_for(config: Callable[..., Answer]) -> None:
    assert "Takes effect with the HTTP service." in config("explain", "service.port").out


def test_a_workspaces_own_file_is_shown_and_its_excesses_are_told(
    config: Callable[..., Answer], tmp_path: Path
) -> None:
    (tmp_path / ".holdfast.toml").write_text('user = "mallory"\n[context]\ninject = false\n')
    answer = config("get", "context.inject", "--workspace", str(tmp_path))
    assert answer.out == "false\n"
    assert answer.err.startswith("warning: ")
    assert "user cannot be set by a workspace" in answer.err


def test_path_prints_where_the_file_would_be(config: Callable[..., Answer], home: Path) -> None:
    assert config("path").out == f"{home}/config.toml\n"
    assert config("path", "--json").json() == {"path": f"{home}/config.toml", "exists": False}


def test_the_home_may_be_given(config: Callable[..., Answer], tmp_path: Path) -> None:
    other = str(tmp_path / "other")
    assert config("path", "--home", other).out == f"{other}/config.toml\n"


def test_an_alias_is_written_for_a_moved_workspace(config: Callable[..., Answer], home: Path, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    old, new = str(tmp_path / "old"), str(tmp_path / "new")
    assert config("workspace-alias", old, new).out == f"{new} is remembered as {old}\n"
    assert tomllib.loads((home / "config.toml").read_text()) == {"workspace_aliases": {old: new}}


def test_an_alias_for_two_live_workspaces_is_refused(config: Callable[..., Answer], tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    answer = config("workspace-alias", str(tmp_path / "one"), str(tmp_path / "two"))
    assert answer.code == 2
    assert "still exists" in answer.err


@pytest.mark.parametrize("command", ["list", "get", "set", "unset", "explain", "path", "workspace-alias"])
def test_help_teaches_by_example(config: Callable[..., Answer], command: str) -> None:
    assert f"holdfast config {command}" in config(command, "--help").out


def test_names_are_completed() -> None:
    from click.shell_completion import ShellComplete

    from holdfast.cli.root import root

    found = ShellComplete(root, {}, "holdfast", "_HOLDFAST_COMPLETE").get_completions(["config", "get"], "recall.l")
    assert [item.value for item in found] == ["recall.limit"]
