"""The command line against hostile text, torn pipes, full disks, open umasks and impatient people."""

from __future__ import annotations

import json
import os
import shlex
import signal
import stat
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from tests.acceptance.shell import COMMAND, Shell

if TYPE_CHECKING:
    from pathlib import Path

ESCAPE = "\x1b[2J\x1b]0;owned\x07 and \x9b31m red \x7f \r overwritten"
BIDI = "abc \u202e txt.exe \u2066 hidden \u2069 \u200b \ufeff \U000e0041 end"
HOSTILE = [ESCAPE, BIDI, "line\nbreak\u2028and\u2029more", "tab\tand \x00 nul"]
UNSAFE = [chr(code) for code in (*range(0x0A), *range(0x0B, 0x20), *range(0x7F, 0xA0))] + list(
    "\u061c\u200b\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff\U000e0041"
)


def unsafe_in(shown: str) -> list[str]:
    return [char for char in UNSAFE if char in shown]


def filled(shell: Shell) -> list[str]:
    """One entry for each hostile text."""
    told = {"session": "chat", "tags": ["boat"], "type": "decision"}
    lines = [json.dumps({**told, "text": f"keel {text}", "rationale": text}) for text in HOSTILE]
    return shell.good("add", "--jsonl", "-", stdin="\n".join(lines)).out.split()


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("add <&-", 2), ("add - <&-", 2), ("import - <&-", 1), ("forget --topic x <&-", 2), ("list >&-", 0),
        ("list 2>&-", 0), ("add 'an elm' <&- >&- 2>&-", 0),
    ],
)  # fmt: skip
def test_a_closed_stream_is_an_empty_one(shell: Shell, line: str, code: int) -> None:
    shell.add("an oak")
    command = " ".join([*map(shlex.quote, COMMAND), line])
    ran = subprocess.run(["sh", "-c", command], env=shell.environment, capture_output=True, timeout=60)
    assert (ran.returncode, b"itself failed" in ran.stderr) == (code, False)
    assert shell.json("verify")["ok"]


def test_no_stored_character_reaches_a_pipe_unescaped(shell: Shell) -> None:
    ids = filled(shell)
    for arguments in (
        ("search", "keel"), ("search", "keel", "--explain"), ("search", "keel", "--json"), ("get", ids[0]),
        ("get", ids[1]), ("list",), ("timeline", "chat"), ("context", "keel"), ("query", "--tag", "boat", "--json"),
        ("forget", *ids, "--dry-run"), ("export",), ("export", "--format", "json"),
    ):  # fmt: skip
        ran = shell.good(*arguments)
        assert "keel" in ran.out, arguments
        assert unsafe_in(ran.out + ran.err) == [], arguments


def test_no_stored_character_moves_a_cursor_on_a_terminal(shell: Shell) -> None:
    ids = filled(shell)
    for arguments in (("search", "keel"), ("get", ids[0]), ("export",)):
        shown = shell.on_terminal(*arguments, NO_COLOR="1").out
        assert "keel" in shown
        ours = shown.replace("\x1b[1m", "").replace("\x1b[2m", "").replace("\x1b[0m", "")  # bold, dim, off
        assert unsafe_in(ours) == [], arguments


def test_json_gives_hostile_text_back_as_it_was(shell: Shell) -> None:
    ids = filled(shell)
    wanted = [f"keel {text}" for text in HOSTILE]
    assert shell.json("get", ids[0])["content"]["text"] == wanted[0]
    assert [entry["content"]["text"] for entry in shell.json("timeline", "chat")] == wanted
    exported = [json.loads(line) for line in shell.good("export").out.splitlines()]
    assert [line["content"]["text"] for line in exported if "content" in line] == wanted


def test_a_key_of_a_session_is_escaped_too(shell: Shell) -> None:
    shell.add("keel", "--session", "chat\u202e7", "--author", "Ana\u202e")
    for arguments in (("sessions",), ("search", "keel"), ("list",), ("stats", "--session", "chat\u202e7")):
        ran = shell.good(*arguments)
        assert unsafe_in(ran.out + ran.err) == []
        assert "\\u202e" in ran.out or arguments[0] == "list"


def test_a_path_is_escaped_too(shell: Shell) -> None:
    shell.add("keel", "--path", "src/\u202elogin.py")
    for arguments in (("search", "keel"), ("list",)):
        ran = shell.good(*arguments)
        assert unsafe_in(ran.out + ran.err) == []
        assert "path src/\\u202elogin.py" in ran.out


def test_errors_escape_what_they_repeat(shell: Shell) -> None:
    ran = shell("timeline", "no\x1b[2Jbody\u202e")
    assert ran.code in (2, 3)
    assert unsafe_in(ran.err) == []
    assert unsafe_in(shell("no\x1bcommand").err) == []


@pytest.mark.parametrize("text", ["مرحبا بالعالم", "日本語のメモ", "naïve café", "👩‍👩‍👧 family 🏴‍☠️", "Ελληνικά"])
def test_every_script_passes_as_it_is(shell: Shell, text: str) -> None:
    id = shell.add(text)
    assert text in shell.good("get", id).out


def test_text_that_is_not_utf8_is_refused(shell: Shell) -> None:
    by_argument = shell("add", b"caf\xe9")
    assert by_argument.code == 2
    assert "surrogate" in by_argument.err
    by_stdin = shell("add", "-", stdin=b"caf\xe9")
    assert by_stdin.code == 2
    assert "not UTF-8 at byte 3" in by_stdin.err
    assert shell("list").code == 3


