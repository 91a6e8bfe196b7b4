"""Chosen ids: the same again finds what is stored, another use is refused, and a refusal leaves nothing behind."""

import pytest

import holdfast
from holdfast.model.ids import entry_id
from holdfast.model.scope import OWN

BEN = holdfast.Caller(name="a tool", owner=False, user="ben", grants=OWN)
UNUSED = entry_id(1)


@pytest.fixture
def memory(tmp_path):
    with holdfast.open(tmp_path / "home", user="ana") as opened:
        yield opened


@pytest.fixture
def ben(memory):
    with holdfast.open(memory.home, caller=BEN) as opened:
        yield opened


def refusal(act):
    with pytest.raises(holdfast.Invalid) as refused:
        act()
    assert refused.value.details["field"] == "id"
    return refused.value.message


def test_the_same_id_with_the_same_content_is_the_same_entry(memory):
    first = memory.add("one", id=UNUSED, session="talk")
    assert memory.add("one", id=UNUSED, session="talk").seq == first.seq


def test_a_taken_id_makes_no_session(memory):
    memory.add("one", id=UNUSED, session="talk")
    assert "other content" in refusal(lambda: memory.add("two", id=UNUSED, session="brand new"))
    assert [session.key for session in memory.sessions()] == ["talk"]


def test_a_taken_id_anywhere_in_a_batch_stores_nothing_of_it(memory):
    memory.add("one", id=UNUSED, session="z")
    taken = {"text": "two", "id": UNUSED, "session": "z"}
    refusal(lambda: memory.add_many([{"text": "a", "session": "a"}, taken, {"text": "b", "scope": "user"}]))
    assert [entry.text for entry in memory.query()] == ["one"]
    assert [session.key for session in memory.sessions()] == ["z"]


def test_an_id_that_stands_twice_in_a_batch_makes_nothing(memory):
    for other in ("a", "b"):
        batch = [{"text": "x", "id": UNUSED, "session": "a"}, {"text": "x", "id": UNUSED, "session": other}]
        assert "twice" in refusal(lambda batch=batch: memory.add_many(batch))
    assert memory.sessions() == []


def test_an_owner_is_told_why(memory):
    gone = memory.add("one").id
    memory.delete(gone)
    assert "undelete it" in refusal(lambda: memory.add("one", id=gone))


def test_a_principal_gets_one_answer_for_every_id_that_cannot_be_used(memory, ben):
    kept, deleted, forgotten = (memory.add(text).id for text in ("kept", "deleted", "forgotten"))
    shared = memory.add("shared", scope="global").id
    memory.delete(deleted)
    memory.forget(forgotten)
    own, hidden = ben.add("own").id, ben.add("hidden").id
    ben.delete(hidden)
    told = set()
    for id in (kept, deleted, forgotten, shared, own, hidden):
        told.add(refusal(lambda id=id: ben.add("x", id=id, session="new")).replace(id, "ID"))
    assert len(told) == 1
    assert "new" not in {session.key for session in ben.sessions()}


def test_a_principal_cannot_ask_whether_it_guessed_a_foreign_entry(memory, ben):
    kept = memory.add("kept", session="talk")
    shared = memory.add("shared", scope="global")
    for entry in (kept, shared):
        guessed = refusal(lambda entry=entry: ben.add(entry.text, id=entry.id))
        assert guessed == refusal(lambda entry=entry: ben.add("something else", id=entry.id))


def test_a_principal_loads_no_answer_about_foreign_entries(memory, ben):
    kept = memory.add("kept", scope="user")
    said = next(line for line in memory.export() if kept.id in line).replace('"ana"', '"ben"')
    for text in ("kept", "other"):
        report = ben.load([said.replace('"kept"', f'"{text}"')])
        assert (report["conflicts"], report["skipped_existing"], report["added"]) == ([kept.id], 0, 0)


def test_a_principal_may_repeat_its_own_call(ben):
    first = ben.add("one", id=UNUSED)
    assert ben.add("one", id=UNUSED).seq == first.seq
