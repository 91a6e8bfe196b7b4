"""While the index cannot be written: answers say so, and nobody is handed what was hidden or changed since."""

import fcntl
import json
import os
import subprocess
import sys
from pathlib import Path
from time import perf_counter, sleep

import pytest

import holdfast
from holdfast import Locked, NotFound

ROOT = Path(__file__).resolve().parents[3]
BEHIND = "index behind by 1"


class Stuck:
    """A memory with three entries whose index somebody else keeps to themselves."""

    def __init__(self, home):
        self.home = str(home)
        self.memory = holdfast.open(home, user="ana", embedder="none", settings={"index.wait_ms": 50})
        self.session = self.memory.create_session(key="talk")
        self.old = self.session.add("the quokka sleeps at noon", tags=["old"], pinned=True)
        self.other = self.session.add("the heron fishes at dawn")
        self.memory.user("ana").remember("editor", "vim")
        self.memory.search("quokka")
        path = os.path.join(self.home, "agents", "main", "index", "index.lock")
        self._lock = os.open(path, os.O_RDWR | os.O_CREAT)
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    def let_go(self):
        fcntl.flock(self._lock, fcntl.LOCK_UN)

    def close(self):
        self.let_go()
        os.close(self._lock)
        self.memory.close()

    def texts(self, **filters):
        return sorted(entry.text for entry in self.memory.query(user="*", **filters))


@pytest.fixture
def stuck(tmp_path, monkeypatch):
    monkeypatch.setattr("holdfast.capture.changing._WAIT_MS", 50)
    monkeypatch.setattr("holdfast.capture.sessions._WAIT_MS", 50)
    monkeypatch.setattr("holdfast.capture.chosen._WAIT_MS", 50)
    monkeypatch.setattr("holdfast.upkeep.intent.WAIT_MS", 50)
    made = Stuck(tmp_path / "home")
    yield made
    made.close()


def test_what_was_written_together_comes_in_the_order_of_its_lines(stuck):
    told = [{"text": f"line {id}", "id": f"mem_{id:026d}", "timestamp": 1} for id in range(9, 0, -1)]
    stuck.session.add_many(told)
    written = [one["text"] for one in told]
    assert [entry.text for entry in stuck.memory.query(until=2, rank="recent", limit=3)] == written[:-4:-1]
    assert [entry.text for entry in stuck.memory.query(until=2, rank="oldest", every=True)] == written


# -- what was hidden or changed is not handed out


def test_what_was_deleted_is_found_by_no_verb(stuck):
    assert stuck.memory.delete(stuck.old.id)
    with pytest.raises(Locked):
        stuck.memory.get(stuck.old.id)
    assert stuck.memory.search("quokka").hits == ()
    assert "quokka" not in stuck.memory.context("where does the quokka sleep?").text
    assert stuck.texts() == ["the heron fishes at dawn", "vim"]


def test_what_was_deleted_elsewhere_is_hidden_here_too(stuck):
    with holdfast.open(stuck.home, user="ana", embedder="none", settings={"recall.limit": 3}) as other:
        other.delete(stuck.old.id)
    assert stuck.memory.search("quokka").hits == ()


def test_an_entry_that_was_read_before_is_not_handed_out_of_the_cache_after_its_deletion(stuck):
    assert stuck.memory.get(stuck.old.id).text
    stuck.memory.delete(stuck.old.id)
    with pytest.raises(Locked):
        stuck.memory.get(stuck.old.id)


def test_an_entry_is_deleted_once(stuck):
    assert stuck.memory.delete(stuck.old.id)
    assert not stuck.memory.delete(stuck.old.id)


def test_what_was_amended_is_read_in_its_new_words(stuck):
    stuck.memory.amend(stuck.old.id, text="the quokka sleeps at midnight", tags=["new"])
    assert stuck.memory.get(stuck.old.id).text == "the quokka sleeps at midnight"
    assert [hit.text for hit in stuck.memory.search("quokka")] == ["the quokka sleeps at midnight"]
    assert stuck.memory.query(tags=["old"]) == []


