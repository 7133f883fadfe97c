"""Classifiers on words: against closed forms, and what must be refused."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from howsure_papers import text_classifiers
from howsure_papers.text_classifiers import (
    GRIDS,
    LOGISTIC_REGRESSION,
    NAIVE_BAYES,
    best,
    binary_unigrams,
    every_fit,
    f1,
    tweet_words,
)

from howsure.errors import InputError, MissingExtraError


def made(n: int, *, seed: int = 0) -> tuple[Any, Any]:
    """Six words, the first three of which are more likely in texts of label 1."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.5).astype(np.uint8)
    likely = np.where(y[:, None] == 1, [0.6, 0.5, 0.4, 0.2, 0.2, 0.3], [0.3, 0.3, 0.3, 0.3, 0.4, 0.3])
    return (rng.random((n, 6)) < likely).astype(float), y


def test_naive_bayes_is_its_formula(monkeypatch: pytest.MonkeyPatch) -> None:
    (x, y), (x_test, _) = made(300), made(50, seed=1)
    monkeypatch.setitem(text_classifiers.GRIDS, NAIVE_BAYES, (0.7,))
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
    chosen = best(fits)
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
