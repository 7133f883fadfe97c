"""The result of comparing systems: one row per model and metric, with sentences."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar

from howsure.errors import InputError
from howsure.inputs.numbers_and_names import count_equal_first, counted, equal_values_text, shortened, unknown_name
from howsure.inputs.parameter_types import Axes, Figure
from howsure.notes import DETAIL, WARNING, Note, after, notes_by_name
from howsure.result import Rows, as_json, frame_only_columns, plain_dict, provenance_line
from howsure.show.axes import checks_axes
from howsure.show.table import (
    COUNT,
    FRAME,
    HIGHER,
    LOWER,
    NUMBER,
    P_VALUE,
    TABLE,
    TEXT,
    WORDS,
    Column,
    Table,
    digits,
    interval,
    p_in_words,
    p_text,
    short_number,
)
from howsure.stats.p_values import ADJUSTED

if TYPE_CHECKING:
    from howsure.significance.model_means import ModelMeans


# The result of comparing systems: one row per model and metric.


@dataclass(frozen=True, slots=True)
class Difference:
    """One model against the baseline in one metric; undefined values are NaN.

    `difference` is model - baseline, and [`low`, `high`] is its interval. `p_error` is the Monte Carlo standard error
    of `p_value`, 0 if the p-value is exact. `relative_error_reduction` is the fraction of the baseline's distance from
    a perfect value that the model removes. `share_better` and `share_worse` are the proportions of rows on which the
    model is better and worse. `undefined_resamples` is the number of resamples without a value; they are left out of
    the interval and count as extreme in the p-value.
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

    @property
    def pair(self) -> tuple[str, str]:
        """The model and the metric."""
        return self.model, self.metric

    @property
    def stars(self) -> str:
        """`**` for an adjusted p of at most .01, `*` for at most .05, nothing if it is undefined."""
        if math.isnan(self.difference):
            return ""
        return "**" if self.p_adjusted <= 0.01 else "*" if self.p_adjusted <= 0.05 else ""


