"""Small homes made once and copied for every blow that a test deals them."""

from __future__ import annotations

import os
import shutil

import holdfast
from holdfast.testing import FixedClock

WORDS_ONLY = {"recall.vectors": False}  # loading an embedder for every one of thousands of opens takes minutes
AGENT = os.path.join("agents", "main")
TEXTS = (
    "東京駅で会いましょう 🚉", "deploy the blue server on Friday", "数据库连接池要重新配置",
    "🦀 Rust is the language we chose",
    "café opens at nine, naïve résumé attached", "한국어 문장도 기억한다", "the certificate of staging expires in May",
    "👩‍👩‍👧‍👦 family calendar is shared", "tea, never coffee ☕", "Straße und Überführung sind gesperrt",
)  # fmt: skip
QUESTIONS = (
    "deploy server", "東京駅", "数据库", "Rust language", "certificate staging", "tea coffee", "family calendar",
    "한국어", "blue*", "c?rtificate", "nothing of the kind", "Überführung",
)  # fmt: skip


def fill(memory, rounds=3):
    """Entries of several kinds in two sessions and the user's own journal; the ids in order."""
    ids = []
    for number in range(rounds):
        for place, text in enumerate(TEXTS):
            session = ("morning", "evening")[place % 2]
            tags = [f"part.{place % 3}", "all"]
            entry = memory.add(f"{text} {number}", session=session, tags=tags, importance=0.3 + 0.05 * place)
            ids.append(entry.id)
    ids.append(memory.add("decided for SQLite", type="decision", rationale="one file 🗄️", references=ids[:2]).id)
    memory.user("local").remember("editor", "vim")
    ids.append(memory.user("local").remember("editor", "emacs").id)
    memory.amend(ids[3], text="🦀 Rust stays the language we chose", importance=0.9)
    memory.pin(ids[1])
    return ids


def make(home, clock=None, rounds=3):
    """A filled and indexed home, its vectors made."""
    with holdfast.open(home, clock=clock or FixedClock()) as memory:
        fill(memory, rounds)
        memory.search("deploy")
        memory.sync()
    return home


def copied(source, target):
    """A copy without the ballast, which is large and says nothing."""
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("ballast"))
    return target


def sessions_of(home):
    """The journals of sessions, in order."""
    folder = os.path.join(home, AGENT, "sessions")
    return [os.path.join(folder, name, "memory.jsonl") for name in sorted(os.listdir(folder))]


def index_of(home):
    """The live generation's database."""
    folder = os.path.join(home, AGENT, "index")
    with open(os.path.join(folder, "CURRENT")) as pointer:
        return os.path.join(folder, pointer.read().split()[-1], "index.db")


def everything(memory):
    """Every visible entry by id, as a plain dict."""
    return {entry.id: entry.to_dict() for entry in memory.query(rank="oldest", every=True)}


def answers(memory, damaged=False):
    """What a person would notice: hits, order and rounded scores of a fixed set of questions."""
    found = {}
    for question in QUESTIONS:
        result = memory.search(question, limit=20)
        assert result.degraded is None or (damaged and "damaged" in result.degraded), result.degraded
        found[question] = [(hit.id, hit.score, hit.snippet) for hit in result]
    return found
