"""Do the intervals of strengths and the ranks of `howsure score battles` cover, and how long do they take?

    .venv/bin/python benchmarks/battles.py [--quick]

prints the figures of docs/scores.md. The models are simulated, and some of them are equally strong.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass

import numpy as np

import howsure
from howsure.scores.strengths import Strengths, fit_strengths

RUNS, QUICK = 200, 20
WINNER = np.array(["a", "tie", "b"])
PAIRS = (0.0, 0.0, 0.4, 0.4, 0.8, 0.8, 1.2, 1.2)


@dataclass(frozen=True)
class Regime:
    """Battles of models that differ by prompt (standard deviation 1), each prompt with `each` battles, or of lognormal
    number; `tie` log propensity to tie, `first` what the order adds."""

    strengths: tuple[float, ...]
    prompts: int
    each: int | None
    tie: float = -np.inf
    first: float = 0.0

    def made(self, rng: np.random.Generator, prompts: int | None = None) -> tuple[np.ndarray, ...]:
        """Return the codes of both models, the outcome and the prompt of each simulated battle."""
        m, prompts = len(self.strengths), prompts or self.prompts
        sizes = np.ceil(np.exp(rng.normal(2, 1, prompts))).astype(int) if self.each is None else self.each
        prompt = np.repeat(np.arange(prompts), sizes)
        at = np.asarray(self.strengths) + rng.normal(size=(prompts, m))
        a = rng.integers(0, m, len(prompt))
        b = (a + rng.integers(1, m, len(prompt))) % m
        d = at[prompt, a] - at[prompt, b] + self.first
        log = np.stack([d / 2, np.full_like(d, self.tie), -d / 2])
        chances = np.exp(log - np.logaddexp.reduce(log, axis=0)).cumsum(axis=0)
        return a, b, (rng.random(len(d)) > chances[:2]).sum(axis=0), prompt

    def truth(self) -> Strengths:
        """Return the strengths that infinitely many battles would give; equal models have equal strengths."""
        strengths, m = np.asarray(self.strengths), len(self.strengths)
        a, b, outcome, _ = self.made(np.random.default_rng(9), 400_000 // (self.each or 12))
        fitted = fit_strengths(a, b, outcome, m=m, position_effect=self.first != 0.0)
        for value in set(self.strengths):
            fitted.theta[strengths == value] = fitted.theta[strengths == value].mean()
        return fitted


REGIMES = {
    "6 equal models, 40 prompts of 10 battles": Regime((0.0,) * 6, 40, 10),
    "4 equal models, 12 prompts of 40": Regime((0.0,) * 4, 12, 40),
    "6 equal models, 60 prompts of lognormal size": Regime((0.0,) * 6, 60, None),
    "6 equal models, 60 battles": Regime((0.0,) * 6, 60, 1),
    "4 pairs of equal models, 100 prompts of 20, ties": Regime(PAIRS, 100, 20, tie=-0.3),
    "the same, the first one favoured": Regime(PAIRS, 100, 20, tie=-0.3, first=0.4),
    "20 models far apart, 1,500 battles": Regime(tuple(np.linspace(-2, 2, 20)), 1500, 1),
}


def rates(regime: Regime, runs: int) -> tuple[float, float, float, float]:
    """Return how often strengths, points and all ranks are covered, and how often a tier separates equal models."""
    truth, true = regime.truth(), np.asarray(regime.strengths)
    points, m, rng = truth.points()[0], len(true), np.random.default_rng(1)
    lowest, highest = (true > true[:, None]).sum(axis=1) + 1, (true >= true[:, None]).sum(axis=1)
    strength, share, ranked, split = list[bool](), list[bool](), 0, 0
    for run in range(runs):
        a, b, outcome, prompt = regime.made(rng)
        options = {"clusters": prompt, "position_effect": regime.first != 0.0, "rng": run}
        table = howsure.rank_battles(a, b, WINNER[outcome], **options)
        rows = [table[str(i)] for i in range(m)]
        strength += [
            row.strength.low <= true_value <= row.strength.high
            for row, true_value in zip(rows, truth.theta, strict=True)
        ]
        share += [row.points.low <= true_value <= row.points.high for row, true_value in zip(rows, points, strict=True)]
        ranked += all(
            row.rank_low <= low and high <= row.rank_high for row, low, high in zip(rows, lowest, highest, strict=True)
        )
        tiers = np.array([row.tier for row in rows])
        split += any(len(set(tiers[true == value])) > 1 for value in set(regime.strengths))
    return float(np.mean(strength)), float(np.mean(share)), ranked / runs, split / runs


UNBOUNDED = {
    "one model far above, one far below, 60 battles": ((3.5, 0.4, 0.0, 0.0, -3.5), 60),
    "two good models, four equal ones, 40 battles": ((2.0, 2.0, 0.0, 0.0, 0.0, 0.0), 40),
    "6 equal models, 20 battles": ((0.0,) * 6, 20),
}


def bound_rates(strengths: tuple[float, ...], n: int, runs: int) -> tuple[int, float, float]:
    """Return the number of data sets with an infinite strength, and how often bounds, and all ranks, are covered."""
    true, m = np.asarray(strengths), len(strengths)
    lowest, highest = (true > true[:, None]).sum(axis=1) + 1, (true >= true[:, None]).sum(axis=1)
    unbounded, bounds, ranked = 0, list[bool](), list[bool]()
    for run in range(runs):
        rng = np.random.default_rng(run)
        a = rng.integers(0, m, n)
        b = (a + rng.integers(1, m, n)) % m
        won = rng.random(n) < 1 / (1 + np.exp(true[b] - true[a]))
        table = howsure.rank_battles(a, b, np.where(won, "model_a", "model_b"), rng=0)
        if len(table.rows) < m or table.rows[-1].part > 1:
            continue
        rows = [table[str(i)] for i in range(m)]
        ranked.append(
            all(r.rank_low <= low and high <= r.rank_high for r, low, high in zip(rows, lowest, highest, strict=True))
        )
        core = [i for i, row in enumerate(rows) if np.isfinite(row.strength.value)]
        unbounded += len(core) < m
        for row, truth in zip(rows, true - true[core].mean() if core else true, strict=True):
            if np.isinf(row.strength.value):
                low, high = row.strength.low, row.strength.high
                bounds.append(truth >= low if low is not None else truth <= high)
    return unbounded, float(np.mean(bounds)), float(np.mean(ranked))


def main() -> None:
    """Print the tables and the time that many battles take."""
    runs = QUICK if "--quick" in sys.argv[1:] else RUNS
    print("| battles | strengths covered | points covered | all ranks covered | a tier parts equal models |")
    print("|---|---:|---:|---:|---:|")
    for name, regime in REGIMES.items():
        print(f"| {name} | {' | '.join(f'{rate:.3f}' for rate in rates(regime, runs))} |", flush=True)
    print(f"\n| models without a finite strength | in how many of {runs} sets | bounds covered | all ranks covered |")
    print("|---|---:|---:|---:|")
    for name, (strengths, n) in UNBOUNDED.items():
        unbounded, bounds, ranked = bound_rates(strengths, n, runs)
        print(f"| {name} | {unbounded} | {bounds:.3f} | {ranked:.3f} |", flush=True)
    rng, m, n = np.random.default_rng(0), 200, 1_000_000
    a = rng.integers(0, m, n)
    b = (a + rng.integers(1, m, n)) % m
    names = np.array([f"model {i}" for i in range(m)])
    made = names[a], names[b], WINNER[rng.integers(0, 3, n)]
    start = time.process_time()
    howsure.rank_battles(*made, clusters=np.arange(n) // 5, rng=0)
    print(f"\n{n:,} battles of {m} models: {time.process_time() - start:.1f} CPU s")


if __name__ == "__main__":
    main()
