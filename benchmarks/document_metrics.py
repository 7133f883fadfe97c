"""Do intervals and tests of document metrics cover? Simulated documents differ in size and difficulty.

    .venv/bin/python benchmarks/document_metrics.py [--sets 500] [--documents 20 60] [--only TEXT ...] [--before]
        [--part values|differences|ranks|all] [--seed 0]

prints the tables of docs/document-metrics.md. The script draws the statistics of each document instead of texts, and
passes them to the functions that `howsure score` and `howsure significance` call. For each regime and number of
documents:

coverage: of the 95% intervals, the proportion that contain the true value (of infinitely many documents).
no interval: the proportion of data sets for which the result is "cannot tell".
width: the mean width of the intervals, relative to the distance between the 0.025 and 0.975 quantiles of the estimates.
size: for two equally good models, the proportion of data sets with p <= 0.05 (for other pairs, the power).
agree: the proportion of data sets in which p <= 0.05 if and only if the interval excludes 0.
ranks: for three equally good models, the proportion of data sets in which each may have each rank, 1 to 3.
--before: the same with the methods used until 0.4: Student's t on pseudo-values (values), and the permutation test with
    the bootstrap's interval (differences, 499 resamples).

--only selects regimes whose name contains one of the strings. Standard errors of proportions are in parentheses.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from howsure.scores.prediction_metrics import jackknife_value, row_contributions
from howsure.scores.ranks import ranks
from howsure.significance.differences import Choices, test_differences
from howsure.significance.metrics.documents import Columns
from howsure.significance.metrics.metric import DOCUMENT, Metric, find_metric
from howsure.significance.systems import Problem
from howsure.stats.clusters import ItemGroups
from howsure.stats.mean_score import mean_score

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Generator = np.random.Generator
SHARED = 0.7  # of the documents, both models find equally hard
ORACLE_SETS, TRUE_DOCUMENTS, RESAMPLES = 4000, 200_000, 499


# Statistics of documents (models, n, k): what each metric counts, of models that share documents.


def gamma_sizes(rng: Generator, n: int, *, mean: float = 6.0) -> Integers:
    """Return sizes from 1 on, many of them small."""
    return 1 + rng.poisson(rng.gamma(1.0, mean, n))


def lognormal_sizes(rng: Generator, n: int, *, centre: float = 1.8, spread: float = 1.0) -> Integers:
    """Return sizes, a few of which are very large."""
    return 1 + rng.poisson(np.exp(rng.normal(centre, spread, n)))


def uniform_sizes(rng: Generator, n: int, *, low: int = 6, high: int = 30) -> Integers:
    """Return sizes of sentences."""
    return rng.integers(low, high + 1, n)


def shares(rng: Generator, models: int, mean: float | Floats, total: float, n: int, *, lead: float) -> Floats:
    """The difficulty of each document for each model, Beta(total · mean, total · (1 - mean)), the same for both in 70%
    of documents; `lead`: by how much the second model is better."""
    a, b = total * np.broadcast_to(mean, n), total * (1 - np.broadcast_to(mean, n))
    independent = rng.beta(a, b, (models, n))
    drawn = np.where(rng.random((models, n)) < SHARED, rng.beta(a, b, n), independent)
    return np.asarray(np.clip(drawn + lead * np.arange(models)[:, None], 0.0, 1.0))


def entities(
    rng: Generator,
    n: int,
    models: int,
    *,
    sizes: Callable[[Generator, int], Integers] = gamma_sizes,
    mean: float = 0.8,
    total: float = 10.0,
    wrong: float = 0.25,
    long_worse: float = 0.0,
    missed: float = 0.0,
    lead: float = 0.0,
) -> Floats:
    """Return the numbers of matched, predicted and true entities.

    long_worse: by how much the mean is lower in documents of at least 40 entities.
    missed: the proportion of documents in which nothing is matched or predicted.
    """
    true = np.broadcast_to(sizes(rng, n), (models, n))
    means = mean - long_worse * np.minimum(true[0] / 40, 1.0)
    recognised = rng.random((models, n)) >= missed
    matched = rng.binomial(true, shares(rng, models, means, total, n, lead=lead)) * recognised
    predicted = matched + rng.poisson(wrong * true) * recognised
    return np.stack([matched, predicted, true], axis=-1).astype(np.float64)


def words(
    rng: Generator,
    n: int,
    models: int,
    *,
    mean: float = 0.11,
    total: float = 4.5,
    all_wrong: float = 0.0,
    lead: float = 0.0,
) -> Floats:
    """Return the edits and words of texts of 3 to 29 words. all_wrong: the proportion of texts in which every word is
    wrong."""
    length = np.broadcast_to(rng.integers(3, 30, n), (models, n))
    edits = rng.binomial(length, shares(rng, models, mean, total, n, lead=lead))
    edits = np.where(rng.random((models, n)) < all_wrong, length, edits)
    return np.stack([edits, length], axis=-1).astype(np.float64)


def runs_of(right: npt.NDArray[np.bool_], longest: int) -> Iterator[Integers]:
    """Return the numbers of n successive correct positions, n = 1 to the longest: n-grams that occur in both texts."""
    matching = right
    for n in range(1, longest + 1):
        yield matching.sum(axis=-1)
        matching = matching[..., :-1] & right[..., n:]


def texts(
    rng: Generator,
    n: int,
    models: int,
    *,
    sizes: Callable[[Generator, int], Integers],
    mean: float,
    total: float,
    lead: float,
    dropped: float,
) -> tuple[Integers, Integers, npt.NDArray[np.bool_]]:
    """Return the lengths of references and texts (models, n), and which words of a text are correct (models, n,
    longest)."""
    references = np.broadcast_to(np.minimum(sizes(rng, n), 120), (models, n))
    lengths = np.maximum(references + rng.binomial(references, 0.02) - rng.binomial(references, dropped), 1)
    right = rng.random((models, n, int(lengths.max()))) < shares(rng, models, mean, total, n, lead=lead)[..., None]
    return references, lengths, right & (np.arange(right.shape[-1]) < np.minimum(lengths, references)[..., None])


def translations(
    rng: Generator,
    n: int,
    models: int,
    *,
    sizes: Callable[[Generator, int], Integers] = uniform_sizes,
    mean: float = 0.75,
    total: float = 10.0,
    dropped: float = 0.03,
    lead: float = 0.0,
) -> Floats:
    """Return the counts that BLEU needs. dropped: the proportion of missing words, which the brevity penalty
    punishes."""
    references, lengths, right = texts(rng, n, models, sizes=sizes, mean=mean, total=total, lead=lead, dropped=dropped)
    there = np.maximum(lengths[..., None] - np.arange(4), 0)
    parts = [lengths[..., None], references[..., None], np.stack([*runs_of(right, 4)], axis=-1), there]
    return np.concatenate(parts, axis=-1).astype(np.float64)


def characters(
    rng: Generator, n: int, models: int, *, mean: float = 0.75, total: float = 10.0, lead: float = 0.0
) -> Floats:
    """Return the counts that chrF needs, for words of five characters."""
    references, lengths, right = texts(
        rng, n, models, sizes=uniform_sizes, mean=mean, total=total, lead=lead, dropped=0.03
    )
    counts = [
        np.maximum(5 * lengths_of_texts[..., None] - np.arange(6), 0) for lengths_of_texts in (lengths, references)
    ]
    both = np.stack([*runs_of(np.repeat(right, 5, axis=-1), 6)], axis=-1)
    return np.stack([*counts, both], axis=-1).reshape(models, n, 18).astype(np.float64)


def labels(rng: Generator, n: int, models: int, *, macro: bool, lead: float = 0.0) -> Floats:
    """Return the correct, predicted and true counts of six labels from common to rare; `macro` keeps the labels
    apart."""
    common = np.array([0.6, 0.4, 0.3, 0.25, 0.2, 0.15])
    true = rng.random((1, n, 6)) < common
    kept = rng.random((models, n, 6)) < shares(rng, models, 0.8, 6.0, n, lead=lead)[..., None]
    predicted = np.where(true, kept, rng.random((models, n, 6)) < 0.1)
    each = np.concatenate([true & predicted, predicted, np.broadcast_to(true, predicted.shape)], axis=-1)
    counts = each if macro else each.reshape(models, n, 3, 6).sum(axis=-1)
    return counts.astype(np.float64)


# The regimes: those of issue 44, and others.

Draw = Callable[[Generator, int, int], Floats]


@dataclass(frozen=True)
class Regime:
    """A metric, how its documents are drawn, and how many there are. `named`: whether the issue names the regime."""

    name: str
    metric: str
    draw: Draw
    documents: tuple[int, ...] = (20, 60)
    equal: bool = True


F1 = "entity_f1"
LONG = partial(entities, sizes=partial(lognormal_sizes, spread=0.8), mean=0.9, total=12.0, long_worse=0.3)
VALUES = (
    Regime("F1, gamma sizes", F1, entities, (10, 20, 60)),
    Regime("F1, lognormal sizes", F1, partial(entities, sizes=lognormal_sizes), (10, 20, 60)),
    Regime("F1, long documents worse", F1, LONG),
    Regime("F1, one in 20 missed", F1, partial(entities, missed=0.05)),
    Regime("WER, one in 15 wrong", "wer", partial(words, all_wrong=1 / 15), (30, 60)),
    Regime("BLEU", "bleu", translations, (10, 30, 100)),
    Regime("chrF", "chrf", characters, (10, 30)),
    Regime("multi-label micro", "multilabel_micro_f1", partial(labels, macro=False), (15, 50)),
    Regime("multi-label macro", "multilabel_macro_f1", partial(labels, macro=True), (30, 100)),
    # five more
    Regime(
        "F1 of .95",
        F1,
        partial(entities, sizes=partial(gamma_sizes, mean=10.0), mean=0.95, total=20.0, wrong=0.05),
        (10, 30),
    ),
    Regime(
        "F1, long ones much worse", F1, partial(entities, sizes=lognormal_sizes, mean=0.95, total=12.0, long_worse=0.45)
    ),
    Regime("WER, even texts", "wer", partial(words, mean=0.1, total=50.0), (10, 30, 100)),
    Regime(
        "BLEU, short, unequal",
        "bleu",
        partial(translations, sizes=partial(lognormal_sizes, centre=2.3, spread=0.8), dropped=0.15),
    ),
    Regime("BLEU, low", "bleu", partial(translations, mean=0.45, total=6.0)),
    # with probability .13 (30 texts), none of the wrong texts is drawn, and the others show nothing of them
    Regime(
        "WER, even but one in 15 wrong", "wer", partial(words, mean=0.1, total=50.0, all_wrong=1 / 15), (30, 60, 100)
    ),
)
DIFFERENCES = (
    Regime("F1, lognormal sizes", F1, partial(entities, sizes=lognormal_sizes), (15, 60)),
    Regime("F1, gamma sizes", F1, entities),
    Regime("F1, long documents worse", F1, LONG),
    Regime("F1, one in 20 missed", F1, partial(entities, missed=0.05)),
    Regime("WER, one in 15 wrong", "wer", partial(words, all_wrong=1 / 15), (30, 60)),
    Regime("BLEU", "bleu", translations, (15, 60)),
    Regime("chrF", "chrf", characters, (15, 60)),
    Regime("multi-label micro", "multilabel_micro_f1", partial(labels, macro=False)),
    # five more
    Regime("multi-label macro", "multilabel_macro_f1", partial(labels, macro=True), (30, 60)),
    Regime(
        "BLEU, short, unequal",
        "bleu",
        partial(translations, sizes=partial(lognormal_sizes, centre=2.3, spread=0.8), dropped=0.15),
        (15, 60),
    ),
    Regime(
        "F1 of .95",
        F1,
        partial(entities, sizes=partial(gamma_sizes, mean=10.0), mean=0.95, total=20.0, wrong=0.05),
        (10, 30),
    ),
    Regime(
        "F1, second better", F1, partial(entities, sizes=lognormal_sizes, mean=0.7, lead=0.1), (15, 60), equal=False
    ),
    Regime("BLEU, second better", "bleu", partial(translations, mean=0.7, lead=0.08), (15, 60), equal=False),
)


# What is counted over sets.


def mean_text(hits: Sequence[bool]) -> str:
    """Return a proportion with its standard error, as text."""
    share = float(np.mean(hits)) if len(hits) else math.nan
    error = math.sqrt(share * (1 - share) / max(len(hits), 1))
    return f"{share:.3f} ({error:.3f})"


def summary(ends: Floats, truth: float, oracle: float) -> list[str]:
    """Return the coverage, the proportion without an interval, and the mean width relative to the oracle's."""
    finite = np.isfinite(ends).all(axis=1)
    low, high = ends[finite].T
    width = float((high - low).mean() / oracle) if finite.any() else math.nan
    covered = (low <= truth) & (truth <= high)
    return [mean_text(covered.tolist()), f"{1 - finite.mean():.3f}", f"{width:.2f}"]


