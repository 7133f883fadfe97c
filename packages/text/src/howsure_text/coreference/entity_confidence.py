"""Recalibrated confidence in entities, and the effects of recalibration."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from howsure.calibration.curve import binned_curve
from howsure.errors import InputError
from howsure.inputs.checks import listed
from howsure.inputs.numbers_and_names import counted, is_number
from howsure.inputs.pairs import Floats, Integers, Pairs
from howsure.result import Estimate, as_json
from howsure.stats.logistic import fit_logistic, sigmoid
from howsure_text.coreference.antecedents import Antecedents
from howsure_text.coreference.clusterings import Clustering
from howsure_text.coreference.coref_posterior import CorefPosterior
from howsure_text.coreference.gold_comparison import mention_confidence, pairs_from_posteriors

# The confidence in an entity is the expected proportion of pairs of its mentions that truly corefer. Here it is
# recalibrated.

MAX_CONFIDENCE = 1 - 1e-6  # confidences are capped here before recalibration


@dataclass(frozen=True, slots=True)
class ConfidenceMap:
    """A recalibration map for the confidence in the mentions of chosen entities.

    Clusters are chosen for high probabilities, so the mean pair probability within a chosen entity is too high even if
    all pairs are calibrated. several: for entities of several mentions, the log odds of the recalibrated confidence are
    several[0] + several[1] × log odds of the confidence + several[2] × log(number of mentions / 2). alone: for
    singletons, the same without the last term.
    """

    several: tuple[float, float, float] = (0.0, 1.0, 0.0)
    alone: tuple[float, float] = (0.0, 1.0)

    def apply(self, confidence: Floats, labels: Integers) -> Floats:
        """Return the recalibrated confidence in each mention (M,), given the confidence and the labels of entities."""
        sizes = entity_sizes(labels)
        design = _design(confidence, sizes)
        several = design @ np.array(self.several)
        return np.asarray(sigmoid(np.where(sizes > 1, several, design[:, :2] @ np.array(self.alone))))

    def recalibrate(self, judged: Iterable[Judged]) -> list[Judged]:
        """Return the same entities with recalibrated confidence."""
        return [
            Judged(self.apply(document.confidence, document.labels), document.labels, document.right)
            for document in judged
        ]

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> Self:
        """Restore the map from its JSON form. Raises KeyError, TypeError or ValueError for other values."""
        intercept, slope, by_size = map(_finite, state["several"])
        intercept_alone, slope_alone = map(_finite, state["alone"])
        return cls((intercept, slope, by_size), (intercept_alone, slope_alone))


@dataclass(frozen=True, slots=True)
class Judged:
    """The chosen entities of a document, compared with gold.

    confidence (M,): the confidence in each mention. labels (M,): the labels of the chosen entities. right (M,): the
    proportion of the other mentions of its entity with which each mention truly corefers; for a singleton, 1 if it is a
    singleton in gold, otherwise 0.
    """

    confidence: Floats
    labels: Integers
    right: Floats


def right_share(labels: Integers, gold: Integers) -> Floats:
    """Compute `Judged.right` from the labels of chosen and of gold entities.

    >>> right_share(np.array([0, 0, 0, 3]), np.array([0, 0, 2, 3])).tolist()
    [0.5, 0.5, 0.0, 1.0]
    """
    _, chosen = np.unique(labels, return_inverse=True)
    _, true = np.unique(gold, return_inverse=True)
    both = chosen.astype(np.int64) * (int(true.max(initial=0)) + 1) + true
    sizes, together, in_gold = (np.bincount(codes)[codes] for codes in (chosen, both, true))
    return np.asarray(np.where(sizes > 1, (together - 1) / np.maximum(sizes - 1, 1), in_gold == 1))


def fit_confidence(judged: Iterable[Judged]) -> ConfidenceMap:
    """Fit the map by logistic regression; every entity has weight 1, however many mentions it has.

    The fit is shrunk towards no change, as if there were one more entity, so that few entities hardly change the
    confidence.
    """
    documents = list(judged)
    sizes = np.concatenate([entity_sizes(document.labels) for document in documents])
    design = _design(np.concatenate([document.confidence for document in documents]), sizes)
    right = np.concatenate([document.right for document in documents])
    several = sizes > 1

    def fitted(rows: Any, columns: int) -> list[float]:
        centre = np.zeros(columns)
        centre[1] = 1.0
        fit = fit_logistic(
            design[rows][:, :columns], right[rows], 1.0 / sizes[rows], penalty=np.ones(columns), centre=centre
        )
        return [round(value, 6) for value in fit.coefficients.tolist()]

    intercept, slope, by_size = fitted(several, 3)
    intercept_alone, slope_alone = fitted(~several, 2)
    return ConfidenceMap((intercept, slope, by_size), (intercept_alone, slope_alone))


def entity_pairs(judged: Iterable[Judged], *, alone: bool) -> Pairs:
    """Return calibration pairs of the confidence in entities of several mentions (or in singletons, if `alone`).

    If three quarters of an entity's pairs are right, the entity gives a row with label 1 and weight 0.75, and a row
    with label 0 and weight 0.25. The document is the cluster.
    """
    confidence, right, document = [], [], []
    for number, judged_document in enumerate(judged):
        sizes = entity_sizes(judged_document.labels)
        chosen = sizes == 1 if alone else sizes > 1
        _, entity = np.unique(judged_document.labels[chosen], return_inverse=True)
        counts = np.maximum(np.bincount(entity), 1)
        confidence.append(np.bincount(entity, judged_document.confidence[chosen]) / counts)
        right.append(np.bincount(entity, judged_document.right[chosen]) / counts)
        document.append(np.full(len(counts) if chosen.any() else 0, number))
    p, y, d = (np.concatenate([np.empty(0), *parts]) for parts in (confidence, right, document))
    weights = np.concatenate([y, 1.0 - y])
    labels = np.repeat(np.array([1, 0], dtype=np.uint8), len(y))
    kept = weights > 0.0
    clusters = np.concatenate([d, d])[kept].astype(np.int64)
    probabilities = np.clip(np.concatenate([p, p])[kept], 0.0, 1.0)
    return Pairs(labels[kept], probabilities, weights=weights[kept], clusters=clusters)


def entity_sizes(labels: Integers) -> Integers:
    """Return the number of mentions in the entity of each mention, (M,)."""
    _, codes = np.unique(labels, return_inverse=True)
    return np.asarray(np.bincount(codes)[codes])


def _design(confidence: Floats, sizes: Integers) -> Floats:
    p = np.clip(confidence, 1.0 - MAX_CONFIDENCE, MAX_CONFIDENCE)
    return np.column_stack([np.ones(len(p)), np.log(p) - np.log1p(-p), np.log(np.maximum(sizes, 2) / 2)])


def _finite(value: Any) -> float:
    if not is_number(value) or not np.isfinite(value):
        raise ValueError(f"{value!r} is not a finite number")
    return float(value)


# A decision is a way to choose entities from a posterior. The chosen entities are compared with gold.

Decision = str
DECISIONS = ("best", "minimum-risk")


def judged_entities(posteriors: Sequence[CorefPosterior], gold: Sequence[Integers], decision: Decision) -> list[Judged]:
    """Choose entities of documents, and compare them with gold; the confidence is that of the posteriors."""
    documents = []
    for posterior, true in zip(posteriors, gold, strict=True):
        labels = posterior.labels(choose_entities(posterior, decision))
        documents.append(Judged(mention_confidence(posterior, labels), labels, right_share(labels, true)))
    return documents


def choose_entities(posterior: CorefPosterior, decision: Decision) -> list[list[Any]]:
    """Return the entities that result from every mention's best antecedent, or from minimum risk."""
    return posterior.best_antecedent_clusters() if decision == "best" else posterior.minimum_risk_clusters()


