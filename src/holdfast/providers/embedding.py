"""Embedding: the one embedder that an agent's vectors come from, loaded when first needed (D17).

Owns the choice: what is pinned, else what the settings mean; a process that lacks the pinned embedder, or
whose settings name another, has none and says why in `reason`. A search asks for a question's vector under a
deadline and may top up the backlog of its scope; it never fails for want of a vector. A model that was loaded too
late is there for the next one who asks, and nobody waits for one that another thread loads. Writers load none of this.
"""

from __future__ import annotations

import os
from _thread import RLock, _local

from ..disk import REAL, read_file, write_atomic
from ..errors import BadConfig, Corrupt, HoldfastError, Locked, ProviderFailed, StorageFailed
from ..lock import Lock
from ..model.vector import Vector
from . import pin as pins
from .circuit import Circuit
from .guarded import PROBE, Guarded, says_something, sense, sound
from .pin import Pin
from .registry import AUTO, LOCAL, NONE, Choice, before_threads, check, make, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    from ..config import Settings
    from ..disk import Disk
    from ..model.scope import Scope
    from ..ports import Embedder, Index, Progress

    Answer = TypeVar("Answer")

LOCK = "embedder.lock"
TOP_UP_MS = 200
WORDS_MS = 200  # how long somebody may think about words
LEAST_MS = 1_000  # how long a search waits for the vectors of what has none, at least
LOAD_MS = 2_500  # how long a search waits for a model that is being loaded
_CHANGE_WAIT_MS = 600_000
_LONGEST_QUESTION = 2_000  # characters; what a question is about stands in fewer


