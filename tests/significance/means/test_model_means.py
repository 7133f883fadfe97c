"""The mean of a model, and its variance split into items and runs."""

from __future__ import annotations

import numpy as np
import pytest

from howsure.significance import Runs, compare


def drawn(n: int, runs: int, seed: int, *, items: float = 1.0, noise: float = 0.5, n_models: int = 2):
    """Scores (runs, n) of each model: an item's own level, and noise of each run."""
    rng = np.random.default_rng(seed)
    return {f"m{k}": rng.normal(0, items, n) + rng.normal(0, noise, (runs, n)) + 0.1 * k for k in range(n_models)}


def test_the_split_is_the_one_way_analysis_of_variance() -> None:
    scores = drawn(50, 4, 0)
    result = compare(score={name: Runs(list(held)) for name, held in scores.items()})
    for one in result.means:
        held = scores[one.model]
        within = sum(held[:, item].var(ddof=1) for item in range(50)) / 50
        total = held.mean(axis=0).var(ddof=1)
        assert one.value == pytest.approx(held.mean())
        assert one.standard_error == pytest.approx(np.sqrt(total / 50))
        assert one.run_variance == pytest.approx(within)
        assert one.item_variance == pytest.approx(total - within / 4)
        assert one.run_share == pytest.approx(within / 4 / total)
        assert (one.n, one.runs) == (50, 4)


def test_the_split_finds_the_variances_of_the_population() -> None:
    scores = drawn(20_000, 3, 1, items=1.0, noise=0.5)
    result = compare(score={name: Runs(list(held)) for name, held in scores.items()})
    for one in result.means:
        assert one.item_variance == pytest.approx(1.0, rel=0.05)
        assert one.run_variance == pytest.approx(0.25, rel=0.05)
    row = result[0]
    assert row.run_share == pytest.approx(2 * 0.25 / 3 / (2 + 2 * 0.25 / 3), rel=0.05)


def test_prompts_that_both_models_share_are_paired() -> None:
    """A prompt that makes an item harder for both models adds nothing to the variance of their difference."""
    rng = np.random.default_rng(2)
    shared = rng.normal(0, 2.0, (2, 4000))
    a, b = (rng.normal(size=4000) + shared + rng.normal(0, 0.1, (2, 4000)) for _ in range(2))
    result = compare(score={"a": Runs(list(a)), "b": Runs(list(b))})
    assert result[0].run_share < 0.01
    assert min(one.run_share for one in result.means) > 0.5


def test_one_run_has_no_split() -> None:
    result = compare(score={"a": [0, 1, 1, 0], "b": [1, 1, 1, 0]})
    assert all(np.isnan(one.run_variance) and np.isnan(one.run_share) for one in result.means)
    assert np.isnan(result[0].run_share)
    assert result.to_dict()["means"][0]["run_variance"] is None
