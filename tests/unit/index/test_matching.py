"""Keyword candidates: which of many equal rows are returned does not depend on the order of rows."""

import pytest

from holdfast.guard.validate import draft
from holdfast.index import fulltext, matching
from holdfast.index.database import ask_all
from holdfast.model.query import Filter, Words

SAME = 120


def same(embedded, session, ids):
    """Entries with the same words, in this order."""
    where = {"scope": "session", "session_id": session, "user_id": "ana", "workspace": None}
    drafts = [draft({"text": "deploy the release", "id": id}, **where, now=embedded.clock.now()) for id in ids]
    embedded.journal.append(embedded.scope(), session, drafts)


@pytest.mark.parametrize("wanted", [Filter(), Filter(types=("note",))], ids=["open", "filtered"])
def test_of_many_rows_that_tie_the_lowest_ids_are_returned(embedded, wanted):
    session = embedded.session()
    ids = [f"mem_{number:026d}" for number in range(SAME)]
    same(embedded, session, reversed(ids))
    best = embedded.add(session, "deploy deploy deploy").id
    assert embedded.find("deploy", limit=10, wanted=wanted) == [best, *ids[:9]]


def test_of_many_rows_that_tie_not_all_are_read(embedded, monkeypatch):
    session, read = embedded.session(), []
    same(embedded, session, [f"mem_{number:026d}" for number in range(SAME)])

    def counting(*asked):
        found = ask_all(*asked)
        read.append(len(found))
        return found

    monkeypatch.setattr(matching, "ask_all", counting)
    assert len(embedded.find("deploy", limit=10)) == 10
    assert max(read) < SAME / 2


def test_rows_below_the_tie_are_left_out_of_it(embedded):
    session = embedded.session()
    same(embedded, session, [f"mem_{number:026d}" for number in range(SAME)])
    worse = embedded.add(session, "deploy " + "many other words " * 50).id
    assert worse not in embedded.find("deploy", limit=SAME)
    assert worse in embedded.find("deploy", limit=SAME + 1)


def test_of_a_long_text_the_piece_that_matches_is_told_and_the_size_of_all_of_it(embedded):
    session = embedded.session()
    long = "many other words here. " * 60 + "Shall we deploy on Friday?"
    embedded.add(session, long)
    index = embedded.index
    index.refresh(embedded.all, 2_000)
    (row,) = index.match(embedded.scope(), Filter(), Words(terms=("deploy",)), 5)
    (bare,) = index.match(embedded.scope(), Filter(), Words(terms=("deploy",)), 5_000)
    assert (bare.size, bare.said) == (0, "")  # one of very many is not read unless somebody asks
    index.describe(embedded.scope(), [bare])
    assert (bare.size, bare.said, bare.span) == (row.size, row.said, row.span)
    assert row.size == len(long)
    assert row.said == long[slice(*row.span)]
    assert "deploy" in row.said
    assert len(row.said) < len(long) / 2


def test_of_equal_pieces_of_a_text_the_first_is_shown(embedded):
    session = embedded.session()
    embedded.add(session, "deploy " * 400 + "other " * 300)
    embedded.index.refresh(embedded.all, 2_000)
    (row,) = embedded.index.match(embedded.scope(), Filter(), Words(terms=("deploy",)), 5)
    assert row.span[0] == 0


def test_what_passes_is_found_behind_many_that_do_not(embedded):
    session = embedded.session()
    for _ in range(60):
        embedded.add(session, "deploy deploy deploy", sensitive=True)
    open = embedded.add(session, "deploy it some time when there is nothing else to do").id
    assert embedded.find("deploy", limit=1, wanted=Filter(sensitive=False)) == [open]


def test_what_a_scope_does_not_show_takes_no_place_of_what_it_does(embedded):
    journals = {user: embedded.session(number, user) for number, user in enumerate(("ana", "ben"), 1)}
    for _ in range(60):
        embedded.add(journals["ben"], "deploy deploy deploy", "ben")
    own = embedded.add(journals["ana"], "deploy it some time when there is nothing else to do").id
    assert embedded.find("deploy", limit=1, sessions=tuple(journals.values())) == [own]


@pytest.mark.parametrize("prefix", ["resu*", "résu*", "inn*", "INN*"])
def test_a_prefix_is_found_in_any_case_and_with_accents(embedded, prefix):
    session = embedded.session()
    found = embedded.add(session, "Innings of a Résumé").id
    embedded.add(session, "in the inbox, née")
    assert embedded.find(prefix) == [found]


def test_a_word_that_very_many_texts_elsewhere_hold_counts_as_known(embedded, monkeypatch):
    monkeypatch.setattr(fulltext, "_MOST_LOOKED_AT", 5)
    session = embedded.session()
    for text in ("common", "rare") * 5:
        embedded.add(session, text)
    embedded.index.refresh(embedded.all, 2_000)
    nowhere = embedded.scope(workspace="/a")
    assert embedded.index.rarity(nowhere, ["common", "rare"])[1] == {"common": 0, "rare": 0}
    embedded.add(session, "common")
    embedded.index.refresh(embedded.all, 2_000)
    assert embedded.index.rarity(nowhere, ["common", "rare"])[1] == {"common": 6, "rare": 0}
