"""FileJournal: the Journal port on plain files, below `<home>/agents/<agent>`.

Puts together what the other modules of this package own: pens write, replays read, places name the
files, access says who may. Readers take no lock: appends only add lines and rewrites change the file
in one step, so any moment is a consistent one. Readers never write. What most processes never do
(fetch, rewrite, blank, remove, inspect, quarantine) is loaded by the method that does it.
"""

from __future__ import annotations

from ..disk import REAL, Attempt, exists
from ..errors import Invalid, NotFound, StorageFailed
from ..lock import Lock
from ..model.entry import AMENDABLE, Amendment, require_unerased, require_unused, still_due
from ..model.moment import iso
from ..model.replay import Replay
from ..model.value import FrozenDict
from .access import Access, is_ones_own
from .batch import check_batch, check_lines
from .cards import Cards, check_card, read_card, write_card
from .files import Places
from .header import guessed_card
from .line import amendment_line, checksum_of, drafted
from .making import made
from .options import JournalOptions
from .pen import Desk, Pen
from .replay import NOTHING, Scan, replay_file
from .sizes import size_of
from .tail import stamp_of
from .together import Request, Together
from .tombstones import Graves, last_stones, read_tombstones, tombstone_line, undoing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from ..disk import Disk
    from ..model.batch import Batch
    from ..model.card import Card
    from ..model.entry import Draft, Entry, Tombstone
    from ..model.replay import Address, Line, Mark, Rewritten, Size
    from ..model.scope import Scope
    from ..ports import Clock, Keep
    from .batch import Known
    from .echo import Written
    from .files import Place
    from .quarantine import Quarantine
    from .together import Take


def _nobody(_journal: str) -> None:
    """Nobody waits to hear of writes."""