def relative_reduction(best: float | None, baseline: float, model: float) -> float:
    """Return the fraction of the baseline's distance from the best value that the model removes; NaN if the distance is
    0 or unknown.

    >>> relative_reduction(1.0, 0.5, 0.75)
    0.5
    """
    if best is None or not math.isfinite(baseline) or baseline == best:
        return math.nan
    return (model - baseline) / (best - baseline)


ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class GroupDifference(Difference):
    """The difference of two models on the items of a group, and notes on it."""

    group: str = ""
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, group: str, row: Difference, notes: tuple[str, ...]) -> GroupDifference:
        """A difference as the difference of a group."""
        return cls(**{field.name: getattr(row, field.name) for field in fields(Difference)}, group=group, notes=notes)

    @property
    def where(self) -> tuple[str, str, str]:
        """The group, the model and the metric."""
        return self.group, self.model, self.metric


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class GroupDifferences(Rows[GroupDifference]):
    """Models against a baseline on the items of each group: a row per group, model and metric, with p adjusted for all
    rows.

    Iteration and `len` refer to rows. The index is a (group, model, metric).
    """

    rows: tuple[GroupDifference, ...] = as_json("groups")
    recipe: Mapping[str, Any]

    named = "where"
    title = "Differences by group"
    input_line = "By group"

    def columns(self) -> Sequence[Column]:
        """The columns of the whole comparison, after the name of the group."""
        shown = [Column("group", WORDS), *difference_columns(self.rows, "adjusted for all groups")]
        baseline_index = [column.name for column in shown].index("baseline")
        shown.insert(baseline_index, Column("n", COUNT, legend="number of items"))
        frame_columns = [Column("group", WORDS, only=FRAME), *frame_only_columns(Difference)]
        return [*(replace(column, only=TABLE) for column in shown), *frame_columns]

    def table(self) -> Table:
        """One row per group, model and metric, with the side that is better."""
        return replace(Rows.table(self), ways={"metric": _ways(self.rows)})

    def footnotes(self) -> Sequence[str]:
        """The groups in which each model is better or worse, the number of tests that adjust p, and the notes."""
        tests, adjust = self.recipe["in_groups"], self.recipe["adjust"]
        adjusted = (
            f"In groups, p is adjusted for {counted(tests, 'comparison')} ({ADJUSTED[adjust]})." if adjust else ""
        )
        notes = notes_by_name([(row.group, row.notes) for row in self.rows])
        return [
            *_in_groups(self.rows),
            *([adjusted] if adjusted and tests > 1 else []),
            *(f"Note: {note}." for note in notes),
        ]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Comparison(Rows[Difference]):
    """Models against a baseline: one row per model and metric, the recipe that produced them, and notes.

    Iteration and `len` refer to rows. The index is a position or a (model, metric). For tables in long form and for
    scores, `means` are the mean scores of the models with their intervals, the best first. `best` is the best model in
    the first metric, or None if a baseline was named. `groups` are the differences on the items of each group, if there
    are groups.
    """

    recipe: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    rows: tuple[Difference, ...] = as_json("comparisons")
    means: ModelMeans | None = None
    best: str | None = None
    groups: GroupDifferences | None = None

    named = "pair"
    derived: ClassVar = {"tied": "best"}
    further = ("groups",)
    suggested: ClassVar = {"report": "significance.html"}

    @property
    def tied(self) -> tuple[str, ...]:
        """The best model and those not significantly worse in the first metric; empty with a named baseline."""
        if self.best is None:
            return ()
        rows = [row for row in self.rows if row.metric == self.rows[0].metric and row.against == self.best]
        return (self.best, *(row.model for row in rows if row.p_adjusted > ALPHA))

    def columns(self) -> Sequence[Column]:
        """The columns of the printed table, with the baselines if there are several; frames and CSV have all."""
        rows = "rows" if self.best is None else "pairs of models"
        shown = difference_columns(self.rows, f"adjusted for all {rows}")
        return [*(replace(column, only=TABLE) for column in shown), *frame_only_columns(Difference)]

    def table(self) -> Table:
        """One row per model and metric, with the side that is better."""
        title = "Differences from a baseline" if self.best is None else "Differences between models"
        return replace(Rows.table(self), title=title, ways={"metric": _ways(self.rows)})

    def to_dict(self) -> dict[str, Any]:
        """The JSON form. The keys `means`, `best`, `tied` and `groups` are left out if they are empty."""
        parts = {"means": self.means, "groups": self.groups}
        json_form = plain_dict(self) | {
            name: None if part is None else part.to_dict()[name] for name, part in parts.items()
        }
        return {key: entry for key, entry in json_form.items() if entry or key not in (*parts, "best", "tied")}

    @property
    def baseline(self) -> str:
        """The baseline, with its name if it has one."""
        return "baseline" if self[0].against == "baseline" else f"baseline {self[0].against}"

    @property
    def input_line(self) -> str:
        """The files, the numbers of rows or items used and left out, and the baseline."""
        recipe = self.recipe
        if "files" not in recipe:
            return ""
        rows = counted(recipe["rows"], "row") if "rows" in recipe else counted(recipe["n"], "item")
        skipped = sum(recipe.get("skipped", {}).values())
        against = f", {self.baseline}" if len({row.against for row in self}) == 1 else ""
        left = f", {skipped:,} skipped" if skipped else ""
        return f"{shortened(recipe['files'], limit=3)}: {rows}{left}{against}"

    def tables_above(self) -> Sequence[Table]:
        """The models' own means."""
        return () if self.means is None else [self.means.table()]

    @property
    def answer(self) -> str:
        """The verdict on the best or only compared model; otherwise which models are better in the first metric."""
        return comparison_answer(self)

    @property
    def provenance(self) -> str:
        """The files, their rows, and the level of the intervals."""
        keys = ("files", "rows", "skipped", "format", *(() if self.recipe["interval"] is None else ("level",)))
        recipe = {key: self.recipe[key] for key in keys if key in self.recipe}
        items = "" if "rows" in recipe or "files" not in recipe else f"{counted(self.recipe['n'], 'item')}. "
        return f"{items}{provenance_line(recipe)}{self._stars_legend}"

    @property
    def _stars_legend(self) -> str:
        rows = (*self.rows, *(() if self.groups is None else self.groups.rows))
        return " Adjusted p: * at most .05, ** at most .01." if any(row.stars for row in rows) else ""

    def footnotes(self) -> Sequence[str]:
        """The verdicts and the method, in sentences."""
        notes = [after("Note: ", note) for note in self.notes]
        details = [line if isinstance(line, Note) else Note(line, DETAIL) for line in how(self) if line not in notes]
        sentences = verdicts(self)
        is_in_answer = len(sentences) > 1 and len({row.metric for row in self.rows}) == 1
        return [*(Note(text, DETAIL) if is_in_answer else text for text in sentences), *details, *notes]

    @checks_axes
    def plot(self, ax: Axes | None = None, *, metric: str | None = None) -> Axes:
        """Draw the differences of one metric with their intervals on matplotlib axes (new axes if None).

        Raises InputError if the comparison does not contain `metric`, or if it contains several and `metric` is None.
        """
        from howsure.figures.significance import difference_figure, draw_differences

        metrics = list(dict.fromkeys(row.metric for row in self.rows))
        if metric is None and len(metrics) > 1:
            raise InputError(f"metric must be one of {', '.join(metrics)}. To draw all of them, use figure().")
        if metric is not None and metric not in metrics:
            raise unknown_name("metric", metric, metrics, place="the comparison")
        rows = [row for row in self.drawn if metric in (None, row.metric)]
        return difference_figure(rows).axes[0] if ax is None else draw_differences(rows, ax=ax)

    def figure(self) -> Figure:
        """The differences with their intervals as a matplotlib figure, a panel per metric."""
        from howsure.figures.significance import difference_figure

        return difference_figure(self.drawn)

    @property
    def drawn(self) -> Sequence[Difference]:
        """The differences that the figure shows: of all items, and of each group."""
        return (*self.rows, *(() if self.groups is None else self.groups))

    def _repr_html_(self) -> str:
        from howsure.figures.significance import difference_svg

        return f"<div>{Rows._repr_html_(self)}{difference_svg(self)}</div>"


