"""Section 4.1 and Figure 2 of Nguyen & O'Connor (2015): naive Bayes against logistic regression on tweets."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from howsure import __version__
from howsure.calibration.comparison import compare_calibration
from howsure.calibration.curve import curve_of
from howsure.calibration.results import CalibrationComparison, CalibrationCurve
from howsure.figures.calibration import curve_figure
from howsure.inputs.pairs import Floats, Labels, Pairs
from howsure.stats.estimate import Estimate
from howsure.stats.proportions import normal_quantile
from howsure_papers.replicates import (
    SUBSAMPLES,
    mean_estimate,
    over_training,
    random_subsamples,
    ratio_with_influence,
)
from howsure_papers.reproduction import Advance, Reproduction, nobody
from howsure_papers.sentiment.classifiers import (
    GRIDS,
    LOGISTIC_REGRESSION,
    NAIVE_BAYES,
    TextClassifier,
    fit_text_classifier,
)
from howsure_papers.sentiment.results import (
    CAPTIONS,
    findings,
    grid_figure,
    grid_table,
    models_table,
    notes,
    paper_table,
)
from howsure_papers.sentiment.tweets import DATA, Split, read_tweets

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BIN_SIZE = 5_000
LEVEL = 0.95
MODELS = (NAIVE_BAYES, LOGISTIC_REGRESSION)


def reproduce_sentiment(
    *, data: str | None = None, limit: int | None = None, seed: int = 0, advance: Advance = nobody
) -> Reproduction:
    """Run section 4.1 again: Bernoulli naive Bayes and logistic regression on binary unigrams of tweets.

    Every strength of both models' grids is fitted on the whole training data, and again on random halves of it; the one
    with the best F1 on the development data is judged on the test data. `limit`: use only the first tweets of each
    split. `advance` is told of every model; there are `steps_of_sentiment()`.

    Raises InputError if the folder `sentiment140` is not found in `data`; MissingExtraError without `classifiers`.
    """
    tweets = read_tweets(data, limit)
    grids = {kind: _every_fit(kind, tweets.train, tweets.dev, advance) for kind in MODELS}
    chosen = {kind: max(fits, key=lambda fit: fit.development_f1[fit.strength]) for kind, fits in grids.items()}
    labels = tweets.test[1]
    predicted = {kind: fit.probabilities(tweets.test[0]) for kind, fit in chosen.items()}
    curves = {kind: _curve(labels, q, kind, seed) for kind, q in predicted.items()}
    of_test = quantities(labels, predicted)
    halves = [
        quantities(labels, _predictions(*tweets.part_of_train(rows), advance))
        for rows in random_subsamples(len(tweets.train[1]), rng=seed)
    ]
    in_all = {
        name: over_training(one, [half[name].value for half in halves], least=_least(name))
        for name, one in of_test.items()
    }
    on_dev = {
        kind: [_curve(tweets.dev[1], fit.probabilities(tweets.dev[0]), kind) for fit in grids[kind]] for kind in MODELS
    }

    def draw() -> dict[str, Figure]:
        return {"figure-2": curve_figure([*curves.values()]), "strength": grid_figure(grids, on_dev)}

    recipe = {
        "howsure": __version__, "data": DATA, "tweets": [len(y) for _, y in (tweets.train, tweets.dev, tweets.test)],
        "words": tweets.train[0].shape[1], "bin_size": BIN_SIZE, "subsamples": SUBSAMPLES, "seed": seed,
    }  # fmt: skip
    tables = (paper_table(of_test, in_all), models_table(chosen, curves), grid_table(grids, on_dev))
    title = "Naive Bayes and logistic regression on tweets (Nguyen & O'Connor 2015, section 4.1, Figure 2)"
    return Reproduction("sentiment", title, findings(in_all), tables, recipe, draw, notes(tweets), CAPTIONS)


def steps_of_sentiment() -> int:
    """How many models `reproduce_sentiment` fits."""
    return sum(len(GRIDS[kind]) for kind in MODELS) * (1 + SUBSAMPLES)


def quantities(labels: Labels, predicted: Mapping[str, Floats]) -> dict[str, Estimate]:
    """All that is asked of both models, by name, with intervals over the test data."""
    a, b = (predicted[kind] for kind in MODELS)
    both = compare_calibration(labels, a, against=b, bin_size=BIN_SIZE, level=LEVEL)
    (f1_a, influence_a), (f1_b, influence_b) = (f1_with_influence(labels, q > 0.5) for q in (a, b))
    extreme_a, extreme_b = (_extremeness(labels, q) for q in (a, b))
    found = {
        f"F1, {NAIVE_BAYES}": mean_estimate(f1_a + influence_a),
        f"F1, {LOGISTIC_REGRESSION}": mean_estimate(f1_b + influence_b),
        "F1, difference": mean_estimate(f1_a - f1_b + influence_a - influence_b),
        f"CalibErr, {NAIVE_BAYES}": both.error_a,
        f"CalibErr, {LOGISTIC_REGRESSION}": both.error_b,
        "CalibErr, difference": _weighted_difference(both, 1.0),
        "CalibErr, NB - 2 LR": _weighted_difference(both, 2.0),
        "Brier score, difference": both.brier_difference,
        "log loss, difference": both.log_loss_difference,
        "too extreme, difference": mean_estimate(extreme_a - extreme_b),
    }
    for kind, q, extreme in ((NAIVE_BAYES, a, extreme_a), (LOGISTIC_REGRESSION, b, extreme_b)):
        found[f"too low below 1/2, {kind}"] = mean_estimate(extreme[q <= 0.5])
        found[f"too high above 1/2, {kind}"] = mean_estimate(extreme[q > 0.5])
    return found


def f1_with_influence(labels: Labels, predicted: npt.NDArray[np.bool_]) -> tuple[float, Floats]:
    """F1 = 2 Σ y ŷ / Σ (y + ŷ), and how much each row moves it."""
    y, guess = labels.astype(np.float64), predicted.astype(np.float64)
    return ratio_with_influence(2 * y * guess, y + guess)


def _extremeness(labels: Labels, q: Floats) -> Floats:
    """(q - y) towards the nearer of 0 and 1: above 0 on average where predictions are more extreme than frequencies."""
    gap: Floats = np.where(q > 0.5, q - labels, labels - q)
    return gap


def _weighted_difference(both: CalibrationComparison, factor: float) -> Estimate:
    """The error of A minus `factor` times that of B, with the covariance of their paired difference."""
    variance_a, variance_b = _variance(both.error_a), _variance(both.error_b)
    covariance = 0.0
    if both.error_difference is not None:
        covariance = (variance_a + variance_b - _variance(both.error_difference)) / 2
    value = both.error_a.value - factor * both.error_b.value
    variance = variance_a + factor**2 * variance_b - 2 * factor * covariance
    reach = normal_quantile(LEVEL) * math.sqrt(max(variance, 0.0))
    return Estimate(value, value - reach, value + reach, LEVEL, "paired", both.n)


def _variance(estimate: Estimate) -> float:
    """Half the width of a 95 % interval, in standard errors, squared."""
    if estimate.low is None or estimate.high is None:
        return math.inf
    return ((estimate.high - estimate.low) / 2 / normal_quantile(LEVEL)) ** 2


def _curve(labels: Labels, q: Floats, kind: str, seed: int = 0) -> CalibrationCurve:
    """The paper's setting, Algorithm 2 included."""
    pairs = Pairs(labels, q)
    return curve_of(pairs, bin_size=BIN_SIZE, interval="nguyen-oconnor", level=LEVEL, rng=seed, name=kind)


def _least(name: str) -> float:
    """An error is not below 0; a difference may be."""
    return 0.0 if name in {f"CalibErr, {kind}" for kind in MODELS} else -math.inf


def _every_fit(kind: str, train: Split, dev: Split, advance: Advance) -> list[TextClassifier]:
    return [fit_text_classifier(kind, train, dev, grid=[strength], advance=advance) for strength in GRIDS[kind]]


def _predictions(train: Split, dev: Split, test: Split, advance: Advance) -> dict[str, Floats]:
    return {kind: fit_text_classifier(kind, train, dev, advance=advance).probabilities(test[0]) for kind in MODELS}
