"""`check_selective`: the risk of the most confident answers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

import howsure
from howsure import check_selective
from howsure.check.selective import lowest_kept

RNG = np.random.default_rng(9)
CONFIDENCE = RNG.random(2000)
RIGHT = RNG.random(2000) < CONFIDENCE**0.15


def test_the_risk_matches_the_most_confident() -> None:
    verdict = check_selective(RIGHT, CONFIDENCE, max_risk=0.1, min_coverage=0.6)[0]
    order = np.argsort(-CONFIDENCE)[:1200]
    wrong = int((~RIGHT[order]).sum())
    assert verdict.estimate.value == pytest.approx(wrong / 1200)
    assert verdict.p_pass == pytest.approx(binom.cdf(wrong, 1200, 0.1))
    assert verdict.notes == ("1,200 of 2,000 answers are kept",)


def test_three_verdicts() -> None:
    outcomes = [check_selective(RIGHT, CONFIDENCE, max_risk=r, min_coverage=0.5).outcome for r in (0.1, 0.055, 0.02)]
    assert outcomes[0] == "pass"
    assert outcomes[2] == "fail"
    assert check_selective(RIGHT, CONFIDENCE, max_risk=0.3).outcome == "pass"


def test_answers_as_confident_as_the_last_one_are_kept() -> None:
    pairs = howsure.Pairs(np.ones(10, dtype=np.uint8), np.repeat([0.9, 0.5], [4, 6]))
    assert lowest_kept(pairs, 0.4) == 0.9
    assert lowest_kept(pairs, 0.41) == 0.5
    assert check_selective(pairs, max_risk=0.5, min_coverage=0.5)[0].notes == ()


def test_more_rows_are_rows_of_all_answers() -> None:
    verdict = check_selective(RIGHT[:300], CONFIDENCE[:300], max_risk=0.06, min_coverage=0.5)[0]
    assert verdict.outcome == "cannot tell"
    assert verdict.more_rows is None or verdict.more_rows > 0
    assert verdict.n == 300


def test_each_group_has_its_own_most_confident() -> None:
    names = np.array(["a", "b"])[(CONFIDENCE > 0.5).astype(int)]
    check = check_selective(RIGHT, CONFIDENCE, max_risk=0.3, min_coverage=0.5, groups=names)
    assert [verdict.group for verdict in check] == ["a", "b"]
    assert all("answers are kept" in verdict.notes[0] for verdict in check)