def test_what_became_sensitive_is_not_handed_to_an_agent(stuck):
    stuck.memory.amend(stuck.old.id, sensitive=True)
    assert "quokka" not in stuck.memory.context("where does the quokka sleep?").text


def test_what_was_unpinned_is_not_handed_over_as_a_pin(stuck):
    stuck.memory.unpin(stuck.old.id)
    assert "quokka" not in stuck.memory.context(parts=["pins"]).text


def test_a_value_that_was_superseded_gives_way_to_the_new_one(stuck):
    stuck.memory.user("ana").remember("editor", "emacs")
    assert [entry.text for entry in stuck.memory.user("ana").memories()] == ["emacs"]
    assert stuck.memory.user("ana").recall("editor").text == "emacs"


def test_once_the_index_is_level_it_answers_alone_again(stuck):
    stuck.memory.delete(stuck.old.id)
    stuck.memory.search("quokka")
    stuck.let_go()
    found = stuck.memory.query()
    assert (found.degraded, stuck.memory.store.index.lagging(stuck.memory.scope())) == (None, {})
    with pytest.raises(NotFound):
        stuck.memory.get(stuck.old.id)


# -- what was just written is read


@pytest.mark.parametrize("rank", ["recent", "oldest", "importance", "relevance"])
def test_what_was_just_written_is_listed_in_its_place(stuck, rank):
    stuck.session.add("a new note", importance=0.9, tags=["fresh"])
    listed = [entry.text for entry in stuck.session.query(rank=rank)]
    stuck.let_go()
    assert listed == [entry.text for entry in stuck.session.query(rank=rank)]
    assert "a new note" in listed


def test_what_was_just_written_is_read_by_its_id(stuck):
    entry = stuck.session.add("a new note")
    assert stuck.memory.get(entry.id).text == "a new note"


def test_an_id_that_nobody_knows_may_be_one_that_was_not_seen(stuck):
    stuck.session.add("a new note")
    with pytest.raises(Locked):
        stuck.memory.get("mem_01ARZ3NDEKTSV4RRFFQ69G5FAV")


def test_a_chosen_id_finds_what_was_stored_a_moment_ago(stuck):
    id = "mem_01ARZ3NDEKTSV4RRFFQ69G5FAV"
    first = stuck.session.add("once", id=id)
    assert stuck.session.add("once", id=id).seq == first.seq
    with pytest.raises(holdfast.Invalid, match="other content"):
        stuck.session.add("twice", id=id)


def test_a_chosen_id_that_was_deleted_a_moment_ago_is_taken(stuck):
    stuck.memory.delete(stuck.other.id)
    with pytest.raises(holdfast.Invalid, match="was deleted"):
        stuck.session.add(stuck.other.text, id=stuck.other.id)


# -- answers say what they lack


@pytest.mark.parametrize(
    "ask",
    [
        lambda memory: memory.query().degraded,
        lambda memory: memory.query(tags=["fresh"]).degraded,
        lambda memory: memory.sessions().degraded,
        lambda memory: memory.tags().degraded,
        lambda memory: memory.load_session("talk").tags().degraded,
        lambda memory: memory.stats()["degraded"],
        lambda memory: memory.stats(session="talk")["degraded"],
        lambda memory: memory.user("ana").memories().degraded,
        lambda memory: memory.query_memories("talk", {"limit": 3}).degraded,
        lambda memory: memory.context(parts=["memories", "pins"]).degraded,
        lambda memory: memory.context("quokka").degraded,
        lambda memory: memory.search("quokka").degraded,
    ],
)
def test_an_answer_says_that_the_index_is_behind_and_nothing_once_it_is_level(stuck, ask):
    stuck.session.add("a new note")
    assert ask(stuck.memory) == BEHIND
    stuck.let_go()
    assert ask(stuck.memory) is None


