import datetime
import json

import pytest

from holdfast.errors import Invalid, SizeLimit
from holdfast.guard.validate import FIELDS, changes, draft
from holdfast.model.entry import TYPES, Draft
from holdfast.model.ids import ENTRY_ID, entry_id
from holdfast.model.moment import millis

NOW = 1_767_225_600_000
SESSION = {"scope": "session", "session_id": "sess_20260101_abcdef", "user_id": "ana", "workspace": "/w", "now": NOW}
USER = {**SESSION, "scope": "user", "session_id": None}


def made(place=SESSION, **given):
    return draft(given, **place)


def refused(place=SESSION, error=Invalid, **given):
    with pytest.raises(error) as caught:
        draft(given, **place)
    assert caught.value.details["field"].split(".")[0].split("[")[0].split(" ")[0] in str(caught.value)
    return caught.value


def test_a_draft_has_a_place_a_time_an_id_and_usual_values():
    found = made(text="Use PKCE")
    assert ENTRY_ID.match(found.id)
    assert found == Draft(
        id=found.id,
        scope="session",
        session_id="sess_20260101_abcdef",
        user_id="ana",
        workspace="/w",
        timestamp="2026-01-01T00:00:00.000Z",
        type="note",
        content={"text": "Use PKCE"},
        importance=0.5,
        tags=(),
        references=(),
        provenance="user",
        chosen_id=False,
    )


@pytest.mark.parametrize(
    ("given", "type"),
    [
        ({"text": "x"}, "note"),
        ({"text": "x", "author": "Ana"}, "conversation"),
        ({"text": "x", "role": "user"}, "conversation"),
        ({"content": {"role": "assistant", "message": "x"}}, "conversation"),
        ({"decision": "x"}, "decision"),
        ({"content": {"decision": "x", "rationale": "y"}}, "decision"),
        ({"text": "x", "kind": "approval"}, "event"),
        ({"text": "x", "role": "user", "type": "finding"}, "finding"),
        ({"text": "x", "type": "Findings"}, "finding"),
    ],
)
def test_the_type_follows_from_what_is_given(given, type):
    assert made(**given).type == type


@pytest.mark.parametrize(
    ("type", "ours", "content"),
    [
        ("prompt", "conversation", {"text": "x", "role": "user"}),
        ("assistant", "conversation", {"text": "x", "role": "assistant"}),
        ("tool_use", "event", {"text": "x", "kind": "tool_use"}),
        ("error", "event", {"text": "x", "kind": "error"}),
        ("user_memory", "preference", {"text": "x"}),
        ("session_summary", "summary", {"text": "x"}),
        ("file", "artifact", {"text": "x"}),
    ],
)
def test_the_seeds_names_for_types_become_ours_with_role_and_kind(type, ours, content):
    found = made(text="x", type=type)
    assert (found.type, found.content) == (ours, content)


@pytest.mark.parametrize(
    "given",
    [
        {"text": "Hello", "role": "user"},
        {"content": "Hello", "role": "user"},
        {"content": {"text": "Hello", "role": "user"}},
        {"content": {"message": "Hello", "role": "user"}},
        {"content": {"message": "Hello", "text": "Hello"}, "role": "user"},
    ],
)
def test_the_text_may_come_under_the_names_of_the_seeds(given):
    assert made(type="conversation", **given).content == {"text": "Hello", "role": "user"}


def test_a_decision_keeps_what_was_decided_why_and_what_else_there_was():
    expected = {"text": "Use PKCE", "decision": "Use PKCE", "rationale": "Safest", "alternatives": ["Implicit"]}
    beside = {"rationale": "Safest", "alternatives": ["Implicit"]}
    assert made(text="Use PKCE", type="decision", **beside).content == expected
    assert made(decision="Use PKCE", **beside).content == expected
    assert made(type="decision", content={"decision": "Use PKCE", **beside}).content == expected
    assert made(type="decision", content=expected).content == expected


def test_a_content_without_text_is_found_by_its_words():
    assert made(type="finding", content={"issue": "leak", "where": ["pool"]}).content["text"] == "leak\npool"
    assert made(type="error").content == {"text": "error", "kind": "error"}


def test_what_a_caller_gave_cannot_be_changed_afterwards():
    inner = {"a": [1, {"b": 2}]}
    found = made(text="x", metadata=inner, content={"more": inner})
    inner["a"].append("later")
    assert found.metadata == {"a": [1, {"b": 2}]} == found.content["more"]
    with pytest.raises(TypeError):
        found.metadata["a"][1]["b"] = 3


@pytest.mark.parametrize(
    ("given", "provenance"),
    [
        ({}, "user"),
        ({"role": "user"}, "user"),
        ({"role": "assistant"}, "agent"),
        ({"role": "tool"}, "tool:unknown"),
        ({"role": "assistant", "tool": "grep"}, "tool:grep"),
        ({"tool": "Bash (git)"}, "tool:Bash__git_"),
        ({"type": "tool_result"}, "tool:unknown"),
        ({"role": "assistant", "provenance": "web"}, "web"),
        ({"provenance": "import:chatgpt"}, "import:chatgpt"),
    ],
)
def test_provenance_is_the_least_trusted_that_fits(given, provenance):
    assert made(text="x", **given).provenance == provenance


