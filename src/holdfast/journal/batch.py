"""Batches: what must hold before drafts are written together, and which of them are stored already (D33)."""

from __future__ import annotations

from ..errors import Invalid, SizeLimit
from ..model.ids import GLOBAL, OLDER_ID

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..model.entry import Draft, Entry

    Known = Callable[[Sequence[Draft]], Mapping[str, Entry]]


def check_batch(journal: str, drafts: Sequence[Draft]) -> None:
    """Ids are of entries, no id twice, and every draft belongs in this journal."""
    seen: set[str] = set()
    for draft in drafts:
        if not OLDER_ID.match(draft.id):
            raise Invalid(f"{draft.id[:80]!r} is not an entry id (mem_ and letters and digits)", field="id")
        if draft.id in seen:
            raise Invalid(f"{draft.id} stands twice in one batch", field="id")
        if not _belongs(draft, journal):
            raise Invalid(f"{draft.id} has scope {draft.scope} and does not belong in {journal}", field="scope")
        seen.add(draft.id)


def _belongs(draft: Draft, journal: str) -> bool:
    if draft.scope == "session":
        return draft.session_id == journal
    return journal == GLOBAL if draft.scope == "global" else journal.startswith("u_")


def check_lines(lines: Sequence[bytes], most: int) -> None:
    """No single line over the limit of an entry."""
    largest = max(map(len, lines), default=0)
    if largest > most:
        raise SizeLimit(
            f"an entry takes {largest} bytes, over the limit of {most}; split it or raise journal.entry_bytes",
            bytes=largest, limit=most, kind="entry",
        )  # fmt: skip


def already_stored(drafts: Sequence[Draft], known: Known | None) -> dict[str, Entry]:
    """Entries that a repeated call finds stored."""
    chosen = [draft for draft in drafts if draft.chosen_id]
    return dict(known(chosen)) if chosen and known is not None else {}
