"""Keyword candidates: which of many equal rows are returned does not depend on the order of rows."""

import pytest

from holdfast.guard.validate import draft
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
    assert row.size == len(long)
    assert row.said == long[slice(*row.span)]
    assert "deploy" in row.said
    assert len(row.said) < len(long) / 2
