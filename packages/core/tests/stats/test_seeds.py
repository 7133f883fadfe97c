"""Without a seed, results differ, and their recipes name the seed that gives them again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import howsure

DRAW = np.random.default_rng(0)
Y = DRAW.integers(0, 2, 200)
P = np.clip(Y * 0.4 + DRAW.random(200) * 0.6, 0.01, 0.99)
LABELS = np.where(np.arange(200) % 2, Y, np.nan)
MODELS, ITEMS = ["a"] * 100 + ["b"] * 100, [*range(100)] * 2
PREDICTED = {name: np.where(DRAW.random(200) < share, Y, 1 - Y) for name, share in (("a", 0.8), ("b", 0.7))}

FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "score_models": lambda rng: howsure.mean_scores(Y, model=MODELS, id=ITEMS, rng=rng),
    "score_agents": lambda rng: howsure.score_agents(Y, model=MODELS, id=ITEMS, rng=rng),
    "compare_models": lambda rng: howsure.compare_models(
        Y, PREDICTED["a"], PREDICTED["b"], metrics="macro_f1", method="permutation", rng=rng
    ),
    "estimate_counts": lambda rng: howsure.estimate_counts(LABELS, P, rng=rng),
    "corp": lambda rng: howsure.calibration_curve(Y, P, method="corp", rng=rng),
    "bootstrap": lambda rng: howsure.calibration_curve(Y, P, interval="bootstrap", rng=rng),
    "order": lambda rng: howsure.draw_order([*range(50)], rng=rng),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_recipe_repeats_the_result(name: str) -> None:
    result = FUNCTIONS[name](None)
    seed = result.recipe["seed"]
    assert isinstance(seed, int)
    assert str(FUNCTIONS[name](seed)) == str(result)
    assert FUNCTIONS[name](None).recipe["seed"] != seed
