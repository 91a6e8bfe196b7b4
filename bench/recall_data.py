"""The recall data: stores of units and questions, read from a directory that is never part of the project."""

from __future__ import annotations

import gzip
import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Unit(NamedTuple):
    """One turn, message or session: becomes one entry."""

    id: str
    text: str
    author: str | None
    session: str
    timestamp: str


class Question(NamedTuple):
    """A question and the units that answer it."""

    text: str
    gold: tuple[str, ...]
    category: str


class Store(NamedTuple):
    """What is loaded into one home and asked of it."""

    set: str
    name: str
    units: tuple[Unit, ...]
    questions: tuple[Question, ...]


def read(path: Path) -> Iterator[Store]:
    """The stores of one file, gzipped JSONL."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield _store(json.loads(line))


def _store(data: dict[str, Any]) -> Store:
    units = tuple(Unit(u["id"], u["text"], u.get("author"), u["session"], u["timestamp"]) for u in data["units"])
    known = {unit.id for unit in units}
    asked = (Question(q["q"], tuple(g for g in q["gold"] if g in known), q["category"]) for q in data["questions"])
    return Store(data["set"], data["name"], units, tuple(q for q in asked if q.gold))


def pooled(stores: list[Store], name: str) -> Store:
    """All stores as one: other stores' units are distractors."""
    units, questions = [], []
    for store in stores:
        units += [
            unit._replace(id=f"{store.name}/{unit.id}", session=f"{store.name}/{unit.session}") for unit in store.units
        ]
        questions += [
            question._replace(gold=tuple(f"{store.name}/{gold}" for gold in question.gold))
            for question in store.questions
        ]
    return Store(stores[0].set, name, tuple(units), tuple(questions))


def item(unit: Unit) -> dict[str, Any]:
    """A unit as `add_many` takes it."""
    role = {"role": unit.author} if unit.author in ("user", "assistant") else {}
    return {
        "text": unit.text, "type": "conversation", "author": unit.author, "session": unit.session,
        "timestamp": unit.timestamp, **role,
    }  # fmt: skip


def default_directory() -> str:
    """Beside the project, unless HOLDFAST_RECALL_DATA says otherwise."""
    return os.environ.get("HOLDFAST_RECALL_DATA", os.path.join("..", "shared", "data", "recall"))