def test_a_terminal_of_another_encoding_gets_numbers_and_json_stays_json(shell: Shell) -> None:
    id = shell.add("日本 café")
    latin = {"PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"}
    shown = subprocess.run(
        [*COMMAND, "get", id], capture_output=True, env={**shell.environment, **latin}, timeout=60
    ).stdout
    assert b"\\u65e5\\u672c caf\xe9" in shown
    answer = subprocess.run(
        [*COMMAND, "get", id, "--json"], capture_output=True, env={**shell.environment, **latin}, timeout=60
    ).stdout
    assert json.loads(answer.decode("ascii"))["content"]["text"] == "日本 café"


@pytest.mark.parametrize(
    "name",
    ["../../escape", "/etc/passwd", "..", "a/../../b", "C:\\windows", "-rf", "~root", "$(touch pwned)", "a" * 1000],
)
def test_no_name_becomes_a_path(shell: Shell, tmp_path: Path, name: str) -> None:
    shell("add", "x", "--session", name)
    shell("add", "x", f"--user={name}")
    shell("add", "x", f"--agent={name}")
    assert sorted(path.name for path in tmp_path.iterdir()) in ([], ["home"])
    if shell.home.exists():
        assert {path.name for path in (shell.home / "agents").iterdir()} <= {"main", "-rf", "a" * 64}


def test_every_file_is_private_whatever_the_umask(shell: Shell, tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        id = shell.add("an oak", "--tag", "tree")
        shell.good("remember", "editor", "vim")
        shell.good("amend", id, "--importance", "0.9")
        shell.good("search", "oak")
        shell.good("config", "set", "recall.limit", "5")
        shell.good("reindex")
        shell.good("delete", id)
        shell.good("compact")
        shell.good("add", "an elm", "--scope", "global")
        shell.good("forget", "--key", "editor", "--yes")
    finally:
        os.umask(before)
    for path in (shell.home, *shell.home.rglob("*")):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600), path


def test_ctrl_c_while_reading_ends_with_130_and_one_word(shell: Shell) -> None:
    process = shell.start("add", "-", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err.decode().strip()) == (130, b"", "stopped")
    assert shell("list").code == 3


def test_ctrl_c_at_the_question_erases_nothing(shell: Shell) -> None:
    id = shell.add("an oak")
    ran = shell.on_terminal("forget", id, typed="\x03")
    assert ran.code == 130
    assert "Traceback" not in ran.out
    assert shell.json("get", id)["id"] == id


@pytest.mark.parametrize("delay", [0.0, 0.02, 0.1])
def test_ctrl_c_during_a_rebuild_leaves_everything_as_it_was(shell: Shell, delay: float) -> None:
    lines = [json.dumps({"text": f"note number {n} about ships", "session": f"s{n % 7}"}) for n in range(3000)]
    shell.good("add", "--jsonl", "-", stdin="\n".join(lines))
    shell.good("sync")  # all have their vectors: what a search finds no longer changes by itself
    before = [hit["id"] for hit in shell.json("search", "ships", "--rank", "recent", "--limit", "50")["hits"]]
    process = shell.start("reindex", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while len(list(shell.home.glob("agents/main/index/v*"))) < 2:
        assert process.poll() is None
        time.sleep(0.002)
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode in (0, 130)
    assert b"Traceback" not in err
    assert [hit["id"] for hit in shell.json("search", "ships", "--rank", "recent", "--limit", "50")["hits"]] == before
    assert shell.json("verify")["ok"]


def test_a_reader_that_leaves_early_hears_no_complaint(shell: Shell) -> None:
    lines = [json.dumps({"text": "x" * 500}) for _ in range(500)]
    shell.good("add", "--jsonl", "-", stdin="\n".join(lines))
    process = shell.start("export", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(30) == 1
    assert process.stderr.read() == b""
    process.stderr.close()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
@pytest.mark.parametrize("arguments", [("list",), ("list", "--json"), ("add", "an elm"), ("tags",), ("export",)])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_output_that_cannot_be_written_is_an_error(shell: Shell, arguments: tuple[str, ...], unbuffered: str) -> None:
    shell.add("an oak", "--tag", "tree")
    environment = {**shell.environment, "PYTHONUNBUFFERED": unbuffered}
    with open("/dev/full", "wb") as full:
        ran = subprocess.run([*COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE, env=environment, timeout=60)
    assert ran.returncode == 1
    why = b"error: stdout cannot be written: No space left on device; what the command changed is kept\n"
    assert ran.stderr == why


def test_a_closed_stdout_is_no_traceback(shell: Shell) -> None:
    ran = subprocess.run(
        ["/bin/sh", "-c", 'exec "$@" >&-', "sh", *COMMAND, "status"],
        stderr=subprocess.PIPE, env=shell.environment, timeout=60,
    )  # fmt: skip
    assert b"Traceback" not in ran.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_home_can_be_searched_and_refuses_writes(shell: Shell) -> None:
    shell.add("an oak")
    for path in (shell.home, *shell.home.rglob("*")):
        path.chmod(0o500 if path.is_dir() else 0o400)
    try:
        assert shell("search", "oak").code == 0
        assert shell("add", "an elm").code == 1
    finally:
        for path in (shell.home, *shell.home.rglob("*")):
            path.chmod(0o700 if path.is_dir() else 0o600)


def test_one_huge_entry_is_refused_with_its_size(shell: Shell) -> None:
    ran = shell("add", "-", "--json", stdin="x" * (2 * 1024 * 1024))
    assert ran.code == 1
    assert ran.json()["error"]["type"] == "SizeLimit"
    assert len(ran.err) < 500
