"""`holdfast demo`: one screen that a newcomer understands, in which nothing is made up."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from tests.acceptance.shell import Shell, plain

if TYPE_CHECKING:
    from pathlib import Path


def test_the_story_fits_one_screen(shell: Shell) -> None:
    lines = shell.good("demo").out.splitlines()
    assert len(lines) <= 45
    assert max(map(len, lines)) <= 100


def test_it_tells_what_was_remembered_found_injected_and_forgotten(shell: Shell) -> None:
    shown = shell.good("demo").out
    for part in (
        "decision",
        "because",
        "preference",
        "redacted",
        "Search:",
        "Context:",
        "Forget:",
        "receipt",
        "Rebuild:",
    ):
        assert part in shown
    assert "found in 0 places" in shown
    assert "same answers" in shown


def test_it_is_quick_and_works_without_a_terminal(shell: Shell) -> None:
    """The bound is generous, since other tests run beside it; alone it takes less than a second."""
    started = time.monotonic()
    assert shell.good("demo").err == ""
    assert time.monotonic() - started < 10


def test_it_looks_the_same_on_a_terminal(shell: Shell) -> None:
    ran = shell.on_terminal("demo")
    assert ran.code == 0
    assert "receipt" in plain(ran.out)
    assert len(plain(ran.out).splitlines()) <= 48


def test_it_leaves_nothing_behind_and_touches_no_home(shell: Shell, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    shell.good("demo", TMPDIR=str(temporary))
    assert list(temporary.iterdir()) == []
    assert not shell.home.exists()


def test_its_json_holds_the_results_themselves(shell: Shell) -> None:
    told = shell.json("demo")
    assert [day["session"] for day in told["days"]] == ["login", "errands", "incident"]
    assert len({day["day"] for day in told["days"]}) == 3
    assert told["stored"]["files"] > 0
    assert told["stored"]["files_with_key"] == 0
    assert told["search"]["hits"][0]["type"] == "decision"
    assert told["context"]["tokens"] <= told["context"]["budget"]
    assert (told["forget"]["clean"], told["forget"]["count"]) == (True, 1)
    assert told["rebuild"]["same"] is True
    assert told["rebuild"]["ok"] is True


BROKEN = {
    "the search did not find the decision first": "search",
    "the context lacks the decision or the preference": "context",
    "something of what was forgotten is left": "forget",
}


@pytest.mark.parametrize(("message", "verb"), BROKEN.items())
def test_a_step_that_does_not_do_what_it_should_ends_it(shell: Shell, tmp_path: Path, message: str, verb: str) -> None:
    program = f"""
import sys
from holdfast.memory import Memory
from holdfast.model.hit import Context, SearchResult
from holdfast.model.receipt import Receipt
broken = {{
    "search": SearchResult(), "context": Context(id="ctx_"), "forget": Receipt(id="forget_", timestamp="", clean=False),
}}
setattr(Memory, {verb!r}, lambda *args, **named: broken[{verb!r}])
sys.argv = ["holdfast", "demo"]
from holdfast.cli import main
main()
"""
    command = [sys.executable, "-c", program]
    ran = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **shell.environment}, timeout=60)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr == f"error: the demo failed: {message}\n"
