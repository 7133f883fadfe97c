"""Mean scores of models with intervals and ranks: the code of `mean_scores`, `score_models` and `pass_at_k`."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any, Literal

import numpy as np

from howsure import __version__
from howsure.errors import InputError, parameter
from howsure.inputs.arguments import Randomness, generator_from, seed_in_recipe, with_seed
from howsure.inputs.frames import Source
from howsure.inputs.long_form import alike_ids_advice
from howsure.inputs.numbers_and_names import (
    check_bounds,
    check_choice,
    check_integer,
    check_level,
    check_scales,
    check_within,
    counted,
    highest_first,
)
from howsure.inputs.pairs import Floats, Integers
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.inputs.source_names import columns_notes
from howsure.notes import DETAIL, WARNING, Note, marked_note
from howsure.result import Estimate
from howsure.scores.class_errors import ClassErrors
from howsure.scores.group_means import add_reaches, interval_note, mean_of_groups, notes_on_sentinels, value_of_groups
from howsure.scores.overall import SAME_ANSWERS_NOTE, overall_rows, pool_groups, share_items
from howsure.scores.prediction_metrics import (
    add_document_scores,
    document_metrics,
    interval_notes,
    jackknife_value,
    join_tags,
    named_as_metric,
    read_answers_and_targets,
    read_document_columns,
    score_named_as_metric,
)
from howsure.scores.ranks import Flags, count_shared, ranks
from howsure.scores.results import MACRO, ScoreRow, ScoreTable, lacking_items_notes, not_compared_notes, without_ranks
from howsure.scores.scored_rows import (
    ScoredRows,
    cell_codes,
    check_distinct_runs,
    check_missing_score,
    clusters_of_items,
    iterate_cells,
    lowest_items,
    read_scored_rows,
)
from howsure.significance.metrics.documents import signatures
from howsure.significance.metrics.labels import MIN_FOR_INTERVAL
from howsure.significance.metrics.metric import Metric
from howsure.stats.clusters import MIN_CLUSTERS, ItemGroups, few_clusters, kish
from howsure.stats.jackknife_value import JackknifeValue
from howsure.stats.mean_score import STUDENT_NOTE, Bounds, MeanScore, mean_score, share_bounds
from howsure.worst_rows import LowItem, Show, check_worst

SAMPLED = ("items", "groups", "both")


def score_table(
    score: ArrayLike | str | None = None,
    *,
    y_true: ArrayLike | str | None = None,
    prediction: ArrayLike | str | None = None,
    metrics: str | Sequence[str] = (),
    target_class: Hashable = None,
    targets: str | None = None,
    column: int | None = None,
    model: ArrayLike | str | None = None,
    groups: ArrayLike | str | None = None,
    id: ArrayLike | str | None = None,
    run: ArrayLike | str | None = None,
    clusters: ArrayLike | str | None = None,
    pos_label: Hashable = None,
    bounds: tuple[float, float] | None = None,
    lower_is_better: bool = False,
    macro: bool = False,
    sampled: Literal["items", "groups", "both"] = "items",
    pass_at: Sequence[int] | int = (),
    pass_hat: Sequence[int] | int = (),
    missing_score: float | None = None,
    level: float = 0.95,
    worst: int | None = None,
    show: Show = (),
    rng: Randomness = None,
    data: Source | IntoFrame | None = None,
) -> ScoreTable:
    """Estimate the mean score of each model on its own items, with an interval and its possible ranks.

    target_class: also report precision, recall and F1 of this class (or those named by `metrics`).
    targets: a file of the true values: by line or sentence, like the models' files, or a table, by id.
    column: the column of tags in such files, counted from 1 (default: the last).

    The implementation of `mean_scores`, `score_models`, `pass_at_k` and `worst_items`, whose docstrings explain the
    other parameters, and of `howsure score`.
    """
    level, bounds = check_level(level), None if bounds is None else check_bounds(bounds)
    check_missing_score(missing_score, data)
    check_choice(sampled, SAMPLED, name="sampled")
    macro = macro or sampled != "items"
    if macro and groups is None and not isinstance(data, Source):
        option = "`macro=True`" if sampled == "items" else f"`sampled={sampled!r}`"
        raise InputError(
            f"{option} is about the mean of groups, so the group of each row is needed. Give it as `groups=...`."
        )
    summaries = run_summaries(pass_at, pass_hat)
    of_files, target_notes = dict[str, Any](), list[str]()
    of_lines = targets is not None and prediction is None
    if targets is not None:
        named = {"y_true": y_true, "prediction": prediction, "model": model, "id": id, "clusters": clusters}
        unused = {"groups": groups, "run": run}
        if y_true is not None or prediction is not None:
            others_named = {"model": model, "clusters": clusters, **unused}
            columns, of_files, target_notes = read_answers_and_targets(
                targets, data, y_true=y_true, prediction=prediction, id=id, others=others_named
            )
            groups, run = columns["groups"], columns["run"]
        else:
            columns, of_files = read_document_columns(targets, data, others=named | unused, column=column)
        y_true, prediction, model, id, clusters = (columns[role] for role in named)
        data = None
    roles = {"model": model, "groups": groups, "clusters": clusters, "id": id, "run": run}
    named_score = None
    if data is not None and score is y_true is prediction is targets is None:
        named_score = score_named_as_metric(metrics)
    score, metrics = (score, metrics) if named_score is None else (named_score, ())
    others = {"score": score, "pos_label": pos_label, "bounds": bounds, "missing_score": missing_score}
    others |= {"lower_is_better": lower_is_better or None, "pass_at": pass_at or None, "pass_hat": pass_hat or None}
    requested_metrics: list[Metric] = []
    if not isinstance(metrics, tuple) or any(part is not None for part in (*metrics, target_class, y_true, prediction)):
        requested_metrics = document_metrics(
            metrics, y_true, prediction, target_class=target_class, of_lines=of_lines, others=others
        )
    lower_is_better = lower_is_better or any(not metric.higher_is_better for metric in requested_metrics)
    worst_request = check_worst(worst, show, data)
    with nullcontext() if named_score is None else named_as_metric(named_score):
        rows = read_scored_rows(
            score,
            roles,
            data=data,
            pos_label=pos_label,
            may_miss=missing_score is not None,
            macro=macro,
            answers=(y_true, prediction) if requested_metrics else None,
            worst=worst_request,
        )
    if "run" in rows.coded and "id" not in rows.coded:
        raise InputError("`run` needs the item of each row. Give it as `id=...`.")
    rng = with_seed(rng)
    options = _Options(bounds, lower_is_better, macro, level, generator_from(rng), len(summaries), sampled)
    table_rows, incomplete, skipped, low = list[ScoreRow](), list[str](), dict[str, int](), list[LowItem]()
    tied: dict[str, int] = {}
    with rows.locating_errors():
        rows = join_tags(rows, requested_metrics) if requested_metrics else rows
        whole, whole_notes = _pool_groups(rows, requested_metrics)
        rows = add_document_scores(rows, requested_metrics) if requested_metrics else rows
        directions = {name: _direction(rows, name, lower_is_better=lower_is_better) for name in rows.scores}
        for name in rows.scores:
            options = replace(options, lower_is_better=directions[name])
            values, missing = _fill_missing(rows, name, missing_score)
            left_out = int(missing.sum()) if missing_score is None else 0
            skipped |= {name: left_out} if left_out else {}
            for summary in summaries:
                score_rows, macro_notes = _score_rows(rows, name, values, missing, summary, options)
                if whole is not None and len({row.group for row in score_rows} - {MACRO}) > 1:
                    metric_values = whole.scores[name] if requested_metrics else values
                    overall, _ = _score_rows(
                        whole, name, metric_values, missing, summary, replace(options, macro=False)
                    )
                    table_rows += overall_rows(overall, [row for row in score_rows if row.group != MACRO])
                table_rows += score_rows
                incomplete += macro_notes
            if worst_request is not None:
                known_bounds = score_bounds(rows, name, values[~np.isnan(values)], bounds)
                lower = directions[name] is True
                best = None if known_bounds is None else known_bounds[0 if lower else 1]
                items, tied[name] = lowest_items(rows, name, values, worst_request, best=best, lower_is_better=lower)
                low += items
    if macro and "groups" in rows.coded and MACRO in rows.coded["groups"].names:
        raise InputError(
            f"a group has the name {MACRO!r}, which is the name of the row that `macro=True` adds. Rename the group, "
            "or leave `macro` out."
        )
    if macro and not any(row.group == MACRO for row in table_rows):
        why = "; ".join(incomplete) or f"there is {counted(len({row.group for row in table_rows}), 'group')}"
        raise InputError(f"`macro=True` is the mean of groups; {why}. Leave it out.")
    several = any(row.ranks for row in table_rows)
    recipe: dict[str, Any] = {"howsure": __version__, **(of_files or rows.provenance), "level": level, "bounds": bounds}
    lower_scores = [name for name, direction in directions.items() if direction is True]
    lower_is_better = lower_is_better or len(lower_scores) == len(directions)
    recipe |= {"lower_is_better": lower_is_better, "missing_score": missing_score, "macro": macro}
    recipe |= {"sampled": sampled} if sampled != "items" else {}
    recipe |= {"lower_is_better_scores": lower_scores} if lower_scores and not lower_is_better else {}
    if requested_metrics:
        names = [asked_metric.name for asked_metric in requested_metrics]
        recipe |= {"metrics": names, **signatures(names, rows.answers[0] if rows.answers else ())}
    recipe |= {"skipped": {**rows.provenance.get("skipped", {}), **skipped}} if skipped else {}
    recipe |= {"pass_at": [summary.k for summary in summaries if not summary.all_right]} if pass_at else {}
    recipe |= {"pass_hat": [summary.k for summary in summaries if summary.all_right]} if pass_hat else {}
    recipe |= {"seed": seed_in_recipe(rng)} if several else {}
    recipe |= {} if worst_request is None else worst_request.recipe
    worst_items = (
        None
        if worst_request is None
        else worst_request.result(low, f"the items of the {'highest' if lower_is_better else 'lowest'} mean", tied=tied)
    )
    simultaneous_notes = (
        (Note(f"The intervals of a model hold for all {len(summaries)} values of k together.", DETAIL),)
        if len(summaries) > 1
        else ()
    )
    read_as = () if targets is None else columns_notes(str(targets), of_files.get("read_as"))
    notes = (
        *rows.notes,
        *target_notes,
        *read_as,
        *whole_notes,
        *_direction_notes(rows, directions),
        *incomplete,
        *simultaneous_notes,
    )
    return ScoreTable(rows=tuple(table_rows), worst=worst_items, notes=notes, recipe=recipe)


def _pool_groups(rows: ScoredRows, metrics: Sequence[Metric]) -> tuple[ScoredRows | None, list[str]]:
    """Return the rows of all groups pooled, with document scores, and notes; None if there is nothing to pool."""
    if not rows.has_groups:
        return None, []
    if not rows.can_pool_groups:
        return None, [SAME_ANSWERS_NOTE]
    whole, notes = pool_groups(rows)
    return (add_document_scores(whole, metrics) if metrics else whole), notes


@dataclass(frozen=True, slots=True)
class _Options:
    bounds: Bounds | None
    lower_is_better: bool | None  # None if it is unknown whether high scores are better
    macro: bool
    level: float
    rng: np.random.Generator
    n_simultaneous: int  # number of intervals that hold simultaneously
    sampled: str  # for the mean of groups: items, groups or both


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A summary of the runs of an item in one value: their mean or, with k, the probability that at least one of k runs
    is correct (pass@k), or that all of them are (pass^k)."""

    k: int | None = None
    all_right: bool = False

    def called(self, score: str) -> str:
        """The name of the score after this summary, such as "score pass@3"."""
        return score if self.k is None else f"{score} pass{'^' if self.all_right else '@'}{self.k}"

    def of(self, right: Floats, n: Floats) -> Floats:
        """Return the value of each item. right: the sum of its scores (or the number of correct runs). n: its number of
        runs.

        >>> RunSummary(2).of(np.array([0.0, 1.0, 3.0]), np.full(3, 3.0)).round(4).tolist()
        [0.0, 0.6667, 1.0]
        """
        if self.k is None:
            return right / n
        some = right if self.all_right else n - right
        drawn = np.ones_like(right)
        for i in range(self.k):
            drawn *= np.maximum(some - i, 0.0) / (n - i)
        return drawn if self.all_right else 1.0 - drawn


