"""Regressions with predicted labels: against other programs, by hand, simulated coverage, and what is refused."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.cli.running import howsure as run_command

import howsure
from howsure.regression.moments import FOLDS, PENALTY, Labelled, Regression, fitted

N = 200
ROWS = np.arange(N)
UNIT, WEIGHT, PERIOD = ROWS // 10, 1 + ROWS % 4 * 0.5, ROWS % 10
# statsmodels 0.15.0 of the rows below: coefficients. Their CR2 errors are compared in test_cluster_robust.py.
STATSMODELS: dict[str, tuple[dict[str, Any], list[float]]] = {
    "OLS": ({}, [0.4100152568945113, 0.24126443574330608, 0.12485618905937393]),
    "OLS, clusters": ({"clusters": UNIT}, [0.4100152568945113, 0.24126443574330608, 0.12485618905937393]),
    "WLS": ({"sample_weight": WEIGHT}, [0.39168718918604306, 0.23439542074918823, 0.15281111855301743]),
    "Logit": ({"method": "logit"}, [-0.4571941586461717, 1.2181319727383806, 0.6370118330067196]),
}
PPI_PY_LOGISTIC = [-0.26829516796487085, 1.2776548429247798, 1.1239576039883648]  # ppi_py 0.2.3, lam=1
PPI_PY_OLS = [0.24202826853568785, -0.10870663158186762]


def rows() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Two covariates, labels and predictions."""
    draw = np.random.default_rng(7)
    x, z = np.round(draw.standard_normal(N), 3), (ROWS % 3 == 0) * 1.0
    y = ((0.3 + 0.2 * x + 0.2 * z + 0.3 * np.round(draw.standard_normal(N), 3)) > 0.4) * 1.0
    f = np.clip(y + 0.3 * z * (ROWS % 2), 0, 1)
    return x, z, y, np.where(ROWS % 7 == 0, 1 - f, f)


def partly(y: np.ndarray, *, every: int = 3) -> np.ndarray:
    """Labels of every third row."""
    return np.where(ROWS % every == 1, y, np.nan)


@pytest.mark.parametrize("name", STATSMODELS)
def test_where_all_are_labelled_it_is_the_regression_with_its_sandwich(name: str) -> None:
    x, z, y, f = rows()
    options, values = STATSMODELS[name]
    regression = howsure.regress_predicted(y, f, covariates={"x": x, "z": z}, **options)
    naive = howsure.regress_predicted(y, y, covariates={"x": x, "z": z}, **options)
    assert [row.corrected.value for row in regression] == pytest.approx(values, abs=1e-8)
    assert [row.naive.value for row in naive] == pytest.approx(values, abs=1e-8)
    errors = [row.naive_error for row in naive]
    assert [row.corrected_error for row in regression] == pytest.approx(errors, rel=1e-6)


@pytest.mark.parametrize(
    ("effects", "options", "value"),
    [
        (("unit",), {"clusters": UNIT}, 0.22903386801145675),
        (("unit", "period"), {}, 0.23884587748959918),
        (("period",), {"method": "logit"}, 1.3020060399388005),
    ],
)
def test_fixed_effects_match_dummies(effects: Any, options: Any, value: float) -> None:
    x, _, y, f = rows()
    effects_by_name = {"unit": UNIT, "period": PERIOD}
    fixed_effects = {name: effects_by_name[name] for name in effects}
    (row,) = howsure.regress_predicted(y, f, covariates={"x": x}, fixed_effects=fixed_effects, **options)
    assert row.corrected.value == pytest.approx(value, abs=1e-8)


def regression_of(columns: np.ndarray, *, logit: bool) -> Regression:
    """A regression of rows on their own."""
    return Regression(columns, np.zeros((N, 0)), np.ones(N), None, None, logit)


