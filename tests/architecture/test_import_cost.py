"""What `import holdfast` and the path of one `add` may load: a hook pays for every module at every prompt.

Measured in a fresh interpreter without `site`, so that nothing another package preloads hides a module.
"""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
from functools import cache
from pathlib import Path

import pytest

SRC = Path(__file__).resolve().parents[2] / "src"
CORE = ["os", "sys", "json", "re", "hashlib", "time", "errno", "fcntl", "apsw", "_thread", "math", "unicodedata"]
HEAVY = [
    "numpy", "click", "rich", "platformdirs", "tomllib", "tomlkit", "asyncio", "dataclasses", "typing", "datetime",
    "pathlib", "logging", "threading", "contextlib", "random", "secrets", "tempfile", "shutil", "uuid", "inspect",
    "subprocess", "socket", "urllib", "http", "email",
]  # fmt: skip

LIFE_OF_ONE_ADD = """
import holdfast
memory = holdfast.open({home!r}, embedder="none")
session = memory.create_session("ana")
entry = session.add("The deploy key lives in the vault", tags=["ops.deploy"])
memory.get(entry.id)
found = memory.search("where is the deploy key", user="ana")
assert [hit.id for hit in found] == [entry.id], found
memory.close()
"""


@cache
def loaded(code: str) -> frozenset[str]:
    """The modules in memory after running this code in an interpreter of its own."""
    paths = [str(SRC), sysconfig.get_path("platlib"), sysconfig.get_path("purelib")]
    program = f"import sys; sys.path += {paths!r}\n{code}\nimport json; print(json.dumps(sorted(sys.modules)))"
    run = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    return frozenset(json.loads(run.stdout.splitlines()[-1]))


def foreign(code: str) -> list[str]:
    """Modules that are neither ours nor among those that the core path may use, or loaded by one of them."""
    allowed = loaded("import __future__, " + ", ".join(CORE))
    return sorted(name for name in loaded(code) - allowed if name.split(".")[0] != "holdfast")


def test_the_allowed_modules_do_not_bring_a_heavy_one_with_them() -> None:
    assert loaded("import " + ", ".join(CORE)).isdisjoint(HEAVY)


def test_import_holdfast_loads_only_what_the_core_path_may_use() -> None:
    assert foreign("import holdfast") == []


def test_import_holdfast_does_not_load_sqlite() -> None:
    assert "apsw" not in loaded("import holdfast")


def test_open_add_get_search_and_close_load_only_what_the_core_path_may_use(tmp_path: Path) -> None:
    assert foreign(LIFE_OF_ONE_ADD.format(home=str(tmp_path / "home"))) == []


IN_ANY_SCRIPT = """
import holdfast
with holdfast.open({home!r}, embedder="builtin") as memory:
    session = memory.create_session("ana")
    for text in ("The deploy key", "\\u6771\\u4eac", "\\U0001f600", "...", "word " * 30_000):
        session.add(text, type="note")
    for text in ("where is the deploy key", "\\u6771\\u4eac", "\\U0001f600"):
        memory.search(text, user="ana")
    assert memory.sync()["without_vector"] == 0
"""


def test_the_embedder_in_the_wheel_never_imports_threading(tmp_path: Path) -> None:
    """`registry.before_threads` relies on it."""
    found = loaded(IN_ANY_SCRIPT.format(home=str(tmp_path / "home")))
    assert "numpy" in found
    assert "threading" not in found


@pytest.mark.parametrize("module", ["numpy", "click", "dataclasses"])
def test_a_planted_heavy_import_is_seen(module: str) -> None:
    assert module in foreign(f"import holdfast, {module}")


def test_importing_holdfast_does_nothing(tmp_path: Path) -> None:
    code = "import os; before = set(os.listdir('.')); import holdfast; assert set(os.listdir('.')) == before"
    loaded(f"import os; os.chdir({str(tmp_path)!r})\n{code}")
    assert list(tmp_path.iterdir()) == []


def test_a_plain_text_is_written_without_what_looks_for_names_and_amounts(tmp_path: Path) -> None:
    write = "import holdfast\nwith holdfast.open({home!r}, embedder='none') as memory:\n    memory.add({text!r})"
    lookers = {"holdfast.text.solid", "holdfast.text.humps"}
    assert loaded(write.format(home=str(tmp_path / "plain"), text="We use the code flow")).isdisjoint(lookers)
    assert loaded(write.format(home=str(tmp_path / "named"), text="Wi-Fi by setUp takes 250 ms")) >= lookers
