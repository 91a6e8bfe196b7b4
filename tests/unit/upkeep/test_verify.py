"""Looking at every line, the index and the files."""

import json
import os

import pytest

import holdfast
from holdfast.journal.replay import Scan
from holdfast.model.entry import Tombstone
from holdfast.model.moment import iso
from holdfast.model.query import Filter, Label
from holdfast.model.vector import Vector
from holdfast.testing.embedder import HashingEmbedder
from holdfast.testing.workbench import ALL, ANA, OTHER, SESSION
from holdfast.upkeep import forget as forgetting
from holdfast.upkeep import intent
from holdfast.upkeep.choosing import choose
from holdfast.upkeep.compaction import compact
from holdfast.upkeep.verify import verify

JOURNAL = os.path.join("agents", "main", "sessions", SESSION, "memory.jsonl")


def change(files, change_bytes, name="memory.jsonl"):
    path = os.path.join(files.folder, "sessions", SESSION, name)
    with open(path, "rb") as file:
        data = file.read()
    with open(path, "wb") as file:
        file.write(change_bytes(data))


def what(report):
    return [problem["what"] for problem in report["problems"]]


def test_a_sound_store_is_ok(desk):
    own = desk.user()
    desk.add("vim", own, type="preference", key="editor")
    desk.add("emacs", own, type="preference", key="editor")
    entry = desk.add("words")
    desk.journal.amend(ANA, SESSION, entry.id, "ana", {"pinned": True})
    desk.bury(desk.add("deleted"))
    compact(desk.store, ANA, SESSION)
    desk.add("more")
    report = verify(desk.store)
    assert report["problems"] == []
    assert report["ok"]
    assert (report["journals"], report["entries"]) == (2, 4)


def test_an_empty_store_is_ok(desk):
    assert verify(desk.store)["ok"]


def test_a_damaged_line_is_named_by_file_and_line_without_its_words(desk):
    desk.add("fine")
    entry = desk.add("unspeakable")
    line = desk.journal.replay(ALL, SESSION).lines[1].number
    desk.damage(SESSION, entry.id)
    report = verify(desk.store)
    assert not report["ok"]
    (problem,) = report["problems"]
    assert (problem["line"], problem["journal"]) == (line, SESSION)
    assert "unspeakable" not in json.dumps(report)


def test_files_are_named_relative_to_the_home(files):
    files.damage(SESSION, files.add("x").id)
    assert [problem["file"] for problem in verify(files.store)["problems"]] == [JOURNAL]


def test_an_unfinished_last_line_is_found(files):
    files.add("whole")
    change(files, lambda data: data + b'{"schema_version":1,"se')
    assert what(verify(files.store)) == ["unfinished last line"]


def test_a_line_that_vanished_between_two_others_is_found(files):
    for text in ("one", "two", "three"):
        files.add(text)
    files.level()
    change(files, lambda data: b"\n".join(line for line in data.split(b"\n") if b"two" not in line))
    problems = verify(files.store)["problems"]
    assert any("missing" in problem["what"] and problem["line"] == 3 for problem in problems)


def test_gaps_that_a_rewrite_made_are_fine(desk):
    desk.add("one")
    desk.bury(desk.add("two"))
    desk.add("three")
    compact(desk.store, ANA, SESSION)
    assert verify(desk.store)["ok"]


def test_lines_in_the_wrong_order_are_found(files):
    files.add("one")
    files.add("two")

    def swapped(data):
        header, one, two, rest = data.split(b"\n")
        return b"\n".join([header, two, one, rest])

    change(files, swapped)
    assert "seq does not rise" in what(verify(files.store))


def test_a_damaged_tombstone_is_found(files):
    files.bury(files.add("x"))
    change(files, lambda data: data.replace(b'"reason"', b'"reasom"'), "tombstones.jsonl")
    assert "damaged tombstone" in what(verify(files.store))


def test_a_damaged_card_is_found(files):
    change(files, lambda data: data[:20], "metadata.json")
    assert any("card" in problem for problem in what(verify(files.store)))


