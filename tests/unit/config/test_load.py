"""Where a value comes from, and what happens to one that is wrong."""

from __future__ import annotations

import os
import pickle
import sys
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.config import Settings, default_home, load, toml
from holdfast.config.values import USER_CHARS
from holdfast.errors import BadConfig
from holdfast.guard.fields import USER_LENGTH

if TYPE_CHECKING:
    from pathlib import Path

FILE = """\
# mine
[recall]
limit = 10

[agents.coder.recall]
limit = 20
"""


@pytest.fixture
def home(tmp_path: Path) -> str:
    (tmp_path / "config.toml").write_text(FILE)
    return str(tmp_path)


def written(home: Path, text: str, **named: Any) -> Settings:
    (home / "config.toml").write_text(text)
    return load(str(home), environ={}, **named)


def refusal(home: Path, text: str, **named: Any) -> BadConfig:
    with pytest.raises(BadConfig) as caught:
        written(home, text, **named)
    return caught.value


def test_without_any_source_the_default_holds(tmp_path: Path) -> None:
    settings = load(str(tmp_path), environ={})
    assert (settings["recall.limit"], settings.origin("recall.limit")) == (6, "default")


def test_the_file_beats_the_default_and_says_on_which_line(home: str) -> None:
    settings = load(home, environ={})
    assert (settings["recall.limit"], settings.origin("recall.limit")) == (10, f"{home}/config.toml:3")


def test_the_agents_table_beats_the_file(home: str) -> None:
    settings = load(home, agent="coder", environ={})
    assert (settings["recall.limit"], settings.origin("recall.limit")) == (20, f"{home}/config.toml:6")


def test_the_environment_beats_the_agents_table(home: str) -> None:
    settings = load(home, agent="coder", environ={"HOLDFAST_RECALL_LIMIT": "30"})
    assert (settings["recall.limit"], settings.origin("recall.limit")) == (30, "HOLDFAST_RECALL_LIMIT")


def test_an_argument_beats_the_environment(home: str) -> None:
    settings = load(home, arguments={"recall.limit": 40}, environ={"HOLDFAST_RECALL_LIMIT": "30"})
    assert (settings["recall.limit"], settings.origin("recall.limit")) == (40, "argument")


def test_the_agent_may_come_from_the_environment_or_the_file(tmp_path: Path, home: str) -> None:
    assert load(home, environ={"HOLDFAST_AGENT": "coder"})["recall.limit"] == 20
    assert written(tmp_path, 'agent = "coder"\n' + FILE)["recall.limit"] == 20


def test_a_table_for_a_user_at_the_top_of_an_agent(tmp_path: Path) -> None:
    assert written(tmp_path, '[agents.coder]\nuser = "ana"\n', agent="coder")["user"] == "ana"


def test_an_empty_variable_counts_as_not_set(home: str) -> None:
    assert load(home, environ={"HOLDFAST_RECALL_LIMIT": ""})["recall.limit"] == 10


@pytest.mark.parametrize(
    ("variable", "text", "name", "value"),
    [
        ("HOLDFAST_DECAY_ENABLED", "off", "decay.enabled", False),
        ("HOLDFAST_DECAY_ENABLED", "Yes", "decay.enabled", True),
        ("HOLDFAST_DECAY_FLOOR", "0", "decay.floor", 0.0),
        ("HOLDFAST_JOURNAL_ENTRY_BYTES", "2_048", "journal.entry_bytes", 2048),
        ("HOLDFAST_SYNC_SOURCES", "sessions, memory", "sync.sources", ("sessions", "memory")),
        ("HOLDFAST_LOG_LEVEL", " warn ", "log.level", "warn"),
        ("HOLDFAST_USER", "whatsapp:49@s.whatsapp.net", "user", "whatsapp:49@s.whatsapp.net"),
    ],
)
def test_a_variable_is_read_as_the_kind_of_its_setting(
    tmp_path: Path, variable: str, text: str, name: str, value: Any
) -> None:
    assert load(str(tmp_path), environ={variable: text})[name] == value


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("recall.limit", 0), ("recall.limit", 201), ("recall.limit", 6.0), ("recall.limit", True),
        ("recall.limit", "6"), ("recall.limit", None), ("decay.floor", float("nan")), ("decay.floor", float("inf")),
        ("decay.floor", -0.1), ("decay.floor", True), ("decay.enabled", 1), ("decay.enabled", "true"),
        ("journal.durability", "Durable"), ("journal.durability", ["durable"]), ("sync.sources", "memory"),
        ("sync.sources", ["memory", "web"]), ("sync.sources", [1]), ("agent", "../up"), ("agent", "Main"),
        ("agent", ""), ("user", "*"), ("user", ""), ("user", "a\nb"), ("user", " ana"), ("user", "\ud800"),
        ("time.zone", "../etc/passwd"), ("log.file", "here.log"), ("index.path", "/var/index"),
        ("index.path", "{agent}/index"), ("embedder.url", "ftp://host/"), ("embedder.url", "https://me:pw@host/v1"),
        ("embedder.model", "x" * 1001), ("retention.days", 10**30),
    ],
)  # fmt: skip
def test_a_wrong_argument_names_the_setting_and_what_is_allowed(tmp_path: Path, name: str, value: Any) -> None:
    with pytest.raises(BadConfig) as caught:
        load(str(tmp_path), arguments={name: value}, environ={})
    assert caught.value.message.startswith(f"{name} (argument)")
    assert caught.value.details["allowed"] in caught.value.message


