"""One line of a journal: its checksum, its encoding, and what it says.

A line is JSON with `checksum` last: `sha256:` over the exact bytes before `,"checksum"`. Nothing is
ever hashed in a re-serialised form, so any changed byte is seen. A line that fails its checksum has
no record, nor has one whose values are not of the kinds that its fields have, whoever gave it its checksum;
nothing here guesses at what it said. Lines of older schema versions come out in today's shape; what a later
version wrote is read where it can be, and never written again.
"""

from __future__ import annotations

import json
from hashlib import sha256
from json.encoder import encode_basestring as _quoted
from operator import attrgetter

from ..errors import Invalid
from ..model.entry import SCHEMA_VERSION, STORED, Amendment, Entry
from ..model.shape import is_amendment, is_entry, is_header, is_usual

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..model.entry import Draft

    Look = tuple[dict[str, Any] | None, object | None]  # the record of a line, and what `Line.alike` says of it

HEADER_VERSION = 1
MARK = b',"checksum":"sha256:'
SUFFIX = len(MARK) + 64 + 2  # … 64 hex digits, quote, brace
_DRAFTED = tuple(name for name in STORED if name not in ("schema_version", "seq", "compacted"))
_drafted = attrgetter(*_DRAFTED)
_encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


scan: Callable[[str, int], tuple[Any, int]] = vars(json.JSONDecoder(parse_constant=_refuse_constant))["scan_once"]


def sealed(record: Mapping[str, Any]) -> bytes:
    """The line for a record, checksum added, without line end."""
    try:
        return _with_checksum(_encode(record)[:-1].encode())
    except _NO_JSON as error:
        raise _unwritable(error) from None


_NO_JSON = (ValueError, TypeError, RecursionError)  # UnicodeEncodeError is a ValueError


def _with_checksum(head: bytes) -> bytes:
    return b'%b%b%b"}' % (head, MARK, sha256(head).hexdigest().encode())


def _unwritable(error: Exception) -> Invalid:
    return Invalid(f"this cannot be written as JSON: {type(error).__name__}", field="content")


def checksum_of(line: bytes) -> str:
    """The checksum that a line carries."""
    return line[-SUFFIX + len(MARK) - 7 : -2].decode()


def intact(raw: bytes) -> bool:
    """Whether the bytes end in the right checksum of what stands before it."""
    head = raw[:-SUFFIX]
    tail = raw[-SUFFIX:]
    return tail.startswith(MARK) and tail[len(MARK) :] == sha256(head).hexdigest().encode() + b'"}'


def parsed(raw: bytes) -> dict[str, Any] | None:
    """The JSON object that the bytes hold, or None."""
    try:
        text = raw.decode()
        record, end = scan(text, 0)
        if "\\" in text and "\\ud" in text.lower():
            _encode(record).encode()  # half an emoji, as JavaScript cuts them, is no text that anything can store
    except (ValueError, RecursionError, StopIteration):
        return None
    return record if isinstance(record, dict) and end == len(text) else None


def usual(raw: bytes) -> dict[str, Any] | None:
    """The record of a line that needs no second look: an intact entry of today's schema; None for all others."""
    if raw[-SUFFIX:] != b'%b%b"}' % (MARK, sha256(raw[:-SUFFIX]).hexdigest().encode()):
        return None
    record = parsed(raw)
    if record is None or record.get("schema_version") != SCHEMA_VERSION:
        return None
    return record if is_usual(record) or (kind_of(record) == "entry" and "seq" in record and is_entry(record)) else None


def decoded(raw: bytes, strict: bool = True) -> dict[str, Any] | None:
    """The record of a line in today's shape, or None if it is damaged.

    Only where `strict` is off (files without our header) may a line lack its checksum.
    """
    if intact(raw):
        record = parsed(raw)
        if record is not None and _version(record) < SCHEMA_VERSION and _is_entry(record):
            record = _upgraded(record)
        return _sound(record)
    if strict or MARK in raw:
        return None
    record = parsed(raw)
    if record is None or "checksum" in record or not _is_entry(record):
        return None
    return _sound(record if _version(record) > SCHEMA_VERSION else _upgraded({**record, "schema_version": 0}))


def _sound(record: dict[str, Any] | None) -> dict[str, Any] | None:
    """The record without what has no value, or None where its values are not of the kinds that its fields have."""
    if record is None:
        return None
    record = {name: value for name, value in record.items() if value is not None}
    return record if is_newer(record) or _KINDS[kind_of(record)](record) else None


_KINDS: dict[str, Callable[[Mapping[str, Any]], bool]] = {
    "header": is_header, "entry": is_entry, "amendment": is_amendment
}  # fmt: skip


