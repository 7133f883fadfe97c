"""`prompt_sensitivity`: how much of an estimate's variance is due to the choice of the prompt."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from howsure.errors import InputError
from howsure.inputs.arguments import check_arguments
from howsure.inputs.frames import Source
from howsure.inputs.numbers_and_names import check_bounds, check_level, check_scales, check_within, count_equal_first
from howsure.inputs.pairs import Floats
from howsure.inputs.parameter_types import ArrayLike, Axes, IntoFrame
from howsure.judges.columns import Columns
from howsure.judges.correction import undetermined_estimate
from howsure.notes import FINDING, Note, marked_note
from howsure.result import Estimate, Rows, as_json
from howsure.show.axes import checks_axes
from howsure.show.table import COUNT, NUMBER, WORDS, Column, digits
from howsure.stats.clusters import ItemGroups, few_clusters
from howsure.stats.mean_score import Bounds, mean_score, share_bounds
from howsure.stats.proportions import t_quantile

MIN_PROMPTS = 3  # minimum number of prompts for estimating their variance
MIN_ITEMS = 10  # minimum number of items, or clusters of them


@dataclass(frozen=True, slots=True)
class PromptPart:
    """A component of the variance of grades: due to items, prompts, pairs of both, or runs. levels: how many of these.

    variance: the component in the variance of a single grade. of_estimate: the proportion of the variance of the mean
    over prompts that is due to the component.
    """

    part: str
    levels: int
    variance: float
    of_estimate: float


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PromptSensitivity(Rows[PromptPart]):
    """The result of `prompt_sensitivity`: a row for each component of the variance.

    Iteration, indexing by the name of the component and `len` refer to rows. mean: the mean over the population of
    prompts; given: the mean over only these prompts; prompts: the mean of each prompt. recipe: everything needed to
    repeat it.
    """

    rows: tuple[PromptPart, ...] = as_json("parts")
    mean: Estimate
    given: Estimate
    prompts: Mapping[str, Estimate]
    notes: tuple[str, ...] = ()
    recipe: Mapping[str, object]

    named = "part"
    title = "How much of an estimate is the choice of the prompt"
    suggested: ClassVar = {"report": "prompts.html"}

    def columns(self) -> Sequence[Column]:
        """Return the columns of the table, which has one row per component of the variance."""
        return [
            Column("part", WORDS),
            Column("levels", COUNT, legend="how many there are"),
            Column("variance", NUMBER, legend="of a single grade"),
            Column("of_estimate", digits(3), "share of the estimate's", legend="of the variance of the mean"),
        ]

    @property
    def answer(self) -> str:
        """The proportion of the variance of the mean that is due to the choice of the prompt."""
        share, order = self["prompts"].of_estimate, sorted(self.prompts, key=lambda name: self.prompts[name].value)
        if count_equal_first([self.prompts[name].value for name in (order[0], order[-1])]) > 1:
            return f"All {len(order):,} prompts have equal means, {self.prompts[order[0]].value:.4f}."
        ends = " to ".join(f"{self.prompts[name].value:.4f} ({name})" for name in (order[0], order[-1]))
        return f"The prompt accounts for {share:.0%} of the variance of the mean; means range from {ends}."

    def footnotes(self) -> Sequence[str]:
        """Return the means with their intervals, the influence of the prompt, and the notes."""
        many = self["prompts"].levels
        few = " (no interval from two prompts)" if many < MIN_PROMPTS else ""
        means = f"Mean over all prompts like these: {self.mean}{few}; over these {many} alone: {self.given}."
        return [self.answer, Note(means, FINDING), *self.notes]

    @checks_axes
    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the means over prompts and the mean of each prompt, on matplotlib axes (new ones if None)."""
        from howsure.figures.judges import draw_prompts

        return draw_prompts(self, ax=ax)


