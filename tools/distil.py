"""Makes the vectors of the built-in embedder from a sentence encoder: `make distil TEXTS=… TEACHER=…`.

TEXTS is gzipped JSONL, one `[source, text]` a line. TEACHER is a directory with `model.onnx` (or
`model_quantized.onnx`) and `vocab.txt` or `tokenizer.json` of an uncased BERT-like encoder with mean pooling.
Needs, besides Holdfast: torch, onnxruntime, numpy (versions used are printed). No part of Holdfast runs this.
Same inputs, versions and machine type give the same bytes; their SHA-256 is printed. See docs/embedder.md.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import platform
import unicodedata
from pathlib import Path

import numpy as np

try:
    import onnxruntime
    import torch
except ImportError as error:
    raise SystemExit(f"{error}. This needs: pip install torch onnxruntime (tried with 2.13 and 1.31)") from error

from holdfast.providers.builtin import PATH, BuiltinEmbedder
from holdfast.providers.table import LARGEST_SCALE, pack
from holdfast.text.wordpiece import WordPiece

MODEL = "minilm-static-2"  # part of the identity: raise it whenever the table changes
DIMENSIONS = 256
SEED = 7
EPOCHS = 3
BATCH = 512
RATE = 2e-3
WARM_UP = 100
SIF = 1e-3  # how common a piece must be to lose half of its first weight
LONGEST = 256  # pieces that the teacher reads
UNRELATED_PAIRS = 200_000
Floats = np.ndarray


def read_texts(path: Path) -> list[str]:
    """The texts, in the order of the file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line)[1] for line in lines]


def read_vocabulary(teacher: Path) -> dict[str, int]:
    """Piece to number, as the teacher has them."""
    listed = teacher / "vocab.txt"
    if listed.exists():
        return {piece: number for number, piece in enumerate(listed.read_text("utf-8").splitlines())}
    return dict(json.loads((teacher / "tokenizer.json").read_text("utf-8"))["model"]["vocab"])


class Teacher:
    """The sentence encoder: pieces in, unit vectors out."""

    def __init__(self, directory: Path, vocabulary: dict[str, int], threads: int) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        model = next(path for name in ("model.onnx", "model_quantized.onnx") if (path := directory / name).exists())
        self._session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        self._inputs = [given.name for given in self._session.get_inputs()]
        self._first, self._last = vocabulary["[CLS]"], vocabulary["[SEP]"]

    def encode(self, pieces: list[list[int]], batch: int = 32) -> Floats:
        """One unit vector for each list of pieces; lists of like length are run together."""
        order = sorted(range(len(pieces)), key=lambda place: len(pieces[place]))
        rows: Floats | None = None
        for start in range(0, len(order), batch):
            chosen = order[start : start + batch]
            vectors = self._run([[self._first, *pieces[place][: LONGEST - 2], self._last] for place in chosen])
            rows = np.zeros((len(pieces), vectors.shape[1]), np.float32) if rows is None else rows
            rows[chosen] = vectors
            if start // batch % 1000 == 0:
                print(f"  {start:,} of {len(pieces):,} encoded", flush=True)
        assert rows is not None, "there is no text to learn from"
        return unit(rows)

    def _run(self, lists: list[list[int]]) -> Floats:
        width = max(map(len, lists))
        numbers = np.zeros((len(lists), width), np.int64)
        mask = np.zeros_like(numbers)
        for row, pieces in enumerate(lists):
            numbers[row, : len(pieces)] = pieces
            mask[row, : len(pieces)] = 1
        given = {"input_ids": numbers, "attention_mask": mask, "token_type_ids": np.zeros_like(numbers)}
        hidden = self._session.run(None, {name: given[name] for name in self._inputs})[0]
        return (hidden * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)


def unit(rows: Floats) -> Floats:
    """Each row brought to length 1."""
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


def project(targets: Floats, dimensions: int) -> Floats:
    """The directions that hold most of what the targets say."""
    moments = targets.T.astype(np.float64) @ targets / len(targets)
    return np.linalg.eigh(moments)[1][:, ::-1][:, :dimensions].astype(np.float32)


def first_rows(alone: Floats, counts: Floats, projection: Floats) -> Floats:
    """Where training starts: each piece as the teacher sees it alone, common ones made light."""
    share = (counts + 0.5) / counts.sum()
    return (unit(alone - alone.mean(0)) * (SIF / (SIF + share))[:, None]) @ projection


class Batches:
    """Texts as runs of one long list of pieces, drawn in a seeded order."""

    def __init__(self, pieces: list[list[int]]) -> None:
        self._flat = torch.tensor([number for text in pieces for number in text])
        self._lengths = torch.tensor([len(text) for text in pieces])
        self._starts = torch.cumsum(self._lengths, 0) - self._lengths
        self._usable = torch.nonzero(self._lengths).flatten()
        self._random = torch.Generator().manual_seed(SEED)
        self.steps = len(self._usable) // BATCH

    def epoch(self):
        """Which texts, all their pieces, and where each text starts among them."""
        order = self._usable[torch.randperm(len(self._usable), generator=self._random)]
        for step in range(self.steps):
            chosen = order[step * BATCH : (step + 1) * BATCH]
            lengths = self._lengths[chosen]
            offsets = torch.cumsum(lengths, 0) - lengths
            places = torch.repeat_interleave(self._starts[chosen] - offsets, lengths) + torch.arange(int(lengths.sum()))
            yield chosen, self._flat[places], offsets


