"""A map's file: the same probabilities to the last bit, and nothing hostile gets in."""

from __future__ import annotations

import json
import math
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
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
from tests.recalibration.test_recalibrate import BINARY, OF_CLASSES, binary, classes, softmax

from howsure import InputError, Probabilities, RecalibrationMap, recalibrate
from howsure.recalibration import RecalibratedClassifier


@settings(max_examples=20, deadline=None)
@given(st.sampled_from([*BINARY, "auto", "none"]), st.integers(0, 1000), st.sampled_from([None, 1e-4]))
def test_the_same_probabilities_to_the_last_bit(method, seed, floor):
    y, q = binary(150, seed)
    group = np.where(np.arange(150) < 5, "few", np.where(np.arange(150) < 100, "a", "b"))
    try:
        recalibration = recalibrate(y, q, method=method, floor=floor, groups=group, small_groups="pooled", folds=2)
    except InputError:
        return
    again = RecalibrationMap.from_json(recalibration.to_json())
    assert (again.apply(q, groups=group) == recalibration.apply(q, groups=group)).all()
    assert again.to_json() == recalibration.to_json()


@pytest.mark.parametrize("method", [*OF_CLASSES, "auto", "none"])
def test_the_same_probabilities_of_classes_to_the_last_bit(method):
    codes, logits = classes(300)
    recalibration = recalibrate(codes, Probabilities("logits", logits), method=method, folds=2)
    again = RecalibrationMap.from_json(recalibration.to_json().encode())
    assert (again.apply(logits=logits) == recalibration.apply(logits=logits)).all()
    assert again.to_json() == recalibration.to_json()
    assert repr(again) == repr(recalibration)


def document(fitted: str = "temperature", **changes: object) -> dict[str, object]:
    y, q = binary(300)
    return json.loads(recalibrate(y, q, method=fitted).to_json()) | changes


def test_the_text_says_what_it_is():
    y, q = binary(300)
    content = json.loads(recalibrate(y, q, method="platt", floor=1e-6).to_json())
    assert content["description"].startswith("Platt scaling. It maps q, the probability of label 1")
    assert content["formula"] == (
        "first q = min(max(q, floor), 1 - floor); then q' = 1 / (1 + exp(-(a + b * log(q / (1 - q)))))"
    )


def in_plain_python(content: dict, q: float) -> float:
    """A map's file applied to one probability, with its content and the standard library alone."""
    if content["floor"] is not None:
        q = min(max(q, content["floor"]), 1 - content["floor"])
    p = content["parameters"]
    log_odds = math.log(q / (1 - q))
    match content["method"]:
        case "none":
            return q
        case "temperature":
            return 1 / (1 + math.exp(-log_odds / p["T"]))
        case "platt":
            return 1 / (1 + math.exp(-(p["a"] + p["b"] * log_odds)))
        case "beta":
            return 1 / (1 + math.exp(-(p["c"] + p["a"] * math.log(q) - p["b"] * math.log(1 - q))))
        case "histogram":
            return p["values"][sum(edge <= q for edge in p["edges"])]
        case "venn-abers":
            p0 = p["low"][sum(start <= q for start in p["from"])]
            p1 = p["high"][sum(end < q for end in p["upto"])]
            return p1 / (1 - p0 + p1)
    x, y = p["x"], p["y"]
    if q <= x[0] or q >= x[-1]:
        return y[0] if q <= x[0] else y[-1]
    right = next(place for place, knot in enumerate(x) if knot >= q)
    return y[right - 1] + (y[right] - y[right - 1]) * (q - x[right - 1]) / (x[right] - x[right - 1])


def of_classes_in_plain_python(content: dict, p: list[float]) -> list[float]:
    logs, parameters = [math.log(p_k) for p_k in p], content["parameters"]
    match content["method"]:
        case "temperature":
            scores = [log_p / parameters["T"] for log_p in logs]
        case "vector":
            scores = [a * log_p + b for a, b, log_p in zip(parameters["a"], parameters["b"], logs, strict=True)]
        case "ordered":
            above = [sum(p[k + 1 :]) / sum(p[: k + 1]) for k in range(len(p) - 1)]
            c = [
                1 / (1 + math.exp(-(s + math.log(o) / parameters["T"])))
                for s, o in zip(parameters["s"], above, strict=True)
            ]
            rest = [upper - other for upper, other in zip([1.0, *c], [*c, 0.0], strict=True)]
            m = [
                difference if difference > 0 else probability / 1000
                for difference, probability in zip(rest, p, strict=True)
            ]
            return [mass / sum(m) for mass in m]
        case _:
            rows = zip(parameters["W"], parameters["b"], strict=True)
            scores = [b + sum(w * log_p for w, log_p in zip(row, logs, strict=True)) for row, b in rows]
    raised = [math.exp(score) for score in scores]
    return [power / sum(raised) for power in raised]


