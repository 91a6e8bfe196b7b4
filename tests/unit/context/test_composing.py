import pytest

from holdfast.context.composing import injectable
from holdfast.model.entry import Entry
from holdfast.model.value import FrozenDict


def entry(provenance="user", sensitive=False):
    return Entry(
        seq=1,
        id="mem_01KDVDNA00BZTVBVR3NFHBXFS6",
        scope="user",
        timestamp="2026-01-10T14:23:45.678Z",
        type="note",
        content=FrozenDict({"text": "x"}),
        provenance=provenance,
        sensitive=sensitive,
    )


@pytest.mark.parametrize("provenance", ["user", "agent"])
def test_what_user_and_agent_said_may_be_handed_over_unasked(provenance):
    assert injectable(entry(provenance))


@pytest.mark.parametrize("provenance", ["tool:grep", "web", "file", "import:chatgpt", "user:ana", "agents", ""])
def test_what_came_from_elsewhere_may_not(provenance):
    assert not injectable(entry(provenance))


@pytest.mark.parametrize("provenance", ["user", "agent"])
def test_what_is_sensitive_may_not(provenance):
    assert not injectable(entry(provenance, sensitive=True))
