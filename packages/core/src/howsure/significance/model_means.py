"""Means of scores: standard errors by item or cluster, intervals, and paired differences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from howsure.inputs.pairs import Floats
from howsure.result import Rows, as_json, frame_only_columns
from howsure.show.table import COUNT, NUMBER, TABLE, TEXT, WORDS, Column, Kind, interval
from howsure.significance.checked_systems import Systems
from howsure.significance.metrics.metric import Metric
from howsure.significance.metrics.probabilities import certain_rows
from howsure.significance.results import Difference, relative_reduction
from howsure.stats.clusters import ItemGroups
from howsure.stats.mean_score import MeanScore, mean_difference, mean_score

# The score of every item in every run of each model, for a metric that is a mean of such scores.


@dataclass(frozen=True, slots=True)
class ItemScores:
    """The item scores of all models in a metric that is a mean.

    scores: by model, (runs, n). means: by model, the means over runs (n,). groups: clusters and strata of the items.
    spread: highest minus lowest score of all models. maybe_infinite: models whose expected score may be infinite,
    although the observed scores are finite.
    """

    metric: Metric
    scores: Mapping[str, Floats]
    means: Mapping[str, Floats]
    groups: ItemGroups
    spread: float
    maybe_infinite: frozenset[str] = frozenset()


def item_scores(systems: Systems, metric: Metric) -> ItemScores:
    """The score of each item for every system, by a metric that is the mean of its item scores."""
    scores = {}
    for name, runs in systems.predictions.items():
        problem = systems.problem(name, name)
        scores[name] = np.stack([metric.rows(systems.targets, run, problem)[:, 0] for run in runs])
    return ItemScores(
        metric,
        scores,
        {name: run_scores.mean(axis=0) for name, run_scores in scores.items()},
        ItemGroups.of(systems.n, clusters=systems.clusters, strata=systems.strata),
        float(max(score.max() for score in scores.values()) - min(score.min() for score in scores.values())),
        frozenset(name for name, runs in systems.predictions.items() if metric.infinite_at_zero and certain_rows(runs)),
    )


def within_variance(scores: Floats) -> float:
    """The variance of one item's scores (runs, n) between runs, averaged over items; NaN for a single run."""
    return float(scores.var(axis=0, ddof=1).mean()) if len(scores) > 1 else np.nan


# The mean score of each model with its interval, and the fraction of its variance that more runs could remove.


@dataclass(frozen=True, slots=True)
class ModelMean:
    """The mean score of a model over n items (each the mean of its runs); undefined values are NaN.

    standard_error: by item or cluster. item_variance, run_variance: unbiased estimates of the variance between items
    and between runs of an item, which add up to the variance of a single answer (a negative item_variance becomes 0).
    run_share: the fraction of the variance of item means that is due to runs; more runs reduce it.
    """

    model: str
    metric: str
    value: float
    standard_error: float
    low: float
    high: float
    n: int
    runs: int
    item_variance: float
    run_variance: float
    run_share: float


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ModelMeans(Rows[ModelMean]):
    """The means of the models, the best first.

    tied: the best model in the first metric, and the models that are not significantly worse."""

    rows: tuple[ModelMean, ...] = as_json("means")
    recipe: Mapping[str, Any]
    tied: tuple[str, ...] = ()

    named = ""
    title = "Means of the models"

    def columns(self) -> Sequence[Column]:
        """Tables: mean, interval, standard error and, with runs, their share of variance; frames and CSV: all."""
        several, runs = len({row.metric for row in self.rows}) > 1, any(row.runs > 1 for row in self.rows)
        first = self.rows[0].metric
        best = ["tied" if row.model in self.tied and row.metric == first else "" for row in self.rows]
        shown = [
            Column("model", WORDS),
            Column("metric", WORDS) if several else None,
            Column("n", COUNT, legend="number of items"),
            Column("mean", NUMBER, get=lambda row: row.value),
            Column("interval", TEXT, get=lambda row: interval(row.low, row.high), answer=True),
            Column("standard_error", NUMBER),
            Column("runs", COUNT) if runs else None,
            Column("from runs", SHARE, legend=OF_RUNS, get=lambda row: row.run_share) if runs else None,
            Column("best", WORDS, legend=TIED, values=best) if len(self.tied) > 1 else None,
        ]
        return [*(replace(column, only=TABLE) for column in shown if column), *frame_only_columns(ModelMean)]


OF_RUNS = "share of the variance of the items' means that comes from runs"
TIED = "tied: not found worse than the best"
SHARE = Kind(lambda share: "" if math.isnan(share) else f"{share:.0%}")


def model_means(item_scores: ItemScores, models: Sequence[str], *, level: float) -> list[ModelMean]:
    return [_mean(item_scores, name, level) for name in models]


