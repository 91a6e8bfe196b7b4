"""Export: what a scope sees, as lines that `load` reads back: a header, cards, entries, and an end.

Entries stand as they are now, amendments folded in, oldest first; deleted and superseded ones are
not among them. Redaction runs once more, since rules may have been added since the entry was stored.
The end line says how many there were, so that a file that was cut short is recognised, and how many were
damaged or lost already, so that it is not taken for all that was remembered. `jsonl` is one object a line;
`json` is one object with lists, and gives `content.message` beside `text` (D38).
"""

from __future__ import annotations

import json

from ..errors import Invalid, StorageFailed
from ..guard import fields
from ..model.ids import SESSION_ID, is_journal, user_dir
from ..model.moment import iso
from ..model.query import Filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from typing import Any

    from ..model.card import Card
    from ..model.entry import Entry
    from ..model.scope import Scope
    from ..recall.unindexed import Behind
    from ..store import Store

VERSION = 1
HEADER = "holdfast_export"
END = "holdfast_export_end"
FORMATS = ("jsonl", "json")


def export(store: Store, scope: Scope, format: str = "jsonl") -> Iterator[str]:
    """The lines, each with its line end; nothing is read before the first is asked for."""
    if format not in FORMATS:
        raise Invalid(f"format must be one of {', '.join(FORMATS)}, not {fields.shown(format)!r}", field="format")
    return _lines(store, scope) if format == "jsonl" else _document(store, scope)


def _lines(store: Store, scope: Scope) -> Iterator[str]:
    behind = _behind(store, scope)
    yield _json(_header(store, scope)) + "\n"
    cards = entries = 0
    for card in _cards(store, scope, behind):
        cards += 1
        yield _json({"card": _shown_card(store, card)}) + "\n"
    for entry in store.reader.all(scope, Filter(), behind):
        entries += 1
        yield _json(shown(store, entry)) + "\n"
    yield _json({END: VERSION, "cards": cards, "entries": entries, **_lost(store, scope)}) + "\n"


def _document(store: Store, scope: Scope) -> Iterator[str]:
    """One JSON object, a card or entry a line, made as it is read."""
    behind = _behind(store, scope)
    yield _json(_header(store, scope))[:-1] + ',"cards":[\n'
    cards = yield from _separated(_json(_shown_card(store, card)) for card in _cards(store, scope, behind))
    yield '],"entries":[\n'
    found = (_json(_with_message(shown(store, entry))) for entry in store.reader.all(scope, Filter(), behind))
    entries = yield from _separated(found)
    yield f'],"{END}":{_json({"cards": cards, "entries": entries, **_lost(store, scope)})}}}\n'


def _behind(store: Store, scope: Scope) -> Behind:
    """What the index has not caught up with: that is read from the journals, since an export must be whole."""
    store.index.refresh(scope, store.wait_ms)
    return store.index.lagging(scope)


def _lost(store: Store, scope: Scope) -> dict[str, int]:
    """How many entries are missing here because their lines are damaged or lost, with one for each journal that cannot
    be read; nothing where none is."""
    count = store.reader.left_out(scope) + len(store.index.unreadable(scope))
    return {"lost": count} if count else {}


def _separated(items: Iterator[str]) -> Generator[str, None, int]:
    """Each on a line, with commas between; returns how many there were."""
    count = 0
    for item in items:
        yield (",\n" if count else "") + item
        count += 1
    yield "\n" if count else ""
    return count


def _header(store: Store, scope: Scope) -> dict[str, Any]:
    header: dict[str, Any] = {
        HEADER: VERSION, "agent": store.agent, "user": "*" if scope.user is None else scope.user,
        "exported_at": iso(store.clock.now()),
    }  # fmt: skip
    if scope.sessions:
        header["sessions"] = list(scope.sessions)
    if scope.workspace is not None:
        header["workspace"] = scope.workspace
    return header


def _cards(store: Store, scope: Scope, behind: Behind) -> Iterator[Card]:
    """Cards of the sessions that are exported, then of the users."""
    sessions = [row.session_id for row in store.index.rows(scope, Filter(), "oldest")]
    late = _late_sessions(store, scope, behind)
    journals = (name for name in sessions if name is not None and is_journal(name))
    named = dict.fromkeys([*(card.id for card in store.index.cards(scope)), *late, *journals])
    if scope.sessions or scope.workspace is not None:
        users: list[str] = []
    elif scope.user is not None:
        users = [user_dir(scope.user)]
    else:
        users = [journal for journal in store.journal.journals(scope) if journal.startswith("u_")]
    for journal in (*named, *users):
        card = _card(store, scope, journal)
        if card is not None:
            yield card


def _card(store: Store, scope: Scope, journal: str) -> Card | None:
    """The card, without one that cannot be read, unless the export is of that session alone."""
    try:
        return store.journal.card(scope, journal)
    except StorageFailed as error:
        if scope.sessions or not error.unreadable:
            raise
        return None


def _late_sessions(store: Store, scope: Scope, behind: Behind) -> list[str]:
    """Sessions of this scope that the index may not know yet, and those of their entries."""
    cards = [_card(store, scope, journal) for journal in sorted(behind) if SESSION_ID.match(journal)]
    own = [
        card.id for card in cards if card is not None and scope.sees("session", card.user_id, card.id, card.workspace)
    ]
    entries = store.reader.unindexed(scope, behind, Filter()) if behind else []
    return [*own, *(entry.session_id for entry in entries if entry.session_id is not None)]


def _shown_card(store: Store, card: Card) -> dict[str, Any]:
    return store.redactor.card(card).to_dict()


def shown(store: Store, entry: Entry) -> dict[str, Any]:
    """An entry as it is exported: redacted by today's rules, without the checksum of its line."""
    redact = store.redactor
    kept = entry.replace(
        content=redact.value(entry.content), metadata=redact.value(entry.metadata), checksum=None,
        tags=tuple(redact.tag(tag) for tag in entry.tags), path=entry.path and redact.text(entry.path),
        tool=entry.tool and redact.text(entry.tool),
    )  # fmt: skip
    return kept.to_dict()


def _with_message(entry: dict[str, Any]) -> dict[str, Any]:
    return {**entry, "content": {**entry["content"], "message": entry["content"].get("text", "")}}


def _json(value: Any) -> str:
    """On one line for everybody: Python's `splitlines`, for one, also splits at what is text to JSON and to us."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for mark in _LINE_ENDS if not text.isascii() else ():
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return text


_LINE_ENDS = "\x85\u2028\u2029"