class Embedding:
    """What a store knows of vectors; made by `wiring`. Safe for threads."""

    def __init__(self, folder: str, settings: Settings, index: Index, scope: Scope, disk: Disk = REAL) -> None:
        self._path = os.path.join(folder, pins.FILE)
        self._lock = Lock(os.path.join(folder, LOCK), disk)  # whoever writes the pin has it
        self._settings, self._index, self._scope, self._disk = settings, index, scope, disk
        self._told = _local()  # what one thread is told says nothing of another's question
        self.after_fork()

    def after_fork(self) -> None:
        """Start anew: a model's threads do not survive a fork."""
        self._mutex = RLock()
        self._circuit = Circuit()
        self._loaded: Guarded | None = None
        self._made: tuple[Choice, Embedder] | None = None  # the last one loaded, perhaps too late for its caller
        self._seen: tuple[int, ...] | None = None  # the pin's file when the embedder was loaded
        self._coming: Pin | None = None  # what a reindex was about to put in its place then

    @property
    def reason(self) -> str | None:
        """Why this thread was given no vector last; None where it was, or none is wanted."""
        return getattr(self._told, "reason", None)

    @reason.setter
    def reason(self, reason: str | None) -> None:
        self._told.reason = reason

    @property
    def wanted(self) -> bool:
        """Whether the settings ask for vectors at all."""
        return bool(self._settings["recall.vectors"]) and self._settings["embedder.provider"] != NONE

    @property
    def patience(self) -> int:
        """How long a model on this machine may take when nobody waits for an answer."""
        return int(self._settings["embedder.local_timeout_ms"])

    # -- for searches

    def ready(self, wait_ms: int | None = None) -> Embedder | None:
        """The embedder of this memory, loaded; None where there is none, and `reason` says why."""
        return self._ready(self.patience if wait_ms is None else wait_ms)

    def query_vector(self, text: str, deadline_ms: int) -> Vector | None:
        """A question's vector within the deadline, once the model is loaded; None without one: `reason` says why."""
        embedder = self._ready(LOAD_MS)
        if embedder is None:
            return None
        asked = text[:_LONGEST_QUESTION]
        try:
            row, known = embedder.within(deadline_ms).question(asked)
        except HoldfastError as error:
            self.reason = error.message
            return None
        if not sense(row):
            self.reason = embedder.refusal
            return None
        if row.any():
            return Vector(embedder.identity, row, known=known, floor=embedder.floor)
        if says_something(asked):
            self.reason = f"the question says nothing to the embedder {embedder.identity}"
        return None

    def alike(self, terms: Sequence[str], texts: Sequence[str]) -> list[list[float]]:
        """A row a text: how far its likest word means the same as each term, 0..1; 0 also where nobody can tell."""
        return self._told_of(lambda embedder: embedder.alike(terms, texts)) or [[0.0] * len(terms) for _ in texts]

    def no_words(self, terms: Sequence[str]) -> list[str]:
        """Those of these that are no words; none where nobody can tell."""
        return (self._told_of(lambda embedder: embedder.no_words(terms)) if terms else None) or []

    def _told_of(self, ask: Callable[[Guarded], Answer]) -> Answer | None:
        """What the loaded embedder knows of words; None if it fails, which the circuit has, or there is none."""
        embedder = self._loaded
        try:
            return None if embedder is None else ask(embedder.within(WORDS_MS))
        except HoldfastError:
            return None

    def top_up(self, scope: Scope, budget_ms: int = TOP_UP_MS) -> int:
        """Spend a little on what has no vector yet; returns how many entries of the scope still lack one."""
        return self._fill(scope, budget_ms, max(LEAST_MS, 5 * budget_ms)) if self.wanted else 0

    def missing(self, scope: Scope) -> tuple[int, int]:
        """How many entries lack a vector, of how many; (0, 0) if none does or no vectors are wanted."""
        return self._index.backlog(scope) if self.wanted else (0, 0)

    def not_taken(self, scope: Scope) -> int:
        """How many of those are without because the embedder did not take their text."""
        return self._index.not_taken(scope)

    def fill(self, scope: Scope) -> int:
        """Empty the whole backlog of a scope; returns what is left, and `reason` says why."""
        left = self._fill(scope, None, self.patience) if self.missing(scope)[0] else 0
        if left and self.reason is None and (loaded := self._loaded) is not None:
            self.reason = loaded.refusal
        return left

    def _fill(self, scope: Scope, budget_ms: int | None, wait_ms: int) -> int:
        embedder = self._ready(wait_ms)
        try:
            if embedder is not None:
                embedder = embedder.within(wait_ms)
                return self._index.embed(scope, embedder, budget_ms, embedder.first)
            if self.reason is None:
                return 0  # this memory was told to have no vectors
        except HoldfastError as error:  # the embedder failed, or the index is busy or read-only
            self.reason = error.message
        return self.missing(scope)[0]

    # -- loading

    def _ready(self, wait_ms: int) -> Guarded | None:
        if not self.wanted:
            self.reason = None
            return None
        try:
            found = self._opened(wait_ms)
            self.reason = None
        except HoldfastError as error:
            found, self.reason = None, error.message
        return found

    def _opened(self, wait_ms: int) -> Guarded | None:
        """The pinned embedder, loaded at most once for each state of the pin; the circuit lets one thread load it."""
        flipped = self._in_place(self._coming)
        with self._mutex:
            seen = self._stamp()
            if seen != self._seen or flipped:
                self._circuit = Circuit()  # another one does not wait for a call of this one that hangs
                self._loaded, self._made, self._seen, self._coming = None, None, seen, None
            if self._loaded is not None:
                return self._loaded
        pinned, coming = self._pins()
        choice = self._choice(pinned)
        if choice.provider == NONE:
            return None
        before_threads(choice)
        made = self._made_before(choice) or self._circuit.call(lambda: self._make(choice), wait_ms)
        self._refuse_another(made, choice.provider, pinned)
        if pinned is None:
            # Where a change was begun, it is under way, and takes its time, or was killed.
            self._write_first(Pin(identity=made.identity, **choice.to_dict()), 0 if coming else LEAST_MS)
        with self._mutex:
            if self._loaded is None:
                self._loaded = Guarded(made, self._circuit, self.patience)
                self._seen, self._coming = self._stamp() if pinned is None else seen, coming
            return self._loaded

    def _make(self, choice: Choice) -> Embedder:
        """On the circuit's thread: what another thread loaded while we waited for our turn is not loaded again."""
        made = self._made_before(choice)
        if made is None:
            made = sound(make(choice))
            self._made = choice, made
        return made

    def _made_before(self, choice: Choice) -> Embedder | None:
        made = self._made
        return made[1] if made is not None and made[0] == choice else None

    def _pinned(self) -> Pin | None:
        return self._pins()[0]

    def _pins(self) -> tuple[Pin | None, Pin | None]:
        """The pin, and what a reindex is about to put in its place; with its flip the next one is in force."""
        pinned, coming = pins.read(self._disk, self._path)
        return (coming, None) if self._in_place(coming) else (pinned, coming)

    def _in_place(self, coming: Pin | None) -> bool:
        """Whether the live index holds the vectors of this one."""
        return coming is not None and self._index.embedded_by(self._scope) == coming.identity

    def _choice(self, pinned: Pin | None) -> Choice:
        """What to load; ProviderFailed if the settings name another provider than the pinned one.

        Whether a model that they name is the pinned one is told by its identity, not by where it lies.
        """
        provider, model = self._settings["embedder.provider"], self._settings["embedder.model"]
        check(provider)  # before anything is advised that it could not do
        if pinned is None:
            return resolve(provider, model)
        fits = pinned.provider == provider or (provider == AUTO and pinned.provider in (*LOCAL, NONE))
        if not fits:
            raise ProviderFailed(
                f"this memory's vectors were made by {pinned.identity}, and the settings name {provider}; "
                f"`holdfast reindex --embedder {provider}` makes them anew"
            )
        if model and provider != AUTO:
            return resolve(provider, model)
        return Choice(provider=pinned.provider, model=pinned.model)

    def _refuse_another(self, made: Embedder, provider: str, pinned: Pin | None) -> None:
        """Nothing is stored or compared under a wrong identity."""
        due = pinned.identity if pinned is not None else self._index.embedded_by(self._scope)
        if due in (None, made.identity):
            return
        reason = (
            f"this memory's vectors were made by {due}, and here is {made.identity}; "
            f"`holdfast reindex --embedder {provider}` makes them anew"
        )
        self._circuit.fail(reason)
        self._made = None  # the right one may be put in its place
        raise ProviderFailed(reason)

    def _write_first(self, pin: Pin, wait_ms: int) -> None:
        """Pin what is used first. A home that cannot be written is not pinned; who came before us is right.

        A change that failed or was killed may have left a file without a pin.
        """
        try:
            with self._lock.hold(wait_ms, "pin the embedder"):
                if self._pinned() is None:
                    write_atomic(self._disk, self._path, pins.encoded(pin))
        except (OSError, Locked, StorageFailed):
            return
        if (there := self._pinned()) is not None and there.identity != pin.identity:
            raise ProviderFailed(f"this memory was just given the embedder {there.identity}; ask again")

    def _stamp(self) -> tuple[int, ...] | None:
        try:
            found = self._disk.stat(self._path)
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size

    def names(self) -> str:
        """What our own file says: names of embedders and models."""
        try:
            return read_file(self._disk, self._path).decode("utf-8", "replace")
        except OSError:
            return ""

    def pin_trouble(self) -> str | None:
        """What is wrong with our own file: it cannot be read, or the index holds vectors of another embedder."""
        try:
            pinned, held = self._pinned(), self._index.embedded_by(self._scope)
        except Corrupt as error:
            return error.message
        except HoldfastError:
            return None  # there is no index to compare it with
        if pinned is None or held in (None, pinned.identity):
            return None
        return _misfit(pinned.identity, pinned.provider, held)

    def setting_trouble(self) -> str | None:
        """Why no search can have vectors as the settings are; what the file or the model lacks is told elsewhere."""
        try:
            pinned = self._pinned() if self.wanted else None
        except HoldfastError:
            return None
        try:
            if self.wanted:
                self._choice(pinned)
        except HoldfastError as error:
            return f"by keyword only: {error.message}"
        return None

    def misfit(self, vector: Vector) -> str | None:
        """Why a vector that found nothing could not: the index holds those of another kind. None if it could."""
        held, made = self._index.embedded_by(self._scope), self._made
        provider = made[0].provider if made is not None else AUTO
        if held not in (None, vector.identity):
            return _misfit(vector.identity, provider, held)
        size, due = len(vector.values), self._index.dimensions(self._scope)
        if due in (None, size):
            return None
        return (
            f"the embedder {vector.identity} makes vectors of {size} dimensions, and the index holds those of {due}; "
            f"`holdfast reindex --embedder {provider}` makes them anew"
        )

    # -- changing

    def change(self, provider: str, progress: Progress | None = None) -> None:
        """Build the index anew with vectors of another embedder; until the end the old ones serve."""
        check(provider)
        set_to = self._settings["embedder.provider"]
        if set_to not in (AUTO, provider):
            raise BadConfig(
                f"embedder.provider is {set_to}; set it to {provider} or auto first, else nobody would use its vectors"
            )
        choice = resolve(provider, self._settings["embedder.model"])
        embedder = None if choice.provider == NONE else self._proven(choice)
        fresh = Pin(identity=embedder.identity if embedder else NONE, **choice.to_dict())
        with self._lock.hold(_CHANGE_WAIT_MS, "change embedder"):
            self._change(embedder, fresh, progress)

    def _change(self, embedder: Guarded | None, fresh: Pin, progress: Progress | None) -> None:
        """One change at a time: two would each write down what it found before the other."""
        before = self._old_pin()
        during = (before, fresh)
        pins.write(self._disk, self._path, *during)
        try:
            self._index.rebuild(self._scope, progress, embedder, vectors=embedder is not None)
        except BaseException:
            if not self._in_force(fresh, during):
                pins.write(self._disk, self._path, before)
            raise
        pins.write(self._disk, self._path, fresh)
        if embedder is None and self._index.embedded_by(self._scope) is not None:
            # Until the pin said so, a search elsewhere could begin to give the new index its vectors back.
            self._index.rebuild(self._scope, progress, vectors=False)

    def _in_force(self, fresh: Pin, during: tuple[Pin | None, Pin | None]) -> bool:
        """Whether a change that failed cannot be taken back: the index was flipped before, or the file is not ours."""
        try:
            held = self._index.embedded_by(self._scope)
            return held == fresh.identity or pins.read(self._disk, self._path) != during
        except HoldfastError:
            return True  # nobody can tell; what is written holds either way

    def rebuild(self, scope: Scope, progress: Progress | None = None) -> None:
        """Build the index anew with the vectors that it has; a change of embedder that was killed is over then."""
        self._index.rebuild(scope, progress)
        try:
            held = self._lock.attempt("pin the embedder")
            if held is not None:  # else somebody is at a change: the file is theirs
                with held:
                    if pins.read(self._disk, self._path)[1] is not None:
                        pins.write(self._disk, self._path, self._pinned())
        except (OSError, HoldfastError):
            return  # what is written holds as it is

    def _old_pin(self) -> Pin | None:
        try:
            return self._pinned()
        except Corrupt:
            return None

    def _proven(self, choice: Choice) -> Guarded:
        """The embedder, after it has shown that it works."""
        before_threads(choice)
        circuit = Circuit()
        made = circuit.call(lambda: sound(make(choice)), self.patience)
        guarded = Guarded(made, circuit, self.patience)
        guarded.embed([PROBE])
        return guarded


def _misfit(identity: str, provider: str, held: str | None) -> str:
    wanted = "is to have no vectors" if provider == NONE else f"is to have vectors of {identity}"
    return (
        f"this memory {wanted}, and the index holds those of {held}; `holdfast reindex --embedder {provider}` "
        "changes that"
    )
