"""Calibration curves whose bins are given, for tests of what is said about them and drawn of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from howsure import Bins, CalibrationCurve, Estimate, calibration_curve
from howsure.stats.proportions import wilson_interval

ANY_CURVE = calibration_curve([0, 1] * 20, np.linspace(0.1, 0.9, 40))


def curve_with(
    mean_prob: Sequence[float],
    frequency: Sequence[float],
    *,
    count: int = 400,
    error: tuple[float, float | None, float | None] = (0.1, 0.08, 0.12),
    name: str | None = None,
    p: float = ANY_CURVE.p_value,
) -> CalibrationCurve:
    """A curve with these bins of `count` pairs each; a prediction's bin ends half-way to the next one's mean."""
    q, f = np.array(mean_prob, dtype=float), np.array(frequency, dtype=float)
    counts = np.full(len(q), count)
    upper = np.append((q[1:] + q[:-1]) / 2, q[-1])
    low, high = wilson_interval(f, counts.astype(float))
    errors = np.sqrt(f * (1 - f) / counts)
    parts = {"mean_prob": q, "frequency": f, "standard_error": errors, "low": low, "high": high, "upper": upper}
    bins = Bins(count=counts, weight=counts.astype(float), **parts)
    n = int(counts.sum())
    bars = np.minimum((q * 64).astype(int), 63)
    histogram = np.stack([np.bincount(bars, weights=share * counts, minlength=64) for share in (1 - f, f)])
    value, interval_low, interval_high = error
    return replace(
        ANY_CURVE,
        bins=bins,
        error=Estimate(value, interval_low, interval_high, 0.95, "debiased", n),
        base_rate=float(f.mean()),
        n=n,
        p_value=p,
        histogram=histogram,
        notes=(),
        name=name,
    )


def many_curves(n: int) -> list[CalibrationCurve]:
    """Curves g1 … gn, each with another error."""
    q = [0.1, 0.3, 0.5, 0.7, 0.9]
    return [
        curve_with(q, [x**1.2 for x in q], error=(0.1 + i / 100, 0.08 + i / 100, 0.12 + i / 100), name=f"g{i + 1}")
        for i in range(n)
    ]
