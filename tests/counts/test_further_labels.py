"""A sample that goes on: its strata are found again, and both draws together have the chances of one."""

from __future__ import annotations

import numpy as np
import pytest

from howsure.counts import sample_for_labels
from howsure.counts.further_labels import joined, recovered_sample

SCORE = np.concatenate([np.zeros(300), np.random.default_rng(0).beta(0.4, 2.0, 700)])
PERIOD = np.arange(1000) // 250
DOCUMENT = np.arange(1000) // 4


@pytest.mark.parametrize("design", ["stratified", "simple"])
@pytest.mark.parametrize("clusters", [None, DOCUMENT])
@pytest.mark.parametrize("n", [40, 120])
def test_strata_are_found_again(design: str, clusters: np.ndarray | None, n: int) -> None:
    """Strata by period or without, as the first sample had labels for."""
    given = {"groups": PERIOD, "clusters": clusters}
    first = sample_for_labels(SCORE, n, design=design, rng=0, **given)
    found = recovered_sample(SCORE, {row: first.stratum[row] for row in first.indices.tolist()}, **given)
    np.testing.assert_array_equal(found.indices, first.indices)
    np.testing.assert_array_equal(found.stratum, first.stratum)
    np.testing.assert_allclose(found.inclusion, first.inclusion)


def test_both_draws_have_the_chances_of_their_strata() -> None:
    first = sample_for_labels(SCORE, 60, rng=0)
    labels = {row: row % 2 for row in first.indices.tolist()}
    further = sample_for_labels(SCORE, 40, batch=(first, labels), rng=1)
    both = joined(first, further)
    assert len(both) == 100
    chances = dict(zip(both.indices.tolist(), both.inclusion.tolist(), strict=True))
    for row, chance in zip(further.indices.tolist(), further.inclusion.tolist(), strict=True):
        assert chances[row] == pytest.approx(chance)
    assert (1 / both.inclusion).sum() == pytest.approx(1000)
