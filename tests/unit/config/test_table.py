"""The table of settings is whole, consistent, and cheap to load."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import holdfast.config as package
from holdfast.config import NOT_SETTINGS, OTHER_DEFAULTS, TABLE, Row, load
from holdfast.config.table import BY_NAME, LATER
from holdfast.config.values import accept, allowed
from holdfast.providers.registry import AUTO, FACTORIES, NONE

# Every default of the five source documents (all items marked [D] in the checklist) and the configuration
# items that the settings must answer: a row, or a reason why not.
ITEMS = """
G002 G019 G020 G037 G038 G049 G050 G051 G056 G076 G077 G078 G079 G080 G081 G082 G110 G111 G112 G121 G122 G123 G125
G126 G132 G135 G137 G140 G145 G146 G147 G148 G149 G150 G151 G152 G153 G154 G155 G156 G157 G158 G159 G160 G161 G162
G163 G164 G165 G177 G199
P001 P002 P032 P033 P034 P035 P036 P037 P040 P041 P042 P043 P044 P045 P046 P047 P048 P066
F013 F017 F024 F035 F036 F045 F046 F047 F065 F066 F067 F068 F069 F070 F077
A021 A066 A081 A086 A087 A088 A089 A090 A096 A100 A117 A122 A124 A125 A126 A127 A128 A129 A130 A131 A153 A154 A155
A156 A167 A168 A169 A173 A198
U02
"""

# Names, and defaults that the design fixes, which other parts are written against.
PROMISED = {
    "user": "local", "agent": "main", "time.zone": "",
    "journal.session_bytes": 10 * 1024 * 1024, "journal.entry_bytes": 1024 * 1024, "journal.lock_ms": 5000,
    "journal.retries": 3, "journal.backoff_ms": 100, "journal.durability": "durable", "journal.relaxed_ms": 200,
    "compaction.auto": True, "compaction.threshold": 0.9, "compaction.target": 0.7, "compaction.min_relevance": 0.05,
    "compaction.metadata_days": 30,
    "decay.enabled": True, "decay.half_life_hours": 168, "decay.conversation_hours": 168, "decay.finding_hours": 336,
    "decay.decision_hours": 720, "decay.floor": 0.1, "decay.recency_boost": 1.5, "decay.recency_hours": 24,
    "index.path": "", "index.wait_ms": 2000, "index.compare_minutes": 10,
    "recall.limit": 6, "recall.candidates": 4, "recall.snippet_chars": 700, "recall.influence": 0.15,
    "recall.cross_workspace": False, "query.limit": 10,
    "context.budget": 800, "context.facts": 5, "context.snippets": 3, "context.memories": 50,
    "cache.entries": 100, "quota.home_bytes": 0, "quota.user_bytes": 0, "quota.user_keys": 1000,
    "log.level": "off", "log.file": "", "embedder.provider": "auto", "chunking.tokens": 160, "chunking.overlap": 32,
    "retention.armed": False, "retention.days": 90,
}  # fmt: skip


@pytest.mark.parametrize("item", ITEMS.split())
def test_every_default_of_the_seeds_is_a_row_or_has_a_reason(item: str) -> None:
    answered = {answer for row in TABLE for answer in row.items.split()}
    assert item in answered or item in NOT_SETTINGS


def test_the_promised_names_have_their_defaults() -> None:
    settings = load("/nowhere", environ={})
    assert {name: settings[name] for name in PROMISED} == PROMISED


def test_every_item_that_differs_or_is_omitted_is_well_formed() -> None:
    for reasons in (NOT_SETTINGS, OTHER_DEFAULTS):
        assert all(re.fullmatch(r"[GPFA]\d{3}", item) and reason.endswith(".") for item, reason in reasons.items())


def test_an_item_with_another_default_is_answered_by_a_row() -> None:
    answered = {answer for row in TABLE for answer in row.items.split()}
    assert set(OTHER_DEFAULTS) <= answered


def test_names_and_variables_are_unique() -> None:
    assert len({row.name for row in TABLE}) == len(TABLE)
    assert len({row.variable for row in TABLE}) == len(TABLE)


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
def test_every_row_is_whole(row: Row) -> None:
    assert accept(row, row.default, "default") == row.default
    assert row.scope in ("home", "agent", "session")
    assert row.direction in ("never", "off", "smaller")
    assert row.about.endswith(".")
    assert row.items
    assert allowed(row)
    assert re.fullmatch(r"[a-z]+(\.[a-z]+(_[a-z]+)*)?", row.name)


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
def test_a_workspace_can_only_touch_switches_and_limits(row: Row) -> None:
    touchable = {"off": "bool", "smaller": "int"}
    assert row.direction == "never" or row.kind == touchable[row.direction]


def test_every_setting_that_the_code_reads_is_in_the_table() -> None:
    names = {row.name for row in TABLE}
    read = {
        (file.name, name)
        for file in Path(package.__path__[0]).parent.rglob("*.py")
        for name in re.findall(r'settings\["([a-z_.]+)"\]', file.read_text("utf-8"))
    }
    assert read
    assert {(file, name) for file, name in read if name not in names} == set()


def test_redaction_has_no_switch() -> None:
    assert not [row.name for row in TABLE if "redact" in row.name]


def test_loading_the_settings_imports_nothing_heavy() -> None:
    heavy = ["tomllib", "tomlkit", "typing", "dataclasses", "pathlib", "logging", "platformdirs", "difflib", "datetime"]
    code = (
        "import sys; before = set(sys.modules); from holdfast.config import load, TABLE, default_home\n"
        "load(environ={'HOME': '/nowhere'})['recall.limit']\n"
        f"print(sorted((set(sys.modules) - before) & set({heavy!r})))"
    )
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True, env=_path())
    assert done.stdout.strip() == "[]"


def _path() -> dict[str, str]:
    return {"PYTHONPATH": str(Path(package.__path__[0]).parents[1])}


def test_the_embedders_that_can_be_set_are_those_of_this_version() -> None:
    row = BY_NAME["embedder.provider"]
    assert {*row.allowed} - {*LATER[row.name]} == {*FACTORIES, AUTO, NONE}
