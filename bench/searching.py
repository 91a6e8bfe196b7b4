"""Searching: natural questions over many turns, beside a bare FTS5 query on the same text.

The budget allows one NumPy scan on top of the FTS5 query; until vectors are there, the peer is the
FTS5 query alone, so the ratio is the harder one.
"""

from __future__ import annotations

from collections.abc import Callable

import holdfast
from bench.bare import FullText
from bench.homes import SESSION_TURNS, USERS
from bench.rounds import Samples, each
from bench.row import Row, ms
from bench.run import MANY_TURNS, TURNS, Run
from holdfast.text.words import words

_QUESTIONS = 150
_LIMIT = 20


def keyword(run: Run) -> list[Row]:
    """All users' turns, then those of one user."""
    return [_everyone(run, TURNS, 20, 45), _one_user(run)]


def many(run: Run) -> list[Row]:
    """A million turns, when asked for."""
    what, budget = "search, top 20, 1 million turns", "≤ 2 × bare; p95 ≤ 300 ms CPU"
    return [_everyone(run, MANY_TURNS, 300, 300)] if run.large else [Row(what, budget, "only with --large")]


def _everyone(run: Run, turns: int, most_p50: float, most_p95: float) -> Row:
    took = _took(run, turns, "*", lambda _: True)
    ours, bare = took["ours"], took["bare"]
    ratio = ours.cpu_at() / bare.cpu_at()
    within = ratio <= 2 and ours.cpu_at() <= most_p50 and ours.cpu_at(95) <= most_p95
    budget = f"≤ 2 × bare; p50 ≤ {most_p50}, p95 ≤ {most_p95} ms CPU"
    return Row(f"search, top 20, {turns:,} turns, keyword", budget, _shown(ours), _shown(bare) + " FTS5", ratio, within)


def _one_user(run: Run) -> Row:
    user = 3
    took = _took(run, TURNS, f"user{user}", lambda number: number // SESSION_TURNS % USERS == user)
    ours, bare = took["ours"], took["bare"]
    return Row(
        f"search within one user's {TURNS // USERS:,}", "≤ 8 ms CPU", _shown(ours),
        _shown(bare) + " FTS5 of those alone",
        ours.cpu_at() / bare.cpu_at(), ours.cpu_at() <= 8,
    )  # fmt: skip


def _took(run: Run, turns: int, user: str, theirs: Callable[[int], bool]) -> dict[str, Samples]:
    """Both contenders, question by question."""
    home = run.homes.of_turns(turns)
    texts = (text for number, text in enumerate(run.corpus.turns(turns)) if theirs(number))
    bare = FullText(run.homes.path("bare.db"), texts)
    questions = run.corpus.questions(_QUESTIONS)
    terms = {question: words(question).terms for question in questions}
    with holdfast.open(home) as memory:
        found = each({
            "ours": lambda question: memory.search(question, user=user, limit=_LIMIT),
            "bare": lambda question: bare.ask(terms[question], _LIMIT),
        }, questions, max(1, run.rounds // 15))  # fmt: skip
    bare.close()
    return found


def query(run: Run) -> list[Row]:
    """Exact filters, without words."""
    with holdfast.open(run.homes.of_turns(TURNS)) as memory:
        took = each({
            "newest": lambda user: memory.query(user=user, types=["conversation"], rank="recent", limit=10),
            "relevance": lambda user: memory.query(user=user, types=["conversation"], limit=10),
        }, [f"user{number}" for number in range(USERS)], max(2, run.rounds // 5))  # fmt: skip
    what = f"query, 10 of one user's {TURNS // USERS:,}"
    return [Row(f"{what}, {name}", "—", _shown(samples)) for name, samples in took.items()]


def context(run: Run) -> list[Row]:
    """The block for an agent, in a process that has answered before."""
    questions = run.corpus.questions(_QUESTIONS // 3)
    with holdfast.open(run.homes.of_turns(TURNS)) as memory:
        took = each(
            {"ours": lambda question: memory.context(question, user="user3")}, questions, max(1, run.rounds // 15)
        )["ours"]
    what = f"context in a warm process, one user's {TURNS // USERS:,}"
    return [Row(what, "≤ 25 ms CPU", _shown(took), within=took.cpu_at() <= 25)]


def _shown(samples: Samples) -> str:
    return f"CPU p50 {ms(samples.cpu_at())}, p95 {ms(samples.cpu_at(95))}, p99 {ms(samples.cpu_at(99))}"
