"""How often does a monitor of a calibrated model ever raise an alarm, and how soon if a model gets worse?

    nice .venv/bin/python -m benchmarks.monitoring [--quick]

prints the tables of docs/monitoring.md. Many streams are simulated at once, each with its own e-process: one pass of
numpy does for all streams what `howsure.monitoring.group.Group.take` does for one. The tests import functions of this
file, and check that both agree.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.regimes.monitoring import START, Watched
from howsure import CalibrationMonitor, Estimate, calibration_test
from howsure.check.calibration import run_calibration_check
from howsure.monitoring.bets import (
    CELL_SHIFTS,
    LEARNED_PRIOR,
    MAX_LOSS,
    MEMORIES,
    N_CELLS,
    NAMES,
    WEIGHTS,
    CellSums,
    Tolerated,
    _gains,
    _learned,
    _whole,
    assign_cells,
    waiting,
)
from howsure.monitoring.error_sequence import error_sequence, period_error
from howsure.monitoring.group import FIRST_CORRELATION, PAIRS_KNOWN

Array = Any
Rng = np.random.Generator
LAWS: dict[str, Callable[[Rng, Any], Array]] = {
    "even": lambda rng, size: rng.random(size),
    "confident": lambda rng, size: rng.beta(4, 1.5, size),
    "rare": lambda rng, size: rng.beta(0.5, 60, size),
    "certain": lambda rng, size: np.where(rng.random(size) < 0.5, rng.beta(0.2, 0.2, size), rng.integers(0, 2, size)),
    "one value": lambda rng, size: np.full(size, 0.9),
}
THRESHOLD = math.log(20)
CHANGE, LONGEST = 100, 400  # nights until a model gets worse, and that it is followed then
DROP = 0.05


class Streams:
    """Simultaneous runs of the e-process. Rows are arrays (runs, rows); `size` successive rows are a cluster with one
    probability."""

    def __init__(self, runs: int, *, tolerance: float = 0.0, size: int = 1) -> None:
        self.runs, self.size, self.tolerated = runs, size, Tolerated.everywhere(tolerance)
        self.begun = np.full((len(NAMES), runs), -math.inf)
        self.sums = np.zeros((2, len(MEMORIES), runs, N_CELLS))
        self.pairs, self.spread = np.zeros((2, runs)), np.zeros((2, runs))
        self.looks, self.highest = 0, np.zeros(runs)

    def take(self, labels: Array, probabilities: Array, is_known: Array = None) -> Array:
        """Add a period, and return the logarithms of the e-values after it. Labels that are not known yet are left
        out."""
        rows = probabilities.shape[1]
        q, y = probabilities.ravel(), labels.ravel()
        here = np.ones(len(q)) if is_known is None else is_known.ravel().astype(float)
        cells, run = assign_cells(q), np.repeat(np.arange(self.runs), rows)
        lower, upper = self.tolerated.bounds(q, cells)
        gaps = self.sums[0] / (self.sums[1] + LEARNED_PRIOR)
        worth = self.size / (1.0 + (self.size - 1.0) * self.correlation)
        stake = np.repeat(worth, rows // self.size)

        def logs(bet: Any) -> Array:
            gained = np.where(y == 1, bet[1], bet[0])
            if self.size == 1:
                return here * np.log1p(gained)
            mean = gained.reshape(-1, self.size).mean(axis=1)
            lost = np.maximum(0.0, -np.minimum(*bet)).reshape(-1, self.size).mean(axis=1)
            limit = MAX_LOSS / np.maximum(lost, 1e-300)
            return np.log1p(np.maximum(np.minimum(stake, limit), 1.0) * mean)

        bets = [*_whole(lower, upper), *_learned(q + gaps[:, run, cells], lower, upper)]
        log_e_values = [logs(bet).reshape(self.runs, -1).sum(axis=1) for bet in bets]
        place = run * N_CELLS + cells
        for shift in CELL_SHIFTS:
            for target, bound in ((upper + shift, upper), (lower - shift, lower)):
                summed = np.bincount(place[:: self.size], logs(_gains(target, bound)), self.runs * N_CELLS)
                log_e_values += list(summed.reshape(self.runs, N_CELLS).T)
        entering = math.log(waiting(self.looks + 1) - waiting(self.looks + 2))
        self.begun = np.logaddexp(self.begun, entering) + np.array(log_e_values)
        self.looks += 1
        self._learn(y - q, here, place)
        top = self.begun.max(axis=0)
        mixed = top + np.log((WEIGHTS[:, None] * np.exp(self.begun - top)).sum(axis=0))
        log_e = np.logaddexp(mixed, math.log(waiting(self.looks + 1)))
        self.highest = np.maximum(self.highest, log_e)
        return log_e

    @property
    def correlation(self) -> Array:
        """Return the estimated correlation within clusters of each run."""
        with np.errstate(invalid="ignore", divide="ignore"):
            variance = np.where(self.spread[1] > 0, self.spread[0] / self.spread[1], 1.0)
            guess = FIRST_CORRELATION * variance * PAIRS_KNOWN
            return np.clip((guess + self.pairs[1]) / (variance * (PAIRS_KNOWN + self.pairs[0])), 0.0, 1.0)

    def _learn(self, z: Array, here: Array, place: Array) -> None:
        memory = np.array(MEMORIES)[:, None, None]
        sums = [np.bincount(place, weights, self.runs * N_CELLS) for weights in (here * z, here)]
        self.sums = memory * self.sums + np.array(sums).reshape(2, 1, self.runs, N_CELLS)
        by_run = (here * z * z).reshape(self.runs, -1)
        self.spread += [by_run.sum(axis=1), np.full(self.runs, by_run.shape[1])]
        if self.size > 1:
            squares = (z.reshape(self.runs, -1, self.size).sum(axis=2) ** 2).sum(axis=1)
            ordered = by_run.shape[1] * (self.size - 1.0)
            self.pairs += [np.full(self.runs, ordered), squares - by_run.sum(axis=1)]


def highest(
    law: str, *, runs: int, looks: int, rows: int, seed: int, tolerance: float = 0.0, size: int = 1, late: bool = False
) -> Array:
    """Return the highest logarithm of the e-value of each run, for models whose error equals the tolerance.

    size: rows of a cluster, which are all right or wrong together.
    late: whether three in ten labels never arrive; they are missing more often if label 1 is more probable.
    """
    rng = np.random.default_rng(seed)
    streams = Streams(runs, tolerance=tolerance, size=size)
    for _ in range(looks):
        q = np.repeat(LAWS[law](rng, (runs, rows // size)), size, axis=1)
        u = np.repeat(rng.random((runs, rows // size)), size, axis=1)
        is_known = rng.random((runs, rows)) > 0.6 * q if late else None
        streams.take(u < np.clip(q - tolerance, 0, 1), q, is_known)
    return streams.highest


REGIMES: dict[str, dict[str, Any]] = {
    "probabilities over all of [0, 1]": {"law": "even"},
    "confident, off by just the tolerance of 0.02": {"law": "confident", "tolerance": 0.02},
    "rare labels (0.8 %)": {"law": "rare"},
    "a quarter of the probabilities 0, a quarter 1": {"law": "certain"},
    "always 0.9": {"law": "one value"},
    "clusters of 5, right or wrong together": {"law": "confident", "size": 5},
    "late labels, missing where 1 is probable": {"law": "confident", "late": True},
}


def nights_until(rows: int, *, runs: int, tolerance: float, seed: int) -> Array:
    """Return the nights from the change to the alarm, for models that get worse by DROP after CHANGE nights (LONGEST
    without an alarm; negative for an alarm before the change)."""
    rng = np.random.default_rng(seed)
    streams = Streams(runs, tolerance=tolerance)
    delays = np.full(runs, LONGEST)
    for night in range(CHANGE + LONGEST):
        q = LAWS["confident"](rng, (runs, rows))
        y = rng.random((runs, rows)) < np.clip(q - DROP * (night >= CHANGE), 0, 1)
        first = (streams.take(y, q) >= THRESHOLD) & (delays == LONGEST)
        delays[first] = night + 1 - CHANGE
        if (delays < LONGEST).all():
            break
    return delays


def _by_night(rows: int, *, runs: int, seed: int, alarms: Callable[[Array, Array], bool], nights: int) -> Array:
    """Return the same for a test of each night's rows alone."""
    delays = []
    for stream in range(runs):
        rng = np.random.default_rng((seed, stream))
        for night in range(CHANGE + nights):
            q = LAWS["confident"](rng, rows)
            y = (rng.random(rows) < np.clip(q - DROP * (night >= CHANGE), 0, 1)).astype(np.uint8)
            if alarms(y, q):
                break
        delays.append(night + 1 - CHANGE if night + 1 < CHANGE + nights else nights)
    return np.array(delays)


