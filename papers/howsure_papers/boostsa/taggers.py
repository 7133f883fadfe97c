"""Figure 2 of BooStSa's paper: p for two part-of-speech taggers, by the share of the sub-samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.inputs.pairs import Floats, Integers
from howsure.show.table import Table
from howsure.significance import compare
from howsure.stats.proportions import wilson_interval
from howsure_papers.boostsa.p_values import (
    ALPHA,
    EXACT,
    SHARES,
    TESTS,
    Columns,
    p_values,
    share_name,
)
from howsure_papers.figures.lines import Series
from howsure_papers.reproduction import Advance, Finding
from howsure_papers.tagging.corpora import Corpus
from howsure_papers.tagging.models import PENALTIES, PSEUDOCOUNTS, choose_crf, choose_hmm

PAPERS_WORDS, PAPERS_SHARE = 3_064, 0.3  # the paper's test set, and the share above which p ≤ .05 there
PAPERS_GAINS = {"accuracy": 0.43, "macro_f1": 0.57}  # points
METRICS = {"accuracy": "accuracy", "macro_f1": "macro-F1"}
WORDS = (500, 1_000, PAPERS_WORDS)  # and all
DRAWS, LOOPS, LOOPS_OF_A_DRAW = 100, 10_000, 1_000
DEFAULT = 0.1  # BooStSa's share


@dataclass(frozen=True, slots=True)
class Tagged:
    """Words with their tags, those of the two taggers, and the tweet of each; the taggers' settings."""

    columns: tuple[npt.NDArray[Any], ...]
    tweets: Integers
    settings: dict[str, float]

    def __len__(self) -> int:
        return len(self.tweets)

    def first(self, n: int) -> Columns:
        """The first n words."""
        gold, baseline, model = (column[:n] for column in self.columns)
        return gold, baseline, model

    def drawn(self, n: int, rng: np.random.Generator) -> Columns:
        """The words of tweets that are drawn with replacement, until there are n."""
        edges = np.searchsorted(self.tweets, np.arange(int(self.tweets[-1]) + 2))
        tweets = rng.integers(len(edges) - 1, size=n)  # of one word or more each
        tweets = tweets[: int(np.searchsorted(np.cumsum(np.diff(edges)[tweets]), n)) + 1]
        rows = np.concatenate([np.arange(edges[tweet], edges[tweet + 1]) for tweet in tweets])[:n]
        gold, baseline, model = (column[rows] for column in self.columns)
        return gold, baseline, model


@dataclass(frozen=True, slots=True)
class OfSize:
    """Test sets of some words. first, drawn: p (tests, metrics) of the first words, (draws, tests, metrics) of draws.

    values (2, metrics): of the baseline and the model on the first words.
    """

    words: int
    values: Floats
    first: Floats
    drawn: Floats

    def found(self, test: str, metric: str) -> tuple[float, float, float]:
        """The share of drawn sets on which a test finds the difference, with its interval."""
        p = self.drawn[:, TESTS.index(test), list(METRICS).index(metric)]
        share = np.array([(p <= ALPHA).mean()])
        low, high = wilson_interval(share, np.array([float(len(p))]))
        return float(share[0]), float(low[0]), float(high[0])


def tag(corpus: Corpus, advance: Advance) -> Tagged:
    """The tags of an HMM and of a CRF-Basic whose settings are best on the development tweets."""
    hmm, crf = choose_hmm(corpus.train, corpus.dev, PSEUDOCOUNTS), choose_crf(corpus.train, corpus.dev, advance)
    tags = (corpus.test.tags, *(one.tagger.predict(corpus.test.sentences) for one in (hmm, crf)))
    tweets = np.repeat(np.arange(len(corpus.test)), [len(one) for one in corpus.test.tags])
    columns = tuple(np.array([tag for sentence in one for tag in sentence]) for one in tags)
    return Tagged(columns, tweets, {"pseudocount": hmm.setting, "c2": crf.setting})


def steps_of_taggers() -> int:
    """How often `advance` is called."""
    return len(PENALTIES) + (len(WORDS) + 1) * (DRAWS + 1)


def by_size(tagged: Tagged, seed: int, advance: Advance) -> list[OfSize]:
    """Every test on the first words, and on as many of drawn tweets; of all sizes that there are words for."""
    sizes = [n for n in WORDS if n < len(tagged)]
    advance((len(WORDS) - len(sizes)) * (DRAWS + 1))
    found = []
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
        found.append(OfSize(n, values, first, drawn))
    return found


