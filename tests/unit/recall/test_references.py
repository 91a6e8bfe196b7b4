import pytest

from holdfast.recall.references import MOST_DEPTH, walk


def edges(graph):
    return lambda ids: [(source, target) for source in ids for target in graph.get(source, ())]


CHAIN = {"a": ["b"], "b": ["c"], "c": ["d"]}


@pytest.mark.parametrize(
    ("depth", "found"),
    [
        (0, [("a", 0)]),
        (1, [("a", 0), ("b", 1)]),
        (2, [("a", 0), ("b", 1), ("c", 2)]),
        (9, [("a", 0), ("b", 1), ("c", 2), ("d", 3)]),
    ],
)
def test_references_are_followed_so_far_and_no_further(depth, found):
    assert walk(["a"], edges(CHAIN), depth) == found


def test_circles_end_and_each_entry_is_reached_once_by_its_shortest_way():
    graph = {"a": ["b", "c", "a"], "b": ["a", "d"], "c": ["d"], "d": ["a"]}
    assert walk(["a"], edges(graph), 16) == [("a", 0), ("b", 1), ("c", 1), ("d", 2)]


def test_several_starts_are_all_at_depth_0_each_once():
    assert walk(["a", "c", "a"], edges(CHAIN), 1) == [("a", 0), ("c", 0), ("b", 1), ("d", 1)]


def test_nothing_is_followed_beyond_the_most_depth():
    long = {str(n): [str(n + 1)] for n in range(100)}
    assert walk(["0"], edges(long), 100)[-1] == (str(MOST_DEPTH), MOST_DEPTH)


def test_the_store_is_asked_once_for_each_level():
    asked = []

    def count(ids):
        asked.append(list(ids))
        return edges(CHAIN)(ids)

    walk(["a"], count, 2)
    assert asked == [["a"], ["b"]]
    assert walk([], count, 3) == []
