"""An HMM against a CRF of equal accuracy: all tags together and each by itself, over test and training data."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from howsure.calibration.bins import bin_pairs
from howsure.calibration.calibration_errors import squared_error
from howsure.calibration.comparison import compare_pairs
from howsure.calibration.curve import curve_of
from howsure.calibration.error import root
from howsure.calibration.results import CalibrationCurve
from howsure.calibration.scores import BRIER, LOG
from howsure.inputs.pairs import Floats, Integers, Pairs
from howsure.sequences.calibration_pairs import tag_pairs
from howsure.sequences.tagger import Tagger
from howsure.stats.estimate import Estimate
from howsure_papers.label_errors import (
    LEVEL,
    Contest,
    clustered_mean,
    label_errors,
    of_sentences,
    over_halves,
    squared_errors,
    wins,
)
from howsure_papers.replicates import SUBSAMPLES, over_training
from howsure_papers.reproduction import Advance
from howsure_papers.tagging.corpora import Corpus, Tagged
from howsure_papers.tagging.models import (
    CHOSEN_HMM,
    PAPERS_HMM,
    PENALTIES,
    SIZES_TRIED,
    Rivals,
    marginals_of,
    rivals,
)

BIN_SIZE = 5_000  # of all tags together, the paper's; each label by itself has n^(2/3) / 2
OF_LABEL = "auto"
OTHER_BIN_SIZES = (200, 1_000, BIN_SIZE)
FEW, MANY = 5, 20  # the most common tags whose errors are averaged
NOUN = "NN"
HMM, CRF = "HMM", "CRF-Basic"
ERRORS = (f"CalibErr, {HMM}", f"CalibErr, {CRF}")  # which are 0 or more


@dataclass(frozen=True, slots=True)
class Judged:
    """One tagger on test sentences: the pairs of all tags, and of every token whether its tag is right and how sure.

    right: of the most probable sequence. surest: the probability of each token's most probable tag; hits: whether it
    is right.
    """

    pairs: Pairs
    right: Floats
    surest: Floats
    hits: Floats
    sentences: Integers


@dataclass(frozen=True, slots=True)
class Question:
    """What both taggers are asked. labels: "tags" or "tag pairs". judge: how one tagger answers. counts: how often each
    label comes in the test data. order: the labels by frequency. few, many: how many of these are averaged."""

    labels: str
    judge: Callable[[Tagger], Judged]
    counts: Mapping[str, int]
    order: Integers
    few: int
    many: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a contest. in_test: with intervals over test data; in_all: over training data as well.

    tags: the contest label by label. wins: for how many labels the CRF is better calibrated, and its interval over
    halves of training and test data; wins_by_bin_size: the same with other bins.
    """

    question: Question
    rivals: Rivals
    in_test: Mapping[str, Estimate]
    in_all: Mapping[str, Estimate]
    curves: tuple[CalibrationCurve, CalibrationCurve]
    tags: Contest
    wins: Estimate
    wins_by_bin_size: Mapping[str, int]


def about_tags(corpus: Corpus) -> Question:
    """Which tag does each token have?"""
    counts = Counter(chain.from_iterable(corpus.test.tags))
    order = np.array(sorted(range(len(corpus.labels)), key=lambda i: -counts[corpus.labels[i]]))
    return Question("tags", lambda tagger: judge(tagger, corpus.test, corpus.labels), counts, order, FEW, MANY)


def hold_all(
    corpora: Sequence[Corpus], ask: Callable[[Corpus], Question], *, seed: int, advance: Advance
) -> list[tuple[Corpus, list[Outcome]]]:
    """The contests of both HMMs, the paper's and the chosen one, with the CRFs as accurate, on every corpus.

    `advance` is told of every model and every subsample, about `steps_of_contests()` of them for two corpora.
    """
    held = []
    for corpus in corpora:
        models = [
            rivals(corpus, name=name, seed=seed, subsamples=SUBSAMPLES, advance=advance)
            for name in (PAPERS_HMM, CHOSEN_HMM)
        ]
        held.append((corpus, [hold(ask(corpus), pair, seed=seed, advance=advance) for pair in models]))
    return held


def steps_of_contests() -> int:
    """About how often `hold_all` calls `advance` for two corpora."""
    return 2 * 2 * (SIZES_TRIED + len(PENALTIES) + 2 * SUBSAMPLES)


