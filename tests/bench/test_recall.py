"""The recall benchmark on a data set of its own making: it runs, counts right, and says what it skips."""

from __future__ import annotations

import gzip
import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from bench import recall
from bench.asked import METRICS, Asked, answerable, halves_table, pipes, total_table
from bench.asking import by_session
from bench.authors import removed, shuffled
from bench.contenders import Bm25, Rrf
from bench.plots import Axis, Line, chart, ticks
from bench.recall_data import Question, Store, Unit, pooled

THINGS = ("heliotrope", "marigold", "saxophone", "submarine", "telescope", "violin")


def store(name: str = "one", turn: int = 0) -> Store:
    units = tuple(
        Unit(f"{number}", f"I keep the {thing} of house {name} in room {number}.", "Ana" if number % 2 else "Ben",
             f"session_{number // 2}", f"2026-01-0{number + 1}T10:00:00.000Z")
        for number, thing in enumerate(THINGS)
    )  # fmt: skip
    asked = tuple(
        Question(f"Where is the {thing}?", (str(number),), "adversarial" if number == turn else "single-hop")
        for number, thing in enumerate(THINGS)
    )
    return Store("locomo", name, units, asked)


def written(folder: Path, *stores: Store) -> Path:
    with gzip.open(folder / "locomo.test.jsonl.gz", "wt", encoding="utf-8") as target:
        for one in stores:
            units = [unit._asdict() for unit in one.units]
            asked = [{"q": q.text, "gold": q.gold, "category": q.category} for q in one.questions]
            target.write(json.dumps({"set": one.set, "name": one.name, "units": units, "questions": asked}) + "\n")
    return folder


def asked(contender: str, ranked: tuple[str, ...], half: int = 0, category: str = "single-hop") -> Asked:
    costs = (10,) * len(ranked)
    return Asked("locomo", "one", contender, "q?", category, ("a",), ranked, (), ranked, costs, 1.0, half)


def test_a_run_measures_every_contender_and_writes_what_was_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = written(tmp_path, store("one"), store("two", 1))
    files = {name: str(tmp_path / "out" / name) for name in ("figures.json", "questions.jsonl")}
    code = recall.main([
        "--data", str(data), "--sets", "locomo,sessions,pooled,beam,authors", "--json", files["figures.json"],
        "--questions", files["questions.jsonl"], "--plots", str(tmp_path / "out"),
    ])  # fmt: skip
    said = capsys.readouterr().out
    figures = json.loads(Path(files["figures.json"]).read_text("utf-8"))
    lines = [json.loads(line) for line in Path(files["questions.jsonl"]).read_text("utf-8").splitlines()]
    assert code == 0
    assert "skipped: no beam*.jsonl.gz" in said
    assert {"BM25", "holdfast", "holdfast, no model", "vectors", "0.7 / 0.3", "RRF"} <= set(figures["locomo"])
    assert figures["locomo"]["holdfast"]["all"]["n"] == 10
    assert figures["locomo"]["holdfast"]["all"]["R@5"] == 100
    assert {row["authors"] for row in figures["authors"]} == {"as they are", "shuffled", "removed"}
    assert {line["set"] for line in lines} == {"locomo", "sessions", "pooled"}
    assert all(line["R@10"] == 1 for line in lines if line["contender"] == "holdfast" and line["set"] == "locomo")
    assert ElementTree.parse(tmp_path / "out" / "recall-budget.svg").getroot().tag.endswith("svg")


def test_without_data_a_line_says_so_and_nothing_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert recall.main(["--data", str(tmp_path), "--sets", "locomo,beam,longmemeval"]) == 0
    said = capsys.readouterr().out
    assert said.count("skipped: no ") == 3
    assert "## " not in said


def test_an_unknown_set_is_refused_with_the_names_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        recall.main(["--sets", "locomo,lokomo"])
    assert "lokomo: choose among locomo" in capsys.readouterr().err


def test_sessions_are_units_with_their_turns_and_gold_moves_with_them() -> None:
    joined = by_session(store())
    assert [unit.id for unit in joined.units] == ["session_0", "session_1", "session_2"]
    assert "Ben: I keep the heliotrope" in joined.units[0].text
    assert joined.questions[3].gold == ("session_1",)


def test_names_are_shuffled_and_removed_without_touching_a_word() -> None:
    one = store()
    mixed = shuffled(one)
    assert [unit.text for unit in mixed.units] == [unit.text for unit in one.units]
    assert sorted(unit.author or "" for unit in mixed.units) == sorted(unit.author or "" for unit in one.units)
    assert {unit.author for unit in removed(one).units} == {None}


def test_bm25_drops_stop_words_and_takes_any_word() -> None:
    plain = Bm25(store())
    assert plain.rank("Where is the violin or the telescope?", 10)[0][0] in ("4", "5")
    assert plain.rank("the xyzzy", 10) == []
    plain.close()


def test_rank_fusion_prefers_what_both_sides_found() -> None:
    class Fixed:
        def __init__(self, *ids: str) -> None:
            self.name, self._ids = "fixed", ids

        def rank(self, question: str, limit: int) -> list[tuple[str, float]]:
            return [(id, 1.0) for id in self._ids]

    fused = Rrf(Fixed("a", "b", "c"), Fixed("d", "b", "e"))  # type: ignore[arg-type]
    assert fused.rank("", 2) == [("b", pytest.approx(2 / 62)), ("a", pytest.approx(1 / 61))]


def test_a_total_leaves_adversarial_questions_out() -> None:
    found = [asked("x", ("a",)), asked("x", ("b",), category="adversarial")]
    assert len(answerable(found)) == 1
    assert "| x             | 1 | 100.0 [100.0, 100.0]" in total_table(found)


def test_both_halves_are_shown() -> None:
    shown = halves_table([asked("x", ("a",), 0), asked("x", ("b",), 1)])
    assert "| x         | odd stores  | 1 | 100.0" in shown
    assert "| x         | even stores | 1 | 0.0" in shown


def test_a_pooled_question_keeps_the_half_of_its_store() -> None:
    both = pooled([store("one"), store("two")], "pooled")
    assert both.questions[7].gold == ("two/1",)


def test_every_metric_is_between_nothing_and_all() -> None:
    for one in (asked("x", ("a", "b")), asked("x", ())):
        assert all(0 <= one.score(name) <= 1 for name in METRICS)


def test_a_table_is_aligned() -> None:
    assert pipes(["a", "bb"], [["long", "1"]]).splitlines() == ["| a    | bb |", "|------|----|", "| long | 1  |"]


def test_a_chart_is_well_formed_and_names_every_line_once() -> None:
    drawn = chart(
        "A & B", Axis("tokens", (0.0, 10.0)), Axis("%", ticks(100)),
        [Line("ours", ((0, 10), (10, 100)), ours=True), Line("<theirs>", ((0, 0), (10, 99)))],
    )  # fmt: skip
    root = ElementTree.fromstring(drawn)
    names = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text") if "name" in text.get("class", "")]
    places = [
        float(text.get("y", 0))
        for text in root.iter("{http://www.w3.org/2000/svg}text")
        if "name" in text.get("class", "")
    ]
    assert sorted(name or "" for name in names) == ["<theirs>", "ours"]
    assert abs(places[0] - places[1]) >= 16
    assert "prefers-color-scheme: dark" in drawn


def test_a_logarithmic_axis_puts_decades_at_equal_distances() -> None:
    axis = Axis("entries", (1_000.0, 10_000.0, 100_000.0), logarithmic=True)
    assert [axis.place(value) for value in (1_000, 10_000, 100_000)] == pytest.approx([0, 0.5, 1])
