"""Pin: which embedder made an agent's vectors, written down once in `embedder.json` (D17).

While a reindex with another embedder runs, the file also names that one as `next`; it takes the place of the
first when the live index is seen to hold its vectors. So the flip of the index is the one moment of change,
and a reindex killed before or after it leaves a pin that fits the index. `none` has no vectors to be seen by: it is in
force when the file says so, at the end, and one killed before that has changed nothing: vectors that went with the old
index are made again. Files are replaced atomically; what a kill left of one goes with the next.
"""

from __future__ import annotations

import json
import os

from ..disk import Attempt, discard, read_file, write_atomic
from ..errors import Corrupt
from ..model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..disk import Disk

FILE = "embedder.json"


class Pin(Value):
    """An embedder by the identity of its vectors, with how to make it again."""

    identity: str
    provider: str
    model: str = ""


def read(disk: Disk, path: str) -> tuple[Pin | None, Pin | None]:
    """The pin and the one that a reindex is about to put in its place; Corrupt if the file cannot be read."""
    try:
        found = json.loads(read_file(disk, path))
        coming = found.pop("next", None)
        return Pin(**found) if found else None, Pin(**coming) if coming else None
    except FileNotFoundError:
        return None, None
    except (ValueError, TypeError, AttributeError, RecursionError, OSError) as error:
        raise Corrupt(
            f"{path}, which says what made this memory's vectors, is damaged; `holdfast reindex --embedder NAME` "
            "makes them anew",
            path=path,
        ) from error


def write(disk: Disk, path: str, pin: Pin | None, coming: Pin | None = None) -> None:
    """Replace the pin; who was about to write the first one meanwhile finds that there is one."""
    folder, name = os.path.split(path)
    with Attempt("write", path):
        for left in disk.listdir(folder):
            if left.startswith(name + ".") and left.endswith(".tmp"):
                discard(disk, os.path.join(folder, left))
        write_atomic(disk, path, encoded(pin, coming))


def encoded(pin: Pin | None, coming: Pin | None = None) -> bytes:
    """The bytes of the file."""
    record = {**(pin.to_dict() if pin else {}), **({"next": coming.to_dict()} if coming else {})}
    return json.dumps(record, ensure_ascii=False).encode() + b"\n"
