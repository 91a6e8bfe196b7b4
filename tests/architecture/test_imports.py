"""Imports point toward `model`; SQL lives in index/; only config.py reads the environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.architecture import arrows


def planted(tmp_path: Path, file: str, code: str) -> Path:
    """A small copy of the package's shape with one more line in one file."""
    package = tmp_path / "holdfast"
    for part in ("model", "journal", "index", "recall", "cli", "guard"):
        (package / part).mkdir(parents=True)
        (package / part / "__init__.py").touch()
    (package / "config").mkdir()
    (package / "config" / "read.py").touch()
    for module in ("__init__", "errors", "config/__init__", "memory", "store", "ports"):
        (package / f"{module}.py").touch()
    (package / file).write_text(code, "utf-8")
    return package


def test_no_import_points_the_wrong_way() -> None:
    assert arrows.wrong_arrows() == []


def test_sql_is_written_in_the_index_only() -> None:
    assert arrows.stray_sql() == []


def test_the_environment_is_read_in_config_only() -> None:
    assert arrows.stray_environment() == []


def test_the_arrows_run_in_no_circle() -> None:
    left = {part: set(aims) for part, aims in arrows.ALLOWED.items() if part != "holdfast"}
    while free := [part for part, aims in left.items() if not aims & left.keys()]:
        for part in free:
            del left[part]
    assert left == {}


def test_mechanism_and_policy_never_meet() -> None:
    for part in arrows.MECHANISM:
        assert not arrows.ALLOWED[part] & (set(arrows.POLICY) | arrows.MECHANISM)
    for part in arrows.POLICY:
        assert not arrows.ALLOWED[part] & arrows.MECHANISM


def test_the_reader_sees_the_whole_package() -> None:
    parts = {arrows.part_of(path) for path in arrows.sources()}
    assert {"model", "errors", "ports", "journal", "index"} <= parts
    assert sum(len(arrows.imports(path)) for path in arrows.sources()) > 100


@pytest.mark.parametrize(
    ("file", "code"),
    [
        ("journal/append.py", "from ..index import SqliteIndex"),
        ("journal/append.py", "from ..recall.rank import score"),
        ("index/rows.py", "from .. import journal"),
        ("recall/rank.py", "import holdfast.index.sqlite"),
        ("recall/rank.py", "from holdfast import journal"),
        ("recall/rank.py", "def late():\n    from ..journal.line import encode"),
        ("recall/rank.py", "TYPE_CHECKING = False\nif TYPE_CHECKING:\n    from ..index.sqlite import SqliteIndex"),
        ("recall/rank.py", "try:\n    from ..upkeep import forget\nexcept ImportError:\n    pass"),
        ("guard/scope.py", "from ..recall.rank import score"),
        ("guard/scope.py", "from ..memory import Memory"),
        ("model/entry.py", "from ..config import Settings"),
        ("errors.py", "from .model import value"),
        ("cli/search.py", "from ..journal import FileJournal"),
        ("cli/search.py", "from .. import memory"),
        ("cli/search.py", "from ..config.read import load"),
        ("cli/search.py", "from ..config import read"),
        ("recall/rank.py", "from ..config import Settings"),
        ("recall/rank.py", "import apsw"),
        ("memory.py", "import click"),
        ("memory.py", "from .journal import FileJournal"),
        ("journal/append.py", "import sqlite3"),
        ("journal/append.py", "import tomllib"),
        ("surprise.py", ""),
    ],
)
def test_a_wrong_import_is_named_with_its_file(tmp_path: Path, file: str, code: str) -> None:
    (tmp_path / "holdfast" / "upkeep").mkdir(parents=True)
    complaints = arrows.wrong_arrows(planted(tmp_path, file, code))
    assert len(complaints) == 1
    assert file in complaints[0]


@pytest.mark.parametrize(
    ("file", "code"),
    [
        ("journal/append.py", "from ..model.entry import Entry\nfrom . import line\nimport os"),
        ("index/sqlite.py", "import apsw\nfrom ..errors import Corrupt"),
        ("wiring.py", "from .index import SqliteIndex\nfrom .journal import FileJournal\nfrom .memory import Memory"),
        ("memory.py", "from .recall import rank\nfrom .guard import scope"),
        ("cli/search.py", "import click\nimport holdfast\nfrom holdfast import open\nfrom ..config import load"),
        ("store.py", "TYPE_CHECKING = False\nif TYPE_CHECKING:\n    from .config import Settings"),
    ],
)
def test_a_right_import_passes(tmp_path: Path, file: str, code: str) -> None:
    assert arrows.wrong_arrows(planted(tmp_path, file, code)) == []


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT id FROM entries",
        "INSERT OR REPLACE INTO meta VALUES (?, ?)",
        "UPDATE entries SET state = 0",
        "DELETE FROM entries",
        "CREATE TABLE entries (id)",
        "PRAGMA journal_mode=WAL",
        "BEGIN IMMEDIATE",
        "WITH RECURSIVE r(id) AS (SELECT 1)",
    ],
)
def test_planted_sql_is_found(tmp_path: Path, statement: str) -> None:
    code = f'"""SELECT a FROM docstring"""\nquery = f"{statement} {{1}}"\n'
    complaints = arrows.stray_sql(planted(tmp_path, "recall/rank.py", code))
    assert len(complaints) == 1
    assert "recall/rank.py:2" in complaints[0]


def test_plain_english_is_not_sql(tmp_path: Path) -> None:
    code = 'message = "Select a session from the list, update it, or delete from it"\nother = "BEGIN at the start"\n'
    assert arrows.stray_sql(planted(tmp_path, "recall/rank.py", code)) == []


@pytest.mark.parametrize(
    "code", ["import os\nos.environ.get('X')", "import os\nos.getenv('X')", "from os import environ"]
)
def test_a_planted_look_at_the_environment_is_found(tmp_path: Path, code: str) -> None:
    assert len(arrows.stray_environment(planted(tmp_path, "memory.py", code))) == 1
    assert arrows.stray_environment(planted(tmp_path / "other", "config/read.py", code)) == []
