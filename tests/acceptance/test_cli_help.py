"""The command line explains itself: overview, help by example, mistakes, completion, and what it loads."""

from __future__ import annotations

import json
import subprocess
import sys

import click
import pytest

from holdfast.cli.commands import ALIASES, GROUPS, ROWS
from holdfast.cli.root import root
from tests.acceptance.shell import SRC, Shell

COMMANDS = [
    "demo", "add", "search", "context", "query", "get", "list", "sessions", "timeline", "tags", "pin", "unpin", "amend",
    "remember", "memories", "delete", "undelete", "forget", "export", "import", "sync", "reindex", "compact", "verify",
    "stats", "status", "config", "completion",
]  # fmt: skip
LATER = [
    "learn", "summarize", "facts", "prune", "scrub", "trust", "serve", "open", "mcp", "hook", "install", "uninstall",
    "doctor", "token", "grant", "backup", "restore",
]  # fmt: skip


def command(name: str) -> click.Command:
    found = root.get_command(click.Context(root), name)
    assert found is not None
    return found


def test_there_are_the_commands_of_this_stage_and_no_others() -> None:
    assert sorted(ROWS) == sorted(COMMANDS)
    assert ALIASES == {"show": "get"}
    assert not set(LATER) & set(ROWS)


def test_holdfast_alone_greets_and_names_every_command(shell: Shell) -> None:
    ran = shell.good()
    assert all(f" {name}" in ran.out for name in COMMANDS)
    assert len(ran.out.splitlines()) <= 20
    assert all(heading in ran.out for heading, _rows in GROUPS)
    assert not shell.home.exists()


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_says_what_each_command_does(shell: Shell, option: str) -> None:
    shown = shell.good(option).out
    for row in ROWS.values():
        assert row.summary in shown


def test_the_version_is_printed(shell: Shell) -> None:
    from holdfast import __version__

    assert shell.good("--version").out == f"holdfast {__version__}\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_the_table_and_the_command_say_the_same(name: str) -> None:
    summary = (command(name).help or "").strip().splitlines()[0]
    assert summary == ROWS[name].summary


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_teaches_by_example(name: str) -> None:
    help = command(name).help or ""
    examples = [line for line in help.partition("\b")[2].splitlines() if "holdfast " in line]
    assert 2 <= len(examples) <= 6, help
    assert any(f"holdfast {name}" in line for line in examples)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_takes_the_options_of_all(name: str) -> None:
    found = command(name)
    leaves = list(found.commands.values()) if isinstance(found, click.Group) else [found]
    for leaf in leaves:
        given = {option for param in leaf.params for option in param.opts}
        assert {"--home", "--agent", "--user", "--json", "--debug"} <= given


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_explained(name: str) -> None:
    found = command(name)
    leaves = list(found.commands.values()) if isinstance(found, click.Group) else [found]
    for leaf in leaves:
        assert [param.name for param in leaf.params if isinstance(param, click.Option) and not param.help] == []


def test_the_help_of_a_command_shows_its_own_options_first(shell: Shell) -> None:
    shown = shell.good("add", "--help").out
    assert shown.index("--importance") < shown.index("Options of every command:") < shown.index("--home")


def test_a_mistyped_command_is_answered_with_the_nearest(shell: Shell) -> None:
    ran = shell("serach", "x")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "error: there is no command 'serach'; did you mean 'search'? (see `holdfast --help`)\n"