def papers_size(sizes: Sequence[OfSize]) -> OfSize:
    """The test sets of as many words as the paper's; of all, where there are fewer."""
    return next((one for one in sizes if one.words == PAPERS_WORDS), sizes[-1])


def findings(sizes: Sequence[OfSize]) -> tuple[Finding, ...]:
    """The paper's finding for its number of words, by metric, and what the share does to the test."""
    one = papers_size(sizes)
    default, found = one.found(share_name(DEFAULT), "accuracy"), one.found(EXACT, "accuracy")
    shares = [f"{value:.2f} [{low:.2f}, {high:.2f}]" for value, low, high in (default, found)]
    return (
        *(_late(one, metric) for metric in METRICS),
        Finding(
            "", "at its default share of .1 the rule finds the difference less often than a permutation",
            f"p ≤ .05 in a share of {shares[0]} of {DRAWS} test sets of {one.words:,} words drawn by tweet; "
            f"by permutation in {shares[1]}",
            True if default[2] < found[1] else False if default[1] > found[2] else None,
        ),
    )  # fmt: skip


def _late(one: OfSize, metric: str) -> Finding:
    column = list(METRICS).index(metric)
    first = next((share for share, p in zip(SHARES, one.first[:, column], strict=False) if p <= ALPHA), None)
    at, widest = (
        np.quantile(one.drawn[:, TESTS.index(share_name(share)), column], [0.025, 0.975])
        for share in (PAPERS_SHARE, SHARES[-1])
    )
    gains = " and ".join(f"{points} points of {METRICS[name]}" for name, points in PAPERS_GAINS.items())
    reached = "at no share" if first is None else f"from a share of {first} on"
    late = bool(at[0] > ALPHA) and bool(widest[1] <= ALPHA)
    not_late = bool(at[1] <= ALPHA) or bool(widest[0] > ALPHA)
    return Finding(
        "2",
        f"p ≤ .05 only with a share above 30 % ({PAPERS_WORDS:,} words, gains of {gains})",
        f"on {one.words:,} words, a gain of {100 * float(np.diff(one.values[:, column])[0]):.2f} points, "
        f"p ≤ .05 {reached}; on {DRAWS} sets of as many words drawn by tweet, 95 % of p lie in "
        f"[{at[0]:.3f}, {at[1]:.3f}] for a share of {PAPERS_SHARE}, in [{widest[0]:.3f}, {widest[1]:.3f}] for "
        f"{SHARES[-1]}",
        True if late else False if not_late else None,
        METRICS[metric],
    )


def panels(sizes: Sequence[OfSize]) -> list[tuple[str, list[Series]]]:
    """One panel per metric: p on the first words against the share."""
    level = Series("p = .05", SHARES, [ALPHA] * len(SHARES))
    return [
        (name, [*(Series(_words(one), SHARES, one.first[: len(SHARES), column]) for one in sizes), level])
        for column, name in enumerate(METRICS.values())
    ]


def panels_of_draws(sizes: Sequence[OfSize]) -> list[tuple[str, list[Series]]]:
    """One panel per metric: how often the difference is found, against the share, with its interval."""
    found = []
    for metric, name in METRICS.items():
        shares = [[one.found(share_name(share), metric) for share in SHARES] for one in sizes]
        lines = [Series(_words(one), SHARES, *zip(*rows, strict=True)) for one, rows in zip(sizes, shares, strict=True)]
        found.append((name, lines))
    return found


def _words(one: OfSize) -> str:
    return f"{one.words:,} words"


def tables(sizes: Sequence[OfSize]) -> tuple[Table, Table]:
    """p on the first words, and how often each test finds the difference."""
    first, found = [], []
    for one in sizes:
        for column, (metric, name) in enumerate(METRICS.items()):
            values, p = one.values[:, column], one.first[:, column]
            first.append([f"{one.words:,}", name, *(f"{value:.4f}" for value in (*values, *p))])
            found.append([f"{one.words:,}", name, *(f"{one.found(test, metric)[0]:.2f}" for test in TESTS)])
    what = "Figure 2: p on the first words of the test tweets"
    shares = f"Share of {DRAWS} test sets, drawn by tweet, with p ≤ .05"
    return (
        Table(["words", "metric", "HMM", "CRF-Basic", *TESTS], first, ("metric",), caption=what),
        Table(["words", "metric", *TESTS], found, ("metric",), caption=shares),
    )
