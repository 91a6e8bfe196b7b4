import pytest

from holdfast.errors import Invalid
from holdfast.model.entry import TYPES
from holdfast.model.moment import DAY_MS
from holdfast.model.query import Filter
from holdfast.recall.filters import NAMES, build

NOW = 1_767_225_600_000


def built(**given):
    return build(given, now=NOW, zone="UTC")


def test_nothing_given_restricts_nothing():
    assert built() == Filter()
    assert built(**dict.fromkeys(NAMES)) == Filter()


LISTS = ("types", "tags", "scopes", "provenance", "roles", "ids", "keys")


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("empty", [[], (), set()])
def test_an_empty_list_is_refused_since_it_must_not_mean_everything(name, empty):
    with pytest.raises(Invalid, match=f"{name} is an empty list"):
        built(**{name: empty})


@pytest.mark.parametrize("tags", [{}, {"include": []}, {"any": []}, {"include": ["a"], "any": []}])
def test_tags_of_which_nothing_can_be_meant_are_refused(tags):
    with pytest.raises(Invalid, match="tags is an empty list"):
        built(tags=tags)


def test_tags_with_one_part_may_leave_the_others_empty():
    assert built(tags={"include": ["a"], "exclude": []}) == built(tags="a")


@pytest.mark.parametrize(
    ("given", "types"),
    [
        ("decision", ("decision",)),
        (["decision", "finding"], ("decision", "finding")),
        ("decisions", ("decision",)),
        (["facts", "fact"], ("fact",)),
        (("summaries",), ("summary",)),
        ("records", tuple(t for t in TYPES if t != "fact")),
        (["records", "facts"], (*(t for t in TYPES if t != "fact"), "fact")),
        ("user_memory", ("preference",)),
    ],
)
def test_types_are_one_or_several_in_singular_or_plural(given, types):
    assert built(types=given).types == types


@pytest.mark.parametrize(
    ("given", "roles"), [("prompt", ("user",)), (["prompt", "assistant"], ("assistant", "user")), ("tool", ("tool",))]
)
def test_the_seeds_names_for_messages_are_a_conversation_with_a_role(given, roles):
    found = built(types=given)
    assert (found.types, found.roles) == (("conversation",), roles)


@pytest.mark.parametrize("given", [["prompt", "decision"], "tool_use", "error", "decison", "", 5, [1], {"a": 1}, b"x"])
def test_types_that_a_filter_cannot_tell_are_refused_rather_than_widened(given):
    with pytest.raises(Invalid) as caught:
        built(types=given)
    assert caught.value.details["field"] == "types"


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("Security", (("security",), (), ())),
        (["a", "b"], (("a", "b"), (), ())),
        ({"include": ["a"], "any": "b", "exclude": ["c", "d"]}, (("a",), ("b",), ("c", "d"))),
        ({"exclude": ["x"]}, ((), (), ("x",))),
    ],
)
def test_tags_are_all_of_a_list_or_told_apart(given, found):
    wanted = built(tags=given)
    assert (wanted.tags_all, wanted.tags_any, wanted.tags_none) == found


@pytest.mark.parametrize("given", [{"includes": ["a"]}, ["no tag"], 3, {"any": 3}, {"include": [None]}])
def test_other_tags_are_refused(given):
    with pytest.raises(Invalid) as caught:
        built(tags=given)
    assert caught.value.details["field"].startswith("tags")


def test_times_are_resolved_to_milliseconds():
    wanted = built(since="2w", until="yesterday")
    assert (wanted.since, wanted.until) == (NOW - 14 * DAY_MS, NOW - DAY_MS)


@pytest.mark.parametrize(("since", "until"), [("1d", "2w"), ("someday", None)])
def test_times_that_make_no_range_are_refused(since, until):
    with pytest.raises(Invalid):
        built(since=since, until=until)


def test_importance_scopes_roles_provenance_ids_and_flags_are_taken():
    wanted = built(
        min_importance=0.7,
        scopes="user",
        roles=["user", "tool"],
        provenance=["tool", "import:chatgpt"],
        ids=["mem_x"],
        pinned=True,
        sensitive=False,
        keys="editor",
        hidden=True,
    )
    assert wanted == Filter(
        min_importance=0.7,
        scopes=("user",),
        roles=("user", "tool"),
        provenance=("tool", "import:chatgpt"),
        ids=("mem_x",),
        pinned=True,
        sensitive=False,
        keys=("editor",),
        hidden=True,
    )


@pytest.mark.parametrize(
    "given",
    [
        {"min_importance": 2},
        {"min_importance": float("nan")},
        {"min_importance": "high"},
        {"scopes": "globl"},
        {"roles": ["human"]},
        {"provenance": "tol"},
        {"pinned": 1},
        {"sensitive": "no"},
        {"ids": 7},
        {"keys": [3]},
        {"keys": ["\ud800"]},
        {"ids": "mem_\ud800"},
        {"provenance": ["tool:\ud800"]},
        {"typs": "x"},
        {"minImportance": 0.5},
    ],
)
def test_what_is_not_understood_is_refused_by_name(given):
    with pytest.raises(Invalid) as caught:
        built(**given)
    assert caught.value.details["field"] in given


def test_a_misspelt_filter_gets_a_hint():
    with pytest.raises(Invalid, match='did you mean "types"'):
        built(typs="x")
