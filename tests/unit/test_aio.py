"""AsyncMemory is the facade on threads: the same names and parameters, and safe to cancel."""

from __future__ import annotations

import asyncio
import inspect
import os
import signal
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

import holdfast
from holdfast import aio
from holdfast.aio import AsyncMemory, AsyncSession, AsyncUser
from holdfast.handles import Session, User
from holdfast.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from pathlib import Path

PAIRS = [(Memory, AsyncMemory), (Session, AsyncSession), (User, AsyncUser)]
WITHOUT_AWAIT = {(Memory, "user"), (Session, "to_dict")}  # they touch nothing outside the process
ITERATED = {"export"}
NOT_OFFERED = {(Memory, "store")}  # what the facade stands on is not part of the async one


def public(cls: type) -> list[str]:
    return [name for name in dir(cls) if not name.startswith("_")]


VERBS = [
    (sync, other, name) for sync, other in PAIRS for name in public(sync) if inspect.isfunction(getattr(sync, name))
]


def run(story: Callable[..., Coroutine[Any, Any, Any]], home: Path, **options: Any) -> Any:
    """Play an async story on a home of its own."""

    async def whole() -> Any:
        async with holdfast.aopen(home, user="ana", **options) as memory:
            return await story(memory)

    return asyncio.run(whole())


def test_there_are_verbs_to_compare() -> None:
    assert len(VERBS) > 50


@pytest.mark.parametrize(("sync", "other"), PAIRS)
def test_every_public_name_is_there(sync: type, other: type) -> None:
    instance_only = {"card", "id", "default_user"} & set(getattr(sync, "__slots__", ()))
    wanted = {name for name in public(sync) if (sync, name) not in NOT_OFFERED} | instance_only
    assert wanted <= set(public(other))


@pytest.mark.parametrize(("sync", "other", "name"), VERBS)
def test_a_verb_has_the_parameters_of_the_facade(sync: type, other: type, name: str) -> None:
    def shape(cls: type) -> list[Any]:
        given = inspect.signature(getattr(cls, name)).parameters.values()
        return [(p.name, p.kind, p.default, p.annotation) for p in given if p.name != "self"]

    assert shape(other) == shape(sync)


@pytest.mark.parametrize(("sync", "other", "name"), VERBS)
def test_a_verb_is_awaited_or_iterated(sync: type, other: type, name: str) -> None:
    method = getattr(other, name)
    wrapper = method if inspect.isfunction(method) else None
    assert wrapper is not None
    if (sync, name) in WITHOUT_AWAIT:
        assert not inspect.iscoroutinefunction(wrapper)
    elif name in ITERATED:
        assert inspect.isasyncgenfunction(wrapper)
    else:
        assert inspect.iscoroutinefunction(wrapper)


@pytest.mark.parametrize(("sync", "other", "name"), VERBS)
def test_a_verb_explains_itself_like_the_facade(sync: type, other: type, name: str) -> None:
    assert inspect.getdoc(getattr(other, name)) == inspect.getdoc(getattr(sync, name))


def test_aopen_takes_what_open_takes() -> None:
    opened = inspect.signature(holdfast.open).parameters
    assert inspect.signature(holdfast.aopen).parameters == opened
    assert inspect.signature(AsyncMemory.open).parameters == opened


def test_what_is_added_is_found(tmp_path: Path) -> None:
    async def story(memory: AsyncMemory) -> None:
        session = await memory.create_session(key="login")
        added = await session.add("Use the code flow", type="decision", tags=["oauth"])
        found = await memory.search("which flow")
        assert [hit.id for hit in found] == [added.id]
        assert (await memory.get(added.id)).text == "Use the code flow"
        assert [each.id for each in await memory.sessions()] == [session.id]
        assert isinstance((await memory.sessions())[0], AsyncSession)
        assert session.to_dict()["key"] == session.key == "login"
        assert repr(session).startswith("AsyncSession(")

    run(story, tmp_path / "home")


