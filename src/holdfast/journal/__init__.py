"""The truth: append-only files of entries, one a session, user and agent (see `filejournal`)."""

from .filejournal import FileJournal
from .options import JournalOptions

__all__ = ["FileJournal", "JournalOptions"]
