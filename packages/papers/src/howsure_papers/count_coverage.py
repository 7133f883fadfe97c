"""Coverage of the intervals of counts, in synthetic corpora with known truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from howsure.inputs.pairs import Floats
from howsure.show.table import Column, Kind, digits
from howsure.stats.proportions import normal_quantile, poisson_binomial
from howsure_events.series.counts import count_from_probabilities, count_from_samples
from howsure_papers.drawings import Series, series_figure
from howsure_papers.intervals import LEVEL, mean_estimate
from howsure_papers.reproduction import NAME, Advance, Drawing, ExperimentResult, Finding, numbers

QUARTERS = 400
DRAWS = 40  # draws of samples per quarter
MAX_DOCUMENTS = 120
DRAWN = "simulated counts"  # level at which the findings are judged
SIZES = (400, 100, 10)  # numbers of samples
PAPERS = SIZES[1:]  # as in the paper and in its footnote
SHARPER = 2.0  # factor of an overconfident model's log odds
NAMES = ("exact, p known", "normal, p known", "exact, overconfident p")
MIN_COVERAGE = 0.93  # coverage
BELOW = Kind("{:.1f} %".format)

Interval = tuple[float, float]
Coverage = Mapping[str, Floats]


@dataclass(frozen=True, slots=True)
class Simulated:
    """The coverage of each interval in each quarter, by the name of the interval: arrays (quarters,).

    It is the mean over the draws of the samples; `least` is the minimum over all quarters and draws.
    """

    coverage: Coverage
    least: Mapping[str, float]

    def worst(self, name: str) -> float:
        """The minimum coverage over quarters."""
        return float(self.coverage[name].min())


def simulate_coverage(*, quarters: int, seed: int, draws: int = DRAWS, advance: Advance) -> Simulated:
    """The exact coverage of intervals of counts, in random quarters of 1 to 120 documents.

    A quarter's documents have an event with independent probabilities p_d from a random Beta distribution, so that some
    quarters are nearly certain and others uncertain. If an interval is based on S samples per document, these are drawn
    `draws` times, and the coverage is averaged. An overconfident model predicts σ(2 log odds of p_d).
    """
    rng = np.random.default_rng(seed)
    names = [*NAMES, *(_sampling_name(kind, n) for n in SIZES for kind in ("exact", "normal", "samples"))]
    coverages: dict[str, list[list[float]]] = {name: [] for name in names}
    for _ in range(quarters):
        n = int(np.exp(rng.uniform(0.0, np.log(MAX_DOCUMENTS + 1))))
        a, b = rng.uniform(0.05, 3.0, 2).tolist()
        p = rng.beta(a, b, n)
        for name, coverage in _coverages(p, draws, rng).items():
            coverages[name].append(coverage)
        advance(1)
    return Simulated(
        {name: np.array([np.mean(all_draw) for all_draw in all_draws]) for name, all_draws in coverages.items()},
        {name: min(min(all_draw) for all_draw in all_draws) for name, all_draws in coverages.items()},
    )


def interval_probability(interval: Interval, pmf: Floats) -> float:
    """Return P(low ≤ count ≤ high).

    >>> interval_probability((-0.5, 1.2), np.array([0.25, 0.5, 0.25]))
    0.75
    """
    counts = np.arange(len(pmf))
    return float(pmf[(counts >= interval[0]) & (counts <= interval[1])].sum())


def find_coverage(quarters: int, *, seed: int, advance: Advance, draws: int = DRAWS) -> ExperimentResult:
    """The simulation with its table, its figure, and its findings on the paper's intervals."""
    simulated = simulate_coverage(quarters=quarters, seed=seed, draws=draws, advance=advance)
    coverage_by_name = simulated.coverage
    return ExperimentResult(
        findings=coverage_findings(simulated),
        tables=[
            numbers(
                f"Synthetic: coverage of 95 % intervals of a count, true distribution, {quarters} quarters",
                coverage_by_name,
                Column("interval", NAME, get=lambda name: name),
                Column("mean coverage", digits(4), get=lambda name: float(coverage_by_name[name].mean())),
                Column("worst quarter", digits(3), get=simulated.worst),
                Column(
                    "quarters below .93",
                    BELOW,
                    get=lambda name: 100 * float((coverage_by_name[name] < MIN_COVERAGE).mean()),
                ),
                Column("worst draw", digits(3), get=lambda name: simulated.least[name]),
            )
        ],
        drawings=[
            Drawing(
                "coverage",
                "Synthetic quarters from worst to best covered: the probability that a 95 % interval of the count "
                "contains the true value.",
                lambda: coverage_figure(simulated),
            )
        ],
        notes=[
            "Synthetic quarters have 1 to 120 documents with independent probabilities from random Beta "
            "distributions; the coverage of an interval is the exact probability of the counts in it, averaged over "
            f"{DRAWS} draws of the samples; the worst draw is the worst of all quarters and draws."
        ],
    )


