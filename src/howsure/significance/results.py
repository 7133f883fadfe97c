"""The result of comparing systems: one row per model and metric, and what it says in sentences."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, overload

from howsure.errors import InputError
from howsure.inputs.naming import counted, shortened, unknown_name
from howsure.result import Result
from howsure.show.numbers import interval, number, p_in_words, p_text
from howsure.show.recipe import recipe_text
from howsure.show.table import HIGHER, LOWER, Table
from howsure.stats.multiplicity import ADJUSTED

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from howsure.significance.means import ModelMeans


# The result of comparing systems: one row per model and metric.


@dataclass(frozen=True, slots=True)
class Difference:
    """One model against the baseline in one metric; undefined values are NaN.

    `difference` is model - baseline, [`low`, `high`] its interval. `p_error` is the Monte Carlo standard error of
    `p_value`, 0 where that is exact. `relative_error_reduction` is the share of the baseline's distance from a perfect
    value that the model removes; `share_better` and `share_worse` are the shares of rows on which it is better and
    worse. `undefined_resamples` of the resamples had no value and are left out of the interval (in the p-value, they
    count as extreme).
    """

    against: str
    model: str
    metric: str
    against_value: float
    model_value: float
    difference: float
    low: float
    high: float
    p_value: float
    p_adjusted: float
    p_error: float
    n: int
    exact: bool
    higher_is_better: bool
    relative_error_reduction: float
    share_better: float
    share_worse: float
    undefined_resamples: int
    standard_error: float = math.nan
    degrees_of_freedom: float = math.nan
    correlation: float = math.nan
    detectable_difference: float = math.nan
    run_share: float = math.nan

    def to_dict(self) -> dict[str, Any]:
        """The JSON form: undefined or infinite values are None."""
        held = {field.name: getattr(self, field.name) for field in fields(self)}
        return {key: None if isinstance(one, float) and not math.isfinite(one) else one for key, one in held.items()}

    @property
    def stars(self) -> str:
        """`**` for an adjusted p of at most .01, `*` for at most .05, nothing if it is undefined."""
        if math.isnan(self.difference):
            return ""
        return "**" if self.p_adjusted <= 0.01 else "*" if self.p_adjusted <= 0.05 else ""


def relative_reduction(best: float | None, baseline: float, model: float) -> float:
    """The share of the baseline's distance from the best value that the model removes; NaN if there is none.

    >>> relative_reduction(1.0, 0.5, 0.75)
    0.5
    """
    if best is None or not math.isfinite(baseline) or baseline == best:
        return math.nan
    return (model - baseline) / (best - baseline)


ALPHA = 0.05
WORDS = ("against", "model", "metric")  # columns of names
AGAINST: dict[str, Callable[[Difference], str]] = {"against": lambda row: row.against}
COLUMNS: dict[str, Callable[[Difference], str]] = {
    "model": lambda row: row.model,
    "metric": lambda row: row.metric,
    "baseline": lambda row: number(row.against_value),
    "value": lambda row: number(row.model_value),
    "difference": lambda row: number(row.difference, sign=True),
    "interval": lambda row: interval(row.low, row.high, sign=True),
    "p": lambda row: p_text(row.p_value),
    "adjusted p": lambda row: f"{p_text(row.p_adjusted)}{row.stars}",
}
LEGEND = {
    "difference": "model minus baseline",
    "interval": "of the difference",
    "adjusted p": "adjusted for all rows; ** at most .01, * at most .05",
}
OF_PAIRS = {"adjusted p": "adjusted for all pairs of models; ** at most .01, * at most .05"}


@dataclass(frozen=True, slots=True)
class Comparison(Result):
    """Models against a baseline: one row per model and metric, the recipe that produced them, and notes.

    Iteration, indexing and `len` refer to rows. In a notebook, it is displayed as a table. Of tables in long form and
    of scores, `means` are the models' own means with their intervals, the best first. `best` is the best model in the
    first metric, where no baseline was named. `read` says which rows of which files it is of.
    """

    rows: tuple[Difference, ...]
    recipe: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    means: ModelMeans | None = None
    best: str | None = None
    read: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Difference]:
        return iter(self.rows)

    @overload
    def __getitem__(self, place: int) -> Difference: ...
    @overload
    def __getitem__(self, place: tuple[str, str]) -> Difference: ...
    def __getitem__(self, place: int | tuple[str, str]) -> Difference:
        """The row at a position, or that of a (model, metric)."""
        if isinstance(place, int):
            return self.rows[place]
        for row in self.rows:
            if (row.model, row.metric) == place:
                return row
        raise KeyError(place)

    @property
    def tied(self) -> tuple[str, ...]:
        """The best model, and those that are not found worse in the first metric (adjusted p above .05); empty where a
        baseline was named."""
        if self.best is None:
            return ()
        rows = [row for row in self.rows if row.metric == self.rows[0].metric and row.against == self.best]
        return (self.best, *(row.model for row in rows if not row.p_adjusted <= ALPHA))

    def table(self) -> Table:
        """One row per model and metric; the baselines too, if there are several."""
        several = len({row.against for row in self.rows}) > 1
        columns = AGAINST | COLUMNS if several else COLUMNS
        rows = [[show(row) for show in columns.values()] for row in self.rows]
        title = "Differences from a baseline" if self.best is None else "Differences between models"
        legend = LEGEND if self.best is None else LEGEND | OF_PAIRS
        ways = [HIGHER if row.higher_is_better else LOWER for row in self.rows]
        return Table(list(columns), rows, words=WORDS, title=title, legend=legend, ways={"metric": ways})

    def to_dict(self) -> dict[str, Any]:
        """The JSON form: `recipe`, `notes` and `comparisons`; with means, also `means`, and with a best model, `best`
        and `tied`."""
        rows = [row.to_dict() for row in self.rows]
        held: dict[str, Any] = {
            "recipe": {**self.read, **self.recipe},
            "notes": list(self.notes),
            "comparisons": rows,
        }
        held |= {} if self.means is None else {"means": [one.to_dict() for one in self.means]}
        return held | ({} if self.best is None else {"best": self.best, "tied": list(self.tied)})

    def _columns(self) -> dict[str, Any]:
        """A data frame, one row per model and metric: of pandas, polars or pyarrow."""
        names = [field.name for field in fields(Difference)]
        return {name: [getattr(row, name) for row in self.rows] for name in names}

    def __str__(self) -> str:
        return f"{self.means.table().text()}\n\n{self._said()}" if self.means else str(self._said())

    __repr__ = __str__

    def plot(self, ax: Axes | None = None, *, metric: str | None = None) -> Axes:
        """Draw the differences of one metric with their intervals on axes (new ones if None); `metric` names it.

        Raises InputError for a metric that it does not contain, or if it contains several and none is named.
        """
        from howsure.figures.significance import difference_figure, draw_differences

        metrics = list(dict.fromkeys(row.metric for row in self.rows))
        if metric is None and len(metrics) > 1:
            raise InputError(f"metric must name one of {', '.join(metrics)}; figure() draws them all.")
        if metric is not None and metric not in metrics:
            raise unknown_name("metric", metric, metrics, place="the comparison")
        rows = tuple(row for row in self.rows if metric in (None, row.metric))
        return difference_figure(replace(self, rows=rows)).axes[0] if ax is None else draw_differences(rows, ax=ax)

    def figure(self) -> Figure:
        """The differences with their intervals as a matplotlib figure, a panel per metric."""
        from howsure.figures.significance import difference_figure

        return difference_figure(self)

    def _repr_html_(self) -> str:
        from howsure.figures.significance import difference_svg

        means = self.means.table().html() if self.means else ""
        return f"<div>{means}{self._said().html()}{difference_svg(self)}</div>"

    def _said(self) -> Table:
        """The table, and below it what to know beside it."""
        return replace(self.table(), notes=[*(f"note: {note}" for note in self.notes), recipe_text(self.recipe)])


# What a comparison says, in sentences.

OF_MEANS = {
    "gaffke": "Gaffke's (of scores of 0 and 1 without clusters, McNemar's exact test)",
    "student": "Student's t",
}


def verdicts(result: Comparison) -> list[str]:
    """One sentence a model: the metrics in which it is better or worse, and those without a detected difference.

    >>> from howsure.significance import compare
    >>> y = [0, 1] * 20
    >>> verdicts(compare(y, {"base": [0, 0] * 20}, {"large": y}, metrics="accuracy", rng=0))
    ['large is better than base in accuracy by +0.5000 [+0.3432, +0.6568] (p < 0.0001).']
    """
    if result.best is not None:
        return _of_best(result)
    said = []
    for model in dict.fromkeys(row.model for row in result):
        rows = [row for row in result if row.model == model]
        parts = []
        for side in ("better", "worse"):
            found = [_finding(row) for row in rows if row.p_adjusted <= ALPHA and _side(row) == side]
            parts += [f"is {side} than {rows[0].against} in {', in '.join(found)}"] if found else []
        unseen = [row.metric for row in rows if row.p_adjusted > ALPHA]
        undefined = [row.metric for row in rows if math.isnan(row.p_adjusted)]
        if unseen:
            parts.append(f"no difference is detected in {', '.join(unseen)}")
        if undefined:
            parts.append(f"cannot be compared in {', '.join(undefined)}, undefined or infinite for one of the two")
        colon = "" if parts[0].startswith("is") else ":"
        said.append(f"{model}{colon} {'; '.join(parts)}.")
    return said


def _of_best(result: Comparison) -> list[str]:
    """Which model is the best in the first metric, and which are not found worse."""
    metric = result[0].metric
    rows = [row for row in result if row.metric == metric and row.against == result.best]
    said = f"{result.best} is best in {metric}, with {rows[0].against_value:.4f}" if rows else f"{result.best} is best"
    tied = result.tied[1:]
    if not tied:
        found = [_finding(row) for row in rows[:1]]
        return [f"{said}; every other is worse, {rows[0].model} in {found[0]}."]
    rest = len(rows) - len(tied)
    worse = f"; {counted(rest, 'other is', 'others are')} worse" if rest else ""
    return [f"{said}; not told apart from it: {shortened(tied)}{worse}."]


def how(result: Comparison) -> list[str]:
    """What was drawn, and for how many questions p was adjusted, in sentences."""
    recipe = result.recipe
    if recipe["method"] in OF_MEANS:
        return [*_of_means(result), *_adjusted(result), *(f"Note: {note}" for note in result.notes)]
    drawn = {
        "permutation": "swapped by coin flips",
        "bootstrap": "drawn with replacement",
        "mcnemar": "counted where only one system is right (mid-p McNemar)",
        "boostsa": f"drawn in sub-samples of {recipe['sample_size']} (BooStSa's rule)",
    }[recipe["method"]]
    exact = " p is exact." if all(row.exact for row in result) else ""
    said = [f"{str(recipe['resampled']).capitalize()} were {drawn}.{exact}"]
    if "items" in recipe:
        said.append(f"The items of the runs were {recipe['items']}; to be sure, say which is which, by their id.")
    said += _adjusted(result)
    lost = max((row.undefined_resamples for row in result), default=0)
    if lost:
        said.append(f"In up to {lost:,} of {recipe['n_resamples']:,} resamples a metric was undefined.")
    return [*said, *(f"Note: {note}" for note in result.notes)]


def _adjusted(result: Comparison) -> list[str]:
    recipe = result.recipe
    if recipe["adjust"] is None or (len(result) == 1 and "family" not in recipe):
        return []
    return [f"p is adjusted for {recipe.get('family', f'{len(result)} comparisons')} ({ADJUSTED[recipe['adjust']]})."]


def _of_means(result: Comparison) -> list[str]:
    recipe, n = result.recipe, result.recipe["n"]
    unit = f"{n:,} items" if recipe["clusters"] is None else f"{n:,} items in {recipe['clusters']:,} clusters"
    runs = ", each the mean of its runs" if recipe["runs"] is not None else ""
    said = [f"Intervals and p are {OF_MEANS[recipe['method']]} of the paired differences of {unit}{runs}."]
    shares = [row.run_share for row in result if not math.isnan(row.run_share)]
    if shares:
        said.append(
            f"Runs account for {min(shares):.0%} to {max(shares):.0%} of the variance of these differences; more runs "
            "would remove only that."
        )
    smallest = [row.detectable_difference for row in result if not math.isnan(row.detectable_difference)]
    if smallest and any(not row.p_adjusted <= ALPHA for row in result):
        ends = dict.fromkeys(f"{one:.4f}" for one in (min(smallest), max(smallest)))
        said.append(f"A single test of these items finds a true difference of {' to '.join(ends)} with a power of .8.")
    return said


def _finding(row: Difference) -> str:
    """By how much a model is better or worse; where not both the sign and the word say so, in words alone."""
    told = f"({p_in_words(row.p_adjusted)})"
    if row.higher_is_better and row.difference > 0:
        ends = "" if math.isnan(row.low) else f" {interval(row.low, row.high, sign=True)}"
        return f"{row.metric} by {row.difference:+.4f}{ends} {told}"
    side, sign = ("higher", 1.0) if row.difference > 0 else ("lower", -1.0)
    low, high = sorted((sign * row.low, sign * row.high))  # of the amount
    ends = "" if math.isnan(row.low) else f" {interval(low, high)}"
    return f"{row.metric}, {side} by {abs(row.difference):.4f}{ends} {told}"


def _side(row: Difference) -> str:
    return "better" if (row.difference > 0) == row.higher_is_better else "worse"
