"""Remembering and finding from the shell: add, search, context, query, get, list and their relatives."""

from __future__ import annotations

import json
import re
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.acceptance.shell import Shell, plain

if TYPE_CHECKING:
    from pathlib import Path

NOBODY = "mem_01KG2D5T7QH3V8ZJ4N6R9WXYAB"
HIT = {
    "id", "type", "source", "path", "start_line", "end_line", "score", "snippet", "timestamp", "session_id",
    "session_key", "user_id", "workspace", "author", "role", "key", "tags", "provenance", "pinned", "scores",
}  # fmt: skip


# -- add


def test_add_prints_the_id_and_nothing_else(shell: Shell) -> None:
    ran = shell.good("add", "The oak is by the river")
    assert ran.err == ""
    assert shell.json("get", ran.out.strip())["content"]["text"] == "The oak is by the river"


def test_add_takes_every_field(shell: Shell, tmp_path: Path) -> None:
    first = shell.add("a question")
    entry = shell.json(
        "add", "Use", "the", "code", "flow", "--type", "decision", "--author", "Ana", "--role", "user",
        "--tag", "Shop.Login", "--tag", "oauth2", "--importance", "0.9", "--rationale", "safest",
        "--alternative", "implicit", "--alternative", "PKCE", "--session", "login", "--workspace", str(tmp_path),
        "--reference", first, "--pin", "--sensitive", "--tool", "grep", "--path", "src/login.py",
        "--provenance", "agent", "--metadata", '{"ticket": 42}', "--timestamp", "2026-01-10T14:23:45Z", "--user", "ana",
    )  # fmt: skip
    assert entry["type"] == "decision"
    assert entry["content"] == {
        "text": "Use the code flow", "decision": "Use the code flow", "role": "user", "author": "Ana",
        "rationale": "safest", "alternatives": ["implicit", "PKCE"],
    }  # fmt: skip
    assert entry["tags"] == ["shop.login", "oauth2"]
    assert entry["importance"] == 0.9
    assert entry["references"] == [first]
    assert (entry["pinned"], entry["sensitive"]) == (True, True)
    assert (entry["tool"], entry["path"], entry["provenance"]) == ("grep", "src/login.py", "agent")
    assert entry["metadata"] == {"ticket": 42}
    assert entry["timestamp"] == "2026-01-10T14:23:45.000Z"
    assert entry["user_id"] == "ana"
    assert entry["workspace"] == str(tmp_path)
    assert shell.json("sessions", "--user", "ana")[0]["key"] == "login"


@pytest.mark.parametrize("arguments", [("add", "-"), ("add",)])
def test_add_reads_stdin(shell: Shell, arguments: tuple[str, ...]) -> None:
    id = shell.good(*arguments, stdin="two lines\nof text\n").out.strip()
    assert shell.json("get", id)["content"]["text"] == "two lines\nof text"


def test_add_without_text_at_a_terminal_asks_for_some(shell: Shell) -> None:
    ran = shell.on_terminal("add")
    assert ran.code == 2
    assert "there is no text to remember" in ran.out


def test_add_with_an_id_may_be_repeated(shell: Shell) -> None:
    assert shell.add("an oak", "--id", NOBODY) == NOBODY
    assert shell.add("an oak", "--id", NOBODY) == NOBODY
    assert shell("add", "an elm", "--id", NOBODY).code == 2
    assert len(shell.json("list")) == 1


def test_add_of_a_preference_needs_scope_and_key(shell: Shell) -> None:
    shell.add("vim", "--key", "editor", "--scope", "user")
    assert shell.good("memories", "editor").out == "vim\n"


