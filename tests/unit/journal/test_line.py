import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import FormatTooNew, Invalid
from holdfast.journal.line import (
    amendment_line,
    checksum_of,
    decoded,
    entry_line,
    is_newer,
    sealed,
)
from holdfast.model.entry import STORED, Amendment, Entry
from holdfast.model.record import amendment_from, entry_from
from holdfast.model.value import FrozenDict

ENTRY = Entry(
    seq=3, id="mem_01ARZ3NDEKTSV4RRFFQ69G5FAV", scope="session", session_id="sess_20260101_abc123", user_id="ana",
    timestamp="2026-01-01T00:00:00.000Z", type="note", content=FrozenDict({"text": "日本語 😀 \u2028 line"}),
    tags=("a", "b"), extra=FrozenDict({"mood": "good"}),
)  # fmt: skip


def test_the_checksum_is_over_the_exact_bytes_before_it():
    line = entry_line(ENTRY)
    head, _, tail = line.rpartition(b',"checksum":"')
    assert tail == f'sha256:{hashlib.sha256(head).hexdigest()}"}}'.encode()
    assert checksum_of(line) == "sha256:" + hashlib.sha256(head).hexdigest()


def test_a_line_is_compact_utf8_with_keys_in_the_order_of_the_design_and_the_checksum_last():
    line = entry_line(ENTRY)
    keys = list(json.loads(line))
    stored = [name for name in STORED if name in keys]
    assert keys == [*stored, "mood", "checksum"]
    assert "日本語 😀".encode() in line
    assert b": " not in line
    assert b"\n" not in line
    assert "workspace" not in keys, "what is None is not written"
    assert "compacted" not in keys


def test_an_entry_comes_back_as_it_was():
    back = entry_from(decoded(entry_line(ENTRY)))
    assert back == ENTRY.replace(checksum=back.checksum)
    assert back.extra == {"mood": "good"}


def test_an_amendment_comes_back_as_it_was():
    change = Amendment(seq=4, amends=ENTRY.id, timestamp=ENTRY.timestamp, by="user", set=FrozenDict({"pinned": True}))
    line = amendment_line(change)
    assert amendment_from(decoded(line)) == change.replace(checksum=checksum_of(line))


def test_every_flipped_bit_of_a_line_is_seen():
    line = entry_line(ENTRY)
    for place in range(len(line) * 8):
        broken = bytearray(line)
        broken[place // 8] ^= 1 << place % 8
        assert decoded(bytes(broken)) is None, place


def test_two_lines_glued_together_are_damaged():
    line = entry_line(ENTRY)
    assert decoded(line + line) is None


def test_a_line_without_checksum_is_damaged_where_checksums_are_required():
    bare = json.dumps({"id": "x", "timestamp": "2026-01-01T00:00:00.000Z", "content": {"text": "a"}}).encode()
    assert decoded(bare) is None
    assert decoded(bare, strict=False)["content"] == {"text": "a"}


@pytest.mark.parametrize("bad", [b"{", b"[]", b"nonsense", b'{"id":1}', b"{}" * 3, b"\xff\xfe", b"[" * 100_000, b"NaN"])
def test_what_is_no_entry_is_damaged_even_without_checksums(bad):
    assert decoded(bad, strict=False) is None


def test_a_seed_entry_is_read_in_todays_shape():
    old = {
        "id": "mem_abc123xyz", "session_id": "sess_1", "timestamp": "2026-01-10T14:23:45.678+00:00", "type": "odd",
        "content": {"role": "user", "message": "How?"}, "importance": 7, "decay_factor": 0.9, "tags": ["a"],
    }  # fmt: skip
    entry = entry_from({"seq": 1, **decoded(json.dumps(old).encode(), strict=False)})
    assert (entry.text, entry.type, entry.importance, entry.scope) == ("How?", "note", 1.0, "session")
    assert entry.timestamp == "2026-01-10T14:23:45.678Z"
    assert entry.content["message"] == "How?"
    assert "decay_factor" not in entry.extra


@pytest.mark.parametrize(
    "change", [{"timestamp": "yesterday"}, {"content": {"role": "user"}}, {"content": 5}, {"tags": [5]}, {"id": 7}]
)
def test_a_seed_entry_that_makes_no_sense_is_damaged(change):
    old = {"id": "mem_abc", "timestamp": "2026-01-10T14:23:45Z", "content": {"text": "a"}, **change}
    assert decoded(json.dumps(old).encode(), strict=False) is None


def test_a_later_schema_is_recognised_and_read_where_it_can_be():
    record = decoded(sealed({**ENTRY.to_dict(), "schema_version": 2, "aura": "blue"}))
    assert is_newer(record)
    assert entry_from(record).extra["aura"] == "blue"


def test_a_later_schema_that_lacks_what_we_need_is_refused():
    record = decoded(sealed({"schema_version": 9, "id": ENTRY.id, "timestamp": ENTRY.timestamp, "content": {}}))
    with pytest.raises(FormatTooNew, match="upgrade"):
        entry_from(record)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "\ud800", {1, 2}])
def test_what_is_not_json_is_invalid_and_the_message_does_not_show_it(value):
    with pytest.raises(Invalid) as caught:
        sealed({"text": "secret words", "value": value})
    assert "secret" not in str(caught.value)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_survives_a_round_trip_on_one_line(text):
    line = entry_line(ENTRY.replace(content=FrozenDict({"text": text})))
    assert b"\n" not in line
    assert decoded(line)["content"]["text"] == text


@given(st.binary(max_size=300))
def test_no_bytes_make_the_decoder_raise(data):
    decoded(data)
    decoded(data, strict=False)
