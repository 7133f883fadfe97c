"""Least squares and logistic regression with corrected labels: a cross-fitted map, coefficients and their errors."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from howsure.inputs.pairs import Floats, Integers
from howsure.result import Estimate
from howsure.stats.clusters import kish
from howsure.stats.logistic import newton_minimum, sigmoid
from howsure.stats.proportions import t_quantile

FOLDS = 5
PENALTY = 1.0  # of the map, in labels
SAME = 1e-9  # of a column's length, below which the others tell it
ROUNDING = 1e-12  # of an outcome
PSEUDO = 0.5  # an error more than was seen
COVERED = 0.5  # of what tells of a coefficient, that labels must stand for
TELLING = 5.0  # labels of equal weight that must tell of it
SOLVED, OPEN = 1e-6, 1e7  # of a logistic loss per row: its slope, and the variance from which on it is flat


@dataclass(frozen=True, slots=True)
class Regression:
    """What is regressed on: columns (N, k) with their names, and weights (N,) of the rows.

    nuisance (N, m): further columns, whose coefficients nobody asks for. absorbed (N,): codes whose means are taken
    out of everything. units (N,): codes of what is correlated; None where each row is on its own. logit: the logistic
    model, else the linear one.
    """

    columns: Floats
    nuisance: Floats
    weight: Floats
    absorbed: Integers | None
    units: Integers | None
    logit: bool

    @property
    def asked(self) -> int:
        """How many coefficients are asked for: the first ones."""
        return int(self.columns.shape[1])

    @property
    def parameters(self) -> int:
        """How many are fitted in all."""
        levels = 0 if self.absorbed is None else int(self.absorbed.max()) + 1
        return int(self.columns.shape[1] + self.nuisance.shape[1]) + levels

    def within(self, values: Floats) -> Floats:
        """Columns (N, c) less their weighted means by what is absorbed."""
        if self.absorbed is None or not values.shape[1]:
            return values
        total = np.maximum(np.bincount(self.absorbed, self.weight), np.finfo(float).tiny)
        means = [np.bincount(self.absorbed, self.weight * one) / total for one in values.T]
        return np.asarray(values - np.stack(means, axis=1)[self.absorbed])

    def design(self) -> Floats:
        """All columns, less what is absorbed."""
        return self.within(np.hstack([self.columns, self.nuisance]))


@dataclass(frozen=True, slots=True)
class Labelled:
    """Of N rows those with a label, `rows` (n,), and how many rows each stands for, with the sum N.

    of_all (N,): the stratum of every row, where it is known and rows were drawn within strata. element (n,): codes of
    what was drawn together.
    """

    rows: Integers
    weight: Floats
    of_all: Integers | None
    element: Integers

    def spread(self, n: int, values: Floats) -> Floats:
        """Values (n, c) of labelled rows, times their weights, among N rows that hold 0 elsewhere."""
        found = np.zeros((n, values.shape[1]))
        found[self.rows] = self.weight[:, None] * values
        return found

    def centring(self, n: int, values: Floats) -> Floats:
        """What makes the labelled rows differ from each other as they do within strata: the mean of a stratum for each
        of its rows, less the same, times the weight, for each labelled one."""
        of_all = np.zeros(n, dtype=np.int64) if self.of_all is None else self.of_all
        stratum = of_all[self.rows]
        total = np.maximum(np.bincount(stratum, self.weight), np.finfo(float).tiny)
        means = np.stack([np.bincount(stratum, self.weight * one) / total for one in values.T], axis=1)
        return np.asarray(means[of_all] - self.spread(n, means[stratum]))


def dependent(columns: Floats, length: Floats) -> int | None:
    """The first column that those before it tell, or that is nothing beside its `length`; None if there is none.

    >>> columns = np.array([[1.0, 0.0, 1.0], [1.0, 1.0, 2.0], [1.0, 3.0, 4.0]])
    >>> dependent(columns, np.linalg.norm(columns, axis=0))
    2
    """
    rest = np.abs(np.diag(np.linalg.qr(columns / np.where(length > 0.0, length, 1.0), mode="r")))
    found = np.flatnonzero(rest <= SAME)
    return int(found[0]) if len(found) else None


def cross_fitted(features: Floats, labels: Floats, labelled: Labelled) -> Floats:
    """The expected labels (N, c) of all rows, by ridge regression of the labels (n, c) on features (N, p).

    Each labelled row is told by the others: those drawn with it, and a fifth of the rest, are left out. Other rows have
    the mean of the five. Each column of labels is regressed on the same features: shares that add to 1 do so still.
    """
    mean, scale = features.mean(axis=0), features.std(axis=0)
    kept = scale > SAME * np.abs(features).max(axis=0, initial=0.0)
    x = (features[:, kept] - mean[kept]) / scale[kept]
    _, first, code = np.unique(labelled.element, return_index=True, return_inverse=True)
    fold = np.argsort(np.argsort(first))[code] % FOLDS  # in the order of the rows
    w = labelled.weight / labelled.weight.mean()
    found = np.zeros((len(x), labels.shape[1]))
    own = np.zeros_like(labels)
    for one in range(FOLDS):
        told = fold != one
        of, y, v = x[labelled.rows[told]], labels[told], w[told][:, None]
        level, centre = (v * y).sum(axis=0) / v.sum(), (v * of).sum(axis=0) / v.sum()
        of = of - centre
        slope = np.linalg.solve((v * of).T @ of + PENALTY * np.eye(of.shape[1]), (v * of).T @ (y - level))
        fitted = level + (x - centre) @ slope
        found += fitted / FOLDS
        own[~told] = fitted[labelled.rows[~told]]
    found[labelled.rows] = own
    return found


@dataclass(frozen=True, slots=True)
class Fit:
    """Coefficients (k,), their standard errors, the degrees of freedom of these, and whether the labels tell them."""

    values: Floats
    errors: Floats
    degrees: Floats
    told: npt.NDArray[np.bool_]

    def estimate(self, place: int, *, level: float, method: str, n: int) -> tuple[Estimate, float, float]:
        """A coefficient with Student's interval, its standard error, and the p of 0."""
        from scipy.special import stdtr

        value, error, degrees = (float(one[place]) for one in (self.values, self.errors, self.degrees))
        reach = t_quantile(level, degrees) * error
        p = float(2.0 * stdtr(degrees, -abs(value) / error)) if error > 0.0 else math.nan
        return Estimate(value, value - reach, value + reach, level=level, method=method, n=n), error, p


