import pytest

from holdfast.model.moment import HOUR_MS
from holdfast.model.query import Row
from holdfast.recall.relevance import Ranking, influence, relevance

NOW = 1_767_225_600_000
SETTINGS = {
    "decay.enabled": True,
    "decay.floor": 0.1,
    "decay.conversation_hours": 168.0,
    "decay.finding_hours": 336.0,
    "decay.decision_hours": 720.0,
    "decay.half_life_hours": 168.0,
    "decay.recency_boost": 1.5,
    "decay.recency_hours": 24.0,
    "recall.pin_boost": 1.25,
    "recall.workspace_boost": 1.1,
    "recall.influence": 0.15,
}


def row(type="conversation", hours=0.0, importance=0.5, pinned=False, session="s", workspace=None, recalled=0):
    made = Row("mem_1", NOW - round(hours * HOUR_MS), type, importance, pinned, session, workspace)
    made.recalled = recalled
    return made


def ranking(own=None, workspace=None, **settings):
    return Ranking({**SETTINGS, **settings}, NOW, workspace, {"s": (None, own)} if own else None)


@pytest.mark.parametrize(
    ("type", "hours"), [("conversation", 168), ("finding", 336), ("decision", 720), ("note", 168), ("event", 168)]
)
def test_half_of_an_entry_is_left_after_the_half_life_of_its_type(type, hours):
    assert ranking().decay(row(type, hours)) == pytest.approx(0.5)
    assert ranking().decay(row(type, 2 * hours)) == pytest.approx(0.25)
    assert ranking().decay(row(type, 0)) == 1.0


@pytest.mark.parametrize("type", ["preference", "fact"])
def test_preferences_and_facts_do_not_decay(type):
    assert ranking().decay(row(type, 1e5)) == 1.0


def test_pinned_entries_do_not_decay():
    assert ranking().decay(row(hours=1e5, pinned=True)) == 1.0


def test_decay_has_a_floor_that_compaction_looks_below():
    assert ranking().decay(row(hours=1e5)) == 0.1
    assert ranking().decay(row(hours=1680), floored=False) == pytest.approx(2**-10)


def test_age_is_never_negative():
    ahead = row(hours=-48)
    assert ranking().decay(ahead) == 1.0
    assert ranking().recency(ahead) == 1.5


def test_decay_can_be_switched_off_for_all_or_for_a_session():
    old = row(hours=1e4)
    assert ranking(**{"decay.enabled": False}).decay(old) == 1.0
    assert ranking({"enabled": False}).decay(old) == 1.0
    assert ranking({"enabled": True}, **{"decay.enabled": False}).decay(old) == 0.1


@pytest.mark.parametrize(
    ("own", "type", "half_life"),
    [
        ({"half_life_hours": 10}, "conversation", 10),
        ({"half_life_hours": 10}, "note", 10),
        ({"half_life_hours": 10, "type_specific": {"decision": {"half_life_hours": 20}}}, "decision", 20),
        ({"half_life_hours": 10, "type_specific": {"decision": {"half_life_hours": 20}}}, "finding", 10),
        ({"type_specific": {"finding": {"half_life_hours": 20}}}, "decision", 720),
        ({"min_decay_factor": 0.3}, "conversation", 168),
        ({"half_life_hours": 0}, "conversation", 168),
    ],
)
def test_a_session_may_have_half_lives_of_its_own(own, type, half_life):
    assert ranking(own).decay(row(type, half_life)) == pytest.approx(0.5)


def test_a_session_may_have_a_floor_and_types_that_do_not_decay():
    assert ranking({"min_decay_factor": 0.3}).decay(row(hours=1e5)) == 0.3
    assert ranking({"type_specific": {"finding": {"decay_enabled": False}}}).decay(row("finding", 1e5)) == 1.0


def test_an_override_holds_for_its_own_session_only():
    assert ranking({"half_life_hours": 1}).decay(row(hours=168, session="other")) == pytest.approx(0.5)


@pytest.mark.parametrize(("hours", "boost"), [(0, 1.5), (12, 1.25), (24, 1.0), (1000, 1.0)])
def test_recency_falls_from_one_and_a_half_to_one_within_a_day(hours, boost):
    assert ranking().recency(row(hours=hours)) == pytest.approx(boost)


def test_being_recalled_makes_an_entry_recent_where_recalls_count():
    old = row(hours=1000, recalled=NOW - 12 * HOUR_MS)
    assert ranking().recency(old) == pytest.approx(1.25)
    assert ranking().recency(old, recalls=False) == 1.0


def test_every_factor_is_shown():
    found = ranking(workspace="/w").factors(row(hours=0, importance=0.8, pinned=True, workspace="/w"), 0.5)
    assert found == {"match": 0.5, "importance": 0.8, "decay": 1.0, "recency": 1.5, "pin": 1.25, "workspace": 1.1}
    assert relevance(found) == pytest.approx(0.5 * 0.8 * 1.5 * 1.25 * 1.1)


def test_no_workspace_asked_for_favours_none():
    assert ranking().factors(row())["workspace"] == 1.0
    assert ranking(workspace="/w").factors(row(workspace="/x"))["workspace"] == 1.0


def test_relevance_stays_within_0_and_1():
    assert relevance(ranking().factors(row(importance=1.0, pinned=True))) == 1.0
    assert relevance(ranking().factors(row(importance=0.0))) == 0.0


def test_influence_moves_a_score_by_at_most_its_share():
    best, worst = ranking().weights([row(importance=1.0, pinned=True), row(importance=0.0, hours=1e6)])
    assert influence(best, 0.15) == 1.0
    assert influence(worst, 0.15) == pytest.approx(0.85)


def test_last_months_better_match_beats_todays_chatter():
    old, new = ranking().weights([row(hours=hours, importance=0.5) for hours in (30 * 24, 0)])
    assert 1.0 * influence(old, 0.15) > 0.8 * influence(new, 0.15)
    assert 1.0 * old < 0.8 * new


@pytest.mark.parametrize("recalls", [True, False])
@pytest.mark.parametrize("hours", [0, 5, 40, 30 * 24])
@pytest.mark.parametrize("pinned", [True, False])
def test_the_weight_is_the_relevance_of_the_factors_but_for_the_match(recalls, hours, pinned):
    found = ranking(workspace="here")
    for workspace in ("here", "there", None):
        one = row(hours=hours, importance=0.6, pinned=pinned, workspace=workspace)
        (weight,) = found.weights([one], recalls)
        assert min(1.0, weight) == pytest.approx(relevance(found.factors(one, 1.0, recalls)))
