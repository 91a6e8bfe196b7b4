"""A Journal in memory: the port's promises in plain Python, with no file and no lock but a mutex.

It keeps the port honest: whatever the stages need of a journal, this can give them. It is what the
contract suite is written against first; nothing survives the process.
"""

from __future__ import annotations

from _thread import allocate_lock
from typing import TYPE_CHECKING, Any

from ..errors import Denied, Invalid, NotFound, SizeLimit
from ..model.batch import Batch
from ..model.entry import (
    AMENDABLE,
    REASONS,
    Amendment,
    Entry,
    Tombstone,
    require_standing,
    require_unerased,
    require_unused,
    still_due,
)  # fmt: skip
from ..model.ids import GLOBAL, SESSION_ID, USER_DIR, digest, user_dir
from ..model.moment import iso
from ..model.record import fold
from ..model.replay import Mark, Replay, Rewritten, Size
from ..model.salvage import told
from ..model.value import freeze
from .book import Book, check_batches, check_card, encoded, entered, read_at

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from ..model.card import Card
    from ..model.entry import Draft
    from ..model.replay import Address
    from ..model.scope import Scope
    from ..ports import Clock, Keep, Known

SESSION_BYTES = 10 * 1024 * 1024
ENTRY_BYTES = 1024 * 1024
_NOTHING = Mark(generation=0, offset=0, line=0, seq=0, tail_offset=0, tail_hash="")


def _nobody(_journal: str) -> None:
    """Nobody waits to hear of writes."""


