"""Handing: which hits of a search are handed to an agent unasked, best first, and which are left out.

Left out is what nobody may hand over (D21), what is there by what stands around it where something else is the answer,
and what says the same again. The bar on the score of a search says whether the question is answered here at all; the
rules that come after it weigh hits against each other, and never look at anything but these.
"""

from __future__ import annotations

from ..recall import searching
from ..recall.copies import without_numbers
from ..recall.prompts import shortened, without_patterns
from ..text.form import asks
from ..text.greetings import takes_note

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..model.entry import Entry
    from ..model.hit import Hit
    from ..model.query import Words
    from ..model.scope import Scope
    from ..store import Store

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
DATED = 3  # for which hardly more speaks than their day: "hosted from May" is no question for all of that month
A_LITTLE = 0.1  # of a question that only a tool, or somebody who is not trusted, answered


def injectable(entry: Entry) -> bool:
    """Whether an entry may be handed over unasked."""
    return entry.provenance in TRUSTED and not entry.sensitive


def recalled(store: Store, scope: Scope, prompt: str, seats: int) -> tuple[list[Hit], str | None]:
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
    kept = [hit for hit, match, own in found if (match >= bar or _place(hit) in replies) and own >= least]
    late = [hit for hit in kept if _own(hit) < HARDLY and hit.scores["match"] - hit.scores["date"] < bar][DATED:]
    return [hit for hit in kept if hit not in late] if late else kept


def _after_questions(hits: Iterable[Hit]) -> set[tuple[str | None, int]]:
    """Where the replies to those of them stand that ask."""
    places = (_place(hit) for hit in hits if hit.session_id is not None and asks(hit.text))
    return {(session, seq + 1) for session, seq in places}


def _place(hit: Hit) -> tuple[str | None, int]:
    return hit.session_id, hit.entry.seq if hit.entry is not None else 0


def _own(hit: Hit) -> float:
    """How much of the question a hit holds by itself, in words or in meaning."""
    return float(max(hit.scores["coverage"], hit.scores["nearness"]))


def distinct(hits: Iterable[Hit]) -> list[Hit]:
    """Of those that say the same, the first; of those that differ in numbers alone, a few before all else."""
    found: dict[tuple[str | None, str | None, str], Hit] = {}
    for hit in hits:
        found.setdefault(says(hit), hit)
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
    return distinct(hits) == [*hits] and any(map(_handed, hits))


def says(hit: Hit) -> tuple[str | None, str | None, str]:
    """What a line of the context shows of it: "I am vegetarian" is another thing when somebody else says it."""
    return hit.author, hit.key, hit.snippet
