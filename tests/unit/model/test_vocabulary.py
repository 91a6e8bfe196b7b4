import pytest

from holdfast.model.entry import TYPES
from holdfast.model.vocabulary import RECORDS, meaning


@pytest.mark.parametrize("type", TYPES)
def test_our_own_names_mean_themselves_in_singular_and_plural(type):
    plural = type[:-1] + "ies" if type.endswith("y") else type + "s"
    assert meaning(type).type == meaning(plural).type == type


@pytest.mark.parametrize(
    ("name", "type", "role", "kind"),
    [
        ("prompt", "conversation", "user", None),
        ("assistant", "conversation", "assistant", None),
        ("system", "conversation", "system", None),
        ("tool", "conversation", "tool", None),
        ("tool_use", "event", None, "tool_use"),
        ("tool-result", "event", None, "tool_result"),
        ("errors", "event", None, "error"),
        ("assistant_tool_calls", "conversation", "assistant", "tool_calls"),
        ("user_memory", "preference", None, None),
        ("user_memories", "preference", None, None),
        ("session_summary", "summary", None, None),
        ("File", "artifact", None, None),
    ],
)
def test_the_names_of_other_systems_are_understood(name, type, role, kind):
    meant = meaning(name)
    assert (meant.type, meant.role, meant.kind) == (type, role, kind)


@pytest.mark.parametrize("name", ["", "s", "ies", "unknown", "decision!"])
def test_other_names_mean_nothing(name):
    assert meaning(name) is None


def test_records_are_everything_but_facts():
    assert set(TYPES) - set(RECORDS) == {"fact"}