def hold(question: Question, pair: Rivals, *, seed: int, advance: Advance) -> Outcome:
    """Ask both taggers, and those trained on halves."""
    hmm, crf = (question.judge(one.tagger) for one in (pair.hmm, pair.crf))
    tags = Contest(*(label_errors(one.pairs, bin_size=OF_LABEL) for one in (hmm, crf)))
    sentences = np.unique(hmm.sentences)
    in_test = estimates(hmm, crf, tags, question)
    rng = np.random.default_rng([seed, 2])
    replicates, won = [], []
    for taggers in pair.halves:
        half = [question.judge(tagger) for tagger in taggers]
        replicates.append(values(half[0], half[1], tags.names, question))
        some = rng.permutation(sentences)[: len(sentences) // 2]
        won.append(wins(*(squared_errors(of_sentences(one.pairs, some), bin_size=OF_LABEL) for one in half)))
        advance(1)
    in_all = {
        name: over_training(
            one, [float(found[name]) for found in replicates], least=0.0 if name in ERRORS else -math.inf
        )
        for name, one in in_test.items()
    }
    sizes = {
        f"{size:,}": wins(*(squared_errors(one.pairs, bin_size=size) for one in (hmm, crf))) for size in OTHER_BIN_SIZES
    }
    curves = [curve_of(one.pairs, bin_size=BIN_SIZE, name=name) for one, name in ((hmm, HMM), (crf, CRF))]
    return Outcome(question, pair, in_test, in_all, (curves[0], curves[1]), tags, over_halves(tags.wins(), won), sizes)


def judge(tagger: Tagger, test: Tagged, labels: Sequence[str]) -> Judged:
    """What a tagger says of test sentences. Tokens of tags without training sentences are kept: no tag is theirs."""
    marginals = marginals_of(tagger, test.sentences, labels)
    gold = list(chain.from_iterable(test.tags))
    best = chain.from_iterable(tagger.predict(test.sentences))
    matrix = np.concatenate(marginals)
    top = matrix.argmax(axis=1)
    return Judged(
        tag_pairs(marginals, test.tags, labels=labels, unknown_tags="keep"),
        np.array([p == g for p, g in zip(best, gold, strict=True)], dtype=np.float64),
        matrix[np.arange(len(matrix)), top],
        np.array([labels[i] == g for i, g in zip(top.tolist(), gold, strict=True)], dtype=np.float64),
        np.repeat(np.arange(len(test)), [len(tags) for tags in test.tags]),
    )


def estimates(hmm: Judged, crf: Judged, tags: Contest, question: Question) -> dict[str, Estimate]:
    """All that is asked of both, by name, with intervals over the test data."""
    both = compare_pairs(hmm.pairs, crf.pairs, bin_size=BIN_SIZE, n_bins=None, binning="adaptive", level=LEVEL)
    found = {
        f"accuracy, {HMM}": clustered_mean(hmm.right, hmm.sentences),
        f"accuracy, {CRF}": clustered_mean(crf.right, crf.sentences),
        "accuracy, difference": clustered_mean(hmm.right - crf.right, hmm.sentences),
        ERRORS[0]: both.error_a,
        ERRORS[1]: both.error_b,
        "CalibErr, difference": both.error_difference or _difference(both.error_a, both.error_b),
        "Brier score, difference": both.brier_difference,
        "log loss, difference": both.log_loss_difference,
        f"surest tag: P - right, {HMM}": clustered_mean(hmm.surest - hmm.hits, hmm.sentences),
        f"surest tag: P - right, {CRF}": clustered_mean(crf.surest - crf.hits, crf.sentences),
    }
    return found | {name: tags.average(labels) for name, labels in _averages(tags.names, question).items()}


def values(hmm: Judged, crf: Judged, names: Sequence[str], question: Question) -> dict[str, float]:
    """The values that `estimates` gives, without their intervals."""
    errors = [
        root(squared_error(one.pairs, bin_pairs(one.pairs, binning="adaptive", bin_size=BIN_SIZE, n_bins=None)).value)
        for one in (hmm, crf)
    ]
    a, b = (squared_errors(one.pairs, bin_size=OF_LABEL) for one in (hmm, crf))
    brier, log = (
        [
            float(loss.expected(one.pairs.probabilities, one.pairs.labels.astype(np.float64)).mean())
            for one in (hmm, crf)
        ]
        for loss in (BRIER, LOG)
    )
    found = {
        f"accuracy, {HMM}": hmm.right.mean(),
        f"accuracy, {CRF}": crf.right.mean(),
        "accuracy, difference": (hmm.right - crf.right).mean(),
        ERRORS[0]: errors[0],
        ERRORS[1]: errors[1],
        "CalibErr, difference": errors[0] - errors[1],
        "Brier score, difference": brier[0] - brier[1],
        "log loss, difference": log[0] - log[1],
        f"surest tag: P - right, {HMM}": (hmm.surest - hmm.hits).mean(),
        f"surest tag: P - right, {CRF}": (crf.surest - crf.hits).mean(),
    }
    return found | {
        name: root(float(a[labels].mean())) - root(float(b[labels].mean()))
        for name, labels in _averages(names, question).items()
    }


def _averages(names: Sequence[str], question: Question) -> dict[str, Integers]:
    """The labels of which an average is asked, by the name of the quantity."""
    order = question.order
    some = {f"the {n} most common {question.labels}, difference": order[:n] for n in (question.few, question.many)}
    if NOUN in names:
        some[f"{NOUN}, difference"] = np.array([names.index(NOUN)])
    return some


def _difference(a: Estimate, b: Estimate) -> Estimate:
    """The difference of errors one of which may be 0: the widest interval that theirs allow."""
    if a.low is None or a.high is None or b.low is None or b.high is None:
        return Estimate(math.nan, None, None, LEVEL, "widest", a.n)
    return Estimate(a.value - b.value, a.low - b.high, a.high - b.low, LEVEL, "widest", a.n)
