"""Least squares and logistic regression with corrected labels: cross-fitted labels, coefficients and their errors."""

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
PENALTY = 1.0  # ridge penalty of the cross-fitted labels, in number of labels
SAME = 1e-9  # relative length of a residual column, below which the other columns determine this column
ROUNDING = 1e-12  # rounding error of an outcome, relative to the largest outcome
PSEUDO = 0.5  # assumed number of errors beyond the observed errors
MIN_COVERED_INFORMATION = 0.5  # proportion of the information on a coefficient that labelled rows must represent
MIN_INFORMATIVE_LABELS = 5.0  # effective number of labels that must contribute to this information
FEW_DEGREES = 4  # degrees of freedom, below which an interval is rough (Pustejovsky & Tipton 2018)
MAX_UNSEEN = 0.01  # proportion of a variance in directions in which all residuals are 0
SOLVED, OPEN = 1e-6, 1e7  # maximum gradient of a solution; variance of a coefficient above which the loss is flat


@dataclass(frozen=True, slots=True)
class Regression:
    """The regressors: columns (N, k) with their names, and weights (N,) of the rows.

    nuisance (N, m): further columns, whose coefficients are not reported. absorbed (N,): codes of a fixed effect, whose
    means are subtracted from all columns and outcomes. units (N,): codes of clusters; None if rows are independent.
    logit: whether the model is logistic instead of linear.
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
        """Return columns (N, c) minus their weighted means within the levels of the absorbed effect."""
        if self.absorbed is None or not values.shape[1]:
            return values
        total = np.maximum(np.bincount(self.absorbed, self.weight), np.finfo(float).tiny)
        means = [np.bincount(self.absorbed, self.weight * column) / total for column in values.T]
        return np.asarray(values - np.stack(means, axis=1)[self.absorbed])

    def design(self) -> Floats:
        """Return all columns, minus their means within the levels of the absorbed effect."""
        return self.within(np.hstack([self.columns, self.nuisance]))


@dataclass(frozen=True, slots=True)
class Labelled:
    """The labelled rows among N rows.

    rows (n,): their indices. weight (n,): the number of rows that each represents; the sum is N. of_all (N,): the
    stratum of every row, if rows were drawn within strata. element (n,): codes of the elements that were drawn, each of
    which may contain several rows.
    """

    rows: Integers
    weight: Floats
    of_all: Integers | None
    element: Integers

    def spread(self, n: int, values: Floats) -> Floats:
        """Return an array (N, c) with values (n, c) times weights in the labelled rows, and 0 in all other rows."""
        all_rows = np.zeros((n, values.shape[1]))
        all_rows[self.rows] = self.weight[:, None] * values
        return all_rows

    def centring(self, n: int, values: Floats) -> Floats:
        """Return summands (N, c) that centre the values (n, c) of labelled rows within strata.

        Each row gets the weighted mean of the values in its stratum. From labelled rows, the mean times the weight is
        subtracted. A draw of fixed size within strata does not vary these means.
        """
        stratum_of_all = np.zeros(n, dtype=np.int64) if self.of_all is None else self.of_all
        stratum_of_labelled = stratum_of_all[self.rows]
        total = np.maximum(np.bincount(stratum_of_labelled, self.weight), np.finfo(float).tiny)
        means = np.stack(
            [np.bincount(stratum_of_labelled, self.weight * column) / total for column in values.T], axis=1
        )
        return np.asarray(means[stratum_of_all] - self.spread(n, means[stratum_of_labelled]))


def dependent(columns: Floats, length: Floats) -> int | None:
    """Return the index of the first column that is a linear combination of earlier columns, up to rounding errors.

    length: the lengths to which rounding errors are relative. Returns None if there is no such column.

    >>> columns = np.array([[1.0, 0.0, 1.0], [1.0, 1.0, 2.0], [1.0, 3.0, 4.0]])
    >>> dependent(columns, np.linalg.norm(columns, axis=0))
    2
    """
    rest = np.abs(np.diag(np.linalg.qr(columns / np.where(length > 0.0, length, 1.0), mode="r")))
    dependents = np.flatnonzero(rest <= SAME)
    return int(dependents[0]) if len(dependents) else None


def cross_fitted(features: Floats, labels: Floats, labelled: Labelled) -> Floats:
    """Return the expected labels (N, c) of all rows, by ridge regression of the labels (n, c) on features (N, p).

    There are five regressions, each without the labels of one fifth of the elements. A labelled row is predicted by the
    regression that did not use its element, all other rows by the mean of the five predictions. All columns of labels
    are regressed on the same features, so the predictions of proportions that sum to 1 also sum to 1.
    """
    mean, scale = features.mean(axis=0), features.std(axis=0)
    kept = scale > SAME * np.abs(features).max(axis=0, initial=0.0)
    x = (features[:, kept] - mean[kept]) / scale[kept]
    _, first, code = np.unique(labelled.element, return_index=True, return_inverse=True)
    fold = np.argsort(np.argsort(first))[code] % FOLDS  # in the order of the rows
    weights = labelled.weight / labelled.weight.mean()
    levels, slopes = np.zeros((FOLDS, labels.shape[1])), np.zeros((FOLDS, x.shape[1], labels.shape[1]))
    for held_out in range(FOLDS):
        in_training = fold != held_out
        x_train, labels_train, weights_train = (
            x[labelled.rows[in_training]],
            labels[in_training],
            weights[in_training][:, None],
        )
        level, centre = (
            (weights_train * labels_train).sum(axis=0) / weights_train.sum(),
            (weights_train * x_train).sum(axis=0) / weights_train.sum(),
        )
        x_train = x_train - centre
        slope = np.linalg.solve(
            (weights_train * x_train).T @ x_train + PENALTY * np.eye(x_train.shape[1]),
            (weights_train * x_train).T @ (labels_train - level),
        )
        levels[held_out], slopes[held_out] = level - centre @ slope, slope
    expected = levels.mean(axis=0) + x @ slopes.mean(axis=0)
    expected[labelled.rows] = levels[fold] + np.einsum("nf,nfc->nc", x[labelled.rows], slopes[fold])
    return np.asarray(expected)


@dataclass(frozen=True, slots=True)
class ScaledDesign:
    """The design matrix of a regression, and quantities derived from it.

    x (N, K): the design matrix. scale (N,): the square root of the curvature of each row's loss, by which rows are
    scaled. inverse (K, K): the inverse of R in the decomposition Q R of the scaled design. basis (N, K): Q. contrasts
    (N, k): the effect of each scaled outcome on the requested coefficients. adjusted, unseen: see `Leverage.adjusted`.
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
        """Return the least-squares coefficients (K,) for a scaled outcome (N,), refined once by its residuals."""
        coefficients = self.inverse @ (self.basis.T @ outcome)
        residuals = outcome - self.scale * (self.x @ coefficients)
        return np.asarray(coefficients + self.inverse @ (self.basis.T @ residuals))