def as_sequence(k: Sequence[int] | int) -> Sequence[int]:
    """The numbers k as a sequence, even if there is only one."""
    return list(k) if isinstance(k, Iterable) else [k]


def run_summaries(pass_at: Sequence[int] | int, pass_hat: Sequence[int] | int) -> list[RunSummary]:
    """The requested summaries of runs; the mean by default."""
    summaries = [RunSummary(check_integer(k, name="pass_at")) for k in as_sequence(pass_at)]
    summaries += [RunSummary(check_integer(k, name="pass_hat"), all_right=True) for k in as_sequence(pass_hat)]
    return list(dict.fromkeys(summaries)) or [RunSummary()]


@dataclass(frozen=True, slots=True)
class _Cell:
    """The items of a model in a group: their values (n,), clusters and ids (codes), their sizes (n,) in document
    metrics, the errors of its classes in macro averages, and the row of the table for this model and group.
    """

    values: Floats
    units: Integers | None
    items: Integers | None
    sizes: Floats | None
    class_errors: ClassErrors | None
    row: ScoreRow

    @property
    def effective(self) -> float:
        """The effective number of items that count in a metric such as the F1 of a class; infinite in other metrics."""
        if self.sizes is None or self.class_errors is not None:
            return math.inf
        return kish(self.sizes) if self.sizes.any() else 0.0


