"""Vectors in SQLite: storage, nearness at size, the cache, and that they end with what they are made of."""

import os
import shutil
import subprocess
import sys
import time
from random import Random

import numpy as np
import pytest

from holdfast.disk import REAL
from holdfast.guard.validate import draft
from holdfast.index import bringing, filling, nearness
from holdfast.index import matrix as matrices
from holdfast.index.catchup import commit
from holdfast.index.database import ask_all, ask_one, connect, create
from holdfast.index.filling import Todo, insert, missing, next_size, number_of, todos, waiting
from holdfast.index.matrix import load
from holdfast.index.nearness import Asked
from holdfast.index.numbers import LAST
from holdfast.index.pages import bits_of, vacate
from holdfast.index.sqlite import IndexOptions, SqliteIndex
from holdfast.model.ids import digest
from holdfast.model.query import Filter
from holdfast.model.scope import Scope
from holdfast.model.vector import Vector
from holdfast.testing.embedder import HashingEmbedder
from holdfast.testing.index_vector_contract import Choosy
from tests.unit.index.test_erasing import bytes_of

ANA = Scope(agent="main", user="ana")


def unit(rows):
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype("<f4")


def clustered(count, dimensions, seed):
    """Fifty to a cluster, with dimensions that weigh less and less, as those of real embedders do."""
    draw = np.random.default_rng(seed)
    centres = draw.standard_normal((count // 50 + 1, dimensions))
    rows = centres[draw.integers(0, len(centres), count)] + 0.8 * draw.standard_normal((count, dimensions))
    asked = centres[draw.integers(0, len(centres), 40)] + 0.8 * draw.standard_normal((40, dimensions))
    weights = np.arange(1, dimensions + 1) ** -0.2
    return unit(rows * weights), unit(asked * weights)


def stored(path, rows, users=1):
    """A database with these vectors and an entry for each; entry i belongs to user i % users."""
    connection = create(REAL, str(path))
    connection.execute("BEGIN IMMEDIATE")
    connection.executemany("INSERT INTO users(id) VALUES(?)", [(f"user{number}",) for number in range(users)])
    connection.executemany(
        "INSERT INTO entries(id, file, seq, offset, length, checksum, scope, user_id, time, type, importance, pinned, "
        "sensitive, provenance, tags, detail) VALUES(?,1,?,0,0,'','session',?,?,?,0.5,0,0,'user','[]','{}')",
        (
            (f"mem_{n:06d}", n, f"user{n % users}", n, "decision" if n % 20 == 0 else "note")
            for n in range(len(rows))
        ),
    )  # fmt: skip
    connection.executemany(
        "INSERT INTO chunks(entry, stop, hash, text) VALUES(?,0,'','')", ((n + 1,) for n in range(len(rows)))
    )
    number = number_of(connection, "testing/rows/0", rows.shape[1])
    todo = (
        Todo(chunk=n + 1, entry="", ordinal=0, owner=n % users + 1, text="", hash="", made_of=())
        for n in range(len(rows))
    )
    assert insert(connection, number, ((one, row.tobytes()) for one, row in zip(todo, rows, strict=True))) == len(rows)
    connection.execute("COMMIT")
    return connection


def near(connection, matrix, query, limit=10, scope=None, wanted=None):
    asked = Asked(connection, matrix, scope or Scope(agent="main", user="user0"), wanted or Filter())
    return [int(row.id[4:]) for row in asked.near(Vector("testing/rows/0", query), limit)]


def recall(connection, matrix, rows, asked, allowed=None, **narrow):
    allowed = np.ones(len(rows), bool) if allowed is None else allowed
    found = 0
    for query in asked:
        exact = np.where(allowed, rows @ query, -2)
        best = set(np.argpartition(-exact, 10)[:10].tolist())
        found += len(best & set(near(connection, matrix, query, **narrow)))
    return found / (10 * len(asked))


# -- pages


@pytest.mark.parametrize("dimensions", [64, 100, 256, 384])
def test_sign_bits_are_those_of_numpy(dimensions):
    row = np.random.default_rng(1).standard_normal(dimensions).astype("<f4")
    packed = np.packbits(np.signbit(row)).tobytes()
    assert bits_of(row.tobytes()) == packed.ljust(-(-dimensions // 64) * 8, b"\0")


def test_a_page_that_was_not_changed_is_not_read_again(tmp_path):
    rows, _ = clustered(600, 64, 1)
    connection = stored(tmp_path / "index.db", rows)
    first = load(connection, None)
    assert load(connection, first) is first
    assert len(first.pages) == 3


# -- nearness


def test_few_vectors_are_compared_exactly(tmp_path):
    rows, asked = clustered(3_000, 64, 2)
    connection = stored(tmp_path / "index.db", rows)
    matrix = load(connection, None)
    assert matrix.floats is not None
    assert recall(connection, matrix, rows, asked) == 1.0


@pytest.mark.parametrize(("count", "dimensions"), [(25_000, 256), (25_000, 384)])
def test_many_vectors_are_found_by_bits_with_a_recall_of_97_percent(tmp_path, count, dimensions):
    rows, asked = clustered(count, dimensions, 3)
    connection = stored(tmp_path / "index.db", rows)
    matrix = load(connection, None)
    assert matrix.floats is None
    assert recall(connection, matrix, rows, asked) >= 0.97


def lopsided(rows):
    """Three dimensions outweigh all others, as in BERTs."""
    return unit(rows * np.where(np.arange(rows.shape[1]) < 3, 12, 1))


def sharing_a_mean(rows):
    """Any two are much alike, as those of E5 are."""
    return unit(rows + 2.2 * unit(np.random.default_rng(1).standard_normal((1, rows.shape[1]))))


@pytest.mark.parametrize("kind", [lopsided, sharing_a_mean])
def test_vectors_whose_bits_tell_little_are_found_with_a_recall_of_97_percent_too(tmp_path, kind):
    rows, asked = map(kind, clustered(20_000, 80, 7))
    connection = stored(tmp_path / "index.db", rows)
    assert recall(connection, load(connection, None), rows, asked) >= 0.97


def test_one_of_several_users_is_found_by_bits_as_well(tmp_path, monkeypatch):
    monkeypatch.setattr(matrices, "EXACT", 100)
    rows, asked = clustered(6_000, 256, 4)
    connection = stored(tmp_path / "index.db", rows, users=3)
    own = np.arange(len(rows)) % 3 == 0
    assert recall(connection, load(connection, None), rows, asked, own) >= 0.97


@pytest.mark.parametrize("exact", [100, 20_000])
def test_a_filter_that_few_pass_finds_all_of_them(tmp_path, monkeypatch, exact):
    monkeypatch.setattr(matrices, "EXACT", exact)
    rows, asked = clustered(4_000, 64, 5)
    connection = stored(tmp_path / "index.db", rows)
    matrix = load(connection, None)
    decisions = np.arange(len(rows)) % 20 == 0
    assert recall(connection, matrix, rows, asked, decisions, wanted=Filter(types=("decision",))) == 1.0
    everything = near(connection, matrix, asked[0], 4_000, wanted=Filter(types=("decision",)))
    assert sorted(everything) == list(range(0, 4_000, 20))


@pytest.mark.parametrize("few", [5_000, 100])
def test_what_one_author_said_is_found_exactly_however_little_or_much(tmp_path, monkeypatch, few):
    monkeypatch.setattr(nearness, "FEW", few)
    rows, asked = clustered(9_000, 64, 9)
    connection = stored(tmp_path / "index.db", rows)
    connection.execute("UPDATE entries SET author=CASE WHEN n % 30 = 1 THEN 'Ana' ELSE 'Ben' END")
    matrix = load(connection, None)
    said = np.arange(len(rows)) % 30 == 0
    assert recall(connection, matrix, rows, asked, said, wanted=Filter(authors=("Ana",))) == 1.0
    both = said & (np.arange(len(rows)) % 20 == 0)
    assert recall(connection, matrix, rows, asked, both, wanted=Filter(authors=("Ana",), types=("decision",))) == 1.0
    assert near(connection, matrix, asked[0], wanted=Filter(authors=("Zoe",))) == []
    gone = [n for (n,) in ask_all(connection, "SELECT n FROM vectors ORDER BY n LIMIT 31")]  # two of Ana's among them
    vacate(connection, gone)
    connection.executemany("DELETE FROM vectors WHERE n=?", [(n,) for n in gone])
    found = near(connection, load(connection, matrix), asked[0], 300, wanted=Filter(authors=("Ana",)))
    assert sorted(found) == list(range(60, 9_000, 30))


def test_a_cold_process_with_many_vectors_reads_the_floats_of_few(tmp_path):
    rows, asked = clustered(25_000, 64, 6)
    connection = stored(tmp_path / "index.db", rows)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    connection.close()
    connection = connect(str(tmp_path / "index.db"))
    read = []
    connection.exec_trace = lambda cursor, sql, values: read.append((sql, values)) or True
    near(connection, load(connection, None), asked[0])
    floats = [values for sql, values in read if "v.data" in sql or "data FROM vectors" in sql]
    assert len(floats) == 1
    assert len(floats[0][0].split(",")) < 1_000


def test_memory_stays_below_1600_bytes_an_entry(tmp_path):
    rows, _ = clustered(5_000, 384, 7)
    connection = stored(tmp_path / "index.db", rows)
    matrix = load(connection, None)
    used = sum(array.nbytes for array in (matrix.owners, matrix.bits, matrix.floats, matrix.numbers))
    assert used / (len(matrix.pages) * 256) <= 1_600


def left(connection, standing):
    """Take out all but these vectors, by number."""
    gone = [n for (n,) in ask_all(connection, "SELECT n FROM vectors") if n not in standing]
    connection.executemany("DELETE FROM vectors WHERE n=?", [(n,) for n in gone])
    vacate(connection, gone)


def test_vectors_that_were_forgotten_take_no_memory(tmp_path):
    rows, asked = clustered(10_000, 64, 9)
    connection = stored(tmp_path / "index.db", rows)
    few = range(1, 10_001, 250)
    left(connection, few)
    matrix = load(connection, None)
    assert len(matrix.pages) > 30
    assert matrix.floats.nbytes == 40 * 64 * 4
    standing = np.zeros(len(rows), bool)
    standing[[n - 1 for n in few]] = True
    assert recall(connection, matrix, rows, asked, standing) == 1.0
    assert sorted(near(connection, matrix, asked[0], 100)) == [n - 1 for n in few]


def test_floats_are_taken_over_as_they_would_be_read(tmp_path):
    rows, asked = clustered(3_000, 64, 10)
    connection = stored(tmp_path / "index.db", rows)
    matrix = load(connection, None)
    for standing in (set(range(1, 3_001, 3)), set(range(1, 900, 3)), {4, 700}):
        left(connection, standing)
        matrix, anew = load(connection, matrix), load(connection, None)
        assert np.array_equal(matrix.floats, anew.floats)
        assert np.array_equal(matrix.chunks, anew.chunks)
        assert near(connection, matrix, asked[0]) == near(connection, anew, asked[0])


def test_ties_are_never_cut_by_the_order_of_rows(tmp_path):
    rows = np.repeat(unit(np.ones((1, 64))), 500, axis=0)
    connection = stored(tmp_path / "index.db", rows)
    assert near(connection, load(connection, None), rows[0], 10) == list(range(10))


def test_vectors_that_were_erased_since_the_matrix_was_brought_level_are_not_near(tmp_path, monkeypatch):
    monkeypatch.setattr(matrices, "EXACT", 100)
    rows, asked = clustered(1_000, 64, 8)
    connection = stored(tmp_path / "index.db", rows)
    matrix = load(connection, None)
    connection.execute("DELETE FROM vectors")
    assert near(connection, matrix, asked[0], wanted=Filter(types=("decision",))) == []


# -- through the index


def filled(embedded, embedder=None):
    embedder = embedder or HashingEmbedder()
    embedded.index.refresh(embedded.all, 2_000)
    assert embedded.index.embed(embedded.all, embedder, None) == 0
    return embedder


def turn(embedded, session, text):
    """Of nobody knows whom, so that it is seen with the turn before it."""
    return embedded.add(session, text, type="conversation", role=None)


def found(embedded, embedder, text):
    embedded.index.refresh(embedded.all, 2_000)
    vector = Vector(embedder.identity, embedder.embed([text], query=True)[0])
    return [row.id for row in embedded.index.near(ANA, Filter(), vector, 10)]


def test_what_another_process_adds_and_erases_is_seen_at_the_next_question(embedded):
    session = embedded.session()
    first = embedded.add(session, "alpha words", type="note")
    embedder = filled(embedded)
    assert found(embedded, embedder, "alpha") == [first.id]
    other = embedded.open_index()
    second = embedded.add(session, "alpha alpha", type="note")
    other.refresh(embedded.all, 2_000)
    other.embed(embedded.all, embedder, None)
    assert found(embedded, embedder, "alpha") == [second.id, first.id]
    embedded.journal.rewrite(embedded.scope(), session, lambda entry: None if entry.id == second.id else entry)
    other.erase(embedded.scope(), [], [second.id])
    assert found(embedded, embedder, "alpha") == [first.id]
    other.close()


def test_what_changed_while_our_connections_were_closed_is_seen(embedded):
    session = embedded.session()
    embedded.add(session, "alpha", type="note")
    embedder = filled(embedded)
    for number in range(3):
        assert len(found(embedded, embedder, "alpha")) == number + 1
        embedded.index.live.let_go()  # as before a fork
        other = embedded.open_index()
        embedded.add(session, f"alpha {number}", type="note")
        other.refresh(embedded.all, 2_000)
        other.embed(embedded.all, embedder, None)
        other.close()


def test_the_matrix_follows_a_rebuild(embedded):
    session = embedded.session()
    entries = [embedded.add(session, f"alpha {number}", type="note") for number in range(5)]
    embedder = filled(embedded)
    before = found(embedded, embedder, "alpha 3")
    embedded.index.rebuild(embedded.all)
    assert found(embedded, embedder, "alpha 3") == before
    assert len(before) == len(entries)


def test_a_rebuild_that_waited_for_another_takes_the_vectors_over_all_the_same(embedded, monkeypatch):
    session = embedded.session()
    for number in range(5):
        embedded.add(session, f"alpha {number}", type="note")
    filled(embedded)
    other = embedded.open_index()
    rebuild = embedded.index.live.rebuild

    def after_another(*given):
        other.rebuild(embedded.all)
        rebuild(*given)

    monkeypatch.setattr(embedded.index.live, "rebuild", after_another)
    embedded.index.rebuild(embedded.all)
    other.close()
    assert embedded.index.status(embedded.all)["without_vector"] == 0


def test_an_index_of_another_embedder_in_the_place_of_one_that_was_removed_is_not_taken_for_damaged(embedded):
    session = embedded.session()
    entries = {embedded.add(session, f"alpha {number}", type="note").id for number in range(3)}
    found(embedded, filled(embedded), "alpha")
    path = embedded.index.live.ready().path
    other = embedded.open_index()
    shutil.rmtree(other.live.folder)
    wider = HashingEmbedder(96, "wider")
    other.refresh(embedded.all, 2_000)
    other.embed(embedded.all, wider, None)
    assert other.live.ready().path == path
    vector = Vector(wider.identity, wider.embed(["alpha"], query=True)[0])
    near = embedded.index.near(ANA, Filter(ids=tuple(entries)), vector, 10)
    assert {row.id for row in near} == entries
    assert embedded.index.live.rebuilt == 0
    other.close()


def test_no_float_and_no_bit_of_an_erased_entry_or_of_what_saw_it_is_left(embedded):
    session = embedded.session()
    for number in range(40):
        turn(embedded, session, f"filler number {number}")
    secret = turn(embedded, session, "why has the xylophonist quarrelled?")
    after = turn(embedded, session, "and then she left")
    turn(embedded, session, "the end")
    embedder = filled(embedded, HashingEmbedder(64, costly=True))
    data = dict(
        embedded.index.live.ask(
            lambda c: ask_all(
                c, "SELECT e.id, v.data FROM vectors v JOIN chunks c ON c.n=v.chunk JOIN entries e ON e.n=c.entry"
            )
        )
    )
    doomed = [data[secret.id], data[after.id]]
    kept = data[embedded_first(embedded)]
    assert all(any(vector in file for file in bytes_of(embedded).values()) for vector in (*doomed, kept))
    embedded.journal.rewrite(embedded.scope(), session, lambda entry: None if entry.id == secret.id else entry)
    embedded.index.erase(embedded.scope(), [], [secret.id])
    embedded.index.close()
    files = bytes_of(embedded)
    for vector in doomed:
        assert not any(vector in file or vector[:64] in file for file in files.values())
    assert any(kept in file for name, file in files.items() if name.name == "index.db")
    assert any(kept in file for name, file in files.items() if name.name == "cache.db")
    signs = bits_of(doomed[0])
    assert not any(signs in file for file in files.values())
    assert embedder.calls


def embedded_first(embedded):
    return embedded.index.rows(ANA, Filter(), "oldest", 1)[0].id


def test_a_vector_made_while_its_entry_was_erased_is_thrown_away(embedded):
    session = embedded.session()
    gone = turn(embedded, session, "alpha?")
    turn(embedded, session, "beta")
    embedded.index.refresh(embedded.all, 2_000)

    class Slow(HashingEmbedder):
        def embed(self, texts, *, query=False):
            if not self.calls:
                embedded.journal.rewrite(embedded.scope(), session, lambda e: None if e.id == gone.id else e)
                embedded.index.erase(embedded.scope(), [], [gone.id])
            return super().embed(texts, query=query)

    slow = Slow()
    assert embedded.index.embed(embedded.all, slow, None) == 1
    assert embedded.index.live.ask(lambda c: ask_one(c, "SELECT count(*) FROM vectors")) == (0,)
    assert embedded.index.embed(embedded.all, slow, None) == 0
    assert slow.calls[-1:] == ["beta"]


def test_what_is_no_turn_costs_the_same_however_long_its_session_is(tmp_path):
    """Looking for the turn before a note once read its whole session back."""

    def steps(count):
        taken = []
        connection = stored(tmp_path / f"{count}.db", unit(np.ones((count, 64))))
        connection.set_progress_handler(lambda: bool(taken.append(1)), 10)
        assert len(todos(connection, list(range(count - 19, count + 1)))) == 20
        connection.close()
        return len(taken)

    assert steps(2_000) < 2 * steps(200)


def test_a_budget_is_kept_and_the_last_written_come_first(embedded):
    session = embedded.session()
    entries = [embedded.add(session, f"entry {number}", type="note") for number in range(200)]
    embedded.index.refresh(embedded.all, 2_000)

    class Slow(HashingEmbedder):
        def embed(self, texts, *, query=False):
            time.sleep(0.002 * len(texts))
            return super().embed(texts, query=query)

    slow = Slow()
    started = time.monotonic()
    left = embedded.index.embed(embedded.all, slow, 60)
    assert time.monotonic() - started < 1.0
    assert 0 < left < 200
    assert slow.calls[0] == "entry 199"
    assert len(entries) - left == len(slow.calls)


def test_refused_vectors_are_counted(embedded):
    embedded.add(embedded.session(), "alpha")

    class Wrong(HashingEmbedder):
        def embed(self, texts, *, query=False):
            return super().embed(texts, query=query) * np.float32("nan")

    embedded.index.refresh(embedded.all, 2_000)
    assert embedded.index.embed(embedded.all, Wrong(), None) == 1
    status = embedded.index.status(embedded.all)
    assert (status["refused"], status["vectors"], status["without_vector"]) == (1, 0, 1)


def with_poison(embedded):
    session = embedded.session()
    for text in ("alpha", "beta", "poison"):
        embedded.add(session, text, type="note")
    embedded.index.refresh(embedded.all, 2_000)
    embedder = Choosy()
    embedded.index.embed(embedded.all, embedder, 1_000, 1)
    embedder.calls.clear()
    return embedder


def test_a_text_that_was_refused_is_not_tried_again_while_somebody_waits(embedded):
    embedder = with_poison(embedded)
    assert embedded.index.embed(embedded.all, embedder, 1_000) == 1
    assert (embedder.calls, embedded.index.status(embedded.all)["vectors"]) == ([], 2)


def test_a_text_that_was_refused_is_tried_again_after_a_day(embedded):
    embedder = with_poison(embedded)
    for _ in range(3):  # nothing changes meanwhile, and what was noted of it must not hold for good
        embedded.index.embed(embedded.all, embedder, 1_000)
        embedded.clock.advance(11 * 3_600_000)
    assert embedder.calls == []
    embedded.index.embed(embedded.all, embedder, 1_000)
    assert embedder.calls == ["poison"]


def test_a_text_that_was_refused_is_tried_again_by_whoever_has_time(embedded):
    embedder = with_poison(embedded)
    embedded.index.embed(embedded.all, embedder, None)
    assert embedder.calls == ["poison"]


def test_a_rebuild_notes_what_is_refused(embedded):
    with_poison(embedded)
    embedder = Choosy(model="another")
    embedded.index.rebuild(embedded.all, None, embedder)
    embedder.calls.clear()
    embedded.index.embed(embedded.all, embedder, 1_000)
    assert (embedder.calls, embedded.index.not_taken(embedded.all)) == ([], 1)


def test_writers_never_load_numpy(tmp_path):
    code = (
        "import sys, holdfast\n"
        f"with holdfast.open({str(tmp_path / 'home')!r}) as memory:\n"
        "    session = memory.create_session('ana')\n"
        "    first = session.add('alpha')\n"
        "    session.add('beta')\n"
        "    memory.amend(first.id, text='gamma')\n"
        "    memory.delete(first.id)\n"
        "    memory.reindex()\n"
        "    assert 'numpy' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


# -- the cache


def indexed(embedded, **options):
    return SqliteIndex(
        str(embedded.folder / "index"), "main", embedded.journal, embedded.clock,
        recalled=str(embedded.folder / "recalled.jsonl"), options=IndexOptions(**options),
    )  # fmt: skip


def cached(embedded):
    if not os.path.exists(embedded.index.cache.path):
        return []
    connection = connect(embedded.index.cache.path)
    try:
        return ask_all(connection, "SELECT provider, model, provider_key, dims FROM embedding_cache")
    finally:
        connection.close()


def without_index(embedded):
    """Throw the index away, the cache apart."""
    folder = embedded.folder / "index"
    embedded.index.close()
    for path in folder.rglob("index.db*"):
        path.unlink()
    embedded.index = embedded.open_index()


def test_a_costly_embedder_is_not_asked_again_after_the_index_was_lost(embedded):
    session = embedded.session()
    for text in ("alpha", "beta"):
        embedded.add(session, text)
    embedder = filled(embedded, HashingEmbedder(costly=True))
    assert cached(embedded) == [("testing", "hashing", "64", 64)] * 2
    assert oct(os.stat(embedded.index.cache.path).st_mode & 0o777) == "0o600"
    embedder.calls.clear()
    without_index(embedded)
    filled(embedded, embedder)
    assert embedder.calls == []


def test_a_cheap_embedder_leaves_no_cache(embedded):
    embedded.add(embedded.session(), "alpha")
    filled(embedded)
    assert not os.path.exists(embedded.index.cache.path)


def test_embedders_never_meet_in_the_cache(embedded):
    embedded.add(embedded.session(), "alpha")
    filled(embedded, HashingEmbedder(costly=True))
    other = HashingEmbedder(model="other", costly=True)
    embedded.index.rebuild(embedded.all, None, other)
    assert other.calls == ["alpha"]
    assert {row[1] for row in cached(embedded)} == {"hashing", "other"}


def test_the_longest_unused_leave_the_cache_first(embedded):
    embedded.add(embedded.session(), "makes the folder")
    embedded.index.refresh(embedded.all, 2_000)
    cache, todo = embedded.index.cache, [
        Todo(chunk=n, entry=f"mem_{n}", ordinal=0, owner=1, text="", hash=f"hash {n}", made_of=(f"mem_{n}",))
        for n in range(4)
    ]  # fmt: skip
    for one in todo:
        cache.keep("testing/a/1", [(one, bytes(16))])
        embedded.clock.advance(1_000)
    assert set(cache.take("testing/a/1", todo[:1])) == {0}  # used again: now the freshest
    assert cache.prune(2, 1 << 20) == 2
    assert set(cache.take("testing/a/1", todo)) == {0, 3}
    assert cache.take("testing/b/1", todo) == {}


def test_the_cache_keeps_to_its_bytes(embedded):
    session = embedded.session()
    embedded.index = indexed(embedded, cache_bytes=64 << 10)
    for number in range(20):
        embedded.add(session, f"entry {number}", type="note")
    filled(embedded, HashingEmbedder(512, costly=True))
    assert 5 <= len(cached(embedded)) < 20
    assert len(origins(embedded)) == len(cached(embedded))
    assert in_use(embedded) <= 64 << 10


def in_use(embedded):
    """Bytes of the cache's file that are not free."""
    connection = connect(embedded.index.cache.path)
    try:
        pages, free, size = (
            ask_one(connection, f"PRAGMA {name}")[0] for name in ("page_count", "freelist_count", "page_size")
        )
        return (pages - free) * size
    finally:
        connection.close()


@pytest.mark.parametrize("way", ["fill", "build"])
def test_the_cache_keeps_to_its_bytes_while_much_is_embedded(embedded, way, monkeypatch):
    monkeypatch.setattr(filling, "_MOST", 8)
    session, limit = embedded.session(), 128 << 10
    embedded.index = indexed(embedded, cache_bytes=limit)
    for number in range(200):
        embedded.add(session, f"entry {number}", type="note")
    embedder = HashingEmbedder(512, costly=True)
    if way == "fill":
        filled(embedded, embedder)
    else:
        embedded.index.rebuild(embedded.all, None, embedder)
    assert 0 < os.path.getsize(embedded.index.cache.path) <= 2 * limit


def test_a_cache_that_may_hold_less_than_before_gives_its_room_back(embedded):
    session = embedded.session()
    for number in range(400):
        embedded.add(session, f"entry {number}", type="note")
    embedder = filled(embedded, HashingEmbedder(1024, costly=True))
    assert os.path.getsize(embedded.index.cache.path) > 1 << 20
    embedded.index = indexed(embedded, cache_bytes=256 << 10)
    embedded.clock.advance(1_000)
    newest = embedded.add(session, "one more", type="note")
    filled(embedded, embedder)
    assert os.path.getsize(embedded.index.cache.path) <= 256 << 10
    assert newest.id in origins(embedded)


def test_a_cache_that_is_damaged_or_deleted_costs_only_the_embedding(embedded):
    session = embedded.session()
    embedded.add(session, "alpha")
    embedder = filled(embedded, HashingEmbedder(costly=True))
    with open(embedded.index.cache.path, "r+b") as file:
        file.write(b"garbage" * 200)
    embedded.add(session, "beta")
    filled(embedded, embedder)
    os.unlink(embedded.index.cache.path)
    embedded.add(session, "gamma")
    filled(embedded, embedder)
    assert found(embedded, embedder, "beta")


def test_what_still_says_the_same_is_not_embedded_again_after_its_journal_was_rewritten(embedded):
    session = embedded.session()
    entries = [embedded.add(session, f"entry {number}", type="note") for number in range(4)]
    for entry in entries[:2]:
        embedded.journal.amend(ANA, session, entry.id, "user", {"importance": 0.9})
    embedder = filled(embedded, HashingEmbedder(costly=True))
    embedder.calls.clear()
    embedded.journal.rewrite(ANA, session, lambda one: None if one.id == entries[3].id else one)
    filled(embedded, embedder)
    assert embedder.calls == []
    assert len(cached(embedded)) == 3


def amended_turn(embedded):
    """A journal with a turn that was embedded, amended and embedded again, and the one after it."""
    session = embedded.session()
    entry = turn(embedded, session, "the first words?")
    turn(embedded, session, "an answer")
    embedder = filled(embedded, HashingEmbedder(costly=True))
    embedded.journal.amend(ANA, session, entry.id, "user", {"text": "other words?"})
    filled(embedded, embedder)
    assert len(cached(embedded)) == 4
    return session, entry, embedder


def test_the_cache_forgets_what_was_edited_before_it_was_erased(embedded):
    session, entry, _ = amended_turn(embedded)
    embedded.journal.rewrite(ANA, session, lambda one: None if one.id == entry.id else one)
    embedded.index.erase(ANA, [], [entry.id])
    assert cached(embedded) == []


def knows_former_words(embedded):
    """Whether any file of the cache has a vector of the words before the amendment, or their hash."""
    former = ["the first words?", "the first words?\nan answer"]
    sought = [vector.tobytes() for vector in HashingEmbedder().embed(former)]
    sought += [digest(text.encode()).encode() for text in former]
    cache = [data for path, data in bytes_of(embedded).items() if path.name.startswith("cache.db")]
    return any(one in data for one in sought for data in cache)


def test_the_cache_forgets_the_words_that_a_rewrite_folds_away_and_nothing_else(embedded):
    session, _, embedder = amended_turn(embedded)
    assert knows_former_words(embedded)
    embedded.journal.rewrite(ANA, session, lambda one: one)
    embedder.calls.clear()
    embedded.index.refresh(embedded.all, 2_000)
    assert not knows_former_words(embedded)
    filled(embedded, embedder)
    assert (embedder.calls, len(cached(embedded))) == ([], 2)


def test_whoever_is_killed_over_a_fold_leaves_the_former_words_to_the_next(embedded, monkeypatch):
    session, _, _ = amended_turn(embedded)
    embedded.journal.rewrite(ANA, session, lambda one: one)

    def killed(connection, work):
        commit(connection, work)
        raise KeyboardInterrupt

    monkeypatch.setattr(bringing, "commit", killed)
    with pytest.raises(KeyboardInterrupt):
        embedded.index.refresh(embedded.all, 2_000)
    monkeypatch.undo()
    embedded.reopen()
    embedded.index.refresh(embedded.all, 2_000)
    assert not knows_former_words(embedded)


class Interrupted(HashingEmbedder):
    """A costly one that lets something happen while it is at work for the first time."""

    def __init__(self, happens):
        super().__init__(costly=True)
        self.happens = [happens]

    def embed(self, texts, *, query=False):
        if self.happens:
            self.happens.pop()()
        return super().embed(texts, query=query)


def origins(embedded):
    """Of which entries there are vectors in the cache."""
    connection = connect(embedded.index.cache.path)
    try:
        return {id for (id,) in ask_all(connection, "SELECT entry FROM origins JOIN embedding_cache USING(hash)")}
    finally:
        connection.close()


def embedded_by_filling(embedded, embedder):
    embedded.index.embed(embedded.all, embedder, None)


def embedded_by_building(embedded, embedder):
    embedded.index.rebuild(embedded.all, None, embedder)


@pytest.mark.parametrize("embed", [embedded_by_filling, embedded_by_building])
@pytest.mark.parametrize("how", ["forgotten", "compacted", "amended"])
def test_the_cache_keeps_no_vector_of_what_went_while_it_was_made(embedded, embed, how):
    session = embedded.session()
    gone, stays = turn(embedded, session, "alpha"), embedded.add(session, "omega", type="note")
    after = turn(embedded, session, "seen with alpha")
    embedded.index.refresh(embedded.all, 2_000)

    def happens():
        if how == "amended":
            embedded.journal.amend(ANA, session, gone.id, "user", {"text": "beta"})
        else:
            embedded.journal.rewrite(ANA, session, lambda one: None if one.id == gone.id else one)
        embedded.index.refresh(embedded.all, 2_000)
        if how == "forgotten":
            embedded.index.erase(ANA, [], [gone.id])

    embedder = Interrupted(happens)
    embed(embedded, embedder)
    former = {vector.tobytes() for vector in HashingEmbedder().embed(["alpha", "alpha\nseen with alpha"])}
    cache = [data for path, data in bytes_of(embedded).items() if path.name.startswith("cache.db")]
    assert not any(vector in data for vector in former for data in cache)
    assert stays.id in origins(embedded)
    assert how == "amended" or origins(embedded) <= {stays.id, after.id}


@pytest.mark.parametrize("tidy", ["forget", "rebuild"])
def test_what_the_cache_still_has_of_entries_that_are_no_more_goes_with_the_next_forget_or_build(embedded, tidy):
    session = embedded.session()
    stays, goes = (embedded.add(session, text, type="note") for text in ("alpha", "beta"))
    filled(embedded, HashingEmbedder(costly=True))
    stray = Todo(chunk=9, entry="mem_x", ordinal=0, owner=1, text="", hash="hash x", made_of=("mem_x",))
    embedded.index.cache.keep("testing/hashing/64", [(stray, bytes(256))])
    embedded.index.cache.keep("testing/hashing/64", [(stray.replace(hash="hash y", made_of=()), bytes(256))])
    if tidy == "rebuild":
        embedded.index.rebuild(embedded.all)
        assert (origins(embedded), len(cached(embedded))) == ({stays.id, goes.id}, 2)
    else:
        embedded.journal.rewrite(ANA, session, lambda one: None if one.id == goes.id else one)
        embedded.index.erase(ANA, [], [goes.id])
        assert (origins(embedded), len(cached(embedded))) == ({stays.id}, 1)


def test_a_build_keeps_the_cache_to_its_size(embedded):
    session = embedded.session()
    embedded.index = indexed(embedded, cache_entries=5)
    for number in range(9):
        embedded.add(session, f"entry {number}", type="note")
    embedded.index.rebuild(embedded.all, None, HashingEmbedder(costly=True))
    assert len(cached(embedded)) == 5


class Counting(HashingEmbedder):
    """Notes how many texts it gets at once."""

    def embed(self, texts, *, query=False):
        self.sizes = [*getattr(self, "sizes", []), len(texts)]
        return super().embed(texts, query=query)


def test_a_batch_is_at_most_four_times_the_one_before(embedded, monkeypatch):
    monkeypatch.setattr("holdfast.index.filling._AT_ONCE_S", 1e6)
    session, embedder, other = embedded.session(), Counting(), Counting(32, "other")
    for number in range(60):
        embedded.add(session, f"entry {number}", type="note")
    embedded.index.refresh(embedded.all, 2_000)
    embedded.index.embed(embedded.all, embedder, None, 2)
    assert embedder.sizes == [2, 8, 32, 18]
    embedded.index.rebuild(embedded.all, None, other)
    assert other.sizes == [4, 16, 40]


@pytest.mark.parametrize(("took", "left", "size"), [(0.5, None, 8), (20.0, None, 1), (0.001, None, 16), (0.5, 1.0, 6)])
def test_the_next_batch_is_what_there_is_time_for(monkeypatch, took, left, size):
    monkeypatch.setattr("holdfast.index.filling.time.monotonic", lambda: 100.0)
    assert next_size(4, 100.0 - took, None if left is None else 100.0 + left) == size
    assert next_size(4, 100.0 - took, 99.0) == 0


def change_cache(embedded, sql, *values):
    connection = connect(embedded.index.cache.path)
    connection.execute(sql, values)
    connection.close()


@pytest.mark.parametrize("wrong", ["not finite", "another", "flipped", "without checksum", "of another key", "a text"])
def test_a_vector_that_is_not_the_one_that_was_kept_is_made_again(embedded, wrong):
    session = embedded.session()
    for text in ("alpha", "beta"):
        embedded.add(session, text, type="note")
    embedder = filled(embedded, HashingEmbedder(costly=True))
    before = found(embedded, embedder, "alpha")
    (kept,) = embedder.embed(["beta"])
    flipped = bytearray(kept.tobytes())
    flipped[7] ^= 4
    data = {"not finite": bytes([255] * 260), "another": np.eye(64, dtype="<f4")[3].tobytes() + bytes(4)}
    data |= {"flipped": bytes(flipped) + bytes(4), "without checksum": kept.tobytes(), "a text": "x" * 260}
    if wrong == "of another key":
        change_cache(embedded, "UPDATE embedding_cache SET embedding=(SELECT max(embedding) FROM embedding_cache)")
    else:
        change_cache(embedded, "UPDATE embedding_cache SET embedding=?", data[wrong])
    embedder.calls.clear()
    without_index(embedded)
    filled(embedded, embedder)
    assert set(embedder.calls) >= ({"alpha", "beta"} if wrong != "of another key" else set())
    assert len(embedder.calls) >= 1
    assert found(embedded, embedder, "alpha") == before
    embedder.calls.clear()
    without_index(embedded)
    filled(embedded, embedder)
    assert embedder.calls == []  # what did not fit was replaced


def test_a_cache_with_letters_that_are_none_is_thrown_away(embedded):
    embedded.add(embedded.session(), "alpha")
    embedder = filled(embedded, HashingEmbedder(costly=True))
    change_cache(embedded, "UPDATE embedding_cache SET embedding=CAST(X'ff' AS TEXT)")
    embedder.calls.clear()
    without_index(embedded)
    filled(embedded, embedder)
    assert embedder.calls == ["alpha"]


def test_a_bit_flipped_anywhere_in_the_cache_costs_only_the_embedding(embedded):
    session = embedded.session()
    for number in range(12):
        embedded.add(session, f"entry {number}", type="note")
    embedder = filled(embedded, HashingEmbedder(costly=True))
    right = {row.tobytes() for row in embedder.embed([f"entry {number}" for number in range(12)])}
    with open(embedded.index.cache.path, "rb") as file:
        whole = file.read()
    pick = Random(5)
    for _ in range(30):
        damaged = bytearray(whole)
        damaged[pick.randrange(len(whole))] ^= 1 << pick.randrange(8)
        embedded.index.close()
        with open(embedded.index.cache.path, "wb") as file:
            file.write(damaged)
        without_index(embedded)
        filled(embedded, embedder)
        stored = embedded.index.live.ask(lambda c: ask_all(c, "SELECT data FROM vectors"))
        assert {data for (data,) in stored} == right


def test_a_cache_that_somebody_else_has_locked_costs_only_the_embedding(embedded, monkeypatch):
    session = embedded.session()
    embedded.add(session, "alpha", type="note")
    embedder = filled(embedded, HashingEmbedder(costly=True))
    waited = []
    monkeypatch.setattr(
        "holdfast.index.cache.connect", lambda path, wait_ms: waited.append(wait_ms) or connect(path, wait_ms=1)
    )
    other = connect(embedded.index.cache.path)
    other.execute("BEGIN IMMEDIATE")
    embedded.add(session, "beta", type="note")
    filled(embedded, embedder)
    other.close()
    assert max(waited) <= 500


def test_what_waits_for_others_costs_a_user_nothing(embedded):
    """Among 90 thousand texts of nine others that waited for their vectors, every search took 100 ms."""
    mine = embedded.add(embedded.session(), "mine")
    theirs = embedded.session(2, user="ben")
    now = embedded.clock.now()
    place = {"scope": "session", "session_id": theirs, "user_id": "ben", "workspace": None, "now": now}
    embedded.journal.append(
        embedded.scope("ben"), theirs, [draft({"text": f"theirs {n}"}, **place) for n in range(900)]
    )
    embedded.index.refresh(embedded.all, 2_000)

    def steps(connection, scope):
        counted = []
        connection.set_progress_handler(lambda: bool(counted.append(1)), 10)
        try:
            found = [todo.entry for todo in waiting(connection, scope, LAST, 500, now)]
            return len(counted), found, missing(connection, scope)
        finally:
            connection.set_progress_handler(None)

    few, found, lacking = embedded.index.live.ask(lambda c: steps(c, embedded.scope()))
    many, others, behind = embedded.index.live.ask(lambda c: steps(c, embedded.scope("ben")))
    assert (found, lacking) == ([mine.id], (1, 1))
    assert (len(others), behind) == (500, (900, 900))
    assert few * 20 < many
