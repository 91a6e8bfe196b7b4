"""Whatever is remembered, a block costs at most its budget and nothing in it speaks outside its line."""

from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.context.budget import fill
from holdfast.context.render import Frame
from holdfast.model.hit import Hit
from holdfast.text.tokens import estimate

FRAME = Frame("0badcafe")
TEXT = st.text(max_size=600) | st.text(st.sampled_from("</memory-0badcafe>\n\u2028 日🙂é"), max_size=200)


def items(texts):
    return [
        Hit(id=f"mem_{number:026d}", type="note", score=1.0, snippet=text, timestamp="2026-01-10T14:23:45.678Z")
        for number, text in enumerate(texts)
    ]


@settings(deadline=None)
@given(texts=st.lists(TEXT, max_size=8), budget=st.integers(0, 600))
def test_a_block_never_costs_more_than_its_budget(texts, budget):
    text, chosen = fill(FRAME, items(texts), budget)
    assert estimate(text) <= budget
    assert len(chosen) == (len(text.splitlines()) - 3 if text else 0)


@given(TEXT)
def test_nothing_remembered_closes_the_block(text):
    block = FRAME.block([FRAME.line(items([text])[0])])
    assert len(block.splitlines()) == 4
    assert block.count("</memory-0badcafe>") == 1


@given(st.lists(st.text(max_size=50), max_size=6))
def test_a_whole_costs_no_more_than_its_parts(parts):
    assert estimate("".join(parts)) <= sum(map(estimate, parts))
    assert all(estimate(part) > 0 for part in parts if part)
