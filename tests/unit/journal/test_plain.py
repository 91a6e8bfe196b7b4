"""The quick look at a line says what the thorough one says, whatever the line."""

import json
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.journal import plain as quick
from holdfast.journal.line import MARK, sealed, usual
from holdfast.journal.plain import _known
from holdfast.model.replay import OWN

PLACE = {"scope": "session", "session_id": "sess_20260101_abc123", "user_id": "ana"}
REST = {
    "importance": 0.5, "tags": [], "references": [], "metadata": {}, "provenance": "user", "sensitive": False,
    "pinned": False,
}  # fmt: skip
TEXTS = st.text() | st.sampled_from((',"importance":0.5', '},"importance":', "\\", '"', "\\ud800", "\n", "x\x00", "é"))


def plain(raw: bytes) -> dict[str, object] | None:
    return quick.plain(raw)[0]


def record_of(**changes: object) -> dict[str, object]:
    front = {"schema_version": 1, "seq": 7, "id": "mem_01ARZ3NDEKTSV4RRFFQ69G5FAV", **PLACE}
    said = {"timestamp": "2026-01-01T00:00:00.000Z", "type": "conversation", "content": {"text": "Hi", "role": "user"}}
    return {**front, **said, **REST, **changes}


def with_checksum(head: bytes) -> bytes:
    return head + MARK + sha256(head).hexdigest().encode() + b'"}'


def same(raw: bytes) -> dict[str, object] | None:
    """What both say, when the parts of a line are new and when they are known; in the same order."""
    _known.clear()
    wanted = usual(raw)
    for _ in range(2):
        assert json.dumps(plain(raw)) == json.dumps(wanted)
    plain(sealed(record_of()))
    assert json.dumps(plain(raw)) == json.dumps(wanted)
    return wanted


def test_what_a_line_has_in_common_with_others_is_parsed_once():
    _known.clear()
    for seq in range(3):
        assert plain(sealed(record_of(seq=seq, content={"text": f"Turn {seq}"}))) is not None
    assert len(_known) == 1


def test_lines_that_are_alike_differ_in_nothing_but_what_each_has_for_itself():
    changes = ({"seq": 8}, {"type": "note"}, {"content": {"text": "Ho"}}, {"user_id": "bo"}, {"importance": 0.75})
    looks = [quick.plain(sealed(record_of(**change))) for change in changes]
    first, alike = looks[0]
    assert alike is not None
    assert [look[1] is alike for look in looks] == [True, True, True, False, False]
    for record, _ in looks[:3]:
        assert {name for name in record if record[name] != first[name]} <= set(OWN)
        assert list(record) == list(first)


def test_a_line_stays_whose_it_is_while_another_thread_reads_elsewhere():
    plain(sealed(record_of(user_id="bob")))
    theirs = quick._here
    plain(sealed(record_of()))

    class Text(str):
        def startswith(self, *given):
            found = super().startswith(*given)
            quick._here = theirs  # as long as ours
            return found

    class Raw(bytes):
        def decode(self):
            return Text(super().decode())

    assert plain(Raw(sealed(record_of(seq=8))))["user_id"] == "ana"


def test_what_is_not_as_usual_is_like_no_other_line():
    assert quick.plain(sealed(record_of(tags=["a"])))[1] is None


@given(
    content=st.dictionaries(TEXTS, TEXTS | st.integers() | st.dictionaries(TEXTS, TEXTS)), workspace=TEXTS | st.none()
)
def test_any_content_is_read_alike(content, workspace):
    place = {} if workspace is None else {"workspace": workspace}
    fields = record_of()
    line = {name: fields.pop(name) for name in ("schema_version", "seq", "id", *PLACE)}
    same(sealed({**line, **place, **fields, "content": content}))


@pytest.mark.parametrize("seq", [0, 9, 10, 10**17, 10**18, 2**63 - 1, 2**63, -1])
def test_any_seq_is_read_alike(seq):
    same(sealed(record_of(seq=seq)))


@pytest.mark.parametrize("changes", [
    {"tags": ["a"]}, {"references": ["mem_x"]}, {"metadata": {"a": 1}}, {"importance": 1}, {"importance": 1.5},
    {"scope": "other"}, {"id": "mem-x"}, {"id": "é"}, {"type": "é"}, {"timestamp": "2026-13-41T00:00:00.000Z"},
    {"timestamp": "1969-12-31T23:59:59.999Z"}, {"pinned": True}, {"schema_version": 2}, {"content": []},
    {"content": {"text": {"importance": 0.5, **REST}}}, {"later": 1}, {"user_id": None}, {"user_id": "a\nb"},
])  # fmt: skip
def test_what_is_not_as_usual_is_read_alike(changes):
    same(sealed(record_of(**changes)))


@pytest.mark.parametrize("behind", [
    b',"seq":9', b',"scope":"global"', b',"content":{"text":"other"}', b',"tags":[]', b',"importance":0.7', b"}",
    b',"importance":0.5,"tags":[],"references":[],"metadata":{},"provenance":"user","sensitive":false,"pinned":false',
])  # fmt: skip
def test_a_field_that_stands_twice_is_read_alike(behind):
    head = sealed(record_of())[: -len(MARK) - 66]
    same(with_checksum(head + behind))


@given(
    place=st.integers(0, 500), put=st.sampled_from([b"", b'"', b"\\", b"0", b"{", b"}", b",", b" ", b"\xff", b"\x00"])
)
def test_a_line_that_was_changed_and_given_a_new_checksum_is_read_alike(place, put):
    head = sealed(record_of(content={"text": 'Said "so", {twice}', "role": "user"}))[: -len(MARK) - 66]
    same(with_checksum(head[:place] + put + head[place:]))
    same(with_checksum(head[:place] + put + head[place + 1 :]))


def test_a_flipped_bit_is_seen_where_the_parts_of_a_line_are_known():
    line = sealed(record_of())
    plain(line)
    for place in range(len(line)):
        assert plain(line[:place] + bytes([line[place] ^ 1]) + line[place + 1 :]) is None
