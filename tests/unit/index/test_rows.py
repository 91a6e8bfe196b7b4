"""Entries go into the tables many at a time; the result is as if they had come one by one."""

import pytest

from holdfast.guard.validate import draft
from holdfast.index.database import ask_all
from holdfast.index.rows import Rows
from holdfast.model.entry import Tombstone
from holdfast.model.moment import iso
from holdfast.model.query import Filter


def rows(embedded, **wanted):
    embedded.index.refresh(embedded.all, 2_000)
    return [row.id for row in embedded.index.rows(embedded.scope(), Filter(**wanted), "oldest")]


def many(embedded, journal, count):
    """So many entries that no index has seen yet."""
    now = embedded.clock.now()
    drafts = [
        draft({"text": f"number {n}"}, scope="session", session_id=journal, user_id="ana", workspace=None, now=now)
        for n in range(count)
    ]
    return [entry.id for entry in embedded.journal.append(embedded.scope(), journal, drafts)]


def test_more_entries_than_fit_one_statement_are_all_there(embedded):
    ids = many(embedded, embedded.session(), 905)
    assert sorted(rows(embedded)) == sorted(ids)
    assert embedded.find("number", limit=200)
    assert embedded.index.rarity(embedded.scope(), ["number"]) == (905, {"number": 905})


def test_an_amendment_in_the_same_batch_finds_its_entry(embedded):
    session = embedded.session()
    first, second = many(embedded, session, 2)
    embedded.journal.amend(embedded.scope(), session, first, "user", {"text": "rewritten", "pinned": True})
    third = embedded.add(session, "the last one").id
    assert rows(embedded, pinned=True) == [first]
    assert embedded.find("rewritten") == [first]
    assert sorted(rows(embedded)) == sorted([first, second, third])


def test_a_change_of_no_word_leaves_the_full_text_alone(embedded, monkeypatch):
    session = embedded.session()
    entry = embedded.add(session, "deploy on Friday")
    assert embedded.find("friday") == [entry.id]
    monkeypatch.setattr(Rows, "_hide", lambda *_: pytest.fail("its words were taken out"))
    embedded.journal.amend(embedded.scope(), session, entry.id, "user", {"importance": 0.9, "pinned": True})
    assert rows(embedded, pinned=True, min_importance=0.9) == [entry.id]
    assert embedded.find("friday") == [entry.id]


def test_a_later_value_hides_the_earlier_one_of_the_same_batch(embedded):
    own = embedded.user()
    kept = [embedded.add(own, "no key").id]
    for value in ("vim", "emacs", "ed"):
        last = embedded.add(own, value, type="preference", key="editor").id
    kept += [last, embedded.add(own, "no key either").id]
    assert sorted(rows(embedded)) == sorted(kept)
    assert embedded.find("vim") == []


def test_a_line_that_stands_twice_counts_once(embedded):
    session = embedded.session()
    (id,) = many(embedded, session, 1)
    path = embedded.folder / "sessions" / session / "memory.jsonl"
    path.write_bytes(path.read_bytes() + path.read_bytes().split(b"\n")[1] + b"\n")
    assert rows(embedded) == [id]
    assert embedded.index.rarity(embedded.scope(), ["number"])[0] == 1


def test_an_entry_that_was_buried_before_it_was_indexed_is_never_seen(embedded):
    session = embedded.session()
    first, second = many(embedded, session, 2)
    stone = Tombstone(id=first, timestamp=iso(embedded.clock.now()), reason="user")
    embedded.journal.bury(embedded.scope(), session, [stone])
    assert rows(embedded) == [second]


def test_the_first_entry_of_a_session_is_found_when_the_session_gets_its_number_with_it(embedded):
    """Numbering a session inserts a row: the entry's own row number must be known by then."""
    own = embedded.user()
    for text in ("one", "two"):
        embedded.add(own, text)
    first = embedded.add(embedded.session(), "unmistakable")
    assert embedded.find("unmistakable") == [first.id]


def test_an_id_that_sorts_before_or_behind_all_others_is_known_all_the_same(embedded):
    session, other = embedded.session(), embedded.session(2)
    first, middle, last = (f"mem_{letter * 26}" for letter in "0MZ")

    def chosen(journal, text, *ids):
        place = {"scope": "session", "session_id": journal, "user_id": "ana", "workspace": None}
        now = embedded.clock.now()
        drafts = [draft({"content": {"text": text}, "id": id}, **place, now=now) for id in ids]
        embedded.journal.append(embedded.scope(), journal, drafts)

    chosen(session, "chosen", last, first, middle)
    ids = many(embedded, session, 3)
    assert len(rows(embedded)) == 6
    chosen(other, "a copy", first, last)
    assert sorted(rows(embedded)) == sorted([*ids, first, middle, last])
    assert embedded.find("copy") == []
    embedded.index.rebuild(embedded.all)
    assert sorted(rows(embedded)) == sorted([*ids, first, middle, last])


@pytest.mark.parametrize("buried", [(), (0,), (0, 20, 49)])
def test_every_chunk_that_is_seen_waits_for_a_vector_and_none_that_is_hidden(embedded, buried):
    session = embedded.session()
    ids = many(embedded, session, 50)
    stones = [Tombstone(id=ids[place], timestamp=iso(embedded.clock.now()), reason="user") for place in buried]
    embedded.journal.bury(embedded.scope(), session, stones)
    seen = rows(embedded)
    waiting = "SELECT e.id FROM backlog w JOIN chunks c ON c.n=w.chunk JOIN entries e ON e.n=c.entry"
    found = embedded.index.live.ask(lambda connection: ask_all(connection, waiting))
    assert sorted(id for (id,) in found) == sorted(seen)
    assert len(seen) == 50 - len(buried)
