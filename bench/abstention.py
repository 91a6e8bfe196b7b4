"""Abstention: how often questions of one store find nothing in another, and what the same bar costs at home."""

from __future__ import annotations

from collections.abc import Sequence

from bench.asked import pipes
from bench.asking import Results
from bench.contenders import OURS
from bench.metrics import mean

BARS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7)


def abstention_table(results: Results, bar: float) -> tuple[str, list[dict[str, object]]]:
    """A row a set at the bar in force, and all sets together at others."""
    names = list(dict.fromkeys(name for name, _ in results.strangers))
    rows = [_row(name, bar, results, [name]) for name in names]
    rows += [_row("all", other, results, names) for other in sorted({bar, *BARS})] if len(names) > 1 else []
    shown = [
        [str(row["set"]), f"{row['min_score']:.2f}" + (" in force" if row["min_score"] == bar else ""),
         f"{row['silent']:.1f} of {row['strangers']}", f"{row['pass']:.1f} of {row['evidence']}"]
        for row in rows
    ]  # fmt: skip
    return pipes(["set", "min_score", "silent on strangers' questions, %", "evidence hits that pass, %"], shown), rows


def _row(name: str, bar: float, results: Results, sets: Sequence[str]) -> dict[str, object]:
    strangers = [score for found, score in results.strangers if found in sets]
    ours = (one for one in results.asked if one.contender == OURS and one.set in sets)
    evidence = [score for one in ours for score in one.evidence]
    return {
        "set": name, "min_score": bar, "strangers": len(strangers), "evidence": len(evidence),
        "silent": 100 * mean([float(score < bar) for score in strangers]),
        "pass": 100 * mean([float(score >= bar) for score in evidence]),
    }  # fmt: skip
