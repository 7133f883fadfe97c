"""A proxy for the labels that nobody has read: cross-fitted ridge logistic regression on cheap features."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from howsure.counts.model.logits import clipped_logit, sigmoid
from howsure.counts.units import Units
from howsure.inputs.pairs import Floats, Integers

RIDGE = 3.0
OF_INTERCEPT = 0.1  # a weak pull towards the base rate, so that labels of one kind only have a fit
FOLDS = 5
STEPS = 50
TOLERANCE = 1e-10
BLOCK = 1 << 18  # rows
DRAWS = 12  # of the coefficients
DRAWS_OF_MANY = 4  # where there are more than a million units
MANY = 1_000_000


@dataclass(frozen=True, slots=True)
class Proxy:
    """The logit of P(y = 1) of each unit (N,), and draws of it (draws, N) that say how unsure the fit is.

    A draw adds to the cross-fitted logit what a draw of the coefficients, from Laplace's approximation, changes.
    """

    logits: Floats
    draws: tuple[Floats, ...]

    @property
    def probabilities(self) -> Floats:
        """m (N,)."""
        return sigmoid(self.logits)


def fit_proxy(
    units: Units, features: list[Floats], rng: np.random.Generator, *, without: Integers | None = None
) -> Proxy:
    """The proxy from the labels of all units, or of those that are not among the labelled ones at places `without`.

    Its features: the logit of the score, whether the score is above 0, what the user adds, and the domain.
    """
    domain = units.cells.domain[units.cells.code]
    n_domains = len(units.cells.domain_names)
    indicators = [(domain == k).astype(np.float64) for k in range(n_domains)] if n_domains > 1 else []
    found = (units.score > 0).astype(np.float64)
    matrix = standardised([clipped_logit(units.score), found, *features, *indicators])
    kept = np.arange(len(units.labelled)) if without is None else np.delete(np.arange(len(units.labelled)), without)
    labelled, labels = units.labelled[kept], units.labels[kept]
    folds = folds_of(units, rng)[kept]
    logits = cross_fitted(matrix, labelled, labels, folds)
    fit = fit_ridge(matrix[labelled], labels)
    n_draws = DRAWS if len(units) <= MANY else DRAWS_OF_MANY
    shifts = rng.multivariate_normal(np.zeros(len(fit.coefficients)), fit.covariance, size=n_draws)
    draws = tuple(logits + RidgeFit(shift, fit.covariance).logits(matrix) for shift in shifts)
    return Proxy(logits, draws)


def folds_of(units: Units, rng: np.random.Generator) -> Integers:
    """The fold of each labelled unit: what was drawn together stays together, in any order of the rows."""
    element = units.draw.element[units.labelled]
    keys = (units.cells.code[units.labelled], units.score[units.labelled], units.labels)
    rank: dict[int, int] = {}
    for place in np.lexsort(keys).tolist():
        rank.setdefault(int(element[place]), len(rank))
    order = rng.permutation(len(rank)) % FOLDS
    return np.array([order[rank[int(one)]] for one in element], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class RidgeFit:
    """Coefficients (the intercept first) and their covariance under Laplace's approximation."""

    coefficients: Floats
    covariance: Floats

    def logits(self, features: Floats) -> Floats:
        """x·b of each row."""
        held: Floats = features @ self.coefficients[1:] + self.coefficients[0]
        return held


def fit_ridge(features: Floats, labels: Floats) -> RidgeFit:
    """Minimise Σ log(1 + e^{-(2y-1) x·b}) + λ/2 ‖b‖², with λ = 3; 0.1 for the intercept's distance from the base rate.

    Newton's method with step halving: the objective is strictly convex, so any start leads to the one minimum.
    """
    n, k = features.shape
    design = np.column_stack([np.ones(n), features])
    penalty = np.full(k + 1, RIDGE)
    penalty[0] = OF_INTERCEPT
    centre = np.zeros(k + 1)
    positives = labels.sum()
    centre[0] = np.log((positives + 0.5) / (n - positives + 0.5))
    b = centre.copy()

    def objective(at: Floats) -> float:
        eta = design @ at
        return float(np.logaddexp(0.0, eta).sum() - labels @ eta + 0.5 * penalty @ (at - centre) ** 2)

    value = objective(b)
    for _ in range(STEPS):
        p = sigmoid(design @ b)
        gradient = design.T @ (p - labels) + penalty * (b - centre)
        hessian = (design * (p * (1.0 - p))[:, None]).T @ design + np.diag(penalty)
        step = np.linalg.solve(hessian, gradient)
        size, moved = 1.0, objective(b - step)
        while moved > value and size > 1e-6:
            size /= 2
            moved = objective(b - size * step)
        b, gained, value = b - size * step, value - moved, moved
        if gained < TOLERANCE * (1.0 + abs(value)):
            break
    p = sigmoid(design @ b)
    hessian = (design * (p * (1.0 - p))[:, None]).T @ design + np.diag(penalty)
    return RidgeFit(b, np.linalg.inv(hessian))


def cross_fitted(features: Floats, labelled: Integers, labels: Floats, folds: Integers) -> Floats:
    """The logit of the proxy of each unit (N,): out of its fold if it is labelled, else the mean of the folds.

    features (N, K) must be standardised; labelled are the rows that have labels; folds their numbers from 0. Means are
    taken of probabilities, which are kept within [0.0001, 0.9999].
    """
    fits = [
        fit_ridge(features[labelled[folds != fold]], labels[folds != fold])
        for fold in range(int(folds.max(initial=0)) + 1)
    ]
    logits = np.empty(len(features))
    for start in range(0, len(features), BLOCK):
        block = features[start : start + BLOCK]
        mean = sum((sigmoid(fit.logits(block)) for fit in fits), np.zeros(len(block))) / len(fits)
        logits[start : start + BLOCK] = clipped_logit(mean)
    for fold, fit in enumerate(fits):
        rows = labelled[folds == fold]
        logits[rows] = clipped_logit(sigmoid(fit.logits(features[rows])))
    return logits


def standardised(columns: list[Floats]) -> Floats:
    """Columns as a matrix whose columns have mean 0 and standard deviation 1; those that never vary are left out."""
    held = [(column - column.mean()) / column.std() for column in columns if column.std() > 0]
    n = len(columns[0]) if columns else 0
    return np.column_stack(held) if held else np.empty((n, 0))
