"""Sentence encoders as ONNX files: pooling, prefixes, batches, and clear refusals. onnxruntime is played by a fake."""

import hashlib
import json
import os
import sys
import types
from typing import ClassVar

import numpy as np
import pytest

from holdfast.errors import MissingExtra, ProviderFailed
from holdfast.providers import onnx, registry

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "cat", "dog", "sat", "ran", "query", "passage", "##s"]
HIDDEN = 8


class Session:
    """Looks every token up in a fixed table; remembers what it was given."""

    runs: ClassVar[list] = []
    inputs, kind, precision = ("input_ids", "attention_mask"), "tensor(int64)", np.float32

    def __init__(self, data, settings, providers):
        if data.startswith(b"damaged"):
            raise RuntimeError("protobuf")
        self._table = np.random.default_rng(len(data)).standard_normal((100, HIDDEN)).astype(np.float32)

    def get_inputs(self):
        return [types.SimpleNamespace(name=name, type=self.kind) for name in self.inputs]

    def run(self, _outputs, given):
        assert set(given) == set(self.inputs)
        Session.runs.append(given)
        return [self._table[given["input_ids"]].astype(self.precision)]


@pytest.fixture(autouse=True)
def runtime(monkeypatch):
    fake = types.ModuleType("onnxruntime")
    fake.InferenceSession = Session
    fake.configured = {}
    fake.SessionOptions = lambda: types.SimpleNamespace(add_session_config_entry=fake.configured.__setitem__)
    monkeypatch.setitem(sys.modules, "onnxruntime", fake)
    Session.runs = []
    return fake


@pytest.fixture
def directory(tmp_path):
    """Makes a directory of an encoder."""

    def make(name="encoder", data=b"model", words=WORDS, **options):
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        (folder / "model.onnx").write_bytes(data)
        (folder / "vocab.txt").write_text("\n".join(words) + "\n", "utf-8")
        if options:
            (folder / "encoder.json").write_text(json.dumps(options), "utf-8")
        return str(folder)

    return make


def test_padding_changes_nothing(directory):
    embedder = onnx.encoder(directory())
    texts = ["cat", "cat sat", "dogs ran cat sat", "", "unheard"]
    together = embedder.embed(texts)
    assert np.allclose(together, np.concatenate([embedder.embed([text]) for text in texts]), atol=1e-6)
    assert np.allclose(np.linalg.norm(together, axis=1), 1.0, atol=1e-5)


def test_the_mean_is_of_all_tokens_and_cls_of_the_first(directory):
    mean, cls = onnx.encoder(directory("a")), onnx.encoder(directory("b", pooling="cls"))
    assert not np.allclose(mean.embed(["cat"]), mean.embed(["dog"]))
    assert np.allclose(cls.embed(["cat"]), cls.embed(["dog"]))


def test_questions_and_passages_have_their_own_prefix(directory):
    embedder = onnx.encoder(directory(query_prefix="query ", passage_prefix="passage "))
    Session.runs.clear()
    embedder.embed(["cat"], query=True)
    embedder.embed(["cat"])
    assert [run["input_ids"].tolist() for run in Session.runs] == [[[2, 8, 4, 3]], [[2, 9, 4, 3]]]


def test_texts_are_cut_at_the_most_tokens(directory):
    embedder = onnx.encoder(directory(max_tokens=8))
    Session.runs.clear()
    embedder.embed(["cat " * 50])
    assert Session.runs[0]["input_ids"].tolist() == [[2, *[4] * 6, 3]]


def test_batches_are_of_like_length_and_bounded(directory):
    embedder = onnx.encoder(directory())
    Session.runs.clear()
    embedder.embed(["cat " * (1 if place % 2 else 200) for place in range(100)])
    shapes = [run["input_ids"].shape for run in Session.runs]
    assert all(rows * width <= 4096 for rows, width in shapes)
    assert sum(int((run["attention_mask"] == 0).sum()) for run in Session.runs) <= 4096


