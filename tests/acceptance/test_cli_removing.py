"""Removing from the shell: delete can be undone, forget asks first and proves what it did."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.acceptance.shell import Shell, plain

if TYPE_CHECKING:
    from pathlib import Path

NOBODY = "mem_01KG2D5T7QH3V8ZJ4N6R9WXYAB"
WORD = "quinquereme"


def files_with(home: Path, word: str) -> list[Path]:
    return [path for path in home.rglob("*") if path.is_file() and word.encode() in path.read_bytes()]


def test_delete_hides_and_says_how_to_undo_it(shell: Shell) -> None:
    id = shell.add("an oak")
    shown = shell.good("delete", id).out
    assert f"holdfast undelete {id}" in shown
    assert shell("search", "oak").code == 3
    assert "an oak" in shell.good("undelete", id).out
    assert shell("search", "oak").code == 0


def test_delete_of_several_names_those_that_are_not_there(shell: Shell) -> None:
    id = shell.add("an oak")
    ran = shell("delete", id, NOBODY, "--json")
    assert ran.code == 1
    assert ran.json() == {"deleted": [id], "missing": [NOBODY]}
    assert shell("delete", NOBODY).code == 3
    assert shell("undelete", NOBODY).code == 3
    assert shell("delete", "nonsense").code == 2


def test_forget_shows_a_plan_and_erases_nothing_in_a_dry_run(shell: Shell) -> None:
    id = shell.add(f"a {WORD} of Nineveh", "--tag", "personal.ships")
    ran = shell.good("forget", "--topic", "personal", "--dry-run")
    assert "would erase 1 entry" in ran.out
    assert WORD in ran.out
    plan = shell.json("forget", id, "--dry-run")
    assert (plan["dry_run"], plan["entries"], plan["clean"]) == (True, [id], False)
    assert shell.json("get", id)["id"] == id


def test_forget_without_a_terminal_and_without_yes_is_refused(shell: Shell) -> None:
    id = shell.add("an oak")
    ran = shell("forget", id)
    assert (ran.code, ran.out) == (2, "")
    assert "--dry-run" in ran.err
    assert "--yes" in ran.err
    assert shell.json("get", id)["id"] == id


def test_forget_asks_at_a_terminal_and_no_is_no(shell: Shell) -> None:
    id = shell.add(f"a {WORD} of Nineveh")
    ran = shell.on_terminal("forget", id, typed="n\n")
    assert ran.code == 1
    assert WORD in plain(ran.out)
    assert "nothing was erased" in ran.out
    assert shell.json("get", id)["id"] == id


def test_forget_asks_at_a_terminal_and_yes_erases(shell: Shell) -> None:
    id = shell.add(f"a {WORD} of Nineveh")
    ran = shell.on_terminal("forget", id, typed="y\n")
    assert ran.code == 0
    assert "forgotten: 1 entry" in plain(ran.out)
    assert "nothing was found" in plain(ran.out)
    assert shell("get", id).code == 3
    assert files_with(shell.home, WORD) == []


def test_forget_with_yes_prints_the_receipt(shell: Shell) -> None:
    shell.add(f"a {WORD} of Nineveh", "--tag", "personal")
    kept = shell.add("an oak")
    receipt = shell.json("forget", "--topic", "personal", "--yes")
    assert receipt["clean"] is True
    assert receipt["count"] == 1
    assert receipt["residue"] == []
    assert receipt["checked"]["files"] > 0
    assert files_with(shell.home, WORD) == []
    assert shell.json("get", kept)["content"]["text"] == "an oak"


def test_forget_is_asked_on_stderr_when_the_answer_is_json(shell: Shell) -> None:
    id = shell.add("an oak")
    ran = shell.on_terminal("forget", id, "--json", typed="y\n")
    assert ran.code == 0
    asked, _, answer = plain(ran.out).partition("{")
    assert "would erase 1 entry" in asked
    assert json.loads("{" + answer)["clean"] is True


def test_forget_of_nothing_is_exit_code_three(shell: Shell) -> None:
    ran = shell("forget", "--topic", "nothing", "--yes")
    assert (ran.code, ran.out, ran.err) == (3, "", "there is nothing to forget\n")
    assert shell("forget", NOBODY, "--yes").code == 3


def test_forget_of_a_session_a_key_a_time_and_everything(shell: Shell) -> None:
    shell.add(f"a {WORD}", "--session", "ships")
    shell.good("remember", "vessel", f"a {WORD}")
    shell.good("remember", "vessel", f"another {WORD}")
    shell.add(f"an old {WORD}", "--timestamp", "2020-01-01T00:00:00Z", "--session", "old")
    shell.add("an oak")
    assert shell.json("forget", "--session", "ships", "--yes")["count"] == 1
    assert shell.json("forget", "--key", "vessel", "--yes")["count"] == 2
    assert shell.json("forget", "--older-than", "90d", "--yes")["count"] == 1
    assert files_with(shell.home, WORD) == []
    assert len(shell.json("list")) == 1
    assert shell.json("forget", "--everything", "--yes")["count"] == 1
    assert shell("list").code == 3


def test_naming_a_user_is_no_wish_to_erase_them(shell: Shell) -> None:
    shell.add("an oak", "--user", "ana")
    assert shell("forget", "--user", "ana", "--yes").code == 2
    shell.add("an elm", "--user", "ben")
    shell.good("forget", "--everything", "--user", "ana", "--yes")
    assert shell("list", "--user", "ana").code == 3
    assert len(shell.json("list", "--user", "ben")) == 1


def test_the_plan_for_a_session_without_entries_names_nobody_elses(shell: Shell) -> None:
    id = shell.add("an oak", "--session", "emptied")
    shell.good("forget", id, "--yes")
    shell.add(f"a {WORD}", "--session", "another")
    plan = shell.good("forget", "--session", "emptied", "--dry-run").out
    assert plan == "This would erase 1 journal without entries, for good.\n"


def test_the_plan_for_former_words_names_the_entry_that_stays(shell: Shell) -> None:
    id = shell.add("an elm")
    shell.add(f"a {WORD}")
    plan = shell.good("forget", id, "--history", "--dry-run").out
    assert "the former words of 1 entry" in plan
    assert "an elm" in plan
    assert WORD not in plan


def test_forget_of_former_words_keeps_the_entry(shell: Shell) -> None:
    id = shell.add(f"a {WORD}")
    shell.good("amend", id, "--text", "an oak")
    assert files_with(shell.home, WORD) != []
    shell.good("forget", id, "--history", "--yes")
    assert files_with(shell.home, WORD) == []
    assert shell.json("get", id)["content"]["text"] == "an oak"


@pytest.mark.parametrize(
    "arguments", [("--key", "vessel", "--topic", "x"), ("--everything", "--topic", "x"), ("--everything", NOBODY)]
)
def test_choices_that_contradict_each_other_are_refused(shell: Shell, arguments: tuple[str, ...]) -> None:
    assert shell("forget", *arguments, "--yes").code == 2


def test_the_plan_names_entries_with_the_same_words(shell: Shell) -> None:
    first = shell.add(f"a {WORD} of Nineveh")
    second = shell.add(f"a {WORD} of Nineveh", "--session", "other")
    assert second in shell.good("forget", first, "--dry-run").out
    receipt = shell.good("forget", first, "--yes").out
    assert second in receipt
    assert shell.json("get", second)["id"] == second
