"""Words that say nothing about what is sought; dropped from a question unless nothing else remains.

`ASKING` is milder: words that a question has and its answer often has not. `FRAMING` holds both, and what people say
around a question.

Our own lists. The German, Spanish and French ones are short and leave out every word that is also an
English content word or a developer's term (`die war bin des todo son sin car`): in an English memory a dropped `bin`
would lose the answer. Such a word is small where its question is of that language (`small_here`).
"""

from __future__ import annotations

import re

_SHOUTED = re.compile(r"\b[A-Z]{2,}\b")
_CAPITAL = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+\b")
_ENGLISH = """
a about all also am an and any anyone anything are as at be because been before being between both but by
can could did do does doing done during each either else ever every few for from further get gets getting
give given gives go goes going got had has have having he her here hers herself him himself his how i if
in into is it its itself just know let lets like many may maybe me might mine more most much must my myself
neither no nor not of off often on once one only onto or other our ours ourselves out over own per please
rather really said say says shall she should since so some somebody someone something sometimes still such
tell tells than that the their theirs them themselves then there these they thing things this those through
thus to told too under until up upon us very was we were what whatever when whenever where whether which
while who whoever whom whose why will with within without would yes yet you your yours yourself
"""
_GERMAN = """
aber alle als auch auf aus bei bitte da das dass dem den der dich diese dieser dieses du durch ein
eine einem einen einer eines er es euch für gegen habe haben hatte ich ihr ihre im ist ja kann kein keine
können mein meine mich mir mit nach nicht noch nur ob oder ohne sehr sein seine sich sie sind soll über um
und uns unser vom von vor wann warum was weil welche welcher wenn wer werden wie wieder wir wird wo
wurde zu zum zur
"""
_SPANISH = """
al algo algunos ante antes aquí así aún bajo cada como cómo con contra cual cuál cuando cuándo cuánto de
del desde donde dónde dos el él ella ellos en entre esa ese eso esta está están estas este esto estos fue
ha hacia han hasta hay la las le les lo los más mi mis mucho muy nada ni nos nosotros nuestro para pero
poco por porque qué que quién se según ser si sí sobre su sus también te tiene todos tu tus un una uno unos
usted ya yo
"""
_FRENCH = """
alors après au aussi autre aux avant avec avoir ce ces cet cette chez comme comment dans de depuis donc
du elle elles en encore entre est et été être eux il ils je la là le les leur leurs lui ma mais mes moi mon
même ne nos notre nous où ou par parce pas pendant peu peut pourquoi qu quand que quel quelle quels qui
quoi si sont sous ta te tes toi ton très tu un une vos votre vous
"""
# Small words of a language that English has too, as small ones or as others.
_SHARED = {
    _GERMAN: "also am an bin des die hast hat in man so war was will",
    _SPANISH: "a e era he me no o sin solo son",
    _FRENCH: "a as car dont me on or plus sans si son",
}
_OF_ENGLISH = frozenset(_ENGLISH.split())
# Of each language its own, those that it shares, and those of English by which it is none of it.
_LANGUAGES = [
    (own, shared, _OF_ENGLISH - own - shared)
    for own, shared in ((frozenset(own.split()), frozenset(shared.split())) for own, shared in _SHARED.items())
]
COMMON = frozenset("的了是在我你他她們们這这那有和就都也很不嗎吗呢吧啊把被給给跟與与")  # ideographs of every sentence
PARTICLES = frozenset("のはがをにへともでや")  # of Japanese, alone between Latin words: "GitHubのissue"

STOP = frozenset(f"{_ENGLISH}{_GERMAN}{_SPANISH}{_FRENCH}".split()) | PARTICLES

# Written in capitals, or within a sentence with one, these are names: of a country, a team, a language, a person. The
# English ones that people only stress (NOT, ALL, ONLY) are none.
_NAMES = frozenset(("us", "it", "who")) | frozenset(f"{_GERMAN}{_SPANISH}{_FRENCH}".split()).difference(
    _ENGLISH.split()
)
_WITHIN = frozenset(("go", "may", "will"))


def named(question: str) -> frozenset[str]:
    """Stop words that are names here; whoever writes all in capitals says nothing by them."""
    if question.isupper():
        return frozenset()
    shouted = {word.lower() for word in _SHOUTED.findall(question)}
    within = {word.lower() for word in _CAPITAL.findall(question)}
    return (_NAMES & shouted) | (_WITHIN & within)


def small_here(question: str) -> frozenset[str]:
    """Words that are small in the language of this question and not in English: it has two small words or more of that
    language, one of them on our list of it ("Was kostet die Heizung?"), and none that is English alone."""
    said = frozenset(question.lower().split())
    for own, shared, english in _LANGUAGES:
        if own & said and len(said & (own | shared)) > 1 and not said & english:
            return shared - _OF_ENGLISH
    return frozenset()


# Words of asking: they speak of the memory ("which we discussed"), of the answer ("list in order", "how many
# days"), or may be spelled another way ("five"). Looked for like any word, but an answer need not hold them.
_ASKING = """
across advice after ago amount ask asked aspect aspects based before between bring brought chat chats clear
comprehensive considering conversation conversations currently days describe different discuss discussed discussing
discussion discussions earlier eight exactly explain far first five four happen happened help hours including item
items key last list long mention mentioned mentioning mentions months nine order overview passed past planning
previous previously provide recall recap recently recommend recommendation recommendations recommended related
remember remembered remind reminded session sessions seven six specific suggest suggested suggestion suggestions
summaries summarise summarize summary ten thinking three throughout tips total trying two various walk weeks wondering
years
"""
ASKING = frozenset(_ASKING.split())

# Words that frame a question: a sentence of nothing but these, `ASKING` and `STOP` speaks to whoever answers.
_FRAMING = """
advance answer answering back brief briefly check context find hello hey hi information look looking memories memory
need needed note notes okay ok question questions quick quickly reply right search sure thank thanks think use using
want wanted
"""
FRAMING = ASKING | STOP | frozenset(_FRAMING.split())
