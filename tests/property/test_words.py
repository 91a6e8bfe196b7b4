"""Any text can be asked for and any text can be found: words and searchable agree, through a real FTS5."""

from unicodedata import category

import apsw
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from holdfast.text.arabic import light
from holdfast.text.beside import pairs
from holdfast.text.escapes import may_have, unescaped
from holdfast.text.humps import with_parts
from holdfast.text.joined import parts_of
from holdfast.text.solid import forms, with_solid
from holdfast.text.spelling import composed, lettered
from holdfast.text.words import QUERY_WORDS, searchable, tokens, words

ANYTHING = st.text(max_size=400)
WRITTEN = st.text(
    st.sampled_from("abz09_ *?'’\"().-/,日本語認証猫カー한글กขเา ไéΣİßёΐｶﾞＡ１₂²कीি\u05b8\u1112\u1161\xad\ufb01\n\x00"),
    max_size=120,
)
SPACELESS = st.text(st.sampled_from("日本語認証猫犬カナーのは한글서울กขคเไ"), min_size=1, max_size=40)


@pytest.fixture(scope="module")
def index():
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE VIRTUAL TABLE f USING fts5(t, tokenize='porter unicode61')")
    return connection


def matches(index, text, asked):
    """Whether a text holds every term and prefix of a question."""
    with index:
        index.execute("DELETE FROM f")
        index.execute("INSERT INTO f VALUES (?)", (searchable(text),))
    wanted = [f'"{term}"' for term in asked.terms] + [f'"{prefix}"*' for prefix in asked.prefixes]
    return index.execute("SELECT count(*) FROM f(?)", (" AND ".join(wanted),)).get == 1


@given(ANYTHING | WRITTEN)
@example("0-0")
@example("10.0.0.7:80 user@host/path")
def test_what_a_question_gives_is_safe_to_quote(question):
    found = words(question)
    for word in (*found.terms, *found.prefixes):
        parts = parts_of(word)
        assert all(parts)
        assert not set("".join(parts)) & set("\"'*?()^:+-\x00\n")
        word.encode()
    for glob in found.globs:
        assert not set(glob) & set("\"'[]()\x00\n")
        glob.encode()
    assert max(len(found.terms), len(found.prefixes), len(found.globs)) <= QUERY_WORDS


@given(ANYTHING | WRITTEN)
def test_each_word_stands_once_and_in_lower_case(question):
    found = words(question)
    for kind in (found.terms, found.prefixes, found.globs):
        assert len(set(kind)) == len(kind)
        assert all(word == word.lower() for word in kind)


@given(ANYTHING | WRITTEN)
@example("\u0622")
@example("\u0915\u093f \u1112\u1161\u11ab \uff76\uff9e \u05e9\u05c1")
@example("2025-03-31T23:59:58Z \x1b[31mfailed\x1b[0m \\nnew caf\\u00e9 infor-\nmation 250 ms")
def test_text_is_not_changed_but_for_runs_without_spaces_spelling_and_what_arabic_words_lose(text):
    text = "".join(letter for letter in text if category(letter) != "Cn")  # of which no script makes anything yet
    indexed = searchable(text)
    if text.isascii() and not pairs(text) and not may_have(text):
        assert indexed is text
    text = unescaped(text)
    text = with_solid(text, with_parts(text), pairs(text))  # identifiers come with their words and without separators
    spelled = light(lettered(composed(text)))
    assert set(indexed) <= set(spelled) | {" "}
    voiced = set("\u3099\u309a")  # of kana, and nothing behind anything else
    assert set("".join(tokens(indexed))) - voiced == set("".join(tokens(spelled))) - voiced


@settings(deadline=None)
@given(st.text(st.sampled_from("abZ09é日-/._, v\n"), max_size=60))
@example("A-1")
@example("v1.2")
@example("1,000.5 1.000,50")
def test_a_text_is_found_by_every_name_in_it_without_its_separators(index, text):
    for form in forms(text):
        assert matches(index, text, words(form)), form


@settings(deadline=None)
@given(before=SPACELESS, wanted=SPACELESS, after=SPACELESS)
@example(before="本", wanted="の", after="日")
def test_any_part_of_a_run_without_spaces_finds_it(index, before, wanted, after):
    asked = words(wanted)
    assert not asked.empty
    assert matches(index, f"x {before}{wanted}{after} y", asked)
    assert matches(index, wanted, asked)


@settings(deadline=None)
@given(st.lists(st.text("abcdefghij", min_size=3, max_size=8), min_size=1, max_size=8))
def test_a_text_is_found_by_its_own_words(index, said):
    text = ", ".join(said).capitalize()
    assert matches(index, text, words(text))
