"""Do intervals cover the true mean? howsure and four other Python packages on the same simulated data.

    make bench-peers                                        # installs the packages into .venv-peers
    .venv-peers/bin/python benchmarks/peers.py --runs 100   # a tenth of the data sets

prints the tables of README.md (short) and docs/coverage.md: coverage, its standard error, and the mean width of the
intervals at level 0.95, clipped to [0, 1]. Every package is called with the defaults that its documentation recommends
for such data. A separate column counts the data sets for which a package returns no interval. The output names packages
that are not installed.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module, metadata
from types import ModuleType

import numpy as np
import numpy.typing as npt

import howsure

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Interval = tuple[float, float]
RUNS, ANSWERS, LEVEL = 1000, 1000, 0.95
PEERS = ("truescore", "evalstats", "judgy", "errorbars")
METHODS = ("howsure", "truescore", "truescore, Rogan–Gladen", *PEERS[1:])
JUDGY_ITERATIONS = 2000  # its default of 20,000 takes ten times as long; the ends move by a few thousandths


@dataclass(frozen=True)
class Judged:
    """A judge's verdicts (n,), human verdicts (n,; NaN if missing), and the true proportion of correct answers."""

    judge: Floats
    people: Floats
    truth: float

    @property
    def labelled(self) -> Integers:
        return np.flatnonzero(~np.isnan(self.people))


@dataclass(frozen=True)
class Scored:
    """Scores (n,) between 0 and 1, the cluster (n,) of each score if there are clusters, and the true mean.

    repeats: whether the scores of a cluster are runs of one item.
    """

    scores: Floats
    clusters: Integers | None
    truth: float
    repeats: bool = False


def judged(rng: np.random.Generator, rate: float, accuracy: float, labels: int) -> Judged:
    """Return 1,000 answers. The judge's accuracy is the same for correct and wrong answers; some answers have human
    verdicts."""
    truth = (rng.random(ANSWERS) < rate).astype(float)
    judge = np.where(rng.random(ANSWERS) < accuracy, truth, 1 - truth)
    people = np.full(ANSWERS, np.nan)
    drawn = rng.choice(ANSWERS, labels, replace=False)
    people[drawn] = truth[drawn]
    return Judged(judge, people, rate)


def whole_clusters(rng: np.random.Generator, number: int, size: int, share: float, mean: float) -> Scored:
    """Return clusters in which a proportion of the answers are correct or wrong together, the others independently."""
    clusters = np.repeat(np.arange(number), size)
    together = (rng.random(number) < mean)[clusters]
    alone = rng.random(number * size) < mean
    return Scored(np.where(rng.random(number * size) < share, together, alone).astype(float), clusters, mean)


def repeated(rng: np.random.Generator, items: int, runs: int) -> Scored:
    """Return items answered several times, with probabilities of being correct from Beta(0.3, 0.1)."""
    difficulty = np.repeat(rng.beta(0.3, 0.1, items), runs)
    right = (rng.random(items * runs) < difficulty).astype(float)
    return Scored(right, np.repeat(np.arange(items), runs), 0.75, repeats=True)


def rare_failures(rng: np.random.Generator, n: int, share: float) -> Scored:
    """Return scores from 0.98 to 1, a proportion of which are replaced by 0."""
    return Scored(np.where(rng.random(n) < share, 0.0, rng.uniform(0.98, 1.0, n)), None, (1 - share) * 0.99)


def independent(rng: np.random.Generator, n: int, mean: float) -> Scored:
    """Return independent correct and wrong answers."""
    return Scored((rng.random(n) < mean).astype(float), None, mean)


