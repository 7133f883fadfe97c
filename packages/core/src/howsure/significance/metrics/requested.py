"""The requested metrics of a comparison, with the predictions in the form that each metric needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from howsure.errors import InputError
from howsure.inputs.numbers_and_names import shortened
from howsure.inputs.pairs import Integers
from howsure.significance.checked_systems import VIEWS, Systems, view_as
from howsure.significance.metrics.documents import counted
from howsure.significance.metrics.labels import PER_CLASS, class_not_used, metric_of_class
from howsure.significance.metrics.metric import CONTENT_OF_TASK, DOCUMENT, Metric, find_metric, metric_names

DEFAULTS = {
    "hard": ("accuracy", "macro_precision", "macro_recall", "macro_f1"),
    "soft": ("cross_entropy", "jensen_shannon_divergence", "entropy_similarity", "entropy_correlation"),
    "probabilistic": ("log_loss", "multiclass_brier"),
}
BOOSTSA_SOFT = ("jensen_shannon_distance", "clipped_cross_entropy", "entropy_similarity", "entropy_correlation")
OF_CLASS = tuple(PER_CLASS)
BRIER = ("brier", "multiclass_brier")


@dataclass(frozen=True, slots=True)
class Requested:
    """Metrics of one task, with the systems' predictions in the form that these metrics need.

    source: the predictions in their original form. places: the indices of these metrics among all requested metrics.
    """

    systems: Systems
    metrics: tuple[Metric, ...]
    source: Systems
    places: tuple[int, ...]

    def select_items(self, items: Integers) -> Requested:
        """Return the same metrics for some of the items, which are given by their indices."""
        return replace(self, systems=self.systems.select_items(items))


def requested_order(requested: Sequence[Requested]) -> list[str]:
    """The names of all metrics in the requested order."""
    placed = [pair for request in requested for pair in zip(request.places, request.metrics, strict=True)]
    return [metric.name for _, metric in sorted(placed, key=lambda pair: pair[0])]


def named_metrics(metrics: object) -> list[str | Metric] | None:
    """The requested metrics as a list; None if they depend on the kind of predictions."""
    if metrics is None:
        return None
    metric_list = [metrics] if isinstance(metrics, (str, Metric)) else metrics
    if not isinstance(metric_list, Sequence) or not all(isinstance(metric, (str, Metric)) for metric in metric_list):
        raise InputError(f"metrics must be the name of a metric, a Metric, or a list of these; it is {metrics!r}.")
    return list(metric_list)


def metrics_and_class(metrics: Any) -> dict[str, Any]:
    """The arguments `metrics` and, from a mapping of metrics to a class, `target_class`."""
    if not isinstance(metrics, Mapping):
        return {"metrics": metrics}
    classes = list(dict.fromkeys(metrics.values()))
    if len(classes) > 1:
        raise InputError(f"`metrics` must name one class; they name {shortened(map(repr, classes))}.")
    return {"metrics": list(metrics), "target_class": classes[0] if classes else None}


def requested_metrics(
    metrics: Sequence[str | Metric] | None, systems: Systems, *, method: str | None, target_class: object
) -> list[Requested]:
    """Group the metrics by the kind of predictions that they need, in the requested order."""
    if metrics is None:
        metrics = _defaults(systems, method, target_class)
    if not metrics:
        raise InputError("metrics must name one metric or more; it is empty.")
    if target_class is not None and not (
        "hard" in VIEWS[systems.task] and any(metric in OF_CLASS for metric in metrics)
    ):
        raise class_not_used(metrics)
    resolved_metrics = [find_applicable(name, systems, target_class) for name in metrics]
    twice = [
        metric.name for metric in resolved_metrics if sum(metric.name == other.name for other in resolved_metrics) > 1
    ]
    if twice:
        raise InputError(f"metrics must be different; {twice[0]} is named twice.")
    tasks = dict.fromkeys(metric.task for metric in resolved_metrics)
    return [_request_for_task(resolved_metrics, task, systems) for task in tasks]


def _request_for_task(all_metrics: Sequence[Metric], task: str, systems: Systems) -> Requested:
    placed_metrics = [(metric, position) for position, metric in enumerate(all_metrics) if metric.task == task]
    metrics, positions = zip(*placed_metrics, strict=True)
    if task == DOCUMENT:
        first = next(iter(systems.predictions))
        arrays, taking = counted(metrics, systems.targets, systems.predictions, systems.problem(first, first))
        sums = replace(systems, targets=np.zeros((systems.n, 1)), predictions=arrays)
        return Requested(sums, taking, systems, positions)
    return Requested(view_as(systems, task), metrics, systems, positions)


def find_applicable(name: str | Metric, systems: Systems, target_class: object) -> Metric:
    """The metric with a name, for the predictions of these systems or predictions to which they can be converted."""
    kinds = VIEWS[systems.task]
    if isinstance(name, Metric):
        if name.task not in kinds:
            kinds = CONTENT_OF_TASK[name.task], CONTENT_OF_TASK[systems.task]
            raise InputError(f"{name.name} is a metric of {kinds[0]}, but these predictions are {kinds[1]}.")
        return name
    if name in OF_CLASS and "hard" in kinds:
        metric = metric_of_class(name, target_class)
        as_labels = view_as(systems, "hard")
        first = next(iter(as_labels.predictions))
        as_labels.problem(first, first).code(target_class)
        return metric
    task = next((kind for kind in kinds if name in metric_names(kind)), systems.task)
    if name in BRIER and task == "probabilistic":
        width = next(iter(systems.predictions.values())).shape[-1]
        right = BRIER[width > 1]
        if name != right:
            of = "one class" if width == 1 else f"{width} classes"
            raise InputError(f"the Brier score of probabilities of {of} is called {right!r}, not {name!r}.")
    return find_metric(name, task)


def _defaults(systems: Systems, method: str | None, target_class: object) -> tuple[str, ...]:
    if method == "mcnemar" and "hard" in VIEWS[systems.task]:
        return ("accuracy",)
    if systems.task == "hard" and target_class is not None:
        return (*DEFAULTS["hard"], *OF_CLASS)
    if systems.task == "soft" and method == "boostsa":
        return BOOSTSA_SOFT
    if systems.task == "probabilistic" and next(iter(systems.predictions.values())).shape[-1] == 1:
        return ("log_loss", "brier")
    return DEFAULTS[systems.task]
