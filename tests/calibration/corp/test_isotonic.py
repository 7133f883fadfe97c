"""The curve is isotonic regression, ties pooled: by definition, and as scikit-learn finds it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn.isotonic import IsotonicRegression

from benchmarks.parity_calibration import TIED_SETS, tied
from howsure import calibration_curve
from howsure.calibration.decomposition import rows_of_steps
from howsure.calibration.isotonic import isotonic_steps, ordered
from howsure.inputs.pairs import Pairs
from tests.calibration.corp.brute import isotonic
from tests.calibration.samples import Small, small_pairs

EXACT = 1e-10


@settings(max_examples=60)
@given(small_pairs(max_size=9))
def test_it_is_that_of_the_definition(small: Small) -> None:
    w = np.ones(len(small)) if small.w is None else np.array(small.w)
    if not (w > 0).all():
        w = np.ones(len(small))
    pairs = Pairs(np.array(small.y, dtype=np.uint8), np.array(small.q), w)
    rows = ordered(pairs)
    starts = isotonic_steps(rows)
    frequency = rows.by(starts, rows.weight * rows.y) / rows.by(starts, rows.weight)
    assert (np.diff(frequency) > 0).all()
    wanted = isotonic(rows.q, rows.y.astype(float), rows.w)
    np.testing.assert_allclose(frequency[rows_of_steps(starts, len(rows.q))], wanted, atol=1e-9)


@pytest.mark.parametrize("seed", TIED_SETS[:8])
@pytest.mark.parametrize("weighted", [False, True])
def test_it_is_that_of_scikit_learn(seed: int, weighted: bool) -> None:
    y, q, w = tied(seed)
    weights = w if weighted else None
    steps = calibration_curve(y, q, sample_weight=weights, method="corp", n_simulations=39, rng=0).steps
    wanted = IsotonicRegression(y_min=0, y_max=1).fit(q, y, sample_weight=weights).predict(q)
    found = steps.frequency[np.searchsorted(steps.upper[:-1], q)]
    np.testing.assert_allclose(found, wanted, atol=EXACT)
    assert steps.count.sum() == len(q)
    assert (steps.lower <= steps.mean_prob).all()
    assert (steps.mean_prob <= steps.upper).all()
    assert (steps.upper[:-1] < steps.lower[1:]).all()
    assert (steps.low <= steps.frequency).all()
    assert (steps.frequency <= steps.high).all()
