"""Figure 1 of BooStSa's paper: p on simulated test sets of growing size, by the share of the sub-samples."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from howsure.inputs.pairs import Floats
from howsure.show.table import Table
from howsure.stats.estimate import Estimate
from howsure.stats.proportions import normal_quantile
from howsure_papers.boostsa.p_values import EXACT, FULL, SHARES, TESTS, Columns, p_values, share_name
from howsure_papers.figures.lines import Series
from howsure_papers.replicates import verdict
from howsure_papers.reproduction import Advance, Finding

SIZES = (1_000, 2_000, 4_000, 6_000, 8_000, 10_000)
SIMULATIONS, LOOPS = 10, 1_000
ACCURACIES = (0.80, 0.81)
METRIC = "macro_f1"
STABLE = 0.02  # half the width of an interval of p that counts as narrow
LEVEL = 0.95
SMALLEST, LARGEST = share_name(SHARES[0]), share_name(SHARES[-1])


@dataclass(frozen=True, slots=True)
class Simulated:
    """p of every test on simulated test sets: (sizes, tests, simulations)."""

    p: Floats

    def of(self, test: str) -> Floats:
        """p of one test: (sizes, simulations)."""
        found: Floats = self.p[:, TESTS.index(test)]
        return found

    def panels(self) -> list[tuple[str, list[Series]]]:
        """The mean over the simulations, with its 95 % interval."""
        lines = []
        for test in TESTS:
            means = [_mean(row) for row in self.of(test)]
            lows, highs = [one.low or 0.0 for one in means], [one.high or 0.0 for one in means]
            lines.append(Series(test, SIZES, [one.value for one in means], lows, highs))
        return [("a true difference of one point", lines)]

    def table(self) -> Table:
        """The means."""
        rows = [[f"{n:,}", *(f"{p:.3f}" for p in one.mean(axis=1))] for n, one in zip(SIZES, self.p, strict=True)]
        return Table(["test set", *TESTS], rows, caption="Figure 1: mean p of macro-F1 by test-set size and share")

    def findings(self) -> tuple[Finding, ...]:
        """What the paper says of the figure, each decided by the least certain of its intervals."""
        by_size = [_mean(self.of(share_name(share))[0] - self.of(share_name(share))[-1]) for share in SHARES]
        by_share = [_mean(one) for one in self.of(SMALLEST) - self.of(LARGEST)]
        rule = self.p[:, : len(SHARES)]
        widest = float(rule.std(axis=2, ddof=1).max()) * normal_quantile(LEVEL) / math.sqrt(SIMULATIONS)
        small, large, full, exact = (f"{self.of(test)[-1].mean():.3f}" for test in (SMALLEST, LARGEST, FULL, EXACT))
        least_size, least_share = (min(drops, key=lambda one: one.low or 0.0) for drops in (by_size, by_share))
        grows = verdict(least_share)
        return (
            Finding(
                "1", "the larger the test set, the smaller p",
                f"from {SIZES[0]:,} to {SIZES[-1]:,} items p falls by {least_size} or more, whatever the share",
                verdict(least_size),
            ),
            Finding(
                "1", "p depends on the share of the sub-sample",
                f"from a share of {SHARES[0]} to one of {SHARES[-1]} p falls by {least_share} or more at every size",
                grows,
            ),
            Finding(
                "1", "(its text) too broad a sub-sample makes p artificially high",
                f"p falls as the share grows; of {SIZES[-1]:,} items it is {small} for a share of {SHARES[0]}, {large} "
                f"for {SHARES[-1]}, {full} for all items and {exact} by permutation",
                None if grows is None else not grows,
            ),
            Finding(
                "1", "1,000 iterations give stable results: narrow intervals over 10 simulations",
                f"the mean p is known within ± {widest:.3f} or better (narrow: ± {STABLE})", widest < STABLE,
            ),
        )  # fmt: skip


def simulate(seed: int, advance: Advance) -> Simulated:
    """Every test on every simulated set; `advance` is told of each set."""
    p = np.empty((len(SIZES), len(TESTS), SIMULATIONS))
    for i, n in enumerate(SIZES):
        for k in range(SIMULATIONS):
            columns = balanced(n, np.random.default_rng([seed, n, k]))
            p[i, :, k] = p_values(columns, [METRIC], loops=LOOPS, seed=seed + k)[:, 0]
            advance(1)
    return Simulated(p)


def balanced(n: int, rng: np.random.Generator) -> Columns:
    """Two classes of n/2 items; both systems are right equally often in either class, and their errors independent."""
    targets = np.repeat([0, 1], n // 2)
    systems = []
    for accuracy in ACCURACIES:
        wrong = np.zeros(n, dtype=bool)
        errors = round((1 - accuracy) * n / 2)
        for start in (0, n // 2):
            wrong[start + rng.choice(n // 2, errors, replace=False)] = True
        systems.append(np.where(wrong, 1 - targets, targets))
    return targets, systems[0], systems[1]


def _mean(values: Floats) -> Estimate:
    reach = normal_quantile(LEVEL) * float(values.std(ddof=1)) / math.sqrt(len(values))
    mean = float(values.mean())
    return Estimate(mean, mean - reach, mean + reach, LEVEL, "normal", len(values))