class FileJournal:
    """All journals of one agent; safe for threads and processes."""

    def __init__(
        self, folder: str, agent: str, clock: Clock, *, disk: Disk = REAL,
        announce: Callable[[str], None] = _nobody, options: JournalOptions | None = None,
    ) -> None:  # fmt: skip
        self._clock, self._disk = clock, disk
        self._places = Places(folder)
        self._access = Access(agent, disk, self._places)
        self._cards = Cards(disk)
        self._graves = Graves(disk)
        self._desk = Desk(disk, self._places, options or JournalOptions(), announce)
        self._together = Together()
        self._set_aside: Quarantine | None = None

    @property
    def _quarantine(self) -> Quarantine:
        if self._set_aside is None:
            from .quarantine import Quarantine

            self._set_aside = Quarantine(self._disk, self._places.quarantine)
        return self._set_aside

    def _pen(self, scope: Scope, journal: str, what: str) -> Pen:
        return Pen(self._desk, self._access.place(scope, journal), what)

    def _open(self, pen: Pen, scope: Scope) -> None:
        """Open for a change: the journal exists, is the scope's, and is of a version that we may write."""
        tail = pen.open()
        self._access.admit(scope, pen.place, tail.header)
        pen.require_current(tail.newer)

    def create(self, scope: Scope, card: Card) -> Card:
        """Make an empty journal with its card; an existing one is left as it is and its card returned.

        NotFound for a session that was forgotten, or is just being.
        """
        check_card(card)
        with self._pen(scope, card.id, "create") as pen:
            return self._made(pen, scope, card)

    def _made(self, pen: Pen, scope: Scope, card: Card) -> Card:
        self._graves.require_standing(pen.place)
        return made(self._disk, self._access, pen, scope, card)

    def card(self, scope: Scope, journal: str) -> Card | None:
        """The card, or None where there is no such journal; made again from the header if it is damaged."""
        place = self._access.place(scope, journal)
        with Attempt("read", place.card):
            return self._cards.read(place) if self._access.sees(scope, place) else None

    def save_card(self, scope: Scope, card: Card) -> None:
        """Replace the card atomically, whatever it says now."""
        check_card(card)
        self._renew_card(scope, card.id, lambda _: card)

    def change_card(self, scope: Scope, journal: str, change: Callable[[Card], Card]) -> Card:
        """Replace the card by what `change` makes of the one that is there, under the journal's lock."""

        def changed(found: Card | None) -> Card:
            if found is None:
                raise NotFound(f"the card of {journal} cannot be read; run `holdfast verify`", journal=journal)
            return change(found)

        return self._renew_card(scope, journal, changed)

    def _renew_card(self, scope: Scope, journal: str, make: Callable[[Card | None], Card]) -> Card:
        with self._pen(scope, journal, "save card") as pen:
            self._require(pen.place, pen.place.entries)
            self._access.admit(scope, pen.place)
            card = make(read_card(self._disk, pen.place))
            pen.announce()
            write_card(self._disk, pen.place, card)
            return card

    def append(self, scope: Scope, journal: str, drafts: Sequence[Draft], known: Known | None = None) -> list[Entry]:
        """Append entries, one lock, one write, one sync; returns them in order with seq and checksum."""
        check_batch(journal, drafts)
        place, request = self._access.place(scope, journal), Request(scope, drafts, known)
        if request.chosen:
            self._write_chosen(request, place)
            return request.answer()

        def write(take: Take, wait_ms: int) -> None:
            self._write(take, place, wait_ms)

        return self._together.append(journal, request, write, self._desk.options.lock_ms)

    def _write_chosen(self, request: Request, place: Place) -> None:
        """Alone with its ids: the same one may be on its way to another journal, whose lock is another."""
        from .locks import Locks  # few ids are chosen

        with Locks(self._desk, request.drafts) as locks:
            self._write(lambda: [request], place, locks.left_ms)

    def _write(self, take: Take, place: Place, wait_ms: int) -> None:
        """Write what those ask for who are taken under the lock; answers each, or raises what concerns them all."""
        written: list[Written] = []
        with Pen(self._desk, place, "append", wait_ms) as pen:
            tail = pen.open()
            batch = take()
            for request in batch:
                with request:
                    written += self._lines(request, pen, tail.next_seq + len(written))
            # Who repeats an id is answered with what is there: that must be durable before anybody can see it.
            durable = pen.enter(written, any(request.chosen for request in batch)) if written else True
        for request in batch:
            request.stored(durable)

    def _lines(self, request: Request, pen: Pen, seq: int) -> list[Written]:
        """What a request writes here from this seq on, if it may."""
        self._graves.require_standing(pen.place)
        self._access.admit(request.scope, pen.place, pen.tail.header)
        pen.require_current(pen.tail.newer)
        if request.chosen:
            ids = [draft.id for draft in request.drafts]
            require_unused(request.drafts, last_stones(self._disk, pen.place.tombstones, ids))
        return request.lines(seq, self._desk.options.entry_bytes)

    def append_all(self, scope: Scope, batches: Sequence[Batch], known: Known | None = None) -> list[list[Entry]]:
        """Append to several journals, or on an error to none; returns what each batch became."""
        from .several import Several

        for whose in (scope, *[batch.scope for batch in batches]):
            self._access.check_agent(whose)
        for batch in batches:
            if batch.card is not None:
                check_card(batch.card)
        return Several(self._desk, self._lines, self._made).append(batches, known)

    def measure(self, scope: Scope, drafts: Sequence[Draft]) -> int:
        """Bytes that these would take; SizeLimit (`kind="entry"`) if one alone is too large. Writes nothing."""
        lines = [drafted(draft, 1)[0] for draft in drafts]
        check_lines(lines, self._desk.options.entry_bytes)
        return sum(len(line) + 1 for line in lines)

    def amend(self, scope: Scope, journal: str, target: str, by: str, changes: Mapping[str, Any]) -> Amendment:
        """Append an amendment line; NotFound if a forget came first, whose words would then stay."""
        unknown = sorted(set(changes) - set(AMENDABLE))
        if unknown or not changes:
            raise Invalid(f"only {', '.join(AMENDABLE)} can be amended", field=(unknown or ["set"])[0])
        with self._pen(scope, journal, "amend") as pen:
            self._open(pen, scope)
            require_unerased(target, last_stones(self._disk, pen.place.tombstones, [target]))
            change = Amendment(
                seq=pen.tail.next_seq, amends=target, timestamp=iso(self._clock.now()), by=by, set=FrozenDict(changes)
            )
            line = amendment_line(change)
            pen.append([line], at_once=True)  # a compaction would fold it in, and then nobody could take it back
        return change.replace(checksum=checksum_of(line))

    def bury(self, scope: Scope, journal: str, tombstones: Sequence[Tombstone]) -> None:
        """Append tombstones (or their lifting), at any size of the journal: deleting must always work."""
        lines = {stone: tombstone_line(stone) for stone in tombstones}
        if not lines:
            return
        with self._pen(scope, journal, "bury") as pen:
            self._require(pen.place, pen.place.entries, pen.place.tombstones)
            self._access.admit(scope, pen.place)
            due = still_due(lines, last_stones(self._disk, pen.place.tombstones, [stone.id for stone in lines]))
            if due:
                told = [lines[stone] for stone in due]
                pen.append_to(pen.place.tombstones, told, lambda before: undoing(due, before))

    def _require(self, place: Place, *paths: str) -> None:
        if not any(exists(self._disk, path) for path in paths):
            raise NotFound(f"there is no journal {place.journal}", journal=place.journal)

    def replay(self, scope: Scope, journal: str, since: Mark | None = None, most: int | None = None) -> Replay:
        """The lines after a mark, or all of them when the mark no longer fits; `most` bytes of them at once.

        A journal that is not there is empty; it counts as lost if its card still stands, because
        `remove` takes the card away first.
        """
        place = self._access.place(scope, journal)
        with Attempt("read", place.entries):
            self._access.admit(scope, place)
            try:
                stamp = stamp_of(self._disk.stat(place.entries))
                heard = self._desk.echoes.heard(journal, since, stamp)
                if heard is not None:
                    return heard
                found = replay_file(self._disk, place.entries, since, most)
                self._adopt(place, found.mark.generation, found.lines)
                self._desk.echoes.read(journal, found.mark, stamp)
                return found
            except (FileNotFoundError, NotADirectoryError):
                lost = since is not None and since.offset > 0 and exists(self._disk, place.card)
                return Replay(lines=(), mark=NOTHING, fresh=True, lost=lost)

    def _adopt(self, place: Place, generation: int, lines: Iterable[Line]) -> None:
        """Where no header of ours says what the lines are of, the card does."""
        if generation == 0 and (card := self._cards.read(place)) is not None:
            from .older import adopted

            for line in lines:
                adopted(line.record, card)

    def tombstones(self, scope: Scope, journal: str, offset: int = 0) -> tuple[list[Tombstone], int]:
        """Tombstones from a byte offset on, and the offset after them."""
        place = self._access.place(scope, journal)
        with Attempt("read", place.tombstones):
            self._access.admit(scope, place)
            return read_tombstones(self._disk, place.tombstones, offset)

    def fetch(self, scope: Scope, addresses: Iterable[Address]) -> dict[str, Entry]:
        """Entries at these addresses, each checked (id, checksum, scope); what fails is left out."""
        from .fetching import fetch_from

        by_journal: dict[str, list[Address]] = {}
        for address in addresses:
            by_journal.setdefault(address.journal, []).append(address)
        return {
            entry.id: entry
            for journal, wanted in by_journal.items()
            for entry in fetch_from(self._disk, self._access.place(scope, journal), wanted, scope)
        }

    def rewrite(
        self, scope: Scope, journal: str, keep: Keep, *, drop_damaged: Callable[[bytes], bool] | None = None
    ) -> Rewritten:  # fmt: skip
        """Write the journal anew as a later generation with what `keep` returns; amendments are folded."""
        from .rewrite import next_header, survivors, swap, sweep

        with self._pen(scope, journal, "rewrite") as pen:
            self._open(pen, scope)
            scan = Scan(None).read(pen.read_all())
            pen.require_current(scan.newer)
            self._adopt(pen.place, scan.header.generation if scan.header else 0, scan.lines)
            result = survivors(scan, keep)
            pen.announce()
            sweep(self._disk, pen.place)
            self._quarantine.keep(journal, result.worth_keeping(drop_damaged))
            card = read_card(self._disk, pen.place) or guessed_card(journal, {}, iso(self._clock.now()))
            header = next_header(card, scan, self._clock.now())
            pen.forget_tail()
            size = swap(self._disk, pen.place, header, result.lines)
        return result.report(header, pen.tail.size, size)

    def blank(self, scope: Scope, journal: str, ids: Collection[str]) -> int:
        """Overwrite entries and their amendments in place by spaces, where no rewrite fits (D42)."""
        from .blanking import blank_lines, lines_about

        with self._pen(scope, journal, "blank") as pen:
            self._open(pen, scope)
            lines = lines_about(Scan(None).read(pen.read_all()).lines, ids)
            if lines:
                pen.announce()
                pen.forget_tail()
                blank_lines(self._disk, pen.place.entries, lines)
            return len(lines)

    def remove(self, scope: Scope, journal: str) -> None:
        """Remove entries and card for good; the tombstones stay. What is not there is removed already."""
        from .removal import remove_journal

        with self._pen(scope, journal, "remove") as pen:
            if not exists(self._disk, pen.place.directory):
                return
            self._access.admit(scope, pen.place)
            pen.announce()
            pen.forget_tail()
            remove_journal(self._disk, pen.place)

    def journals(self, scope: Scope) -> Iterator[str]:
        """Ids of all journals that the scope sees: sessions, users, global, each in order.

        A journal that was removed is listed as long as its tombstones stand, since they must be found; one that cannot
        be read, to whoever sees all of them.
        """
        self._access.check_agent(scope)
        with Attempt("list", self._places.folder):
            for place in self._places.found(self._disk):
                if self._access.is_there(place) and self._access.finds(scope, place):
                    yield place.journal

    def roster(self, scope: Scope) -> object:
        """The stamp of the directory in which each session has its own."""
        self._access.check_agent(scope)
        return self._places.sessions_stamp(self._disk)

    def size(self, scope: Scope, journal: str) -> Size | None:
        """Sizes and times of the journal's files by stat; None where it does not exist."""
        place = self._access.place(scope, journal)
        with Attempt("look at", place.directory):
            return size_of(self._disk, place) if self._access.sees(scope, place) else None

    def owner(self, scope: Scope, journal: str) -> str | None:
        """Whose journal it is, where anything of it that can be read says so."""
        return self._access.owner(self._access.place(scope, journal))

    def when_idle(self, scope: Scope, journal: str, act: Callable[[], None]) -> bool:
        """Run `act` while no writer is in this journal; False, at once, if one is."""
        self._access.place(scope, journal)
        try:
            held = Lock(self._places.lock(journal), self._disk).attempt("idle")
        except StorageFailed as error:
            if error.details.get("errno") != "EROFS":
                raise
            act()  # where nothing can be written, no writer is in
            return True
        if held is None:
            return False
        with held:
            act()
        return True

    def quarantine(self, scope: Scope, journal: str, pieces: Sequence[tuple[int, bytes]]) -> int:
        """Keep damaged pieces (offset, bytes) as found, each once; returns how many were new."""
        self._access.place(scope, journal)
        with Attempt("write to", self._places.quarantine):
            return self._quarantine.keep(journal, pieces)

    def quarantined(self, scope: Scope, journal: str | None = None) -> list[dict[str, Any]]:
        """What lies in quarantine; see the port."""
        self._access.check_agent(scope)
        with Attempt("read", self._places.quarantine):
            pieces = self._quarantine.kept(journal)
            seen = {name: self._access.finds(scope, self._places.of(name)) for name in {p["journal"] for p in pieces}}
            return [piece for piece in pieces if is_ones_own(scope, piece, seen[piece["journal"]])]

    def release(self, scope: Scope, journal: str, matches: Callable[[bytes], bool]) -> int:
        """Erase the quarantined pieces of a journal for which `matches` says yes."""
        place = self._access.place(scope, journal)
        with Attempt("erase from", self._places.quarantine):
            self._access.admit(scope, place)
            return self._quarantine.release(journal, matches)

    def inspect(self, scope: Scope, journal: str, replay: Replay | None = None) -> list[dict[str, Any]]:
        """Every damaged place in the journal's files: file, line (0: the whole file), offset, bytes, what."""
        from .inspection import damage

        place = self._access.place(scope, journal)
        with Attempt("read", place.directory):
            self._access.admit(scope, place)
            return list(damage(self._disk, place, replay))

    def close(self) -> None:
        """Sync what is relaxed and let go of every handle."""
        self._desk.relaxed.flush()
        self._desk.tails.clear()
        self._desk.echoes.clear()
