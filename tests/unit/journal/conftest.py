import pytest

from tests.unit.journal.world import World


@pytest.fixture
def world(tmp_path):
    """A home with one empty session of ana's."""
    world = World(tmp_path / "home")
    world.session()
    return world
