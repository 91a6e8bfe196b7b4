import os

import pytest

from holdfast.disk import REAL
from holdfast.errors import Denied, Invalid, StorageFailed
from holdfast.journal.ballast import BALLAST_BYTES, reserve
from holdfast.model.card import Card
from holdfast.model.entry import Tombstone
from holdfast.model.ids import user_dir
from holdfast.model.salvage import Salvage, salvaged
from holdfast.model.scope import Scope, whole
from holdfast.testing.disk import FaultyDisk
from tests.unit.journal.world import ALL, ANA, BEN, SESSION

STAMP = "2026-01-01T00:00:00.000Z"
TRICKS = [
    "..",
    "../x",
    "sess_20260101_abc123/..",
    "/etc/passwd",
    "sess_20260101_abc\n",
    "GLOBAL",
    "",
    "u_..",
    "a\x00b",
    None,
]


@pytest.mark.parametrize("journal", TRICKS)
def test_no_input_becomes_a_path(world, journal):
    keeper = world.journal
    calls = [
        lambda: keeper.card(ALL, journal), lambda: keeper.append(ALL, journal, [world.draft()]),
        lambda: keeper.amend(ALL, journal, "mem_1", "user", {"pinned": True}),
        lambda: keeper.bury(ALL, journal, [Tombstone(id="mem_1", timestamp=STAMP, reason="user")]),
        lambda: keeper.replay(ALL, journal), lambda: keeper.tombstones(ALL, journal),
        lambda: keeper.rewrite(ALL, journal, lambda entry: entry), lambda: keeper.remove(ALL, journal),
        lambda: keeper.size(ALL, journal), lambda: keeper.when_idle(ALL, journal, lambda: None),
        lambda: keeper.quarantine(ALL, journal, [(0, b"x")]), lambda: keeper.release(ALL, journal, bool),
        lambda: keeper.blank(ALL, journal, ["mem_1"]), lambda: keeper.inspect(ALL, journal),
    ]  # fmt: skip
    for call in calls:
        with pytest.raises(Invalid):
            call()


def test_another_agents_scope_is_denied_everywhere(world):
    other = whole("other")
    for call in (
        lambda: world.journal.card(other, SESSION), lambda: list(world.journal.journals(other)),
        lambda: world.journal.replay(other, SESSION), lambda: world.journal.quarantined(other),
        lambda: world.journal.append(other, SESSION, [world.draft()]),
        lambda: world.journal.create(other, Card(id=SESSION, created_at=STAMP)),
    ):  # fmt: skip
        with pytest.raises(Denied):
            call()


def test_another_users_session_can_be_neither_written_nor_read(world):
    world.add("one")
    before = world.bytes()
    for call in (
        lambda: world.journal.append(BEN, SESSION, [world.draft()]),
        lambda: world.journal.amend(BEN, SESSION, "mem_1", "user", {"pinned": True}),
        lambda: world.journal.bury(BEN, SESSION, [Tombstone(id="mem_1", timestamp=STAMP, reason="user")]),
        lambda: world.journal.rewrite(BEN, SESSION, lambda entry: None),
        lambda: world.journal.blank(BEN, SESSION, ["mem_1"]),
        lambda: world.journal.remove(BEN, SESSION),
        lambda: world.journal.save_card(BEN, world.journal.card(ANA, SESSION)),
        lambda: world.journal.create(BEN, Card(id=SESSION, user_id="ben", created_at=STAMP)),
        lambda: world.journal.create(BEN, Card(id="sess_20260101_new111", user_id="ana", created_at=STAMP)),
        lambda: world.journal.replay(BEN, SESSION),
        lambda: world.journal.tombstones(BEN, SESSION),
        lambda: world.journal.release(BEN, SESSION, bool),
    ):  # fmt: skip
        with pytest.raises(Denied):
            call()
    assert world.journal.card(BEN, SESSION) is None
    assert world.journal.size(BEN, SESSION) is None
    assert world.bytes() == before


def test_a_damaged_header_does_not_open_a_session_to_others(world):
    world.put(b"x" + world.bytes()[1:])
    with pytest.raises(Denied):
        world.another().append(BEN, SESSION, [world.draft()])
    assert world.add("one", journal=world.another())


def test_journals_are_listed_in_order_and_by_scope(world):
    world.session("sess_20250101_aaa111", "ben")
    world.user("ana")
    world.shared()
    os.makedirs(os.path.join(world.folder, "sessions", "not-ours"))
    assert list(world.journal.journals(ALL)) == ["sess_20250101_aaa111", SESSION, user_dir("ana"), "global"]
    assert list(world.journal.journals(ANA)) == [SESSION, user_dir("ana"), "global"]
    assert list(world.journal.journals(BEN.replace(shared=False))) == ["sess_20250101_aaa111"]


def test_a_home_without_journals_has_none(tmp_path):
    from tests.unit.journal.world import World

    assert list(World(tmp_path / "nothing").journal.journals(ALL)) == []
    assert not (tmp_path / "nothing").exists(), "reading makes nothing"


