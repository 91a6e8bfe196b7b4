"""How much there is, where the bytes are, what is wrong."""

import os

import pytest

from holdfast.errors import NotFound
from holdfast.model.scope import Scope
from holdfast.testing.workbench import AGENT, ALL, ANA, OTHER, SESSION
from holdfast.upkeep.status import KINDS, disk_use, session_stats, stats, status


def one_session(id=SESSION):
    return Scope(agent=AGENT, user="ana", sessions=(id,))


def test_a_sound_store_is_not_degraded(desk):
    desk.add("words")
    found = status(desk.store)
    assert (found["degraded"], found["warnings"], found["behind"]) == ([], [], 0)
    assert found["counts"]["entries"] == 1
    assert found["home"] == desk.home
    assert found["unfinished_forget"] is False


def test_damage_is_told_with_what_to_do(desk):
    desk.damage(SESSION, desk.add("x").id)
    found = status(desk.store)
    assert found["corruption"]["damaged_lines"] == 1
    assert found["corruption"]["quarantined"] >= 1
    assert any("verify" in reason for reason in found["degraded"])


def test_a_risky_place_is_a_warning(desk, monkeypatch):
    monkeypatch.setattr("holdfast.upkeep.status.risky_filesystem", lambda path: "network file system (nfs)")
    assert status(desk.store)["warnings"] == ["network file system (nfs)"]


def test_an_interrupted_forget_is_told(desk):
    with open(os.path.join(desk.home, "agents", AGENT, "forgetting.json"), "w") as file:
        file.write("{}")
    found = status(desk.store)
    assert found["unfinished_forget"]
    assert any("forget" in reason for reason in found["degraded"])


def test_disk_use_is_told_by_kind_and_sums_up(files):
    files.bury(files.add("words"))
    files.level()
    files.journal.quarantine(ALL, SESSION, [(1, b"damaged")])
    for name, size in (("ballast", 4096), ("key", 32)):
        with open(os.path.join(files.home, name), "wb") as file:
            file.write(bytes(size))
    used = disk_use(files.store)
    size = files.journal.size(ALL, SESSION)
    assert (used["journals"], used["tombstones"]) == (size.entries, size.tombstones)
    assert (used["quarantine"], used["ballast"]) == (7, 4096)
    assert used["index"] > 0
    assert used["cards"] > 0
    assert used["other"] >= 32
    assert used["total"] == sum(used[kind] for kind in KINDS)


def test_a_users_stats_count_only_theirs(desk):
    desk.session(OTHER, user="ben")
    desk.add("mine", tags=("a",))
    desk.add("theirs", OTHER, user="ben")
    found = stats(desk.store, ANA)
    assert (found["entries"], found["tags"]) == (1, 1)
    assert found["metrics"]["memory.entries.total"] == {"value": 1}
    assert found["metrics"]["memory.sessions.active"] == {"value": 1}
    assert found["metrics"]["memory.size.bytes"] == {"value": found["bytes"]}


def test_a_sessions_stats_are_its_card_counted_now(desk):
    entry = desk.add("x", type="decision")
    desk.journal.amend(ANA, SESSION, entry.id, "ana", {"pinned": True})
    desk.bury(desk.add("y"))
    found = stats(desk.store, one_session())
    assert (found["session_id"], found["user_id"], found["total_entries"]) == (SESSION, "ana", 1)
    assert found["statistics"]["decisions"] == 1
    assert (found["deleted"], found["amendments"], found["superseded"]) == (1, 1, 0)
    size = desk.journal.size(ANA, SESSION)
    assert found["total_size_bytes"] == size.total
    assert found["bytes"] == {"entries": size.entries, "tombstones": size.tombstones}
    assert found["corruption"] == {"damaged_lines": 0, "torn": False, "quarantined": 0}


def test_a_sessions_corruption_is_counted(desk):
    desk.damage(SESSION, desk.add("x").id)
    found = stats(desk.store, one_session())
    assert found["corruption"]["damaged_lines"] == 1
    assert found["corruption"]["quarantined"] >= 1


def test_a_session_that_is_not_there_is_not_found(desk):
    with pytest.raises(NotFound):
        session_stats(desk.store, one_session(OTHER), OTHER)
