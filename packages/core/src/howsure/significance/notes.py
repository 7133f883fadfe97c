"""Notes on a comparison: caveats in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from howsure.inputs.label_spelling import spellings_note, variants_note
from howsure.inputs.numbers_and_names import counted, shortened
from howsure.notes import marked_note
from howsure.significance.checked_systems import Systems
from howsure.significance.metrics.labels import MIN_FOR_INTERVAL, OneClassRows, rare_labels_note
from howsure.significance.metrics.metric import Metric
from howsure.significance.metrics.probabilities import BINS, alone_in_bin, certain_rows
from howsure.significance.results import Difference
from howsure.stats.clusters import few_clusters

CALIBRATION = ("calibration_error", "squared_calibration_error")
MIN_OF_CLASS = 10  # items of a class; with fewer, intervals of its F1 cover in .71 to .93 instead of .95
MIN_DIFFERING = 10  # items; if fewer scores without bounds differ, intervals cover in .76 to .93 instead of .95
MIN_ITEMS = 6  # with 6 items, the smallest two-sided p is 2 · 2 ** -6 < 0.05
BALANCED = "balanced_accuracy"
OVER_ALL = ("accuracy", "mcc")  # metrics of labels that are not averages over classes


def comparison_notes(
    views: Sequence[tuple[Systems, Sequence[Metric]]], rows: Sequence[Difference], *, bounded: bool
) -> tuple[str, ...]:
    """All notes; views: predictions by form, with their metrics; bounded: whether intervals are Gaffke's."""
    notes: list[str] = []
    for systems, metrics in views:
        notes += _class_notes(systems, metrics) if systems.task == "hard" else ()
        notes += _binning_notes(systems, metrics, rows)
        notes += _bounds_notes(systems, metrics, rows)
        notes += _certainty_notes(systems, metrics)
    return (*notes, *_cluster_notes(views[0][0], bounded=bounded), *_zero_width_notes(views[0][0], rows))


def _class_notes(systems: Systems, metrics: Sequence[Metric]) -> Iterable[str]:
    """Yield notes on predicted classes that are not in the targets, and on target classes never predicted."""
    n = len(systems.labels)
    true = np.bincount(systems.targets, minlength=n)
    rows_by_label = {str(label): rows for label, rows in zip(systems.labels, true.tolist(), strict=True) if rows}
    if spelled := spellings_note(rows_by_label, "labels"):
        yield f"{spelled}."
    averages = any(metric.name not in OVER_ALL for metric in metrics)
    yield from _rare_class_notes(systems, metrics)
    counted_in = set(np.flatnonzero(true) if systems.averaged is None else systems.averaged)
    for name, runs in systems.predictions.items():
        predicted = np.bincount(runs.ravel(), minlength=n)
        strange = np.flatnonzero((predicted > 0) & (true == 0))
        if len(strange):
            what = f"{name} predicts {_label_list(systems, strange)} in {counted(int(predicted[strange].sum()), 'row')}"
            left = [code for code in strange if code not in counted_in]
            outside = "counted as wrong; averages over classes leave it out unless `classes=...` names it"
            fate = outside if left else "counted as wrong, and as a class with the value 0 in averages over classes"
            yield marked_note(f"{what}, never a true label: {fate if averages else 'counted as wrong'}.")
        true_classes = np.flatnonzero(true > 0)
        if note := variants_note(
            [systems.labels[code] for code in true_classes],
            {systems.labels[code]: int(predicted[code]) for code in strange},
        ):
            yield f"{name}: {note}."
        missed = np.flatnonzero((predicted == 0) & (true > 0))
        if len(missed):
            rows = counted(int(true[missed].sum()), "row")
            worth = " Averages over classes count each such class as 0." if averages else ""
            yield f"{name} never predicts {_label_list(systems, missed)}, the true label of {rows}.{worth}"


def _rare_class_notes(systems: Systems, metrics: Sequence[Metric]) -> Iterable[str]:
    """Yield a note on the metrics that depend on few items: those of a rare class."""
    names_by_number: dict[int, list[str]] = {}
    for metric in metrics:
        number = items_of_rare_class(systems, metric)
        if number is not None and number < MIN_OF_CLASS:
            names_by_number.setdefault(number, []).append(metric.name)
    for number, names in names_by_number.items():
        few = f"{', '.join(names)}: only {counted(number, 'item')} of a rare class"
        if number < MIN_FOR_INTERVAL:
            yield f"{few}, too few for an interval (at least {MIN_FOR_INTERVAL} are needed)."
        else:
            yield f"{few}, so the interval may be too narrow."
    true = np.bincount(systems.targets, minlength=len(systems.labels))
    classes = np.arange(len(true)) if systems.averaged is None else systems.averaged
    names = [metric.name for metric in metrics if metric.name.startswith("macro_") or metric.name == BALANCED]
    if names and (note := rare_labels_note(true[classes], kinds=("class", "classes"))):
        yield f"{', '.join(names)}: {note}."


def is_too_rare(systems: Systems, metric: Metric) -> bool:
    """Whether a metric of a rare class has too few items for an interval."""
    number = items_of_rare_class(systems, metric)
    return number is not None and number < MIN_FOR_INTERVAL


def items_of_rare_class(systems: Systems, metric: Metric) -> int | None:
    """Return the number of items of the class of a metric or, for MCC, of all classes but the most frequent one.

    It is None for other metrics, and if there is no such item.
    """
    if systems.task != "hard" or not (isinstance(metric.rows, OneClassRows) or metric.name == "mcc"):
        return None
    true = np.bincount(systems.targets, minlength=len(systems.labels))
    if isinstance(metric.rows, OneClassRows):
        label = str(metric.rows.label)
        return sum(rows for name, rows in zip(systems.labels, true.tolist(), strict=True) if str(name) == label) or None
    return int(true.sum() - true.max()) or None


