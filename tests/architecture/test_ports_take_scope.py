"""Nothing is read or written without saying whose it is: every port method takes a Scope, first, without default."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Any

import pytest

from holdfast import ports

NEED_NO_SCOPE = {"close", "stems"}  # they touch nobody's entries
SEAMS_WITHOUT_SCOPE = {"Clock", "Embedder", "Lexicon", "Completer"}  # texts in, texts or numbers out
BACKENDS = [
    ("Journal", "holdfast.journal", "FileJournal"),
    ("Index", "holdfast.index", "SqliteIndex"),
]


def protocols() -> dict[str, type]:
    return {
        name: value
        for name, value in vars(ports).items()
        if inspect.isclass(value) and value.__module__ == ports.__name__
    }


def methods(port: str) -> list[str]:
    own = vars(protocols()[port])
    return [name for name, value in own.items() if inspect.isfunction(value) and not name.startswith("_")]


PORT_METHODS = [(port, name) for port in protocols() if port not in SEAMS_WITHOUT_SCOPE for name in methods(port)]
SCOPED = [(port, name) for port, name in PORT_METHODS if name not in NEED_NO_SCOPE]
BOUND = [(module, cls, name) for port, module, cls in BACKENDS for owner, name in SCOPED if owner == port]


def backend_method(module: str, cls: str, name: str) -> Callable[..., Any]:
    return getattr(getattr(importlib.import_module(module), cls), name)  # type: ignore[no-any-return]


def shape(parameter: inspect.Parameter) -> tuple[str, str, bool]:
    return parameter.name, str(parameter.kind), parameter.default is parameter.empty


def test_the_two_ports_of_the_store_are_looked_at() -> None:
    assert len([name for port, name in SCOPED if port == "Journal"]) >= 15
    assert len([name for port, name in SCOPED if port == "Index"]) >= 15


@pytest.mark.parametrize(("port", "name"), SCOPED)
def test_a_port_method_takes_the_scope_first_and_without_default(port: str, name: str) -> None:
    signature = inspect.signature(getattr(protocols()[port], name))
    first = list(signature.parameters.values())[1]
    assert (first.name, first.default, first.annotation) == ("scope", inspect.Parameter.empty, "Scope")


@pytest.mark.parametrize(("module", "cls", "name"), BOUND)
def test_a_backend_method_called_without_a_scope_fails(module: str, cls: str, name: str) -> None:
    method = backend_method(module, cls, name)
    first = list(inspect.signature(method).parameters.values())[1]
    assert (first.name, first.default) == ("scope", inspect.Parameter.empty)
    with pytest.raises(TypeError, match="scope"):
        method(object())


@pytest.mark.parametrize(("module", "cls", "name"), BOUND)
def test_a_backend_method_has_the_parameters_of_its_port(module: str, cls: str, name: str) -> None:
    port = next(port for port, where, _cls in BACKENDS if where == module)
    wanted = inspect.signature(getattr(protocols()[port], name)).parameters
    given = inspect.signature(backend_method(module, cls, name)).parameters
    same, extra = list(given.values())[: len(wanted)], list(given.values())[len(wanted) :]
    assert [shape(parameter) for parameter in same] == [shape(parameter) for parameter in wanted.values()]
    assert all(parameter.default is not parameter.empty for parameter in extra)
