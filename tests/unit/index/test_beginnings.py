"""Prefixes among stems: a text with a word that begins so is always found, and few others are looked at."""

import apsw
import pytest

from holdfast.index.beginnings import beginning
from holdfast.index.fulltext import Stemmer
from holdfast.text.words import searchable, words

ROOTS = """
    configur migrat author run stopp deploy stud happ hop activ relat gener organ us agree controll day univers document
    commun in b ey experiment
"""
ENDINGS = """
    e s es ed eed ing ings y ies ied er ers or ion ions ation ations ational ationally ator ative atively ativeness ate
    ize izer ized izing ization ality alism alize alization al ally able ably ability ible ibility ment ments mental
    ement ent ently ence ency ant ance ancy ful fully fulness ness nesses ous ously ousness ive iveness ivity ism ist
    ic ical ically icate icity ity ities logy logies less ning ned
"""
WORDS = sorted({root + ending for root in ROOTS.split() for ending in ("", *ENDINGS.split())})
PREFIXES = sorted({word[:size] for word in WORDS for size in range(2, len(word) + 1)})
STEMMER = Stemmer()


class Table:
    """Words, a text each, in a full text like that of an index."""

    def __init__(self, said):
        self._said = said
        self._connection = apsw.Connection(":memory:")
        made = "fts5(text, tags, path, scope, tokenize='porter unicode61 remove_diacritics 2')"
        self._connection.execute(f"CREATE VIRTUAL TABLE f USING {made}")
        self._connection.executemany("INSERT INTO f(rowid, text) VALUES (?, ?)", enumerate(map(searchable, said)))

    def found(self, prefix):
        rows = self._connection.execute("SELECT rowid FROM f(?)", (beginning(prefix, STEMMER.stems),))
        return {self._said[row] for (row,) in rows}


@pytest.fixture(scope="module")
def table():
    return Table(WORDS)


def test_there_are_words_of_all_endings():
    assert len(WORDS) > 1_000
    assert len(PREFIXES) > 2_000


def test_every_prefix_finds_all_words_that_begin_with_it(table):
    missed = {}
    for prefix in PREFIXES:
        lacking = {word for word in WORDS if word.startswith(prefix)} - table.found(prefix)
        if lacking:
            missed[prefix] = lacking
    assert missed == {}


@pytest.mark.parametrize(
    ("prefix", "other"), [("day", "dark"), ("inn", "into"), ("deploy", "deplore"), ("configurat", "confide")]
)
def test_words_that_only_begin_alike_are_not_looked_at(prefix, other):
    assert Table([prefix + "ing", other]).found(prefix) == {prefix + "ing"}


@pytest.mark.parametrize(
    ("prefix", "word"),
    [
        ("r\xe9sum", "R\xe9sum\xe9s"),
        ("resum", "r\xe9sum\xe9"),
        ("\u03bb\u03cc\u03b3\u03bf\u03c2", "\u03bb\u03cc\u03b3\u03bf\u03c2"),
        ("make_dep", "make_deployment_target"),
        ("_runn", "_running"),
        ("running_", "running_total"),
        ("x" * 70, "x" * 80),
        ("f" * 61 + "ing", "f" * 61 + "ing"),
    ],
)
def test_letters_of_any_kind_and_number_begin_a_word(prefix, word):
    assert words(prefix + "*").prefixes == (prefix,)
    assert Table([word, "zebra"]).found(prefix) == {word}
