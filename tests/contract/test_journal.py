"""The Journal contract, bound to every backend."""

from holdfast.testing.journal_contract import JournalContract


class TestJournal(JournalContract):
    pass
