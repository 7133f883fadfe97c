"""calibration_table: rows by group; what results of curves declare; what they refuse."""

from __future__ import annotations

import numpy as np
import pytest
from tests.calibration.samples import language_pairs

from howsure import calibration_error, decompose_score
from howsure.calibration.calibration_tests import calibration_test
from howsure.calibration.curve import calibration_curve
from howsure.calibration.table import calibration_table
from howsure.stats.p_values import adjust_p_values

Y, Q = language_pairs(6_000, np.random.default_rng(70))
TAGS = np.random.default_rng(71).choice(["NN", "VB", "a10", "a9"], 6_000, p=[0.6, 0.3, 0.05, 0.05])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("clustered", [False, True])
def test_every_row_is_the_group_alone(weighted: bool, clustered: bool) -> None:
    rng = np.random.default_rng(72)
    w = rng.exponential(size=6_000) if weighted else None
    clusters = np.arange(6_000) // 10 if clustered else None
    table = calibration_table(Y, Q, groups=TAGS, sample_weight=w, clusters=clusters)
    assert [row.name for row in table] == ["NN", "VB", "a9", "a10"]
    assert sum(row.n for row in table) == 6_000
    for row in table:
        rows = row.name == TAGS
        alone = calibration_curve(
            Y[rows],
            Q[rows],
            sample_weight=None if w is None else w[rows],
            clusters=None if clusters is None else clusters[rows],
        )
        assert row.n == alone.n == int(rows.sum())
        assert row.error == alone.error
        assert row.algorithm1_error == pytest.approx(alone.algorithm1_error.value, abs=1e-15)
        assert row.base_rate == pytest.approx(alone.base_rate, abs=1e-15)
        assert row.mean_prob == pytest.approx(np.average(Q[rows], weights=None if w is None else w[rows]), abs=1e-12)
        assert row.p_value == alone.p_value
        assert table[row.name] is row


@pytest.mark.parametrize("adjust", ["holm", "bh", None])
def test_p_values_match_the_binned_test_adjusted(adjust: str | None) -> None:
    table = calibration_table(Y, Q, groups=TAGS, adjust=adjust)
    expected = [calibration_test(Y[row.name == TAGS], Q[row.name == TAGS], method="binned").p_value for row in table]
    assert [row.p_value for row in table] == expected
    assert [row.p_adjusted for row in table] == adjust_p_values(expected, method=adjust).tolist()


def test_the_order_of_the_rows_changes_no_bit() -> None:
    order = np.random.default_rng(73).permutation(6_000)
    assert repr(calibration_table(Y, Q, groups=TAGS).to_dict()) == repr(
        calibration_table(Y[order], Q[order], groups=TAGS[order]).to_dict()
    )


@pytest.mark.long
def test_thousands_of_groups() -> None:
    groups = np.arange(6_000) % 1_000
    table = calibration_table(Y, Q, groups=groups, bin_size=2)
    assert len(table) == 1_000
    assert {row.n for row in table} == {6}


def test_notes_of_a_group_are_reported() -> None:
    """Notes that curves had, rows of the table lost: few clusters, labels that do not vary, pairs of weight 0."""
    y, weight = Y.copy(), np.ones(len(Y))
    y[TAGS == "VB"] = 1
    weight[np.flatnonzero(TAGS == "NN")[:3]] = 0.0
    clusters = np.arange(len(Y)) // 300
    table = calibration_table(y, Q, groups=TAGS, sample_weight=weight, clusters=clusters)
    for row in table:
        of_group = row.name == TAGS
        parts = {"sample_weight": weight[of_group], "clusters": clusters[of_group]}
        assert row.notes == calibration_curve(y[of_group], Q[of_group], **parts).notes
    assert "3 pairs of weight 0 are ignored" in table["NN"].notes
    note = "every label is 1, so refinement does not show how well labels are separated"
    assert note in table["VB"].notes
    assert any(note.startswith("there are 20 clusters") for note in table["VB"].notes)
    assert table.to_dict()["groups"]["notes"] == [list(row.notes) for row in table]
    assert table.to_frame("pandas")["notes"].tolist() == ["; ".join(row.notes) for row in table]
    assert "NN: 3 pairs of weight 0 are ignored" in repr(table).splitlines()
    assert "<p>NN: 3 pairs of weight 0 are ignored</p>" in table._repr_html_()


SAMPLE_Y, SAMPLE_Q = language_pairs(500, np.random.default_rng(43))


def test_bins_are_in_order_and_within_bounds() -> None:
    bins = calibration_curve(SAMPLE_Y, SAMPLE_Q, sample_weight=np.arange(500) % 7 + 0.5).bins
    assert (np.diff(bins.upper) > 0).all()
    assert (np.diff(bins.mean_prob) > 0).all()
    for column in (bins.mean_prob, bins.frequency, bins.low, bins.high):
        assert ((column >= 0) & (column <= 1)).all()
    assert ((bins.low <= bins.frequency) & (bins.frequency <= bins.high)).all()
    assert bins.weight.sum() == pytest.approx((np.arange(500) % 7 + 0.5).sum())
    assert bins.count.sum() == 500


def test_the_histogram_is_of_the_predictions_of_each_label() -> None:
    curve = calibration_curve([0, 0, 1, 1], [0.0, 0.02, 0.5, 1.0], sample_weight=[1, 2, 3, 4], bin_size=2)
    assert curve.histogram.shape == (2, 64)
    assert curve.histogram[0, :2].tolist() == [1, 2]
    assert curve.histogram[1, [32, 63]].tolist() == [3, 4]
    assert curve.histogram.sum() == 10


FOUR_Y, FOUR_Q = [0, 1, 1, 0], [0.1, 0.6, 0.7, 0.3]
HOW = {"bin_size": "auto", "n_bins": None, "binning": "adaptive", "level": 0.95}


def test_a_bin_larger_than_the_data_is_one_bin() -> None:
    assert calibration_curve(FOUR_Y, FOUR_Q, bin_size=10**30).bins.count.tolist() == [4]


def test_a_row_of_weight_0_counts_nowhere() -> None:
    y, q, w = [1, *FOUR_Y], [0.0, *FOUR_Q], [0, 1, 2, 1, 1]
    curve = calibration_curve(y, q, sample_weight=w, bin_size=2)
    assert curve.n == 4
    assert curve.notes[0] == "1 pair of weight 0 is ignored"
    assert calibration_error(y, q, sample_weight=w, bin_size=2).n == 4
    assert calibration_table(y, q, groups=["g"] * 5, sample_weight=w, bin_size=2)["g"].n == 4
    log = decompose_score(y, q, score="log", sample_weight=w, bin_size=2)
    assert log.infinite_rows == 0
    assert log.score == pytest.approx(curve.log_loss.score)


@pytest.mark.long
def test_p_values_of_weighted_calibrated_pairs_are_uniform_enough() -> None:
    rng = np.random.default_rng(68)
    p_values = []
    for _ in range(250):
        q = rng.beta(0.3, 0.7, 500)
        y = rng.random(500) < q
        p_values.append(calibration_curve(y, q, sample_weight=rng.exponential(size=500) ** 2).p_value)
    assert 0.02 < np.mean(np.array(p_values) < 0.05) < 0.085
    assert np.mean(p_values) == pytest.approx(0.5, abs=0.06)
