"""The Index contract, bound to every backend."""

from holdfast.testing.index_contract import IndexContract


class TestIndex(IndexContract):
    pass
