"""Which entries a forget means."""

import pytest

import holdfast
from holdfast.errors import Invalid, NotFound
from holdfast.model.ids import entry_id, user_dir
from holdfast.model.moment import DAY_MS, iso
from holdfast.model.scope import Scope
from holdfast.testing.workbench import AGENT, ALL, ANA, BEN, OTHER, SESSION
from holdfast.upkeep.choosing import choose, pick


def picked(desk, scope=ANA, **said):
    desk.level()
    return pick(desk.store, scope, choose(desk.store, scope, **said))


def one_session(id=SESSION):
    return Scope(agent=AGENT, user="ana", sessions=(id,))


def test_naming_nothing_is_refused(desk):
    with pytest.raises(Invalid):
        choose(desk.store, ANA)
    with pytest.raises(Invalid):
        choose(desk.store, one_session())


def test_an_id_that_never_was_is_not_found(desk):
    with pytest.raises(NotFound):
        picked(desk, ids=[entry_id(1)])


def test_an_id_of_another_user_is_not_found(desk):
    desk.session(OTHER, user="ben")
    theirs = desk.add("x", OTHER, user="ben")
    with pytest.raises(NotFound):
        picked(desk, ids=[theirs.id])


def test_one_unknown_id_among_others_stops_all(desk):
    entry = desk.add()
    with pytest.raises(NotFound):
        picked(desk, ids=[entry.id, entry_id(1)])


def test_a_deleted_entry_can_be_chosen(desk):
    entry = desk.add()
    desk.bury(entry)
    assert picked(desk, ids=[entry.id]).ids == [entry.id]


def test_a_topic_covers_those_below_it_and_deleted_ones(desk):
    chosen = [desk.add(tags=(tag,)) for tag in ("personal", "personal.health")]
    desk.bury(chosen[1])
    desk.add(tags=("personality",))
    assert picked(desk, topic="personal").ids == sorted(entry.id for entry in chosen)


def test_times_begin_included_and_end_excluded(desk):
    entries = []
    for _ in range(4):
        desk.clock.advance(DAY_MS)
        entries.append(desk.add())
    found = picked(desk, since=entries[1].timestamp, until=entries[3].timestamp)
    assert found.ids == sorted(entry.id for entry in entries[1:3])


def test_an_age_that_is_none_is_named_as_it_was_given(desk):
    with pytest.raises(Invalid, match=r"^older_than is not"):
        picked(desk, older_than="banana")


def test_older_than_is_an_age(desk):
    old = desk.add("old")
    desk.clock.advance(10 * DAY_MS)
    desk.add("new")
    assert picked(desk, older_than="5d").ids == [old.id]
    assert picked(desk, older_than="5d", until=iso(0 + 1)).ids == []


def test_what_is_named_must_all_hold(desk):
    both = desk.add(tags=("a",), workspace="/w")
    desk.add(tags=("a",))
    desk.add(workspace="/w")
    assert picked(desk, topic="a", workspace="/w").ids == [both.id]


def test_a_session_goes_as_a_whole_with_its_deleted_entries(desk):
    desk.session(OTHER)
    entries = [desk.add(), desk.add()]
    desk.bury(entries[0])
    desk.add("elsewhere", OTHER)
    found = picked(desk, one_session(), session=SESSION)
    assert found.remove == [SESSION]
    assert found.ids == sorted(entry.id for entry in entries)


def test_a_topic_within_a_session_leaves_the_session(desk):
    entry = desk.add(tags=("a",))
    desk.add()
    found = picked(desk, one_session(), session=SESSION, topic="a")
    assert (found.remove, found.ids) == ([], [entry.id])


def test_a_user_goes_with_all_sessions_and_memories_and_nothing_else(desk):
    desk.session(OTHER, user="ben")
    own = desk.user()
    mine = [desk.add(), desk.add("vim", own, type="preference", key="editor")]
    desk.add("theirs", OTHER, user="ben")
    desk.add("shared", desk.shared())
    found = picked(desk, user="ana")
    assert found.remove == [SESSION, own]
    assert found.ids == sorted(entry.id for entry in mine)


def test_everybody_goes_with_what_is_shared(desk):
    desk.session(OTHER, user="ben")
    desk.add("shared", desk.shared())
    assert picked(desk, ALL, user="*").remove == [SESSION, OTHER, "global"]


def test_a_topic_of_one_named_user_leaves_what_is_shared(desk):
    shared = desk.add("shared", desk.shared(), tags=("a",))
    mine = desk.add("mine", tags=("a",))
    assert picked(desk, user="ana", topic="a").ids == [mine.id]
    assert picked(desk, topic="a").ids == sorted([mine.id, shared.id])
    assert picked(desk, ANA.replace(shared=False), topic="a").ids == [mine.id]


