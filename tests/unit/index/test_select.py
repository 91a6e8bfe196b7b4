"""What is asked often is answered by an index of its own."""

import pytest

from holdfast.index import matching
from holdfast.index.select import Where, where_filter, where_scope
from holdfast.model.query import Filter


@pytest.mark.parametrize(
    ("wanted", "index"),
    [(Filter(pinned=True), "entries_pinned"), (Filter(types=("preference",), scopes=("user",)), "entries_preferred")],
)
@pytest.mark.parametrize("shared", [True, False])
def test_what_a_context_begins_with_is_not_looked_for_among_all_entries(embedded, wanted, index, shared):
    where = where_filter(wanted, where_scope(embedded.scope(shared=shared), Where(), leads=True))
    sql = f"EXPLAIN QUERY PLAN SELECT e.id FROM entries e WHERE {where} ORDER BY e.time DESC, e.id LIMIT 20"
    plan = [step[-1] for step in embedded.index.live.ask(lambda c: c.execute(sql, where.values).fetchall())]
    assert any(f"INDEX {index} " in step for step in plan)
    assert not any("entries_by_user" in step for step in plan)


@pytest.mark.parametrize(
    ("narrow", "seeks"),
    [
        ({}, ["state=?"]),
        ({"workspace": "/a"}, ["state=? AND workspace=?"]),
        ({"workspace": "/a", "loose": True}, ["state=? AND workspace=?"] * 2),
    ],
)
def test_whether_an_author_can_be_seen_is_one_look_at_the_index_of_authors(embedded, narrow, seeks):
    statement, values = matching.skipping(embedded.scope(**narrow))
    sql, bound = f"EXPLAIN QUERY PLAN {statement}", ("ana", 10, *values)
    plan = [step[-1] for step in embedded.index.live.ask(lambda c: c.execute(sql, bound).fetchall())]
    found = [step.partition(" USING COVERING INDEX entries_by_author ")[2] for step in plan]
    assert [step for step in found if "state" in step] == [f"(user_id=? AND author=? AND {seek})" for seek in seeks]
    assert "(user_id=? AND author>?)" in found
    assert not [step for step in plan if "entries" in step and "COVERING" not in step]