def test_a_removed_journal_leaves_only_its_tombstones_and_is_still_listed(world):
    entry = world.add("one")[0]
    world.journal.bury(ANA, SESSION, [Tombstone(id=entry.id, timestamp=STAMP, reason="forget")])
    world.put(b"left by a killed writer", "memory.jsonl.1-ab.tmp")
    world.put(b"# Learned", "LEARNINGS.md")
    world.journal.remove(ANA, SESSION)
    assert os.listdir(os.path.dirname(world.path())) == ["tombstones.jsonl"]
    assert list(world.journal.journals(ALL)) == [SESSION]
    assert world.journal.card(ALL, SESSION) is None
    assert len(world.journal.tombstones(ALL, SESSION)[0]) == 1
    assert world.journal.size(ALL, SESSION).entries == 0


def test_a_removed_journal_without_tombstones_leaves_nothing_and_removing_twice_is_fine(world):
    world.add("one")
    world.journal.remove(ANA, SESSION)
    world.journal.remove(ANA, SESSION)
    assert not os.path.exists(os.path.dirname(world.path()))
    assert list(world.journal.journals(ALL)) == []
    assert world.journal.size(ALL, SESSION) is None
    world.session()
    assert world.add("again")[0].seq == 1


def test_size_tells_by_stat_what_changed(world):
    before = world.journal.size(ALL, SESSION)
    world.add("one")
    after = world.journal.size(ALL, SESSION)
    assert after.entries == len(world.bytes()) > before.entries
    assert after.inode == before.inode
    world.journal.rewrite(ALL, SESSION, lambda entry: entry)
    assert world.journal.size(ALL, SESSION).inode != before.inode
    assert after.total == after.entries


def test_when_idle_runs_only_while_no_writer_is_in(world):
    ran = []
    assert world.journal.when_idle(ALL, SESSION, lambda: ran.append(1))
    inner = []
    world.journal.when_idle(ALL, SESSION, lambda: inner.append(world.journal.when_idle(ALL, SESSION, ran.clear)))
    assert (ran, inner) == ([1], [False])


def test_blanking_erases_an_entry_and_its_amendments_in_place(world):
    first = world.add("one", "two")[0]
    world.journal.amend(ANA, SESSION, first.id, "user", {"text": "uno"})
    size = len(world.bytes())
    assert world.journal.blank(ANA, SESSION, [first.id]) == 2
    assert len(world.bytes()) == size
    assert b"one" not in world.bytes()
    assert b"uno" not in world.bytes()
    assert world.texts() == ["two"]
    assert not [line for line in world.replay().lines if line.record is None]
    assert world.add("three")[0].seq == 4
    assert world.journal.blank(ANA, SESSION, [first.id]) == 0


def test_blanking_the_last_line_makes_marks_read_again(world):
    world.add("one")
    entry = world.add("two")[0]
    mark = world.replay().mark
    world.journal.blank(ANA, SESSION, [entry.id])
    again = world.journal.replay(ALL, SESSION, mark)
    assert again.fresh
    assert not again.lost, "what was forgotten must not be rescued from the index"


def test_a_piece_that_tells_whose_it_is_is_seen_by_them_though_its_journal_is_gone(world):
    world.journal.bury(ALL, SESSION, [Tombstone(id=SESSION, timestamp=STAMP, reason="forget")])
    world.journal.remove(ALL, SESSION)
    pieces = [salvaged(Salvage(entry=f"mem_{user}", user_id=user), {"text": "words"}) for user in ("ana", "ben")]
    world.journal.quarantine(ALL, SESSION, [*enumerate(pieces), (9, b"whose?")])
    assert [piece["user_id"] for piece in world.journal.quarantined(ANA)] == ["ana"]
    assert [piece["user_id"] for piece in world.journal.quarantined(BEN)] == ["ben"]
    assert len(world.journal.quarantined(ALL)) == 3


def test_quarantine_keeps_each_piece_once(world):
    assert world.journal.quarantine(ALL, SESSION, [(5, b"bad"), (9, b"worse")]) == 2
    assert world.journal.quarantine(ALL, SESSION, [(5, b"bad")]) == 0
    assert world.journal.quarantine(ALL, SESSION, []) == 0
    kept = world.journal.quarantined(ALL)
    assert [(piece["journal"], piece["offset"], piece["bytes"]) for piece in kept] == [(SESSION, 5, 3), (SESSION, 9, 5)]
    assert world.journal.quarantined(ALL, "sess_20260101_zzz999") == []
    assert world.journal.quarantined(BEN) == []


def test_release_erases_what_matches_and_what_was_left_half_written(world):
    world.journal.quarantine(ALL, SESSION, [(5, b"secret"), (9, b"harmless")])
    left = os.path.join(world.folder, "quarantine", f"{SESSION}-7-0011223344556677.bad.9-aa.tmp")
    with open(left, "wb") as half:
        half.write(b"secr")
    assert world.journal.release(ALL, SESSION, lambda raw: b"sec" in raw) == 2
    assert [piece["offset"] for piece in world.journal.quarantined(ALL)] == [9]
    assert not os.path.exists(left)
    assert world.journal.release(ALL, "sess_20260101_zzz999", lambda raw: True) == 0


