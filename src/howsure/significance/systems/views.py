"""The same predictions for metrics of another kind: the most probable label, or labels as distributions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from howsure.inputs.naming import counted
from howsure.inputs.pairs import Floats, Integers
from howsure.significance.systems.reading import Systems

VIEWS = {
    "hard": ("hard",),
    "soft": ("soft", "hard", "probabilistic"),
    "probabilistic": ("probabilistic", "hard", "soft"),
    "score": ("score",),
}


def seen_as(systems: Systems, task: str) -> Systems:
    """The systems for metrics of one of the kinds `VIEWS[systems.task]`.

    Labels are the most probable class, the first of several (of a single column of probabilities: class 1 above .5);
    labels that are true become distributions with a single 1.
    """
    if task == systems.task:
        return systems
    predictions, targets, names = dict(systems.predictions), systems.targets, systems.labels
    if systems.task == "soft":
        targets, names = targets.argmax(axis=-1), tuple(map(str, range(targets.shape[-1])))
    if task == "hard":
        predictions = {name: _labels(runs) for name, runs in predictions.items()}
    elif task == "soft":
        targets = np.eye(max(len(names), 2))[targets]
        predictions = {name: _of_all_classes(runs) for name, runs in predictions.items()}
        names = ()
    return replace(systems, task=task, targets=targets, predictions=predictions, labels=names)


def view_notes(systems: Systems, tasks: set[str]) -> Iterator[str]:
    """What was made of the predictions and targets for metrics of other kinds than theirs."""
    if "hard" in tasks - {systems.task}:
        tied = sum(_ties(runs) for runs in systems.predictions.values())
        ties = f"; in {counted(tied, 'row')} several are, and the first of these counts" if tied else ""
        yield f"metrics of labels are of the most probable class{ties}."
    if systems.task == "soft" and tasks != {"soft"}:
        tied = _ties(systems.targets)
        ties = f"; in {counted(tied, 'row')} several have, and the first of these counts" if tied else ""
        yield f"metrics of labels and of probabilities take the class with most of y_true for true{ties}."
    if "soft" in tasks - {systems.task}:
        yield "metrics of distributions take each label of y_true for a distribution with a single 1."


def _labels(probabilities: Floats) -> Integers:
    if probabilities.shape[-1] == 1:
        return np.asarray(probabilities[..., 0] > 0.5, dtype=np.int64)
    return np.asarray(probabilities.argmax(axis=-1), dtype=np.int64)


def _of_all_classes(probabilities: Floats) -> Floats:
    if probabilities.shape[-1] > 1:
        return probabilities
    return np.concatenate([1 - probabilities, probabilities], axis=-1)


def _ties(probabilities: Floats) -> int:
    held = _of_all_classes(probabilities)
    return int(((held == held.max(axis=-1, keepdims=True)).sum(axis=-1) > 1).sum())
