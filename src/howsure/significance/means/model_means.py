"""The mean score of each model with its interval, and how much of its variance more runs could remove."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from howsure.result import Result
from howsure.show.numbers import UNDEFINED, interval, number
from howsure.show.recipe import recipe_text
from howsure.show.table import Table
from howsure.significance.means.item_scores import ItemScores, within_variance
from howsure.stats.estimate import finite_or_none
from howsure.stats.mean_score import mean_score


@dataclass(frozen=True, slots=True)
class ModelMean:
    """The mean score of a model over n items (each the mean of its runs); undefined values are NaN.

    `standard_error` is by item or cluster. The variance of one answer is the sum of `item_variance` (between items) and
    `run_variance` (between runs of an item, each estimated without bias; 0 if the estimate is negative); `run_share` is
    the share of the variance of the items' means that comes from runs and that more runs would remove.
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

    def to_dict(self) -> dict[str, Any]:
        """The JSON form: undefined or infinite values are None."""
        return {field.name: finite_or_none(getattr(self, field.name)) for field in fields(self)}


@dataclass(frozen=True, slots=True)
class ModelMeans(Result):
    """The models' own means, the best first; `tied` names the best in the first metric and those not found worse."""

    rows: tuple[ModelMean, ...]
    recipe: Mapping[str, Any]
    tied: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[ModelMean]:
        return iter(self.rows)

    def __getitem__(self, place: int) -> ModelMean:
        return self.rows[place]

    def table(self) -> Table:
        """A row per model and metric: the mean, its interval and standard error; and what comes from runs."""
        several = len({one.metric for one in self.rows}) > 1
        columns = {name: show for name, show in COLUMNS.items() if several or name != "metric"}
        columns |= RUNS if any(one.runs > 1 for one in self.rows) else {}
        cells = [[show(one) for show in columns.values()] for one in self.rows]
        headings = list(columns)
        if len(self.tied) > 1:
            headings.append("best")
            first = self.rows[0].metric
            for row, one in zip(cells, self.rows, strict=True):
                row.append("tied" if one.model in self.tied and one.metric == first else "")
        legend = {name: text for name, text in LEGEND.items() if name in headings}
        return Table(headings, cells, words=WORDS, title="Means of the models", legend=legend)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form: `recipe`, `means` and `tied`."""
        rows = [one.to_dict() for one in self.rows]
        return {"recipe": dict(self.recipe), "means": rows, "tied": list(self.tied)}

    def _columns(self) -> dict[str, Any]:
        return {field.name: [getattr(one, field.name) for one in self.rows] for field in fields(ModelMean)}

    def __str__(self) -> str:
        return str(replace(self.table(), notes=[recipe_text(self.recipe)]))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<div>{self.table().html()}</div>"


WORDS = ("model", "metric", "best")
COLUMNS: dict[str, Callable[[ModelMean], str]] = {
    "model": lambda one: one.model,
    "metric": lambda one: one.metric,
    "n": lambda one: f"{one.n:,}",
    "mean": lambda one: number(one.value),
    "interval": lambda one: interval(one.low, one.high),
    "standard error": lambda one: number(one.standard_error),
}
RUNS: dict[str, Callable[[ModelMean], str]] = {
    "runs": lambda one: f"{one.runs:,}",
    "from runs": lambda one: UNDEFINED if math.isnan(one.run_share) else f"{one.run_share:.0%}",
}
LEGEND = {
    "n": "number of items",
    "from runs": "share of the variance of the items' means that comes from runs",
    "best": "tied: not found worse than the best",
}


def model_means(held: ItemScores, models: Sequence[str], *, level: float) -> list[ModelMean]:
    """The mean of each of the models."""
    return [_mean(held, name, level) for name in models]


def _mean(held: ItemScores, name: str, level: float) -> ModelMean:
    scores, means = held.scores[name], held.means[name]
    known = bool(np.isfinite(means).all())
    found = mean_score(means, held.groups, bounds=held.metric.bounds) if known else None
    low, high = (math.nan, math.nan) if found is None or held.groups.units == 1 else found.interval(level)
    within = within_variance(scores) if known else math.nan
    total = float(means.var(ddof=1)) if known and len(means) > 1 else math.nan
    return ModelMean(
        name,
        held.metric.name,
        float(means.mean()),
        math.nan if found is None else found.standard_error,
        low,
        high,
        len(means),
        len(scores),
        max(total - within / len(scores), 0.0) if not math.isnan(within) else math.nan,
        within,
        share_of_runs(within / len(scores), total),
    )


def share_of_runs(of_runs: float, total: float) -> float:
    """The share of a variance that comes from runs, at most 1; NaN if it is unknown.

    >>> share_of_runs(0.01, 0.04)
    0.25
    """
    return min(of_runs / total, 1.0) if total > 0 else math.nan
