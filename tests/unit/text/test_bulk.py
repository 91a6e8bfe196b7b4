"""Many texts at once become what each of them becomes by itself."""

import random

import pytest

from holdfast.text import bulk
from holdfast.text.bulk import searchables
from holdfast.text.content import searchable

PLAIN = ["", "Deploy on Friday", "It took long.", "Well - yes", "a report on T1", "trailing-", "ends with 5", "- dash"]
REMADE = [
    "maxRetryCount is three", "our Wi-Fi is down", "65,000 a year", "it took 250 ms", "\x1b[31mfailed\x1b[0m twice",
    "kept as \\nfailed", "M\\u00fcller", "infor-\nmation", "infor-\r\nmation", "at 2026-05-06T10:11:12Z", "東京タワー",
    "Straße und CO₂", "naïveBayes", "a symbol \u2bff here",
]  # fmt: skip


@pytest.mark.parametrize("text", [*PLAIN, *REMADE, "déjà vu"])
def test_a_text_among_others_becomes_what_it_is_alone(text):
    for before, behind in (([], []), (PLAIN, PLAIN), (REMADE, REMADE), (["", ""], [""])):
        assert searchables([*before, text, *behind])[len(before)] == searchable(text)


def test_any_texts_in_any_order_become_what_each_becomes():
    chance = random.Random(7)
    for _ in range(200):
        texts = chance.choices([*PLAIN, *REMADE, "déjà vu"], k=chance.randrange(30))
        assert searchables(texts) == [searchable(text) for text in texts]


def test_plain_texts_are_not_looked_at_one_by_one(monkeypatch):
    monkeypatch.setattr(bulk, "searchable", lambda text: pytest.fail(f"{text!r} was made anew"))
    assert searchables(PLAIN) == PLAIN
