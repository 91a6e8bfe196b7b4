"""Entries that somebody else took out of the journals: loud until they are back or were let go (D16, D40)."""

import os
import shutil
from pathlib import Path

import pytest

import holdfast
from holdfast.model.ids import user_dir
from holdfast.model.scope import whole


@pytest.fixture
def memory(tmp_path):
    with holdfast.open(tmp_path / "home", embedder="none") as opened:
        yield opened


def folder(memory, session):
    return os.path.join(memory.home, "agents", "main", "sessions", session)


def journal(memory, session):
    return os.path.join(folder(memory, session), "memory.jsonl")


def two(memory, **where):
    """Two entries of one session, indexed."""
    first, second = (memory.add(f"{word} in the harbour", session="talk", **where) for word in ("anchors", "lanterns"))
    memory.sync()
    return first, second


def cut(memory, session):
    """Take away the last line."""
    with open(journal(memory, session), "r+b") as file:
        lines = file.read().splitlines(keepends=True)
        file.truncate(sum(map(len, lines[:-1])))


def flip(memory, entry):
    """Change one letter of the entry's text where it lies."""
    with open(journal(memory, entry.session_id), "r+b") as file:
        data = file.read()
        file.seek(data.index(entry.text.encode()))
        file.write(b"#")


def lost(memory):
    """Ids that `verify` calls lost, with their journals."""
    problems = memory.verify()["problems"]
    return [(problem["id"], problem["journal"]) for problem in problems if "entry lost" in problem["what"]]


def kept(memory):
    return "".join(file.read_text() for file in Path(memory.home, "agents", "main", "quarantine").iterdir())


def test_a_lost_tail_is_a_problem_in_verify_and_status_and_a_reason_in_search(memory):
    first, second = two(memory)
    cut(memory, first.session_id)
    assert lost(memory) == [(second.id, first.session_id)]
    assert not memory.verify()["ok"]
    report = memory.status()
    assert report["corruption"]["lost_entries"] == 1
    assert any("1 entries were lost" in told for told in report["degraded"])
    found = memory.search("harbour")
    assert [hit.id for hit in found] == [first.id]
    assert found.degraded == "1 damaged or lost entries left out; run `holdfast verify`"


def test_the_search_that_comes_across_the_loss_says_so(memory):
    first, second = two(memory)
    cut(memory, first.session_id)
    found = memory.search("lanterns")
    assert second.id not in [hit.id for hit in found]
    assert "1 damaged or lost entries left out" in found.degraded
    assert "lanterns in the harbour" in kept(memory)


def test_a_session_removed_by_hand_is_kept_in_quarantine_and_named(memory):
    first, second = two(memory)
    shutil.rmtree(folder(memory, first.session_id))
    assert lost(memory) == sorted([(first.id, first.session_id), (second.id, first.session_id)])
    assert all(entry.text in kept(memory) for entry in (first, second))
    assert memory.search("harbour").degraded


@pytest.mark.parametrize("names", [["memory.jsonl"], ["memory.jsonl", "metadata.json"]])
def test_a_journal_removed_by_hand_is_kept_in_quarantine_and_named(memory, names):
    first, second = two(memory)
    memory.delete(memory.add("deleted before", session="talk").id)
    memory.sync()
    for name in names:
        os.unlink(os.path.join(folder(memory, first.session_id), name))
    assert sorted(lost(memory)) == [(first.id, first.session_id), (second.id, first.session_id)]
    assert "deleted before" not in kept(memory)


def test_a_journal_put_back_to_an_earlier_generation_is_a_loss_too(memory):
    first, _ = two(memory)
    before = Path(journal(memory, first.session_id)).read_bytes()
    memory.compact("talk")
    third = memory.add("buoys in the harbour", session="talk")
    memory.sync()
    Path(journal(memory, first.session_id)).write_bytes(before)
    assert lost(memory) == [(third.id, first.session_id)]


