"""What the sentiment experiment found: findings, tables and the figure of the strengths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from howsure.calibration.results import CalibrationCurve
from howsure.show.table import Table
from howsure.stats.estimate import Estimate
from howsure_papers.figures.paths import Setting, path_figure
from howsure_papers.replicates import SUBSAMPLES, all_verdicts, interval_text, value_text, verdict
from howsure_papers.reproduction import Finding
from howsure_papers.sentiment.classifiers import LOGISTIC_REGRESSION, NAIVE_BAYES, TextClassifier
from howsure_papers.sentiment.tweets import Tweets

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAPER = {
    f"F1, {NAIVE_BAYES}": "0.738",
    f"F1, {LOGISTIC_REGRESSION}": "0.729",
    "F1, difference": "0.009",
    f"CalibErr, {NAIVE_BAYES}": "0.105",
    f"CalibErr, {LOGISTIC_REGRESSION}": "0.041",
    "CalibErr, difference": "0.064",
    "CalibErr, NB - 2 LR": "0.023",
}
CAPTIONS = {
    "figure-2": "Calibration curves on the test tweets, bins of 5,000; the strip shows where the predictions lie.",
    "strength": "Calibration error against F1 on the development tweets, one point per strength in the grids.",
}

Estimates = Mapping[str, Estimate]
Fits = Mapping[str, Sequence[TextClassifier]]
Curves = Mapping[str, Sequence[CalibrationCurve]]


def findings(found: Estimates) -> tuple[Finding, ...]:
    """What the paper says of Figure 2, decided from intervals over training and test data."""
    nb, lr = (f"CalibErr, {kind}" for kind in (NAIVE_BAYES, LOGISTIC_REGRESSION))
    sides = [
        found[f"too {side}, {kind}"]
        for kind in (NAIVE_BAYES, LOGISTIC_REGRESSION)
        for side in ("low below 1/2", "high above 1/2")
    ]
    f1, error, half = (found[name] for name in ("F1, difference", "CalibErr, difference", "CalibErr, NB - 2 LR"))
    extreme = found["too extreme, difference"]
    return (
        Finding(
            "2", "naive Bayes attains a slightly higher F1 (73.8 against 72.9 %)",
            f"F1 of naive Bayes minus that of logistic regression: {f1}", verdict(f1),
        ),
        Finding(
            "2", "logistic regression has a much lower calibration error (0.105 against 0.041)",
            f"{found[nb].value:.3f} against {found[lr].value:.3f}, difference {error}", verdict(error),
        ),
        Finding(
            "2", "less than half as much",
            f"that of naive Bayes minus twice that of logistic regression: {half}", verdict(half),
        ),
        Finding(
            "2", "both are underconfident in the lower range and overconfident in the higher",
            "predictions below 1/2 are too low by, and those above too high by: naive Bayes {}, {}; "
            "logistic regression {}, {}".format(*sides), all_verdicts(sides),
        ),
        Finding(
            "2", "more pronounced for naive Bayes",
            f"its predictions are more extreme than those of logistic regression by {extreme}", verdict(extreme),
        ),
    )  # fmt: skip


def paper_table(of_test: Estimates, in_all: Estimates) -> Table:
    """The paper's numbers beside ours."""
    headers = ("quantity", "paper", "ours", "95 %, test data", "95 %, training and test data")
    rows = [
        [name, PAPER.get(name, ""), value_text(one, 4), interval_text(one, 4), interval_text(in_all[name], 4)]
        for name, one in of_test.items()
    ]
    title = "Figure 2: paper and ours; differences are naive Bayes minus logistic regression"
    return Table(headers, rows, headers[:1], caption=title)


def models_table(chosen: Mapping[str, TextClassifier], curves: Mapping[str, CalibrationCurve]) -> Table:
    """Both models on the test data by the paper's own algorithms, and their scores."""
    headers = (
        "model",
        "strength",
        "F1 (dev)",
        "Algorithms 1 and 2",
        "debiased",
        "ECE",
        "Brier",
        "refinement",
        "log loss",
    )
    rows = [
        [
            kind, f"{fit.strength:g}", f"{fit.development_f1[fit.strength]:.4f}", str(curves[kind].algorithm1_error),
            str(curves[kind].error), f"{curves[kind].ece.value:.4f}", f"{curves[kind].brier.score:.4f}",
            f"{curves[kind].brier.refinement:.4f}", _log_loss(curves[kind]),
        ]
        for kind, fit in chosen.items()
    ]  # fmt: skip
    return Table(
        headers, rows, headers[:1], caption="Models chosen on the development data, evaluated on the test data"
    )


def grid_table(grids: Fits, curves: Curves) -> Table:
    """Every strength of both grids on the development data."""
    rows = [
        [
            kind, f"{fit.strength:g}", f"{fit.development_f1[fit.strength]:.4f}", str(curve.error),
            f"{curve.brier.score:.4f}", _log_loss(curve),
        ]
        for kind, fits in grids.items()
        for fit, curve in zip(fits, curves[kind], strict=True)
    ]  # fmt: skip
    headers = ("model", "strength", "F1", "CalibErr", "Brier", "log loss")
    return Table(headers, rows, headers[:1], caption="Every strength on the development data: pseudocounts, and C")


def grid_figure(grids: Fits, curves: Curves) -> Figure:
    """Calibration error against F1 as the strength changes."""
    paths = []
    for kind, fits in grids.items():
        scores = [fit.development_f1[fit.strength] for fit in fits]
        settings = [
            Setting(f"{fit.strength:g}", score, curve.error, chosen=score == max(scores))
            for fit, score, curve in zip(fits, scores, curves[kind], strict=True)
        ]
        paths.append((kind, settings))
    return path_figure(paths, x_label="F1", y_label="calibration error", setting="pseudocount, C (ring: chosen)")


def notes(tweets: Tweets) -> tuple[str, ...]:
    """How our data and methods differ from the paper's."""
    _, dev, test = tweets.repeated
    return (
        'The paper\'s tweets (2014–2015, English, 1:1 ":)" against all others, split by time) are not public. Ours are '
        'those of Sentiment140 (2009): ":)" against ":(", split at random, which makes the task easier; emoticons '
        'other than the deleted ones (":\'(") are words like others.',
        f"{dev:,} development and {test:,} test tweets are left out because they have the same words as a tweet in an "
        "earlier split.",
        "The tokenizer is nltk's TweetTokenizer in lower case, not twokenize.py.",
        f"Intervals over training data come from {SUBSAMPLES} random halves of it, with the strengths chosen anew on "
        "each.",
        "A log loss is infinite where a prediction of exactly 0 or 1 (in floating point) is wrong.",
    )


def _log_loss(curve: CalibrationCurve) -> str:
    parts = curve.log_loss
    rows = "1 row" if parts.infinite_rows == 1 else f"{parts.infinite_rows:,} rows"
    return f"infinite ({rows})" if parts.infinite_rows else f"{parts.score:.4f}"