def _score_rows(
    rows: ScoredRows, name: str, values: Floats, missing: Flags, summary: RunSummary, options: _Options
) -> tuple[list[ScoreRow], list[str]]:
    """The rows of one score, by group, the best model first; and notes on models without a mean of groups."""
    present = values if not np.isnan(values).any() else values[~np.isnan(values)]
    if not len(present):
        raise InputError(f"every {name} is missing, so no rows remain. Is this the right column?")
    if options.bounds is not None:
        check_scales({name: values}, rows.provenance.get("percentages", ()), options.bounds)
        check_within(values, options.bounds, name=name)
    bounds = score_bounds(rows, name, present, options.bounds)
    if summary.k is not None and not ((present == 0.0) | (present == 1.0)).all():
        row = int(np.flatnonzero(~np.isin(values, (0.0, 1.0)) & ~np.isnan(values))[0])
        raise InputError(
            f"{parameter('pass_hat' if summary.all_right else 'pass_at')} is for scores that are 0 or 1; `row {row}` "
            f"is {values[row]:g} in {name}. If another score is meant, name it: `score=...`."
        )
    name = summary.called(name)
    by_group: dict[str | None, list[_Cell]] = {}
    for group, model, positions in iterate_cells(rows, ~np.isnan(values)):
        cell = _cell(rows, values, positions, missing, bounds, options, (name, group, model), summary)
        by_group.setdefault(group, []).append(cell)
    sign = 1.0 if options.lower_is_better else -1.0
    tables = [_rank_cells(cells, rows, bounds, options) for cells in by_group.values()]
    documents = rows.document_scores.get(name)
    metric = None if documents is None else documents.metric
    macro, macro_notes = _macro_rows(by_group, name, bounds, metric, options) if options.macro else ([], [])
    return [row for table in (macro, *tables) for row in _best_first(table, sign)], macro_notes


