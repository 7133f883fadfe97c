"""Notes on calibration figures: caveats in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from howsure.calibration.bins.bins import Binned
from howsure.calibration.estimates.error import SquaredError
from howsure.calibration.scores.multiclass import MulticlassScores
from howsure.calibration.scores.score_parts import wrong_extremes
from howsure.calibration.scores.whole_rows import holds_whole_rows
from howsure.calibration.summary.slots import Slots
from howsure.inputs.naming import counted, shortened
from howsure.inputs.pairs import Pairs
from howsure.stats.clusters import few_clusters


def notes_of(pairs: Pairs | Slots, binned: Binned, squared: SquaredError, *, weightless: int) -> tuple[str, ...]:
    """All notes that the pairs, their bins and their error require; `weightless` pairs are not among the pairs."""
    return tuple(_notes(pairs, binned, squared, weightless))


def notes_of_error(pairs: Pairs | Slots, binned: Binned, squared: SquaredError, *, weightless: int) -> tuple[str, ...]:
    """Those of the error alone, without those of scores."""
    return tuple(_notes_of_error(pairs, binned, squared, weightless))


def groups_together(pairs: Pairs | Slots) -> str | None:
    """The note about pairs of several groups that are pooled."""
    if isinstance(pairs, Slots) or len(pairs.group_names) < 2:
        return None
    return f"{len(pairs.group_names):,} groups are evaluated together; calibration_table evaluates each"


def notes_by_name(found: Iterable[tuple[str, Sequence[str]]]) -> list[str]:
    """Each note once, preceded by the names of the groups it concerns.

    >>> notes_by_name([("NN", ["one bin only"]), ("VB", []), ("IN", ["one bin only"])])
    ['NN, IN: one bin only']
    """
    about: dict[str, list[str]] = {}
    for name, notes in found:
        for note in notes:
            about.setdefault(note, []).append(name)
    return [f"{shortened(names)}: {note}" for note, names in about.items()]


def infinite_classes(scores: MulticlassScores | None) -> tuple[str, ...]:
    """The note about class probabilities that exclude a label."""
    if scores is None or math.isfinite(scores.log_loss):
        return ()
    return ("a label had the probability 0: the multi-class log loss is infinite",)


def cluster_weights(pairs: Pairs) -> np.typing.NDArray[np.float64]:
    """The weight of each cluster, for pairs that have clusters."""
    assert pairs.clusters is not None
    return np.bincount(pairs.clusters, weights=pairs.weights).astype(np.float64)


def _notes(pairs: Pairs | Slots, binned: Binned, squared: SquaredError, weightless: int) -> Iterator[str]:
    base_rate = float(binned.sums.y.sum() / binned.sums.w1.sum())
    if base_rate in (0.0, 1.0):
        yield f"every label is {int(base_rate)}: refinement carries no information about how well labels are separated"
    yield from _notes_of_error(pairs, binned, squared, weightless)
    if binned.infinite_rows:
        yield f"{wrong_extremes(binned.infinite_rows)}: the log loss is infinite"


def _notes_of_error(pairs: Pairs | Slots, binned: Binned, squared: SquaredError, weightless: int) -> Iterator[str]:
    if weightless:
        yield f"{counted(weightless, 'pair')} of weight 0 {'is' if weightless == 1 else 'are'} ignored"
    if isinstance(pairs, Pairs) and pairs.clusters is not None and (few := few_clusters(cluster_weights(pairs))):
        yield few
    if squared.left_out:
        yield (
            f"{counted(squared.left_out, 'pair')} left out of the debiased error: alone in its bin or outweighed by "
            "one pair in it, a pair carries no information about noise"
        )
    if 2 * squared.left_out > binned.sums.count.sum():
        yield "most pairs are alone in their bin: use fewer and larger bins"
    if isinstance(pairs, Slots) and holds_whole_rows(pairs):
        yield "the classes of a row count as independent pairs: see docs/language-models.md on how intervals then hold"
    if len(binned.sums) == 1:
        yield "one bin only: the error is that of the mean prediction"
