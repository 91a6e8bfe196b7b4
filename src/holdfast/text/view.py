"""View: the text of which an entry's vector is made.

An answer means little without its question ("yes, the second one"), so a short turn is seen together with the one
before it, if that holds a question mark or it is an assistant's, who answers whatever a user says; long ones speak for
themselves, and words before them would only blur them, as does what was merely said or noted before (decision 0029).
Where no names are known, whoever goes on speaking in the same role is seen alone: nobody answers oneself. A view is one
line of a conversation after the other, names where there are any.
"""

from __future__ import annotations

from .escapes import unescaped
from .form import questions

LONGEST = 700  # characters


def view(
    text: str, author: str | None = None, before: tuple[str, str | None] | None = None, answers: bool = False
) -> str:
    """What a vector sees of a text: with the turn before it (text, author) where that asks, or this one answers it
    anyway, and both are short."""
    own = _said(text, author)
    if before is not None and (answers or questions(before[0])):
        both = f"{_said(*before)}\n{own}"
        if len(both) <= LONGEST:
            return both
    return own[:LONGEST]


def is_answer(role: str | None, before: str | None) -> bool:
    """Whether somebody of this role answers what somebody of the other one said right before, question mark or not."""
    return role == "assistant" and before == "user"


def _said(text: str, author: str | None) -> str:
    said = unescaped(text)
    return f"{author}: {said}" if author else said