def train(rows: Floats, targets: Floats, pieces: list[list[int]]) -> Floats:
    """Rows whose sum over a text points where the teacher's vector of that text points."""
    table = torch.nn.EmbeddingBag.from_pretrained(torch.from_numpy(rows), freeze=False, mode="sum", sparse=True)
    optimiser = torch.optim.SparseAdam(table.parameters(), lr=RATE, betas=(0.9, 0.98))
    batches, wanted, step = Batches(pieces), torch.from_numpy(targets), 0
    for epoch in range(EPOCHS):
        total = 0.0
        for chosen, flat, offsets in batches.epoch():
            optimiser.param_groups[0]["lr"] = (
                RATE * min(1, (step + 1) / WARM_UP) * (1 - step / (EPOCHS * batches.steps))
            )
            loss = 1 - torch.nn.functional.cosine_similarity(table(flat, offsets), wanted[chosen]).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            step, total = step + 1, total + loss.item()
        print(f"  epoch {epoch + 1}: mean distance {total / batches.steps:.4f}", flush=True)
    return table.weight.detach().numpy()


def rate(step: int, steps: int) -> float:
    """The learning rate: a short rise, then a straight fall to nothing."""
    return RATE * min(1, (step + 1) / WARM_UP) * (1 - step / steps)


def is_kept(piece: str) -> bool:
    """Latin letters, digits, marks and symbols; other scripts are read by their letters instead."""
    body = piece.removeprefix("##") or piece
    if piece.startswith("[") and piece.endswith("]") and len(piece) > 1:
        return False
    return all(not letter.isalpha() or "LATIN" in unicodedata.name(letter, "") for letter in body)


def quantise(rows: Floats) -> tuple[Floats, Floats]:
    """Signed bytes and a whole scale for each row."""
    steps = np.abs(rows).max(axis=1) / 127
    scales = np.maximum(1, np.round(steps / steps.max() * LARGEST_SCALE)).astype(np.int32)
    return np.round(rows / np.maximum(steps, 1e-12)[:, None]).astype(np.int8), scales


def noise_floor(embedder: BuiltinEmbedder, texts: list[str]) -> float:
    """The cosine that one in twenty pairs of unrelated sentences exceeds."""
    draw = np.random.default_rng(SEED)
    spoken = [text for text in texts if len(text.split()) >= 5]
    vectors = embedder.embed([spoken[place] for place in draw.choice(len(spoken), 20_000, replace=False)])
    left, right = draw.integers(0, len(vectors), (2, UNRELATED_PAIRS))
    apart = left != right
    return round(float(np.quantile((vectors[left[apart]] * vectors[right[apart]]).sum(1), 0.95)), 4)


def write(path: Path, learned: Floats, vocabulary: dict[str, int], texts: list[str]) -> None:
    """The table, once to measure its noise floor and once with it."""
    pieces = [piece for piece in sorted(vocabulary, key=vocabulary.__getitem__) if is_kept(piece)]
    kept = learned[[vocabulary[piece] for piece in pieces]]
    rows, scales = quantise(kept)
    length = float(np.median(np.linalg.norm(rows.astype(np.float64), axis=1) * scales))
    header = {"model": MODEL, "letter_scale": max(1, round(length / 2 / (64 * DIMENSIONS**0.5))), "floor": 0.0}
    path.write_bytes(pack(header, rows, scales, pieces))
    header["floor"] = noise_floor(BuiltinEmbedder(str(path)), texts)
    path.write_bytes(pack(header, rows, scales, pieces))
    print(f"{path}: {len(pieces):,} rows, {path.stat().st_size:,} bytes, {header}")
    print("SHA-256", hashlib.sha256(path.read_bytes()).hexdigest())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", type=Path)
    parser.add_argument("teacher", type=Path)
    parser.add_argument("--out", type=Path, default=Path(PATH))
    parser.add_argument("--targets", type=Path, help="keep the teacher's vectors here and use them if they exist")
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    torch.use_deterministic_algorithms(True)
    distil(given)


def distil(given: argparse.Namespace) -> None:
    """Every step, in order."""
    print("python", platform.python_version(), *(f"{m.__name__} {m.__version__}" for m in (np, torch, onnxruntime)))
    vocabulary, texts = read_vocabulary(given.teacher), read_texts(given.texts)
    cut = WordPiece(vocabulary, lambda word: (vocabulary["[UNK]"],))
    pieces = [cut.encode(text) for text in texts]
    teacher = Teacher(given.teacher, vocabulary, given.threads)
    targets = encode_once(teacher, pieces, given.targets).astype(np.float32)
    alone = teacher.encode([[number] for number in range(len(vocabulary))], batch=512)
    projection = project(targets[::4], DIMENSIONS)
    counts = np.bincount([number for text in pieces for number in text], minlength=len(vocabulary))
    learned = train(first_rows(alone, counts, projection), unit(targets @ projection), pieces)
    write(given.out, learned, vocabulary, texts)


def encode_once(teacher: Teacher, pieces: list[list[int]], kept: Path | None) -> Floats:
    """The teacher's vectors in half precision, from the file if there is one."""
    if kept and kept.exists():
        return np.load(kept)
    targets = teacher.encode(pieces).astype(np.float16)
    if kept:
        np.save(kept, targets)
    return targets


if __name__ == "__main__":
    main()
