"""The confidence in entities, mended: as often as it says, two mentions of an entity are one and the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np

from howsure.inputs.numbers import is_number
from howsure.inputs.pairs import Floats, Integers, Pairs
from howsure.stats.logistic import fit_logistic, sigmoid

MOST = 1 - 1e-6  # a confidence is at most as sure as this before it is mended


@dataclass(frozen=True, slots=True)
class ConfidenceMap:
    """From the confidence that a posterior has in a mention of an entity to what gold entities say of such mentions.

    A choice of clusters picks what looks probable, so that the mean pair probability within a chosen entity is too high
    even if all pairs are calibrated. several: log odds of the mended confidence are several[0] + several[1] × log odds
    of the confidence + several[2] × log(number of mentions / 2). alone: the same without the last, for a mention that
    is an entity of its own.
    """

    several: tuple[float, float, float] = (0.0, 1.0, 0.0)
    alone: tuple[float, float] = (0.0, 1.0)

    def apply(self, confidence: Floats, labels: Integers) -> Floats:
        """The mended confidence of each mention (M,), given its confidence and the labels of the entities."""
        sizes = sizes_of(labels)
        design = _design(confidence, sizes)
        several = design @ np.array(self.several)
        found: Floats = sigmoid(np.where(sizes > 1, several, design[:, :2] @ np.array(self.alone)))
        return found

    def mend(self, judged: Iterable[Judged]) -> list[Judged]:
        """The same entities with their mended confidence."""
        return [Judged(self.apply(one.confidence, one.labels), one.labels, one.right) for one in judged]

    def to_dict(self) -> dict[str, list[float]]:
        """The JSON form."""
        return {name: list(values) for name, values in asdict(self).items()}

    @classmethod
    def from_dict(cls, held: Mapping[str, Any]) -> Self:
        """What `to_dict` gave. Raises KeyError, TypeError or ValueError for something else."""
        intercept, slope, by_size = map(_finite, held["several"])
        intercept_alone, slope_alone = map(_finite, held["alone"])
        return cls((intercept, slope, by_size), (intercept_alone, slope_alone))


@dataclass(frozen=True, slots=True)
class Judged:
    """Chosen entities of a document beside gold: the confidence in each mention (M,), the labels of the chosen entities
    (M,), and right (M,): the share of the other mentions of its entity with which it truly corefers; of a lone mention,
    whether it is alone in gold."""

    confidence: Floats
    labels: Integers
    right: Floats


def right_share(labels: Integers, gold: Integers) -> Floats:
    """What `Judged.right` holds, of the labels of chosen and of gold entities.

    >>> right_share(np.array([0, 0, 0, 3]), np.array([0, 0, 2, 3])).tolist()
    [0.5, 0.5, 0.0, 1.0]
    """
    _, chosen = np.unique(labels, return_inverse=True)
    _, true = np.unique(gold, return_inverse=True)
    both = chosen.astype(np.int64) * (int(true.max(initial=0)) + 1) + true
    sizes, together, in_gold = (np.bincount(codes)[codes] for codes in (chosen, both, true))
    found: Floats = np.where(sizes > 1, (together - 1) / np.maximum(sizes - 1, 1), in_gold == 1)
    return found


def fit_confidence(judged: Iterable[Judged]) -> ConfidenceMap:
    """The map under which what is right is most probable; every entity counts once, however many mentions it has.

    A logistic regression, drawn towards no change with the weight of one entity, so that few entities change little.
    """
    held = list(judged)
    sizes = np.concatenate([sizes_of(one.labels) for one in held])
    design = _design(np.concatenate([one.confidence for one in held]), sizes)
    right = np.concatenate([one.right for one in held])
    several = sizes > 1

    def fitted(rows: Any, columns: int) -> list[float]:
        centre = np.zeros(columns)
        centre[1] = 1.0
        found = fit_logistic(
            design[rows][:, :columns], right[rows], 1.0 / sizes[rows], penalty=np.ones(columns), centre=centre
        )
        return [round(value, 6) for value in found.coefficients.tolist()]

    intercept, slope, by_size = fitted(several, 3)
    intercept_alone, slope_alone = fitted(~several, 2)
    return ConfidenceMap((intercept, slope, by_size), (intercept_alone, slope_alone))


def entity_pairs(judged: Iterable[Judged], *, alone: bool) -> Pairs:
    """The confidence in every entity of several mentions, or in every lone mention, and whether it is right.

    An entity whose pairs are right by three quarters is a row of weight 0.75 with label 1, and one of weight 0.25 with
    label 0. The document is the cluster.
    """
    confidence, right, document = [], [], []
    for number, one in enumerate(judged):
        sizes = sizes_of(one.labels)
        chosen = sizes == 1 if alone else sizes > 1
        _, entity = np.unique(one.labels[chosen], return_inverse=True)
        counts = np.maximum(np.bincount(entity), 1)
        confidence.append(np.bincount(entity, one.confidence[chosen]) / counts)
        right.append(np.bincount(entity, one.right[chosen]) / counts)
        document.append(np.full(len(counts) if chosen.any() else 0, number))
    p, y, d = (np.concatenate([np.empty(0), *parts]) for parts in (confidence, right, document))
    weights = np.concatenate([y, 1.0 - y])
    labels = np.repeat(np.array([1, 0], dtype=np.uint8), len(y))
    kept = weights > 0.0
    clusters = np.concatenate([d, d])[kept].astype(np.int64)
    probabilities = np.clip(np.concatenate([p, p])[kept], 0.0, 1.0)
    return Pairs(labels[kept], probabilities, weights=weights[kept], clusters=clusters)


def sizes_of(labels: Integers) -> Integers:
    """The number of mentions in the entity of each mention, (M,)."""
    _, codes = np.unique(labels, return_inverse=True)
    sizes: Integers = np.bincount(codes)[codes]
    return sizes


def _design(confidence: Floats, sizes: Integers) -> Floats:
    p = np.clip(confidence, 1.0 - MOST, MOST)
    return np.column_stack([np.ones(len(p)), np.log(p) - np.log1p(-p), np.log(np.maximum(sizes, 2) / 2)])


def _finite(value: Any) -> float:
    if not is_number(value) or not np.isfinite(value):
        raise ValueError(f"{value!r} is not a finite number")
    return float(value)
