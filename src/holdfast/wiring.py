"""Wiring: from a path and settings to an open Memory. The only place that names concrete backends.

Handles on the same home, agent and settings share one backend, which closes with the last of them.
A home that cannot be written opens all the same and can be searched (D45).
"""

from __future__ import annotations

import errno
import os
import time
from _thread import RLock
from hashlib import sha256

from . import config
from .disk import REAL, discard, make_private_dir, read_file, refused, risky_filesystem, temporary_name, write_new
from .errors import BadConfig, Invalid, StorageFailed
from .guard import validate
from .guard.redaction import Redactor
from .index import SqliteIndex
from .index.cutting import Chunking
from .index.sqlite import IndexOptions
from .journal import FileJournal, JournalOptions
from .memory import Memory
from .model.scope import Caller, whole
from .observe.events import Observer
from .recall.entries import Reader
from .store import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, TypeVar

    from .config import Settings
    from .observe.events import Event
    from .observe.log import Log
    from .ports import Clock, Index
    from .providers.embedding import Embedding

    T = TypeVar("T")

KEY_BYTES = 32
_READ_ONLY = (errno.EROFS, errno.EACCES, errno.EPERM)


class SystemClock:
    """The clock of the machine."""

    def now(self) -> int:
        return time.time_ns() // 1_000_000


class _Shared:
    """A store and how many handles use it."""

    __slots__ = ("handles", "store")

    def __init__(self, store: Store) -> None:
        self.store, self.handles = store, 0


_shared: dict[tuple[Any, ...], _Shared] = {}
_mutex = RLock()
_CLOCK = SystemClock()


def open(
    path: str | os.PathLike[str] | None = None, *, agent: str | None = None, user: str | None = None,
    embedder: str = "auto", settings: Mapping[str, Any] | None = None, caller: Caller | None = None,
    clock: Clock | None = None, on_event: Iterable[Callable[[Event], object]] = (),
) -> Memory:  # fmt: skip
    """Open the memory of an agent. Without a path: `HOLDFAST_HOME`, else the user's data directory.

    `user` is whose memory a verb means that names nobody. `settings` beat the environment and `config.toml`. Without a
    `caller` this is the owner of the home, who may name any user; a `Caller` with a user of its own may name no other.
    `on_event` hears of events and measurements, and must not call this memory.
    """
    home = None if path is None else _path(path)
    if home is not None and "://" in home:
        raise BadConfig(f"{home.split('://')[0]}:// homes are not part of this version; give a directory")
    arguments = {**_given(settings), **({} if embedder == "auto" else {"embedder.provider": embedder})}
    resolved = config.load(home, agent=agent, arguments=arguments)
    caller = Caller() if caller is None else _fit(caller, isinstance(caller, Caller), "caller", "a holdfast.Caller")
    whose = validate.user(next(name for name in (user, caller.user, resolved["user"]) if name is not None))
    clock = _CLOCK if clock is None else _fit(clock, hasattr(clock, "now"), "clock", "an object with now()")
    hooks = _hooks(on_event)
    key = (os.path.realpath(resolved.home), resolved["agent"], resolved.fingerprint(), id(clock), hooks)
    with _mutex:
        shared = _shared.get(key)
        if shared is None:
            shared = _shared[key] = _Shared(_store(resolved, clock, hooks))
        shared.handles += 1
    return Memory(shared.store, caller=caller, user=whose, release=lambda: _release(key))


def _path(given: str | os.PathLike[str]) -> str:
    path = os.fsdecode(_fit(given, isinstance(given, (str, os.PathLike)), "path", "the path of a directory"))
    try:
        possible = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        possible = False
    if not path:
        raise Invalid("path is empty; leave it out for the default home, or give a directory", field="path")
    if not possible:
        raise Invalid("path has a NUL or a lone surrogate in it, which no path can have", field="path")
    return path


def _hooks(given: Iterable[Callable[[Event], object]]) -> tuple[Callable[[Event], object], ...]:
    rule = "functions to call with each event"
    each = tuple(_fit(given, hasattr(given, "__iter__"), "on_event", rule))
    return tuple(_fit(hook, callable(hook), "on_event", rule) for hook in each)


def _given(settings: Mapping[str, Any] | None) -> Mapping[str, Any]:
    if settings is None:
        return {}
    if not hasattr(settings, "keys") or not all(isinstance(name, str) for name in settings):
        raise BadConfig(f"settings must be names with values, not {type(settings).__name__}", origin="argument")
    return settings


def _fit(given: T, fits: bool, field: str, rule: str) -> T:
    """What a caller gave, or Invalid."""
    if not fits:
        raise Invalid(f"{field} must be {rule}, not {type(given).__name__}", field=field)
    return given


def _release(key: tuple[Any, ...]) -> None:
    with _mutex:
        shared = _shared[key]
        shared.handles -= 1
        if shared.handles:
            return
        del _shared[key]
    _close(shared.store)


def _close(store: Store) -> None:
    store.journal.close()
    store.index.close()
    store.observer.close()


