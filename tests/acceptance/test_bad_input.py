"""Bad input gets a typed error that names what is wrong, and no byte of the store changes."""

from __future__ import annotations

import contextlib
import datetime
import os
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import holdfast
from holdfast import BadConfig, Denied, HoldfastError, Invalid, NotFound, SizeLimit, StorageFailed
from holdfast.testing import FixedClock

ROOT = Path(__file__).parents[2]
LEAVES = HoldfastError.__subclasses__()
UNKNOWN = "mem_" + "0" * 26
LONE = "half a \ud83d pair"
NAN, INFINITY = float("nan"), float("inf")
NAIVE = datetime.datetime(2026, 1, 10, 14, 23)
TRICKS = (
    "../../etc/passwd", "..", "/etc/passwd", "a/../../b", "..\\..\\windows", "nul\0byte", "new\nline", "\x1b[31m", "",
    " ", "x" * 5000, "%2e%2e%2f", "～/.ssh", "CON", "a\u2028b", "\ud800", ".", "-rf", "$(reboot)",
    "'; DROP TABLE x; --",
)  # fmt: skip


def snapshot(home):
    """Every file's bytes below the home, but locks and the index, which is derived."""
    found = {}
    for folder, folders, names in os.walk(home):
        folders[:] = [name for name in folders if name not in ("locks", "index")]
        for name in names:
            if name.endswith(".lock"):
                continue
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, home)] = file.read()
    return found


@pytest.fixture
def home(tmp_path):
    return str(tmp_path / "home")


@pytest.fixture
def memory(home):
    with holdfast.open(home, user="ana", clock=FixedClock()) as opened:
        opened.add("first", session="talk", tags=["a.b"])
        opened.create_session("ben", key="theirs").add("of ben")
        opened.user("ana").remember("editor", "vim")
        opened.search("first")
        yield opened


def used_up(found):
    return list(found) if hasattr(found, "__next__") else found


def refused(memory, act, *kinds):
    """The error of an act that must change nothing."""
    before = snapshot(memory.home)
    with pytest.raises(kinds or HoldfastError) as caught:
        used_up(act())
    assert type(caught.value) is not HoldfastError
    assert caught.value.message
    assert snapshot(memory.home) == before
    return caught.value


# -- fields of an entry

ODD_FIELDS = {
    "no text": {},
    "empty text": {"text": ""},
    "blank text": {"text": " \n"},
    "text a number": {"text": 3},
    "text bytes": {"text": b"x"},
    "lone surrogate": {"text": LONE},
    "lone surrogate in tag": {"text": "x", "tags": [LONE]},
    "lone surrogate in metadata": {"text": "x", "metadata": {"a": [LONE]}},
    "NaN importance": {"text": "x", "importance": NAN},
    "infinite importance": {"text": "x", "importance": INFINITY},
    "importance 1.1": {"text": "x", "importance": 1.1},
    "importance text": {"text": "x", "importance": "high"},
    "importance true": {"text": "x", "importance": True},
    "NaN in metadata": {"text": "x", "metadata": {"a": NAN}},
    "metadata a list": {"text": "x", "metadata": [1]},
    "metadata a set": {"text": "x", "metadata": {"a": {1, 2}}},
    "metadata 17 deep": {"text": "x", "metadata": None},
    "metadata too large": {"text": "x", "metadata": {"a": "y" * 70_000}},
    "10,000 tags": {"text": "x", "tags": None},
    "65 tags": {"text": "x", "tags": [f"t{n}" for n in range(65)]},
    "tag with a space": {"text": "x", "tags": ["a b"]},
    "tags a number": {"text": "x", "tags": 3},
    "naive time": {"text": "x", "timestamp": NAIVE},
    "naive text time": {"text": "x", "timestamp": "2026-01-10T14:23:45"},
    "time before 1970": {"text": "x", "timestamp": -1},
    "time NaN": {"text": "x", "timestamp": NAN},
    "time in words": {"text": "x", "timestamp": "tomorrow"},
    "time true": {"text": "x", "timestamp": True},
    "unknown type": {"text": "x", "type": "thought"},
    "type a number": {"text": "x", "type": 3},
    "unknown field": {"text": "x", "colour": "red"},
    "257 references": {"text": "x", "references": [UNKNOWN[:-3] + f"{n:03d}" for n in range(257)]},
    "reference no id": {"text": "x", "references": ["../x"]},
    "id not ours": {"text": "x", "id": "../../x"},
    "scope unknown": {"text": "x", "scope": "galaxy"},
    "key in a session": {"text": "x", "key": "editor"},
    "role unknown": {"text": "x", "role": "god"},
    "provenance unknown": {"text": "x", "provenance": "heaven"},
    "pinned a text": {"text": "x", "pinned": "yes"},
    "tool with a line break": {"text": "x", "tool": "a\nb"},
    "path too long": {"text": "x", "path": "p" * 5000},
    "session a number": {"text": "x", "session": 5},
    "user a number": {"text": "x", "user": 5},
    "all users": {"text": "x", "user": "*"},
    "workspace a number": {"text": "x", "workspace": 5},
    "workspace with NUL": {"text": "x", "workspace": "a\0b"},
}  # fmt: skip


