"""Odd arguments: whatever a parameter gets, a public function computes a result or refuses it as InputError.

Each function is called correctly once per parameter and odd value, with that parameter replaced. TypeError, KeyError,
ValueError of numpy, and warnings of overflow are faults: they name neither the parameter nor what to do.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest

import howsure
from howsure.errors import HowsureError

N = 60
RNG = np.random.default_rng(0)
PROBABILITY = RNG.random(N)
LABEL = (RNG.random(N) < PROBABILITY).astype(int)
GROUP = np.array(["a", "b", "c"] * (N // 3))
MODEL = np.array(["x", "y", "z"] * (N // 3))
ITEM = np.repeat(np.arange(N // 3), 3)
SCORE, OTHER_SCORE = RNG.random((2, N))
CLASSES = RNG.dirichlet([1, 1, 1], N)
FEW_LABELS = np.where(np.arange(N) < N // 2, LABEL.astype(float), np.nan)
SECOND_LABELS = np.where(np.arange(N) < N // 4, LABEL.astype(float), np.nan)
PAIR = {"y_true": LABEL, "y_prob": PROBABILITY}
GROUPED = {**PAIR, "groups": GROUP}
SCORED = {"score": SCORE, "model": MODEL, "id": ITEM}
LARGE = {"y_true": np.tile(LABEL, 5), "y_prob": np.tile(PROBABILITY, 5), "features": {"g": np.tile(GROUP, 5)}}
BATTLES = {"a": ["A"] * 30 + ["B"] * 30, "b": ["B"] * 30 + ["C"] * 30, "winner": ["A"] * 20 + ["B"] * 28 + ["C"] * 12}
FIELDS = {"document": ITEM, "field": MODEL, "value": ["a"] * 50 + ["b"] * 10, "confidence": PROBABILITY}
POLICY = howsure.evaluate_fields(**FIELDS, gold=["a"] * N, max_risk=0.5).policy
CALLS: dict[str, dict[str, Any]] = {
    "calibration_curve": PAIR,
    "calibration_curves": GROUPED,
    "calibration_error": PAIR,
    "calibration_table": GROUPED,
    "calibration_test": {**PAIR, "n_simulations": 19, "rng": 0},
    "check_calibration": {**PAIR, "max_error": 0.2},
    "check_fields": {"policy": POLICY, **FIELDS, "gold": ["a"] * N},
    "check_score": {"score": SCORE, "min_score": 0.2},
    "check_score_so_far": {"score": SCORE, "min_score": 0.2},
    "check_selective": {**PAIR, "max_risk": 0.5},
    "compare_calibration": {**PAIR, "against": PROBABILITY**2},
    "compare_models": {"y_true": LABEL, "against": 1 - LABEL, "model": LABEL},
    "compare_scores": {"score": {"x": SCORE, "y": OTHER_SCORE}},
    "comparison_power": {"disagreement": 0.2, "n": 100, "difference": 0.05},
    "correct_judge_scores": {"y_true": FEW_LABELS, **SCORED},
    "cross_validate_curve": PAIR,
    "decompose_score": PAIR,
    "decompose_score_by_label": PAIR,
    "decompose_variance": {
        "posterior": ["ab", "c"] * 5,
        "following": lambda sample: howsure.WeightedSamples(["a", "b"], [1, 1]),
        "function": lambda sample: 0.5,
        "samples": 5,
        "rng": 0,
    },
    "draw_judge_sample": {**SCORED, "n": 10},
    "draw_label_sample": {"y_prob": PROBABILITY, "n": 10},
    "draw_order": {"id": np.arange(30)},
    "estimate_counts": {"y_true": FEW_LABELS, "y_prob": PROBABILITY, "groups": GROUP, "rng": 0},
    "evaluate_recalibration": {**PAIR, "method": "temperature"},
    "evaluate_fields": {**FIELDS, "gold": ["a"] * N, "max_risk": 0.5},
    "file_documents": {"policy": POLICY, **FIELDS},
    "find_miscalibrated_groups": LARGE,
    "judge_bias": {"score": SCORE, "length": np.arange(N) + 1, "y_true": FEW_LABELS},
    "judge_transport": {"y_true": FEW_LABELS, "score": SCORE, "model": MODEL, "margin": 0.2},
    "learn_score": {"texts": ["good day", "bad sun", "rain or"] * 20, "y_true": FEW_LABELS},
    "local_regression": {**PAIR, "span": 0.5},
    "mean_scores": SCORED,
    "multicalibration_error": LARGE,
    "ordinal_calibration": {"y_true": GROUP, "y_prob": CLASSES, "levels": ["a", "b", "c"]},
    "pairs_from_classes": {"y_true": GROUP, "y_prob": CLASSES, "classes": ["a", "b", "c"]},
    "pass_at_k": {"score": LABEL, "pass_at": 2, "id": ITEM, "run": np.tile([0, 1, 2], N // 3)},
    "plan_comparison": {
        "score": SCORE[:20],
        "against": OTHER_SCORE[:20],
        "items_total": 40,
        "bounds": (0, 1),
        "n_simulations": 20,
    },
    "plan_judge_sample": {"score": SCORE, "width": 0.2, "y_true": FEW_LABELS},
    "plan_label_sample": {"y_prob": PROBABILITY, "width": 20.0},
    "prompt_sensitivity": {"score": SCORE, "prompt": MODEL, "id": ITEM},
    "propagate_samples": {"posterior": ["ab", "c"], "function": lambda sample: 0.5},
    "quantile_calibration": {"y_true": SCORE, "draws": RNG.random((N, 20)), "n_simulations": 19},
    "race_models": {**SCORED, "bounds": (0, 1)},
    "rank_battles": BATTLES,
    "score_items": {"score": LABEL, "model": MODEL, "id": ITEM},
    "score_agents": {"score": LABEL, "model": MODEL, "id": ITEM, "cost": PROBABILITY + 1},
    "rater_agreement": {"score": LABEL, "rater": MODEL, "id": ITEM},
    "span_agreement": {"start": range(N), "end": range(2, N + 2), "rater": MODEL, "document": ITEM},
    "recalibrate": {**PAIR, "method": "temperature"},
    "recalibration_table": {**PAIR, "methods": ["temperature"]},
    "regress_predicted": {"y_true": FEW_LABELS, "prediction": PROBABILITY, "covariates": {"t": OTHER_SCORE}},
    "resample_models": {"y_true": LABEL, "against": 1 - LABEL, "model": LABEL, "n_resamples": 50},
    "score_models": {"y_true": GROUP, "prediction": np.roll(GROUP, 1), "metrics": "accuracy"},
    "selective_curve": PAIR,
    "selective_table": GROUPED,
    "selective_threshold": {**PAIR, "risk": 0.5},
    "simulate_pairs": {"n": 30, "a": 1.0, "b": 1.0},
    "structure_pairs": {"samples": [[["a"], ["b"]]] * 5, "gold": [["a"]] * 5},
    "validate_judge": {"y_true": FEW_LABELS, "score": LABEL},
    "worst_items": SCORED,
    "worst_predictions": PAIR,
}
FRAME = pd.DataFrame({"p": PROBABILITY, "y": LABEL, "g": GROUP})
ODD: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "0": lambda: 0,
    "-1": lambda: -1,
    "a long integer": lambda: 10**400,
    "1.5": lambda: 1.5,
    "NaN": lambda: float("nan"),
    "infinity": lambda: float("inf"),
    "an empty text": lambda: "",
    "a text": lambda: "x",
    "bytes": lambda: b"x",
    "True": lambda: True,
    "an empty list": list,
    "an empty dict": dict,
    "a dict": lambda: {"a": 1},
    "a set": lambda: {1},
    "a list of None": lambda: [None],
    "a ragged list": lambda: [[1], [1, 2]],
    "an array without dimensions": lambda: np.array(5.0),
    "an array of three dimensions": lambda: np.zeros((2, 2, 2)),
    "an object": object,
    "a function": lambda: len,
    "a frame": lambda: FRAME,
    "an empty frame": lambda: FRAME[:0],
    "a series": lambda: FRAME["p"],
    "complex numbers": lambda: 1j * np.ones(N),
    "an array of objects": lambda: np.array([object()] * N, dtype=object),
    "an array of NaN": lambda: np.full(N, np.nan),
    "an array of infinities": lambda: np.full(N, np.inf),
    "zeros": lambda: np.zeros(N),
    "huge numbers": lambda: np.full(N, 1e308),
    "tiny numbers": lambda: np.full(N, 1e-320),
    "texts": lambda: np.array(["u"] * N),
    "a longer array": lambda: np.zeros(N + 1),
    "dates": lambda: np.array(["2020-01-01"] * N, dtype="datetime64[D]"),
    "an iterator": lambda: iter(range(3)),
    "a slice": lambda: slice(3),
    "a range": lambda: range(3),
}
SOME = ("a text", "an array without dimensions", "an iterator")


def unexpected_errors(name: str, odd_values: Mapping[str, Callable[[], Any]]) -> list[str]:
    """The calls of a function that neither return nor raise an error of howsure."""
    function, faults = getattr(howsure, name), []
    function(**CALLS[name])
    for parameter in inspect.signature(function).parameters:
        for label, odd in odd_values.items():
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    warnings.filterwarnings("ignore", category=DeprecationWarning)
                    function(**{**CALLS[name], parameter: odd()})
            except HowsureError:
                pass
            except Exception as error:
                faults.append(f"{parameter}={label}: {type(error).__name__}: {error}")
    return faults


@pytest.mark.parametrize("name", CALLS)
def test_odd_arguments_are_computed_or_refused(name: str) -> None:
    assert unexpected_errors(name, {label: ODD[label] for label in SOME}) == []


@pytest.mark.long
@pytest.mark.parametrize("name", CALLS)
def test_more_odd_arguments_are_computed_or_refused(name: str) -> None:
    """Half of the odd values; the other half for the next function."""
    half = [*ODD][[*CALLS].index(name) % 2 :: 2]
    assert unexpected_errors(name, {label: ODD[label] for label in half}) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_every_odd_argument_is_computed_or_refused(name: str) -> None:
    assert unexpected_errors(name, ODD) == []


def test_every_function_of_arrays_is_tried() -> None:
    """Left out: functions of files, stores and posteriors, which have tests of bad input of their own."""
    of_files = {"look", "read", "read_documents", "read_signature", "recalibrate_file", "logit_calibration"}
    of_other_packages = {"compare_actors", "event_series", "coreference_scores", "tag_pairs", "transition_pairs"}
    of_results = {"correct_annotation_errors"}
    functions = {name for name in dir(howsure) if name[0] != "_" and inspect.isfunction(getattr(howsure, name))}
    assert functions - of_files - of_other_packages - of_results == set(CALLS)
