"""Simulated populations whose labels are all known, and samples of them."""

from __future__ import annotations

import numpy as np

from howsure.counts import LabelSample, draw_label_sample
from howsure.inputs.pairs import Floats, Integers
from howsure_papers import counts
from howsure_papers.counts import CELLS, KINDS

__all__ = ["CELLS", "KINDS", "labelled", "population"]


def population(kind: str, rng: np.random.Generator, *, n: int = counts.UNITS) -> tuple[Floats, Floats, Integers]:
    """Scores, labels and cells of n units."""
    corpus = counts.population(kind, rng, n=n)
    return corpus.score, corpus.labels, corpus.cells["cell"]


def counted_words(rng: np.random.Generator, *, n: int = 3_771) -> tuple[Floats, Floats]:
    """Scores and labels where the score is a count of words that most documents lack, and three of a hundred miss."""
    words = rng.poisson(0.35, n)
    truth = rng.random(n) < np.where(words == 0, 0.03, np.minimum(0.15 * words + 0.1, 0.9))
    return words / (1 + words), truth.astype(float)


def labelled(score: Floats, truth: Floats, n: int, rng: int, **options: object) -> tuple[LabelSample, Floats]:
    """A sample for n labels, and a column of the labels of what was drawn."""
    sample = draw_label_sample(score, n, rng=rng, **options)  # type: ignore[arg-type]
    labels = np.full(len(score), np.nan)
    labels[sample.indices] = truth[sample.indices]
    return sample, labels
