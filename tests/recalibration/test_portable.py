"""A map's file: the same probabilities to the last bit, and nothing hostile gets in."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howsure import InputError, RecalibrationMap, recalibrate
from tests.recalibration.test_recalibrate import BINARY, OF_CLASSES, binary, classes, softmax


@settings(max_examples=20, deadline=None)
@given(st.sampled_from([*BINARY, "auto", "none"]), st.integers(0, 1000), st.sampled_from([None, 1e-4]))
def test_the_same_probabilities_to_the_last_bit(method, seed, floor):
    y, q = binary(150, seed)
    group = np.where(np.arange(150) < 5, "few", np.where(np.arange(150) < 100, "a", "b"))
    try:
        found = recalibrate(y, q, method=method, floor=floor, groups=group, small_groups="pooled", folds=2)
    except InputError:
        return
    again = RecalibrationMap.from_json(found.to_json())
    assert (again.apply(q, groups=group) == found.apply(q, groups=group)).all()
    assert again.to_json() == found.to_json()


@pytest.mark.parametrize("method", [*OF_CLASSES, "auto", "none"])
def test_the_same_probabilities_of_classes_to_the_last_bit(method):
    codes, logits = classes(300)
    found = recalibrate(codes, logits=logits, method=method, folds=2)
    again = RecalibrationMap.from_json(found.to_json().encode())
    assert (again.apply(logits=logits) == found.apply(logits=logits)).all()
    assert again.to_json() == found.to_json()
    assert repr(again) == repr(found)


def document(fitted: str = "temperature", **held: object) -> dict[str, object]:
    y, q = binary(300)
    return json.loads(recalibrate(y, q, method=fitted).to_json()) | held


HOSTILE = {
    "no JSON": ("T = 1.3", "cannot be read as JSON"),
    "cut off": (json.dumps(document())[:-5], "cannot be read as JSON"),
    "a list": ("[1]", "this is no recalibration map"),
    "another file": ('{"format": "weights"}', "this is no recalibration map"),
    "depth": ("[" * 100_000, "nested too deeply"),
    "NaN": (json.dumps(document(floor=float("nan"))), "NaN, which is no number"),
    "a name twice": ('{"format": 1, "format": 2}', "holds a name twice"),
    "half a character": ('{"format": "\\ud800"}', "half a character"),
    "a later version": (json.dumps(document(version=2)), "of version 2, and this howsure reads version 1"),
    "version true": (json.dumps(document(version=True)), "of version True"),
    "an unknown key": (json.dumps(document(code="import os")), "'code', which is unknown"),
    "a key that is gone": (json.dumps({k: v for k, v in document().items() if k != "recipe"}), "has no recipe"),
    "another method": (json.dumps(document(method="magic")), "method is 'magic'"),
    "a method of classes": (json.dumps(document(method="vector")), "method is 'vector'"),
    "no T": (json.dumps(document(parameters={})), "parameter T must be a finite number above 0; it is None"),
    "T of 0": (json.dumps(document(parameters={"T": 0})), "above 0; it is 0"),
    "T true": (json.dumps(document(parameters={"T": True})), "above 0; it is True"),
    "T beyond floats": (json.dumps(document()).replace('"T": ', '"T": 1e999, "U": '), "finite number above 0"),
    "T as text": (json.dumps(document(parameters={"T": "1"})), "it is '1'"),
    "parameters a list": (json.dumps(document(parameters=[1])), "must be an object of numbers"),
    "lengths": (json.dumps(document("histogram", parameters={"edges": [0.5], "values": [0.1]})), "a list of 2 finite"),
    "edges fall": (
        json.dumps(document("histogram", parameters={"edges": [0.5, 0.2], "values": [0, 0, 0]})),
        "in rising order",
    ),
    "a value of 2": (json.dumps(document("histogram", parameters={"edges": [], "values": [2]})), "from 0 to 1"),
    "isotonic falls": (json.dumps(document("isotonic", parameters={"x": [0, 1], "y": [1, 0]})), "in rising order"),
    "isotonic of nothing": (json.dumps(document("isotonic", parameters={"x": [], "y": []})), "one number or more"),
    "p0 above p1": (
        json.dumps(document("venn-abers", parameters={"from": [], "low": [0.9], "upto": [], "high": [0.1]})),
        "p0 at most p1",
    ),
    "classes twice": (json.dumps(document(classes=["a", "a"])), "two different names"),
    "classes of numbers": (json.dumps(document(classes=[1, 2])), "list of texts"),
    "floor of 2": (json.dumps(document(floor=2)), "floor must lie above 0"),
    "groups a list": (json.dumps(document(groups=[1])), "groups must be an object"),
    "a group's T": (json.dumps(document(groups={"a": {"T": -1}})), "group 'a': the map's parameter T"),
    "a group twice": (json.dumps(document(groups={"a": {"T": 1}}, pooled_groups=["a"])), "name each group once"),
    "pooled without": (json.dumps(document(pooled_groups=["a"])), "empty where it has no groups"),
    "notes": (json.dumps(document(notes="x")), "notes must be a list"),
    "recipe": (json.dumps(document(recipe=[])), "recipe must be an object"),
    "candidates": (json.dumps(document(candidates=[{"method": 3}])), "what each method scored"),
}


def test_the_text_says_what_it_is():
    y, q = binary(300)
    held = json.loads(recalibrate(y, q, method="platt", floor=1e-6).to_json())
    assert held["description"].startswith("Platt scaling. It maps q, the probability of label 1")
    assert held["formula"] == (
        "first q = min(max(q, floor), 1 - floor); then q' = 1 / (1 + exp(-(a + b * log(q / (1 - q)))))"
    )


def in_plain_python(held: dict, q: float) -> float:
    """A map's file applied to one probability by what stands in it, with the standard library alone."""
    if held["floor"] is not None:
        q = min(max(q, held["floor"]), 1 - held["floor"])
    p = held["parameters"]
    log_odds = math.log(q / (1 - q))
    match held["method"]:
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
    right = next(place for place, one in enumerate(x) if one >= q)
    return y[right - 1] + (y[right] - y[right - 1]) * (q - x[right - 1]) / (x[right] - x[right - 1])


