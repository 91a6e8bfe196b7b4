"""Nearest: stores of vectors in a folder, each as its first page shows it, all asked for the ten nearest.

Ours is asked as a search asks it: through the index, with its scope, and rows of entries come back. The
others return numbers. Packages are loaded when a store is made: none of them is a dependency.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import apsw

import holdfast
from bench.homes import ROOMY, unsynced
from holdfast.model.query import Filter
from holdfast.model.scope import Scope, whole
from holdfast.model.vector import Vector

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

NEAREST = 10
_BATCH = 1_000
_ALL = Scope(agent="main", user="local")


class Nearest(Protocol):
    """A store of vectors in a folder. Made for a folder, it opens what is there."""

    name: str
    package: str  # what has to be installed for it

    def __init__(self, folder: str) -> None: ...

    def fill(self, texts: Sequence[str], vectors: Floats) -> None:
        """Take all vectors in; a number is a position."""

    def near(self, vector: Floats) -> list[int]:
        """The nearest ten, by position."""

    def close(self) -> None:
        """Let go of what it holds."""


class Given:
    """An embedder that knows its answers, so that building counts without embedding."""

    identity, dimensions, floor, costly = "given", 256, 0.0, False

    def __init__(self, texts: Sequence[str], vectors: Floats) -> None:
        self._vectors, self._places = vectors, {text: place for place, text in enumerate(texts)}

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Floats:
        return self._vectors[[self._places[text] for text in texts]]

    def known(self, text: str) -> float:
        return 1.0


class Holdfast:
    """The index of a home; a turn's position is its id."""

    name, package = "holdfast", "holdfast"

    def __init__(self, folder: str) -> None:
        self._memory = holdfast.open(folder, embedder="none", settings=ROOMY)
        self._index = self._memory.store.index

    def add(self, texts: Sequence[str]) -> None:
        """Entries come first, as they always do; their vectors are what is measured."""
        with unsynced():
            for start in range(0, len(texts), _BATCH):
                part = enumerate(texts[start : start + _BATCH], start)
                self._memory.add_many([{"text": text, "type": "note", "id": f"mem_{at:026d}"} for at, text in part])

    def fill(self, texts: Sequence[str], vectors: Floats) -> None:
        self._index.embed(whole("main"), Given(texts, vectors), None)

    def near(self, vector: Floats) -> list[int]:
        rows = self._index.near(_ALL, Filter(), Vector(Given.identity, vector), NEAREST)
        return [int(row.id.removeprefix("mem_")) for row in rows]

    def close(self) -> None:
        self._memory.close()


class SqliteVec:
    """A vec0 table, with a page cache that holds all of it."""

    name, package = "sqlite-vec", "sqlite-vec"

    def __init__(self, folder: str) -> None:
        import sqlite_vec  # type: ignore[import-not-found, import-untyped, unused-ignore]

        os.makedirs(folder, exist_ok=True)
        self._connection = apsw.Connection(os.path.join(folder, "vectors.db"))
        self._connection.enable_load_extension(True)
        self._connection.load_extension(sqlite_vec.loadable_path())
        for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "cache_size=-400000"):
            self._connection.execute(f"PRAGMA {pragma}").fetchall()

    def fill(self, texts: Sequence[str], vectors: Floats) -> None:
        self._connection.execute(f"CREATE VIRTUAL TABLE v USING vec0(embedding float[{vectors.shape[1]}])")
        with self._connection:
            rows = ((place, vector.tobytes()) for place, vector in enumerate(vectors))
            self._connection.executemany("INSERT INTO v(rowid, embedding) VALUES(?, ?)", rows)

    def near(self, vector: Floats) -> list[int]:
        found = self._connection.execute(
            "SELECT rowid FROM v WHERE embedding MATCH ? AND k=?", (vector.tobytes(), NEAREST)
        )
        return [place for (place,) in found]

    def close(self) -> None:
        self._connection.close()


class LanceFlat:
    """A table without an index: every vector is compared."""

    name, package = "LanceDB flat", "lancedb"

    def __init__(self, folder: str) -> None:
        import lancedb  # type: ignore[import-not-found, import-untyped, unused-ignore]

        self._base: Any = lancedb.connect(folder)
        self._table: Any = self._base.open_table("v") if os.path.isdir(os.path.join(folder, "v.lance")) else None

    def fill(self, texts: Sequence[str], vectors: Floats) -> None:
        import pyarrow  # type: ignore[import-not-found, import-untyped, unused-ignore]

        column = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(vectors.reshape(-1)), vectors.shape[1])
        table = pyarrow.table({"place": pyarrow.array(range(len(vectors))), "vector": column})
        self._table = self._base.create_table("v", table)

    def near(self, vector: Floats) -> list[int]:
        found = self._table.search(vector).limit(NEAREST).select(["place", "_distance"]).to_arrow()
        return list(found["place"].to_pylist())

    def close(self) -> None:
        self._table = self._base = None


class Chroma:
    """A collection on disk with everything left as it comes: a graph of neighbours."""

    name, package = "Chroma", "chromadb"

    def __init__(self, folder: str) -> None:
        import chromadb  # type: ignore[import-not-found, import-untyped, unused-ignore]

        client: Any = chromadb.PersistentClient(folder, chromadb.Settings(anonymized_telemetry=False))
        self._collection: Any = client.get_or_create_collection("vectors", embedding_function=None)

    def fill(self, texts: Sequence[str], vectors: Floats) -> None:
        for start in range(0, len(vectors), _BATCH):
            part = vectors[start : start + _BATCH]
            self._collection.add(ids=[str(start + place) for place in range(len(part))], embeddings=part)

    def near(self, vector: Floats) -> list[int]:
        found = self._collection.query(query_embeddings=[vector], n_results=NEAREST, include=["distances"])
        return [int(id) for id in found["ids"][0]]

    def close(self) -> None:
        self._collection = None


STORES: tuple[type[Nearest], ...] = (Holdfast, SqliteVec, LanceFlat, Chroma)
