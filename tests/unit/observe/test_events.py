"""Events reach hooks and log, cost nothing when nobody listens, and never carry remembered text."""

from __future__ import annotations

from typing import Any

import pytest

from holdfast.errors import Invalid
from holdfast.model.ids import user_dir
from holdfast.observe.events import Event, Observer
from holdfast.observe.facts import NUMBERS, WORDS
from holdfast.testing import FixedClock

SESSION = "sess_20260110_k3v9xq"
ENTRY = "mem_01JH8Z3T5N7Q9R2V4X6Y8Z0A1B"


def told(home: str | None = "/home/ana/holdfast", **facts: Any) -> Event:
    seen: list[Event] = []
    Observer(FixedClock(5000), home=home, on_event=[seen.append]).emit("entry added", "info", "capture", **facts)
    return seen[0]


def test_an_event_has_name_level_component_time_and_facts() -> None:
    event = told(session_id=SESSION, entries=3)
    assert event == Event(
        name="entry added", level="info", component="capture", time=5000, session_id=SESSION, facts=event.facts
    )
    assert dict(event.facts) == {"entries": 3}


def test_nobody_listening_means_nothing_is_done() -> None:
    class Explosive:
        def __getattribute__(self, name: str) -> Any:
            raise AssertionError("a fact was looked at")

    observer = Observer(FixedClock())
    assert not observer.listening
    observer.emit("entry added", "info", "capture", entries=Explosive())


def test_one_hook_or_several_may_be_given() -> None:
    seen: list[Event] = []
    assert Observer(FixedClock(), on_event=seen.append).listening
    Observer(FixedClock(), on_event=(seen.append, seen.append)).emit("done", "info", "index")
    assert len(seen) == 2


def test_a_hook_that_fails_is_counted_and_the_next_one_still_called() -> None:
    seen: list[Event] = []

    def broken(_event: Event) -> None:
        raise RuntimeError("somebody else's bug")

    observer = Observer(FixedClock(), on_event=(broken, seen.append))
    observer.emit("done", "info", "index")
    observer.count("memory.compaction.count")
    assert len(seen) == 2
    assert observer.snapshot()["memory.errors.hook.count"] == {"count": 2}
    assert observer.snapshot()["memory.compaction.count"] == {"count": 1}


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("entries_before", 5000, 5000),
        ("size_reduction_mb", 2.3, 2.3),
        ("journal", SESSION, SESSION),
        ("journal", "global", "global"),
        ("journal", user_dir("ana"), user_dir("ana")),
        ("entry_id", ENTRY, ENTRY),
        ("user", "whatsapp:+49@s.whatsapp.net", user_dir("whatsapp:+49@s.whatsapp.net")),
        ("reason", "torn_tail", "torn_tail"),
        ("error", Invalid("the text 'my password' is too long"), "Invalid"),
        ("error", OSError(28, "No space left"), "OSError"),
        ("errno", "ENOSPC", "ENOSPC"),
        ("errno", 28, 28),
        ("file", f"/home/ana/holdfast/agents/main/sessions/{SESSION}/memory.jsonl",
         f"agents/main/sessions/{SESSION}/memory.jsonl"),
        ("path", "agents/main/global/memory.jsonl", "agents/main/global/memory.jsonl"),
    ],
)  # fmt: skip
def test_a_fact_is_told_in_the_form_its_name_promises(name: str, value: Any, shown: Any) -> None:
    assert dict(told(**{name: value}).facts) == {name: shown}


def test_a_journal_of_a_user_counts_as_the_session() -> None:
    assert told(session_id="global").session_id == "global"


def test_facts_that_are_none_are_left_out() -> None:
    assert dict(told(entries=None, anything=None).facts) == {}


HOSTILE = (
    "My password is hunter2",
    "AKIAIOSFODNN7EXAMPLE",
    "sk-ant-api03-abcdefghijklmnop",
    "line one\nline two",
    '{"level":"ERROR"}',
    "../../etc/passwd",
    "/home/ana/holdfast/../secret",
    "/home/ana/holdfast/notes about my illness.txt",
    "Ünïcode\u2028",
    "\ud800",
)
FACTS = [*sorted(NUMBERS | WORDS), "session_id", "journal", "entry_id", "agent", "error", "errno", "file", "path"]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize(
    "wrapped",
    [
        lambda text: text,
        lambda text: [text],
        lambda text: {"a": text},
        lambda text: text.encode("utf-16-le", "replace"),
    ],
)
def test_no_fact_carries_text_whatever_its_name(text: str, wrapped: Any) -> None:
    hostile = wrapped(text)
    event = told(**dict.fromkeys([*FACTS, "text", "content", "query", "message"], hostile))
    assert set(event.facts) == {"withheld"}
    assert event.session_id is None
    assert event.facts["withheld"] == len(FACTS) + 4


@pytest.mark.parametrize("text", HOSTILE)
def test_neither_name_nor_component_carries_text(text: str) -> None:
    seen: list[Event] = []
    Observer(FixedClock(), on_event=seen.append).emit(text, "info", text)
    assert (seen[0].name, seen[0].component) == ("event with an unsafe name", "event with an unsafe name")


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_no_number_in_json_is_withheld(value: float) -> None:
    assert dict(told(duration_ms=value).facts) == {"withheld": 1}


def test_files_outside_the_home_are_not_told() -> None:
    assert dict(told(file="/etc/passwd").facts) == {"withheld": 1}
    assert dict(told(home=None, file="/home/ana/holdfast/config.toml").facts) == {"withheld": 1}
