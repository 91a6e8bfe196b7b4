"""Every acceptance test of the command line gets a shell with a home of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.acceptance.shell import Shell

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "home")
