"""Pen: the right to write to one journal. Whoever has it is the only writer, of any process.

Owns the order of an append: lock, look at the tail, announce, one write of whole lines, unlock, sync: the next
writer need not wait for our sync, and one sync of the disk does for all who wait for theirs (docs/decisions/0017).
A write that fails is taken back and tried again until the deadline; a sync that fails is never tried again, since the
kernel may have dropped the bytes and would call the second try a success. Whatever fails, nothing is acknowledged,
what was written is taken back, and what was known of the tail is forgotten.
"""

from __future__ import annotations

import os
import time

from ..disk import Irregular, exists, pread_all, refused, write_all
from ..errors import FormatTooNew, NotFound, SizeLimit
from ..lock import Lock
from .batch import check_lines
from .echo import Echoes
from .relaxed import Relaxed
from .tail import Tail, read_tail, stamp_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..disk import Disk
    from ..lock import Held
    from .echo import Written
    from .files import Place, Places
    from .options import JournalOptions

_FINAL = frozenset(("EROFS", "EACCES", "EPERM", "EBADF"))  # waiting does not help
_TAILS = 4096


class Desk:
    """What the pens of one agent share: disk, limits, known tails and echoes, what is still to be synced."""

    __slots__ = ("announce", "disk", "echoes", "options", "places", "relaxed", "tails")

    def __init__(
        self, disk: Disk, places: Places, options: JournalOptions, announce: Callable[[str], None]
    ) -> None:  # fmt: skip
        self.disk, self.places, self.options, self.announce = disk, places, options, announce
        self.tails: dict[str, Tail] = {}
        self.echoes = Echoes()
        self.relaxed = Relaxed(disk, options.relaxed_ms)

    def remember(self, journal: str, tail: Tail) -> None:
        if len(self.tails) >= _TAILS:
            self.tails.clear()
        self.tails[journal] = tail


