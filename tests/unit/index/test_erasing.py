"""What is erased from the index leaves no byte in its files."""

import random
import time

import apsw
import pytest

from holdfast.index import erasing
from holdfast.index.filling import Todo

WORDS = [f"{a}{b}{c}" for a in "bcdfg" for b in ("antel", "orrin", "ulter") for c in ("ope", "gham", "wick", "stone")]


def bytes_of(embedded):
    return {path: path.read_bytes() for path in (embedded.folder / "index").rglob("*") if path.is_file()}


def test_no_word_of_an_erased_entry_is_left_in_any_file(embedded):
    pick = random.Random(3)
    session = embedded.session()
    for _ in range(300):
        embedded.add(session, " ".join(pick.choices(WORDS, k=12)))
    secret = embedded.add(session, "the xylophonist quarrelled with Zarathustrapolis", tags=["topsecretive"])
    assert embedded.find("xylophonist") == [secret.id]
    embedded.journal.rewrite(embedded.scope(), session, lambda entry: None if entry.id == secret.id else entry)
    embedded.index.erase(embedded.scope(), [], [secret.id])
    embedded.index.close()
    for path, data in bytes_of(embedded).items():
        for word in (b"xylophonist", b"lophon", b"rathustr", b"psecreti", secret.id.encode()):
            assert word not in data.lower(), (path, word)
            assert word not in data, (path, word)


def test_erasing_a_journal_removes_its_rows_and_its_card(embedded):
    session = embedded.session(1, title="a title with zanzibar")
    kept = embedded.session(2)
    embedded.add(session, "words to go")
    stays = embedded.add(kept, "words to stay")
    assert len(embedded.find("words")) == 2
    embedded.journal.remove(embedded.scope(), session)
    embedded.index.erase(embedded.scope(), [session], [])
    assert embedded.find("words") == [stays.id]
    assert [card.id for card in embedded.index.cards(embedded.scope())] == [kept]
    embedded.index.close()
    assert not any(b"zanzibar" in data for data in bytes_of(embedded).values())


def test_a_half_built_generation_is_removed_and_the_other_rows_stay(embedded):
    session = embedded.session()
    gone, stays = embedded.add(session, "alpha words"), embedded.add(session, "beta words")
    embedded.find("words")
    half = embedded.folder / "index" / "v9-000009"
    half.mkdir()
    (half / "index.db").write_bytes(b"alpha words")
    embedded.index.erase(embedded.scope(), [], [gone.id])
    assert not half.exists()
    assert embedded.find("words") == [stays.id]


@pytest.fixture
def secret(embedded):
    """An entry that its journal has lost, and only the index still knows."""
    session = embedded.session()
    embedded.add(session, "something that stays")
    entry = embedded.add(session, "the xylophonist quarrelled")
    assert embedded.find("xylophonist") == [entry.id]
    embedded.journal.rewrite(embedded.scope(), session, lambda one: None if one.id == entry.id else one)
    return entry


@pytest.fixture
def reader(embedded, secret):
    """Somebody at a SQL prompt, in a transaction that sees the entry."""
    connection = apsw.Connection(embedded.index.status(embedded.all)["path"])
    connection.execute("BEGIN")
    connection.execute("SELECT count(*) FROM entries").fetchall()
    yield connection
    connection.close()


def test_a_reader_who_never_ends_is_not_waited_for_without_end(embedded, secret, reader, monkeypatch):
    monkeypatch.setattr(erasing, "PATIENCE_S", 0.3)
    generation, started = embedded.index.status(embedded.all)["generation"], time.monotonic()
    embedded.index.erase(embedded.all, [], [secret.id])
    assert time.monotonic() - started < 10  # one wait of SQLite's own is as long
    assert embedded.index.status(embedded.all)["generation"] != generation
    assert not any(b"xylophon" in data for data in bytes_of(embedded).values())
    assert len(embedded.find("something")) == 1


def test_others_can_index_while_a_reader_is_waited_for(embedded, secret, reader, monkeypatch):
    monkeypatch.setattr(erasing, "PATIENCE_S", 0.3)
    had = []

    def pause(_seconds):
        had.append(embedded.index.lock.attempt("look"))
        had[-1].release()

    monkeypatch.setattr(erasing.time, "sleep", pause)
    embedded.index.erase(embedded.all, [], [secret.id])
    assert had


def test_a_reader_who_ends_soon_costs_no_new_generation(embedded, secret, reader, monkeypatch):
    generation = embedded.index.status(embedded.all)["generation"]
    monkeypatch.setattr(erasing.time, "sleep", lambda _seconds: reader.in_transaction and reader.execute("COMMIT"))
    embedded.index.erase(embedded.all, [], [secret.id])
    assert embedded.index.status(embedded.all)["generation"] == generation
    assert not any(b"xylophon" in data for data in bytes_of(embedded).values())


def test_a_cache_that_somebody_reads_is_removed(embedded, secret, monkeypatch):
    monkeypatch.setattr(erasing, "PATIENCE_S", 0.3)
    cache = embedded.index.cache
    todo = Todo(chunk=1, entry=secret.id, ordinal=0, owner=1, text="", hash="h", made_of=(secret.id,))
    cache.keep("testing/a/1", [(todo, bytes(16))])
    reader = apsw.Connection(cache.path)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM origins").fetchall()
    started = time.monotonic()
    embedded.index.erase(embedded.all, [], [secret.id])
    assert time.monotonic() - started < 10
    assert not cache.exists()
    reader.close()
