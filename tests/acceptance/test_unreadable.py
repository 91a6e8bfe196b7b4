"""One file that cannot be read, or is none: everybody else is served, it is named, and nothing of it is lost."""

import errno
import os
import shutil
import stat
import subprocess
import sys

import pytest

import holdfast
from holdfast.capture import writing
from holdfast.index.levelling import Levelled

SPARED = ("the harbour at noon",)
NUMBERS = [errno.EACCES, errno.EIO]


class Barrier:
    """Refuses to open, look at or list what lies at a path or below, as a disk does, and to root as well."""

    def __init__(self, monkeypatch):
        self._patch = monkeypatch

    def put(self, path, number=errno.EACCES):
        refused = str(path)
        for name in ("open", "stat", "listdir", "scandir"):
            self._patch.setattr(os, name, self._guarded(getattr(os, name), name, refused, number))

    def _guarded(self, real, name, refused, number):
        def guarded(path=".", *rest, **named):
            inside = isinstance(path, (str, os.PathLike)) and os.fspath(path).startswith(refused + os.sep)
            same = isinstance(path, (str, os.PathLike)) and os.fspath(path) == refused
            if inside or (same and name != "stat"):
                raise OSError(number, os.strerror(number), os.fspath(path))
            return real(path, *rest, **named)

        return guarded

    def lift(self):
        self._patch.undo()


@pytest.fixture
def barrier(monkeypatch):
    return Barrier(monkeypatch)


@pytest.fixture
def home(tmp_path):
    """A home of two users: ana has one session, bo has two and a memory of his own."""
    with holdfast.open(tmp_path / "home", embedder="none") as memory:
        memory.add("the harbour at noon", user="ana", session="ana's")
        memory.add("the harbour at night", user="bo", session="bo's")
        memory.add("the harbour in fog", user="bo", session="bo's other")
        memory.user("bo").remember("editor", "vim")
        memory.search("harbour", user="ana")
    return tmp_path / "home"


def opened(home):
    return holdfast.open(home, embedder="none")


def bos(home):
    """The session of bo's that fails, and its directory."""
    with opened(home) as memory:
        session = memory.load_session("bo's", user="bo").id
    return session, home / "agents" / "main" / "sessions" / session


def texts(found):
    return tuple(hit.text for hit in found)


def broken(home, where, number, barrier, built):
    session, folder = bos(home)
    if not built:
        shutil.rmtree(home / "agents" / "main" / "index")
    barrier.put(folder if where == "directory" else folder / "memory.jsonl", number)
    return session


CASES = [(where, number, built) for where in ("file", "directory") for number in NUMBERS for built in (True, False)]


@pytest.mark.parametrize(("where", "number", "built"), CASES)
def test_everybody_else_is_served(home, barrier, where, number, built):
    broken(home, where, number, barrier, built)
    told = None if where == "file" or built else "1 journal cannot be read; `holdfast verify` says which and why"
    with opened(home) as memory:
        found = memory.search("harbour", user="ana")
        assert (texts(found), found.degraded) == (SPARED, told)
        assert [entry.text for entry in memory.query(user="ana")] == list(SPARED)
        assert [session.key for session in memory.sessions(user="ana")] == ["ana's"]
        assert memory.get(found.hits[0].id, user="ana").text == SPARED[0]
        memory.add("the harbour at dawn", user="ana", session="ana's")
        assert len(memory.search("harbour", user="ana").hits) == 2
        assert len(list(memory.export(user="ana"))) == 5
        assert memory.sync()["behind"] == 0
        if told is None:
            assert memory.forget(topic="nothing", user="ana").clean


@pytest.mark.parametrize(("where", "number", "built"), CASES)
def test_its_owner_is_served_what_can_be_read_and_told_of_the_rest(home, barrier, where, number, built):
    session = broken(home, where, number, barrier, built)
    with opened(home) as memory:
        found = memory.search("harbour", user="bo")
        assert texts(found) == ("the harbour in fog",)
        assert found.degraded == "1 journal cannot be read; `holdfast verify` says which and why"
        assert '"lost":1' in list(memory.export(user="bo"))[-1]
        with pytest.raises(holdfast.StorageFailed, match=rf"sessions/{session}/.*{errno.errorcode[number]}"):
            memory.search("harbour", session=session)
        known = session if where == "file" or built else "nothing that can be read tells whose it is"
        with pytest.raises(holdfast.StorageFailed, match=known):
            memory.query(session="bo's", user="bo")
        with pytest.raises(holdfast.StorageFailed, match=session):
            memory.load_session(session)
        with pytest.raises(holdfast.StorageFailed, match=known):
            memory.forget(topic="nothing", user="bo")


