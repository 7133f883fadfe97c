"""`howsure calibration --test`: the p-value of a curve by a test that the user names."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from howsure.calibration.hypothesis_tests.calibration_test import METHODS, CalibrationTest, check_calibration
from howsure.calibration.results import CalibrationCurve
from howsure.inputs.pairs import Pairs

__all__ = ["METHODS", "with_test"]


def with_test(
    curve: CalibrationCurve, pairs: Pairs, method: str, *, interval: str, level: float, **options: Any
) -> CalibrationCurve:
    """The curve with the p-value of a method of `calibration_test`, and a note of what the method estimates."""
    found = check_calibration(pairs, method, **options)
    recipe = curve.recipe | {"test": method} | {k: v for k, v in found.recipe.items() if k in ("n_simulations", "seed")}
    return replace(curve, p_value=found.p_value, notes=(*curve.notes, *_said(found)), recipe=recipe)


def _said(found: CalibrationTest) -> list[str]:
    if found.method != "cox":
        return []
    if math.isinf(found.statistic):
        return [
            "cox test: wrong predictions of exactly 0 or 1 alone refute calibration; if these were rounded, use "
            "another test"
        ]
    intercept, slope = found.estimates["intercept"], found.estimates["slope"]
    if math.isfinite(intercept) and math.isfinite(slope):
        return [f"cox test: log-odds of the labels = {intercept:.3f} + {slope:.3f} · log-odds of the predictions"]
    return []