def test_nobody_is_told_that_the_index_is_behind_with_anothers_journals(stuck):
    for number in range(3):
        stuck.memory.add("bob works", user="bob", session=f"b{number}")
    whole = (stuck.memory.search("quokka"), stuck.memory.context("quokka"), stuck.memory.query(), stuck.memory.tags())
    assert [found.degraded for found in whole] == [None] * 4
    assert stuck.memory.search("works", user="bob").degraded == "index behind by 3"
    assert stuck.memory.query(user="*").degraded == "index behind by 3"


def test_a_key_that_is_not_known_may_be_one_that_was_not_seen(stuck):
    stuck.session.add("a new note")
    with pytest.raises(Locked):
        stuck.memory.user("ana").recall("shell")


def test_damage_is_said_of_lists_as_of_searches(tmp_path):
    with holdfast.open(tmp_path / "home", embedder="none") as memory:
        lost = memory.add("the lost one")
        memory.add("the one that stays")
    journal = next((tmp_path / "home").glob("agents/main/sessions/*/memory.jsonl"))
    journal.write_bytes(journal.read_bytes().replace(b"the lost one", b"the lOst one"))
    with holdfast.open(tmp_path / "home", embedder="none") as memory:
        memory.sync()
        assert lost.id not in [entry.id for entry in memory.query()]
        assert memory.query().degraded == "1 damaged or lost entries left out; run `holdfast verify`"
        assert [memory.stats(user=user)["damaged"] for user in (None, "bob", "*")] == [1, 0, 1]


# -- what must be whole


@pytest.mark.parametrize("format", ["jsonl", "json"])
def test_an_export_has_what_the_index_has_not_seen(stuck, format):
    stuck.memory.delete(stuck.old.id)
    stuck.memory.amend(stuck.other.id, text="the heron fishes at dusk")
    stuck.memory.add("in a session that is new", session="another")
    text = "".join(stuck.memory.export(format))
    stuck.let_go()
    again = "".join(stuck.memory.export(format))
    assert untimed(text) == untimed(again)
    assert "dusk" in text
    assert "quokka" not in text


def untimed(text):
    """Without the time at which it was exported; the order of cards says when sessions were used."""
    return sorted(line for line in text.replace(",\n", "\n").splitlines() if "exported_at" not in line)


def test_what_is_exported_of_one_session_is_of_that_session(stuck):
    stuck.memory.add("in a session that is new", session="another")
    stuck.session.add("a new note")
    lines = [json.loads(line) for line in stuck.session.export()]
    assert [line["content"]["text"] for line in lines if "content" in line] == [
        "the quokka sleeps at noon", "the heron fishes at dawn", "a new note",
    ]  # fmt: skip
    assert lines[-1] == {"holdfast_export_end": 1, "cards": 1, "entries": 3}


def test_hiding_by_filter_refuses_where_it_might_miss_something(stuck):
    stuck.session.add("a new note", tags=["fresh"])
    with pytest.raises(Locked, match="nothing was done"):
        stuck.memory.delete_where("talk", "topic", tags=["fresh"])


def test_an_entry_is_not_shown_again_before_it_is_known_to_be_hidden(stuck):
    stuck.memory.delete(stuck.old.id)
    with pytest.raises(Locked):
        stuck.memory.undelete(stuck.old.id)
    stuck.let_go()
    assert stuck.memory.undelete(stuck.old.id).id == stuck.old.id
    assert stuck.memory.get(stuck.old.id).id == stuck.old.id


def test_loading_refuses_where_it_cannot_tell_what_is_there(stuck):
    lines = list(stuck.memory.export())
    stuck.memory.add("a new note", session="talk")
    with pytest.raises(Locked, match="nothing was done"):
        stuck.memory.load(lines)


def test_forgetting_refuses_before_it_has_done_anything(stuck):
    entry = stuck.session.add("a new note", tags=["fresh"])
    for meant in ({"id": entry.id}, {"topic": "fresh"}, {"session": "talk"}):
        with pytest.raises(Locked, match="nothing was done"):
            stuck.memory.forget(**meant)
    assert stuck.memory.get(entry.id).text == "a new note"