def difference_columns(rows: Sequence[Difference], adjusted: str) -> list[Column]:
    """The columns of differences for tables; `adjusted` describes the adjustment of p."""
    several = len({row.against for row in rows}) > 1
    adjusted = f"{adjusted}; ** at most .01, * at most .05"
    return [
        *([Column("against", WORDS)] if several else []),
        Column("model", WORDS),
        Column("metric", WORDS),
        Column("baseline", NUMBER, get=lambda row: row.against_value),
        Column("value", NUMBER, get=lambda row: row.model_value),
        Column("difference", digits(4, sign=True), legend="model minus baseline", answer=True),
        Column(
            "interval",
            TEXT,
            legend="of the difference",
            get=lambda row: interval(row.low, row.high, sign=True),
            answer=True,
        ),
        Column("p", P_VALUE, get=lambda row: row.p_value),
        Column("adjusted p", TEXT, legend=adjusted, get=lambda row: f"{p_text(row.p_adjusted)}{row.stars}"),
    ]


def _ways(rows: Sequence[Difference]) -> list[str]:
    return [HIGHER if row.higher_is_better else LOWER for row in rows]


# What a comparison says, in sentences.

JACKKNIFE = "jackknife"


def verdicts(result: Comparison) -> list[str]:
    """Return a sentence for each model, on the metrics in which it is better or worse, and on those without a detected
    difference.

    >>> from howsure.significance.comparison import compare
    >>> y = [0, 1] * 20
    >>> verdicts(compare(y, {"base": [0, 0] * 20}, {"large": y}, metrics="accuracy", rng=0))
    ['large is better than base: accuracy higher by 0.5000 [0.3432, 0.6568] (p < 0.0001).']
    """
    if result.best is not None:
        return _best_sentences(result)
    sentences = []
    for model in dict.fromkeys(row.model for row in result):
        rows = [row for row in result if row.model == model]
        parts = []
        for side in ("better", "worse"):
            findings = [_finding(row) for row in rows if row.p_adjusted <= ALPHA and _better_or_worse(row) == side]
            parts += [f"is {side} than {rows[0].against}: {', '.join(findings)}"] if findings else []
        unseen = [row.metric for row in rows if row.p_adjusted > ALPHA]
        unknown = [row for row in rows if math.isnan(row.p_adjusted)]
        of_one_item = [
            row.metric for row in unknown if result.recipe["method"] == JACKKNIFE and math.isfinite(row.difference)
        ]
        undefined = [row.metric for row in unknown if row.metric not in of_one_item]
        if unseen:
            parts.append(f"no difference is detected in {', '.join(unseen)}")
        if undefined:
            parts.append(
                f"cannot be compared in {', '.join(undefined)}, undefined or possibly infinite for one of the two"
            )
        if of_one_item:
            parts.append(f"cannot be compared in {', '.join(of_one_item)}, undefined without one of the items")
        colon = "" if parts[0].startswith("is") else ":"
        sentences.append(f"{model}{colon} {'; '.join(parts)}.")
    return sentences