@pytest.mark.parametrize(("where", "number", "built"), CASES)
def test_status_and_verify_name_it(home, barrier, where, number, built):
    session = broken(home, where, number, barrier, built)
    with opened(home) as memory:
        memory.search("harbour", user="bo")
        report = memory.status()
        assert len(report["unreadable"]) == 1
        assert session in report["unreadable"][0]
        assert any(session in told for told in report["degraded"])
        found = memory.verify()
        named = [problem for problem in found["problems"] if session in problem.get("file", "")]
        assert len(named) == 1
        assert errno.errorcode[number] in named[0]["what"]
        assert not found["ok"]


@pytest.mark.parametrize(("where", "number", "built"), CASES)
def test_once_it_can_be_read_again_nothing_is_missing(home, barrier, where, number, built):
    broken(home, where, number, barrier, built)
    with opened(home) as memory:
        memory.search("harbour", user="bo")
        memory.reindex()
        barrier.lift()
        memory.sync()
        found = memory.search("harbour", user="bo")
        assert (set(texts(found)), found.degraded) == ({"the harbour at night", "the harbour in fog"}, None)
        assert memory.verify()["problems"] == []
        assert memory.status()["degraded"] == []


def test_a_forget_that_did_not_look_before_leaves_nothing_out_in_silence(home, barrier):
    broken(home, "file", errno.EACCES, barrier, built=True)
    with opened(home) as memory, pytest.raises(holdfast.StorageFailed, match=r"memory\.jsonl"):
        memory.forget(user="bo")


def test_an_entry_that_cannot_be_read_is_not_called_missing(home, barrier):
    with opened(home) as memory:
        (night,) = [entry.id for entry in memory.query(user="bo") if entry.text.endswith("night")]
    broken(home, "file", errno.EIO, barrier, built=True)
    with opened(home) as memory, pytest.raises(holdfast.StorageFailed, match=r"memory\.jsonl.*EIO.*backup"):
        memory.get(night)


def test_a_quota_on_the_home_counts_what_can_be_looked_at(home, barrier):
    broken(home, "directory", errno.EACCES, barrier, built=True)
    with holdfast.open(home, embedder="none", settings={"quota.home_bytes": 1 << 20}) as memory:
        assert memory.add("the harbour at dawn", user="ana", session="ana's").durable


def deleted(home):
    """One entry of each session of the home, deleted."""
    with opened(home) as memory:
        for entry in memory.query(user="*", types=["note"]):
            memory.delete(entry.id)


@pytest.mark.parametrize(("where", "number", "built"), CASES)
def test_what_can_be_read_is_compacted_and_the_rest_is_named(home, barrier, where, number, built):
    deleted(home)
    session = broken(home, where, number, barrier, built)
    with opened(home) as memory:
        report = memory.compact(user="*")
        assert report["entries_before"] - report["entries_after"] == 2
        (failure,) = report["failed"]
        assert (failure["journal"], failure["error"]) == (session, "StorageFailed")
        assert errno.errorcode[number] in failure["what"]
        assert memory.compact(user="bo")["failed"] != []
        with pytest.raises(holdfast.StorageFailed, match=session):
            memory.compact(session)
    barrier.lift()
    with opened(home) as memory:
        report = memory.compact(user="*")
        assert (report["entries_before"] - report["entries_after"], report["failed"]) == (1, [])


def test_nobody_is_told_the_name_of_a_session_that_may_be_anothers_by_compacting(home, barrier):
    session = broken(home, "directory", errno.EACCES, barrier, built=False)
    with opened(home) as memory:
        report = memory.compact(user="ana")
        assert [failure["error"] for failure in report["failed"]] == ["StorageFailed"]
        assert session not in str(report)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("kind", ["pipe", "directory", "link to a device"])
