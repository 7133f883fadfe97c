"""Which models are compared with which, and the p-values of all of them adjusted together."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from howsure.errors import InputError
from howsure.inputs.naming import counted, unknown_name
from howsure.significance.means.item_scores import ItemScores, item_scores
from howsure.significance.means.model_means import ModelMean, ModelMeans, model_means
from howsure.significance.means.paired_means import beside, paired_difference, paired_mean
from howsure.significance.metrics.metric import Metric
from howsure.significance.metrics.requested import Requested, asked_order
from howsure.significance.notes import notes_of
from howsure.significance.resampling.choices import OF_MEANS, Choices
from howsure.significance.resampling.differences import differences_of
from howsure.significance.results import ALPHA, Comparison, Difference
from howsure.stats.multiplicity import adjust_p_values

Progress = Callable[[int, int], None] | None
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Family:
    """The pairs (baseline, model) that are tested, and those of them that are shown; the best model, if it is one of
    them that was chosen."""

    tested: tuple[Pair, ...]
    shown: tuple[Pair, ...]
    best: str | None = None


def one_baseline(baseline: str, models: Sequence[str]) -> Family:
    """Every model against a baseline named beforehand."""
    pairs = tuple((baseline, model) for model in models if model != baseline)
    return Family(pairs, pairs)


def family_of(requested: Sequence[Requested], *, baseline: str | None, all_pairs: bool, alternative: str) -> Family:
    """Every model against `baseline`; without one, all pairs, of which those with the best model in the first metric
    are shown, or all of them.

    Raises InputError for an unknown baseline, or one beside all pairs.
    """
    first = requested[0]
    names = list(first.systems.predictions)
    if baseline is not None:
        if all_pairs:
            raise InputError("all_pairs=True compares every two models, without a baseline; leave one of them out.")
        if baseline not in names:
            raise unknown_name("model", baseline, names, place="the rows")
        return one_baseline(baseline, names)
    if alternative != "two-sided":
        raise InputError(
            f"alternative={alternative!r} needs a baseline that was chosen before looking at the data: name it, "
            "baseline=..., or leave alternative out."
        )
    metric = first.metrics[0]
    values = {name: metric.sign * _value(first, metric, name) for name in names}
    order = sorted(names, key=lambda name: -values[name] if math.isfinite(values[name]) else math.inf)
    pairs = tuple((one, other) for place, one in enumerate(order) for other in order[place + 1 :])
    return Family(pairs, pairs if all_pairs else pairs[: len(order) - 1], order[0])


def compare_family(
    requested: Sequence[Requested],
    family: Family,
    choices: Choices,
    seed: int,
    *,
    with_means: bool,
    notes: Sequence[str] = (),
    progress: Progress = None,
    recipe: Mapping[str, str] | None = None,
) -> Comparison:
    """Test every pair in every metric; p is adjusted for all of them, shown or not."""
    names = asked_order(requested)
    scores = {
        metric.name: item_scores(one.systems, metric)
        for one in requested
        for metric in one.metrics
        if metric.is_mean and with_means
    }
    rows: list[Difference] = []
    for done, pair in enumerate(family.tested):
        if progress is not None:
            progress(done, len(family.tested))
        rows += sorted(_pair_rows(requested, pair, choices, seed, scores), key=lambda row: names.index(row.metric))
    if progress is not None:
        progress(len(family.tested), len(family.tested))
    adjusted = adjust_p_values([row.p_value for row in rows], method=choices.adjust)
    rows = [replace(row, p_adjusted=float(p)) for row, p in zip(rows, adjusted, strict=True)]
    shown = [row for row in rows if (row.baseline, row.model) in set(family.shown)]
    recipe = choices.recipe([one.systems for one in requested], seed) | dict(recipe or {})
    if family.best is not None:
        recipe |= {"baseline": "the best" if len(family.shown) < len(family.tested) else None}
        several = choices.adjust is not None and len(rows) > 1
        recipe |= {"family": f"{len(rows):,} comparisons of all pairs"} if several else {}
    models = dict.fromkeys([name for pair in family.tested for name in pair])
    means: list[ModelMean] = []
    for held in sorted(scores.values(), key=lambda held: names.index(held.metric.name)):
        means += model_means(held, list(models), level=choices.level)
    said = (*notes_of([(one.systems, one.metrics) for one in requested], shown), *_of_few_draws(shown, choices))
    found = Comparison(tuple(shown), recipe, (*notes, *said), None, family.best)
    return replace(found, means=ModelMeans(tuple(means), recipe, found.tied)) if means else found


def _of_few_draws(rows: Sequence[Difference], choices: Choices) -> Iterator[str]:
    """If p is as small as so many draws can make it, and adjusted for the family still not small."""
    smallest = (1 + 1e-9) / (choices.n_resamples + 1)
    stuck = [row for row in rows if row.p_error > 0 and row.p_value <= smallest and row.p_adjusted > ALPHA]
    if stuck:
        yield (
            f"{counted(len(stuck), 'p is', 'ps are')} as small as {choices.n_resamples:,} resamples can make it, and "
            f"not small once adjusted for all comparisons: {stuck[0].p_adjusted:.4f}. Take more resamples, fewer "
            "metrics, or a baseline named beforehand."
        )


def _pair_rows(
    requested: Sequence[Requested], pair: Pair, choices: Choices, seed: int, scores: dict[str, ItemScores]
) -> list[Difference]:
    level, side = choices.level, choices.alternative
    rows = []
    for one in requested:
        if choices.method in OF_MEANS:
            held = (scores[metric.name] for metric in one.metrics)
            bounded = choices.method == "gaffke"
            rows += [paired_difference(part, *pair, level=level, alternative=side, bounded=bounded) for part in held]
            continue
        for row in differences_of(one.systems.problem(*pair), one.metrics, choices, seed, pair):
            if row.metric in scores:
                held_scores = scores[row.metric]
                found = paired_mean(held_scores, *pair, level=level, bounded=False)
                row = replace(row, **beside(held_scores, found, *pair, level=level, alternative=side))
            rows.append(row)
    return rows


def _value(one: Requested, metric: Metric, name: str) -> float:
    """The value of a metric, the sums of the runs added up."""
    problem = one.systems.problem(name, name)
    runs = one.systems.predictions[name]
    sums = np.sum([metric.rows(one.systems.targets, run, problem).sum(axis=0) for run in runs], axis=0)
    with np.errstate(invalid="ignore"):
        return float(metric.value(sums[None])[0])
