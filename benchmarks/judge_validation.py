"""Are the verdicts of `validate_judge` correct, and do its intervals cover, in regimes for which it was not tuned?

For each regime, the table shows the proportion of simulated data sets in which the judge is called valid although a
rate is below the required one (false valid), invalid although both rates reach it (false invalid), or neither (cannot
tell), and how often the intervals of TPR, TNR and the corrected rate cover. A data set has `--answers` answers; human
annotators label some of them.

    python benchmarks/judge_validation.py [--sets 200]

Limits: at most 0.05 false verdicts in each regime, and a coverage of at least 0.93 (both within three standard errors);
over all regimes, "cannot tell" in at most a third of the data sets with at least 100 labels. The last lines compare
this proportion with a lower bound for any test: that of the most powerful randomised test of size 0.05 for each label,
which knows whether the judge is good enough.
"""

from __future__ import annotations

import argparse
import itertools
import math

import numpy as np
from scipy.stats import binom

import howsure

RATES, LABELS = (0.02, 0.1, 0.3, 0.5, 0.98), (20, 50, 100, 300)
# TPR and TNR of each judge; the required rate is .8
JUDGES = {"0.6": (0.6, 0.6), "0.78": (0.78, 0.95), "0.95": (0.95, 0.97), "1.0": (1.0, 1.0)}
BAR, LARGEST_SHARE, LIMIT_FALSE, LIMIT_COVERAGE = 0.8, 1 / 3, 0.05, 0.93
MIN_EXPECTED, CLEAR = 10, 0.05  # labels of each kind, and the distance of the judge from the bar, that can be decided
CLUSTER = 10  # answers of a conversation, which share a label and whether the judge is right in half of all cases


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--answers", type=int, default=1000)
    options = parser.parse_args()
    print(
        "| positive | judge | labels | clusters | false valid | false invalid | cannot tell | TPR | TNR | corrected |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    shares, limits, shares_clear, worst_false, worst_coverage = [], [], [], 0.0, 1.0
    regimes = [(*regime, False) for regime in itertools.product(RATES, JUDGES, LABELS)]
    regimes += [(rate, judge, 300, True) for rate in (0.1, 0.3, 0.5) for judge in JUDGES]
    for rate, judge, labels, clustered in regimes:
        rng = np.random.default_rng([int(1000 * rate), list(JUDGES).index(judge), labels, clustered])
        trials = [trial(rng, rate, JUDGES[judge], labels, options.answers, clustered) for _ in range(options.sets)]
        reaches = min(JUDGES[judge]) >= BAR
        share = {
            name: np.mean([verdict == name for verdict, _ in trials]) for name in ("valid", "invalid", "cannot tell")
        }
        false = (0.0, share["invalid"]) if reaches else (share["valid"], 0.0)
        covers = np.array([covered for _, covered in trials], dtype=np.float64)
        finite = ~np.isnan(covers)
        coverage = [covers[finite[:, k], k].mean() if finite[:, k].sum() > 20 else math.nan for k in range(3)]
        figures = [*false, share["cannot tell"], *coverage]
        texts = ["–" if math.isnan(figure) else f"{figure:.3f}" for figure in figures]
        print("|", " | ".join([f"{rate}", judge, f"{labels}", "yes" if clustered else "", *texts]), "|", flush=True)
        worst_false = max(worst_false, *false)
        worst_coverage = min([worst_coverage, *(figure for figure in coverage if not math.isnan(figure))])
        if labels >= 100 and not clustered:
            shares.append(share["cannot tell"])
            limits.append(undecided_at_least(rate, JUDGES[judge], labels))
            if min(rate, 1 - rate) * labels >= MIN_EXPECTED and abs(min(JUDGES[judge]) - BAR) >= CLEAR:
                shares_clear.append(share["cannot tell"])
    error = math.sqrt(0.05 * 0.95 / options.sets)
    print(
        f"\nstandard error of a share of .05: {error:.3f}; largest share of false verdicts (limit "
        f"{LIMIT_FALSE}): {worst_false:.3f};"
    )
    print(f"smallest coverage (limit {LIMIT_COVERAGE}): {worst_coverage:.3f};")
    print(f"cannot tell, with 100 labels or more (limit {LARGEST_SHARE:.2f}): {np.mean(shares):.2f};")
    print(f"the most powerful test for each label, randomised and told which verdict is right: {np.mean(limits):.2f};")
    print(
        f"cannot tell, where {MIN_EXPECTED} labels or more of each kind are expected and the judge is {CLEAR} or more "
        f"from the required rate: {np.mean(shares_clear):.2f}"
    )


def undecided_at_least(rate: float, right: tuple[float, float], labels: int) -> float:
    """Return how often no test of size 0.05 could decide correctly, by the most powerful test for each label."""
    share = 0.0
    for n in range(labels + 1):
        powers = [power(k, p) for k, p in zip((n, labels - n), right, strict=True)]
        missed = [1 - value for value, p in zip(powers, right, strict=True) if p < BAR]
        decided = 1 - math.prod(missed) if missed else min(powers)
        share += binom.pmf(n, labels, rate) * (1 - decided)
    return float(share)


def power(n: int, p: float) -> float:
    """Return the power of the randomised test of n answers that a rate p is on the other side of the required rate."""
    size, bar, rate = LIMIT_FALSE, BAR if p >= BAR else 1 - BAR, p if p >= BAR else 1 - p
    critical = int(binom.isf(size, n, bar))  # more are rejected, and with some probability as many
    at_random = (size - binom.sf(critical, n, bar)) / binom.pmf(critical, n, bar)
    return float(binom.sf(critical, n, rate) + at_random * binom.pmf(critical, n, rate))


def trial(
    rng: np.random.Generator, rate: float, right: tuple[float, float], labels: int, n: int, clustered: bool
) -> tuple[str, list[float]]:
    """Return the verdict on a simulated data set, and whether each interval covers (NaN: there is no interval)."""
    units = np.repeat(np.arange(n // CLUSTER), CLUSTER) if clustered else np.arange(n)
    shared = rng.random(n) < (0.5 if clustered else 0.0)
    draw, chance = (np.where(shared, rng.random(units.max() + 1)[units], rng.random(n)) for _ in range(2))
    truth = (draw < rate).astype(np.int64)
    judge = np.where(chance < np.where(truth == 1, *right), truth, 1 - truth)
    drawn = rng.choice(units.max() + 1, labels // CLUSTER if clustered else labels, replace=False)
    people = np.where(np.isin(units, drawn), truth.astype(np.float64), np.nan)
    validation = howsure.validate_judge(people, judge, min_rate=BAR, clusters=units if clustered else None)
    estimates = [
        (validation["1"].rate, right[0]),
        (validation["0"].rate, right[1]),
        (validation.corrected, truth.mean()),
    ]
    covers = [
        math.nan if e.low is None or math.isnan(e.low) else float(e.low <= true <= e.high) for e, true in estimates
    ]
    return validation.outcome, covers


if __name__ == "__main__":
    main()
