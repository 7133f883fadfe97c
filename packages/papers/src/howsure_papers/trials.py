"""Trials: draw units of a fully labelled population, estimate its counts, and measure coverage."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from howsure.counts import CountEstimate, CountEstimates, draw_label_sample, estimate_counts
from howsure.counts.learn_score import score_by_words
from howsure.inputs.pairs import Floats
from howsure.show.table import Column, digits
from howsure_papers.intervals import LEVEL
from howsure_papers.reproduction import TEXT, Finding
from howsure_papers.stores import Setting

SIZES = ((0, 1), (1, 4), (4, 16), (16, None))  # classes of true counts: 0, 1 to 3, 4 to 15, 16 and more
MIN_COVERAGE = 0.93  # coverage that is enough for a finding


@dataclass(frozen=True, slots=True)
class Population:
    """N units whose labels (N,) are all known, with scores (N,) in [0, 1].

    cells: columns by name, whose combinations are counted. drawn_by: the column by which the sample is stratified, if
    there are enough labels. bands: strata of the sample that replace ranges of the score. clusters: the cluster of each
    unit; whole clusters are drawn. words: the weights of words (N, words) from which a score is learned with the labels
    of each sample; samples are still drawn with `score`.
    """

    score: Floats
    labels: Floats
    cells: Mapping[str, Any]
    drawn_by: Any = None
    bands: Any = None
    clusters: Any = None
    features: Mapping[str, Floats] | None = None
    words: Any = None


@dataclass(slots=True)
class Tally:
    """The intervals of all cells in all samples: whether each covers the true count, its width, and the true count."""

    covered: list[bool] = field(default_factory=list)
    width: list[float] = field(default_factory=list)
    truth: list[int] = field(default_factory=list)
    sample: list[int] = field(default_factory=list)

    def add(self, rows: Sequence[CountEstimate], truth: Mapping[tuple[str, ...], int], sample: int) -> None:
        """Add the results of a sample: for each row, whether its interval contains the true count, and its width."""
        for row in rows:
            true_count = truth[row.group]
            self.covered.append(bool(row.low <= true_count <= row.high))
            self.width.append(row.high - row.low)
            self.truth.append(true_count)
            self.sample.append(sample)

    @property
    def coverage(self) -> float:
        """The proportion of intervals that cover the truth."""
        return float(np.mean(self.covered)) if self.covered else float("nan")

    @property
    def mean_width(self) -> float:
        return float(np.mean(self.width)) if self.width else float("nan")

    @property
    def error(self) -> float:
        """The standard error of the coverage over samples, whose cells are not independent."""
        of_sample = np.array(self.sample)
        means = [np.mean(np.array(self.covered)[of_sample == sample]) for sample in np.unique(of_sample)]
        return float(np.std(means, ddof=1) / len(means) ** 0.5) if len(means) > 1 else float("nan")

    def by_size(self) -> dict[str, tuple[float, int]]:
        """Coverage and number of intervals by size of the truth."""
        truth, is_held = np.array(self.truth), np.array(self.covered)
        coverage = {}
        for low, high in SIZES:
            mine = (truth >= low) & (truth < (np.inf if high is None else high))
            if mine.any():
                coverage[size_name(low, high)] = (float(is_held[mine].mean()), int(mine.sum()))
        return coverage


def size_name(low: int, high: int | None) -> str:
    """The name of a class of true counts.

    >>> size_name(0, 1), size_name(4, 16), size_name(16, None)
    ('0', '4–15', '16 or more')
    """
    return f"{low} or more" if high is None else str(low) if high == low + 1 else f"{low}–{high - 1}"


@dataclass(slots=True)
class MethodTallies:
    """The results of one method's intervals in cells, in domains (if there are several), and in total."""

    cells: Tally = field(default_factory=Tally)
    domains: Tally = field(default_factory=Tally)
    total: Tally = field(default_factory=Tally)


def one_sample(
    population: Population, n: int, tried_methods: Mapping[str, MethodTallies], *, design: str, sample: int, seed: int
) -> None:
    """Draw once, estimate by each method, and add the results to `tried_methods`."""
    rng = np.random.default_rng([seed, sample, n])
    truth = true_counts(population)
    for method, counts in drawn_counts(population, n, tuple(tried_methods), design=design, rng=rng).items():
        tally = tried_methods[method]
        tally.cells.add(counts.rows, truth, sample)
        if len(counts.domains) > 1:
            tally.domains.add(counts.domains, truth, sample)
        tally.total.add([counts.total], truth, sample)


def drawn_counts(
    population: Population, n: int, methods: Sequence[str], *, design: str, rng: np.random.Generator
) -> dict[str, CountEstimates]:
    stratified = design == "stratified"
    drawn = draw_label_sample(
        population.score,
        n,
        groups=population.drawn_by if stratified else None,
        bands=population.bands if stratified else None,
        clusters=population.clusters,
        design=design,
        rng=rng,
    )
    labels = np.full(len(population.labels), np.nan)
    labels[drawn.indices] = population.labels[drawn.indices]
    score = population.score
    if population.words is not None:
        drawn_rows = drawn.indices
        score = score_by_words(population.words, drawn_rows, labels[drawn_rows], drawn_rows, rng=rng)
    options: dict[str, Any] = {
        "groups": population.cells or None,
        "features": population.features,
        "clusters": population.clusters,
        "strata": drawn.stratum if stratified else None,
        "inclusion": drawn.chances if design == "importance" else None,
        "level": LEVEL,
        "rng": int(rng.integers(2**31)),
    }
    return {method: estimate_counts(labels, score, method=method, **options) for method in methods}