def _mean(item_scores: ItemScores, name: str, level: float) -> ModelMean:
    scores, means = item_scores.scores[name], item_scores.means[name]
    all_finite = bool(np.isfinite(means).all())
    mean = mean_score(means, item_scores.groups, bounds=item_scores.metric.bounds) if all_finite else None
    has_interval = mean is not None and item_scores.groups.units > 1 and name not in item_scores.maybe_infinite
    low, high = mean.interval(level) if mean is not None and has_interval else (math.nan, math.nan)
    within = within_variance(scores) if all_finite else math.nan
    total = float(means.var(ddof=1)) if all_finite and len(means) > 1 else math.nan
    return ModelMean(
        name,
        item_scores.metric.name,
        float(means.mean()),
        math.nan if mean is None else mean.standard_error,
        low,
        high,
        len(means),
        len(scores),
        max(total - within / len(scores), 0.0) if not math.isnan(within) else math.nan,
        within,
        share_of_runs(within / len(scores), total),
    )


def share_of_runs(of_runs: float, total: float) -> float:
    """Return the fraction `of_runs` / `total` of a variance that comes from runs, at most 1; NaN if it is unknown.

    >>> share_of_runs(0.01, 0.04)
    0.25
    """
    return min(of_runs / total, 1.0) if total > 0 else math.nan


# The paired difference of two models' means, by item or cluster.


def paired_mean(item_scores: ItemScores, baseline: str, model: str, *, level: float, bounded: bool) -> MeanScore:
    """The mean of the paired differences model - baseline, with Gaffke's test if `bounded`, otherwise Student's t."""
    bounds = item_scores.metric.bounds if bounded else None
    both = item_scores.means[model], item_scores.means[baseline]
    return mean_difference(*both, item_scores.groups, bounds=bounds, spread=item_scores.spread, level=level)


def paired_difference(
    item_scores: ItemScores, baseline: str, model: str, *, level: float, alternative: str, bounded: bool
) -> Difference:
    """Return one row of a comparison, with the unadjusted p-value."""
    difference = paired_mean(item_scores, baseline, model, level=level, bounded=bounded)
    sign = item_scores.metric.sign
    low, high = difference.interval(level)
    better, worse = _shares(sign * item_scores.scores[baseline], sign * item_scores.scores[model])
    turned = {"better": "worse", "worse": "better"}
    side = alternative if sign == 1 else turned.get(alternative, alternative)
    p = difference.p_value(side)
    values = float(item_scores.means[baseline].mean()), float(item_scores.means[model].mean())
    return Difference(
        against=baseline,
        model=model,
        metric=item_scores.metric.name,
        against_value=values[0],
        model_value=values[1],
        difference=difference.value + 0.0,
        low=low + 0.0,
        high=high + 0.0,
        p_value=p,
        p_adjusted=p,
        p_error=0.0 if math.isfinite(p) else math.nan,
        n=item_scores.groups.n,
        exact=False,
        higher_is_better=item_scores.metric.higher_is_better,
        relative_error_reduction=relative_reduction(item_scores.metric.best, *values),
        share_better=better,
        share_worse=worse,
        undefined_resamples=0,
        **difference_fields(item_scores, difference, baseline, model, level=level, alternative=alternative),
    )


def difference_fields(
    item_scores: ItemScores, mean_score: MeanScore, baseline: str, model: str, *, level: float, alternative: str
) -> dict[str, Any]:
    """Return the fields of `Difference` (a difference of means) that do not depend on the test, by name."""
    first, second = item_scores.means[baseline], item_scores.means[model]
    return {
        "standard_error": mean_score.standard_error,
        "degrees_of_freedom": mean_score.degrees_of_freedom or math.nan,
        "correlation": _correlation(first, second),
        "detectable_difference": mean_score.detectable(level, alternative, bounds=item_scores.metric.bounds),
        "run_share": _run_share(item_scores.scores[baseline], item_scores.scores[model], second - first)
        if math.isfinite(mean_score.value)
        else math.nan,
    }


def _shares(baseline: Floats, model: Floats) -> tuple[float, float]:
    """Return the proportions of items on which the model is better and worse, averaged over pairs of runs."""
    pairs = [(np.mean(b > a), np.mean(b < a)) for a in baseline for b in model]
    better, worse = np.mean(pairs, axis=0)
    return float(better), float(worse)


def _correlation(first: Floats, second: Floats) -> float:
    """Return Pearson's correlation of two lists of scores; NaN if either is constant or contains an infinite score."""
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        return math.nan
    a, b = first - first.mean(), second - second.mean()
    spread = float(np.sqrt((a @ a) * (b @ b)))
    return float(np.clip(a @ b / spread, -1.0, 1.0)) if spread > 0 else math.nan


def _run_share(baseline: Floats, model: Floats, differences: Floats) -> float:
    """Return the fraction of the variance of item differences that is due to runs; NaN for single runs.

    If both models have the same number of runs, the runs are paired by order, because they may share a cause of
    variation such as the prompt.
    """
    if len(baseline) == 1 and len(model) == 1:
        return math.nan
    if len(baseline) == len(model):
        of_runs = within_variance(model - baseline) / len(model)
    else:
        parts = [within_variance(scores) / len(scores) for scores in (baseline, model) if len(scores) > 1]
        of_runs = sum(parts)
    return share_of_runs(of_runs, float(differences.var(ddof=1)) if len(differences) > 1 else math.nan)
