"""Retracting: lines whose sync failed are taken back under the lock, since their writer was told that they failed.

They are cut off where they are the last ones, and else overwritten by spaces, as others have written behind them. What
cannot be taken back stays: whoever was told of a failure has to look before trying again in any case.
"""

from __future__ import annotations

from ..errors import HoldfastError
from .blanking import blank_lines
from .pen import Pen
from .replay import Scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .files import Place
    from .pen import Desk


def retract(desk: Desk, place: Place, lines: Sequence[bytes]) -> None:
    """Take back these lines, wherever in the journal they are by now."""
    try:
        with Pen(desk, place, "take back") as pen:
            pen.open()
            data = pen.read_all()
            pen.announce()  # somebody may have indexed them
            pen.forget_tail()
            last = b"\n".join((b"", *lines, b""))
            if data.endswith(last):
                desk.disk.ftruncate(pen.fd, len(data) - len(last) + 1)
            else:
                wanted = set(lines)
                blank_lines(
                    desk.disk, place.entries, [line for line in Scan(None).read(data).lines if line.raw in wanted]
                )
    except (HoldfastError, OSError):
        return
