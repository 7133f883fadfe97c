"""Names that differ only in case or spaces are different groups, classes or values, and every function notes it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import howsure
from howsure import read
from howsure.calibration.miscalibrated_groups import find_miscalibrated_groups

N = 120
Y = np.resize([0, 1, 1, 0, 1], N)
FRAME = pd.DataFrame(
    {
        "y": Y,
        "p": np.resize([0.2, 0.7, 0.6, 0.4], N),
        "x": np.arange(N),
        "group": np.resize(["Yes", "no", "yes"], N),
        "label": np.where(Y == 1, "Yes", np.where(np.arange(N) % 3 == 0, "yes", "no")),
        "other": np.resize(["Yes", "no"], N),
        "copy": np.resize(["no", "Yes", "Yes"], N),
    }
)
CALLS: dict[str, Callable[[Any], Any]] = {
    "groups of counts": lambda data: howsure.estimate_counts("y", "p", groups="group", data=data),
    "a covariate": lambda data: howsure.regress_predicted("y", "p", covariates=["group"], data=data),
    "fixed effects": lambda data: howsure.regress_predicted(
        "y", "p", covariates=["x"], fixed_effects=["group"], data=data
    ),
    "classes": lambda data: howsure.regress_predicted("label", "other", covariates=["x"], data=data),
    "labels": lambda data: howsure.compare_models("label", "other", "group", data=data, rng=0),
    "groups of a comparison": lambda data: howsure.compare_models(
        "other", "copy", "label", groups="group", data=data, rng=0
    ),
    "a feature": lambda data: find_miscalibrated_groups("y", "p", features=["group"], min_rows=30, data=data),
    "groups of a check": lambda data: howsure.check_score("y", min_score=0.2, groups="group", data=data),
    "groups of means": lambda data: howsure.mean_scores("y", groups="group", data=data, rng=0),
    "groups of calibration": lambda data: howsure.calibration_table("y", "p", groups="group", data=data),
}


@pytest.mark.parametrize("call", CALLS)
def test_other_spellings_are_noted(call: str, tmp_path: Path) -> None:
    FRAME.to_csv(tmp_path / "x.csv", index=False)
    result = CALLS[call](read(tmp_path / "x.csv"))
    assert "differ only in case" in str(result.to_dict())
    assert "'Yes' (" in str(result.to_dict()) or "'group = Yes' (" in str(result.to_dict())