REGIMES: dict[str, Callable[[np.random.Generator], Judged | Scored]] = {
    "judge 98% right, pass rate 0.05, 50 human labels": partial(judged, rate=0.05, accuracy=0.98, labels=50),
    "the same, 100 human labels": partial(judged, rate=0.05, accuracy=0.98, labels=100),
    "judge 90% right, pass rate 0.5, 100 human labels": partial(judged, rate=0.5, accuracy=0.9, labels=100),
    "judge 80% right, pass rate 0.9, 50 human labels": partial(judged, rate=0.9, accuracy=0.8, labels=50),
    "100 independent answers, 50% right": partial(independent, n=100, mean=0.5),
    "100 items × 5 runs, 75% right": partial(repeated, items=100, runs=5),
    "44 documents × 10 questions that fail together, 2% fail": partial(
        whole_clusters, number=44, size=10, share=1.0, mean=0.98
    ),
    "20 documents × 20 questions, 60% of which fail together, 5% fail": partial(
        whole_clusters, number=20, size=20, share=0.6, mean=0.95
    ),
    "50 scores from 0.98 to 1, but 2% are 0": partial(rare_failures, n=50, share=0.02),
}
SHORT = {  # rows of the README: the position of the regime, and a title
    0: "A judge that is 98% right, pass rate 0.05, 50 human labels",
    2: "A judge that is 90% right, pass rate 0.5, 100 human labels",
    4: "100 independent answers, 50% right",
    5: "100 items, 5 runs each",
    6: "44 documents, whose 10 questions fail together",
    8: "50 scores near 1, 2% of them 0",
}


def howsure_interval(data: Judged | Scored) -> Interval | None:
    if isinstance(data, Judged):
        estimate = howsure.correct_judge_scores(data.people, data.judge).rows[0].corrected
    else:
        estimate = howsure.mean_scores(data.scores, clusters=data.clusters, bounds=(0, 1)).rows[0].mean
    return None if estimate.low is None or estimate.high is None else (estimate.low, estimate.high)


def truescore_interval(truescore: ModuleType, data: Judged | Scored, *, method: str = "ppi_estimate") -> Interval:
    if isinstance(data, Judged):
        estimate = getattr(truescore, method)(data.judge, data.people[data.labelled], data.labelled)
    else:
        estimate = truescore.gold_only_estimate(data.scores, clusters=data.clusters)
    return estimate.low, estimate.high


def evalstats_interval(evalstats: ModuleType, data: Judged | Scored) -> Interval:
    """Return the interval of scores by item, which evalstats requires; it has no option for other clusters."""
    if isinstance(data, Judged):
        estimate = evalstats.judge_debias_mean_ci(data.judge, data.people, rng=0)
    else:
        scores = data.scores
        if data.repeats:
            scores = np.bincount(data.clusters, scores) / np.bincount(data.clusters)
        estimate = evalstats.mean_ci(scores, score_range=(0, 1), rng=0)
    return estimate.ci_low, estimate.ci_high


def judgy_interval(judgy: ModuleType, data: Judged) -> Interval:
    np.random.seed(0)  # noqa: NPY002 - judgy draws from numpy's global generator
    unlabelled = np.delete(data.judge, data.labelled)
    labels, verdicts = data.people[data.labelled], data.judge[data.labelled]
    _, low, high = judgy.estimate_success_rate(labels, verdicts, unlabelled, bootstrap_iterations=JUDGY_ITERATIONS)
    return low, high


def errorbars_interval(errorbars: ModuleType, data: Scored) -> Interval:
    """Return the interval as `errorbars ci` does: Wilson for 0 and 1, else the normal approximation; with clusters,
    Student's t."""
    if data.clusters is not None:
        stats = import_module("errorbars.stats")
        error = errorbars.cluster_robust_se(data.scores, data.clusters)
        half = stats.t_for_confidence(LEVEL, len(np.unique(data.clusters)) - 1) * error
        return data.scores.mean() - half, data.scores.mean() + half
    if np.isin(data.scores, (0, 1)).all():
        estimate = errorbars.wilson_ci(int(data.scores.sum()), len(data.scores))
    else:
        estimate = errorbars.mean_ci_clt(data.scores)
    return estimate.ci_low, estimate.ci_high