def _best_first(rows: Sequence[ScoreRow], sign: float) -> list[ScoreRow]:
    """The rows in order of their means, the best first. If the model with the best mean cannot rank first on the shared
    items, because its own items are easier, the rows are ordered by rank.
    """
    ordered = sorted(rows, key=lambda row: highest_first(-sign * row.mean.value, row.model))
    if not ordered or ordered[0].rank_low in (None, 1):
        return ordered
    return sorted(ordered, key=lambda row: row.rank_low or len(ordered))


def _direction(rows: ScoredRows, name: str, *, lower_is_better: bool) -> bool | None:
    """Whether lower values of a score are better, as requested or as the log defines; None for counts."""
    measure = rows.measures.get(name)
    return lower_is_better if measure is None or lower_is_better else measure.lower_is_better


def _direction_notes(rows: ScoredRows, directions: Mapping[str, bool | None]) -> list[str]:
    """Notes on the scores of a log for which lower is better, and on scores for which neither direction is better."""
    lower = [name for name, measure in rows.measures.items() if measure.lower_is_better and directions[name]]
    neither = [name for name, direction in directions.items() if direction is None]
    notes = [f"Lower is better: {', '.join(lower)}."] if lower else []
    return notes + ([f"Not ranked, as neither more nor less is better: {', '.join(neither)}."] if neither else [])