@pytest.mark.parametrize("given", ["User", "tool:", "tool", "import:", "system", "tool:a b", "tool:" + "x" * 129, 1])
def test_other_provenances_are_refused(given):
    refused(text="x", provenance=given)


def test_times_are_kept_in_utc_to_the_millisecond():
    zone = datetime.timezone(datetime.timedelta(hours=2))
    for given in (
        "2026-01-10T16:23:45.678+02:00",
        1_768_055_025_678,
        datetime.datetime(2026, 1, 10, 16, 23, 45, 678_000, zone),
    ):
        assert made(text="x", timestamp=given).timestamp == "2026-01-10T14:23:45.678Z"


@pytest.mark.parametrize(
    "given", ["2026-01-10T14:00:00", "yesterday", True, float("nan"), -1, 1e18, [], "2026-13-01T00:00:00Z"]
)
def test_a_time_that_is_none_is_refused(given):
    refused(text="x", timestamp=given)


def test_a_new_id_carries_the_entrys_own_time():
    early, late = made(text="x", timestamp="2020-01-01T00:00:00Z"), made(text="x", timestamp=NOW)
    assert early.id < late.id


def test_a_chosen_id_is_kept_and_known_to_be_chosen():
    id = entry_id(NOW)
    found = made(text="x", id=id)
    assert (found.id, found.chosen_id) == (id, True)


OURS = "mem_01KDVDNA000Z9E2V1GSJ1MPN91"


@pytest.mark.parametrize("given", ["mem_1", "", "../x", OURS.lower(), OURS + "\n", 7])
def test_an_id_that_we_did_not_make_is_refused(given):
    refused(text="x", id=given)
    refused(text="x", references=[given])


def test_none_means_not_given():
    found = made(**{**dict.fromkeys(FIELDS), "text": "x"})
    assert found.replace(id="") == made(text="x").replace(id="")


@pytest.mark.parametrize("given", [{}, {"text": ""}, {"text": " \n\t"}, {"content": {}}, {"content": {"role": "user"}}])
def test_an_entry_without_words_is_refused(given):
    assert "white space" in str(refused(**given))


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        ({"tagz": []}, '"tags"'),
        ({"importence": 1}, '"importance"'),
        ({"session": "x"}, "allowed are"),
        ({"qqqq": 1}, "allowed"),
    ],
)
def test_an_unknown_field_is_refused_with_the_nearest_known(given, hint):
    error = refused(text="x", **given)
    assert hint in str(error)
    assert error.details["field"] in given


def test_an_unknown_type_is_refused_with_the_nearest_known():
    error = refused(text="x", type="decison")
    assert 'did you mean "decision"' in str(error)
    assert error.details["allowed"] == TYPES


def test_the_same_name_with_two_values_is_refused():
    refused(text="one", content={"text": "two"})
    refused(content={"text": "one", "message": "two"})
    refused(type="decision", text="one", content={"decision": "two"})
    assert made(type="event", text="Deployed", content={"event": "deploy"}).content["event"] == "deploy"


@pytest.mark.parametrize("given", [-0.1, 1.1, float("nan"), float("inf"), True, "0.5", [], 10**400])
def test_importance_is_a_number_from_0_to_1(given):
    assert "0.0 to 1.0" in str(refused(text="x", importance=given))


def test_importance_may_be_0_or_1():
    assert [made(text="x", importance=given).importance for given in (0, 1, 0.25)] == [0.0, 1.0, 0.25]


@pytest.mark.parametrize("field", ["sensitive", "pinned"])
@pytest.mark.parametrize("given", [1, 0, "true", [], "no"])
def test_flags_are_true_or_false(field, given):
    refused(text="x", **{field: given})
    assert getattr(made(text="x", **{field: True}), field) is True


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("text", "a\ud800b"),
        ("author", "\udfff"),
        ("rationale", "\ud800"),
        ("tool", "\ud800"),
        ("path", "\ud800"),
        ("tags", ["\ud800"]),
        ("metadata", {"a": ["\ud800"]}),
        ("metadata", {"\ud800": 1}),
        ("content", {"text": "x", "y": "\ud800"}),
    ],
)
def test_a_lone_surrogate_is_refused_in_every_field(field, given):
    words = {} if field == "content" else {"text": "x"}
    assert "surrogate" in str(refused(**{**words, field: given}))


