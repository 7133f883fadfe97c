"""A trial: draw units of a population whose labels are all known, estimate its counts, and see what holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from howsure.counts import CountEstimate, CountEstimates, estimate_counts, sample_for_labels
from howsure.counts.learned_score import score_by_words
from howsure.inputs.pairs import Floats

LEVEL = 0.95
SIZES = (1, 4, 16)  # of true counts: 0, 1 to 3, 4 to 15, 16 and more


@dataclass(frozen=True, slots=True)
class Population:
    """N units whose labels (N,) are all known, with scores (N,) in [0, 1].

    cells: columns by name. drawn_by: the column of cells within which units are drawn, if their labels suffice. bands:
    strata of the draw instead of bands of the score. clusters: what is drawn together. words: the weights of words
    (N, words) from which a score is learned with each sample's labels; units are drawn by `score`.
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
    """How cells fared over samples: whether the interval holds the truth, its width, and the truth (cells,) each."""

    held: list[bool] = field(default_factory=list)
    width: list[float] = field(default_factory=list)
    truth: list[int] = field(default_factory=list)
    sample: list[int] = field(default_factory=list)

    def add(self, rows: Sequence[CountEstimate], truth: Mapping[tuple[str, ...], int], sample: int) -> None:
        """Count the rows of one sample."""
        for row in rows:
            wanted = truth[row.group]
            self.held.append(bool(row.low <= wanted <= row.high))
            self.width.append(row.high - row.low)
            self.truth.append(wanted)
            self.sample.append(sample)

    @property
    def coverage(self) -> float:
        """The share of intervals that hold the truth."""
        return float(np.mean(self.held)) if self.held else float("nan")

    @property
    def mean_width(self) -> float:
        """The mean width."""
        return float(np.mean(self.width)) if self.width else float("nan")

    @property
    def error(self) -> float:
        """The standard error of the coverage over samples, whose cells are not independent."""
        of_sample = np.array(self.sample)
        means = [np.mean(np.array(self.held)[of_sample == one]) for one in np.unique(of_sample)]
        return float(np.std(means, ddof=1) / len(means) ** 0.5) if len(means) > 1 else float("nan")

    def by_size(self) -> dict[str, tuple[float, int]]:
        """Coverage and number of intervals by size of the truth."""
        truth, held = np.array(self.truth), np.array(self.held)
        found = {}
        for low, high in zip((0, *SIZES), (*SIZES, None), strict=True):
            mine = (truth >= low) & (truth < (np.inf if high is None else high))
            if mine.any():
                found[size_name(low, high)] = (float(held[mine].mean()), int(mine.sum()))
        return found


def size_name(low: int, high: int | None) -> str:
    """What a class of true counts is called.

    >>> size_name(0, 1), size_name(4, 16), size_name(16, None)
    ('0', '4–15', '16 or more')
    """
    return f"{low} or more" if high is None else str(low) if high == low + 1 else f"{low}–{high - 1}"


@dataclass(slots=True)
class Tried:
    """What the intervals of one method did in cells, in domains where there are several, and in all."""

    cells: Tally = field(default_factory=Tally)
    domains: Tally = field(default_factory=Tally)
    total: Tally = field(default_factory=Tally)


def one_sample(
    population: Population, n: int, found: Mapping[str, Tried], *, design: str, sample: int, seed: int
) -> None:
    """Draw once, estimate by each method, and add what held to `found`."""
    rng = np.random.default_rng([seed, sample, n])
    truth = truths(population)
    for method, counts in drawn_counts(population, n, tuple(found), design=design, rng=rng).items():
        tally = found[method]
        tally.cells.add(counts.rows, truth, sample)
        if len(counts.domains) > 1:
            tally.domains.add(counts.domains, truth, sample)
        tally.total.add([counts.total], truth, sample)


def drawn_counts(
    population: Population, n: int, methods: Sequence[str], *, design: str, rng: np.random.Generator
) -> dict[str, CountEstimates]:
    """The counts by each method from the same n drawn units."""
    stratified = design == "stratified"
    drawn = sample_for_labels(
        population.score, n, groups=population.drawn_by if stratified else None,
        bands=population.bands if stratified else None, clusters=population.clusters, design=design, rng=rng,
    )  # fmt: skip
    labels = np.full(len(population.labels), np.nan)
    labels[drawn.indices] = population.labels[drawn.indices]
    score = population.score
    if population.words is not None:
        known = drawn.indices
        score = score_by_words(population.words, known, labels[known], known, rng=rng)
    options: dict[str, Any] = {
        "groups": population.cells or None, "features": population.features, "clusters": population.clusters,
        "strata": drawn.stratum if stratified else None,
        "inclusion": drawn.chances if design == "importance" else None,
    }  # fmt: skip
    options |= {"level": LEVEL, "rng": int(rng.integers(2**31))}
    return {method: estimate_counts(labels, score, method=method, **options) for method in methods}


def truths(population: Population) -> dict[tuple[str, ...], int]:
    """The true count of every cell, domain and of all, by name."""
    columns = [np.asarray(column).astype(str).tolist() for column in population.cells.values()]
    found: dict[tuple[str, ...], int] = {}
    for label, *names in zip(population.labels.tolist(), *columns, strict=True):
        for name in {(), tuple(names[:-1]), tuple(names)}:
            found[name] = found.get(name, 0) + int(label)
    return found
