"""Book: one journal in memory, for `memory_journal`: its lines with the header first, tombstones, card.

Lines have offsets, bytes and checksums as on disk, so that marks, addresses and damage mean the same.
"""

from __future__ import annotations

import json
from _thread import allocate_lock
from typing import TYPE_CHECKING, Any

from ..errors import Invalid
from ..model.entry import STORED, Entry, amended
from ..model.ids import GLOBAL, SESSION_ID, digest, user_dir
from ..model.record import amendment_from, entry_from
from ..model.replay import Line, Mark

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from ..model.batch import Batch
    from ..model.card import Card
    from ..model.entry import Draft, Tombstone
    from ..model.replay import Address


def encoded(record: Mapping[str, Any]) -> bytes:
    """A record as a line's bytes without the line end; its checksum is over the bytes before it."""
    plain = {name: value for name, value in record.items() if name != "checksum"}
    body = json.dumps(plain, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()[:-1]
    return body + b',"checksum":"' + digest(body).encode() + b'"}'


class Book:
    """One journal: its lines with the header first, its tombstones and its card."""

    def __init__(self, id: str) -> None:
        self.id = id
        self.card: Card | None = None
        self.lines: list[Line] = []
        self.stones: list[tuple[int, Tombstone]] = []  # with the offset after each
        self.pieces: dict[tuple[int, str], bytes] = {}
        self.generation = self.next_seq = 1
        self.inode = self.changes = self.card_changes = 0
        self.mutex = allocate_lock()

    @property
    def end(self) -> int:
        return self.lines[-1].offset + self.lines[-1].length + 1 if self.lines else 0

    @property
    def buried(self) -> int:
        return self.stones[-1][0] if self.stones else 0

    @property
    def last_stones(self) -> dict[str, Tombstone]:
        return {stone.id: stone for _, stone in self.stones}

    def begin(self) -> None:
        """A new generation: nothing but a header."""
        header = {"journal": 1, "id": self.id, "generation": self.generation, "next_seq": self.next_seq}
        self.lines = []
        self.inode += 1
        self.put(encoded(header), header)

    def put(self, raw: bytes, record: dict[str, Any] | None) -> None:
        self.lines.append(Line(len(self.lines) + 1, self.end, raw, record))
        self.changes += 1

    def add(self, record: Mapping[str, Any]) -> str:
        """Append a record; returns its checksum."""
        raw = encoded(record)
        self.put(raw, json.loads(raw))
        return str(self.lines[-1].record["checksum"])  # type: ignore[index]

    def written(self) -> list[Line]:
        """Every line but the header and what was erased in place."""
        return [line for line in self.lines[1:] if not line.raw.isspace()]

    def about(self, ids: Collection[str]) -> list[Line]:
        """The lines of these entries and of their amendments."""
        return [line for line in self.lines[1:] if _subject(line.record) in ids]

    def mark(self) -> Mark:
        last = self.lines[-1]
        return Mark(
            generation=self.generation, offset=self.end, line=last.number, seq=self.next_seq - 1,
            tail_offset=last.offset, tail_hash=digest(last.raw),
        )  # fmt: skip

    def fits(self, mark: Mark) -> bool:
        """Whether what the mark says was read is still here, unchanged."""
        if mark.generation != self.generation or mark.line > len(self.lines):
            return False
        tail = self.lines[mark.line - 1]
        return (tail.offset, digest(tail.raw)) == (mark.tail_offset, mark.tail_hash)


def entered(draft: Draft, seq: int) -> Entry:
    """The entry that a draft becomes with this seq; its checksum follows."""
    values = {name: getattr(draft, name) for name in STORED if hasattr(draft, name)}
    return Entry(seq=seq, **values, withheld=draft.withheld)


def _subject(record: Mapping[str, Any] | None) -> str:
    """The id of the entry that a line holds or amends."""
    return str((record or {}).get("amends") or (record or {}).get("id") or "")


def check_card(card: Card) -> None:
    """Id, kind and user must belong together."""
    fits = {"session": SESSION_ID.match(card.id) is not None, "global": card.id == GLOBAL}
    if card.kind == "user":
        fits["user"] = card.user_id is not None and card.id == user_dir(card.user_id)
    if not fits.get(card.kind, False):
        raise Invalid(f"the card of {card.id} says kind {card.kind!r}, which does not go with its id", field="kind")


def check_batch(journal: str, drafts: Sequence[Draft]) -> None:
    """No id twice, and every draft belongs in this journal."""
    if len({draft.id for draft in drafts}) != len(drafts):
        raise Invalid("an id stands twice in one batch", field="id")
    for draft in drafts:
        own = {"session": draft.session_id == journal, "global": journal == GLOBAL}
        if not own.get(draft.scope, journal.startswith("u_")):
            raise Invalid(f"{draft.id} has scope {draft.scope} and does not belong in {journal}", field="scope")


def check_batches(batches: Sequence[Batch]) -> None:
    """Each is one that its journal takes, and no journal and no id stands in two of them."""
    ids = [draft.id for batch in batches for draft in batch.drafts]
    if len(set(ids)) != len(ids) or len({batch.journal for batch in batches}) != len(batches):
        raise Invalid("an id or a journal stands twice in one call", field="id")
    for batch in batches:
        check_batch(batch.journal, batch.drafts)
        if batch.card is not None and batch.card.id != batch.journal:
            raise Invalid(f"the card of {batch.card.id} is not that of {batch.journal}", field="card")


def read_at(book: Book, address: Address) -> Entry | None:
    """The entry at an address with its amendments, or None if anything there is not as it should be."""
    lines = {(line.offset, line.length): line for line in book.lines}
    records = [lines[span].record if span in lines else None for span in address.spans]
    first, *rest = records or [None]
    if first is None or first.get("id") != address.id or any(not r or r.get("amends") != address.id for r in rest):
        return None
    entry = entry_from(first)
    for record in rest:
        entry = amended(entry, amendment_from(record))  # type: ignore[arg-type]
    return entry