def test_an_entry_that_the_index_lost_is_found(desk, monkeypatch):
    entry = desk.add("lost")
    desk.level()
    monkeypatch.setattr(desk.index, "locate", lambda *given, **named: {})
    monkeypatch.setattr(desk.index, "rows", lambda *given, **named: [])
    problems = verify(desk.store)["problems"]
    assert {problem["id"] for problem in problems} == {entry.id}
    assert len(problems) == 2


def test_an_entry_that_the_index_should_not_show_is_found(desk, monkeypatch):
    entry = desk.add("deleted")
    shown = desk.level().rows(ALL, Filter())
    desk.bury(entry)
    desk.level()
    monkeypatch.setattr(desk.index, "rows", lambda *given, **named: shown)
    (problem,) = verify(desk.store)["problems"]
    assert problem["id"] == entry.id


MEANWHILE = {
    "inspect": lambda desk, _: desk.add("later"),
    "tombstones": lambda desk, entry: desk.bury(entry),
    "rows": lambda desk, _: desk.add("later") and desk.level(),
    "labels": lambda desk, entry: desk.journal.amend(ANA, SESSION, entry.id, "ana", {"pinned": True}) and desk.level(),
}


@pytest.mark.parametrize("when", MEANWHILE)
def test_what_somebody_does_meanwhile_is_no_damage(desk, monkeypatch, when):
    entry, done = desk.add("first"), []
    port = desk.index if hasattr(desk.index, when) else desk.journal
    usual = getattr(port, when)

    def once(*given, **named):
        if not done:
            done.append(True)
            MEANWHILE[when](desk, entry)
        return usual(*given, **named)

    monkeypatch.setattr(port, when, once)
    assert verify(desk.store)["problems"] == []


def test_a_journal_that_is_written_to_without_a_pause_is_named(desk, monkeypatch):
    wrong = Label(scope="session", time=0, type="note")
    desk.add("first")
    monkeypatch.setattr(desk.index, "labels", lambda scope, ids: dict.fromkeys(ids, wrong))
    monkeypatch.setattr(desk.journal, "when_idle", lambda *given: False)
    monkeypatch.setattr("holdfast.upkeep.verify._IDLE_S", 0)
    (problem,) = verify(desk.store)["problems"]
    assert problem == {"what": f"could not be checked: {SESSION} is written to without a pause", "journal": SESSION}


MISQUOTED = {
    "user_id='bna'": "user", "session_id='sess_20260101_aaaaac'": "session", "workspace='v'": "workspace",
    "scope='global'": "scope", "time=time+1024": "time", "type='fact'": "type", "tags='[\"red\",\"blud\"]'": "tags",
    "importance=0.25": "importance", "pinned=1": "pinned", "sensitive=1": "sensitive",
    "provenance='usev'": "provenance", "role='usep'": "role", "author='Anb'": "author", "key='colour'": "key",
    "tool='grdp'": "tool", "path='/q'": "path",
}  # fmt: skip


@pytest.mark.parametrize(("damage", "name"), MISQUOTED.items(), ids=MISQUOTED)
def test_an_entry_that_the_index_misquotes_is_found_and_put_right(files, damage, name):
    said = {"text": "words", "role": "user", "author": "Ana"}
    entry = files.add(content=said, tags=("red", "blue"), workspace="w", tool="grep", path="/path")
    files.journal.amend(ANA, SESSION, files.add("amended", tags=("green",)).id, "ana", {"tags": ["slate"]})
    files.level().database().ask(lambda c: c.execute(f"UPDATE entries SET {damage} WHERE id='{entry.id}'").fetchall())
    found = {"what": f"the index is wrong about the entry's {name}", "journal": SESSION, "id": entry.id}
    report = verify(files.store)
    assert report["problems"] == [found]
    assert [note["journal"] for note in report["notes"] if "again" in note["what"]] == [SESSION]
    assert verify(files.store)["problems"] == []
    assert files.find("blue") == files.find("words", wanted=Filter(tags_all=("blue",))) == [entry.id]
    forgetting.forget(files.store, ANA, choose(files.store, ANA, ids=[entry.id]))
    assert files.index.live.rebuilt == 0
    assert files.index.database().ask(lambda c: c.execute(WORDS).fetchall()) == [("amend",), ("slate",)]


