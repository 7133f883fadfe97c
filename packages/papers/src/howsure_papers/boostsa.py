"""BooStSa's p against test-set size and sub-sample share (Fornaciari et al. 2022, Figures 1 and 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.inputs.pairs import Floats, Integers
from howsure.show.table import COUNT, Column, digits
from howsure.significance.comparison import compare
from howsure.stats.proportions import normal_quantile
from howsure_papers.corpora.tagged import ARK, Corpus, read_ark
from howsure_papers.drawings import Series, series_figure
from howsure_papers.intervals import LEVEL, mean_estimate, opposite, share_estimate, verdict
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
from howsure_papers.taggers import BASIC, CHOSEN, PENALTIES, choose

TITLE = "BooStSa's p against sub-sample share and test-set size (Fornaciari et al. 2022, Figures 1 and 2)"
SHARES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
FULL, EXACT = "full size", "permutation"
ALPHA = 0.05
SIZES = (1_000, 2_000, 4_000, 6_000, 8_000, 10_000)  # of Figure 1
SIMULATIONS, SIMULATED_LOOPS = 10, 1_000
ACCURACIES = (0.80, 0.81)
METRIC = "macro_f1"
STABLE = 0.02  # largest half-width of an interval of p that counts as narrow
PAPERS_WORDS, PAPERS_SHARE = 3_064, 0.3  # the paper's test set, and the share above which p ≤ .05 there
PAPERS_GAINS = {"accuracy": 0.43, "macro_f1": 0.57}  # number of points
METRICS = {"accuracy": "accuracy", "macro_f1": "macro-F1"}
WORDS = (500, 1_000, PAPERS_WORDS)  # and all words
DRAWS, LOOPS, LOOPS_OF_A_DRAW = 100, 10_000, 1_000
DEFAULT = 0.1  # BooStSa's proportion
NOTES = (
    "Every p is one-sided, as in BooStSa. For comparison with its rule, there are a full-size bootstrap and a "
    "permutation test, neither of which needs a share.",
    "Figure 1: balanced classes and predictions, a difference of one point, 10 simulations of 1,000 loops per point. "
    "The paper does not report the accuracies; ours are .80 and .81.",
    "Figure 2: the paper's two taggers and their 3,064 test words are not public. Ours are an HMM and a CRF-Basic, "
    "trained on the tweets of Gimpel et al. (2011), with the settings that are most accurate on the development "
    "tweets.",
    "In the normal approximation, the rule gives p = 1 - Φ(z √share), where z is the difference divided by its "
    "standard error: p ≤ .05 requires a share of at least (1.645 / z)². That the paper's share is above .3 implies a "
    "z between 2.3 and 3.0.",
    "The words of a tweet are not independent: test sets are drawn as whole tweets, while the tests resample words, "
    "as BooStSa does.",
)

Columns = tuple[Any, Any, Any]  # targets, baseline, model


def share_name(share: float) -> str:
    """Return the name of the rule with a sub-sample proportion, for a column of a table.

    >>> share_name(0.1)
    'share 0.1'
    """
    return f"share {share:g}"


TESTS = (*map(share_name, SHARES), FULL, EXACT)
SMALLEST, LARGEST = share_name(SHARES[0]), share_name(SHARES[-1])


def steps_of_boostsa() -> int:
    """The number of calls of `advance`."""
    return len(SIZES) * SIMULATIONS + len(PENALTIES) + (len(WORDS) + 1) * (DRAWS + 1)


@experiment(TITLE, steps=steps_of_boostsa)
def reproduce_boostsa(
    *, data: str | None = None, limit: int | None = None, seed: int = 0, advance: Advance = ignore_progress
) -> ExperimentResult:
    """Reproduce Figures 1 and 2, each compared with resamples of full size and a permutation test on the same data.

    Figure 1 is simulated as described in the paper. Figure 2 compares two taggers that are not public; an HMM and a
    CRF-Basic replace them here, on test sets of increasing size. `limit`: only the first tweets of each part. `advance`
    is called after every test set.
    """
    tagged = tag(read_ark(data, limit), advance)
    p = simulate(seed, advance)
    sizes = run_tests_by_size(tagged, seed, advance)
    share, y_label = "share in a sub-sample", "test sets with p ≤ .05"
    return ExperimentResult(
        findings=(*figure_1_findings(p), *figure_2_findings(sizes)),
        tables=(figure_1_table(p), *figure_2_tables(sizes)),
        drawings=[
            Drawing(
                "figure-1",
                "Figure 1: mean p of macro-F1 over 10 simulations with its 95 % interval, by share of the sub-samples; "
                "a true difference of one point.",
                lambda: series_figure(figure_1_panels(p), x_label="test set", y_label="p", legend_outside=True),
            ),
            Drawing(
                "figure-2",
                "Figure 2: p of CRF-Basic against the HMM on the first words of the test tweets.",
                lambda: series_figure(figure_2_panels(sizes), x_label=share, y_label="p", legend_outside=True),
            ),
            Drawing(
                "figure-2-drawn",
                "Of 100 test sets of this many words, drawn by tweet: the share on which the rule finds the "
                "difference.",
                lambda: series_figure(draw_panels(sizes), x_label=share, y_label=y_label, legend_outside=True),
            ),
        ],
        notes=NOTES,
        recipe={
            "seed": seed,
            "accuracies": list(ACCURACIES),
            "simulations": SIMULATIONS,
            "data": ARK,
            **tagged.settings,
            "draws": DRAWS,
            "loops": [SIMULATED_LOOPS, LOOPS, LOOPS_OF_A_DRAW],
        },
    )


def p_values(columns: Columns, metrics: Sequence[str], *, loops: int, seed: int) -> Floats:
    """Return the p-value of every test and metric, one-sided like BooStSa's: (tests, metrics)."""
    options: dict[str, Any] = {"metrics": list(metrics), "interval": None, "rng": seed, "n_resamples": loops}
    compared = [compare(*columns, method="boostsa", sample_size=share, **options) for share in SHARES]
    compared += [compare(*columns, method=m, alternative="better", **options) for m in ("bootstrap", "permutation")]
    return np.array([[row.p_value for row in result] for result in compared])


