"""For tests of Holdfast and of what is built on it: a fixed clock, backends in memory, contract suites.

The suites themselves (`journal_contract`, `index_contract`) need pytest and are imported by name.
"""

from .clock import FixedClock
from .memory_index import MemoryIndex
from .memory_journal import MemoryJournal
from .workbench import Workbench

__all__ = ["FixedClock", "MemoryIndex", "MemoryJournal", "Workbench"]