def comparison_answer(result: Comparison) -> str:
    """Return the first line of output: one verdict, or which models are better or worse in the first metric.

    >>> from howsure.significance.comparison import compare
    >>> y = [0, 1] * 20
    >>> comparison_answer(compare(y, {"base": [0, 0] * 20}, {"a": y, "b": [0, 0] * 20}, metrics="accuracy", rng=0))
    'In accuracy, better than base: a; no difference detected: b.'
    """
    sentences = verdicts(result)
    if len(sentences) == 1:
        return sentences[0]
    rows = [row for row in result if row.metric == result[0].metric]
    sides: dict[str, list[str]] = {}
    for row in sorted(rows, key=lambda row: not row.p_adjusted <= ALPHA):
        side = f"{_better_or_worse(row)} than {row.against}" if row.p_adjusted <= ALPHA else "no difference detected"
        sides.setdefault("undefined" if math.isnan(row.p_adjusted) else side, []).append(row.model)
    parts = [f"{side}: {shortened(models, limit=3)}" for side, models in sides.items()]
    return f"In {rows[0].metric}, {'; '.join(parts)}."


def _in_groups(rows: Sequence[GroupDifference]) -> Iterator[str]:
    """For each pair of models and metric, a sentence on the groups in which the model is better, worse, or neither."""
    for against, model, metric in dict.fromkeys((row.against, row.model, row.metric) for row in rows):
        group_rows = [row for row in rows if (row.against, row.model, row.metric) == (against, model, metric)]
        sides: dict[str, list[str]] = {
            "better": [],
            "worse": [],
            "no difference detected": [],
            "not compared": [],
            "undefined": [],
        }
        for row in group_rows:
            verdict = _better_or_worse(row) if row.p_adjusted <= ALPHA else "no difference detected"
            verdict = "undefined" if math.isnan(row.p_adjusted) else verdict
            sides[verdict if row.n > 1 else "not compared"].append(row.group)
        parts = [f"{side} in {shortened(groups)}" for side, groups in sides.items() if groups]
        yield f"{model} compared with {against} in {metric}, by group: {'; '.join(parts)}."


def _best_sentences(result: Comparison) -> list[str]:
    """Return sentences on the best model in the first metric and on the models that are not significantly worse."""
    metric = result[0].metric
    rows = [row for row in result if row.metric == metric and row.against == result.best]
    tied, untested = result.tied[1:], [row.model for row in rows if math.isnan(row.p_adjusted)]
    if not rows:
        return [f"{result.best} is best."]
    value = f"{rows[0].against_value:.4f}"
    equal = count_equal_first([rows[0].against_value, *(row.model_value for row in rows)])
    if equal > 1:
        names = [str(result.best), *(row.model for row in rows[: equal - 1])]
        untested = [model for model in untested if model not in names]
        extreme, what = "highest" if rows[0].higher_is_better else "lowest", f"the same {metric}"
        statement = equal_values_text(names, value, extreme=extreme, of_all=len(rows) + 1, what=what)
        tied, rows = tuple(model for model in tied if model not in names), rows[equal - 1 :]
        rest = f"; not significantly worse: {shortened(tied)}" if tied else ""
    elif tied or untested:
        statement = f"{result.best} is best in {metric}, {value}"
        rest = f"; not significantly worse: {shortened(tied)}" if tied else ""
    else:
        statement = f"{result.best} is best in {metric}, {value}, and significantly better than every other model"
        return [f"{statement}. The second, {rows[0].model}, has {_finding(rows[0])}."]
    n_worse = len(rows) - len(tied) - len(untested)
    rest += f"; not compared: {shortened(untested)}" if untested else ""
    worse = f"; {counted(n_worse, 'other is', 'others are')} significantly worse" if n_worse else ""
    return [f"{statement}{rest}{worse}."]


def how(result: Comparison) -> list[str]:
    """Sentences on the random draws, and on the number of tests for which p was adjusted."""
    recipe = result.recipe
    if recipe["method"] in ("gaffke", "student", JACKKNIFE):
        return [*_means_sentences(result), *_adjusted(result), *(f"Note: {note}" for note in result.notes)]
    drawn = {
        "permutation": "swapped between the models at random (permutation test)",
        "bootstrap": "drawn with replacement (bootstrap)",
        "mcnemar": "counted where only one of the models is right (mid-p McNemar test)",
        "boostsa": f"drawn in sub-samples of {recipe['sample_size']} (BooStSa's rule)",
    }[recipe["method"]]
    exact = " p is exact." if all(row.exact for row in result) else ""
    sentences = [f"{str(recipe['resampled']).capitalize()} were {drawn}.{exact}"]
    if "items" in recipe:
        sentences.append(
            f"The items of the runs were {recipe['items']}. To match them reliably, give the id of each item."
        )
    sentences += _adjusted(result)
    lost = max((row.undefined_resamples for row in result), default=0)
    if lost:
        sentences.append(f"In up to {lost:,} of {recipe['n_resamples']:,} resamples a metric was undefined.")
    return [*sentences, *(f"Note: {note}" for note in result.notes)]