def test_what_looks_like_a_secret_is_replaced(shell: Shell) -> None:
    key = "AKIA" + "Q3EGWYTB6HZ4N5RD"
    entry = shell.json("add", f"the key is {key}")
    assert key not in json.dumps(entry)
    assert "[redacted:" in entry["content"]["text"]


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (("add", "  "), "text"),
        (("add", "x", "--importance", "2"), "importance"),
        (("add", "x", "--importance", "nan"), "importance"),
        (("add", "x", "--type", "decison"), "type"),
        (("add", "x", "--tag", "with space"), "tags[0]"),
        (("add", "x", "--timestamp", "2026-01-10T14:23:45"), "timestamp"),
        (("add", "x", "--metadata", "[1]"), "metadata"),
        (("add", "x", "--metadata", "{broken"), "metadata"),
        (("add", "x", "--metadata", '{"a": NaN}'), "metadata"),
        (("add", "x", "--reference", "../../etc/passwd"), "references[0]"),
        (("add", "x", "--user", "*"), "user"),
        (("add", "x", "--key", "Editor", "--scope", "user"), "key"),
    ],
)
def test_a_wrong_field_is_named_and_nothing_is_stored(shell: Shell, arguments: tuple[str, ...], field: str) -> None:
    ran = shell(*arguments, "--json")
    assert ran.code == 2
    assert ran.json()["error"]["type"] == "Invalid"
    assert ran.json()["error"]["details"]["field"] == field
    assert ran.err.count("\n") == 1
    assert shell("list", "--user", "*").code == 3


def test_add_jsonl_takes_all_lines(shell: Shell, tmp_path: Path) -> None:
    lines = [{"text": f"turn {number}", "role": "user", "session": "chat-7"} for number in range(5)]
    (tmp_path / "chat.jsonl").write_text("\n\n".join(map(json.dumps, lines)))
    ids = shell.good("add", "--jsonl", str(tmp_path / "chat.jsonl")).out.split()
    assert len(set(ids)) == 5
    assert [entry["id"] for entry in shell.json("timeline", "chat-7")] == ids
    again = shell.json("add", "--jsonl", "-", stdin=json.dumps({"text": "one more"}))
    assert [entry["content"]["text"] for entry in again] == ["one more"]


def test_a_byte_order_mark_before_what_is_added_is_skipped(shell: Shell) -> None:
    marked = b'\xef\xbb\xbf{"text": "one"}\n{"text": "two"}\n'
    assert [entry["content"]["text"] for entry in shell.json("add", "--jsonl", "-", stdin=marked)] == ["one", "two"]
    assert shell.json("add", "-", stdin=b"\xef\xbb\xbfthree\n")["content"]["text"] == "three"


@pytest.mark.parametrize(
    ("lines", "part"),
    [
        ('{"text": "good"}\n{"text": ', "line 2"),
        ('{"text": "good"}\n["text"]', "line 2"),
        ('{"text": "good"}\n{"text": "x", "importance": 7}', "importance"),
        ('{"text": "good"}\n{"text": "x", "importance": NaN}', "line 2"),
        ('{"text": "good"}\n\udcff', "line 2"),
    ],
)
def test_add_jsonl_takes_all_lines_or_none(shell: Shell, lines: str, part: str) -> None:
    ran = shell("add", "--jsonl", "-", stdin=lines.encode("utf-8", "surrogateescape"))
    assert ran.code == 2
    assert part in ran.err
    assert shell("list").code == 3


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ('{"text": "a"}\n\n{"text": "b", "importance": 3}', "stdin, line 3: importance must be from 0.0 to 1.0"),
        ('{"text": "a", "sesion": "x"}', 'stdin, line 1: sesion is not a field, did you mean "session"?'),
        ('{"text": "a"}\n["b"]', 'stdin, line 2, must be a JSON object such as {"text": "…"}'),
    ],
)
def test_add_jsonl_names_the_line_that_is_wrong(shell: Shell, lines: str, said: str) -> None:
    ran = shell("add", "--jsonl", "-", stdin=lines)
    assert ran.code == 2
    assert said in ran.err


def test_add_without_a_text_says_how_to_give_one(shell: Shell) -> None:
    ran = shell("add", stdin="\n")
    assert ran.code == 2
    assert "give it as an argument, or `-` to read stdin" in ran.err


