"""`howsure significance --by model`: tables with one row per model and item, and a file for each model."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from howsure.errors import InputError
from howsure.significance import compare
from tests.cli.test_significance import run, table
from tests.significance.systems.test_long_form import frame

HELD = frame()
BY = ["--by", "model", "--id", "uid", "--run", "seed"]


def rows_of(held: pd.DataFrame) -> list[dict[str, object]]:
    return [{name: getattr(value, "item", lambda v=value: v)() for name, value in row.items()}
            for row in held.to_dict("records")]  # fmt: skip


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return table(tmp_path_factory.mktemp("log") / "log.csv", rows_of(HELD))


def found(*arguments: object) -> dict:
    return json.loads(run(*arguments, "--format", "json").stdout)


def test_a_score_by_model(log: Path) -> None:
    told = found(log, *BY, "--score", "grade", "--cluster", "doc")
    expected = compare(data=HELD, model="model", id="uid", run="seed", score="grade", clusters="doc").to_dict()
    for part in ("comparisons", "means"):
        for one, other in zip(told[part], expected[part], strict=True):
            assert one == {key: pytest.approx(value, rel=1e-12) if isinstance(value, float) else value
                           for key, value in other.items()}  # fmt: skip
    assert told["best"] == expected["best"]
    assert told["recipe"]["clusters"] == 10


def test_predictions_by_model(log: Path) -> None:
    options = ["--target", "gold", "--prediction", "answer", "--baseline", "base", "--metric", "macro_f1"]
    told = found(log, *BY, *options, "--resamples", 200)
    expected = compare(
        data=HELD, model="model", id="uid", run="seed", target="gold", prediction="answer", baseline="base",
        metrics="macro_f1", n_resamples=200, rng=0,
    )  # fmt: skip
    assert told["comparisons"] == expected.to_dict()["comparisons"]


def test_what_a_person_reads(log: Path, tmp_path: Path) -> None:
    said = run(log, *BY, "--score", "grade", "--figure", tmp_path / "d.svg", "--report", tmp_path / "d.html").stdout
    assert "160 rows, baseline" in said
    assert "standard error  runs  from runs" in said
    assert "Student's t of the paired differences of 40 items, each the mean of its runs." in said
    assert (tmp_path / "d.svg").exists()
    report = (tmp_path / "d.html").read_text(encoding="utf-8")
    assert "standard error" in report


def test_a_file_for_each_model(tmp_path: Path, log: Path) -> None:
    """Two JSON-lines files, rows in any order, are matched by id; the models are the files."""
    for model, held in HELD.groupby("model"):
        table(tmp_path / f"{model}.jsonl", rows_of(held.drop(columns="model").sample(frac=1, random_state=3)))
    files = [tmp_path / "base.jsonl", tmp_path / "large.jsonl"]
    options = ["--id", "uid", "--run", "seed", "--target", "gold", "--prediction", "answer", "--metric", "accuracy"]
    told = found(*files, *options, "--baseline", "base")
    assert told["comparisons"] == found(log, "--by", "model", *options, "--baseline", "base")["comparisons"]


def test_models_rows_and_values_are_chosen(log: Path, tmp_path: Path) -> None:
    third = HELD[HELD.model == "base"].assign(model="third")
    path = table(tmp_path / "three.csv", rows_of(pd.concat([HELD, third])))
    two = found(path, *BY, "--score", "grade", "--model", "base", "--model", "large")
    assert two["comparisons"] == found(log, *BY, "--score", "grade")["comparisons"]
    one = found(log, "--by", "model", "--id", "uid", "--score", "grade", "--where", "seed = 1")
    assert one["comparisons"][0]["n"] == 40
    assert one["means"][0]["runs"] == 1
    right = table(tmp_path / "right.csv", rows_of(HELD.assign(grade=["yes" if g > 2 else "no" for g in HELD.grade])))
    yes = found(right, *BY, "--score", "grade", "--positive", "yes")
    expected = compare(data=HELD.assign(grade=HELD.grade > 2), model="model", id="uid", run="seed", score="grade")
    assert yes["comparisons"][0]["p_value"] == pytest.approx(expected[0].p_value, rel=1e-12)
    assert len(found(path, *BY, "--score", "grade", "--all-pairs")["comparisons"]) == 3


def test_sets_that_number_their_items_alike(tmp_path: Path) -> None:
    for name, seed in (("arc", 0), ("mmlu", 1)):
        table(tmp_path / f"{name}.csv", rows_of(frame(seed, runs=1)))
    files = [tmp_path / "arc.csv", tmp_path / "mmlu.csv"]
    with pytest.raises(InputError, match="equal values of uid occur in several files"):
        run(*files, "--by", "model", "--id", "uid", "--score", "grade")
    apart = found(*files, "--by", "model", "--id", "uid", "--cluster", "doc", "--score", "grade",
                  "--across-files", "separate")  # fmt: skip
    assert apart["comparisons"][0]["n"] == 80
    assert apart["recipe"]["clusters"] == 20
    named = found(*files, "--by", "model", "--by-file", "--id", "file,uid", "--cluster", "file,doc", "--score", "grade")
    assert named["comparisons"] == apart["comparisons"]


def test_missing_items_are_counted(tmp_path: Path) -> None:
    path = table(tmp_path / "log.csv", rows_of(HELD.drop(index=[0, 1])))
    told = found(path, *BY, "--score", "grade", "--skip-missing")
    assert told["comparisons"][0]["n"] in (38, 39)
    assert any("left out: at least one of base, large has no answer there." in note for note in told["notes"])
