"""Isotonic regression: the increasing curve nearest to the labels, by pooling adjacent violators."""

from __future__ import annotations

import numpy as np

from howsure.calibration.corp.ordered import Ordered
from howsure.inputs.pairs import Floats, Integers

SAME = 1e-12  # frequencies closer than this are one step: their difference is rounding


def isotonic_steps(pairs: Ordered) -> Integers:
    """The first row of each step of the isotonic regression of labels on predictions; equal predictions are pooled.

    A step's value is the label frequency of its pairs, and these frequencies increase (Ayer et al. 1955).
    """
    from scipy.optimize import isotonic_regression

    weight = pairs.by(pairs.starts, pairs.weight)
    label = pairs.by(pairs.starts, pairs.weight * pairs.y)
    blocks = isotonic_regression(label / weight, weights=weight).blocks[:-1]
    frequency = np.add.reduceat(label, blocks) / np.add.reduceat(weight, blocks)
    rises = np.append(True, np.diff(frequency) > SAME)
    starts: Integers = pairs.starts[blocks[rises]]
    return starts


def isotonic_values(mean: Floats, weight: Floats) -> Floats:
    """The isotonic regression of means of cells that are in order."""
    from scipy.optimize import isotonic_regression

    values: Floats = isotonic_regression(mean, weights=weight).x
    return values
