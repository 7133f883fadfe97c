"""The comparison of one model with the baseline: values, difference, interval and p-value in every metric."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure import __version__
from howsure.errors import InputError, parameter
from howsure.inputs.arguments import Randomness, generator_from
from howsure.inputs.numbers_and_names import check_integer, check_level, check_number, unknown_name
from howsure.significance.bootstrap import (
    bootstrap_interval,
    bootstrap_values,
    degrees_of_freedom,
    drift,
    jackknife_values,
    jackknife_variance,
    observed_values,
    quantile_ratio,
    shift_p_value,
    spread_ratio,
    student_p_value,
)
from howsure.significance.checked_systems import Systems
from howsure.significance.class_differences import rare_class_error
from howsure.significance.jackknife import paired_jackknife
from howsure.significance.metrics.metric import Floats, Metric
from howsure.significance.permutation import mid_p_value, permutation_p_values
from howsure.significance.resampling_units import Units, build_units
from howsure.significance.results import Difference, relative_reduction
from howsure.significance.systems import Problem
from howsure.stats.gaffke import UnitSums, gaffke_interval, paired_differences
from howsure.stats.mean_score import MeanScore

# BooStSa's rule: the proportion of sub-samples whose difference is more than twice the difference in the test set.

SMALLEST, USUAL, LARGEST = 0.05, 0.1, 0.5  # sizes of sub-samples as fractions of the test set
TURNED = ("jensen_shannon_distance", "jensen_shannon_divergence", "cross_entropy", "clipped_cross_entropy")
MAX_RESAMPLES = 10_000_000
DIGITS = 4  # to which BooStSa rounds the metrics of labels, and their differences


def check_sample_size(sample_size: float | None, n: int) -> int:
    """Return the number of rows in a sub-sample."""
    rows = int(n * check_number(sample_size, name="sample_size", low=SMALLEST, high=LARGEST))
    if rows == 0:
        raise InputError(f"`sample_size` {sample_size} of {n} rows is less than one row. Give a larger proportion.")
    return rows


def boostsa_p_value(
    metric: Metric, replicates: tuple[Floats, Floats], observed: tuple[float, float], *, bug_compatible: bool
) -> float:
    """Return the proportion of sub-samples whose difference exceeds twice the observed difference.

    The result is 1 if the observed difference is 0, and NaN if it is undefined. `replicates` and `observed` are the
    values of the baseline and of the model.

    `bug_compatible` counts as BooStSa 0.2.13 does: metrics of labels are rounded to 4 digits, metrics for which lower
    is better are tested in the wrong direction, and the result is 0 if the observed difference is 0 or undefined.
    """
    rounded = bug_compatible and metric.task == "hard"
    difference = _difference(np.array(observed[0]), np.array(observed[1]), rounded).item()
    drawn = _difference(*replicates, rounded)
    if not bug_compatible:
        if not math.isfinite(difference):
            return math.nan
        if abs(difference) < 1e-12:
            return 1.0
        return float(np.mean(~(metric.sign * drawn <= 2 * metric.sign * difference)))
    if metric.name in TURNED:
        return float(np.mean(drawn > -2 * difference))
    return float(np.mean(drawn > 2 * difference))


def _difference(baseline: Floats, model: Floats, rounded: bool) -> Floats:
    if not rounded:
        return np.asarray(model - baseline)
    return np.asarray(np.round(np.round(model, DIGITS) - np.round(baseline, DIGITS), DIGITS))


# The settings of a comparison, checked, and as the recipe of the result.

JACKKNIFE = "jackknife"
METHODS = ("permutation", "bootstrap", "gaffke", "student", JACKKNIFE, "mcnemar", "boostsa")
OF_MEANS = ("gaffke", "student")  # tests of a mean
WITH_INTERVAL = (*OF_MEANS, JACKKNIFE)  # tests that also give an interval, without random draws
ALTERNATIVES = ("two-sided", "better", "worse")
INTERVALS = ("basic", "percentile", "bca", *WITH_INTERVAL)
BY_ORDER = "matched by their order"


@dataclass(frozen=True, slots=True)
class Choices:
    """The settings of a comparison; see `compare`."""

    method: str
    n_resamples: int
    alternative: str
    interval: str | None
    level: float
    adjust: str | None
    two_way: bool
    sample_size: float | None
    bug_compatible: bool

    @property
    def draws(self) -> bool:
        """Whether anything is drawn at random."""
        return self.method not in WITH_INTERVAL

    def recipe(self, views: Sequence[Systems], seed: int) -> dict[str, Any]:
        """Return everything that is needed to repeat the comparison."""
        systems = views[0]
        runs = {name: len(predictions) for name, predictions in systems.predictions.items()}
        several = max(runs.values()) > 1
        return {
            "method": self.method,
            "alternative": self.alternative,
            "n_resamples": self.n_resamples if self.draws else None,
            "sample_size": self.sample_size,
            "bug_compatible": self.bug_compatible,
            "interval": self.interval,
            "level": self.level,
            "adjust": self.adjust,
            "task": ", ".join(dict.fromkeys(view.task for view in views)),
            "n": systems.n,
            "clusters": None if systems.clusters is None else int(systems.clusters.max()) + 1,
            "strata": None if systems.strata is None else int(systems.strata.max()) + 1,
            "runs": runs if several else None,
            "resampled": _resampled(systems, several, self.two_way),
            "seed": seed if self.draws else None,
            "howsure": __version__,
        }


def check_choices(choices: Choices, systems: Systems, metrics: Sequence[Metric]) -> None:
    """Raise InputError for invalid or incompatible settings; the message names an alternative."""
    _check_choice("method", choices.method, METHODS)
    if choices.alternative in ("greater", "less"):
        raise InputError("alternative must be 'two-sided', 'better' or 'worse' (the model compared with the baseline).")
    _check_choice("alternative", choices.alternative, ALTERNATIVES)
    if choices.interval is not None:
        _check_choice("interval", choices.interval, INTERVALS)
    check_level(choices.level)
    count = choices.n_resamples
    check_integer(count, name="n_resamples", most=MAX_RESAMPLES)
    several = any(len(prediction) > 1 for prediction in systems.predictions.values())
    if choices.two_way and (choices.method != "bootstrap" or not several):
        raise InputError(
            "`two_way=True` draws runs as well as items, so it needs `method='bootstrap'` and several runs."
        )
    if choices.two_way and choices.interval == "bca":
        raise InputError("with `two_way=True`, interval must be 'basic' or 'percentile': 'bca' ignores the runs.")
    if several:
        for metric in metrics:
            if not metric.scale_free:
                raise InputError(f"{metric.name} cannot be combined over runs. Compare one run at a time.")
    if choices.method in OF_MEANS:
        other = next((metric.name for metric in metrics if not metric.is_mean), None)
        if other is not None:
            raise InputError(
                f"`method={choices.method!r}` tests a mean over items (accuracy, log_loss, scores), which {other} is "
                "not; choose `method='permutation'`."
            )
    if choices.method == JACKKNIFE:
        corrected = next((metric.name for metric in metrics if not metric.scale_free), None)
        if corrected is not None:
            raise InputError(
                f"`method={JACKKNIFE!r}` needs a metric that does not depend on the number of rows; {corrected} "
                "depends on it. Choose `method='permutation'`."
            )
    wrong = {choices.interval, choices.method} & set(WITH_INTERVAL)
    if choices.interval is not None and wrong and choices.interval != choices.method:
        name = choices.interval if choices.interval in WITH_INTERVAL else choices.method
        raise InputError(f"`interval={name!r}` is only for `method={name!r}`. Leave interval out for the default.")
    if choices.method == "mcnemar":
        if [metric.name for metric in metrics] != ["accuracy"]:
            raise InputError(
                "`method='mcnemar'` tests accuracy; choose `metrics='accuracy'`, or `method='permutation'`."
            )
        if systems.clusters is not None or several:
            raise InputError(
                "`method='mcnemar'` assumes independent rows. With clusters or runs, choose 'permutation'."
            )
    if choices.method == "boostsa":
        check_sample_size(choices.sample_size, systems.n)
        if choices.alternative != "two-sided" or systems.strata is not None:
            raise InputError(
                "`method='boostsa'` is one-sided and does not support strata; leave alternative and strata out, or "
                "choose `method='bootstrap'`."
            )
    elif choices.bug_compatible or choices.sample_size is not None:
        name = "bug_compatible" if choices.bug_compatible else "sample_size"
        raise InputError(f"{parameter(name)} is only for `method='boostsa'`; leave it out, or choose that method.")


def draw_seed(rng: Randomness) -> int:
    """One integer for all draws, recorded in the recipe: the given seed, or one drawn from the given generator.

    >>> draw_seed(7)
    7
    """
    generator = generator_from(rng)
    return int(rng) if isinstance(rng, (int, np.integer)) else int(generator.integers(2**63))


def _resampled(systems: Systems, several: bool, two_way: bool) -> str:
    unit = "clusters" if systems.clusters is not None else "items"
    if not several:
        return unit
    return f"{unit} × runs" if two_way else f"{unit} with all their runs"


def _check_choice(name: str, value: str, allowed: Sequence[str]) -> None:
    if value not in allowed:
        raise unknown_name(name, str(value), allowed, place="compare")


FEW_DIFFERENT = 20  # units
UNDEFINED = (math.nan, math.nan, False)
ROUNDING = 1e-12


def test_differences(
    problem: Problem, metrics: Sequence[Metric], choices: Choices, seed: int, names: tuple[str, str]
) -> list[Difference]:
    """Return one row per metric, with the unadjusted p-value; `names` are the names of the baseline and the model."""
    units = build_units(problem, metrics, two_way=choices.two_way)
    if choices.method == JACKKNIFE:
        return [_jackknife_difference(problem, units, metric, choices, names) for metric in metrics]
    with np.errstate(invalid="ignore"):
        observed = observed_values(units, metrics)
        of_classes = [rare_class_error(units, metric) for metric in metrics]
        replicates = _replicates(units, metrics, choices, observed, of_classes, seed)
        p_values = _p_values(problem, units, metrics, choices, observed, replicates, of_classes, seed)
        leave_outs = jackknife_values(units, metrics) if choices.interval == "bca" else [None] * len(metrics)
    rows = []
    turn = -1 if units.swapped else 1
    for metric, values, drawn, p, left_out, rare in zip(
        metrics, observed, replicates, p_values, leave_outs, of_classes, strict=True
    ):
        plain = values if turn == 1 else (values[1], values[0])
        difference = turn * (values[1] - values[0])
        low, high, undefined = math.nan, math.nan, 0
        if drawn is not None and math.isfinite(difference):
            moved = None if left_out is None else (turn * left_out[0], left_out[1])
            quantile = quantile_ratio(units, choices.level, at_most=math.inf if rare is None else rare[1])
            widened = difference + quantile * (turn * drawn - difference)
            low, high = bootstrap_interval(widened, difference, choices.level, str(choices.interval), moved)
            undefined = int((~np.isfinite(drawn)).sum())
            if max(abs(low), abs(high)) < ROUNDING and difference == 0.0:
                low = high = 0.0  # identical systems: the nonzero value is due to rounding
            if metric.bounds is not None:  # of a difference
                most = metric.bounds[1] - metric.bounds[0]
                if high - low < ROUNDING:
                    number = _number_of_alike(problem, units, metric)
                    low, high = unseen_interval(difference, number, most=most, level=choices.level)
                elif rare is None and (ends := _ends_of_few(units, metric, most=most, level=choices.level)) is not None:
                    low, high = min(low, ends[0]), max(high, ends[1])
                low, high = max(low, -most), min(high, most)
            if choices.method != "boostsa" and choices.alternative == "two-sided" and p[0] > 1 - choices.level:
                low, high = min(low, 0.0), max(high, 0.0)  # so that the interval and p agree
        better, worse = _shares(problem, metric)
        rows.append(
            Difference(
                against=names[0],
                model=names[1],
                metric=metric.name,
                against_value=plain[0],
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


def unseen_interval(difference: float, number: float, *, most: float, level: float) -> tuple[float, float]:
    """The interval of a difference that is the same in all of `number` units; differences are between -most and most.

    It is Gaffke's for a mean of equal values: others of the population may be as far away as possible, in a proportion
    of up to 1 - (α / 2)^(1 / number) on each side.

    >>> [round(end, 4) for end in unseen_interval(1.0, 6, most=1.0, level=0.95)]
    [0.0815, 1.0]
    """
    if not math.isfinite(most):
        return difference, difference
    unseen = 1 - ((1 - level) / 2) ** (1 / number)
    return difference - unseen * (difference + most), difference + unseen * (most - difference)


def _ends_of_few(units: Units, metric: Metric, *, most: float, level: float) -> tuple[float, float] | None:
    """An interval that allows for units that were not seen, if the systems differ in few of the units.

    For a mean: Gaffke's if fewer than 20 units, and fewer than half, have another difference than most; its end nearer
    to this usual difference, often 0, is the mean. Resampling never draws a unit of another difference that was not
    seen, so its interval ends too close to it. For other metrics: the paired jackknife's if fewer than 20 units differ,
    since its error includes that of one more such unit. None for strata and for several runs.
    """
    if not math.isfinite(most) or len(units.starts) > 1 or units.runs != (1, 1):
        return None
    part = units.parts[metric.rows]
    first, second = units.first[:, part], units.second[:, part]
    if not metric.is_mean:
        if not metric.scale_free or units.counts[(first != second).any(axis=1)].sum() >= FEW_DIFFERENT:
            return None
        test = paired_jackknife(units, metric, level=level)
        ends = (test.negated() if units.swapped else test).interval(level)
        return ends if math.isfinite(ends[1] - ends[0]) else None
    sums = paired_differences(*((first, second) if units.swapped else (second, first)))[:, 0]
    differences, of_difference = np.unique(sums, return_inverse=True)
    usual = differences[np.bincount(of_difference.ravel(), units.counts).argmax()]
    if units.counts[sums != usual].sum() >= min(FEW_DIFFERENT, units.counts.sum() / 2):
        return None
    pairs, place = np.unique(np.column_stack([sums, first[:, -1]]), axis=0, return_inverse=True)
    times = np.bincount(place.ravel(), units.counts).astype(np.float64)
    scores = UnitSums(pairs[:, 0], pairs[:, 1], times)
    low, high = gaffke_interval(scores, bounds=(-most, most), size=(1 - level) / 2)
    return (low, scores.value) if scores.value < usual else (scores.value, high)


def _number_of_alike(problem: Problem, units: Units, metric: Metric) -> float:
    """The effective number of units or, for a metric of labels that is not a mean, of the rarest class if fewer."""
    number = float((units.counts @ units.rows) ** 2 / (units.counts @ units.rows**2))
    if metric.task == "hard" and not metric.is_mean:
        rows = np.bincount(problem.targets)
        number = min(number, float(rows[rows > 0].min()))
    return number


def _jackknife_difference(
    problem: Problem, units: Units, metric: Metric, choices: Choices, names: tuple[str, str]
) -> Difference:
    """The row of a metric by the paired jackknife, with unadjusted p."""
    with np.errstate(invalid="ignore"):
        test = paired_jackknife(units, metric, level=choices.level)
        values = observed_values(units, [metric])[0]
    if units.swapped:
        test, values = test.negated(), (values[1], values[0])
    low, high = (math.nan, math.nan) if choices.interval is None else test.interval(choices.level)
    if metric.bounds is not None:  # of a difference
        widest = metric.bounds[1] - metric.bounds[0]
        low, high = max(low, -widest), min(high, widest)
    p = test.p_value(_alternative_of_difference(choices.alternative, metric.sign))
    better, worse = _shares(problem, metric)
    return Difference(
        against=names[0],
        model=names[1],
        metric=metric.name,
        against_value=values[0],
        model_value=values[1],
        difference=test.value + 0.0,
        low=low + 0.0,
        high=high + 0.0,
        p_value=p,
        p_adjusted=p,
        p_error=0.0 if math.isfinite(p) else math.nan,
        n=len(problem.targets),
        exact=False,
        higher_is_better=metric.higher_is_better,
        relative_error_reduction=relative_reduction(metric.best, *values),
        share_better=better,
        share_worse=worse,
        undefined_resamples=0,
        standard_error=test.standard_error,
        degrees_of_freedom=test.degrees_of_freedom or math.nan,
        detectable_difference=test.detectable(choices.level, choices.alternative, bounds=metric.bounds),
    )


def _replicates(
    units: Units,
    metrics: Sequence[Metric],
    choices: Choices,
    observed: Sequence[tuple[float, float]],
    of_classes: Sequence[tuple[float, float] | None],
    seed: int,
) -> list[Floats | None]:
    """Return, for each metric, the differences (second - first system) in a full-size bootstrap, widened for few or
    unequal units, and by a normal error for classes with few items; None for a metric that needs no bootstrap."""
    if choices.interval is None and choices.method != "bootstrap":
        return [None] * len(metrics)
    rng = np.random.default_rng([seed, 0])
    values = bootstrap_values(units, metrics, choices.n_resamples, rng)
    out: list[Floats | None] = []
    normal = np.random.default_rng([seed, 2])
    for metric, (a, b), whole, rare in zip(metrics, values, observed, of_classes, strict=True):
        difference = whole[1] - whole[0]
        deviations = spread_ratio(units, metric) * (b - a - drift(units, metric, difference) - difference)
        if rare is not None:
            deviations += math.sqrt(rare[0]) * normal.standard_normal(len(deviations))
        out.append(difference + deviations)
    return out


def _p_values(
    problem: Problem,
    units: Units,
    metrics: Sequence[Metric],
    choices: Choices,
    observed: Sequence[tuple[float, float]],
    replicates: Sequence[Floats | None],
    of_classes: Sequence[tuple[float, float] | None],
    seed: int,
) -> list[tuple[float, float, bool]]:
    """Return, for each metric, the p-value, its Monte Carlo error, and whether it is exact; NaN if the difference is
    undefined. If classes have few items, the p-value is at least that of Student's t with their errors."""
    differences = [second - first for first, second in observed]
    turn = -1 if units.swapped else 1
    rng = np.random.default_rng([seed, 1])
    if choices.method == "mcnemar":
        better, worse = (round(share * len(problem.targets)) for share in _shares(problem, metrics[0]))
        return [(mid_p_value(worse, better, choices.alternative), 0.0, True)]
    if choices.method == "boostsa":
        rows = check_sample_size(choices.sample_size, int(units.counts.sum()))
        drawn = bootstrap_values(units, metrics, choices.n_resamples, rng, size=rows)
        p_values = []
        for metric, pair, observed_pair in zip(metrics, drawn, observed, strict=True):
            values, whole = (
                (pair, observed_pair) if turn == 1 else ((pair[1], pair[0]), (observed_pair[1], observed_pair[0]))
            )
            p = boostsa_p_value(metric, values, whole, bug_compatible=choices.bug_compatible)
            p_values.append((p, math.sqrt(p * (1 - p) / choices.n_resamples), False))
        return p_values
    sides = [_alternative_of_difference(choices.alternative, turn * metric.sign) for metric in metrics]
    if choices.method == "bootstrap":
        degrees = degrees_of_freedom(units)
        return [
            UNDEFINED
            if drawn is None or not math.isfinite(d)
            else (
                *student_p_value(
                    *shift_p_value(drawn, d, side), side, degrees if rare is None else min(degrees, rare[1])
                ),
                False,
            )
            for drawn, d, side, rare in zip(replicates, differences, sides, of_classes, strict=True)
        ]
    kept = [k for k, difference in enumerate(differences) if math.isfinite(difference)]
    out = [UNDEFINED] * len(metrics)
    tested = permutation_p_values(units, [metrics[k] for k in kept], [sides[k] for k in kept], choices.n_resamples, rng)
    for k, side, test_result in zip(kept, [sides[k] for k in kept], tested, strict=True):
        out[k] = test_result
        rare = of_classes[k]
        if rare is not None:
            p = _student_of_classes(units, metrics[k], differences[k], side, *rare)
            out[k] = (p, 0.0, False) if p > test_result[0] else test_result
    return out


def _student_of_classes(
    units: Units, metric: Metric, difference: float, side: str, added: float, degrees: float
) -> float:
    """P-value by Student's t with the jackknife variance and the variance that classes with few items add."""
    error = math.sqrt(jackknife_variance(units, metric, difference) + added)
    return MeanScore(
        difference, error, 0.0, min(degrees, degrees_of_freedom(units)), len(units), units=math.inf
    ).p_value(side)


def _alternative_of_difference(alternative: str, direction: int) -> str:
    """The alternative for the difference second - first system; for direction -1, better and worse are exchanged."""
    if alternative == "two-sided" or direction == 1:
        return alternative
    return "worse" if alternative == "better" else "better"


def _shares(problem: Problem, metric: Metric) -> tuple[float, float]:
    """Return the proportions of rows on which the model is better and worse, averaged over pairs of runs."""
    if metric.score is None:
        return math.nan, math.nan
    baseline, model = (
        [metric.score(problem.targets, run, problem) for run in system] for system in (problem.baseline, problem.model)
    )
    pairs = [(a, b) for a in baseline for b in model]
    better = float(np.mean([np.mean(b > a) for a, b in pairs]))
    return better, float(np.mean([np.mean(b < a) for a, b in pairs]))
