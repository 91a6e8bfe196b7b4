"""Chosen ids: the same again finds what is stored, another use is refused, and a refusal leaves nothing behind."""

import pytest

import holdfast
from holdfast.capture import writing
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
    assert "in use" in refusal(lambda: memory.add("two", id=UNUSED, session="brand new"))
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


def test_what_was_erased_needs_another_id_and_nobody_is_told_to_undelete_it(memory):
    forgotten, compacted = memory.add("one").id, memory.add("two", session="k").id
    memory.forget(forgotten)
    memory.delete(compacted)
    memory.compact(session="k")
    for id, why in ((forgotten, "was forgotten"), (compacted, "erased")):
        told = refusal(lambda id=id: memory.add("one", id=id))
        assert why in told
        assert "another id" in told
        assert "undelete" not in told


ELSEWHERE = [{"user": "ben"}, {"scope": "user"}, {"scope": "global"}, {"session": "other"}]


@pytest.mark.parametrize("place", ELSEWHERE, ids=str)
@pytest.mark.parametrize("made", [True, False])
def test_an_id_that_is_in_use_elsewhere_is_refused_with_the_same_words_too(memory, place, made):
    memory.add("one", id=UNUSED)
    if made:
        memory.add("before", **place)
    told = refusal(lambda: memory.add("one", id=UNUSED, **place))
    assert told == refusal(lambda: memory.add("two", id=UNUSED, **place))
    assert "in use" in told
    assert "ana" not in told
    assert [entry.text for entry in memory.query(user="*", ids=[UNUSED])] == ["one"]


GIVEN = {
    "tags": ["a.b", "c"], "importance": 0.25, "pinned": True, "sensitive": True, "references": [entry_id(2)],
    "metadata": {"n": [1, {"deep": [2.5, None]}], "t": "x"}, "tool": "grep", "path": "/x", "provenance": "tool:grep",
    "workspace": "/w",
}  # fmt: skip


@pytest.mark.parametrize("field", GIVEN)
def test_another_value_of_any_field_is_no_repeat_and_the_field_is_named(memory, field):
    memory.add("one", id=UNUSED, provenance="user")
    given = {"provenance": "user", field: GIVEN[field]}
    assert f"other {field}" in refusal(lambda: memory.add("one", id=UNUSED, **given))
    del given[field]
    if field != "provenance":
        assert memory.add("one", id=UNUSED, **given).seq == 1


def test_another_key_or_type_is_no_repeat(memory):
    memory.add("tea", id=UNUSED, key="drink", scope="user")
    assert "other key" in refusal(lambda: memory.add("tea", id=UNUSED, key="food", scope="user"))
    assert "other type" in refusal(lambda: memory.add("tea", id=UNUSED, type="note", scope="user"))


@pytest.mark.parametrize("given", [{}, GIVEN, {"role": "assistant"}, {"scope": "user", "key": "k"}], ids=len)
def test_a_plain_retry_finds_what_is_stored(memory, given):
    first = memory.add("one", id=UNUSED, **given)
    assert memory.add("one", id=UNUSED, **given).seq == first.seq
    with holdfast.open(memory.home, user="ana") as again:
        assert again.add("one", id=UNUSED, **given).seq == first.seq
    assert memory.stats()["entries"] == 1


AMENDED = [{"pinned": True}, {"tags": ["x"]}, {"importance": 1.0, "sensitive": True}, {"text": "other words"}]


@pytest.mark.parametrize("changes", AMENDED, ids=str)
def test_a_retry_finds_what_was_amended_since(memory, changes):
    memory.add("one", id=UNUSED, tags=["a"])
    memory.amend(UNUSED, **changes)
    found = memory.add("one", id=UNUSED, tags=["a"])
    assert found == memory.get(UNUSED)
    assert "other path" in refusal(lambda: memory.add("one", id=UNUSED, tags=["a"], path="/x"))
    assert "other tags" in refusal(lambda: memory.add("one", id=UNUSED, tags=["b"]))


@pytest.mark.parametrize("changes", AMENDED[:3], ids=str)
def test_a_retry_finds_what_was_amended_and_compacted_since(memory, changes):
    memory.add("one", id=UNUSED, session="k")
    memory.amend(UNUSED, **changes)
    memory.delete(memory.add("gone", session="k").id)
    memory.compact(session="k")
    assert memory.add("one", id=UNUSED, session="k") == memory.get(UNUSED)
    assert "other content" in refusal(lambda: memory.add("two", id=UNUSED, session="k"))


def test_a_retry_finds_what_a_full_session_has_in_one_that_it_went_on_from(tmp_path):
    small = {"journal.session_bytes": 64 * 1024, "journal.entry_bytes": 20 * 1024}
    with holdfast.open(tmp_path / "home", settings=small) as memory:
        items = [
            {"text": f"{n} " + "word " * 400, "type": "decision", "session": "k", "id": entry_id(n)}
            for n in range(1, 80)
        ]
        first = writing.add_many(memory.store, memory._writer(continues=True), items)
        assert len({entry.session_id for entry in first}) > 1
        again = writing.add_many(memory.store, memory._writer(continues=True), items)
        assert [entry.checksum for entry in again] == [entry.checksum for entry in first]


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
