"""The file of the built-in vectors: one signed byte a dimension, one scale a row, the pieces as lines.

Owns the layout: magic, a checksum of all that follows, header length, JSON header, then rows, scales and pieces,
each at the place that the header gives; all numbers little-endian. The file is read, not mapped: a process in
whose mapping a file is cut is killed. The rule it keeps: a file that is cut, changed or of another version is
refused by name, never half used.
"""

from __future__ import annotations

import json
import zlib

from ..disk import REAL, read_file
from ..errors import ProviderFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

MAGIC = b"HFTABLE2"
LARGEST_SCALE = 511  # with it 258 rows sum exactly in float32
_CHECKED_AT = len(MAGIC) + 4
_HEADER_AT = _CHECKED_AT + 4
_ALIGNED = 64


class Table:
    """Rows of integers: row i stands for `rows[i] * scales[i]`, in units that cancel out in a cosine."""

    def __init__(self, header: dict[str, Any], rows: NDArray[np.int8], scales: NDArray[np.int32], pieces: list[str]):
        self.header = header
        self.rows = rows
        self.scales = scales
        self.pieces = pieces


def read(path: str) -> Table:
    """The table in this file; ProviderFailed, with the path, if it is missing or not whole."""
    try:
        data = read_file(REAL, path)
    except OSError as error:
        raise ProviderFailed(f"cannot read the built-in vectors {path}: {error}; reinstall holdfast") from error
    try:
        return _parse(memoryview(data))
    except (ValueError, KeyError, TypeError) as error:
        raise ProviderFailed(f"the built-in vectors {path} are damaged ({error}); reinstall holdfast") from error


def _parse(data: memoryview) -> Table:
    if data[: len(MAGIC)] != MAGIC:
        raise ValueError("not a table of this version")
    if data[len(MAGIC) : _CHECKED_AT] != _number(zlib.crc32(data[_CHECKED_AT:])):
        raise ValueError("its checksum differs")
    length = int.from_bytes(data[_CHECKED_AT:_HEADER_AT], "little")
    header = json.loads(bytes(data[_HEADER_AT : _HEADER_AT + length]))
    return _cut(header, data[_padded(_HEADER_AT + length) :])


def _cut(header: dict[str, Any], body: memoryview) -> Table:
    import numpy as np

    count, dimensions = header["rows"], header["dimensions"]
    scales_at = _padded(count * dimensions)
    pieces_at = _padded(scales_at + 2 * count)
    rows = np.frombuffer(body, np.int8, count * dimensions).reshape(count, dimensions)
    scales = np.frombuffer(body, "<u2", count, scales_at).astype(np.int32)
    pieces = str(body[pieces_at:], "utf-8").split("\n")
    if len(pieces) != count:
        raise ValueError("pieces and rows differ in number")
    return Table(header, rows, scales, pieces)


def pack(header: dict[str, Any], rows: NDArray[np.int8], scales: NDArray[np.int32], pieces: list[str]) -> bytes:
    """The bytes of a table file; `rows` and `dimensions` are added to the header."""
    body = _fill(_fill(rows.tobytes()) + scales.astype("<u2").tobytes()) + "\n".join(pieces).encode("utf-8")
    text = json.dumps({**header, "rows": len(rows), "dimensions": rows.shape[1]}, separators=(",", ":")).encode("utf-8")
    checked = _fill(bytes(_CHECKED_AT) + _number(len(text)) + text)[_CHECKED_AT:] + body
    return MAGIC + _number(zlib.crc32(checked)) + checked


def _number(value: int) -> bytes:
    return value.to_bytes(4, "little")


def _padded(size: int) -> int:
    return -(-size // _ALIGNED) * _ALIGNED


def _fill(data: bytes) -> bytes:
    return data.ljust(_padded(len(data)), b"\0")
