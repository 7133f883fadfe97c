"""One cell without borrowing: its count given the labels, whatever the level of the proxy is there."""

from __future__ import annotations

import numpy as np

from howsure.counts.model.hypergeometric import first_that
from howsure.inputs.pairs import Floats
from howsure.stats.logistic import sigmoid
from howsure.stats.poisson_binomial import poisson_binomial

NEWTON_STEPS = 60


def conditional_interval(logits: Floats, unlabelled: Floats, positives: int, *, level: float) -> tuple[int, int]:
    """The totals t of a cell that its labels do not rule out: both mid-p tails of P(K | T = t) exceed (1 - level)/2.

    With odds m_i e^θ for labelled (`logits`) and unlabelled units, the total T is sufficient for θ, so
    P(K = k | T = t) = f_S(k) f_U(t - k) / f_D(t) with f the laws of the sums over labelled, unlabelled and all units,
    at any θ: it is chosen so that Σ m = t. A proxy that never varies gives the hypergeometric law of a simple random
    sample. Sources: Chen & Liu (1997), for conditional Bernoulli laws.
    """
    tail = (1.0 - level) / 2
    least, most = positives, positives + len(unlabelled)
    low = first_that(least, most, lambda t: _mid_tails(logits, unlabelled, positives, t)[1] > tail)
    high = first_that(-most, -least, lambda t: _mid_tails(logits, unlabelled, positives, -t)[0] > tail)
    return low, -high


def conditional_estimate(logits: Floats, unlabelled: Floats, positives: int) -> float:
    """The total at which the expected number of labelled positives is the observed one (conditional likelihood)."""
    n, total = len(logits), len(logits) + len(unlabelled)
    if n == 0:
        return float("nan")
    if positives in (0, n):
        return total * positives / n if positives else 0.0
    theta = _tilt(logits, float(positives))
    return positives + float(sigmoid(unlabelled + theta).sum())


def _mid_tails(logits: Floats, unlabelled: Floats, positives: int, total: int) -> tuple[float, float]:
    """P(K < k | T) + P(K = k | T)/2 and P(K > k | T) + P(K = k | T)/2."""
    both = np.concatenate([logits, unlabelled])
    if total in (0, len(both)):
        return 0.5, 0.5
    theta = _tilt(both, float(total))
    of_labelled = poisson_binomial(sigmoid(logits + theta)).pmf
    of_others = poisson_binomial(sigmoid(unlabelled + theta)).pmf
    k = np.arange(len(of_labelled))
    rest = total - k
    possible = (rest >= 0) & (rest < len(of_others))
    weight = np.where(possible, of_labelled * of_others[np.clip(rest, 0, len(of_others) - 1)], 0.0)
    weight /= weight.sum()
    half = weight[positives] / 2
    return float(weight[:positives].sum() + half), float(weight[positives + 1 :].sum() + half)


def _tilt(logits: Floats, total: float) -> float:
    """θ with Σ σ(logit + θ) = total."""
    low, high = -60.0 - float(logits.max()), 60.0 - float(logits.min())
    for _ in range(NEWTON_STEPS):
        middle = (low + high) / 2
        if float(sigmoid(logits + middle).sum()) < total:
            low = middle
        else:
            high = middle
    return (low + high) / 2
