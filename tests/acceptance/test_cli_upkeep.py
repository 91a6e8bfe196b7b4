"""Moving and looking after a home from the shell: export, import, verify, status, stats, sync, reindex, compact."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.acceptance.shell import Shell, plain

if TYPE_CHECKING:
    from pathlib import Path


def entries(text: str) -> list[dict[str, object]]:
    return [line for line in map(json.loads, text.splitlines()) if "content" in line]


def filled(shell: Shell, number: int = 3) -> list[str]:
    lines = [json.dumps({"text": f"note number {n}", "tags": ["notes"], "session": "chat"}) for n in range(number)]
    return shell.good("add", "--jsonl", "-", stdin="\n".join(lines)).out.split()


def journal_of(shell: Shell) -> Path:
    (found,) = shell.home.glob("agents/main/sessions/*/memory.jsonl")
    return found


def journal_at(shell: Shell, session: object) -> Path:
    return shell.home / "agents" / "main" / "sessions" / str(session) / "memory.jsonl"


# -- export and import


def test_export_writes_lines_that_import_reads_back(shell: Shell, tmp_path: Path) -> None:
    ids = filled(shell)
    exported = shell.good("export").out
    assert [entry["id"] for entry in entries(exported)] == ids
    other = Shell(tmp_path / "other")
    report = other.json("import", "-", stdin=exported)
    assert (report["added"], report["complete"]) == (3, True)
    assert [entry["id"] for entry in entries(other.good("export").out)] == ids
    again = other.good("import", "-", stdin=exported)
    assert "added      0 entries" in again.out
    assert "3 already here" in again.out


def test_import_reads_a_named_pipe(shell: Shell, tmp_path: Path) -> None:
    filled(shell)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["sh", "-c", 'printf %s "$1" > "$2"', "sh", shell.good("export").out, str(pipe)]):
        report = Shell(tmp_path / "other").json("import", str(pipe))
    assert (report["added"], report["complete"]) == (3, True)


def test_import_of_nothing_is_not_called_a_success(shell: Shell) -> None:
    ran = shell("import", "-", stdin="")
    assert (ran.code, "is empty" in ran.err) == (1, True)


def test_export_to_a_file_is_private_whole_and_reported(shell: Shell, tmp_path: Path) -> None:
    filled(shell)
    target = tmp_path / "memory.jsonl"
    before = os.umask(0)
    try:
        ran = shell.good("export", "-o", str(target))
    finally:
        os.umask(before)
    assert "written to" in ran.out
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert len(entries(target.read_text())) == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "memory.jsonl"]
    report = shell.json("export", "-o", str(target))
    assert report["bytes"] == target.stat().st_size
    assert report["lines"] == target.read_text().count("\n")
    assert "added      0 entries" in shell.good("import", str(target)).out


def test_export_as_one_document(shell: Shell) -> None:
    ids = filled(shell)
    for arguments in (("--format", "json"), ("--json",)):
        document = json.loads(shell.good("export", *arguments).out)
        assert [entry["id"] for entry in document["entries"]] == ids


def test_export_of_one_session_user_or_everyone(shell: Shell) -> None:
    filled(shell)
    shell.add("mine", "--user", "ana", "--session", "hers")
    assert len(entries(shell.good("export", "--session", "chat").out)) == 3
    assert len(entries(shell.good("export", "--user", "ana").out)) == 1
    assert len(entries(shell.good("export", "--user", "*").out)) == 4
    assert shell("export", "--session", "nobody").code == 3


def test_export_to_a_place_that_cannot_be_written_is_one_line(shell: Shell, tmp_path: Path) -> None:
    filled(shell)
    for target in (tmp_path, tmp_path / "no" / "such" / "folder"):
        ran = shell("export", "-o", str(target))
        assert ran.code in (1, 2)
        assert ran.err.startswith("error: ")
        assert ran.err.count("\n") == 1


def test_import_names_what_it_could_not_take(shell: Shell, tmp_path: Path) -> None:
    filled(shell)
    lines = shell.good("export").out.splitlines()
    broken = [line for line in lines if "note number 1" not in line]
    broken.insert(3, '{"content": ')
    other = Shell(tmp_path / "other")
    ran = other("import", "-", stdin="\n".join(broken))
    assert ran.code == 1
    assert "line 4" in ran.err
    assert "cut short" in ran.err
    assert "added      2 entries" in ran.out
    assert other("import", "/does/not/exist").code == 3


def test_import_of_a_file_that_was_cut_says_so_and_exits_one(shell: Shell, tmp_path: Path) -> None:
    filled(shell)
    lines = shell.good("export").out.splitlines(keepends=True)
    for kept in ("".join(lines[:-2]), "".join(lines)[:-60]):
        ran = Shell(tmp_path / f"cut at {len(kept)}")("import", "-", stdin=kept)
        assert ran.code == 1
        assert "the file was cut short" in ran.err


def test_import_does_not_bring_back_what_was_forgotten(shell: Shell) -> None:
    filled(shell)
    exported = shell.good("export").out
    shell.good("forget", "--topic", "notes", "--yes")
    assert shell.json("import", "-", stdin=exported)["skipped_forgotten"] == 3
    assert shell("list").code == 3


# -- upkeep


def test_verify_of_a_good_home_is_short(shell: Shell) -> None:
    filled(shell)
    assert shell.good("verify").out == "all is well: 1 journal, 3 lines checked\n"
    assert shell.json("verify")["ok"] is True


def test_verify_names_file_and_line_of_damage_and_exits_one(shell: Shell) -> None:
    filled(shell)
    journal = journal_of(shell)
    lines = journal.read_bytes().split(b"\n")
    lines[2] = lines[2].replace(b"number", b"nomber")
    journal.write_bytes(b"\n".join(lines))
    ran = shell("verify")
    assert ran.code == 1
    assert f"{journal.relative_to(shell.home)}:3: " in ran.out
    assert "nomber" not in ran.out + ran.err
    report = shell("verify", "--json").json()
    assert report["ok"] is False
    assert (report["problems"][0]["line"], report["problems"][0]["file"]) == (3, str(journal.relative_to(shell.home)))
    assert len(shell.json("search", "note")["hits"]) == 2
    assert shell.good("status").out.startswith("! 1 damaged lines")


def test_verify_and_status_name_what_was_lost_from_the_end_of_a_journal(shell: Shell) -> None:
    *_, last = filled(shell)
    journal = journal_of(shell)
    shell.good("sync")
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:-1]))
    ran = shell("verify")
    assert ran.code == 1
    assert "all is well" not in ran.out
    (found,) = [line for line in ran.out.splitlines() if last in line]
    assert journal.parent.name in found
    assert "only the index still had it" in found
    assert "1 entries were lost" in shell("status").out
    assert "1 damaged or lost entries left out" in shell("search", "number").err


def test_status_says_what_there_is_for_people_and_programs(shell: Shell) -> None:
    ids = filled(shell)
    shell.good("delete", ids[0])
    shown = shell.good("status").out
    assert shown.startswith("all is well\n")
    assert "2 entries in 1 session, 1 deleted" in shown
    assert "MiB" in shown
    report = shell.json("status")
    assert report["disk"]["total"] > 0
    assert report["counts"]["entries"] == 2


def test_status_puts_warnings_first(shell: Shell) -> None:
    filled(shell)
    ran = shell.good("status", HOLDFAST_ZEPPELIN="3")
    assert ran.out.startswith("! ")
    assert "HOLDFAST_ZEPPELIN" in ran.out.splitlines()[0]
    assert ran.err.startswith("warning: ")


def test_stats_count_by_type_and_by_session(shell: Shell) -> None:
    filled(shell)
    shell.add("Use the code flow", "--type", "decision", "--session", "login")
    assert "3 notes, 1 decision" in shell.good("stats").out
    assert shell.json("stats")["types"] == {"note": 3, "decision": 1}
    shown = shell.good("stats", "--session", "chat").out
    assert "chat (sess_" in shown
    assert "3 entries" in shown
    assert shell.json("stats", "--session", "login")["total_entries"] == 1
    assert shell("stats", "--session", "nobody").code == 3


def test_reindex_and_sync_bring_back_what_was_lost(shell: Shell) -> None:
    filled(shell)
    before = shell.json("search", "note")["hits"]
    shown = shell.good("reindex").out
    assert "built anew" in shown
    assert "3 entries of 1 journal" in shown
    assert [hit["id"] for hit in shell.json("search", "note")["hits"]] == [hit["id"] for hit in before]
    assert shell.json("reindex")["entries"] == 3
    assert shell.good("sync").out == "everything was level\n"
    assert shell.json("sync") == {"changed": 0, "behind": 0, "without_vector": 0, "reason": None}


def test_compact_erases_what_was_deleted(shell: Shell) -> None:
    ids = filled(shell)
    shell.good("delete", ids[0])
    assert "1 entry erased" in shell.good("compact", "chat").out
    assert shell("undelete", ids[0]).code == 3
    assert shell.json("compact")["entries_after"] == 2
    assert shell("compact", "nobody").code == 3


def test_compact_does_what_it_can_and_names_the_rest(shell: Shell) -> None:
    ids = filled(shell)
    other = shell.add("in another session", "--session", "other")
    shell.good("delete", ids[0])
    shell.good("delete", other)
    broken = journal_at(shell, shell.json("stats", "--session", "other")["session_id"])
    broken.rename(broken.with_suffix(".away"))
    broken.mkdir()
    ran = shell("compact")
    assert (ran.code, "1 entry erased" in ran.out) == (1, True)
    assert f"{broken.parent.name} was left as it is" in ran.err
    assert [failure["journal"] for failure in shell("compact", "--json").json()["failed"]] == [broken.parent.name]
    broken.rmdir()
    broken.with_suffix(".away").rename(broken)
    assert "1 entry erased" in shell.good("compact").out


def test_a_long_task_shows_a_bar_on_a_terminal_only(shell: Shell) -> None:
    """The patience is taken away, since a home that takes a second to build would make the test slow."""
    filled(shell, 30)
    assert shell.good("reindex").err == ""
    code = "import sys, holdfast.cli.progress as p; p.PATIENCE = 0; from holdfast.cli import main; main()"
    program = shell.home.parent / "impatient.py"
    program.write_text(code)
    ran = shell.on_terminal("reindex", program=str(program))
    assert ran.code == 0
    assert "reindexing" in plain(ran.out)


@pytest.mark.parametrize(
    "name", ["list", "status", "stats", "verify", "sync", "reindex", "compact", "sessions", "export"]
)
def test_a_home_that_cannot_be_opened_is_one_clear_line(shell: Shell, name: str) -> None:
    shell.home.write_text("this is a file")
    ran = shell(name, "--json")
    assert ran.code in (1, 2)
    assert str(shell.home) in ran.json()["error"]["message"]
    assert ran.err.count("\n") == 1