def test_a_workspace_takes_its_sessions_and_single_entries(desk):
    desk.session(OTHER, workspace="/w")
    inside = desk.add("inside", OTHER, workspace="/w")
    single = desk.add("single", workspace="/w")
    desk.add("elsewhere", workspace="/v")
    found = picked(desk, workspace="/w")
    assert found.remove == [OTHER]
    assert found.ids == sorted([inside.id, single.id])


def test_a_key_goes_with_its_history(desk):
    own = desk.user()
    values = [desk.add(text, own, type="preference", key="editor") for text in ("vi", "vim", "emacs")]
    other = desk.add("zsh", own, type="preference", key="shell")
    assert picked(desk, user="ana", key="editor").ids == sorted(value.id for value in values)
    assert picked(desk, ids=[values[-1].id]).ids == sorted(value.id for value in values)
    assert picked(desk, ids=[values[0].id]).ids == [values[0].id]
    assert other.id not in picked(desk, user="ana", key="editor").ids


def test_facts_and_summaries_made_from_it_go_however_far_removed(desk):
    own = desk.user()
    source = desk.add("source")
    fact = desk.derive("fact", source, journal=own)
    summary = desk.derive("summary of the fact", fact, type="summary")
    deleted = desk.derive("deleted fact", summary, journal=own)
    desk.bury(deleted, journal=own)
    desk.derive("a note only mentions it", source, type="note")
    found = picked(desk, ids=[source.id])
    assert found.ids == [source.id]
    assert found.derived_ids == sorted([fact.id, summary.id, deleted.id])
    assert set(found.ids_by_journal) == {SESSION, user_dir("ana")}


def test_circles_of_references_end(desk):
    source = desk.add("source")
    first_id = entry_id(desk.clock.now())
    second = desk.add("second", type="fact", references=(first_id, source.id))
    desk.add("first", type="fact", references=(second.id,), id=first_id)
    assert picked(desk, ids=[source.id]).derived_ids == sorted([first_id, second.id])


def test_a_summary_that_covers_it_goes(desk):
    entries = [desk.add(str(number)) for number in range(4)]
    covers = {"text": "of the first three", "covers": [entries[0].seq, entries[2].seq]}
    summary = desk.add(type="summary", content=covers)
    assert picked(desk, ids=[entries[1].id]).derived_ids == [summary.id]
    assert picked(desk, ids=[entries[3].id]).derived_ids == []


def test_a_summary_that_names_it_by_id_goes_wherever_it_stands(desk):
    one, two = desk.add("one"), desk.add("two")
    summary = desk.add(type="summary", journal=desk.user(), content={"text": "sum", "covers": [one.id]})
    assert picked(desk, ids=[one.id]).derived_ids == [summary.id]
    assert picked(desk, ids=[two.id]).derived_ids == []


def test_what_was_made_from_such_a_summary_goes_too(desk):
    one = desk.add("one")
    summary = desk.add(type="summary", content={"text": "sum", "covers": [one.seq, one.seq]})
    fact = desk.derive("fact of the summary", summary)
    assert picked(desk, ids=[one.id]).derived_ids == sorted([summary.id, fact.id])


@pytest.mark.parametrize("covers", [5, "ab", [1], ["x", 2], [None, {}], {"a": 1}, []])
def test_a_summary_that_covers_nothing_one_can_tell_stays(desk, covers):
    one = desk.add("one")
    desk.add(type="summary", content={"text": "sum", "covers": covers})
    assert picked(desk, ids=[one.id]).derived_ids == []


def test_an_id_of_another_session_than_the_one_named_is_not_found(tmp_path):
    with holdfast.open(tmp_path / "home") as memory:
        here, there = memory.add("here", session="here"), memory.add("there", session="there")
        with pytest.raises(NotFound):
            memory.forget(there.id, session="here")
        with pytest.raises(NotFound):
            memory.forget([here.id, there.id], session="here")
        assert {entry.id for entry in memory.query()} == {here.id, there.id}
        assert memory.forget(here.id, session="here").entries == (here.id,)


def test_history_chooses_words_and_no_entry(desk):
    entry = desk.add("former")
    found = picked(desk, ids=[entry.id], history=True)
    assert (found.ids, found.history) == ([], {SESSION: [entry.id]})


def test_bens_topic_is_not_anas(desk):
    desk.add(tags=("a",))
    assert picked(desk, BEN, topic="a").ids == []
