"""Section 4.1 and Figure 2 of Nguyen & O'Connor (2015): naive Bayes against logistic regression on tweets."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from howsure.calibration.comparison import compare_calibration
from howsure.calibration.curve import binned_curve
from howsure.calibration.results import CalibrationComparison, CalibrationCurve
from howsure.errors import InputError, MissingExtraError
from howsure.figures.calibration import curve_figure
from howsure.inputs.pairs import Bools, Floats, Integers, Labels, Pairs
from howsure.result import Estimate
from howsure.show.table import ESTIMATE, Column, Kind, digits
from howsure.stats.proportions import normal_quantile
from howsure_papers.corpora.labelled import SENTIMENT, read_tweets
from howsure_papers.drawings import Setting, path_figure
from howsure_papers.intervals import (
    LEVEL,
    SUBSAMPLES,
    all_hold,
    each_over_training,
    interval_kind,
    mean_estimate,
    point_values,
    random_subsamples,
    ratio_with_influence,
    standard_error,
    symmetric_estimate,
    verdict,
)
from howsure_papers.reproduction import (
    NAME,
    TEXT,
    Advance,
    Drawing,
    ExperimentResult,
    Finding,
    experiment,
    ignore_progress,
    numbers,
)

TITLE = "Naive Bayes and logistic regression on tweets (Nguyen & O'Connor 2015, section 4.1, Figure 2)"
BIN_SIZE = 5_000
NAIVE_BAYES, LOGISTIC_REGRESSION = "naive Bayes", "logistic regression"
GRIDS = {
    NAIVE_BAYES: (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0),  # the pseudocount of every word in either class
    LOGISTIC_REGRESSION: (0.01, 0.03, 0.1, 0.3, 1.0, 3.0),  # C, the inverse of the strength of the L2 penalty
}
MAX_ITERATIONS = 5_000
TOLERANCE = 1e-7  # tolerance of the gradient; with a larger one, the last digits depend on the processor
MODELS = (NAIVE_BAYES, LOGISTIC_REGRESSION)
PAPER = {
    f"F1, {NAIVE_BAYES}": "0.738",
    f"F1, {LOGISTIC_REGRESSION}": "0.729",
    "F1, difference": "0.009",
    f"CalibErr, {NAIVE_BAYES}": "0.105",
    f"CalibErr, {LOGISTIC_REGRESSION}": "0.041",
    "CalibErr, difference": "0.064",
    "CalibErr, NB - 2 LR": "0.023",
}
STRENGTH = Kind("{:g}".format)

Estimates = Mapping[str, Estimate]
Words = Sequence[str]
Split = tuple[Any, Labels]  # features (n, words) and labels (n,)


def steps_of_sentiment() -> int:
    """The number of models that `reproduce_sentiment` fits."""
    return sum(len(GRIDS[kind]) for kind in MODELS) * (1 + SUBSAMPLES)


@experiment(TITLE, steps=steps_of_sentiment)
def reproduce_sentiment(
    *, data: str | None = None, limit: int | None = None, seed: int = 0, advance: Advance = ignore_progress
) -> ExperimentResult:
    """Reproduce section 4.1: Bernoulli naive Bayes and logistic regression on binary unigrams of tweets.

    Both models are fitted with every strength of their grids, on the whole training data and on random halves of it.
    The model with the best F1 on the development data is evaluated on the test data. `limit`: use only the first tweets
    of each split. `advance` is called after every model.
    """
    tweets = read_tweets(data, limit)
    features = binary_unigrams(*(tweet.words for tweet in tweets))
    train, dev, test = zip(features, (tweet.labels for tweet in tweets), strict=True)
    fits = {kind: every_fit(kind, train, dev, advance) for kind in MODELS}
    chosen = {kind: choose_best(of_kind) for kind, of_kind in fits.items()}
    predicted = {kind: fit.probabilities(test[0]) for kind, fit in chosen.items()}
    curves = {kind: _curve(test[1], q, kind, seed) for kind, q in predicted.items()}
    in_test = quantities(test[1], predicted)
    halves = []
    for rows in random_subsamples(len(train[1]), rng=seed):
        part, part_dev, part_test = part_of_train(rows, train, dev, test)
        of_half = {kind: choose_best(every_fit(kind, part, part_dev, advance)) for kind in MODELS}
        probabilities = {kind: fit.probabilities(part_test[0]) for kind, fit in of_half.items()}
        halves.append(point_values(quantities(test[1], probabilities)))
    errors = [f"CalibErr, {kind}" for kind in MODELS]  # errors are at least 0; differences can be negative
    in_all = each_over_training(in_test, halves, errors=errors)
    on_dev = {kind: [_curve(dev[1], fit.probabilities(dev[0]), kind) for fit in fits[kind]] for kind in MODELS}
    every = [both for kind in MODELS for both in zip(fits[kind], on_dev[kind], strict=True)]
    strengths = "Calibration error against F1 on the development tweets, one point per strength in the grids."

    def draw_strengths() -> Figure:
        paths = []
        for kind in MODELS:
            settings = [
                Setting(
                    f"{fit.strength:g}",
                    fit.development_f1,
                    curve.error,
                    fit.development_f1 == chosen[kind].development_f1,
                )
                for fit, curve in zip(fits[kind], on_dev[kind], strict=True)
            ]
            paths.append((kind, settings))
        return path_figure(paths, x_label="F1", y_label="calibration error", setting="pseudocount, C (ring: chosen)")

    return ExperimentResult(
        findings=findings(in_all),
        tables=[
            numbers(
                "Figure 2: paper and ours; differences are naive Bayes minus logistic regression",
                in_test,
                Column("quantity", NAME, get=lambda name: name),
                Column("paper", TEXT, get=PAPER.get),
                Column("ours", digits(4), get=lambda name: in_test[name].value),
                Column("95 %, test data", interval_kind(4), get=lambda name: in_test[name]),
                Column("95 %, training and test data", interval_kind(4), get=lambda name: in_all[name]),
            ),
            numbers(
                "Models chosen on the development data, evaluated on the test data",
                MODELS,
                Column("model", NAME, get=lambda kind: kind),
                Column("strength", STRENGTH, get=lambda kind: chosen[kind].strength),
                Column("F1 (dev)", digits(4), get=lambda kind: chosen[kind].development_f1),
                Column("Algorithms 1 and 2", ESTIMATE, get=lambda kind: curves[kind].algorithm1_error),
                Column("debiased", ESTIMATE, get=lambda kind: curves[kind].error),
                Column("ECE", digits(4), get=lambda kind: curves[kind].ece.value),
                Column("Brier", digits(4), get=lambda kind: curves[kind].brier.score),
                Column("refinement", digits(4), get=lambda kind: curves[kind].brier.refinement),
                Column("log loss", TEXT, get=lambda kind: log_loss_text(curves[kind])),
            ),
            numbers(
                "Every strength on the development data: pseudocounts, and C",
                every,
                Column("model", NAME, get=lambda row: row[0].kind),
                Column("strength", STRENGTH, get=lambda row: row[0].strength),
                Column("F1", digits(4), get=lambda row: row[0].development_f1),
                Column("CalibErr", ESTIMATE, get=lambda row: row[1].error),
                Column("Brier", digits(4), get=lambda row: row[1].brier.score),
                Column("log loss", TEXT, get=lambda row: log_loss_text(row[1])),
            ),
        ],
        drawings=[
            Drawing(
                "figure-2",
                "Calibration curves on the test tweets, bins of 5,000; the strip shows where the predictions lie.",
                lambda: curve_figure([*curves.values()]),
            ),
            Drawing("strength", strengths, draw_strengths),
        ],
        notes=[
            'The paper\'s tweets (2014–2015, English, 1:1 ":)" against all others, split by time) are not public. Ours '
            'are those of Sentiment140 (2009): ":)" against ":(", split at random, which makes the task easier; '
            'emoticons other than the deleted ones (":\'(") are words like others.',
            f"{tweets[1].repeated:,} development and {tweets[2].repeated:,} test tweets are left out because they have "
            "the same words as a tweet in an earlier split.",
            "The tokenizer is nltk's TweetTokenizer in lower case, not twokenize.py.",
            f"Intervals over training data come from {SUBSAMPLES} random halves of it, with the strengths chosen anew "
            "on each.",
            "A log loss is infinite where a prediction of exactly 0 or 1 (in floating point) is wrong.",
        ],
        recipe={
            "data": SENTIMENT,
            "tweets": [len(tweet.labels) for tweet in tweets],
            "words": train[0].shape[1],
            "bin_size": BIN_SIZE,
            "subsamples": SUBSAMPLES,
            "seed": seed,
        },
    )


def binary_unigrams(train: Sequence[Words], *others: Sequence[Words]) -> tuple[Any, ...]:
    """Indicators of words in texts: sparse matrices (texts, words) of 0 and 1, for `train` and each of `others`.

    The columns are the words of `train` in alphabetical order; other words are ignored.

    >>> train, test = binary_unigrams([["good", "good", "day"], ["bad"]], [["bad", "day", "indeed"]])
    >>> train.toarray().tolist(), test.toarray().tolist()
    ([[0, 1, 1], [1, 0, 0]], [[1, 1, 0]])
    """
    try:
        from sklearn.feature_extraction.text import CountVectorizer
    except ImportError:
        raise MissingExtraError("Classification (scikit-learn)", "classifiers") from None
    if not any(train):
        raise InputError("train must contain words; all of its texts are empty.")
    counter = CountVectorizer(binary=True, analyzer=lambda words: words)
    return (counter.fit_transform(train), *map(counter.transform, others))


@dataclass(frozen=True, slots=True)
class TextClassifier:
    """A model of a kind: its strength (pseudocount or C), its F1 on the development data, the fitted estimator."""

    kind: str
    strength: float
    development_f1: float
    model: Any = field(repr=False)

    def probabilities(self, features: Any) -> Floats:
        """P(label = 1) of each row of a matrix of features."""
        return np.asarray(self.model.predict_proba(features)[:, 1], dtype=np.float64)


def every_fit(kind: str, train: Split, development: Split, advance: Advance = ignore_progress) -> list[TextClassifier]:
    """A model for every strength of the grid: "naive Bayes" (Bernoulli, with a pseudocount) or "logistic regression"
    (L2-penalised, by L-BFGS). `advance` is called after every model.
    """
    if len(np.unique(train[1])) < 2:
        raise InputError(f"train must contain both labels; all of its {len(train[1]):,} labels are {int(train[1][0])}.")
    fits = []
    for strength in GRIDS[kind]:
        fits.append(fit_model(kind, strength, train, development))
        advance(1)
    return fits


def fit_model(kind: str, strength: float, train: Split, development: Split) -> TextClassifier:
    """A model of a kind with this strength, and its F1 on the development data."""
    model = _estimator(kind, strength).fit(*train)
    predicted = model.predict_proba(development[0])[:, 1] > 0.5
    return TextClassifier(kind, strength, f1(development[1], predicted), model)


def choose_best(fits: Sequence[TextClassifier]) -> TextClassifier:
    """The model with the largest F1 on the development data; of equally good models, the first."""
    return max(fits, key=lambda fit: fit.development_f1)


def f1(labels: Labels, predicted: Any) -> float:
    """F1 of label 1: 2 · true positives / (labels that are 1 + predictions of 1); 0 if there are neither.

    >>> f1(np.array([1, 1, 0, 0]), np.array([True, False, True, False]))
    0.5
    """
    positives = int(labels.sum()) + int(np.count_nonzero(predicted))
    return 2 * int(np.count_nonzero(labels[predicted])) / positives if positives else 0.0


def _estimator(kind: str, strength: float) -> Any:
    try:
        from sklearn.linear_model import LogisticRegression
        from sklearn.naive_bayes import BernoulliNB
    except ImportError:
        raise MissingExtraError("Classification (scikit-learn)", "classifiers") from None
    if kind == NAIVE_BAYES:
        return BernoulliNB(alpha=strength)
    return LogisticRegression(C=strength, max_iter=MAX_ITERATIONS, tol=TOLERANCE)


def part_of_train(rows: Integers, train: Split, dev: Split, test: Split) -> tuple[Split, Split, Split]:
    """The splits with only some rows of the training data, and thus only the words in these rows."""
    seen_words = np.flatnonzero(train[0][rows].getnnz(axis=0))
    return (
        (train[0][rows][:, seen_words], train[1][rows]),
        (dev[0][:, seen_words], dev[1]),
        (test[0][:, seen_words], test[1]),
    )


def quantities(labels: Labels, predicted: Mapping[str, Floats], bin_size: int = BIN_SIZE) -> dict[str, Estimate]:
    """Estimate F1, calibration error, Brier score, log loss and extremeness of two models, and their differences.

    The intervals are for the sampling of test rows. predicted: the probabilities of naive Bayes, then those of logistic
    regression, by the models' names.
    """
    (first, q_first), (second, q_second) = predicted.items()
    comparison = compare_calibration(labels, q_first, against=q_second, bin_size=bin_size, level=LEVEL)
    (f1_first, influence_first), (f1_second, influence_second) = (
        f1_with_influence(labels, q > 0.5) for q in (q_first, q_second)
    )
    extreme_first, extreme_second = (_extremeness(labels, q) for q in (q_first, q_second))
    all_quantities = {
        f"F1, {first}": mean_estimate(f1_first + influence_first),
        f"F1, {second}": mean_estimate(f1_second + influence_second),
        "F1, difference": mean_estimate(f1_first - f1_second + influence_first - influence_second),
        f"CalibErr, {first}": comparison.error_a,
        f"CalibErr, {second}": comparison.error_b,
        "CalibErr, difference": _weighted_difference(comparison, 1.0),
        "CalibErr, NB - 2 LR": _weighted_difference(comparison, 2.0),
        "Brier score, difference": comparison.brier_difference,
        "log loss, difference": comparison.log_loss_difference,
        "too extreme, difference": mean_estimate(extreme_first - extreme_second),
    }
    for kind, q, extreme in ((first, q_first, extreme_first), (second, q_second, extreme_second)):
        all_quantities[f"too low below 1/2, {kind}"] = mean_estimate(extreme[q <= 0.5])
        all_quantities[f"too high above 1/2, {kind}"] = mean_estimate(extreme[q > 0.5])
    return all_quantities


def f1_with_influence(labels: Labels, predicted: Bools) -> tuple[float, Floats]:
    """F1 = 2 Σ y ŷ / Σ (y + ŷ), and the influence of each row."""
    y, guess = labels.astype(np.float64), predicted.astype(np.float64)
    return ratio_with_influence(2 * y * guess, y + guess)


def _extremeness(labels: Labels, q: Floats) -> Floats:
    """Return q - y for predictions above 1/2, and y - q for the others.

    The mean is above 0 if predictions are more extreme than the observed frequencies.
    """
    return np.asarray(np.where(q > 0.5, q - labels, labels - q))


def _weighted_difference(both: CalibrationComparison, factor: float) -> Estimate:
    """Return the error of A minus `factor` times the error of B, with an interval that allows for their covariance."""
    variance_a, variance_b = (standard_error(error) ** 2 for error in (both.error_a, both.error_b))
    covariance = 0.0
    if both.error_difference is not None:
        covariance = (variance_a + variance_b - standard_error(both.error_difference) ** 2) / 2
    variance = variance_a + factor**2 * variance_b - 2 * factor * covariance
    reach = normal_quantile(LEVEL) * math.sqrt(max(variance, 0.0))
    return symmetric_estimate(both.error_a.value - factor * both.error_b.value, reach, "paired", both.n)


def _curve(labels: Labels, q: Floats, kind: str, seed: int = 0) -> CalibrationCurve:
    """The paper's setting, Algorithm 2 included."""
    pairs = Pairs(labels, q)
    return binned_curve(pairs, bin_size=BIN_SIZE, interval="nguyen-oconnor", level=LEVEL, rng=seed, name=kind)


