"""A score learned from the texts that a person has labelled, for whoever has no model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from howsure.counts.draw import partial_labels
from howsure.errors import InputError, at_row
from howsure.first_use import require
from howsure.inputs.checks import check_clusters
from howsure.inputs.pairs import Floats, Integers
from howsure.inputs.parameter_types import ArrayLike
from howsure.stats.randomness import Randomness, generator_from

FOLDS = 5
LEAST_LABELS = 10
STRENGTH = 10.0  # C, the inverse of the weight of the ridge
FEWEST_TEXTS = 2  # a word must occur in
LARGEST_SHARE = 0.5  # of the texts; words of more of them tell nothing apart
MOST_ITERATIONS = 1_000


def learned_score(
    texts: Iterable[str], y_true: ArrayLike, *, clusters: ArrayLike | None = None, rng: Randomness = None
) -> Floats:
    """The probability that a text's label is 1 (N,), by a regression on the words of the labelled texts.

    texts (N,); y_true (N,): 0, 1, or missing (None, NaN, "") where nobody has read the text. Ridge logistic regression
    (C = 10) on tf-idf weights (1 + log frequency) of words and pairs of words that occur in 2 texts or more and in at
    most half of them. It is fitted five times, each without a fifth of the labels: a labelled text is scored by the fit
    that has not seen its label, the others by the mean of the five. So the score is honest for `estimate_counts`,
    which corrects whatever it misses. clusters (N,): texts whose labels are kept in one fold, such as parts of one
    document. Where the labels of a fit are all alike, it says their smoothed share, (positives + 1/2) / (n + 1).

    >>> import numpy as np
    >>> texts = [f"police {act} a man in street {k}" for k in range(20) for act in ("arrest", "praise")]
    >>> labels = np.where(np.arange(40) < 20, np.arange(40) % 2 == 0, np.nan)
    >>> score = learned_score(texts, labels, rng=0)
    >>> bool(score[::2].min() > 0.5 > score[1::2].max())
    True

    Raises InputError for what is no list of texts, or fewer than 10 labels; MissingExtraError without scikit-learn.
    """
    given = _checked(texts)
    known, values = partial_labels(y_true, n=len(given))
    if len(known) < LEAST_LABELS:
        raise InputError(
            f"y_true must be known for at least {LEAST_LABELS} texts to learn from; they are for {len(known):,}. "
            "Draw texts by howsure.sample_for_labels and read them."
        )
    of_text = np.arange(len(given)) if clusters is None else check_clusters(clusters, n=len(given))
    return score_by_words(word_weights(given), known, values, of_text[known], rng=rng)


def score_by_words(features: Any, known: Integers, labels: Floats, cluster: Integers, *, rng: Randomness) -> Floats:
    """The same from the weights of words (N, words), the rows `known` that have labels, and what keeps these together.

    For whoever learns several times from the same texts.
    """
    folds = _folds(cluster, generator_from(rng))
    score = np.zeros(features.shape[0])
    out_of_fold = np.empty(len(known))
    for fold in range(FOLDS):
        shown = folds != fold
        found = _fitted(features, known[shown], labels[shown])
        score += found / FOLDS
        out_of_fold[~shown] = found[known[~shown]]
    score[known] = out_of_fold
    return score


def word_weights(texts: list[str]) -> Any:
    """The tf-idf weights of words and pairs of words, a sparse matrix (N, words).

    Raises MissingExtraError without scikit-learn.
    """
    require("A score learned from texts (scikit-learn)", "classifiers", "sklearn")
    from sklearn.feature_extraction.text import TfidfVectorizer

    least, most = (FEWEST_TEXTS, LARGEST_SHARE) if len(texts) >= 4 * FEWEST_TEXTS else (1, 1.0)
    counter = TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2), min_df=least, max_df=most, dtype=np.float64)
    try:
        return counter.fit_transform(texts)
    except ValueError:
        raise InputError("texts must have words in common that tell some of them apart; they have none.") from None


def _fitted(features: Any, rows: Integers, labels: Floats) -> Floats:
    """P(label = 1) of every text by the fit to some."""
    from sklearn.linear_model import LogisticRegression

    if len(rows) == 0 or labels.min() == labels.max():
        share = (labels.sum() + 0.5) / (len(labels) + 1.0)
        return np.full(features.shape[0], share)
    model = LogisticRegression(C=STRENGTH, max_iter=MOST_ITERATIONS).fit(features[rows], labels)
    return np.asarray(model.predict_proba(features)[:, 1], dtype=np.float64)


def _folds(cluster: Integers, rng: np.random.Generator) -> Integers:
    """The fold of each labelled text; those of one cluster are together."""
    used, place = np.unique(cluster, return_inverse=True)
    return np.asarray((rng.permutation(len(used)) % FOLDS)[place], dtype=np.int64)


def _checked(texts: Iterable[str]) -> list[str]:
    if isinstance(texts, (str, bytes)) or not isinstance(texts, Iterable):
        raise InputError(f"texts must be a list of texts; it is a {type(texts).__name__}.")
    given = list(texts)
    wrong = next((row for row, text in enumerate(given) if not isinstance(text, str)), None)
    if wrong is not None:
        raise InputError(f"texts must be a list of texts; {at_row(wrong)} holds a {type(given[wrong]).__name__}.")
    return given
