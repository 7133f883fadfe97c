"""The state of one group of a monitor: its evidence, its sums by period, and its alarm."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from howsure.inputs.pairs import Floats, Integers, Labels
from howsure.monitoring.bets import (
    LEARNED_PRIOR,
    MEMORIES,
    N_CELLS,
    SUMS,
    CellSums,
    EProcess,
    Tolerated,
    log_gains,
    tolerated_by,
)
from howsure.monitoring.settings import Settings

KEPT = 520  # number of latest periods whose sums are stored: ten years of weeks
MAX_ROWS = 1e15  # largest number of rows of a cell in a valid state
ALONE = 4  # if each row is its own cluster, the other sums follow from this many first ones
PAIRS_KNOWN = 20.0  # the first guess of the correlation within clusters counts as much as this many pairs of rows
FIRST_CORRELATION = 0.5


@dataclass(slots=True)
class Alarm:
    """The period in which the evidence crossed its threshold, and the estimated start and kind (bet) of the change."""

    period: str
    since: str
    bet: str


@dataclass(slots=True)
class Group:
    """The state of one group of a monitor, with z = y - q for label y and probability q.

    weight: the group's part of the false alarm probability. total, reference: the sums of all tested periods, and of
    the reference period. learned (2, MEMORIES, cells): Σ z and the number of rows in each cell of past periods; older
    periods have less weight. within, spread: two numbers each, from which the correlation within clusters is estimated:
    the number of pairs of rows in the same cluster and the sum of the products of their z; Σ z² and the number of rows.
    series: for the first day of each period, its sums, and the logarithm of the e-value after the period (None in the
    reference period).
    """

    weight: float
    process: EProcess = field(default_factory=EProcess)
    total: CellSums = field(default_factory=CellSums.zero)
    reference: CellSums = field(default_factory=CellSums.zero)
    learned: Floats = field(default_factory=lambda: np.zeros((2, len(MEMORIES), N_CELLS)))
    within: Floats = field(default_factory=lambda: np.zeros(2))
    spread: Floats = field(default_factory=lambda: np.zeros(2))
    series: dict[str, tuple[CellSums, float | None]] = field(default_factory=dict)
    alarm: Alarm | None = None

    def take(
        self, period: str, labels: Labels, probabilities: Floats, clusters: Integers | None, settings: Settings
    ) -> None:
        """Add the rows of one more period: evaluate the bets that were fixed before it, then learn from its rows."""
        sums = CellSums.of(labels, probabilities, clusters)
        log_e = None
        if settings.reference is not None and period <= settings.reference:
            self.reference += sums
        else:
            log_e = self._bet(period, labels, probabilities, clusters, settings)
            self.total += sums
        memory = np.array(MEMORIES)[:, None]
        self.learned = memory * self.learned + np.array([sums.observed - sums.predicted, sums.n])[:, None, :]
        self._learn_correlation(labels - probabilities, clusters)
        self.series[period] = sums, log_e
        if len(self.series) > KEPT:
            del self.series[next(iter(self.series))]

    def _bet(
        self, period: str, labels: Labels, probabilities: Floats, clusters: Integers | None, settings: Settings
    ) -> float:
        tolerance, size = settings.tolerance, settings.alpha * self.weight / 2.0
        tolerated = Tolerated.everywhere(tolerance)
        if settings.reference is not None:
            tolerated = tolerated_by(self.reference, tolerance=tolerance, alpha=size)
        gaps, rows = self.learned
        gains = log_gains(
            labels,
            probabilities,
            clusters,
            tolerated=tolerated,
            learned=gaps / (rows + LEARNED_PRIOR),
            correlation=self.correlation,
        )
        self.process.take(gains, period)
        log_e = self.process.log_e
        if self.alarm is None and log_e >= self.threshold(settings):
            self.alarm = Alarm(period, *self.process.suspected)
        return log_e

    def threshold(self, settings: Settings) -> float:
        """Return the logarithm of the e-value that raises an alarm.

        With a reference period, half of the probability of a false alarm is used for the intervals learned from it.
        """
        return math.log((1.0 if settings.reference is None else 2.0) / (settings.alpha * self.weight))

    @property
    def correlation(self) -> float:
        """The estimated correlation of z between two rows of a cluster, which determines its effective size."""
        pairs, products = self.within.tolist()
        squares, rows = self.spread.tolist()
        variance = squares / rows if rows else 1.0
        guess = FIRST_CORRELATION * variance * PAIRS_KNOWN
        return min(1.0, max(0.0, (guess + products) / (variance * (PAIRS_KNOWN + pairs)))) if variance else 1.0

    def _learn_correlation(self, z: Floats, clusters: Integers | None) -> None:
        squares = float((z * z).sum())
        self.spread = self.spread + np.array([squares, len(z)])
        if clusters is not None:
            size, sums = np.bincount(clusters), np.bincount(clusters, z)
            ordered_pairs = float((size.astype(np.float64) * (size - 1.0)).sum())
            self.within = self.within + np.array([ordered_pairs, float((sums**2).sum()) - squares])

    def to_dict(self) -> dict[str, Any]:
        """Return the state as plain values for JSON."""
        return {
            "weight": self.weight,
            "process": self.process.to_dict(),
            "total": _packed(self.total),
            "reference": _packed(self.reference),
            "learned": self.learned.tolist(),
            "within": self.within.tolist(),
            "spread": self.spread.tolist(),
            "alarm": None if self.alarm is None else [self.alarm.period, self.alarm.since, self.alarm.bet],
            "series": {period: [_packed(sums), log_e] for period, (sums, log_e) in self.series.items()},
        }

    @classmethod
    def from_dict(cls, state: dict[str, Any]) -> Self:
        """Restore from the result of `to_dict`."""
        learned = np.array(state["learned"], dtype=np.float64)
        if learned.shape != (2, len(MEMORIES), N_CELLS):
            raise ValueError(f"learned has the shape {learned.shape}")
        series = {
            str(np.datetime64(period, "D")): (_unpacked(sums), None if log_e is None else float(log_e))
            for period, (sums, log_e) in state["series"].items()
        }
        if not all(sums.n.any() for sums, _ in series.values()) or not 0.0 < state["weight"] <= 1.0:
            raise ValueError("a period without rows, or an invalid weight")
        alarm = None if state["alarm"] is None else Alarm(*map(str, state["alarm"]))
        within, spread = (np.array(state[name], dtype=np.float64) for name in ("within", "spread"))
        if within.shape != (2,) or spread.shape != (2,):
            raise ValueError("within and spread are two numbers each")
        return cls(
            float(state["weight"]),
            EProcess.from_dict(state["process"]),
            _unpacked(state["total"]),
            _unpacked(state["reference"]),
            learned,
            within,
            spread,
            series,
            alarm,
        )


def _packed(sums: CellSums) -> dict[str, list[float]]:
    """Return the sums of the cells with rows, by index of the cell; sums that follow from others are omitted."""
    packed = {}
    of_all = sums.values
    for cell in np.flatnonzero(sums.n).tolist():
        values = of_all[:, cell].tolist()
        packed[str(cell)] = values[:ALONE] if values == _row_sums(values[:ALONE]) else values
    return packed


def _row_sums(column: list[float]) -> list[float]:
    """Return all sums of a cell in which each row is its own cluster."""
    n, predicted, observed, squares = column
    return [n, predicted, observed, squares, squares, squares, n]


def _unpacked(state: dict[str, list[float]]) -> CellSums:
    values = np.zeros((len(SUMS), N_CELLS))
    for cell, column in state.items():
        values[:, int(cell)] = column if len(column) == len(SUMS) else _row_sums(column)
    n = values[0]
    if not (n <= MAX_ROWS).all():
        raise ValueError("more rows than a sum can count")
    most = np.repeat(n[None] ** 2, len(SUMS), axis=0)
    most[SUMS.index("dominating")] = n * n.sum()  # includes the cluster's rows in other cells
    possible = (values >= 0.0) & (values <= most) & ((n >= 1.0) | (values == 0.0))
    if not possible.all() or not (values[1:3] <= n).all():
        raise ValueError("these are the sums of no rows")
    return CellSums(*values)