def test_add_jsonl_with_other_options_is_refused(shell: Shell) -> None:
    assert shell("add", "--jsonl", "-", "--tag", "x", stdin="{}").code == 2
    assert shell("add", "--jsonl", "/does/not/exist").code == 3


# -- search


FILLING = {
    "flow": {"text": "Use the authorization code flow", "type": "decision", "tags": ["shop.login"], "session": "login"},
    "elm": {"text": "The elm grows on the hill", "timestamp": "2020-05-05T05:05:05Z", "tags": ["trees"]},
    "oak": {"text": "The oak grows by the river", "author": "Ana", "role": "user", "importance": 0.9},
}


def filled(shell: Shell) -> dict[str, str]:
    """A few entries by a short name."""
    ids = shell.good("add", "--jsonl", "-", stdin="\n".join(map(json.dumps, FILLING.values()))).out.split()
    return dict(zip(FILLING, ids, strict=True))


def test_search_shows_what_who_when_and_where(shell: Shell) -> None:
    ids = filled(shell)
    shown = shell.good("search", "oak", "river").out
    assert "The oak grows by the river" in shown
    assert "by Ana (user)" in shown
    assert "session default" in shown
    assert ids["oak"] in shown
    assert "elm" not in shown


def test_search_json_has_exactly_the_shape_of_the_contract(shell: Shell) -> None:
    ids = filled(shell)
    found = shell.json("search", "which flow?")
    assert list(found) == ["hits", "mode", "degraded", "took_ms"]
    assert [hit["id"] for hit in found["hits"]] == [ids["flow"]]
    assert set(found["hits"][0]) == HIT
    assert (found["mode"], found["degraded"]) == ("hybrid", None)
    assert found["hits"][0]["session_key"] == "login"
    assert [found["hits"][0][name] for name in ("author", "role", "key")] == [None, None, None]
    [oak] = shell.json("search", "oak", "river", "--limit", "1")["hits"]
    assert [oak[name] for name in ("author", "role", "key")] == ["Ana", "user", None]


def test_search_shows_of_what_a_value_is_the_value_and_the_path(shell: Shell) -> None:
    shell.good("remember", "shoe_size", "43")
    shell.add("The login is broken", "--path", "src/my  login.py")
    assert "\n   shoe_size: 43\n" in shell.good("search", "shoe size").out
    assert " · path src/my  login.py  " in shell.good("search", "login").out
    assert " · path src/my  login.py\n" in shell.good("list").out
    assert "shoe_size: 43" in plain(shell.on_terminal("search", "shoe size").out)


def test_search_that_finds_nothing_says_so_with_exit_code_three(shell: Shell) -> None:
    filled(shell)
    ran = shell("search", "zeppelin")
    assert (ran.code, ran.out, ran.err) == (3, "", "nothing matches\n")


def test_search_where_nothing_is_remembered_names_user_and_home(shell: Shell) -> None:
    filled(shell)
    ran = shell("search", "oak", "--user", "anna")
    assert (ran.code, ran.out) == (3, "")
    assert ran.err == f"nothing is remembered for user anna in {shell.home} yet; `holdfast add` remembers something\n"
    assert shell("search", "oak", "--offset", "200").err == "no more than 200 hits matched\n"


def test_search_in_what_cannot_be_read_does_not_say_that_nothing_is_remembered(shell: Shell) -> None:
    shell.add("The oak by the river")
    (journal,) = (shell.home / "agents" / "main" / "sessions").glob("*/memory.jsonl")
    journal.unlink()
    journal.mkdir()
    shutil.rmtree(shell.home / "agents" / "main" / "index")
    ran = shell("search", "oak")
    assert ran.code == 3
    assert "cannot be read" in ran.err
    assert ran.err.endswith("\nnothing matches\n")


@pytest.mark.parametrize("verb", ["search", "context"])
def test_a_question_may_come_by_stdin(shell: Shell, verb: str) -> None:
    shell.add("The oak by the river")
    assert "by the river" in shell.good(verb, "-", stdin="where is\r\nthe oak?\r\n").out
    assert shell("search", "-", stdin="4711\n").code == 3
    assert shell(verb, "-", stdin=b"caf\xe9").code == 2


