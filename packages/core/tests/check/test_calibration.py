"""`check_calibration`: verdicts on arrays, groups, clusters, another model; wrong arguments."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import howsure
from howsure import check_calibration
from howsure.check.calibration import run_calibration_check
from howsure.check.verdicts import Check, Verdict

RNG = np.random.default_rng(1)
Q = RNG.uniform(0.05, 0.95, 4000)
Y = RNG.random(4000) < Q
WORSE = np.clip(Q + 0.15 * np.sin(2 * np.pi * Q), 0, 1)
THIRDS = np.array(["a", "b", "c"])[np.arange(4000) % 3]


def test_three_verdicts() -> None:
    assert [check_calibration(Y, q, max_error=0.05).outcome for q in (Q, WORSE)] == ["pass", "fail"]
    few = check_calibration(Y[:200], Q[:200], max_error=0.04)
    assert (few.outcome, few.exit_code) == ("cannot tell", 3)
    assert few[0].more_rows is not None


def test_the_estimate_matches_calibration_error() -> None:
    verdict = run_calibration_check(Y, Q, max_error=0.04, bin_size=50)[0]
    error = howsure.calibration_error(Y, Q, bin_size=50, level=0.95)
    assert (verdict.estimate.value, verdict.estimate.high) == (error.value, error.high)
    assert verdict.bound == howsure.calibration_error(Y, Q, bin_size=50, level=0.9).high
    assert verdict.sentence.startswith("calibration error is 0.0")


def test_each_group_keeps_the_rule_by_itself() -> None:
    q = np.where(THIRDS == "b", Q**2, Q)
    check = check_calibration(Y, q, max_error=0.08, groups=THIRDS)
    assert [(verdict.group, verdict.outcome) for verdict in check] == [("a", "pass"), ("b", "fail"), ("c", "pass")]
    assert check.outcome == "fail"
    alone = check_calibration(Y[THIRDS == "b"], q[THIRDS == "b"], max_error=0.08)[0]
    assert check[1].estimate == alone.estimate
    assert check[1].p_fail == alone.p_fail
    assert check[1].p_fail_adjusted == pytest.approx(min(3 * alone.p_fail, 1))


def test_clusters_make_verdicts_less_certain() -> None:
    documents = np.repeat(np.arange(200), 5)
    rng = np.random.default_rng(2)
    q = rng.uniform(0.2, 0.8, 200)[documents]
    y = rng.random(200)[documents] < q
    apart = check_calibration(y, q, max_error=0.3)[0]
    together = check_calibration(y, q, max_error=0.3, clusters=documents)[0]
    assert together.p_pass > 2 * apart.p_pass


@pytest.mark.long
def test_better_and_not_worse() -> None:
    assert check_calibration(Y, Q, against=WORSE).outcome == "pass"
    assert check_calibration(Y, WORSE, against=Q).outcome == "fail"
    close = check_calibration(Y, Q, not_worse_than=0.03, against=np.clip(Q + 0.005, 0, 1))
    assert close.outcome == "pass"
    assert check_calibration(Y, WORSE, not_worse_than=0.03, against=Q).outcome == "fail"
    several = run_calibration_check(Y, Q, max_error=0.04, better_than=WORSE, not_worse_than=0.01, groups=THIRDS)
    assert len(several) == 9
    assert {verdict.rule for verdict in several} == {
        "calibration error < 0.04",
        "difference of calibration errors < 0 against the other model",
        "difference of calibration errors < 0.01 against the other model",
    }


def test_labels_of_each_model() -> None:
    other = np.random.default_rng(6).random(4000) < WORSE
    own_labels_verdict = check_calibration(Y, Q, not_worse_than=0.03, against=WORSE, y_true_against=other)[0]
    shared = check_calibration(Y, Q, not_worse_than=0.03, against=WORSE)[0]
    assert own_labels_verdict.outcome != "fail"
    assert own_labels_verdict.estimate.value != shared.estimate.value


@pytest.mark.long
def test_a_data_frame_names_its_columns() -> None:
    frame = pd.DataFrame({"gold": Y, "new": Q, "old": WORSE, "part": THIRDS})
    named = check_calibration("gold", "new", data=frame, against="old", groups="part", max_error=0.1)
    check = check_calibration(Y, Q, against=WORSE, groups=THIRDS, max_error=0.1)
    assert [(row.group, row.outcome, row.estimate) for row in named] == [
        (row.group, row.outcome, row.estimate) for row in check
    ]
    assert "of old" in named[-1].sentence


def test_pairs_keep_their_groups() -> None:
    pairs = howsure.Pairs(Y.astype(np.uint8), Q, groups=np.arange(4000) % 2, group_names=("x", "y"))
    assert [verdict.group for verdict in check_calibration(pairs, max_error=0.1)] == ["x", "y"]


def test_constant_labels_do_not_pass() -> None:
    check = check_calibration(np.ones(30, dtype=int), np.full(30, 0.98), max_error=0.03)
    assert check.outcome == "cannot tell"
    assert check[0].more_rows is not None


def test_more_level_is_less_certain() -> None:
    verdicts = [check_calibration(Y, Q, max_error=0.04, level=level)[0] for level in (0.8, 0.95, 0.999)]
    highs = [verdict.estimate.high for verdict in verdicts]
    assert highs == sorted(highs)  # type: ignore[type-var]
    alarms = Check.together([check_calibration(Y, WORSE, max_error=0.04)], alarms_over=30)[0]
    assert alarms.p_fail_adjusted == pytest.approx(min(30 * alarms.p_fail, 1))


def test_notes_are_about_the_error_alone() -> None:
    """An infinite log loss does not affect a limit on the error; a single bin does."""
    q = np.array([0.0, 1.0] * 20)
    notes = run_calibration_check(np.tile([1, 1], 20), q, max_error=0.3, bin_size=40)[0].notes
    assert notes == ("there is only one bin, so the error is that of the mean prediction",)


def test_models_that_hardly_differ_need_many_rows_and_not_one() -> None:
    """From the variances alone, which are 0, the forecast was that one more row would decide."""

    def equal(n: int) -> Verdict:
        y, q = np.tile([1, 0], n // 2), np.full(n, 0.5)
        return check_calibration(y, q, against=q, not_worse_than=0.01)[0]

    few = equal(50)
    assert few.outcome == "cannot tell"
    assert equal(200).outcome == "cannot tell"
    assert equal(2 * (50 + few.more_rows)).outcome == "pass"
