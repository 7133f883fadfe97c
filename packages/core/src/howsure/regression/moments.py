"""Least squares and logistic regression with corrected labels: a cross-fitted map, coefficients and their errors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from howsure.inputs.numbers_and_names import shortened
from howsure.inputs.pairs import Floats, Integers
from howsure.regression.cluster_robust import Leverage
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
FEW_DEGREES = 4  # of freedom, below which an interval is rough (Pustejovsky & Tipton 2018)
MAX_UNSEEN = 0.01  # of a variance, in clusters whose errors the coefficients absorb completely
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
        means = [np.bincount(self.absorbed, self.weight * column) / total for column in values.T]
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
        all_rows = np.zeros((n, values.shape[1]))
        all_rows[self.rows] = self.weight[:, None] * values
        return all_rows

    def centring(self, n: int, values: Floats) -> Floats:
        """What makes the labelled rows differ from each other as they do within strata: the mean of a stratum for each
        of its rows, less the same, times the weight, for each labelled one."""
        of_all = np.zeros(n, dtype=np.int64) if self.of_all is None else self.of_all
        stratum = of_all[self.rows]
        total = np.maximum(np.bincount(stratum, self.weight), np.finfo(float).tiny)
        means = np.stack([np.bincount(stratum, self.weight * column) / total for column in values.T], axis=1)
        return np.asarray(means[of_all] - self.spread(n, means[stratum]))


def dependent(columns: Floats, length: Floats) -> int | None:
    """The first column that those before it tell, or that is nothing beside its `length`; None if there is none.

    >>> columns = np.array([[1.0, 0.0, 1.0], [1.0, 1.0, 2.0], [1.0, 3.0, 4.0]])
    >>> dependent(columns, np.linalg.norm(columns, axis=0))
    2
    """
    rest = np.abs(np.diag(np.linalg.qr(columns / np.where(length > 0.0, length, 1.0), mode="r")))
    dependents = np.flatnonzero(rest <= SAME)
    return int(dependents[0]) if len(dependents) else None


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
    expected = np.zeros((len(x), labels.shape[1]))
    out_of_fold = np.zeros_like(labels)
    for held_out in range(FOLDS):
        in_training = fold != held_out
        of, y, v = x[labelled.rows[in_training]], labels[in_training], w[in_training][:, None]
        level, centre = (v * y).sum(axis=0) / v.sum(), (v * of).sum(axis=0) / v.sum()
        of = of - centre
        slope = np.linalg.solve((v * of).T @ of + PENALTY * np.eye(of.shape[1]), (v * of).T @ (y - level))
        fitted = level + (x - centre) @ slope
        expected += fitted / FOLDS
        out_of_fold[~in_training] = fitted[labelled.rows[~in_training]]
    expected[labelled.rows] = out_of_fold
    return expected


@dataclass(frozen=True, slots=True)
class Fit:
    """Coefficients (k,), their standard errors and degrees of freedom.

    has_labels: enough labels carry the coefficient. has_error: its standard error can be estimated.
    """

    values: Floats
    errors: Floats
    degrees: Floats
    has_labels: npt.NDArray[np.bool_]
    has_error: npt.NDArray[np.bool_]

    def estimate(self, place: int, *, level: float, method: str, n: int) -> tuple[Estimate, float, float]:
        """A coefficient with Student's interval, its standard error, and the p of 0; without these where its error
        cannot be estimated."""
        from scipy.special import stdtr

        value, error, degrees = (float(values[place]) for values in (self.values, self.errors, self.degrees))
        if not self.has_error[place]:
            return Estimate(value, None, None, level=level, method=method, n=n), math.nan, math.nan
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
    """The coefficients of an outcome (N,), with CR2 errors; None where a logistic regression has no finite solution.

    They solve Σ w x (y - x β) = 0, or Σ w x (y - σ(x β)) = 0. residuals (n,): of labelled rows, the label less what the
    map expects, which the outcome holds times the weights: then labels count as drawn within strata. is_label: labels
    are 0 or 1, of which the map may miss half a one more than was seen.

    A coefficient is Σ c e with a contrast c of the rows and errors e, both scaled as in `cluster_robust`. Its variance
    is the sum of the squares of each cluster's Σ A c e (rows are clusters of their own where there are none). The
    corrected outcome is as linear in its errors, so A is that of the regression; the mean of A c times the residual of
    labelled rows within a stratum is taken off, which a draw of fixed size does not vary. The errors of labelled rows
    have a larger variance in the degrees of freedom (`_variances`); where the squares of few clusters make up most of
    the variance, degrees are fewer: 2 / (Σ s⁴ / (Σ s²)² - 1/G) - 1.
    """
    solution = _solved(regression, outcome)
    if solution is None:
        return None
    x, values, curvature, misfit = solution
    n, n_coefficients, scale = len(outcome), regression.asked, np.sqrt(curvature)
    inverse = np.linalg.inv(np.linalg.qr(x * scale[:, None], mode="r"))
    basis = (x * scale[:, None]) @ inverse
    clusters = np.arange(n) if regression.units is None else regression.units
    leverage = Leverage(basis, clusters, scale, regression.absorbed)
    contrasts = basis @ inverse.T[:, :n_coefficients]
    adjusted, unseen = leverage.adjusted(contrasts)
    of_outcome = np.divide(regression.weight, scale, out=np.zeros(n), where=scale > 0.0)  # times it: a scaled error
    errors = of_outcome * misfit
    parts, variances = adjusted * errors[:, None], np.ones(n)
    more, has_labels = np.zeros(n_coefficients), np.ones(n_coefficients, dtype=np.bool_)
    if labelled is not None and residuals is not None:
        labelled_logits = (of_outcome[:, None] * adjusted)[labelled.rows] * residuals[:, None]
        parts = parts + labelled.centring(n, labelled_logits)
        squares, weight = (of_outcome[:, None] * contrasts)[labelled.rows] ** 2, labelled.weight[:, None]
        if is_label:
            p_more = PSEUDO / (len(residuals) + 1)
            more = p_more * (1.0 - p_more) * (weight * (weight - 1.0) * squares).sum(axis=0)
        whole = ((of_outcome[:, None] * contrasts) ** 2).sum(axis=0)
        enough = np.array(_equal(weight * squares)) >= TELLING
        has_labels = ((weight * squares).sum(axis=0) > COVERED * whole) & enough
        variances = _variances(errors, labelled)
    if regression.units is not None:
        parts = np.stack([np.bincount(clusters, part) for part in parts.T], axis=1)
    squares = parts**2
    degrees = np.array([leverage.degrees_of_freedom(column, variances) for column in adjusted.T])
    if labelled is not None:
        groups = len(squares)
        spread = np.maximum(1.0 / np.array(_equal(squares)) - 1.0 / groups, 2.0 / groups**2)
        degrees = np.minimum(degrees, np.maximum(2.0 / spread - 1.0, 1.0))
    error = np.sqrt(squares.sum(axis=0) + more)
    return Fit(values[:n_coefficients], error, np.maximum(degrees, 1.0), has_labels, unseen <= MAX_UNSEEN)


def rough_intervals(names: Sequence[str], degrees: Floats, what: str) -> list[str]:
    """The note that some coefficients have few degrees of freedom, as few of `what` carry them; none otherwise.

    >>> rough_intervals(["x", "z"], np.array([2.83, 40.0]), "clusters")
    ['rough intervals, with fewer than 4 degrees of freedom: x (2.8); too few clusters carry these coefficients']
    """
    few = [f"{name} ({number:.1f})" for name, number in zip(names, degrees, strict=True) if number < FEW_DEGREES]
    if not few:
        return []
    return [
        f"rough intervals, with fewer than {FEW_DEGREES} degrees of freedom: {shortened(few)}; too few {what} carry "
        "these coefficients"
    ]


def _solved(regression: Regression, outcome: Floats) -> tuple[Floats, Floats, Floats, Floats] | None:
    """The design (N, K), all coefficients (K,), the curvature (N,) of each row's loss, and what remains of the outcome;
    None where a logistic regression has no finite solution."""
    x, weight = regression.design(), regression.weight
    if regression.logit:
        values = _logistic(x, outcome, weight)
        if values is None:
            return None
        p = sigmoid(x @ values)
        return x, values, weight * p * (1.0 - p), outcome - p
    y, scale = regression.within(outcome[:, None])[:, 0], np.sqrt(weight)
    values = np.asarray(np.linalg.lstsq(x * scale[:, None], scale * y, rcond=None)[0], dtype=np.float64)
    misfit = y - x @ values
    misfit[np.abs(misfit) <= ROUNDING * np.abs(y).max()] = 0.0  # the columns determine the outcome
    return x, values, weight, misfit


def _variances(errors: Floats, labelled: Labelled) -> Floats:
    """Variances (N,) of scaled errors: that of rows without a label for all, and as much more for labelled ones, in
    proportion to their squared weights, as their squared errors are larger; 1 where there are no errors."""
    has_label = np.zeros(len(errors), dtype=np.bool_)
    has_label[labelled.rows] = True
    squares, weights = errors**2, labelled.weight**2
    base = 0.0 if has_label.all() else float(squares[~has_label].mean())
    variances = np.full(len(errors), base)
    variances[labelled.rows] += max(float((squares[has_label] - base).sum()), 0.0) / weights.sum() * weights
    return variances if variances.any() else np.ones(len(errors))


def _equal(values: Floats) -> list[float]:
    """The equivalent number of equal values of each column."""
    return [kish(column) if column.any() else 1.0 for column in values.T]


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

    coefficients = newton_minimum(objective, hessian, np.zeros(x.shape[1]))
    try:
        unsure = float(np.diag(np.linalg.inv(hessian(coefficients))).max())
    except np.linalg.LinAlgError:
        return None
    solved = np.abs(objective(coefficients)[1]).max() < SOLVED and 0.0 < unsure < OPEN
    return np.asarray(coefficients / scale) if solved else None
