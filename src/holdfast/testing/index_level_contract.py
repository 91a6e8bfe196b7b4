"""Contract of an Index: keeping level with the journals, exact rows, what is hidden, what is erased."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from ..model.entry import Tombstone
from ..model.ids import entry_id, user_dir
from ..model.moment import iso, millis
from ..model.query import Filter, passes
from ..model.record import fold
from .index_history import answers, live, random_filter, random_scope, varied
from .workbench import ALL, ANA, BEN, OTHER, SESSION

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..model.entry import Draft, Entry
    from .workbench import Workbench


class LevelContract:
    """The index follows the journals, however they changed."""

    def test_what_was_appended_is_found_after_a_refresh(self, backend: Workbench) -> None:
        backend.session()
        first = backend.add("one")
        assert backend.ids() == [first.id]
        second = backend.add("two")
        assert backend.ids() == [first.id, second.id]

    def test_what_a_writer_may_have_left_is_in_the_next_answer(self, backend: Workbench) -> None:
        backend.session()
        written = []
        for number in range(40):
            written.append(backend.add(f"line {number}").id)
            backend.index.follow(ALL, 1)
        assert backend.ids() == written

    def test_an_index_that_never_looked_sees_everything(self, backend: Workbench) -> None:
        backend.session()
        entry = backend.add("was here before")
        backend.reopen()
        assert backend.ids() == [entry.id]

    def test_a_journal_that_nobody_announced_is_found_by_comparing(self, backend: Workbench) -> None:
        backend.session()
        backend.add("announced")
        backend.level()
        backend.silent = True
        backend.session(OTHER)
        entry = backend.add("in silence", OTHER)
        assert backend.index.compare(ALL) == 1
        assert entry.id in backend.ids()
        assert backend.index.compare(ALL) == 0

    def test_looking_while_a_write_is_under_way_does_not_lose_it(self, backend: Workbench) -> None:
        backend.session()
        draft = backend.draft("in between", chosen_id=True)
        seen: list[list[str]] = []

        def known(drafts: Sequence[Draft]) -> dict[str, Entry]:
            seen.append(backend.ids())
            return {}

        backend.journal.append(ANA, SESSION, [draft], known)
        assert seen == [[]]
        assert backend.ids() == [draft.id]

    def test_a_suspected_journal_is_read_again(self, backend: Workbench) -> None:
        backend.session()
        entry = backend.add("fine")
        backend.level().suspect(ALL, SESSION)
        assert backend.ids() == [entry.id]

    def test_a_rewritten_journal_is_followed(self, backend: Workbench) -> None:
        backend.session()
        gone, stays = backend.add("gone"), backend.add("stays")
        backend.level()
        backend.journal.rewrite(ANA, SESSION, lambda entry: None if entry.id == gone.id else entry)
        assert backend.ids() == [stays.id]
        place = backend.index.locate(ANA, [stays.id])[stays.id]
        assert place == backend.address(stays.id)

    def test_a_removed_journal_is_gone_with_its_card(self, backend: Workbench) -> None:
        backend.session()
        backend.add()
        backend.level()
        backend.journal.remove(ANA, SESSION)
        assert backend.ids(ALL) == []
        assert backend.level().cards(ALL) == []

    def test_tombstones_of_a_removed_journal_still_stand(self, backend: Workbench) -> None:
        backend.session()
        entry = backend.add()
        backend.level()
        backend.bury(entry, reason="forget")
        backend.journal.remove(ANA, SESSION)
        assert entry.id in backend.level().buried(ALL, [entry.id])
        backend.index.rebuild(ALL)
        assert entry.id in backend.level().buried(ALL, [entry.id])

    def test_a_damaged_line_is_left_out_counted_and_set_aside(self, backend: Workbench) -> None:
        backend.session()
        spoilt, fine = backend.add("spoilt"), backend.add("fine")
        backend.damage(SESSION, spoilt.id)
        assert backend.ids() == [fine.id]
        assert backend.index.counts(ALL)["damaged"] == 1
        assert len(backend.journal.quarantined(ALL, SESSION)) >= 1
        assert [backend.index.damaged(ALL, names) for names in ([SESSION], [OTHER], [])] == [1, 0, 0]

    @pytest.mark.parametrize("seed", range(5))
    def test_rebuilt_and_reopened_it_answers_as_before(self, backend: Workbench, seed: int) -> None:
        live(backend, Random(seed), 60)
        before = answers(backend)
        backend.index.rebuild(ALL)
        assert answers(backend) == before
        backend.reopen()
        assert answers(backend) == before

    def test_progress_of_a_rebuild_ends_at_its_total(self, backend: Workbench) -> None:
        backend.session()
        backend.session(OTHER, user="ben")
        seen: list[tuple[int, int]] = []
        backend.index.rebuild(ALL, lambda done, total: seen.append((done, total)))
        assert seen
        assert seen[-1][0] == seen[-1][1]

    def test_the_version_changes_with_the_index(self, backend: Workbench) -> None:
        backend.session()
        backend.level()
        before = backend.index.version(ALL)
        assert backend.index.version(ALL) == before
        backend.add()
        backend.level()
        assert backend.index.version(ALL) != before


class RowsContract:
    """Exact filters, orders and pages."""

    @pytest.mark.parametrize("seed", range(3))
    def test_rows_are_exactly_what_passes(self, backend: Workbench, seed: int) -> None:
        random = Random(seed)
        entries = varied(backend, random, 40)
        backend.level()
        for _ in range(120):
            scope, wanted = random_scope(random), random_filter(random, entries)
            expected = [
                entry for entry in entries
                if scope.sees(entry.scope, entry.user_id, entry.session_id, entry.workspace) and passes(entry, wanted)
            ]  # fmt: skip
            expected.sort(key=lambda entry: (-millis(entry.timestamp), -entry.seq, entry.id), reverse=True)
            assert backend.ids(scope, wanted) == [entry.id for entry in expected], (scope, wanted)

    def test_of_what_is_written_together_the_later_line_is_the_newer(self, backend: Workbench) -> None:
        backend.session()
        drafts = [backend.draft(str(n), importance=n % 2) for n in range(6)]  # all in the same millisecond
        backend.journal.append(ANA, SESSION, drafts[::-1])  # whatever their ids
        ids = [draft.id for draft in drafts]
        weights = {draft.id: draft.importance for draft in drafts}
        assert backend.ids(order="time") == ids
        assert backend.ids(order="oldest") == ids[::-1]
        assert backend.ids(order="importance") == sorted(ids, key=lambda id: -weights[id])

    def test_of_two_journals_with_one_time_that_with_the_higher_first_id_is_the_newer(self, backend: Workbench) -> None:
        backend.session()
        own = [backend.draft(str(n)) for n in range(3)]
        other = [backend.draft(str(n), backend.session(OTHER)) for n in range(3)]
        backend.journal.append(ANA, OTHER, other)
        backend.journal.append(ANA, SESSION, own)
        ids = [draft.id for draft in (*own, *other)]
        assert backend.ids(order="oldest") == ids == backend.ids(order="time")[::-1]

    def test_newest_first_unless_asked_otherwise(self, backend: Workbench) -> None:
        backend.session()
        entries = [backend.add(str(number)) for number in range(3)]
        rows = backend.level().rows(ANA, Filter())
        assert [row.id for row in rows] == [entry.id for entry in entries[::-1]]

    def test_pages_join_to_the_whole(self, backend: Workbench) -> None:
        backend.session()
        for number in range(7):
            backend.add(str(number))
        index = backend.level()
        pages = [index.rows(ANA, Filter(), "oldest", limit=3, offset=start) for start in (0, 3, 6, 9)]
        assert [row.id for page in pages for row in page] == backend.ids()
        assert [len(page) for page in pages] == [3, 3, 1, 0]

    def test_a_row_says_what_ranking_needs(self, backend: Workbench) -> None:
        backend.session()
        entry = backend.add("x", importance=0.75, pinned=True, type="finding", workspace="/w")
        (row,) = backend.level().rows(ANA, Filter())
        assert (row.id, row.time, row.type) == (entry.id, millis(entry.timestamp), "finding")
        assert (row.importance, row.pinned, row.session_id, row.workspace) == (0.75, True, SESSION, "/w")
        assert (row.recalled, row.score) == (0, 0.0)

    def test_a_tag_covers_those_below_it_and_no_others(self, backend: Workbench) -> None:
        backend.session()
        tags = ["security", "security.auth", "security.auth.oauth", "security2", "secur", "security-x", "x.security"]
        found = {tag: backend.add(tag, tags=(tag,)).id for tag in tags}
        assert backend.ids(wanted=Filter(tags_all=("security",))) == [found[tag] for tag in tags[:3]]
        assert backend.ids(wanted=Filter(tags_all=("security.auth",))) == [found[tag] for tag in tags[1:3]]
        assert backend.ids(wanted=Filter(tags_none=("security",))) == [found[tag] for tag in tags[3:]]

    def test_amended_fields_are_the_ones_that_count(self, backend: Workbench) -> None:
        backend.session()
        entry = backend.add("x", tags=("old",), importance=0.1)
        backend.level()
        changes = {"tags": ["new"], "importance": 0.9, "pinned": True, "sensitive": True}
        backend.journal.amend(ANA, SESSION, entry.id, "ana", changes)
        wanted = Filter(tags_all=("new",), min_importance=0.8, pinned=True, sensitive=True)
        assert backend.ids(wanted=wanted) == [entry.id]
        assert backend.ids(wanted=Filter(tags_all=("old",))) == []


class HiddenContract:
    """Deleted and superseded entries."""

    def test_a_deleted_entry_is_hidden_and_can_be_asked_for(self, backend: Workbench) -> None:
        backend.session()
        entry = backend.add("secret word")
        backend.level()
        backend.bury(entry)
        assert backend.ids() == backend.find("secret") == []
        assert backend.index.locate(ANA, [entry.id]) == {}
        assert backend.ids(wanted=Filter(hidden=True)) == [entry.id]
        assert list(backend.index.locate(ANA, [entry.id], every=True)) == [entry.id]

    def test_an_undeleted_entry_is_back_everywhere(self, backend: Workbench) -> None:
        backend.session()
        entry = backend.add("secret word")
        backend.bury(entry)
        backend.level()
        backend.bury(entry, reason="undelete")
        assert backend.ids() == backend.find("secret") == [entry.id]
        assert backend.ids(wanted=Filter(hidden=True)) == []
        assert backend.index.buried(ANA, [entry.id]) == {}

    def test_the_last_tombstone_of_an_id_counts(self, backend: Workbench) -> None:
        backend.session()
        entry = backend.add("x")
        for reason in ("user", "undelete", "topic", "undelete", "forget"):
            backend.bury(entry, reason=reason)
        assert backend.ids() == []
        assert backend.level().buried(ANA, [entry.id])[entry.id].reason == "forget"

    def test_a_tombstone_beats_an_entry_that_comes_after_it(self, backend: Workbench) -> None:
        backend.session()
        id = entry_id(backend.clock.now())
        backend.journal.bury(ANA, SESSION, [Tombstone(id=id, timestamp=iso(0), reason="user")])
        backend.level()
        backend.add("back again", id=id)
        assert backend.ids() == backend.find("again") == []
        backend.index.rebuild(ALL)
        assert backend.ids() == backend.find("again") == []

    def test_a_tombstone_beats_an_entry_of_another_journal(self, backend: Workbench) -> None:
        backend.session()
        backend.session(OTHER)
        entry = backend.add("x")
        backend.level()
        backend.bury(entry, journal=OTHER)
        assert backend.ids() == []
        backend.index.rebuild(ALL)
        assert backend.ids() == []

    def test_standing_tombstones_say_why_and_when(self, backend: Workbench) -> None:
        backend.session()
        entry = backend.add()
        stone = Tombstone(id=entry.id, timestamp=iso(7), reason="topic", digest="d", compacted_at=iso(9))
        backend.journal.bury(ANA, SESSION, [stone])
        assert backend.level().buried(ANA, [entry.id, entry_id(1)]) == {entry.id: stone}

    def test_tombstones_of_another_user_are_out_of_sight(self, backend: Workbench) -> None:
        backend.session()
        own, shared = backend.user(), backend.shared()
        places = (SESSION, own, shared)
        ids = [backend.add("x", journal).id for journal in places]
        for journal, id in zip(places, ids, strict=True):
            backend.journal.bury(ALL, journal, [Tombstone(id=id, timestamp=iso(0), reason="user")])
        index = backend.level()
        assert set(index.buried(ANA, ids)) == set(index.buried(ALL, ids)) == set(ids)
        assert set(index.buried(BEN, ids)) == {ids[2]}
        assert index.buried(BEN.replace(shared=False), ids) == {}

    def test_a_later_value_of_a_key_hides_the_earlier(self, backend: Workbench) -> None:
        own = backend.user()
        old = backend.add("vim forever", own, type="preference", key="editor")
        backend.level()
        new = backend.add("emacs forever", own, type="preference", key="editor")
        other = backend.add("tabs", own, type="preference", key="indent")
        assert backend.ids() == [new.id, other.id]
        assert backend.find("forever") == [new.id]
        assert backend.find("vim") == []
        assert backend.index.locate(ANA, [old.id]) == {}
        assert list(backend.index.locate(ANA, [old.id], every=True)) == [old.id]
        assert backend.ids(wanted=Filter(superseded=True)) == [old.id, new.id, other.id]

    def test_a_key_of_one_user_hides_nothing_of_another(self, backend: Workbench) -> None:
        mine = backend.add("vim", backend.user("ana"), type="preference", key="editor")
        theirs = backend.add("emacs", backend.user("ben"), user="ben", type="preference", key="editor")
        assert (backend.ids(ANA), backend.ids(BEN)) == ([mine.id], [theirs.id])

    def test_the_value_before_is_not_shown_again_when_the_later_is_deleted(self, backend: Workbench) -> None:
        own = backend.user()
        backend.add("vim", own, type="preference", key="editor")
        new = backend.add("emacs", own, type="preference", key="editor")
        backend.bury(new, journal=own)
        assert backend.ids() == []

    def test_the_value_before_is_shown_again_when_the_later_is_erased(self, backend: Workbench) -> None:
        own = backend.user()
        old = backend.add("vim", own, type="preference", key="editor")
        new = backend.add("emacs", own, type="preference", key="editor")
        backend.level()
        backend.journal.rewrite(ANA, own, lambda entry: None if entry.id == new.id else entry)
        assert backend.ids() == [old.id]
        backend.index.rebuild(ALL)
        assert backend.ids() == [old.id]


class EraseContract:
    """Taking entries out for good."""

    def test_an_erased_entry_is_in_no_answer(self, backend: Workbench) -> None:
        backend.session()
        gone, stays = backend.add("vanishing words", tags=("t",)), backend.add("remaining words")
        backend.level()
        backend.bury(gone, reason="forget")
        backend.journal.rewrite(ANA, SESSION, lambda entry: None if entry.id == gone.id else entry)
        backend.index.erase(ALL, [], [gone.id])
        assert backend.ids() == backend.find("words") == [stays.id]
        assert backend.index.locate(ALL, [gone.id], every=True) == {}
        assert not backend.index.contains(ALL, "vanishing")
        assert backend.index.rarity(ALL, ["vanishing"])[1] == {"vanishing": 0}
        assert gone.id in backend.index.buried(ALL, [gone.id])

    def test_an_erased_journal_is_in_no_answer(self, backend: Workbench) -> None:
        backend.session()
        backend.session(OTHER)
        backend.add("vanishing words")
        stays = backend.add("remaining words", OTHER)
        backend.level()
        backend.journal.remove(ANA, SESSION)
        backend.index.erase(ALL, [SESSION], [])
        assert backend.ids() == backend.find("words") == [stays.id]
        assert [card.id for card in backend.index.cards(ANA)] == [OTHER]
        assert not backend.index.contains(ALL, "vanishing")

    def test_what_was_written_to_a_journal_made_anew_is_found(self, backend: Workbench) -> None:
        own = backend.user()
        backend.add("vanishing words", own)
        backend.level()
        backend.journal.remove(ANA, own)
        backend.user()
        late = backend.add("later words", own)
        backend.level()
        backend.index.erase(ALL, [own], [])
        assert backend.ids() == backend.find("words") == [late.id]

    def test_what_stays_is_found_as_before(self, backend: Workbench) -> None:
        live(backend, Random(3), 40)
        backend.level()
        held = fold(backend.journal.replay(ALL, SESSION).lines)
        gone = set(list(held)[::3])
        backend.journal.bury(ALL, SESSION, [Tombstone(id=id, timestamp=iso(0), reason="forget") for id in gone])
        backend.journal.rewrite(ALL, SESSION, lambda entry: None if entry.id in gone else entry)
        backend.index.erase(ALL, [], sorted(gone))
        before = answers(backend)
        backend.index.rebuild(ALL)
        assert answers(backend) == before

    def test_nothing_lags_once_a_refresh_has_left_nothing_behind(self, backend: Workbench) -> None:
        backend.session()
        backend.add()
        assert backend.index.refresh(ALL, 2_000) == 0
        assert backend.index.lagging(ALL) == {}

    def test_erasing_nothing_and_erasing_twice_is_fine(self, backend: Workbench) -> None:
        backend.session()
        entry = backend.add()
        backend.level()
        backend.index.erase(ALL, [], [entry_id(1)])
        backend.index.erase(ALL, [OTHER], [])
        backend.index.erase(ALL, [], [])
        assert backend.ids() == [entry.id]

    def test_erased_entries_are_no_longer_recalled(self, backend: Workbench) -> None:
        own = backend.user()
        entry = backend.add("x", own)
        backend.level().recall(ANA, [entry.id], backend.clock.now())
        backend.journal.rewrite(ANA, user_dir("ana"), lambda entry: None)
        backend.index.erase(ALL, [], [entry.id])
        backend.add("x", own, id=entry.id)
        backend.reopen()
        assert backend.recalled(entry) == 0
