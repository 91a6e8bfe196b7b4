"""Composing: user memories first, then pins, then the best hits, within the budget.

Only what the user or the agent said and what is not sensitive is handed over unasked (D21). Entries of
the asking workspace and entries without one are in sight (D2). Nothing relevant gives an empty block,
never filler.
"""

from __future__ import annotations

import os

from ..guard import fields
from ..model.hit import Context, Hit
from ..model.ids import entry_id
from ..model.query import Filter
from ..recall import searching
from ..recall.copies import without_numbers
from ..recall.lacking import degraded
from ..recall.prompts import asks_for_nothing, shortened, without_patterns
from ..text.form import asks
from ..text.greetings import takes_note
from ..text.tokens import estimate
from .budget import fill
from .render import Frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..model.entry import Entry
    from ..model.query import Words
    from ..model.scope import Scope
    from ..store import Store

PARTS = ("memories", "pins", "recall")
MOST_SEATS = 200  # what a search can give
MORE = 8  # times as many hits are looked at where some say the same
ALIKE = 2  # of those that differ in numbers alone, so many leave room for what says something else
TRUSTED = ("user", "agent")
# Among 8 hits a question, of a coding agent's memory 1.4 % of the evidence and 42 % of the rest lie below, of a team's
# chat nothing and 48 %, of LoCoMo nothing and 4 %, of BEAM nothing and nothing.
BESIDE = 0.4
# Beside one that holds nearly all of a question, or says it, those that hold or say hardly any of it: of the evidence
# 0.4 % in LoCoMo, none in BEAM and LongMemEval's heads, 1.4 % in 19 made-up stores; of the rest 3, 2, 10 and 5 %, and
# of a coding agent's, asked for a ticket by its number, four in six.
WHOLE, HARDLY = 0.8, 0.2
SEVERAL = 3  # words of a question
A_LITTLE = 0.1  # of a question that only a tool, or somebody who is not trusted, answered


def injectable(entry: Entry) -> bool:
    """Whether an entry may be handed over unasked."""
    return entry.provenance in TRUSTED and not entry.sensitive


def compose_for(
    store: Store, scope: Scope, prompt: str, *, parts: Sequence[str], budget: int | None, limit: int | None
) -> Context:
    """The context for a prompt; without one only memories and pins."""
    settings = store.settings
    asked = fields.text(prompt, "prompt").strip()
    wanted = _parts(parts)
    most = _tokens(settings["context.budget"] if budget is None else budget)
    kept = min(MOST_SEATS, settings["context.facts"] + settings["context.snippets"])
    seats = kept if limit is None else fields.limit(limit)
    if not settings["context.inject"]:
        return _context(store, "", [], f"switched off by context.inject ({settings.origin('context.inject')})")
    behind = store.index.refresh(scope, store.wait_ms)
    items: dict[str, Hit] = {}
    lacking = degraded(store, scope, behind)
    if "memories" in wanted and settings["context.user_memories"]:
        items.update(_as_items(_memories(store, scope)))
    if "pins" in wanted:
        items.update(_as_items(_pins(store, scope)))
    if "recall" in wanted and asked and seats and not asks_for_nothing(asked):
        hits, lacking = _recalled(store, scope, prompt, seats)
        said = {_says(item) for item in items.values()}
        for hit in _distinct(hits)[:seats]:
            if _says(hit) not in said:
                items.setdefault(hit.id, hit)
    text, chosen = fill(Frame(os.urandom(4).hex()), list(items.values()), most)
    return _context(store, text, chosen, lacking)


def _parts(given: Sequence[str]) -> list[str]:
    parts = fields.several(given, "parts", len(PARTS))
    for part in parts:
        if part not in PARTS:
            raise fields.broken("parts", f"must be among {', '.join(PARTS)}, not {str(part)[:40]!r}")
    return parts


def _tokens(budget: int) -> int:
    if isinstance(budget, bool) or not isinstance(budget, int) or budget < 0:
        raise fields.broken("budget", "must be a whole number of tokens from 0")
    return budget


def _context(store: Store, text: str, items: Sequence[Hit], lacking: str | None) -> Context:
    id = "ctx_" + entry_id(store.clock.now())[4:]
    return Context(
        id=id, text=text, items=tuple(items), tokens=estimate(text) if text else 0, degraded=lacking
    )  # fmt: skip


def _memories(store: Store, scope: Scope) -> Iterable[Entry]:
    """The user's own memories, newest first: told in any session, but in this workspace or in none (D2)."""
    own = scope.replace(sessions=())
    rows = store.index.rows(
        own, Filter(types=("preference",), scopes=("user",)), "time", store.settings["context.memories"]
    )
    return store.reader.entries(own, [row.id for row in rows]).values()


def _pins(store: Store, scope: Scope) -> Iterable[Entry]:
    rows = store.index.rows(scope, Filter(pinned=True), "time", store.settings["context.memories"])
    found = store.reader.entries(scope, [row.id for row in rows])
    return [entry for entry in found.values() if entry.pinned]  # it may have been unpinned since


