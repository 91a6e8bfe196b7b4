"""AsyncMemory, AsyncSession, AsyncUser: the facade's verbs on worker threads, with no logic of their own.

Each verb is made from the facade's own method by `on_thread`, so names, parameters, types and docstrings
are the facade's and cannot drift. Callbacks (`progress`, `on_event`) run on the worker thread. A cancelled
await drops the answer, not the work: what had begun runs to its end, what had not is never begun, and
`close` waits for all of it.
"""

from __future__ import annotations

import asyncio
import os
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import update_wrapper
from itertools import islice
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, Self, TypeVar
from weakref import WeakSet

from . import wiring
from .errors import Invalid
from .handles import Session, User
from .memory import Memory

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine, Generator, Iterator

    from .model.card import Card
    from .model.hit import Listed

THREADS = 8  # more would only wait for the same disk and locks
PAGE = 256  # lines of an export fetched at once; a thread switch a line would cost more than the line

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S")
Handle = TypeVar("Handle")
Held = TypeVar("Held", covariant=True)


class Threads:
    """A few worker threads, shared by a memory and the handles made from it."""

    def __init__(self) -> None:
        self._closed = False
        self._start()
        _OPEN.add(self)

    def _start(self) -> None:
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="holdfast")

    def after_fork(self) -> None:
        """In a child: the parent's threads did not come along, and what was handed to them is not done here (D34)."""
        if not self._closed:
            self._start()

    def submit(self, call: Callable[P, R], *args: P.args, **named: P.kwargs) -> Future[R]:
        if self._closed:
            raise Invalid("this memory is closed; open it again with holdfast.aopen()", field="memory")
        context = copy_context()
        return self._pool.submit(lambda: context.run(call, *args, **named))

    async def run(self, call: Callable[P, R], *args: P.args, **named: P.kwargs) -> R:
        return await asyncio.wrap_future(self.submit(call, *args, **named))

    def close(self, *, wait: bool = True) -> None:
        """Take no more work, and wait for what is under way."""
        self._closed = True
        self._pool.shutdown(wait=wait)


_OPEN: WeakSet[Threads] = WeakSet()


def _after_fork() -> None:
    for threads in list(_OPEN):
        threads.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class OnThreads(Generic[Held]):
    """A handle of the facade whose verbs run on threads."""

    def __init__(self, handle: Held, threads: Threads) -> None:
        self._handle = handle
        self._threads = threads

    def __repr__(self) -> str:
        return f"Async{self._handle!r}"


def on_thread(
    verb: Callable[Concatenate[Handle, P], R],
) -> Callable[Concatenate[OnThreads[Handle], P], Coroutine[Any, Any, R]]:
    """The same verb, awaited."""

    async def run(self: OnThreads[Handle], /, *args: P.args, **named: P.kwargs) -> R:
        return await self._threads.run(verb, self._handle, *args, **named)

    return update_wrapper(run, verb)


def handing_out(
    verb: Callable[Concatenate[Memory, P], R], wrap: Callable[[R, Threads], S]
) -> Callable[Concatenate[OnThreads[Memory], P], Coroutine[Any, Any, S]]:
    """The same verb, awaited; the handles that it returns are made async as well."""

    async def run(self: OnThreads[Memory], /, *args: P.args, **named: P.kwargs) -> S:
        return wrap(await self._threads.run(verb, self._handle, *args, **named), self._threads)

    return update_wrapper(run, verb)


def iterated(
    verb: Callable[Concatenate[Handle, P], Iterator[R]],
) -> Callable[Concatenate[OnThreads[Handle], P], AsyncIterator[R]]:
    """A verb that returns an iterator: `async for`, without an await before it."""

    async def run(self: OnThreads[Handle], /, *args: P.args, **named: P.kwargs) -> AsyncIterator[R]:
        items = await self._threads.run(verb, self._handle, *args, **named)
        while page := await self._threads.run(lambda: list(islice(items, PAGE))):
            for item in page:
                yield item

    return update_wrapper(run, verb)


class AsyncSession(OnThreads[Session]):
    """One conversation of an agent with a user; see `Session`."""

    @property
    def id(self) -> str:
        return self._handle.id

    @property
    def key(self) -> str:
        return self._handle.key

    @property
    def user_id(self) -> str | None:
        return self._handle.user_id

    @property
    def workspace(self) -> str | None:
        return self._handle.workspace

    @property
    def card(self) -> Card:
        return self._handle.card

    def to_dict(self) -> dict[str, Any]:
        """The card, as `sessions --json` shows it."""
        return self._handle.to_dict()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    add = on_thread(Session.add)
    add_many = on_thread(Session.add_many)
    search = on_thread(Session.search)
    query = on_thread(Session.query)
    context = on_thread(Session.context)
    tags = on_thread(Session.tags)
    export = iterated(Session.export)
    stats = on_thread(Session.stats)
    compact = on_thread(Session.compact)
    forget = on_thread(Session.forget)
    close = on_thread(Session.close)


