"""Live: which database answers, and what happens when it turns out to be damaged.

Opens the generation that CURRENT names, builds one where there is none, and replaces one that is
deleted, emptied, cut or garbage, once for all processes; then the question is asked again. It compares
name and file before questions, since another process may have flipped or removed them; what is
removed in the middle of one is asked again for a while. Trouble comes out as a typed error. The rule:
nothing is built while `index.lock` is held, since the flip at the end of a build needs that lock, and it
is not reentrant.
"""

from __future__ import annotations

import errno
import os
import time
from _thread import RLock

import apsw

from ..disk import EXHAUSTED
from ..errors import Corrupt, Locked, StorageFailed
from .database import ODD_VALUES, WAITING, Damaged, Database, Doubtful, ask_all, is_damage
from .marks import boot_id
from .mending import PATIENCE_S, IndexLock, Swept, make_folder, persist, unbuildable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from ..disk import Disk
    from ..lock import Lock
    from ..model.scope import Scope
    from ..ports import Progress
    from .building import Builder, Furnish
    from .generations import Generations
    from .judging import Spot

    Answer = TypeVar("Answer")

BUILD_WAIT_MS = 600_000
_REBUILD_S = 60.0  # how long a build begins again that is taken away: in 2 s a `forget` every half second won
STEADY_S = 0.005  # a search asks twenty questions, and begins by looking: they need not all look again
_NEVER = float("-inf")  # not 0: a machine that has just started counts its seconds from there
ALONE_WAIT_MS = 60_000