@pytest.mark.parametrize(
    ("given", "where"),
    [
        ({"a": {"b": float("nan")}}, "metadata.a.b"),
        ({"a": [1, float("inf")]}, "metadata.a[1]"),
        ({"a": {1: 2}}, "metadata.a"),
        ({"a": object()}, "metadata.a"),
        ({"a": b"x"}, "metadata.a"),
        ({"a": 1 << 65}, "metadata.a"),
        ([], "metadata"),
        ("x", "metadata"),
        ({"a": {1, 2}}, "metadata.a"),
    ],
)
def test_metadata_must_be_json_and_the_place_of_what_is_not_is_named(given, where):
    assert refused(text="x", metadata=given).details["field"] == where


def test_metadata_may_be_16_deep_and_64_kib():
    deep = "leaf"
    for _ in range(15):
        deep = [deep]
    assert made(text="x", metadata={"a": deep}).metadata["a"] == deep
    assert "16 levels" in str(refused(text="x", metadata={"a": [deep]}))
    assert made(text="x", metadata={"a": "x" * 65_000})
    assert "64 KiB" in str(refused(text="x", metadata={"a": "x" * 65_536}))
    assert len(json.dumps(made(text="x", metadata={"a": [1] * 7_000}).metadata)) < 65_536


def test_endless_and_exploding_values_are_refused():
    endless = []
    endless.append(endless)
    refused(text="x", metadata={"a": endless})
    refused(content={"a": endless})
    wide = ["x"] * 10
    for _ in range(10):
        wide = [wide] * 10
    refused(text="x", metadata={"a": wide})
    refused(error=SizeLimit, content={"text": "x", "a": wide})


def test_an_artifact_holds_a_snippet_of_400_characters():
    assert made(type="artifact", text="x" * 400, path="a.py")
    assert "400" in str(refused(type="artifact", text="x" * 401))


@pytest.mark.parametrize(
    ("field", "most"), [("author", 256), ("kind", 64), ("tool_call_id", 256), ("tool", 128), ("path", 4096)]
)
def test_names_are_one_line_of_bounded_length(field, most):
    assert made(text="x", **{field: "n" * most})
    for bad in ("", " ", "n" * (most + 1), "a\nb", "a\x00b", "a\u2028b", 7):
        refused(text="x", **{field: bad})


def test_a_role_is_one_of_four():
    refused(text="x", role="human")
    refused(content={"text": "x", "role": 1})


def test_a_key_makes_a_user_memory():
    found = made(USER, text="vim", key="editor")
    assert (found.key, found.type, found.scope) == ("editor", "preference", "user")


@pytest.mark.parametrize("key", ["", "Editor", "9a", "a-b", "system_x", "internal_x", "k" * 65, "é", "a b", 5])
def test_other_keys_are_refused(key):
    refused(USER, text="vim", key=key)


def test_a_key_belongs_to_preferences_of_a_user_and_its_value_is_short():
    refused(SESSION, text="vim", key="editor")
    refused(USER, text="vim", key="editor", type="note")
    assert made(USER, text="x" * 2000, key="k")
    refused(USER, text="x" * 2001, key="k")


def test_a_global_entry_has_no_user():
    assert made({**SESSION, "scope": "global", "session_id": None}, text="x").user_id is None


def test_an_unknown_scope_is_refused():
    refused({**SESSION, "scope": "globel"}, text="x")


def test_new_words_of_an_artifact_are_as_short_as_its_first_ones():
    assert changes({"text": "x" * 400}, type="artifact") == {"text": "x" * 400}
    with pytest.raises(Invalid, match="400"):
        changes({"text": "x" * 401}, type="artifact")


def test_changes_are_validated_like_entries():
    assert changes({"importance": 1, "tags": ["B", "a"], "pinned": True, "sensitive": False, "text": "new"}) == {
        "importance": 1.0,
        "tags": ["b", "a"],
        "pinned": True,
        "sensitive": False,
        "text": "new",
    }


@pytest.mark.parametrize(
    "given",
    [{}, {"importance": None}, {"importance": 2}, {"text": " "}, {"type": "note"}, {"tags": ["no tag"]}, {"pinned": 1}],
)
def test_other_changes_are_refused(given):
    with pytest.raises(Invalid):
        changes(given)


def test_a_user_memorys_new_text_is_short_too():
    changes({"text": "x" * 2001})
    with pytest.raises(Invalid):
        changes({"text": "x" * 2001}, keyed=True)


@pytest.mark.parametrize(
    "given",
    [
        {"text": "unspeakable \ud800"},
        {"text": "x", "tags": ["unspeakable!"]},
        {"text": "x", "metadata": {"a": ["unspeakable", object()]}},
        {"text": "unspeakable", "content": {"text": "x"}},
        {"text": "x", "author": "unspeakable\n"},
        {"text": "unspeakable " * 40, "type": "artifact"},
        {"text": "x", "references": ["unspeakable"]},
    ],
)
def test_no_error_repeats_what_was_to_be_remembered(given):
    assert "unspeakable" not in str(refused(**given))


def test_now_is_the_time_of_an_entry_without_one():
    assert millis(made(text="x").timestamp) == NOW
