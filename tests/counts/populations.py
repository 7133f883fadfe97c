"""Simulated populations whose labels are all known, and samples of them."""

from __future__ import annotations

import numpy as np

from howsure.counts import LabelSample, sample_for_labels
from howsure.inputs.pairs import Floats
from howsure.reproductions.counts.simulated import CELLS, KINDS, population

__all__ = ["CELLS", "KINDS", "labelled", "population"]


def labelled(score: Floats, truth: Floats, n: int, rng: int, **options: object) -> tuple[LabelSample, Floats]:
    """A sample for n labels, and a column of the labels of what was drawn."""
    sample = sample_for_labels(score, n, rng=rng, **options)  # type: ignore[arg-type]
    labels = np.full(len(score), np.nan)
    labels[sample.indices] = truth[sample.indices]
    return sample, labels
