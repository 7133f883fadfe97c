"""False positives of BooStSa on small test sets, by simulation (Fornaciari et al. 2022, section 2.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from howsure.inputs.pairs import Floats
from howsure.result import Estimate
from howsure.show.table import COUNT, Column, digits, interval
from howsure_papers.boostsa import ALPHA, EXACT, FULL, LARGEST, SHARES, TESTS, Columns, p_values, share_name
from howsure_papers.drawings import Series, series_figure
from howsure_papers.intervals import share_estimate, verdict
from howsure_papers.reproduction import (
    NAME,
    Advance,
    Drawing,
    ExperimentResult,
    Finding,
    Numbers,
    experiment,
    ignore_progress,
    numbers,
)

TITLE = "How often p ≤ .05 where there is no difference, by test-set size (Fornaciari et al. 2022, section 2.3)"
SIZES = (20, 50, 100, 200, 500, 1_000)
SMALL = 100  # items: a test set of at most this size is small
SETS = 500  # of each size
ACCURACY = 0.8
METRIC = "macro_f1"
FOLLOWS = 0.6  # proportion of words that are right or wrong together with their sentence
RULE = len(SHARES)  # BooStSa's tests come first
DRAWN_TESTS = (share_name(0.1), share_name(0.3), LARGEST, FULL, EXACT)
NOTES = (
    "Both systems are right on four items of five, and neither is better in the population. So a one-sided test at the "
    "5 % level should find a difference on 5 % of the test sets: a p that is too low finds one on more.",
    "Two classes, drawn evenly; the errors of the systems are independent of each other.",
    f"Sentences: items are words, ten to a sentence, of which {FOLLOWS:.0%} are right or wrong together, separately "
    "for each system; all tests resample single words.",
    "Small: 20, 50 and 100 items together. Intervals are Wilson's, for the shares of test sets, at the 95 % level.",
)


@dataclass(frozen=True, slots=True)
class Regime:
    """The parameters of simulated test sets and tests: the words in a sentence, and the number of resamples."""

    name: str
    words: int
    resamples: int


FEW_RESAMPLES = Regime("independent, 100 resamples", 1, 100)
MANY_RESAMPLES = Regime("independent, 1,000 resamples", 1, 1_000)
SENTENCES = Regime("sentences, 1,000 resamples", 10, 1_000)
REGIMES = (FEW_RESAMPLES, MANY_RESAMPLES, SENTENCES)


def steps_of_small_samples() -> int:
    """The number of calls of `advance`."""
    return len(REGIMES) * len(SIZES) * SETS


@experiment(TITLE, steps=steps_of_small_samples)
def reproduce_small_samples(*, seed: int = 0, advance: Advance = ignore_progress) -> ExperimentResult:
    """Estimate how often tests find a difference (p ≤ .05) on simulated test sets of two equally good systems.

    The tests are BooStSa's rule with several proportions, a bootstrap with resamples of full size, and a permutation
    test. `advance` is called after every test set.

    Source: Fornaciari et al. (2022), section 2.3, after Søgaard et al. (2014).
    """
    rejections = {regime: simulate(regime, seed, advance) for regime in REGIMES}
    return ExperimentResult(
        findings=rejection_findings(rejections),
        tables=(rejection_table(rejections),),
        drawings=[
            Drawing(
                "false-findings",
                "The share of test sets without a difference on which p ≤ .05; a right test has .05.",
                lambda: series_figure(
                    rejection_panels(rejections),
                    x_label="items",
                    y_label="share of sets with p ≤ .05",
                    log_x=True,
                    legend_outside=True,
                ),
            )
        ],
        notes=NOTES,
        recipe={"seed": seed, "accuracy": ACCURACY, "test sets": SETS, "metric": METRIC},
    )


def draw_set(n: int, words: int, rng: np.random.Generator) -> Columns:
    """Targets, and the answers of two systems that are right equally often; errors are clustered by sentence."""
    targets = rng.integers(2, size=n)
    sentences = np.arange(n) // words
    answers = []
    for _ in range(2):
        independent, shared = rng.random(n) < ACCURACY, (rng.random(int(sentences[-1]) + 1) < ACCURACY)[sentences]
        right = np.where(rng.random(n) < FOLLOWS, shared, independent) if words > 1 else independent
        answers.append(np.where(right, targets, 1 - targets))
    return targets, answers[0], answers[1]


def simulate(regime: Regime, seed: int, advance: Advance) -> Floats:
    """Whether p ≤ .05, for each size, test and test set, (sizes, tests, sets); `advance` is called after each set."""
    rejections = np.empty((len(SIZES), len(TESTS), SETS))
    for i, n in enumerate(SIZES):
        for k in range(SETS):
            columns = draw_set(n, regime.words, np.random.default_rng([seed, regime.words, n, k]))
            rejections[i, :, k] = p_values(columns, [METRIC], loops=regime.resamples, seed=seed + k)[:, 0] <= ALPHA
            advance(1)
    return rejections


def small_set_rate(rejections: Floats, test: str) -> Estimate:
    """The proportion of small test sets, over all sizes, on which a test finds a difference."""
    return share_estimate(rejections[[n <= SMALL for n in SIZES], TESTS.index(test)])


def rejection_findings(rejections: dict[Regime, Floats]) -> tuple[Finding, ...]:
    """Return whether p is too low on small test sets by BooStSa's rule, by other tests, or for other reasons."""
    large = rejections[SENTENCES][-1]
    often = max(
        (small_set_rate(rejections[MANY_RESAMPLES], test) for test in TESTS[:RULE]), key=lambda share: share.value
    )
    claims = [
        ("section 2.3", "of a small test set, BooStSa's p is too low", often, ", with the share that finds most"),
        (
            "",
            "of a small test set, p of resamples of full size is too low",
            small_set_rate(rejections[MANY_RESAMPLES], FULL),
            "",
        ),
        ("", "so is p of a permutation", small_set_rate(rejections[MANY_RESAMPLES], EXACT), ""),
        (
            "",
            f"with 100 resamples in place of 1,000, BooStSa's p is too low, {LARGEST}",
            small_set_rate(rejections[FEW_RESAMPLES], LARGEST),
            "",
        ),
        (
            "",
            f"of {SIZES[-1]:,} words of sentences, p of a permutation of words is too low",
            share_estimate(large[TESTS.index(EXACT)]),
            "",
        ),
        ("", f"so is BooStSa's, {LARGEST}", share_estimate(large[TESTS.index(LARGEST)]), ""),
    ]
    return tuple(
        Finding(
            place,
            claim,
            f"p ≤ .05 on {share_text(share)} of sets without a difference{how}",
            verdict(share, above=ALPHA),
        )
        for place, claim, share, how in claims
    )


