"""Whether a candidate is a secret, or code, a placeholder, a word, a mark of ours.

A rule finds by shape; where the shape alone would also take `password = get_password()` or `token: str`, one
of these functions decides. Words in a password's place are doubtful: quoted they are taken for a password,
bare they are taken for prose or code unless written as in an environment file (`DB_PASSWORD=…`).
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_DIGIT = re.compile(r"[0-9]")
_LETTER = re.compile(r"[A-Za-z]")
_SYMBOL = re.compile(r"[!@#$%^&*?~+]")
_LONG_RUN = re.compile(r"[A-Za-z0-9]{12}")
_NATURAL = r"(?:[A-Z]{0,2}[a-z]+(?:[A-Z]{1,2}[a-z]{2,})*|[A-Z]*)\d{0,4}"  # token, OAuth2, AuthToken, HTTP; not dXNlcjpw
_WORDS = re.compile(rf"{_NATURAL}(?:[_.\-/:=@]{{1,2}}{_NATURAL})*\Z")  # oauth2_token, base64-encoded, 2026-01-10
_CODE = re.compile(r"[A-Za-z_]\w*(?:(?:\.|->|::)[A-Za-z_]\w*)+\Z|[A-Za-z_]+\Z")  # config.db2.password, user_password
_PATH = ("/", "./", "../", "~/")
_TEMPLATE = re.compile(r"[<{(]|\$(?:[A-Za-z_{(]|\d\Z)|%[A-Za-z(]|\[withheld\]")  # <password>, $PASS, ${x}, %s
_INNER = ("${", "{{", "...", "…", "[redacted:")
_INVITATION = re.compile(r"(?:your|my|enter|insert|example|placeholder|some|any|the)(?:[^a-z]|\Z)")
_OURS = re.compile(r"(?:mem|sess|ctx)_[0-9A-Za-z_]{6,40}\Z")
_NOT_SECRET = """
none null nil true false undefined string str bytes text number boolean password passwd passphrase secret token
apikey required optional hidden redacted masked secretstr hash hashed unset empty missing invalid expired wrong
incorrect input field prompt env keyring todo tbd n/a unknown default bearer basic
"""
_BENIGN = frozenset(_NOT_SECRET.split())


def always(_value: str, _name: str, _style: str) -> bool:
    """The shape says it all."""
    return True


def random(value: str, _name: str, _style: str) -> bool:
    """Letters and digits in one long run: `sk-…` keys, but not `sk-loading-indicator-wrapper`."""
    return bool(_DIGIT.search(value) and _LETTER.search(value) and _LONG_RUN.search(value) and not _words(value))


def mixed(value: str, _name: str, _style: str) -> bool:
    """Upper and lower case: base64, but not a git SHA."""
    return value != value.lower() and value != value.upper()


def given(value: str, _name: str, _style: str) -> bool:
    """Anything but a placeholder: where the place (a URL's password) leaves no doubt."""
    return not _placeholder(value)


def header(value: str, _name: str, _style: str) -> bool:
    """The credential of an Authorization header."""
    return not _placeholder(value) and (mixed(value, "", "") or bool(_DIGIT.search(value))) and not _words(value)


def assigned(value: str, name: str, style: str) -> bool:
    """The value of something named like a secret; `style` is quoted, env, `=` or `:`."""
    if _placeholder(value) or _OURS.match(value):
        return False
    if name.startswith(("pass", "pwd")):
        return _password(value, style)
    return _key(value, style)


def _password(value: str, style: str) -> bool:
    if style in ("quoted", "env"):
        return len(value) >= 4 and not value.startswith(_PATH)
    if value.isdigit():
        return style == "=" and len(value) >= 4
    if _CODE.match(value) or value.startswith(_PATH):
        return False
    return len(value) >= 6 and bool(_DIGIT.search(value) or _SYMBOL.search(value)) and bool(_LETTER.search(value))


def _key(value: str, style: str) -> bool:
    if len(value) < 8 or value.startswith(_PATH):
        return False
    if style == "env":
        return not value.isdigit()
    return bool(_DIGIT.search(value) and _LETTER.search(value)) and not _words(value) and not _CODE.match(value)


def _placeholder(value: str) -> bool:
    low = value.lower()
    if low in _BENIGN or len(set(low)) == 1 or _TEMPLATE.match(value) or any(part in value for part in _INNER):
        return True
    return _INVITATION.match(low) is not None and not _DIGIT.search(low)


def _words(value: str) -> bool:
    """Words with at most a small number after each: a name, a date, a version, not something random."""
    return len(value) <= 64 and _WORDS.match(value) is not None


CHECKS: dict[str, Callable[[str, str, str], bool]] = {
    check.__name__: check for check in (always, random, mixed, given, header, assigned)
}
