"""Simulated test sets without a difference."""

from __future__ import annotations

import numpy as np
import pytest
from tests.papers.whole import check_whole, rows_of

from howsure_papers import small_samples
from howsure_papers.boostsa import ALPHA, EXACT, SHARES, TESTS
from howsure_papers.intervals import share_estimate, verdict
from howsure_papers.small_samples import ACCURACY, FOLLOWS, MANY_RESAMPLES, REGIMES, SETS, SIZES, draw_set


def test_both_systems_are_right_equally_often() -> None:
    for words in (1, 10):
        targets, a, b = draw_set(200_000, words, np.random.default_rng(words))
        for answers in (a, b):
            assert (answers == targets).mean() == pytest.approx(ACCURACY, abs=0.01)


def test_errors_come_by_sentences() -> None:
    """Two words of a sentence correlate as the square of the share that follows it; those of two sentences do not."""
    targets, a, _ = draw_set(200_000, 10, np.random.default_rng(0))
    right = (a == targets).reshape(-1, 10).astype(float)
    assert np.corrcoef(right[:, 0], right[:, 9])[0, 1] == pytest.approx(FOLLOWS**2, abs=0.03)
    assert np.corrcoef(right[:-1, 9], right[1:, 0])[0, 1] == pytest.approx(0, abs=0.03)


@pytest.mark.parametrize(("significant", "many"), [(25, None), (60, True), (5, False)])
def test_a_share_is_judged_by_its_interval(significant: int, many: bool | None) -> None:
    assert verdict(share_estimate(np.arange(500) < significant), above=ALPHA) is many


def test_findings_follow_what_was_found() -> None:
    rng = np.random.default_rng(0)
    level = np.array([*(0.0 for _ in SHARES), 0.12, 0.05])[:, None]
    rejections = {regime: (rng.random((len(SIZES), len(TESTS), SETS)) < level).astype(float) for regime in REGIMES}
    holds = [finding.holds for finding in small_samples.rejection_findings(rejections)]
    assert holds[:2] == [False, True]
    assert holds[3] is False


@pytest.mark.long
def test_a_slice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a few small sets: a permutation finds about as much as it may, the rule less."""
    monkeypatch.setattr(small_samples, "SIZES", (50, 100))
    monkeypatch.setattr(small_samples, "SETS", 15)
    steps: list[int] = []
    result = small_samples.reproduce_small_samples(seed=1, advance=steps.append)
    assert sum(steps) == small_samples.reproduce_small_samples.steps() == 90
    check_whole(result)
    table = rows_of(result.tables[0])
    assert len(table) == 2 * len(REGIMES)
    assert [float(row[2]) for row in table if row[0] == MANY_RESAMPLES.name] == [0.0, 0.0]
    assert all(float(row[2 + TESTS.index(EXACT)]) <= 0.4 for row in table)
