"""Synthetic corpora whose truth is known: how often the interval of a count holds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from howsure.events.series.counts import count_from_probabilities, count_from_samples
from howsure.inputs.pairs import Floats
from howsure.show.table import Table
from howsure.stats.proportions import normal_quantile, poisson_binomial
from howsure_papers.figures.lines import Series, series_figure
from howsure_papers.replicates import mean_estimate
from howsure_papers.reproduction import Advance, Finding

if TYPE_CHECKING:
    from matplotlib.figure import Figure

QUARTERS = 400
DRAWS = 40  # of samples, a quarter
MOST_DOCUMENTS = 120
LEVEL = 0.95
DRAWN = "simulated counts"  # where these findings are judged
SIZES = (400, 100, 10)  # S
PAPERS = SIZES[1:]  # as in the paper and in its footnote
SHARPER = 2.0  # what an overconfident model multiplies log odds with
NAMES = ("exact, p known", "normal, p known", "exact, overconfident p")
CAPTION = (
    "Synthetic quarters from worst to best covered: the probability that a 95 % interval of the count contains the "
    "true value."
)

Interval = tuple[float, float]
Coverage = Mapping[str, Floats]


@dataclass(frozen=True, slots=True)
class Simulated:
    """The coverage of each interval in each quarter, by the name of the interval: arrays (quarters,).

    It is the mean over the draws of the samples; `least` is the least of all quarters and draws.
    """

    coverage: Coverage
    least: Mapping[str, float]

    def worst(self, name: str) -> float:
        """The least coverage of all quarters."""
        return float(self.coverage[name].min())


def simulate_coverage(*, quarters: int, seed: int, draws: int = DRAWS, advance: Advance) -> Simulated:
    """The exact probability that intervals hold the count, in random quarters of 1 to 120 documents.

    A quarter's documents have an event with independent probabilities p_d, of a Beta law that is drawn as well: some
    quarters are nearly certain, others all doubt. Where an interval comes from S samples per document, these are drawn
    `draws` times, and its coverage averaged. An overconfident model says σ(2 log odds of p_d).
    """
    rng = np.random.default_rng(seed)
    names = [*NAMES, *(_sampled(kind, n) for n in SIZES for kind in ("exact", "normal", "samples"))]
    found: dict[str, list[list[float]]] = {name: [] for name in names}
    for _ in range(quarters):
        n = int(np.exp(rng.uniform(0.0, np.log(MOST_DOCUMENTS + 1))))
        a, b = rng.uniform(0.05, 3.0, 2).tolist()
        p = rng.beta(a, b, n)
        for name, coverage in _coverages(p, draws, rng).items():
            found[name].append(coverage)
        advance(1)
    return Simulated(
        {name: np.array([np.mean(one) for one in all_draws]) for name, all_draws in found.items()},
        {name: min(min(one) for one in all_draws) for name, all_draws in found.items()},
    )


def holds(interval: Interval, pmf: Floats) -> float:
    """P(low ≤ count ≤ high).

    >>> holds((-0.5, 1.2), np.array([0.25, 0.5, 0.25]))
    0.75
    """
    counts = np.arange(len(pmf))
    return float(pmf[(counts >= interval[0]) & (counts <= interval[1])].sum())


def coverage_table(found: Simulated) -> Table:
    """Mean and worst coverage of every interval."""
    headers = ("interval", "mean coverage", "worst quarter", "quarters below .93", "worst draw")
    rows = [
        [
            name,
            f"{one.mean():.4f}",
            f"{one.min():.3f}",
            f"{100 * (one < 0.93).mean():.1f} %",
            f"{found.least[name]:.3f}",
        ]
        for name, one in found.coverage.items()
    ]
    quarters = len(found.coverage[NAMES[0]])
    title = f"Synthetic: coverage of {100 * LEVEL:g} % intervals of a count, true distribution, {quarters} quarters"
    return Table(headers, rows, headers[:1], caption=title)


def coverage_findings(found: Simulated) -> tuple[Finding, ...]:
    """What the simulation says of the paper's intervals."""
    hundred, ten = (_sampled("exact", n) for n in PAPERS)
    normal, normal_ten = (_sampled("normal", n) for n in PAPERS)
    over = mean_estimate(found.coverage["exact, p known"] - found.coverage["exact, overconfident p"])
    means = [found.coverage[name].mean() for name in (hundred, ten, normal, normal_ten)]
    return (
        Finding(
            "6", "the interval mean ± 1.96 sd of the samples covers 95 %",
            f"{means[2]:.3f} on average, but in the worst quarter {found.worst(normal):.2f} (S = 100); the exact one "
            f"{found.worst(hundred):.3f}, with known p {found.worst('exact, p known'):.3f}",
            found.worst(normal) >= 0.93, DRAWN,
        ),
        Finding(
            "section 6, footnote 11", "10 samples instead of 100 give similar results",
            "mean coverage of the exact interval {:.3f} with S = 100 and {:.3f} with 10, of the normal one {:.3f} and "
            "{:.3f}; in the worst quarter {:.2f} and {:.2f} (exact)".format(
                *means, found.worst(hundred), found.worst(ten)
            ),
            found.worst(ten) >= 0.93, DRAWN,
        ),
        Finding(
            "6", "intervals of an overconfident model are too narrow",
            f"mean coverage {found.coverage['exact, overconfident p'].mean():.3f}, less than that with the right "
            f"probabilities by {over}; in the worst quarter {found.worst('exact, overconfident p'):.2f}",
            None if over.low is None else over.low > 0, DRAWN,
        ),
    )  # fmt: skip


def coverage_figure(found: Simulated) -> Figure:
    """The coverage in each quarter, sorted, of five intervals."""
    shown = ("exact, p known", *(_sampled(kind, n) for n in PAPERS for kind in ("exact", "normal")))
    lines = [
        Series(name, 100 * (np.arange(len(one)) + 0.5) / len(one), np.sort(one))
        for name, one in ((name, found.coverage[name]) for name in shown)
    ]
    return series_figure(
        [("", lines)], x_label="% of the quarters, from the worst", y_label="coverage of the 95 % interval"
    )


def _coverages(p: Floats, draws: int, rng: np.random.Generator) -> dict[str, list[float]]:
    """The coverage of each interval, one for each draw of the samples if it is made of samples."""
    pmf = poisson_binomial(p).pmf
    reach = normal_quantile(LEVEL) * float(np.sqrt((p * (1 - p)).sum()))
    sharp = p**SHARPER / (p**SHARPER + (1 - p) ** SHARPER)
    known = dict(
        zip(
            NAMES,
            (_exact(p), (float(p.sum()) - reach, float(p.sum()) + reach), _exact(sharp)),
            strict=True,
        )
    )
    found = {name: [holds(interval, pmf)] for name, interval in known.items()}
    for n in SIZES:
        samples = [rng.random((len(p), n)) < p[:, np.newaxis] for _ in range(draws)]
        for kind in ("exact", "normal", "samples"):
            counts = (count_from_samples(one.astype(np.int64), interval=kind, level=LEVEL) for one in samples)
            found[_sampled(kind, n)] = [holds((one.low, one.high), pmf) for one in counts]
    return found


def _exact(p: Floats) -> Interval:
    count = count_from_probabilities(p, level=LEVEL)
    return count.low, count.high


def _sampled(kind: str, n: int) -> str:
    return f"{kind}, S = {n}"
