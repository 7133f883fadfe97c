"""Least squares and logistic regression with corrected labels: a cross-fitted map, coefficients and their errors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from howsure.inputs.numbers_and_names import shortened
from howsure.inputs.pairs import Bools, Floats, Integers
from howsure.regression.cluster_robust import Leverage
from howsure.result import Estimate
from howsure.stats.logistic import newton_minimum, sigmoid
from howsure.stats.proportions import t_quantile

FOLDS = 5
PENALTY = 1.0  # of the map, in labels
SAME = 1e-9  # of a column's length; a residual below it means that the other columns determine this one
ROUNDING = 1e-12  # of an outcome
PSEUDO = 0.5  # an error more than was seen
MIN_COVERED_INFORMATION = 0.5  # share of the information on a coefficient that labelled rows must represent
MIN_INFORMATIVE_LABELS = 5.0  # labels of equal weight that must carry information on it
FEW_DEGREES = 4  # of freedom, below which an interval is rough (Pustejovsky & Tipton 2018)
MAX_UNSEEN = 0.01  # of a variance, in clusters whose errors the coefficients absorb completely
SOLVED, OPEN = 1e-6, 1e7  # of a logistic loss per row: its slope, and the variance from which on it is flat


@dataclass(frozen=True, slots=True)
class Regression:
    """The regressors: columns (N, k) with their names, and weights (N,) of the rows.

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
    def n_requested(self) -> int:
        """The number of requested coefficients, which are the first ones."""
        return int(self.columns.shape[1])

    @property
    def parameters(self) -> int:
        """The number of fitted parameters."""
        levels = 0 if self.absorbed is None else int(self.absorbed.max()) + 1
        return int(self.columns.shape[1] + self.nuisance.shape[1]) + levels

    def within(self, values: Floats) -> Floats:
        """Columns (N, c) minus their weighted means within the absorbed effects."""
        if self.absorbed is None or not values.shape[1]:
            return values
        total = np.maximum(np.bincount(self.absorbed, self.weight), np.finfo(float).tiny)
        means = [np.bincount(self.absorbed, self.weight * column) / total for column in values.T]
        return np.asarray(values - np.stack(means, axis=1)[self.absorbed])

    def design(self) -> Floats:
        """All columns, minus the absorbed effects."""
        return self.within(np.hstack([self.columns, self.nuisance]))


@dataclass(frozen=True, slots=True)
class Labelled:
    """The labelled rows among N rows: `rows` (n,), and the number of rows that each represents, with the sum N.

    of_all (N,): the stratum of every row, where it is known and rows were drawn within strata. element (n,): codes of
    what was drawn together.
    """

    rows: Integers
    weight: Floats
    of_all: Integers | None
    element: Integers

    def spread(self, n: int, values: Floats) -> Floats:
        """Values (n, c) of labelled rows, times their weights, among N rows that are 0 elsewhere."""
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
    """The first column that those before it determine, or that is negligible for its `length`; None if there is none.

    >>> columns = np.array([[1.0, 0.0, 1.0], [1.0, 1.0, 2.0], [1.0, 3.0, 4.0]])
    >>> dependent(columns, np.linalg.norm(columns, axis=0))
    2
    """
    rest = np.abs(np.diag(np.linalg.qr(columns / np.where(length > 0.0, length, 1.0), mode="r")))
    dependents = np.flatnonzero(rest <= SAME)
    return int(dependents[0]) if len(dependents) else None


def cross_fitted(features: Floats, labels: Floats, labelled: Labelled) -> Floats:
    """The expected labels (N, c) of all rows, by ridge regression of the labels (n, c) on features (N, p).

    Each labelled row is predicted from the others: those drawn with it, and a fifth of the rest, are left out. Other
    rows get the mean of the five predictions. Each column of labels is regressed on the same features: shares that add
    to 1 do so still.
    """
    mean, scale = features.mean(axis=0), features.std(axis=0)
    kept = scale > SAME * np.abs(features).max(axis=0, initial=0.0)
    x = (features[:, kept] - mean[kept]) / scale[kept]
    _, first, code = np.unique(labelled.element, return_index=True, return_inverse=True)
    fold = np.argsort(np.argsort(first))[code] % FOLDS  # in the order of the rows
    w = labelled.weight / labelled.weight.mean()
    levels, slopes = np.zeros((FOLDS, labels.shape[1])), np.zeros((FOLDS, x.shape[1], labels.shape[1]))
    for held_out in range(FOLDS):
        in_training = fold != held_out
        of, y, v = x[labelled.rows[in_training]], labels[in_training], w[in_training][:, None]
        level, centre = (v * y).sum(axis=0) / v.sum(), (v * of).sum(axis=0) / v.sum()
        of = of - centre
        slope = np.linalg.solve((v * of).T @ of + PENALTY * np.eye(of.shape[1]), (v * of).T @ (y - level))
        levels[held_out], slopes[held_out] = level - centre @ slope, slope
    expected = levels.mean(axis=0) + x @ slopes.mean(axis=0)
    expected[labelled.rows] = levels[fold] + np.einsum("nf,nfc->nc", x[labelled.rows], slopes[fold])
    return np.asarray(expected)