def deep(levels):
    found = {}
    for _ in range(levels):
        found = {"a": found}
    return found


@pytest.mark.parametrize("case", ODD_FIELDS)
def test_a_field_that_breaks_a_rule_is_refused_by_name(memory, case):
    fields = dict(ODD_FIELDS[case])
    if case == "metadata 17 deep":
        fields["metadata"] = deep(17)
    if case == "10,000 tags":
        fields["tags"] = [f"t{number}" for number in range(10_000)]
    error = refused(memory, lambda: memory.add(**fields), Invalid)
    assert error.details.get("field"), error


def test_a_circle_in_metadata_is_refused(memory):
    circle = {}
    circle["self"] = circle
    refused(memory, lambda: memory.add("x", metadata=circle), Invalid)


def test_one_bad_item_of_a_batch_stores_none_of_it(memory):
    items = [{"text": "good", "session": "new one"}, {"text": "good", "scope": "user"}, {"text": "", "session": "talk"}]
    refused(memory, lambda: memory.add_many(items), Invalid)
    refused(memory, lambda: memory.add_many([{"text": "good"}, "not a mapping"]), Invalid)


@pytest.mark.parametrize(
    "changes", [{}, {"importance": NAN}, {"text": ""}, {"text": LONE}, {"colour": "red"}, {"tags": ["a b"]}]
)
def test_an_amendment_that_breaks_a_rule_is_refused(memory, changes):
    id = memory.query(session="talk")[0].id
    refused(memory, lambda: memory.amend(id, **changes), Invalid)


# -- sizes


def test_an_entry_over_a_mebibyte_is_refused(memory):
    error = refused(memory, lambda: memory.add("x" * (1 << 20)), SizeLimit)
    assert error.details["kind"] == "entry"
    assert memory.add("x" * ((1 << 20) - 1000)).seq > 0


