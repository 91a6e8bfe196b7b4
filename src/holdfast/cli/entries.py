"""How entries and hits look to a person: where each came from, what it says, and its id."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ..model.hit import OWN
from . import figures, screen
from .visible import in_one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import tzinfo
    from typing import Any

    from holdfast import Entry, Hit

    from .screen import Piece

BRIEF = 160  # characters of a text that is only named, not shown
_MARK, _DIM, _HEAD = "bold yellow", "dim", "bold"
_MOVES = ("match", "influence", "importance", "decay", "recency", "pin", "workspace")  # of a hit's scores
_SAYS = ("coverage", "nearness", "cosine", "relevance", "answered")


def hit(number: int, found: Hit, zone: tzinfo | None, *, explain: bool = False) -> None:
    """One search result: who, when and where from; the words, those asked for marked; id and tags."""
    session = found.session_key or found.session_id
    where = _origin(found.entry, session, found.provenance, (found.workspace, found.path))
    head = f"{found.type} · {figures.when(found.timestamp, zone)} · {where}"
    screen.line((f"{number}. ", _HEAD), (head, _DIM), ("  " + f"{found.score:.2f}", _HEAD))
    screen.line(_label(found.key), *marked(found.snippet, found.marks), indent=3)
    screen.line((" ".join((found.id, *_labels(found.tags, found.pinned))), _DIM), indent=3)
    if explain:
        for told in _explained(found.score, found.scores):
            screen.line((told, _DIM), indent=3)


def marked(text: str, marks: Sequence[tuple[int, int]]) -> list[Piece]:
    """The text in one paragraph, with the places of the marks in a style of their own."""
    pieces: list[Piece] = []
    at = 0
    for start, end in marks:
        pieces += [in_one_line(text[at:start]), (in_one_line(text[start:end]), _MARK)]
        at = end
    return [*pieces, in_one_line(text[at:])]


def _label(key: str | None) -> str:
    """What a remembered value is the value of, before it: `43` alone says nothing."""
    return f"{in_one_line(key)}: " if key is not None else ""


def _origin(entry: Entry | None, session: str | None, provenance: str, places: tuple[str | None, str | None]) -> str:
    """by Ana (user) · session login · /src/shop · path src/login.py; `places` are workspace and path"""
    workspace, path = places
    speaker = (entry.author or entry.role) if entry is not None else None
    who = f"{speaker} ({provenance})" if speaker and speaker != provenance else provenance
    scope = f"session {session}" if session else f"scope {entry.scope}" if entry is not None else ""
    about = f"path {path}" if path else ""
    where = " · ".join(part for part in (f"by {who}", scope, workspace, about) if part)
    return in_one_line(where) if "\n" in where else where  # two spaces in a path are two


def _labels(tags: tuple[str, ...], pinned: bool, sensitive: bool = False) -> Iterator[str]:
    yield from (f"#{tag}" for tag in tags)
    if pinned:
        yield "[pinned]"
    if sensitive:
        yield "[sensitive]"


def _explained(score: float, scores: Mapping[str, float]) -> Iterator[str]:
    """Why a hit stands where it stands, and why it scores as it does, which is another question."""
    told = {name: f"{name} {value:g}" for name, value in scores.items()}
    added = [told[name] for name, value in scores.items() if value and name not in (*_MOVES, *_SAYS)]
    moved = ", ".join(told[name] for name in _MOVES[2:] if name in told)
    yield f"order: {told['match']} = {' + '.join(added) or 'nothing'}; {told['influence']} by {moved}"
    own = max(scores["coverage"], scores["nearness"])
    yield f"score: {score:g} = {told['answered']} × ({1 - OWN:g} + {OWN:g} × own part {own:g}) × {told['influence']}"
    parts = f"{told['coverage']} and {told['nearness']}, of {told['cosine']}"
    yield f"own part: the larger of {parts}; {told['relevance']}"


def brief(entry: Entry) -> str:
    """The text in one line, cut where it gets long."""
    said = _label(entry.key) + in_one_line(entry.text.strip())
    return said if len(said) <= BRIEF else said[: BRIEF - 1].rstrip() + "…"


def listed(entry: Entry, zone: tzinfo | None) -> None:
    """An entry of a list: two lines and its id."""
    where = _origin(entry, entry.session_id, entry.provenance, (entry.workspace, entry.path))
    screen.line((f"{figures.when(entry.timestamp, zone)}  ", _HEAD), (f"{entry.type} · {where}", _DIM))
    screen.line(brief(entry), indent=2)
    labels = _labels(entry.tags, entry.pinned, entry.sensitive)
    screen.line((" ".join((entry.id, *labels)), _DIM), indent=2)


def whole(entry: Entry, zone: tzinfo | None, now: int) -> None:
    """One entry with all that is known of it."""
    head = f"{entry.type}, {figures.when(entry.timestamp, zone)} ({figures.ago(entry.timestamp, now)})"
    screen.line((entry.id, _HEAD), f"  {head}")
    screen.line("")
    screen.line(entry.text, indent=2)
    screen.line("")
    screen.facts(_facts(entry), indent=2)


def _facts(entry: Entry) -> Iterator[tuple[str, str]]:
    """Everything but the text, by name; what has no value has no line."""
    for name, value in entry.content.items():
        if name not in ("text", "message") and value not in (None, "", entry.text):
            yield name, _plain(value)
    shown = {
        "session": entry.session_id, "user": entry.user_id, "workspace": entry.workspace, "scope": entry.scope,
        "key": entry.key, "tool": entry.tool, "path": entry.path, "importance": f"{entry.importance:g}",
        "tags": " ".join(entry.tags), "references": " ".join(entry.references), "provenance": entry.provenance,
        "pinned": "yes" if entry.pinned else None, "sensitive": "yes" if entry.sensitive else None,
        "metadata": _plain(entry.metadata) if entry.metadata else None, "checksum": entry.checksum,
    }  # fmt: skip
    yield from ((name, str(value)) for name, value in shown.items() if value)


def _plain(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value):
        return "; ".join(value)
    return json.dumps(value, ensure_ascii=False)
