"""Redacting: what it costs to look for credentials in text that has none."""

from __future__ import annotations

from bench.rounds import each
from bench.row import Row, ms
from bench.run import Run
from holdfast.guard.redaction import Redactor

_LENGTH = 400


def redaction(run: Run) -> list[Row]:
    """400 clean characters."""
    redactor = Redactor(bytes(32))
    pieces = [text[:_LENGTH] for text in run.corpus.turns(2_000, part=5) if len(text) >= _LENGTH]
    clean = [piece for piece in pieces if redactor.text(piece) == piece][:400]
    took = each({"ours": redactor.text, "bare": str.lower}, clean, max(2, run.rounds // 6))
    ours = took["ours"]
    return [Row(
        f"redaction, {_LENGTH} clean characters", "≤ 0.05 ms",
        f"p50 {ms(ours.wall_at())}, p95 {ms(ours.wall_at(95))}", f"{ms(took['bare'].wall_at())}: str.lower",
        within=ours.wall_at() <= 0.05,
    )]  # fmt: skip
