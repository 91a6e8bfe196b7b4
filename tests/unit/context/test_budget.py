import pytest

from holdfast.context.budget import fill
from holdfast.context.render import Frame
from holdfast.model.hit import Hit
from holdfast.text.tokens import estimate

FRAME = Frame("fence")


def item(text, number=1):
    return Hit(
        id=f"mem_{number:026d}",
        type="note",
        score=1.0,
        snippet=text,
        timestamp="2026-01-10T14:23:45.678Z",
        provenance="user",
    )


def test_everything_is_taken_in_order_when_there_is_room():
    items = [item("one", 1), item("two", 2)]
    text, chosen = fill(FRAME, items, 500)
    assert chosen == items
    assert text.index("one") < text.index("two")


@pytest.mark.parametrize("budget", [0, 1, 10, 30, 45])
def test_a_budget_too_small_for_the_frame_gives_nothing(budget):
    assert fill(FRAME, [item("word " * 100)], budget) == ("", [])


def test_nothing_to_say_gives_nothing_and_no_empty_frame():
    assert fill(FRAME, [], 800) == ("", [])


@pytest.mark.parametrize("budget", range(40, 400, 13))
@pytest.mark.parametrize("word", ["word ", "слово ", "日本語", "🙂 ", "x" * 50])
def test_the_whole_block_never_costs_more_than_the_budget(budget, word):
    text, chosen = fill(FRAME, [item(word * (20 * n), n) for n in range(1, 6)], budget)
    assert estimate(text) <= budget
    assert bool(text) == bool(chosen)


def test_an_item_that_does_not_fit_is_shortened_at_a_word():
    text, chosen = fill(FRAME, [item("several words that go on and on " * 50)], 120)
    assert len(chosen) == 1
    line = text.splitlines()[2]
    assert line.endswith("…")
    assert line.rstrip("…").split()[-1] in {"several", "words", "that", "go", "on", "and"}


def test_a_long_item_without_room_does_not_keep_a_short_one_out():
    room = estimate(FRAME.block([FRAME.line(item("short", 2))]))
    text, chosen = fill(FRAME, [item("long words " * 400, 1), item("short", 2)], room)
    assert [one.snippet for one in chosen] == ["short"]
    assert estimate(text) == room


def test_a_very_long_item_is_not_looked_at_whole():
    text, chosen = fill(FRAME, [item("word " * 2_000_000)], 200)
    assert chosen
    assert 100 < estimate(text) <= 200