def share_text(share: Estimate) -> str:
    """A proportion with its interval, with three decimals."""
    return f"{share.value:.3f} {interval(share.low, share.high, 3)}"


def rejection_table(rejections: dict[Regime, Floats]) -> Numbers:
    """The rates, a row per regime and size."""
    rows = [(regime, i) for regime in REGIMES for i in range(len(SIZES))]
    return numbers(
        "Share of test sets without a difference on which p ≤ .05",
        rows,
        Column("test sets", NAME, values=[regime.name for regime, _ in rows]),
        Column("items", COUNT, values=[SIZES[i] for _, i in rows]),
        *(
            Column(test, digits(3), values=[rejections[regime][i, j].mean() for regime, i in rows])
            for j, test in enumerate(TESTS)
        ),
    )


def rejection_panels(rejections: dict[Regime, Floats]) -> list[tuple[str, Sequence[Series]]]:
    """A panel per regime: the rate by size, a line for each of the chosen tests, and the nominal rate."""
    level = Series("a right test", SIZES, [ALPHA] * len(SIZES))
    return [
        (
            regime.name,
            [
                *(Series(test, SIZES, rejections[regime][:, TESTS.index(test)].mean(axis=1)) for test in DRAWN_TESTS),
                level,
            ],
        )
        for regime in REGIMES
    ]