def test_reindex_rescues_what_only_the_old_index_has(memory):
    first, second = two(memory)
    cut(memory, first.session_id)
    memory.reindex()
    assert lost(memory) == [(second.id, first.session_id)]


def test_what_holdfast_removes_itself_is_no_loss(memory):
    first, second = two(memory)
    memory.user("local").remember("tea", "green")
    memory.delete(first.id)
    memory.compact("talk")
    assert memory.forget(second.id).clean
    assert memory.forget(session="talk").clean
    assert memory.forget(user="local").clean
    assert not os.path.exists(os.path.join(memory.home, "agents", "main", "users", user_dir("local"), "memory.jsonl"))
    assert memory.verify()["problems"] == []
    assert memory.search("harbour").degraded is None


def test_what_comes_back_from_a_backup_is_no_longer_lost(memory, tmp_path):
    first, _ = two(memory)
    shutil.copytree(folder(memory, first.session_id), tmp_path / "backup")
    shutil.rmtree(folder(memory, first.session_id))
    assert len(lost(memory)) == 2
    shutil.copytree(tmp_path / "backup", folder(memory, first.session_id))
    report = memory.verify()
    assert (report["problems"], memory.status()["corruption"]["lost_entries"]) == ([], 0)
    assert "2 damaged pieces lie in quarantine" in report["notes"][0]["what"]
    assert memory.search("harbour").degraded is None


def test_a_loss_is_told_only_to_those_whose_it_is(memory):
    first, _ = two(memory, user="ana")
    memory.add("gulls in the harbour", user="ben")
    shutil.rmtree(folder(memory, first.session_id))
    memory.sync()
    assert memory.search("harbour", user="ana").degraded
    assert memory.search("harbour", user="ben").degraded is None
    assert memory.search("harbour", user="*").degraded


def test_forgetting_the_session_ends_the_matter(memory):
    first, second = two(memory)
    cut(memory, first.session_id)
    assert lost(memory)
    assert memory.forget(session="talk").clean
    assert memory.verify()["problems"] == []
    assert second.text not in "".join(os.listdir(memory.home))


def words_left(memory, *words):
    """Files below the home that hold one of these words."""
    memory.store.index.close()
    files = [file for file in Path(memory.home).rglob("*") if file.is_file()]
    return [str(file) for file in files for word in words if word in file.read_bytes().lower()]


def test_what_is_lost_can_be_forgotten_by_its_id_and_does_not_come_back(memory, tmp_path):
    first, second = two(memory)
    exported = list(memory.export())
    cut(memory, first.session_id)
    assert lost(memory)
    receipt = memory.forget(second.id)
    assert (receipt.clean, receipt.entries) == (True, (second.id,))
    assert memory.verify()["problems"] == []
    assert words_left(memory, b"lanterns") == []
    assert memory.load(exported)["skipped_forgotten"] == 1
    assert [hit.id for hit in memory.search("harbour")] == [first.id]


def test_one_of_a_removed_session_can_be_forgotten_and_the_other_stays_lost(memory):
    first, second = two(memory)
    exported = list(memory.export())
    shutil.rmtree(folder(memory, first.session_id))
    assert len(lost(memory)) == 2
    assert memory.forget(second.id).clean
    assert lost(memory) == [(first.id, first.session_id)]
    assert words_left(memory, b"lanterns") == []
    assert memory.forget(first.id).clean
    assert memory.verify()["problems"] == []
    assert memory.load(exported)["skipped_forgotten"] == 2


def test_forgetting_a_user_takes_what_was_lost_along(memory):
    first, _ = two(memory, user="ana")
    memory.user("ana").remember("tea", "assam")
    other = memory.add("gulls in the harbour", user="ben", session="bens")
    memory.sync()
    for path in (folder(memory, first.session_id), folder(memory, other.session_id)):
        shutil.rmtree(path)
    shutil.rmtree(os.path.join(memory.home, "agents", "main", "users", user_dir("ana")))
    assert len(lost(memory)) == 4
    receipt = memory.forget(user="ana")
    assert (receipt.clean, len(receipt.entries)) == (True, 3)
    assert lost(memory) == [(other.id, other.session_id)]
    assert words_left(memory, b"lanterns", b"anchors", b"assam") == []


