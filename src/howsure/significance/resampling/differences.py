"""One model against the baseline: values, differences, intervals and p of every metric."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from howsure.significance.metrics.metric import Floats, Metric
from howsure.significance.resampling.bootstrap import (
    bootstrap_values,
    drift,
    interval_of,
    jackknife_values,
    observed_values,
    shift_p_value,
)
from howsure.significance.resampling.choices import Choices
from howsure.significance.resampling.mcnemar import mid_p_value
from howsure.significance.resampling.permutation import permutation_p_values
from howsure.significance.resampling.subsampling import boostsa_p_value, check_sample_size
from howsure.significance.resampling.units import Units, build_units
from howsure.significance.resampling.widening import degrees_of_freedom, quantile_ratio, spread_ratio, student_p_value
from howsure.significance.results import Difference, relative_reduction
from howsure.significance.systems.problem import Problem

UNDEFINED = (math.nan, math.nan, False)
ROUNDING = 1e-12


def differences_of(
    problem: Problem, metrics: Sequence[Metric], choices: Choices, seed: int, names: tuple[str, str]
) -> list[Difference]:
    """One row per metric, p not yet adjusted; `names` are those of the baseline and of the model."""
    units = build_units(problem, metrics, two_way=choices.two_way)
    with np.errstate(invalid="ignore"):
        observed = observed_values(units, metrics)
        replicates = _replicates(units, metrics, choices, observed, seed)
        p_values = _p_values(problem, units, metrics, choices, observed, replicates, seed)
        leave_outs = jackknife_values(units, metrics) if choices.interval == "bca" else [None] * len(metrics)
    rows = []
    turn = -1 if units.swapped else 1
    quantile = quantile_ratio(units, choices.level)
    for metric, values, drawn, p, left_out in zip(metrics, observed, replicates, p_values, leave_outs, strict=True):
        plain = values if turn == 1 else (values[1], values[0])
        difference = turn * (values[1] - values[0])
        low, high, undefined = math.nan, math.nan, 0
        if drawn is not None and math.isfinite(difference):
            moved = None if left_out is None else (turn * left_out[0], left_out[1])
            widened = difference + quantile * (turn * drawn - difference)
            low, high = interval_of(widened, difference, choices.level, str(choices.interval), moved)
            undefined = int((~np.isfinite(drawn)).sum())
            if max(abs(low), abs(high)) < ROUNDING and difference == 0.0:
                low = high = 0.0  # identical systems, whose halves a product of matrices rounds differently
            if metric.bounds is not None:  # of a difference
                least, most = metric.bounds[0] - metric.bounds[1], metric.bounds[1] - metric.bounds[0]
                low, high = max(low, least), min(high, most)
        better, worse = _shares(problem, metric)
        rows.append(
            Difference(
                baseline=names[0],
                model=names[1],
                metric=metric.name,
                baseline_value=plain[0],
                model_value=plain[1],
                difference=difference + 0.0,
                low=low + 0.0,
                high=high + 0.0,
                p_value=p[0],
                p_adjusted=p[0],
                p_error=p[1],
                n=len(problem.targets),
                exact=p[2],
                higher_is_better=metric.higher_is_better,
                relative_error_reduction=relative_reduction(metric.best, *plain),
                share_better=better,
                share_worse=worse,
                undefined_resamples=undefined,
            )
        )
    return rows


def _replicates(
    units: Units, metrics: Sequence[Metric], choices: Choices, observed: Sequence[tuple[float, float]], seed: int
) -> list[Floats | None]:
    """Full-size bootstrap differences, second minus first, suitably widened, if they are needed."""
    if choices.interval is None and choices.method != "bootstrap":
        return [None] * len(metrics)
    rng = np.random.default_rng([seed, 0])
    values = bootstrap_values(units, metrics, choices.n_resamples, rng)
    out: list[Floats | None] = []
    for metric, (a, b), whole in zip(metrics, values, observed, strict=True):
        difference = whole[1] - whole[0]
        deviations = b - a - drift(units, metric, difference) - difference
        out.append(difference + spread_ratio(units, metric) * deviations)
    return out


def _p_values(
    problem: Problem,
    units: Units,
    metrics: Sequence[Metric],
    choices: Choices,
    observed: Sequence[tuple[float, float]],
    replicates: Sequence[Floats | None],
    seed: int,
) -> list[tuple[float, float, bool]]:
    """For each metric, p, its Monte Carlo error, and whether it is exact; NaN where the difference is undefined."""
    differences = [second - first for first, second in observed]
    turn = -1 if units.swapped else 1
    rng = np.random.default_rng([seed, 1])
    if choices.method == "mcnemar":
        better, worse = (round(share * len(problem.targets)) for share in _shares(problem, metrics[0]))
        return [(mid_p_value(worse, better, choices.alternative), 0.0, True)]
    if choices.method == "boostsa":
        rows = check_sample_size(choices.sample_size, int(units.counts.sum()))
        drawn = bootstrap_values(units, metrics, choices.n_resamples, rng, size=rows)
        found = []
        for metric, pair, seen in zip(metrics, drawn, observed, strict=True):
            values, whole = (pair, seen) if turn == 1 else ((pair[1], pair[0]), (seen[1], seen[0]))
            p = boostsa_p_value(metric, values, whole, bug_compatible=choices.bug_compatible)
            found.append((p, math.sqrt(p * (1 - p) / choices.n_resamples), False))
        return found
    sides = [_side(choices.alternative, turn * metric.sign) for metric in metrics]
    if choices.method == "bootstrap":
        degrees = degrees_of_freedom(units)
        return [
            UNDEFINED
            if drawn is None or not math.isfinite(d)
            else (*student_p_value(*shift_p_value(drawn, d, side), side, degrees), False)
            for drawn, d, side in zip(replicates, differences, sides, strict=True)
        ]
    kept = [k for k, difference in enumerate(differences) if math.isfinite(difference)]
    out = [UNDEFINED] * len(metrics)
    tested = permutation_p_values(
        units,
        [metrics[k] for k in kept],
        [sides[k] for k in kept],
        choices.n_resamples,
        rng,
    )
    for k, one in zip(kept, tested, strict=True):
        out[k] = one
    return out


def _side(alternative: str, direction: int) -> str:
    """The extreme side of second - first, if larger (1) or smaller (-1) values are better."""
    if alternative == "two-sided" or direction == 1:
        return alternative
    return "worse" if alternative == "better" else "better"


def _shares(problem: Problem, metric: Metric) -> tuple[float, float]:
    """The shares of rows on which the model is better and worse, averaged over pairs of runs."""
    if metric.score is None:
        return math.nan, math.nan
    baseline, model = (
        [metric.score(problem.targets, run, problem) for run in system] for system in (problem.baseline, problem.model)
    )
    pairs = [(a, b) for a in baseline for b in model]
    better = float(np.mean([np.mean(b > a) for a, b in pairs]))
    return better, float(np.mean([np.mean(b < a) for a, b in pairs]))
