"""How much clusters of unequal size say, and one rule for all chapters of what must be said where that is little."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure import calibration_curve, compare, compare_calibration
from howsure.stats.clusters import few_clusters, kish

SIZES = st.lists(st.integers(1, 10_000), min_size=1, max_size=200).map(np.array)


@given(SIZES, st.floats(1e-3, 1e3))
def test_unequal_clusters_are_worth_fewer(sizes: np.ndarray, scale: float) -> None:
    worth = kish(sizes)
    assert 1 - 1e-12 <= worth <= len(sizes) * (1 + 1e-12)
    assert kish(sizes * scale) == pytest.approx(worth, rel=1e-12)
    assert kish(np.full(len(sizes), scale)) == pytest.approx(len(sizes), rel=1e-12)
    assert kish(np.append(sizes, 0)) == pytest.approx(worth, rel=1e-12)


def test_one_rule_for_all_chapters() -> None:
    """Sixty clusters of which one holds most rows: only `compare` said so; curves counted sixty."""
    rng = np.random.default_rng(4)
    q = rng.random(3_000)
    y = (rng.random(3_000) < q).astype(int)
    clusters = np.maximum(np.arange(3_000) // 30 - 40, 0)
    said = few_clusters(np.bincount(clusters))
    assert said is not None
    assert said.startswith("there are 60 clusters of unequal size, equivalent to 5.7 equal ones: below 40")
    assert said in calibration_curve(y, q, clusters=clusters).notes
    assert said in compare_calibration(y, q, against=q**2, clusters=clusters).notes
    assert (
        f"{said}." in compare(y, q > 0.4, q > 0.6, metrics="accuracy", clusters=clusters, n_resamples=50, rng=0).notes
    )


def test_weights_count_as_rows() -> None:
    """Forty-five clusters of equal size, of which five have the weight."""
    rng = np.random.default_rng(5)
    q = rng.random(900)
    y, clusters = rng.random(900) < q, np.arange(900) // 20
    asked = {"clusters": clusters, "sample_weight": np.where(clusters < 5, 1_000.0, 1.0)}
    for notes in (calibration_curve(y, q, **asked).notes, compare_calibration(y, q, against=q**2, **asked).notes):
        assert notes[0].startswith("there are 45 clusters of unequal size, equivalent to 5.1 equal ones")
    assert not calibration_curve(y, q, clusters=clusters).notes