class AsyncUser(OnThreads[User]):
    """What one user wants remembered across sessions; see `User`."""

    @property
    def id(self) -> str:
        return self._handle.id

    remember = on_thread(User.remember)
    memories = on_thread(User.memories)
    recall = on_thread(User.recall)
    forget = on_thread(User.forget)


def _sessions(found: Listed[Session], threads: Threads) -> Listed[AsyncSession]:
    return found.holding(AsyncSession(session, threads) for session in found)


class Opening:
    """A memory about to be opened: `memory = await aopen(…)`, or `async with aopen(…) as memory`."""

    def __init__(self, opener: Callable[[], Memory]) -> None:
        self._opener = opener
        self._memory: AsyncMemory | None = None

    def __await__(self) -> Generator[Any, None, AsyncMemory]:
        return self._open().__await__()

    async def __aenter__(self) -> AsyncMemory:
        self._memory = await self._open()
        return self._memory

    async def __aexit__(self, *_error: object) -> None:
        assert self._memory is not None
        await self._memory.close()

    async def _open(self) -> AsyncMemory:
        threads = Threads()
        opening = threads.submit(self._opener)
        try:
            return AsyncMemory(await asyncio.wrap_future(opening), threads)
        except BaseException:
            opening.add_done_callback(_close_unwanted)
            threads.close(wait=False)
            raise


def _close_unwanted(opened: Future[Memory]) -> None:
    """Nobody waits for this memory any more; it must not stay open."""
    if not opened.cancelled() and opened.exception() is None:
        opened.result().close()


def _opened_like(function: Callable[P, Memory]) -> Callable[P, Opening]:
    """`open` with the same parameters, awaited."""

    def aopen(*args: P.args, **named: P.kwargs) -> Opening:
        return Opening(lambda: function(*args, **named))

    return update_wrapper(aopen, function, assigned=("__doc__",))


aopen = _opened_like(wiring.open)


class AsyncMemory(OnThreads[Memory]):
    """The memory of one agent, for code that awaits; see `Memory`. Made by `holdfast.aopen`."""

    open = staticmethod(aopen)

    @property
    def home(self) -> str:
        """The directory that holds everything."""
        return self._handle.home

    @property
    def agent(self) -> str:
        """The agent whose memory this is."""
        return self._handle.agent

    @property
    def default_user(self) -> str:
        return self._handle.default_user

    def user(self, user: str) -> AsyncUser:
        """A user's own memory: what they told every agent to remember."""
        return AsyncUser(self._handle.user(user), self._threads)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Flush what is pending and let go; a second close does nothing."""
        await asyncio.to_thread(self._close)

    def _close(self) -> None:
        self._threads.close()
        self._handle.close()

    create_session = handing_out(Memory.create_session, AsyncSession)
    load_session = handing_out(Memory.load_session, AsyncSession)
    close_session = handing_out(Memory.close_session, AsyncSession)
    save_session = handing_out(Memory.save_session, AsyncSession)
    sessions = handing_out(Memory.sessions, _sessions)
    scope = on_thread(Memory.scope)

    add = on_thread(Memory.add)
    add_many = on_thread(Memory.add_many)
    amend = on_thread(Memory.amend)
    pin = on_thread(Memory.pin)
    unpin = on_thread(Memory.unpin)
    delete = on_thread(Memory.delete)
    delete_where = on_thread(Memory.delete_where)
    undelete = on_thread(Memory.undelete)

    get = on_thread(Memory.get)
    search = on_thread(Memory.search)
    query = on_thread(Memory.query)
    context = on_thread(Memory.context)
    tags = on_thread(Memory.tags)

    forget = on_thread(Memory.forget)
    forget_key = on_thread(Memory.forget_key)
    export = iterated(Memory.export)
    load = on_thread(Memory.load)

    compact = on_thread(Memory.compact)
    reindex = on_thread(Memory.reindex)
    sync = on_thread(Memory.sync)
    verify = on_thread(Memory.verify)
    stats = on_thread(Memory.stats)
    status = on_thread(Memory.status)

    add_memory = on_thread(Memory.add_memory)
    get_memory = on_thread(Memory.get_memory)
    delete_memory = on_thread(Memory.delete_memory)
    query_memories = on_thread(Memory.query_memories)
    search_by_topic = on_thread(Memory.search_by_topic)
    search_by_type = on_thread(Memory.search_by_type)
    search_by_time_range = on_thread(Memory.search_by_time_range)
    delete_memories_by_topic = on_thread(Memory.delete_memories_by_topic)
    delete_memories_by_time_range = on_thread(Memory.delete_memories_by_time_range)
    export_session = on_thread(Memory.export_session)
    compact_session = on_thread(Memory.compact_session)
    rebuild_index = on_thread(Memory.rebuild_index)
    get_session_stats = on_thread(Memory.get_session_stats)
