"""A workspace's own `.holdfast.toml` is obeyed by every verb that is asked in that workspace, and by no other."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING

import pytest

import holdfast

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.acceptance.shell import Shell

SMALL = "[recall]\nlimit = 3\n[query]\nlimit = 2\n[context]\nbudget = 60\n"
OFF = "[context]\ninject = false\n"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "HEAD").touch()
    (root / "src").mkdir()
    return root


@pytest.fixture
def memory(tmp_path: Path, workspace: Path) -> Iterator[holdfast.Memory]:
    with holdfast.open(tmp_path / "home") as opened:
        opened.add_many([{"text": f"parcel number {n}", "workspace": str(workspace)} for n in range(12)])
        opened.user("local").remember("editor", "vim")
        yield opened


def ask(workspace: Path, text: str) -> str:
    """Write the file, so that its time differs from that of the one before."""
    file = workspace / ".holdfast.toml"
    before = file.stat().st_mtime_ns if file.exists() else 0
    file.write_text(text)
    os.utime(file, ns=(before + 10**9, before + 10**9))
    return str(workspace)


def test_limits_are_made_smaller_in_that_workspace_only(memory: holdfast.Memory, workspace: Path) -> None:
    before = memory.context("parcel", workspace=str(workspace)).tokens
    place = ask(workspace, SMALL)
    assert (len(memory.search("parcel", workspace=place)), len(memory.query(workspace=place))) == (3, 2)
    assert memory.context("parcel", workspace=place).tokens <= 60 < before
    assert (len(memory.search("parcel")), len(memory.query())) == (6, 10)
    assert len(memory.search("parcel", workspace=str(workspace / "src"))) == 3


def test_what_the_caller_names_itself_beats_the_file(memory: holdfast.Memory, workspace: Path) -> None:
    place = ask(workspace, SMALL)
    assert len(memory.search("parcel", workspace=place, limit=5)) == 5
    assert memory.context("parcel", workspace=place, budget=300).tokens > 60


def test_context_is_switched_off_and_says_by_what(memory: holdfast.Memory, workspace: Path) -> None:
    place = ask(workspace, OFF)
    found = memory.context("parcel", workspace=place)
    assert (found.text, found.items) == ("", ())
    assert f"context.inject ({place}/.holdfast.toml)" in str(found.degraded)
    assert memory.context("parcel").text


def test_a_session_of_the_workspace_is_in_it(memory: holdfast.Memory, workspace: Path) -> None:
    session = memory.create_session(workspace=str(workspace))
    assert session.context("parcel").text
    ask(workspace, OFF)
    assert session.context("parcel").text == ""


def test_user_memories_and_recalled_entries_can_be_left_out(memory: holdfast.Memory, workspace: Path) -> None:
    place = ask(workspace, "[context]\nuser_memories = false\n")
    assert {item.type for item in memory.context("parcel", workspace=place).items} == {"note"}
    place = ask(workspace, "[context]\nfacts = 0\nsnippets = 0\n")
    assert {item.type for item in memory.context("parcel", workspace=place).items} == {"preference"}


def test_vectors_can_be_left_out(memory: holdfast.Memory, workspace: Path) -> None:
    place = str(workspace)
    assert memory.search("parcel", workspace=place).mode == "hybrid"
    ask(workspace, "[recall]\nvectors = false\n")
    found = memory.search("parcel", workspace=place)
    assert (found.mode, found.degraded) == ("keyword", None)


def test_a_change_of_the_file_holds_from_the_next_call_on(memory: holdfast.Memory, workspace: Path) -> None:
    place = str(workspace)
    for limit in (3, 1, 2):
        ask(workspace, f"[recall]\nlimit = {limit}\n")
        assert len(memory.search("parcel", workspace=place)) == limit
    (workspace / ".holdfast.toml").unlink()
    assert len(memory.search("parcel", workspace=place)) == 6


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("[recall]\nlimit = 100\n", "recall.limit"),
        ("[journal]\nlock_ms = 1\n", "journal.lock_ms"),
        ('user = "somebody else"\n', "user"),
        ("[recall]\nlimmit = 3\n", "recall.limmit"),
        ("no TOML at all", "cannot be read"),
    ],
)
def test_what_it_may_not_ask_for_is_ignored_with_one_warning(
    memory: holdfast.Memory, workspace: Path, text: str, names: str
) -> None:
    place = ask(workspace, text)
    with pytest.warns(RuntimeWarning, match=names) as told:
        assert len(memory.search("parcel", workspace=place)) == 6
    assert len(told) == 1
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(memory.search("parcel", workspace=place)) == 6  # told once, until the file changes


def test_a_workspace_that_was_moved_is_obeyed_where_it_lies_now(
    memory: holdfast.Memory, workspace: Path, tmp_path: Path
) -> None:
    session = memory.create_session(workspace=str(workspace))
    moved = workspace.rename(tmp_path / "store")
    ask(moved, SMALL + "inject = false\n")
    holdfast.config.alias_workspace(memory.home, str(workspace), str(moved))
    with holdfast.open(memory.home) as again:
        assert len(again.search("parcel", workspace=str(moved))) == 3
        assert again.load_session(session.id).context("parcel").text == ""


def test_the_command_line_obeys_it_and_passes_the_warning_on(shell: Shell, workspace: Path) -> None:
    for number in range(8):
        shell.add(f"parcel number {number}", "--workspace", str(workspace))
    place = ask(workspace, "[recall]\nlimit = 3\n[context]\ninject = false\n[journal]\nlock_ms = 1\n")
    ran = shell.good("search", "parcel", "--workspace", place, "--json")
    assert len(ran.json()["hits"]) == 3
    assert "journal.lock_ms cannot be set by a workspace" in ran.err
    ran = shell("context", "parcel", "--workspace", place)
    assert (ran.code, ran.out) == (3, "")
    assert "context.inject" in ran.err