WORDS = """
CREATE VIRTUAL TABLE temp.left_over USING fts5vocab(main, chunks_fts, row);
SELECT term FROM temp.left_over WHERE term NOT GLOB '*[0-9]*';
"""


@pytest.mark.parametrize("damage", ["UPDATE entry_tags SET tag='blud' WHERE tag='blue'", "DELETE FROM entry_tags"])
def test_tags_that_a_filter_does_not_go_by_are_found_and_put_right(files, damage):
    entry = files.add("words", tags=("red", "blue"))
    files.level().database().ask(lambda c: c.execute(damage).fetchall())
    assert what(verify(files.store)) == ["the index is wrong about the entry's tags"]
    assert verify(files.store)["problems"] == []
    assert files.find("words", wanted=Filter(tags_all=("blue",))) == [entry.id]


@pytest.mark.parametrize("damage", ["offset=offset+1", "length=length-1", "spans='[[0,9]]'"])
def test_an_entry_that_the_index_has_at_another_place_is_found_and_put_right(files, damage):
    entry = files.add("words")
    files.add("more")
    files.journal.amend(ANA, SESSION, entry.id, "ana", {"pinned": True})
    files.level().database().ask(lambda c: c.execute(f"UPDATE entries SET {damage} WHERE id='{entry.id}'").fetchall())
    assert what(verify(files.store)) == ["the index does not know where the entry lies"]
    assert verify(files.store)["problems"] == []


def test_every_journal_is_read_once(files, monkeypatch):
    for count in range(3):
        files.journal.amend(ANA, SESSION, files.add(f"turn {count}").id, "ana", {"pinned": True})
    files.level()
    scans, fetched = [], []
    read, fetch = Scan.read, files.journal.fetch
    monkeypatch.setattr(Scan, "read", lambda scan, data: scans.append(scan) or read(scan, data))
    monkeypatch.setattr(files.journal, "fetch", lambda scope, places: fetched.extend(places) or fetch(scope, places))
    assert verify(files.store)["ok"]
    assert (len(scans), fetched) == (1, [])


def test_of_two_entries_with_one_id_the_index_has_the_first(files):
    files.session(OTHER)
    entry = files.add("words")
    files.journal.append(ALL, OTHER, [files.draft("words", OTHER, id=entry.id, type="fact")])
    assert verify(files.store)["problems"] == []


@pytest.mark.skipif(os.name == "nt", reason="no modes")
def test_files_that_others_can_reach_are_found(files):
    files.add("x")
    os.chmod(os.path.join(files.home, JOURNAL), 0o644)
    os.chmod(os.path.join(files.folder, "sessions"), 0o755)
    found = what(verify(files.store))
    assert len(found) == 2
    assert all("others" in one for one in found)


def test_a_home_behind_a_link_is_as_private_as_what_it_leads_to(tmp_path):
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with holdfast.open(tmp_path / "link") as memory:
        memory.add("words")
        assert memory.verify()["ok"]
        os.chmod(tmp_path / "real", 0o755)
        assert not memory.verify()["ok"]


@pytest.mark.skipif(os.name == "nt", reason="no modes")
def test_files_behind_a_link_that_others_can_reach_are_found(tmp_path):
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "home").mkdir(mode=0o700)
    (tmp_path / "home" / "agents").symlink_to(tmp_path / "real")
    with holdfast.open(tmp_path / "home") as memory:
        memory.add("words")
        assert memory.verify()["ok"]
        os.chmod(tmp_path / "real" / "main" / "sessions", 0o755)
        assert not memory.verify()["ok"]


def test_a_forget_that_is_under_way_is_no_trouble(desk):
    plan = {"id": "forget_x", "drop": {}, "remove": [], "history": {}}
    with intent.alone(desk.store, "forget"):
        intent.write(desk.store, plan)
        assert verify(desk.store)["problems"] == []
    assert what(verify(desk.store)) == ["a forget was interrupted; `holdfast sync` finishes it"]


def test_an_interrupted_forget_is_found(desk, monkeypatch):
    entry = desk.add("x")
    desk.level()
    monkeypatch.setattr(forgetting, "STEPS", forgetting.STEPS[:2])
    forgetting.forget(desk.store, ANA, choose(desk.store, ANA, ids=[entry.id]))
    assert any("forget was interrupted" in one for one in what(verify(desk.store)))