def test_a_users_memories_are_awaited(tmp_path: Path) -> None:
    async def story(memory: AsyncMemory) -> None:
        user = memory.user("ana")
        await user.remember("editor", "vim")
        found = await user.recall("editor")
        assert found is not None
        assert found.text == "vim"
        assert (await user.forget("editor")).clean
        assert await user.memories() == []

    run(story, tmp_path / "home")


def test_a_session_that_is_left_is_closed(tmp_path: Path) -> None:
    async def story(memory: AsyncMemory) -> None:
        async with await memory.create_session(key="login") as session:
            await session.add("hello")
        assert (await memory.load_session("login")).card.ended_at is not None
        assert session.card.total_entries == 1

    run(story, tmp_path / "home")


def test_export_is_an_async_iterator_of_the_same_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aio, "PAGE", 3)

    async def story(memory: AsyncMemory) -> list[str]:
        await memory.add_many([{"text": f"note {number}"} for number in range(10)])
        return [line async for line in memory.export()]

    lines = run(story, tmp_path / "home")
    with holdfast.open(tmp_path / "home", user="ana") as memory:
        expected = list(memory.export())
    assert lines[1:] == expected[1:]  # the header says when
    assert len(lines) == 13


def test_errors_arrive_where_they_are_awaited(tmp_path: Path) -> None:
    async def story(memory: AsyncMemory) -> None:
        with pytest.raises(holdfast.Invalid):
            await memory.add("   ")
        with pytest.raises(holdfast.NotFound):
            await memory.load_session("nobody")
        with pytest.raises(holdfast.Invalid):
            _ = [line async for line in memory.export("xml")]

    run(story, tmp_path / "home")


def test_the_event_loop_goes_on_while_a_verb_waits(tmp_path: Path) -> None:
    """A hook that sleeps holds the write; the loop must still turn."""

    async def story(memory: AsyncMemory) -> int:
        writing = asyncio.ensure_future(memory.add("slow"))
        turns = 0
        while not writing.done():
            turns += 1
            await asyncio.sleep(0.005)
        await writing
        return turns

    assert run(story, tmp_path / "home", on_event=[slow_measurement]) >= 5


def slow_measurement(event: Any) -> None:
    if event.name == "memory.operations.write.duration_ms":
        time.sleep(0.1)


def test_many_tasks_at_once_lose_nothing(tmp_path: Path) -> None:
    async def story(memory: AsyncMemory) -> None:
        added = await asyncio.gather(*(memory.add(f"note number {n}", session="busy") for n in range(60)))
        assert len({entry.id for entry in added}) == 60
        found = await memory.query(session="busy", every=True, rank="oldest")
        assert {entry.id for entry in found} == {entry.id for entry in added}

    run(story, tmp_path / "home")


def test_a_cancelled_write_is_whole_or_absent_and_the_memory_goes_on(tmp_path: Path) -> None:
    async def story(memory: AsyncMemory) -> None:
        tasks = [asyncio.ensure_future(memory.add(f"note number {n}")) for n in range(40)]
        await asyncio.sleep(0.01)
        for task in tasks[::2]:
            task.cancel()
        answers = await asyncio.gather(*tasks, return_exceptions=True)
        kept = {entry.id for entry in answers if isinstance(entry, holdfast.Entry)}
        assert any(isinstance(answer, asyncio.CancelledError) for answer in answers)
        last = await memory.add("after all of them")
        there = {entry.id for entry in await memory.query(every=True)}
        assert kept | {last.id} <= there

    run(story, tmp_path / "home")
    with holdfast.open(tmp_path / "home", user="ana") as memory:
        report = memory.verify()
        texts = [entry.text for entry in memory.query(every=True)]
    assert report["ok"], report
    assert len(texts) == len(set(texts))


