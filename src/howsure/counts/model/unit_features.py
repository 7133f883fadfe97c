"""What the proxy knows of each unit: its score, columns of numbers, and its domain, on a common scale."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from howsure.counts.model.logits import clipped_logit
from howsure.counts.population.units import Units
from howsure.inputs.pairs import Floats, Integers

BLOCK = 1 << 16  # units at a time
MOST_DOMAINS = 60  # that have a coefficient of their own: those with most labels


@dataclass(frozen=True, slots=True)
class UnitFeatures:
    """Columns with mean 0 and standard deviation 1: numbers, then an indicator for each of some domains.

    numbers: the logit of the score, whether it is above 0, and what the user adds; `kept` are those that vary.
    Indicators are written out for few units only: `indicated` are domains, to each of which a `share` of units belongs.
    """

    units: Units
    added: list[Floats]
    kept: Integers
    mean: Floats
    deviation: Floats
    indicated: Integers
    share: Floats

    def matrix(self, rows: Integers) -> Floats:
        """The features (rows, K) of some units."""
        domain = self._domain(rows)
        indicators = (domain[:, None] == self.indicated) - self.share
        spread = np.sqrt(self.share * (1.0 - self.share))
        return np.column_stack([self._numbers(rows).T, indicators / spread])

    def linear(self, rows: Integers, coefficients: Floats) -> Floats:
        """x·b (m, rows) of some units for m vectors of coefficients (m, K + 1), the intercept first."""
        numbers = 1 + len(self.kept)
        held: Floats = coefficients[:, 1:numbers] @ self._numbers(rows) + coefficients[:, :1]
        if len(self.indicated):
            scaled = coefficients[:, numbers:] / np.sqrt(self.share * (1.0 - self.share))
            of_domain = np.zeros((len(coefficients), len(self.units.cells.domain_names)))
            of_domain[:, self.indicated] = scaled
            of_domain -= (scaled @ self.share)[:, None]
            held += of_domain[:, self._domain(rows)]
        return held

    def _domain(self, rows: Integers) -> Integers:
        held: Integers = self.units.cells.domain[self.units.cells.code[rows]]
        return held

    def _numbers(self, rows: Integers) -> Floats:
        """(numbers, rows)."""
        held: Floats = (_numbers_of(self.units, self.added, rows)[self.kept] - self.mean[:, None]) / self.deviation[
            :, None
        ]
        return held


def unit_features(units: Units, added: list[Floats]) -> UnitFeatures:
    """The features of all units: means and standard deviations are taken over all, block by block."""
    blocks = [slice(start, start + BLOCK) for start in range(0, len(units), BLOCK)]
    total = sum(_numbers_of(units, added, rows).sum(axis=1) for rows in blocks)
    mean = np.asarray(total) / len(units)
    low, high, squares = np.full((3, len(mean)), np.nan)
    for rows in blocks:
        numbers = _numbers_of(units, added, rows)
        low, high = np.fmin(low, numbers.min(axis=1)), np.fmax(high, numbers.max(axis=1))
        squares = np.nansum([squares, ((numbers - mean[:, None]) ** 2).sum(axis=1)], axis=0)
    kept = np.flatnonzero((low < high) & (squares > 0))
    indicated = _indicated(units)
    share = np.bincount(units.cells.domain, weights=units.cells.size)[indicated] / len(units)
    return UnitFeatures(units, added, kept, mean[kept], np.sqrt(squares[kept] / len(units)), indicated, share)


def _numbers_of(units: Units, added: list[Floats], rows: Integers | slice) -> Floats:
    """(2 + K, rows): the logit of the score, whether it is above 0, and the columns of the user."""
    score = units.score[rows]
    return np.stack([clipped_logit(score), (score > 0).astype(np.float64), *(column[rows] for column in added)])


def _indicated(units: Units) -> Integers:
    """The domains with an indicator: none if there is one domain, the 60 with most labels if there are more."""
    domains = len(units.cells.domain_names)
    if domains == 1:
        return np.empty(0, dtype=np.int64)
    labels = np.bincount(units.cells.domain[units.cell_of_labelled], minlength=domains)
    return np.sort(np.argsort(-labels, kind="stable")[:MOST_DOMAINS])
