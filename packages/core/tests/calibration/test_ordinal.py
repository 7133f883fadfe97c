"""Ordered levels: against the binary chapter, sums by hand, files, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from tests.cli.running import printed

import howsure
from howsure.inputs.pairs import Probabilities

RNG = np.random.default_rng(0)
Q = RNG.dirichlet([1.0, 2.0, 2.0, 1.0], 600)
Y = (RNG.random((600, 1)) > Q.cumsum(axis=1)).sum(axis=1)
DOCUMENT = np.arange(600) // 3


def test_two_levels_are_the_binary_chapter_to_the_bit():
    rng = np.random.default_rng(1)
    q = rng.random(500)
    y = (rng.random(500) < q**2).astype(int)
    for clusters in (None, np.arange(500) // 2):
        calibration = howsure.ordinal_calibration(y, np.column_stack([1 - q, q]), clusters=clusters)
        curve = howsure.calibration_curve(y, q, clusters=clusters)
        assert calibration.error == curve.error == calibration["> 0"].error
        assert calibration["> 0"].p_value == curve.p_value == calibration.p_adjusted[0]
        assert calibration.rps.value == pytest.approx(curve.brier.score, abs=1e-15)
        assert calibration.rps_parts.score == curve.brier.score
        assert np.array_equal(calibration["> 0"].bins.mean_prob, curve.bins.mean_prob)


def test_each_cut_point_is_a_binary_problem():
    calibration = howsure.ordinal_calibration(Y, Q)
    assert [curve.name for curve in calibration] == ["> 0", "> 1", "> 2"]
    for k, curve in enumerate(calibration):
        alone = howsure.calibration_curve((k < Y).astype(int), np.minimum(Q[:, ::-1].cumsum(axis=1)[:, 2 - k], 1.0))
        assert (curve.error, curve.brier.score) == (alone.error, alone.brier.score)
    by_hand = [sum((q[: k + 1].sum() - (y <= k)) ** 2 for k in range(3)) for q, y in zip(Q, Y, strict=True)]
    assert calibration.rps.value == pytest.approx(np.mean(by_hand), abs=1e-12)
    parts = calibration.rps_parts
    assert parts.score == pytest.approx(parts.calibration + parts.refinement + parts.within_bin, abs=1e-12)
    assert calibration.bias.value == pytest.approx(np.mean(Q @ np.arange(4) - Y), abs=1e-12)


def test_the_error_of_all_is_the_mean_over_cut_points_by_brute_force():
    calibration = howsure.ordinal_calibration(Y, Q, n_bins=2)
    squares = []
    for k in range(3):
        q, y = Q[:, k + 1 :].sum(axis=1), k < Y
        edge = calibration.rows[k].bins.count[0]
        order = np.argsort(q)
        for rows in (order[:edge], order[edge:]):
            u = q[rows] - y[rows]
            m = len(rows)
            squares.append(m / 600 / 3 * (u.sum() ** 2 - (u**2).sum()) / (m * (m - 1)))
    assert calibration.error.value == pytest.approx(np.sqrt(max(sum(squares), 0.0)), abs=1e-12)


def test_errors_of_opposite_sign_do_not_cancel():
    rng = np.random.default_rng(3)
    chance = np.array([1 / 3, 1 / 3, 1 / 3])
    y = rng.choice(3, 3000, p=chance)
    predicted = np.tile([0.15, 0.7, 0.15], (3000, 1))  # P(> 0) too high, P(> 1) too low, by as much
    calibration = howsure.ordinal_calibration(y, predicted, n_bins=1)
    assert calibration.error.value == pytest.approx(0.183, abs=0.02)
    assert calibration.error.low > 0.1
    above = np.concatenate([predicted[:, 1:].sum(axis=1), predicted[:, 2]])
    pooled = howsure.calibration_curve(np.concatenate([y > 0, y > 1]).astype(int), above, n_bins=1)
    assert pooled.error.value < 0.02
    assert ["too high" in line or "too low" in line for line in calibration.footnotes()[3:5]] == [True, True]


def test_shuffled_levels_change_the_result_and_names_order_them():
    names = ["low", "middle", "high", "top"]
    words = np.array(names)[Y]
    calibration = howsure.ordinal_calibration(words, Q, levels=names)
    assert calibration.levels == tuple(names)
    assert calibration.error == howsure.ordinal_calibration(Y, Q).error
    order = [1, 0, 2, 3]
    other = howsure.ordinal_calibration(words, Q[:, order], levels=[names[i] for i in order])
    assert other.rps.value != pytest.approx(calibration.rps.value, abs=1e-3)


def test_clusters_widen_the_interval():
    rows = np.repeat(np.arange(200), 5)
    calibration = howsure.ordinal_calibration(Y[rows], Q[rows], clusters=rows)
    alone = howsure.ordinal_calibration(Y[rows], Q[rows])
    assert calibration.rps.high - calibration.rps.low > 1.5 * (alone.rps.high - alone.rps.low)
    assert calibration.bias.high - calibration.bias.low > 1.5 * (alone.bias.high - alone.bias.low)


@pytest.mark.long
def test_frames_files_and_lists_say_the_same(tmp_path):
    expected = howsure.ordinal_calibration(Y, Q, clusters=DOCUMENT)
    columns = {"g": Y, "d": DOCUMENT, **{str(k): Q[:, k] for k in range(4)}}
    frame = pd.DataFrame(columns)
    frame.to_csv(tmp_path / "g.csv", index=False)
    names = ["0", "1", "2", "3"]
    with (tmp_path / "g.jsonl").open("w") as file:
        for y, q, d in zip(Y.tolist(), Q.tolist(), DOCUMENT.tolist(), strict=True):
            print(json.dumps({"g": y, "q": q, "d": d}), file=file)
    csv, lines = (howsure.read(tmp_path / name) for name in ("g.csv", "g.jsonl"))
    for y_prob, data in ((names, frame), (names, csv), ("q", lines), (Probabilities("probs", names), csv)):
        calibration = howsure.ordinal_calibration("g", y_prob, clusters="d", data=data)
        for name in ("value", "low", "high"):
            for actual, other in (
                (calibration.error, expected.error),
                (calibration.rps, expected.rps),
                (calibration.bias, expected.bias),
            ):
                assert getattr(actual, name) == pytest.approx(getattr(other, name), abs=1e-12)
    typed = ["--target", "g", "--probs-column", "q", "--cluster", "d", "--levels", "0,1,2,3", "--format", "json"]
    printed_json = json.loads(printed("calibration", "ordinal", tmp_path / "g.jsonl", *typed))
    assert printed_json["error"]["value"] == pytest.approx(expected.error.value, abs=1e-12)
    assert printed_json["recipe"]["files"] == [str(tmp_path / "g.jsonl")]


def test_rps_is_a_metric_of_significance():
    other = np.full((600, 4), 0.25)
    comparison = howsure.resample_models(Y, other, Q, metrics=["rps"], rng=0, method="permutation", n_resamples=200)[0]
    assert comparison.model_value == pytest.approx(howsure.ordinal_calibration(Y, Q).rps.value, abs=1e-12)
    assert comparison.difference < 0
    assert not comparison.higher_is_better