def score_bounds(rows: ScoredRows, name: str, values: Floats, bounds: Bounds | None) -> Bounds | None:
    """Return the bounds of a score: its metric's, the user's, the log's, or (0, 1) for scores of 0 and 1."""
    if name in rows.bounds:
        return rows.bounds[name]
    log_bounds = rows.measures[name].known_bounds(values) if name in rows.measures else None
    return bounds or log_bounds or share_bounds(values)


def _fill_missing(rows: ScoredRows, name: str, missing_score: float | None) -> tuple[Floats, Flags]:
    """Return the scores with `missing_score` filled in, and a mask of the missing scores. If the log named the score, a
    score counts as missing only if the same model has the score in other rows of the group."""
    values = rows.scores[name]
    is_missing = np.isnan(values)
    is_missing &= ~rows.other_scores.get(name, np.False_)
    if rows.named_by_log and is_missing.any():
        cell = cell_codes(rows)
        is_missing &= np.bincount(cell, ~is_missing)[cell] > 0
    if missing_score is not None:
        return np.where(is_missing, missing_score, values), is_missing
    if is_missing.any() and not rows.skip:
        raise InputError(
            f"{name} must not be missing; `row {is_missing.argmax()}` is empty. Count such rows with "
            "`missing_score=0`, or leave them out with `skip_missing=True`."
        )
    return values, is_missing


def _cell(
    rows: ScoredRows,
    scores: Floats,
    positions: Integers,
    missing: Flags,
    bounds: Bounds | None,
    options: _Options,
    names: tuple[str, str | None, str | None],
    summary: RunSummary,
) -> _Cell:
    """The items of a model in a group, each with the summary of its runs."""
    document_scores = rows.document_scores.get(names[0])
    values, runs, items = scores if document_scores is None else document_scores.parts, 1, None
    if len(positions) < len(values):  # otherwise, these are all rows in their order
        values = values[positions]
    sizes = None if document_scores is None else document_scores.sizes[positions]
    units = None if rows.clusters is None else rows.clusters[positions]
    notes: list[str] = []
    ids = rows.coded.get("id")
    if ids is None and summary.k is not None and summary.k > 1:
        raise InputError(f"pass@{summary.k} needs several runs of each item. Give the item of each row as `id=...`.")
    if ids is not None:
        items, first, item_of_row, times = np.unique(
            ids.codes[positions], return_index=True, return_inverse=True, return_counts=True
        )
        runs = int(times.max())
        if runs > 1:
            check_distinct_runs(rows, positions, item_of_row)
            if int(times.min()) < runs:
                notes.append(f"Items have {int(times.min())} to {runs} runs.")
        if summary.k is not None and int(times.min()) < summary.k:
            item = ids.names[ids.codes[positions[first[times.argmin()]]]]
            raise InputError(
                f"{parameter('pass_hat' if summary.all_right else 'pass_at')} must be at most the number of runs of "
                f"each item; item {item!r} has {counted(int(times.min()), 'run')}, k is {summary.k}."
            )
        values = (
            summary.of(np.bincount(item_of_row, values).astype(np.float64), times.astype(np.float64))
            if runs > 1
            else values[first]
        )
        sizes = None if sizes is None else np.bincount(item_of_row, sizes) / times
        units = clusters_of_items(rows, positions, first, item_of_row)
    groups = ItemGroups.of(len(values), clusters=units)
    if units is not None and (few := few_clusters(groups.sizes, bounded=bounds is not None and not document_scores)):
        notes.append(few)
    name, group, model = names
    class_errors = None
    test: MeanScore | JackknifeValue
    if document_scores is not None and sizes is not None:
        class_errors = document_scores.class_errors.get((group, model))
        test = jackknife_value(document_scores.metric, values, sizes, groups, class_errors)
        notes += interval_notes(test, level=options.level, unit="item" if units is None else "cluster")
        mean = _estimate(test, options, len(values), has_interval=True)
    else:
        test = mean_score(values, groups, bounds=bounds)
        if bounds is None:
            tail = (1 - options.level) / options.n_simultaneous / 2
            notes.append(interval_note(values, groups, options.level, tail=tail))
            notes += notes_on_sentinels(values)
        mean = _estimate(test, options, len(values), has_interval=bounds is not None or groups.units > 1)
        if bounds == (0.0, 1.0) and test.value in (0.0, 1.0):
            claim = _one_sided_bound(test.bounds(1 - options.level), best=bool(test.value))
            every = f"All {len(values):,} scores are" if len(values) > 1 else "The only score is"
            notes.append(
                f"{every} {test.value:g}: the mean of such items is {claim} (one-sided, level {options.level:g})."
            )
    n_missing = int(missing[positions].sum())
    row = ScoreRow(name, group, model, len(values), runs, n_missing, mean, notes=tuple(notes), test=test)
    return _Cell(values, units, items, sizes, class_errors, row)