@dataclass(frozen=True, slots=True)
class ScaledDesign:
    """The design (N, K) of a regression, scaled by the root of each row's curvature, and quantities derived from it.

    x: the design. scale (N,): the roots. inverse (K, K): of R in X = Q R, with the scaled design X. contrasts (N, k):
    of the requested coefficients, and adjusted (N, k): A c, the same adjusted for leverage. unseen (k,): see
    `Leverage.adjusted`.
    """

    x: Floats
    scale: Floats
    inverse: Floats
    basis: Floats
    leverage: Leverage
    contrasts: Floats
    adjusted: Floats
    unseen: Floats

    @classmethod
    def of(cls, regression: Regression, x: Floats, curvature: Floats) -> ScaledDesign:
        """Build from the design (N, K) and the curvature (N,) of each row's loss."""
        scale = np.sqrt(curvature)
        scaled = x * scale[:, None]
        inverse = np.linalg.inv(np.linalg.qr(scaled, mode="r"))
        basis = scaled @ inverse
        clusters = np.arange(len(x)) if regression.units is None else regression.units
        leverage = Leverage(basis, clusters, scale, regression.absorbed)
        contrasts = (inverse[: regression.n_requested] @ basis.T).T
        return cls(x, scale, inverse, basis, leverage, contrasts, *leverage.adjusted(contrasts))

    def solve(self, outcome: Floats) -> Floats:
        """The coefficients (K,) of the least squares regression of a scaled outcome (N,), refined once by its
        residuals."""
        coefficients = self.inverse @ (self.basis.T @ outcome)
        rest = outcome - self.scale * (self.x @ coefficients)
        return np.asarray(coefficients + self.inverse @ (self.basis.T @ rest))


LACKING = {
    "variation": "labelled rows hardly differ in these columns: label rows in which they differ",
    "number": f"fewer than {MIN_INFORMATIVE_LABELS:g} labels determine these: label more rows in which they differ",
    "weight": "a few labels with a small chance of being drawn determine these: label more rows like these",
}


