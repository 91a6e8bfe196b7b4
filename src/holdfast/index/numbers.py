"""Numbers: chunks of one owner are numbered in a row, so that a full-text query can be kept to whom it is asked for.

FTS5 goes straight to a range of rows. A word for the owner in each row would be one more list to merge, and
`bm25()` counts the rows of every word of a query before it ranks the first: among one user's 10 thousand of 100
thousand chunks that took 1.7 ms where a range takes 1.0. Sessions do have a word each, since few searches ask for some.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    Block = tuple[int, int]  # the first number and the last

VACANT, SHARED, NOBODY = -1, 0, -2  # besides the numbers of users
_ROOM = 1 << 32  # chunks of one owner
_NOBODY = (1 << 30) - 1  # a place behind every user
LAST = 1 << 62  # above every chunk


def owner_of(scope: str, user: int | None) -> int:
    """Whose memory an entry is; what is shared belongs to no user."""
    return SHARED if scope == "global" else NOBODY if user is None else user


def block(owner: int) -> Block:
    """The numbers of an owner's chunks."""
    first = (_NOBODY if owner == NOBODY else owner) * _ROOM + 1
    return first, first + _ROOM - 2


def session_word(number: int) -> str:
    """What stands in the scope column, and in no text: unicode61 takes a character for private use for a letter, and
    texts and questions are made searchable without any. To be quoted where it is asked for.
    """
    return f"\ue000{number}"
