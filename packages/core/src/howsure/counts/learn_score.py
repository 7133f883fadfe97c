"""A score learned from labelled texts, for users without a model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from howsure.counts.sampling_design import partial_labels
from howsure.errors import InputError
from howsure.inputs.arguments import Randomness, check_arguments, generator_from, is_listlike
from howsure.inputs.checks import check_clusters
from howsure.inputs.pairs import Floats, Integers
from howsure.inputs.parameter_types import ArrayLike
from howsure.lazy_imports import require

FOLDS = 5
MIN_LABELS = 10
INVERSE_RIDGE = 10.0  # C, the inverse of the weight of the ridge
MIN_TEXTS = 2  # a word must occur in
MAX_SHARE = 0.5  # of the texts; words in more texts are not informative
MAX_ITERATIONS = 1_000


def learn_score(
    texts: Iterable[str], y_true: ArrayLike, *, clusters: ArrayLike | None = None, rng: Randomness = None
) -> Floats:
    """Estimate for each text the probability (N,) that its label is 1, from the words of the labelled texts.

    texts (N,); y_true (N,): 0, 1, or missing (None, NaN, "") for unlabelled texts. clusters (N,): texts of one cluster,
    such as parts of one document, are kept in one fold.

    Ridge logistic regression (C = 10) on tf-idf weights (1 + log frequency) of words and pairs of words that occur in
    at least 2 texts and in at most half of them. It is fitted five times, each without a fifth of the labels: a
    labelled text is scored by the fit that did not use its label, the others by the mean of the five. So the score is
    not overfitted, and `estimate_counts` corrects its errors. If all labels of a fit are equal, the score is their
    smoothed share, (positives + 1/2) / (n + 1).

    >>> import numpy as np
    >>> texts = [f"police {act} a man in street {k}" for k in range(20) for act in ("arrest", "praise")]
    >>> labels = np.where(np.arange(40) < 20, np.arange(40) % 2 == 0, np.nan)
    >>> score = learn_score(texts, labels, rng=0)
    >>> bool(score[::2].min() > 0.5 > score[1::2].max())
    True

    Raises InputError if texts is not a list of texts, or for fewer than 10 labels; MissingExtraError without
    scikit-learn.
    """
    check_arguments(learn_score, locals())
    text_list = _check_texts(texts)
    labelled, values = partial_labels(y_true, n=len(text_list))
    if len(labelled) < MIN_LABELS:
        raise InputError(
            f"at least {MIN_LABELS} texts must have a label in y_true; {len(labelled):,} have one. Draw texts with "
            "howsure.draw_label_sample and label them."
        )
    cluster = np.arange(len(text_list)) if clusters is None else check_clusters(clusters, n=len(text_list))
    return score_by_words(word_weights(text_list), labelled, values, cluster[labelled], rng=rng)


def score_by_words(features: Any, labelled: Integers, labels: Floats, cluster: Integers, *, rng: Randomness) -> Floats:
    """Return the result of `learn_score` from the weights of words (N, words), which are computed once for the same
    texts.

    labelled: the rows with labels. labels, cluster: the label and the cluster of each of these rows.
    """
    folds = _folds(cluster, generator_from(rng))
    score = np.zeros(features.shape[0])
    out_of_fold = np.empty(len(labelled))
    for fold in range(FOLDS):
        shown = folds != fold
        fitted = _fitted(features, labelled[shown], labels[shown])
        score += fitted / FOLDS
        out_of_fold[~shown] = fitted[labelled[~shown]]
    score[labelled] = out_of_fold
    return score


def word_weights(texts: list[str]) -> Any:
    """Return the tf-idf weights of words and pairs of words, a sparse matrix (N, words)."""
    require("A score learned from texts (scikit-learn)", "classifiers", "sklearn")
    from sklearn.feature_extraction.text import TfidfVectorizer

    least, most = (MIN_TEXTS, MAX_SHARE) if len(texts) >= 4 * MIN_TEXTS else (1, 1.0)
    counter = TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2), min_df=least, max_df=most, dtype=np.float64)
    try:
        return counter.fit_transform(texts)
    except ValueError:
        raise InputError(
            "texts must have words that occur in some, but not in all of them; there is no such word. Give more texts."
        ) from None


def _fitted(features: Any, rows: Integers, labels: Floats) -> Floats:
    """P(label = 1) of every text, by a fit to these rows."""
    from sklearn.linear_model import LogisticRegression

    if len(rows) == 0 or labels.min() == labels.max():
        share = (labels.sum() + 0.5) / (len(labels) + 1.0)
        return np.full(features.shape[0], share)
    model = LogisticRegression(C=INVERSE_RIDGE, max_iter=MAX_ITERATIONS).fit(features[rows], labels)
    return np.asarray(model.predict_proba(features)[:, 1], dtype=np.float64)


def _folds(cluster: Integers, rng: np.random.Generator) -> Integers:
    """The fold of each labelled text; those of one cluster are together."""
    used, place = np.unique(cluster, return_inverse=True)
    return np.asarray((rng.permutation(len(used)) % FOLDS)[place], dtype=np.int64)


def _check_texts(texts: Iterable[str]) -> list[str]:
    if not is_listlike(texts):
        raise InputError(f"texts must be a list of texts; it is a {type(texts).__name__}.")
    text_list = list(texts)
    first_bad_row = next((row for row, text in enumerate(text_list) if not isinstance(text, str)), None)
    if first_bad_row is not None:
        raise InputError(
            f"texts must be a list of texts; `row {first_bad_row}` is a {type(text_list[first_bad_row]).__name__}."
        )
    return text_list
