"""The tree reads like the glossary: small modules, named after one thing, each saying what it owns."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.arrows import PACKAGE, parsed, sources

VAGUE = {"util", "utils", "helper", "helpers", "manager", "managers", "base", "common", "misc", "core", "lib", "tools"}
LINES = 400
FUNCTION_LINES = 45
PARAMETERS = 6

# path -> why it may be longer
LONGER: dict[str, str] = {}
# "path:function" -> why it may be longer, or take more parameters
EXEMPT: dict[str, str] = {}

MODULES = [path.relative_to(PACKAGE).as_posix() for path in sources()]


def tree(module: str) -> ast.Module:
    return parsed(PACKAGE / module)


def functions() -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for module in MODULES:
        for node in ast.walk(tree(module)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield f"{module}:{node.name}", node


def body_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines from the first statement after the docstring to the last."""
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    return (node.end_lineno or 0) - body[0].lineno + 1 if body else 0


def is_broad(node: ast.ExceptHandler) -> bool:
    return node.type is None or (isinstance(node.type, ast.Name) and node.type.id in ("Exception", "BaseException"))


@pytest.mark.parametrize("module", MODULES)
def test_a_module_is_named_after_one_thing(module: str) -> None:
    words = {word for part in Path(module).with_suffix("").parts for word in part.split("_")}
    assert not words & VAGUE


@pytest.mark.parametrize("module", MODULES)
def test_a_module_has_at_most_400_lines(module: str) -> None:
    lines = len((PACKAGE / module).read_text("utf-8").splitlines())
    assert lines <= LINES or module in LONGER


@pytest.mark.parametrize("module", MODULES)
def test_a_module_says_what_it_owns(module: str) -> None:
    docstring = ast.get_docstring(tree(module)) or ""
    assert docstring.split(), f"{module} has no docstring"
    assert len(docstring.split()) >= 5, f"the docstring of {module} says too little"


def test_no_two_modules_share_a_docstring() -> None:
    docstrings = [ast.get_docstring(tree(module)) for module in MODULES]
    assert len(set(docstrings)) == len(docstrings)


def test_functions_are_short() -> None:
    lengths = {name: body_lines(node) for name, node in functions()}
    assert {name: lines for name, lines in lengths.items() if lines > FUNCTION_LINES and name not in EXEMPT} == {}
    assert sum(lines > 30 for lines in lengths.values()) <= len(lengths) * 0.02


def test_functions_take_few_parameters() -> None:
    def positional(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
        given = node.args.posonlyargs + node.args.args
        return len([argument for argument in given if argument.arg not in ("self", "cls", "mcs")])

    counts = {name: positional(node) for name, node in functions() if node.name != "__init__"}
    assert {name: count for name, count in counts.items() if count > PARAMETERS and name not in EXEMPT} == {}


def test_nobody_catches_everything_in_silence() -> None:
    """`except Exception` must raise again or count; a bare `except:` never stands."""
    silent = []
    for module in MODULES:
        for node in ast.walk(tree(module)):
            if isinstance(node, ast.ExceptHandler) and is_broad(node):
                quiet = all(isinstance(line, (ast.Pass, ast.Continue)) for line in node.body)
                silent += [f"{module}:{node.lineno}"] if quiet or node.type is None else []
    assert silent == []


def test_every_folder_is_a_package_with_something_in_it() -> None:
    folders = {path.parent for path in sources()}
    assert [folder.name for folder in folders if not (folder / "__init__.py").is_file()] == []
    assert [folder.name for folder in folders if len(list(folder.glob("*.py"))) < 2] == []


def test_what_lies_beside_the_package_is_meant_to() -> None:
    """What somebody exported to try something out was committed once."""
    files = {path.name for path in PACKAGE.parent.parent.iterdir() if path.is_file() and path.name[0] != "."}
    assert files <= {
        "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "Makefile", "NOTICE", "README.md", "pyproject.toml",
    }  # fmt: skip


def test_nobody_asks_for_the_frames_of_all_threads() -> None:
    """CPython 3.11 never returns from that if a garbage collection then finds something local to a thread."""
    calls = {
        f"{path}:{node.lineno}"
        for path in [*sources(), *PACKAGE.parents[1].glob("tests/**/*.py")]
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Attribute) and node.attr == "_current_frames"
    }
    assert not calls


def test_every_exception_is_needed() -> None:
    assert set(LONGER) <= set(MODULES)
    assert set(EXEMPT) <= {name for name, _node in functions()}