def test_a_session_exactly_at_its_limit_is_fine_and_one_byte_more_is_not(home):
    limit = 1 << 16
    settings = {"journal.session_bytes": limit, "journal.entry_bytes": limit // 2, "compaction.auto": False}
    with holdfast.open(home, clock=FixedClock(), settings=settings) as memory:
        session = memory.create_session(key="full")
        path = os.path.join(home, "agents", "main", "sessions", session.id, "memory.jsonl")
        session.add("x")
        with open(path, "rb") as file:
            line = os.path.getsize(path) - len(file.readline())
        session.add("x" * (limit // 2 - line))
        room = limit - os.path.getsize(path)
        error = refused(memory, lambda: session.add("x" * (room - line + 2)), SizeLimit)
        assert error.details["limit"] == limit
        assert error.details["kinds"]["note"] > 0
        session.add("x" * (room - line + 1))
        assert os.path.getsize(path) == limit
        refused(memory, lambda: session.add("x"), SizeLimit)
        assert memory.delete(memory.query(session="full")[0].id), "deleting must work at any size"


def test_a_long_question_is_cut_not_refused_and_a_longer_one_is(memory):
    assert memory.search("first " * 1000).hits
    refused(memory, lambda: memory.search("x" * 200_000), Invalid)


# -- what is not there


ABSENT = {
    "get": lambda m: m.get(UNKNOWN),
    "amend": lambda m: m.amend(UNKNOWN, importance=0.1),
    "pin": lambda m: m.pin(UNKNOWN),
    "unpin": lambda m: m.unpin(UNKNOWN),
    "undelete": lambda m: m.undelete(UNKNOWN),
    "forget an id": lambda m: m.forget(UNKNOWN),
    "load a session": lambda m: m.load_session("nowhere"),
    "load a session id": lambda m: m.load_session("sess_20260101_zzzzzz"),
    "close": lambda m: m.close_session("nowhere"),
    "save": lambda m: m.save_session("nowhere", title="x"),
    "search a session": lambda m: m.search("x", session="nowhere"),
    "query a session": lambda m: m.query(session="nowhere"),
    "forget a session": lambda m: m.forget(session="nowhere"),
    "export a session": lambda m: m.export(session="nowhere"),
    "compact": lambda m: m.compact("nowhere"),
    "stats": lambda m: m.stats(session="nowhere"),
    "add to a session id": lambda m: m.add("x", session="sess_20260101_zzzzzz"),
    "tags": lambda m: m.tags(session="nowhere"),
    "context": lambda m: m.context("x", session="nowhere"),
}  # fmt: skip


@pytest.mark.parametrize("case", ABSENT)
def test_what_does_not_exist_is_not_found(memory, case):
    refused(memory, lambda: ABSENT[case](memory), NotFound)


def test_deleting_what_does_not_exist_says_so_and_does_nothing(memory):
    before = snapshot(memory.home)
    assert memory.delete(UNKNOWN) is False
    assert memory.delete_memories_by_topic("talk", "nothing") == 0
    assert memory.get_memory("talk", UNKNOWN) is None
    assert memory.user("ana").forget("nokey").entries == ()
    assert memory.user("ana").recall("nokey") is None
    assert snapshot(memory.home) == before


def test_a_session_of_somebody_else_is_denied_by_name_of_its_user(memory):
    theirs = memory.load_session("theirs", user="ben").id
    refused(memory, lambda: memory.add("x", session=theirs, user="ana"), Denied)
    refused(memory, lambda: memory.search("x", session=theirs, user="ana"), Denied)
    refused(memory, lambda: memory.load_session(theirs, "ana"), Denied)
    refused(memory, lambda: memory.load_session("theirs"), NotFound)


def test_circular_references_are_followed_once(memory):
    first = memory.query(session="talk")[0].id
    ids = [f"mem_{number:026d}" for number in (1, 2)]
    memory.add("one", session="talk", id=ids[0], references=[ids[1], first])
    memory.add("two", session="talk", id=ids[1], references=[ids[0], ids[1], UNKNOWN])
    found = memory.query(references=[ids[0]], max_depth=16)
    assert {entry.id for entry in found} == {ids[1], first}
    assert found.dangling == (UNKNOWN,)
    memory.delete(first)
    assert set(memory.query(references=[ids[0]], max_depth=16).dangling) == {UNKNOWN, first}
    assert memory.query(references=[ids[1]], limit=1).dangling == (UNKNOWN,)
    assert memory.query(session="talk").dangling == ()


def test_an_id_that_is_used_already_with_other_words_is_refused(memory):
    id = memory.query(session="talk")[0].id
    refused(memory, lambda: memory.add("other words", session="talk", id=id), Invalid)


# -- names that want to be paths


@pytest.mark.parametrize("trick", TRICKS, ids=range(len(TRICKS)))
def test_no_name_becomes_a_path(memory, trick, tmp_path):
    """Either refused, or stored under a name that we made: nothing appears outside the home or beside our own files."""
    acts = (
        lambda: memory.add("x", session=trick), lambda: memory.add("x", user=trick),
        lambda: memory.create_session(trick),
        lambda: memory.create_session("ana", key=trick), lambda: memory.create_session("ana", title=trick),
        lambda: memory.user(trick).remember("editor", "vim"), lambda: memory.user("ana").remember(trick, "x"),
        lambda: memory.add("x", tags=[trick]), lambda: memory.add("x", path=trick), lambda: memory.add("x", tool=trick),
        lambda: memory.add("x", workspace=trick), lambda: memory.get(trick), lambda: memory.forget(trick),
        lambda: memory.load_session(trick), lambda: list(memory.export(trick)), lambda: memory.load(trick),
        lambda: memory.search(trick), lambda: memory.query(tags=[trick]), lambda: memory.forget(topic=trick),
        lambda: memory.add("x", metadata={trick: trick}), lambda: memory.add("x", provenance=trick),
    )  # fmt: skip
    for act in acts:
        with contextlib.suppress(*LEAVES):
            act()
    assert sorted(os.listdir(tmp_path)) == ["home"]
    assert not strange(memory.home)
    assert memory.verify()["ok"]


def strange(home):
    """Names below the home that we did not make."""
    import re

    ours = re.compile(
        r"(agents|main|sessions|users|global|locks|index|behind|quarantine|key|ballast|CURRENT|[0-9a-f]{2}"
        r"|sess_\d{8}_[a-z0-9]+|u_[a-z2-7]{26}|v\d+-\d+|(memory|tombstones|recalled|injections)\.jsonl|metadata\.json"
        r"|(index|cache)\.db(-wal|-shm)?|\w+\.lock|(forgetting|embedder)\.json|since-[0-9a-f]{16})\Z"
    )
    return [name for _, folders, names in os.walk(home) for name in (*folders, *names) if not ours.match(name)]


@pytest.mark.parametrize("agent", ["../x", "", "A", "a b", "x" * 65, "a/b", "..", "é", "a\0"])
def test_an_agents_name_must_be_one(home, agent, tmp_path):
    with pytest.raises((Invalid, BadConfig)):
        holdfast.open(home, agent=agent).close()
    assert not os.path.exists(home) or os.listdir(home) == []
    assert sorted(os.listdir(tmp_path)) in ([], ["home"])


# -- homes


def test_a_home_that_is_a_file_is_refused(tmp_path):
    path = tmp_path / "file"
    path.write_text("mine")
    with pytest.raises(Invalid):
        holdfast.open(str(path))
    assert path.read_text() == "mine"


def test_a_home_on_another_machine_is_refused():
    with pytest.raises(BadConfig):
        holdfast.open("postgresql://somewhere/db")


def test_a_home_in_a_synced_folder_is_opened_with_a_warning(tmp_path):
    with pytest.warns(RuntimeWarning, match="Dropbox"):
        holdfast.open(str(tmp_path / "Dropbox" / "home")).close()


def test_a_home_on_a_network_file_system_is_opened_with_a_warning(tmp_path, monkeypatch):
    monkeypatch.setattr("holdfast.disk._filesystem", lambda path: "nfs4")
    with pytest.warns(RuntimeWarning, match="nfs4"):
        holdfast.open(str(tmp_path / "home")).close()


def test_an_ordinary_home_opens_without_a_warning(home):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        holdfast.open(home).close()


def test_a_closed_memory_refuses_politely(home):
    memory = holdfast.open(home)
    memory.close()
    memory.close()
    with pytest.raises(Invalid):
        memory.add("x")


@pytest.mark.parametrize(
    "settings", [{"recall.limit": 0}, {"no.such": 1}, {"journal.durability": "maybe"}, {"decay.floor": NAN}]
)
def test_settings_out_of_range_are_refused_with_the_range(home, settings):
    with pytest.raises(BadConfig) as caught:
        holdfast.open(home, settings=settings)
    assert next(iter(settings)) in caught.value.message
    assert not os.path.exists(home)


# -- a home that cannot be written


READ_ONLY = """
import json, sys
import holdfast
found = {}
with holdfast.open(sys.argv[1], user="ana") as memory:
    result = memory.search("first")
    found["hits"] = [hit.text for hit in result]
    found["degraded"] = result.degraded
    found["get"] = memory.get(sys.argv[2]).text
    found["query"] = len(memory.query(every=True, rank="oldest"))
    writes = {
        "add": lambda: memory.add("x"), "add to a session": lambda: memory.add("x", session="talk"),
        "amend": lambda: memory.amend(sys.argv[2], importance=0.1), "delete": lambda: memory.delete(sys.argv[2]),
        "remember": lambda: memory.user("ana").remember("editor", "emacs"),
        "forget": lambda: memory.forget(sys.argv[2]), "create_session": lambda: memory.create_session("ana"),
        "save_session": lambda: memory.save_session("talk", title="x"),
    }
    for name, write in writes.items():
        try:
            write()
            found[name] = "done"
        except holdfast.HoldfastError as error:
            found[name] = type(error).__name__
print(json.dumps(found))
"""


@pytest.fixture
def read_only(tmp_path):
    """A home with an entry that was never indexed, on a file system mounted read-only: root, too, is refused."""
    point = tmp_path / "disk"
    point.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=32m,mode=0700", "tmpfs", str(point)], capture_output=True, text=True
    )
    if made.returncode != 0:
        pytest.skip(f"a file system cannot be mounted here: {made.stderr.strip()}")
    yield point
    subprocess.run(["umount", "-l", str(point)], check=True)


def asked(home, id, script=READ_ONLY):
    import json

    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run([sys.executable, "-c", script, home, id], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("behind", [False, True])
def test_a_read_only_home_can_be_searched_and_refuses_every_write(read_only, behind):
    home = str(read_only / "home")
    with holdfast.open(home, user="ana") as memory:
        first = memory.add("first", session="talk").id
        memory.user("ana").remember("editor", "vim")
        memory.search("first")
    if behind:
        add_behind_the_index(home)
    before = snapshot(home)
    subprocess.run(["mount", "-o", "remount,ro", str(read_only)], check=True)
    found = asked(home, first)
    subprocess.run(["mount", "-o", "remount,rw", str(read_only)], check=True)
    assert found.pop("hits") == ["first"]
    assert found.pop("get") == "first"
    assert found.pop("query") == 2 + behind  # what the index has not seen is read from the journal
    assert (found.pop("degraded") or "").startswith("read-only, index behind" if behind else "")
    assert set(found.values()) == {StorageFailed.__name__}, found
    assert snapshot(home) == before


LOOKING = """
import json, sys
import holdfast
found = {}
with holdfast.open(sys.argv[1], user="ana") as memory:
    report = memory.verify()
    found = {"ok": report["ok"], "lines": report["lines"], "notes": [note["what"] for note in report["notes"]]}
    found["problems"] = [problem["what"] for problem in report["problems"]]
    for name, read in {
        "search": lambda: memory.search("first"), "query": lambda: memory.query(), "stats": lambda: memory.stats(),
        "get": lambda: memory.get(sys.argv[2]), "status": lambda: memory.status(), "tags": lambda: memory.tags(),
        "context": lambda: memory.context("first"), "sessions": lambda: memory.sessions(),
    }.items():
        try:
            read()
            found[name] = "done"
        except holdfast.HoldfastError as error:
            found[name] = f"{type(error).__name__}: {error}"
print(json.dumps(found))
"""


def test_a_read_only_home_can_be_verified_though_journals_changed_that_nobody_marked(read_only):
    home = str(read_only / "home")
    with holdfast.open(home, user="ana") as memory:
        first = memory.add("first", session="talk").id
        memory.search("first")
    copied_anew(home)
    subprocess.run(["mount", "-o", "remount,ro", str(read_only)], check=True)
    found = asked(home, first, LOOKING)
    subprocess.run(["mount", "-o", "remount,rw", str(read_only)], check=True)
    assert (found.pop("ok"), found.pop("lines"), found.pop("problems")) == (True, 1, [])
    assert found.pop("notes") == ["read-only: the journals were checked, the index was not compared with them"]
    assert set(found.values()) == {"done"}


def test_of_many_items_the_wrong_one_is_named(memory):
    with pytest.raises(Invalid, match=r"^items\[1\]: importance must be") as caught:
        memory.add_many([{"text": "good"}, {"text": "bad", "importance": 2}])
    assert (caught.value.details["item"], caught.value.details["field"]) == (1, "importance")


def test_the_fields_that_are_allowed_include_those_that_say_where(memory):
    with pytest.raises(Invalid, match="session, user, scope, workspace"):
        memory.add("x", colour="red")


def copied_anew(home):
    """As a copy of the home has its journals: other inodes, and no mark that says so."""
    agent = os.path.join(home, "agents", "main")
    for name in os.listdir(os.path.join(agent, "sessions")):
        path = os.path.join(agent, "sessions", name, "memory.jsonl")
        shutil.copy(path, path + ".copy")
        os.replace(path + ".copy", path)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(agent, "index", "behind", name))


@pytest.mark.parametrize("missing", [None, "index", "index/CURRENT"])
def test_a_read_only_home_can_be_verified_and_one_without_an_index_says_what_to_do(read_only, missing):
    home = str(read_only / "home")
    with holdfast.open(home, user="ana") as memory:
        first = memory.add("first", session="talk").id
        memory.search("first")
    gone = os.path.join(home, "agents", "main", missing) if missing else None
    if gone is not None:
        shutil.rmtree(gone) if os.path.isdir(gone) else os.unlink(gone)
    subprocess.run(["mount", "-o", "remount,ro", str(read_only)], check=True)
    found = asked(home, first, LOOKING)
    subprocess.run(["mount", "-o", "remount,rw", str(read_only)], check=True)
    assert (found.pop("ok"), found.pop("lines"), found.pop("problems")) == (True, 1, [])
    assert found.pop("notes") == ["read-only: the journals were checked, the index was not compared with them"]
    for name, told in found.items():
        if gone is None:
            assert told == "done", name
        else:
            assert told.startswith("StorageFailed: "), (name, told)
            assert "set `index.path` to a directory that can be written" in told, (name, told)


def add_behind_the_index(home):
    """An entry that no index has seen: its writer was killed after the journal had it."""
    script = """
import os, sys, holdfast
from holdfast.index.sqlite import SqliteIndex
memory = holdfast.open(sys.argv[1], user="ana")
session = memory.load_session("talk").id
SqliteIndex.refresh = lambda self, scope, wait: 0
memory.add("second", session=session)
os._exit(0)
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    subprocess.run([sys.executable, "-c", script, home], env=environment, check=True)


@pytest.mark.parametrize("now", [-5, -(10**15), 0, 253_402_300_800_000, 10**15, 2**63])
def test_what_is_written_by_a_clock_off_the_calendar_can_be_read(tmp_path: Path, now: int) -> None:
    with holdfast.open(tmp_path / "home", clock=FixedClock(now)) as memory:
        entry = memory.add("herons", session="talk")
        memory.amend(memory.add("egrets", session="talk").id, pinned=True)
        memory.delete(memory.add("storks", session="talk").id)
        assert memory.get(entry.id).text == "herons"
        assert [hit.text for hit in memory.search("herons")] == ["herons"]
        assert memory.verify()["ok"]
        memory.reindex()
        assert sorted(entry.text for entry in memory.query(session="talk")) == ["egrets", "herons"]
        assert memory.context("herons").text