def test_a_damaged_line_that_a_rewrite_took_out_is_still_a_problem(desk):
    entry = desk.add("x")
    desk.damage(SESSION, entry.id)
    compact(desk.store, ANA, SESSION)
    report = verify(desk.store)
    assert [problem["what"].split(" at ")[0] for problem in report["problems"]] == ["entry lost"]
    assert [note["pieces"] for note in report["notes"]] == [1]


def test_references_that_lead_nowhere_are_notes(desk):
    there, hidden = desk.add("there"), desk.add("hidden")
    missing = "mem_01KG2D5T7QH3V8ZJ4N6R9WXYAB"
    desk.derive("sound", there)
    source = desk.add("points", references=(there.id, hidden.id, missing))
    desk.bury(hidden)
    report = verify(desk.store)
    assert report["ok"]
    (note,) = report["notes"]
    assert (note["id"], note["journal"]) == (source.id, SESSION)
    assert note["what"] == f"refers to what is not there: {hidden.id}, {missing}"


def test_a_risky_place_is_a_note(desk, monkeypatch):
    monkeypatch.setattr("holdfast.upkeep.verify.risky_filesystem", lambda path: "network file system (nfs)")
    report = verify(desk.store)
    assert report["ok"]
    assert "nfs" in report["notes"][0]["what"]


def test_a_removed_session_is_no_problem(desk):
    desk.session(OTHER)
    entry = desk.add("x", OTHER)
    desk.journal.bury(ALL, OTHER, [Tombstone(id=entry.id, timestamp=iso(0), reason="forget")])
    desk.journal.remove(ALL, OTHER)
    assert verify(desk.store)["ok"]


def test_progress_counts_journals(desk):
    desk.user()
    seen = []
    verify(desk.store, progress=lambda *step: seen.append(step))
    assert seen == [(1, 2), (2, 2)]


def embedded(desk):
    """Two entries with vectors."""
    entries, embedder = [desk.add("alpha"), desk.add("beta")], HashingEmbedder(costly=True)
    desk.level().embed(ALL, embedder, None)
    return entries, embedder


def spoilt(files, entry):
    files.index.live.ask(
        lambda c: c.execute(
            "UPDATE vectors SET data=zeroblob(256) WHERE chunk=(SELECT c.n FROM chunks c JOIN entries e ON e.n=c.entry "
            "WHERE e.id=?)", (entry.id,),
        ).fetchall()
    )  # fmt: skip


def test_sound_vectors_are_ok(desk):
    embedded(desk)
    report = verify(desk.store)
    assert (report["ok"], report["notes"]) == (True, [])


def test_a_damaged_vector_is_named_and_made_again(files):
    (stays, entry), embedder = embedded(files)
    spoilt(files, entry)
    report = verify(files.store)
    assert report["problems"] == [
        {"what": "its vector is damaged: its length is not one", "journal": SESSION, "id": entry.id}
    ]
    assert [note["what"] for note in report["notes"]] == [
        "vectors that are not what was stored were taken out; the next search or `holdfast sync` makes others"
    ]
    assert verify(files.store)["ok"]
    assert files.level().embed(ALL, embedder, None) == 0
    vector = Vector(embedder.identity, embedder.embed(["beta"], query=True)[0])
    assert [row.id for row in files.index.near(ANA, Filter(), vector, 2)] == [entry.id, stays.id]


def test_a_damaged_vector_that_cannot_be_taken_out_is_named_all_the_same(files, monkeypatch):
    (_, entry), _ = embedded(files)
    spoilt(files, entry)
    monkeypatch.setattr(files.index, "make_sound", lambda *_: False)
    report = verify(files.store)
    assert what(report) == ["its vector is damaged: its length is not one"]
    assert "verify once more" in report["notes"][0]["what"]


def test_on_a_home_that_cannot_be_written_a_damaged_vector_is_named_and_left(files, monkeypatch):
    (_, entry), _ = embedded(files)
    spoilt(files, entry)
    monkeypatch.setattr(type(files.store), "read_only", lambda _: True)
    for _ in range(2):
        assert what(verify(files.store)) == ["its vector is damaged: its length is not one"]
