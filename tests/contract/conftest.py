import pytest

from tests.contract.backends import Embedded, InMemory


@pytest.fixture(params=[InMemory, Embedded], ids=["memory", "embedded"])
def backend(request, tmp_path):
    """Each backend in turn, empty."""
    made = request.param(tmp_path)
    yield made
    made.close()
