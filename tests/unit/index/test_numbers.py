"""Chunks are numbered by owner: whose they are can be told by their numbers, whatever the order of writing."""

from holdfast.guard.validate import draft
from holdfast.index import rows as writing
from holdfast.index.numbers import LAST, NOBODY, SHARED, block, owner_of
from holdfast.testing.embedder import HashingEmbedder


def ask(embedded, sql):
    embedded.index.refresh(embedded.all, 2_000)
    return embedded.index.database().ask(lambda connection: connection.execute(sql).fetchall())


def test_the_numbers_of_owners_never_meet():
    blocks = sorted(block(owner) for owner in (SHARED, 1, 2, 3, 1_000_000, NOBODY))
    assert all(first > last for (_, last), (first, _) in zip(blocks, blocks[1:], strict=False))
    assert blocks[0][0] > 0
    assert blocks[-1][1] < LAST


def test_what_is_shared_belongs_to_no_user():
    assert owner_of("global", 3) == SHARED
    assert owner_of("session", 3) == owner_of("user", 3) == 3
    assert owner_of("session", None) == NOBODY


def test_chunks_of_one_user_stand_in_a_row_whoever_wrote_between(embedded):
    journals = {user: embedded.session(number, user) for number, user in enumerate(("ana", "ben"), 1)}
    for number in range(6):
        for user, journal in journals.items():
            embedded.add(journal, f"words {number}", user)
        embedded.index.refresh(embedded.all, 2_000)
    embedded.add(journals["ana"], "long " * 400, "ana")
    found = ask(
        embedded,
        "SELECT u.n, c.n FROM chunks c JOIN entries e ON e.n=c.entry JOIN users u ON u.id=e.user_id ORDER BY c.n",
    )
    for owner in {owner for owner, _ in found}:
        numbers = [chunk for whose, chunk in found if whose == owner]
        assert numbers == list(range(block(owner)[0], block(owner)[0] + len(numbers)))
        assert len(numbers) >= 6


def test_an_amended_text_keeps_its_owner(embedded):
    journals = {user: embedded.session(number, user) for number, user in enumerate(("ana", "ben"), 1)}
    first = embedded.add(journals["ana"], "old words", "ana").id
    embedded.add(journals["ben"], "other words", "ben")
    embedded.index.refresh(embedded.all, 2_000)
    embedded.journal.amend(embedded.scope("ana"), journals["ana"], first, "user", {"text": "new words"})
    assert embedded.find("new", "ana") == [first]
    assert embedded.find("new", "ben") == embedded.find("old", "ana") == []


def test_what_is_indexed_for_many_users_at_once_is_written_in_one_piece(embedded):
    journals = [embedded.session(number, f"user{number % 5}") for number in range(1, 21)]
    for number, journal in enumerate(journals, 1):
        embedded.add(journal, f"words of {number}", f"user{number % 5}")
    assert ask(embedded, "SELECT count(DISTINCT segid) FROM chunks_fts_idx") == [(1,)]
    assert len(embedded.find("words", "user3")) == 4


def test_what_belongs_to_nobody_gets_its_vector_too(embedded):
    journal = embedded.session()
    embedded.add(journal, "words of ana")
    nobody = {"scope": "session", "session_id": journal, "user_id": None, "workspace": None}
    embedded.journal.append(embedded.all, journal, [draft({"text": "of nobody"}, **nobody, now=embedded.clock.now())])
    embedded.index.refresh(embedded.all, 2_000)
    assert embedded.index.embed(embedded.all, HashingEmbedder(), None) == 0
    embedded.index.rebuild(embedded.all)
    assert embedded.index.status(embedded.all)["vectors"] == 2


def test_more_than_is_gathered_at_once_is_found_and_can_be_taken_out(embedded, monkeypatch):
    monkeypatch.setattr(writing, "_MOST_PENDING", 3)
    journals = [embedded.session(number, user) for number, user in enumerate(("ben", "ana", "ben"), 1)]
    ids = [
        embedded.add(journal, f"words {n}", user).id
        for journal, user in zip(journals, ("ben", "ana", "ben"), strict=True)
        for n in range(5)
    ]
    assert sorted(embedded.find("words", "ana")) == sorted(ids[5:10])
    assert sorted(embedded.find("words", "ben")) == sorted(ids[:5] + ids[10:])
    embedded.index.erase(embedded.all, [], ids[:7])
    assert ask(embedded, "SELECT value FROM meta WHERE key='searched'") == [("8",)]
