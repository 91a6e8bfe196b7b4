"""After `forget` no file below the home holds the text or its words, by a search that shares nothing with our own.

The same search finds them when any one step of `forget` is left out, in a home that has something for each step.
"""

from __future__ import annotations

import json
import os
import shutil
import sys

import pytest

import holdfast
from holdfast.testing import FixedClock
from holdfast.upkeep import forget as forgetting
from tests.leftovers import leftovers

AGENT = os.path.join("agents", "main")
GONE = (
    "The vexnomblark lives at 12 Quixotrabble Lane, behind the Überzwölfte mill",
    "zyfferwunk owes us for the drobnishka 秘密的钥匙藏在花园里面",
    "her pinkelthrop allergy: перегринация and naïvetölpel, Wix-snargle",
)
KEPT = ("the harbour opens at nine", "deploy the blue server on Friday", "tea, never coffee")
FIELDS = {
    "tags": ["private.wobblestone"], "path": "/home/grizzlebum/notes.txt", "metadata": {"mood": "flumpertious"},
    "importance": 0.8,
}  # fmt: skip
WORDS = (*GONE, "wobblestone", "grizzlebum", "flumpertious", "skribbeldown", "formerlyquonk", "wixsnargle")


class Home:
    """A home in which forgotten words have got everywhere they can get."""

    def __init__(self, home):
        self.home, self.clock = str(home), FixedClock()
        with self.open() as memory:
            self.ids = self._fill(memory)
        self._damage()
        with self.open() as memory:
            memory.sync()
            memory.search("vexnomblark drobnishka pinkelthrop")
        with self.open() as memory:
            self.export = "".join(memory.export(user="*"))

    def open(self, **options):
        return holdfast.open(self.home, user="ana", clock=self.clock, **options)

    def _fill(self, memory):
        for text in KEPT:
            memory.add(text, session="open")
        session = memory.create_session("ana", key="closed", title="all about the vexnomblark")
        ids = [session.add(text, **FIELDS).id for text in GONE]
        memory.amend(ids[0], text=f"{GONE[0]} skribbeldown")
        memory.user("ana").remember("secret", "formerlyquonk zyfferwunk")
        memory.user("ana").remember("secret", "drobnishka")
        memory.add("what remains is unrelated", session="closed")
        memory.clock_before = self.clock.now()
        return ids

    def _damage(self):
        """A twin of the secret loses a bit: its words now lie in quarantine as well, whose nobody knows."""
        with self.open() as memory:
            twin = memory.add("a damaged vexnomblark pinkelthrop", session="open")
            path = os.path.join(self.home, AGENT, "sessions", memory.load_session("open").id, "memory.jsonl")
        with open(path, "r+b") as file:
            data = file.read()
            file.seek(data.index(twin.id.encode()) + 12)
            file.write(b"?")
        shutil.rmtree(os.path.join(self.home, AGENT, "index"))

    def plant_a_half_built_generation(self):
        """What a killed rebuild leaves behind."""
        folder = os.path.join(self.home, AGENT, "index", "v9-000077")
        os.mkdir(folder, 0o700)
        with open(os.path.join(folder, "index.db"), "w") as file:
            file.write("\n".join(GONE))

    def plant_a_torn_rewrite(self, session):
        """What a killed compaction leaves beside the journal."""
        with open(os.path.join(self.home, AGENT, "sessions", session, "memory.jsonl.1-abcdef.tmp"), "w") as file:
            file.write("\n".join(GONE))

    def found(self):
        return leftovers(self.home, WORDS, KEPT)


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path / "home")


def test_the_words_are_everywhere_before(home):
    files = {file.split(os.sep)[-1] for file, _ in home.found()}
    assert {"memory.jsonl", "index.db", "metadata.json"} <= files
    assert any(file.endswith(".bad") for file in files)


WAYS = {
    "by id": lambda home, memory: [memory.forget(home.ids), memory.user("ana").forget("secret")],
    "by topic": lambda home, memory: [memory.forget(topic="private"), memory.user("ana").forget("secret")],
    "by session": lambda home, memory: [memory.forget(session="closed"), memory.user("ana").forget("secret")],
    "by user": lambda home, memory: [memory.forget(user="ana")],
    "by time": lambda home, memory: [
        memory.forget(since="2025-12-31T00:00:00Z", until="2026-01-02T00:00:00Z", user="ana")
    ],
}


