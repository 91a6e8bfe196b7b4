"""Covering: which entries a summary sums up, so that it goes when one of them is forgotten (D26).

A summary says it in `content.covers`: by the first and last number of lines of its own journal, or by ids. Numbers
are given anew wherever a file is loaded, and a full session goes on in another, so a load turns them into ids.
"""

from __future__ import annotations

from ..model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from ..model.entry import Entry

    Journal = tuple[str, ...]  # as a file names it


class Span(Value):
    """Lines of one journal, and the ids that were found there."""

    first: int
    last: int
    ids: list[str]


def covers_line(entry: Entry, seqs: Iterable[int]) -> bool:
    """Whether it sums up one of these lines of its own journal."""
    span = _span(entry.type, entry.content)
    return span is not None and any(span.first <= seq <= span.last for seq in seqs)


def covered(entry: Entry) -> set[str]:
    """The ids that it names as summed up."""
    covers = entry.content.get("covers") if entry.type == "summary" else None
    return {item for item in covers if isinstance(item, str)} if isinstance(covers, (list, tuple)) else set()


class Coverings:
    """The summaries of a file: `look` at every record first, then `note` every record, then ask for `named` ones."""

    def __init__(self) -> None:
        self._spans: dict[Journal, dict[tuple[int, int], Span]] = {}

    def look(self, record: Mapping[str, Any]) -> None:
        if (span := _span_of(record)) is not None:
            self._spans.setdefault(_journal(record), {})[span.first, span.last] = span

    def note(self, record: Mapping[str, Any]) -> None:
        """Remember its id, if a summary sums it up."""
        seq, id = record.get("seq"), record.get("id")
        if self._spans and isinstance(seq, int) and isinstance(id, str):
            for span in self._spans.get(_journal(record), {}).values():
                if span.first <= seq <= span.last:
                    span.ids.append(id)

    def waits(self, record: Mapping[str, Any]) -> bool:
        """Whether it names lines by numbers, so that all others must be known first."""
        return _span_of(record) is not None

    def named(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """The record with ids in place of numbers that mean nothing where it goes."""
        span = _span_of(record)
        if span is None:
            return dict(record)
        known = self._spans.get(_journal(record), {}).get((span.first, span.last), span)
        return {**record, "content": {**record["content"], "covers": list(dict.fromkeys(known.ids))}}


def _span_of(record: Mapping[str, Any]) -> Span | None:
    content = record.get("content")
    return _span(record.get("type"), content) if isinstance(content, dict) else None


def _span(type: Any, content: Mapping[str, Any]) -> Span | None:
    match content.get("covers") if type == "summary" else None:
        case [int(first), int(last)]:
            return Span(first=first, last=last, ids=[])
    return None


def _journal(record: Mapping[str, Any]) -> Journal:
    return tuple(str(record.get(name)) for name in ("scope", "session_id", "user_id"))
