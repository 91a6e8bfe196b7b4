"""What every Index promises, as tests: subclass IndexContract and offer a `backend` fixture.

One test a promise of the port's docstrings. The meaning of filters and scopes is `passes` and
`Scope.sees`; an index may be faster than they are, never different.
"""

from __future__ import annotations

from .index_asking_contract import AskContract
from .index_known_contract import KnownContract
from .index_level_contract import EraseContract, HiddenContract, LevelContract, RowsContract
from .index_matching_contract import MatchContract
from .index_vector_contract import VectorContract

__all__ = ["IndexContract"]


class IndexContract(
    LevelContract, RowsContract, HiddenContract, MatchContract, KnownContract, AskContract, EraseContract,
    VectorContract,
):  # fmt: skip
    """The whole of it."""