def of_classes_in_plain_python(held: dict, p: list[float]) -> list[float]:
    logs, found = [math.log(one) for one in p], held["parameters"]
    match held["method"]:
        case "temperature":
            scores = [one / found["T"] for one in logs]
        case "vector":
            scores = [a * one + b for a, b, one in zip(found["a"], found["b"], logs, strict=True)]
        case "ordered":
            above = [sum(p[k + 1 :]) / sum(p[: k + 1]) for k in range(len(p) - 1)]
            c = [1 / (1 + math.exp(-(s + math.log(o) / found["T"]))) for s, o in zip(found["s"], above, strict=True)]
            rest = [one - other for one, other in zip([1.0, *c], [*c, 0.0], strict=True)]
            m = [one if one > 0 else held / 1000 for one, held in zip(rest, p, strict=True)]
            return [one / sum(m) for one in m]
        case _:
            rows = zip(found["W"], found["b"], strict=True)
            scores = [b + sum(w * one for w, one in zip(row, logs, strict=True)) for row, b in rows]
    raised = [math.exp(one) for one in scores]
    return [one / sum(raised) for one in raised]


@pytest.mark.parametrize("floor", [None, 0.01])
@pytest.mark.parametrize("method", [*BINARY, "none"])
def test_ten_lines_of_any_language_apply_the_file(method, floor):
    y, q = binary(300)
    found = recalibrate(y, q, method=method, floor=floor)
    held = json.loads(found.to_json())
    assert [in_plain_python(held, one) for one in q.tolist()] == pytest.approx(found.apply(q), rel=1e-12)


@pytest.mark.parametrize("method", OF_CLASSES)
def test_ten_lines_of_any_language_apply_the_file_of_classes(method):
    codes, logits = classes(300)
    p = softmax(logits)
    found = recalibrate(codes, p, method=method)
    held = json.loads(found.to_json())
    plain = [of_classes_in_plain_python(held, row) for row in p.tolist()]
    assert np.array(plain) == pytest.approx(found.apply(p), rel=1e-11, abs=1e-15)
