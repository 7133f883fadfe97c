"""The sentiment experiment on a slice of the tweets: data, classifiers against closed forms, quantities, findings."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.papers.whole import check_whole, rows_of

from howsure import calibration_error
from howsure.errors import InputError, MissingExtraError
from howsure_papers.corpora.labelled import read_tweets, tweet_words
from howsure_papers.intervals import mean_estimate
from howsure_papers.reproduction import Reproduction
from howsure_papers.sentiment import (
    GRIDS,
    LOGISTIC_REGRESSION,
    NAIVE_BAYES,
    binary_unigrams,
    choose_best,
    every_fit,
    f1,
    f1_with_influence,
    part_of_train,
    quantities,
    reproduce_sentiment,
)

SLICE = 400


@pytest.fixture(scope="module")
def sentiment(real_data: Path) -> Reproduction:
    steps: list[int] = []
    result = reproduce_sentiment(data=str(real_data), limit=SLICE, seed=1, advance=steps.append)
    assert sum(steps) == reproduce_sentiment.steps()
    return result


def written(folder: Path, **splits: list[tuple[str, int]]) -> str:
    (folder / "sentiment140").mkdir()
    for name, tweets in splits.items():
        lines = [json.dumps({"text": text, "label": label}) for text, label in tweets]
        (folder / "sentiment140" / f"{name}.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    return str(folder)


@pytest.mark.long
def test_a_tweet_seen_in_an_earlier_split_is_left_out(tmp_path: Path) -> None:
    data = written(
        tmp_path,
        train=[("good day", 1), ("bad day", 0), ("a good day", 1)],
        dev=[("Good  DAY", 1), ("day good", 0), ("so bad", 0)],
        test=[("so bad", 0), ("A good day", 1), ("really so so bad", 0)],
    )
    tweets = read_tweets(data, None)
    assert [split.repeated for split in tweets] == [0, 1, 2]
    features = binary_unigrams(*(split.words for split in tweets))
    assert [matrix.toarray().tolist() for matrix in features] == [
        [[0, 0, 1, 1], [0, 1, 1, 0], [1, 0, 1, 1]],  # a bad day good
        [[0, 0, 1, 1], [0, 1, 0, 0]],
        [[0, 1, 0, 0]],
    ]
    assert tweets[1].labels.tolist() == [0, 0]
    splits = [(matrix, split.labels) for matrix, split in zip(features, tweets, strict=True)]
    part, dev, _ = part_of_train(np.array([0, 1]), *splits)  # which hold no "a"
    assert part[0].toarray().tolist() == [[0, 1, 1], [1, 1, 0]]
    assert dev[0].toarray().tolist() == [[0, 1, 1], [1, 0, 0]]


def test_a_repetition_within_train_is_kept(tmp_path: Path) -> None:
    repetitive = [("good", 1), ("good", 1), ("bad", 0)]
    tweets = read_tweets(written(tmp_path, train=repetitive, dev=[("so", 1)], test=[("sad", 0)]), None)
    assert [split.repeated for split in tweets] == [0, 0, 0]
    assert len(tweets[0].labels) == 3


def test_the_interval_of_f1_is_that_of_a_bootstrap() -> None:
    rng = np.random.default_rng(0)
    y = (rng.random(2000) < 0.4).astype(np.uint8)
    predicted = rng.random(2000) < np.where(y == 1, 0.7, 0.2)
    value, influence = f1_with_influence(y, predicted)
    interval = mean_estimate(value + influence)
    drawn = [f1_with_influence(y[rows], predicted[rows])[0] for rows in rng.integers(0, 2000, (2000, 2000))]
    assert interval.value == pytest.approx(value)
    assert value - interval.low == pytest.approx(1.96 * np.std(drawn), rel=0.08)


def test_the_quantities_are_those_of_the_public_calls() -> None:
    rng = np.random.default_rng(3)
    q = rng.random(20_000)
    y = (rng.random(20_000) < q).astype(np.uint8)
    extreme = np.where(q > 0.5, 1 - (1 - q) / 2, q / 2)
    estimates = quantities(y, {NAIVE_BAYES: extreme, LOGISTIC_REGRESSION: q})
    assert estimates[f"CalibErr, {NAIVE_BAYES}"] == calibration_error(y, extreme, bin_size=5_000)
    assert estimates["F1, difference"].value == pytest.approx(0.0)
    difference, naive_bayes, regression = (
        estimates[name]
        for name in ("CalibErr, NB - 2 LR", f"CalibErr, {NAIVE_BAYES}", f"CalibErr, {LOGISTIC_REGRESSION}")
    )
    assert difference.value == pytest.approx(naive_bayes.value - 2 * regression.value)
    for side in ("low below", "high above"):
        assert estimates[f"too {side} 1/2, {NAIVE_BAYES}"].value == pytest.approx(0.125, abs=0.02)
        assert abs(estimates[f"too {side} 1/2, {LOGISTIC_REGRESSION}"].value) < 0.02
    assert estimates["too extreme, difference"].value == pytest.approx(0.125, abs=0.02)


@pytest.mark.long
def test_the_tables_and_figures(sentiment: Reproduction) -> None:
    check_whole(sentiment)
    first, second, third = map(rows_of, sentiment.tables)
    assert [row[1] for row in first[:2]] == ["0.738", "0.729"]
    assert [row[0] for row in second] == [NAIVE_BAYES, LOGISTIC_REGRESSION]
    assert len(third) == 13
    assert "test tweets are left out" in sentiment.notes[1]


@pytest.mark.long
def test_the_findings_follow_from_the_intervals_of_the_table(sentiment: Reproduction) -> None:
    intervals = {row[0]: json.loads(row[-1]) for row in rows_of(sentiment.tables[0])}
    names = ("F1, difference", "CalibErr, difference", "CalibErr, NB - 2 LR")
    for finding, name in zip(sentiment.findings[:3], names, strict=True):
        low, high = intervals[name]
        assert finding.holds is (True if low > 0 else False if high < 0 else None)
        assert finding.verdict in ("holds", "does NOT hold", "undecided")


def test_without_its_data_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="sentiment140 was not found"):
        reproduce_sentiment(data=str(tmp_path))


def made(n: int, *, seed: int = 0) -> tuple[Any, Any]:
    """Six words, the first three of which are more likely in texts of label 1."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.5).astype(np.uint8)
    likely = np.where(y[:, None] == 1, [0.6, 0.5, 0.4, 0.2, 0.2, 0.3], [0.3, 0.3, 0.3, 0.3, 0.4, 0.3])
    return (rng.random((n, 6)) < likely).astype(float), y


