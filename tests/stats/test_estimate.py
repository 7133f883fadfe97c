"""A number with its interval, as text and as JSON."""

from __future__ import annotations

import math

import pytest

from howsure.stats.estimate import Estimate


@pytest.mark.parametrize(("value", "low", "high", "text"), [
    (0.25, 0.2, 0.3, "0.2500 [0.2000, 0.3000]"),
    (0.25, None, None, "0.2500"),
    (math.nan, None, None, "–"),
])  # fmt: skip
def test_as_text(value: float, low: float | None, high: float | None, text: str) -> None:
    assert str(Estimate(value, low, high, 0.95, "debiased", 10)) == text


def test_as_json() -> None:
    assert Estimate(0.25, 0.2, 0.3, 0.9, "plugin", 10).to_dict() == {
        "value": 0.25, "low": 0.2, "high": 0.3, "level": 0.9, "method": "plugin", "n": 10,
    }  # fmt: skip
    assert Estimate(math.nan, None, None, 0.9, "plugin", 10).to_dict()["value"] is None