@dataclass(frozen=True, slots=True)
class Fit:
    """Coefficients (k,), their standard errors and degrees of freedom.

    lacking: what the labels that carry the coefficient lack, one of `LACKING`; "" if they suffice. has_error: its
    standard error can be estimated.
    """

    values: Floats
    errors: Floats
    degrees: Floats
    lacking: npt.NDArray[np.str_]
    has_error: Bools

    @property
    def has_labels(self) -> Bools:
        """Whether enough labels carry each coefficient."""
        return np.asarray(self.lacking == "")

    def estimate(self, place: int, *, level: float, method: str, n: int) -> tuple[Estimate, float, float]:
        """A coefficient with Student's interval, its standard error, and the p-value of 0; without these if its error
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
    design: ScaledDesign | None = None,
    labelled: Labelled | None = None,
    residuals: Floats | None = None,
    is_label: bool = False,
) -> Fit | None:
    """The coefficients for an outcome (N,), with CR2 errors; None if a logistic regression has no finite solution.

    They solve Σ w x (y - x β) = 0, or Σ w x (y - σ(x β)) = 0. design: of the linear model, computed once for several
    outcomes. residuals (n,): of labelled rows, the label less what the
    map expects, which the outcome holds times the weights: then labels count as drawn within strata. is_label: labels
    are 0 or 1, of which the map may miss half a one more than was seen.

    A coefficient is Σ c e with a contrast c of the rows and errors e, both scaled as in `cluster_robust`. Its variance
    is the sum of the squares of each cluster's Σ A c e (without clusters, each row is a cluster). The
    corrected outcome is as linear in its errors, so A is that of the regression; the mean of A c times the residual of
    labelled rows within a stratum is taken off, which a draw of fixed size does not vary. The errors of labelled rows
    have a larger variance in the degrees of freedom (`_variances`); where the squares of few clusters make up most of
    the variance, degrees are fewer: 2 / (Σ s⁴ / (Σ s²)² - 1/G) - 1.
    """
    solution = _logistic_fit(regression, outcome) if regression.logit else _linear_fit(regression, outcome, design)
    if solution is None:
        return None
    design, values, misfit = solution
    n, n_coefficients, contrasts, adjusted = len(outcome), regression.n_requested, design.contrasts, design.adjusted
    scale = design.scale
    of_outcome = np.divide(regression.weight, scale, out=np.zeros(n), where=scale > 0.0)  # times it: a scaled error
    errors = of_outcome * misfit
    parts, variances = adjusted * errors[:, None], np.ones(n)
    more, lacking = np.zeros(n_coefficients), np.full(n_coefficients, "", dtype="<U9")
    if labelled is not None and residuals is not None:
        labelled_logits = (of_outcome[:, None] * adjusted)[labelled.rows] * residuals[:, None]
        parts = parts + labelled.centring(n, labelled_logits)
        squares, weight = (of_outcome[:, None] * contrasts)[labelled.rows] ** 2, labelled.weight[:, None]
        if is_label:
            p_more = PSEUDO / (len(residuals) + 1)
            more = p_more * (1.0 - p_more) * (weight * (weight - 1.0) * squares).sum(axis=0)
        whole = ((of_outcome[:, None] * contrasts) ** 2).sum(axis=0)
        is_covered = (weight * squares).sum(axis=0) > MIN_COVERED_INFORMATION * whole
        few, few_weighted = (_effective_numbers(part) < MIN_INFORMATIVE_LABELS for part in (squares, weight * squares))
        lacking = np.select([~is_covered, few_weighted & few, few_weighted], [*LACKING], "")
        variances = _variances(errors, labelled)
    if regression.units is not None:
        parts = np.stack([np.bincount(regression.units, part) for part in parts.T], axis=1)
    squares = parts**2
    degrees = design.leverage.degrees_of_freedom(adjusted, variances)
    if labelled is not None:
        groups = len(squares)
        spread = np.maximum(1.0 / _effective_numbers(squares) - 1.0 / groups, 2.0 / groups**2)
        degrees = np.minimum(degrees, np.maximum(2.0 / spread - 1.0, 1.0))
    error = np.sqrt(squares.sum(axis=0) + more)
    return Fit(values[:n_coefficients], error, np.maximum(degrees, 1.0), lacking, design.unseen <= MAX_UNSEEN)


def rough_intervals(names: Sequence[str], degrees: Floats, what: str) -> list[str]:
    """A note that some coefficients have few degrees of freedom, since few of `what` determine them; none otherwise.

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


def linear_design(regression: Regression) -> ScaledDesign:
    """The design of a linear model, which does not depend on the outcome."""
    return ScaledDesign.of(regression, regression.design(), regression.weight)


def _linear_fit(
    regression: Regression, outcome: Floats, design: ScaledDesign | None
) -> tuple[ScaledDesign, Floats, Floats]:
    """The design, all coefficients (K,), and the residuals of the outcome."""
    design = design or linear_design(regression)
    y = regression.within(outcome[:, None])[:, 0]
    values = design.solve(design.scale * y)
    misfit = y - design.x @ values
    misfit[np.abs(misfit) <= ROUNDING * np.abs(y).max()] = 0.0  # the columns determine the outcome
    return design, values, misfit


def _logistic_fit(regression: Regression, outcome: Floats) -> tuple[ScaledDesign, Floats, Floats] | None:
    """The same for a logistic regression; None if it has no finite solution."""
    x = regression.design()
    values = _logistic(x, outcome, regression.weight)
    if values is None:
        return None
    p = sigmoid(x @ values)
    return ScaledDesign.of(regression, x, regression.weight * p * (1.0 - p)), values, outcome - p


def _variances(errors: Floats, labelled: Labelled) -> Floats:
    """Variances (N,) of scaled errors: that of rows without a label for all, and as much more for labelled ones, in
    proportion to their squared weights, as their squared errors are larger; 1 without errors."""
    has_label = np.zeros(len(errors), dtype=np.bool_)
    has_label[labelled.rows] = True
    squares, weights = errors**2, labelled.weight**2
    base = 0.0 if has_label.all() else float(squares[~has_label].mean())
    variances = np.full(len(errors), base)
    variances[labelled.rows] += max(float((squares[has_label] - base).sum()), 0.0) / weights.sum() * weights
    return variances if variances.any() else np.ones(len(errors))


def _effective_numbers(values: Floats) -> Floats:
    """The effective number of values of each column, by Kish's formula; 1 if all are zero."""
    largest = values.max(axis=0)
    shares = values / np.where(largest > 0.0, largest, 1.0)
    squares = (shares**2).sum(axis=0)
    return np.asarray(np.divide(shares.sum(axis=0) ** 2, squares, out=np.ones_like(squares), where=squares > 0.0))


def _logistic(x: Floats, outcome: Floats, w: Floats) -> Floats | None:
    """The coefficients of a logistic regression; None if the search diverges."""
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
