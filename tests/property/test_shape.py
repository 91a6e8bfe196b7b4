"""The quick look at a line lets nothing pass that the thorough one refuses."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.model.entry import SCOPES
from holdfast.model.shape import is_entry, is_usual

TEXTS = st.text(max_size=6)
NUMBERS = st.integers(-2, 2) | st.integers() | st.floats() | st.sampled_from([2**63 - 1, 2**63, 10**400, 1e308])
DIGITS = st.tuples(*(st.integers(0, most) for most in (9999, 19, 39, 99, 99, 99, 999)))
STAMPS = DIGITS.map(lambda parts: "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z".format(*parts))
NEARLY = st.sampled_from([
    "1969-12-31T23:59:59.999Z", "1970-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z", "2026-02-30T24:60:61.000Z",
    "2026-00-01T00:00:00.000Z", "2026-01-10T14:23:45.678z", "2026-01-10T14:23:45Z", "٢٠٢٦-01-10T14:23:45.678Z",
])  # fmt: skip
ANYTHING = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=4,
)
LISTS = st.lists(TEXTS, max_size=3)
USUAL = {
    "schema_version": st.just(1), "id": TEXTS, "timestamp": STAMPS | NEARLY, "type": TEXTS, "session_id": TEXTS,
    "user_id": TEXTS, "provenance": TEXTS, "checksum": TEXTS, "scope": st.sampled_from(SCOPES),
    "content": st.dictionaries(st.sampled_from(["text", "role", "author", "more"]), TEXTS, max_size=3),
    "seq": st.integers(0, 2**63 - 1), "importance": st.floats(0, 1), "tags": LISTS, "references": LISTS,
    "metadata": st.just({}), "sensitive": st.just(False), "pinned": st.just(False),
}  # fmt: skip
OTHERS = ["workspace", "key", "tool", "path", "compacted", "amends", "aura"]
RECORDS = st.fixed_dictionaries(USUAL, optional={"workspace": TEXTS})
CHANGES = st.dictionaries(st.sampled_from([*USUAL, *OTHERS]), ANYTHING, max_size=2)
LEFT_OUT = st.sets(st.sampled_from(list(USUAL)), max_size=1)


@settings(max_examples=1_000, deadline=None)
@given(RECORDS, CHANGES, LEFT_OUT)
def test_whatever_is_usual_is_an_entry(record, changes, left_out):
    changed = {name: value for name, value in {**record, **changes}.items() if name not in left_out}
    if is_usual(changed):
        assert is_entry(changed)


@settings(max_examples=200, deadline=None)
@given(RECORDS)
def test_most_of_what_these_tests_make_is_usual_but_for_its_time(record):
    usual = {**record, "timestamp": "2026-01-10T14:23:45.678Z"}
    assert is_usual(usual)
    assert is_usual(json.loads(json.dumps(usual)))
