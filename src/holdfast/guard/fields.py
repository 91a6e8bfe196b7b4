"""The rules of single fields: what a tag, a user id, a key or a time may be (D5, D37, A171-A177).

Each function returns the value in our form or raises Invalid with the field's name, the rule and the
allowed range. No message repeats what the caller wanted remembered.
"""

from __future__ import annotations

import re

from ..errors import Invalid
from ..model.entry import ROLES
from ..model.ids import AGENT, ENTRY_ID, OLDER_ID
from ..model.shape import CONTROL, PATH_LENGTH
from .rules import MARK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

# As text: `re` compiles them on first use, and a process that adds one plain entry needs none of them.
TAG = r"[a-z0-9][a-z0-9_.:-]{0,63}\Z"
MEMORY_KEY = r"[a-z][a-z0-9_]{0,63}\Z"
PROVENANCE = r"(?:user|agent|file|web|(?:tool|import):[\w.:/@+-]{1,128})\Z"
MOST_TAGS = 64
MOST_REFERENCES = 256
USER_LENGTH = 256
SESSION_KEY_LENGTH = 1024
MEMORY_LENGTH = 2_000
SHORT_LENGTH = 256
MOST_DEPTH = 16
MOST_OFFSET = 10**12  # a larger number is no number to SQLite
_RESERVED = ("system_", "internal_")


def broken(field: str, rule: str, **details: object) -> Invalid:
    """The error for a field that breaks a rule."""
    return Invalid(f"{field} {rule}", field=field, **details)


def hint(given: object, known: Iterable[str]) -> str:
    """`, did you mean …?`, or nothing."""
    from ..text.nearest import did_you_mean  # only an error pays for loading it

    return did_you_mean(shown(given), known)


def shown(given: object) -> str:
    """What stands in place of a name, as an error shows it: of what is no text only the kind, since anything can fail
    to be printed."""
    return given[:40] if isinstance(given, str) else type(given).__name__


def text(given: Any, field: str) -> str:
    """Any text that UTF-8 can hold."""
    if not isinstance(given, str):
        raise broken(field, f"must be text, not {type(given).__name__}")
    if given.isascii():
        return given
    try:
        given.encode()
    except UnicodeEncodeError as error:
        raise broken(field, f"has a lone surrogate at character {error.start}: it is not valid Unicode") from None
    return given


def line(given: Any, field: str, most: int, what: str = "") -> str:
    """A short text in one line: 1 to `most` characters, none of them a control character."""
    found = text(given, field)
    if not 1 <= len(found) <= most or not found.strip():
        raise broken(field, f"must have 1 to {most} characters, has {len(found)}{what}", most=most)
    if not found.isprintable() and re.search(CONTROL, found):
        raise broken(field, "must not contain control characters or line breaks")
    return found


def flag(given: Any, field: str) -> bool:
    """True or False and nothing that merely looks like it."""
    if not isinstance(given, bool):
        raise broken(field, f"must be true or false, not {type(given).__name__}")
    return given


def share(given: Any, field: str) -> float:
    """A number from 0 to 1, such as importance."""
    if isinstance(given, bool) or not isinstance(given, (int, float)):
        raise broken(field, f"must be a number from 0.0 to 1.0, not {type(given).__name__}")
    if not 0 <= given <= 1:  # also false for NaN
        raise broken(field, "must be from 0.0 to 1.0")  # a whole number may be too long to be shown
    return float(given) + 0.0  # a zero below zero is written as one


def limit(given: Any, most: int = 200, field: str = "limit") -> int:
    """How many to return: 1 to `most`."""
    if isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= most:
        raise broken(field, f"must be a whole number from 1 to {most}", most=most)
    return given


def offset(given: Any, field: str = "offset") -> int:
    """How many to leave out from the front."""
    if isinstance(given, bool) or not isinstance(given, int) or not 0 <= given <= MOST_OFFSET:
        raise broken(field, f"must be a whole number from 0 to {MOST_OFFSET}")
    return given


def depth(given: Any, field: str = "max_depth") -> int:
    """How far references are followed."""
    if isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= MOST_DEPTH:
        raise broken(field, f"must be a whole number from 1 to {MOST_DEPTH}")
    return given


def named(given: Any, field: str) -> dict[str, Any]:
    """An object of names and values."""
    if isinstance(given, dict):
        return given
    from collections.abc import Mapping

    if not isinstance(given, Mapping):
        raise broken(field, f"must be an object of names and values, not {type(given).__name__}")
    return dict(given)


