"""Registry: which embedders there are, and which one a name means.

A row a provider: how it is made and whether it stays on this machine. `auto` never leaves the machine: it is
the ONNX model if its extra is installed, else the one in the wheel. Providers are imported when they are
made, never before. A new one is its file and a row here.
"""

from __future__ import annotations

import os

from ..errors import MissingExtra
from ..model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..ports import Embedder

NONE = "none"
AUTO = "auto"


class Choice(Value):
    """An embedder by name: the provider, and its model where it has several."""

    provider: str
    model: str = ""


def _builtin(model: str) -> Embedder:
    from .builtin import BuiltinEmbedder

    return BuiltinEmbedder()


def _minilm(model: str) -> Embedder:
    from . import onnx

    return onnx.minilm(model)


def _onnx(model: str) -> Embedder:
    from . import onnx

    return onnx.encoder(model)


FACTORIES: dict[str, Callable[[str], Embedder]] = {"builtin": _builtin, "minilm": _minilm, "onnx": _onnx}
LOCAL = frozenset(FACTORIES)  # those that never leave the machine
_DIRECTORIES = frozenset(("minilm", "onnx"))  # those whose model is named by its directory
_THREADLESS = frozenset(("builtin",))  # those that never import `threading`, which takes 1 ms of a cold search


def resolve(provider: str, model: str = "") -> Choice:
    """What a name from the settings means here and now."""
    if provider != AUTO:
        return Choice(provider=provider, model=_placed(model) if provider in _DIRECTORIES else model)
    from .onnx import installed

    return Choice(provider="minilm", model=_placed(model)) if installed(model) else Choice(provider="builtin")


def _placed(directory: str) -> str:
    """The same from wherever it is looked at: it is pinned, and the next process may be somewhere else."""
    return os.path.abspath(os.path.expanduser(directory)) if directory else ""


def before_threads(choice: Choice) -> None:
    """To be called on the thread that asks, before another one runs anything of this embedder.

    CPython before 3.13 takes the thread that first imports `threading` for the main one, and a process waits at its
    end until that one is done: never, if it is a worker. Almost every model library imports it.
    """
    if choice.provider not in _THREADLESS:
        import threading  # noqa: F401


def check(provider: str) -> None:
    """MissingExtra if no embedder of this version has the name; settings name those of later ones as well."""
    if provider not in (*FACTORIES, AUTO, NONE):
        there = ", ".join((*sorted(FACTORIES), NONE))
        raise MissingExtra(
            f"the embedder {provider[:40]} is not part of this version; there are {there}, and "
            "`holdfast config set embedder.provider auto` leaves the choice to Holdfast"
        )


def make(choice: Choice) -> Embedder:
    """The embedder, loaded; MissingExtra if it is not part of this installation."""
    check(choice.provider)
    return FACTORIES[choice.provider](choice.model)