def test_inspect_names_file_and_line_of_all_damage(world):
    entry = world.add("one", "two")[0]
    world.journal.bury(ANA, SESSION, [Tombstone(id=entry.id, timestamp=STAMP, reason="user")])
    assert world.journal.inspect(ALL, SESSION) == []
    world.put(world.bytes().replace(b'"two"', b'"tw0"') + b"torn")
    world.put(b"rubbish\n" + world.bytes("tombstones.jsonl"), "tombstones.jsonl")
    world.put(b"{", "metadata.json")
    found = [(os.path.basename(place["file"]), place["line"]) for place in world.journal.inspect(ALL, SESSION)]
    assert found == [("memory.jsonl", 3), ("memory.jsonl", 4), ("tombstones.jsonl", 1), ("metadata.json", 0)]
    read = world.journal.replay(ALL, SESSION)
    assert world.journal.inspect(ALL, SESSION, read) == world.journal.inspect(ALL, SESSION)
    os.unlink(world.path())
    assert "missing" in world.journal.inspect(ALL, SESSION)[0]["what"]
    assert "missing" in world.journal.inspect(ALL, SESSION, world.journal.replay(ALL, SESSION))[0]["what"]


def test_a_read_error_is_typed(world):
    world.add("one")
    for call in (
        lambda journal: journal.replay(ALL, SESSION), lambda journal: journal.card(ALL, SESSION),
        lambda journal: journal.size(ALL, SESSION), lambda journal: journal.inspect(ALL, SESSION),
    ):  # fmt: skip
        with pytest.raises(StorageFailed, match="EIO"):
            call(world.another(FaultyDisk(1)))


def test_user_and_global_journals_work_like_sessions(world):
    ana = world.user("ana")
    world.shared()
    draft = world.draft("vim", scope="user", session_id=None, type="preference", key="editor")
    assert world.journal.append(ANA, ana.id, [draft])[0].seq == 1
    assert world.journal.append(ANA, "global", [world.draft("all", scope="global", session_id=None, user_id=None)])
    with pytest.raises(Denied):
        world.journal.append(BEN, ana.id, [draft])
    assert world.journal.card(Scope(agent="main", user="ana", shared=False), "global") is None


def test_ballast_takes_space_once(tmp_path):
    home = str(tmp_path)
    assert reserve(REAL, home)
    assert reserve(REAL, home)
    assert os.stat(tmp_path / "ballast").st_blocks * 512 >= BALLAST_BYTES


def test_ballast_that_does_not_fit_leaves_nothing(tmp_path):
    assert not reserve(FaultyDisk(2), str(tmp_path))
    assert os.listdir(tmp_path) == []


def linked(world, *names):
    """Files of the journal are links now, as some programs that sync or deploy make them."""
    elsewhere = os.path.join(os.path.dirname(world.home), "elsewhere")
    os.makedirs(elsewhere, exist_ok=True)
    for name in names:
        os.rename(world.path(name), os.path.join(elsewhere, name))
        os.symlink(os.path.join(elsewhere, name), world.path(name))
    return elsewhere


def test_a_journal_that_is_a_link_is_written_where_it_leads(world):
    world.add("one")
    linked(world, "memory.jsonl", "metadata.json")
    before = world.journal.size(ANA, SESSION)
    world.add("two")
    world.journal.save_card(ANA, world.journal.card(ANA, SESSION).replace(title="new"))
    after = world.journal.size(ANA, SESSION)
    assert after.entries > before.entries
    assert (world.texts(), world.another().card(ANA, SESSION).title) == (["one", "two"], "new")
    assert os.path.islink(world.path())
    assert os.path.islink(world.path("metadata.json"))


def test_what_is_rewritten_or_removed_is_gone_from_where_a_link_leads(world):
    (first, _) = world.add("first words", "others")
    elsewhere = linked(world, "memory.jsonl", "metadata.json")
    world.journal.rewrite(ANA, SESSION, lambda entry: None if entry.id == first.id else entry)
    with open(os.path.join(elsewhere, "memory.jsonl")) as file:
        left = file.read()
    assert ("others" in left, "first words" in left, os.path.islink(world.path())) == (True, False, True)
    world.journal.remove(ANA, SESSION)
    assert os.listdir(elsewhere) == []


def test_what_a_link_of_somebody_else_leads_to_stays_when_a_journal_is_removed(world, tmp_path):
    world.add("one")
    (tmp_path / "thesis.tex").write_text("mine")
    os.symlink(tmp_path / "thesis.tex", world.path("notes.txt"))
    world.journal.remove(ANA, SESSION)
    assert not os.path.lexists(world.path("notes.txt"))
    assert (tmp_path / "thesis.tex").read_text() == "mine"
