"""Compare models with a baseline."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, replace

import numpy as np

from howsure.errors import GIVEN, InputError, parameter, shown
from howsure.inputs.frames import Source
from howsure.inputs.naming import counted, shortened, unknown_name
from howsure.inputs.numbers import check_bounds, check_within
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.significance.differences import (
    BY_ORDER,
    OF_MEANS,
    USUAL,
    Choices,
    check_choices,
    differences_of,
    seed_of,
    usual_interval,
)
from howsure.significance.means import (
    ItemScores,
    ModelMean,
    ModelMeans,
    beside,
    item_scores,
    model_means,
    paired_difference,
    paired_mean,
)
from howsure.significance.metrics.metric import Metric, tasks_of
from howsure.significance.metrics.probabilities import BINS, alone_in_bin, score_metric
from howsure.significance.metrics.requested import Requested, asked_order, named_metrics, requested_metrics
from howsure.significance.reading import Systems, read_systems, view_notes
from howsure.significance.results import ALPHA, Comparison, Difference
from howsure.significance.systems import Runs
from howsure.significance.tables import ScoredRows, read_rows, read_scores
from howsure.stats.clusters import few_clusters
from howsure.stats.mean_score import share_bounds
from howsure.stats.multiplicity import adjust_p_values
from howsure.stats.randomness import Randomness

# Notes on a comparison: caveats in sentences.

CALIBRATION = ("calibration_error", "squared_calibration_error")
OVER_ALL = ("accuracy", "mcc")  # metrics of labels that do not average over classes


def notes_of(views: Sequence[tuple[Systems, Sequence[Metric]]], rows: Sequence[Difference]) -> tuple[str, ...]:
    """All notes that the data, the metrics and the results require; the views are the systems with the metrics that
    take them so."""
    notes: list[str] = []
    for systems, metrics in views:
        notes += _of_classes(systems, metrics) if systems.task == "hard" else ()
        notes += _of_bins(systems, metrics, rows)
        notes += _of_bounds(systems, metrics)
    return (*notes, *_of_clusters(views[0][0]), *_of_zero_width(views[0][0], rows))


def _of_classes(systems: Systems, metrics: Sequence[Metric]) -> Iterable[str]:
    """Predicted classes missing from the targets, and classes of the targets that a system never predicts."""
    n = len(systems.labels)
    true = np.bincount(systems.targets, minlength=n)
    averages = any(metric.name not in OVER_ALL for metric in metrics)
    counted_in = set(np.flatnonzero(true) if systems.averaged is None else systems.averaged)
    for name, runs in systems.predictions.items():
        predicted = np.bincount(runs.ravel(), minlength=n)
        strange = np.flatnonzero((predicted > 0) & (true == 0))
        if len(strange):
            what = f"{name} predicts {_named(systems, strange)} in {counted(int(predicted[strange].sum()), 'row')}"
            left = [code for code in strange if code not in counted_in]
            outside = "wrong there, and no class of the averages; labels=[...] would make it one"
            fate = outside if left else "wrong there, and a class of the averages that is worth 0"
            yield f"{what}, which y_true never holds: {fate if averages else 'wrong there'}."
        missed = np.flatnonzero((predicted == 0) & (true > 0))
        if len(missed):
            rows = counted(int(true[missed].sum()), "row")
            worth = ", worth 0 in every average over classes" if averages else ""
            yield f"{name} never predicts {_named(systems, missed)}, which {rows} of y_true hold{worth}."


def _of_bins(systems: Systems, metrics: Sequence[Metric], rows: Sequence[Difference]) -> Iterable[str]:
    """How a calibration error was binned, what was left out, and which errors were below 0 before taking the root."""
    if any(metric.name in CALIBRATION for metric in metrics):
        alone = {name: alone_in_bin(systems.targets, runs[0]) for name, runs in systems.predictions.items()}
        left = [f"{name} has {counted(rows, 'row')} alone in a bin, left out" for name, rows in alone.items() if rows]
        yield (
            f"calibration errors here are over {BINS} bins of equal width{''.join(f'; {one}' for one in left)}. "
            "howsure.compare_calibration, with the bins of howsure.calibration_error, has the better interval."
        )
    for row in rows:
        values = {row.baseline: row.baseline_value, row.model: row.model_value}
        clipped = [name for name, value in values.items() if row.metric == "calibration_error" and value == 0]
        if clipped:
            yield (
                f"calibration_error of {' and '.join(clipped)} is 0 because the bins differ no more than by chance: "
                "this does not mean a model without error. The interval says how far apart two such models may be; "
                "p is that of squared_calibration_error."
            )


def _of_bounds(systems: Systems, metrics: Sequence[Metric]) -> Iterable[str]:
    """What is supposed of scores whose bounds are unknown."""
    if systems.task == "score":
        for metric in metrics:
            if metric.bounds is None:
                yield (
                    f"the bounds of {metric.name} are unknown: what is said of it supposes that no values are far away "
                    f"and so rare that {counted(systems.n, 'item')} do not show them. If it has bounds, give them: "
                    "bounds=[0, 1]."
                )


def _of_clusters(systems: Systems) -> Iterable[str]:
    few = None if systems.clusters is None else few_clusters(np.bincount(systems.clusters))
    if few is not None:
        yield f"{few}."


def _of_zero_width(systems: Systems, rows: Sequence[Difference]) -> Iterable[str]:
    """If the systems differ on no item, or equally on all, an interval of width 0 holds only for these items."""
    n, unit = systems.n, "item"
    if systems.clusters is not None:
        n, unit = int(systems.clusters.max()) + 1, "cluster"
    flat = [row for row in rows if row.low == row.high]
    for model in dict.fromkeys(row.model for row in flat):
        names = ", ".join(row.metric for row in flat if row.model == model)
        yield (
            f"{model}, {names}: all {counted(n, unit)} agree, so the interval has no width. It holds only for these; "
            f"up to {_unseen(n):.1%} of others may differ (level .95)."
        )


def _unseen(n: int) -> float:
    """The largest share that goes unobserved in n draws with probability .05: about 3/n."""
    return float(1 - 0.05 ** (1 / n))


def _named(systems: Systems, codes: Iterable[int]) -> str:
    return shortened((repr(systems.labels[code]) for code in codes), limit=6)


# Which models are compared with which, and the p-values of all of them adjusted together.

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
            raise InputError(
                f"{parameter('all_pairs', True)} compares every two models, without a baseline; leave one of them out."
            )
        if baseline not in names:
            raise unknown_name("model", baseline, names, place="the rows")
        return one_baseline(baseline, names)
    if alternative != "two-sided":
        raise InputError(
            f"{parameter('alternative', alternative)} needs a baseline that was chosen before looking at the data: "
            "name it, "
            f"{parameter('baseline', GIVEN)}, or leave alternative out."
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


BASELINE = "baseline"


def compare(
    y_true: ArrayLike | str | None = None,
    baseline: ArrayLike | Runs | Mapping[str, ArrayLike] | str | None = None,
    model: ArrayLike | Runs | Mapping[str, ArrayLike | Runs] | str | None = None,
    *,
    data: Source | IntoFrame | Mapping[str, ArrayLike] | None = None,
    id: str | Sequence[str] | None = None,
    run: str | None = None,
    target: str | None = None,
    prediction: str | None = None,
    score: str | Sequence[str] | None = None,
    pos_label: Hashable = None,
    scores: ArrayLike | Runs | IntoFrame | Mapping[str, ArrayLike | Runs] | None = None,
    lower_is_better: bool = False,
    bounds: tuple[float, float] | None = None,
    all_pairs: bool = False,
    skip_missing: bool = False,
    metrics: str | Metric | Sequence[str | Metric] | None = None,
    method: str | None = None,
    n_resamples: int = 10_000,
    alternative: str = "two-sided",
    clusters: ArrayLike | str | None = None,
    runs: ArrayLike | str | None = None,
    strata: ArrayLike | str | None = None,
    interval: str | None = "usual",
    adjust: str | None = "holm",
    rng: Randomness = None,
    level: float = 0.95,
    target_class: Hashable = None,
    labels: Sequence[object] | None = None,
    ids: ArrayLike | str | None = None,
    two_way: bool = False,
    sample_size: float | None = None,
    bug_compatible: bool = False,
    baseline_name: str = BASELINE,
    progress: Callable[[int, int], None] | None = None,
) -> Comparison:
    """Test whether models are better than a baseline on the same items, and estimate by how much.

    Labels against labels (any type), distributions (n, K) against distributions, or probabilities (n, K) against
    labels; or only the probabilities of class 1 (n,) if the `metrics` need them. `model` is one model's predictions or
    `{name: predictions}`; predictions are one value or row per item, or `Runs([...])` of several runs. Metrics of
    several kinds can be mixed: of probabilities, those of labels take the most probable class.

    Scores that each item already has (exact match, a judge's grade): `scores={name: one number per item}`, a data frame
    with a column per model, or `Runs`. A table with one row per model, item and run: `data=` a data frame or
    `{name: column}`, with the names of its columns: `model`, `id` (several columns identify an item together), `run`,
    and `target` and `prediction`, or `score` (numbers; or `pos_label`, the value that counts as 1); `clusters` and
    `strata` name columns too. Every model must have every item, unless `skip_missing`. In both cases, `baseline` names
    a model; without it, every pair is tested and p adjusted for all of them, and the pairs with the model that is best
    in the first metric are shown (`all_pairs`: all of them). The result's `means` are the models' own.

    `method` determines how p is computed:

    - `gaffke` (default for scores that have bounds): Gaffke's test of the paired differences of a mean (a score,
      accuracy), by item or cluster, with its own interval. For scores of 0 and 1 without clusters it is McNemar's exact
      test; it also holds where clusters are right or wrong as a whole, and where large differences are too rare to have
      been seen. `bounds=(LOW, HIGH)` says how low and high a score can be; those of scores that are all 0 or 1, and
      those of metrics of labels, are known.
    - `student` (default for other scores): Student's t of the paired differences of a mean (also log loss), by item or
      cluster, with its own interval and Hall's correction for skewness. The standard error is √(C/(C - 1) Σ e²)/n, with
      e the sum of the deviations of each of C clusters (or items); for the interval and p, that of the jackknife if it
      is larger, and as if one more item differed. It supposes that no differences exist that are both large and too
      rare to have been seen.
    - `permutation` (default otherwise): for each item, a coin flip decides which system is which. Exact if the systems
      are exchangeable (by enumeration if there are few outcomes, else (c + 1)/(B + 1) with c of B draws at least as
      extreme); with many items, it also has the right level if only their values of the metric are equal: a difference
      that is not one of means is divided by its standard error, recomputed for every draw. For calibration errors, p
      refers to their squares, and is never smaller than that of a normal approximation.
    - `bootstrap`: resamples of all n items with replacement; c counts the resamples whose difference is at least |d|
      away from d, widened as for an interval of level .95, whatever `level` is.
    - `mcnemar`: the mid-p test of accuracy.
    - `boostsa`: the share of sub-samples of `sample_size` of the items (0.05 to 0.5; None: 0.1) whose difference
      exceeds 2d, as in Fornaciari et al. (2022), with the direction of cross-entropy and Jensen-Shannon corrected, p =
      1 where d = 0 and no p where d is undefined. It loses nearly all power: on 1,000 items, on a tenth of which the
      systems differ, a true gain of two points is detected in 0.15 % of experiments with a share of .1, and in 61 %
      with the exact test. `bug_compatible=True` counts as BooStSa 0.2.13 does, for replication only.

    The interval of the difference comes from a full-size bootstrap: `basic`, `percentile`, `bca` or None, widened for
    few items, few or unequal clusters and small strata (jackknife, Student's t). `alternative` is `two-sided`, `better`
    or `worse` (for the model, whether or not higher values are better). `adjust` corrects for all models and metrics of
    the table: `holm`, `bh` or None.

    `clusters` are swapped and resampled as wholes (the sentences of a document); each of the `strata` keeps its size,
    and must contain at least two items (or clusters). Averages over classes are over the classes in `y_true`, or those
    named by `labels`; with probabilities, `labels` names their columns. The result's `notes` report predictions outside
    the classes, classes that are never predicted, small numbers of clusters, and intervals of zero width. With `runs`,
    rows are items × runs, and `ids` identify the item (otherwise the order does): an item is resampled or swapped with
    all its runs, and runs never count as additional items. `two_way=True` (bootstrap) resamples runs as well, so that
    the answer also covers retraining. `target_class` selects the class that `precision`, `recall` and `f1` refer to.

    The result does not depend on the order of the rows, the names of the labels, the other models and metrics (except
    for the adjusted p), or on which system is the baseline (except for the sign).

    >>> y = [0, 1, 1, 0, 1, 0, 1, 1]
    >>> result = compare(y, [0, 1, 0, 1, 0, 0, 1, 0], y, metrics="accuracy", rng=1)
    >>> print(result[0].difference, result[0].p_value, result[0].exact)
    0.5 0.125 True

    Raises InputError naming the parameter, the rule, the value and the row.
    Source: Miller (2024); Noreen (1989); Chung & Romano (2013); Davison & Hinkley (1997); Berg-Kirkpatrick et al.
    (2012); Fornaciari et al. (2022).
    """
    beside: dict[str, object] = {"id": id, "run": run, "target": target, "prediction": prediction, "score": score}
    beside |= {"pos_label": pos_label, "skip_missing": skip_missing or None}
    held = None
    if scores is not None:
        _refuse("scores=", beside | {"y_true": y_true, "model": model, "data": data, "runs": runs, "ids": ids})
        held = read_scores(scores, clusters=clusters, strata=strata)
    elif data is not None:
        _refuse("data=", {"y_true": y_true, "runs": runs, "ids": ids})
        held = read_rows(
            data,
            model=model,
            id=id,
            run=run,
            target=target,
            prediction=prediction,
            score=score,
            pos_label=pos_label,
            clusters=clusters,
            strata=strata,
            skip_missing=skip_missing,
            labels=labels,
            tasks=tasks_of(named_metrics(metrics) or ()),
        )
    else:
        if baseline is None and model is None:
            raise InputError(
                f"give {parameter('y_true')}, baseline and model; or {parameter('data', GIVEN)}, a table with one row "
                f"per model and item; or {parameter('scores', GIVEN)}, "
                "a column for each model."
            )
        _refuse(
            "arrays",
            beside | {"lower_is_better": lower_is_better or None, "all_pairs": all_pairs or None, "bounds": bounds},
        )
    if held is None:
        family, requested, notes, by_order = _of_arrays(
            y_true,
            baseline,
            model,
            metrics=metrics,
            method=method,
            clusters=clusters,
            runs=runs,
            strata=strata,
            target_class=target_class,
            labels=labels,
            ids=ids,
            baseline_name=baseline_name,
        )
    else:
        family, by_order, notes = None, {}, list(held.notes)
        requested = _of_rows(held, metrics, method, target_class, lower_is_better, bounds)
    is_score = requested[0].systems.task == "score"
    unknown = [metric.name for one in requested for metric in one.metrics if metric.bounds is None]
    if method == "gaffke" and unknown:
        raise InputError(
            f"{parameter('method', 'gaffke')} needs the bounds of {unknown[0]}; say the lowest and the highest value "
            "that is possible, "
            f"{parameter('bounds', [0, 1])}, or choose {parameter('method', 'student')}."
        )
    several = sum(len(one.metrics) for one in requested)
    usual = "student" if len(unknown) == several else "gaffke"  # of a score without bounds it is Student's t, too
    chosen = method or (usual if is_score else "permutation")
    share = USUAL if chosen == "boostsa" and sample_size is None else sample_size
    how = usual_interval(chosen) if interval == "usual" else interval
    choices = Choices(chosen, n_resamples, alternative, how, level, adjust, two_way, share, bug_compatible)
    check_choices(choices, requested[0].systems, [metric for one in requested for metric in one.metrics])
    notes += view_notes(requested[0].source, {one.systems.task for one in requested})
    if family is None:
        if baseline is not None and not isinstance(baseline, str):
            raise InputError(f"baseline must be the name of a model, or left out; it is {shown(baseline)}.")
        family = family_of(requested, baseline=baseline, all_pairs=all_pairs, alternative=alternative)
    seed = seed_of(rng)
    with_means = held is not None or chosen in OF_MEANS
    return compare_family(
        requested, family, choices, seed, with_means=with_means, notes=notes, progress=progress, recipe=by_order
    )


def _refuse(way: str, given: Mapping[str, object]) -> None:
    wrong = [name for name, value in given.items() if value is not None]
    if wrong and way == "arrays":
        raise InputError(
            f"{wrong[0]} is for tables in long form or scores: give {parameter('data', GIVEN)} or "
            f"{parameter('scores', GIVEN)} with it."
        )
    if wrong:
        raise InputError(f"{wrong[0]} cannot be given with {way}; leave one of them out.")


def _of_arrays(
    y_true: object,
    baseline: object,
    model: object,
    *,
    metrics: object,
    method: str | None,
    clusters: object,
    runs: object,
    strata: object,
    target_class: object,
    labels: Sequence[object] | None,
    ids: object,
    baseline_name: str,
) -> tuple[Family | None, list[Requested], list[str], dict[str, str]]:
    """Targets, the baseline's predictions and the models', a column each."""
    models = dict(model) if isinstance(model, Mapping) else {"model": model}
    if not models or baseline_name in models:
        raise InputError(f"model must name one model or more, and none {baseline_name!r}; it names {list(models)}.")
    asked = named_metrics(metrics)
    if ids is not None and isinstance(y_true, Sized) and (not isinstance(ids, Sized) or len(ids) != len(y_true)):
        raise InputError(f"ids must name every row of {parameter('y_true')}, of which there are {len(y_true):,}.")
    systems = read_systems(
        y_true,
        {baseline_name: baseline, **models},
        tasks=tasks_of(asked or ()),
        labels=labels,
        clusters=clusters,
        strata=strata,
        runs=runs,
        ids=ids,
    )
    requested = requested_metrics(asked, systems, method=method, target_class=target_class)
    by_order = {"items": BY_ORDER} if runs is not None and ids is None else {}
    return one_baseline(baseline_name, list(models)), requested, [], by_order


def _of_rows(
    held: ScoredRows,
    metrics: object,
    method: str | None,
    target_class: object,
    lower_is_better: bool,
    bounds: tuple[float, float] | None,
) -> list[Requested]:
    """Scores, each its own metric; or predictions and the metrics asked for."""
    if not held.of_scores:
        if lower_is_better:
            raise InputError(
                f"{parameter('lower_is_better', True)} is for scores; every metric of predictions knows its direction."
            )
        if bounds is not None:
            raise InputError("bounds are for scores; every metric of predictions knows its own. Leave bounds out.")
        (systems,) = held.systems.values()
        return requested_metrics(named_metrics(metrics), systems, method=method, target_class=target_class)
    if metrics is not None or target_class is not None:
        raise InputError("metrics are for predictions; a score is compared by its mean. Leave metrics out.")
    found = []
    for place, (name, systems) in enumerate(held.systems.items()):
        ends = _bounds_of(systems, bounds)
        metric = score_metric(name, lower_is_better=lower_is_better, bounds=ends)
        found.append(Requested(systems, (metric,), systems, (place,)))
    return found


def _bounds_of(systems: Systems, bounds: tuple[float, float] | None) -> tuple[float, float] | None:
    """The bounds of scores: those given, those of shares if all scores are 0 or 1 and both occur, or None."""
    if bounds is None:
        both = {float(value) for held in systems.predictions.values() for value in (held.min(), held.max())} == {
            0.0,
            1.0,
        }
        return share_bounds(*systems.predictions.values()) if both else None
    ends = check_bounds(bounds)
    for name, runs in systems.predictions.items():
        for run in runs:
            check_within(run[:, 0], ends, name=name)
    return ends
