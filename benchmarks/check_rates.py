"""How often are the verdicts of `howsure check` wrong (nominal: at most 0.05), and how often do they decide?

Checks of a limit: predictions are from Beta(2, 2), and the probability of a label differs from its prediction by a
curve. The curve is scaled so that the population's calibration error is a given multiple of the limit 0.05. `rare`:
predictions below 0.1 and a limit of 0.02. `clusters`: ten pairs share half of their predictions and the randomness of
half of their labels. Comparisons of two models with the same labels: the predictions of one model are too high by a
constant, those of the other too low. Families: twenty groups, thirty nights. Scores: proportions, skewed and clustered
scores. Needed rows: the verdicts with as many rows as the check asked for.

Prints the Markdown tables of docs/check.md. `--quick` uses a tenth of the runs.
"""

from __future__ import annotations

import argparse
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is loaded

from collections.abc import Callable, Iterator
from functools import cache, partial

import numpy as np
import numpy.typing as npt

from howsure.check.calibration import Bins, judged
from howsure.check.errors_of_models import OneError, TwoErrors, two_errors
from howsure.check.evidence import BELOW, ErrorSummary, Evidence, OneSidedTest, Rule
from howsure.check.verdicts import verdicts_on
from howsure.inputs.pairs import Pairs
from howsure.stats.mean_score import MeanScore, mean_difference, mean_score

Floats = npt.NDArray[np.float64]
Generator = np.random.Generator
Curve = Callable[[Floats, float], Floats]

SIZE, LIMIT, RARE_LIMIT = 0.05, 0.05, 0.02
SIZES = (200, 1_000, 5_000)
RUNS, POWER_RUNS = {200: 1_000, 1_000: 1_000, 5_000: 500}, 300
CLUSTER = 10
SHAPES: dict[str, Curve] = {
    "shift": lambda q, a: q - a,
    "slope": lambda q, a: q - a * (q - 0.5),
    "sine": lambda q, a: q + a * np.sin(2 * np.pi * q),
    "step": lambda q, a: q - a * (q > 0.7),
    "rare": lambda q, a: q * (1 - a),
    "clusters": lambda q, a: q + a * np.sin(2 * np.pi * q),
}


def limit_of(shape: str) -> float:
    """Return the limit against which a shape is checked."""
    return RARE_LIMIT if shape == "rare" else LIMIT


def predictions(shape: str, n: int, rng: Generator) -> Floats:
    """Return predictions without clusters."""
    return rng.uniform(0, 0.1, n) if shape == "rare" else rng.beta(2, 2, n)


@cache
def scaled(shape: str, error: float) -> float:
    """Return the parameter of a shape for which the population has this error."""
    q = predictions(shape, 200_000, np.random.default_rng(1))
    low, high = 0.0, 1.0
    for _ in range(40):
        a = (low + high) / 2
        true_error = float(np.sqrt(np.mean((np.clip(SHAPES[shape](q, a), 0, 1) - q) ** 2)))
        low, high = (a, high) if true_error < error else (low, a)
    return low