def test_what_would_be_forgotten_is_read_from_the_journals(stuck):
    entry = stuck.session.add("a new note", tags=["fresh"])
    made = stuck.session.add("made of it", type="fact", references=[entry.id])
    plan = stuck.memory.forget(entry.id, dry_run=True)
    assert (plan.entries, plan.derived) == ((entry.id,), (made.id,))


def test_nothing_is_called_unknown_that_the_index_may_not_have_seen(stuck):
    stuck.session.add("a new note")
    with pytest.raises(Locked):
        stuck.memory.forget("mem_01ARZ3NDEKTSV4RRFFQ69G5FAV", dry_run=True)


# -- the command line


def told(stuck, *args):
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "HOLDFAST_INDEX_WAIT_MS": "50"}
    command = [sys.executable, "-m", "holdfast", "--home", stuck.home, "--user", "ana", *args]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("verb", ["query", "list", "memories", "sessions", "tags", "timeline"])
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_list_on_the_command_line_comes_with_a_warning(stuck, verb, form):
    stuck.session.add("a new note")
    assert "this list may not be whole: index behind by" in told(stuck, verb, *form).stderr


def test_counts_on_the_command_line_say_what_they_lack(stuck):
    stuck.session.add("a new note")
    assert "these counts may not be whole: index behind by" in told(stuck, "stats").stderr
    assert json.loads(told(stuck, "stats", "--json").stdout)["degraded"].startswith("index behind by")


# -- how long an answer waits for the index

READS = {
    "search": lambda memory: memory.search("quokka", session="talk"),
    "query": lambda memory: memory.query(session="talk"),
    "context": lambda memory: memory.context("quokka", session="talk"),
    "tags": lambda memory: memory.tags(session="talk"),
    "stats": lambda memory: memory.stats(session="talk"),
    "export": lambda memory: list(memory.export(session="talk")),
    "load_session": lambda memory: memory.load_session("talk"),
}


@pytest.mark.parametrize("verb", READS)
def test_who_reads_a_session_by_its_key_waits_no_longer_than_by_its_id(stuck, monkeypatch, verb):
    monkeypatch.setattr("holdfast.capture.sessions._WAIT_MS", 5_000)
    stuck.memory.add("something else", user="ben", session=None, scope="user")
    started = perf_counter()
    READS[verb](stuck.memory)
    assert perf_counter() - started < 2


@pytest.mark.parametrize("verb", READS)
def test_an_answer_waits_no_longer_in_all_than_the_setting_says(stuck, monkeypatch, verb):
    waits = []

    def in_vain(_scope, wait_ms):
        waits.append(wait_ms)
        sleep(wait_ms / 1000)
        return 1

    monkeypatch.setattr(stuck.memory.store.index, "refresh", in_vain)
    READS[verb](stuck.memory)
    assert sum(waits) <= 50 + len(waits)  # each looks at least for a moment


def test_a_key_that_another_process_has_just_made_is_found_by_who_reads(stuck):
    act = "import holdfast, sys; print(holdfast.open(sys.argv[1], user='ana').create_session(key='fresh').id)"
    made = subprocess.run([sys.executable, "-c", act, stuck.home], capture_output=True, text=True, check=True).stdout
    assert stuck.memory.load_session("fresh").id == made.strip()
    assert stuck.memory.search("bittern", session="fresh").degraded == BEHIND


def test_who_writes_under_a_key_waits_longer_for_what_others_have_made(stuck, monkeypatch):
    waits = []
    refresh = stuck.memory.store.index.refresh
    monkeypatch.setattr("holdfast.capture.sessions._WAIT_MS", 70)
    monkeypatch.setattr(
        stuck.memory.store.index, "refresh", lambda scope, wait_ms: waits.append(wait_ms) or refresh(scope, wait_ms)
    )
    stuck.memory.add("a stork", session="talk")
    assert waits[0] == 70
