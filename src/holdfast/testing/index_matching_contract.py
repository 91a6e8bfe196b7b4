"""Contract of an Index: keyword matches, in any script."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from ..model.query import Filter, Words
from ..text.words import words
from .index_history import QUESTIONS, random_filter, random_scope, varied
from .workbench import ALL, ANA, BEN, OTHER, SESSION

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

    @pytest.mark.parametrize(
        "word", ["configuration", "authorizations", "running", "deploying", "happiness", "activities", "eyed", "inning"]
    )
    def test_every_beginning_of_a_word_finds_it_with_a_star(self, backend: Workbench, word: str) -> None:
        backend.session()
        entry = backend.add(f"about {word.capitalize()} here")
        backend.add("the run of a config in an eye is happy and active to deploy")
        for size in range(4, len(word) + 1):
            assert entry.id in backend.find(word[:size] + "*"), word[:size]

    def test_other_wildcards_match_whole_words(self, backend: Workbench) -> None:
        backend.session()
        entry = backend.add("a hotfix for it")
        backend.add("fixture")
        assert backend.find("h?tfix") == backend.find("*tfix") == backend.find("ho*fix") == [entry.id]
        assert backend.find("?otfix") == backend.find("*h*o*t*f*x*") == [entry.id]
        assert backend.find("h?fix") == backend.find("?hotfix") == backend.find("h*t*f*i*a") == []

    @pytest.mark.parametrize("question", ["deploy", "deploy*", "d?ploy", "*arget", "make_*", "make_d*get"])
    def test_a_wildcard_finds_what_underscores_join_as_the_word_does(self, backend: Workbench, question: str) -> None:
        backend.session()
        entry = backend.add("run make_deploy_target")
        assert backend.find(question) == [entry.id]

    @pytest.mark.parametrize(
        ("text", "question"),
        [
            ("認証方式を選んだ", "認証"),
            ("我们决定使用数据库", "数据库"),
            ("인증 방식을 정했다", "방식"),
            ("東京", "東京"),
            ("猫が好き", "猫"),
            ("我养了一只猫", "猫"),
            ("我养了一只猫", "猫*"),
            ("ฉันรักแมว", "แ"),
            ("우리집 고양이", "집"),
        ],
    )
    def test_scripts_without_spaces_are_found_by_parts(self, backend: Workbench, text: str, question: str) -> None:
        backend.session()
        entry = backend.add(text)
        backend.add("なにもない 别的 다른")
        assert backend.find(question) == [entry.id]

    @pytest.mark.parametrize(
        ("text", "question"),
        [
            ("we ordered pizza\U0001f917", "pizza"),
            ("\U0001f916deploy finished", "deploy"),
            ("the fee is 500\u20bd", "500"),
            ("\u2068Annika\u2069 joined", "annika"),
            ("pizza", "pizza\U0001f917"),
        ],
    )
    def test_a_word_is_found_with_and_without_the_symbol_attached_to_it(
        self, backend: Workbench, text: str, question: str
    ) -> None:
        backend.session()
        entry = backend.add(text)
        assert backend.find(question) == [entry.id]
        backend.bury(entry)
        assert backend.find(question) == []

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

    @pytest.mark.parametrize(
        ("path", "question"),
        [
            ("docs/\u0627\u0644\u0642\u0647\u0648\u0629.md", "\u0642\u0647\u0648\u0629"),  # coffee, with its article
            ("docs/\u0627\u0644\u0642\u0647\u0648\u0629.md", "\u0627\u0644\u0642\u0647*"),
            ("docs/\u30c7\u30d7\u30ed\u30a4.md", "\u30c7\u30d7\u30ed\u30a4"),
            ("docs/parser.md", "p?rser"),
        ],
    )
    def test_a_path_is_cut_to_words_as_a_text_is(self, backend: Workbench, path: str, question: str) -> None:
        backend.session()
        entry = backend.add("x", path=path)
        assert backend.find(question) == [entry.id]
        backend.bury(entry)
        assert backend.find(question) == []

    def test_patterns_are_looked_for_in_tags_too(self, backend: Workbench) -> None:
        backend.session()
        entry = backend.add("x", tags=("kubernetes",))
        assert backend.find("k?bernetes") == [entry.id]

    def test_an_amended_event_is_still_found_by_the_decision_that_it_tells_of(self, backend: Workbench) -> None:
        backend.session()
        entry = backend.add(type="event", content={"text": "asked", "decision": "approved"})
        backend.journal.amend(ANA, SESSION, entry.id, "ana", {"text": "asked twice"})
        assert backend.find("approved") == [entry.id]

    def test_a_decision_is_found_by_its_rationale(self, backend: Workbench) -> None:
        backend.session()
        content = {"text": "Use OAuth", "decision": "Use OAuth", "rationale": "safest", "alternatives": ["passwords"]}
        entry = backend.add(type="decision", content=content)
        assert backend.find("safest") == backend.find("passwords") == [entry.id]

    def test_whose_memory_it_is_is_no_word_of_it(self, backend: Workbench) -> None:
        backend.session()
        backend.add("words")
        assert backend.find(f"ana {SESSION} session conversation user s1 u1 g0") == []
        assert backend.find("\ue0001") == []
        assert backend.index.rarity(ALL, ["s1", "\ue0001"])[1] == {"s1": 0, "\ue0001": 0}

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

    def test_a_word_beside_others_counts_where_one_of_them_stands_and_finds_nothing_alone(
        self, backend: Workbench
    ) -> None:
        random = Random(9)
        entries = varied(backend, random, 60)
        index = backend.level()
        terms, beside = ("zebra", "coffee"), ("common", "oauth", "deploy")
        for _ in range(20):
            scope, wanted = random_scope(random), random_filter(random, entries)
            rows = {row.id: row for row in index.match(scope, wanted, Words(terms=terms + beside), 100)}
            told = {row.id for row in index.match(scope, wanted, Words(terms=terms), 100)}
            for limit in (3, 100):
                found = index.match(scope, wanted, Words(terms=terms, beside=beside), limit)
                best = sorted(
                    (rows[id] for id in told), key=lambda row: (-round(row.score, 9), -row.time, -row.seq, row.id)
                )[:limit]
                assert [row.id for row in found] == [row.id for row in best], (scope, wanted)
                assert [row.score for row in found] == pytest.approx([row.score for row in best])

    def test_what_stands_beside_nothing_finds_nothing(self, backend: Workbench) -> None:
        backend.session()
        backend.add("apple")
        assert backend.level().match(ALL, Filter(), Words(beside=("apple",)), 5) == []

    def test_the_limit_keeps_the_best(self, backend: Workbench) -> None:
        backend.session()
        for number in range(30):
            backend.add("apple " * (number % 5 + 1) + "word " * (number % 3))
        every = backend.find("apple", limit=100)
        assert backend.find("apple", limit=7) == every[:7]

    @pytest.mark.parametrize("question", ["be?a", "bet*", "common be?a", "common bet*", "common gam* be?a"])
    def test_the_limit_keeps_the_best_of_what_a_pattern_finds(self, backend: Workbench, question: str) -> None:
        random = Random(4)
        backend.session()
        for _ in range(60):
            backend.add("beta " + "common " * random.randint(0, 3) + random.choice(["gamma gammas", ""]))
        every = backend.find(question, limit=100)
        assert len(every) == 60
        for limit in (1, 7, 30, 59):
            assert backend.find(question, limit=limit) == every[:limit]

    @pytest.mark.parametrize("question", ["beta", "be?a", "bet*"])
    def test_of_what_scores_alike_the_newest_comes_first(self, backend: Workbench, question: str) -> None:
        backend.session()
        ids = [backend.add("beta").id for _ in range(50)]
        assert backend.find(question, limit=3) == ids[:-4:-1]

    @pytest.mark.parametrize("question", ["beta", "be?a", "bet*"])
    def test_of_those_that_were_written_together_the_later_line_comes_first(
        self, backend: Workbench, question: str
    ) -> None:
        backend.session()
        drafts = [backend.draft("beta") for _ in range(50)]
        backend.journal.append(ANA, SESSION, drafts[::-1])
        assert backend.find(question, limit=3) == [draft.id for draft in drafts[:3]]

    def test_rows_are_told_who_spoke_and_what_stands_beside_them(self, backend: Workbench) -> None:
        backend.session()
        said = [{"text": text, "role": "user", "author": "Ana"} for text in ("Why?", "Because.", "Deleted", "I see")]
        entries = [backend.add(content=content) for content in said]
        backend.bury(entries[2])
        index = backend.level()
        rows = {row.id: row for row in index.rows(ANA, Filter())}
        index.look_back(ANA, list(rows.values()))
        index.describe(ANA, list(rows.values()))
        first, second, _, last = (rows.get(entry.id) for entry in entries)
        assert first is not None
        assert second is not None
        assert last is not None
        assert (first.role, first.author, first.size, first.said) == ("user", "Ana", 4, "Why?")
        assert first.file == second.file == last.file
        assert (second.seq - first.seq, last.seq - second.seq) == (1, 2)
        assert (first.before, second.before, last.before) == (None, first.id, second.id)
        assert (first.asked, second.asked, last.asked) == (False, True, False)
        told = {row.id for row in index.following(ANA, Filter(), [first, second, last])}
        assert told == {second.id, last.id}
        assert not index.following(ANA, Filter(types=("note",)), [first])
        assert not index.following(BEN, Filter(), [first])

    def test_the_end_of_a_long_turn_is_not_taken_for_a_question(self, backend: Workbench) -> None:
        backend.session()
        end = "did you ever " + "and " * 100
        backend.add(f"I told them that it did not matter how often {end[:200]}")
        answer = backend.add("It was a long day")
        index = backend.level()
        (row,) = index.rows(ANA, Filter(ids=(answer.id,)))
        index.look_back(ANA, [row])
        assert (row.before is None, row.asked) == (False, False)

    def test_a_text_is_found_under_its_own_stems(self, backend: Workbench) -> None:
        stems = backend.index.stems("Migrating databases")
        assert len(stems) == 2
        assert all(stem == stem.lower() and stem[:5] in ("migra", "datab") for stem in stems)

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
