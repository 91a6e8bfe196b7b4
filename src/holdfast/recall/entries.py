"""Reader: entries by id, read back from their journals and checked, with a small cache in front.

An index row says where an entry lies; what a caller gets is always the journal's own line, with id,
checksum and scope verified (D16). A line that does not read back is left out, and its journal is read
again. The cache of parsed entries is emptied whenever anybody changes the index (`data_version`). Where the index is
behind, what its journals say since counts as well (`unindexed`).
"""

from __future__ import annotations

from _thread import _local, allocate_lock

from ..errors import HoldfastError
from ..model.query import oldest_first, passes, row_for
from ..model.scope import whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..model.entry import Entry, Tombstone
    from ..model.query import Filter
    from ..model.replay import Address, Mark
    from ..model.scope import Scope
    from ..ports import Index, Journal
    from .unindexed import Behind

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
        self._mine = _local()  # what each thread came upon
        self._left_out: tuple[int, dict[Scope, int]] = (-1, {})

    def after_fork(self) -> None:
        """In a child: another thread of the parent may have held our lock."""
        self._mutex = allocate_lock()
        self._cache = {}
        self._version = -1

    def entries(self, scope: Scope, ids: Sequence[str], every: bool = False) -> dict[str, Entry]:
        """The entries that exist, are in scope and read back whole; with `every` also hidden ones."""
        wanted = list(dict.fromkeys(ids))
        if behind := self._index.lagging(scope):
            found = self._read_behind(scope, wanted, every, behind)
            return {id: found[id] for id in wanted if id in found}
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

    def all(self, scope: Scope, wanted: Filter, behind: Behind) -> Iterator[Entry]:
        """Every entry that passes, oldest first, some hundreds at a time; `behind` as the index had it lagging."""
        rows = self._index.rows(scope, wanted, "oldest")
        ids = [row.id for row in rows]
        if behind:
            known = {row.id: row for row in rows}
            known.update({late.id: row_for(late) for late in self.unindexed(scope, behind, wanted)})
            ids = [row.id for row in oldest_first(list(known.values()))]
        every = wanted.hidden or wanted.superseded
        for start in range(0, len(ids), _PAGE):
            page = self._read_behind(scope, ids[start : start + _PAGE], every, behind)
            yield from (entry for entry in page.values() if passes(entry, wanted))

    def unindexed(self, scope: Scope, behind: Behind, wanted: Filter | None = None) -> list[Entry]:
        """What lies in journals beyond what the index has read of them, and passes; without a filter all of it."""
        from .unindexed import passing, unindexed  # here and below: nobody needs it while the index is level

        found: list[Entry] = []
        for journal in unindexed(self._journal, whole(scope.agent), behind):
            entries = journal.entries.values() if wanted is None else passing(journal, wanted)
            found += [entry for entry in entries if _sees(scope, entry) and (wanted is None or passes(entry, wanted))]
        return found

    def buried(self, scope: Scope, ids: Sequence[str]) -> dict[str, Tombstone]:
        """The standing tombstones of these ids, those included that the index has not seen."""
        found = self._index.buried(scope, ids)
        if behind := self._index.lagging(scope):
            from .unindexed import unindexed

            for journal in unindexed(self._journal, whole(scope.agent), behind):
                found.update({id: journal.stones[id] for id in ids if id in journal.stones})
        return found

    def _read_behind(self, scope: Scope, ids: list[str], every: bool, behind: Behind) -> dict[str, Entry]:
        """From the journals, as they are now, though the index has not seen all of these."""
        if not behind:
            return self._read(scope, ids, every)
        places = self._index.locate(scope, ids, every)
        found = self._read(scope, [id for id in places if places[id].journal not in behind], every)
        late = {place.journal for place in places.values() if place.journal in behind}
        for journal in behind if len(places) < len(ids) else late:  # one that was never indexed may lie in any of them
            mine = [place for place in places.values() if place.journal == journal]
            found.update(self._latest(scope, (journal, behind[journal]), mine, ids, every))
        return {id: found[id] for id in ids if id in found}

    def _latest(
        self, scope: Scope, late: tuple[str, Mark | None], places: list[Address], ids: list[str], every: bool
    ) -> dict[str, Entry]:
        """Those of a journal that the index is behind with, as they stand now."""
        from .unindexed import Unindexed

        known = self._journal.fetch(scope, places)
        try:
            journal = Unindexed(self._journal, whole(scope.agent), *late)
        except HoldfastError:
            self._miss(len(known))
            return {}
        found = [entry for id in ids if (entry := journal.now(id, known.get(id))) is not None]
        return {entry.id: entry for entry in found if _sees(scope, entry) and (every or journal.shows(entry))}

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
            self._miss(sum(place.id not in found for place in lost))
        return {id: found[id] for id in ids if id in found}

    @property
    def damaged(self) -> int:
        """How many entries did not read back for this thread: an answer counts those that it came upon itself."""
        return getattr(self._mine, "damaged", 0)

    def _miss(self, entries: int) -> None:
        self._mine.damaged = self.damaged + entries

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