def test_naive_bayes_is_its_formula(monkeypatch: pytest.MonkeyPatch) -> None:
    (x, y), (x_test, _) = made(300), made(50, seed=1)
    monkeypatch.setitem(GRIDS, NAIVE_BAYES, (0.7,))
    (fitted,) = every_fit(NAIVE_BAYES, (x, y), (x, y))
    scores = []
    for label in (0, 1):
        present = (x[y == label].sum(axis=0) + 0.7) / (np.count_nonzero(y == label) + 2 * 0.7)
        scores.append(np.log(np.mean(y == label)) + x_test @ np.log(present) + (1 - x_test) @ np.log(1 - present))
    assert fitted.probabilities(x_test) == pytest.approx(1 / (1 + np.exp(scores[0] - scores[1])), abs=1e-12)


def test_logistic_regression_is_at_the_optimum() -> None:
    """The gradient of the penalised likelihood is 0: C Σ (y - q) x = w, and Σ (y - q) = 0."""
    x, y = made(400)
    fitted = every_fit(LOGISTIC_REGRESSION, (x, y), (x, y))[GRIDS[LOGISTIC_REGRESSION].index(0.3)]
    gap = y - fitted.probabilities(x)
    assert 0.3 * (gap @ x) == pytest.approx(fitted.model.coef_[0], abs=0.02)
    assert gap.sum() == pytest.approx(0.0, abs=0.05)


@pytest.mark.parametrize("kind", [NAIVE_BAYES, LOGISTIC_REGRESSION])
def test_the_best_on_development_data_is_kept(kind: str) -> None:
    train, development = made(60), made(500, seed=2)
    steps: list[int] = []
    fits = every_fit(kind, train, development, advance=steps.append)
    assert tuple(fit.strength for fit in fits) == GRIDS[kind]
    assert sum(steps) == len(GRIDS[kind])
    chosen = choose_best(fits)
    again = chosen.probabilities(development[0]) > 0.5
    assert chosen.development_f1 == max(fit.development_f1 for fit in fits) == f1(development[1], again)


def test_f1_is_that_of_scikit_learn() -> None:
    from sklearn.metrics import f1_score

    rng = np.random.default_rng(0)
    for share in (0.0, 0.2, 0.9):
        y, predicted = (rng.random(50) < 0.4).astype(np.uint8), rng.random(50) < share
        assert f1(y, predicted) == pytest.approx(f1_score(y, predicted, zero_division=0.0))


def test_words_of_tweets_are_binary_features() -> None:
    train, test = binary_unigrams(tweet_words(["Good GOOD day :)", "USER bad day"]), tweet_words(["so so good", ""]))
    assert train.toarray().tolist() == [[1, 0, 1, 1, 0], [0, 1, 1, 0, 1]]  # :) bad day good user
    assert test.toarray().tolist() == [[0, 0, 0, 1, 0], [0, 0, 0, 0, 0]]


def test_labels_of_one_class_are_refused() -> None:
    with pytest.raises(InputError, match="all of its 3 labels are 1"):
        every_fit(NAIVE_BAYES, (np.eye(3), np.ones(3, dtype=np.uint8)), made(9))


def test_texts_without_a_word_are_refused() -> None:
    with pytest.raises(InputError, match="all of its texts are empty"):
        binary_unigrams([[], []])


@pytest.mark.parametrize(
    ("module", "call"),
    [
        ("nltk.tokenize", lambda: tweet_words(["a"])),
        ("sklearn.feature_extraction.text", lambda: binary_unigrams([["a"]])),
        ("sklearn.naive_bayes", lambda: every_fit(NAIVE_BAYES, made(9), made(9))),
    ],
)
def test_a_missing_library_is_named(module: str, call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)  # what is not installed cannot be imported
    with pytest.raises(MissingExtraError, match=r"howsure\[classifiers\]"):
        call()