LACKING = {
    "variation": "labelled rows hardly differ in these columns: label rows in which they differ",
    "number": f"fewer than {MIN_INFORMATIVE_LABELS:g} labels determine these: label more rows in which they differ",
    "weight": "a few labels with a small chance of being drawn determine these: label more rows like these",
}


@dataclass(frozen=True, slots=True)
class Fit:
    """Coefficients (k,), their standard errors and degrees of freedom.

    lacking (k,): what is missing in the labels that determine the coefficient, one of `LACKING`; "" if they suffice.
    has_error (k,): whether its standard error can be estimated.
    """

    values: Floats
    errors: Floats
    degrees: Floats
    lacking: npt.NDArray[np.str_]
    has_error: Bools

    @property
    def has_labels(self) -> Bools:
        """Whether enough labels have information on each coefficient."""
        return np.asarray(self.lacking == "")

    def estimate(self, place: int, *, level: float, method: str, n: int) -> tuple[Estimate, float, float]:
        """Return a coefficient with its Student interval, its standard error, and the p-value of "it is 0".

        If the standard error cannot be estimated, there is no interval, and the other two values are NaN.
        """
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
    """Return the coefficients for an outcome (N,), with CR2 errors; None if logistic regression has no finite solution.

    The coefficients solve Σ w x (y - x β) = 0, or Σ w x (y - σ(x β)) = 0. design: the design of a linear model, which
    can be computed once for several outcomes. labelled, residuals (n,): for a corrected outcome, the labelled rows, and
    their labels minus the expected labels. is_label: labels are 0 or 1, so half an error more than was observed is
    assumed.

    The error of a coefficient is Σ c e with contrasts c and errors e, both scaled as in `cluster_robust`. Its variance
    is the sum over G clusters of s², with s = Σ A c e over the rows of a cluster (without clusters, each row is a
    cluster). For a corrected outcome, s is centred within strata (`Labelled.centring`), because a draw of fixed size
    does not vary the means of strata. For the degrees of freedom, the errors of labelled rows have a larger variance
    (`_variances`). If few clusters contribute most of the variance, the degrees of freedom are at most
    2 / (Σ s⁴ / (Σ s²)² - 1/G) - 1.
    """
    solution = _logistic_fit(regression, outcome) if regression.logit else _linear_fit(regression, outcome, design)
    if solution is None:
        return None
    design, values, misfit = solution
    n, n_coefficients, contrasts, adjusted = len(outcome), regression.n_requested, design.contrasts, design.adjusted
    scale = design.scale
    outcome_scale = np.divide(regression.weight, scale, out=np.zeros(n), where=scale > 0.0)
    errors = outcome_scale * misfit  # scaled errors
    scores, variances = adjusted * errors[:, None], np.ones(n)
    unseen_errors, lacking = np.zeros(n_coefficients), np.full(n_coefficients, "", dtype="<U9")
    if labelled is not None and residuals is not None:
        labelled_scores = (outcome_scale[:, None] * adjusted)[labelled.rows] * residuals[:, None]
        scores = scores + labelled.centring(n, labelled_scores)
        squares, weight = (outcome_scale[:, None] * contrasts)[labelled.rows] ** 2, labelled.weight[:, None]
        if is_label:
            p_more = PSEUDO / (len(residuals) + 1)
            unseen_errors = p_more * (1.0 - p_more) * (weight * (weight - 1.0) * squares).sum(axis=0)
        information = ((outcome_scale[:, None] * contrasts) ** 2).sum(axis=0)
        is_covered = (weight * squares).sum(axis=0) > MIN_COVERED_INFORMATION * information
        few, few_weighted = (_effective_numbers(part) < MIN_INFORMATIVE_LABELS for part in (squares, weight * squares))
        lacking = np.select([~is_covered, few_weighted & few, few_weighted], [*LACKING], "")
        variances = _variances(errors, labelled)
    if regression.units is not None:
        scores = np.stack([np.bincount(regression.units, part) for part in scores.T], axis=1)
    squares = scores**2
    degrees = design.leverage.degrees_of_freedom(adjusted, variances)
    if labelled is not None:
        groups = len(squares)
        spread = np.maximum(1.0 / _effective_numbers(squares) - 1.0 / groups, 2.0 / groups**2)
        degrees = np.minimum(degrees, np.maximum(2.0 / spread - 1.0, 1.0))
    error = np.sqrt(squares.sum(axis=0) + unseen_errors)
    return Fit(values[:n_coefficients], error, np.maximum(degrees, 1.0), lacking, design.unseen <= MAX_UNSEEN)


