"""Random potentials of small and large corpora for the tests."""

from __future__ import annotations

import numpy as np

from howsure.sequences.tag_posterior import TagPosterior
from tests.sequences.enumeration import Enumeration


def draw(lengths, size, *, seed=0, scale=2.0, own=False, forbidden=0.0, ends=True):
    """The arguments of a TagPosterior: normal log-potentials, a share of them -inf; `own` transitions a sentence."""
    rng = np.random.default_rng(seed)

    def values(*shape):
        drawn = scale * rng.normal(size=shape)
        drawn[rng.random(shape) < forbidden] = -np.inf
        return drawn

    emissions = [values(length, size) for length in lengths]
    transitions = [values(max(length - 1, 0), size, size) for length in lengths] if own else values(size, size)
    start, end = (values(size), values(size)) if ends else (None, None)
    return emissions, transitions, start, end


def enumerated(emissions, transitions, start=None, end=None):
    """The twin of each sentence."""
    own = transitions if isinstance(transitions, list) else [transitions] * len(emissions)
    return [Enumeration(*pair, start, end) for pair in zip(emissions, own, strict=True)]


def both(lengths, size, **options):
    arguments = draw(lengths, size, **options)
    return TagPosterior(*arguments), enumerated(*arguments)
