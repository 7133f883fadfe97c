"""The engine of `compare_models`, `compare_scores` and `resample_models`."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from howsure.errors import InputError, parameter, quote
from howsure.inputs.arguments import Randomness
from howsure.inputs.frames import Source
from howsure.inputs.measures import Measure
from howsure.inputs.numbers_and_names import (
    check_bounds,
    check_scales,
    check_within,
    counted,
    highest_first,
    unknown_name,
)
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.inputs.source_names import columns_notes
from howsure.notes import WARNING, Note, marked_note
from howsure.significance.checked_systems import Systems, view_notes
from howsure.significance.comparison_input import (
    SCORE,
    ToCompare,
    read_arrays,
    read_model_columns,
    read_model_rows,
    read_score_columns,
)
from howsure.significance.differences import (
    BY_ORDER,
    JACKKNIFE,
    OF_MEANS,
    USUAL,
    WITH_INTERVAL,
    Choices,
    check_choices,
    draw_seed,
    test_differences,
)
from howsure.significance.documents import notes_of_documents, notes_on_labels, recipe_of_documents
from howsure.significance.metrics.labels import MIN_FOR_INTERVAL
from howsure.significance.metrics.metric import DOCUMENT, Metric, tasks_of_metrics
from howsure.significance.metrics.probabilities import certain_rows, score_metric
from howsure.significance.metrics.requested import Requested, named_metrics, requested_metrics, requested_order
from howsure.significance.model_files import systems_of_files
from howsure.significance.model_means import (
    ItemScores,
    ModelMean,
    ModelMeans,
    difference_fields,
    item_scores,
    model_means,
    paired_difference,
    paired_mean,
)
from howsure.significance.notes import comparison_notes, is_too_rare, notes_of_group
from howsure.significance.results import ALPHA, Comparison, Difference, GroupDifference, GroupDifferences
from howsure.significance.systems import Runs
from howsure.stats.jackknife_value import units_needed
from howsure.stats.mean_score import share_bounds
from howsure.stats.p_values import adjust_p_values

Predictions = ArrayLike | Runs | Mapping[str, ArrayLike | Runs]

# The pairs of models that are compared, and their p-values, adjusted together.

Progress = Callable[[int, int], None] | None
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Family:
    """The pairs (against, model) that are tested, and the pairs that are shown.

    best: the best model in the first metric, if it was chosen as the baseline; None if the baseline was named.
    """

    tested: tuple[Pair, ...]
    shown: tuple[Pair, ...]
    best: str | None = None


def build_family(requested: Sequence[Requested], *, against: str | None, all_pairs: bool, alternative: str) -> Family:
    """Return the pairs to compare: every model with the baseline `against`, or all pairs of models if `against` is
    None.

    Without a baseline, all pairs are tested, but only the pairs with the model that is best in the first metric are
    shown, unless `all_pairs`. Raises InputError for an unknown baseline, a baseline together with `all_pairs`, or a
    one-sided test without a baseline.
    """
    first = requested[0]
    names = list(first.systems.predictions)
    if against is not None:
        if all_pairs:
            raise InputError(
                "`all_pairs=True` compares every two models, without a baseline. Leave `all_pairs` or `against` out."
            )
        if against not in names:
            raise unknown_name("model", against, names, place="the rows")
        pairs = tuple((against, name) for name in names if name != against)
        return Family(pairs, pairs)
    if alternative != "two-sided":
        raise InputError(
            f"`alternative={alternative!r}` needs a baseline that was chosen before looking at the data. Give it as "
            "`against=...`, or leave alternative out."
        )
    metric = first.metrics[0]
    values = {name: metric.sign * _value(first, metric, name) for name in names}
    values = {name: value if math.isfinite(value) else math.nan for name, value in values.items()}
    order = sorted(names, key=lambda name: highest_first(values[name], name))
    pairs = tuple((baseline, other) for position, baseline in enumerate(order) for other in order[position + 1 :])
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
    """Test every pair in every metric, also within groups. P-values are adjusted for all tests, shown or not."""
    names = requested_order(requested)
    groups = requested[0].systems.groups
    parts = [] if groups is None else [np.flatnonzero(groups.codes == code) for code in range(len(groups.names))]
    steps = _Steps(len(family.tested) * (1 + len(parts)), progress)
    scores = _item_scores(requested) if with_means else {}
    rows = _adjusted(_tested(requested, family, choices, seed, scores, steps), choices)
    shown = [row for row in rows if (row.against, row.model) in set(family.shown)]
    recipe = choices.recipe([request.systems for request in requested], seed) | dict(recipe or {})
    if family.best is not None:
        recipe |= {"against": "the best" if len(family.shown) < len(family.tested) else None}
        several = choices.adjust is not None and len(rows) > 1
        recipe |= {"family": f"{len(rows):,} comparisons of all pairs"} if several else {}
    models = dict.fromkeys([name for pair in family.tested for name in pair])
    means: list[ModelMean] = []
    for score in sorted(scores.values(), key=lambda score: names.index(score.metric.name)):
        means += model_means(score, list(models), level=choices.level)
    bounded = choices.method == "gaffke"
    further_notes = (
        *comparison_notes([(request.systems, request.metrics) for request in requested], shown, bounded=bounded),
        *_few_draws_notes(shown, choices),
        *_interval_notes(requested[0].systems, [row for row in shown if row.metric not in _rare(requested)], choices),
    )
    by_group = None
    if groups is not None:
        further_notes += (*groups.spellings_note("groups"),)
        in_groups: list[GroupDifference] = []
        for name, items in zip(groups.names, parts, strict=True):
            part = [request.select_items(items) for request in requested]
            group_scores = _item_scores(part) if with_means else {}
            of_group = _tested(part, family, choices, seed, group_scores, steps)
            systems = requested[0].systems, part[0].systems
            group_notes = tuple(notes_of_group(*systems, alternative=choices.alternative, bounded=bounded))
            rare_note = f"fewer than {MIN_FOR_INTERVAL} items of a rare class are too few for an interval"
            rare = _rare(part)
            in_groups += [
                GroupDifference.of(name, row, (*group_notes, *([rare_note] if row.metric in rare else ())))
                for row in of_group
            ]
        in_groups = [row for row in _adjusted(in_groups, choices) if (row.against, row.model) in set(family.shown)]
        tests = len(family.tested) * len(names) * len(parts)
        by_group = GroupDifferences(rows=tuple(in_groups), recipe=recipe | {"in_groups": tests})
    comparison = Comparison(
        recipe=recipe, notes=(*notes, *further_notes), rows=tuple(shown), best=family.best, groups=by_group
    )
    steps.end()
    return (
        replace(comparison, means=ModelMeans(rows=tuple(means), recipe=recipe, tied=comparison.tied))
        if means
        else comparison
    )


def _rare(requested: Sequence[Requested]) -> set[str]:
    """The metrics of a rare class that have too few items for an interval."""
    pairs = [(request.systems, metric) for request in requested for metric in request.metrics]
    return {metric.name for systems, metric in pairs if is_too_rare(systems, metric)}


Rows = TypeVar("Rows", bound=Difference)


def _adjusted(rows: Sequence[Rows], choices: Choices) -> list[Rows]:
    """Return the rows with p-values adjusted for the number of tests."""
    adjusted = adjust_p_values([row.p_value for row in rows], method=choices.adjust)
    return [replace(row, p_adjusted=float(p)) for row, p in zip(rows, adjusted, strict=True)]


def _item_scores(requested: Sequence[Requested]) -> dict[str, ItemScores]:
    """The scores of the items in each metric that is a mean."""
    return {
        metric.name: item_scores(request.systems, metric)
        for request in requested
        for metric in request.metrics
        if metric.is_mean
    }


@dataclass
class _Steps:
    """Reports the number of tested pairs, out of `total`, to the function `tell`."""

    total: int
    tell: Progress
    done: int = 0

    def begin(self) -> None:
        if self.tell is not None:
            self.tell(self.done, self.total)
        self.done += 1

    def end(self) -> None:
        if self.tell is not None:
            self.tell(self.total, self.total)


def _tested(
    requested: Sequence[Requested],
    family: Family,
    choices: Choices,
    seed: int,
    scores: dict[str, ItemScores],
    steps: _Steps,
) -> list[Difference]:
    """Return a row for every pair and metric, with the unadjusted p-value."""
    names = requested_order(requested)
    rows: list[Difference] = []
    for pair in family.tested:
        steps.begin()
        rows += sorted(_pair_rows(requested, pair, choices, seed, scores), key=lambda row: names.index(row.metric))
    return rows


def _few_draws_notes(rows: Sequence[Difference], choices: Choices) -> Iterator[str]:
    """Note the p-values that are the smallest possible with these draws but not significant after adjustment."""
    smallest = (1 + 1e-9) / (choices.n_resamples + 1)
    stuck = [row for row in rows if row.p_error > 0 and row.p_value <= smallest and row.p_adjusted > ALPHA]
    if stuck:
        yield (
            f"{counted(len(stuck), 'p-value has', 'p-values have')} the smallest value that {choices.n_resamples:,} "
            f"resamples allow, but not after adjustment for all comparisons ({stuck[0].p_adjusted:.4f}). Use more "
            "resamples, fewer metrics, or a baseline chosen beforehand."
        )


def _interval_notes(systems: Systems, rows: Sequence[Difference], choices: Choices) -> Iterator[str]:
    """Notes on missing intervals, and on intervals that disagree with p because they come from another method."""
    if choices.interval is None:
        return
    size = (1 - choices.level) / 2
    n, unit = systems.n, "item"
    if systems.clusters is not None:
        n, unit = int(systems.clusters.max()) + 1, "cluster"
    without_interval = [row for row in rows if math.isnan(row.low) and math.isfinite(row.p_value)]
    few = n < units_needed(size)
    if without_interval and (choices.method == JACKKNIFE or (choices.method in WITH_INTERVAL and few)):
        why = f"one {unit} is so large that the others have hardly any weight"
        if few:
            why = f"{counted(n, unit)} are too few; at least {units_needed(size)} are needed at level {choices.level:g}"
        yield Note(f"no interval of {_models_and_metrics(without_interval)}: {why}.", WARNING)
    if choices.method in (*WITH_INTERVAL, "boostsa") or choices.alternative != "two-sided":
        return
    complete_rows = [row for row in rows if math.isfinite(row.low) and math.isfinite(row.p_value)]
    unlike = [row for row in complete_rows if (row.low > 0.0 or row.high < 0.0) == (row.p_value > 1 - choices.level)]
    if unlike:
        yield marked_note(
            f"p and the interval of {_models_and_metrics(unlike)} come from two methods, which disagree on whether "
            f"there is a difference. Treat the difference as not shown, or use `method={JACKKNIFE!r}` for both."
        )


def _models_and_metrics(rows: Sequence[Difference]) -> str:
    models = dict.fromkeys(row.model for row in rows)
    return ", ".join(f"{name} ({', '.join(row.metric for row in rows if row.model == name)})" for name in models)


def _pair_rows(
    requested: Sequence[Requested], pair: Pair, choices: Choices, seed: int, scores: dict[str, ItemScores]
) -> list[Difference]:
    level, side = choices.level, choices.alternative
    rows = []
    for request in requested:
        if choices.method in OF_MEANS:
            metric_scores = (scores[metric.name] for metric in request.metrics)
            bounded = choices.method == "gaffke"
            tested = [
                paired_difference(part, *pair, level=level, alternative=side, bounded=bounded) for part in metric_scores
            ]
            rows += [_without_verdict(row, request) for row in tested]
            continue
        for row in test_differences(request.systems.problem(*pair), request.metrics, choices, seed, pair):
            if row.metric in scores:
                held_scores = scores[row.metric]
                mean_difference = paired_mean(held_scores, *pair, level=level, bounded=False)
                row = replace(
                    row, **difference_fields(held_scores, mean_difference, *pair, level=level, alternative=side)
                )
            rows.append(row if choices.method == "boostsa" else _without_verdict(row, request))
    return rows


def _without_verdict(row: Difference, requested: Requested) -> Difference:
    """Return the row, with p and interval undefined (NaN) if the expected score of either model may be infinite; the
    interval also if there are too few items of a rare class."""
    metric = next(metric for metric in requested.metrics if metric.name == row.metric)
    if is_too_rare(requested.systems, metric):
        return replace(row, low=math.nan, high=math.nan)
    predictions = requested.systems.predictions
    if not metric.infinite_at_zero or not any(certain_rows(predictions[name]) for name in (row.against, row.model)):
        return row
    undefined: dict[str, Any] = dict.fromkeys(("low", "high", "p_value", "p_adjusted", "p_error"), math.nan)
    return replace(row, exact=False, detectable_difference=math.nan, **undefined)


def _value(requested: Requested, metric: Metric, name: str) -> float:
    """The value of a metric for one model, from the sums over its runs."""
    problem = requested.systems.problem(name, name)
    runs = requested.systems.predictions[name]
    sums = np.sum([metric.rows(requested.systems.targets, run, problem).sum(axis=0) for run in runs], axis=0)
    with np.errstate(invalid="ignore"):
        return float(metric.value(sums[None])[0])


def compare(
    y_true: ArrayLike | str | None = None,
    against: Predictions | str | None = None,
    model: Predictions | str | Sequence[str] | None = None,
    *,
    prediction: str | None = None,
    score: Mapping[str, ArrayLike | Runs] | IntoFrame | str | Sequence[str] | None = None,
    data: Source | IntoFrame | Mapping[str, ArrayLike] | None = None,
    id: ArrayLike | str | Sequence[str] | None = None,
    run: ArrayLike | str | None = None,
    groups: ArrayLike | str | Sequence[str] | None = None,
    clusters: ArrayLike | str | None = None,
    strata: ArrayLike | str | None = None,
    targets: Source | IntoFrame | Mapping[str, ArrayLike] | str | None = None,
    column: int | None = None,
    pos_label: Hashable = None,
    lower_is_better: bool = False,
    bounds: tuple[float, float] | None = None,
    all_pairs: bool = False,
    skip_missing: bool = False,
    classes: Sequence[object] | None = None,
    metrics: str | Metric | Sequence[str | Metric] | None = None,
    target_class: Hashable = None,
    method: str | None = None,
    n_resamples: int = 10_000,
    alternative: str = "two-sided",
    interval: str | None = "usual",
    adjust: str | None = "holm",
    level: float = 0.95,
    rng: Randomness = None,
    two_way: bool = False,
    sample_size: float | None = None,
    bug_compatible: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Comparison:
    """Test whether models are better than a baseline on the same items, and estimate by how much.

    y_true (n,): the true labels; or distributions, (n, K).
    against: the baseline: its predictions, or its name among rows or scores (default: the best model).
    model: predictions of a model, or of several by name; with a row per model and item, the column of names.
    prediction: column of the predictions, in a table with one row per model and item.
    score: scores that each item already has (exact match, a grade): by model, or one or more columns of a table with a
        row per model and item.
    targets: file of the true labels: .txt, .csv, .tsv, .npy, one per line; or a table of true values, by `id`.
    column: the column of tags in files of sentences, counted from 1 (default: the last).
    all_pairs: show all pairs of models, not only pairs with the best model.
    skip_missing: leave out rows with missing values, and count them.
    metrics: a metric, or several; score: the columns of the models hold scores.
    target_class: also report precision, recall and F1 of this class (or those named by `metrics`).
    method: permutation (default), bootstrap, gaffke (means with bounds; default for scores with bounds), student (other
    means; default for other scores), jackknife (default for metrics of documents), mcnemar (accuracy), or boostsa (the
    paper's rule).
    alternative: two-sided, better or worse (for the model).
    interval: basic (usual), percentile, bca or none; with the methods gaffke, student and jackknife that of the same
    name.
    adjust: adjustment of p for all models and metrics of the table.
    two_way: resample runs as well as items (bootstrap), so that the answer also covers retraining.
    sample_size: for the method boostsa, the proportion of the items in each sub-sample, 0.05 to 0.5 (default: 0.1).
    bug_compatible: give the results of BooStSa 0.2.13, for replication only.
    progress: called with the number of pairs of models compared so far, and their total.

    The implementation of `compare_models`, `compare_scores` and `resample_models`, whose docstrings explain the
    parameters, and of `howsure significance`.
    """
    chosen_metrics = named_metrics(metrics)
    of_log = (
        isinstance(data, Source)
        and chosen_metrics is None
        and (y_true, score) == (None, None)
        and None in (against, model)
    )
    in_rows = prediction is not None or (score is not None and data is not None) or of_log
    of_score = not in_rows and data is not None and chosen_metrics == [SCORE]
    if in_rows and data is None:
        raise InputError("`prediction` names a column, so give `data=...` too.")
    _check_goes_with(
        in_rows=in_rows,
        of_rows={
            "pos_label": pos_label,
            "targets": None if isinstance(targets, str) and data is None else targets,
            "skip_missing": skip_missing or None,
        },
        of_scores={"lower_is_better": lower_is_better or None, "bounds": bounds},
        is_score=of_score or score is not None or of_log,
        all_pairs=all_pairs and score is None and not in_rows,
    )
    grouping: dict[str, Any] = {"clusters": clusters, "strata": strata, "groups": groups}
    if in_rows:
        named = _check_baseline_name(against)
        to_compare = read_model_rows(
            data,
            y_true,
            named,
            model,
            prediction=prediction,
            score=score,
            id=id,
            run=run,
            pos_label=pos_label,
            targets=targets,
            skip_missing=skip_missing,
            classes=classes,
            tasks=tasks_of_metrics(chosen_metrics or ()),
            **grouping,
        )
    elif score is not None:
        for name, value in {"y_true": y_true, "model": model, "run": run, "id": id}.items():
            if value is not None:
                raise InputError(f"{parameter(name)} cannot be given with `score=...`; leave one of them out.")
        to_compare = read_score_columns(score, _check_baseline_name(against), **grouping)
    else:
        options = {
            "tasks": tasks_of_metrics(chosen_metrics or ()),
            "classes": classes,
            "id": id,
            "run": run,
            **grouping,
        }
        if isinstance(targets, str):
            others = {"prediction": prediction, "y_true": y_true, "id": id, "run": run, **grouping}
            arrays, file_rows = systems_of_files(
                targets, against, model, tasks=tasks_of_metrics(chosen_metrics or ()), others=others, column=column
            )
            to_compare = replace(read_arrays(**(options | arrays)), rows=file_rows)
        elif data is not None:
            to_compare = read_model_columns(data, y_true, against, model, of_score=of_score, **options)
        elif against is None and model is None:
            raise InputError(
                "give `y_true`, `against` and `model`; or `data=...`, a table with one row per model and item; or "
                "`score=...`, a column for each model."
            )
        else:
            to_compare = read_arrays(y_true, against, model, **options)
    with to_compare.rows.locating_errors():
        if not to_compare.of_scores:
            (systems,) = to_compare.systems.values()
            requested = requested_metrics(chosen_metrics, systems, method=method, target_class=target_class)
        elif (chosen_metrics is not None and not of_score) or target_class is not None:
            raise InputError("metrics are for predictions; a score is compared by its mean. Leave metrics out.")
        else:
            requested = _score_metrics(to_compare, lower_is_better=lower_is_better, bounds=bounds)
        is_score = requested[0].systems.task == "score"
        unknown = [metric.name for request in requested for metric in request.metrics if metric.bounds is None]
        if method == "gaffke" and unknown:
            raise InputError(
                f"`method='gaffke'` needs the lowest and the highest possible value of {unknown[0]}. Give them, such "
                "as `bounds=[0, 1]`, or choose `method='student'`."
            )
        several = sum(len(request.metrics) for request in requested)
        # "gaffke" if only some scores have bounds; the scores without bounds use Student's t
        usual = "student" if len(unknown) == several else "gaffke"
        of_documents = requested[0].source.task == DOCUMENT
        chosen = method or (usual if is_score else JACKKNIFE if of_documents else "permutation")
        share = USUAL if chosen == "boostsa" and sample_size is None else sample_size
        usual_interval = chosen if chosen in WITH_INTERVAL else "basic"
        how = usual_interval if interval == "usual" else interval
        choices = Choices(chosen, n_resamples, alternative, how, level, adjust, two_way, share, bug_compatible)
        check_choices(choices, requested[0].systems, [metric for request in requested for metric in request.metrics])
        family = build_family(requested, against=to_compare.against, all_pairs=all_pairs, alternative=alternative)
        views = view_notes(requested[0].source, {request.systems.task for request in requested})
        names, source = [metric.name for metric in requested[0].metrics], requested[0].source
        comparison = compare_family(
            requested,
            family,
            choices,
            draw_seed(rng),
            with_means=to_compare.of_scores or in_rows or chosen in OF_MEANS,
            notes=(
                *to_compare.notes,
                *columns_notes(str(targets), to_compare.rows.provenance.get("read_as")),
                *views,
                *notes_on_labels(source, names),
                *notes_of_documents(source, names),
            ),
            progress=progress,
            recipe=recipe_of_documents(source, names) | ({"items": BY_ORDER} if to_compare.by_order else {}),
        )
    return replace(comparison, recipe={**to_compare.rows.provenance, **comparison.recipe})


def _check_baseline_name(against: object) -> str | None:
    """Check that the baseline is given by name, or is None."""
    if against is not None and not isinstance(against, str):
        raise InputError(f"`against` must be the name of a model, or left out; it is {quote(against)}.")
    return against


def _check_goes_with(
    *, in_rows: bool, of_rows: Mapping[str, object], of_scores: Mapping[str, object], is_score: bool, all_pairs: bool
) -> None:
    """Raise InputError for a parameter that does not apply to this form of input."""
    wrong = [name for name, value in of_rows.items() if value is not None and not in_rows]
    if wrong or all_pairs:
        raise InputError(
            f"{parameter(wrong[0] if wrong else 'all_pairs')} is for tables with one row per model and item, by "
            "`prediction` or `score`. Leave it out."
        )
    wrong = [name for name, value in of_scores.items() if value is not None]
    if wrong and not is_score:
        raise InputError(
            f"{parameter(wrong[0])} is for `score=...`; for predictions, the metric determines it. Leave it out."
        )


def _score_metrics(
    to_compare: ToCompare, *, lower_is_better: bool, bounds: tuple[float, float] | None
) -> list[Requested]:
    """The requested metrics of scores: each column is a metric, whose direction and bounds a log may define."""
    requested = []
    for position, (name, systems) in enumerate(to_compare.systems.items()):
        measure = to_compare.rows.measures.get(name, Measure())
        if measure.lower_is_better is None and not lower_is_better:
            raise InputError(
                f"{name} is a count, for which neither more nor less is better, so no model is better. `howsure score` "
                "shows its means. If fewer are better, give `lower_is_better=True`."
            )
        lower = lower_is_better or bool(measure.lower_is_better)
        metric = score_metric(name, lower_is_better=lower, bounds=_score_bounds(systems, bounds, measure))
        scores = {column: runs[:, :, 0].ravel() for column, runs in systems.predictions.items()}
        scores.setdefault(name, next(iter(scores.values())))  # the column of scores, if models are rows
        check_scales(scores, to_compare.rows.provenance.get("percentages", ()), bounds)
        requested.append(Requested(systems, (metric,), systems, (position,)))
    return requested


def _score_bounds(systems: Systems, bounds: tuple[float, float] | None, measure: Measure) -> tuple[float, float] | None:
    """Return the bounds of scores: `bounds` if given, otherwise the bounds that a log defines, otherwise (0, 1) if all
    scores are 0 or 1 and both values occur, otherwise None."""
    if bounds is None and (log_bounds := measure.known_bounds(*systems.predictions.values())) is not None:
        return log_bounds
    if bounds is None:
        both = {
            float(value)
            for prediction in systems.predictions.values()
            for value in (prediction.min(), prediction.max())
        } == {0.0, 1.0}
        return share_bounds(*systems.predictions.values()) if both else None
    ends = check_bounds(bounds)
    for name, runs in systems.predictions.items():
        for run in runs:
            check_within(run[:, 0], ends, name=name)
    return ends
