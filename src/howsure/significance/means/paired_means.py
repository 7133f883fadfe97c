"""Two models on the same items: the difference of their means, by item or by cluster."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from howsure.inputs.pairs import Floats
from howsure.significance.means.item_scores import ItemScores, within_variance
from howsure.significance.means.model_means import share_of_runs
from howsure.significance.results import Difference, relative_reduction
from howsure.stats.mean_score import MeanScore, mean_difference


def paired_mean(held: ItemScores, baseline: str, model: str, *, level: float, bounded: bool) -> MeanScore:
    """The mean of the paired differences, model - baseline; with the metric's bounds, or by Student's t."""
    bounds = held.metric.bounds if bounded else None
    both = held.means[model], held.means[baseline]
    return mean_difference(*both, held.groups, bounds=bounds, spread=held.spread, level=level)


def paired_difference(
    held: ItemScores, baseline: str, model: str, *, level: float, alternative: str, bounded: bool
) -> Difference:
    """One row of a comparison, p not yet adjusted."""
    found = paired_mean(held, baseline, model, level=level, bounded=bounded)
    sign = held.metric.sign
    low, high = found.interval(level)
    better, worse = _shares(sign * held.scores[baseline], sign * held.scores[model])
    turned = {"better": "worse", "worse": "better"}
    side = alternative if sign == 1 else turned.get(alternative, alternative)
    p = found.p_value(side)
    values = float(held.means[baseline].mean()), float(held.means[model].mean())
    return Difference(
        baseline=baseline,
        model=model,
        metric=held.metric.name,
        baseline_value=values[0],
        model_value=values[1],
        difference=found.value + 0.0,
        low=low + 0.0,
        high=high + 0.0,
        p_value=p,
        p_adjusted=p,
        p_error=0.0 if math.isfinite(p) else math.nan,
        n=held.groups.n,
        exact=False,
        higher_is_better=held.metric.higher_is_better,
        relative_error_reduction=relative_reduction(held.metric.best, *values),
        share_better=better,
        share_worse=worse,
        undefined_resamples=0,
        **beside(held, found, baseline, model, level=level, alternative=alternative),
    )


def beside(
    held: ItemScores, found: MeanScore, baseline: str, model: str, *, level: float, alternative: str
) -> dict[str, Any]:
    """What a row tells of a difference of means, whatever the test: `standard_error`, `degrees_of_freedom`,
    `correlation`, `detectable_difference`, `run_share`."""
    first, second = held.means[baseline], held.means[model]
    return {
        "standard_error": found.standard_error,
        "degrees_of_freedom": found.degrees_of_freedom or math.nan,
        "correlation": _correlation(first, second),
        "detectable_difference": found.detectable(level, alternative),
        "run_share": _run_share(held.scores[baseline], held.scores[model], second - first)
        if math.isfinite(found.value)
        else math.nan,
    }


def _shares(baseline: Floats, model: Floats) -> tuple[float, float]:
    """The shares of items on which the model is better and worse, averaged over pairs of runs."""
    pairs = [(np.mean(b > a), np.mean(b < a)) for a in baseline for b in model]
    better, worse = np.mean(pairs, axis=0)
    return float(better), float(worse)


def _correlation(first: Floats, second: Floats) -> float:
    """Pearson's correlation; NaN if either is constant or infinite somewhere."""
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        return math.nan
    a, b = first - first.mean(), second - second.mean()
    spread = float(np.sqrt((a @ a) * (b @ b)))
    return float(np.clip(a @ b / spread, -1.0, 1.0)) if spread > 0 else math.nan


def _run_share(baseline: Floats, model: Floats, differences: Floats) -> float:
    """The share of the variance of the items' differences that comes from runs. Runs of equal number are paired in
    their order, which also allows for runs (prompts) that both models share."""
    if len(baseline) == 1 and len(model) == 1:
        return math.nan
    if len(baseline) == len(model):
        of_runs = within_variance(model - baseline) / len(model)
    else:
        parts = [within_variance(one) / len(one) for one in (baseline, model) if len(one) > 1]
        of_runs = sum(parts)
    return share_of_runs(of_runs, float(differences.var(ddof=1)) if len(differences) > 1 else math.nan)
