"""`check_score`: verdicts on means; wrong arguments."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from howsure import check_score

RNG = np.random.default_rng(4)
GRADES = RNG.normal(3.5, 1.0, 600)
OTHER = GRADES - 0.3 + RNG.normal(0, 0.5, 600)
PARTS = np.array(["x", "y"])[np.arange(600) % 2]


def test_limits_of_the_mean() -> None:
    outcomes = [check_score(GRADES, min_score=limit).outcome for limit in (3.2, GRADES.mean() - 0.01, 3.9)]
    assert outcomes == ["pass", "cannot tell", "fail"]
    assert check_score(GRADES, max_score=4.0).outcome == "pass"
    assert check_score(GRADES, min_score=3.2, max_score=3.0).outcome == "fail"


def test_another_model() -> None:
    assert check_score(GRADES, better_than=OTHER).outcome == "pass"
    assert check_score(OTHER, better_than=GRADES).outcome == "fail"
    assert check_score(OTHER, better_than=GRADES, lower_is_better=True).outcome == "pass"
    margins = [check_score(OTHER, not_worse_than=m, against=GRADES).outcome for m in (0.5, 0.1)]
    assert margins == ["pass", "fail"]
    assert check_score(GRADES, not_worse_than=0.1, against=OTHER, lower_is_better=True).outcome == "fail"


def test_a_pair_knows_more_than_two_samples() -> None:
    paired = check_score(GRADES, better_than=OTHER)[0].estimate
    alone = check_score(GRADES, min_score=3.0)[0].estimate
    assert paired.low is not None
    assert paired.high - paired.value < (alone.high - alone.value) / 1.5
    assert paired.value == pytest.approx((GRADES - OTHER).mean())


def test_groups_clusters_and_frames() -> None:
    frame = pd.DataFrame({"score": GRADES, "old": OTHER, "part": PARTS, "doc": np.arange(600) // 3})
    named = check_score("score", data=frame, min_score=3.2, better_than="old", groups="part", clusters="doc")
    given = check_score(GRADES, min_score=3.2, better_than=OTHER, groups=PARTS, clusters=np.arange(600) // 3)
    assert named.rows == given.rows
    assert [one.group for one in named] == ["x", "y", "x", "y"]


def test_booleans_are_shares() -> None:
    right = np.repeat([True, False], [95, 5])
    one = check_score(right, min_score=0.9)[0]
    assert (one.estimate.value, one.n) == (0.95, 100)


def test_scores_that_do_not_vary_are_told() -> None:
    check = check_score(np.full(30, 0.7), min_score=0.5)
    assert check.outcome == "cannot tell"
    assert "every value is 0.7" in str(check)
    assert check[0].estimate.low is None


def test_scores_that_are_all_alike_are_shares_only_where_the_limit_is_one() -> None:
    """Three grades of 1 are no proof that grades lie below 2."""
    grades = check_score([1, 1, 1], max_score=2)
    assert grades.outcome == "cannot tell"
    assert "give these as bounds" in grades[0].notes[0]
    assert check_score([1, 1, 1], max_score=2, bounds=(1, 5)).outcome == "cannot tell"
    assert "taken for shares" in check_score(np.ones(50), min_score=0.9)[0].notes[0]


def test_the_fewest_rows_are_those_of_the_level_asked() -> None:
    twenty = np.r_[np.ones(19), 0.0]
    assert "29 rows are the fewest" in check_score(twenty, min_score=0.9)[0].notes[0]
    assert check_score(twenty, min_score=0.9, level=0.8)[0].notes == ()
    assert "44 rows are the fewest" in check_score(twenty, min_score=0.9, level=0.99)[0].notes[0]
