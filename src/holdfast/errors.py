"""The whole error tree: one leaf for each thing a caller can do about it.

    HoldfastError
    ├── NotFound        no such entry, session, user or key: check the name
    ├── Invalid         the input breaks a rule: correct the named field
    ├── Denied          the caller lacks a grant: ask the owner of the home
    ├── Locked          somebody else holds the lock: try again
    ├── SizeLimit       a journal or quota is full: compact, forget, or raise the limit
    ├── Corrupt         stored bytes are damaged: run `holdfast verify`
    ├── StorageFailed   the disk refused: nothing was acknowledged
    ├── BadConfig       a setting is out of range or contradicts another
    ├── MissingExtra    an optional part is not installed: the message names it
    ├── ProviderFailed  an embedder or completer did not answer
    └── FormatTooNew    written by a later version: read-only here

`RESPONSES` maps each leaf to exit code, HTTP status and MCP text; no other place does.
"""

from __future__ import annotations


class HoldfastError(Exception):
    """Base of all; `details` holds facts for machines and never holds remembered text."""

    def __init__(self, message: str, **details: object) -> None:
        super().__init__(message)
        self.message = message
        self.details = details


class NotFound(HoldfastError):
    """No such entry, session, user or key."""


class Invalid(HoldfastError):
    """The input breaks a rule; `details["field"]` names the field."""


class Denied(HoldfastError):
    """The caller lacks the grant named in `details["grant"]`."""


class Locked(HoldfastError):
    """A lock was not had in time; details say who holds it and since when."""


class SizeLimit(HoldfastError):
    """A journal, entry or quota is full; details give the bytes by kind."""


class Corrupt(HoldfastError):
    """Stored bytes are damaged; details name file and line."""


LOOKS = ("read", "list", "look at")  # what a StorageFailed may say was tried, of those that change nothing


class StorageFailed(HoldfastError):
    """The disk refused a read or write; what was asked is not acknowledged."""

    @property
    def unreadable(self) -> bool:
        """Whether one file or directory cannot be read, which says nothing of any other."""
        return self.details.get("act") in LOOKS and self.details.get("errno") not in ("EMFILE", "ENFILE")


class BadConfig(HoldfastError):
    """A setting is unknown, out of range or contradicts another."""


class MissingExtra(HoldfastError):
    """An optional part is not installed; the message says what to install."""


class ProviderFailed(HoldfastError):
    """An embedder or completer failed or answered nonsense."""


class FormatTooNew(HoldfastError):
    """A later version of Holdfast wrote this; it can be read, not rewritten."""


# leaf -> (exit code, HTTP status, what an MCP tool says)
RESPONSES: dict[type[HoldfastError], tuple[int, int, str]] = {
    NotFound: (3, 404, "Nothing by that name is remembered."),
    Invalid: (2, 422, "The request breaks a rule; correct the named field."),
    Denied: (1, 403, "This memory may not be read or changed from here."),
    Locked: (1, 423, "The memory is busy; try again."),
    SizeLimit: (1, 413, "The memory is full; compact it or forget something."),
    Corrupt: (1, 500, "Part of the memory is damaged; run `holdfast verify`."),
    StorageFailed: (1, 507, "The disk refused; nothing was stored."),
    BadConfig: (2, 500, "A setting is wrong; run `holdfast config list`."),
    MissingExtra: (1, 501, "A part that this needs is not installed."),
    ProviderFailed: (1, 502, "The model provider failed."),
    FormatTooNew: (1, 409, "A later version wrote this memory; upgrade Holdfast."),
}


def response(error: HoldfastError) -> tuple[int, int, str]:
    """Exit code, HTTP status and MCP text of an error."""
    return RESPONSES.get(type(error), (1, 500, "Holdfast failed."))