def test_an_address_is_not_repeated_in_the_error(tmp_path: Path) -> None:
    with pytest.raises(BadConfig) as caught:
        load(str(tmp_path), arguments={"embedder.url": "https://me:hunter2@host/"}, environ={})
    assert "hunter2" not in caught.value.message


def test_a_wrong_variable_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadConfig, match=r"recall\.limit \(HOLDFAST_RECALL_LIMIT\) is 'many'.* from 1 to 200"):
        load(str(tmp_path), environ={"HOLDFAST_RECALL_LIMIT": "many"})


def test_a_wrong_value_in_the_file_is_named_with_its_line(tmp_path: Path) -> None:
    error = refusal(tmp_path, '[journal]\nlock_ms = 1\n\n[recall] # here\nmin_score = 0.1\nlimit = "six"\n')
    assert f"recall.limit ({tmp_path}/config.toml:6) is 'six'" in error.message


def test_a_dotted_name_has_its_line_too(tmp_path: Path) -> None:
    assert f"{tmp_path}/config.toml:2)" in refusal(tmp_path, "# top\nrecall.limit = 0\n").message


def test_an_unknown_name_comes_with_the_one_that_was_meant(tmp_path: Path) -> None:
    error = refusal(tmp_path, "[recal]\nlimit = 3\n")
    assert error.message == f"recal.limit ({tmp_path}/config.toml:2) is no setting; did you mean recall.limit?"


def test_a_quoted_name_does_not_pass_for_a_dotted_one(tmp_path: Path) -> None:
    assert "did you mean recall.limit?" in refusal(tmp_path, '"recall.limit" = 3\n').message


@pytest.mark.parametrize("number", ["9" * 5000, "0x" + "f" * 9000])
def test_a_huge_number_is_refused_like_any_other(tmp_path: Path, number: str) -> None:
    assert "config.toml" in refusal(tmp_path, f"[recall]\nlimit = {number}\n").message


@pytest.mark.parametrize("text", ["[recall.deep]\nlimit = 1\n", "unknown = 1\n", "recall = 3\n", "agents = 3\n"])
def test_a_shape_that_is_no_setting_is_refused(tmp_path: Path, text: str) -> None:
    assert str(tmp_path) in refusal(tmp_path, text).message


def test_a_misspelt_variable_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadConfig, match=r"HOLDFAST_RECALL_LIMITS is no setting; did you mean HOLDFAST_RECALL_LIMIT\?"):
        load(str(tmp_path), environ={"HOLDFAST_RECALL_LIMITS": "3"})


def test_a_variable_of_somebody_else_is_ignored_and_told(tmp_path: Path) -> None:
    environ = {"HOLDFAST_SOMETHING": "3", "HOLDFAST_HOME": "/x", "HOLDFAST_KILLS": "9", "HOLDFAST_TEST_STEPS": "9"}
    settings = load(str(tmp_path), environ=environ)
    assert settings.warnings == ("HOLDFAST_SOMETHING is in the environment and is no setting; ignored",)


def test_what_holds_for_the_home_cannot_stand_in_an_agents_table(tmp_path: Path) -> None:
    error = refusal(tmp_path, '[agents.main.log]\nlevel = "info"\n')
    assert error.message.endswith("is one for the whole home; move it out of [agents.main]")


def test_another_agents_mistakes_do_not_matter(tmp_path: Path) -> None:
    assert written(tmp_path, "[agents.other.recall]\nlimit = 0\n")["recall.limit"] == 6


