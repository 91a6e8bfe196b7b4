"""What the writers of `test_kill` do, in processes that are killed while they do it."""

from __future__ import annotations

import random

import holdfast
import holdfast.wiring  # before the fork: `holdfast.open` would import it in every child
from tests.crash.homes import WORDS_ONLY
from tests.crash.zygote import say

ROOMY = {**WORDS_ONLY, "journal.session_bytes": 64 << 20}  # a fast disk takes more than 10 MiB before the last kill
LARGE = 40_000  # characters: more than one page, so that a kill can tear the write


def write(home, name, seed):
    """Add without end; tell of each entry only after `add` returned."""
    chance = random.Random(seed)
    number = 0
    with holdfast.open(home, user="ana", settings=ROOMY) as memory:
        while True:
            number += 1
            mark = f"{name}x{seed}x{number}"  # one word, nobody else's
            if chance.random() < 0.2:
                _several(memory, name, mark)
            else:
                entry = memory.add(_text(mark, chance), session="shared" if chance.random() < 0.6 else name)
                say(added=[[entry.id, mark]])
            if chance.random() < 0.1:
                memory.search(mark)


def _text(mark, chance):
    return f"{mark} 東京 🦀 " + "x" * (LARGE if chance.random() < 0.1 else chance.randrange(200))


def _several(memory, name, mark):
    marks = [f"{mark}x{place}" for place in range(4)]
    items = [{"text": f"{each} batch", "session": ("shared", name)[place % 2]} for place, each in enumerate(marks)]
    entries = memory.add_many(items)
    say(added=[[entry.id, each] for entry, each in zip(entries, marks, strict=True)])
