"""Receipt: what `forget` did and how it was checked. It never holds the forgotten text."""

from __future__ import annotations

from .value import FrozenDict, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Receipt(Value):
    """The plan (dry run) or the proof of a forget."""

    id: str
    timestamp: str
    dry_run: bool = False
    entries: tuple[str, ...] = ()  # ids chosen
    derived: tuple[str, ...] = ()  # ids of facts and summaries made from them, erased with them
    history: tuple[str, ...] = ()  # ids of which only the former words go; the entries stay (D9)
    journals: tuple[str, ...] = ()  # journals rewritten or removed
    same_text: tuple[str, ...] = ()  # ids that hold the same text and stay (D24)
    originals: tuple[str, ...] = ()  # files of others that still hold it (D23)
    steps: tuple[str, ...] = ()  # what was done, in order
    checked: FrozenDict = FrozenDict()  # files, bytes, texts, words, encodings
    residue: tuple[str, ...] = ()  # files in which something was found; empty when clean
    clean: bool = False
    took_ms: float = 0.0

    @property
    def count(self) -> int:
        return len(self.entries) + len(self.derived)

    def to_dict(self) -> dict[str, Any]:
        shown = {name: list(v) if isinstance(v, tuple) else v for name, v in self._items()}
        return {**shown, "count": self.count}
