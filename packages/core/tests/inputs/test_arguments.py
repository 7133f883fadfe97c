"""A column that is compared with itself is refused wherever two roles must differ."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import howsure
from howsure.errors import InputError


def rows() -> pd.DataFrame:
    """Labels, probabilities, scores, models and items of 80 rows."""
    rng = np.random.default_rng(2)
    return pd.DataFrame(
        {
            "y": rng.integers(0, 2, 80),
            "p": rng.random(80),
            "s": rng.integers(0, 2, 80),
            "m": ["a", "b"] * 40,
            "i": range(80),
        }
    )


CALLS: dict[str, Callable[[Any], object]] = {
    "score_table": lambda data: howsure.score_models(y_true="y", prediction="y", data=data),
    "score_table by model": lambda data: howsure.mean_scores("s", model="s", data=data),
    "compare": lambda data: howsure.compare_models("y", "y", "s", metrics="accuracy", data=data),
    "compare rows": lambda data: howsure.compare_models("y", prediction="y", model="m", id="i", data=data),
    "calibration_error": lambda data: howsure.calibration_error("y", "y", data=data),
    "selective_curve": lambda data: howsure.selective_curve("y", "y", data=data),
    "check_scores": lambda data: howsure.check_score("s", against="s", data=data),
    "correct_judge_scores": lambda data: howsure.correct_judge_scores("y", "y", data=data),
    "correct_judge_scores twice": lambda data: howsure.correct_judge_scores("y", "s", second="y", data=data),
    "judge_bias": lambda data: howsure.judge_bias("y", y_true="y", length="p", data=data),
    "rater_agreement": lambda data: howsure.rater_agreement("y", rater="y", id="i", data=data),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("form", ["frame", "files"])
def test_a_column_is_not_compared_with_itself(name: str, form: str, tmp_path: Any) -> None:
    data: Any = rows()
    if form == "files":
        rows().to_csv(tmp_path / "rows.csv", index=False)
        data = howsure.read(tmp_path / "rows.csv")
    with pytest.raises(InputError, match=r"name the same column, '[ys]'\. Name two|is this model's own column"):
        CALLS[name](data)


def test_a_column_may_be_label_and_group_or_item_and_cluster() -> None:
    howsure.score_models(y_true="y", prediction="s", groups="y", data=rows())
    howsure.mean_scores("s", id="i", clusters="i", data=rows())