def _one_sided_bound(bounds: Bounds, *, best: bool) -> str:
    """Return a phrase that gives a one-sided bound, rounded away from the estimate."""
    low, high = bounds
    return f"at least {math.floor(1e4 * low) / 1e4:g}" if best else f"at most {math.ceil(1e4 * high) / 1e4:g}"


def _estimate(test: MeanScore | JackknifeValue, options: _Options, n: int, *, has_interval: bool) -> Estimate:
    each = 1 - (1 - options.level) / options.n_simultaneous
    low, high = test.interval(each) if has_interval else (math.nan, math.nan)
    has_interval = not math.isnan(low)
    return Estimate(
        test.value,
        low if has_interval else None,
        high if has_interval else None,
        level=options.level,
        method=test.method,
        n=n,
    )


def _rank_cells(cells: Sequence[_Cell], rows: ScoredRows, bounds: Bounds | None, options: _Options) -> list[ScoreRow]:
    """The rows of the models of a group, with ranks if there are several models and they have items in common."""
    score_rows = [cell.row for cell in cells]
    if len(cells) < 2 or options.lower_is_better is None:
        return score_rows
    if "id" not in rows.coded:
        return without_ranks(score_rows, marked_note("Models are not ranked: name the item of each row (`id`)."))
    if any(cell.effective < MIN_FOR_INTERVAL for cell in cells):
        kind = "clusters" if rows.clusters is not None else "items"
        reason = f"a value is based on effectively fewer than {MIN_FOR_INTERVAL} {kind}"
        return without_ranks(score_rows, Note(f"Models are not ranked: {reason}."))
    scores, units, sizes = _align_items(cells)
    shared, kind = count_shared(scores, units), "items" if units is None else "clusters"
    few = shared < 2
    np.fill_diagonal(few, False)
    if few.sum() == len(cells) * (len(cells) - 1):
        advice = alike_ids_advice(rows.coded["id"])
        reason = f"they have fewer than two {kind} in common"
        return without_ranks(score_rows, Note(f"Models are not ranked: {reason}.{advice}"))
    models, partners = [str(row.model) for row in score_rows], few.sum(axis=1)
    not_compared = [tuple(compress(models, few_shared)) for few_shared in few]
    score_rows = [
        replace(
            row,
            notes=(*row.notes, *not_compared_notes(names, kind, notes=count >= partners[few_shared].max(initial=1))),
            not_compared=names,
        )
        for row, names, few_shared, count in zip(score_rows, not_compared, few, partners, strict=True)
    ]
    missing_items = np.isnan(scores).sum(axis=1).tolist()
    shared_items = count_shared(scores, None)
    np.fill_diagonal(shared_items, 0)
    shared_with = [zip(models, counts, strict=True) for counts in shared_items.tolist()]
    score_rows = [
        replace(row, notes=(*row.notes, *lacking_items_notes(n, scores.shape[1], dict(others))), lacks_items=n > 0)
        for row, n, others in zip(score_rows, missing_items, shared_with, strict=True)
    ]
    return _add_ranks(score_rows, scores, units, None, sizes, bounds, options)


