"""What folds share, against the variance of sums whose law is known."""

from __future__ import annotations

import numpy as np
import pytest

from howsure import Pairs
from howsure.recalibration.evaluation import HeldOut, shared_variance


@pytest.mark.parametrize("parameters", [1, 3])
def test_what_folds_share_is_half_of_the_variance_of_the_second_order(parameters: int) -> None:
    """Each of p parameters takes the noise of the other folds: fold k says S_k' θ of the map that lacks fold l, where θ
    is the sum of the noise of all folds but l."""
    rng, folds, sets = np.random.default_rng(1), 5, 4000
    noise = rng.standard_normal((sets, folds, parameters))
    others = noise.sum(axis=1, keepdims=True) - noise
    by_map = np.einsum("skp,slp->skl", noise, others)
    traces = np.einsum("skk->s", by_map)
    share = np.mean([shared_variance(products) for products in by_map])
    assert traces.var() == pytest.approx(2 * folds * (folds - 1) * parameters, rel=0.15)
    assert share == pytest.approx(traces.var() / 2, rel=0.15)


def test_a_single_map_shares_nothing() -> None:
    assert shared_variance(np.array([[3.0]])) == 0.0


def test_each_row_has_the_map_of_its_own_fold() -> None:
    before = Pairs(np.array([0, 1, 1], dtype=np.uint8), np.array([0.2, 0.5, 0.9]))
    after = [Pairs(before.labels, np.array(q)) for q in ([0.1, 0.2, 0.3], [0.4, 0.5, 0.6])]
    held_out = HeldOut(before, after, np.array([1, 0, 1]))
    assert held_out.own.probabilities.tolist() == [0.4, 0.2, 0.6]
    assert held_out.same_labels()
