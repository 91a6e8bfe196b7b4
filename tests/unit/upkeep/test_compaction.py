"""Making room, in the order of D11, without taking what somebody relies on."""

import pytest

from holdfast.errors import FormatTooNew, Locked, NotFound
from holdfast.model.entry import TYPES
from holdfast.model.ids import entry_id
from holdfast.model.moment import DAY_MS, HOUR_MS, iso
from holdfast.model.query import Filter
from holdfast.model.record import entry_from
from holdfast.model.value import FrozenDict
from holdfast.testing.workbench import ALL, ANA, OTHER, SESSION
from holdfast.upkeep import compaction
from holdfast.upkeep.compaction import Rules, compact, compact_all, evictable, plan, stripped
from holdfast.upkeep.holdings import Holding
from tests.unit.upkeep.desk import FileDesk, MemoryDesk

NOW = 1_767_225_600_000
LIMIT = 64 * 1024


def held(size=100, *, stone=None, superseded=False, amendments=0, **fields):
    given = {
        "schema_version": 1, "seq": fields.pop("seq", 1), "id": entry_id(NOW), "scope": "session",
        "timestamp": iso(NOW - fields.pop("age", 0)), "type": "conversation", "content": {"text": "x"}, **fields,
    }  # fmt: skip
    holding = Holding(entry_from(given), stone)
    holding.superseded, holding.bytes = superseded, size
    holding.records = [given] * (amendments + 1)
    return holding


def worth(entry):
    return entry.importance


def test_a_journal_with_room_loses_only_what_nobody_sees():
    kept, deleted, old = held(), held(stone=object()), held(superseded=True)
    made = plan([kept, deleted, old], 50, Rules(limit=10_000), NOW, worth)
    assert made.drop == {deleted.entry.id: "deleted", old.entry.id: "superseded"}
    assert not made.strip


def test_faded_entries_go_before_the_least_relevant():
    faded = [held(1000, importance=0.01, seq=n) for n in range(3)]
    least = [held(1000, importance=0.3 + n / 100, seq=10 + n) for n in range(6)]
    rules = Rules(limit=9_500, threshold=0.9, target=0.5)
    made = plan([*least, *faded], 0, rules, NOW, worth)
    reasons = [made.drop.get(holding.entry.id) for holding in (*faded, *least)]
    assert reasons == ["faded"] * 3 + ["least"] * 2 + [None] * 4
    assert made.size == 4000


def test_once_over_the_threshold_everything_faded_goes_even_below_the_target():
    faded = [held(1000, importance=0.01, seq=n) for n in range(9)]
    made = plan(faded, 0, Rules(limit=9_500), NOW, worth)
    assert len(made.drop) == 9


def test_under_the_threshold_nothing_visible_goes_however_faded():
    made = plan([held(8000, importance=0.0)], 500, Rules(limit=10_000, threshold=0.9), NOW, worth)
    assert made.idle


def test_without_worth_nothing_visible_goes_however_full():
    made = plan([held(20_000, importance=0.0)], 0, Rules(limit=10_000), NOW)
    assert made.idle


@pytest.mark.parametrize("type", [t for t in TYPES if t not in compaction.EVICTABLE])
def test_what_people_rely_on_is_never_evicted(type):
    made = plan([held(20_000, importance=0.0, type=type)], 0, Rules(limit=10_000), NOW, worth)
    assert made.drop == {}


@pytest.mark.parametrize("fields", [{"pinned": True}, {"provenance": "import:chat"}])
def test_pinned_and_imported_entries_are_never_evicted(fields):
    assert not evictable(held(**fields).entry)
    made = plan([held(20_000, importance=0.0, **fields)], 0, Rules(limit=10_000), NOW, worth)
    assert made.drop == {}


def test_equally_relevant_entries_go_oldest_first():
    entries = [held(1000, importance=0.5, seq=n) for n in (3, 1, 2, 4)]
    made = plan(entries, 0, Rules(limit=4_000, threshold=0.5, target=0.5), NOW, worth)
    assert [holding.entry.seq for holding in entries if holding.entry.id in made.drop] == [1, 2]


def test_long_metadata_of_old_entries_is_cut_and_short_stays():
    metadata = {"client": "codex", "trace": "x" * 500, "raw": {"a": ["y" * 300]}, "n": 5}
    old, young = held(600, metadata=metadata, age=31 * DAY_MS), held(600, metadata=metadata, age=29 * DAY_MS)
    made = plan([old, young], 0, Rules(limit=10_000), NOW)
    assert made.strip == {old.entry.id}
    cut = stripped(old.entry)
    assert (cut.metadata, cut.compacted) == ({"client": "codex", "n": 5}, True)


