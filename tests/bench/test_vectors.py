"""The benchmark of vectors alone: ours takes part, finds what an exact scan finds, and the absent are named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bench import vectors
from bench.nearest import NEAREST, Given, Holdfast
from bench.vectors import Figures, measured, table


def placed(count: int) -> tuple[list[str], np.ndarray]:
    rows = np.random.default_rng(7).standard_normal((count, Given.dimensions), np.float32)
    return [f"text {number}" for number in range(count)], rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_ours_returns_the_positions_that_an_exact_scan_finds(tmp_path: Path) -> None:
    texts, rows = placed(60)
    store = Holdfast(str(tmp_path / "home"))
    store.add(texts)
    store.fill(texts, rows)
    assert store.near(rows[3]) == np.argsort(-(rows @ rows[3]))[:NEAREST].tolist()
    store.close()


def test_figures_say_recall_and_memory_of_each_store(tmp_path: Path) -> None:
    (found,) = measured(50, [Holdfast], str(tmp_path / "stores"))
    assert (found.store, found.vectors, found.recall) == ("holdfast", 50, 1.0)
    assert found.resident_mb > 10
    assert "| holdfast" in table([found])


def test_a_store_that_is_not_installed_is_named_with_how_to_get_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Absent(Holdfast):
        name, package = "Absent", "no-such-package"

    made = Figures(50, "holdfast", 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 50.0)
    monkeypatch.setattr(vectors, "STORES", (Holdfast, Absent))
    monkeypatch.setattr(vectors, "measured", lambda size, stores, folder: [made for _ in stores])
    assert vectors.main(["--sizes", "50", "--folder", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "skipped: Absent; `pip install no-such-package`" in said
    assert said.count("| holdfast") == 1