def _recalled(store: Store, scope: Scope, prompt: str, seats: int) -> tuple[list[Hit], str | None]:
    """The best hits that may be handed over, and what the answer lacks.

    What a tool printed may not be, but whoever asks about it asks for what was said of it, which has other words: so
    all that is remembered says whether the question is answered here. Where some of what is found may not be handed
    over, what may is looked for by itself; and if that answers it nowhere, what tells a little of it will do.
    """
    asked = searching.ask(
        store, without_patterns(shortened(prompt)), limit=seats, offset=0, rank="match",
        min_score=store.settings["context.min_score"], filters={"sensitive": False},
    )  # fmt: skip
    asked = asked.replace(beyond=False, most=min(MOST_SEATS, MORE * seats), enough=_enough)
    found = searching.search(store, scope, asked)  # what is beyond matches less than `BESIDE` of the best
    least = _least(asked.words)
    if all(map(_handed, found)):
        return _beside_the_best(found, least), found.degraded
    trusted = searching.search(store, scope, asked.replace(wanted=asked.wanted.replace(provenance=TRUSTED)))
    if trusted.hits:
        return _beside_the_best(trusted, least), trusted.degraded
    return _beside_the_best([hit for hit in found if _handed(hit) and _own(hit) >= A_LITTLE], least), found.degraded


def _handed(hit: Hit) -> bool:
    return hit.entry is not None and injectable(hit.entry)


def _least(asked: Words) -> float:
    """What a hit must hold or say of a question beside one that holds all of it; nothing where that is but a word or
    two, in whose place another may stand: who was called a manager is a boss today."""
    named = any(map(str.isdigit, "".join(asked.terms)))
    return HARDLY if named or len(asked.terms) >= SEVERAL else 0.0


def _beside_the_best(hits: Iterable[Hit], hardly: float) -> list[Hit]:
    """Those that match a share as well as the best, and not by what is around them where one is the answer: the score
    says only whether the question is answered here. What only asks the same, or takes note of what was said, tells
    nothing, and no evidence of LoCoMo or BEAM is such a turn."""
    telling = [hit for hit in hits if hit.scores["echo"] >= 0.0 and not takes_note(hit.text)]
    found = [(hit, hit.scores["match"] * hit.scores["influence"], _own(hit)) for hit in telling]
    bar = BESIDE * max((match for _, match, _ in found), default=0.0)
    least = hardly if any(own >= WHOLE for _, _, own in found) else 0.0
    replies = _after_questions([hit for hit, match, own in found if match >= bar and own >= least])
    return [hit for hit, match, own in found if (match >= bar or _place(hit) in replies) and own >= least]


def _after_questions(hits: Iterable[Hit]) -> set[tuple[str | None, int]]:
    """Where the replies to those of them stand that ask."""
    places = (_place(hit) for hit in hits if hit.session_id is not None and asks(hit.text))
    return {(session, seq + 1) for session, seq in places}


def _place(hit: Hit) -> tuple[str | None, int]:
    return hit.session_id, hit.entry.seq if hit.entry is not None else 0


def _own(hit: Hit) -> float:
    """How much of the question a hit holds by itself, in words or in meaning."""
    return float(max(hit.scores["coverage"], hit.scores["nearness"]))


def _distinct(hits: Iterable[Hit]) -> list[Hit]:
    """Of those that say the same, the first; of those that differ in numbers alone, a few before all else."""
    found: dict[tuple[str | None, str | None, str], Hit] = {}
    for hit in hits:
        found.setdefault(_says(hit), hit)
    alike: dict[tuple[str | None, str | None, str], int] = {}
    first: list[Hit] = []
    rest: list[Hit] = []
    for (author, key, said), hit in found.items():
        form = author, key, without_numbers(said)
        alike[form] = alike.get(form, 0) + 1
        (first if alike[form] <= ALIKE else rest).append(hit)
    return first + rest


def _enough(hits: Sequence[Hit]) -> bool:
    """Whether each says something else, and something may be handed over."""
    return _distinct(hits) == [*hits] and any(map(_handed, hits))


def _says(hit: Hit) -> tuple[str | None, str | None, str]:
    """What a line of the context shows of it: "I am vegetarian" is another thing when somebody else says it."""
    return hit.author, hit.key, hit.snippet


def _as_items(entries: Iterable[Entry]) -> dict[str, Hit]:
    return {entry.id: _item(entry) for entry in entries if injectable(entry)}


def _item(entry: Entry) -> Hit:
    return Hit(
        id=entry.id, type=entry.type, path=entry.path, score=1.0, snippet=entry.text, timestamp=entry.timestamp,
        session_id=entry.session_id, user_id=entry.user_id, workspace=entry.workspace, author=entry.author,
        role=entry.role, key=entry.key, tags=entry.tags, provenance=entry.provenance, pinned=entry.pinned,
        entry=entry,
    )  # fmt: skip
