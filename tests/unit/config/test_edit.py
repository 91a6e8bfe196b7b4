"""Changing config.toml keeps what people wrote in it, and never leaves a wrong file behind."""

from __future__ import annotations

import multiprocessing
import os
import stat
import sys
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.config import load, set_value, unset
from holdfast.config.table import LATER
from holdfast.errors import BadConfig, StorageFailed

if TYPE_CHECKING:
    from pathlib import Path

COMMENTED = """\
# my settings
user = "ana"   # that is me

[recall]
# I like more
limit = 10  # ten

[agents.coder.context]
budget = 400
"""


def read(home: Path) -> str:
    return (home / "config.toml").read_text()


def test_the_first_setting_makes_home_and_file(tmp_path: Path) -> None:
    home = tmp_path / "deep" / "home"
    assert set_value(str(home), "recall.limit", "12") == 12
    assert read(home) == "[recall]\nlimit = 12\n"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no modes")
def test_only_the_owner_can_read_it_whatever_the_umask(tmp_path: Path) -> None:
    home = tmp_path / "home"
    before = os.umask(0)
    try:
        set_value(str(home), "recall.limit", 12)
    finally:
        os.umask(before)
    modes = {name: stat.S_IMODE((home / name).stat().st_mode) for name in os.listdir(home)}
    assert modes == {"config.toml": 0o600, "config.lock": 0o600}
    assert stat.S_IMODE(home.stat().st_mode) == 0o700


def test_comments_and_order_stay(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(COMMENTED)
    set_value(str(tmp_path), "recall.limit", 12)
    assert read(tmp_path) == COMMENTED.replace("limit = 10  # ten", "limit = 12  # ten")


def test_a_new_setting_goes_into_its_table(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(COMMENTED)
    set_value(str(tmp_path), "recall.candidates", 5)
    set_value(str(tmp_path), "context.budget", 300, agent="coder")
    set_value(str(tmp_path), "user", "ben", agent="coder")
    set_value(str(tmp_path), "decay.enabled", "off", agent="notes")
    default, coder = load(str(tmp_path), environ={}), load(str(tmp_path), agent="coder", environ={})
    assert (default["recall.candidates"], default["recall.limit"], default["user"]) == (5, 10, "ana")
    assert (coder["context.budget"], coder["user"]) == (300, "ben")
    assert not load(str(tmp_path), agent="notes", environ={})["decay.enabled"]
    assert all(comment in read(tmp_path) for comment in ("# my settings", "# that is me", "# I like more", "# ten"))


@pytest.mark.parametrize(
    "text", ["recall.limit = 10\n", "recall = { limit = 10 }\n", "[recall]\r\nlimit = 10\r\n", "[agents]\n", ""]
)
def test_every_way_to_write_a_table_can_be_changed(tmp_path: Path, text: str) -> None:
    (tmp_path / "config.toml").write_bytes(text.encode())
    set_value(str(tmp_path), "recall.limit", 12)
    set_value(str(tmp_path), "recall.limit", 13, agent="coder")
    assert load(str(tmp_path), environ={})["recall.limit"] == 12
    assert load(str(tmp_path), environ={}, agent="coder")["recall.limit"] == 13


@pytest.mark.parametrize(
    ("name", "value", "agent"),
    [
        ("recall.limit", "many", None),
        ("recall.limit", 0, None),
        ("recal.limit", 5, None),
        ("chunking.overlap", 400, None),
        ("log.level", "debug", "coder"),
        ("recall.limit", 5, "../up"),
        ("time.zone", "Europe/Nowhere", None),
        ("context.budget", 100_000, "coder"),
    ],
)
def test_a_wrong_value_changes_nothing(tmp_path: Path, name: str, value: Any, agent: str | None) -> None:
    (tmp_path / "config.toml").write_text(COMMENTED)
    with pytest.raises(BadConfig):
        set_value(str(tmp_path), name, value, agent=agent)
    assert read(tmp_path) == COMMENTED


def test_a_clash_with_an_agents_table_is_seen(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("[agents.coder.context]\nbudget = 2000\n")
    with pytest.raises(BadConfig, match=r"context\.full_budget"):
        set_value(str(tmp_path), "context.full_budget", 1000)


def test_a_file_that_is_no_toml_is_left_alone(tmp_path: Path) -> None:
    for data in (b"[recall\n", b"\xff"):
        (tmp_path / "config.toml").write_bytes(data)
        with pytest.raises(BadConfig, match="nothing was changed"):
            set_value(str(tmp_path), "recall.limit", 5)
        assert (tmp_path / "config.toml").read_bytes() == data


def test_a_file_with_two_mistakes_can_be_mended_one_by_one(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("[recal]\nlimit = 3\n\n[query]\nlimit = 0\n")
    assert unset(str(tmp_path), "recal.limit")
    set_value(str(tmp_path), "query.limit", 20)
    assert load(str(tmp_path), environ={})["query.limit"] == 20


def test_unset_brings_the_default_back_and_keeps_the_rest(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(COMMENTED)
    assert unset(str(tmp_path), "recall.limit")
    assert unset(str(tmp_path), "context.budget", agent="coder")
    assert load(str(tmp_path), environ={})["recall.limit"] == 6
    assert load(str(tmp_path), environ={}, agent="coder")["context.budget"] == 800
    assert "# I like more" in read(tmp_path)


def test_unset_says_whether_there_was_anything(tmp_path: Path) -> None:
    assert not unset(str(tmp_path), "recall.limit")
    assert not unset(str(tmp_path), "recall.limit", agent="coder")
    assert not (tmp_path / "config.toml").exists()
    with pytest.raises(BadConfig, match="did you mean"):
        unset(str(tmp_path), "recall.limits")


def test_unset_of_what_would_leave_a_contradiction_is_refused(tmp_path: Path) -> None:
    text = "[compaction]\nthreshold = 0.5\ntarget = 0.4\n"
    (tmp_path / "config.toml").write_text(text)
    with pytest.raises(BadConfig):
        unset(str(tmp_path), "compaction.target")
    assert read(tmp_path) == text


def _set_many(home: str, names: list[str]) -> None:
    for name in names:
        set_value(home, name, 7)


def test_two_processes_do_not_lose_each_others_changes(tmp_path: Path) -> None:
    groups = [
        ["recall.limit", "query.limit", "context.facts"],
        ["context.snippets", "recall.candidates", "cache.entries"],
    ]
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_set_many, args=(str(tmp_path), names)) for names in groups]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    settings = load(str(tmp_path), environ={})
    assert [worker.exitcode for worker in workers] == [0, 0]
    assert [settings[name] for names in groups for name in names] == [7] * 6


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="the owner of everything may write anywhere")
def test_a_home_that_cannot_be_written_is_a_storage_failure(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StorageFailed):
        set_value(str(tmp_path), "recall.limit", 5)


def test_a_file_in_the_homes_place_is_a_storage_failure(tmp_path: Path) -> None:
    (tmp_path / "home").touch()
    with pytest.raises(StorageFailed):
        set_value(str(tmp_path / "home"), "recall.limit", 5)


@pytest.mark.parametrize("provider", LATER["embedder.provider"])
def test_an_embedder_that_this_version_does_not_have_is_not_set(tmp_path: Path, provider: str) -> None:
    with pytest.raises(BadConfig, match=rf"cannot be {provider} in this version; there are auto, builtin"):
        set_value(str(tmp_path), "embedder.provider", provider)
    assert not (tmp_path / "config.toml").exists()