@pytest.mark.parametrize("name", ["memory.jsonl", "tombstones.jsonl", "metadata.json"])
def test_what_is_no_file_holds_nobody_up_and_is_named(home, name, kind):
    session, folder = bos(home)
    path = folder / name
    path.unlink(missing_ok=True)
    {"pipe": os.mkfifo, "directory": os.mkdir, "link to a device": lambda to: os.symlink(os.devnull, to)}[kind](path)
    shutil.rmtree(home / "agents" / "main" / "index")
    with opened(home) as memory:
        assert texts(memory.search("harbour", user="ana")) == SPARED
        assert texts(memory.search("harbour", user="bo")) == ("the harbour in fog",)
        with pytest.raises(holdfast.StorageFailed, match=f"{session}/{name}.*move it away"):
            memory.stats(session=session)
        assert [path for path in memory.status()["unreadable"] if path.endswith(name)]
        assert not memory.verify()["ok"]
    assert not stat.S_ISREG(os.lstat(path).st_mode)  # nobody took it away


@pytest.mark.skipif(shutil.which("setpriv") is None or os.geteuid() != 0, reason="needs setpriv, as root")
def test_modes_that_keep_us_out_do_the_same_as_a_disk_that_fails(home):
    _, folder = bos(home)
    script = (
        "import holdfast, sys; memory = holdfast.open(sys.argv[1], embedder='none'); "
        "print([hit.text for hit in memory.search('harbour', user='ana')], memory.status()['unreadable'])"
    )
    bare = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", sys.executable, "-c", script, str(home)]
    folder.chmod(0)
    try:
        done = subprocess.run(bare, capture_output=True, text=True, timeout=60, check=False)
    finally:
        folder.chmod(0o700)
    if "setpriv" in done.stderr:
        pytest.skip("setpriv may not be used here")
    assert done.stdout == f"{list(SPARED)} {[str(folder.relative_to(home))]}\n", done.stderr


@pytest.mark.parametrize("unread", ["tombstones.jsonl", "metadata.json"])
def test_what_was_deleted_is_not_shown_while_nobody_can_tell(home, barrier, monkeypatch, unread):
    _, folder = bos(home)
    with opened(home) as memory:
        (gone,) = [hit.id for hit in memory.search("night", user="bo")]
        with monkeypatch.context() as patch:  # as if killed before it could index its own line
            patch.setattr(Levelled, "_catch_up", lambda *_: 0)
            memory.save_session(folder.name, title="harbours")
            memory.delete(gone)
    barrier.put(folder / unread)
    with opened(home) as memory:
        found = memory.search("harbour", user="bo")
        assert "the harbour at night" not in texts([hit.entry for hit in found])
        assert "cannot be read" in found.degraded
        assert "the harbour at night" not in texts(memory.query(user="bo"))


@pytest.mark.parametrize("built", [True, False])
def test_nothing_is_done_to_a_session_of_which_a_part_cannot_be_read(tmp_path, barrier, built):
    config = {"journal.entry_bytes": 60_000, "journal.session_bytes": 65_536}
    home = tmp_path / "home"
    with holdfast.open(home, embedder="none", settings=config) as memory:
        first = memory.create_session("ana").id
        for number in range(3):
            said = {"text": f"harbour {number} " + "w " * 15_000, "session": first}
            writing.add_many(memory.store, memory._writer(continues=True), [said])
        whole = {entry.session_id for entry in memory.query(user="ana")}
    assert len(whole) > 1
    folder = home / "agents" / "main" / "sessions" / max(whole - {first})
    if not built:
        shutil.rmtree(home / "agents" / "main" / "index")
    barrier.put(folder / "memory.jsonl", errno.EIO)
    with holdfast.open(home, embedder="none", settings=config) as memory:
        with pytest.raises(holdfast.StorageFailed):
            memory.forget(session=first, user="ana")
        with pytest.raises(holdfast.StorageFailed):
            memory.delete_where(first, "user")
    barrier.lift()
    with holdfast.open(home, embedder="none", settings=config) as memory:
        assert len(memory.query(user="ana")) == 3


def test_nobody_is_told_where_a_session_lies_that_may_be_anothers(home, barrier):
    session, folder = bos(home)
    shutil.rmtree(home / "agents" / "main" / "index")
    barrier.put(folder)
    with opened(home) as memory, pytest.raises(holdfast.StorageFailed) as raised:
        memory.get("mem_01ARZ3NDEKTSV4RRFFQ69G5FAV", user="ana")
    assert session not in str(raised.value)
    assert "path" not in raised.value.details
