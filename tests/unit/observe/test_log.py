"""The log: quiet by default, JSON lines of one shape when asked, private, and never in the way."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.errors import BadConfig
from holdfast.observe.events import Observer
from holdfast.observe.log import Log, log_for
from holdfast.testing import FixedClock

if TYPE_CHECKING:
    from pathlib import Path

SESSION = "sess_20260110_k3v9xq"
LEVELS = ("debug", "info", "warn", "error")


def settings(level: str, file: str = "") -> dict[str, Any]:
    return {"log.level": level, "log.file": file}


def logged(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def observer(level: str, file: Path) -> Observer:
    return Observer(FixedClock(1_768_055_400_000), home="/home/ana", log=Log(level, str(file)))


def test_there_is_no_log_unless_asked_for() -> None:
    assert log_for(settings("off", "/nowhere/at/all.log")) is None


def test_a_line_has_the_shape_of_the_specification(tmp_path: Path) -> None:
    observer("info", tmp_path / "log").emit(
        "compaction done", "info", "upkeep", session_id=SESSION, entries_before=5000, entries_after=3200,
        size_reduction_mb=2.3, duration_ms=847,
    )  # fmt: skip
    line = logged(tmp_path / "log")[0]
    assert list(line) == ["timestamp", "level", "component", "session_id", "message", "metadata"]
    assert line == {
        "timestamp": "2026-01-10T14:30:00.000Z", "level": "INFO", "component": "upkeep", "session_id": SESSION,
        "message": "compaction done",
        "metadata": {"entries_before": 5000, "entries_after": 3200, "size_reduction_mb": 2.3, "duration_ms": 847},
    }  # fmt: skip


@pytest.mark.parametrize("level", LEVELS)
def test_levels_below_the_one_asked_for_are_left_out(tmp_path: Path, level: str) -> None:
    watching = observer(level, tmp_path / "log")
    for each in LEVELS:
        watching.emit("something", each, "index")
    assert [line["level"].lower() for line in logged(tmp_path / "log")] == list(LEVELS[LEVELS.index(level) :])


def test_measurements_are_not_logged(tmp_path: Path) -> None:
    observer("debug", tmp_path / "log").count("memory.compaction.count")
    assert logged(tmp_path / "log") == []


def test_hostile_text_reaches_no_line(tmp_path: Path) -> None:
    watching = observer("debug", tmp_path / "log")
    secret = "AKIAIOSFODNN7EXAMPLE\n my diary"
    watching.emit("entry added", "info", "guard", text=secret, reason=secret, file=secret, session_id=secret)
    watching.emit(secret, "error", secret, error=ValueError(secret), user=secret, entries=secret)
    text = (tmp_path / "log").read_text()
    assert len(text.splitlines()) == 2
    assert "AKIA" not in text
    assert "diary" not in text


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no modes")
def test_the_file_is_private_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        observer("info", tmp_path / "log").emit("something", "info", "index")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "log").stat().st_mode) == 0o600


def test_two_logs_may_share_a_file(tmp_path: Path) -> None:
    both = [observer("info", tmp_path / "log") for _ in range(2)]
    for number in range(50):
        both[number % 2].emit("something", "info", "index", count=number)
    assert [line["metadata"]["count"] for line in logged(tmp_path / "log")] == list(range(50))


def test_a_file_that_cannot_be_opened_is_bad_configuration(tmp_path: Path) -> None:
    with pytest.raises(BadConfig, match=r"log\.file"):
        log_for(settings("info", str(tmp_path / "missing" / "log")))


@pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="needs O_NOFOLLOW")
def test_a_link_in_the_files_place_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "log").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BadConfig):
        Log("info", str(tmp_path / "log"))
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_what_cannot_be_written_is_counted_and_does_not_fail() -> None:
    watching = Observer(FixedClock(), log=Log("info", "/dev/full"))
    watching.emit("something", "info", "index")
    assert watching.snapshot()["memory.errors.log.count"] == {"count": 1}


def test_after_close_lines_are_dropped_and_counted(tmp_path: Path) -> None:
    watching = observer("info", tmp_path / "log")
    watching.close()
    watching.close()
    watching.emit("something", "info", "index")
    assert logged(tmp_path / "log") == []
    assert watching.snapshot()["memory.errors.log.count"] == {"count": 1}


def test_without_a_file_lines_go_to_standard_error_only() -> None:
    code = (
        "from holdfast.observe.events import Observer; from holdfast.observe.log import Log\n"
        "from holdfast.testing import FixedClock; import sys\n"
        "Observer(FixedClock(), log=Log('info')).emit('something', 'info', 'index')\n"
        "assert 'logging' not in sys.modules"
    )
    path = os.pathsep.join(part for part in sys.path if part)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={"PYTHONPATH": path})
    assert (done.returncode, done.stdout) == (0, "")
    assert json.loads(done.stderr)["message"] == "something"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_takes_the_log_while_somebody_reads_from_it_and_holds_nobody_up_before(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "log")
    with pytest.raises(BadConfig, match=r"log\.file"):
        Log("info", str(tmp_path / "log"))
    reader = os.open(tmp_path / "log", os.O_RDONLY | os.O_NONBLOCK)
    try:
        Log("info", str(tmp_path / "log")).close()
    finally:
        os.close(reader)
