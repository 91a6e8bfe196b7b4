"""The guide works as it stands: every block of it is run, in order, on a throw-away home."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from holdfast.config.table import BY_NAME
from tests.docs.pages import blocks, read

GUIDE = read("docs/guide.md")


def run(home: Path, *command: str) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "HOLDFAST_HOME": str(home), "PATH": path}
    ran = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=home.parent, timeout=120)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_the_shell_blocks_work(tmp_path: Path) -> None:
    shown = run(tmp_path / "home", "sh", "-e", "-c", "\n".join(blocks(GUIDE, "sh")))
    assert "Backups run at 3 am" in shown
    assert "answer_style: short, with the reason first" in shown
    assert "all is well" in shown


def test_the_python_blocks_work(tmp_path: Path) -> None:
    shown = run(tmp_path / "home", sys.executable, "-c", "\n".join(blocks(GUIDE, "python")))
    assert "We use the code flow" in shown
    assert "over the limit of 1048576" in shown
    assert "not whole" not in shown


def test_what_it_tells_a_coding_agent_to_run_works(tmp_path: Path) -> None:
    quoted = " ".join(line.removeprefix("> ") for line in GUIDE.splitlines() if line.startswith("> "))
    context, add = (part for part in quoted.split("`") if part.startswith("holdfast "))
    run(tmp_path / "home", "sh", "-c", add.replace("<one sentence>", "The login page is in web/login"))
    assert "web/login" in run(tmp_path / "home", "sh", "-c", context.replace("<the task>", "change the login page"))


def test_the_bar_of_a_context_is_the_one_it_names() -> None:
    assert f"below {BY_NAME['context.min_score'].default} (`context.min_score`)" in GUIDE
