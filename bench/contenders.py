"""Contenders: what a user could pick instead, each as small as it can be, asked the same questions.

Each is filled with the units of one store and ranks them for a question. Those with vectors use the
embedder of the memory under test, so that only the ranking differs; Chroma has its own model. Text goes in
as it is: no author, no date, no neighbour. The memory itself is one of them, with production defaults.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

import apsw

import holdfast
from bench.homes import ROOMY, unsynced
from bench.recall_data import Store, item
from holdfast.providers import onnx
from holdfast.text.words import words

if TYPE_CHECKING:
    from holdfast.ports import Embedder

Ranking = list[tuple[str, float]]  # units and their scores, best first
OURS, WITHOUT_MODEL, WITH_MINILM = "holdfast", "holdfast, no model", "holdfast, MiniLM"
MOST = 200  # how many a memory returns at most; the others rank no more either
_RRF = 60  # the constant of reciprocal rank fusion, as published


class Contender(Protocol):
    """Ranks the units of one store."""

    name: str

    def rank(self, question: str, limit: int) -> Ranking:
        """The best units, best first, each with its score."""

    def close(self) -> None:
        """Let go of what it holds."""


class Holdfast:
    """The production path on a throw-away home: `open`, `add_many`, `sync`, `search`."""

    def __init__(self, store: Store, embedder: str = "auto", name: str = OURS) -> None:
        self.name = name
        self.home = tempfile.mkdtemp(prefix="holdfast-recall-")
        self.memory = holdfast.open(self.home, embedder=embedder, settings=ROOMY)
        with unsynced():
            started = time.process_time()
            entries = self.memory.add_many([item(unit) for unit in store.units])
            self.added_s = time.process_time() - started
            self.memory.sync()
            self.indexed_s = time.process_time() - started
        self._units = {entry.id: unit.id for entry, unit in zip(entries, store.units, strict=True)}

    def rank(self, question: str, limit: int, **options: Any) -> Ranking:
        return [(self._units[hit.id], hit.score) for hit in self.memory.search(question, limit=limit, **options)]

    @property
    def mode(self) -> str:
        """How it searches: `hybrid` or `keyword`."""
        return self.memory.search("which way", limit=1).mode

    @property
    def embedder(self) -> Embedder | None:
        """Who makes its vectors; None where it has none."""
        return self.memory.store.embedding.ready()

    def close(self) -> None:
        self.memory.close()
        shutil.rmtree(self.home)


class BySession:
    """The sessions of a memory's entries, each where its best entry stands."""

    def __init__(self, memory: Holdfast, home: dict[str, str]) -> None:
        self.name, self._memory, self._home = memory.name, memory, home

    def rank(self, question: str, limit: int) -> Ranking:
        found: dict[str, float] = {}
        for unit, score in self._memory.rank(question, MOST):
            found.setdefault(self._home[unit], score)
        return list(found.items())[:limit]

    def close(self) -> None:
        self._memory.close()


class Bm25:
    """One FTS5 table: any word counts, porter stems, stop words dropped."""

    name = "BM25"

    def __init__(self, store: Store) -> None:
        self._ids = [unit.id for unit in store.units]
        self._connection = apsw.Connection(":memory:")
        self._connection.execute("CREATE VIRTUAL TABLE f USING fts5(text, content='', tokenize='porter unicode61')")
        self._connection.executemany("INSERT INTO f(text) VALUES(?)", ((unit.text,) for unit in store.units))

    def rank(self, question: str, limit: int) -> Ranking:
        asked = " OR ".join(f'"{term}"' for term in words(question).terms)
        sql = "SELECT rowid, -bm25(f) FROM f WHERE f MATCH ? ORDER BY bm25(f), rowid LIMIT ?"
        found = self._connection.execute(sql, (asked, limit)) if asked else ()
        return [(self._ids[row - 1], score) for row, score in found]

    def close(self) -> None:
        self._connection.close()