def _align_items(cells: Sequence[_Cell]) -> tuple[Floats, Integers | None, Floats | None]:
    """Return the scores of all items (m, items), NaN if lacking; and the items' clusters and sizes (items,)."""
    items = np.unique(np.concatenate([cell.items for cell in cells if cell.items is not None]))
    scores, units = np.full((len(cells), len(items)), np.nan), np.full(len(items), -1)
    sizes = np.zeros(len(items))
    for model_scores, cell in zip(scores, cells, strict=True):
        positions = np.searchsorted(items, np.zeros(0, np.int64) if cell.items is None else cell.items)
        model_scores[positions] = cell.values
        if cell.sizes is not None:
            sizes[positions] += cell.sizes
        if cell.units is not None:
            differs = (units[positions] >= 0) & (units[positions] != cell.units)
            if differs.any():
                raise InputError(
                    "`clusters=...` must be the same for all models on an item; it differs for "
                    f"{counted(int(differs.sum()), 'item')}. Are the ids right?"
                )
            units[positions] = cell.units
    return scores, None if cells[0].units is None else units, sizes if sizes.any() else None


def _add_ranks(
    rows: Sequence[ScoreRow],
    scores: Floats,
    units: Integers | None,
    weights: Floats | None,
    sizes: Floats | None,
    bounds: Bounds | None,
    options: _Options,
    *,
    crossed: Integers | None = None,
) -> list[ScoreRow]:
    sign = -1.0 if options.lower_is_better else 1.0
    model_ranks = ranks(
        sign * scores,
        units,
        crossed_units=crossed,
        weights=weights,
        sizes=sizes,
        bounds=bounds,
        level=options.level,
        rng=options.rng,
    )
    columns = (
        model_ranks.low.tolist(),
        model_ranks.high.tolist(),
        model_ranks.tier.tolist(),
        model_ranks.best.tolist(),
    )
    return [
        replace(row, rank_low=low, rank_high=high, tier=tier, maybe_best=best)
        for row, low, high, tier, best in zip(rows, *columns, strict=True)
    ]


def _macro_rows(
    by_group: dict[str | None, list[_Cell]], name: str, bounds: Bounds | None, metric: Metric | None, options: _Options
) -> tuple[list[ScoreRow], list[str]]:
    """Return the mean of group means for models in all groups, ranks if all have all items, and notes on others."""
    if len(by_group) < 2:
        return [], []
    if options.sampled == "items":
        by_group = _cluster_shared_items(by_group)
    by_model: dict[str | None, list[_Cell]] = {}
    for cells in by_group.values():
        for cell in cells:
            by_model.setdefault(cell.row.model, []).append(cell)
    complete = [cells for cells in by_model.values() if len(cells) == len(by_group)]
    notes = [
        f"{name}: {model} lacks {counted(len(by_group) - len(cells), 'group')}, so it has no mean of groups"
        for model, cells in by_model.items()
        if len(cells) < len(by_group)
    ]
    rows = [_macro_row(cells, name, bounds, metric, options) for cells in complete]
    if (
        len(complete) < 2
        or options.lower_is_better is None
        or any(cell.items is None for cells in complete for cell in cells)
    ):
        return rows, notes
    blocks = [_align_items([cells[i] for cells in complete]) for i in range(len(by_group))]
    scores = np.concatenate([block for block, _, _ in blocks], axis=1)
    if np.isnan(scores).any():
        return rows, notes
    weights = np.concatenate([np.full(block.shape[1], 1 / block.shape[1]) for block, _, _ in blocks])
    units = [codes for _, codes, _ in blocks if codes is not None]
    shares = [sizes / sizes.sum() for _, _, sizes in blocks if sizes is not None]
    clusters, sizes = (np.concatenate(parts) if parts else None for parts in (units, shares))
    crossed = None
    if options.sampled != "items":
        crossed = _crossed_items(complete[0]) if options.sampled == "both" else None
        clusters = np.repeat(np.arange(len(blocks)), [block.shape[1] for block, _, _ in blocks])
    rows = _add_ranks(rows, scores, clusters, weights, sizes, bounds, options, crossed=crossed)
    return rows, notes if options.sampled == "items" else [*notes, *_few_groups(len(blocks), rows, options)]