def _store(settings: Settings, clock: Clock, hooks: tuple[Callable[[Event], object], ...]) -> Store:
    home, agent = settings.home, settings["agent"]
    key = _prepare(home)
    folder = os.path.join(home, "agents", agent)
    observer = Observer(clock, home=home, log=_log(settings), on_event=hooks)
    scope = whole(agent)
    journal = FileJournal(
        folder, agent, clock, options=_journal_options(settings), announce=lambda name: index.announce(scope, name)
    )
    index = SqliteIndex(
        _index_folder(settings, folder, agent), agent, journal, clock,
        recalled=os.path.join(folder, "recalled.jsonl"),
        options=_index_options(settings),
    )  # fmt: skip
    return Store(
        home=home, agent=agent, settings=settings, clock=clock, journal=journal, index=index, redactor=Redactor(key),
        observer=observer, reader=Reader(journal, index, settings["cache.entries"]),
        embedding=lambda: _embedding(folder, settings, index),
    )  # fmt: skip


def _log(settings: Settings) -> Log | None:
    if settings["log.level"] == "off":
        return None
    from .observe.log import log_for

    return log_for(settings)


def _embedding(folder: str, settings: Settings, index: Index) -> Embedding:
    from .providers.embedding import Embedding

    return Embedding(folder, settings, index, whole(settings["agent"]))


def _index_options(settings: Settings) -> IndexOptions:
    return IndexOptions(
        compare_minutes=settings["index.compare_minutes"], cache=settings["embedder.cache"],
        cache_entries=settings["embedder.cache_entries"], cache_bytes=settings["embedder.cache_bytes"],
        chunking=Chunking(tokens=settings["chunking.tokens"], overlap=settings["chunking.overlap"]),
    )  # fmt: skip


def _index_folder(settings: Settings, folder: str, agent: str) -> str:
    """Below `index.path` each home has a folder of its own: rows of another, or of a copy, would count as lost here."""
    template: str = settings["index.path"]
    if not template:
        return os.path.join(folder, "index")
    home = sha256(os.fsencode(os.path.realpath(settings.home))).hexdigest()[:16]
    return os.path.join(template.replace("{agent}", agent), home)


def _journal_options(settings: Settings) -> JournalOptions:
    names = ("session_bytes", "entry_bytes", "lock_ms", "retries", "backoff_ms", "durability", "relaxed_ms")
    return JournalOptions(**{name: settings[f"journal.{name}"] for name in names})


def _prepare(home: str) -> bytes | Callable[[], bytes]:
    """The home, its key and its ballast; a home that exists but cannot be written is taken as it is."""
    if os.path.lexists(home) and not os.path.isdir(home):
        raise Invalid(f"{home} is not a directory; choose another home", field="path")
    risk = risky_filesystem(home)
    if risk is not None:
        import warnings

        warnings.warn(f"the home {home} is on a {risk}", RuntimeWarning, stacklevel=4)
    try:
        make_private_dir(REAL, home)
        key = _key(os.path.join(home, "key"))
    except OSError as error:
        if not os.path.isdir(home) or error.errno not in _READ_ONLY:
            raise refused("make the home", home, error) from error
        return bytes(KEY_BYTES)  # read-only: nothing will be written, so nothing redacted
    _ballast(home)
    return key


def _key(path: str) -> bytes | Callable[[], bytes]:
    """The home's secret for redaction tags and digests, made once; one that cannot be read fails who needs it."""
    try:
        return _read_key(path)
    except StorageFailed as error:
        if not error.unreadable:
            raise
        if error.details["errno"] != "ENOENT":
            return lambda: _read_key(path)
    made = os.urandom(KEY_BYTES)
    if not _placed(path, made):  # another process was faster
        return _key(path)
    REAL.sync_dir(os.path.dirname(path))
    return made


def _read_key(path: str) -> bytes:
    try:
        found = read_file(REAL, path)
    except OSError as error:
        failed = refused("read", path, error)
        why = "the home's key is needed to mark what looks like a secret, and another one would mark it otherwise"
        raise StorageFailed(f"{failed.message}; {why}", **failed.details) from error
    if len(found) != KEY_BYTES:
        raise Invalid(f"{path} must hold {KEY_BYTES} bytes; restore it from a backup or remove it", field="key")
    return found


def _placed(path: str, data: bytes) -> bool:
    """Put a file in place whole, so that no kill leaves an empty one; False if there is one already."""
    temporary = temporary_name(path)
    try:
        write_new(REAL, temporary, data)
        REAL.link(temporary, path)
    except FileExistsError:
        return False
    finally:
        discard(REAL, temporary)
    return True


def _ballast(home: str) -> None:
    """Take the space for `forget` on a full disk (D42), at the first open and again after it was used."""
    if not os.path.lexists(os.path.join(home, "ballast")):
        from .journal.ballast import reserve

        reserve(REAL, home)


def _after_fork() -> None:
    """Locks that another thread of the parent held would never be released here."""
    global _mutex
    _mutex = RLock()
    for shared in _shared.values():
        shared.store.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
