"""HashingEmbedder: vectors from the letters of words alone, for tests that need an embedder but no model.

Texts that share words are near each other, others are not; the same on every machine. `calls` counts what
was embedded, so that a test can see what was not embedded again. NumPy is loaded on first use.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy import float32
    from numpy.typing import NDArray


class HashingEmbedder:
    """Implements the Embedder port."""

    def __init__(self, dimensions: int = 64, model: str = "hashing", *, costly: bool = False) -> None:
        self.identity = f"testing/{model}/{dimensions}"
        self.dimensions, self.costly, self.floor = dimensions, costly, 0.2
        self.calls: list[str] = []

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[float32]:
        import numpy as np

        self.calls += texts
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        for place, text in enumerate(texts):
            for word in text.lower().split():
                seed = zlib.crc32(word.strip(".,:;!?").encode())
                vectors[place] += np.random.default_rng(seed).standard_normal(self.dimensions)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors /= np.maximum(lengths, 1e-12)
        return vectors

    def known(self, text: str) -> float:
        return 1.0
