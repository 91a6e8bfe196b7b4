"""Pages: owner and sign bits of 256 vectors in a row, kept beside the vectors themselves.

Vector `n` has slot `n % 256` of page `n // 256`. A scan reads pages, 36 bytes a vector of 256 numbers, and
only then the floats of the best. Every change of a page gives it a new random stamp, so that a process with
pages in memory reads again just those that changed. Written without NumPy: the sign of a little-endian
float32 is the top bit of its fourth byte.
"""

from __future__ import annotations

import json
import os

from .database import ask_all, ask_one
from .numbers import VACANT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    import apsw

    Slot = tuple[int, int, bytes]  # vector, owner, sign bits
    Page = tuple[bytes, bytes]  # owners and sign bits

SLOTS = 256
OWNER = 4  # bytes, signed, little-endian
EMPTY = VACANT.to_bytes(OWNER, "little", signed=True)
_SIGNS = bytes(b"01"[byte >> 7] for byte in range(256))
_WORD = 64
NO_PAGE: Page = (b"", b"")


def bits_of(data: bytes) -> bytes:
    """The sign bits of a float32 vector, filled up to whole 64-bit words."""
    count = len(data) // 4
    whole = -(-count // _WORD) * _WORD
    return (int(data[3::4].translate(_SIGNS), 2) << (whole - count)).to_bytes(whole // 8, "big")


def entered(connection: apsw.Connection, pages: Iterable[int]) -> dict[int, Page]:
    """These pages as they stand; what has not the size of a page is empty."""
    sql = "SELECT page, owners, bits FROM json_each(?) j JOIN vector_pages p ON p.page=j.value"
    found = ask_all(connection, sql, (json.dumps(list(pages)),))
    return {page: (owners, bits) if _is_page(owners, bits) else NO_PAGE for page, owners, bits in found}


def _is_page(owners: Any, bits: Any) -> bool:
    sized = isinstance(owners, bytes) and isinstance(bits, bytes)
    return sized and len(owners) == OWNER * SLOTS and len(bits) % SLOTS == 0


def entry(pages: Mapping[int, Page], n: int) -> Page:
    """Owner and sign bits with which a vector is entered; nothing where it is not."""
    owners, bits = pages.get(n // SLOTS, NO_PAGE)
    slot, width = n % SLOTS, len(bits) // SLOTS
    return owners[slot * OWNER : (slot + 1) * OWNER], bits[slot * width : (slot + 1) * width]


def occupy(connection: apsw.Connection, slots: Iterable[Slot]) -> None:
    """Enter vectors; those of one page are written at once."""
    by_page: dict[int, list[Slot]] = {}
    for slot in slots:
        by_page.setdefault(slot[0] // SLOTS, []).append(slot)
    for page, entered in by_page.items():
        owners, bits = _read(connection, page, len(entered[0][2]))
        for n, owner, signs in entered:
            _set(owners, bits, n % SLOTS, owner.to_bytes(OWNER, "little", signed=True), signs)
        _write(connection, page, owners, bits)


def vacate(connection: apsw.Connection, numbers: Iterable[int]) -> None:
    """Take vectors out; a page without any goes."""
    by_page: dict[int, list[int]] = {}
    for n in numbers:
        by_page.setdefault(n // SLOTS, []).append(n % SLOTS)
    for page, slots in by_page.items():
        _vacate(connection, page, slots)


def _vacate(connection: apsw.Connection, page: int, slots: list[int]) -> None:
    owners, bits = _read(connection, page, 0)
    if not owners:
        return
    for slot in slots:
        _set(owners, bits, slot, EMPTY, bytes(len(bits) // SLOTS))
    if owners == EMPTY * SLOTS:
        connection.execute("DELETE FROM vector_pages WHERE page=?", (page,))
    else:
        _write(connection, page, owners, bits)


def _read(connection: apsw.Connection, page: int, width: int) -> tuple[bytearray, bytearray]:
    """A page's two columns; new ones where it does not exist and a width is given."""
    found = ask_one(connection, "SELECT owners, bits FROM vector_pages WHERE page=?", (page,))
    if found is not None:
        return bytearray(found[0]), bytearray(found[1])
    return (bytearray(EMPTY * SLOTS), bytearray(SLOTS * width)) if width else (bytearray(), bytearray())


def _set(owners: bytearray, bits: bytearray, slot: int, owner: bytes, signs: bytes) -> None:
    width = len(bits) // SLOTS
    owners[slot * OWNER : (slot + 1) * OWNER] = owner
    bits[slot * width : (slot + 1) * width] = signs


def _write(connection: apsw.Connection, page: int, owners: bytearray, bits: bytearray) -> None:
    stamp = int.from_bytes(os.urandom(7))
    connection.execute("INSERT OR REPLACE INTO vector_pages VALUES(?,?,?,?)", (page, stamp, bytes(owners), bytes(bits)))