def _adjusted(result: Comparison) -> list[str]:
    recipe = result.recipe
    if recipe["adjust"] is None or (len(result) == 1 and "family" not in recipe):
        return []
    return [
        f"p is adjusted for {recipe.get('family', f'{len(result)} comparisons')} ({ADJUSTED[recipe['adjust']]}).",
        *_disagreements(result, recipe),
    ]


def _disagreements(rows: Iterable[Difference], recipe: Mapping[str, Any]) -> Iterator[str]:
    """A note on the rows whose interval excludes 0 although the adjusted p is above 0.05."""
    excluding_0 = [row for row in rows if row.p_adjusted > ALPHA and (row.low > 0.0 or row.high < 0.0)]
    names = [f"{row.model} in {row.metric}" for row in excluding_0]
    if names and math.isclose(recipe["level"], 1 - ALPHA):
        yield Note(
            f"Not significant after adjustment, but the unadjusted interval excludes 0: {shortened(names)}.", WARNING
        )


def _is_mcnemar(row: Difference) -> bool:
    """Whether p is that of McNemar's exact test, as Gaffke's is for scores of 0 and 1 without clusters and runs."""
    from scipy.special import bdtr

    better, worse = (round(row.n * share) for share in (row.share_better, row.share_worse))
    return math.isclose(row.p_value, min(2 * bdtr(min(better, worse), better + worse, 0.5), 1.0), rel_tol=1e-6)


def _means_sentences(result: Comparison) -> list[str]:
    recipe, n = result.recipe, result.recipe["n"]
    unit = f"{n:,} items" if recipe["clusters"] is None else f"{n:,} items in {recipe['clusters']:,} clusters"
    runs = ", each the mean of its runs" if recipe["runs"] is not None else ""
    if recipe["method"] == JACKKNIFE:
        left_out = f"{n:,} items" if recipe["clusters"] is None else f"{recipe['clusters']:,} clusters"
        sentences = [
            f"Intervals and p are by Student's t with the jackknife, which leaves out each of {left_out} in turn."
        ]
    else:
        if recipe["method"] == "student":
            method = "Student's t intervals and p, with Hall's correction for skewness"
        elif all(_is_mcnemar(row) for row in result):
            method = "Gaffke's intervals and McNemar's exact p"
        else:
            method = "Gaffke's intervals and p (for bounded scores)"
        sentences = [f"From the paired differences of {unit}{runs}: {method}."]
    shares = [row.run_share for row in result if not math.isnan(row.run_share)]
    if shares:
        least, most = f"{min(shares):.0%}", f"{max(shares):.0%}"
        share = f"about {least}" if least == most else f"{least} to {most}"
        sentences.append(
            f"Variation between runs of the same item is {share} of the variance of these differences. More runs "
            "reduce only this part; more items reduce the whole variance."
        )
    smallest = [row.detectable_difference for row in result if not math.isnan(row.detectable_difference)]
    if smallest and any(not row.p_adjusted <= ALPHA for row in result):
        ends = dict.fromkeys(map(short_number, (min(smallest), max(smallest))))
        sentences.append(
            f"A single test of these items detects a true difference of {' to '.join(ends)} with probability 0.8."
        )
    return sentences


def _finding(row: Difference) -> str:
    """Return a phrase on how much higher or lower the value of a model is."""
    p_text = f"({p_in_words(row.p_adjusted)})"
    side, sign = ("higher", 1.0) if row.difference > 0 else ("lower", -1.0)
    low, high = sorted((sign * row.low, sign * row.high))  # of the amount
    ends = "" if math.isnan(row.low) else f" {interval(low, high)}"
    return f"{row.metric} {side} by {abs(row.difference):.4f}{ends} {p_text}"


def _better_or_worse(row: Difference) -> str:
    return "better" if (row.difference > 0) == row.higher_is_better else "worse"
