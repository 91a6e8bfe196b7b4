"""Row: one line of the table, and the plain text and JSON that the table becomes.

`within` says whether the budget was met in this run; None where there is no budget or nothing was
measured. The verdict is printed and never asserted: the machine may be busy.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import asdict, dataclass

WIDTHS = {"what": 46, "budget": 34, "ours": 38, "beside": 38}


@dataclass(frozen=True)
class Row:
    """What was measured, what was allowed, and what a bare peer took in the same run."""

    what: str
    budget: str = "—"
    ours: str = "—"
    beside: str = "—"
    ratio: float | None = None
    within: bool | None = None

    @property
    def verdict(self) -> str:
        return {True: "ok", False: "over", None: ""}[self.within]

    def to_dict(self) -> dict[str, object]:
        return {**asdict(self), "verdict": self.verdict}


def ms(value: float) -> str:
    """Milliseconds with three figures that mean something."""
    return f"{value:,.0f} ms" if value >= 100 else f"{value:.1f} ms" if value >= 10 else f"{value:.3g} ms"


def table(rows: Sequence[Row]) -> str:
    """The rows as aligned plain text; long cells go on in the next line."""
    lines = [_line([*WIDTHS, "ratio", "verdict"]), "-" * (sum(WIDTHS.values()) + 2 * len(WIDTHS) + 15)]
    for row in rows:
        cells = [textwrap.wrap(getattr(row, name), width) or [""] for name, width in WIDTHS.items()]
        height = max(map(len, cells))
        ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
        for number in range(height):
            parts = [cell[number] if number < len(cell) else "" for cell in cells]
            lines.append(_line([*parts, *((ratio, row.verdict) if number == 0 else ("", ""))]))
    return "\n".join(lines)


def _line(parts: Sequence[str]) -> str:
    widths = [*WIDTHS.values(), 5, 7]
    aligned = [
        part.rjust(width) if width == 5 else part.ljust(width) for part, width in zip(parts, widths, strict=True)
    ]
    return "  ".join(aligned).rstrip()
