"""What recalibration gains and loses: pairs, new mentions, best antecedents and entities, before and after."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from howsure.calibration.curve import curve_of
from howsure.coreference.posterior.antecedents import Antecedents
from howsure.coreference.posterior.calibration_pairs import pairs_from_posteriors
from howsure.coreference.posterior.coref_posterior import CorefPosterior
from howsure.coreference.recalibration.entity_confidence import Judged, entity_pairs
from howsure.inputs.pairs import Floats, Integers, Pairs

BIN_SIZE, BINS_AT_LEAST = 5_000, 20  # the bins of the paper, where there are pairs for so many of them


@dataclass(frozen=True, slots=True)
class Errors:
    """How far predictions are from what is true: squared, the mean squared difference (Brier score); algorithm_1, the
    calibration error as in the paper, which counts noise as error; and the debiased one, error, in [low, high]."""

    squared: float
    algorithm_1: float
    error: float
    low: float
    high: float

    @classmethod
    def of(cls, pairs: Pairs) -> Self:
        """The errors of pairs, in bins of 5,000 if they fill twenty."""
        curve = curve_of(pairs, bin_size=BIN_SIZE if len(pairs) >= BINS_AT_LEAST * BIN_SIZE else "auto")
        error = curve.debiased_error
        ends = (float("nan") if end is None else end for end in (error.low, error.high))
        squared = np.average((pairs.probabilities - pairs.labels) ** 2, weights=pairs.weights)
        return cls(float(squared), curve.error.value, error.value, *ends)


@dataclass(frozen=True, slots=True)
class Effect:
    """One kind of prediction: what it is, how many there are, and its errors before and after."""

    name: str
    n: int
    before: Errors
    after: Errors


@dataclass(frozen=True, slots=True)
class Side:
    """What is said of documents: their posteriors, and the chosen entities with their confidence."""

    posteriors: Sequence[CorefPosterior]
    judged: Sequence[Judged]


def effects_of(before: Side, after: Side, gold: Sequence[Integers]) -> tuple[Effect, ...]:
    """The errors of all kinds of predictions on the same documents; gold: labels of the mentions of each.

    A kind of which there are no predictions, on one side or the other, is left out.
    """
    kinds: Mapping[str, Callable[[Side], Pairs]] = {
        "pairs": lambda side: pairs_from_posteriors(side.posteriors, gold),
        "new mentions": lambda side: _new(side.posteriors, gold),
        "best antecedents": lambda side: _best(side.posteriors, gold),
        "entities": lambda side: entity_pairs(side.judged, alone=False),
        "lone mentions": lambda side: entity_pairs(side.judged, alone=True),
    }
    found = []
    for name, pairs_of in kinds.items():
        first, second = pairs_of(before), pairs_of(after)
        if len(first) and len(second):
            n = len(second) if second.weights is None else round(float(second.weights.sum()))
            found.append(Effect(name, n, Errors.of(first), Errors.of(second)))
    return tuple(found)


def effect_to_dict(effect: Effect) -> dict[str, Any]:
    """The JSON form."""
    sides = {
        when: {name: _finite_or_none(getattr(side, name)) for name in Errors.__slots__}
        for when, side in (("before", effect.before), ("after", effect.after))
    }
    return {"predictions": effect.name, "n": effect.n, **sides}


def effect_from_dict(held: Mapping[str, Any]) -> Effect:
    """What `effect_to_dict` gave. Raises KeyError, TypeError or ValueError for something else."""
    before, after = (
        Errors(*(float("nan") if held[when][name] is None else float(held[when][name]) for name in Errors.__slots__))
        for when in ("before", "after")
    )
    return Effect(str(held["predictions"]), int(held["n"]), before, after)


def _finite_or_none(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _new(posteriors: Sequence[CorefPosterior], gold: Sequence[Integers]) -> Pairs:
    """P(mention is new), and whether it is the first of its entity."""
    first = []
    for labels in gold:
        begins = np.zeros(len(labels), dtype=np.uint8)
        begins[np.unique(labels, return_index=True)[1]] = 1
        first.append(begins)
    p = np.concatenate([one.antecedents.new for one in posteriors])
    return Pairs(np.concatenate(first), np.clip(p, 0.0, 1.0), clusters=_documents([len(one) for one in gold]))


def _best(posteriors: Sequence[CorefPosterior], gold: Sequence[Integers]) -> Pairs:
    """P(j ~ its best antecedent), of every mention that has an antecedent, and whether they corefer."""
    p: list[Floats] = []
    same = []
    for posterior, labels in zip(posteriors, gold, strict=True):
        links = _best_links(posterior.antecedents)
        p.append(posterior.pair_probability(links))
        same.append((labels[links[:, 0]] == labels[links[:, 1]]).astype(np.uint8))
    return Pairs(np.concatenate(same), np.concatenate(p), clusters=_documents([len(one) for one in p]))


def _best_links(held: Antecedents) -> Integers:
    """(N, 2): mentions that have an antecedent, and their most probable one; of several the nearest."""
    found = []
    for j in range(len(held)):
        earlier, p = held.row(j)
        if len(p):
            found.append((j, int(earlier[len(p) - 1 - int(p[::-1].argmax())])))
    return np.array(found, dtype=np.int64).reshape(-1, 2)


def _documents(sizes: Sequence[int]) -> Integers:
    return np.repeat(np.arange(len(sizes)), sizes)