def findings(estimates: Estimates) -> tuple[Finding, ...]:
    """The paper's findings on Figure 2, decided by intervals over training and test data."""
    nb, lr = (estimates[f"CalibErr, {kind}"].value for kind in MODELS)
    sides = [estimates[f"too {side}, {kind}"] for kind in MODELS for side in ("low below 1/2", "high above 1/2")]
    f1, error, half = (estimates[name] for name in ("F1, difference", "CalibErr, difference", "CalibErr, NB - 2 LR"))
    extreme = estimates["too extreme, difference"]
    ours = {
        "naive Bayes attains a slightly higher F1 (73.8 against 72.9 %)": (
            f"F1 of naive Bayes minus that of logistic regression: {f1}",
            verdict(f1),
        ),
        "logistic regression has a much lower calibration error (0.105 against 0.041)": (
            f"{nb:.3f} against {lr:.3f}, difference {error}",
            verdict(error),
        ),
        "less than half as much": (
            f"that of naive Bayes minus twice that of logistic regression: {half}",
            verdict(half),
        ),
        "both are underconfident in the lower range and overconfident in the higher": (
            "predictions below 1/2 are too low by, and those above too high by: naive Bayes {}, {}; "
            "logistic regression {}, {}".format(*sides),
            all_hold(map(verdict, sides)),
        ),
        "more pronounced for naive Bayes": (
            f"its predictions are more extreme than those of logistic regression by {extreme}",
            verdict(extreme),
        ),
    }
    return tuple(Finding("2", claim, *answer) for claim, answer in ours.items())


def log_loss_text(curve: CalibrationCurve) -> str:
    """The log loss or, if it is infinite, the number of rows for which it is."""
    parts = curve.log_loss
    rows = "1 row" if parts.infinite_rows == 1 else f"{parts.infinite_rows:,} rows"
    return f"infinite ({rows})" if parts.infinite_rows else f"{parts.score:.4f}"
