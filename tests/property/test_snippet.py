"""A snippet is a piece of its text within the limit, and marks stand inside it."""

from hypothesis import given
from hypothesis import strategies as st

from holdfast.text.snippet import highlight, snippet

LETTERS = "ab cd\nef.日本語é\u0301👩\u200d💻"
TEXT = st.text(max_size=300) | st.text(st.sampled_from(LETTERS), max_size=300)
TERMS = st.lists(st.text(st.sampled_from("abcdef日本語é\u0301*?"), min_size=1, max_size=3), max_size=4)


@given(text=TEXT, terms=TERMS, limit=st.integers(5, 120))
def test_a_snippet_is_a_part_of_its_text_and_short(text, terms, limit):
    shown = snippet(text, terms, limit)
    assert len(shown) <= max(limit, 0) or shown == text
    assert shown.removeprefix("…").removesuffix("…") in text


@given(text=TEXT, terms=TERMS)
def test_marks_are_apart_in_order_and_inside(text, terms):
    end = 0
    for start, stop in highlight(text, terms):
        assert end <= start < stop <= len(text)
        end = stop
