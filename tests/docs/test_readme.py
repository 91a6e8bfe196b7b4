"""The README is short, its links resolve, and its example works as it stands."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.docs.pages import ROOT, blocks, links, read

README = read("README.md")


def run(home: Path, *command: str) -> str:
    environment = {**os.environ, "HOLDFAST_HOME": str(home)}
    ran = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=home.parent, timeout=60)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_the_readme_has_at_most_120_lines() -> None:
    assert len(README.splitlines()) <= 120


def test_its_links_resolve() -> None:
    targets = [target for _label, target in links(README) if "://" not in target]
    assert targets
    assert [target for target in targets if not (ROOT / target).exists()] == []


def test_it_names_every_make_target_that_a_person_runs() -> None:
    for target in ("demo", "test", "check", "bench", "crash"):
        assert f"make {target}" in README
        assert f"\n{target}:" in read("Makefile")


def test_the_first_recall_takes_five_lines_and_works(tmp_path: Path) -> None:
    (example,) = blocks(README, "python")
    assert len([line for line in example.splitlines() if line.strip()]) == 5
    shown = run(tmp_path / "home", sys.executable, "-c", example)
    assert "We use the authorization code flow" in shown


def test_the_shell_examples_work(tmp_path: Path) -> None:
    commands = [line.strip() for line in README.splitlines() if line.startswith("    holdfast ")]
    verbs = [command.split()[1] for command in commands]
    assert verbs == ["demo", "add", "search", "forget"]
    script = "\n".join(["set -e", *commands[1:3], commands[3].split("#")[0] + " --yes"])
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    shown = run(tmp_path / "home", "env", f"PATH={path}", "sh", "-c", script)
    assert "authorization code flow" in shown