def methods(regime: Judged | Scored, modules: dict[str, ModuleType]) -> dict[str, Callable[..., Interval | None]]:
    """Return the methods that apply to data of this kind, by name. The first one of each package is its default."""
    chosen: dict[str, Callable[..., Interval | None]] = {"howsure": howsure_interval}
    if "truescore" in modules:
        chosen["truescore"] = partial(truescore_interval, modules["truescore"])
        if isinstance(regime, Judged):
            rogan_gladen = partial(truescore_interval, modules["truescore"], method="rogan_gladen_estimate")
            chosen["truescore, Rogan–Gladen"] = rogan_gladen
    if "evalstats" in modules:
        chosen["evalstats"] = partial(evalstats_interval, modules["evalstats"])
    if "judgy" in modules and isinstance(regime, Judged):
        chosen["judgy"] = partial(judgy_interval, modules["judgy"])
    if "errorbars" in modules and isinstance(regime, Scored):
        chosen["errorbars"] = partial(errorbars_interval, modules["errorbars"])
    return chosen


@dataclass(frozen=True)
class Coverage:
    """How many data sets have an interval, the proportion of these intervals that cover, and their mean width."""

    intervals: int
    covers: float
    width: float


def measure(number: int, runs: int, modules: dict[str, ModuleType]) -> dict[str, Coverage]:
    """Return the coverage of each method in a regime. All methods get the same data sets."""
    draw = list(REGIMES.values())[number]
    rngs = [np.random.default_rng([48, number, run]) for run in range(runs)]
    data_sets = [draw(rng) for rng in rngs]
    return {name: coverage(method, data_sets) for name, method in methods(data_sets[0], modules).items()}


def coverage(method: Callable[..., Interval | None], data_sets: list[Judged | Scored]) -> Coverage:
    widths, covers = list[float](), list[bool]()
    for data in data_sets:
        try:
            interval = method(data)
        except (ValueError, RuntimeError):  # the package refuses this data set
            continue
        if interval is None or np.isnan(interval).any():
            continue
        low, high = interval
        widths.append(min(high, 1) - max(low, 0))
        covers.append(low - 1e-9 <= data.truth <= high + 1e-9)
    return Coverage(len(covers), float(np.mean(covers)) if covers else np.nan, float(np.mean(widths or [np.nan])))


def long_table(results: list[dict[str, Coverage]], runs: int) -> None:
    """Print all regimes and methods."""
    print("| data |", " | ".join(METHODS), "|")
    print("|---|" + "---:|" * len(METHODS))
    for regime, by_method in zip(REGIMES, results, strict=True):
        print(f"| {regime} |", " | ".join(long_cell(by_method.get(name), runs) for name in METHODS), "|")


def long_cell(row: Coverage | None, runs: int) -> str:
    """Return the coverage and, in parentheses, the mean width and the proportion of data sets without an interval."""
    if row is None:
        return "–"
    refused = f"; {1 - row.intervals / runs:.1%} none" if row.intervals < runs else ""
    return f"{row.covers:.3f} ({row.width:.3f}{refused})"


def short_table(results: list[dict[str, Coverage]]) -> None:
    """Print the rows of the README: the coverage of each package's default."""
    print("| intervals at level 0.95 that contain the true mean |", " | ".join(("howsure", *PEERS)), "|")
    print("|---|" + "---:|" * (1 + len(PEERS)))
    for number, title in SHORT.items():
        row = results[number]
        print(
            f"| {title} |",
            " | ".join(f"{row[name].covers:.2f}" if name in row else "–" for name in ("howsure", *PEERS)),
            "|",
        )


def main() -> None:
    """Draw, estimate, count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=RUNS, help="data sets of each regime")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    modules = dict[str, ModuleType]()
    for name in PEERS:
        try:
            modules[name] = import_module(name)
        except ImportError:
            print(f"{name} is not installed")
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in ("howsure-core", *modules))
    print(f"{versions}; {options.runs:,} data sets of each kind\n")
    results = []
    for number, regime in enumerate(REGIMES):
        print(f"{number + 1} of {len(REGIMES)}: {regime}", file=sys.stderr)
        results.append(measure(number, options.runs, modules))
    short_table(results)
    print()
    long_table(results, options.runs)


if __name__ == "__main__":
    main()
