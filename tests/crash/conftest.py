"""What the crash tests share."""

from __future__ import annotations

import pytest

from tests import swift


@pytest.fixture
def swift_path():
    """An empty folder in memory for one test."""
    with swift.folder() as made:
        yield made


@pytest.fixture(scope="module")
def swift_home_path():
    """An empty folder in memory for all tests of a module."""
    with swift.folder() as made:
        yield made
