"""Vector: where a text stands in the space of one embedder.

Carries the identity of what made it, since numbers of two embedders cannot be compared: an index answers
only for its own kind. The numbers themselves are a NumPy row of length 1; this page never loads NumPy.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Vector:
    """One text's vector; opaque to everybody but embedder and index."""

    __slots__ = ("floor", "identity", "known", "values")

    def __init__(self, identity: str, values: Any, *, known: float = 1.0, floor: float = 0.0) -> None:
        self.identity = identity
        self.values = values  # float32, unit length
        self.known = known  # the share of the text's words that its embedder knows
        self.floor = floor  # cosines up to this count for nothing