def rough_intervals(names: Sequence[str], degrees: Floats, what: str) -> list[str]:
    """Return a note on coefficients with few degrees of freedom, because too few of `what` (such as clusters) determine
    them.

    Returns an empty list if there are no such coefficients.

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
    """Return the design of a linear model, which does not depend on the outcome."""
    return ScaledDesign.of(regression, regression.design(), regression.weight)


def _linear_fit(
    regression: Regression, outcome: Floats, design: ScaledDesign | None
) -> tuple[ScaledDesign, Floats, Floats]:
    """Return the design, all coefficients (K,), and the residuals of the outcome."""
    design = design or linear_design(regression)
    y = regression.within(outcome[:, None])[:, 0]
    values = design.solve(design.scale * y)
    misfit = y - design.x @ values
    misfit[np.abs(misfit) <= ROUNDING * np.abs(y).max()] = 0.0  # the columns determine the outcome
    return design, values, misfit


def _logistic_fit(regression: Regression, outcome: Floats) -> tuple[ScaledDesign, Floats, Floats] | None:
    """Return the results of `_linear_fit` for a logistic regression; None if there is no finite solution."""
    x = regression.design()
    values = _logistic(x, outcome, regression.weight)
    if values is None:
        return None
    p = sigmoid(x @ values)
    return ScaledDesign.of(regression, x, regression.weight * p * (1.0 - p)), values, outcome - p


def _variances(errors: Floats, labelled: Labelled) -> Floats:
    """Return the assumed variances (N,) of scaled errors, for the degrees of freedom.

    Rows without a label have their mean squared error. Labelled rows have a larger variance, and the excess, which is
    proportional to their squared weights, has the same sum as the excess of their squared errors. All are 1 if all
    errors are 0.
    """
    has_label = np.zeros(len(errors), dtype=np.bool_)
    has_label[labelled.rows] = True
    squares, weights = errors**2, labelled.weight**2
    base = 0.0 if has_label.all() else float(squares[~has_label].mean())
    variances = np.full(len(errors), base)
    variances[labelled.rows] += max(float((squares[has_label] - base).sum()), 0.0) / weights.sum() * weights
    return variances if variances.any() else np.ones(len(errors))


def _effective_numbers(values: Floats) -> Floats:
    """Return the effective number of values of each column, (Σ v)² / Σ v² (Kish); 1 if all values are 0."""
    largest = values.max(axis=0)
    shares = values / np.where(largest > 0.0, largest, 1.0)
    squares = (shares**2).sum(axis=0)
    return np.asarray(np.divide(shares.sum(axis=0) ** 2, squares, out=np.ones_like(squares), where=squares > 0.0))


def _logistic(x: Floats, outcome: Floats, w: Floats) -> Floats | None:
    """Return the coefficients of a logistic regression with weights w (N,); None if the search diverges."""
    scale = np.sqrt((x**2).mean(axis=0))
    scaled_x, w = x / scale, w / w.sum()

    def objective(coefficients_: Floats) -> tuple[float, Floats]:
        eta = scaled_x @ coefficients_
        return float(w @ (np.logaddexp(0.0, eta) - outcome * eta)), scaled_x.T @ (w * (sigmoid(eta) - outcome))

    def hessian(coefficients_: Floats) -> Floats:
        p = sigmoid(scaled_x @ coefficients_)
        return np.asarray((scaled_x * (w * p * (1.0 - p))[:, None]).T @ scaled_x)

    coefficients = newton_minimum(objective, hessian, np.zeros(x.shape[1]))
    try:
        largest_variance = float(np.diag(np.linalg.inv(hessian(coefficients))).max())
    except np.linalg.LinAlgError:
        return None
    solved = np.abs(objective(coefficients)[1]).max() < SOLVED and 0.0 < largest_variance < OPEN
    return np.asarray(coefficients / scale) if solved else None
