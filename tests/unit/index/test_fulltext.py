"""The index's tokeniser, which knows the Unicode of 2012, and words as questions are cut: both see the same words."""

import unicodedata
from threading import Thread

import pytest

import holdfast
from holdfast.index.fulltext import Stemmer
from holdfast.index.gate import GATE
from holdfast.text.spelling import composed
from holdfast.text.words import searchable, tokens

BLOCKS = {
    "punctuation": (0x2000, 0x206F),
    "currency": (0x20A0, 0x20CF),
    "arrows to symbols": (0x2190, 0x2BFF),
    "more punctuation": (0x2E00, 0x2E7F),
    "private use": (0xE000, 0xF8FF),
    "emoji": (0x1F000, 0x1FBFF),
}


@pytest.mark.parametrize("block", BLOCKS)
def test_a_symbol_parts_words_in_texts_where_it_parts_them_in_questions(block):
    first, last = BLOCKS[block]
    stemmer, wrong = Stemmer(), []
    for code in range(first, last + 1):
        said = f"xq{chr(code)}zq"
        parted = tokens(composed(said))  # as a question is before it is cut
        if unicodedata.category(chr(code))[0] in "SPC" and len(stemmer.stems(searchable(said))) != len(parted):
            wrong.append(hex(code))
    assert wrong == []


def test_a_text_that_was_made_searchable_gives_the_same_stems_again():
    stemmer, made = Stemmer(), searchable("pizza🤗 الكتابان 500₽")
    assert stemmer.stems(made) == stemmer.stems(" ".join(stemmer.stems(made))) == ["pizza", "كتاب", "500"]


def test_a_stemmer_is_made_inside_the_gate_and_kept_by_a_forked_child(tmp_path):
    """A child that frees what SQLite gave out waits for ever if a thread of its parent was asking for memory."""
    assert GATE.shut(0)
    try:
        thread = Thread(target=Stemmer)
        thread.start()
        thread.join(0.05)
        assert thread.is_alive()
    finally:
        GATE.reopen()
    thread.join(10)
    assert not thread.is_alive()
    with holdfast.open(tmp_path / "home", settings={"recall.vectors": False}) as memory:
        index = memory.store.index
        assert index.stems("running") == ["run"]
        stemmer = index._stemmer
        assert stemmer in index.after_fork()
        assert index.stems("running") == ["run"]
        assert index._stemmer is not stemmer
