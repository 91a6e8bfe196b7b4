"""Reader: entries by id, read back from their journals and checked, with a small cache in front.

An index row says where an entry lies; what a caller gets is always the journal's own line, with id,
checksum and scope verified (D16). A line that does not read back is left out, and its journal is read
again. The cache of parsed entries is emptied whenever anybody changes the index (`data_version`).
"""

from __future__ import annotations

from _thread import allocate_lock

from ..model.query import passes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..model.entry import Entry
    from ..model.query import Filter
    from ..model.scope import Scope
    from ..ports import Index, Journal

_PAGE = 500
_WAIT_MS = 2_000
_MOST_SCOPES = 1_000


class Reader:
    """Reads entries for every stage that shows them to somebody."""

    def __init__(self, journal: Journal, index: Index, size: int = 100) -> None:
        self._journal, self._index, self._size = journal, index, size
        self._mutex = allocate_lock()
        self._cache: dict[str, Entry] = {}
        self._version = -1
        self.hits = self.misses = 0
        self.damaged = 0  # entries that did not read back
        self._left_out: tuple[int, dict[Scope, int]] = (-1, {})

    def after_fork(self) -> None:
        """In a child: another thread of the parent may have held our lock."""
        self._mutex = allocate_lock()
        self._cache = {}
        self._version = -1

    def entries(self, scope: Scope, ids: Sequence[str], every: bool = False) -> dict[str, Entry]:
        """The entries that exist, are in scope and read back whole; with `every` also hidden ones."""
        wanted = list(dict.fromkeys(ids))
        version = -1 if every else self._index.version(scope)
        found = {} if every else self._cached(scope, wanted, version)
        missing = [id for id in wanted if id not in found]
        if missing:
            read = self._read(scope, missing, every)
            if not every:
                self._keep(read, version)
            found.update(read)
        return {id: found[id] for id in wanted if id in found}

    def one(self, scope: Scope, id: str, every: bool = False) -> Entry | None:
        return self.entries(scope, [id], every).get(id)

    def all(self, scope: Scope, wanted: Filter) -> Iterator[Entry]:
        """Every entry that passes, oldest first, some hundreds at a time."""
        ids = [row.id for row in self._index.rows(scope, wanted, "oldest")]
        every = wanted.hidden or wanted.superseded
        for start in range(0, len(ids), _PAGE):
            page = self._read(scope, ids[start : start + _PAGE], every)
            yield from (entry for entry in page.values() if passes(entry, wanted))

    def _read(self, scope: Scope, ids: list[str], every: bool) -> dict[str, Entry]:
        """From the journals; once more after a catch-up for what was rewritten meanwhile."""
        places = self._index.locate(scope, ids, every)
        found = self._journal.fetch(scope, places.values())
        lost = [place for id, place in places.items() if id not in found]
        if lost:
            for journal in {place.journal for place in lost}:
                self._index.suspect(scope, journal)
            self._index.refresh(scope, _WAIT_MS)
            again = self._index.locate(scope, [place.id for place in lost], every)
            found.update(self._journal.fetch(scope, again.values()))
            self.damaged += sum(place.id not in found for place in lost)
        return {id: found[id] for id in ids if id in found}

    def left_out(self, scope: Scope) -> int:
        """How many entries no search in this scope can find, damaged or lost; found out once a version of the index."""
        version = self._index.version(scope)
        if version != self._left_out[0] or len(self._left_out[1]) > _MOST_SCOPES:
            self._left_out = (version, {})
        known = self._left_out[1]
        if scope not in known:
            from .missing import left_out  # a writer does without

            known[scope] = left_out(self._journal, self._index, scope)
        return known[scope]

    def _cached(self, scope: Scope, ids: list[str], version: int) -> dict[str, Entry]:
        with self._mutex:
            if version != self._version:
                self._cache.clear()
                self._version = version
            found = {id: self._cache[id] for id in ids if id in self._cache}
            for id, entry in found.items():  # to the end: the first is the one used longest ago
                del self._cache[id]
                self._cache[id] = entry
        self.hits += len(found)
        self.misses += len(ids) - len(found)
        return {id: entry for id, entry in found.items() if _sees(scope, entry)}

    def _keep(self, read: dict[str, Entry], version: int) -> None:
        """Unless somebody changed the index meanwhile: what was read may be what is gone."""
        with self._mutex:
            if version != self._version:
                return
            for id, entry in read.items():
                self._cache[id] = entry
            while len(self._cache) > self._size:
                del self._cache[next(iter(self._cache))]


def _sees(scope: Scope, entry: Entry) -> bool:
    return scope.sees(entry.scope, entry.user_id, entry.session_id, entry.workspace)
