import pytest

from tests.unit.upkeep.desk import FileDesk, MemoryDesk


@pytest.fixture(params=[MemoryDesk, FileDesk], ids=["memory", "files"])
def desk(request, tmp_path):
    """A store with one empty session of ana's, on each backend."""
    made = request.param(tmp_path / "home")
    made.session()
    yield made
    made.close()


@pytest.fixture
def files(tmp_path):
    """The same on real files only."""
    made = FileDesk(tmp_path / "home")
    made.session()
    yield made
    made.close()
