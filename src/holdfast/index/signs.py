"""Signs: how it is noticed that behind marks were lost.

`behind/` may be removed with every mark in it, also between a writer's mark and its append. So an empty file
in it, the sign, has a name that was never used before, and every generation notes under which sign it is
level with all journals that have no mark. Where that sign is gone, marks may be too: everything is compared.
A sign is made as a draft first. Then whoever is inside a journal, and may have left its mark in a folder that
is gone, gets another one. Only then is the draft renamed, which fails if this folder went as well. So a kill
at any point leaves no sign that promises too much.
"""

from __future__ import annotations

import os

from .mending import SWEPT, persist

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.scope import Scope
    from ..ports import Journal
    from .marks import Marks

_SIGN = "since-"
_DRAFT = "draft-"


def sign_of(marks: Marks, journal: Journal, scope: Scope) -> str:
    """The sign of the folder as it is now; made where there is none."""
    return persist(lambda: _found(marks) or _made(marks, journal, scope), marks.mend)


def sign_if_any(marks: Marks, journal: Journal, scope: Scope) -> str | None:
    """The same, but None where nothing can be written: nobody else leaves marks there either (D45)."""
    try:
        return sign_of(marks, journal, scope)
    except SWEPT:
        raise
    except OSError:
        return None


def _found(marks: Marks) -> str | None:
    return next((name for name in marks.all() if name.startswith(_SIGN)), None)


def _made(marks: Marks, journal: Journal, scope: Scope) -> str:
    number = os.urandom(8).hex()
    for left in marks.all():
        if left.startswith(_DRAFT) and marks.is_quiet(left):
            marks.take_away(left)
    marks.put(_DRAFT + number)
    for name in journal.journals(scope):
        if not journal.when_idle(scope, name, _nothing):
            marks.put(name)
    marks.rename(_DRAFT + number, _SIGN + number)
    return _SIGN + number


def _nothing() -> None:
    """To have been inside is enough."""
