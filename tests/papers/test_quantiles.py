"""Posteriors of continuous quantities: what is simulated, the regression on dates, and what is said of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from howsure_papers import quantiles
from howsure_papers.quantiles import BIASED, MEAN, NARROW, NORMAL, RIGHT, inside, of_dates, read_dated, simulated
from howsure_papers.reproduction import Reproduction

from tests.papers.whole import check_whole, rows_of


def test_the_posteriors_are_what_they_are_called() -> None:
    ranks = {name: [] for name in (RIGHT, NARROW, BIASED)}
    rng = np.random.default_rng(1)
    for _ in range(40):
        for name, found in simulated(rng).items():
            ranks[name].extend(found.ranks)
    means = {name: np.mean(one) for name, one in ranks.items()}
    assert means[RIGHT] == pytest.approx(49.5, abs=2)
    assert means[NARROW] == pytest.approx(49.5, abs=2)
    assert means[BIASED] < 42
    assert np.std(ranks[NARROW]) > np.std(ranks[RIGHT]) + 3


def test_a_regression_on_made_up_texts_is_calibrated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where its model is right, with noise it holds 90 % of the truths, and its mean alone does not."""
    rng = np.random.default_rng(2)
    x = (rng.random((3_000, 20)) < 0.3).astype(float)
    y = 2010 + x @ rng.normal(size=20) + rng.normal(size=3_000)
    parts = [(x[rows], y[rows]) for rows in np.split(np.arange(3_000), [1_500, 2_000])]
    monkeypatch.setattr(quantiles, "read_dated", lambda *_: parts)
    found, sizes = of_dates(None, None, rng)
    assert sizes == [1_500, 500, 1_000]
    assert found[NORMAL].p_value > 0.01
    assert inside(found[NORMAL]).value == pytest.approx(0.9, abs=0.03)
    assert inside(found[MEAN]).value < 0.3


def test_the_days_are_split(real_data: Path) -> None:
    parts = read_dated(str(real_data), 2_000, np.random.default_rng(0))
    days = [set(years.tolist()) for _, years in parts]
    assert [len(one) for one in days] == [len(years) for _, years in parts]
    assert len(set.union(*days)) == sum(map(len, days))


@pytest.fixture(scope="module")
def made(real_data: Path) -> Reproduction:
    steps: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quantiles, "SETS", 20)
        result = quantiles.reproduce_quantiles(data=str(real_data), limit=3_000, advance=steps.append)
        assert sum(steps) == quantiles.reproduce_quantiles.steps()
    return result


def test_the_findings_follow_from_the_tables(made: Reproduction) -> None:
    check_whole(made)
    shares, _ = map(rows_of, made.tables)
    assert made.findings[2].ours == f"on {shares[1][3]}"
    assert made.findings[2].holds
    assert made.findings[6].holds is False
