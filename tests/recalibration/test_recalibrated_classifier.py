"""A recalibrated classifier is one of scikit-learn's, and its map has seen no row that its classifier was fitted to."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from howsure import recalibrate
from howsure.recalibration import RecalibratedClassifier

X, Y = make_classification(600, 12, n_informative=5, n_redundant=5, random_state=0)


def test_its_map_is_that_of_the_out_of_fold_probabilities():
    folds = KFold(4, shuffle=True, random_state=1)
    found = RecalibratedClassifier(GaussianNB(), method="platt", cv=folds).fit(X, Y)
    outside = cross_val_predict(GaussianNB(), X, Y, cv=folds, method="predict_proba")[:, 1]
    expected = recalibrate(Y, outside, method="platt")
    assert found.map_.parameters == pytest.approx(expected.parameters, rel=1e-9)
    ones = expected.apply(GaussianNB().fit(X, Y).predict_proba(X)[:, 1])
    assert found.predict_proba(X) == pytest.approx(np.column_stack([1 - ones, ones]), abs=1e-12)


def test_it_mends_naive_bayes():
    new, labels = X[400:], Y[400:]
    before = GaussianNB().fit(X[:400], Y[:400])
    after = RecalibratedClassifier(GaussianNB(), method="temperature").fit(X[:400], Y[:400])
    assert log_loss(labels, after.predict_proba(new)) < log_loss(labels, before.predict_proba(new)) - 0.02
    assert (after.predict(new) == before.predict(new)).all()
    assert after.map_.parameters["T"] > 1.5


def test_names_of_classes_weights_groups_and_a_fitted_classifier():
    features, codes = make_classification(400, 8, n_informative=6, n_classes=3, random_state=2)
    names = np.array(["b", "c", "a"])[codes]
    weight = np.random.default_rng(0).uniform(0, 2, 400)
    group = np.arange(400) // 2
    found = RecalibratedClassifier(GaussianNB(), method="dirichlet").fit(features, names, weight, group)
    assert found.classes_.tolist() == ["a", "b", "c"]
    assert found.map_.classes == ("a", "b", "c")
    assert found.map_.recipe["clusters"] == 200
    assert found.predict_proba(features).sum(axis=1) == pytest.approx(1)
    frozen = FrozenEstimator(GaussianNB().fit(features[:200], names[:200]))
    after = RecalibratedClassifier(frozen, method="temperature").fit(features[200:], names[200:])
    alone = recalibrate(
        names[200:], frozen.predict_proba(features[200:]), method="temperature", classes=["a", "b", "c"]
    )
    assert after.map_.parameters["T"] == pytest.approx(alone.parameters["T"], rel=1e-9)


def test_it_is_cloned_pickled_searched_and_put_into_a_pipeline():
    inner = make_pipeline(StandardScaler(), LogisticRegression())
    search = GridSearchCV(RecalibratedClassifier(inner), {"method": ["none", "platt"]}, scoring="neg_log_loss", cv=3)
    found = search.fit(X, Y).best_estimator_
    again = pickle.loads(pickle.dumps(found))
    assert (again.predict_proba(X) == found.predict_proba(X)).all()
    assert clone(found).get_params()["method"] == found.method


def test_without_scikit_learn_it_says_what_to_install():
    program = (
        "import sys; sys.modules['sklearn'] = sys.modules['sklearn.base'] = None\n"
        "import howsure.recalibration as room\n"
        "try: room.RecalibratedClassifier\n"
        "except ImportError as error: print(error)"
    )
    said = subprocess.check_output([sys.executable, "-c", program], text=True)
    assert 'pip install "howsure[classifiers]"' in said


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_it_keeps_the_rules_of_scikit_learn():
    found = check_estimator(RecalibratedClassifier(), on_fail=None)
    assert [one["check_name"] for one in found if one["status"] == "failed"] == []
    assert sum(one["status"] == "passed" for one in found) > 50
