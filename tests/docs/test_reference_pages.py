"""What the reference pages say of JSON is what the commands print; no verb is without a sentence."""

from __future__ import annotations

import importlib.util
import inspect
import re
from typing import TYPE_CHECKING, Any

import pytest

import holdfast
from holdfast.cli.commands import ROWS
from holdfast.errors import RESPONSES
from holdfast.seeds import SeedMethods
from tests.acceptance.shell import Shell
from tests.docs.pages import ROOT, read

if TYPE_CHECKING:
    from pathlib import Path


def prints() -> dict[str, str]:
    spec = importlib.util.spec_from_file_location("told", ROOT / "tools" / "told.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: dict[str, str] = module.PRINTS
    return found


def names(told: str) -> set[str]:
    """Those in backticks before the first colon."""
    return set(re.findall(r"`(\w+)`", told.partition(":")[0]))


def test_every_command_says_what_it_prints() -> None:
    assert set(prints()) == set(ROWS)


def test_the_objects_have_the_names_that_are_told(tmp_path: Path) -> None:
    shell, told = Shell(tmp_path / "home"), prints()
    entry = shell.json("add", "the oak was planted in May", "--tag", "tree")
    exported = tmp_path / "all.jsonl"
    shell.good("export", "-o", str(exported))
    commands: dict[str, tuple[str, ...]] = {
        "search": ("oak",), "context": ("when was the oak planted?",), "delete": (entry["id"],),
        "import": (str(exported),), "status": (), "stats": (), "verify": (), "sync": (), "reindex": (), "compact": (),
        "completion": ("bash",), "demo": (),
    }  # fmt: skip
    for name, arguments in commands.items():
        assert names(told[name]) == set(shell.json(name, *arguments)), name
    assert names(told["config"]) == set(shell.json("config", "explain", "recall.limit"))


@pytest.mark.parametrize("handle", [holdfast.Memory, holdfast.Session, holdfast.User, SeedMethods])
def test_every_verb_has_a_sentence(handle: type) -> None:
    verbs = {name: verb for name, verb in vars(handle).items() if callable(verb) and not name.startswith("_")}
    assert [name for name, verb in verbs.items() if not inspect.getdoc(verb)] == []


@pytest.mark.parametrize("page", ["commands", "python"])
def test_no_page_has_an_empty_place(page: str) -> None:
    assert not re.search(r"^None$", read(f"docs/reference/{page}.md"), re.MULTILINE)


def test_every_error_is_on_the_page_with_its_exit_code() -> None:
    page = read("docs/reference/python.md")
    told: dict[str, Any] = {leaf.__name__: response[0] for leaf, response in RESPONSES.items()}
    assert [name for name, code in told.items() if f"| `{name}` | {code} |" not in page] == []
