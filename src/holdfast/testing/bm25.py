"""Bm25: the usual formula over a handful of texts, for the index in memory.

Plain and slow on purpose: it is what a faster index is compared with. Terms are matched as whole
words or, for prefixes, by their beginning; a term of several words matches as a phrase.
"""

from __future__ import annotations

import re
from math import log
from typing import TYPE_CHECKING

from ..text.content import rooted
from ..text.words import searchable, tokens

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..model.query import Words

_K1, _B = 1.2, 0.75


def split(text: str) -> list[str]:
    """The words of a text in lower case, runs without spaces as pairs, cut at underscores."""
    return _parts(searchable(text))


def asked(term: str) -> list[str]:
    """Those of a question's word, which is cut to pairs already, and stands for nothing but itself."""
    return _parts(rooted(term))


def _parts(text: str) -> list[str]:
    return [part for word in tokens(text.lower()) for part in word.split("_") if part]


def occurrences(words: Sequence[str], term: str, *, prefix: bool = False) -> int:
    """How often a term occurs in the words of a text."""
    wanted = asked(term)
    count = 0
    for start in range(len(words) - len(wanted) + 1) if wanted else ():
        window = words[start : start + len(wanted)]
        last = window[-1].startswith(wanted[-1]) if prefix else window[-1] == wanted[-1]
        count += last and window[:-1] == wanted[:-1]
    return count


def longer(term: str, texts: Sequence[Sequence[str]], most: int = 8) -> list[str]:
    """A few words of these texts that begin with a term's last part, by the alphabet, each behind its other parts."""
    *before, last = asked(term) or [""]
    known = sorted({word for text in texts for word in text if last and word.startswith(last) and word != last})
    phrases = [" ".join((*before, word)) for word in known]
    return [phrase for phrase in phrases if any(occurrences(text, phrase) for text in texts)][:most]


def scores(texts: Mapping[str, Sequence[str]], words: Words) -> dict[str, float]:
    """The score of each text that has any of the terms or prefixes, words beside them included."""
    if words.beside:
        finding = words.replace(beside=())
        every = scores(texts, finding.replace(terms=(*words.terms, *words.beside)))
        return {id: every[id] for id in scores(texts, finding)}
    wanted = [(term, False) for term in (*words.terms, *words.letters)] + [(term, True) for term in words.prefixes]
    mean = sum(map(len, texts.values())) / max(1, len(texts)) or 1.0
    found: dict[str, float] = {}
    for term, prefix in wanted:
        counts = {id: occurrences(split_text, term, prefix=prefix) for id, split_text in texts.items()}
        holders = sum(count > 0 for count in counts.values())
        idf = max(1e-6, log((len(texts) - holders + 0.5) / (holders + 0.5)))
        for id, count in counts.items():
            if count:
                spread = _K1 * (1 - _B + _B * len(texts[id]) / mean)
                found[id] = found.get(id, 0.0) + idf * count * (_K1 + 1) / (count + spread)
    return found


def has_glob(text: str, pattern: str) -> bool:
    """Whether a whole word, as it stands or as it is indexed, matches `d?ploy` or `*fix*`."""
    pieces = ({"*": r"\w*", "?": r"\w"}.get(char, re.escape(char)) for char in pattern.lower())
    wanted = re.compile("".join(pieces))
    return any(wanted.fullmatch(word) for word in (*tokens(text.lower()), *_parts(text), *split(text)))
