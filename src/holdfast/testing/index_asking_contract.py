"""Contract of an Index: keyword matches, and everything else that can be asked."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from ..model.ids import entry_id
from ..model.moment import HOUR_MS, iso
from ..model.query import Filter, Words
from ..model.scope import Scope
from ..text.words import words
from .index_history import QUESTIONS, random_filter, random_scope, varied
from .workbench import AGENT, ALL, ANA, BEN, OTHER, SESSION

if TYPE_CHECKING:
    from .workbench import Workbench


class MatchContract:
    """Keyword candidates."""

    def test_any_word_of_the_question_is_enough(self, backend: Workbench) -> None:
        backend.session()
        one, two = backend.add("the OAuth2 flow"), backend.add("a database migration")
        backend.add("something else")
        assert set(backend.find("oauth2 migration plans")) == {one.id, two.id}

    def test_more_and_rarer_words_come_first(self, backend: Workbench) -> None:
        backend.session()
        for number in range(8):
            backend.add(f"common talk number {number}")
        rare = backend.add("common zebra")
        both = backend.add("zebra giraffe")
        assert backend.find("common zebra giraffe")[:2] == [both.id, rare.id]

    def test_scores_are_positive_and_fall(self, backend: Workbench) -> None:
        backend.session()
        for text in ("apple", "apple pear", "apple pear plum", "nothing"):
            backend.add(text)
        rows = backend.level().match(ANA, Filter(), words("apple pear"), 10)
        scores = [row.score for row in rows]
        assert len(scores) == 3
        assert all(score > 0 for score in scores)
        assert scores == sorted(scores, reverse=True)

    def test_case_does_not_matter(self, backend: Workbench) -> None:
        backend.session()
        entry = backend.add("PostgreSQL Über ÉCOLE")
        for question in ("postgresql", "POSTGRESQL", "über", "ÜBER", "école"):
            assert backend.find(question) == [entry.id], question

    def test_a_star_at_the_end_is_a_prefix(self, backend: Workbench) -> None:
        backend.session()
        found = {backend.add("deploying now").id, backend.add("deployment done").id}
        backend.add("redeploy")
        assert set(backend.find("deploy*")) == found

    def test_other_wildcards_match_whole_words(self, backend: Workbench) -> None:
        backend.session()
        entry = backend.add("a hotfix for it")
        backend.add("fixture")
        assert backend.find("h?tfix") == backend.find("*tfix") == backend.find("ho*fix") == [entry.id]
        assert backend.find("h?fix") == []

    @pytest.mark.parametrize(
        ("text", "question"),
        [
            ("認証方式を選んだ", "認証"),
            ("我们决定使用数据库", "数据库"),
            ("인증 방식을 정했다", "방식"),
            ("東京", "東京"),
            ("猫が好き", "猫"),
        ],
    )
    def test_scripts_without_spaces_are_found_by_parts(self, backend: Workbench, text: str, question: str) -> None:
        backend.session()
        entry = backend.add(text)
        backend.add("なにもない 别的 다른")
        assert backend.find(question) == [entry.id]

    @pytest.mark.parametrize("question", QUESTIONS)
    def test_no_question_breaks_it(self, backend: Workbench, question: str) -> None:
        backend.session()
        entry = backend.add("plain words")
        assert set(backend.find(question + " plain")) <= {entry.id}
        assert backend.find("plain") == [entry.id]

    def test_hostile_terms_are_terms_and_nothing_else(self, backend: Workbench) -> None:
        backend.session()
        entry = backend.add("plain words")
        for term in ('"', "plain OR 1", "text:plain", "NEAR(plain)", "-plain", "plain' OR ''='", "*", "\x00", "^plain"):
            rows = backend.level().match(ANA, Filter(), Words(terms=(term,), prefixes=(term,)), 5)
            assert {row.id for row in rows} <= {entry.id}, term

    def test_an_empty_question_finds_nothing(self, backend: Workbench) -> None:
        backend.session()
        backend.add("words")
        assert backend.level().match(ANA, Filter(), Words(), 5) == []

    def test_tags_and_path_are_found_too(self, backend: Workbench) -> None:
        backend.session()
        tagged, placed = backend.add("x", tags=("kubernetes",)), backend.add("y", path="src/parser.py")
        assert backend.find("kubernetes") == [tagged.id]
        assert backend.find("parser") == [placed.id]

    def test_a_decision_is_found_by_its_rationale(self, backend: Workbench) -> None:
        backend.session()
        content = {"text": "Use OAuth", "decision": "Use OAuth", "rationale": "safest", "alternatives": ["passwords"]}
        entry = backend.add(type="decision", content=content)
        assert backend.find("safest") == backend.find("passwords") == [entry.id]

    def test_whose_memory_it_is_is_no_word_of_it(self, backend: Workbench) -> None:
        backend.session()
        backend.add("words")
        assert backend.find(f"ana {SESSION} session conversation user s1 u1 g0") == []

    def test_amended_text_is_found_and_former_text_is_not(self, backend: Workbench) -> None:
        backend.session()
        entry = backend.add("former phrase")
        backend.level()
        backend.journal.amend(ANA, SESSION, entry.id, "ana", {"text": "present phrase"})
        assert backend.find("present") == [entry.id]
        assert backend.find("former") == []

    def test_filters_and_scope_hold_for_matches(self, backend: Workbench) -> None:
        random = Random(9)
        entries = varied(backend, random, 40)
        backend.level()
        for _ in range(60):
            scope, wanted = random_scope(random), random_filter(random, entries)
            found = set(backend.find("common", scope, wanted, limit=200))
            assert found == set(backend.ids(scope, wanted)), (scope, wanted)

    def test_the_limit_keeps_the_best(self, backend: Workbench) -> None:
        backend.session()
        for number in range(30):
            backend.add("apple " * (number % 5 + 1) + "word " * (number % 3))
        every = backend.find("apple", limit=100)
        assert backend.find("apple", limit=7) == every[:7]

    def test_equal_scores_go_by_id(self, backend: Workbench) -> None:
        backend.session()
        drafts = [backend.draft("same words") for _ in range(50)]
        backend.journal.append(ANA, SESSION, drafts[::-1])
        assert backend.find("same", limit=10) == sorted(draft.id for draft in drafts)[:10]

    def test_rows_are_told_who_spoke_and_what_stands_beside_them(self, backend: Workbench) -> None:
        backend.session()
        said = [{"text": text, "role": "user", "author": "Ana"} for text in ("Why?", "Because.", "Deleted", "I see")]
        entries = [backend.add(content=content) for content in said]
        backend.bury(entries[2])
        index = backend.level()
        rows = {row.id: row for row in index.rows(ANA, Filter())}
        index.look_around(ANA, list(rows.values()))
        index.describe(ANA, list(rows.values()))
        first, second, _, last = (rows.get(entry.id) for entry in entries)
        assert first is not None
        assert second is not None
        assert last is not None
        assert (first.role, first.author, first.size, first.said) == ("user", "Ana", 4, "Why?")
        assert first.file == second.file == last.file
        assert (second.seq - first.seq, last.seq - second.seq) == (1, 2)
        assert (first.before, first.after) == (None, second.id)
        assert (second.before, second.after) == (first.id, last.id)

    def test_authors_are_named_in_order_and_within_the_scope(self, backend: Workbench) -> None:
        backend.session()
        backend.session(OTHER, user="ben")
        for author in ("Zoe", "Ana", "Zoe", None):
            backend.add(content={"text": "words", **({"author": author} if author else {})})
        backend.add(journal=OTHER, user="ben", content={"text": "words", "author": "Ben"})
        index = backend.level()
        assert index.authors(ANA, 10) == ["Ana", "Zoe"]
        assert index.authors(ANA, 1) == ["Ana"]
        assert index.authors(ALL, 10) == ["Ana", "Ben", "Zoe"]

    def test_mentions_of_a_name_are_told_apart_by_who_said_it(self, backend: Workbench) -> None:
        backend.session()
        for author, text in (("Zoe", "I am Zoe"), ("Ana", "Hello Zoe"), ("Ana", "Zoe, really?"), ("Ana", "nothing")):
            backend.add(content={"text": text, "author": author})
        assert backend.level().mentions(ANA, "Zoe") == (1, 2)
        assert backend.index.mentions(ANA, "Nobody") == (0, 0)

    def test_rarity_counts_entries_and_those_with_each_term(self, backend: Workbench) -> None:
        backend.session()
        for text in ("apple pear", "apple", "plum"):
            backend.add(text)
        backend.bury(backend.add("apple deleted"))
        assert backend.level().rarity(ALL, ["apple", "plum", "absent"]) == (3, {"apple": 2, "plum": 1, "absent": 0})
        backend.add("plum")
        assert backend.level().rarity(ALL, ["plum", "absent"]) == (4, {"plum": 2, "absent": 0})

    def test_a_text_is_found_under_its_own_stems(self, backend: Workbench) -> None:
        stems = backend.index.stems("Migrating databases")
        assert len(stems) == 2
        assert all(stem == stem.lower() and stem[:5] in ("migra", "datab") for stem in stems)


class AskContract:
    """Everything else that can be asked."""

    def test_an_entry_is_located_at_its_lines(self, backend: Workbench) -> None:
        backend.session()
        entry = backend.add("one")
        backend.add("two")
        backend.journal.amend(ANA, SESSION, entry.id, "ana", {"pinned": True})
        place = backend.level().locate(ANA, [entry.id, entry_id(3)])
        assert place == {entry.id: backend.address(entry.id)}
        assert backend.journal.fetch(ANA, place.values())[entry.id].pinned

    def test_a_thousand_ids_can_be_asked_at_once(self, backend: Workbench) -> None:
        backend.session()
        drafts = [backend.draft(str(number)) for number in range(1000)]
        backend.journal.append(ANA, SESSION, drafts)
        ids = [draft.id for draft in drafts]
        assert set(backend.level().locate(ANA, ids)) == set(ids)
        assert backend.index.buried(ANA, ids) == {}
        assert backend.index.same_text(ANA, ids) == []

    def test_nothing_of_another_user_is_answered(self, backend: Workbench) -> None:
        backend.session()
        backend.session(OTHER, user="ben")
        theirs = backend.add("shared words", OTHER, user="ben", tags=("t",), references=(entry_id(1),))
        mine = backend.add("shared words", references=(theirs.id,))
        index = backend.level()
        assert backend.ids() == backend.find("shared") == [mine.id]
        assert index.locate(ANA, [theirs.id], every=True) == {}
        assert index.same_text(ANA, [mine.id]) == []
        assert index.references(BEN, [theirs.id], inbound=True) == []
        assert index.tags(ANA) == {}
        assert [card.id for card in index.cards(ANA)] == [SESSION]
        assert index.cards(ANA, journal=OTHER) == []
        assert index.sessions(ANA, [OTHER]) == {}
        assert index.counts(ANA)["entries"] == 1

    def test_forms_of_an_arabic_word_find_each_other(self, backend: Workbench) -> None:
        backend.session()
        coffee = backend.add("\u0623\u0634\u0631\u0628 \u0627\u0644\u0642\u0647\u0648\u0629")  # I drink the coffee
        backend.add("\u0623\u0634\u0631\u0628 \u0627\u0644\u0634\u0627\u064a")  # I drink the tea
        assert backend.find("\u0642\u0647\u0648\u0629") == [coffee.id]
        assert backend.find("\u0648\u0627\u0644\u0642\u0647\u0648\u0629") == [coffee.id]
        assert backend.find("\u0627\u0644\u0642\u0647*") == [coffee.id]

    def test_one_ideograph_in_common_is_enough_to_be_found_and_two_together_are_more(self, backend: Workbench) -> None:
        backend.session()
        backend.add("\u6771\u4eac\u306b\u884c\u304f")
        tower = backend.add("\u9ad8\u3044\u5854")
        both = backend.add("\u4eac\u5854\u306b\u884c\u304f")
        found = backend.find("\u4eac\u5854")
        assert found[0] == both.id
        assert tower.id in found

    def test_shared_entries_rank_among_ones_own_by_their_words(self, backend: Workbench) -> None:
        backend.session()
        backend.session(OTHER, user="ben")
        little = backend.add("deploy it some time when there is nothing else that has to be done")
        backend.add("deploy deploy deploy", OTHER, user="ben")
        much = backend.add("deploy deploy deploy", backend.shared())
        some = backend.add("deploy it today")
        assert backend.find("deploy") == [much.id, some.id, little.id]

    def test_shared_entries_are_in_sight_of_who_may_see_them(self, backend: Workbench) -> None:
        entry = backend.add("for all", backend.shared())
        assert backend.ids(BEN) == backend.find("all", BEN) == [entry.id]
        blind = BEN.replace(shared=False)
        assert backend.ids(blind) == backend.find("all", blind) == []

    def test_references_are_edges_in_both_directions(self, backend: Workbench) -> None:
        backend.session()
        a = backend.add("a")
        b = backend.add("b", references=(a.id,))
        nowhere = entry_id(1)
        c = backend.add("c", references=(a.id, b.id, nowhere))
        index = backend.level()
        assert sorted(index.references(ANA, [a.id], inbound=True)) == sorted([(b.id, a.id), (c.id, a.id)])
        outward = index.references(ANA, [c.id], inbound=False)
        assert sorted(outward) == sorted([(c.id, a.id), (c.id, b.id), (c.id, nowhere)])

    def test_a_deleted_entry_refers_to_nothing(self, backend: Workbench) -> None:
        backend.session()
        a = backend.add("a")
        b = backend.add("b", references=(a.id,))
        backend.bury(b)
        assert backend.level().references(ANA, [a.id], inbound=True) == []

    def test_other_entries_with_exactly_the_same_text_are_named(self, backend: Workbench) -> None:
        backend.session()
        one, two = backend.add("the same words"), backend.add("the same words")
        backend.add("the same words and more")
        backend.bury(backend.add("the same words"))
        assert backend.level().same_text(ANA, [one.id]) == [two.id]

    def test_a_fragment_is_held_by_any_entry_that_still_lies_in_a_file(self, backend: Workbench) -> None:
        backend.session()
        hidden = backend.add("concealed treasure")
        backend.add(
            "x", tags=("quartermaster",), path="lib/navigator.c", metadata={"ship": "Endeavour"}, tool="sextant"
        )
        backend.bury(hidden)
        index = backend.level()
        for fragment in ("ncealed", "TREASURE", "artermas", "avigator", "deavour", "xtant"):
            assert index.contains(ALL, fragment), fragment
        assert not index.contains(ALL, "kraken")
        assert not index.contains(ALL, "%")
        assert not index.contains(ALL, "tr_asure")

    def test_an_entry_that_is_being_forgotten_holds_nothing(self, backend: Workbench) -> None:
        backend.session()
        entry = backend.add("concealed treasure")
        backend.level()
        backend.bury(entry, reason="forget")
        assert not backend.level().contains(ALL, "treasure")

    def test_the_names_that_its_own_files_are_made_of_are_told(self, backend: Workbench) -> None:
        backend.session()
        backend.add("x")
        told = backend.level().names(ALL).lower()
        assert [name for name in backend.structure() if name.lower() not in told] == []

    def test_cards_come_last_used_first_with_live_counts(self, backend: Workbench) -> None:
        backend.session(OTHER, workspace="/b")
        backend.clock.advance(1000)
        backend.session(SESSION, workspace="/a")
        backend.clock.advance(1000)
        backend.add("x", OTHER, type="decision")
        gone = backend.add("y", OTHER)
        backend.bury(gone, journal=OTHER)
        first, second = backend.level().cards(ANA)
        assert (first.id, second.id) == (OTHER, SESSION)
        assert (first.total_entries, second.total_entries) == (1, 0)
        assert first.statistics["decisions"] == 1
        assert first.statistics["conversations"] == 0
        size = backend.journal.size(ANA, OTHER)
        assert size is not None
        assert first.total_size_bytes == size.total

    def test_cards_are_found_by_key_workspace_and_page(self, backend: Workbench) -> None:
        backend.session(SESSION, key="agent:main:slack:42", workspace="/a")
        backend.session(OTHER, key="other", workspace="/b")
        third = backend.session("sess_20260101_cccccc", key="none")
        index = backend.level()
        assert [card.id for card in index.cards(ANA, key="agent:main:slack:42")] == [SESSION]
        narrow = Scope(agent=AGENT, user="ana", workspace="/b")
        assert [card.id for card in index.cards(narrow)] == [OTHER]
        assert {card.id for card in index.cards(narrow.replace(loose=True))} == {OTHER, third}
        assert index.cards(BEN.replace(workspace="/b", loose=True)) == []
        assert len(index.cards(ANA, limit=2)) == 2
        assert len(index.cards(ANA, limit=2, offset=2)) == 1

    def test_a_journal_of_any_kind_is_found_by_its_id(self, backend: Workbench) -> None:
        own = backend.user()
        backend.session()
        assert [card.id for card in backend.level().cards(ANA, journal=own)] == [own]
        assert [card.id for card in backend.index.cards(ANA)] == [SESSION]

    def test_a_saved_card_is_the_one_that_is_answered(self, backend: Workbench) -> None:
        backend.session()
        backend.level()
        card = backend.journal.card(ANA, SESSION)
        assert card is not None
        backend.journal.save_card(ANA, card.replace(title="renamed", ended_at=iso(5)))
        (found,) = backend.level().cards(ANA)
        assert (found.title, found.ended_at) == ("renamed", iso(5))

    def test_key_and_decay_of_sessions_are_known(self, backend: Workbench) -> None:
        backend.session(key="the key", decay_config={"enabled": False})
        assert backend.level().sessions(ANA, [SESSION, OTHER]) == {SESSION: ("the key", {"enabled": False})}

    def test_tags_are_counted_most_used_first(self, backend: Workbench) -> None:
        backend.session()
        backend.add("x", tags=("b", "a"))
        backend.add("y", tags=("b", "c.d"))
        backend.bury(backend.add("z", tags=("hidden",)))
        assert list(backend.level().tags(ANA).items()) == [("b", 2), ("a", 1), ("c.d", 1)]

    def test_counts_tell_what_there_is(self, backend: Workbench) -> None:
        backend.session()
        own = backend.user()
        first = backend.add("x", type="decision")
        backend.add("y", pinned=True)
        backend.bury(backend.add("z"))
        backend.add("vim", own, type="preference", key="editor")
        last = backend.add("emacs", own, type="preference", key="editor")
        counts = backend.level().counts(ANA)
        assert counts["types"] == {"conversation": 1, "decision": 1, "preference": 1}
        assert [counts[name] for name in ("entries", "sessions", "deleted", "superseded", "pinned", "damaged")] == [
            3, 1, 1, 1, 1, 0,
        ]  # fmt: skip
        assert (counts["oldest"], counts["newest"]) == (first.timestamp, last.timestamp)
        assert counts["bytes"] > 0

    def test_an_empty_store_counts_nothing(self, backend: Workbench) -> None:
        counts = backend.level().counts(ALL)
        assert (counts["entries"], counts["types"], counts["oldest"]) == (0, {}, None)
        assert backend.index.tags(ALL) == {}
        assert backend.index.rarity(ALL, ["x"]) == (0, {"x": 0})

    def test_what_was_recalled_is_known_to_the_hour_and_after_reopening(self, backend: Workbench) -> None:
        backend.session()
        entry = backend.add()
        backend.level()
        now = backend.clock.now()
        backend.index.recall(ANA, [entry.id], now)
        backend.reopen()
        assert backend.recalled(entry) == now - now % HOUR_MS

    def test_the_status_says_where_it_stands(self, backend: Workbench) -> None:
        backend.session()
        backend.add()
        status = backend.level().status(ALL)
        assert status["behind"] == 0
        assert status["entries"] == 1
        assert {"generation", "path", "bytes", "journals", "damaged"} <= set(status)
