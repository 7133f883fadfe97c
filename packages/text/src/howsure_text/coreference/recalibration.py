"""Recalibration of coreference with gold entities: of probabilities (sharpening) and of the confidence in entities."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Self

from howsure import __version__
from howsure.errors import InputError
from howsure.files.atomic_write import Place, write_atomically
from howsure.files.input_files import opened, parsed_json
from howsure.inputs.checks import listed
from howsure.inputs.numbers_and_names import check_number, unknown_name
from howsure.inputs.pairs import Floats, Integers
from howsure.result import Result
from howsure.show.table import COUNT, ESTIMATE, NUMBER, WORDS, Column
from howsure_text.coreference.clusterings import Clustering
from howsure_text.coreference.coref_posterior import CorefPosterior
from howsure_text.coreference.entity_confidence import (
    DECISIONS,
    ConfidenceMap,
    Decision,
    Effect,
    Side,
    check_documents,
    fit_confidence,
    judged_entities,
    recalibration_effects,
)
from howsure_text.coreference.gold_comparison import mention_confidence
from howsure_text.coreference.sharpening import SCORES, Score, Sharpening, fit_sharpening

# The recalibration, which is fitted to documents with gold entities.

WEIGHT_OF_NEW = 0.3
MIN_DOCUMENTS = 2
MAX_BYTES = 1 << 20  # maximum size of a file


@dataclass(frozen=True, slots=True, repr=False)
class CoreferenceRecalibration(Result):
    """The result of `recalibrate_coreference`: a recalibration of posteriors, and its effects on errors.

    sharpening: the change of the antecedent distributions, and therefore of pair probabilities, counts and samples;
    None if these are unchanged. confidence: for each decision ("best", "minimum-risk") by which entities are chosen,
    the map of the confidence in these entities. effects: errors of pairs, new mentions, best antecedents, entities and
    singletons, before and after, on the documents of the fit. documents: the number of these documents. notes: what
    could not be estimated.
    """

    sharpening: Sharpening | None
    confidence: Mapping[Decision, ConfidenceMap]
    effects: tuple[Effect, ...]
    documents: int
    recipe: dict[str, Any]
    notes: tuple[str, ...] = ()

    description = ""

    def apply(self, posterior: CorefPosterior) -> CorefPosterior:
        """Return the recalibrated posterior.

        posterior: a posterior of the same model as in the fit, which is not recalibrated yet.
        """
        return _sharpened(posterior, self.sharpening)

    def mention_confidence(self, posterior: CorefPosterior, clusters: object, *, decision: Decision = "best") -> Floats:
        """Return the recalibrated confidence in every mention, (M,).

        posterior: a recalibrated posterior. clusters: the entities chosen from it by `decision`. The confidence in a
        mention is the probability that it truly corefers with another, randomly chosen mention of its entity; for a
        singleton, the probability that it is a singleton. The mean over an entity is the confidence in the entity: the
        probability that two randomly chosen mentions of it corefer.
        """
        if decision not in self.confidence:
            raise unknown_name("decision", str(decision), list(self.confidence), place="the recalibration")
        labels = posterior.labels(clusters)
        return self.confidence[decision].apply(mention_confidence(posterior, labels), labels)

    def judge(
        self,
        posteriors: Iterable[CorefPosterior],
        gold: Iterable[Clustering],
        *,
        before: Iterable[CorefPosterior] | None = None,
        had: CoreferenceRecalibration | None = None,
    ) -> CoreferenceRecalibration:
        """Return the same recalibration with its effects on documents that it was not fitted to.

        The arguments, and the InputErrors raised, are those of `recalibrate_coreference`.
        """
        checked, labels = check_documents(posteriors, gold)
        plain = checked if before is None else listed(before, name="before", of="posteriors")
        effects = _effects(self.sharpening, self.confidence, plain, had, checked, labels)
        return CoreferenceRecalibration(
            self.sharpening,
            self.confidence,
            effects,
            len(checked),
            {**self.recipe, "judged_on": len(checked)},
            self.notes,
        )

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> Self:
        """Restore from the result of `to_dict`; KeyError, TypeError, ValueError or InputError for other values."""
        return cls(
            sharpening=None if state["sharpening"] is None else Sharpening.from_dict(state["sharpening"]),
            confidence={name: ConfidenceMap.from_dict(state["confidence"][name]) for name in DECISIONS},
            effects=tuple(map(Effect.from_dict, state["effects"])),
            documents=int(state["documents"]),
            recipe=dict(state["recipe"]),
            notes=tuple(map(str, state["notes"])),
        )

    def save(self, path: Place) -> None:
        """Write the recalibration as JSON to a file that `load` reads, replacing an existing file."""
        content = json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        try:
            write_atomically(content.encode(), path)
        except OSError as error:
            raise InputError(f"cannot write {path}: {error.strerror or error}.") from error

    @classmethod
    def load(cls, path: Place) -> Self:
        """Read a recalibration that `save` wrote."""
        try:
            with opened(path) as file:
                content = file.read(MAX_BYTES + 1)
        except OSError as error:
            raise InputError(f"cannot read {path}: {error.strerror or error}.") from error
        try:
            return cls.from_dict(parsed_json(content))
        except (AttributeError, KeyError, TypeError, ValueError, OverflowError, InputError) as error:
            raise InputError(f"{path} is not a recalibration of coreference ({str(error)[:80]}).") from None

    def table_rows(self) -> Sequence[Effect]:
        """The effects, one per kind of prediction."""
        return self.effects

    def columns(self) -> Sequence[Column]:
        """The errors before and after."""
        return [
            Column("predictions", WORDS, get=lambda row: row.name),
            Column("n", COUNT),
            Column("squared_before", NUMBER, "squared error", get=lambda row: row.before.squared, detail=True),
            Column("squared_after", NUMBER, "squared error after", get=lambda row: row.after.squared, detail=True),
            Column(
                "algorithm1_error_before", NUMBER, "Algorithm 1", get=attrgetter("before.algorithm1_error"), detail=True
            ),
            Column(
                "algorithm1_error_after",
                NUMBER,
                "Algorithm 1 after",
                get=attrgetter("after.algorithm1_error"),
                detail=True,
            ),
            Column("error_before", ESTIMATE, "error", get=lambda row: row.before.estimate),
            Column("error_after", ESTIMATE, "error after", get=lambda row: row.after.estimate),
        ]

    def footnotes(self) -> Sequence[str]:
        """Return an explanation of the fitted numbers, and of which errors decrease or increase."""
        sharpening = self.sharpening
        change = (
            "The probabilities are unchanged; the confidence in entities is recalibrated."
            if sharpening is None
            else f"Probabilities of antecedents are raised to the power {sharpening.links:.2f}; the log odds of a new "
            f"entity are multiplied by {sharpening.new:.2f}, and {sharpening.offset:.2f} is added."
        )
        return [
            change,
            *(f"The squared error {how} for {', '.join(names)}." for how, names in self._changes().items() if names),
            *(f"Note: {note}." for note in self.notes),
        ]

    def _changes(self) -> dict[str, list[str]]:
        """The squared errors that decrease, and those that increase."""
        return {
            "falls": [effect.name for effect in self.effects if effect.after.squared < effect.before.squared],
            "rises": [effect.name for effect in self.effects if effect.after.squared > effect.before.squared],
        }


def recalibrate_coreference(
    posteriors: Iterable[CorefPosterior],
    gold: Iterable[Clustering],
    *,
    before: Iterable[CorefPosterior] | None = None,
    had: CoreferenceRecalibration | None = None,
    score: Score = "squared",
    weight_of_new: float = WEIGHT_OF_NEW,
    sharpen: bool = True,
) -> CoreferenceRecalibration:
    """Fit a recalibration of any coreference model to documents with gold entities that the model was not trained on.

    posteriors: one per document, for example from `posterior_from_scores`. gold: for each document, clusters of its
    mentions (omitted mentions are singletons), or labels (M,). score: the loss, "squared" (Brier score) or "log"
    (negative log probability of the truth). sharpen: False leaves the probabilities unchanged, and recalibrates only
    the confidence in entities. before: the posteriors with which `effects` compare (default: `posteriors`). had: the
    recalibration of `before`, from which the confidence before is computed.

    First, three numbers are fitted: a power for the choice of an antecedent, and a power and an offset for the odds of
    "new". They minimise loss(pairs) + `weight_of_new` × loss(P(new)), where each loss is divided by its value without
    recalibration. Then, for each decision by which entities are chosen, the confidence in entities is mapped to the
    proportion of pairs of their mentions that truly corefer.

    >>> rows = [[1, 0, 0], [0.6, 0.4, 0], [0.3, 0.3, 0.4]]
    >>> found = recalibrate_coreference([CorefPosterior(rows)] * 3, [[[0, 1], [2]], [[0, 1, 2]], [[0], [1], [2]]])
    >>> print(f"{found.apply(CorefPosterior(rows)).pair_probability()[0, 1]:.2f}")
    0.52

    Raises InputError for fewer than two documents, documents from which nothing can be learned, gold clusters that do
    not consist of the mentions, or an unknown score.
    Source: the sharpening generalises temperature scaling (Guo et al. 2017); pairs after Nguyen & O'Connor (2015).
    """
    if score not in SCORES:
        raise unknown_name("score", str(score), SCORES, place="score")
    check_number(weight_of_new, name="weight_of_new", low=0, high=1_000_000)
    checked, labels = check_documents(posteriors, gold)
    if len(checked) < MIN_DOCUMENTS:
        raise InputError(f"posteriors must be of at least {MIN_DOCUMENTS} documents; there is {len(checked)}.")
    plain = checked if before is None else listed(before, name="before", of="posteriors")
    documents = [(posterior.antecedents, codes) for posterior, codes in zip(checked, labels, strict=True)]
    sharpening, notes = (
        fit_sharpening(documents, score=score, weight_of_new=float(weight_of_new)) if sharpen else (None, ())
    )
    after = [_sharpened(posterior, sharpening) for posterior in checked]
    confidence = {name: fit_confidence(judged_entities(after, labels, name)) for name in DECISIONS}
    recipe = {
        "howsure": __version__,
        "documents": len(checked),
        "mentions": sum(map(len, checked)),
        "score": score,
        "weight_of_new": float(weight_of_new),
        "sharpen": bool(sharpen),
    }
    effects = _effects(sharpening, confidence, plain, had, checked, labels)
    return CoreferenceRecalibration(sharpening, confidence, effects, len(checked), recipe, notes)


def _sharpened(posterior: CorefPosterior, sharpening: Sharpening | None) -> CorefPosterior:
    if sharpening is None:
        return posterior
    return CorefPosterior(sharpening.apply(posterior.antecedents), mentions=posterior.mentions)


def _effects(
    sharpening: Sharpening | None,
    confidence: Mapping[Decision, ConfidenceMap],
    before: Sequence[CorefPosterior],
    had: CoreferenceRecalibration | None,
    posteriors: Sequence[CorefPosterior],
    gold: Sequence[Integers],
) -> tuple[Effect, ...]:
    if len(before) != len(posteriors):
        raise InputError(
            f"before must have the same documents as posteriors; it has {len(before)}, and posteriors has "
            f"{len(posteriors)}."
        )
    after = [_sharpened(posterior, sharpening) for posterior in posteriors]
    entities, sharpened = judged_entities(before, gold, DECISIONS[0]), judged_entities(after, gold, DECISIONS[0])
    if had is not None:
        entities = had.confidence[DECISIONS[0]].recalibrate(entities)
    return recalibration_effects(
        Side(before, entities), Side(after, confidence[DECISIONS[0]].recalibrate(sharpened)), gold
    )
