"""What others could do to the files of a home."""

import os

from holdfast.upkeep.modes import private_mode_wrong


def test_a_mode_that_lets_others_in_is_told(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    os.chmod(tmp_path / "file", 0o644)
    assert "0644" in private_mode_wrong(str(tmp_path / "file"))
    os.chmod(tmp_path / "file", 0o600)
    assert private_mode_wrong(str(tmp_path / "file")) is None