@pytest.mark.parametrize("columns", ["1", "7"])
def test_a_narrow_terminal_leaves_no_words_out(shell: Shell, columns: str) -> None:
    shell.add("The oak by the river", "--tag", "trees")
    for arguments in (("search", "oak"), ("list",), ("tags",)):
        narrow = plain(shell.on_terminal(*arguments, COLUMNS=columns).out).split()
        wide = plain(shell.on_terminal(*arguments, COLUMNS="90").out).split()
        assert "".join(narrow) == "".join(wide), arguments


@pytest.mark.parametrize("question", ["", "?!", "🍕"])
def test_a_question_without_words_is_told_so(shell: Shell, question: str) -> None:
    shell.add("I like 🍕, do you?!")
    ran = shell("search", question)
    assert (ran.code, ran.out) == (3, "")
    assert "the question has no words or numbers" in ran.err


def test_a_page_after_the_last_one_does_not_say_that_nothing_matches(shell: Shell) -> None:
    shell.add("The oak is by the river")
    ran = shell("search", "oak", "--offset", "1")
    assert (ran.code, ran.out, ran.err) == (3, "", "no more than 1 hit matched\n")


def test_a_list_that_filters_leave_empty_does_not_say_that_nothing_is_remembered(shell: Shell) -> None:
    assert shell("list").err == "nothing is remembered yet\n"
    assert shell("list", "--deleted").err == "nothing was deleted\n"
    shell.add("The oak is by the river")
    assert shell("list", "--tag", "tree").err == "no entry passes these filters\n"
    assert shell("list", "--offset", "1").err == "no entry passes these filters\n"
    assert shell("list", "--deleted", "--tag", "tree").err == "no deleted entry passes these filters\n"
    empty = shell("search", "zeppelin", "--json")
    assert (empty.code, empty.json()["hits"]) == (3, [])


def test_search_explains_every_factor(shell: Shell) -> None:
    filled(shell)
    ran = shell.good("search", "oak", "--explain")
    for factor in ("match", "importance", "decay", "recency", "coverage"):
        assert factor in ran.out
    assert "mode hybrid" in ran.err


def test_search_explains_how_a_score_came_about(shell: Shell) -> None:
    filled(shell)
    told = re.findall(
        r"score: (\S+) = answered (\S+) × \(0\.9 \+ 0\.1 × own part (\S+)\) × influence (\S+)\n"
        r" +own part: the larger of coverage (\S+) and nearness (\S+), of cosine \S+; relevance \S+\n",
        shell.good("search", "which trees grow?", "--explain").out,
    )
    assert len(told) == 2
    for score, answered, own, influence, coverage, nearness in (map(float, numbers) for numbers in told):
        assert own == max(coverage, nearness)
        assert score == pytest.approx(answered * (0.9 + 0.1 * own) * influence, abs=2e-4)


@pytest.mark.parametrize(
    ("options", "names"),
    [
        (("--type", "decision"), []),
        (("--tag", "trees"), ["elm"]),
        (("--not-tag", "trees"), ["oak"]),
        (("--any-tag", "trees", "--any-tag", "shop"), ["elm"]),
        (("--since", "2w"), ["oak"]),
        (("--until", "2021-01-01"), ["elm"]),
        (("--min-importance", "0.8"), ["oak"]),
        (("--role", "user"), ["oak"]),
        (("--provenance", "agent"), []),
        (("--scope", "user"), []),
        (("--limit", "1", "--rank", "recent"), ["oak"]),
        (("--limit", "1", "--offset", "1", "--rank", "recent"), ["elm"]),
        (("--pinned",), []),
        (("--min-score", "0"), ["oak", "elm"]),
        (("--min-score", "1"), ["oak"]),
    ],
)
def test_search_filters(shell: Shell, options: tuple[str, ...], names: list[str]) -> None:
    ids = filled(shell)
    found = shell("search", "grows", "--json", *options).json()["hits"]
    assert {hit["id"] for hit in found} == {ids[name] for name in names}