def _cluster_shared_items(by_group: dict[str | None, list[_Cell]]) -> dict[str | None, list[_Cell]]:
    """Return the cells, with each item as a cluster if groups share items and no clusters are given."""
    cells = [cell for group_cells in by_group.values() for cell in group_cells]
    if any(cell.units is not None or cell.items is None for cell in cells):
        return by_group
    items = [np.unique(np.concatenate([cell.items for cell in cells])) for cells in by_group.values()]
    if not share_items(np.concatenate(items), len(by_group)):
        return by_group
    return {group: [replace(cell, units=cell.items) for cell in cells] for group, cells in by_group.items()}


def _macro_row(
    cells: Sequence[_Cell], name: str, bounds: Bounds | None, metric: Metric | None, options: _Options
) -> ScoreRow:
    n, runs, missing = (
        sum(cell.row.n for cell in cells),
        max(cell.row.runs for cell in cells),
        sum(cell.row.missing for cell in cells),
    )
    by_item: list[Integers | None] = [cell.units for cell in cells]
    by_group: list[Integers | None] = [np.full(len(cell.values), i) for i, cell in enumerate(cells)]
    crossed = _crossed_items(cells) if options.sampled == "both" else None
    estimates, notes = [], list[str]()
    samples = [by_item] if options.sampled == "items" else [by_group]
    if crossed is not None:
        samples.append(list(np.split(crossed, np.cumsum([len(cell.values) for cell in cells])[:-1])))
    for units in samples:
        groups = [(cell.values, codes) for cell, codes in zip(cells, units, strict=True)]
        if metric is None:
            mean: MeanScore | JackknifeValue = mean_of_groups(groups, bounds=bounds)
            has_interval = not math.isnan(mean.interval(options.level)[0])
            few = "items" if options.sampled == "items" else "groups"
            no_interval = Note(f"No interval: there are too few {few}, or their scores are all equal.", WARNING)
            notes = [] if bounds is not None else [STUDENT_NOTE if has_interval else no_interval]
        else:
            sizes = [np.ones(len(cell.values)) if cell.sizes is None else cell.sizes for cell in cells]
            mean = value_of_groups(metric, groups, sizes)
            class_errors = [cell.class_errors for cell in cells if cell.class_errors is not None]
            if class_errors and units is by_item:
                mean = ClassErrors.of_mean(class_errors).added_to(mean)
            unit = "item" if groups[0][1] is None else "cluster"
            notes = list(interval_notes(mean, level=options.level, unit=unit))
        estimates.append(_estimate(mean, options, n, has_interval=True))
    estimate = estimates[0] if len(estimates) == 1 else add_reaches(estimates, bounds)
    test = mean if len(estimates) == 1 else None
    return ScoreRow(name, MACRO, cells[0].row.model, n, runs, missing, estimate, notes=tuple(notes), test=test)


def _crossed_items(cells: Sequence[_Cell]) -> Integers | None:
    """Return the clusters (or items) of the items of all groups, if some are in several groups. Otherwise return None,
    because the variation of items is then part of the variation of groups."""
    codes = [cell.items if cell.units is None else cell.units for cell in cells]
    present = [code for code in codes if code is not None]
    distinct = [np.unique(code) for code in present]
    if len(present) < len(cells) or len(np.unique(np.concatenate(distinct))) == sum(map(len, distinct)):
        return None
    return np.concatenate(present)


def _few_groups(groups: int, rows: Sequence[ScoreRow], options: _Options) -> list[Note]:
    """A note if there are too few groups for a significant difference, even if a model is better in every group."""
    needed = math.ceil(math.log2(len(rows) * (len(rows) - 1) / (1 - options.level)))
    if groups < needed:
        many = f"{groups} groups are too few to rank {len(rows)} models for groups like these"
        return [Note(f"Cannot tell: {many}; at least {needed} are needed.", WARNING)]
    if groups < MIN_CLUSTERS and all(row.rank_low == 1 and row.rank_high == len(rows) for row in rows):
        large = f"with fewer than {MIN_CLUSTERS}, only large differences can be shown"
        return [
            Note(f"Cannot tell: {groups} groups show no difference of models for groups like these; {large}.", WARNING)
        ]
    return []
