"""The built-in embedder: unit rows, the same everywhere, for any text; near in meaning is near in angle."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import ProviderFailed
from holdfast.providers.builtin import PATH, BuiltinEmbedder
from holdfast.providers.table import read

EMBEDDER = BuiltinEmbedder()
FIXED = [
    "I adopted a puppy from the shelter last weekend.",
    "When did she get the dog?",
    "café CAFÉ naïve",
    "def parse(line): return line.split(',')",
    "你好,世界 – ありがとう – مرحبا – Привет 👍🏽",
    "x" * 3000,
]
# The first four dimensions of FIXED, as measured once; a change means a new MODEL in tools/distil.py.
MEASURED: list[list[float]] = [
    [-0.2542733, 0.1361703, -0.0036931, -0.1485160],
    [-0.2264533, 0.1709480, 0.1749792, -0.3037689],
    [-0.0309896, 0.2150949, -0.0570198, 0.1514125],
    [-0.2385467, 0.0013805, -0.0383270, 0.0730641],
    [0.0711078, -0.0406231, 0.0756950, 0.0506923],
    [0.0618668, 0.0644180, 0.0618668, -0.0618668],
]


def cosine(left: str, right: str) -> float:
    vectors = EMBEDDER.embed([left, right])
    return float(vectors[0] @ vectors[1])


def test_every_text_gives_a_float32_row_of_length_one() -> None:
    vectors = EMBEDDER.embed(FIXED)
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(FIXED), EMBEDDER.dimensions)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


@pytest.mark.parametrize("text", ["", " \n\t", "\x00\u200b\ufffd", "\u0301", "\ud800"])
def test_a_text_with_nothing_to_read_is_the_zero_vector(text: str) -> None:
    assert not EMBEDDER.embed([text]).any()


def test_no_texts_give_no_rows() -> None:
    assert EMBEDDER.embed([]).shape == (0, EMBEDDER.dimensions)


def test_a_fixed_set_of_texts_has_the_vectors_it_always_had() -> None:
    assert np.allclose(EMBEDDER.embed(FIXED)[:, :4], MEASURED, atol=1e-6)


def test_a_fresh_embedder_and_a_question_get_the_very_same_bytes() -> None:
    first = EMBEDDER.embed(FIXED)
    assert first.tobytes() == BuiltinEmbedder().embed(FIXED).tobytes() == EMBEDDER.embed(FIXED, query=True).tobytes()


@given(st.lists(st.text(st.characters(), max_size=40), max_size=8))
def test_a_vector_does_not_depend_on_its_neighbours_in_the_batch(texts: list[str]) -> None:
    together = EMBEDDER.embed(texts)
    assert np.isfinite(together).all()
    assert together.tobytes() == b"".join(EMBEDDER.embed([text]).tobytes() for text in texts)


def test_a_long_batch_is_cut_to_blocks_without_a_trace() -> None:
    texts = [*FIXED, "word " * 9000, *FIXED, *(f"turn number {number}" for number in range(3000))]
    together = EMBEDDER.embed(texts)
    assert together[6].tobytes() == EMBEDDER.embed(["word"])[0].tobytes()
    assert together[7:13].tobytes() == EMBEDDER.embed(FIXED).tobytes()
    assert together[-1].tobytes() == EMBEDDER.embed([texts[-1]])[0].tobytes()


@given(st.permutations(["one", "cup", "of", "coffee", "before", "the", "train", "leaves"]))
def test_the_order_of_words_changes_no_bit(shuffled: Sequence[str]) -> None:
    assert EMBEDDER.embed([" ".join(shuffled)]).tobytes() == EMBEDDER.embed([" ".join(sorted(shuffled))]).tobytes()


def test_threads_share_one_embedder() -> None:
    embedder, expected = BuiltinEmbedder(), EMBEDDER.embed(FIXED).tobytes()
    found: list[bytes] = []
    threads = [threading.Thread(target=lambda: found.append(embedder.embed(FIXED).tobytes())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 8


@pytest.mark.parametrize(
    ("question", "near", "far"),
    [
        ("Where does the dog sleep?", "The puppy has a basket in the kitchen.", "The invoice is due on Friday."),
        ("What illness did he have?", "He was in hospital with pneumonia.", "He bought a red bicycle."),
        ("holiday plans", "We are going on vacation to Spain in July.", "The server ran out of memory."),
    ],
)
def test_what_means_the_same_is_nearer_than_what_does_not(question: str, near: str, far: str) -> None:
    assert cosine(question, near) > cosine(question, far)


def test_unrelated_sentences_stay_below_the_noise_floor() -> None:
    assert 0 < EMBEDDER.floor < 0.5
    assert cosine("The invoice is due on Friday.", "My sister plays the violin.") < EMBEDDER.floor


@pytest.mark.parametrize(
    ("left", "right"),
    [("我昨天和姐姐聊了假期", "昨天我和姐姐聊假期"), ("المدرسة الجديدة", "مدرسة جديدة"), ("👍🎉", "🎉 👍")],
)
def test_other_scripts_resemble_each_other_by_their_letters(left: str, right: str) -> None:
    assert cosine(left, right) > EMBEDDER.floor


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("Yesterday I talked to my sister about the holidays", 0.99, 1.0),
        ("Ich habe gestern mit meiner Schwester über den Urlaub gesprochen", 0.0, 0.6),
        ("我昨天和姐姐聊了假期", 0.0, 0.1),
        ("", 1.0, 1.0),
    ],
)
def test_known_tells_english_from_what_the_vectors_were_not_made_for(text: str, least: float, most: float) -> None:
    assert least <= EMBEDDER.known(text) <= most


@given(st.text(st.characters()))
def test_known_is_a_share_for_any_text(text: str) -> None:
    assert 0 <= EMBEDDER.known(text) <= 1


def test_the_identity_names_provider_model_and_dimensions() -> None:
    provider, model, dimensions = EMBEDDER.identity.split("/")
    assert (provider, int(dimensions)) == ("builtin", EMBEDDER.dimensions)
    assert model


def test_the_table_is_small_enough_for_the_wheel() -> None:
    assert Path(PATH).stat().st_size <= 8_000_000


@pytest.mark.parametrize("damage", ["missing", "empty", "cut", "flipped", "header", "foreign"])
def test_a_damaged_table_is_refused_with_its_path(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "copy.table"
    whole = bytearray(Path(PATH).read_bytes())
    whole[{"flipped": len(whole) // 2, "header": 20}.get(damage, 0)] ^= {"flipped": 1, "header": 255}.get(damage, 0)
    data = {"empty": b"", "cut": bytes(whole[:-1]), "foreign": b"something else"}.get(damage, bytes(whole))
    if damage != "missing":
        path.write_bytes(data)
    with pytest.raises(ProviderFailed, match=r"copy\.table"):
        BuiltinEmbedder(str(path))


def test_no_flipped_bit_in_the_header_goes_unnoticed(tmp_path: Path) -> None:
    path = tmp_path / "copy.table"
    whole = Path(PATH).read_bytes()
    path.write_bytes(whole)
    for place in range(whole.index(b"}") + 64):
        put(path, place, whole[place] ^ 1 << place % 8)
        with pytest.raises(ProviderFailed, match="damaged"):
            read(str(path))
        put(path, place, whole[place])
    assert read(str(path)).header["dimensions"] == EMBEDDER.dimensions


def put(path: Path, place: int, value: int) -> None:
    with path.open("r+b") as file:
        file.seek(place)
        file.write(bytes([value]))


CUT = """
import os, sys
from holdfast.providers.builtin import BuiltinEmbedder
embedder = BuiltinEmbedder(sys.argv[1])
os.truncate(sys.argv[1], 1_000)
print(embedder.embed(["words that nobody has asked for yet"]).any())
"""


def test_a_table_that_is_cut_while_it_is_in_use_harms_nobody(tmp_path: Path) -> None:
    path = tmp_path / "copy.table"
    path.write_bytes(Path(PATH).read_bytes())
    done = subprocess.run([sys.executable, "-c", CUT, str(path)], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


def alike(term: str, text: str) -> float:
    ((share,),) = EMBEDDER.alike([term], [text]).tolist()
    return float(share)


@pytest.mark.parametrize(
    ("term", "text"), [("movie", "We saw a film."), ("doctor", "The PHYSICIAN called"), ("bought", "I'll buy it")]
)
def test_words_that_mean_the_same_are_alike(term: str, text: str) -> None:
    assert alike(term, text) > 0.9


@pytest.mark.parametrize(("term", "text"), [("dog", "a cat"), ("red", "blue"), ("london", "Paris"), ("house", "")])
def test_words_for_things_of_one_kind_are_not(term: str, text: str) -> None:
    assert alike(term, text) == 0.0


def test_words_that_are_cut_into_pieces_are_compared_with_none() -> None:
    assert alike("optimisticzeppelin", "an optimistic plan") == alike("optimistic", "optimisticzeppelin") == 0.0
    assert alike("法兰克福", "法兰克福有什么") == 0.0


def test_each_text_is_compared_with_each_term() -> None:
    texts = ["", "We saw a film about a job", "日本", "a job"]
    found = EMBEDDER.alike(["movie", "xqzt", "occupation"], texts)
    assert (found > 0).tolist() == [[False] * 3, [True, False, True], [False] * 3, [False, False, True]]
    assert EMBEDDER.alike([], texts).shape == (4, 0)
    assert EMBEDDER.alike(["movie"], []).shape == (0, 1)


def test_words_of_the_table_are_words_and_misspelt_ones_are_not() -> None:
    assert all(map(EMBEDDER.is_word, ("address", "receive", "dentist")))
    assert not any(map(EMBEDDER.is_word, ("adress", "recieve", "##ing" * 9, "")))
