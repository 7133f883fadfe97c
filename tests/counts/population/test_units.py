"""Units as read: a sample that was drawn by the rules is taken, whatever its luck."""

from __future__ import annotations

import numpy as np

from howsure.counts import sample_for_labels
from howsure.counts.units import read_units


def test_no_importance_sample_is_refused_for_its_luck() -> None:
    """Few units above 0 with large chances: how many of the others are drawn varies much from draw to draw."""
    score = np.r_[np.zeros(1059), np.linspace(0.5, 0.8, 198)]
    for run in range(200):
        sample = sample_for_labels(score, 200, design="importance", rng=run)
        labels = np.where(np.isnan(sample.chances), np.nan, 0.0)
        read_units(labels, score, inclusion=sample.chances)