def test_close_waits_for_what_was_cancelled_on_the_way(tmp_path: Path) -> None:
    reached, done = threading.Event(), threading.Event()

    def hook(event: Any) -> None:
        if event.name == "memory.operations.write.duration_ms":
            reached.set()
            time.sleep(0.2)
            done.set()

    async def story() -> None:
        async with holdfast.aopen(tmp_path / "home", user="ana", on_event=[hook]) as memory:
            writing = asyncio.ensure_future(memory.add("begun before the cancel"))
            while not reached.is_set():
                await asyncio.sleep(0.001)
            writing.cancel()
            with pytest.raises(asyncio.CancelledError):
                await writing
            assert not done.is_set()
        assert done.is_set()

    asyncio.run(story())
    with holdfast.open(tmp_path / "home", user="ana") as memory:
        assert [hit.text for hit in memory.search("begun")] == ["begun before the cancel"]


def test_work_that_was_cancelled_before_its_turn_is_never_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(aio, "THREADS", 1)

    async def story(memory: AsyncMemory) -> list[str]:
        first = asyncio.ensure_future(memory.add("first"))
        second = asyncio.ensure_future(memory.add("second"))
        await asyncio.sleep(0.02)
        second.cancel()
        await first
        return [entry.text for entry in await memory.query(every=True)]

    assert run(story, tmp_path / "home", on_event=[slow_measurement]) == ["first"]


def test_after_close_every_verb_says_so(tmp_path: Path) -> None:
    async def story() -> None:
        memory = await AsyncMemory.open(tmp_path / "home")
        session = await memory.create_session()
        await memory.close()
        await memory.close()
        with pytest.raises(holdfast.Invalid, match="closed"):
            await memory.search("anything")
        with pytest.raises(holdfast.Invalid, match="closed"):
            await session.add("anything")

    asyncio.run(story())


def test_an_open_that_nobody_waits_for_is_closed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reached, closed = threading.Event(), threading.Event()

    class Slow:
        def close(self) -> None:
            closed.set()

    def slow_open() -> Any:
        reached.set()
        time.sleep(0.1)
        return Slow()

    async def story() -> None:
        opening = asyncio.ensure_future(aio.Opening(slow_open)._open())
        while not reached.is_set():
            await asyncio.sleep(0.001)
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening

    asyncio.run(story())
    assert closed.wait(5)


def test_an_open_that_fails_raises_and_leaves_no_thread(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a directory")

    async def story() -> None:
        with pytest.raises(holdfast.HoldfastError):
            await holdfast.aopen(tmp_path / "file")

    asyncio.run(story())
    deadline = time.monotonic() + 5
    while any(thread.name.startswith("holdfast") for thread in threading.enumerate()):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def in_a_child(story: Callable[[], Coroutine[Any, Any, bool]]) -> bool:
    """Whether an async story comes true in a forked child; one that hangs does not."""
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        try:
            os._exit(0 if asyncio.run(story()) else 1)
        finally:
            os._exit(2)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_reads_and_writes_on_threads_of_its_own(tmp_path: Path) -> None:
    async def opened() -> AsyncMemory:
        memory = await holdfast.aopen(tmp_path, user="ana")
        await memory.add("said before the fork")
        return memory

    with asyncio.Runner() as loop:
        memory = loop.run(opened())
        wait_until_idle(memory)

        async def story() -> bool:
            await memory.add("said in the child")
            found = len(await memory.search("said"))
            await memory.close()
            return found == 2

        assert in_a_child(story)
        assert len(loop.run(memory.search("said"))) == 2
        loop.run(memory.close())


def wait_until_idle(memory: AsyncMemory) -> None:
    """Until a worker waits for work: a pool that is believed to have an idle thread starts no other."""
    pool = memory._threads._pool
    deadline = time.monotonic() + 10
    while not pool._idle_semaphore._value and time.monotonic() < deadline:
        time.sleep(0.001)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_what_was_closed_stays_closed_in_a_forked_child(tmp_path: Path) -> None:
    async def closed() -> AsyncMemory:
        memory = await holdfast.aopen(tmp_path)
        await memory.close()
        return memory

    memory = asyncio.run(closed())

    async def story() -> bool:
        try:
            await memory.search("words")
        except holdfast.Invalid:
            return True
        return False

    assert in_a_child(story)
