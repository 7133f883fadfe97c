"""The entropy of a posterior: of the antecedent choices, exact, and of the clusterings, from samples.

Several choices of antecedents give the same clustering, so the second is smaller. By the chain rule it is the sum over
mentions j of H(entity of j | clustering of the mentions before), where only the expectation over that clustering
requires samples: given it, the distribution of the entity is known.
"""

from __future__ import annotations

import math

import numpy as np

from howsure.coreference.posterior.antecedents import Antecedents
from howsure.coreference.posterior.sampling import draw_labels
from howsure.inputs.pairs import Floats
from howsure.stats.estimate import Estimate
from howsure.stats.proportions import normal_quantile

NUMBERS_AT_ONCE = 1 << 22


def antecedent_entropy(antecedents: Antecedents) -> float:
    """−Σ_j Σ_k P(a_j = k) log P(a_j = k) over the antecedents of each mention and "new", in nats."""
    return float(_terms(antecedents.new).sum() + _terms(antecedents.probabilities).sum())


def clustering_entropy(antecedents: Antecedents, n: int, rng: np.random.Generator, *, level: float) -> Estimate:
    """The entropy of the clusterings from n of them, with a normal interval of the mean.

    If all samples agree, unseen clusterings can have a probability of up to 1 - ((1 - level) / 2)^(1/n), and contribute
    that share of the maximum entropy.
    """
    step = max(1, NUMBERS_AT_ONCE // max(len(antecedents), 1))
    found = np.concatenate([_given_before(antecedents, min(step, n - at), rng) for at in range(0, n, step)])
    value, most = float(found.mean()), antecedent_entropy(antecedents)
    if bool((found == found[0]).all()):
        unseen = 1 - ((1 - level) / 2) ** (1 / n)
        reach = unseen * float(np.log(np.diff(antecedents.starts) + 1).sum())
    else:
        reach = normal_quantile(level) * float(found.std(ddof=1)) / math.sqrt(n)
    value = min(value, most)
    return Estimate(value, max(value - reach, 0.0), min(value + reach, most), level, f"{n} samples", n)


def _given_before(antecedents: Antecedents, n: int, rng: np.random.Generator) -> Floats:
    """Σ_j H(entity of j | clustering of the mentions before) for n sampled clusterings, (n,)."""
    labels, samples = draw_labels(antecedents, n, rng), np.arange(n)
    total = np.full(n, float(_terms(antecedents.new).sum()))
    for j in range(1, len(antecedents)):
        earlier, p = antecedents.row(j)
        if len(earlier):
            cells = labels[earlier] * n + samples
            joined = np.bincount(cells.ravel(), np.repeat(p, n), minlength=j * n).astype(np.float64).reshape(j, n)
            total += _terms(joined).sum(axis=0)
    return total


def _terms(p: Floats) -> Floats:
    from scipy.special import entr

    terms: Floats = entr(p)
    return np.maximum(terms, 0.0)  # of what rounding puts above 1