def fitted(
    regression: Regression,
    outcome: Floats,
    *,
    labelled: Labelled | None = None,
    residuals: Floats | None = None,
    is_label: bool = False,
) -> Fit | None:
    """The coefficients of an outcome (N,), with the sandwich; None where a logistic regression has no finite solution.

    They solve Σ w x (y - x β) = 0, or Σ w x (y - σ(x β)) = 0. residuals (n,): of labelled rows, the label less what the
    map expects, which the outcome holds times the weights: then labels count as drawn within strata. is_label: labels
    are 0 or 1, of which the map may miss half a one more than was seen.

    A standard error is √(Σ s² G/(G - 1) (N - 1)/(N - k)), with the sums s of w x (y - …) · bread⁻¹ over each of the G
    clusters. Its degrees of freedom are those of a variance of values with the kurtosis of s, less 1.
    """
    x, w, n = regression.design(), regression.weight, len(outcome)
    beta: Floats | None
    if regression.logit:
        beta = _logistic(x, outcome, w)
        if beta is None:
            return None
        p = sigmoid(x @ beta)
        curve, apart = w * p * (1.0 - p), outcome - p
    else:
        y = regression.within(outcome[:, None])[:, 0]
        beta = np.asarray(np.linalg.lstsq(x * np.sqrt(w)[:, None], np.sqrt(w) * y, rcond=None)[0], dtype=np.float64)
        curve, apart = w, y - x @ beta
        apart[np.abs(apart) <= ROUNDING * np.abs(y).max()] = 0.0  # the columns tell it exactly
    root = np.linalg.inv(np.linalg.qr(x * np.sqrt(curve)[:, None], mode="r"))
    lever = (x * w[:, None]) @ (root @ root.T)[:, : regression.asked]
    parts, doubt, told = lever * apart[:, None], np.zeros(regression.asked), np.ones(regression.asked, dtype=np.bool_)
    if labelled is not None and residuals is not None:
        of_labelled, times = lever[labelled.rows], labelled.weight[:, None]
        parts = parts + labelled.centring(n, of_labelled * residuals[:, None])
        if is_label:
            p_more = PSEUDO / (len(residuals) + 1)
            doubt = p_more * (1.0 - p_more) * (times * (times - 1.0) * of_labelled**2).sum(axis=0)
        carried = times * of_labelled**2
        told = (carried.sum(axis=0) > COVERED * (lever**2).sum(axis=0)) & (np.array(_equal(carried)) >= TELLING)
    groups = n
    if regression.units is not None:
        groups = int(regression.units.max()) + 1
        parts = np.stack([np.bincount(regression.units, one, minlength=groups) for one in parts.T], axis=1)
    few = groups / (groups - 1) * (n - 1) / max(n - regression.parameters, 1)
    squares = parts**2
    apart_by = np.maximum(1.0 / np.array(_equal(squares)) - 1.0 / groups, 2.0 / groups**2)
    degrees = np.maximum(np.minimum(2.0 / apart_by, groups) - 1.0, 1.0)
    return Fit(beta[: regression.asked], np.sqrt(few * squares.sum(axis=0) + doubt), degrees, told)


def _equal(values: Floats) -> list[float]:
    """The equivalent number of equal values of each column."""
    return [kish(one) if one.any() else 1.0 for one in values.T]


def _logistic(x: Floats, outcome: Floats, w: Floats) -> Floats | None:
    """The coefficients of a logistic regression; None where the search runs away."""
    scale = np.sqrt((x**2).mean(axis=0))
    z, w = x / scale, w / w.sum()

    def objective(at: Floats) -> tuple[float, Floats]:
        eta = z @ at
        return float(w @ (np.logaddexp(0.0, eta) - outcome * eta)), z.T @ (w * (sigmoid(eta) - outcome))

    def hessian(at: Floats) -> Floats:
        p = sigmoid(z @ at)
        return np.asarray((z * (w * p * (1.0 - p))[:, None]).T @ z)

    found = newton_minimum(objective, hessian, np.zeros(x.shape[1]))
    try:
        unsure = float(np.diag(np.linalg.inv(hessian(found))).max())
    except np.linalg.LinAlgError:
        return None
    solved = np.abs(objective(found)[1]).max() < SOLVED and 0.0 < unsure < OPEN
    return np.asarray(found / scale) if solved else None