@pytest.mark.parametrize("way", WAYS)
def test_no_file_holds_a_forgotten_text_or_the_tail_of_its_words(home, way):
    home.plant_a_half_built_generation()
    with home.open() as memory:
        home.plant_a_torn_rewrite(memory.load_session("closed").id)
        memory.search("vexnomblark")  # the log holds what was read and written meanwhile
        for receipt in WAYS[way](home, memory):
            assert receipt.clean, receipt.residue
            assert_says_what_was_checked(receipt)
        assert home.found() == []
        assert not memory.search("vexnomblark drobnishka").hits
    assert home.found() == []


@pytest.mark.parametrize("session", ["closed", None], ids=["a session", "a user's own"])
def test_what_is_written_while_a_user_is_forgotten_is_not_kept_in_quarantine(home, monkeypatch, session):
    with home.open() as memory, home.open() as other:

        def after_the_plan(job):
            other.add("a late snorbelquax", **({"session": session} if session else {"scope": "user"}))
            forgetting.announce(job)

        def seen_by_another(job):
            forgetting.rewrite(job)
            other.search("harbour")  # whoever indexes next finds rows of lines that are gone

        crossed = {forgetting.announce: after_the_plan, forgetting.rewrite: seen_by_another}
        steps = [(name, crossed.get(step, step)) for name, step in forgetting.STEPS]
        monkeypatch.setattr(forgetting, "STEPS", steps)
        assert memory.forget(user="ana").clean
        assert leftovers(home.home, ("a late snorbelquax",)) == []
        assert memory.verify()["ok"]


@pytest.mark.parametrize("link", ["agents", os.path.join("agents", "main", "index")])
def test_what_lies_behind_a_link_is_searched(tmp_path, link):
    place = tmp_path / "home" / link
    place.parent.mkdir(parents=True, mode=0o700)
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    place.symlink_to(tmp_path / "elsewhere")
    with holdfast.open(tmp_path / "home") as memory:
        entry = memory.add("a marmalade of quinces")
        memory.search("marmalade")
        copy = os.path.join("agents", "main", "index", "copy")
        (tmp_path / "home" / copy).write_text("a marmalade of quinces")
        assert memory.forget(entry.id).residue == (copy,)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes")
def test_a_pipe_below_the_home_holds_nothing_up(tmp_path):
    with holdfast.open(tmp_path / "home") as memory:
        entry = memory.add("a marmalade of quinces")
        os.mkfifo(tmp_path / "home" / "pipe")
        assert memory.forget(entry.id).clean


def test_without_an_interpreter_nothing_counts_as_searched(tmp_path, monkeypatch):
    with holdfast.open(tmp_path / "home") as memory:
        entry = memory.add("a marmalade of quinces")
        monkeypatch.setattr(sys, "executable", None)
        receipt = memory.forget(entry.id)
    assert (receipt.clean, receipt.residue) == (False, ("not searched: no interpreter is known",))


def assert_says_what_was_checked(receipt):
    checked = receipt.checked
    assert checked["files"] > 3
    assert checked["bytes"] > 10_000
    assert checked["entries"] == receipt.count > 0
    assert checked["tombstones"] == checked["entries"]
    assert {"utf-8", "utf-16-le", "base64"} <= set(checked["encodings"])
    assert receipt.steps == tuple(name for name, _ in forgetting.STEPS)
    shown = json.dumps(receipt.to_dict(), ensure_ascii=False)
    assert not [word for word in ("vexnomblark", "drobnishka", "wobblestone") if word in shown]


def test_what_stays_is_untouched(home):
    with home.open() as memory:
        before = {entry.id: entry.to_dict() for entry in memory.query(every=True, rank="oldest")}
        gone = set(memory.forget(topic="private").entries)
        after = {entry.id: entry.to_dict() for entry in memory.query(every=True, rank="oldest")}
        assert gone == set(home.ids)
        assert after == {id: entry for id, entry in before.items() if id not in gone}
        assert [hit.text for hit in memory.search("harbour")][:1] == [KEPT[0]]
        assert memory.verify()["ok"]