def check_documents(
    posteriors: Iterable[CorefPosterior], gold: Iterable[Clustering]
) -> tuple[list[CorefPosterior], list[Integers]]:
    """Check and return posteriors, and the labels of gold clusters; raise InputError if they do not match."""
    if isinstance(posteriors, CorefPosterior):
        raise InputError("posteriors must be a list with the posterior of each of several documents.")
    checked = listed(posteriors, name="posteriors", of="posteriors")
    golden = listed(gold, name="gold", of="clusterings")
    if len(checked) != len(golden):
        raise InputError(f"posteriors and gold must be of the same documents; they have {len(checked)}, {len(golden)}.")
    labels = []
    for place, (posterior, clusters) in enumerate(zip(checked, golden, strict=True)):
        if not isinstance(posterior, CorefPosterior):
            raise InputError(f"posteriors must contain CorefPosterior; document {place} is {type(posterior).__name__}.")
        try:
            labels.append(posterior.labels(clusters))
        except InputError as error:
            raise error.inside(f"document {place}") from None
    if not any(len(clusters) > 1 for clusters in checked):
        raise InputError(
            f"posteriors must contain a document with two mentions or more; {counted(len(checked), 'document')} have "
            "fewer, so nothing can be learned."
        )
    return checked, labels


# The effects of recalibration on the errors of pairs, new mentions, best antecedents and entities.

BIN_SIZE, MIN_BINS = 5_000, 20  # the bin size of Nguyen & O'Connor (2015), used if there are at least this many bins


