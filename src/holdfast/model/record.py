"""Records: the JSON objects of a journal's lines as values.

Owns which field of a record is which field of an entry, and how amendments fold in; it never encodes
or hashes bytes (`journal.line` does). Unknown fields of later versions are kept in `extra`. A second
line with a known id adds nothing: the first one stands.
"""

from __future__ import annotations

from operator import attrgetter

from ..errors import FormatTooNew
from .entry import STORED, Amendment, Entry, amended
from .value import FrozenDict, freeze

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from .replay import Line

_FIELDS = frozenset(STORED)
_KNOWN = frozenset((*STORED, "checksum"))
_NOTHING = FrozenDict()


def entry_from(record: Mapping[str, Any]) -> Entry:
    """The entry that a checked record holds, before its amendments."""
    fields = dict(record)
    checksum, extra = fields.pop("checksum", None), _NOTHING
    if not fields.keys() <= _FIELDS:
        extra = FrozenDict({name: freeze(fields.pop(name)) for name in record if name not in _KNOWN})
    try:
        fields["content"] = freeze(fields["content"])
        fields["tags"] = tuple(fields.get("tags", ()))
        fields["references"] = tuple(fields.get("references", ()))
        fields["metadata"] = freeze(more) if (more := fields.get("metadata")) else _NOTHING
        return Entry(**fields, checksum=checksum, extra=extra)
    except (KeyError, TypeError) as error:
        raise FormatTooNew(
            f"entry {record.get('id')} of schema {record.get('schema_version')} lacks {error}; upgrade Holdfast",
            id=record.get("id"),
        ) from None


def amendment_from(record: Mapping[str, Any]) -> Amendment:
    """The amendment that a checked record holds."""
    return Amendment(
        schema_version=record["schema_version"], seq=record["seq"], amends=record["amends"],
        timestamp=record["timestamp"], by=record["by"], set=freeze(record["set"]), checksum=record.get("checksum"),
    )  # fmt: skip


def is_entry(record: Mapping[str, Any] | None) -> bool:
    """Whether a line's record is an entry: not damaged, no amendment, no shape of a later version."""
    return record is not None and "amends" not in record and "content" in record and "id" in record


def fold(lines: Iterable[Line]) -> dict[str, Entry]:
    """Entries by id in the order of their lines, amendments folded in; damaged lines give nothing."""
    found: dict[str, Entry] = {}
    changes: list[Amendment] = []
    for line in lines:
        record = line.record
        if record is None:
            continue
        if is_entry(record):
            found.setdefault(record["id"], entry_from(record))
        elif "amends" in record:
            changes.append(amendment_from(record))
    for change in sorted(changes, key=_seq):  # the last one by seq wins, wherever somebody has put its line
        if change.amends in found:
            found[change.amends] = amended(found[change.amends], change)
    return found


_seq = attrgetter("seq")
