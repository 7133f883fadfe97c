"""Classifiers on words: against closed forms, and what must be refused."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from howsure_papers.sentiment.classifiers import (
    GRIDS,
    LOGISTIC_REGRESSION,
    NAIVE_BAYES,
    binary_unigrams,
    f1,
    fit_text_classifier,
    tweet_words,
)

from howsure.errors import InputError, MissingExtraError


def made(n: int, *, seed: int = 0) -> tuple[Any, Any]:
    """Six words, the first three of which are more likely in texts of label 1."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.5).astype(np.uint8)
    likely = np.where(y[:, None] == 1, [0.6, 0.5, 0.4, 0.2, 0.2, 0.3], [0.3, 0.3, 0.3, 0.3, 0.4, 0.3])
    return (rng.random((n, 6)) < likely).astype(float), y


def test_naive_bayes_is_its_formula() -> None:
    (x, y), (x_test, _) = made(300), made(50, seed=1)
    fitted = fit_text_classifier(NAIVE_BAYES, (x, y), (x, y), grid=[0.7])
    scores = []
    for label in (0, 1):
        present = (x[y == label].sum(axis=0) + 0.7) / (np.count_nonzero(y == label) + 2 * 0.7)
        scores.append(np.log(np.mean(y == label)) + x_test @ np.log(present) + (1 - x_test) @ np.log(1 - present))
    assert fitted.probabilities(x_test) == pytest.approx(1 / (1 + np.exp(scores[0] - scores[1])), abs=1e-12)


def test_logistic_regression_is_at_the_optimum() -> None:
    """The gradient of the penalised likelihood is 0: C Σ (y - q) x = w, and Σ (y - q) = 0."""
    x, y = made(400)
    fitted = fit_text_classifier(LOGISTIC_REGRESSION, (x, y), (x, y), grid=[0.3])
    gap = y - fitted.probabilities(x)
    assert 0.3 * (gap @ x) == pytest.approx(fitted.model.coef_[0], abs=0.02)
    assert gap.sum() == pytest.approx(0.0, abs=0.05)


@pytest.mark.parametrize("kind", [NAIVE_BAYES, LOGISTIC_REGRESSION])
def test_the_best_on_development_data_is_kept(kind: str) -> None:
    train, development = made(60), made(500, seed=2)
    steps: list[int] = []
    fitted = fit_text_classifier(kind, train, development, advance=steps.append)
    assert tuple(fitted.development_f1) == GRIDS[kind]
    assert sum(steps) == len(GRIDS[kind])
    again = fitted.probabilities(development[0]) > 0.5
    assert fitted.development_f1[fitted.strength] == max(fitted.development_f1.values()) == f1(development[1], again)


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


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "naive bayes"}, "Did you mean naive Bayes"),
        ({"grid": []}, "one or more; it holds none"),
        ({"grid": [1.0, 0.0]}, "positive numbers, one or more; it holds 0.0"),
        ({"train": (np.eye(3), [1, 1, 1])}, "all of its 3 labels are 1"),
        ({"train": (np.eye(3), [1, 0])}, "there are 2 for 3 rows"),
        ({"development": (np.eye(2), [2, 0])}, "labels of development must be 0 or 1"),
    ],
)
def test_what_does_not_fit_is_refused(change: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"kind": NAIVE_BAYES, "train": made(9), "development": made(9)} | change
    with pytest.raises(InputError, match=message):
        fit_text_classifier(**arguments)


def test_texts_without_a_word_are_refused() -> None:
    with pytest.raises(InputError, match="all of its texts are empty"):
        binary_unigrams([[], []])


@pytest.mark.parametrize(
    ("module", "call"),
    [
        ("nltk.tokenize", lambda: tweet_words(["a"])),
        ("sklearn.feature_extraction.text", lambda: binary_unigrams([["a"]])),
        ("sklearn.naive_bayes", lambda: fit_text_classifier(NAIVE_BAYES, made(9), made(9))),
    ],
)
def test_a_missing_library_is_named(module: str, call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)  # what is not installed cannot be imported
    with pytest.raises(MissingExtraError, match=r"howsure\[classifiers\]"):
        call()


@pytest.mark.parametrize(
    ("train", "others", "message"),
    [
        (["good day"], [], r"train\[0\] must be a list of words; it is the text 'good day'"),
        ("good", [], "train must be a list"),
        (None, [], "train must be a list .* it is None"),
        ([["good", 3]], [], r"train\[0\]\[1\] must be text"),
        ([["good"]], [[["day"]], ["day"]], r"others\[1\]\[0\] must be a list of words; it is the text 'day'"),
    ],
)
def test_texts_that_are_no_lists_of_words(train: Any, others: list[Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        binary_unigrams(train, *others)


def test_texts_from_generators_are_all_there() -> None:
    train, other = binary_unigrams((words for words in [["a"], ["b"], ["a", "b"]]), iter([["b"], ["b"]]))
    assert train.toarray().tolist() == [[1, 0], [0, 1], [1, 1]]
    assert other.toarray().tolist() == [[0, 1], [0, 1]]


@pytest.mark.parametrize(
    ("texts", "message"),
    [("so happy", "it is none"), (None, "it is none"), (["so", float("nan")], r"texts\[1\] is a float")],
)
def test_tweets_that_are_no_texts(texts: Any, message: str) -> None:
    with pytest.raises(InputError, match=f"texts must be a list of texts; {message}"):
        tweet_words(texts)


def test_features_as_lists_and_of_other_columns() -> None:
    x, y = [[1, 0], [0, 1], [1, 1], [0, 0]], [1, 0, 1, 0]
    fitted = fit_text_classifier(NAIVE_BAYES, (x, y), (x, y), grid=[1.0])
    wanted = fit_text_classifier(NAIVE_BAYES, (np.array(x), y), (np.array(x), y), grid=[1.0])
    assert fitted.probabilities(x).tolist() == wanted.probabilities(x).tolist()
    with pytest.raises(InputError, match=r"train must hold a matrix of features, a row a text; its shape is \(4,\)"):
        fit_text_classifier(NAIVE_BAYES, ([1, 0, 1, 0], y), (x, y))
    with pytest.raises(InputError, match="development must have the columns of train; it has 1, not 2"):
        fit_text_classifier(NAIVE_BAYES, (x, y), ([[1], [0]], [1, 0]))