@dataclass(frozen=True, slots=True, kw_only=True)
class Errors:
    """Errors of predictions.

    squared: the mean squared difference (Brier score). algorithm1_error: the calibration error by Algorithm 1 of Nguyen
    & O'Connor (2015), which includes noise. error: the debiased calibration error, with the interval [low, high].
    """

    squared: float
    algorithm1_error: float = as_json("algorithm_1")
    error: float
    low: float
    high: float

    @classmethod
    def of(cls, pairs: Pairs) -> Self:
        """Compute the errors of calibration pairs, in bins of 5,000 pairs if there are at least 20 such bins."""
        curve = binned_curve(pairs, bin_size=BIN_SIZE if len(pairs) >= MIN_BINS * BIN_SIZE else "auto")
        error = curve.error
        low, high = (math.nan if end is None else end for end in (error.low, error.high))
        squared = float(np.average((pairs.probabilities - pairs.labels) ** 2, weights=pairs.weights))
        plugin = curve.algorithm1_error.value
        return cls(squared=squared, algorithm1_error=plugin, error=error.value, low=low, high=high)

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> Self:
        """Restore the errors from their JSON form."""
        keys = {"squared": "squared", "algorithm1_error": "algorithm_1", "error": "error", "low": "low", "high": "high"}
        return cls(**{name: math.nan if state[key] is None else float(state[key]) for name, key in keys.items()})

    @property
    def estimate(self) -> Estimate:
        return Estimate(self.error, self.low, self.high, level=0.95, method="debiased", n=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """The errors of one kind of prediction before and after recalibration; n: the number of predictions."""

    name: str = as_json("predictions")
    n: int
    before: Errors
    after: Errors

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> Self:
        """Restore the effect from its JSON form. Raises KeyError, TypeError or ValueError for other values."""
        before, after = (Errors.from_dict(state[when]) for when in ("before", "after"))
        return cls(name=str(state["predictions"]), n=int(state["n"]), before=before, after=after)


@dataclass(frozen=True, slots=True)
class Side:
    """Predictions for documents before or after a recalibration: posteriors, and chosen entities."""

    posteriors: Sequence[CorefPosterior]
    judged: Sequence[Judged]


def recalibration_effects(before: Side, after: Side, gold: Sequence[Integers]) -> tuple[Effect, ...]:
    """Compare the errors of all kinds of predictions before and after, on the same documents.

    gold: for each document, the labels of its mentions. A kind without predictions, before or after, is left out.
    """
    kinds: Mapping[str, Callable[[Side], Pairs]] = {
        "pairs": lambda side: pairs_from_posteriors(side.posteriors, gold),
        "new mentions": lambda side: _new_mention_pairs(side.posteriors, gold),
        "best antecedents": lambda side: _best_antecedent_pairs(side.posteriors, gold),
        "entities": lambda side: entity_pairs(side.judged, alone=False),
        "lone mentions": lambda side: entity_pairs(side.judged, alone=True),
    }
    effects = []
    for name, pairs_of in kinds.items():
        first, second = pairs_of(before), pairs_of(after)
        if len(first) and len(second):
            n = len(second) if second.weights is None else round(float(second.weights.sum()))
            effects.append(Effect(name=name, n=n, before=Errors.of(first), after=Errors.of(second)))
    return tuple(effects)


def _new_mention_pairs(posteriors: Sequence[CorefPosterior], gold: Sequence[Integers]) -> Pairs:
    """Return calibration pairs: P(mention is new), and whether it is the first mention of its entity."""
    first = []
    for labels in gold:
        begins = np.zeros(len(labels), dtype=np.uint8)
        begins[np.unique(labels, return_index=True)[1]] = 1
        first.append(begins)
    p = np.concatenate([posterior.antecedents.new for posterior in posteriors])
    return Pairs(
        np.concatenate(first),
        np.clip(p, 0.0, 1.0),
        clusters=_document_numbers([len(gold_labels) for gold_labels in gold]),
    )


def _best_antecedent_pairs(posteriors: Sequence[CorefPosterior], gold: Sequence[Integers]) -> Pairs:
    """Return calibration pairs: P(j ~ best antecedent of j) for every mention j with an antecedent; do they corefer?"""
    p: list[Floats] = []
    same = []
    for posterior, labels in zip(posteriors, gold, strict=True):
        links = _best_links(posterior.antecedents)
        p.append(posterior.pair_probability(links))
        same.append((labels[links[:, 0]] == labels[links[:, 1]]).astype(np.uint8))
    return Pairs(
        np.concatenate(same), np.concatenate(p), clusters=_document_numbers([len(probabilities) for probabilities in p])
    )


def _best_links(antecedents: Antecedents) -> Integers:
    """Return mentions with an antecedent and their most probable antecedents, (N, 2); of several, the nearest."""
    links = []
    for j in range(len(antecedents)):
        earlier, p = antecedents.row(j)
        if len(p):
            links.append((j, int(earlier[len(p) - 1 - int(p[::-1].argmax())])))
    return np.array(links, dtype=np.int64).reshape(-1, 2)


def _document_numbers(sizes: Sequence[int]) -> Integers:
    return np.repeat(np.arange(len(sizes)), sizes)
