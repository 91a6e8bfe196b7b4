"""Settings that are each in range and together can never work are refused, with both named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from holdfast.config import load
from holdfast.config.contradictions import RULES
from holdfast.errors import BadConfig

if TYPE_CHECKING:
    from pathlib import Path

CLASHES: list[dict[str, Any]] = [
    {"journal.entry_bytes": 2 << 20, "journal.session_bytes": 1 << 20},
    {"compaction.target": 0.9},
    {"compaction.threshold": 0.5},
    {"recall.min_score": 0.86},
    {"recall.min_score": 0.6, "recall.influence": 0.5},
    {"context.min_score": 1.0},
    {"recall.text_weight": 0.0, "recall.vector_weight": 0.0},
    {"recall.text_weight": 0.0, "recall.vectors": False},
    {"recall.text_weight": 0.0, "embedder.provider": "none"},
    {"context.budget": 5000},
    {"context.full_budget": 100},
    {"quota.home_bytes": 1000, "quota.user_bytes": 1001},
    {"chunking.overlap": 400},
    {"hooks.index_wait_ms": 300},
    {"embedder.provider": "compatible"},
    {"completer.provider": "compatible"},
]


@pytest.mark.parametrize("arguments", CLASHES, ids=str)
def test_a_pair_that_excludes_each_other_is_refused(tmp_path: Path, arguments: dict[str, Any]) -> None:
    with pytest.raises(BadConfig) as caught:
        load(str(tmp_path), arguments=arguments, environ={})
    assert all(f"{name} = " in caught.value.message for name in arguments)


def test_every_rule_is_tried(tmp_path: Path) -> None:
    tried = set()
    for arguments in CLASHES:
        with pytest.raises(BadConfig) as caught:
            load(str(tmp_path), arguments=arguments, environ={})
        tried.add(caught.value.details["reason"])
    assert tried == {reason for _, _, reason in RULES}


@pytest.mark.parametrize(
    "arguments",
    [
        {"journal.entry_bytes": 1 << 20, "journal.session_bytes": 1 << 20},
        {"recall.min_score": 0.85},
        {"recall.min_score": 1.0, "context.min_score": 1.0, "recall.influence": 0.0},
        {"recall.text_weight": 0.0},
        {"quota.user_bytes": 1001},
        {"chunking.overlap": 159},
        {"embedder.provider": "compatible", "embedder.url": "http://127.0.0.1:8080/v1"},
    ],
    ids=str,
)
def test_a_pair_at_the_edge_is_accepted(tmp_path: Path, arguments: dict[str, Any]) -> None:
    settings = load(str(tmp_path), arguments=arguments, environ={})
    assert {name: settings[name] for name in arguments} == arguments


def test_a_clash_between_two_sources_names_both(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("[chunking]\ntokens = 100\n")
    with pytest.raises(BadConfig) as caught:
        load(str(tmp_path), environ={"HOLDFAST_CHUNKING_OVERLAP": "100"})
    assert "HOLDFAST_CHUNKING_OVERLAP" in caught.value.message
    assert "config.toml:2" in caught.value.message
