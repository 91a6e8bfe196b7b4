"""Redaction: what looks like a credential is replaced before it reaches a file, the index or a log (promise 5).

A mark such as `[redacted:aws-access-key:7f3a]` names the family; its last part is keyed, so equal secrets look
equal within a home and tell nothing outside it. Every field of a draft or card is covered, names as well as
values. A field whose text is too hard to search is withheld whole and named in the reply. Names that tell one user,
session or workspace from another are refused instead: a mark in their place could make two of them one.
"""

from __future__ import annotations

import hashlib

from ..errors import Invalid, StorageFailed
from ..model.value import FrozenDict
from .scan import SHORTEST, TooHard, is_secret, secret_name, spans

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..model.card import Card
    from ..model.entry import Draft
    from .scan import Span

__all__ = ["WITHHELD", "Redactor", "identifier"]

WITHHELD = "[withheld]"
_IDENTITY = ("version", "id", "kind", "key", "user_id", "workspace", "created_at")  # of a card


def identifier(given: str, field: str) -> str:
    """A name that may be stored; Invalid, without repeating it, if it holds what looks like a credential."""
    try:
        found = spans(given)
    except TooHard:
        found = [(0, 0, "unknown", 0)]
    if found:
        raise Invalid(
            f"{field} holds what looks like a credential ({found[0][2]}); it would stand in file after file, so "
            "choose a name without it",
            field=field,
        )
    return given


class Redactor:
    """Replaces secrets; `key` is the home's, 32 random bytes, or what reads it where that failed at first."""

    __slots__ = ("_key",)

    def __init__(self, key: bytes | Callable[[], bytes]) -> None:
        self._key = key

    def trouble(self) -> str | None:
        """Why no secret can be replaced, so that a text with one is refused; None where all is well."""
        try:
            self._keyed()
        except StorageFailed as error:
            return error.message
        return None

    def _keyed(self) -> bytes:
        return (self._key if isinstance(self._key, bytes) else self._key())[:64]

    def text(self, text: str) -> str:
        """The text with marks for secrets, or WITHHELD."""
        try:
            return self._marked(text)
        except TooHard:
            return WITHHELD

    def value(self, value: Any) -> Any:
        """The same for every string of a JSON value, names included; a secret's name gives away its value."""
        return _Pass(self).value(value, "value")

    def draft(self, draft: Draft) -> Draft:
        """A draft that may be stored; `withheld` names what was not."""
        if _is_clean(draft):
            return draft
        done = _Pass(self)
        fit = {
            "content": done.value(draft.content, "content"),
            "metadata": draft.metadata and done.value(draft.metadata, "metadata"),
            "tags": draft.tags and tuple(dict.fromkeys(self.tag(tag) for tag in draft.tags)),
            "key": draft.key and self._name(draft.key),
            "tool": draft.tool and done.text(draft.tool, "tool"),
            "path": draft.path and done.text(draft.path, "path"),
            "provenance": self._provenance(draft.provenance),
        }
        changed = {name: value for name, value in fit.items() if value != getattr(draft, name)}
        return draft.replace(**changed, withheld=(*draft.withheld, *done.withheld)) if changed else draft

    def card(self, card: Card) -> Card:
        """A card that may be stored: every field but those that say whose it is, for which see `identifier`."""
        given = {name: getattr(card, name) for name in card._fields if name not in _IDENTITY}
        fit = {name: self.value(value) for name, value in given.items()}
        changed = {name: value for name, value in fit.items() if value != given[name]}
        return card.replace(**changed) if changed else card

    def changes(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        """The new values of an amendment, which may be stored."""
        done = dict(changes)
        if "text" in done:
            done["text"] = self.text(done["text"])
        if "tags" in done:
            done["tags"] = list(dict.fromkeys(self.tag(tag) for tag in done["tags"]))
        return done

    def tag(self, tag: str) -> str:
        """A tag stays a tag: `redacted:aws-access-key:7f3a`. Tags are lower case, which hides some shapes."""
        numbered = any(letter.isdigit() for letter in tag)  # words in capitals are no keys
        for form in (tag, tag.upper()) if numbered else (tag,):
            found = spans(form)
            if found:
                return self._mark(form, found[0])[1:-1]
        return tag

    def _name(self, key: str) -> str:
        found = spans(key)
        return f"redacted_{self._tagged(key)}" if found else key

    def _provenance(self, provenance: str) -> str:
        kind, _, name = provenance.partition(":")
        return f"{kind}:redacted" if name and spans(name) else provenance

    def _marked(self, text: str) -> str:
        found = spans(text)
        if not found:
            return text
        pieces, end = [], 0
        for span in found:
            pieces += [text[end : span[0]], self._mark(text, span)]
            end = span[1]
        return "".join([*pieces, text[end:]])

    def _mark(self, text: str, span: Span) -> str:
        return self.mark(text[span[0] : span[1]], span[2])

    def mark(self, secret: str, name: str) -> str:
        """The mark that stands for a secret."""
        return f"[redacted:{name}:{self._tagged(secret)}]"

    def _tagged(self, secret: str) -> str:
        return hashlib.blake2b(secret.encode("utf-8", "surrogatepass"), key=self._keyed(), digest_size=2).hexdigest()


def _is_clean(draft: Draft) -> bool:
    """Whether a draft is words without a secret and nothing else: the usual one, for which no walk is needed."""
    if draft.metadata or draft.tags or draft.key or draft.tool or draft.path or ":" in draft.provenance:
        return False
    try:
        for name, value in draft.content.items():
            if type(value) is not str or secret_name(name) or spans(value) or spans(name):
                return False
    except TooHard:
        return False
    return True


class _Pass:
    """One walk over a value that remembers what it withheld."""

    __slots__ = ("redactor", "withheld")

    def __init__(self, redactor: Redactor) -> None:
        self.redactor = redactor
        self.withheld: list[str] = []

    def text(self, text: str, where: str) -> str:
        if len(text) < SHORTEST:
            return text
        done = self.redactor.text(text)
        if done == WITHHELD and text != WITHHELD:
            self.withheld.append(where)
        return done

    def value(self, value: Any, where: str, name: str = "") -> Any:
        """`name` is the secret-like name under which the value stands, if it is one."""
        if isinstance(value, str):
            return self._string(value, where, name)
        if isinstance(value, dict):
            return FrozenDict({self.text(key, where): self._item(key, item, where) for key, item in value.items()})
        if isinstance(value, (list, tuple)):
            return [self.value(item, f"{where}[{place}]", name) for place, item in enumerate(value)]
        if name.startswith(("pass", "pwd")) and isinstance(value, int) and not isinstance(value, bool):
            return self.redactor.mark(str(value), "password")
        return value

    def _item(self, key: str, value: Any, where: str) -> Any:
        return self.value(value, f"{where}.{key}", secret_name(key))

    def _string(self, text: str, where: str, name: str) -> str:
        if name and is_secret(text, name):
            return self.redactor.mark(text, "password" if name.startswith(("pass", "pwd")) else "secret")
        return self.text(text, where)
