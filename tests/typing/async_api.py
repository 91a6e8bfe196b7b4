"""Typed use of the async facade: what the wrappers keep of the facade's types. Checked, never run."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, assert_type

import holdfast
from holdfast import (
    AsyncMemory,
    AsyncSession,
    AsyncUser,
    Context,
    Counted,
    Entries,
    Entry,
    Listed,
    Receipt,
    SearchResult,
)


async def opening() -> None:
    assert_type(await holdfast.aopen("home", agent="main", user="ana"), AsyncMemory)
    assert_type(await AsyncMemory.open("home"), AsyncMemory)
    async with holdfast.aopen() as memory:
        assert_type(memory, AsyncMemory)
    await holdfast.aopen(nonsense=True)  # type: ignore[call-arg]


async def sessions(memory: AsyncMemory) -> None:
    session = await memory.create_session("ana", workspace=".", key="login")
    assert_type(session, AsyncSession)
    assert_type(await memory.load_session("login"), AsyncSession)
    assert_type(await memory.sessions(limit=3), Listed[AsyncSession])
    assert_type(await session.add("text", role="user"), Entry)
    assert_type(await session.search("text"), SearchResult)
    assert_type(session.export("json"), AsyncIterator[str])
    assert_type(session.id, str)
    await memory.sessions(limit="three")  # type: ignore[arg-type]


async def verbs(memory: AsyncMemory) -> None:
    assert_type(await memory.add_many([{"text": "one"}]), list[Entry])
    assert_type(await memory.context("what?", budget=800), Context)
    assert_type(await memory.query(types=["decision"], limit=3), Entries)
    assert_type(await memory.delete("mem_"), bool)
    assert_type(await memory.tags(), Counted)
    assert_type(await memory.stats(), dict[str, Any])
    assert_type(await memory.get_memory("sess_", "mem_"), Entry | None)
    await memory.get()  # type: ignore[call-arg]
    await memory.search(42)  # type: ignore[arg-type]


async def users(memory: AsyncMemory) -> None:
    user = memory.user("ana")
    assert_type(user, AsyncUser)
    assert_type(await user.remember("editor", "vim"), Entry)
    assert_type(await user.memories(), Listed[Entry])
    assert_type(await user.forget("editor", dry_run=True), Receipt)