@pytest.mark.parametrize(
    "fields", [{"pinned": True}, {"type": "decision"}, {"provenance": "import:chat"}, {"metadata": {"a": "b"}}]
)
def test_metadata_of_what_is_kept_whole_and_brief_metadata_stay(fields):
    given = {"metadata": {"trace": "x" * 500}, "age": 90 * DAY_MS, **fields}
    assert not plan([held(600, **given)], 0, Rules(limit=10_000), NOW).strip


# -- carried out


def fill(desk, count, **fields):
    """Entries of some 500 bytes each, in one write."""
    desk.clock.advance(1)
    return desk.journal.append(ALL, SESSION, [desk.draft("words " * 20, **fields) for _ in range(count)])


def test_deleted_entries_are_erased_and_their_tombstones_say_when(desk):
    gone, stays = desk.add("erase me"), desk.add("keep me")
    desk.bury(gone)
    report = compact(desk.store, ANA, SESSION)
    assert report["dropped"]["deleted"] == 1
    assert (report["entries_before"], report["entries_after"]) == (2, 1)
    assert "erase me" not in desk.said()
    stones, _ = desk.journal.tombstones(ANA, SESSION)
    assert stones[-1].id == gone.id
    assert stones[-1].compacted_at == iso(desk.clock.now())
    assert desk.ids() == [stays.id]
    assert desk.ids(wanted=Filter(hidden=True)) == []


def test_amendments_are_folded_and_former_words_are_gone(desk):
    entry = desk.add("former")
    desk.journal.amend(ANA, SESSION, entry.id, "ana", {"text": "present"})
    report = compact(desk.store, ANA, SESSION)
    assert report["folded"] == 1
    assert "former" not in desk.said()
    assert desk.find("present") == [entry.id]


def test_superseded_values_go(desk):
    own = desk.user()
    desk.add("vim", own, type="preference", key="editor")
    new = desk.add("emacs", own, type="preference", key="editor")
    assert compact(desk.store, ANA, own)["dropped"]["superseded"] == 1
    assert desk.ids() == [new.id]


def test_a_deleted_key_takes_its_history_with_it(desk):
    own = desk.user()
    desk.add("vim", own, type="preference", key="editor")
    desk.bury(desk.add("emacs", own, type="preference", key="editor"), journal=own)
    compact(desk.store, ANA, own)
    assert desk.ids() == []


def test_the_card_is_brought_up_to_date(desk):
    desk.add(type="decision")
    desk.bury(desk.add())
    compact(desk.store, ANA, SESSION)
    card = desk.journal.card(ANA, SESSION)
    assert card.last_compaction == iso(desk.clock.now())
    assert (card.total_entries, card.statistics["decisions"], card.statistics["conversations"]) == (1, 1, 0)


def test_compacting_twice_changes_nothing_more(desk):
    desk.bury(desk.add())
    compact(desk.store, ANA, SESSION)
    before = desk.journal.replay(ANA, SESSION).mark
    report = compact(desk.store, ANA, SESSION)
    assert desk.journal.replay(ANA, SESSION).mark == before
    assert report["dropped"] == {"deleted": 0, "superseded": 0, "faded": 0, "least": 0}


def test_damaged_lines_are_moved_to_quarantine(desk):
    desk.damage(SESSION, desk.add("spoilt").id)
    assert compact(desk.store, ANA, SESSION)["damaged"] == 1
    assert len(desk.journal.quarantined(ANA)) == 1
    assert desk.journal.inspect(ANA, SESSION) == []


def test_an_entry_undeleted_after_the_plan_was_made_stays(desk, monkeypatch):
    entry = desk.add("second thoughts")
    desk.bury(entry)
    rewrite = desk.journal.rewrite

    def late(scope, journal, keep):
        desk.bury(entry, reason="undelete")
        return rewrite(scope, journal, keep)

    monkeypatch.setattr(desk.journal, "rewrite", late)
    compact(desk.store, ANA, SESSION)
    assert desk.ids() == [entry.id]


def test_a_journal_that_is_not_there_cannot_be_compacted(desk):
    with pytest.raises(NotFound):
        compact(desk.store, ANA, OTHER)


