"""A scikit-learn classifier with probabilities that are recalibrated by a map, fitted to out-of-fold predictions."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from howsure.inputs.arguments import check_row_order
from howsure.lazy_imports import require
from howsure.recalibration.map_input import Labelled, binary_scores, check_floor, class_scores
from howsure.recalibration.recalibrate import fit_recalibration

NAME = "RecalibratedClassifier"
FOLDS = 5
SPARSE = ("csr", "csc")  # sparse formats with indexing by rows


def __getattr__(name: str) -> Any:
    if name == NAME:
        return _classifier()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@cache
def _classifier() -> type:
    """The class, created on first use, since it needs scikit-learn."""
    require("A recalibrated classifier (scikit-learn)", "classifiers", "sklearn")
    from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
    from sklearn.utils.validation import check_is_fitted

    class RecalibratedClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
        """A classifier whose `predict_proba` is recalibrated.

        The `estimator` (logistic regression if None) is fitted without each of `cv` folds and predicts the rows of the
        fold. `cv` is a number of folds (reduced if a class has fewer rows) or a scikit-learn splitter. A map of
        `method` is fitted to these out-of-fold probabilities; finally, the estimator is fitted to all rows. To use an
        estimator that is already fitted, wrap it in scikit-learn's FrozenEstimator. `floor` and `random_state` are
        `floor` and `rng` of `recalibrate`.

        After `fit`: estimator_, map_ (a `RecalibrationMap`), classes_, n_features_in_.

        >>> from sklearn.datasets import make_classification
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = make_classification(2000, random_state=0)
        >>> found = RecalibratedClassifier(GaussianNB(), method="temperature").fit(X, y)
        >>> round(found.map_.parameters["T"], 1), found.predict_proba(X).shape
        (2.1, (2000, 2))
        """

        def __init__(
            self,
            estimator: Any = None,
            *,
            method: str = "auto",
            cv: Any = FOLDS,
            floor: float | None = None,
            random_state: int = 0,
        ) -> None:
            self.estimator = estimator
            self.method = method
            self.cv = cv
            self.floor = floor
            self.random_state = random_state

        def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Any:
            """Fit the estimator and the map. sample_weight (n,): used by both. groups (n,): rows of a group are kept in
            one fold.

            Raises ValueError for data that the estimator or the map does not accept.
            """
            from sklearn.linear_model import LogisticRegression

            check_row_order({"X": X, "y": y, "sample_weight": sample_weight, "groups": groups})
            prototype = LogisticRegression() if self.estimator is None else self.estimator
            floor = check_floor(self.floor)
            X, y, weight = _checked_rows(self, X, y, sample_weight)
            self.classes_, codes = np.unique(y, return_inverse=True)
            if len(self.classes_) < 2:
                raise ValueError(f"y must contain two classes or more; it contains 1 class, {self.classes_[0]!r}")
            probabilities = _out_of_fold(prototype, X, y, codes, self.cv, weight, groups, self.random_state)
            binary = len(self.classes_) == 2
            scores = (
                binary_scores(probabilities[:, 1], floor=floor) if binary else class_scores(probabilities, floor=floor)
            )
            names = () if binary else tuple(str(name) for name in self.classes_)
            clusters = None if groups is None else np.unique(np.asarray(groups), return_inverse=True)[1]
            data = Labelled(scores, codes.astype(np.int64), weight, clusters=clusters, classes=names)
            self.map_ = fit_recalibration(data, method=self.method, floor=floor, rng=self.random_state)
            self.estimator_ = _fitted(clone(prototype), X, y, weight)
            return self

        def predict_proba(self, X: Any) -> Any:
            """The recalibrated probabilities (n, K), in the order of `classes_`."""
            check_is_fitted(self)
            raw = np.asarray(self.estimator_.predict_proba(_validate_features(self, X)), dtype=np.float64)
            if len(self.classes_) > 2:
                return self.map_.apply_rows(class_scores(raw, floor=self.floor))
            positive = self.map_.apply_rows(binary_scores(raw[:, 1], floor=self.floor))
            return np.column_stack([1.0 - positive, positive])

        def predict(self, X: Any) -> Any:
            """The class of the largest recalibrated probability."""
            check_is_fitted(self)
            return self.classes_[self.predict_proba(X).argmax(axis=1)]

        def __sklearn_tags__(self) -> Any:
            tags = super().__sklearn_tags__()
            inner = getattr(self.estimator, "__sklearn_tags__", None)
            if inner is not None:
                tags.input_tags.sparse = inner().input_tags.sparse
            else:
                tags.input_tags.sparse = True
            return tags

    RecalibratedClassifier.__module__ = __name__
    RecalibratedClassifier.__qualname__ = NAME
    return RecalibratedClassifier


def _checked_rows(self: Any, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import _check_sample_weight, validate_data

    X, y = validate_data(self, X, y, accept_sparse=SPARSE, dtype=None, ensure_all_finite=True)
    check_classification_targets(y)
    weight = None if sample_weight is None else _check_sample_weight(sample_weight, X, ensure_non_negative=True)
    return X, y, None if weight is None else np.asarray(weight, dtype=np.float64)


def _validate_features(self: Any, X: Any) -> Any:
    from sklearn.utils.validation import validate_data

    return validate_data(self, X, reset=False, accept_sparse=SPARSE, dtype=None, ensure_all_finite=True)


def _fitted(estimator: Any, X: Any, y: Any, weight: Any) -> Any:
    return estimator.fit(X, y) if weight is None else estimator.fit(X, y, sample_weight=weight)


def _out_of_fold(prototype: Any, X: Any, y: Any, codes: Any, cv: Any, weight: Any, groups: Any, seed: int) -> Any:
    """The probabilities (n, K) of each row by a classifier that was fitted without it."""
    from sklearn.base import clone
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, check_cv

    if isinstance(cv, (int, np.integer)):
        least = int(np.bincount(codes).min())
        if least < 2:
            raise ValueError(
                "y must contain each class twice or more, so that a fit to one row can be evaluated on the other"
            )
        kind = StratifiedKFold if groups is None else StratifiedGroupKFold
        cv = kind(min(int(cv), least), shuffle=True, random_state=seed)
    cv = check_cv(cv, y, classifier=True)
    probabilities = np.zeros((len(codes), int(codes.max()) + 1))
    judged = np.zeros(len(codes), dtype=bool)
    for others, fold in cv.split(X, y, groups):
        fitted = _fitted(clone(prototype), X[others], y[others], None if weight is None else weight[others])
        columns = np.searchsorted(np.unique(y), fitted.classes_)
        probabilities[np.ix_(fold, columns)] = fitted.predict_proba(X[fold])
        judged[fold] = True
    if not judged.all():
        raise ValueError(
            "cv must evaluate every row once; some rows are in no fold. Give a number of folds or another splitter."
        )
    return probabilities
