"""Calibration of continuous quantities (Nguyen's thesis, chapter 2): simulated posteriors, and the dates of texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from itertools import islice

import numpy as np
from matplotlib.figure import Figure

from howsure import quantile_calibration
from howsure.calibration.quantiles import QuantileCalibration
from howsure.figures.distributions import draw_quantiles
from howsure.figures.style import literal, use_style
from howsure.inputs.pairs import Floats
from howsure.result import Estimate
from howsure.show.table import COUNT, ESTIMATE, P_VALUE, Column, digits, p_in_words
from howsure_papers.corpora.news import WIKIPEDIA, WORD, items_of_wikipedia
from howsure_papers.drawings import panels_in_rows
from howsure_papers.intervals import is_about, mean_estimate, opposite, share_estimate, verdict
from howsure_papers.reproduction import (
    NAME,
    Advance,
    Drawing,
    ExperimentResult,
    Finding,
    experiment,
    ignore_progress,
    numbers,
)

TITLE = "Posteriors of continuous quantities (Nguyen's thesis, chapter 2, first draft)"
DRAWS = 99
SETS, QUANTITIES = 500, 100  # simulated sets, and the quantities of each
ALPHA = 0.05
SELDOM, MOSTLY = 0.1, 0.5  # largest rejection rate of right posteriors, smallest rate of wrong ones
RIGHT, NARROW, BIASED = "right", "too narrow", "biased"
POSTERIORS = {RIGHT: (0.0, 1.0), NARROW: (0.0, 0.7), BIASED: (0.4, 1.0)}  # shift and width, in standard deviations
TESTS = ("chi-square", "band")
MEAN, NORMAL, RESIDUALS = "of the mean alone", "with normal noise", "with the residuals of other texts"
WORDS = 1_000  # number of words, the most frequent in the training texts
PENALTY = 10.0
CENTRAL, NEAR = 0.9, 0.02
YEAR = 365.25
SIMULATED, TEXTS = "Simulated posteriors", "Dates of texts"

Ranked = Mapping[str, QuantileCalibration]


@experiment(TITLE, steps=lambda: SETS + 1)
def reproduce_quantiles(
    *, data: str | None = None, limit: int | None = None, seed: int = 0, advance: Advance = ignore_progress
) -> ExperimentResult:
    """Test whether true values could be draws from their posteriors, by their ranks among actual draws.

    First for simulated posteriors that are right, too narrow and biased; then for the date of a text, predicted from
    its words by linear regression. `limit`: only the first texts. `advance` is called after every simulated set.
    """
    dated, sizes = date_ranks(data, limit, np.random.default_rng([seed, 1]))
    advance(1)
    rng, sets = np.random.default_rng([seed, 0]), []
    for _ in range(SETS):
        sets.append(simulate_ranks(rng))
        advance(1)
    shown = "where the truths lie among the draws; the bars of a calibrated posterior lie in the band."
    return ExperimentResult(
        findings=[*simulation_findings(sets), *date_findings(dated)],
        tables=[
            numbers(
                f"The share of {SETS} simulated sets on which p ≤ .05",
                POSTERIORS,
                Column("posterior", NAME, get=lambda name: name),
                Column("shift", digits(1), get=lambda name: POSTERIORS[name][0]),
                Column("width", digits(1), get=lambda name: POSTERIORS[name][1]),
                *(
                    Column(test, ESTIMATE, values=[rejection_rate(sets, posterior, test) for posterior in POSTERIORS])
                    for test in TESTS
                ),
            ),
            numbers(
                "The dates of texts",
                dated,
                Column("posterior", NAME, get=lambda name: name),
                Column("texts", COUNT, get=lambda name: dated[name].n),
                Column("90 % interval holds the date", ESTIMATE, get=lambda name: interval_coverage(dated[name])),
                Column("later than the draws", digits(3), get=lambda name: float((dated[name].ranks > 49).mean())),
                *(
                    Column(f"{test}, p", P_VALUE, values=[result.p_values[test] for result in dated.values()])
                    for test in TESTS
                ),
            ),
        ],
        drawings=[
            Drawing("simulated", f"The first simulated set: {shown}", lambda: panels(sets[0])),
            Drawing("dates", f"Dates of texts: {shown}", lambda: panels(dated)),
        ],
        notes=[
            "The thesis only announces the question. A truth that is drawn from its posterior has a uniform rank among "
            f"{DRAWS} draws of it; two tests of uniformity are in `howsure.quantile_calibration`.",
            f"Simulated: {QUANTITIES} quantities a set, whose posteriors are normal with means and widths of their "
            "own. The draws come from posteriors that are shifted or narrowed by this many standard deviations.",
            f"Texts: one item of Wikipedia's current events for each day ({sizes[0]:,} for training, {sizes[1]:,} for "
            f"residuals, {sizes[2]:,} for testing). A Bayesian linear regression predicts the date in years from the "
            f"{WORDS:,} most frequent words (penalty {PENALTY:g}); its posterior is that of the mean, with normal "
            "noise as in the training texts, or with a residual of another text.",
            "Intervals are Wilson's, for the shares of sets or of test texts; training texts do not vary.",
        ],
        recipe={"data": WIKIPEDIA, "draws": DRAWS, "sets": SETS, "texts": sizes, "seed": seed},
    )


def simulate_ranks(rng: np.random.Generator) -> dict[str, QuantileCalibration]:
    """The ranks of the same true values in the posteriors of each kind."""
    mean, width = rng.normal(size=QUANTITIES), rng.gamma(2.0, size=QUANTITIES)
    truth = rng.normal(mean, width)
    return {
        name: quantile_calibration(
            truth, rng.normal(mean + shift * width, narrow * width, (DRAWS, QUANTITIES)).T, rng=rng
        )
        for name, (shift, narrow) in POSTERIORS.items()
    }


def rejection_rate(sets: Sequence[Ranked], posterior: str, test: str) -> Estimate:
    """The proportion of sets on which a test rejects a posterior."""
    return share_estimate(np.array([result[posterior].p_values[test] <= ALPHA for result in sets]))


def simulation_findings(sets: Sequence[Ranked]) -> list[Finding]:
    """Return findings: how often the tests reject correct and wrong posteriors."""
    rows = []
    for test in TESTS:
        share = rejection_rate(sets, RIGHT, test)
        claim = f"a right posterior is seldom rejected at .05 (by the {test} on less than {SELDOM:.0%} of the sets)"
        rows.append((claim, f"on {share}", opposite(verdict(share, above=SELDOM))))
    for name, better, other in ((NARROW, *TESTS), (BIASED, *reversed(TESTS))):
        share = rejection_rate(sets, name, better)
        rows.append(
            (f"one that is {name} is mostly found (by the {better})", f"on {share}", verdict(share, above=MOSTLY))
        )
        rejected = [
            np.array([result[name].p_values[test] <= ALPHA for result in sets], dtype=float) for test in (better, other)
        ]
        more = mean_estimate(rejected[0] - rejected[1])
        rows.append((f"and more often than by the {other}", f"by a share of {more}", verdict(more)))
    return [Finding("", *row, SIMULATED) for row in rows]


def date_ranks(data: str | None, limit: int | None, rng: np.random.Generator) -> tuple[Ranked, list[int]]:
    """Return the ranks of the dates of test texts in three posteriors, and the numbers of texts used for each purpose.

    The dates are predicted by linear regression with a normal prior of the weights. The posterior of the weights has
    the covariance noise² (X'X + c)⁻¹ with the penalty c.
    """
    (x, y), (x_dev, y_dev), (x_test, y_test) = read_dated(data, limit, rng)
    centre, precision = y.mean(), x.T @ x + PENALTY * np.eye(x.shape[1])
    weights = np.linalg.solve(precision, x.T @ (y - centre))
    noise = (((y - centre - x @ weights) ** 2).sum() / max(len(x) - x.shape[1], 1)) ** 0.5
    factor = np.linalg.cholesky(precision)
    drawn = weights[:, None] + np.linalg.solve(factor.T, rng.normal(0.0, noise, (len(weights), DRAWS)))
    means = centre + x_test @ drawn
    more = {
        MEAN: np.zeros_like(means),
        NORMAL: rng.normal(0.0, noise, means.shape),
        RESIDUALS: rng.choice(y_dev - centre - x_dev @ weights, means.shape),
    }
    ranked_ = {name: quantile_calibration(y_test, means + shift, rng=rng) for name, shift in more.items()}
    return ranked_, [len(y), len(y_dev), len(y_test)]


def read_dated(data: str | None, limit: int | None, rng: np.random.Generator) -> list[tuple[Floats, Floats]]:
    """Return one random text of each day: indicators of words (n, words), and its date in years (n,).

    The days are split at random: five of seven for training, one for the residuals, and one for testing.
    """
    of_day: dict[str, list[str]] = {}
    for item in islice(items_of_wikipedia(data), limit):
        of_day.setdefault(item.date, []).append(item.text)
    days = sorted(of_day)
    texts = [{word.lower() for word in WORD.findall(of_day[day][rng.integers(len(of_day[day]))])} for day in days]
    years = np.array([date.fromisoformat(day).toordinal() / YEAR for day in days])
    part = np.maximum(rng.permutation(len(days)) % 7 - 4, 0)
    counts = Counter(word for i in np.flatnonzero(part == 0).tolist() for word in sorted(texts[i]))
    words = [word for word, _ in counts.most_common(WORDS)]
    contains = np.array([[word in text for word in words] for text in texts], dtype=np.float64)
    return [(contains[part == part_number], years[part == part_number]) for part_number in range(3)]


def interval_coverage(quantile_calibration: QuantileCalibration) -> Estimate:
    """The proportion of true values in the central 90 % of their draws."""
    outside = (1 - CENTRAL) / 2 * (DRAWS + 1)
    return share_estimate((quantile_calibration.ranks >= outside) & (quantile_calibration.ranks < DRAWS + 1 - outside))


def date_findings(ranked: Ranked) -> list[Finding]:
    """Whether the intervals of each posterior have their nominal coverage, and whether ranks are uniform."""
    findings_ = []
    for name, result in ranked.items():
        share, p = interval_coverage(result), result.p_value
        claim = f"the 90 % intervals of the posterior {name} hold {CENTRAL:.0%} of the dates, within {NEAR:.0%}"
        findings_.append(Finding("", claim, f"{share}", is_about(share, CENTRAL, NEAR), TEXTS))
        uniform = None if p > ALPHA else False
        findings_.append(
            Finding(
                "", f"and the ranks of the dates are uniform, {name}", f"chi-square {p_in_words(p)}", uniform, TEXTS
            )
        )
    return findings_


def panels(ranked: Ranked) -> Figure:
    """The histograms of several posteriors side by side."""
    with use_style():
        figure, axes = panels_in_rows(len(ranked), 2.7)
        for ax, (name, result) in zip(axes, ranked.items(), strict=True):
            draw_quantiles(result, ax=ax)
            literal(ax.set_title(""), name)
    return figure