def coverage_findings(simulated: Simulated) -> tuple[Finding, ...]:
    """The findings of the simulation on the paper's intervals."""
    hundred, ten = (_sampling_name("exact", n) for n in PAPERS)
    normal, normal_ten = (_sampling_name("normal", n) for n in PAPERS)
    overconfident = "exact, overconfident p"
    over = mean_estimate(simulated.coverage["exact, p known"] - simulated.coverage[overconfident])
    means = [simulated.coverage[name].mean() for name in (hundred, ten, normal, normal_ten)]
    of_normal = (
        f"{means[2]:.3f} on average, but in the worst quarter {simulated.worst(normal):.2f} (S = 100); the exact one "
        f"{simulated.worst(hundred):.3f}, with known p {simulated.worst('exact, p known'):.3f}"
    )
    of_ten = (
        "mean coverage of the exact interval {:.3f} with S = 100 and {:.3f} with 10, of the normal one {:.3f} and "
        "{:.3f}; in the worst quarter {:.2f} and {:.2f} (exact)"
    ).format(*means, simulated.worst(hundred), simulated.worst(ten))
    narrow = (
        f"mean coverage {simulated.coverage[overconfident].mean():.3f}, less than that with the right probabilities by "
        f"{over}; in the worst quarter {simulated.worst(overconfident):.2f}"
    )
    covers = "the interval mean ± 1.96 sd of the samples covers 95 %"  # on average
    similar = "10 samples instead of 100 give similar results"
    less = None if over.low is None else over.low > 0
    return (
        Finding("6", covers, of_normal, bool(means[2] >= MIN_COVERAGE), DRAWN),
        Finding("section 6, footnote 11", similar, of_ten, simulated.worst(ten) >= MIN_COVERAGE, DRAWN),
        Finding("6", "intervals of an overconfident model are too narrow", narrow, less, DRAWN),
    )


def coverage_figure(simulated: Simulated) -> Figure:
    """The coverage in each quarter, sorted, of five intervals."""
    shown = ("exact, p known", *(_sampling_name(kind, n) for n in PAPERS for kind in ("exact", "normal")))
    percentiles = 100 * (np.arange(len(simulated.coverage[NAMES[0]])) + 0.5) / len(simulated.coverage[NAMES[0]])
    lines = [Series(name, percentiles, np.sort(simulated.coverage[name])) for name in shown]
    x_label, y_label = "% of the quarters, from the worst", "coverage of the 95 % interval"
    return series_figure([("", lines)], x_label=x_label, y_label=y_label)


def _coverages(p: Floats, draws: int, rng: np.random.Generator) -> dict[str, list[float]]:
    """The coverage of each interval, for every draw of the samples if it is based on samples."""
    pmf = poisson_binomial(p).pmf
    reach = normal_quantile(LEVEL) * float(np.sqrt((p * (1 - p)).sum()))
    sharp = p**SHARPER / (p**SHARPER + (1 - p) ** SHARPER)
    intervals = (_exact_interval(p), (float(p.sum()) - reach, float(p.sum()) + reach), _exact_interval(sharp))
    coverages = {name: [interval_probability(interval, pmf)] for name, interval in zip(NAMES, intervals, strict=True)}
    for n in SIZES:
        samples = [rng.random((len(p), n)) < p[:, np.newaxis] for _ in range(draws)]
        for kind in ("exact", "normal", "samples"):
            counts = (count_from_samples(sample.astype(np.int64), interval=kind, level=LEVEL) for sample in samples)
            coverages[_sampling_name(kind, n)] = [
                interval_probability((count.low, count.high), pmf) for count in counts
            ]
    return coverages


def _exact_interval(p: Floats) -> Interval:
    count = count_from_probabilities(p, level=LEVEL)
    return count.low, count.high


def _sampling_name(kind: str, n: int) -> str:
    return f"{kind}, S = {n}"
