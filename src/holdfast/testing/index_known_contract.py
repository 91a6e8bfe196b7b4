"""Contract of an Index: what is known within a scope: who speaks there, and which words stand there."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING

import pytest

from ..model.query import Filter, Words
from .index_history import WORDS, random_scope, varied
from .workbench import ALL, ANA, BEN, OTHER, SESSION

if TYPE_CHECKING:
    from ..model.scope import Scope
    from .workbench import Workbench

UNKNOWN = "sess_20260101_cccccc"


class KnownContract:
    """Authors, mentions, rarity, extent, and words that begin with others."""

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

    def test_whoever_has_nothing_left_to_be_seen_is_no_author(self, backend: Workbench) -> None:
        backend.session()
        said = [backend.add(content={"text": "words", "author": author}) for author in ("Ana", "Zoe", "Ana", "Ben")]
        backend.bury(said[0], said[1])
        index = backend.level()
        assert index.authors(ANA, 10) == index.authors(ALL, 10) == ["Ana", "Ben"]
        assert index.authors(ANA, 2) == ["Ana", "Ben"]

    def test_a_name_is_mentioned_only_where_its_bearer_can_be_seen(self, backend: Workbench) -> None:
        backend.session()
        spoke = backend.add(content={"text": "hello there", "author": "Phoenix"})
        backend.add(content={"text": "the Phoenix migration", "author": "Tom"})
        assert backend.level().mentions(ANA, "Phoenix")[:2] == (0, 1)
        backend.bury(spoke)
        assert backend.level().mentions(ANA, "Phoenix")[:2] == (0, 0)

    def test_authors_are_those_who_speak_in_that_very_scope(self, backend: Workbench) -> None:
        random = Random(8)
        varied(backend, random, 40)
        index = backend.level()
        for _ in range(60):
            scope = random_scope(random)
            rows = index.rows(scope.replace(shared=scope.everyone), Filter())
            assert index.authors(scope, 10) == sorted({row.author for row in rows if row.author}), scope

    def test_a_name_is_mentioned_only_within_the_scope(self, backend: Workbench) -> None:
        backend.session()
        said = (("Zoe", "I am Zoe", "/a"), ("Ana", "Hello Zoe", "/a"), ("Ana", "Zoe, really?", "/b"))
        for author, text, workspace in said:
            backend.add(content={"text": text, "author": author}, workspace=workspace)
        index = backend.level()
        found = [index.mentions(ANA.replace(workspace=workspace), "Zoe")[:2] for workspace in (None, "/a", "/b")]
        assert found == [(1, 2), (1, 1), (0, 0)]

    def test_mentions_of_a_name_are_told_apart_by_who_said_it(self, backend: Workbench) -> None:
        backend.session()
        for author, text in (("Zoe", "I am Zoe"), ("Ana", "Hello Zoe"), ("Ana", "Zoe, really?"), ("Ana", "nothing")):
            backend.add(content={"text": text, "author": author})
        assert backend.level().mentions(ANA, "Zoe")[:2] == (1, 2)
        assert backend.index.mentions(ANA, "Nobody")[:2] == (0, 0)

    @pytest.mark.parametrize("zoe", ["Zoe Smith", "zoe.smith@example.com", "zoe80"])
    def test_a_full_name_or_a_handle_is_mentioned_by_what_people_are_called(self, backend: Workbench, zoe: str) -> None:
        backend.session()
        for author, text in ((zoe, "I am Zoe"), ("Ana", "Hello Zoe"), ("Ana", "Zoe, really?"), ("Ana", "Smith")):
            backend.add(content={"text": text, "author": author})
        assert backend.level().mentions(ANA, zoe)[:2] == (1, 2)

    def test_a_name_before_a_text_is_no_mention(self, backend: Workbench) -> None:
        backend.session()
        for author, text in (("Zoe", "Zoe: good morning"), ("Ana", "Ana: Hello Zoe"), ("Zoe", "From: Zoe\n\nbye")):
            backend.add(content={"text": text, "author": author})
        assert backend.level().mentions(ANA, "Zoe")[:2] == (0, 1)

    def test_beside_mentions_stands_what_is_at_most_five_turns_away(self, backend: Workbench) -> None:
        backend.session()
        for author in ("Zoe", *"abc", "Zoe", "Ana", "Zoe", *"defg", "Zoe", "Zoe"):
            backend.add(content={"text": "Hello Zoe" if author == "Ana" else "words", "author": author})
        assert backend.level().mentions(ANA, "Zoe") == (0, 1, 0.3)

    def test_what_is_said_beside_mentions_in_another_workspace_does_not_count(self, backend: Workbench) -> None:
        backend.session()
        said = (("Zoe", "words", "/a"), ("Ana", "Hello Zoe", "/a"), ("Tom", "words", "/b"), ("Tom", "words", "/b"))
        for author, text, workspace in said:
            backend.add(content={"text": text, "author": author}, workspace=workspace)
        index = backend.level()
        assert index.mentions(ANA.replace(workspace="/a"), "Zoe") == (0, 1, 1.0)
        assert index.mentions(ANA, "Zoe")[2] == pytest.approx(1 / 3)

    def test_rarity_counts_entries_and_those_with_each_term(self, backend: Workbench) -> None:
        backend.session()
        for text in ("apple pear", "apple", "plum"):
            backend.add(text)
        backend.bury(backend.add("apple deleted"))
        assert backend.level().rarity(ALL, ["apple", "plum", "absent"]) == (3, {"apple": 2, "plum": 1, "absent": 0})
        backend.add("plum")
        assert backend.level().rarity(ALL, ["plum", "absent"]) == (4, {"plum": 2, "absent": 0})

    def test_the_extent_of_a_memory_is_its_own_texts_and_what_is_shared(self, backend: Workbench) -> None:
        backend.session()
        backend.session(OTHER, user="ben")
        assert backend.level().extent(ANA) == backend.index.extent(ALL) == 0
        for text in ("apple", "pear", "plum"):
            backend.add(text)
        backend.add("apple", OTHER, user="ben")
        index = backend.level()
        assert [index.extent(scope) for scope in (ANA, BEN, ALL)] == [3, 1, 4]
        backend.add("pear", backend.shared())
        index = backend.level()
        scopes = (ANA, ANA.replace(shared=False), ANA.replace(sessions=(SESSION,)), BEN, ALL)
        assert [index.extent(scope) for scope in scopes] == [4, 3, 4, 2, 5]

    def test_rarity_tells_nobody_of_words_that_only_others_have(self, backend: Workbench) -> None:
        backend.session()
        backend.session(OTHER, user="ben")
        backend.add("apple")
        backend.add("apple plum", OTHER, user="ben")
        backend.add("pear", backend.shared())
        index, terms = backend.level(), ["apple", "plum", "pear"]
        assert index.rarity(ANA, terms) == (3, {"apple": 2, "plum": 0, "pear": 1})
        assert index.rarity(ANA.replace(shared=False), terms) == (3, {"apple": 2, "plum": 0, "pear": 0})
        assert index.rarity(ANA.replace(sessions=(SESSION,)), terms) == (3, {"apple": 2, "plum": 0, "pear": 0})
        assert index.rarity(BEN, terms) == (3, {"apple": 2, "plum": 1, "pear": 1})
        assert index.rarity(ALL, terms) == (3, {"apple": 2, "plum": 1, "pear": 1})
        backend.add("plum")
        assert backend.level().rarity(ANA, ["plum"]) == (4, {"plum": 2})

    def test_a_word_is_known_only_where_a_text_of_that_very_scope_holds_it(self, backend: Workbench) -> None:
        random = Random(5)
        varied(backend, random, 60)
        index, known = backend.level(), Counter[bool]()
        for _ in range(60):
            scope = random_scope(random)
            for word, count in index.rarity(scope, WORDS)[1].items():
                found = index.match(scope, Filter(), Words(terms=(word,)), 1)
                assert (count > 0) is bool(found), (scope, word)
                known[count > 0] += 1
        assert min(known[True], known[False]) > 30

    def test_a_word_of_another_workspace_is_not_known_in_this_one(self, backend: Workbench) -> None:
        backend.session()
        for text, workspace in (("apple pear", "/a"), ("pear plum", "/b"), ("plum fig", None)):
            backend.add(text, workspace=workspace)
        index, here = backend.level(), ANA.replace(workspace="/a")
        terms = ["apple", "pear", "plum", "fig"]
        for scope in (here, ALL.replace(workspace="/a")):
            assert index.rarity(scope, terms) == (3, {"apple": 1, "pear": 2, "plum": 0, "fig": 0})
        loose = here.replace(loose=True)
        assert index.rarity(loose, terms) == (3, {"apple": 1, "pear": 2, "plum": 2, "fig": 1})
        assert index.rarity(here.replace(workspace="/c"), terms) == (3, dict.fromkeys(terms, 0))

    def test_a_word_of_another_session_is_not_known_in_this_one(self, backend: Workbench) -> None:
        backend.session()
        backend.session(OTHER)
        backend.add("apple pear")
        backend.add("pear plum", OTHER)
        index, terms = backend.level(), ["apple", "pear", "plum"]
        assert index.rarity(ANA.replace(sessions=(OTHER,)), terms)[1] == {"apple": 0, "pear": 2, "plum": 1}
        assert index.rarity(ANA.replace(sessions=(SESSION, OTHER)), terms) == index.rarity(ANA, terms)
        assert index.rarity(ANA.replace(sessions=(UNKNOWN,)), terms)[1] == dict.fromkeys(terms, 0)
        assert index.rarity(BEN.replace(sessions=(OTHER,)), terms)[1] == dict.fromkeys(terms, 0)

    def test_what_was_known_elsewhere_is_known_here_once_it_is_written_here(self, backend: Workbench) -> None:
        backend.session()
        backend.add("plum", workspace="/b")
        here = ANA.replace(workspace="/a")
        assert backend.level().rarity(here, ["plum"]) == (1, {"plum": 0})
        assert backend.index.begun(here, ["plu"])["plu"] == []
        backend.add("plum", workspace="/a")
        assert backend.level().rarity(here, ["plum"]) == (2, {"plum": 2})
        assert len(backend.index.begun(here, ["plu"])["plu"]) == 1

    def test_words_that_begin_with_another_are_told_by_their_stems(self, backend: Workbench) -> None:
        backend.session()
        backend.add("zahnarzttermin, sync_seq and CertExpiresSoon")
        backend.add("zahnlos syncopated")
        index = backend.level()
        found = index.begun(ALL, ["zahn", "sync_se", "certexpires", "absent", "!"])
        assert [len(found[term]) for term in ("zahn", "sync_se", "certexpires", "absent")] == [2, 1, 1, 0]
        assert found["sync_se"][0].startswith("sync se")
        assert found.get("!", []) == []
        backend.add(" ".join(f"zahn{letter}" for letter in "abcdefghij"))
        assert len(backend.level().begun(ALL, ["zahn"])["zahn"]) == 8

    def test_longer_words_of_others_do_not_take_the_place_of_ones_own(self, backend: Workbench) -> None:
        backend.session()
        backend.add("certexpires_soon and sync zzz")
        backend.session(OTHER, user="ben")
        for number in range(100):
            backend.add(f"certexpires{number}x cert{number} sync", OTHER, user="ben")
        found = backend.level().begun(ANA, ["cert", "certexpires", "sync_z"])
        assert [len(found[term]) for term in ("cert", "certexpires", "sync_z")] == [1, 0, 1]

    @pytest.mark.parametrize("scope", [ANA.replace(workspace="/a"), ANA.replace(sessions=(SESSION,))])
    def test_longer_words_are_those_of_that_very_scope(self, backend: Workbench, scope: Scope) -> None:
        backend.session()
        backend.session(OTHER)
        backend.add("certexpires_soon and gardens", workspace="/a")
        for number in range(50):
            backend.add(f"cert{number}x gardenhose{number}", OTHER, workspace="/b")
        found = backend.level().begun(scope, ["cert", "gard", "gardenh"])
        assert [len(found[term]) for term in ("cert", "gard", "gardenh")] == [1, 1, 0]
