"""The wheel holds the package and nothing else, and runs where there is no checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    everything = {**os.environ, **environment}
    ran = subprocess.run(command, cwd=cwd, capture_output=True, text=True, env=everything, timeout=600)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT, cwd=folder)
    (built,) = folder.glob("holdfast-*.whl")
    return built


def test_the_wheel_contains_only_the_package(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0].split("-")[0] for name in names} == {"holdfast"}
    assert "holdfast/py.typed" in names
    packed = {name.removeprefix("holdfast/") for name in names if name.endswith(".py")}
    package = ROOT / "src" / "holdfast"
    assert packed == {path.relative_to(package).as_posix() for path in package.rglob("*.py")}


def test_the_wheel_runs_the_demo_in_an_empty_environment(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    scripts = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    run(scripts / "python", "-m", "pip", "install", "--quiet", wheel, cwd=tmp_path)
    home = tmp_path / "home"
    shown = run(scripts / "holdfast", "demo", cwd=tmp_path, HOLDFAST_HOME=str(home), PYTHONPATH="")
    assert "receipt" in shown.lower()
    assert not home.exists(), "the demo has a throw-away home of its own"