@pytest.mark.parametrize("floor", [None, 0.01])
@pytest.mark.parametrize("method", [*BINARY, "none"])
def test_ten_lines_of_any_language_apply_the_file(method, floor):
    y, q = binary(300)
    recalibration = recalibrate(y, q, method=method, floor=floor)
    content = json.loads(recalibration.to_json())
    assert [in_plain_python(content, probability) for probability in q.tolist()] == pytest.approx(
        recalibration.apply(q), rel=1e-12
    )


@pytest.mark.parametrize("method", OF_CLASSES)
def test_ten_lines_of_any_language_apply_the_file_of_classes(method):
    codes, logits = classes(300)
    p = softmax(logits)
    recalibration = recalibrate(codes, p, method=method)
    content = json.loads(recalibration.to_json())
    plain = [of_classes_in_plain_python(content, row) for row in p.tolist()]
    assert np.array(plain) == pytest.approx(recalibration.apply(p), rel=1e-11, abs=1e-15)


# A recalibrated classifier is one of scikit-learn's, and its map has seen no row that its classifier was fitted to.


X, Y = make_classification(600, 12, n_informative=5, n_redundant=5, random_state=0)


def test_its_map_matches_the_out_of_fold_probabilities():
    folds = KFold(4, shuffle=True, random_state=1)
    classifier = RecalibratedClassifier(GaussianNB(), method="platt", cv=folds).fit(X, Y)
    outside = cross_val_predict(GaussianNB(), X, Y, cv=folds, method="predict_proba")[:, 1]
    expected = recalibrate(Y, outside, method="platt")
    assert classifier.map_.parameters == pytest.approx(expected.parameters, rel=1e-9)
    ones = expected.apply(GaussianNB().fit(X, Y).predict_proba(X)[:, 1])
    assert classifier.predict_proba(X) == pytest.approx(np.column_stack([1 - ones, ones]), abs=1e-12)


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
    classifier = RecalibratedClassifier(GaussianNB(), method="dirichlet").fit(features, names, weight, group)
    assert classifier.classes_.tolist() == ["a", "b", "c"]
    assert classifier.map_.classes == ("a", "b", "c")
    assert classifier.map_.recipe["clusters"] == 200
    assert classifier.predict_proba(features).sum(axis=1) == pytest.approx(1)
    frozen = FrozenEstimator(GaussianNB().fit(features[:200], names[:200]))
    after = RecalibratedClassifier(frozen, method="temperature").fit(features[200:], names[200:])
    alone = recalibrate(
        names[200:],
        Probabilities("probs", frozen.predict_proba(features[200:]), classes=["a", "b", "c"]),
        method="temperature",
    )
    assert after.map_.parameters["T"] == pytest.approx(alone.parameters["T"], rel=1e-9)


def test_it_is_cloned_pickled_searched_and_put_into_a_pipeline():
    inner = make_pipeline(StandardScaler(), LogisticRegression())
    search = GridSearchCV(RecalibratedClassifier(inner), {"method": ["none", "platt"]}, scoring="neg_log_loss", cv=3)
    classifier = search.fit(X, Y).best_estimator_
    again = pickle.loads(pickle.dumps(classifier))
    assert (again.predict_proba(X) == classifier.predict_proba(X)).all()
    assert clone(classifier).get_params()["method"] == classifier.method


@pytest.mark.long
def test_without_scikit_learn_it_says_what_to_install():
    program = (
        "import sys; sys.modules['sklearn'] = sys.modules['sklearn.base'] = None\n"
        "import howsure.recalibration as room\n"
        "try: room.RecalibratedClassifier\n"
        "except ImportError as error: print(error)"
    )
    message = subprocess.check_output([sys.executable, "-c", program], text=True)
    assert 'pip install "howsure[classifiers]"' in message


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_it_keeps_the_rules_of_scikit_learn():
    checks = check_estimator(RecalibratedClassifier(), on_fail=None)
    assert [check["check_name"] for check in checks if check["status"] == "failed"] == []
    assert sum(check["status"] == "passed" for check in checks) > 50
