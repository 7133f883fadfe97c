"""The proxy m, which predicts missing labels: a cross-fitted ridge logistic regression on features of all units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from howsure.counts.population import Units
from howsure.inputs.pairs import Floats, Integers
from howsure.stats.logistic import fit_logistic, sigmoid

# Logits of probabilities, kept away from 0 and 1.

MIN_PROBABILITY = 1e-4  # the probability of a unit without a label is never 0 or 1


def clipped_logit(p: Floats) -> Floats:
    """Return log(p / (1 - p)) of probabilities that are limited to [0.0001, 0.9999]."""
    kept = np.clip(p, MIN_PROBABILITY, 1.0 - MIN_PROBABILITY)
    return np.asarray(np.log(kept) - np.log1p(-kept))


# Features of each unit: its score, numeric columns, and its domain, standardized.

BLOCK = 1 << 16  # number of units that are computed together
MAX_DOMAINS = 60  # maximum number of domains with their own coefficient; those with the most labels are chosen


@dataclass(frozen=True, slots=True)
class UnitFeatures:
    """The features of units, with mean 0 and standard deviation 1: numeric columns, then indicators of domains.

    The numeric columns are the logit of the score, whether the score is above 0, and the user's columns (`added`).
    kept: the indices of numeric columns that vary; mean, deviation: of these columns. indicated: the domains with an
    indicator. share: the proportion of units in each of these domains.
    """

    units: Units
    added: list[Floats]
    kept: Integers
    mean: Floats
    deviation: Floats
    indicated: Integers
    share: Floats

    def matrix(self, rows: Integers) -> Floats:
        """Return the features (rows, K) of some units."""
        domain = self._domain(rows)
        indicators = (domain[:, None] == self.indicated) - self.share
        spread = np.sqrt(self.share * (1.0 - self.share))
        return np.column_stack([self._numbers(rows).T, indicators / spread])

    def linear(self, rows: Integers, coefficients: Floats) -> Floats:
        """Return x·b (m, rows) of some units for m vectors b of coefficients (m, K + 1), the intercept first."""
        numbers = 1 + len(self.kept)
        predictor: Floats = coefficients[:, 1:numbers] @ self._numbers(rows) + coefficients[:, :1]
        if len(self.indicated):
            scaled = coefficients[:, numbers:] / np.sqrt(self.share * (1.0 - self.share))
            domain_effects = np.zeros((len(coefficients), len(self.units.cells.domain_names)))
            domain_effects[:, self.indicated] = scaled
            domain_effects -= (scaled @ self.share)[:, None]
            predictor += domain_effects[:, self._domain(rows)]
        return predictor

    def _domain(self, rows: Integers) -> Integers:
        domain: Integers = self.units.cells.domain[self.units.cells.code[rows]]
        return domain

    def _numbers(self, rows: Integers) -> Floats:
        """Return the standardized numeric columns, (columns, rows)."""
        numbers: Floats = (
            _number_columns(self.units, self.added, rows)[self.kept] - self.mean[:, None]
        ) / self.deviation[:, None]
        return numbers


def unit_features(units: Units, added: list[Floats]) -> UnitFeatures:
    """Compute the means and standard deviations of features over all units."""
    blocks = [slice(start, start + BLOCK) for start in range(0, len(units), BLOCK)]
    total = sum(_number_columns(units, added, rows).sum(axis=1) for rows in blocks)
    mean = np.asarray(total) / len(units)
    low, high, squares = np.full((3, len(mean)), np.nan)
    for rows in blocks:
        numbers = _number_columns(units, added, rows)
        low, high = np.fmin(low, numbers.min(axis=1)), np.fmax(high, numbers.max(axis=1))
        squares = np.nansum([squares, ((numbers - mean[:, None]) ** 2).sum(axis=1)], axis=0)
    kept = np.flatnonzero((low < high) & (squares > 0))
    indicated = _indicated(units)
    share = np.bincount(units.cells.domain, weights=units.cells.size)[indicated] / len(units)
    return UnitFeatures(units, added, kept, mean[kept], np.sqrt(squares[kept] / len(units)), indicated, share)


def _number_columns(units: Units, added: list[Floats], rows: Integers | slice) -> Floats:
    """Return the logit of the score, whether the score is above 0, and the user's columns, (2 + K, rows)."""
    score = units.score[rows]
    return np.stack([clipped_logit(score), (score > 0).astype(np.float64), *(column[rows] for column in added)])


def _indicated(units: Units) -> Integers:
    """Return the domains with an indicator: none if there is only one domain, otherwise the 60 with the most labels."""
    domains = len(units.cells.domain_names)
    if domains == 1:
        return np.empty(0, dtype=np.int64)
    labels = np.bincount(units.cells.domain[units.cell_of_labelled], minlength=domains)
    return np.sort(np.argsort(-labels, kind="stable")[:MAX_DOMAINS])


RIDGE = 3.0
INTERCEPT_RIDGE = 0.1  # weak shrinkage towards the base rate, so that a fit exists if all labels are equal
FOLDS = 5
DRAWS = 8  # draws of the coefficients, in antithetic pairs
DRAWS_OF_MANY = 4  # draws for more than a million units or a thousand cells
MANY_UNITS, MANY_CELLS = 1_000_000, 1_000


