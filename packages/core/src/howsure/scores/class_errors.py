"""Standard errors of the classes in a macro average, which the jackknife underestimates if a class has few items."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from howsure.inputs.pairs import Floats, Integers
from howsure.significance.metrics.metric import Quotient, combination, ratio
from howsure.stats.jackknife_value import JackknifeValue, unseen_move

MIN_DEGREES = 0.1  # of freedom of a class whose items are hardly more than one


@dataclass(frozen=True, slots=True)
class ClassErrors:
    """The variance of a macro average over K classes, each of which has the value x_c, a ratio of counts.

    A class whose few items are all right (or all wrong) has the jackknife variance v_c = 0, although x_c is hardly
    known. Therefore its variance is at least p_c (1 - p_c) / (n_c + 1), with p_c = (n_c x_c + 1) / (n_c + 2). Here, n_c
    is the denominator of x_c as a number of correct items, but at most Kish's effective number of units in it.

    variance: the sum of these variances, divided by K². added: how much larger it is than the sum of the v_c, divided
    by K². degrees: Satterthwaite's degrees of freedom, with n_c + 2 for each class. shrunk: the mean of the p_c.

    fall, rise: 2/3 of the largest effect of one more unit of a class that is entirely wrong or right, x_c / (K m_c) or
    (1 - x_c) / (K m_c), but at most 1.5 / K standard errors of the class. m_c is n_c, but at most Kish's effective
    number of units of the true class (and of the predicted, if it is in the denominator). If the sample has few units
    of a class, and these are worse than usual, the error of the class seems small, too.

    Source: Satterthwaite (1946). The lower limits of the variance and of the moves are ours, chosen by simulation
    (benchmarks/macro_averages.py, benchmarks/label_limits.py).
    """

    variance: float
    added: float
    degrees: float
    shrunk: float | None
    fall: float
    rise: float

    @classmethod
    def of(cls, class_ratio: Quotient, statistics: Floats, times: Integers | None = None) -> ClassErrors:
        """From the statistics (m, 3 · K) of units: correct, predicted and true for each class. times (m,): how often
        each of them occurs (default: once).

        >>> first = np.array([1.0, 0, 1, 0, 1, 0])  # an item of the first of two classes that is right
        >>> recall = Quotient((1, 0, 0), (0, 0, 1))
        >>> errors = ClassErrors.of(recall, np.array([first] * 98 + [np.roll(first, 1)] * 2))
        >>> round(errors.added, 4), round(errors.degrees, 2)  # of the second class: p = 3/4, p (1 - p) / 3 / 4 = 1/64
        (0.0157, 4.01)
        """
        times = np.ones(len(statistics), dtype=np.int64) if times is None else times
        m, counts = int(times.sum()), statistics.reshape(len(statistics), 3, -1)
        above, below = combination(counts, class_ratio.above), combination(counts, class_ratio.below)
        total = times @ below
        values = np.nan_to_num(ratio(times @ above, total))
        n = np.minimum(np.nan_to_num(ratio(total**2, times @ below**2)), total / sum(class_ratio.below))
        p = (n * values + 1) / (n + 2)
        moves = np.nan_to_num(ratio(above - values * below, np.broadcast_to(total, below.shape)))
        jackknife = times @ moves**2 * (m / max(m - 1, 1))
        variances = np.maximum(jackknife, p * (1 - p) / (n + 1))
        degrees = variances.sum() ** 2 / (variances**2 / (n + 2)).sum()
        classes = len(n) ** 2
        added = (variances - jackknife).sum() / classes
        parts = [counts[:, column] for column, times_counted in enumerate(class_ratio.below) if times_counted]
        by_part = [np.nan_to_num(ratio((times @ part) ** 2, times @ part**2), nan=np.inf) for part in parts]
        units = np.min([n, *by_part], axis=0)
        units, errors = np.where(units > 0.0, units, np.inf), np.sqrt(variances)
        fall, rise = (max(map(unseen_move, reach, units, errors)) / len(n) for reach in (values, 1 - values))
        return cls(float(variances.sum()) / classes, float(added), float(degrees), float(p.mean()), fall, rise)

    @classmethod
    def of_pooled(cls, pooled_ratio: Quotient, statistics: Floats, times: Integers | None = None) -> ClassErrors:
        """Of a single class, or of a micro average: without a lower limit of the variance, and with n_c - 1 degrees of
        freedom."""
        errors = cls.of(pooled_ratio, statistics, times)
        return replace(errors, added=0.0, degrees=max(errors.degrees - 3, MIN_DEGREES), shrunk=None)

    @classmethod
    def of_mean(cls, errors: Sequence[ClassErrors]) -> ClassErrors:
        """Of the mean of the macro averages of several groups."""
        variance, squares = (
            sum(group.variance**power / group.degrees ** (power - 1) for group in errors) for power in (1, 2)
        )
        groups = len(errors)
        added, middles = sum(group.added for group in errors), [group.shrunk for group in errors]
        shrunk = None if None in middles else sum(filter(None, middles)) / groups
        fall, rise = max(group.fall for group in errors), max(group.rise for group in errors)
        degrees = variance**2 / squares
        return cls(variance / groups**2, added / groups**2, degrees, shrunk, fall / groups, rise / groups)

    def added_to(self, jackknife: JackknifeValue) -> JackknifeValue:
        """A value with the variance, degrees of freedom and moves that account for classes with few items."""
        return replace(
            jackknife,
            error=math.sqrt(jackknife.error**2 + self.added),
            below=max(jackknife.below, self.fall),
            above=max(jackknife.above, self.rise),
            effective=min(self.degrees + 1, jackknife.units),
            shrunk=self.shrunk,
        )
