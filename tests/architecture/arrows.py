"""The arrows: which part of Holdfast may import which, and the reader of imports that holds them to it.

A part is a folder or a top-level module of `src/holdfast`. Imports are read with `ast`, wherever they
stand: at the top, inside a function, or for types only. The tests plant wrong ones to see this fail.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "holdfast"

GROUND = {"errors", "model", "text", "disk", "lock"}  # what every stage may stand on
MEETING = {"ports", "store"}  # where mechanism and policy meet
MECHANISM = {"journal", "index", "providers"}
# Policy follows the flow: a stage may use those named in its row, never one that uses it.
POLICY: dict[str, set[str]] = {
    "guard": set(),
    "recall": {"guard"},
    "context": {"guard", "recall"},
    "capture": {"guard", "recall"},
    "upkeep": {"guard", "recall", "capture"},
}

ALLOWED: dict[str, set[str]] = {
    "errors": set(),
    "model": {"errors"},
    "text": {"errors", "model"},
    "disk": {"errors", "model"},
    "lock": {"disk", "errors", "model"},
    "ports": {"model"},
    "store": {"errors"},
    "config": GROUND,
    "observe": GROUND,
    **{part: GROUND | {"ports"} for part in MECHANISM},
    **{part: GROUND | MEETING | earlier for part, earlier in POLICY.items()},
    "wiring": GROUND | MEETING | MECHANISM | set(POLICY) | {"config", "observe", "memory"},  # names the backends
    "memory": GROUND | MEETING | set(POLICY) | {"config", "observe", "handles", "seeds"},
    "handles": {"errors", "model"},
    "seeds": {"errors", "model"},
    "aio": {"holdfast", "memory", "handles", "wiring", "errors", "model"},
    "holdfast": {"memory", "handles", "wiring", "aio", "errors", "model", "config"},
    "cli": {"holdfast", "errors", "model"},
    "__main__": {"cli"},
    "testing": GROUND | {"ports"},
}

# Names that a part uses in annotations only; nothing of them exists at run time.
ALLOWED_FOR_TYPES: dict[str, set[str]] = {
    "ports": {"errors"},
    "store": {"config", "guard", "model", "observe", "ports", "providers", "recall"},
    "observe": {"ports"},
    "handles": {"memory"},
    "seeds": {"memory"},
    **{part: {"config", "observe"} for part in set(POLICY) | MECHANISM},
}

# Folders whose own surface (what their __init__ exports) a part may use, and nothing inside them.
SURFACE: dict[str, set[str]] = {"cli": {"config"}}

# Modules from outside with one owner.
OWNERS: dict[str, set[str]] = {
    "apsw": {"index"},
    "sqlite3": set(),
    "click": {"cli"},
    "rich": {"cli"},
    "platformdirs": {"config"},
    "tomllib": {"config"},
    "tomlkit": {"config"},
    "asyncio": {"aio"},
    "numpy": {"index", "providers", "recall", "testing", "upkeep"},  # where it is used, it is loaded inside a function
    "subprocess": {"upkeep"},  # the search of `forget` (docs/decisions/0005)
    **{module: set() for module in ("socket", "ssl", "http", "urllib", "multiprocessing")},  # promise 6
}

SQL = re.compile(
    r"\s*(SELECT\s.+\sFROM\s|INSERT\s+(OR\s+\w+\s+)?INTO\s|REPLACE\s+INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s"
    r"|(CREATE|DROP|ALTER)\s+(TEMP|TABLE|VIEW|INDEX|VIRTUAL|UNIQUE|TRIGGER)\b|PRAGMA\s|ATTACH\s|VACUUM\b"
    r"|BEGIN(\s+(IMMEDIATE|EXCLUSIVE|DEFERRED|TRANSACTION))?\s*;?\s*\Z|COMMIT\s*;?\s*\Z|WITH\s+\w+.*\sAS\s*\()",
    re.DOTALL,
)


ENVIRONMENT = {"environ", "environb", "getenv", "getenvb", "putenv", "unsetenv"}


class Import(NamedTuple):
    """One name that a file imports: which module, on which line, and whether for types only."""

    module: str
    line: int
    types_only: bool


def part_of(path: Path, package: Path = PACKAGE) -> str:
    """The part to which a file belongs."""
    inside = path.relative_to(package)
    if len(inside.parts) > 1:
        return inside.parts[0]
    return "holdfast" if inside.stem == "__init__" else inside.stem


def sources(package: Path = PACKAGE) -> list[Path]:
    """Every module of the package."""
    return sorted(package.rglob("*.py"))


@cache
def parsed(path: Path) -> ast.Module:
    """A module's syntax, read once."""
    return ast.parse(path.read_text("utf-8"))


