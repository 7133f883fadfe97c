"""The doors to scikit-learn: its own functions take the scorers, and the display draws the library's curve."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

import howsure
from howsure.errors import InputError
from howsure.recalibration.recalibrated_classifier import RecalibratedClassifier
from howsure.sklearn import CalibrationDisplay, ConfidenceScorer, scorers

X, Y = make_classification(1500, n_informative=4, random_state=0)
NAMES = np.array(["ham", "spam"])[Y]
X3, Y3 = make_classification(900, n_classes=3, n_informative=4, random_state=1)


def test_cross_validation_gives_the_errors_of_the_folds() -> None:
    validation = cross_validate(
        GaussianNB(), X, NAMES, cv=3, scoring=scorers(), return_estimator=True, return_indices=True
    )
    for k, (fitted, rows) in enumerate(zip(validation["estimator"], validation["indices"]["test"], strict=True)):
        prob = fitted.predict_proba(X[rows])
        error = howsure.calibration_error(NAMES[rows], prob[:, 1], pos_label="spam")
        assert validation["test_neg_calibration_error"][k] == -error.value
        right = fitted.predict(X[rows]) == NAMES[rows]
        assert validation["test_neg_aurc"][k] == pytest.approx(
            -howsure.selective_curve(right, prob.max(axis=1)).aurc.value
        )


def test_of_three_classes_the_predicted_one_counts() -> None:
    fitted = GaussianNB().fit(X3, Y3)
    prob, right = fitted.predict_proba(X3), fitted.predict(X3) == Y3
    score = ConfidenceScorer("calibration_error")(fitted, X3, Y3)
    assert score == pytest.approx(-howsure.calibration_error(right, prob.max(axis=1)).value)


def test_a_search_chooses_by_it() -> None:
    scoring = pickle.loads(pickle.dumps(scorers()["neg_calibration_error"]))  # as a search in processes does
    search = GridSearchCV(LogisticRegression(), {"C": [1e-4, 1.0]}, scoring=scoring)
    assert search.fit(X, Y).best_params_ == {"C": 1.0}


def test_the_display_draws_the_curve() -> None:
    fitted = GaussianNB().fit(X, NAMES)
    first = CalibrationDisplay.from_estimator(fitted, X, NAMES)
    again = CalibrationDisplay.from_predictions(NAMES, fitted.predict_proba(X)[:, 1], pos_label="spam", ax=first.ax_)
    assert first.curve.error == again.curve.error
    assert again.ax_ is first.ax_
    assert first.figure_ is first.ax_.figure


def test_what_it_refuses() -> None:
    with pytest.raises(InputError, match="estimator must have predict_proba; LinearSVC has none"):
        scorers()["neg_aurc"](LinearSVC().fit(X, Y), X, Y)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="measure"):
        ConfidenceScorer("accuracy")


def test_pandas_rows_in_other_orders_are_refused() -> None:
    import pandas as pd

    X, y = pd.DataFrame({"x": range(20)}), pd.Series([*map(int, "00010000101110111111")])
    classifier = LogisticRegression().fit(X, y)
    probability = pd.Series(classifier.predict_proba(X)[:, 1])
    calls = [
        lambda y: RecalibratedClassifier(method="temperature").fit(X, y),
        lambda y: ConfidenceScorer("calibration_error")(classifier, X, y),
        lambda y: ConfidenceScorer("aurc")(classifier, X, y),
        lambda y: CalibrationDisplay.from_estimator(classifier, X, y),
        lambda y: CalibrationDisplay.from_predictions(y, probability),
    ]
    for call in calls:
        call(y)
        with pytest.raises(ValueError, match="same index labels in different orders; row 0 is"):
            call(y[::-1])
