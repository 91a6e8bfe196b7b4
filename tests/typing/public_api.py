"""Typed use of the public names, checked by `make check` and never run: a change of a type shows here first."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any, assert_type

import holdfast
from holdfast import (
    AsyncMemory,
    Card,
    Context,
    Counted,
    Entries,
    Entry,
    Hit,
    Listed,
    Memory,
    Receipt,
    SearchResult,
    Session,
    User,
)
from holdfast.ports import Clock, Index, Journal
from holdfast.testing import FixedClock


def opening() -> None:
    assert_type(holdfast.open(), Memory)
    assert_type(holdfast.open("home", agent="main", user="ana", settings={"recall.min_score": 0.2}), Memory)
    with holdfast.open(clock=FixedClock()) as memory:
        assert_type(memory, Memory)
        assert_type(memory.home, str)
        assert_type(memory.agent, str)


def writing(memory: Memory, session: Session) -> None:
    assert_type(memory.create_session("ana", workspace="."), Session)
    assert_type(memory.load_session("some key"), Session)
    assert_type(memory.sessions(), Listed[Session])
    assert_type(session.card, Card)
    entry = session.add("Use the code flow", type="decision", importance=0.9, rationale="safest")
    assert_type(entry, Entry)
    assert_type(memory.add("text", session=session.id), Entry)
    assert_type(memory.add_many([{"text": "one"}, {"text": "two"}]), list[Entry])
    assert_type(memory.pin(entry.id), Entry)
    assert_type(memory.unpin(entry.id), Entry)
    assert_type(memory.amend(entry.id, importance=0.7), Entry)
    assert_type(memory.delete(entry.id), bool)
    assert_type(memory.undelete(entry.id), Entry)


def values(entry: Entry, hit: Hit) -> None:
    assert_type(entry.id, str)
    assert_type(entry.text, str)
    assert_type(entry.tags, tuple[str, ...])
    assert_type(entry.importance, float)
    assert_type(entry.user_id, str | None)
    assert_type(entry.replace(importance=0.1), Entry)
    assert_type(entry.to_dict(), dict[str, Any])
    assert_type(hit.score, float)
    assert_type(hit.snippet, str)
    assert_type((hit.author, hit.role, hit.key), tuple[str | None, str | None, str | None])
    assert_type(hit.entry, Entry | None)
    entry.text = "changed"  # type: ignore[misc]
    Hit(id="mem_")  # type: ignore[call-arg]


def recalling(memory: Memory) -> None:
    found = memory.search("oauth flow", user="ana", limit=6)
    assert_type(found, SearchResult)
    assert_type(found.hits, tuple[Hit, ...])
    assert_type(found.degraded, str | None)
    assert_type([hit.text for hit in found], list[str])
    assert_type(found[0], Hit)
    assert_type(memory.get("mem_"), Entry)
    assert_type(memory.query(types=["decision"], tags={"include": ["security"]}, since="2w", limit=10), Entries)
    assert_type(memory.tags(), Counted)
    context = memory.context("what did we decide?", session="key", budget=800)
    assert_type(context, Context)
    assert_type(context.text, str)
    assert_type(context.items, tuple[Hit, ...])


def removing(memory: Memory) -> None:
    receipt = memory.forget(topic="personal", dry_run=True)
    assert_type(receipt, Receipt)
    assert_type(receipt.clean, bool)
    assert_type(receipt.entries, tuple[str, ...])
    assert_type(memory.export(format="jsonl"), Iterator[str])


def users(memory: Memory) -> None:
    user = memory.user("ana")
    assert_type(user, User)
    assert_type(user.remember("editor", "vim"), Entry)
    assert_type(user.memories(), Listed[Entry])
    assert_type(user.forget("editor"), Receipt)


def seed_names(memory: Memory, session: Session) -> None:
    assert_type(memory.add_memory(session.id, {"type": "conversation", "content": {"message": "hello"}}), str)
    assert_type(memory.get_memory(session.id, "mem_"), Entry | None)
    assert_type(memory.delete_memory(session.id, "mem_"), bool)
    assert_type(memory.search_by_topic(session.id, "oauth2"), Listed[Entry])
    assert_type(memory.delete_memories_by_topic(session.id, "personal_info"), int)
    assert_type(memory.export_session(session.id, "json"), str)


async def asynchronous(memory: AsyncMemory) -> None:
    entry = await memory.add("text")
    assert_type(entry, Entry)
    assert_type(await memory.search("text", limit=3), SearchResult)
    assert_type(await memory.forget(entry.id), Receipt)
    assert_type(memory.export(), AsyncIterator[str])


def ports(clock: Clock, journal: Journal, index: Index) -> None:
    """Our backends are what the ports ask for."""
    from holdfast.index import SqliteIndex
    from holdfast.journal import FileJournal

    fixed: Clock = FixedClock()
    files: Journal = FileJournal("folder", "main", clock)
    tables: Index = SqliteIndex("folder", "main", journal, clock, recalled="recalled.jsonl")
    assert_type(fixed.now(), int)
    print(files, tables, index)


def errors() -> None:
    try:
        holdfast.open()
    except holdfast.Locked as error:
        assert_type(error.message, str)
        assert_type(error.details, dict[str, object])
    except holdfast.HoldfastError:
        raise