def imports(path: Path, package: Path = PACKAGE) -> list[Import]:
    """Everything that a file imports, by absolute name."""
    here = ("holdfast", *path.relative_to(package).parent.parts)
    found: list[Import] = []
    _collect(parsed(path), here, False, found)
    return found


def _collect(node: ast.AST, here: tuple[str, ...], types_only: bool, found: list[Import]) -> None:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            found += [Import(name.name, child.lineno, types_only) for name in child.names]
        elif isinstance(child, ast.ImportFrom):
            found += [Import(module, child.lineno, types_only) for module in _named(child, here)]
        elif isinstance(child, ast.If) and _asks_for_types(child.test):
            for inner in child.body:
                _collect(ast.Module([inner], []), here, True, found)
            for inner in child.orelse:
                _collect(ast.Module([inner], []), here, types_only, found)
        else:
            _collect(child, here, types_only, found)


def _named(node: ast.ImportFrom, here: tuple[str, ...]) -> list[str]:
    """`from .. import config` names holdfast.config; `from ..config import Settings` does too."""
    base = here[: len(here) - node.level + 1] if node.level else ()
    stem = ".".join((*base, *([node.module] if node.module else [])))
    return [f"{stem}.{name.name}" for name in node.names]


def _asks_for_types(test: ast.expr) -> bool:
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )


def target(module: str, package: Path = PACKAGE) -> str | None:
    """The part that an imported name belongs to; None for what is not ours."""
    names = module.split(".")
    if names[0] != "holdfast":
        return None
    if len(names) > 2 or (len(names) == 2 and _is_module(package / names[1])):
        return names[1]
    return "holdfast"


def _is_module(path: Path) -> bool:
    return path.is_dir() or path.with_suffix(".py").is_file()


def wrong_arrows(package: Path = PACKAGE) -> list[str]:
    """One sentence for each import that points the wrong way."""
    complaints = []
    for path in sources(package):
        part = part_of(path, package)
        place = path.relative_to(package.parent)
        if part not in ALLOWED:
            complaints.append(f"{place}: `{part}` has no row in tests/architecture/arrows.py")
            continue
        reasons = ((found.line, _wrong(part, found, package)) for found in imports(path, package))
        complaints += [f"{place}:{line}: {reason}" for line, reason in reasons if reason]
    return complaints


def _wrong(part: str, found: Import, package: Path) -> str | None:
    aim = target(found.module, package)
    if aim is None:
        owners = OWNERS.get(found.module.split(".")[0])
        if owners is None or found.types_only or part in owners:
            return None
        return f"{found.module} may be imported by {sorted(owners) or 'nobody'} only, not by {part}"
    allowed = ALLOWED[part] | (ALLOWED_FOR_TYPES.get(part, set()) if found.types_only else set())
    if aim == part or aim in allowed or (aim in SURFACE.get(part, ()) and not _inside(found.module, package)):
        return None
    return f"{part} may not import {aim} ({found.module})"


def _inside(module: str, package: Path) -> bool:
    """Whether a name reaches into a folder, past its __init__."""
    names = module.split(".")[1:]
    return len(names) > 2 or (len(names) == 2 and _is_module(package / names[0] / names[1]))


def _strings(path: Path) -> list[ast.Constant]:
    """String constants that are not docstrings; the fixed pieces of f-strings too."""
    tree = parsed(path)
    docs = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs
    ]


def stray_sql(package: Path = PACKAGE) -> list[str]:
    """SQL outside index/."""
    return [
        f"{path.relative_to(package.parent)}:{string.lineno}: SQL belongs in index/"
        for path in sources(package)
        if part_of(path, package) != "index"
        for string in _strings(path)
        if SQL.match(str(string.value))
    ]


def stray_environment(package: Path = PACKAGE) -> list[str]:
    """Readers of the environment outside config."""
    return [
        f"{path.relative_to(package.parent)}:{line}: only config reads the environment"
        for path in sources(package)
        if part_of(path, package) != "config"
        for line in _looks_at_the_environment(parsed(path))
    ]


def _looks_at_the_environment(tree: ast.Module) -> list[int]:
    """Lines with `os.environ` and its kin, however they were imported."""
    lines = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "os":
            used = {node.attr}
        elif isinstance(node, ast.ImportFrom) and node.module == "os":
            used = {name.name for name in node.names}
        else:
            continue
        lines += [node.lineno] if used & ENVIRONMENT else []
    return lines