def test_with_predictions_as_they_are_it_is_prediction_powered_inference() -> None:
    x, z, y, f = rows()
    labelled_rows = ROWS[::4]
    labelled = Labelled(labelled_rows, np.full(len(labelled_rows), 4.0), None, labelled_rows)
    outcome = f + labelled.spread(N, (y - f)[labelled_rows][:, None])[:, 0]
    fit = fitted(regression_of(np.column_stack([np.ones(N), x, z]), logit=True), outcome)
    assert fit.values == pytest.approx(PPI_PY_LOGISTIC, abs=1e-8)
    labelled_rows = ROWS[:40]  # whose covariates are those of the others, too
    labelled = Labelled(labelled_rows, np.full(40, 5.0), None, labelled_rows)
    outcome = f + labelled.spread(N, (y - f)[labelled_rows][:, None])[:, 0]
    fit = fitted(regression_of(np.column_stack([np.ones(N), np.tile(x[:40], 5)]), logit=False), outcome)
    assert fit.values == pytest.approx(PPI_PY_OLS, abs=1e-8)


def by_hand(x: np.ndarray, y: np.ndarray, f: np.ndarray, stratum: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Least squares by the definitions, row by row: coefficients and standard errors without clusters."""
    labelled = [row for row in range(N) if not math.isnan(y[row])]
    weight = {
        row: float(
            (stratum == stratum[row]).sum() / sum(stratum[labelled_row] == stratum[row] for labelled_row in labelled)
        )
        for row in labelled
    }
    features = np.column_stack([f, x[:, 1:]])
    features = (features - features.mean(axis=0)) / features.std(axis=0)
    folds = []
    for fold in range(FOLDS):
        training = [row for place, row in enumerate(labelled) if place % FOLDS != fold]
        w = np.array([weight[row] for row in training]) / np.mean(list(weight.values()))
        design = np.column_stack([np.ones(len(training)), features[training]])
        ridge = np.diag([0.0, *[PENALTY] * features.shape[1]])
        slopes = np.linalg.solve(design.T @ np.diag(w) @ design + ridge, design.T @ (w * y[training]))
        folds.append(np.column_stack([np.ones(N), features]) @ slopes)
    expected = np.mean(folds, axis=0)
    for place, row in enumerate(labelled):
        expected[row] = folds[place % FOLDS][row]
    outcome = expected.copy()
    for row in labelled:
        outcome[row] += weight[row] * (y[row] - expected[row])
    bread = np.linalg.inv(sum(np.outer(x_row, x_row) for x_row in x))
    beta = bread @ sum(x_row * value for x_row, value in zip(x, outcome, strict=True))
    meat = np.zeros((x.shape[1], x.shape[1]))
    adjusted = {row: x[row] / math.sqrt(1.0 - x[row] @ bread @ x[row]) for row in range(N)}  # CR2, of rows HC2
    for row in range(N):
        mine = [labelled_row for labelled_row in labelled if stratum[labelled_row] == stratum[row]]
        centre = np.mean(
            [adjusted[labelled_row] * (y[labelled_row] - expected[labelled_row]) for labelled_row in mine], axis=0
        )
        score = adjusted[row] * (outcome[row] - x[row] @ beta) + centre
        score = score - (weight[row] * centre if row in weight else 0.0)
        meat += np.outer(score, score)
    p = 0.5 / (len(labelled) + 1)
    doubt = p * (1 - p) * sum(weight[row] * (weight[row] - 1) * (bread @ x[row]) ** 2 for row in labelled)
    return beta, np.sqrt(np.diag(bread @ meat @ bread) + doubt)


def test_labels_within_strata_count_by_hand() -> None:
    x, z, y, f = rows()
    stratum = (f > 0.5) * 1
    labels = np.where((ROWS % 5 == 0) | ((stratum == 1) & (ROWS % 2 == 0)), y, np.nan)
    regression = howsure.regress_predicted(labels, f, covariates={"x": x, "z": z}, strata=stratum)
    values, errors = by_hand(np.column_stack([np.ones(N), x, z]), labels, f, stratum)
    assert [row.corrected.value for row in regression] == pytest.approx(values, abs=1e-10)
    assert [row.corrected_error for row in regression] == pytest.approx(errors, abs=1e-10)
    chance = np.array([(~np.isnan(labels))[stratum == number].mean() for number in stratum])
    again = howsure.regress_predicted(labels, f, covariates={"x": x, "z": z}, inclusion=chance)
    assert [row.corrected.value for row in again] == pytest.approx(values, abs=1e-10)


def test_shares_of_classes_add_up_to_1() -> None:
    x, _, y, f = rows()
    names = np.array(["economy", "war", "other"])
    classes, predicted = names[(y + (x > 0.3)).astype(int)], names[(f > 0.5) + (x > 0) * 1]
    regression = howsure.regress_predicted(np.where(ROWS % 3 == 1, classes, None), predicted, covariates={"x": x})
    for part in ("naive", "corrected"):
        sums = [
            sum(getattr(row, part).value for row in regression if row.name == name) for name in ("(intercept)", "x")
        ]
        assert sums == pytest.approx([1.0, 0.0], abs=1e-9)
    assert regression["war: x"].outcome == "war"
    war_alone = howsure.regress_predicted(
        np.where(ROWS % 3 == 1, classes, None), predicted, covariates={"x": x}, pos_label="war"
    )
    assert war_alone["x"].naive.value == pytest.approx(regression["war: x"].naive.value, abs=1e-12)


def test_difference_in_differences_is_the_product() -> None:
    x, _, y, f = rows()
    treated, after = UNIT < 8, PERIOD > 4
    named = howsure.regress_predicted(partly(y), f, treated=treated, after=after, covariates={"x": x})
    columns = {"treated": treated, "after": after, "both": treated & after, "x": x}
    plain = howsure.regress_predicted(partly(y), f, covariates=columns)
    assert [row.corrected for row in named] == [row.corrected for row in plain]
    assert [row.name for row in named][3] == "treated × after"
    assert named.recipe["design"] == "difference in differences"
    effects = {"unit": UNIT, "period": PERIOD}
    within = howsure.regress_predicted(partly(y), f, treated=treated, after=after, fixed_effects=effects)
    assert [row.name for row in within] == ["treated × after"]
    naive = np.array([[f[(treated == t) & (after == a)].mean() for a in (0, 1)] for t in (0, 1)])
    assert within.rows[0].naive.value == pytest.approx(naive[1, 1] - naive[1, 0] - naive[0, 1] + naive[0, 0], abs=1e-12)


def test_names_are_compared_with_the_first() -> None:
    x, _, y, f = rows()
    region = np.array(["south", "east", "north"])[ROWS % 3]
    regression = howsure.regress_predicted(partly(y, every=4), f, covariates={"region": region, "x": x})
    dummies = {"north": region == "north", "south": region == "south", "x": x}
    plain = howsure.regress_predicted(partly(y, every=4), f, covariates=dummies)
    assert [row.name for row in regression] == ["(intercept)", "region: north", "region: south", "x"]
    assert [row.corrected for row in regression] == [row.corrected for row in plain]
    assert "region is compared with east" in regression.notes


def test_it_is_the_same_from_arrays_a_frame_a_file_and_the_command(tmp_path: Path) -> None:
    x, z, y, f = rows()
    frame = pd.DataFrame({"y": partly(y), "f": f, "x": x, "z": z, "unit": [f"u{unit}" for unit in UNIT]})
    frame.to_csv(path := tmp_path / "rows.csv", index=False)
    arguments: dict[str, Any] = {"covariates": ["x", "z"], "clusters": "unit"}
    regression = howsure.regress_predicted("y", "f", data=frame, **arguments)
    arrays = howsure.regress_predicted(partly(y), f, covariates={"x": x, "z": z}, clusters=UNIT)
    of_file = howsure.regress_predicted("y", "f", data=howsure.read(path), **arguments)
    for row, other in zip(regression, of_file, strict=True):
        assert row.corrected.low == pytest.approx(other.corrected.low, abs=1e-12)
    for row, other in zip(regression, arrays, strict=True):
        assert row.corrected.low == pytest.approx(other.corrected.low, abs=1e-12)
    options = ["--target", "y", "--prediction", "f", "--covariates", "x,z", "--cluster", "unit", "--format", "json"]
    printed = json.loads(run_command("counts", "regress", path, *options).out)
    assert printed["coefficients"] == of_file.to_dict()["coefficients"]


@pytest.mark.long
def test_repeated_items_are_clusters_unless_rows_are_independent(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    labels = rng.permutation(np.where(np.arange(400) < 160, rng.random(400) < 0.5, np.nan))
    frame = pd.DataFrame({"item": np.repeat(np.arange(200), 2), "x": rng.random(400), "score": rng.random(400)})
    frame["label"] = labels
    path = tmp_path / "rows.csv"
    frame.to_csv(path, index=False)
    named = howsure.regress_predicted("label", "score", covariates="x", clusters="item", data=frame)
    independent = howsure.regress_predicted("label", "score", covariates="x", data=frame.drop(columns="item"))
    assert named["x"].corrected.low != independent["x"].corrected.low
    for data in (frame, howsure.read(path)):
        regression = howsure.regress_predicted("label", "score", covariates="x", data=data)
        assert regression["x"].corrected.low == pytest.approx(named["x"].corrected.low, abs=1e-12)
        assert any("rows of equal item are one cluster" in note for note in regression.notes)
        assert regression.recipe["cluster"] == "item"
    separate = howsure.regress_predicted(
        "label", "score", covariates="x", data=howsure.read(path, independent_rows=True)
    )
    assert separate["x"].corrected.low == pytest.approx(independent["x"].corrected.low, abs=1e-12)
    assert not any("item" in note for note in separate.notes)


@pytest.mark.parametrize("role", ["covariates", "fixed_effects"])
def test_repeated_items_are_clusters_even_as_regressors(role: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"item": np.repeat(np.arange(40), 3), "x": rng.random(120), "score": rng.random(120)})
    frame["label"] = rng.permutation(np.where(np.arange(120) < 60, rng.random(120) < 0.5, np.nan))
    frame.to_csv(tmp_path / "rows.csv", index=False)
    regressors = {"covariates": ["x", "item"]} if role == "covariates" else {"covariates": "x", "fixed_effects": "item"}
    named = howsure.regress_predicted("label", "score", **regressors, clusters="item", data=frame)
    off = {"frame": "clusters='row'", "file": "independent_rows=True"}
    for kind, data in (("frame", frame), ("file", howsure.read(tmp_path / "rows.csv"))):
        regression = howsure.regress_predicted("label", "score", **regressors, data=data)
        assert regression["x"].naive.low == pytest.approx(named["x"].naive.low, rel=1e-12)
        assert regression["x"].naive.n == 120
        assert any(note.startswith("item repeats") and off[kind] in note for note in regression.notes)


def test_corrected_intervals_hold_where_naive_ones_do_not() -> None:
    covered, naive = 0, 0
    for seed in range(60):
        draw = np.random.default_rng(seed)
        z = draw.random(1500) < 0.5
        y = (draw.random(1500) < 0.3 + 0.2 * z) * 1.0
        f = np.where(z & (draw.random(1500) < 0.4), 0.0, y)
        labelled = draw.choice(1500, 100, replace=False)
        row = howsure.regress_predicted(
            {int(row_number): y[row_number] for row_number in labelled}, f, covariates={"z": z}
        )["z"]
        covered += row.corrected.low <= 0.2 <= row.corrected.high
        naive += row.naive.high >= 0.2
    assert covered >= 54
    assert naive == 0


def notes_without_estimates(regression: howsure.PredictedRegression) -> str:
    """The notes of a result without corrected coefficients."""
    assert all(math.isnan(row.corrected.value) and row.corrected.method == "cannot tell" for row in regression)
    return " ".join(regression.notes)


def test_an_outcome_determined_by_the_columns_has_no_rounding_error() -> None:
    rng = np.random.default_rng(0)
    y = np.where(np.arange(200) < 60, 1.0, np.nan)
    regression = howsure.regress_predicted(y, np.ones(200), covariates={"x": rng.normal(size=200)})
    assert regression["(intercept)"].naive_error == 0.0
    assert "1.0000 [1.0000, 1.0000]" in str(regression)


def test_what_labels_cannot_show_is_not_estimated() -> None:
    x, z, y, f = rows()
    columns = {"x": x, "z": z}
    few = howsure.regress_predicted(np.where(ROWS < 20, y, np.nan), f, covariates=columns)
    assert "humans labelled 20 rows, fewer than 30: no estimate" in notes_without_estimates(few)
    alike = howsure.regress_predicted(np.where(ROWS % 3 == 1, 1.0, np.nan), f, covariates=columns)
    assert "every human label is 1" in notes_without_estimates(alike)
    parted = howsure.regress_predicted(
        partly((x > 0) * 1.0), (x > 0) * 1.0, covariates={"x > 0": x > 0}, method="logit"
    )
    assert "no finite solution" in notes_without_estimates(parted)
    assert math.isnan(parted.rows[0].naive.value)
    chosen = howsure.regress_predicted(np.where(f > 0.9, y, np.nan), f, covariates=columns)
    assert "with a prediction at most" in notes_without_estimates(chosen)
    assert "were they drawn at random?" in notes_without_estimates(chosen)
    is_labelled = (ROWS % 3 == 1) & (UNIT > 0)
    without = howsure.regress_predicted(np.where(is_labelled, y, np.nan), f, covariates={"x": x, "first": UNIT == 0})
    assert without["first"].corrected.method == "cannot tell"
    assert without["x"].corrected.low is not None
    assert any("first, because labelled rows hardly differ in these columns" in note for note in without.notes)


def test_each_cause_of_a_missing_coefficient_has_its_own_sentence() -> None:
    n = 2000
    rng = np.random.default_rng(0)
    x, y = rng.random(n), rng.integers(0, 2, n).astype(float)
    f, rows = np.clip(y, 0.2, 0.8), np.arange(n)
    rare = rows < 40  # 4 of them are labelled, as 1 in 10 of all rows
    few = howsure.regress_predicted(np.where(rows % 10 == 0, y, np.nan), f, covariates={"x": x, "rare": rare})
    assert [note for note in few.notes if "no estimate of" in note] == [
        "no estimate of rare, because fewer than 5 labels determine these: label more rows in which they differ"
    ]
    labelled = (rows < 400) | (rows >= n - 2)  # 400 rows of which all are labelled, and 2 of 1,600 others
    inclusion = np.where(rows < 400, 1.0, 2 / 1600)
    weighted = howsure.regress_predicted(np.where(labelled, y, np.nan), f, covariates={"x": x}, inclusion=inclusion)
    assert any("because a few labels with a small chance of being drawn" in note for note in weighted.notes)


X, Z, Y, F = rows()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["950,5", "1.200,0"], r"row 0 is '950,5'"),
        (["950.5", "1.200,0"], r"row 1 is '1\.200,0'. Leave out the separator of thousands"),
        (["39,2 %", "0.5"], r"row 0 is '39,2 %'. It is a percentage: write 0\.392"),
        ([*map(str, range(20, 29)), "ca. 30"], r"row 9 is 'ca\. 30'"),
        (["0", "1", "k. A."], r"must be a number, as most.*row 2 is 'k\. A\.'.*missing_values=\['k\. A\.'\]"),
    ],
)
def test_numbers_are_not_read_as_categories(values: list[str], message: str) -> None:
    with pytest.raises(howsure.InputError, match=message):
        howsure.regress_predicted(partly(Y), F, covariates={"c": np.resize(values, N)})


def test_weights_of_a_file_are_those_of_a_frame(tmp_path: Path) -> None:
    frame = pd.DataFrame({"y": partly(Y), "f": F, "x": X, "w": np.resize([1, 2, 5], N)})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    columns = {"covariates": ["x"], "sample_weight": "w", "method": "linear"}
    of_file = howsure.regress_predicted("y", "f", data=howsure.read(tmp_path / "rows.csv"), **columns)
    of_frame = howsure.regress_predicted("y", "f", data=frame, **columns)
    assert [row.corrected for row in of_file] == [row.corrected for row in of_frame]
    assert of_file[1].corrected != howsure.regress_predicted("y", "f", data=frame, covariates=["x"])[1].corrected


def test_a_few_numbers_with_a_name_are_categories() -> None:
    arms = np.resize(["1", "2", "3", "control"], N)
    result = howsure.regress_predicted(partly(Y), F, covariates={"arm": arms})
    assert [row.name for row in result] == ["(intercept)", "arm: 2", "arm: 3", "arm: control"]


@pytest.mark.parametrize(
    "values", [["01067", "80331"], [*map(str, range(20, 28)), "ca. 30"], ["1", "5+"], ["1", "SPD"]]
)
def test_categories_may_be_digits(values: list[str]) -> None:
    assert len(howsure.regress_predicted(partly(Y), F, covariates={"c": np.resize(values, N)})) == len(values)


def test_labels_in_words_need_a_positive_value() -> None:
    words = {row: "ja" if label else "nein" for row, label in enumerate(Y[:50].round() % 2)}
    with pytest.raises(
        howsure.InputError, match=r"must be a number; row 0 is '(ja|nein)'. Name the positive value: pos_label="
    ):
        howsure.regress_predicted(words, F, covariates={"x": X})