def test_every_search_says_that_a_damaged_line_is_left_out(memory):
    _, second = two(memory)
    flip(memory, second)
    for question in ("lanterns", "lanterns", "anchors"):
        assert memory.search(question).degraded == "1 damaged or lost entries left out; run `holdfast verify`"
    home = memory.home
    with holdfast.open(home, embedder="none", settings={"recall.limit": 7}) as again:
        for _ in range(2):
            assert "1 damaged or lost entries" in again.search("lanterns").degraded
    assert [problem["what"] for problem in memory.verify()["problems"]] == ["damaged line"]
    assert memory.status()["corruption"]["lost_entries"] == 0


def test_a_damaged_line_is_of_no_concern_to_other_sessions_and_users(memory):
    _, second = two(memory)
    memory.add("gulls in the harbour", session="other")
    memory.add("terns in the harbour", user="ben")
    flip(memory, second)
    assert memory.search("lanterns").degraded
    assert memory.search("gulls", session="other").degraded is None
    assert memory.search("terns", user="ben").degraded is None


def test_a_search_in_a_home_without_damage_looks_into_no_file_for_it(memory, monkeypatch):
    two(memory)
    monkeypatch.setattr("holdfast.journal.quarantine.read_file", None)
    assert memory.search("harbour").degraded is None


def pieces(memory):
    return sorted(os.listdir(os.path.join(memory.home, "agents", "main", "quarantine")))


@pytest.mark.parametrize("owner", [True, False])
def test_forgetting_a_word_leaves_what_another_user_lost_with_the_same_word(memory, owner):
    theirs = memory.add("anchor", user="ana", session="talk", tags=["health"])
    last = memory.add("the vault code is under xylograph, call Marta", user="ana", session="talk", tags=["health"])
    memory.sync()
    cut(memory, theirs.session_id)
    assert lost(memory) == [(last.id, theirs.session_id)]
    app = holdfast.Caller(name="app", owner=False, user="bob", grants=frozenset(["write:session"]))
    caller = holdfast.Caller() if owner else app
    with holdfast.open(memory.home, embedder="none", user="bob", caller=caller) as bobs:
        assert bobs.forget(bobs.add("xylograph", tags=["health"], session="bobs").id).clean
    assert lost(memory) == [(last.id, theirs.session_id)]
    assert "xylograph" in kept(memory)
    assert memory.search("vault", user="ana").degraded


def test_the_same_text_that_another_user_lost_stays_and_the_receipt_names_it(memory):
    theirs = memory.add("anchor", user="ana", session="talk")
    last = memory.add("the vault code is under xylograph", user="ana", session="talk")
    mine = memory.add("the vault code is under xylograph", user="bob")
    memory.sync()
    cut(memory, theirs.session_id)
    assert lost(memory)
    receipt = memory.forget(mine.id)
    assert not receipt.clean
    assert receipt.residue == (f"agents/main/quarantine/{pieces(memory)[0]}",)
    assert lost(memory) == [(last.id, theirs.session_id)]


def test_what_merely_refers_to_the_forgotten_stays(memory):
    first = memory.add("gulls in the harbour", user="bob")
    second = memory.add("terns in the harbour", user="ana", session="talk", references=[first.id])
    memory.sync()
    flip(memory, second)
    memory.sync()
    memory.forget(first.id)
    assert len(pieces(memory)) == 2
    assert memory.search("terns", user="ana").degraded


