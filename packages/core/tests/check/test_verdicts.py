"""Verdicts from p-values: the families, and how often any of them is false."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri
from scipy.stats import norm

from howsure import check_score
from howsure.check.evidence import ABOVE, BELOW, Evidence, Rule
from howsure.check.verdicts import Check, verdicts_on
from howsure.stats.p_values import adjust_p_values


@dataclass(frozen=True)
class Normal:
    """Tests of a mean whose standard error is 1."""

    value: float

    def p_below(self, limit: float) -> float:
        return float(ndtr(self.value - limit))

    def p_above(self, limit: float) -> float:
        return float(ndtr(limit - self.value))

    def bounds(self, size: float) -> tuple[float, float]:
        return self.value + float(ndtri(size)), self.value - float(ndtri(size))

    def rows_needed(self, limit: float, size: float) -> int | None:
        return None if abs(self.value - limit) < 1e-3 else round(100 * (ndtri(size) / (self.value - limit)) ** 2)


def evidence(values: list[float], side: str = BELOW) -> list[Evidence]:
    rule = Rule("normal", "mean", side, 0.0)
    return [Evidence(rule, str(place), 100, Normal(value)) for place, value in enumerate(values)]


VALUES = st.lists(st.floats(-6, 6), min_size=1, max_size=8)


@given(VALUES, st.sampled_from([BELOW, ABOVE]))
def test_pass_is_holm_or_all_at_once(values: list[float], side: str) -> None:
    verdicts = verdicts_on(evidence(values, side), level=0.95, alarms_over=1)
    p = norm.cdf(values) if side == BELOW else norm.sf(values)
    holm, all_at_once = adjust_p_values(p) <= 0.05 + 1e-15, bool((p <= 0.05).all())
    assert [verdict.outcome == "pass" for verdict in verdicts] == [all_at_once or kept for kept in holm.tolist()]


@given(VALUES, st.integers(1, 50))
def test_fail_is_holm_over_all_runs(values: list[float], runs: int) -> None:
    verdicts = verdicts_on(evidence(values), level=0.95, alarms_over=runs)
    holm = adjust_p_values(norm.sf(values)) * runs <= 0.05
    assert [verdict.outcome == "fail" for verdict in verdicts] == holm.tolist()


@given(VALUES)
def test_a_verdict_and_its_opposite_exclude_each_other(values: list[float]) -> None:
    for verdict in verdicts_on(evidence(values), level=0.95, alarms_over=1):
        assert not (verdict.p_pass_adjusted <= 0.05 and verdict.p_fail_adjusted <= 0.05)
        assert verdict.p_pass <= verdict.p_pass_adjusted
        assert verdict.p_fail <= verdict.p_fail_adjusted


@given(VALUES, st.integers(1, 50))
def test_the_bound_is_beyond_the_limit_if_there_is_a_verdict(values: list[float], runs: int) -> None:
    for verdict in verdicts_on(evidence(values), level=0.95, alarms_over=runs):
        is_beyond = verdict.bound > 0 if verdict.estimate.value > 0 else verdict.bound < 0
        adjusted = verdict.p_fail_adjusted if verdict.estimate.value > 0 else verdict.p_pass_adjusted
        assert is_beyond == (verdict.outcome != "cannot tell") or abs(adjusted - 0.05) < 1e-9


def test_more_rows_are_reported_only_where_they_would_decide() -> None:
    passed, unclear, at_limit, failed = verdicts_on(evidence([-5.0, -1.0, 0.0, 5.0]), level=0.95, alarms_over=1)
    assert (passed.more_rows, at_limit.more_rows, failed.more_rows) == (None, None, None)
    assert unclear.more_rows == round(100 * norm.isf(0.05 / 4) ** 2) - 100
    assert "for any number of rows to decide" in at_limit.sentence
    assert "more rows would decide it" in unclear.sentence


def test_the_family_errs_as_seldom_as_promised() -> None:
    """Twenty groups at the limit: any false pass, any false fail."""
    rng = np.random.default_rng(4)
    passed = failed = 0
    for _ in range(300):
        outcomes = {
            verdict.outcome
            for verdict in verdicts_on(evidence(rng.normal(size=20).tolist()), level=0.95, alarms_over=1)
        }
        passed += "pass" in outcomes
        failed += "fail" in outcomes
    assert passed <= 29  # 15 expected; 3.7 standard deviations
    assert failed <= 29


def test_thirty_nights_share_their_false_alarms() -> None:
    rng = np.random.default_rng(5)
    months = [
        any(verdicts_on(evidence([value]), level=0.95, alarms_over=30)[0].outcome == "fail" for value in month)
        for month in rng.normal(size=(100, 30)).tolist()
    ]
    assert 1 <= sum(months) <= 14  # 5 expected; 4.1 standard deviations


def test_a_sentence_says_which_check_it_is_of() -> None:
    two_checks = [Evidence(Rule(name, "x", BELOW, 0.0), None, 100, Normal(5.0), ("odd",)) for name in ("dev", "test")]
    check = Check(rows=verdicts_on(two_checks, level=0.95, alarms_over=1), level=0.95, recipe={})
    assert check.table().headings[0] == "check"
    assert [line.split(": ")[1] for line in check.footnotes()] == ["dev", "test", "dev; test"]
    alone = Check(rows=check.rows[:1], level=0.95, recipe={})
    assert alone.table().headings[0] == "rule"
    assert [line.split(": ")[1][:2] for line in alone.footnotes()] == ["x ", "od"]


def test_the_row_that_a_note_names_is_shown_with_more_than_12_rows() -> None:
    scores = [1.0] * 19 * 30 + [0.0] * 30
    checked = check_score(scores, min_score=0.5, groups=[f"g{row // 30:02d}" for row in range(600)])
    shown = checked.text(rest="--verbose")
    assert [line.split()[4] for line in shown.splitlines() if line.startswith("mean score")] == [
        *(f"g{row:02d}" for row in range(11)),
        "g19",
    ]