@pytest.mark.parametrize("way", ["by id", "by topic", "by session", "by user"])
def test_loading_an_older_export_does_not_bring_it_back(home, way, tmp_path):
    path = tmp_path / "older.jsonl"
    path.write_text(home.export)
    with home.open() as memory:
        for receipt in WAYS[way](home, memory):
            assert receipt.clean
        memory.load(str(path))
        for id in home.ids:
            with pytest.raises(holdfast.NotFound):
                memory.get(id)
        texts = [entry.text for entry in memory.query(user="*", every=True, rank="oldest")]
        assert not [text for text in texts if "vexnomblark" in text or "drobnishka" in text]
        memory.reindex()
        assert home.found() == []


# -- every step is needed


def forget_without(home, step, monkeypatch):
    """Forget by topic with one step left out, and without the repair that the last search would make."""
    steps = [(name, act) for name, act in forgetting.STEPS if name != step]
    steps = [(name, forgetting.search if act is forgetting.check else act) for name, act in steps]
    monkeypatch.setattr(forgetting, "STEPS", steps)
    with home.open() as memory:
        receipt = memory.forget(topic="private")
        memory.user("ana").forget("secret")
        found = home.found()
    monkeypatch.undo()
    return receipt, found


def test_with_every_step_the_search_finds_nothing(home, monkeypatch):
    receipt, found = forget_without(home, None, monkeypatch)
    assert receipt.clean
    assert found == []


LEFT = {
    "journals rewritten": "memory.jsonl", "index erased": "index.db", "quarantine released": ".bad",
    "state cleared": "metadata.json",
}  # fmt: skip


@pytest.mark.parametrize("step", LEFT)
def test_the_search_finds_what_a_left_out_step_would_have_removed(home, step, monkeypatch):
    home.plant_a_half_built_generation()
    receipt, found = forget_without(home, step, monkeypatch)
    assert any(LEFT[step] in file for file, _ in found)
    assert not receipt.clean


def test_without_tombstones_an_older_export_brings_it_back(home, monkeypatch, tmp_path):
    receipt, _ = forget_without(home, "tombstones written", monkeypatch)
    assert not receipt.clean
    with home.open() as memory:
        path = tmp_path / "older.jsonl"
        path.write_text(home.export)
        memory.load(str(path))
    assert home.found() != []


def test_without_the_announcement_a_killed_forget_is_never_finished(home, monkeypatch):
    def killed(job):
        raise KeyboardInterrupt

    steps = [("killed", killed) if name == "journals rewritten" else (name, act) for name, act in forgetting.STEPS]
    monkeypatch.setattr(forgetting, "STEPS", [step for step in steps if step[0] != "announced"])
    with home.open() as memory, pytest.raises(KeyboardInterrupt):
        memory.forget(topic="private")
    monkeypatch.undo()
    with home.open() as memory:
        memory.sync()
    assert home.found() != []


def test_without_the_search_no_receipt_is_clean(home, monkeypatch):
    monkeypatch.setattr(forgetting, "STEPS", [step for step in forgetting.STEPS if step[0] != "files searched"])
    with home.open() as memory:
        assert not memory.forget(topic="private").clean


def test_without_the_last_step_the_work_is_done_again(home, monkeypatch):
    monkeypatch.setattr(forgetting, "STEPS", forgetting.STEPS[:-1])
    with home.open() as memory:
        memory.forget(topic="private")
        assert any("interrupted" in problem["what"] for problem in memory.verify()["problems"])
    monkeypatch.undo()
    with home.open() as memory:
        memory.sync()
        assert memory.verify()["ok"]


def test_every_step_is_shown_to_matter():
    shown = {*LEFT, "tombstones written", "announced", "files searched", "finished"}
    assert {name for name, _ in forgetting.STEPS} == shown


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be", "base64", "escaped"])
def test_the_search_itself_sees_every_encoding(tmp_path, encoding):
    import base64

    text = "  and then vexnomblark was said  "
    hidden = {
        "base64": base64.b64encode(text.encode()), "escaped": json.dumps("перегринация").encode(),
    }.get(encoding) or text.encode(encoding)  # fmt: skip
    (tmp_path / "file").write_bytes(b"\0\1\2" + hidden)
    assert leftovers(tmp_path, ["vexnomblark", "перегринация"]) != []
    assert leftovers(tmp_path, ["something-else-entirely"]) == []