def _upgraded(record: dict[str, Any]) -> dict[str, Any] | None:
    from .older import upgraded  # only files of earlier versions, or of the seeds, need it

    return upgraded(record)


def _version(record: Mapping[str, Any]) -> int:
    version = record.get("schema_version", 0)
    return version if isinstance(version, int) else 0


def _is_entry(record: Mapping[str, Any]) -> bool:
    return "content" in record and "id" in record and "timestamp" in record


def kind_of(record: Mapping[str, Any]) -> str:
    """`header`, `entry`, `amendment`, or `unknown`: a shape of a later version that says nothing to us."""
    if "journal" in record:
        return "header"
    kind = "amendment" if "amends" in record else "entry" if _is_entry(record) else "unknown"
    return "unknown" if _version(record) > SCHEMA_VERSION and not _KINDS.get(kind, bool)(record) else kind


def is_newer(record: Mapping[str, Any]) -> bool:
    """Whether a later version of Holdfast wrote this (checked) record."""
    if "journal" in record:
        return bool(record["journal"] != HEADER_VERSION)
    return _version(record) > SCHEMA_VERSION or kind_of(record) == "unknown"


def drafted(draft: Draft, seq: int) -> tuple[bytes, dict[str, Any]]:
    """The line of a new entry, and its record as whoever reads that line gets it."""
    if draft.metadata or draft.tags or draft.references or draft.key is not None or draft.path is not None:
        record = _draft_record(draft, seq)
        line = sealed(record)
    else:
        line, record = _plain_line(draft, seq)
    record["checksum"] = checksum_of(line)
    return line, record


def _draft_record(draft: Draft, seq: int) -> dict[str, Any]:
    """In the order in which a line holds it."""
    fields = zip(_DRAFTED, _drafted(draft), strict=True)
    return {
        "schema_version": SCHEMA_VERSION, "seq": seq, **{name: value for name, value in fields if value is not None}
    }  # fmt: skip


def _plain_line(draft: Draft, seq: int) -> tuple[bytes, dict[str, Any]]:
    """The same for the usual draft. What stands before its time and after its content is that of the draft before
    it, as a rule, so it is encoded once: that takes half the time."""
    front, before = _parts.get(_place(draft)) or _part(draft, _PLACE, _place)
    back, after = _parts.get(_rest(draft)) or _part(draft, _REST, _rest)
    stamp, type, content = draft.timestamp, draft.type, draft.content
    try:
        said = ",".join(
            [f"{_quoted(k)}:{_quoted(v) if isinstance(v, str) else _encode(v)}" for k, v in content.items()]
        )
        head = (
            f'{{"schema_version":{SCHEMA_VERSION},"seq":{seq},"id":{_quoted(draft.id)},{front},"timestamp":'
            f'{_quoted(stamp)},"type":{_quoted(type)},"content":{{{said}}},{back}'
        ).encode()
    except _NO_JSON as error:
        raise _unwritable(error) from None
    return _with_checksum(head), {
        "schema_version": SCHEMA_VERSION, "seq": seq, "id": draft.id, **before, "timestamp": stamp, "type": type,
        "content": content, **after,
    }  # fmt: skip


# The fields that one place, and one kind of entry without labels, have in common.
_PLACE = ("scope", "session_id", "user_id", "workspace")
_REST = _DRAFTED[_DRAFTED.index("importance") :]
_place, _rest = attrgetter(*_PLACE), attrgetter("importance", "tool", "provenance", "sensitive", "pinned")
_parts: dict[tuple[Any, ...], tuple[str, dict[str, Any]]] = {}
_MOST_PARTS = 256


def _part(draft: Draft, names: tuple[str, ...], key: attrgetter[tuple[Any, ...]]) -> tuple[str, dict[str, Any]]:
    """Some fields of a draft, as they stand in its line and in its record; kept for the next one."""
    fields = {name: value for name in names if (value := getattr(draft, name)) is not None}
    if len(_parts) >= _MOST_PARTS:
        _parts.clear()
    _parts[key(draft)] = found = _encode(fields)[1:-1], fields
    return found


def taken(draft: Draft, record: dict[str, Any], durable: bool) -> Entry:
    """The entry that a draft became, given the record of its line."""
    return Entry(durable=durable, withheld=draft.withheld, **record)


def entry_line(entry: Entry) -> bytes:
    """The line of an entry as it stands, in today's schema, with a new checksum."""
    record = entry.replace(schema_version=SCHEMA_VERSION, checksum=None).to_dict()
    return sealed(record)


def amendment_line(change: Amendment) -> bytes:
    """The line of an amendment."""
    return sealed({name: value for name, value in change.to_dict().items() if name != "checksum"})