class MemoryJournal:
    """Implements the Journal port for tests; `options` may lower `session_bytes` and `entry_bytes`."""

    def __init__(
        self, agent: str, clock: Clock, options: Any = None, announce: Callable[[str], None] = _nobody
    ) -> None:
        self.agent = agent
        self._clock = clock
        self._announce = announce
        self._most = getattr(options, "session_bytes", SESSION_BYTES)
        self._most_entry = getattr(options, "entry_bytes", ENTRY_BYTES)
        self._books: dict[str, Book] = {}
        self._choosing = allocate_lock()  # one write with chosen ids at a time

    # -- whose

    def _book(self, scope: Scope, journal: str) -> Book | None:
        """The journal, unless it does not exist; Denied if it is not the scope's."""
        if scope.agent != self.agent:
            raise Denied(f"this is the memory of agent {self.agent}, not of {scope.agent}", grant="agent")
        if not any(pattern.match(journal) for pattern in (SESSION_ID, USER_DIR)) and journal != GLOBAL:
            raise Invalid(f"{journal[:80]!r} is not the id of a journal", field="journal")
        book = self._books.get(journal)
        if book is not None and not _is_own(scope, book):
            raise Denied(f"{journal} belongs to another user", grant="user", journal=journal)
        return book

    def _seen(self, scope: Scope, journal: str) -> Book | None:
        """The same for a reader who may not even know of it."""
        try:
            book = self._book(scope, journal)
        except Denied:
            if scope.agent != self.agent:
                raise
            return None
        return book if journal != GLOBAL or scope.shared else None

    def _writable(self, scope: Scope, journal: str) -> Book:
        book = self._book(scope, journal)
        if book is None or book.card is None:
            raise NotFound(f"there is no journal {journal}", journal=journal)
        self._announce(journal)
        return book

    # -- cards

    def create(self, scope: Scope, card: Card) -> Card:
        check_card(card)
        if card.kind != "global" and scope.user not in (None, card.user_id):
            raise Denied(f"{card.id} would belong to another user", grant="user", journal=card.id)
        if scope.agent == self.agent and card.id in self._books:
            require_standing(card.id, self._books[card.id].last_stones)
        self._book(scope, card.id)
        book = self._books.setdefault(card.id, Book(card.id))
        if book.card is None:
            self._announce(card.id)
            book.card = card
            book.card_changes += 1
            book.begin()
        return book.card

    def card(self, scope: Scope, journal: str) -> Card | None:
        book = self._seen(scope, journal)
        return book.card if book else None

    def save_card(self, scope: Scope, card: Card) -> None:
        check_card(card)
        self.change_card(scope, card.id, lambda _: card)

    def change_card(self, scope: Scope, journal: str, change: Callable[[Card], Card]) -> Card:
        book = self._writable(scope, journal)
        with book.mutex:
            if book.card is None:
                raise NotFound(f"there is no card of {journal}", journal=journal)
            book.card = change(book.card)
            book.card_changes += 1
            return book.card

    # -- writing

    def append(
        self, scope: Scope, journal: str, drafts: Sequence[Draft],
        known: Known | None = None,
    ) -> list[Entry]:  # fmt: skip
        return self.append_all(scope, [Batch(scope=scope, journal=journal, drafts=drafts)], known)[0]

    def append_all(
        self, scope: Scope, batches: Sequence[Batch],
        known: Known | None = None,
    ) -> list[list[Entry]]:  # fmt: skip
        self._book(scope, GLOBAL)
        check_batches(batches)
        if not any(draft.chosen_id for batch in batches for draft in batch.drafts):
            return self._append_all(batches, known)
        with self._choosing:
            return self._append_all(batches, known)

    def _append_all(self, batches: Sequence[Batch], known: Known | None) -> list[list[Entry]]:
        made = [batch.journal for batch in batches if batch.card is not None and self._is_made(batch.scope, batch.card)]
        held: list[Book] = []
        try:
            books = [self._writable(batch.scope, batch.journal) for batch in batches]
            for book in sorted(books, key=lambda book: book.id):
                book.mutex.acquire()
                held.append(book)
            stored = [self._known_of(book, batch, known) for book, batch in zip(books, batches, strict=True)]
            return [_entered_all(*part) for part in zip(books, batches, stored, strict=True)]
        except BaseException:
            for id in made:
                self._unmake(id)
            raise
        finally:
            for book in held:
                book.mutex.release()

    def _is_made(self, scope: Scope, card: Card) -> bool:
        there = self._books.get(card.id)
        self.create(scope, card)
        return there is None or not there.lines

    def _unmake(self, journal: str) -> None:
        book = self._books[journal]
        book.card, book.lines = None, []
        if not book.stones:
            del self._books[journal]

    def _known_of(self, book: Book, batch: Batch, known: Known | None) -> dict[str, Entry]:
        """What of a batch is stored already, if the rest can be written."""
        require_standing(book.id, book.last_stones)
        require_unused(batch.drafts, book.last_stones)
        chosen = [draft for draft in batch.drafts if draft.chosen_id]
        stored = dict(known(chosen)) if known and chosen else {}
        self._make_room(batch.scope, book, [draft for draft in batch.drafts if draft.id not in stored])
        return stored

    def measure(self, scope: Scope, drafts: Sequence[Draft]) -> int:
        sizes = [len(encoded(entered(draft, 1).to_dict())) + 1 for draft in drafts]
        for size in sizes:
            if size > self._most_entry:
                raise SizeLimit(
                    f"an entry takes {size} bytes; at most {self._most_entry} are allowed",
                    kind="entry", bytes=size, limit=self._most_entry,
                )  # fmt: skip
        return sum(sizes)

    def _make_room(self, scope: Scope, book: Book, drafts: Sequence[Draft]) -> None:
        needed = self.measure(scope, drafts)
        total = book.end + book.buried + needed
        if drafts and total > self._most:
            kinds = {"entries": book.end, "tombstones": book.buried}
            raise SizeLimit(
                f"{book.id} would take {total} bytes; at most {self._most} are allowed. Compact it or forget something",
                journal=book.id, bytes=total, limit=self._most, needed=needed, kinds=kinds,
            )  # fmt: skip

    def amend(self, scope: Scope, journal: str, target: str, by: str, changes: Mapping[str, Any]) -> Amendment:
        if not changes or not set(changes) <= set(AMENDABLE):
            raise Invalid(f"only {', '.join(AMENDABLE)} can be amended", field="set")
        book = self._writable(scope, journal)
        with book.mutex:
            require_unerased(target, book.last_stones)
            change = Amendment(
                seq=book.next_seq, amends=target, timestamp=iso(self._clock.now()), by=by, set=freeze(dict(changes))
            )
            shown = {name: value for name, value in change.to_dict().items() if value is not None}
            checksum = book.add(shown)
            book.next_seq += 1
            return change.replace(checksum=checksum)

    def bury(self, scope: Scope, journal: str, tombstones: Sequence[Tombstone]) -> None:
        book = self._book(scope, journal)
        if any(stone.reason not in REASONS for stone in tombstones):
            raise Invalid(f"reason must be one of {', '.join(REASONS)}", field="reason")
        if book is None:
            raise NotFound(f"there is no journal {journal}", journal=journal)
        self._announce(journal)
        with book.mutex:
            for stone in still_due(tombstones, book.last_stones):
                shown = {name: value for name, value in stone.to_dict().items() if value is not None}
                book.stones.append((book.buried + len(encoded(shown)) + 1, stone))
            book.changes += 1

    # -- reading

    def replay(self, scope: Scope, journal: str, since: Mark | None = None, most: int | None = None) -> Replay:
        book = self._book(scope, journal)
        if book is None or book.card is None:
            return Replay(lines=(), mark=_NOTHING, fresh=True)
        fits = since is not None and book.fits(since)
        begin = since.line if fits and since is not None else 1
        good = [line for line in book.lines[begin:] if not line.raw.isspace()]
        return Replay(
            lines=tuple(good), mark=book.mark(), fresh=not fits,
            lost=since is not None and since.generation == book.generation and since.offset > book.end,
        )  # fmt: skip

    def tombstones(self, scope: Scope, journal: str, offset: int = 0) -> tuple[list[Tombstone], int]:
        book = self._book(scope, journal)
        if book is None:
            return [], 0
        return [stone for end, stone in book.stones if end > offset or offset > book.buried], book.buried

    def fetch(self, scope: Scope, addresses: Iterable[Address]) -> dict[str, Entry]:
        found = {}
        for address in addresses:
            book = self._seen(scope, address.journal)
            entry = read_at(book, address) if book else None
            if entry and scope.sees(entry.scope, entry.user_id, entry.session_id, entry.workspace):
                found[address.id] = entry
        return found

    def journals(self, scope: Scope) -> Iterator[str]:
        ranked = sorted(self._books, key=lambda id: (id == GLOBAL, not id.startswith("sess_"), id))
        return iter([id for id in ranked if self._seen(scope, id) is not None])

    def roster(self, scope: Scope) -> object:
        return frozenset(self._books)

    def size(self, scope: Scope, journal: str) -> Size | None:
        book = self._seen(scope, journal)
        if book is None or (book.card is None and not book.stones):
            return None
        return Size(
            entries=book.end, tombstones=book.buried, inode=book.inode if book.card else 0,
            changed=book.changes, card_changed=book.card_changes,
        )  # fmt: skip

    def owner(self, scope: Scope, journal: str) -> str | None:
        book = self._book(scope, journal)
        return book.card.user_id if book is not None and book.card is not None else None

    def inspect(self, scope: Scope, journal: str, replay: Replay | None = None) -> list[dict[str, Any]]:
        book = self._book(scope, journal)
        return [
            {"file": journal, "line": line.number, "offset": line.offset, "bytes": line.length, "what": "damaged line"}
            for line in (book.lines if book else ()) if line.record is None and not line.raw.isspace()
        ]  # fmt: skip

    # -- upkeep

    def rewrite(
        self, scope: Scope, journal: str, keep: Keep, *, drop_damaged: Callable[[bytes], bool] | None = None
    ) -> Rewritten:
        book = self._writable(scope, journal)
        with book.mutex:
            before, lines = book.end, book.written()
            entries = fold(lines)
            kept = [entry for entry in map(keep, entries.values()) if entry is not None]
            damaged = [(line.offset, line.raw) for line in lines if line.record is None]
            self._set_aside(book, [piece for piece in damaged if not (drop_damaged and drop_damaged(piece[1]))])
            book.generation += 1
            book.begin()
            for entry in sorted(kept, key=lambda entry: entry.seq):
                book.add(entry.to_dict())
        return Rewritten(
            generation=book.generation, kept=len(kept), dropped=len(entries) - len(kept), damaged=len(damaged),
            bytes_before=before, bytes_after=book.end,
        )  # fmt: skip

    def blank(self, scope: Scope, journal: str, ids: Collection[str]) -> int:
        book = self._writable(scope, journal)
        gone = book.about(ids)
        with book.mutex:
            for line in gone:
                line.raw, line.record = b" " * line.length, None
            book.changes += 1
        return len(gone)

    def remove(self, scope: Scope, journal: str) -> None:
        book = self._book(scope, journal)
        if book is not None:
            self._announce(journal)
            with book.mutex:
                book.card, book.lines = None, []
                book.generation += 1
                book.changes += 1

    def when_idle(self, scope: Scope, journal: str, act: Callable[[], None]) -> bool:
        book = self._book(scope, journal)
        if book is None:
            act()
            return True
        if not book.mutex.acquire(False):
            return False
        try:
            act()
        finally:
            book.mutex.release()
        return True

    # -- quarantine

    def _set_aside(self, book: Book, pieces: Sequence[tuple[int, bytes]]) -> int:
        fresh = {(offset, digest(piece)): piece for offset, piece in pieces}
        new = [place for place in fresh if place not in book.pieces]
        book.pieces.update(fresh)
        return len(new)

    def quarantine(self, scope: Scope, journal: str, pieces: Sequence[tuple[int, bytes]]) -> int:
        self._book(scope, journal)
        return self._set_aside(self._books.setdefault(journal, Book(journal)), pieces)

    def quarantined(self, scope: Scope, journal: str | None = None) -> list[dict[str, Any]]:
        named = [journal] if journal is not None else list(self.journals(scope))
        books = [book for id in named if (book := self._seen(scope, id))]
        return [
            {
                "journal": book.id, "offset": offset, "hash": hash, "bytes": len(piece), "file": f"{book.id}-{offset}",
                "trouble": None, **told(piece),
            }
            for book in books for (offset, hash), piece in sorted(book.pieces.items())
        ]  # fmt: skip

    def release(self, scope: Scope, journal: str, matches: Callable[[bytes], bool]) -> int:
        book = self._book(scope, journal)
        gone = [place for place, piece in book.pieces.items() if matches(piece)] if book else []
        for place in gone:
            del book.pieces[place]  # type: ignore[union-attr]
        return len(gone)

    def close(self) -> None:
        return None


def _entered_all(book: Book, batch: Batch, stored: dict[str, Entry]) -> list[Entry]:
    for draft in batch.drafts:
        if draft.id not in stored:
            entry = entered(draft, book.next_seq)
            stored[draft.id] = entry.replace(checksum=book.add(entry.to_dict()))
            book.next_seq += 1
    return [stored[draft.id] for draft in batch.drafts]


def _is_own(scope: Scope, book: Book) -> bool:
    """Whether a journal is the scope's own or shared by all; one without a card has nothing but tombstones."""
    if scope.user is None or book.id in (GLOBAL, user_dir(scope.user)):
        return True
    return book.card is not None and book.card.user_id == scope.user
