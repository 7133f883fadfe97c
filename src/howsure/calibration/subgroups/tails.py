"""Sums as normal scores: the standard normal variable that is as unlikely as the sum."""

from __future__ import annotations

import numpy as np

from howsure.inputs.pairs import Floats

SMALLEST = 1e-300
LEAST_SKEWNESS = 1e-3


def skewed_scores(sums: Floats, variance: Floats, third: Floats, step: float) -> Floats:
    """The scores of sums with mean 0 and these second and third moments; a tail heavier than the normal one is that of
    a shifted gamma distribution. `step`, half the step in which the sum moves, is taken off |sum|.

    >>> skewed_scores(np.array([20.0, -20.0]), np.full(2, 100.0), np.full(2, 500.0), 0.0).round(2)
    array([ 1.82, -2.  ])
    """
    from scipy.special import gammaincc, ndtri

    x = np.maximum(np.abs(sums) - step, 0.0) / np.sqrt(variance)
    skewness = np.sign(sums) * third / variance**1.5
    heavy = np.flatnonzero((skewness > LEAST_SKEWNESS) & (x > 0.0))
    shape = 4 / skewness[heavy] ** 2
    tail = gammaincc(shape, shape + x[heavy] * np.sqrt(shape))
    scores = x.copy()
    told = tail > SMALLEST
    scores[heavy[told]] = np.clip(-ndtri(tail[told]), 0.0, x[heavy[told]])
    signed: Floats = np.sign(sums) * scores
    return signed


def student_scores(sums: Floats, variance: Floats, free: Floats) -> Floats:
    """The scores of sums whose variance was estimated with `free` degrees of freedom.

    >>> student_scores(np.array([20.0]), np.array([100.0]), np.array([10.0])).round(2)
    array([1.79])
    """
    from scipy.special import ndtri, stdtr

    x = np.abs(sums) / np.sqrt(variance)
    tail = stdtr(free, -x)
    scores: Floats = np.sign(sums) * np.where(tail > SMALLEST, -ndtri(np.maximum(tail, SMALLEST)), x)
    return scores
