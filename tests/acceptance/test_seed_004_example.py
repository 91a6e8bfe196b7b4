"""The example of seed 004, sections 6.1 to 6.3, line by line in Python names."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

import holdfast
from holdfast.testing import FixedClock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from holdfast import Memory, Session

DAY = 24 * 3600 * 1000
NEW_YEAR = int(datetime(2026, 1, 1, tzinfo=UTC).timestamp() * 1000)


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NEW_YEAR + 2 * DAY)


@pytest.fixture
def memory_manager(tmp_path: Path, clock: FixedClock) -> Iterator[Memory]:
    with holdfast.open(tmp_path / "memory", settings={"decay.half_life_hours": 168}, clock=clock) as memory:
        yield memory


@pytest.fixture
def session(memory_manager: Memory) -> Session:
    return memory_manager.create_session("user123")


def question(memory_manager: Memory, session: Session) -> str:
    return memory_manager.add_memory(
        session.id,
        {
            "type": "conversation",
            "content": {"role": "user", "message": "How do I implement OAuth2?"},
            "importance": 0.8,
            "tags": ["oauth2", "authentication"],
        },
    )


def decision(memory_manager: Memory, session: Session, reference: str) -> str:
    return memory_manager.add_memory(
        session.id,
        {
            "type": "decision",
            "content": {
                "decision": "Use Authorization Code flow for web apps",
                "rationale": "Most secure for server-side applications",
                "alternatives": ["Implicit flow", "PKCE"],
            },
            "importance": 0.9,
            "tags": ["oauth2", "security", "architecture"],
            "references": [reference],
        },
    )


def note(text: str, *tags: str, **fields: Any) -> dict[str, Any]:
    return {"type": "finding", "content": {"text": text}, "tags": list(tags), **fields}


# -- 6.1 basic usage


def test_basic_usage(memory_manager: Memory, session: Session, clock: FixedClock) -> None:
    mem_id = question(memory_manager, session)
    second = decision(memory_manager, session, mem_id)

    clock.advance(DAY)  # past the recency boost, with which both would have the highest relevance
    auth_memories = memory_manager.search_by_topic(session.id, "oauth2")
    assert {entry.id for entry in auth_memories} == {mem_id, second}
    assert auth_memories[0].id == second, "the more important one comes first"

    memory_manager.close_session(session.id)
    card = memory_manager.load_session(session.id).card
    assert (card.user_id, card.total_entries, card.ended_at is not None) == ("user123", 2, True)


def test_what_was_added_is_given_back_in_the_seeds_shape(memory_manager: Memory, session: Session) -> None:
    mem_id = question(memory_manager, session)
    second = decision(memory_manager, session, mem_id)
    asked = memory_manager.get_memory(session.id, mem_id)
    decided = memory_manager.get_memory(session.id, second)
    assert asked is not None
    assert decided is not None
    assert asked["content"]["role"] == "user"
    assert asked["content"]["message"] == "How do I implement OAuth2?"
    assert decided["content"]["decision"] == "Use Authorization Code flow for web apps"
    assert decided["content"]["rationale"] == "Most secure for server-side applications"
    assert decided["content"]["alternatives"] == ["Implicit flow", "PKCE"]
    assert decided["references"] == (mem_id,)
    assert memory_manager.get_memory(session.id, "mem_01KG2D5T7QH3V8ZJ4N6R9WXYAB") is None


# -- 6.2 advanced querying


def test_a_complex_query(memory_manager: Memory, session: Session, clock: FixedClock) -> None:
    kept = decision(memory_manager, session, question(memory_manager, session))
    for entry in (
        note("an old way", "security", "deprecated", importance=0.9),
        note("a small thing", "security", importance=0.2),
        note("another subject", "performance", importance=0.9),
        note("a later one", "security", importance=0.9, timestamp="2026-01-10T00:00:00Z"),
        note("an earlier one", "security", importance=0.9, timestamp="2025-12-31T23:59:59Z"),
    ):
        memory_manager.add_memory(session.id, entry)
    below = memory_manager.add_memory(session.id, note("a tag below it", "security.login", importance=0.7))
    clock.advance(DAY)

    results = memory_manager.query_memories(
        session.id,
        {
            "types": ["decision", "finding"],
            "tags": {"include": ["security"], "exclude": ["deprecated"]},
            "timeRange": {"start": datetime(2026, 1, 1, tzinfo=UTC), "end": datetime(2026, 1, 10, tzinfo=UTC)},
            "minImportance": 0.7,
            "sortBy": "relevance",
            "limit": 10,
        },
    )
    assert [entry.id for entry in results] == [kept, below]


def test_related_memories(memory_manager: Memory, session: Session) -> None:
    ids = [question(memory_manager, session)]
    for _ in range(3):
        ids.append(decision(memory_manager, session, ids[-1]))
    related = memory_manager.query_memories(session.id, {"references": [ids[3]], "maxDepth": 2})
    assert [entry.id for entry in related] == [ids[2], ids[1]]


def test_the_other_searches_of_the_seed(memory_manager: Memory, session: Session) -> None:
    mem_id = question(memory_manager, session)
    second = decision(memory_manager, session, mem_id)
    assert [entry.id for entry in memory_manager.search_by_type(session.id, "decision")] == [second]
    span = (datetime(2026, 1, 3, tzinfo=UTC), datetime(2026, 1, 4, tzinfo=UTC))
    assert {entry.id for entry in memory_manager.search_by_time_range(session.id, *span)} == {mem_id, second}


# -- 6.3 privacy operations


def test_privacy_operations(memory_manager: Memory, session: Session, clock: FixedClock) -> None:
    mem_id = question(memory_manager, session)
    second = decision(memory_manager, session, mem_id)
    for text in ("name", "address"):
        memory_manager.add_memory(session.id, note(text, "personal_info"))

    assert memory_manager.delete_memory(session.id, mem_id) is True
    assert memory_manager.delete_memory(session.id, mem_id) is False
    assert memory_manager.get_memory(session.id, mem_id) is None

    deleted_count = memory_manager.delete_memories_by_topic(session.id, "personal_info")
    assert deleted_count == 2
    assert memory_manager.search_by_topic(session.id, "personal_info") == []

    clock.advance(4 * DAY)
    later = memory_manager.add_memory(session.id, note("a later finding", "oauth2"))
    first_days = (datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 5, tzinfo=UTC))
    assert memory_manager.delete_memories_by_time_range(session.id, *first_days) == 1
    assert memory_manager.get_memory(session.id, second) is None

    export_data = json.loads(memory_manager.export_session(session.id, "json"))
    assert [entry["id"] for entry in export_data["entries"]] == [later]
    assert export_data["entries"][0]["content"]["message"] == "a later finding"


def test_upkeep_of_the_seed(memory_manager: Memory, session: Session) -> None:
    mem_id = question(memory_manager, session)
    decision(memory_manager, session, mem_id)
    memory_manager.delete_memory(session.id, mem_id)
    memory_manager.compact_session(session.id)
    memory_manager.rebuild_index(session.id)
    stats = memory_manager.get_session_stats(session.id)
    assert stats["total_entries"] == 1
    assert stats["statistics"]["decisions"] == 1
    assert [entry.type for entry in memory_manager.search_by_topic(session.id, "oauth2")] == ["decision"]
    with pytest.raises(holdfast.NotFound):
        memory_manager.rebuild_index("sess_20260101_000000")