def test_known_is_the_share_of_words_that_can_be_spelt(directory):
    embedder = onnx.encoder(directory())
    assert embedder.known("cats sat") == 1.0
    assert embedder.known("cat zebra") == 0.5


def test_a_language_that_is_only_spelt_letter_by_letter_is_not_known(directory):
    letters = ["س", "##ل", "##ا", "##م", "猫", "##こ", "ね"]
    embedder = onnx.encoder(directory(words=[*WORDS, *letters, "سلامة"]))
    assert embedder.known("سلام") == embedder.known("猫") == embedder.known("ねこ") == 0.0
    assert embedder.known("سلامة") == 1.0


def test_a_vocabulary_of_many_ideographs_knows_them(directory):
    chinese = [chr(code) for code in range(0x4E00, 0x4E00 + 2_000)]
    assert onnx.encoder(directory(words=[*WORDS, *chinese])).known("一丁") == 1.0


def test_whatever_changes_the_numbers_changes_the_identity(directory):
    identities = {
        onnx.encoder(directory("same", **change)).identity
        for change in ({}, {"data": b"another"}, {"pooling": "cls"}, {"max_tokens": 64}, {"words": [*WORDS, "more"]})
    }
    assert len(identities) == 5
    assert all(identity.startswith("onnx/same/8/") for identity in identities)


def test_minilm_takes_only_the_file_that_it_knows(directory, monkeypatch):
    with pytest.raises(ProviderFailed, match="not the MiniLM file"):
        onnx.minilm(directory())
    monkeypatch.setattr(onnx, "MINILM", {hashlib.sha256(b"model").hexdigest()})
    assert onnx.minilm(directory()).identity.startswith("minilm/all-MiniLM-L6-v2/8/")


def test_minilm_comes_from_its_package_with_our_vocabulary(tmp_path, monkeypatch):
    package = tmp_path / "fake_minilm"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('never imported')")
    (package / "model.onnx").write_bytes(b"model")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(onnx, "MINILM_PACKAGE", "fake_minilm")
    monkeypatch.setattr(onnx, "MINILM", {hashlib.sha256(b"model").hexdigest()})
    monkeypatch.setattr(sys.modules["onnxruntime"], "__spec__", object())
    assert onnx.installed()
    pieces = onnx._pieces(str(package))
    assert (len(pieces), pieces[101], pieces[102]) == (30_522, "[CLS]", "[SEP]")


def test_what_is_not_installed_is_named_with_the_command(monkeypatch):
    monkeypatch.setattr(onnx, "MINILM_PACKAGE", "no_such_package_at_all")
    with pytest.raises(MissingExtra, match=r"pip install 'holdfast\[minilm\]'"):
        onnx.minilm()


def test_a_missing_runtime_is_named_with_the_command(directory, monkeypatch):
    path = directory()
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtra, match=r"pip install 'holdfast\[minilm\]'"):
        onnx.encoder(path)


@pytest.mark.parametrize(
    "change",
    [
        {"data": b"damaged"}, {"words": ["cat"]}, {"pooling": "max"}, {"max_tokens": 1}, {"unknown": 1},
        {"max_tokens": "256"}, {"floor": "high"}, {"floor": float("nan")}, {"floor": 2}, {"query_prefix": 5},
    ],
)  # fmt: skip
def test_an_encoder_that_cannot_be_used_is_refused(directory, change):
    with pytest.raises(ProviderFailed):
        onnx.encoder(directory(**change))


def test_weights_in_other_files_are_refused_with_the_reason(directory, runtime):
    with pytest.raises(ProviderFailed, match="weights are in other files"):
        onnx.encoder(directory(data=b"damaged \x0a\x08location\x12\x0fmodel.onnx_data"))
    assert runtime.configured["session.model_external_initializers_file_folder_path"] == os.devnull


