"""Two classes of texts, with words as binary features (Nguyen & O'Connor 2015, section 4.1)."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from howsure.errors import InputError, MissingExtraError
from howsure.inputs.pairs import Floats, Labels
from howsure_papers.reproduction import Advance, nobody

NAIVE_BAYES, LOGISTIC_REGRESSION = "naive Bayes", "logistic regression"
GRIDS = {
    NAIVE_BAYES: (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0),  # the pseudocount of every word in either class
    LOGISTIC_REGRESSION: (0.01, 0.03, 0.1, 0.3, 1.0, 3.0),  # C, the inverse of the strength of the L2 penalty
}
MOST_ITERATIONS = 5_000
TOLERANCE = 1e-7  # of the gradient: a looser one leaves the last digits to the processor

Words = Sequence[str]
Split = tuple[Any, Labels]  # features (n, words) and labels (n,)


def tweet_words(texts: Iterable[str]) -> list[list[str]]:
    """The words of tweets in lower case, by nltk's TweetTokenizer, which keeps emoticons and hash tags whole.

    >>> tweet_words(["So happy today :D #sunny"])
    [['so', 'happy', 'today', ':D', '#sunny']]

    Raises MissingExtraError if nltk is not installed.
    """
    try:
        from nltk.tokenize import TweetTokenizer
    except ImportError:
        raise MissingExtraError("The tokenizer of tweets (nltk)", "classifiers") from None
    tokenize = TweetTokenizer(preserve_case=False).tokenize
    return [[sys.intern(word) for word in tokenize(text)] for text in texts]  # a word that comes often is held once


def binary_unigrams(train: Sequence[Words], *others: Sequence[Words]) -> tuple[Any, ...]:
    """Which words each text holds: sparse matrices (texts, words) of 0 and 1, one for `train` and each of `others`.

    The columns are the words of `train` in their order; words that it does not hold are passed over.

    >>> train, test = binary_unigrams([["good", "good", "day"], ["bad"]], [["bad", "day", "indeed"]])
    >>> train.toarray().tolist(), test.toarray().tolist()
    ([[0, 1, 1], [1, 0, 0]], [[1, 1, 0]])

    Raises MissingExtraError if scikit-learn is not installed, InputError if `train` holds no word.
    """
    try:
        from sklearn.feature_extraction.text import CountVectorizer
    except ImportError:
        raise MissingExtraError("Classification (scikit-learn)", "classifiers") from None
    if not any(train):
        raise InputError("train must hold words; all of its texts are empty.")
    counter = CountVectorizer(binary=True, analyzer=_as_they_are)
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


def every_fit(kind: str, train: Split, development: Split, advance: Advance = nobody) -> list[TextClassifier]:
    """A model for every strength of the grid: "naive Bayes" (Bernoulli, with a pseudocount) or "logistic regression"
    (L2-penalised, by L-BFGS). `advance` is told of every model.

    Raises InputError for labels of one class only; MissingExtraError without scikit-learn.
    """
    if len(np.unique(train[1])) < 2:
        raise InputError(f"train must hold both labels; all of its {len(train[1]):,} labels are {int(train[1][0])}.")
    found = []
    for strength in GRIDS[kind]:
        model = _estimator(kind, strength).fit(*train)
        predicted = model.predict_proba(development[0])[:, 1] > 0.5
        found.append(TextClassifier(kind, strength, f1(development[1], predicted), model))
        advance(1)
    return found


def best(fits: Sequence[TextClassifier]) -> TextClassifier:
    """The one with the greatest F1 on the development data; of equally good ones the first."""
    return max(fits, key=lambda fit: fit.development_f1)


def f1(labels: Labels, predicted: Any) -> float:
    """F1 of label 1: 2 · true positives / (labels that are 1 + predictions of 1); 0 where there are neither.

    >>> f1(np.array([1, 1, 0, 0]), np.array([True, False, True, False]))
    0.5
    """
    positives = int(labels.sum()) + int(np.count_nonzero(predicted))
    return 2 * int(np.count_nonzero(labels[predicted])) / positives if positives else 0.0


def _as_they_are(words: Words) -> Words:
    return words


def _estimator(kind: str, strength: float) -> Any:
    try:
        from sklearn.linear_model import LogisticRegression
        from sklearn.naive_bayes import BernoulliNB
    except ImportError:
        raise MissingExtraError("Classification (scikit-learn)", "classifiers") from None
    if kind == NAIVE_BAYES:
        return BernoulliNB(alpha=strength)
    return LogisticRegression(C=strength, max_iter=MOST_ITERATIONS, tol=TOLERANCE)