def test_search_of_one_session_or_workspace(shell: Shell, tmp_path: Path) -> None:
    ids = filled(shell)
    found = shell.json("search", "flow oak", "--session", "login")
    assert [hit["id"] for hit in found["hits"]] == [ids["flow"]]
    assert shell("search", "flow", "--session", "nobody").code == 3
    assert shell("search", "flow", "--workspace", str(tmp_path)).code == 3


def test_search_marks_the_words_on_a_terminal(shell: Shell) -> None:
    filled(shell)
    ran = shell.on_terminal("search", "rivers")
    assert ran.code == 0
    assert "The oak grows by the river" in plain(ran.out)
    assert "\x1b[" in ran.out.partition("by the ")[2].partition("river")[0]
    assert "\x1b[" not in shell.good("search", "rivers").out


# -- query, get, list and the rest


def test_query_filters_exactly_and_follows_references(shell: Shell) -> None:
    ids = filled(shell)
    second = shell.add("because of it", "--reference", ids["flow"])
    assert [entry["id"] for entry in shell.json("query", "--type", "decision")] == [ids["flow"]]
    assert {entry["id"] for entry in shell.json("query", "--references", ids["flow"])} == {second}
    assert shell("query", "--type", "summary").err == "no entry passes these filters\n"
    assert shell("query", "--type", "summary", "--json").out == "[]\n"


def test_query_names_references_that_lead_nowhere(shell: Shell) -> None:
    missing = "mem_01KG2D5T7QH3V8ZJ4N6R9WXYAB"
    id = shell.good("add", "points nowhere", "--reference", missing).out.strip()
    assert f"{missing} is referred to" in shell("query", "--references", id).err


def test_query_prints_entries_for_people(shell: Shell) -> None:
    ids = filled(shell)
    shown = shell.good("query", "--tag", "trees").out
    assert "2020-05-05 05:05" in shown
    assert "The elm grows on the hill" in shown
    assert f"{ids['elm']} #trees" in shown


@pytest.mark.parametrize("name", ["get", "show"])
def test_get_shows_one_entry_whole(shell: Shell, name: str) -> None:
    id = shell.add(
        "first line\nsecond line", "--type", "decision", "--rationale", "it rhymes", "--metadata", '{"a": 1}'
    )
    shown = shell.good(name, id).out
    for part in (id, "first line\n  second line", "it rhymes", '{"a": 1}', "sha256:", "just now"):
        assert part in shown


def test_get_of_what_is_not_there_is_exit_code_three(shell: Shell) -> None:
    ran = shell("get", NOBODY, "--json")
    assert ran.code == 3
    assert ran.json()["error"]["type"] == "NotFound"
    assert shell("get", "../../etc/passwd").code == 2


def test_get_of_another_users_entry_is_not_found_when_a_user_is_named(shell: Shell) -> None:
    id = shell.add("mine", "--user", "ana")
    assert shell("get", id, "--user", "ben").code == 3
    assert shell.json("get", id, "--user", "ana")["user_id"] == "ana"


def test_list_is_newest_first_and_shows_deleted_ones_when_asked(shell: Shell) -> None:
    ids = filled(shell)
    assert [entry["id"] for entry in shell.json("list")] == [ids["oak"], ids["flow"], ids["elm"]]
    shell.good("delete", ids["oak"])
    assert [entry["id"] for entry in shell.json("list")] == [ids["flow"], ids["elm"]]
    assert [entry["id"] for entry in shell.json("list", "--deleted")] == [ids["oak"]]


def test_an_empty_memory_says_what_to_do_first(shell: Shell) -> None:
    for name in ("list", "sessions", "tags", "memories", "timeline", "query"):
        ran = shell(name)
        assert (ran.code, ran.out) == (3, ""), name
        assert ran.err, name
        assert shell(name, "--json").code == 3