def oracle_width(values: Floats) -> float:
    """Return the distance between the 0.025 and 0.975 quantiles of the estimates."""
    low, high = np.quantile(values, [0.025, 0.975])
    return float(high - low)


def value_rows(regime: Regime, n: int, sets: int, seed: int, *, before: bool) -> list[str]:
    """Return a row of the table of values."""
    metric, rng = find_metric(regime.metric, DOCUMENT), np.random.default_rng([seed, n])
    truth = float(metric.value(drawn_sums(regime, 1000, TRUE_DOCUMENTS // 1000, rng)[0].sum(axis=0)))
    oracle = oracle_width(metric.value(drawn_sums(regime, n, ORACLE_SETS, rng)[0]))
    groups, ends, ends_before = ItemGroups.of(n), np.full((sets, 2), np.nan), np.full((sets, 2), np.nan)
    for place in range(sets):
        statistics = regime.draw(rng, n, 1)[0]
        parts = row_contributions(metric, statistics)
        sizes = np.ones(n) if metric.sizes is None else metric.sizes(statistics)
        ends[place] = jackknife_value(metric, parts, sizes, groups).interval(0.95)
        if before and np.ptp(parts) > 0:
            ends_before[place] = mean_score(parts, groups).interval(0.95)
    assert metric.bounds is not None
    inside = ends[np.isfinite(ends)]
    assert metric.bounds[0] <= inside.min() <= inside.max() <= metric.bounds[1]
    cells = [regime.name, str(n), *summary(ends, truth, oracle)]
    if before:
        outside = (ends_before[:, 0] < metric.bounds[0]) | (ends_before[:, 1] > metric.bounds[1])
        cells += [*summary(ends_before, truth, oracle)[::2], f"{outside.mean():.3f}"]
    return cells


def drawn_sums(regime: Regime, n: int, sets: int, rng: Generator, models: int = 1) -> Floats:
    """Return the sums of the statistics of simulated sets of n documents: (models, sets, k)."""
    return np.stack([regime.draw(rng, n, models).sum(axis=1) for _ in range(sets)], axis=1)


def difference_rows(regime: Regime, n: int, sets: int, seed: int, *, before: bool) -> list[str]:
    """Return a row of the table of differences."""
    metric, rng = find_metric(regime.metric, DOCUMENT), np.random.default_rng([seed, n, 2])
    first, second = metric.value(drawn_sums(regime, 1000, TRUE_DOCUMENTS // 1000, rng, 2).sum(axis=1))
    truth = 0.0 if regime.equal else float(second - first)
    values = metric.value(drawn_sums(regime, n, ORACLE_SETS, rng, 2))
    oracle = oracle_width(values[1] - values[0])
    methods = ["jackknife", "permutation"] if before else ["jackknife"]
    ends, p = np.full((len(methods), sets, 2), np.nan), np.full((len(methods), sets), np.nan)
    for place in range(sets):
        statistics = regime.draw(rng, n, 2)
        for k, method in enumerate(methods):
            low, high, p_value = compared(metric, statistics, method, place)
            ends[k, place], p[k, place] = (low, high), p_value
    cells = [regime.name, str(n)]
    for bounds, of_method in zip(ends, p, strict=True):
        excludes = (bounds[:, 0] > 0) | (bounds[:, 1] < 0)
        agree = mean_text(((of_method <= 0.05) == excludes).tolist())
        cells += [*summary(bounds, truth, oracle), mean_text((of_method <= 0.05).tolist()), agree]
    return cells


def rank_rows(regime: Regime, n: int, sets: int, seed: int, *, before: bool) -> list[str]:
    """Return a row of the table of ranks."""
    metric, rng = find_metric(regime.metric, DOCUMENT), np.random.default_rng([seed, n, 3])
    hits: list[list[bool]] = [[], []]
    for _ in range(sets):
        statistics = regime.draw(rng, n, 3)
        parts = metric.sign * np.stack([row_contributions(metric, of_model) for of_model in statistics])
        sizes = np.ones(n) if metric.sizes is None else np.sum([metric.sizes(part) for part in statistics], axis=0)
        for complete, sizes_used in zip(hits, (sizes, None) if before else (sizes,), strict=False):
            possible = ranks(parts, sizes=sizes_used, level=0.95, rng=rng)
            complete.append(bool((possible.low == 1).all() and (possible.high == 3).all()))
    return [regime.name, str(n), *(mean_text(complete) for complete in hits if complete)]


def compared(metric: Metric, statistics: Floats, method: str, seed: int) -> tuple[float, float, float]:
    """Return the interval and p-value of a method, from the statistics (2, n, k) of two models."""
    n, k = statistics.shape[1:]
    problem = Problem(DOCUMENT, np.zeros((n, 1)), statistics[:1], statistics[1:])
    interval = "jackknife" if method == "jackknife" else "basic"
    choices = Choices(method, RESAMPLES, "two-sided", interval, 0.95, None, False, None, False)
    (row,) = test_differences(problem, [replace(metric, rows=Columns(0, k))], choices, seed, ("first", "second"))
    return row.low, row.high, row.p_value


VALUE_HEADINGS = ("regime", "documents", "coverage", "no interval", "width")
BEFORE_VALUES = ("coverage before", "width before", "outside before")
DIFFERENCE_HEADINGS = (*VALUE_HEADINGS, "size", "agree")
BEFORE_DIFFERENCES = tuple(f"{heading} before" for heading in DIFFERENCE_HEADINGS[2:])
RANK_HEADINGS = ("regime", "documents", "all ranks")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", type=int, default=500)
    parser.add_argument("--documents", type=int, nargs="*")
    parser.add_argument("--only", nargs="*", default=[""])
    parser.add_argument("--part", choices=("values", "differences", "ranks", "all"), default="all")
    parser.add_argument("--before", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    equal = tuple(regime for regime in DIFFERENCES if regime.equal)
    tables = (
        ("values", VALUES, VALUE_HEADINGS, BEFORE_VALUES, value_rows),
        ("differences", DIFFERENCES, DIFFERENCE_HEADINGS, BEFORE_DIFFERENCES, difference_rows),
        ("ranks", equal, RANK_HEADINGS, ("all ranks before",), rank_rows),
    )
    for part, regimes, after, earlier, row_of in tables:
        if options.part not in (part, "all"):
            continue
        headings = (*after, *(earlier if options.before else ()))
        print(
            f"\n{part}, {options.sets:,} sets each\n\n| {' | '.join(headings)} |\n|{'|'.join('---' for _ in headings)}|"
        )
        for regime in regimes:
            if not any(text in regime.name for text in options.only):
                continue
            for n in options.documents or regime.documents:
                print(
                    f"| {' | '.join(row_of(regime, n, options.sets, options.seed, before=options.before))} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