@pytest.mark.parametrize(("kind", "wanted"), [("tensor(int32)", np.int32), ("tensor(float)", np.float32)])
def test_inputs_are_of_the_kind_that_the_model_asks_for(directory, monkeypatch, kind, wanted):
    monkeypatch.setattr(Session, "kind", kind)
    monkeypatch.setattr(Session, "run", checking(Session.run, wanted))
    onnx.encoder(directory())


def checking(run, wanted):
    def checked(self, outputs, given):
        assert {value.dtype for value in given.values()} == {np.dtype(wanted)}
        return run(self, outputs, {name: value.astype(np.int64) for name, value in given.items()})

    return checked


@pytest.mark.parametrize("change", [{"inputs": ("input_ids", "segment_ids")}, {"kind": "tensor(string)"}])
def test_an_input_that_we_cannot_give_is_named(directory, monkeypatch, change):
    for name, value in change.items():
        monkeypatch.setattr(Session, name, value)
    with pytest.raises(ProviderFailed, match="input segment_ids" if "inputs" in change else "input input_ids"):
        onnx.encoder(directory())


def test_numbers_of_16_bits_are_summed_as_floats(directory, monkeypatch):
    exact = onnx.encoder(directory(max_tokens=8_192)).embed(["cat dog " * 4_000])
    monkeypatch.setattr(Session, "precision", np.float16)
    assert np.allclose(onnx.encoder(directory(max_tokens=8_192)).embed(["cat dog " * 4_000]), exact, atol=1e-4)


@pytest.mark.parametrize("number", [np.inf, -np.inf, np.nan, 3e38])
def test_numbers_that_are_not_finite_are_no_warning(directory, number, recwarn):
    embedder = onnx.encoder(directory())
    embedder._session._table[:] = number
    assert not np.isfinite(embedder.embed(["cat sat"])).all() or number == 3e38
    assert [str(warning.message) for warning in recwarn] == []


def test_options_that_are_nested_without_end_are_refused(directory, tmp_path):
    folder = directory()
    (tmp_path / "encoder" / "encoder.json").write_text("[" * 100_000)
    with pytest.raises(ProviderFailed, match=r"encoder\.json"):
        onnx.encoder(folder)


def test_an_encoder_leaves_the_rest_when_the_process_ends(directory, monkeypatch):
    embedder = onnx.encoder(directory())
    monkeypatch.setattr(onnx, "ending", lambda: True)
    with pytest.raises(ProviderFailed, match="ends"):
        embedder.embed(["cat"])


def test_a_directory_without_its_files_is_refused_by_name(tmp_path):
    with pytest.raises(ProviderFailed, match=r"embedder\.model"):
        onnx.encoder("")
    with pytest.raises(ProviderFailed, match=r"vocab\.txt"):
        onnx.encoder(str(tmp_path))
    (tmp_path / "vocab.txt").write_text("\n".join(WORDS))
    with pytest.raises(ProviderFailed, match=r"model\.onnx"):
        onnx.encoder(str(tmp_path))


# -- the registry


def test_auto_is_the_wheel_unless_the_extra_is_installed(monkeypatch):
    monkeypatch.setattr(onnx, "installed", lambda model="": False)
    assert registry.resolve("auto").provider == "builtin"
    monkeypatch.setattr(onnx, "installed", lambda model="": True)
    assert registry.resolve("auto").provider == "minilm"


def test_a_runtime_that_somebody_put_among_the_modules_counts_as_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", types.ModuleType("onnxruntime"))
    assert onnx.installed("directory")


def test_a_named_provider_is_never_replaced():
    assert registry.resolve("minilm", "/somewhere").to_dict() == {"provider": "minilm", "model": "/somewhere"}


def test_an_embedder_of_a_later_version_is_named():
    with pytest.raises(MissingExtra, match="openai"):
        registry.make(registry.Choice(provider="openai"))
