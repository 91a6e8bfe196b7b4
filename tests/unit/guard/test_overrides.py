import pytest

from holdfast.errors import Invalid
from holdfast.guard.overrides import compaction, decay


def test_a_session_may_set_its_own_decay():
    given = {
        "enabled": True,
        "half_life_hours": 24,
        "min_decay_factor": 0,
        "type_specific": {"decision": {"half_life_hours": 1000}, "finding": {"decay_enabled": False}},
    }
    assert decay(given) == given


def test_what_was_not_set_is_not_copied_from_the_defaults():
    assert decay({}) == {}
    assert compaction({"auto_compact": False}) == {"auto_compact": False}


@pytest.mark.parametrize(
    "given",
    [
        {"half_life_hours": 0},
        {"half_life_hours": -1},
        {"half_life_hours": float("nan")},
        {"half_life_hours": True},
        {"half_life_hours": 1e9},
        {"min_decay_factor": 1.5},
        {"enabled": 1},
        {"halflife": 3},
        {"type_specific": []},
        {"type_specific": {"nosuch": {}}},
        {"type_specific": {"decision": 3}},
        {"type_specific": {"decision": {"half_life_hours": 0}}},
        {"type_specific": {"decision": {"decay_enabled": "no"}}},
    ],
)
def test_other_decays_are_refused(given):
    with pytest.raises(Invalid) as caught:
        decay(given)
    assert caught.value.details["field"].startswith("decay.")


@pytest.mark.parametrize("given", [{"threshold": 0}, {"threshold": 2}, {"auto_compact": 1}, {"x": 1}])
def test_other_compactions_are_refused(given):
    with pytest.raises(Invalid):
        compaction(given)
