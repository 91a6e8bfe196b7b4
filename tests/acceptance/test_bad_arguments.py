"""Arguments of the wrong kind: a typed error that names the field, nothing stored, and no filter dropped in silence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import holdfast
from holdfast import BadConfig, Invalid

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.acceptance.shell import Shell

    Act = Callable[[Any], Any]

ID = "mem_01KG2D5T7QH3V8ZJ4N6R9WXYAB"


class Unprintable:
    """Something of which nobody can say what it is."""

    def __str__(self) -> str:
        raise RuntimeError("no words")

    __repr__ = __str__


def endless() -> list[Any]:
    """A list within a list, and so on."""
    inner: list[Any] = []
    for _ in range(10**5):
        inner = [inner]
    return inner


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Any]:
    with holdfast.open(tmp_path / "home") as opened:
        opened.add("first", session="talk")
        yield opened


CALLS: list[tuple[str, Act]] = [
    ("prompt", lambda m: m.context(None)),
    ("prompt", lambda m: m.context(b"x")),
    ("prompt", lambda m: m.context("half a \ud83d pair")),
    ("query", lambda m: m.search("half a \ud83d pair")),
    ("query", lambda m: m.search(b"x")),
    ("limit", lambda m: m.context("x", limit="a")),
    ("limit", lambda m: m.context("x", limit=0)),
    ("limit", lambda m: m.context("x", limit=-5)),
    ("parts", lambda m: m.context("x", parts=None)),
    ("parts", lambda m: m.context("x", parts=[[1]])),
    ("budget", lambda m: m.context("x", budget="all")),
    ("format", lambda m: m.export(None)),
    ("format", lambda m: m.export({})),
    ("path", lambda m: m.load(None)),
    ("path", lambda m: m.load([1])),
    ("path", lambda m: m.load(b"x")),
    ("path", lambda m: m.load(iter([None]))),
    ("decay", lambda m: m.create_session(decay=True)),
    ("compaction", lambda m: m.create_session(compaction=[])),
    ("preferences", lambda m: m.create_session(preferences=1.5)),
    ("preferences.custom", lambda m: m.create_session(preferences={"custom": 5})),
    ("workspace", lambda m: m.create_session(workspace="")),
    ("bogus", lambda m: m.save_session("talk", bogus=None)),
    ("decay", lambda m: m.save_session("talk", decay=True)),
    ("query", lambda m: m.query_memories("talk", None)),
    ("query", lambda m: m.query_memories("talk", {1: 2})),
    ("timeRange", lambda m: m.query_memories("talk", {"timeRange": True})),
    ("timeRange", lambda m: m.query_memories("talk", {"timeRange": False})),
    ("entry", lambda m: m.add_memory("talk", None)),
    ("items", lambda m: m.add_many(None)),
    ("items", lambda m: m.load_session("talk").add_many("text")),
    ("entry", lambda m: m.load_session("talk").add_many([5])),
    ("limit", lambda m: m.sessions(limit=-1)),
    ("limit", lambda m: m.sessions(limit="3")),
    ("offset", lambda m: m.sessions(offset=-1)),
    ("offset", lambda m: m.query(offset=10**400)),
    ("importance", lambda m: m.add("x", importance=10**5000)),
    ("min_importance", lambda m: m.query(min_importance=10**5000)),
    ("scope", lambda m: m.add("x", scope=[])),
    ("session", lambda m: m.add("x", scope="user", session=["y"])),
    ("scope", lambda m: m.add("x", scope="")),
    ("session", lambda m: m.add("x", scope="user", session={})),
    ("session", lambda m: m.user("local").remember("editor", "vim", session=set())),
    ("type", lambda m: m.add("x", type=Unprintable())),
    ("type", lambda m: m.add("x", type=10**5000)),
    ("type", lambda m: m.add("x", type=endless())),
    ("format", lambda m: m.export(Unprintable())),
    ("tags", lambda m: m.query(tags={10**5000: ["a"]})),
    ("decay.int", lambda m: m.create_session(decay={10**5000: 1})),
    ("embedder", lambda m: m.reindex(embedder=[])),
    ("embedder", lambda m: m.reindex(embedder=5)),
    ("path", lambda m: m.load("/")),
    ("id", lambda m: m.forget(5)),
    ("key", lambda m: m.user("local").forget(None)),  # it must not mean everything of the user
    ("key", lambda m: m.forget_key("local", "")),
    ("id", lambda m: m.forget([ID, 5])),
    ("id", lambda m: m.forget([], user="local")),
    ("workspace", lambda m: m.forget(topic="a", workspace="")),
    *(
        ("workspace", lambda m, verb=verb: verb(m, ""))  # type: ignore[misc]
        for verb in (
            lambda m, w: m.search("x", workspace=w),
            lambda m, w: m.query(workspace=w),
            lambda m, w: m.context("x", workspace=w),
            lambda m, w: m.context("x", session="talk", workspace=w),
            lambda m, w: m.export(workspace=w),
            lambda m, w: m.tags(workspace=w),
            lambda m, w: m.sessions(workspace=w),
        )
    ),
]


@pytest.mark.parametrize(("field", "act"), CALLS)
def test_a_wrong_argument_is_named_and_changes_nothing(memory: Any, field: str, act: Act) -> None:
    before = memory.stats(), [session.card for session in memory.sessions()]
    with pytest.raises(Invalid) as refused:
        act(memory)
    assert refused.value.details["field"] == field
    assert field in refused.value.message
    assert ([session.card for session in memory.sessions()], memory.stats()["entries"]) == (before[1], 1)


@pytest.mark.parametrize(
    ("field", "given"),
    [("caller", 5), ("caller", "ana"), ("user", []), ("user", ""), ("clock", 5), ("on_event", None), ("on_event", [5])],
)
def test_open_refuses_what_it_cannot_use(tmp_path: Path, field: str, given: Any) -> None:
    with pytest.raises(Invalid) as refused:
        holdfast.open(tmp_path / "home", **{field: given})
    assert refused.value.details["field"] == field


@pytest.mark.parametrize("path", [5, b"home", [], True, "", "\0", "a\0b", "\ud800"])
def test_a_home_is_a_path(path: Any) -> None:
    with pytest.raises(Invalid, match="path"):
        holdfast.open(path)


@pytest.mark.parametrize("settings", [5, "recall.limit", [("recall.limit", 3)], {1: 2}, True, {"time.zone": "Mars/X"}])
def test_open_refuses_settings_that_are_none(tmp_path: Path, settings: Any) -> None:
    with pytest.raises(BadConfig):
        holdfast.open(tmp_path / "home", settings=settings)


@pytest.mark.parametrize("zone", ["Mars/X", "Europe", "../../etc/passwd", "/etc/localtime"])
def test_a_zone_that_nobody_knows_stops_open_and_not_a_later_search(tmp_path: Path, zone: str, shell: Shell) -> None:
    with pytest.raises(BadConfig) as refused:
        holdfast.open(tmp_path / "home", settings={"time.zone": zone})
    assert refused.value.details["setting"] == "time.zone"
    ran = shell("query", "--since", "yesterday", HOLDFAST_TIME_ZONE=zone)
    assert ran.code == 2
    assert "HOLDFAST_TIME_ZONE" in ran.err


def test_a_zone_that_is_known_is_taken(tmp_path: Path) -> None:
    with holdfast.open(tmp_path / "home", settings={"time.zone": "Europe/Lisbon"}) as memory:
        assert memory.query(since="yesterday") == []


def test_delete_looks_at_every_id_before_it_hides_one(shell: Shell) -> None:
    good = shell.add("an oak")
    ran = shell("delete", good, "notanid", "--json")
    assert ran.code == 2
    assert ran.json()["error"]["details"] == {"field": "id"}
    assert shell.good("get", good).out
