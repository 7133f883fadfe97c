"""Exact ties: no sentence names one of several equal models as the best."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import howsure
from howsure.result import Result

# Models a and b are right in 3 of 4 items, each wrong in another one; c is right in 1 of 4. 10 times, so 40 items.
RIGHT = {"b": [1, 1, 1, 0] * 10, "a": [0, 1, 1, 1] * 10, "c": [0, 0, 0, 1] * 10}
TRUE = [1, 0, 1, 0] * 10
ITEMS = {"model": [model for model in RIGHT for _ in TRUE], "id": list(range(40)) * 3}
SCORES = [score for scores in RIGHT.values() for score in scores]
GRADES = [score if i % 40 < 20 else None for i, score in enumerate(SCORES)]  # of people, for the first half
PREDICTED = {name: [y if right else 1 - y for y, right in zip(TRUE, row, strict=True)] for name, row in RIGHT.items()}
PAIRS = {"y_true": TRUE * 2, "y_prob": [0.75, 0.25] * 40, "groups": ["n"] * 40 + ["m"] * 40}
FIELDS = {"document": list("1234") * 3, "field": list("aaaabbbbcccc"), "value": ["x"] * 12}


def _judge(**options: str) -> Result:
    return howsure.correct_judge_scores(GRADES, SCORES, model=ITEMS["model"], id=ITEMS["id"], **options)  # type: ignore[arg-type]


def _fields(wrong: str) -> Result:
    """Four values in each of three fields, of which one is wrong where the text has a W."""
    return howsure.evaluate_fields(**FIELDS, gold=["y" if mark == "W" else "x" for mark in wrong])


ANSWERS: dict[str, tuple[Callable[[], Result], str]] = {
    "compare_scores": (
        lambda: howsure.compare_scores(RIGHT),
        "a and b have the same score, the highest, 0.7500; 1 other is significantly worse.",
    ),
    "lower is better": (
        lambda: howsure.compare_scores({name: RIGHT[name] for name in "ba"}, lower_is_better=True),
        "a and b have the same score, 0.7500.",
    ),
    "mean_scores": (
        lambda: howsure.mean_scores(SCORES, **ITEMS),
        "a and b have equal means, the highest, 0.7500; significantly better than c.",
    ),
    "judge": (
        _judge,
        "a and b have equal means by corrected grades, the highest, 0.7500; significantly better than c.",
    ),
    "judge, baseline": (
        lambda: _judge(against="c"),
        "a and b have equal means by corrected grades, the highest, 0.7500; better than c: a, b.",
    ),
    "agents": (lambda: howsure.score_agents(SCORES, **ITEMS), "a and b have equal means, the highest, 0.7500 ["),
    "race": (
        lambda: howsure.race_models(SCORES[:80], model=ITEMS["model"][:80], id=ITEMS["id"][:80], rng=1),
        "2 models are left: a, b, after 40 of 40 items and 80 of 80 answers (100%).",
    ),
    "battles": (
        lambda: howsure.rank_battles([*"qpqprr"] * 9, [*"pqrrpq"] * 9, ["left"] * 54),
        "p, q, r score the most points, 0.5000 [",
    ),
    "battles in parts": (
        lambda: howsure.rank_battles([*"pqrs"] * 9, [*"qpsr"] * 9, ["left", "left", "left", "right"] * 9),
        "The battles fall into 2 parts that cannot be compared; strongest in each: p and q, r.",
    ),
    "battles without strengths": (
        lambda: howsure.rank_battles([*"qp"] * 9, [*"rr"] * 9, ["left"] * 18),
        "p and q have equal wins, 9 battles each.",
    ),
    "calibration": (
        lambda: howsure.calibration_curves(**PAIRS),
        "m and n have equal calibration errors, 0.2500; over- and underconfident: m, n.",
    ),
    "isotonic": (
        lambda: howsure.calibration_curves(**PAIRS, method="corp"),
        "m and n have equal miscalibration, 0.06250; over- and underconfident: m, n.",
    ),
    "selective": (
        lambda: howsure.selective_table(**PAIRS),
        "Of the 50% most confident answers, 1.0000 (all) are right; of all answers, 0.5000 (all).",
    ),
    "prompts": (
        lambda: howsure.prompt_sensitivity(SCORES[:80], prompt=ITEMS["model"][:80], id=ITEMS["id"][:80]),
        "All 2 prompts have equal means, 0.7500.",
    ),
    "fields": (lambda: _fields("...W..W....."), "the fields that are wrong most often, a and b, are right in 0.7500."),
    "all fields": (lambda: _fields("...W..W....W"), "all fields are right equally often."),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_no_winner_among_equals(name: str) -> None:
    compute, answer = ANSWERS[name]
    assert answer in compute().answer