def prompt_sensitivity(
    score: ArrayLike | str,
    *,
    prompt: ArrayLike | str,
    id: ArrayLike | str,
    run: ArrayLike | str | None = None,
    clusters: ArrayLike | str | None = None,
    pos_label: Hashable = None,
    bounds: tuple[float, float] | None = None,
    level: float = 0.95,
    data: Source | IntoFrame | None = None,
) -> PromptSensitivity:
    """Estimate the proportion of an estimate's variance that is due to the choice of the prompt, or of the annotating
    model.

    From grades of the same items under several prompts, estimates the variance due to items, prompts, their interaction
    and runs, and the mean with an interval that also allows for another choice of prompts.

    score (n,): the grade of each item under each prompt, by a judge or a metric.
    prompt (n,): the prompt, or the model that annotates.
    id (n,): the item that was graded.
    run (n,): repeated runs of an item under a prompt.
    clusters (n,): the cluster of each item, such as its document; items of a cluster may be correlated.
    pos_label: the grade that counts as 1, every other as 0.
    bounds: the lowest and the highest grade; (0, 1) is known if all grades are 0 or 1.
    level: level of the intervals.

    Items and prompts count as samples from populations of items and prompts (crossed random effects). MS_I, MS_P and
    MS_IP are the mean squares of items, prompts and the remainder in the table of mean grades of n items under m
    prompts. The variance components are: runs, s² within item and prompt; the interaction, MS_IP - s²/r, with r the
    harmonic mean of the numbers of runs; items, (MS_I - MS_IP)/m; and prompts, (MS_P - MS_IP)/n. Negative components
    count as 0. The half-width of the interval is √(t² MS_I + t'² (MS_P - MS_IP)) / √(n m), with the quantiles t for n -
    1 and t' for m
    - 1 degrees of freedom; clusters, if given, replace items. With 2 prompts, no interval is computed. If grades have
    bounds, Gaffke's interval of the items' means (`mean_scores`) replaces t √(MS_I / (n m)); it is valid even if all
    means are equal. The proportions of the estimate's variance assume independently drawn items. Items that lack a
    prompt are left out.

    Sources: Searle, Casella & McCulloch (1992); Zou & Donner (2008); Cameron, Gelbach & Miller (2011).

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> item, prompt = np.divmod(np.arange(500), 5)
    >>> grade = rng.normal(0, 1, 100)[item] + rng.normal(0, 0.5, 5)[prompt] + rng.normal(0, 0.5, 500)
    >>> found = prompt_sensitivity(grade, prompt=prompt, id=item)
    >>> print(found.mean, found.given, sep="; ")
    0.1707 [-0.4232, 0.7646]; 0.1707 [-0.0302, 0.3716]

    Raises InputError naming the parameter, row and value that violated a rule.
    """
    check_arguments(prompt_sensitivity, locals())
    level = check_level(level)
    roles = {"score": score, "prompt": prompt, "id": id, "run": run, "clusters": clusters}
    answers = Columns.read(roles, data, pos_label=pos_label)
    with answers.rows.locating_errors():
        ends = share_bounds(answers.numbers["score"]) if bounds is None else check_bounds(bounds)
        if ends is not None:
            score_name = "score" if data is None else str(score)
            check_scales({score_name: answers.numbers["score"]}, answers.rows.provenance.get("percentages", ()), ends)
            check_within(answers.numbers["score"], ends, name=score_name)
        names, items = answers.names("prompt"), len(answers.names("id"))
        if len(names) < 2:
            raise InputError(f"`prompt` must contain two or more prompts; it contains only {names[0]!r}.")
        answers.check_once(["prompt", *(["run"] if run is not None else [])], "prompt", has_runs=True)
        cells = _Cells.of(answers, items, len(names))
        notes = list(answers.notes)
        if (left := items - len(cells.means)) > 0:
            notes.append(f"items that lack a prompt are left out: {left:,}")
        sizes = cells.units.sizes
        if len(sizes) < MIN_ITEMS:
            what = "clusters of items" if clusters is not None else "items"
            raise InputError(
                f"only {len(sizes):,} {what} have grades under every prompt; {MIN_ITEMS} are needed to estimate the "
                "effect of the prompt. Is `id` the right column?"
            )
    if clusters is not None and (few := few_clusters(sizes, bounded=ends is not None)):
        notes.append(few)
    if ends is None and not np.ptp(cells.means) > 0:
        notes.append(marked_note("all grades are the same, so their variation is unknown; give `bounds=(0, 1)`"))
    parts, mean, given_mean = cells.parts(level, ends)
    prompts = dict(zip(names, cells.each(level, ends), strict=True))
    recipe = answers.recipe | {"pos_label": pos_label, "bounds": ends, "level": level}
    return PromptSensitivity(
        rows=parts, mean=mean, given=given_mean, prompts=prompts, notes=tuple(notes), recipe=recipe
    )


