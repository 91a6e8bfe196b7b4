"""Filter, Words, Row and Label: what is asked of an index, and what it answers with.

A Filter is already resolved: times are epoch milliseconds, tags normalised. Tag hierarchy is `under`: a tag
covers itself and what stands below it. `passes` is a filter's meaning in plain Python; an index may answer
faster but never differently, and every hit is checked with it again after its entry was read from the
journal.
"""

from __future__ import annotations

from .moment import millis
from .value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .entry import Entry


class Filter(Value):
    """Which entries; empty fields do not restrict. Start of a time range included, end excluded (D36)."""

    types: tuple[str, ...] = ()
    tags_all: tuple[str, ...] = ()
    tags_any: tuple[str, ...] = ()
    tags_none: tuple[str, ...] = ()
    since: int | None = None
    until: int | None = None
    min_importance: float | None = None
    scopes: tuple[str, ...] = ()
    provenance: tuple[str, ...] = ()  # "tool" also matches "tool:grep"
    roles: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    pinned: bool | None = None
    sensitive: bool | None = None
    hidden: bool = False  # deleted (tombstoned, not yet erased) entries instead of visible ones
    superseded: bool = False  # older values of a user's key as well

    @property
    def narrows(self) -> bool:
        """Whether anything is restricted at all."""
        return self != _EVERYTHING

    def within(self, since: int, until: int) -> Filter | None:
        """The same within a span of time too; None where nothing can pass both."""
        first = since if self.since is None else max(since, self.since)
        last = until if self.until is None else min(until, self.until)
        return self.replace(since=first, until=last) if first < last else None


_EVERYTHING = Filter()


class Words(Value):
    """A question as an index wants it: loose terms (any of them counts), prefixes, globs."""

    terms: tuple[str, ...] = ()  # words as written, lower case; stop words already dropped
    letters: tuple[str, ...] = ()  # single ideographs of terms: they help to find, and nobody misses one
    beside: tuple[str, ...] = ()  # words that count where one of the above stands, and find nothing by themselves
    prefixes: tuple[str, ...] = ()  # `deploy*`
    globs: tuple[str, ...] = ()  # `d?ploy`, `*fix*`

    @property
    def empty(self) -> bool:
        return not (self.terms or self.prefixes or self.globs)


class Row:
    """What an index knows of an entry without reading it: enough to rank it. A search makes hundreds of them."""

    score = 0.0  # BM25 as a positive number; 0 without text
    span: tuple[int, int] | None = None  # the characters of its text that match best; None: all of it
    chunk = 0  # the piece of text that they are, by the number that an index may have for it; 0: not known
    cosine: float | None = None  # to the question's vector; None where none was compared
    recalled = 0  # when a person or agent last recalled it, epoch ms; 0: never, or not asked for
    size = 0  # characters of text; this and the next are filled in by `match`, for few rows, or by `describe`
    said = ""  # the text that matches best: all of it, or a piece of a long one
    before: str | None = None  # the entry before it that can be seen; this and the next are filled in by `look_back`
    asked = False  # whether that one ends with a question mark, or is what an assistant answers here

    def __init__(
        self, id: str, time: int, type: str, importance: float, pinned: bool, session_id: str | None,
        workspace: str | None, role: str | None = None, author: str | None = None, file: str | int = "", seq: int = 0,
    ) -> None:  # fmt: skip
        self.id, self.time, self.type, self.importance, self.pinned = id, time, type, importance, pinned
        self.session_id, self.workspace, self.role, self.author = session_id, workspace, role, author
        self.file = file  # its journal, by whatever name the index has for it
        self.seq = seq  # its place there


def row_for(entry: Entry) -> Row:
    """The row of an entry that no index has seen."""
    return Row(
        entry.id, millis(entry.timestamp), entry.type, entry.importance, entry.pinned, entry.session_id,
        entry.workspace, entry.role, entry.author, seq=entry.seq,
    )  # fmt: skip


def oldest_first(rows: Sequence[Row]) -> list[Row]:
    """In the order in which they were written, as far as anybody can tell; reversed, the newest come first.

    What is written together has one time. Then of one journal the later line is the newer, whatever its id, and of two
    journals that of which the first of these lines has the higher id, since ids rise as they are made. To compare line
    with line by id, and only those of one journal by place, could have three of them each come before the next.
    """
    first: dict[tuple[str | int, int], Row] = {}
    for row in rows:
        known = first.setdefault((row.session_id or row.file, row.time), row)
        if row.seq < known.seq:
            first[row.session_id or row.file, row.time] = row
    return sorted(rows, key=lambda row: (row.time, first[row.session_id or row.file, row.time].id, row.seq))


class Label(Value):
    """What an index files an entry under: whose it is, when and of what kind."""

    scope: str
    session_id: str | None = None
    user_id: str | None = None
    workspace: str | None = None
    time: int
    type: str
    importance: float = 0.5
    pinned: bool = False
    sensitive: bool = False
    provenance: str = "user"
    role: str | None = None
    author: str | None = None
    key: str | None = None
    tool: str | None = None
    path: str | None = None
    tags: tuple[str, ...] = ()
    tagged: frozenset[str] = frozenset()  # the tags by which a filter finds it


def label_of(entry: Entry) -> Label:
    """The one that an entry should have."""
    return Label(
        scope=entry.scope, session_id=entry.session_id, user_id=entry.user_id, workspace=entry.workspace,
        time=millis(entry.timestamp), type=entry.type, importance=entry.importance, pinned=entry.pinned,
        sensitive=entry.sensitive, provenance=entry.provenance, role=entry.role, author=entry.author, key=entry.key,
        tool=entry.tool, path=entry.path, tags=entry.tags, tagged=frozenset(entry.tags),
    )  # fmt: skip


def under(tag: str, wanted: str) -> bool:
    """Tag hierarchy: `security` covers itself and `security.authentication`."""
    return tag == wanted or tag.startswith(wanted + ".")


def tagged(tags: tuple[str, ...], wanted: str) -> bool:
    return any(under(tag, wanted) for tag in tags)


def passes(entry: Entry, wanted: Filter) -> bool:
    """Whether an entry satisfies a filter (all of it but `hidden` and `superseded`, which only a store can know)."""
    time = millis(entry.timestamp)
    return (
        (not wanted.types or entry.type in wanted.types)
        and all(tagged(entry.tags, tag) for tag in wanted.tags_all)
        and (not wanted.tags_any or any(tagged(entry.tags, tag) for tag in wanted.tags_any))
        and not any(tagged(entry.tags, tag) for tag in wanted.tags_none)
        and (wanted.since is None or time >= wanted.since)
        and (wanted.until is None or time < wanted.until)
        and (wanted.min_importance is None or entry.importance >= wanted.min_importance)
        and (not wanted.scopes or entry.scope in wanted.scopes)
        and (
            not wanted.provenance
            or entry.provenance in wanted.provenance
            or entry.provenance.split(":")[0] in wanted.provenance
        )
        and (not wanted.roles or entry.role in wanted.roles)
        and (not wanted.authors or entry.author in wanted.authors)
        and (not wanted.keys or entry.key in wanted.keys)
        and (not wanted.ids or entry.id in wanted.ids)
        and (wanted.pinned is None or entry.pinned == wanted.pinned)
        and (wanted.sensitive is None or entry.sensitive == wanted.sensitive)
    )