TESTS: dict[str, Callable[[Array, Array], bool]] = {
    "test of each night at 0.05": lambda y, q: calibration_test(y, q, rng=0).p_value <= 0.05,
    "test of each night at 0.05 / 365": lambda y, q: calibration_test(y, q, rng=0).p_value <= 0.05 / 365,
    "check of each night, error < 0.02, alarms over 30 nights": lambda y, q: (
        run_calibration_check(y, q, max_error=0.02, alarms_over=30).outcome == "fail"
    ),
}


def bands(gap: float, *, runs: int, looks: int, rows: int, size: int, seed: int) -> tuple[float, float]:
    """Return how often the band of the error of all rows covers at all looks together, and how often that of one
    period.

    `size` successive rows are a cluster with one probability, right or wrong together.
    """
    rng, always, alone = np.random.default_rng(seed), 0, 0
    clusters = None if size == 1 else np.arange(rows) // size
    for _ in range(runs):
        total, covered = CellSums.zero(), True
        for _ in range(looks):
            q = np.repeat(rng.uniform(0.2, 1.0, rows // size), size)
            y = (np.repeat(rng.random(rows // size), size) < q - gap).astype(np.uint8)
            sums = CellSums.of(y, q, clusters)
            total += sums
            whole, of_period = error_sequence(total), period_error(sums)
            covered &= _holds(whole, gap)
            alone += _holds(of_period, gap)
        always += covered
    return always / runs, alone / (runs * looks)


def _holds(estimate: Estimate, truth: float) -> bool:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low <= truth <= estimate.high


def dated(rows: int, *, drop: float, runs: int, seed: int) -> Array:
    """Return the error, in nights, of the estimated date of the change, for models that raised an alarm."""
    errors_in_days = []
    for stream in range(runs):
        rng = np.random.default_rng((seed, stream))
        night = np.repeat(np.arange(CHANGE + 60), rows)
        q = LAWS["confident"](rng, len(night))
        y = rng.random(len(q)) < np.clip(q - drop * (night >= CHANGE), 0, 1)
        monitor = CalibrationMonitor(tolerance=0.0)
        monitor.update(np.datetime64("2026-01-01") + night, y, q)
        status = monitor.status()["all"]
        if status.alarm is not None:
            errors_in_days.append(
                int((np.datetime64(str(status.since)) - np.datetime64("2026-01-01")).astype(int)) - CHANGE
            )
    return np.array(errors_in_days)


def main() -> None:
    """Print the tables."""
    quick = "--quick" in sys.argv
    runs, looks = (50, 500) if quick else (200, 10_000)
    print("| calibrated models | runs with an alarm ever | of |\n|---|---:|---:|")
    for name, regime in REGIMES.items():
        peaks = highest(**regime, runs=runs, looks=looks, rows=10, seed=1)
        print(f"| {name} | {int((peaks >= THRESHOLD).sum())} | {runs} |", flush=True)
    print("\n| rows a night | method | alarm before the change | median delay | nine in ten within |")
    print("|---:|---|---:|---:|---:|")
    for rows in (100, 500):
        for tolerance in (0.0, 0.02):
            delays = nights_until(rows, runs=runs, tolerance=tolerance, seed=2)
            _row(rows, f"monitor, tolerance {tolerance:g}", delays)
        for name, alarms in TESTS.items() if rows == 100 else ():  # of 500, they take an hour
            delays = _by_night(rows, runs=10 if quick else 40, seed=3, alarms=alarms, nights=100 if quick else 200)
            _row(rows, name, delays)

    print("\n| rows of the reference | in a cluster | drop | found | median delay |\n|---:|---:|---:|---:|---:|")
    nights = 60
    for rows, size, drop in AFTER_REFERENCE:
        delays = after_reference(rows, size=size, drop=drop, runs=10 if quick else 40, nights=nights, seed=6)
        shares = f"{(delays < nights).mean():.2f} | {np.median(delays):.0f}"
        print(f"| {rows:,} | {size} | {drop:g} | {shares} |", flush=True)
    print("\n| rows a night | drop | alarms | since: off by at most 2 nights | 7 nights |\n|---:|---:|---:|---:|---:|")
    for rows, drop in ((100, 0.05), (100, 0.1), (500, 0.05)):
        off = np.abs(dated(rows, drop=drop, runs=10 if quick else 40, seed=4))
        shares = " | ".join(f"{(off <= n).mean():.2f}" for n in (2, 7))
        print(f"| {rows} | {drop:g} | {len(off)} | {shares} |", flush=True)
    print("\n| gap | rows a period | in a cluster | band at 60 looks together | interval of a period |")
    print("|---:|---:|---:|---:|---:|")
    for size in (1, 5):
        for gap in (0.0, 0.05, 0.15):
            for rows in (100, 500):
                both = bands(gap, runs=20 if quick else 100, looks=60, rows=rows, size=size, seed=5)
                print(f"| {gap:g} | {rows} | {size} | {both[0]:.3f} | {both[1]:.3f} |", flush=True)


AFTER_REFERENCE = (  # its rows, rows of a cluster, and the drop after it
    (150, 1, 0.2),
    (300, 1, 0.2),
    (1_000, 1, 0.2),
    (1_000, 1, 0.1),
    (3_000, 1, 0.1),
    (3_000, 5, 0.2),
)


def after_reference(rows: int, *, size: int, drop: float, runs: int, nights: int, seed: int) -> Array:
    """Return the nights until the alarm (`nights` without one), for models that were always off, and get worse after a
    reference."""
    watched, delays = Watched(rows, size=size), []
    for run in range(runs):
        day = watched.alarm(np.random.default_rng((seed, run)), nights, drop=drop)
        delays.append(nights if day is None else int((np.datetime64(day) - START).astype(int)))
    return np.array(delays)


def _row(rows: int, name: str, delays: Array) -> None:
    after = delays[delays > 0]
    quantiles = [f"{np.quantile(after, p):.0f}" if len(after) > 4 else "–" for p in (0.5, 0.9)]
    print(f"| {rows} | {name} | {(delays <= 0).mean():.2f} | {' | '.join(quantiles)} |", flush=True)


if __name__ == "__main__":
    main()
