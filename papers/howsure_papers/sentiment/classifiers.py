"""Two classes of texts, with words as binary features (Nguyen & O'Connor 2015, section 4.1)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from howsure.errors import InputError, MissingExtraError
from howsure.inputs.checks import check_labels
from howsure.inputs.naming import unknown_name
from howsure.inputs.pairs import Floats, Labels
from howsure.sequences.words import check_sentences

NAIVE_BAYES, LOGISTIC_REGRESSION = "naive Bayes", "logistic regression"
GRIDS = {
    NAIVE_BAYES: (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0),  # the pseudocount of every word in either class
    LOGISTIC_REGRESSION: (0.01, 0.03, 0.1, 0.3, 1.0, 3.0),  # C, the inverse of the strength of the L2 penalty
}
MOST_ITERATIONS = 5_000
TOLERANCE = 1e-7  # of the gradient: a looser one leaves the last digits to the processor

Words = Sequence[str]
Advance = Callable[[int], None]


def tweet_words(texts: Iterable[str]) -> list[list[str]]:
    """The words of tweets in lower case, by nltk's TweetTokenizer, which keeps emoticons and hash tags whole.

    >>> tweet_words(["So happy today :D #sunny"])
    [['so', 'happy', 'today', ':D', '#sunny']]

    Raises MissingExtraError if nltk is not installed, InputError for what is no list of texts.
    """
    try:
        from nltk.tokenize import TweetTokenizer
    except ImportError:
        raise MissingExtraError("The tokenizer of tweets (nltk)", "classifiers") from None
    if isinstance(texts, (str, bytes)) or not isinstance(texts, Iterable):
        raise InputError("texts must be a list of texts; it is none.")
    given = list(texts)
    wrong = next((i for i, text in enumerate(given) if not isinstance(text, str)), None)
    if wrong is not None:
        raise InputError(f"texts must be a list of texts; texts[{wrong}] is a {type(given[wrong]).__name__}.")
    tokenize = TweetTokenizer(preserve_case=False).tokenize
    return [[sys.intern(word) for word in tokenize(text)] for text in given]  # a word that comes often is held once


def binary_unigrams(train: Sequence[Words], *others: Sequence[Words]) -> tuple[Any, ...]:
    """Which words each text holds: sparse matrices (texts, words) of 0 and 1, one for `train` and each of `others`.

    The columns are the words of `train` in their order; words that it does not hold are passed over.

    >>> train, test = binary_unigrams([["good", "good", "day"], ["bad"]], [["bad", "day", "indeed"]])
    >>> train.toarray().tolist(), test.toarray().tolist()
    ([[0, 1, 1], [1, 0, 0]], [[1, 1, 0]])

    Raises MissingExtraError if scikit-learn is not installed, InputError if `train` holds no word, or for a text that
    is no list of words.
    """
    try:
        from sklearn.feature_extraction.text import CountVectorizer
    except ImportError:
        raise MissingExtraError("Classification (scikit-learn)", "classifiers") from None
    learnt = check_sentences(train, name="train")
    rest = [check_sentences(texts, name=f"others[{i}]") for i, texts in enumerate(others)]
    if not any(learnt):
        raise InputError("train must hold words; all of its texts are empty.")
    counter = CountVectorizer(binary=True, analyzer=_as_they_are)
    return (counter.fit_transform(learnt), *(counter.transform(texts) for texts in rest))


@dataclass(frozen=True, slots=True)
class TextClassifier:
    """A model chosen on development data.

    kind: "naive Bayes" or "logistic regression". strength: the chosen pseudocount or C. development_f1: F1 on the
    development data for every value of the grid. model: the fitted scikit-learn estimator.
    """

    kind: str
    strength: float
    development_f1: Mapping[float, float]
    model: Any = field(repr=False)

    def probabilities(self, features: Any) -> Floats:
        """P(label = 1) of each row of a matrix of features."""
        return np.asarray(self.model.predict_proba(features)[:, 1], dtype=np.float64)


def fit_text_classifier(
    kind: str,
    train: tuple[Any, Any],
    development: tuple[Any, Any],
    *,
    grid: Sequence[float] | None = None,
    advance: Advance | None = None,
) -> TextClassifier:
    """Fit a model for every strength of a grid and keep the one with the greatest F1 on the development data.

    kind: "naive Bayes" (Bernoulli, with a pseudocount) or "logistic regression" (L2-penalised, by L-BFGS). train and
    development: (features, labels), a matrix (n, words) and n labels 0 or 1. grid: pseudocounts or values of C, by
    default those of `GRIDS`; of equally good ones the first is kept. `advance` is told of every model fitted.

    >>> x, y = np.array([[1, 0], [1, 0], [1, 1], [0, 1]]), [1, 1, 0, 0]
    >>> fitted = fit_text_classifier("naive Bayes", (x, y), (x, y), grid=[1.0])
    >>> fitted.strength, fitted.probabilities(x).round(2).tolist()
    (1.0, [0.82, 0.82, 0.33, 0.14])

    Raises InputError for an unknown kind, an empty grid, labels of one class only; MissingExtraError without
    scikit-learn.
    """
    strengths = _grid(kind, grid)
    (x, y), (x_dev, y_dev) = _checked(*train, name="train"), _checked(*development, name="development")
    if len(np.unique(y)) < 2:
        raise InputError(f"train must hold both labels; all of its {len(y):,} labels are {int(y[0])}.")
    if x_dev.shape[1] != x.shape[1]:
        raise InputError(f"development must have the columns of train; it has {x_dev.shape[1]:,}, not {x.shape[1]:,}.")
    models, scores = [], {}
    for strength in strengths:
        model = _estimator(kind, strength).fit(x, y)
        models.append(model)
        scores[strength] = f1(y_dev, model.predict_proba(x_dev)[:, 1] > 0.5)
        if advance is not None:
            advance(1)
    best = max(range(len(strengths)), key=lambda i: scores[strengths[i]])
    return TextClassifier(kind, strengths[best], scores, models[best])


def f1(labels: Labels, predicted: Any) -> float:
    """F1 of label 1: 2 · true positives / (labels that are 1 + predictions of 1); 0 where there are neither.

    >>> f1(np.array([1, 1, 0, 0]), np.array([True, False, True, False]))
    0.5
    """
    positives = int(labels.sum()) + int(np.count_nonzero(predicted))
    return 2 * int(np.count_nonzero(labels[predicted])) / positives if positives else 0.0


def _as_they_are(words: Words) -> Words:
    return words


def _grid(kind: str, grid: Sequence[float] | None) -> tuple[float, ...]:
    if kind not in GRIDS:
        raise unknown_name("classifier", kind, tuple(GRIDS), place="this chapter")
    strengths = tuple(float(value) for value in (GRIDS[kind] if grid is None else grid))
    wrong = [value for value in strengths if not 0.0 < value < np.inf]
    if not strengths or wrong:
        raise InputError(f"grid must hold positive numbers, one or more; it holds {wrong[0] if wrong else 'none'}.")
    return strengths


def _checked(features: Any, labels: Any, *, name: str) -> tuple[Any, Labels]:
    y = check_labels(labels, name=f"labels of {name}")
    x = features if hasattr(features, "shape") else np.asarray(features)
    if len(x.shape) != 2:
        raise InputError(f"{name} must hold a matrix of features, a row a text; its shape is {x.shape}.")
    if x.shape[0] != len(y):
        raise InputError(f"{name} must hold one label per row; there are {len(y):,} for {x.shape[0]:,} rows.")
    return x, y


def _estimator(kind: str, strength: float) -> Any:
    try:
        from sklearn.linear_model import LogisticRegression
        from sklearn.naive_bayes import BernoulliNB
    except ImportError:
        raise MissingExtraError("Classification (scikit-learn)", "classifiers") from None
    if kind == NAIVE_BAYES:
        return BernoulliNB(alpha=strength)
    return LogisticRegression(C=strength, max_iter=MOST_ITERATIONS, tol=TOLERANCE)