@dataclass(frozen=True, slots=True)
class Proxy:
    """The fitted proxy: the logit of P(y = 1) of any unit, and draws of this logit for the uncertainty of the fit.

    In a draw, coefficients are drawn from Laplace's approximation, and the resulting change is added to the logit.
    fits: coefficients (folds, K + 1), the intercept first; shifts: draws of their changes (draws, K + 1).
    labelled_logits (n,): the logits of the labelled units, each by the fits that did not use its label.
    """

    features: UnitFeatures
    fits: Floats
    shifts: Floats
    labelled: Integers
    labelled_logits: Floats

    def logits(self, rows: Integers) -> Floats:
        """Return the logits of units without a label: of the mean probability over the fits of all folds."""
        return clipped_logit(sigmoid(self.features.linear(rows, self.fits)).mean(axis=0))

    def draws(self, rows: Integers, logits: Floats) -> Floats:
        """Return draws (draws, rows) of the logits of some units, given their logits."""
        drawn_logits: Floats = logits + self.features.linear(rows, self.shifts)
        return drawn_logits

    def labelled_draws(self) -> Floats:
        """Return draws (draws, n) of the logits of the labelled units."""
        return self.draws(self.labelled, self.labelled_logits)


def fit_proxy(
    units: Units, features: list[Floats], rng: np.random.Generator, *, without: Integers | None = None
) -> Proxy:
    """Fit the proxy to all labels, or to all except those at the positions `without` among the labelled units.

    The features are the logit of the score, whether the score is above 0, the user's features, and the domain.
    """
    unit_columns = unit_features(units, features)
    kept = np.arange(len(units.labelled)) if without is None else np.delete(np.arange(len(units.labelled)), without)
    labels = units.labels[kept]
    folds = assign_folds(units, features, rng)[kept]
    matrix, weight = unit_columns.matrix(units.labelled), label_weights(units)[kept]
    fits = [
        fit_ridge(matrix[kept[folds != fold]], labels[folds != fold], weight[folds != fold]).coefficients
        for fold in range(int(folds.max(initial=0)) + 1)
    ]
    fit = fit_ridge(matrix[kept], labels, weight)
    many = len(units) > MANY_UNITS or len(units.cells.names) > MANY_CELLS
    half = (DRAWS_OF_MANY if many else DRAWS) // 2
    shifts = rng.multivariate_normal(np.zeros(len(fit.coefficients)), fit.covariance, size=half, method="cholesky")
    proxy = Proxy(unit_columns, np.array(fits), np.concatenate([shifts, -shifts]), units.labelled, np.empty(0))
    labelled_logits = proxy.logits(units.labelled)
    for fold, coefficients in enumerate(fits):
        rows = kept[folds == fold]
        labelled_logits[rows] = clipped_logit(sigmoid(RidgeFit(coefficients, fit.covariance).logits(matrix[rows])))
    return replace(proxy, labelled_logits=labelled_logits)


def label_weights(units: Units) -> Floats:
    """Return the number of units that each label represents, scaled to sum to Kish's effective sample size (1965).

    If some strata have more labels than others, a fit without these weights would describe the sample, not the
    population.
    """
    weight = units.weight_of_labelled
    scaled: Floats = weight * (weight.sum() / (weight @ weight))
    return scaled


def assign_folds(units: Units, features: list[Floats], rng: np.random.Generator) -> Integers:
    """Return the fold of each labelled unit, which is the same for all units of an element.

    Folds do not depend on the order of rows, because elements are first sorted by all columns that the estimate uses.
    The columns that totals use come first and cells last, so that totals do not depend on the cells within a domain.
    """
    columns = [column[units.labelled] for column in features]
    cell = units.cell_of_labelled
    keys: list[Floats | Integers] = [
        units.labels,
        units.score[units.labelled],
        units.cells.domain[cell],
        units.weight_of_labelled,
        *columns,
    ]
    kinds = list(zip(_kinds(units, keys), _kinds(units, [*keys, cell]), strict=True))
    fold = np.empty(len(kinds), dtype=np.int64)
    fold[sorted(range(len(kinds)), key=kinds.__getitem__)] = rng.permutation(len(kinds)) % FOLDS
    return np.asarray(fold[units.draw.element])


def _kinds(units: Units, keys: Sequence[Floats | Integers]) -> list[tuple[int, ...]]:
    """Return the kinds of each drawn element's labelled units, ascending. Equal keys are of the same kind."""
    kind = np.unique(np.column_stack(keys), axis=0, return_inverse=True)[1].ravel()
    element = units.draw.element
    kinds, ends = kind[np.lexsort((kind, element))].tolist(), np.cumsum(np.bincount(element)).tolist()
    return [tuple(kinds[start:end]) for start, end in pairwise([0, *ends])]


@dataclass(frozen=True, slots=True)
class RidgeFit:
    """Coefficients (the intercept first) and their covariance under Laplace's approximation."""

    coefficients: Floats
    covariance: Floats

    def logits(self, features: Floats) -> Floats:
        """Return x·b of each row."""
        predictor: Floats = features @ self.coefficients[1:] + self.coefficients[0]
        return predictor


def fit_ridge(features: Floats, labels: Floats, weight: Floats | None = None) -> RidgeFit:
    """Minimise Σ w log(1 + e^{-(2y-1) x·b}) + λ/2 ‖b‖² over b, with λ = 3.

    For the intercept, λ = 0.1, and its distance from the logit of the base rate is penalised instead of its size.

    The objective is strictly convex, so there is one minimum.
    """
    n, k = features.shape
    w = np.ones(n) if weight is None else weight
    design = np.column_stack([np.ones(n), features])
    penalty = np.full(k + 1, RIDGE)
    penalty[0] = INTERCEPT_RIDGE
    centre = np.zeros(k + 1)
    positives = w @ labels
    centre[0] = np.log((positives + 0.5) / (w.sum() - positives + 0.5))
    fit = fit_logistic(design, labels, w, penalty=penalty, centre=centre)
    return RidgeFit(fit.coefficients, np.asarray(np.linalg.inv(fit.hessian), dtype=np.float64))