@pytest.mark.parametrize(
    "data", [b"[recall\n", b"\xff\xfe", b"a = " + b"[" * 5000, b"[recall]\nlimit = 1\nlimit = 2\n"]
)
def test_a_file_that_is_no_toml_is_named(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "config.toml").write_bytes(data)
    with pytest.raises(BadConfig, match=r"config\.toml"):
        load(str(tmp_path), environ={})


def test_a_directory_in_the_files_place_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.toml").mkdir()
    with pytest.raises(BadConfig, match=r"config\.toml cannot be read"):
        load(str(tmp_path), environ={})


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    assert written(tmp_path, "\ufeff" + FILE)["recall.limit"] == 10


def test_asking_for_what_is_no_setting_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadConfig, match=r"did you mean recall\.limit"):
        load(str(tmp_path), environ={})["recall.limits"]


def test_settings_cannot_be_changed(tmp_path: Path) -> None:
    settings = load(str(tmp_path), environ={})
    with pytest.raises(AttributeError):
        settings.home = "/elsewhere"
    with pytest.raises(TypeError):
        settings["recall.limit"] = 3  # type: ignore[index]


def test_explain_tells_all_there_is(home: str) -> None:
    found = load(home, environ={}).explain("recall.limit")
    assert (found.value, found.default, found.allowed) == (10, 6, "a whole number from 1 to 200")
    assert (found.origin, found.variable, found.scope) == (f"{home}/config.toml:3", "HOLDFAST_RECALL_LIMIT", "agent")
    assert (found.workspace, found.about) == ("smaller", "Hits of a search that names no limit.")
    assert pickle.loads(pickle.dumps(found)) == found


def test_equal_values_from_different_sources_have_one_fingerprint(home: str) -> None:
    from_file = load(home, environ={})
    from_argument = load(home, environ={}, arguments={"recall.limit": 10, "query.limit": 10})
    assert from_file.fingerprint() == from_argument.fingerprint()


def test_other_values_have_another_fingerprint(home: str, tmp_path: Path) -> None:
    several = {
        load(home, environ={}).fingerprint(),
        load(home, environ={}, agent="coder").fingerprint(),
        load(home, environ={}, arguments={"recall.limit": 11}).fingerprint(),
        load(str(tmp_path / "other"), environ={}, arguments={"recall.limit": 10}).fingerprint(),
    }
    assert len(several) == 4


def test_the_home_comes_from_its_variable() -> None:
    assert default_home({"HOLDFAST_HOME": "/data/holdfast", "HOME": "/home/ana"}) == "/data/holdfast"


@pytest.mark.skipif(sys.platform != "linux", reason="the shortcut is for Linux")
@pytest.mark.parametrize("data_home", [None, "/data", "relative", ""])
def test_the_default_home_is_what_platformdirs_says(monkeypatch: pytest.MonkeyPatch, data_home: str | None) -> None:
    from platformdirs import user_data_dir

    monkeypatch.setenv("HOME", "/home/ana")
    monkeypatch.delenv("HOLDFAST_HOME", raising=False)
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    if data_home is not None:
        monkeypatch.setenv("XDG_DATA_HOME", data_home)
    assert default_home() == user_data_dir("holdfast")


def test_a_home_that_is_given_is_made_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert load("here", environ={}).home == str(tmp_path / "here")


def test_a_user_may_be_as_long_here_as_everywhere(tmp_path: Path) -> None:
    assert USER_CHARS == USER_LENGTH
    assert load(str(tmp_path), environ={"HOLDFAST_USER": "u" * USER_LENGTH})["user"] == "u" * USER_LENGTH
    with pytest.raises(BadConfig, match="1 to 256 characters"):
        load(str(tmp_path), environ={"HOLDFAST_USER": "u" * (USER_LENGTH + 1)})


@pytest.mark.parametrize("zone", ["Mars/X", "Europe", "Europe/Lisbo"])
def test_a_zone_must_be_known_here_wherever_it_is_set(tmp_path: Path, zone: str) -> None:
    with pytest.raises(BadConfig, match="IANA zone that this system knows"):
        load(str(tmp_path), environ={"HOLDFAST_TIME_ZONE": zone})
    (tmp_path / "config.toml").write_text(f'[time]\nzone = "{zone}"\n')
    with pytest.raises(BadConfig, match=r"config\.toml:2"):
        load(str(tmp_path), environ={})


def test_a_file_that_is_the_null_device_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "config.toml").symlink_to(os.devnull)
    assert not toml.read(str(tmp_path / "config.toml")).values
