"""The index's tokeniser, which knows the Unicode of 2012, and words as questions are cut: both see the same words."""

import unicodedata

import pytest

from holdfast.index.fulltext import Stemmer
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
