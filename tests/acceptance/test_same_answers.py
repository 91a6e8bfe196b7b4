"""The index is disposable: whatever happens to it, the next open gives the same hits, order and scores."""

from __future__ import annotations

import os
import random
import shutil

import pytest

import holdfast
from holdfast.testing import FixedClock
from tests import swift

AGENT = os.path.join("agents", "main")
HOUR = 3_600_000
COUNT = 300
WORDS = [
    "harbour", "deploy", "server", "certificate", "staging", "friday", "invoice", "kettle", "lantern", "meadow",
    "orchard", "pebble", "quarry", "raven", "saddle", "thistle", "umbrella", "velvet", "willow", "yarrow",
    "database", "timeout", "retry", "cache", "token", "budget", "garden", "bicycle", "piano",
]  # fmt: skip
CJK = ("东京的天气很好", "数据库连接失败", "한국어 문장", "カタカナの単語")


def text_of(chance, number):
    words = " ".join(chance.choice(WORDS) for _ in range(chance.randrange(3, 14)))
    return f"{words} {chance.choice(CJK)} {number}" if number % 9 == 0 else f"{words} {number}"


def questions():
    """200 of them: words, prefixes, patterns, other scripts, nonsense."""
    chance = random.Random(200)
    made = [" ".join(chance.sample(WORDS, chance.randrange(1, 5))) for _ in range(150)]
    made += [word[:4] + "*" for word in WORDS[:20]] + [word[0] + "?" + word[2:] for word in WORDS[:15]]
    made += [*CJK, "数据", "天气", "nothing of the kind", '"quoted" AND (odd', "what did we decide on friday?"]
    made += [f"{word} {number}" for number, word in enumerate(WORDS)]
    return made[:200]


RANKS = ("match", "relevance", "recent", "importance")


def fill(home, clock):
    """Sessions over a month, amendments, deletions, keys, pins, workspaces; two users."""
    chance = random.Random(7)
    types = ("note", "decision", "finding", "conversation", "event")
    with holdfast.open(home, user="ana", clock=clock) as memory:
        ids = []
        for number in range(COUNT):
            clock.advance(chance.randrange(4) * HOUR)
            fields = {"type": chance.choice(types), "importance": round(chance.random(), 2)}
            if fields["type"] in ("conversation",):
                fields["role"] = chance.choice(("user", "assistant"))
            if fields["type"] == "event":
                fields["kind"] = "tool_result"
            entry = memory.add(
                text_of(chance, number), session=f"talk {number % 7}", user=("ana", "ana", "ben")[number % 3],
                tags=[chance.choice(("red", "red.dark", "blue"))], references=ids[-2:], **fields,
            )  # fmt: skip
            ids.append(entry.id)
        memory.user("ana").remember("editor", "vim lantern")
        memory.user("ana").remember("editor", "emacs lantern")
        memory.add("shared orchard for everybody", scope="global")
        for id in ids[::17]:
            memory.amend(id, text=f"amended {text_of(chance, 0)}", importance=0.9)
        for id in ids[5::23]:
            memory.delete(id)
        memory.undelete(ids[5])
        memory.pin(ids[8])
        memory.compact("talk 2")


def answers(memory):
    """Hits, order, rounded scores and every factor of them; and what filters alone give."""
    found = []
    for number, question in enumerate(questions()):
        user = ("ana", "ben", "*")[number % 3]
        result = memory.search(question, user=user, rank=RANKS[number % 4], limit=6)
        assert result.degraded is None
        found.append([(hit.id, hit.score, dict(hit.scores), hit.snippet, hit.session_key) for hit in result])
    found.append([entry.to_dict() for entry in memory.query(user="*", every=True)])
    found.append([entry.id for entry in memory.query(tags=["red"], types=["decision"], limit=50)])
    found.append(memory.tags(user="*"))
    found.append([session.to_dict() for session in memory.sessions(user="*")])
    return found


@pytest.fixture(scope="module")
def world():
    """A filled home and its answers. They were asked before, so what was recalled counts already (D35)."""
    with swift.folder() as folder:
        home, clock = os.path.join(folder, "home"), FixedClock()
        fill(home, clock)
        for _ in range(2):
            with holdfast.open(home, user="ana", clock=clock) as memory:
                before = answers(memory)
        assert sum(bool(hits) for hits in before[:200]) > 150
        yield folder, home, clock, before


def database(home):
    folder = os.path.join(home, AGENT, "index")
    with open(os.path.join(folder, "CURRENT")) as pointer:
        return os.path.join(folder, pointer.read().split()[-1], "index.db")


def deleted(home):
    shutil.rmtree(os.path.join(home, AGENT, "index"))


def emptied(home):
    open(database(home), "wb").close()


def truncated(home):
    with open(database(home), "r+b") as file:
        file.truncate(os.path.getsize(database(home)) // 2)


def garbage(home):
    with open(database(home), "wb") as file:
        file.write(random.Random(3).randbytes(100_000))


def garbage_inside(home):
    """The header is intact, the rest is not."""
    with open(database(home), "r+b") as file:
        file.seek(4096)
        file.write(random.Random(3).randbytes(os.path.getsize(database(home)) - 8192))


def a_directory(home):
    path = database(home)
    os.unlink(path)
    os.mkdir(path)


def folder_is_a_file(home):
    deleted(home)
    with open(os.path.join(home, AGENT, "index"), "w") as file:
        file.write("not a folder")


BLOWS = (deleted, emptied, truncated, garbage, garbage_inside, a_directory, folder_is_a_file)


@pytest.mark.parametrize("blow", BLOWS, ids=lambda blow: blow.__name__)
def test_the_same_answers_after_the_index_was(world, blow):
    folder, home, clock, before = world
    work = os.path.join(folder, blow.__name__)
    shutil.copytree(home, work, ignore=shutil.ignore_patterns("ballast"))
    blow(work)
    with holdfast.open(work, user="ana", clock=clock) as memory:
        assert memory.search(questions()[0], user="*").hits  # which mends what is to be mended
        memory.sync()  # a search makes vectors for a fifth of a second only, and a machine may be slow
        after = answers(memory)
        assert memory.verify()["ok"]
    for question, (ours, theirs) in zip([*questions(), "all", "tagged", "tags", "sessions"],
                                        zip(before, after, strict=True), strict=True):  # fmt: skip
        assert theirs == ours, question
