"""What every Journal promises, as tests: subclass JournalContract and offer a `backend` fixture.

One test a promise of the port's docstrings. A backend passes the whole suite or is none.
"""

from __future__ import annotations

from .journal_reading_contract import FetchContract, FilesContract, ReplayContract, RewriteContract
from .journal_several_contract import SeveralContract
from .journal_writing_contract import AmendContract, AppendContract, BuryContract, CardContract, ScopeContract

__all__ = ["JournalContract"]


class JournalContract(
    CardContract, ScopeContract, AppendContract, SeveralContract, AmendContract, BuryContract, ReplayContract,
    FetchContract, RewriteContract, FilesContract,
):  # fmt: skip
    """The whole of it."""