def drawn(shape: str, error: float, n: int, rng: Generator) -> Pairs:
    """Return pairs drawn from a population with this error."""
    q, luck, clusters = predictions(shape, n, rng), rng.random(n), None
    if shape == "clusters":
        clusters = np.repeat(np.arange(n // CLUSTER), CLUSTER)
        shared = rng.random(n) < 0.5
        q = np.where(shared, q[::CLUSTER][clusters], q)
        luck = np.where(rng.random(n) < 0.5, luck[::CLUSTER][clusters], luck)
    p = np.clip(SHAPES[shape](q, scaled(shape, error)), 0, 1) if error else q
    return Pairs((luck < p).astype(np.uint8), q, clusters=clusters)


def tested(pairs: Pairs) -> OneError:
    """Return the tests of the error of pairs."""
    squared, n, _ = judged(pairs, Bins())
    return OneError(squared, n)


def _drawn(shape: str, error: float, n: int, rng: Generator) -> OneError:
    return tested(drawn(shape, error, n, rng))


def verdict(test: OneSidedTest, limit: float, size: float = SIZE) -> tuple[bool, bool]:
    """Return whether the quantity is shown to be below the limit, and whether it is shown to be above."""
    if isinstance(test, TwoErrors):  # many times faster than its bounds
        return test.is_below(limit, size), test.is_above(limit, size)
    low, high = test.bounds(size)
    return high < limit, low > limit


def rates(draw: Callable[[Generator], OneSidedTest], limit: float, *, runs: int, seed: int) -> tuple[float, float]:
    """Return how often a test shows that the quantity is below the limit, and how often that it is above."""
    rng = np.random.default_rng(seed)
    decisions = np.array([verdict(draw(rng), limit) for _ in range(runs)])
    below, above = decisions.mean(axis=0).tolist()
    return below, above


def limit_rows(share: float) -> Iterator[list[str]]:
    """Yield one row per shape and n: both error rates at the limit, and how often the verdict is correct elsewhere."""
    for shape in SHAPES:
        limit = limit_of(shape)
        for n in SIZES:
            runs, less = max(int(RUNS[n] * share), 10), max(int(POWER_RUNS * share), 10)
            at, none, twice = (
                rates(partial(_drawn, shape, e, n), limit, runs=r, seed=n)
                for e, r in ((limit, runs), (0.0, less), (2 * limit, less))
            )
            yield [shape, f"{n:,}", *(f"{x:.3f}" for x in at), f"{none[0]:.2f}", f"{twice[1]:.2f}"]


def both(this: float, other: float, n: int, rng: Generator) -> TwoErrors:
    """Return pairs of two models: one's predictions are too high by `this`, the other's too low by `other`."""
    p = rng.uniform(0.2, 0.7, n)
    y = (rng.random(n) < p).astype(np.uint8)
    how = {"growth": 5 / 3, **Bins().options}
    return two_errors(Pairs(y, p + this), Pairs(y, p - other), own_labels=False, **how)


def margin_rows(share: float) -> Iterator[list[str]]:
    """Yield one row per margin, error of the other model and n: both error rates at the margin, and the power."""
    for margin, other in ((0.0, 0.05), (0.03, 0.0), (0.03, 0.05), (0.03, 0.15)):
        for n in SIZES:
            runs, less = max(int(RUNS[n] * share), 10), max(int(POWER_RUNS * share), 10)
            better = other if margin else 0.0
            at, equal, worse = (
                rates(partial(both, e, other, n), margin, runs=r, seed=n + 1)
                for e, r in ((other + margin, runs), (better, less), (other + 0.1, less))
            )
            shown = [f"{margin:g}", f"{other:g}", f"{n:,}", *(f"{x:.3f}" for x in at)]
            yield [*shown, f"{equal[0]:.2f}", f"{worse[1]:.2f}"]


def outcomes(tests: list[OneError], alarms_over: int = 1) -> list[str]:
    """Return the verdicts of tests against the limit, adjusted for their number."""
    rule = Rule("calibration", "error", BELOW, LIMIT)
    evidence = [Evidence(rule, str(place), test.n, test) for place, test in enumerate(tests)]
    return [row.outcome for row in verdicts_on(evidence, level=1 - SIZE, alarms_over=alarms_over)]


def family_rows(share: float) -> Iterator[list[str]]:
    """Yield one row per family: a false result, and how often it happens."""
    rng, runs = np.random.default_rng(7), max(int(300 * share), 5)
    at_limit = [outcomes([tested(drawn("sine", LIMIT, 500, rng)) for _ in range(20)]) for _ in range(runs)]
    yield _family("20 groups at the limit: any fails", ["fail" in family for family in at_limit])
    yield _family("20 groups at the limit: any passes", ["pass" in family for family in at_limit])
    yield _family("19 groups without error, 1 at the limit: all pass", [_all_pass(rng) for _ in range(runs)])
    for alarms_over in (1, 30):
        nights = [
            any(verdict(tested(drawn("sine", LIMIT, 1_000, rng)), LIMIT, SIZE / alarms_over)[1] for _ in range(30))
            for _ in range(runs)
        ]
        yield _family(f"30 nights at the limit, --alarms-over {alarms_over}: any fails", nights)
    months = [_month(rng) for _ in range(max(runs // 2, 5))]
    yield _family("30 nights against one baseline, no change, --alarms-over 30: any fails", months)


def _all_pass(rng: Generator) -> bool:
    """Return whether a group at the limit and 19 groups without error all pass, which requires that the former
    passes."""
    broken = tested(drawn("sine", LIMIT, 5_000, rng))
    if not verdict(broken, LIMIT)[0]:
        return False
    return set(outcomes([broken, *(tested(drawn("sine", 0.0, 5_000, rng)) for _ in range(19))])) == {"pass"}


def _month(rng: Generator) -> bool:
    """Return whether any of thirty nights is found worse than a baseline of the same model."""
    first, *others = (ErrorSummary.of(*judged(drawn("sine", LIMIT, 1_000, rng), Bins())[:2], 5 / 3) for _ in range(31))
    return any(verdict(night.minus(first), 0.0, SIZE / 30)[1] for night in others)


def _family(what: str, happened: list[bool]) -> list[str]:
    return [what, f"{np.mean(happened):.3f}", f"{len(happened):,}"]


def score_rows(share: float) -> Iterator[list[str]]:
    """Yield one row per kind of scores and n: how often a mean is found to be below, or above, a limit equal to it."""
    kinds: dict[str, tuple[Callable[[int, Generator], MeanScore], float]] = {
        "right or wrong, 0.9": (lambda n, rng: mean_score((rng.random(n) < 0.9).astype(float), None), 0.9),
        "skewed (exponential)": (lambda n, rng: mean_score(rng.exponential(1, n), None), 1.0),
        "paired, right or wrong, 0.8": (_paired, 0.0),
        "clusters of 5, right or wrong": (_clustered, 0.8),
    }
    for name, (draw, mean) in kinds.items():
        for n in (30, 100, 1_000):
            runs = max(int(3_000 * share), 20)
            shares = rates(partial(draw, n), mean, runs=runs, seed=n)
            yield [name, f"{n:,}", *(f"{x:.3f}" for x in shares)]


def _paired(n: int, rng: Generator) -> MeanScore:
    a, b = ((rng.random(n) < 0.8).astype(float) for _ in range(2))
    return mean_difference(a, b, None)


def _clustered(n: int, rng: Generator) -> MeanScore:
    clusters = np.repeat(np.arange(n // 5), 5)
    p = np.where(rng.random(n // 5) < 0.5, 0.9, 0.7)[clusters]
    return mean_score((rng.random(len(p)) < p).astype(float), clusters)


def needed_rows(share: float) -> Iterator[list[str]]:
    """Yield one row per case: the rows needed if the estimated error is true, and how often that many rows decide."""
    for shape, error in (("sine", 0.0), ("sine", 0.03), ("sine", 0.08), ("clusters", 0.0), ("clusters", 0.08)):
        rng = np.random.default_rng(31)
        tests = [tested(drawn(shape, error, 1_000, rng)) for _ in range(400)]
        best = min(tests, key=lambda test: abs(test.squared.value - error**2))
        needed = best.rows_needed(LIMIT, SIZE) or 0
        needed = -(-needed // CLUSTER) * CLUSTER
        runs = max(int(200 * share), 10)
        shares = rates(partial(_drawn, shape, error, needed), LIMIT, runs=runs, seed=9)
        yield [shape, f"{error:g}", f"{needed:,}", f"{shares[0] if error < LIMIT else shares[1]:.2f}"]


TABLES = {
    "limits": (("shape", "n", "false pass", "false fail", "pass, no error", "fail, twice the limit"), limit_rows),
    "margins": (
        ("margin", "other's error", "n", "false pass", "false fail", "pass, equal or better", "fail, worse by 0.1"),
        margin_rows,
    ),
    "families": (("what should not happen", "rate", "runs"), family_rows),
    "scores": (("scores", "n", "false below", "false above"), score_rows),
    "rows": (("shape", "error", "rows needed", "verdicts"), needed_rows),
}


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", default=list(TABLES), help="some of the tables")
    parser.add_argument("--quick", action="store_true", help="a tenth of the runs")
    options = parser.parse_args()
    for name in options.tables:
        headings, rows = TABLES[name]
        print(f"\n| {' | '.join(headings)} |\n|{'---|' * len(headings)}")
        for row in rows(0.1 if options.quick else 1.0):
            print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
