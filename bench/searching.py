"""Searching: natural questions over many turns, beside bare peers on the same text.

By keyword the peer is one FTS5 OR query; with vectors it is that query and one NumPy scan. The store
has a vector for every turn before anything is measured.
"""

from __future__ import annotations

from collections.abc import Callable

import holdfast
from bench.bare import FullText, Matrix
from bench.homes import SESSION_TURNS, USERS
from bench.rounds import Samples, each
from bench.row import Row, ms
from bench.run import MANY_TURNS, TURNS, Run
from holdfast.text.words import words

_QUESTIONS = 150
_LIMIT = 20
_USER = 3


def keyword(run: Run) -> list[Row]:
    """Words only: of all users, then of one."""
    whole = _row(f"search by keyword, top 20, {TURNS:,} turns", _took(run, TURNS, "none", "*"), "FTS5", (20, 45))
    return [whole, _within(run, "none", "by keyword", "FTS5 of those alone")]


def hybrid(run: Run) -> list[Row]:
    """Words and vectors: of all users, then of one."""
    took = _took(run, TURNS, "auto", "*")
    whole = _row(f"search, hybrid, top 20, {TURNS:,} turns", took, "FTS5 + NumPy scan", (20, 45))
    return [whole, _within(run, "auto", "hybrid", "FTS5 + NumPy scan of those alone")]


def many(run: Run) -> list[Row]:
    """A million turns, when asked for."""
    what = f"search, hybrid, top 20, {MANY_TURNS:,} turns"
    if not run.large:
        return [Row(what, "≤ 2 × bare; p95 ≤ 300 ms CPU", "only with --large")]
    return [_row(what, _took(run, MANY_TURNS, "auto", "*"), "FTS5 + NumPy scan", (300, 300))]


def _row(what: str, took: dict[str, Samples], peer: str, most: tuple[float, float]) -> Row:
    ours, bare = took["ours"], took["bare"]
    ratio = ours.cpu_at() / bare.cpu_at()
    within = ratio <= 2 and ours.cpu_at() <= most[0] and ours.cpu_at(95) <= most[1]
    budget = f"≤ 2 × bare; p50 ≤ {most[0]}, p95 ≤ {most[1]} ms CPU"
    return Row(what, budget, shown(ours), f"{shown(bare)}: {peer}", ratio, within)


def _within(run: Run, embedder: str, how: str, peer: str) -> Row:
    took = _took(run, TURNS, embedder, f"user{_USER}", lambda number: number // SESSION_TURNS % USERS == _USER)
    ours, bare = took["ours"], took["bare"]
    return Row(
        f"search {how} within one user's {TURNS // USERS:,}", "≤ 8 ms CPU", shown(ours), f"{shown(bare)}: {peer}",
        ours.cpu_at() / bare.cpu_at(), ours.cpu_at() <= 8,
    )  # fmt: skip


def _took(
    run: Run, turns: int, embedder: str, user: str, theirs: Callable[[int], bool] = lambda _: True
) -> dict[str, Samples]:
    """Both contenders, question by question; `theirs` says which turns the user sees."""
    home = run.homes.of_turns(turns)
    texts = [text for number, text in enumerate(run.corpus.turns(turns)) if theirs(number)]
    bare = FullText(run.homes.path("bare.db"), texts)
    matrix = Matrix(len(texts)) if embedder != "none" else None
    questions = run.corpus.questions(_QUESTIONS)
    terms = {question: words(question).terms for question in questions}

    def ask(question: str) -> int:
        return bare.ask(terms[question], _LIMIT) + (matrix.ask(_LIMIT) if matrix else 0)

    with holdfast.open(home, embedder=embedder) as memory:
        found = each(
            {"ours": lambda question: memory.search(question, user=user, limit=_LIMIT), "bare": ask},
            questions, max(1, run.rounds // 15),
        )  # fmt: skip
    bare.close()
    return found


def query(run: Run) -> list[Row]:
    """Exact filters, without words."""
    with holdfast.open(run.homes.of_turns(TURNS)) as memory:
        took = each({
            "newest first": lambda user: memory.query(user=user, types=["conversation"], rank="recent", limit=10),
            "by relevance": lambda user: memory.query(user=user, types=["conversation"], limit=10),
        }, [f"user{number}" for number in range(USERS)], max(2, run.rounds // 5))  # fmt: skip
    what = f"query, 10 of one user's {TURNS // USERS:,}"
    return [Row(f"{what}, {name}", "—", shown(samples)) for name, samples in took.items()]


def context(run: Run) -> list[Row]:
    """The block for an agent, in a process that has answered before."""
    questions = run.corpus.questions(_QUESTIONS // 3)
    with holdfast.open(run.homes.of_turns(TURNS)) as memory:
        took = each(
            {"ours": lambda question: memory.context(question, user=f"user{_USER}")}, questions,
            max(1, run.rounds // 15),
        )["ours"]  # fmt: skip
    what = f"context in a warm process, one user's {TURNS // USERS:,}"
    return [Row(what, "≤ 25 ms CPU", shown(took), within=took.cpu_at() <= 25)]


def shown(samples: Samples) -> str:
    return f"CPU p50 {ms(samples.cpu_at())}, p95 {ms(samples.cpu_at(95))}, p99 {ms(samples.cpu_at(99))}"
