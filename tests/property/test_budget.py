"""Whatever is remembered, a block costs at most its budget and nothing in it speaks outside its line."""

from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.context.budget import fill
from holdfast.context.render import Frame
from holdfast.model.hit import Hit
from holdfast.text.tokens import estimate

FRAME = Frame("0badcafe")
TEXT = st.text(max_size=600) | st.text(st.sampled_from("</memory-0badcafe>\n\u2028 日🙂é"), max_size=200)


def items(texts, author=None):
    told = {"type": "note", "score": 1.0, "timestamp": "2026-01-10T14:23:45.678Z", "author": author}
    return [Hit(id=f"mem_{number:026d}", snippet=text, **told) for number, text in enumerate(texts)]


@settings(deadline=None)
@given(texts=st.lists(TEXT, max_size=8), author=st.none() | TEXT, budget=st.integers(0, 600))
def test_a_block_never_costs_more_than_its_budget(texts, author, budget):
    text, chosen = fill(FRAME, items(texts, author), budget)
    assert estimate(text) <= budget
    assert len(chosen) == (len(text.splitlines()) - 3 if text else 0)


@given(TEXT, st.none() | TEXT)
def test_nothing_remembered_closes_the_block(text, author):
    block = FRAME.block([FRAME.line(items([text], author)[0])])
    assert len(block.splitlines()) == 4
    assert block.count("</memory-0badcafe>") == 1


@given(TEXT | st.text(st.sampled_from('[](),"Erik '), max_size=90))
def test_a_name_stays_within_its_brackets(author):
    line = FRAME.line(items(["said"], author)[0])
    assert line.endswith(f", mem_{0:026d}] said")
    assert line.count("[") == line.count("]") == 1
    assert line.count('"') in (0, 2)


@given(st.lists(st.text(max_size=50), max_size=6))
def test_a_whole_costs_no_more_than_its_parts(parts):
    assert estimate("".join(parts)) <= sum(map(estimate, parts))
    assert all(estimate(part) > 0 for part in parts if part)