def short(given: Any, field: str) -> str:
    """A title, a channel: one line of at most 256 characters."""
    return line(given, field, SHORT_LENGTH)


def several(given: Any, field: str, most: int) -> list[Any]:
    """One text or a list, tuple or set of things, at most `most` of them."""
    if isinstance(given, str):
        return [given]
    if not isinstance(given, (list, tuple, set, frozenset)):
        raise broken(field, f"must be a list, not {type(given).__name__}")
    if len(given) > most:
        raise broken(field, f"may have at most {most} items, has {len(given)}", most=most)
    return sorted(given, key=str) if isinstance(given, (set, frozenset)) else list(given)


def tags(given: Any, field: str = "tags") -> tuple[str, ...]:
    """Tags in our form (NFC, lower case), each once, in the order given."""
    found = several(given, field, MOST_TAGS)
    return _once(_tag(tag, f"{field}[{place}]") for place, tag in enumerate(found))


def _tag(given: Any, field: str) -> str:
    tag = text(given, field).strip()
    if not tag.isascii():
        from unicodedata import normalize

        tag = normalize("NFC", tag)
    tag = tag.lower()
    if not re.match(TAG, tag):
        rule = "must be 1 to 64 of a-z, 0-9, _ . : and -, beginning with a letter or digit; a dot makes a hierarchy"
        raise broken(field, rule)
    return tag


def references(given: Any, field: str = "references") -> tuple[str, ...]:
    """Ids of other entries, each once."""
    found = several(given, field, MOST_REFERENCES)
    return _once(new_id(reference, f"{field}[{place}]") for place, reference in enumerate(found))


def _once(found: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(found))


def entry_id(given: Any, field: str = "id") -> str:
    """The id of an entry that may be there: one of ours, or of the program that its line is from."""
    if not isinstance(given, str) or not OLDER_ID.match(given):
        raise broken(field, "must be an entry id: mem_ and up to 64 letters, digits, _ and -")
    return given


def new_id(given: Any, field: str = "id") -> str:
    """An id as we make them: what else is stored as one could hold a credential."""
    if not isinstance(given, str) or not ENTRY_ID.match(given):
        raise broken(field, "must be an entry id: mem_ and 26 characters of 0-9 and A-Z without I, L, O and U")
    return given


def user(given: Any, field: str = "user") -> str:
    """A user id: opaque, 1 to 256 characters; `*` means all users and is nobody's id."""
    found = line(given, field, USER_LENGTH)
    if found == "*":
        raise broken(field, 'must name one user; "*" means all of them and cannot be written to')
    return found


def session_key(given: Any, field: str = "session") -> str:
    """A session's key: any string of 1 to 1024 characters without control characters."""
    return line(given, field, SESSION_KEY_LENGTH)


def workspace(given: Any, field: str = "workspace") -> str:
    """The path of a directory, which need not exist."""
    return line(given, field, PATH_LENGTH)


def agent(given: Any, field: str = "agent") -> str:
    """An agent's name, which is a directory's name too."""
    if not isinstance(given, str) or not AGENT.match(given):
        raise broken(field, "must be 1 to 64 of a-z, 0-9, _ and -")
    return given


def memory_key(given: Any, field: str = "key") -> str:
    """The key of a user memory."""
    if not isinstance(given, str) or not re.match(MEMORY_KEY, given):
        raise broken(field, "must be 1 to 64 of a-z, 0-9 and _, beginning with a letter")
    if given.startswith(_RESERVED):
        raise broken(field, "must not begin with system_ or internal_, which are reserved")
    return given


def length(given: str) -> int:
    """Characters, not counting the marks of redaction: what was stored once can always be loaded again."""
    return len(MARK.get().sub("", given) if "[redacted:" in given else given)


def memory_text(given: Any, field: str = "text") -> str:
    """The value of a user memory: 1 to 2,000 characters."""
    found = text(given, field)
    if not found.strip() or length(found) > MEMORY_LENGTH:
        raise broken(field, f"of a user memory must have 1 to {MEMORY_LENGTH} characters, has {len(found)}")
    return found


def role(given: Any, field: str = "role") -> str:
    """Who spoke."""
    if not isinstance(given, str) or given not in ROLES:
        raise broken(field, f"must be one of {', '.join(ROLES)}")
    return given


def provenance(given: Any, field: str = "provenance") -> str:
    """Who an entry came from."""
    if not isinstance(given, str) or not re.match(PROVENANCE, given):
        names = "user, agent, file, web, tool:<name> or import:<what>"
        raise broken(field, f"must be {names}, where a name has 1 to 128 letters, digits or . : / @ + - _")
    return given
