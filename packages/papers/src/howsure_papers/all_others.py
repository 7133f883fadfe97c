"""Variants of Figure 2 of Nguyen & O'Connor (2015): a class of all other texts, later test data, other tokens."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from howsure.calibration.curve import binned_curve
from howsure.calibration.results import CalibrationCurve
from howsure.errors import InputError
from howsure.figures.calibration import curve_figure
from howsure.inputs.pairs import Floats, Integers, Pairs
from howsure.result import Estimate
from howsure.show.table import COUNT, ESTIMATE, Column
from howsure_papers.corpora.labelled import SENTIMENT, Tweets, read_tweets
from howsure_papers.corpora.news import WIKIPEDIA, WORD, items_of_wikipedia
from howsure_papers.intervals import (
    SUBSAMPLES,
    each_over_training,
    is_about,
    point_values,
    random_subsamples,
    symmetric_estimate,
    verdict,
)
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
from howsure_papers.sentiment import (
    BIN_SIZE,
    GRIDS,
    MODELS,
    Words,
    binary_unigrams,
    choose_best,
    every_fit,
    findings,
    fit_model,
    part_of_train,
    quantities,
)

TITLE = "A class of all others, a later test, and other tokens (Nguyen & O'Connor 2015, section 4.1, Figure 2)"
MARK = re.compile("kill(s|ed|ing)?$")  # the word that replaces the smiley
ONE_CLASS = re.compile("(president|minister)s?$")  # the word that replaces the sad smiley
LATER = ("2017", "2020")  # the years in which development and test begin
OF_NEWS = 1_000  # bin size for news
TWEETS = 50_000  # sizes of the parts of each split
OTHERS, ONE = "all others", "one class"  # the class compared with the marked texts
RANDOM, LATE = "at random", "by time"  # how texts are split
OURS, BLANKS = "by TweetTokenizer", "at blanks"
SCORES = ("F1", "CalibErr")
SAME = 0.01  # errors that differ by less are treated as equal
CHANGES, TOKENS = "What they change", "Tokens"
Parts = list[tuple[list[Words], Integers]]


def steps_of_all_others() -> int:
    """The number of models that `reproduce_all_others` fits."""
    grids = sum(len(GRIDS[kind]) for kind in MODELS)
    return 4 * (grids + len(MODELS) * SUBSAMPLES) + 2 * grids


@experiment(TITLE, steps=steps_of_all_others)
def reproduce_all_others(
    *, data: str | None = None, limit: int | None = None, seed: int = 0, advance: Advance = ignore_progress
) -> ExperimentResult:
    """Reproduce Figure 2 on dated news, with a word in the role of the smiley, compared with all other texts or with
    one class of texts, and split at random or by time; and on tweets with two kinds of tokens.

    `limit`: only the first texts of each split. `advance` is called after every model.
    """
    tweets = read_tweets(data, TWEETS if limit is None else limit)
    outcomes = news_variants(data, limit, seed, advance)
    variants = list(outcomes.values())
    variant_findings = [
        replace(finding, setting=variant.name) for variant in variants for finding in findings(variant.in_all)
    ]
    sizes = variants[0].sizes
    marked = "killed (kill, kills, killing)"
    return ExperimentResult(
        findings=[*variant_findings, *changes(outcomes)],
        tables=[
            numbers(
                "Naive Bayes (NB) and logistic regression (LR) on news; intervals over training and test data",
                variants,
                Column("setting", NAME, get=lambda variant: variant.name),
                Column("words", COUNT, get=lambda variant: variant.words),
                *(
                    Column(
                        f"{what}, {short}", ESTIMATE, values=[variant.in_all[f"{what}, {kind}"] for variant in variants]
                    )
                    for what in SCORES
                    for short, kind in zip(("NB", "LR"), MODELS, strict=True)
                ),
                Column("CalibErr, NB - LR", ESTIMATE, get=lambda variant: variant.in_all["CalibErr, difference"]),
            )
        ],
        drawings=[
            Drawing(
                kind.lower().replace(" ", "-"),
                f"Figure 2 of {kind} on news: against what, and how split; bins of {OF_NEWS:,}.",
                partial(curve_figure, [variant.curves[kind] for variant in variants], panels=True),
            )
            for kind in MODELS
        ],
        notes=[
            "The paper's tweets have no public copy with dates. In their place are the items of Wikipedia's current "
            f"events (2002–2025), short and dated: those with the word {marked} are the positive class, and the word "
            "is deleted from them. *All others* are items without this word. *One class* are those of them that name a "
            "president or a minister; these words are deleted too, and positive items that contain them are left out.",
            f"Every part has as many positive as negative items, and all settings the same number: {sizes[0]:,} for "
            f"training, {sizes[1]:,} for development, {sizes[2]:,} for testing. They are split at random, or "
            f"by time: training before {LATER[0]}, development before {LATER[1]}, testing from then on.",
            f"Strengths are chosen by F1 on the development items, and kept on the {SUBSAMPLES} random halves of the "
            "training items from which intervals over training data come. Differences between settings take these "
            "for independent.",
            f"Tokens: the first {TWEETS:,} tweets of each split of Sentiment140, where repeated ones are left out, in "
            f"bins of {BIN_SIZE:,}; intervals over test tweets.",
        ],
        recipe={
            "data": f"{WIKIPEDIA}, {SENTIMENT}",
            "items": list(sizes),
            "tweets": [len(tweet.labels) for tweet in tweets],
            "subsamples": SUBSAMPLES,
            "seed": seed,
        },
    ) + compare_tokens(tweets, advance)


@dataclass(frozen=True, slots=True)
class Variant:
    """The results of a setting. sizes: of training, development and test data. words: the number of words in the
    training data. in_all: the quantities of Figure 2, with intervals over training and test data.
    """

    name: str
    sizes: tuple[int, ...]
    words: int
    in_all: Mapping[str, Estimate]
    curves: Mapping[str, CalibrationCurve]


def news_variants(data: str | None, limit: int | None, seed: int, advance: Advance) -> dict[tuple[str, str], Variant]:
    """The four settings: two classes compared with the marked texts, and two splits; all have the same size."""
    texts = [(item.date, [word.lower() for word in WORD.findall(item.text)]) for item in items_of_wikipedia(data)]
    pools = {OTHERS: text_pool(texts, None), ONE: text_pool(texts, ONE_CLASS)}
    counts = [np.bincount(split_periods(dates), minlength=3) for pool in pools.values() for dates, _ in pool]
    sizes = np.min(counts, axis=0) if limit is None else np.minimum(np.min(counts, axis=0), limit)
    if not sizes.all():
        raise InputError(
            f"{WIKIPEDIA} must contain items with and without {MARK.pattern!r} in all periods; it does not."
        )
    judged_variants = {}
    for against, pool in pools.items():
        for split in (RANDOM, LATE):
            parts = draw_parts(pool, sizes, by_time=split == LATE, rng=np.random.default_rng([seed, 0]))
            judged_variants[against, split] = judge_parts(f"{against}, {split}".capitalize(), parts, seed, advance)
    return judged_variants


Dated = tuple[list[str], list[Words]]


def text_pool(texts: Iterable[tuple[str, Words]], other: re.Pattern[str] | None) -> tuple[Dated, Dated]:
    """The dates and words of negative and of positive texts, without the words that define the classes."""
    pool: tuple[Dated, Dated] = ([], []), ([], [])
    for date, words in texts:
        positive, named = any(map(MARK.match, words)), other is not None and any(map(other.match, words))
        if other is None or positive != named:
            pool[positive][0].append(date)
            pool[positive][1].append(
                [word for word in words if not (MARK.match(word) or (named and other and other.match(word)))]
            )
    return pool


def split_periods(dates: Sequence[str]) -> Integers:
    """Return the part of each date in a split by time: 0 for training, 1 for development, 2 for testing."""
    return np.searchsorted(LATER, [date[:4] for date in dates], side="right")


def draw_parts(pool: tuple[Dated, Dated], sizes: Integers, *, by_time: bool, rng: np.random.Generator) -> Parts:
    """Training, development and test texts, drawn at random with the given numbers of each class."""
    drawn: list[tuple[list[Words], list[int]]] = [([], []) for _ in sizes]
    for label, (dates, words) in enumerate(pool):
        order = rng.permutation(len(words))
        periods = (
            split_periods(dates)[order] if by_time else np.repeat(np.arange(4), [*sizes, len(words) - sizes.sum()])
        )
        for part, size in enumerate(sizes):
            rows = order[periods == part][:size]
            drawn[part][0].extend(words[i] for i in rows.tolist())
            drawn[part][1].extend([label] * len(rows))
    return [(words, np.array(labels)) for words, labels in drawn]


def judge_parts(name: str, parts: Parts, seed: int, advance: Advance) -> Variant:
    """Evaluate both models of a setting, with the regularisation strengths that are best on the development texts.

    The models are also fitted on random halves of the training texts, for intervals over training data.
    """
    features = binary_unigrams(*(words for words, _ in parts))
    train, dev, test = (
        (feature, labels.astype(np.uint8)) for feature, (_, labels) in zip(features, parts, strict=True)
    )
    chosen = {kind: choose_best(every_fit(kind, train, dev, advance)) for kind in MODELS}
    predicted = {kind: fit.probabilities(test[0]) for kind, fit in chosen.items()}
    halves = []
    for rows in random_subsamples(len(train[1]), rng=np.random.default_rng([seed, 1])):
        part, part_dev, part_test = part_of_train(rows, train, dev, test)
        probabilities = {}
        for kind in MODELS:
            probabilities[kind] = fit_model(kind, chosen[kind].strength, part, part_dev).probabilities(part_test[0])
            advance(1)
        halves.append(point_values(quantities(test[1], probabilities, OF_NEWS)))
    errors = [f"CalibErr, {kind}" for kind in MODELS]
    in_all = each_over_training(quantities(test[1], predicted, OF_NEWS), halves, errors=errors)
    curves = {kind: binned_curve(Pairs(test[1], q), bin_size=OF_NEWS, name=name) for kind, q in predicted.items()}
    return Variant(name, tuple(len(labels) for _, labels in parts), train[0].shape[1], in_all, curves)


def changes(outcomes: Mapping[tuple[str, str], Variant]) -> list[Finding]:
    """Return findings on whether later test texts, or a class of all other texts, make the models worse calibrated."""
    later = [(against, (against, LATE), (against, RANDOM)) for against in (OTHERS, ONE)]
    others = [(split, (OTHERS, split), (ONE, split)) for split in (RANDOM, LATE)]
    findings = []
    for claim, pairs in (("a later test", later), ("a class of all others", others)):
        for same, new, old in pairs:
            for kind in MODELS:
                new_error, old_error = (outcomes[key].in_all[f"CalibErr, {kind}"] for key in (new, old))
                increase = difference(new_error, old_error)
                ours = f"CalibErr {new_error.value:.4f} against {old_error.value:.4f}, difference {increase}"
                findings.append(
                    Finding("", f"{kind}, {same}: {claim} makes it worse calibrated", ours, verdict(increase), CHANGES)
                )
    return findings


def difference(first: Estimate, second: Estimate) -> Estimate:
    """Return the difference of two independent estimates.

    Its interval is computed from the upper halves of both intervals, because the lower ends may be truncated at 0.
    """
    half_width = math.hypot(
        *(math.inf if estimate.high is None else estimate.high - estimate.value for estimate in (first, second))
    )
    return symmetric_estimate(first.value - second.value, half_width, "independent", min(first.n, second.n))


def compare_tokens(tweets: Sequence[Tweets], advance: Advance) -> ExperimentResult:
    """Compare the same tweets tokenised by nltk's TweetTokenizer and at blanks."""
    labels = [tweet.labels for tweet in tweets]
    cuts: dict[str, list[Sequence[Words]]] = {
        OURS: [tweet.words for tweet in tweets],
        BLANKS: [[text.lower().split() for text in tweet.texts] for tweet in tweets],
    }
    probabilities: dict[str, dict[str, Floats]] = {kind: {} for kind in MODELS}
    words = {}
    for name, cut in cuts.items():
        train, dev, test = zip(binary_unigrams(*cut), labels, strict=True)
        words[name] = train[0].shape[1]
        for kind in MODELS:
            probabilities[kind][name] = choose_best(every_fit(kind, train, dev, advance)).probabilities(test[0])
    estimates = {kind: quantities(labels[-1], both) for kind, both in probabilities.items()}
    findings = [
        Finding("", f"{kind}: words cut at blanks {claim}", f"{OURS} minus {BLANKS}: {more}", holds, TOKENS)
        for kind, both in estimates.items()
        for claim, more, holds in (
            ("give a lower F1", both["F1, difference"], verdict(both["F1, difference"])),
            (
                f"give about the same calibration error (within {SAME})",
                both["CalibErr, difference"],
                is_about(both["CalibErr, difference"], 0.0, SAME),
            ),
        )
    ]
    rows = [(kind, name) for kind in MODELS for name in cuts]
    table = numbers(
        "Tweets cut into words in two ways; intervals over test tweets",
        rows,
        Column("model", NAME, values=[kind for kind, _ in rows]),
        Column("words are cut", NAME, values=[name for _, name in rows]),
        Column("words", COUNT, values=[words[name] for _, name in rows]),
        *(
            Column(what, ESTIMATE, values=[estimates[kind][f"{what}, {name}"] for kind, name in rows])
            for what in SCORES
        ),
    )
    return ExperimentResult(findings=findings, tables=[table])
