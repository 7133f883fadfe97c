"""Samples of events of which only the probabilities are known."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from howsure.inputs.pairs import Floats
from howsure.stats.randomness import Randomness, generator_from


def drawn_samples(probabilities: Floats, n_samples: int, *, rng: Randomness = None) -> npt.NDArray[np.bool_]:
    """For A probabilities, S samples each, (A, S), independent of each other.

    An event is in ⌊p S⌋ or ⌊p S⌋ + 1 of the samples, at random, so that its share is less than 1/S from p, and p on
    average: the sum over many documents is not rounded away.

    >>> drawn_samples(np.array([0.0, 0.25, 1.0]), 8, rng=0).sum(axis=1).tolist()
    [0, 2, 8]
    """
    generator = generator_from(rng)
    chance = np.asarray(probabilities, dtype=np.float64)[:, np.newaxis]
    ranks = generator.permuted(np.tile(np.arange(n_samples), (len(chance), 1)), axis=1)
    present: npt.NDArray[np.bool_] = (ranks + generator.random(chance.shape) < chance * n_samples) | (chance >= 1.0)
    return present