@dataclass(frozen=True, slots=True)
class _Cells:
    """Mean grades (n, m) of items under prompts, the variance between runs, and the (harmonic mean) number of runs."""

    means: Floats
    units: ItemGroups
    within: float
    runs: float
    repeated: int

    @classmethod
    def of(cls, columns: Columns, n: int, m: int) -> _Cells:
        """Return the cells of the items that were graded under every prompt."""
        cell, score = columns.codes("id") * m + columns.codes("prompt"), columns.numbers["score"]
        times = np.bincount(cell, minlength=n * m)
        means = np.bincount(cell, score, minlength=n * m) / np.maximum(times, 1)
        kept = np.asarray((times.reshape(n, m) > 0).all(axis=1))
        of = kept[columns.codes("id")]
        squares, degrees = float(((score - means[cell])[of] ** 2).sum()), int(of.sum()) - int(kept.sum()) * m
        units = None
        if columns.units is not None:
            of_item = np.zeros(n, dtype=np.int64)
            of_item[columns.codes("id")] = columns.units
            units = of_item[kept]
        groups = ItemGroups.of(int(kept.sum()), clusters=units)
        runs = float(1.0 / (1.0 / times.reshape(n, m)[kept, :]).mean()) if kept.any() else 1.0
        return cls(means.reshape(n, m)[kept], groups, squares / degrees if degrees else math.nan, runs, int(of.sum()))

    def parts(self, level: float, bounds: Bounds | None) -> tuple[tuple[PromptPart, ...], Estimate, Estimate]:
        """The components of the variance, the mean over the population of prompts, and the mean over these prompts."""
        x, (n, m) = self.means, self.means.shape
        mean, item, prompt = float(x.mean()), x.mean(axis=1), x.mean(axis=0)
        rest = x - item[:, None] - prompt + mean
        of_both, repeated = float((rest**2).sum()) / ((n - 1) * (m - 1)), not math.isnan(self.within)
        noise = self.within / self.runs if repeated else 0.0
        of_item = max(float(item.var(ddof=1)) - of_both / m, 0.0)
        of_prompt = max(float(prompt.var(ddof=1)) - of_both / n, 0.0)
        together = max(of_both - noise, 0.0)
        shares = np.array([of_item / n, of_prompt / m, together / (n * m), noise / (n * m)])
        shares = shares / (shares.sum() or 1.0)
        both = "items × prompts" if repeated else "items × prompts, rest"
        parts = [
            PromptPart("items", n, of_item, float(shares[0])),
            PromptPart("prompts", m, of_prompt, float(shares[1])),
            PromptPart(both, n * m, together, float(shares[2])),
        ]
        parts += [PromptPart("runs", self.repeated, self.within, float(shares[3]))] if repeated else []
        by_prompt = float(prompt.var(ddof=1)) / m
        sums = np.stack([self.units.totals(column) for column in rest.T])
        units = self.units.units
        by_both = float((sums**2).sum()) * units / (units - 1) * m / (m - 1) / (n * m) ** 2
        of_prompts = t_quantile(level, m - 1) ** 2 * max(by_prompt - by_both, 0.0)
        over = (
            self._mean(item, level, bounds, extra_reach_squared=of_prompts)
            if m >= MIN_PROMPTS
            else undetermined_estimate(level, n, mean)
        )
        return tuple(parts), over, self._mean(item, level, bounds)

    def each(self, level: float, bounds: Bounds | None) -> list[Estimate]:
        """The mean of each prompt."""
        return [self._mean(grades, level, bounds) for grades in self.means.T]

    def _mean(
        self, values: Floats, level: float, bounds: Bounds | None, *, extra_reach_squared: float = 0.0
    ) -> Estimate:
        """Return the mean of a value per item.

        extra_reach_squared: the square of the half-width that another component of the variance adds to the
        interval."""
        mean, n, lowest, highest = float(values.mean()), len(values), -math.inf, math.inf
        if bounds is None:
            reach = t_quantile(level, self.units.degrees) * self.units.standard_error(values)
            low, high = mean - reach, mean + reach
            if not np.ptp(values) > 0:  # the variance under other prompts is unknown
                return undetermined_estimate(level, n, mean)
        else:
            (low, high), (lowest, highest) = mean_score(values, self.units, bounds=bounds).interval(level), bounds
        low, high = (
            mean - math.hypot(mean - low, math.sqrt(extra_reach_squared)),
            mean + math.hypot(high - mean, math.sqrt(extra_reach_squared)),
        )
        return Estimate(mean, max(low, lowest), min(high, highest), level=level, method="crossed", n=n)