class Live:
    """The open generation of one index; safe for threads."""

    def __init__(
        self,
        folder: str,
        scope: Scope,
        generations: Generations,
        disk: Disk,
        builder: Callable[[], Builder],
        vfs: str | None,
    ) -> None:
        self.folder, self._scope, self._generations, self._disk = folder, scope, generations, disk
        self._builder, self._vfs = builder, vfs
        self._lock = IndexLock(os.path.join(folder, "build.lock"), disk)
        self._mutex = RLock()
        self._base: Database | None = None
        self._looked = _NEVER  # when name and file were last compared
        self._answer = object()  # that is being given
        self._version: tuple[object, float, int] | None = None  # found out for which answer, and when
        self.name: str | None = None
        self.rebuilt = 0  # damaged generations replaced since we were opened
        self._ours: set[Spot] = set()  # where errors of ours came up that look like damage
        self.stale = False  # marks may have been lost: every journal must be compared
        self.others = ""  # how other versions' files were when all journals were last compared
        self.sign: str | None = None  # under which the generation was level with all that is not marked

    def database(self) -> Database:
        """The live generation, opened; built first where there is none or it is damaged."""
        return self._reopened(self._generations.current()) or self._replaced(None)

    def ready(self, seconds: float = PATIENCE_S) -> Database:
        """The same, made again as often as it is taken away, so long; trouble comes out as a typed error."""
        return self.typed(lambda: persist(self.database, self._make_folder, seconds))

    def present(self) -> Database:
        """The live generation as it is, for whoever holds `index.lock` and so must not build."""
        found = self._reopened(self._generations.current())
        if found is None:
            raise Damaged("there is no index to work on")
        return found

    def swept(self) -> bool:
        """Whether the file that is open was taken away."""
        base = self._base
        return base is not None and base.replaced()

    @property
    def opened(self) -> Database | None:
        return self._base

    def _opened(self, name: str | None) -> Database | None:
        """The generation of this name; None if it is missing or damaged."""
        if self._base is not None and name == self.name and not self._base.replaced():
            self._looked = time.monotonic()
            return self._base
        self.let_go()
        if name is None or (base := self._tried(name)) is None:
            return None
        self._base, self.name = base, name
        return base

    def _tried(self, name: str) -> Database | None:
        base = None
        try:
            base = Database(self._generations.path(name), self._vfs)
            base.ask(self._greet)
        except (apsw.Error, *ODD_VALUES, Damaged, OSError) as error:
            if base is not None:
                base.retire()
            if not isinstance(error, (Damaged, OSError)) and os.path.exists(self._generations.path(name)):
                raise
            return None
        return base

    def _greet(self, connection: apsw.Connection) -> None:
        """After a restart of the machine, marks may have been lost with the page cache: compare all."""
        found = dict(ask_all(connection, "SELECT key, value FROM meta WHERE key IN ('boot', 'marks', 'others')"))
        if "boot" not in found:
            raise Damaged("never finished")
        self.stale = self.stale or found["boot"] != boot_id()
        self.sign, self.others = found.get("marks"), found.get("others", "")

    def _replaced(self, condemned: str | None) -> Database:
        """Build a generation in place of one that is missing or damaged, once for all processes and threads.

        Without the mutex: the flip needs `index.lock`, and whoever holds that may be waiting for the mutex.
        """
        try:
            self._make_folder()
            held = self._lock.hold(BUILD_WAIT_MS, "build the index")
        except (OSError, StorageFailed) as error:
            raise unbuildable(self.folder, error) from error
        with held:
            name = self._generations.current()
            if name != condemned and (found := self._reopened(name)) is not None:
                return found  # another one did it while we waited
            if name is not None:
                self.rebuilt += 1
            self._builder().build(self._scope)
            found = self._reopened(self._generations.current())
            if found is None and not self._generations.there():
                raise Swept("the index was taken away right after it was built")
            if found is None:
                raise Corrupt(f"the index in {self.folder} cannot be opened right after it was built")
            return found

    def _reopened(self, name: str | None) -> Database | None:
        with self._mutex:
            return self._opened(name)

    def _make_folder(self) -> None:
        make_folder(self._disk, self.folder)

    def rebuild(self, progress: Progress | None, furnish: Furnish | None = None) -> None:
        """Build a new generation beside the live one, which serves until the flip."""

        def build() -> None:
            self._make_folder()
            with self._lock.hold(BUILD_WAIT_MS, "rebuild the index"):
                self._builder().build(self._scope, progress, furnish)

        self.typed(lambda: persist(build, self._make_folder, _REBUILD_S))
        self.let_go()

    def sweep(self) -> None:
        """Take away what a killed build left: it holds all texts of its time, also those that were erased since.

        Never waits: whoever has `build.lock` is building, and sweeps in the end. Where CURRENT names nothing that is
        there, a search is about to build, which sweeps as well. Other versions' are left to them.
        """
        try:
            held = self._lock.attempt("sweep the index") if self._generations.unbuilt() else None
            if held is not None:
                with held:
                    for name in self._generations.unbuilt() if self._generations.there() else ():
                        self._generations.discard(name)
        except (OSError, StorageFailed):
            return  # a disk that refuses now may let the next one

    def let_go(self) -> None:
        with self._mutex:
            if self._base is not None:
                self._base.retire()
            self._base = self.name = None

    def ask(self, question: Callable[[apsw.Connection], Answer]) -> Answer:
        """Answer from the live generation; if it proves damaged, from a new one."""
        return self._use(lambda base: base.ask(question))

    def version(self) -> int:
        """Moves whenever anybody commits, and with every generation."""
        return self._use(lambda base: hash((base.serial, base.version())))

    def lately(self) -> int:
        """The same as somebody found out since an answer began; for notes, which a search asks for all at once."""
        known, answer = self._version, self._answer
        if known is not None and known[0] is answer and time.monotonic() - known[1] < STEADY_S:
            return known[2]
        version = self.version()
        self._version = answer, time.monotonic(), version
        return version

    def alone(
        self, lock: Lock, what: str, act: Callable[[apsw.Connection], Answer], wait_ms: int = ALONE_WAIT_MS
    ) -> Answer:
        """Act while nobody else writes; a generation that proves damaged is replaced without the lock, then again."""

        def locked(_base: Database) -> Answer:
            with lock.hold(wait_ms, what):
                return self.present().ask(act)

        return self._use(locked)

    def look_again(self) -> None:
        """The next question looks for itself whether this generation is still the one."""
        self._looked = _NEVER

    def begin(self) -> None:
        """An answer begins here: what was found out for another one does not count."""
        self._answer = object()

    def _steady(self) -> Database | None:
        """The open generation, if somebody has just seen that it is the one."""
        return self._base if time.monotonic() - self._looked < STEADY_S else None

    def _use(self, act: Callable[[Database], Answer]) -> Answer:
        deadline = time.monotonic() + PATIENCE_S
        last = False
        steady = self._steady()
        while True:
            base, steady = steady or self.ready(), None
            try:
                return act(base)
            except WAITING as error:
                raise self._busy() from error
            except (apsw.Error, *ODD_VALUES, Damaged) as error:
                if (base.retired or base.replaced()) and time.monotonic() < deadline:
                    continue  # let go or taken away while we asked: neither damage nor trouble
                if isinstance(error, Damaged):
                    self.condemn(base, error, last)
                elif is_damage(error) and not base.retired:
                    raise  # it looks like damage and is none: an error of ours
                elif last:
                    raise self._failed(error) from error
                last = True

    def condemn(self, base: Database, error: Damaged, last: bool = False) -> None:
        """Replace a damaged generation, unless somebody already did."""
        if isinstance(error, Doubtful):
            self._suspected(base, error, last)
        elif last:
            raise Corrupt(f"the index in {self.folder} is damaged again after a rebuild", path=self.folder) from error
        else:
            self._supersede(base)

    def _suspected(self, base: Database, error: Doubtful, last: bool) -> None:
        """What fails on a new generation as well, or keeps one from being built, is no damage: so it is said, and for
        it nothing is built again."""
        from .judging import note, noted, spot_of  # nearly nobody comes here

        cause = error.__cause__ or error
        spot = spot_of(cause)
        if last:
            note(base, spot)
        if last or spot in self._ours or noted(base, spot):
            self._ours.add(spot)
            raise cause
        try:
            self._supersede(base)
        except StorageFailed as failed:
            if failed.__cause__ is not None and is_damage(failed.__cause__):
                self._ours.add(spot)
            raise

    def _supersede(self, base: Database) -> None:
        with self._mutex:
            if self._base is not base:
                return
            name = self.name
            self.let_go()
        self.typed(lambda: persist(lambda: self._replaced(name), self._make_folder))

    def typed(self, act: Callable[[], Answer]) -> Answer:
        """What `act` returns; what the disk or SQLite refuses comes out as a typed error."""
        try:
            return act()
        except WAITING as error:
            raise self._busy() from error
        except (apsw.Error, *ODD_VALUES, Damaged, OSError) as error:
            raise self._failed(error) from error

    def _busy(self) -> Locked:
        return Locked(f"the index in {self.folder} is busy; try again", path=self.folder)

    def _failed(self, error: BaseException) -> StorageFailed:
        return StorageFailed(
            f"the index in {self.folder} cannot be read or written ({type(error).__name__}); "
            f"what is remembered is safe in the journals: {_advice(error)}, then try again",
            path=self.folder,
            errno="ENOSPC" if isinstance(error, apsw.FullError) else _name_of(error),
        )

    def before_fork(self) -> None:
        """Close everything, if nobody is at it: SQLite's memory of its locks must not go to a child."""
        if self._mutex.acquire(True, 0.2):
            try:
                self.let_go()
            finally:
                self._mutex.release()

    def abandon(self) -> object:
        """After a fork: the child must neither use nor close the parent's connections; keep what is returned."""
        left = (self._base, self._base.abandon() if self._base is not None else None)
        self._base = self.name = None
        self._mutex = RLock()
        return left


def _advice(error: BaseException) -> str:
    exhausted = isinstance(error, apsw.CantOpenError) or (isinstance(error, OSError) and error.errno in EXHAUSTED)
    return "this process may have too many open files, close some" if exhausted else "check the disk"


def _name_of(error: BaseException) -> str:
    return errno.errorcode.get(error.errno or 0, "unknown") if isinstance(error, OSError) else type(error).__name__