@pytest.mark.parametrize("rewrite", ["compact", "forget"])
def test_a_damaged_line_stays_loud_after_a_rewrite_took_it_out(memory, rewrite):
    first, second = two(memory)
    flip(memory, second)
    assert memory.search("lanterns").degraded
    memory.compact("talk") if rewrite == "compact" else memory.forget(first.id)
    for _ in range(2):
        assert lost(memory) == [(second.id, second.session_id)]
        assert memory.status()["corruption"]["lost_entries"] == 1
        assert memory.search("lanterns").degraded == "1 damaged or lost entries left out; run `holdfast verify`"
        memory.reindex()


@pytest.mark.parametrize("compacted", [False, True])
def test_a_damaged_entry_can_be_forgotten_by_its_id(memory, compacted):
    first, second = two(memory)
    flip(memory, second)
    memory.sync()
    if compacted:
        memory.compact("talk")
    receipt = memory.forget(second.id)
    assert (receipt.clean, receipt.entries) == (True, (second.id,))
    assert memory.verify()["problems"] == []
    assert [hit.id for hit in memory.search("harbour")] == [first.id]
    assert words_left(memory, b"anterns") == []


@pytest.mark.parametrize("choice", [{"since": "1d"}, {"topic": "port"}])
def test_what_was_lost_is_chosen_by_its_time_and_tags(memory, choice):
    _, second = two(memory, user="ana", tags=["port.north"])
    other = memory.add("gulls in the harbour", user="ben", session="bens", tags=["port.north"])
    memory.sync()
    for entry in (second, other):
        shutil.rmtree(folder(memory, entry.session_id))
    assert len(lost(memory)) == 3
    receipt = memory.forget(user="ana", **choice)
    assert (receipt.clean, len(receipt.entries)) == (True, 2)
    assert lost(memory) == [(other.id, other.session_id)]


def test_a_piece_that_may_be_meant_and_cannot_be_read_is_named(memory):
    first, _ = two(memory, user="ana")
    memory.store.journal.quarantine(
        whole("main"), first.session_id, [(9000, b'{"schema_vers###,"checksum":"sha256:00"}')],
    )  # fmt: skip
    receipt = memory.forget(user="ana", until="2000-01-01")
    assert not receipt.clean
    assert receipt.residue == (f"agents/main/quarantine/{pieces(memory)[0]}",)
    assert memory.forget(user="ana").clean


def test_a_quarantine_that_is_a_file_is_a_problem_and_fails_nothing(memory):
    two(memory)
    Path(memory.home, "agents", "main", "quarantine").write_text("x")
    assert memory.search("harbour").hits
    assert any("is no directory" in problem["what"] for problem in memory.verify()["problems"])
    assert any("is no directory" in told for told in memory.status()["degraded"])


@pytest.mark.parametrize("make", [os.mkdir, lambda path: os.symlink(path, path)])
def test_what_cannot_be_read_in_quarantine_is_a_problem_and_fails_no_search(memory, make):
    first, second = two(memory)
    os.mkdir(os.path.join(memory.home, "agents", "main", "quarantine"), 0o700)
    make(os.path.join(memory.home, "agents", "main", "quarantine", f"{first.session_id}-5-{'0' * 16}.bad"))
    assert len(memory.search("harbour")) == 2
    assert any("cannot be read" in problem["what"] for problem in memory.verify()["problems"])
    assert any("cannot be read" in told for told in memory.status()["degraded"])
    assert memory.forget(second.id).entries == (second.id,)


@pytest.mark.parametrize("harm", ["cut", "flip"])
def test_the_id_of_a_lost_entry_cannot_be_taken_but_a_load_brings_it_back(memory, harm):
    first, second = two(memory, user="ana")
    exported = list(memory.export(user="*"))
    cut(memory, first.session_id) if harm == "cut" else flip(memory, second)
    for user in ("ana", "ben"):
        with pytest.raises(holdfast.Invalid, match="belongs to an entry in quarantine"):
            memory.add("something else", id=second.id, user=user)
    assert memory.search("harbour", user="ana").degraded
    report = memory.load(exported)
    assert (report["added"], report["complete"]) == (1, True)
    assert len(memory.search("harbour", user="ana")) == 2


