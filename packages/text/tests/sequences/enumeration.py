"""The slow, obvious twin of `howsure_text.sequences`: every tag sequence written out with its probability."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from howsure_text.sequences.tag_posterior import TagPosterior


@dataclass
class Enumeration:
    """All K^T tag sequences of one sentence: `sequences`, their `scores`, log Z and their `probabilities`."""

    emissions: np.ndarray
    transitions: np.ndarray  # (K, K) or (T - 1, K, K)
    start: np.ndarray | None = None
    end: np.ndarray | None = None

    def __post_init__(self) -> None:
        length, self.size = self.emissions.shape
        self.sequences = [list(tags) for tags in itertools.product(range(self.size), repeat=length)]
        self.scores = [self.score(tags) for tags in self.sequences]
        highest = max(self.scores)
        self.log_z = highest + math.log(math.fsum(math.exp(score - highest) for score in self.scores))
        self.probabilities = [math.exp(score - self.log_z) for score in self.scores]

    def score(self, tags: list[int]) -> float:
        terms = [float(self.emissions[t, tag]) for t, tag in enumerate(tags)]
        for t in range(len(tags) - 1):
            matrix = self.transitions if self.transitions.ndim == 2 else self.transitions[t]
            terms.append(float(matrix[tags[t], tags[t + 1]]))
        if tags and self.start is not None:
            terms.append(float(self.start[tags[0]]))
        if tags and self.end is not None:
            terms.append(float(self.end[tags[-1]]))
        return math.fsum(terms) if all(map(math.isfinite, terms)) else -math.inf

    def span(self, start: int, tags: list[int]) -> float:
        """P(tokens start, start + 1, … have these tags)."""
        stop = start + len(tags)
        return math.fsum(p for y, p in zip(self.sequences, self.probabilities, strict=True) if y[start:stop] == tags)

    def marginals(self) -> np.ndarray:
        length = len(self.emissions)
        cells = [[self.span(t, [k]) for k in range(self.size)] for t in range(length)]
        return np.array(cells).reshape(length, self.size)

    def pair_marginals(self) -> np.ndarray:
        steps, size = max(len(self.emissions) - 1, 0), range(self.size)
        cells = [[[self.span(t, [j, k]) for k in size] for j in size] for t in range(steps)]
        return np.array(cells).reshape(steps, self.size, self.size)

    def entropy(self) -> float:
        return -math.fsum(p * math.log(p) for p in self.probabilities if p > 0)

    def best_scores(self, k: int) -> list[float]:
        """The scores of the k best possible sequences, best first."""
        return sorted((score for score in self.scores if score > -math.inf), reverse=True)[:k]


def draw(lengths, size, *, seed=0, scale=2.0, per_sentence=False, forbidden=0.0, ends=True):
    """The arguments of a TagPosterior: normal log-potentials, some -inf; transitions shared or `per_sentence`."""
    rng = np.random.default_rng(seed)

    def values(*shape):
        drawn = scale * rng.normal(size=shape)
        drawn[rng.random(shape) < forbidden] = -np.inf
        return drawn

    emissions = [values(length, size) for length in lengths]
    transitions = [values(max(length - 1, 0), size, size) for length in lengths] if per_sentence else values(size, size)
    start, end = (values(size), values(size)) if ends else (None, None)
    return emissions, transitions, start, end


def enumerated(emissions, transitions, start=None, end=None):
    """The twin of each sentence."""
    matrices = transitions if isinstance(transitions, list) else [transitions] * len(emissions)
    return [Enumeration(*pair, start, end) for pair in zip(emissions, matrices, strict=True)]


def both(lengths, size, **options):
    arguments = draw(lengths, size, **options)
    return TagPosterior(*arguments), enumerated(*arguments)