def _binning_notes(systems: Systems, metrics: Sequence[Metric], rows: Sequence[Difference]) -> Iterable[str]:
    """Yield notes on the bins of a calibration error, omitted rows, and squared errors that were below 0."""
    if any(metric.name in CALIBRATION for metric in metrics):
        alone = {name: alone_in_bin(systems.targets, runs[0]) for name, runs in systems.predictions.items()}
        left = [f"{name} has {counted(rows, 'row')} alone in a bin, left out" for name, rows in alone.items() if rows]
        yield marked_note(
            f"calibration errors here are over {BINS} bins of equal "
            f"width{''.join(f'; {exclusion}' for exclusion in left)}. `howsure.compare_calibration`, with the bins of "
            "`howsure.calibration_error`, has the better interval."
        )
    for row in rows:
        values = {row.against: row.against_value, row.model: row.model_value}
        clipped = [name for name, value in values.items() if row.metric == "calibration_error" and value == 0]
        if clipped:
            yield (
                f"calibration_error of {' and '.join(clipped)} is 0 because the bins deviate no more than by chance. "
                "This does not mean that the model has no error. The interval shows how far apart two such models "
                "may be; p is the p-value of squared_calibration_error."
            )


def _example_of_bounds(metric: str, rows: Sequence[Difference]) -> str:
    """Bounds that the mean scores suggest: proportions or percentages; empty for others."""
    means = [mean for row in rows if row.metric == metric for mean in (row.against_value, row.model_value)]
    if not 0.0 <= min(means, default=-1.0) <= max(means, default=-1.0) <= 100.0:
        return ""
    return f", such as `bounds=[0, {1 if max(means) <= 1.0 else 100}]`"


def _bounds_notes(systems: Systems, metrics: Sequence[Metric], rows: Sequence[Difference]) -> Iterable[str]:
    """Yield notes on the assumption about scores with unknown bounds, and on models that differ in few items."""
    for row in rows if systems.task == "score" else ():
        differing = round(row.n * (row.share_better + row.share_worse))
        is_unbounded = any(metric.bounds is None for metric in metrics if metric.name == row.metric)
        if is_unbounded and math.isfinite(row.low) and 0 < differing < min(MIN_DIFFERING, row.n):
            few = f"only {counted(differing, 'item')} of {row.n:,} differ"
            yield f"{row.model}: {few}, so the interval may be too narrow."
    if systems.task == "score":
        for metric in metrics:
            if metric.bounds is None:
                yield marked_note(
                    f"{metric.name} has no known bounds. Intervals and p can be wrong if it has rare extreme values "
                    f"that do not occur in these {counted(systems.n, 'item')}. If you know its lowest and highest "
                    f"possible value, give them{_example_of_bounds(metric.name, rows)}."
                )


def _certainty_notes(systems: Systems, metrics: Sequence[Metric]) -> Iterable[str]:
    """Yield a note on the models that give a class the probability 1, so that the expected loss may be infinite."""
    names = [metric.name for metric in metrics if metric.infinite_at_zero]
    certain = {name: certain_rows(runs) for name, runs in systems.predictions.items()}
    models = [f"{name} in {counted(rows, 'row')}" for name, rows in certain.items() if rows]
    if names and models:
        yield (
            f"probabilities are exactly 0 or 1 for {shortened(models)}. If one such prediction is wrong, "
            f"{' and '.join(names)} is infinite, so the difference is undefined. Compare the Brier score, or move "
            "the probabilities away from 0 and 1."
        )


def _cluster_notes(systems: Systems, *, bounded: bool) -> Iterable[str]:
    few = None if systems.clusters is None else few_clusters(np.bincount(systems.clusters), bounded=bounded)
    if few is not None:
        yield f"{few}."


def notes_of_group(whole: Systems, part: Systems, *, alternative: str, bounded: bool) -> Iterable[str]:
    """Yield notes on a group that is too small, or whose strata are ignored; bounded: as in `comparison_notes`."""
    n, unit = part.n, "item"
    if part.clusters is not None:
        n, unit = int(part.clusters.max()) + 1, "cluster"
    least = MIN_ITEMS if alternative == "two-sided" else MIN_ITEMS - 1
    if n < least:
        yield f"{counted(n, unit)}: fewer than {least} are too few to show a difference"
    elif part.clusters is not None and (few := few_clusters(np.bincount(part.clusters), bounded=bounded)):
        yield few
    if whole.strata is not None and part.strata is None:
        yield f"strata are ignored, because one stratum has a single {unit}"


def _zero_width_notes(systems: Systems, rows: Sequence[Difference]) -> Iterable[str]:
    """Yield a note if the systems differ on no item or equally on all: width 0, valid only for these items."""
    n, unit = systems.n, "item"
    if systems.clusters is not None:
        n, unit = int(systems.clusters.max()) + 1, "cluster"
    flat = [row for row in rows if row.low == row.high]
    for model in dict.fromkeys(row.model for row in flat):
        names = ", ".join(row.metric for row in flat if row.model == model)
        yield (
            f"{model}, {names}: all {counted(n, unit)} agree, so the interval has no width. It holds only for these; "
            f"up to {1 - 0.05 ** (1 / n):.1%} of others may differ (level 0.95)."
        )


def _label_list(systems: Systems, codes: Iterable[int]) -> str:
    return shortened((repr(systems.labels[code]) for code in codes), limit=6)