class Vectors:
    """Every unit's vector compared with the question's."""

    name = "vectors"

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self._ids, self._embedder = [unit.id for unit in store.units], embedder
        self._matrix = embedder.embed([unit.text for unit in store.units])

    def cosines(self, question: str) -> dict[str, float]:
        """Of all units."""
        (vector,) = self._embedder.embed([question], query=True)
        return dict(zip(self._ids, (self._matrix @ vector).tolist(), strict=True))

    def rank(self, question: str, limit: int) -> Ranking:
        return _best(self.cosines(question), limit)

    def close(self) -> None:
        pass


class Blend:
    """0.7 of the cosine and 0.3 / (1 + rank by BM25), as the seed documents have it."""

    name = "0.7 / 0.3"

    def __init__(self, vectors: Vectors, bm25: Bm25) -> None:
        self._vectors, self._bm25 = vectors, bm25

    def rank(self, question: str, limit: int) -> Ranking:
        scores = {unit: 0.7 * cosine for unit, cosine in self._vectors.cosines(question).items()}
        for place, (unit, _) in enumerate(self._bm25.rank(question, MOST)):
            scores[unit] += 0.3 / (1 + place)
        return _best(scores, limit)

    def close(self) -> None:
        pass


class Rrf:
    """Reciprocal rank fusion of both rankings."""

    name = "RRF"

    def __init__(self, vectors: Vectors, bm25: Bm25) -> None:
        self._sides: tuple[Contender, ...] = (vectors, bm25)

    def rank(self, question: str, limit: int) -> Ranking:
        scores: dict[str, float] = {}
        for side in self._sides:
            for place, (unit, _) in enumerate(side.rank(question, MOST)):
                scores[unit] = scores.get(unit, 0.0) + 1 / (_RRF + 1 + place)
        return _best(scores, limit)

    def close(self) -> None:
        pass


class Chroma:
    """A collection as its first page shows it: documents in, a question's text out.

    Its default model, all-MiniLM-L6-v2, is downloaded on first use, which a run without network cannot do, so it
    is given the same model from the package of the extra `minilm`; without that, the embedder of the memory.
    """

    name = "Chroma"

    def __init__(self, store: Store, embedder: Embedder) -> None:
        import chromadb  # type: ignore[import-not-found, unused-ignore]

        self._client = chromadb.EphemeralClient(chromadb.Settings(anonymized_telemetry=False))
        self._collection = self._client.create_collection(f"c{time.time_ns()}", embedding_function=_function(embedder))
        self._units = [unit.id for unit in store.units]  # may repeat, which Chroma's ids must not
        for start in range(0, len(store.units), 1_000):
            part = store.units[start : start + 1_000]
            places = [str(start + place) for place in range(len(part))]
            self._collection.add(ids=places, documents=[unit.text for unit in part])

    def rank(self, question: str, limit: int) -> Ranking:
        found: Any = self._collection.query(query_texts=[question], n_results=limit)
        nearest = zip(found["ids"][0], found["distances"][0], strict=True)
        return [(self._units[int(place)], -far) for place, far in nearest]

    def close(self) -> None:
        self._client.delete_collection(self._collection.name)


def _best(scores: dict[str, float], limit: int) -> Ranking:
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]


def _function(embedder: Embedder) -> Any:
    """Our embedder as Chroma wants one."""
    from chromadb import EmbeddingFunction

    class Ours(EmbeddingFunction):  # type: ignore[misc]
        def __init__(self) -> None:
            pass

        def __call__(self, input: Sequence[str]) -> Any:
            return list(embedder.embed(list(input)))

        @staticmethod
        def name() -> str:
            return "ours"

        def get_config(self) -> dict[str, Any]:
            return {}

        @staticmethod
        def build_from_config(_config: dict[str, Any]) -> Any:
            return Ours()

    return Ours()


def has_chroma() -> bool:
    return find_spec("chromadb") is not None


def has_minilm() -> bool:
    return onnx.installed()


@cache
def _minilm() -> Embedder:
    return onnx.minilm()


def peers(store: Store, embedder: Embedder | None) -> list[Contender]:
    """All that can be built here from the units of a store."""
    bm25 = Bm25(store)
    if embedder is None:
        return [bm25]
    vectors = Vectors(store, embedder)
    found: list[Contender] = [bm25, vectors, Blend(vectors, bm25), Rrf(vectors, bm25)]
    return [*found, Chroma(store, _minilm() if has_minilm() else embedder)] if has_chroma() else found