@pytest.mark.parametrize("name", LATER)
def test_a_command_of_a_later_stage_does_not_exist(name: str) -> None:
    assert root.get_command(click.Context(root), name) is None


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("add", "--nonsense"), "--nonsense"),
        (("search",), "WORDS"),
        (("search", "x", "--limit", "many"), "many"),
        (("search", "x", "--rank", "best"), "best"),
        (("get",), "ID"),
        (("forget",), "say what to forget"),
        (("amend", "mem_01KG2D5T7QH3V8ZJ4N6R9WXYAB"), "nothing to change"),
        (("completion", "tcsh"), "tcsh"),
    ],
)
def test_a_wrong_call_is_one_line_and_exit_code_two(shell: Shell, arguments: tuple[str, ...], part: str) -> None:
    ran = shell(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error: ")
    assert ran.err.count("\n") == 1
    assert part in ran.err
    assert "--help`" in ran.err
    assert not shell.home.exists()


def test_a_wrong_call_with_json_is_an_object_on_stdout(shell: Shell) -> None:
    ran = shell("search", "x", "--limit", "0", "--json")
    assert ran.code == 2
    assert ran.json()["error"]["type"] == "Invalid"
    assert ran.json()["error"]["details"]["field"] == "limit"
    assert ran.err.startswith("error: limit ")
    assert shell("--json", "nothing-like-it").json()["error"]["type"] == "Usage"


def test_options_of_every_command_may_stand_before_or_after_it(shell: Shell) -> None:
    shell.add("a note about oak", "--user", "ana")
    before = shell.good("--json", "--user", "ana", "search", "oak").json()
    after = shell.good("search", "oak", "--json", "--user", "ana").json()
    assert [hit["id"] for hit in before["hits"]] == [hit["id"] for hit in after["hits"]]
    assert len(after["hits"]) == 1
    assert shell("search", "oak").code == 3  # of the default user there is nothing


def test_a_dash_dash_ends_the_options(shell: Shell) -> None:
    id = shell.add("--", "--json is an option")
    assert shell.json("get", id)["content"]["text"] == "--json is an option"


@pytest.mark.parametrize("verb", ["add", "search", "context"])
def test_a_text_taken_for_an_option_is_told_how_to_be_a_text(shell: Shell, verb: str) -> None:
    ran = shell(verb, "- [ ] fix the deploy")
    assert ran.code == 2
    assert "before a text that begins with a dash put `--`" in ran.err
    assert "dash" not in shell("status", "--nonsense").err  # which takes no text


@pytest.mark.parametrize("option", ["--home", "--user", "--agent"])
def test_an_empty_name_is_not_the_default_one(shell: Shell, option: str) -> None:
    shell.add("a note about oak")
    for arguments in (("search", "oak", option, ""), (option, "", "search", "oak")):
        ran = shell(*arguments)
        assert (ran.code, ran.out) == (2, ""), arguments
        assert ran.err.startswith(f"error: {'path' if option == '--home' else option[2:]} "), arguments


def test_the_home_and_agent_may_be_named(shell: Shell) -> None:
    other = shell.home.parent / "other"
    shell.add("a note about elm", "--home", str(other), "--agent", "coder")
    assert (other / "agents" / "coder").is_dir()
    assert not shell.home.exists()
    assert shell("search", "elm", "--home", str(other)).code == 3
    assert shell("search", "elm", "--home", str(other), "--agent", "coder").code == 0


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(shell: Shell, name: str) -> None:
    assert "_HOLDFAST_COMPLETE" in shell.good("completion", name).out
    assert shell.json("completion", name)["shell"] == name


def test_a_shell_completes_commands_options_and_types(shell: Shell) -> None:
    def completed(words: str, at: int) -> list[str]:
        asked = {"_HOLDFAST_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(at)}
        return [line.partition(",")[2] for line in shell(**asked).out.splitlines()]

    assert completed("holdfast re", 1) == ["remember", "reindex"]
    assert "--min-importance" in completed("holdfast search --m", 2)
    assert completed("holdfast add --type de", 3) == ["decision"]


def test_an_internal_failure_is_one_line_without_what_was_remembered(shell: Shell) -> None:
    """A broken part of ours: the person sees its kind, and the place only when asked."""
    code = (
        "import sys, holdfast.cli.finding as f\n"
        "f.narrowed = lambda *a: (_ for _ in ()).throw(RuntimeError('the secret words'))\n"
        "sys.argv = ['holdfast', *sys.argv[1:]]\n"
        "from holdfast.cli import main; main()"
    )

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", code, *arguments]
        return subprocess.run(command, capture_output=True, text=True, env=shell.environment, timeout=60)

    quiet = run("search", "x")
    assert quiet.returncode == 1
    assert quiet.stderr == "error: Holdfast itself failed (RuntimeError); run it again with --debug to see where\n"
    assert "Traceback" in run("search", "x", "--debug").stderr


def loaded(shell: Shell, *arguments: str) -> set[str]:
    """The modules in memory after a command ran."""
    code = (
        "import sys\nfrom holdfast.cli.run import run\nrun(sys.argv[1:])\n"
        "import json; print('\\n' + json.dumps(sorted(sys.modules)))"
    )
    command = [sys.executable, "-c", code, *arguments]
    ran = subprocess.run(command, capture_output=True, text=True, env=shell.environment, timeout=60, cwd=SRC)
    return set(json.loads(ran.stdout.splitlines()[-1]))


@pytest.mark.parametrize("arguments", [(), ("--help",), ("--version",)])
def test_help_loads_no_command_and_no_store(shell: Shell, arguments: tuple[str, ...]) -> None:
    found = loaded(shell, *arguments)
    ours = {name for name in found if name.startswith("holdfast.cli.")}
    assert ours == {f"holdfast.cli.{name}" for name in ("commands", "everywhere", "root", "run", "screen", "visible")}
    assert not found & {"apsw", "rich", "numpy", "holdfast.memory", "holdfast.index"}


@pytest.mark.parametrize("arguments", [("add", "an oak"), ("list",), ("sessions",), ("status",)])
def test_no_everyday_command_loads_rich_or_numpy_in_a_pipe(shell: Shell, arguments: tuple[str, ...]) -> None:
    shell.add("an oak")
    assert not loaded(shell, *arguments) & {"rich", "numpy", "asyncio", "tomlkit", "platformdirs", "dataclasses"}


def test_a_search_in_a_pipe_loads_numpy_for_its_vectors_and_nothing_heavier(shell: Shell) -> None:
    shell.add("an oak")
    found = loaded(shell, "search", "oak")
    assert "numpy" in found
    assert not found & {"rich", "asyncio", "tomlkit", "platformdirs"}
