"""Annotation errors: rates from two readings, coverage of the corrected counts, and refusals."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import howsure
from howsure.counts.annotation_errors import ALIKE, BOUNDS, SETTLED, error_rates
from howsure.counts.estimation import count_units

N, READ = 1000, 200


def shares(positive: float, alpha: float, beta: float) -> np.ndarray:
    """Shares of pairs of readings, for independent annotators: both 1; differ and true, false; both 0."""
    true, false = ([(1 - p) ** 2, 2 * p * (1 - p), p * p] for p in (beta, alpha))
    both, neither = (positive * true[k] + (1 - positive) * false[2 - k] for k in (0, 2))
    return np.array([both, positive * true[1], (1 - positive) * false[1], neither])


@pytest.mark.parametrize(("alpha", "beta"), [(0.05, 0.05), (0.01, 0.2), (0.1, 0.02), (0.0, 0.0)])
@pytest.mark.parametrize("positive", [0.05, 0.5])
def test_rates_are_those_that_made_the_readings(positive: float, alpha: float, beta: float) -> None:
    pairs = 1e6 * shares(positive, alpha, beta)
    assert np.ravel(error_rates(pairs, SETTLED)) == pytest.approx([alpha, beta], abs=1e-6)
    if alpha == beta:
        assert np.ravel(error_rates(pairs, ALIKE)) == pytest.approx([alpha, alpha], abs=1e-9)
    all_alpha, all_beta = error_rates(pairs, BOUNDS)
    assert np.interp(alpha, all_alpha, all_beta) == pytest.approx(beta, abs=2e-3)
    for a, b in zip(all_alpha, all_beta, strict=True):  # all explain the readings equally well
        s = (pairs[0] + pairs[1:3].sum() / 2) / 1e6
        estimated = shares((s - a) / (1 - a - b), a, b)
        assert [estimated[0], estimated[3]] == pytest.approx(pairs[[0, 3]] / 1e6, abs=1e-9)


def file(run: int, alpha: float, beta: float, positive: float = 0.25) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """The true labels, and labels of some units, half of them labelled twice and settled."""
    rng = np.random.default_rng(run)
    truth = rng.random(N) < positive
    first, second = (np.where(truth, rng.random(N) >= beta, rng.random(N) < alpha) * 1.0 for _ in range(2))
    settled = np.where(first != second, truth * 1.0, np.nan)
    drawn = rng.permutation(N)
    first[drawn[READ:]] = np.nan
    second[drawn[READ // 2 :]] = settled[drawn[READ // 2 :]] = np.nan
    return truth, {"y_true": first, "second": second, "settled": settled}


def counted(columns: dict[str, np.ndarray], how: str, **options: object) -> howsure.CountEstimates:
    readings = {name: labels for name, labels in columns.items() if name != "settled" or how == SETTLED}
    flips = {"flips": "alike"} if how == ALIKE else {}
    return count_units(**readings, y_prob=np.full(N, 0.3), method="labels", rng=0, **flips, **options)


@pytest.mark.long
@pytest.mark.parametrize(
    ("how", "alpha", "beta", "least"),
    [(ALIKE, 0.08, 0.08, 0.85), (SETTLED, 0.02, 0.3, 0.85), (BOUNDS, 0.02, 0.3, 0.85), (ALIKE, 0.02, 0.3, None)],
)
def test_intervals_hold_what_is_true(how: str, alpha: float, beta: float, least: float | None) -> None:
    """40 files; flips that are assumed to be alike and are not fail."""
    covered = 0
    for run in range(40):
        truth, columns = file(run, alpha, beta, positive=0.5)
        total = counted(columns, how).total
        covered += total.low <= truth.sum() <= total.high
    assert covered / 40 >= least if least else covered / 40 < 0.6


def test_the_result_says_by_how_much_the_interval_grew() -> None:
    _, columns = file(0, 0.05, 0.05)
    once = count_units(columns["y_true"], np.full(N, 0.3), method="labels", rng=0)
    for how in (ALIKE, SETTLED, BOUNDS):
        estimates = counted(columns, how)
        errors = estimates.readings
        wider = (estimates.total.high - estimates.total.low) / (once.total.high - once.total.low)
        assert errors.wider == pytest.approx(wider)
        assert wider > 1
        assert (errors.read_twice, errors.errors_by) == (READ // 2, how)
        assert estimates.to_dict()["wider"] == pytest.approx(wider)
        assert f"{errors.wider:.1f} times as wide" in estimates.text()
        assert not any(
            "as wide" in sentence for sentence in replace(errors, wider=math.nan).sentences()
        )  # of no interval
        assert np.isnan(estimates.total.estimate) == (how == BOUNDS)
    assert "wider" not in once.to_dict()


def test_words_mappings_and_groups_are_read_alike() -> None:
    _, columns = file(1, 0.05, 0.05)
    group = np.arange(N) % 2
    estimates = counted(columns, SETTLED, groups=group)
    words = {
        name: np.where(np.isnan(labels), None, np.where(labels == 1, "yes", "no")) for name, labels in columns.items()
    }
    words["settled"] = {row: label for row, label in enumerate(words["settled"]) if label == "yes"} | {
        row: label for row, label in enumerate(words["settled"]) if label == "no"
    }
    assert counted(words, SETTLED, groups=group, pos_label="yes").to_dict() == estimates.to_dict()
    assert len(estimates.rows) == 2
    difference, more = estimates.difference("0", "1")
    assert np.isnan(difference.value)
    assert np.isnan(more)


def test_annotators_who_never_differ_are_noted_and_cost_little() -> None:
    _, columns = file(2, 0.0, 0.0)
    estimates = counted(columns | {"settled": np.full(N, np.nan)}, SETTLED)
    assert any("never differ" in note for note in estimates.notes)
    assert 1 < estimates.readings.wider < 1.5


def test_second_labels_that_contradict_symmetric_errors_are_noted() -> None:
    truth, columns = file(3, 0.2, 0.02)
    columns["y_true"] = np.where(np.arange(N) < READ, (truth | (np.arange(N) % 4 == 0)) * 1.0, np.nan)
    columns["second"] = np.where(np.arange(N) < READ, truth * 1.0, np.nan)
    assert any("errors are not symmetric" in note for note in counted(columns, BOUNDS).notes)


@pytest.mark.parametrize("how", [ALIKE, SETTLED, BOUNDS])
def test_annotators_who_never_agree_on_a_1_leave_wide_intervals(how: str) -> None:
    truth, columns = file(4, 0.0, 0.0, positive=0.02)
    both = np.flatnonzero(columns["second"] == 1)
    columns["second"][both] = 0.0
    columns["settled"][both] = 1.0
    total = counted(columns, how).total
    assert total.low <= truth.sum() <= total.high


def changed(row: int, **values: float) -> dict[str, np.ndarray]:
    """DoubleLabels of 40 units, 0 and 1 in turn; 20 of them have two labels, equal in all rows but one."""
    labels = np.where(np.arange(N) < 40, np.arange(N) % 2, np.nan)
    columns = {"y_true": labels, "second": np.where(np.arange(N) < 20, labels, np.nan), "settled": np.full(N, np.nan)}
    for name, value in values.items():
        columns[name][row] = value
    return columns