@pytest.mark.parametrize("format", ["jsonl", "json"])
def test_an_export_says_that_entries_are_lost_and_is_not_loaded_as_complete(memory, tmp_path, format):
    first, _ = two(memory, user="ana")
    memory.add("gulls in the harbour", user="ben")
    cut(memory, first.session_id)
    memory.sync()
    with holdfast.open(tmp_path / "other", embedder="none") as other:
        assert not other.load("".join(memory.export(format, user="ana")).splitlines())["complete"]
        assert other.load("".join(memory.export(format, user="ben")).splitlines())["complete"]


def changed(memory):
    """An entry whose text was changed, and the change damaged; the journal as it was before the damage."""
    entry, _ = two(memory)
    memory.amend(entry.id, text="anchors on the quay")
    memory.sync()
    path = Path(journal(memory, entry.session_id))
    before = path.read_bytes()
    path.write_bytes(before.replace(b"on the quay", b"on the quaX"))
    memory.sync()
    return entry, before


def told(memory):
    """What `verify` says of lost changes, and what a search says that it left out."""
    problems = [problem for problem in memory.verify()["problems"] if "change of an entry lost" in problem["what"]]
    return [problem["id"] for problem in problems], memory.search("anchors").degraded


def test_a_damaged_change_is_lost_once_a_rewrite_took_out_its_line(memory):
    entry, _ = changed(memory)
    memory.compact()
    ids, degraded = told(memory)
    assert ids == [entry.id]
    assert "1 damaged or lost" in degraded
    assert '"lost":1' in list(memory.export())[-1]
    assert memory.status()["corruption"]["lost_entries"] == 1


def test_a_damaged_change_is_no_loss_once_the_journal_is_put_back(memory):
    entry, before = changed(memory)
    memory.compact()
    Path(journal(memory, entry.session_id)).write_bytes(before)
    memory.sync()
    assert memory.get(entry.id).text == "anchors on the quay"
    assert told(memory) == ([], None)


def test_a_damaged_change_goes_with_its_entry(memory):
    entry, _ = changed(memory)
    memory.compact()
    assert memory.forget(entry.id).clean
    assert told(memory) == ([], None)
    assert kept(memory) == ""


def test_a_damaged_change_is_no_loss_once_its_entry_is_deleted(memory):
    entry, _ = changed(memory)
    memory.compact()
    memory.delete(entry.id)
    assert told(memory) == ([], None)


def test_a_damaged_change_goes_with_the_former_words_of_its_entry(memory):
    entry, _ = changed(memory)
    memory.compact()
    memory.forget(entry.id, history=True)
    assert told(memory) == ([], None)
    assert memory.get(entry.id).text == entry.text


def test_nobodys_forget_takes_an_entry_for_a_damaged_change_of_it(memory):
    entry, _ = changed(memory)
    memory.compact()
    receipt = memory.forget(topic="ships")
    assert (receipt.clean, receipt.entries) == (True, ())
    assert memory.get(entry.id).text == entry.text


@pytest.mark.parametrize(
    "damage", [lambda data: data.replace(b"sess_", b"tess_", 1), lambda data: data.replace(b"jour", b"j0ur", 1)]
)
def test_a_damaged_header_is_named_and_is_no_lost_entry(memory, damage):
    entry, _ = two(memory)
    path = Path(journal(memory, entry.session_id))
    path.write_bytes(damage(path.read_bytes()))
    memory.sync()
    assert [(problem["what"], problem["line"]) for problem in memory.verify()["problems"]] == [("damaged line", 1)]
    assert memory.search("anchors").degraded is None
    memory.compact()
    assert memory.verify()["problems"] == []
    assert memory.search("anchors").degraded is None
    assert "lost" not in list(memory.export())[-1]
