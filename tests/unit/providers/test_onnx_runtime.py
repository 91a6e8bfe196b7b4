"""Sentence encoders with the real onnxruntime, where it is installed: which files and inputs are taken."""

import os

import numpy as np
import pytest

from holdfast.errors import ProviderFailed
from holdfast.providers import onnx

pytest.importorskip("onnxruntime")

PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "cat", "dog"]
FLOAT, INT32, INT64, HALF = 1, 6, 7, 10
ROWS = np.random.default_rng(1).standard_normal((len(PIECES), 4)).astype(np.float32)


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def field(number, value):
    """One field of a protobuf message: a number, a text, or the fields of another message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def tensor(name, kind):
    shape = b"".join(field(1, field(2, size)) for size in ("texts", "tokens"))
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, shape)))


def model(inputs=("input_ids", "attention_mask"), kind=INT64, rows=ROWS, beside=None):
    """An encoder that looks every token up: its weights in it, or in a file beside it."""
    held = FLOAT if rows.dtype == np.float32 else HALF
    if beside is None:
        numbers = field(9, rows.tobytes())
    else:
        numbers = field(13, field(1, "location") + field(2, beside)) + field(14, 1)
    weights = b"".join(field(1, size) for size in rows.shape) + field(2, held) + field(8, "rows") + numbers
    node = field(1, "rows") + field(1, "input_ids") + field(2, "hidden") + field(4, "Gather")
    graph = field(1, node) + field(2, "graph") + field(5, weights)
    graph += b"".join(field(11, tensor(name, kind)) for name in inputs)
    graph += field(12, field(1, "hidden") + field(2, field(1, field(1, held))))
    return field(1, 8) + field(7, graph) + field(8, field(2, 18))


@pytest.fixture
def encoder(tmp_path):
    """Loads an encoder with this model."""

    def make(data):
        (tmp_path / "model.onnx").write_bytes(data)
        (tmp_path / "vocab.txt").write_text("\n".join(PIECES) + "\n", "utf-8")
        return onnx.encoder(str(tmp_path))

    return make


def test_weights_in_another_file_are_not_read(encoder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "weights").write_bytes(ROWS.tobytes())
    with pytest.raises(ProviderFailed, match="weights are in other files"):
        encoder(model(beside="weights"))


def test_weights_in_another_file_are_not_read_by_a_path_either(encoder, tmp_path):
    (tmp_path / "weights").write_bytes(ROWS.tobytes())
    with pytest.raises(ProviderFailed, match="weights are in other files"):
        encoder(model(beside=os.path.relpath(tmp_path / "weights", "/dev")))


def test_inputs_of_32_bits_give_the_same_vectors(encoder):
    wide = encoder(model()).embed(["cat", "dog cat"])
    assert (encoder(model(kind=INT32)).embed(["cat", "dog cat"]) == wide).all()


def test_an_input_that_we_cannot_give_is_named(encoder):
    with pytest.raises(ProviderFailed, match="the input segment_ids"):
        encoder(model(("input_ids", "segment_ids")))


def test_numbers_of_16_bits_are_summed_as_floats(encoder):
    large = (ROWS * 2_000).astype(np.float16)
    text = ["cat dog " * 100]
    assert np.allclose(encoder(model(rows=large)).embed(text), encoder(model()).embed(text), atol=1e-3)