@pytest.fixture(params=[MemoryDesk, FileDesk], ids=["memory", "files"])
def narrow(request, tmp_path):
    """A desk whose journals hold some sixty entries."""
    made = request.param(tmp_path / "narrow", {"journal.session_bytes": LIMIT, "journal.entry_bytes": 16 * 1024})
    made.session()
    yield made
    made.close()


def test_a_full_journal_loses_the_least_relevant_down_to_the_target(narrow):
    fill(narrow, 60, importance=0.6)
    low = fill(narrow, 60, importance=0.1)
    kept = [narrow.add("decided", type="decision", importance=0.0), narrow.add("pin", pinned=True, importance=0.0)]
    report = compact(narrow.store, ANA, SESSION, needed=1)
    assert report["dropped"]["least"] > 0
    assert report["bytes_after"] <= 0.71 * LIMIT
    left = set(narrow.ids())
    assert {entry.id for entry in kept} <= left
    gone = {entry.id for entry in low} - left
    assert len(gone) == report["dropped"]["least"] or not {entry.id for entry in low} & left


def test_what_faded_with_age_goes_first_whatever_the_floor_says(narrow):
    old = fill(narrow, 50)
    narrow.clock.advance(60 * 7 * 24 * HOUR_MS)
    fresh = fill(narrow, 65)
    report = compact(narrow.store, ANA, SESSION)
    assert report["dropped"]["faded"] == len(old)
    assert narrow.ids() == [entry.id for entry in fresh]


def test_room_that_is_needed_counts_before_it_is_taken(narrow):
    fill(narrow, 60, importance=0.6)
    assert compact(narrow.store, ANA, SESSION)["dropped"]["least"] == 0
    assert compact(narrow.store, ANA, SESSION, needed=40_000)["dropped"]["least"] > 0


def test_unless_full_is_asked_for_nothing_visible_goes(narrow):
    fill(narrow, 115)
    before = narrow.ids()
    compact(narrow.store, ANA, SESSION, needed=10_000, full=False)
    assert narrow.ids() == before


def test_what_was_recalled_lately_is_kept_longer(narrow):
    first, *others = fill(narrow, 115, importance=0.5)
    narrow.clock.advance(30 * HOUR_MS)
    narrow.level().recall(ANA, [first.id], narrow.clock.now())
    narrow.reopen()
    compact(narrow.store, ANA, SESSION)
    left = narrow.ids()
    assert first.id in left
    assert others[0].id not in left


def test_a_session_may_have_a_threshold_of_its_own(narrow):
    fill(narrow, 60, importance=0.6)
    card = narrow.journal.card(ANA, SESSION)
    narrow.journal.save_card(ANA, card.replace(compaction_config=FrozenDict({"threshold": 0.2})))
    assert compact(narrow.store, ANA, SESSION)["entries_after"] == 60  # already below the target
    fill(narrow, 40, importance=0.6)
    assert compact(narrow.store, ANA, SESSION)["entries_after"] < 100


def test_several_journals_are_summed(desk):
    desk.session(OTHER)
    desk.bury(desk.add("x"))
    desk.bury(desk.add("y", OTHER), journal=OTHER)
    report = compact_all(desk.store, ALL, [SESSION, OTHER, "sess_20260101_nobody"])
    assert (report["entries_before"], report["entries_after"]) == (2, 0)
    assert [one["journal"] for one in report["journals"]] == [SESSION, OTHER]


@pytest.mark.parametrize("kind", [Locked, FormatTooNew])
def test_a_journal_that_refuses_keeps_no_other_from_its_turn(desk, monkeypatch, kind):
    desk.session(OTHER)
    desk.bury(desk.add("x"))
    desk.bury(desk.add("y", OTHER), journal=OTHER)
    rewrite = desk.journal.rewrite

    def refused(scope, journal, keep):
        if journal == SESSION:
            raise kind("not now")
        return rewrite(scope, journal, keep)

    monkeypatch.setattr(desk.journal, "rewrite", refused)
    report = compact_all(desk.store, ALL, [SESSION, OTHER])
    assert [one["journal"] for one in report["journals"]] == [OTHER]
    assert report["failed"] == [{"what": "not now", "error": kind.__name__, "journal": SESSION}]
    with pytest.raises(kind):
        compact_all(desk.store, ANA.replace(sessions=(SESSION,)), [SESSION])