def true_counts(population: Population) -> dict[tuple[str, ...], int]:
    """The true count of every cell, domain and of all, by name."""
    columns = [np.asarray(column).astype(str).tolist() for column in population.cells.values()]
    counts: dict[tuple[str, ...], int] = {}
    for label, *names in zip(population.labels.tolist(), *columns, strict=True):
        for name in {(), tuple(names[:-1]), tuple(names)}:
            counts[name] = counts.get(name, 0) + int(label)
    return counts


def trial(
    setting: Setting,
    population: Population | Callable[[np.random.Generator], Population],
    n: int,
    methods: Sequence[str],
    *,
    samples: int,
    design: str = "stratified",
) -> dict[str, MethodTallies]:
    """Draw samples of n units, estimate counts by each method, and tally how often intervals contain the true counts.

    population: a population, or a function that draws a new population for each sample.
    """
    tried_methods = {method: MethodTallies() for method in methods}
    for sample in range(samples):
        population_drawn = (
            population
            if isinstance(population, Population)
            else population(np.random.default_rng([setting.seed, sample]))
        )
        one_sample(population_drawn, n, tried_methods, design=design, sample=sample, seed=setting.seed)
        setting.advance(1)
    return tried_methods


def sample_numbers(samples: int) -> dict[str, int]:
    """Return the number of samples for each kind of setting, given the requested number.

    >>> sample_numbers(50)
    {'decisive': 50, 'half': 25, 'some': 20, 'few': 10, 'least': 5}
    """
    return {
        "decisive": samples,
        "half": max(2, samples // 2),
        "some": max(2, 2 * samples // 5),
        "few": max(2, samples // 5),
        "least": max(2, samples // 10),
    }


def feasible_numbers(labels: Sequence[int], available: int) -> list[int]:
    """The numbers of labels below the number of available documents; if there are none, half of that number."""
    return [n for n in labels if n < available] or [available // 2]


@dataclass(frozen=True, slots=True)
class Row:
    """One setting of an experiment: its name in words, and the results of each method."""

    name: tuple[str, ...]
    tallies: Mapping[str, MethodTallies]


def coverage_text(tally: Tally) -> str:
    """The coverage and its standard error over samples.

    >>> coverage_text(Tally([True, True, False, True], [1.0] * 4, [1] * 4, [0, 0, 1, 1]))
    '0.750 ± 0.250'
    """
    error = tally.error
    return f"{tally.coverage:.3f}" + (f" ± {error:.3f}" if error == error else "")


def merge_tallies(tallies: Iterable[Tally]) -> Tally:
    tally_of_all = Tally()
    for tally in tallies:
        tally_of_all.covered += tally.covered
        tally_of_all.width += tally.width
        tally_of_all.truth += tally.truth
        tally_of_all.sample += tally.sample
    return tally_of_all


def against_labels(
    of: Callable[[Any, str], Tally],
    *,
    width: str = "width",
    points: float = 1.0,
    decimals: int = 1,
    error: bool = False,
) -> list[Column]:
    """Return table columns for the coverage and the width of intervals, next to those of intervals from labels alone.

    of: returns the tally of a row for a method. width: the heading of the widths. points: a factor for the widths.
    error: also show the standard errors of both coverages.
    """
    wide = digits(decimals)
    alone = Column("labels alone", digits(3), get=lambda row: of(row, "labels").coverage)
    return [
        Column("coverage", TEXT, get=lambda row: coverage_text(of(row, "auto"))),
        Column(width, wide, get=lambda row: points * of(row, "auto").mean_width),
        Column("labels alone", TEXT, get=lambda row: coverage_text(of(row, "labels"))) if error else alone,
        Column("their width", wide, get=lambda row: points * of(row, "labels").mean_width),
    ]


def over_settings(what: str, tallies: Sequence[tuple[tuple[str, ...], Tally]], where: str) -> Finding:
    """Whether intervals cover over all settings together, and the settings with the worst coverage."""
    all_of = merge_tallies(tally for _, tally in tallies)
    worst = min(tallies, key=lambda pair: pair[1].coverage)
    low = float(np.mean([tally.coverage < MIN_COVERAGE for _, tally in tallies]))
    ours = (
        f"{all_of.coverage:.3f} of {len(all_of.covered):,}; least in {', '.join(worst[0])}: {worst[1].coverage:.3f} of "
        f"{len(worst[1].covered):,}; {low:.0%} of {len(tallies):,} settings are below"
    )
    return Finding(
        "",
        f"intervals of {what} in at least {MIN_COVERAGE:.0%} of cases",
        ours,
        bool(all_of.coverage >= MIN_COVERAGE),
        where,
    )