class Pen:
    """A journal under its lock; a context manager."""

    __slots__ = ("_announced", "_deadline", "_desk", "_held", "_unsynced", "_wait_ms", "_what", "fd", "place", "tail")

    tail: Tail

    def __init__(self, desk: Desk, place: Place, what: str, wait_ms: int | None = None) -> None:
        self._desk, self.place, self._what = desk, place, what
        self._wait_ms = desk.options.lock_ms if wait_ms is None else wait_ms
        self.fd = -1
        self._announced = False
        self._unsynced: list[bytes] = []  # lines that are written and wait for a sync

    def __enter__(self) -> Pen:
        self._deadline = time.monotonic() + self._wait_ms / 1000
        lock = Lock(self.place.lock, self._desk.disk)
        self._held: Held = lock.hold(self._wait_ms, self._what)
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        try:
            self._let_go()
            if self._unsynced and error is None:
                self._sync_unlocked()
        finally:
            if self.fd >= 0:
                self._desk.disk.close(self.fd)
        if isinstance(error, OSError):
            path = error.filename if isinstance(error, Irregular) else self.place.directory
            raise refused(self._what, path, error) from error

    def _let_go(self) -> None:
        self._held.release()

    def open(self) -> Tail:
        """Open the journal at its end; NotFound if there is none."""
        disk, journal = self._desk.disk, self.place.journal
        try:
            self.fd = disk.open(self.place.entries, os.O_RDWR | os.O_APPEND)
            stat = disk.fstat(self.fd)
            known = self._desk.tails.get(journal)
            if known is not None and known.stamp == stamp_of(stat):
                self.tail = known
            else:
                self._settle()
                self.tail = read_tail(disk, self.fd, stat)
                self._desk.remember(journal, self.tail)
        except FileNotFoundError:
            raise NotFound(f"there is no journal {journal}", journal=journal) from None
        except OSError as error:
            raise refused(self._what, self.place.entries, error) from error
        return self.tail

    def _settle(self) -> None:
        """Finish what a writer killed between a rename and its sync left: the names must be durable first."""
        disk, place = self._desk.disk, self.place
        rewriting = exists(disk, place.settling)
        if rewriting or not exists(disk, place.card):
            self.sync_names()
        if rewriting:
            disk.unlink(place.settling)

    def sync_names(self) -> None:
        """Make every name that leads to the journal durable, whoever made it."""
        for directory in self._desk.places.above(self.place):
            try:
                self._desk.disk.sync_dir(directory)
            except PermissionError:  # above the home, where we may not look
                if directory.startswith(self._desk.places.folder):
                    raise

    def require_current(self, newer: bool) -> None:
        """FormatTooNew where a later version wrote: such a file is left exactly as it is."""
        if newer:
            raise FormatTooNew(
                f"{self.place.entries} was written by a later version of Holdfast and is read-only here; upgrade",
                path=self.place.entries, journal=self.place.journal,
            )  # fmt: skip

    def announce(self) -> None:
        """Before the first change: whoever answers questions must look here again (D12)."""
        if not self._announced:
            self._desk.announce(self.place.journal)
            self._announced = True

    def enter(self, written: Sequence[Written], at_once: bool = False) -> bool:
        """Append entries, each a line with its record; an index of this process need not read them back."""
        before = self.tail
        durable = self.append([line for line, _ in written], at_once)
        if before.sealed and self.tail is not before:
            self._desk.echoes.appended(self.place.journal, before.stamp, written, self.tail.stamp)
        return durable

    def append(self, lines: Sequence[bytes], at_once: bool = False) -> bool:
        """Write whole lines; True if they are durable when the pen is put down, or `at_once`; False if soon after."""
        tail, data = self.tail, self._data(lines)
        self._check_sizes(lines, len(data))
        self._desk.relaxed.raise_failure()
        self.announce()
        self.forget_tail()
        self._write(self.fd, self.place.entries, tail.size, data)
        durable = self._desk.options.durability == "durable"
        if durable and at_once:
            self._sync(self.fd, self.place.entries, tail.size)
        elif durable:
            self._unsynced += lines
        else:
            self._desk.relaxed.note(self.place.entries)
        self._remember(tail, len(lines))
        return durable

    def require_room(self, lines: Sequence[bytes]) -> None:
        """SizeLimit if these lines would not be taken."""
        self._check_sizes(lines, len(self._data(lines)))

    def _data(self, lines: Sequence[bytes]) -> bytes:
        return (b"" if self.tail.sealed else b"\n") + b"\n".join(lines) + b"\n"

    def _remember(self, before: Tail, added: int) -> None:
        """Know the tail for the next append; it is stored already, so failing to know is no failure."""
        try:
            stamp = stamp_of(self._desk.disk.fstat(self.fd))
        except OSError:
            return
        self.tail = Tail(before.header, stamp, before.next_seq + added, True, False)
        self._desk.remember(self.place.journal, self.tail)

    def read_all(self) -> bytes:
        """The whole journal as it stands under the lock."""
        return pread_all(self._desk.disk, self.fd, self.tail.size, 0)

    def forget_tail(self) -> None:
        """The file is about to change in another way than by our append."""
        self._desk.tails.pop(self.place.journal, None)

    def append_to(self, path: str, lines: Sequence[bytes], undo: Callable[[bytes], list[bytes]]) -> None:
        """Write whole lines to another file of the journal, always durable, its name too.

        Readers take no lock and know by the length alone how far they have read, so what was written whole is not cut
        off when its sync fails: lines that make up for it follow, which `undo` finds by what stood there before.
        """
        disk = self._desk.disk
        self.announce()
        fd = disk.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
        try:
            end = disk.fstat(fd).st_size
            seal = b"" if end == 0 or disk.pread(fd, 1, end - 1) == b"\n" else b"\n"
            self._write(fd, path, end, seal + b"\n".join(lines) + b"\n")
            try:
                disk.sync(fd)
                disk.sync_dir(self.place.directory)
            except OSError as error:
                self._make_up(fd, end, undo)
                raise refused("sync", path, error) from error
        finally:
            disk.close(fd)

    def _make_up(self, fd: int, end: int, undo: Callable[[bytes], list[bytes]]) -> None:
        """Where there is no room for that either, cut off what was written after all."""
        try:
            lines = undo(pread_all(self._desk.disk, fd, end, 0))
            write_all(self._desk.disk, fd, b"\n".join(lines) + b"\n")
            self._desk.disk.sync(fd)
        except OSError:
            self._taken_back(fd, end)

    def _write(self, fd: int, path: str, end: int, data: bytes) -> None:
        attempt = 0
        while True:
            try:
                return write_all(self._desk.disk, fd, data)
            except OSError as error:
                failure = refused("write to", path, error)
                if not (self._taken_back(fd, end) and self._may_retry(attempt, str(failure.details["errno"]))):
                    raise failure from error
            attempt += 1

    def _may_retry(self, attempt: int, name: str) -> bool:
        options = self._desk.options
        pause = options.backoff_ms * 2**attempt / 1000
        if name in _FINAL or attempt >= options.retries or time.monotonic() + pause > self._deadline:
            return False
        time.sleep(pause)
        return True

    def _sync(self, fd: int, path: str, end: int) -> None:
        try:
            self._desk.disk.sync(fd)
        except OSError as error:
            self._taken_back(fd, end)
            raise refused("sync", path, error) from error

    def _sync_unlocked(self) -> None:
        """Make durable what was written, while others write; they may have written behind it when this fails."""
        try:
            self._desk.disk.sync(self.fd)
        except OSError as error:
            from .retracting import retract  # a disk that fails may take its time

            self.forget_tail()
            retract(self._desk, self.place, self._unsynced)
            raise refused("sync", self.place.entries, error) from error

    def _taken_back(self, fd: int, end: int) -> bool:
        """Cut to where the file ended; if even that fails, the rest is torn and the next writer seals it."""
        try:
            self._desk.disk.ftruncate(fd, end)
        except OSError:
            return False
        return True

    def _check_sizes(self, lines: Sequence[bytes], new: int) -> None:
        options = self._desk.options
        check_lines(lines, options.entry_bytes)
        total = self.tail.size + self._buried_bytes() + new
        if total > options.session_bytes:
            raise self._full(total, new)

    def _buried_bytes(self) -> int:
        try:
            return self._desk.disk.stat(self.place.tombstones).st_size
        except FileNotFoundError:
            return 0

    def _full(self, total: int, new: int) -> SizeLimit:
        from .census import bytes_by_kind  # only a full journal is counted

        kinds = bytes_by_kind(self._desk.disk, self.place)
        shown = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items(), key=lambda item: -item[1]))
        limit = self._desk.options.session_bytes
        return SizeLimit(
            f"{self.place.journal} would grow to {total} bytes, over the limit of {limit} ({shown}); "
            "compact it, forget something, or raise journal.session_bytes",
            journal=self.place.journal, bytes=total, limit=limit, kinds=kinds, needed=new, kind="journal",
        )  # fmt: skip
