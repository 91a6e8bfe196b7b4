"""Greetings: what people say before and after a question that is about nothing: `Good morning!`, `Ok.`, `Thanks a lot`.

A clause greets only where it is made of nothing but such phrases; English first, and the usual ones of German, Spanish
and French. Sets of phrases, not patterns: a prompt is read with every search.
"""

from __future__ import annotations

from .words import tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_GREETINGS = """
hi|hello|hey|hiya|howdy|greetings|good morning|good afternoon|good evening|good night|good day
thanks|many thanks|thank you|thx|cheers|much appreciated
quick question|a quick question|one quick question|just a quick question|short question|one question|another question
one more question|one last question
hallo|moin|servus|guten morgen|guten tag|guten abend|danke|vielen dank|besten dank|kurze frage|eine frage
hola|buenos días|buenos dias|buenas|buenas tardes|buenas noches|gracias|muchas gracias|mil gracias|una pregunta
bonjour|bonsoir|salut|merci|une question|petite question
"""
# These answer what was said before; before a colon they may be a key or a value.
_ANSWERS = """
ok|okay|alright|all right|yes|yeah|yep|no|nope|sure|please|great|perfect|cool|awesome|wonderful|sounds good|got it
sorry|excuse me|bye|goodbye|lol|lgtm|haha|hm|hmm|go on|go ahead|carry on|continue|proceed
ja|nein|bitte|genau|super|tschüss|por favor|vale|sí|oui|non|d accord
s il te plaît|s il vous plaît|svp
"""
_TAILS = """
there|again|all|everyone|everybody|team|folks|claude|so much|very much|a lot|a million|in advance|for your help
for the help|for that|to you|schön|sehr|dir|ihnen|im voraus|de antemano|beaucoup|bien|d avance
"""


def _phrases(lines: str) -> frozenset[str]:
    return frozenset(lines.strip().replace("\n", "|").split("|"))


GREETINGS, _ANSWERING, _AFTER = _phrases(_GREETINGS), _phrases(_ANSWERS), _phrases(_TAILS)
_ALONE = GREETINGS | _ANSWERING
_ANYWHERE = _ALONE | _AFTER
# What merely takes note of what was said: one of these words, and beside them nothing but the others.
_HEARD = """
acknowledged alright done got great noted ok okay perfect remember saved sure thank thanks understood
alles danke gemerkt merke notiert verstanden anotado entendido vale compris noté merci
"""
_SMALL = """
a added all for have i in it keep let ll ve me mind my noting now of right so that the this to up will you your
ich klar das mir de acuerdo todo bien d accord c est
"""
_NOTED, _BESIDE = frozenset(_HEARD.split()), frozenset(_SMALL.split())
_SHORT = 60  # characters
_LONGEST, _MOST = 4, 10  # words of a phrase, and of a clause that greets


def greets(words: Sequence[str], answers: bool = True) -> bool:
    """Whether a clause of these words, in lower case, is nothing but greetings and thanks, or one that answers."""
    if not 0 < len(words) <= _MOST:
        return False
    first = _begun(words, _ALONE if answers else GREETINGS)
    at = first
    while first and at < len(words):
        step = _begun(words[at:], _ANYWHERE)
        if not step:
            return False
        at += step
    return first > 0


def takes_note(text: str) -> bool:
    """Whether a turn says no more than that the one before it was heard: `Okay, I will remember that.`"""
    if len(text) > _SHORT:
        return False
    said = set(tokens(text.lower()))
    return not said.isdisjoint(_NOTED) and said <= _NOTED | _BESIDE


def _begun(words: Sequence[str], phrases: frozenset[str]) -> int:
    """How many words the longest phrase has that they begin with."""
    sizes = range(min(_LONGEST, len(words)), 0, -1)
    return next((size for size in sizes if " ".join(words[:size]) in phrases), 0)
