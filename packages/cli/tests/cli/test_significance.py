"""`howsure significance` from the outside."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from tests.significance.made_systems import distributions, labels

from howsure.errors import InputError
from howsure.significance import Runs
from howsure.significance.boostsa import Bootstrap
from howsure.significance.comparison import compare
from howsure_cli.commands.significance.main import command

TARGETS, BASE, LARGE = labels(120, 3, 1)
COMPARED = ["--target", "gold", "--against", "base", "--model", "large"]


def run(*arguments: object) -> Result:
    """The command; what is wrong is raised."""
    return CliRunner().invoke(command, [str(argument) for argument in arguments], catch_exceptions=False)


def table(path: Path, rows: list[dict[str, object]]) -> Path:
    """A CSV or JSON lines file of rows."""
    with path.open("w", newline="") as file:
        if path.suffix == ".jsonl":
            file.writelines(json.dumps(row) + "\n" for row in rows)
        else:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    return path


def rows_of() -> list[dict[str, object]]:
    return [
        {"gold": f"class {t}", "base": f"class {a}", "large": f"class {b}", "document": k // 5, "uid": f"u{k}"}
        for k, (t, a, b) in enumerate(zip(TARGETS, BASE, LARGE, strict=True))
    ]


def test_runs_are_noted(tmp_path: Path) -> None:
    rows = [row | {"seed": seed} for seed in (1, 2) for row in rows_of()]
    np.random.default_rng(0).shuffle(rows)
    path = table(tmp_path / "runs.jsonl", rows)
    output = run(path, *COMPARED, "--run", "seed", "--id", "uid", "--metric", "accuracy").stdout
    assert "Items with all their runs were swapped between the models at random (permutation test)." in output
    content = json.loads(
        run(path, *COMPARED, "--run", "seed", "--id", "uid", "--metric", "accuracy", "--format", "json").stdout
    )
    once = compare(TARGETS, BASE, LARGE, metrics="accuracy", rng=0)[0]
    assert content["comparisons"][0]["n"] == 120
    assert content["comparisons"][0]["p_value"] == pytest.approx(once.p_value)


def test_rows_of_probabilities(tmp_path: Path) -> None:
    targets, a, b = distributions(40, 3, 1)
    rows = [
        {"gold": t.tolist(), "base": x.tolist(), "large": y.tolist(), "label": "enc"[t.argmax()]}
        for t, x, y in zip(targets, a, b, strict=True)
    ]
    path = table(tmp_path / "votes.jsonl", rows)
    soft = json.loads(run(path, *COMPARED, "--format", "json", "--resamples", 100).stdout)["comparisons"]
    expected = compare(targets, a, b, n_resamples=100, rng=0)
    assert [row["p_value"] for row in soft] == [row.p_value for row in expected]
    options = ["--target", "label", *COMPARED[2:], "--classes", "e,n,c", "--format", "json", "--resamples", 100]
    hard = json.loads(run(path, *options).stdout)["comparisons"]
    assert [row["metric"] for row in hard] == ["log_loss", "multiclass_brier"]
    assert hard[0]["model_value"] == pytest.approx(-np.log(b[np.arange(40), targets.argmax(axis=1)]).mean())


def test_probabilities_of_one_class(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = [
        {"gold": int(y), "base": p, "large": q}
        for y, p, q in zip(rng.integers(0, 2, 30), rng.random(30), rng.random(30), strict=True)
    ]
    path = table(tmp_path / "dev.csv", rows)
    content = json.loads(run(path, *COMPARED, "--metric", "brier", "--format", "json", "--resamples", 50).stdout)
    expected = np.mean([(row["large"] - row["gold"]) ** 2 for row in rows])
    assert content["comparisons"][0]["model_value"] == pytest.approx(expected)
    rows[7]["large"] = "high"
    with pytest.raises(InputError, match=r"large must be a number; row 8 of .* is 'high'"):
        run(table(path, rows), *COMPARED, "--metric", "brier")


def test_outcomes_of_boostsa(tmp_path: Path) -> None:
    boot = Bootstrap(dir_out=str(tmp_path))
    for _ in range(2):
        boot.feed("h0", preds=BASE, targs=TARGETS)
        boot.feed("h0", "h1", preds=LARGE, targs=TARGETS)
    boot.feed("h0", "h2", preds=TARGETS, targs=TARGETS)
    options = ["--metric", "accuracy", "--format", "json"]
    content = json.loads(run("outcomes", tmp_path / "outcomes.json", *options).stdout)
    expected = compare(
        TARGETS, {"h0": Runs([BASE] * 2)}, {"h1": Runs([LARGE] * 2), "h2": TARGETS}, metrics="accuracy", rng=0
    )
    assert content["comparisons"] == expected.to_dict()["comparisons"]


def test_missing_values_are_refused_or_counted(tmp_path: Path) -> None:
    rows = rows_of()
    rows[3]["large"] = ""
    path = table(tmp_path / "dev.csv", rows)
    with pytest.raises(InputError, match=r"large must not be missing; row 4 of .*dev.csv"):
        run(path, *COMPARED)
    output = run(path, *COMPARED, "--skip-missing", "--resamples", 50).stdout
    assert "119 rows, 1 skipped" in output


PARAMETERS = re.compile(
    r"y_true|\b\w+='|\b(labels|ids|method|metrics|clusters|strata|two_way)=|[a-z]_[a-z]+\b(?<!macro_f1)"
)


def stray(tmp_path: Path) -> Path:
    rows = [{**row, "run": k % 2, "document": "d"} for k, row in enumerate(rows_of())]
    rows[7]["large"] = "unparseable"
    return table(tmp_path / "stray.csv", rows)


@pytest.mark.long
def test_notes_speak_of_options_and_columns(tmp_path: Path) -> None:
    """They said y_true, labels= and howsure.compare_calibration, which nobody typed."""
    few = ["--metric", "macro_f1", "--resamples", 50]
    content = json.loads(run(stray(tmp_path), *COMPARED, *few, "--format", "json").stdout)
    warning = "never a true label: counted as wrong; averages over classes leave it out unless --classes names it"
    assert warning in content["notes"][0]
    assert not any(PARAMETERS.search(note) for note in content["notes"])
    assert f"{warning}." in run(stray(tmp_path), *COMPARED, *few).output
    np.savetxt(tmp_path / "gold.txt", np.arange(40) % 2, fmt="%d")
    np.save(tmp_path / "q.npy", np.random.default_rng(0).dirichlet([1, 1], 40))
    files = ["--targets", tmp_path / "gold.txt", "--against", tmp_path / "q.npy", "--model", tmp_path / "r.npy"]
    np.save(tmp_path / "r.npy", np.random.default_rng(1).dirichlet([1, 1], 40))
    shown = run(*files, "--metric", "squared_calibration_error", "--resamples", 50).output
    assert "howsure calibration compare, with the bins of howsure calibration, has the better interval" in shown