def simulate_balanced(n: int, rng: np.random.Generator) -> Columns:
    """Simulate two classes of n/2 items; both systems are right equally often in each class, independently."""
    targets = np.repeat([0, 1], n // 2)
    systems = []
    for accuracy in ACCURACIES:
        wrong = np.zeros(n, dtype=bool)
        errors = round((1 - accuracy) * n / 2)
        for start in (0, n // 2):
            wrong[start + rng.choice(n // 2, errors, replace=False)] = True
        systems.append(np.where(wrong, 1 - targets, targets))
    return targets, systems[0], systems[1]


def simulate(seed: int, advance: Advance) -> Floats:
    """Return the p-value of every test on simulated test sets, (sizes, tests, simulations)."""
    p = np.empty((len(SIZES), len(TESTS), SIMULATIONS))
    for i, n in enumerate(SIZES):
        for k in range(SIMULATIONS):
            columns = simulate_balanced(n, np.random.default_rng([seed, n, k]))
            p[i, :, k] = p_values(columns, [METRIC], loops=SIMULATED_LOOPS, seed=seed + k)[:, 0]
            advance(1)
    return p


def test_p_values(p: Floats, test: str) -> Floats:
    """Return the p-values of a test on the simulated sets, (sizes, simulations)."""
    return np.asarray(p[:, TESTS.index(test)])


def figure_1_panels(p: Floats) -> list[tuple[str, list[Series]]]:
    """The mean over the simulations, with its 95 % interval."""
    lines = []
    for test in TESTS:
        means = [mean_estimate(row) for row in test_p_values(p, test)]
        lows, highs = [mean.low or 0.0 for mean in means], [mean.high or 0.0 for mean in means]
        lines.append(Series(test, SIZES, [mean.value for mean in means], lows, highs))
    return [("a true difference of one point", lines)]


def figure_1_table(p: Floats) -> Numbers:
    tests = [Column(test, digits(3), values=test_p_values(p, test).mean(axis=1)) for test in TESTS]
    caption = "Figure 1: mean p of macro-F1 by test-set size and share"
    return numbers(caption, SIZES, Column("test set", COUNT, values=SIZES), *tests)


def figure_1_findings(p: Floats) -> tuple[Finding, ...]:
    """Return the findings of Fornaciari et al. on the figure, each decided by the interval that supports it least."""
    of_rule = [test_p_values(p, share_name(share)) for share in SHARES]
    by_size = [mean_estimate(p_of_size[0] - p_of_size[-1]) for p_of_size in of_rule]
    by_share = [mean_estimate(differences) for differences in test_p_values(p, SMALLEST) - test_p_values(p, LARGEST)]
    widest = float(p[:, : len(SHARES)].std(axis=2, ddof=1).max()) * normal_quantile(LEVEL) / np.sqrt(SIMULATIONS)
    small, large, full, exact = (
        f"{test_p_values(p, test)[-1].mean():.3f}" for test in (SMALLEST, LARGEST, FULL, EXACT)
    )
    least_size, least_share = (min(drops, key=lambda drop: drop.low or 0.0) for drops in (by_size, by_share))
    grows = verdict(least_share)
    sizes = f"from {SIZES[0]:,} to {SIZES[-1]:,} items p falls by {least_size} or more, whatever the share"
    shares = f"from a share of {SHARES[0]} to one of {SHARES[-1]} p falls by {least_share} or more at every size"
    broad = (
        f"p falls as the share grows; of {SIZES[-1]:,} items it is {small} for a share of {SHARES[0]}, {large} for "
        f"{SHARES[-1]}, {full} for all items and {exact} by permutation"
    )
    narrow = f"the mean p is known within ± {widest:.3f} or better (narrow: ± {STABLE})"
    stable = "1,000 iterations give stable results: narrow intervals over 10 simulations"
    return (
        Finding("1", "the larger the test set, the smaller p", sizes, verdict(least_size)),
        Finding("1", "p depends on the share of the sub-sample", shares, grows),
        Finding("1", "(its text) too broad a sub-sample makes p artificially high", broad, opposite(grows)),
        Finding("1", stable, narrow, bool(widest < STABLE)),
    )


@dataclass(frozen=True, slots=True)
class TaggedWords:
    """Words with their gold tags, the tags of both taggers, and their tweets; and the settings of the taggers."""

    columns: tuple[npt.NDArray[Any], ...]
    tweets: Integers
    settings: dict[str, float]

    def __len__(self) -> int:
        return len(self.tweets)

    def first(self, n: int) -> Columns:
        gold, baseline, model = (column[:n] for column in self.columns)
        return gold, baseline, model

    def drawn(self, n: int, rng: np.random.Generator) -> Columns:
        """The words of tweets drawn with replacement, until there are n words."""
        edges = np.searchsorted(self.tweets, np.arange(int(self.tweets[-1]) + 2))
        tweets = rng.integers(len(edges) - 1, size=n)  # each with at least one word
        tweets = tweets[: int(np.searchsorted(np.cumsum(np.diff(edges)[tweets]), n)) + 1]
        rows = np.concatenate([np.arange(edges[tweet], edges[tweet + 1]) for tweet in tweets])[:n]
        gold, baseline, model = (column[rows] for column in self.columns)
        return gold, baseline, model


@dataclass(frozen=True, slots=True)
class SizeResult:
    """The results for test sets with a certain number of words.

    first: p-values (tests, metrics) for the first words. drawn: p-values (draws, tests, metrics) for drawn tweets.
    values (2, metrics): the metrics of the baseline and the model on the first words.
    """

    words: int
    values: Floats
    first: Floats
    drawn: Floats

    def found(self, test: str, metric: str) -> tuple[float, float, float]:
        """The proportion of drawn sets on which a test finds the difference, with its interval."""
        p = self.drawn[:, TESTS.index(test), list(METRICS).index(metric)]
        share = share_estimate(p <= ALPHA)
        assert share.low is not None
        assert share.high is not None
        return share.value, share.low, share.high


def tag(corpus: Corpus, advance: Advance) -> TaggedWords:
    """The tags of an HMM and of a CRF-Basic whose settings are best on the development tweets."""
    hmm, crf = choose(CHOSEN, corpus.train, corpus.dev), choose(BASIC, corpus.train, corpus.dev, advance)
    tags = (corpus.test.tags, *(model.tagger.predict(corpus.test.sentences) for model in (hmm, crf)))
    tweets = np.repeat(np.arange(len(corpus.test)), [len(tag) for tag in corpus.test.tags])
    columns = tuple(np.array([tag for sentence in sentences_ for tag in sentence]) for sentences_ in tags)
    return TaggedWords(columns, tweets, {"pseudocount": hmm.setting, "c2": crf.setting})


def run_tests_by_size(tagged: TaggedWords, seed: int, advance: Advance) -> list[SizeResult]:
    """Run every test on the first words, and on as many words of drawn tweets, for all possible sizes."""
    sizes = [n for n in WORDS if n < len(tagged)]
    advance((len(WORDS) - len(sizes)) * (DRAWS + 1))
    sizes_ = []
    for n in (*sizes, len(tagged)):
        columns = tagged.first(n)
        rows = compare(*columns, metrics=list(METRICS), interval=None, n_resamples=1, rng=seed)
        values = np.array([[row.against_value for row in rows], [row.model_value for row in rows]])
        first = p_values(columns, list(METRICS), loops=LOOPS, seed=seed)
        advance(1)
        drawn = np.empty((DRAWS, len(TESTS), len(METRICS)))
        for k in range(DRAWS):
            rng = np.random.default_rng([seed, n, k])
            drawn[k] = p_values(tagged.drawn(n, rng), list(METRICS), loops=LOOPS_OF_A_DRAW, seed=seed + k)
            advance(1)
        sizes_.append(SizeResult(n, values, first, drawn))
    return sizes_


def figure_2_findings(sizes: Sequence[SizeResult]) -> tuple[Finding, ...]:
    """Return the paper's finding for each metric with its number of words, and the effect of the proportion."""
    size = next((size for size in sizes if size.words == PAPERS_WORDS), sizes[-1])
    default, exact = size.found(share_name(DEFAULT), "accuracy"), size.found(EXACT, "accuracy")
    shares = [f"{value:.2f} [{low:.2f}, {high:.2f}]" for value, low, high in (default, exact)]
    claim = "at its default share of .1 the rule finds the difference less often than a permutation"
    ours = (
        f"p ≤ .05 in a share of {shares[0]} of {DRAWS} test sets of {size.words:,} words drawn by tweet; by "
        f"permutation in {shares[1]}"
    )
    less = True if default[2] < exact[1] else False if default[1] > exact[2] else None
    return (*(_share_finding(size, metric) for metric in METRICS), Finding("", claim, ours, less))


def _share_finding(size_result: SizeResult, metric: str) -> Finding:
    column = list(METRICS).index(metric)
    first = next((share for share, p in zip(SHARES, size_result.first[:, column], strict=False) if p <= ALPHA), None)
    at, widest = (
        np.quantile(size_result.drawn[:, TESTS.index(share_name(share)), column], [0.025, 0.975])
        for share in (PAPERS_SHARE, SHARES[-1])
    )
    gains = " and ".join(f"{points} points of {METRICS[name]}" for name, points in PAPERS_GAINS.items())
    reached = "at no share" if first is None else f"from a share of {first} on"
    late = bool(at[0] > ALPHA) and bool(widest[1] <= ALPHA)
    not_late = bool(at[1] <= ALPHA) or bool(widest[0] > ALPHA)
    return Finding(
        "2",
        f"p ≤ .05 only with a share above 30 % ({PAPERS_WORDS:,} words, gains of {gains})",
        f"on {size_result.words:,} words, a gain of {100 * np.diff(size_result.values[:, column])[0]:.2f} points, p ≤ "
        f".05 {reached}; on {DRAWS} sets of as many words drawn by tweet, 95 % of p lie in [{at[0]:.3f}, {at[1]:.3f}] "
        f"for a share of {PAPERS_SHARE}, in [{widest[0]:.3f}, {widest[1]:.3f}] for {SHARES[-1]}",
        True if late else False if not_late else None,
        METRICS[metric],
    )


def figure_2_panels(sizes: Sequence[SizeResult]) -> list[tuple[str, list[Series]]]:
    """Return one panel per metric: p on the first words, by the proportion of the sub-samples."""
    level = Series("p = .05", SHARES, [ALPHA] * len(SHARES))
    return [
        (name, [*(Series(_words(size), SHARES, size.first[: len(SHARES), column]) for size in sizes), level])
        for column, name in enumerate(METRICS.values())
    ]


def draw_panels(sizes: Sequence[SizeResult]) -> list[tuple[str, list[Series]]]:
    """Return one panel per metric: how often the difference is significant, by proportion of the sample."""
    panels = []
    for metric, name in METRICS.items():
        shares = [[size.found(share_name(share), metric) for share in SHARES] for size in sizes]
        lines = [
            Series(_words(size), SHARES, *zip(*rows, strict=True)) for size, rows in zip(sizes, shares, strict=True)
        ]
        panels.append((name, lines))
    return panels


def _words(size_result: SizeResult) -> str:
    return f"{size_result.words:,} words"


def figure_2_tables(sizes: Sequence[SizeResult]) -> tuple[Numbers, Numbers]:
    """The p-values on the first words, and each test's rate of finding the difference, by size and metric."""
    rows = [(size, column, metric) for size in sizes for column, metric in enumerate(METRICS)]
    about = (
        Column("words", COUNT, values=[size.words for size, *_ in rows]),
        Column("metric", NAME, values=[METRICS[metric] for *_, metric in rows]),
    )
    first = {"HMM": 0, "CRF-Basic": 1}
    return (
        numbers(
            "Figure 2: p on the first words of the test tweets",
            rows,
            *about,
            *(Column(name, digits(4), values=[size.values[i, j] for size, j, _ in rows]) for name, i in first.items()),
            *(
                Column(test, digits(4), values=[size.first[i, j] for size, j, _ in rows])
                for i, test in enumerate(TESTS)
            ),
        ),
        numbers(
            f"Share of {DRAWS} test sets, drawn by tweet, with p ≤ .05",
            rows,
            *about,
            *(Column(test, digits(2), values=[size.found(test, name)[0] for size, _, name in rows]) for test in TESTS),
        ),
    )