def test_sessions_are_listed_last_used_first(shell: Shell) -> None:
    filled(shell)
    assert [card["key"] for card in shell.json("sessions")] == ["default", "login"]
    shown = shell.good("sessions").out.splitlines()
    assert shown[0].split()[:2] == ["last", "used"]
    assert "login" in shown[2]
    assert len(shell.json("sessions", "--limit", "1")) == 1
    assert "login" in plain(shell.on_terminal("sessions").out)


def test_a_timeline_goes_day_by_day(shell: Shell) -> None:
    for day, hour, text in (("10", "09", "hello"), ("10", "18", "goodbye"), ("11", "08", "hello again")):
        shell.add(text, "--session", "chat", "--role", "user", "--timestamp", f"2026-01-{day}T{hour}:00:00Z")
    assert shell.good("timeline", "chat").out == (
        "Saturday 10 January 2026\n  09:00  user: hello\n  18:00  user: goodbye\n"
        "\nSunday 11 January 2026\n  08:00  user: hello again\n"
    )
    assert [entry["content"]["text"] for entry in shell.json("timeline", "chat", "--since", "2026-01-11")] == [
        "hello again"
    ]
    assert shell.good("timeline").out == shell.good("timeline", "chat").out
    assert shell("timeline", "nobody").code == 3


def test_a_timeline_is_read_whole(shell: Shell) -> None:
    lines = [json.dumps({"text": f"turn {number}", "session": "long"}) for number in range(230)]
    shell.good("add", "--jsonl", "-", stdin="\n".join(lines))
    assert len(shell.json("timeline", "long")) == 230


def test_tags_are_counted(shell: Shell) -> None:
    filled(shell)
    assert shell.json("tags") == {"shop.login": 1, "trees": 1}
    assert shell.json("tags", "--session", "login") == {"shop.login": 1}
    assert shell.good("tags").out.splitlines()[1] == "      1  shop.login"


def test_context_prints_the_block_within_its_budget(shell: Shell) -> None:
    filled(shell)
    shell.good("remember", "editor", "vim")
    ran = shell.good("context", "which flow?")
    assert "Use the authorization code flow" in ran.out
    assert "editor: vim" in ran.out
    found = shell.json("context", "which flow?", "--budget", "60")
    assert found["tokens"] <= 60
    assert {"id", "text", "items", "degraded"} <= set(found)
    assert shell("context", "which flow?", "--budget", "0").code == 3


# -- changing


def test_remember_sets_lists_and_supersedes(shell: Shell) -> None:
    assert shell.good("remember", "editor", "vim").out == "editor is remembered for local\n"
    shell.good("remember", "editor", "-", stdin="helix\n")
    assert shell.good("memories", "editor").out == "helix\n"
    assert [entry["key"] for entry in shell.json("memories")] == ["editor"]
    assert shell("memories", "pager").code == 3
    assert shell("memories", "--user", "ana").code == 3
    assert shell("remember", "system_key", "x").code == 2


def test_pin_unpin_and_amend(shell: Shell) -> None:
    id = shell.add("an oak")
    assert shell.good("pin", id).out == f"{id} is pinned\n"
    assert shell.json("query", "--pinned")[0]["id"] == id
    assert shell.json("unpin", id)["pinned"] is False
    entry = shell.json("amend", id, "--importance", "0.9", "--tag", "tree", "--text", "an elm", "--sensitive")
    assert (entry["importance"], entry["tags"], entry["content"]["text"], entry["sensitive"]) == (
        0.9,
        ["tree"],
        "an elm",
        True,
    )
    assert shell.json("amend", id, "--no-tags", "--not-sensitive")["tags"] == []
    assert "new importance" in shell.good("amend", id, "--importance", "0.1").out
    assert shell("amend", id, "--importance", "7").code == 2
    assert shell("amend", id, "--tag", "x", "--no-tags").code == 2
    assert shell("pin", NOBODY).code == 3
