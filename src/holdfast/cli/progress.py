"""A progress bar: on stderr, for a terminal, and only for what takes more than a second."""

from __future__ import annotations

import sys
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

PATIENCE = 1.0  # seconds before a person wants to see that something moves


class Bar:
    """Called with (done, total); total 0 means unknown. Use it as a context manager, so that it is taken down."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._watched = sys.stderr.isatty()
        self._started = monotonic()
        self._rich: RichProgress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_error: object) -> None:
        if self._rich is not None:
            self._rich.stop()

    def __call__(self, done: int, total: int) -> None:
        if self._rich is None:
            if not self._watched or monotonic() - self._started < PATIENCE:
                return
            self._rich = _rich_bar()
            self._task = self._rich.add_task(self._what, total=None)
        assert self._task is not None
        self._rich.update(self._task, completed=done, total=total or None)


def _rich_bar() -> RichProgress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    shown = Progress(*columns, console=Console(stderr=True), transient=True)
    shown.start()
    return shown
