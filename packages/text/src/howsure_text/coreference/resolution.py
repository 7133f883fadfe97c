"""Resolve the coreference of a document, with probabilities, using a model or the scores of another model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from howsure import __version__
from howsure.data.documents.document import Document, Mention
from howsure.errors import InputError
from howsure.inputs.numbers_and_names import check_number, counted, unknown_name
from howsure.inputs.pairs import Floats, Integers
from howsure.inputs.parameter_types import Axes, Figure
from howsure.result import Result
from howsure.show.axes import checks_axes
from howsure.show.table import NUMBER, WORDS, Column, Kind, Table, in_a_line
from howsure.stats.proportions import CountDistribution
from howsure_text.coreference.antecedent_model import AntecedentModel
from howsure_text.coreference.antecedent_scores import AntecedentScores
from howsure_text.coreference.clusterings import clusters_from
from howsure_text.coreference.coref_posterior import CorefPosterior
from howsure_text.coreference.detection import Source, mention_entities, select_mentions
from howsure_text.coreference.entity_confidence import DECISIONS, Decision, choose_entities
from howsure_text.coreference.gold_comparison import mention_confidence
from howsure_text.coreference.recalibration import CoreferenceRecalibration
from howsure_text.coreference.scored_posteriors import Misplaced, scored_document
from howsure_text.notebooks import mentions_html
from howsure_text.parses import ParsedDocument

LEVEL = 0.95
ENTITIES_SHOWN, WIDTH = 8, 80
SIDES = ("first", "second")
PLACE = Kind(str)  # columns with positions
MAX_LINKS = 5  # maximum number of pairs shown on hover over a mention
NOT_RECALIBRATED = (
    "the confidence is not recalibrated and probably too high; howsure coreference recalibrate corrects it with "
    "documents that have gold entities"
)


@dataclass(frozen=True, eq=False, repr=False)
class ResolvedDocument(Result):
    """The result of `resolve`: a document with a clustering of its mentions, and their probabilities.

    mentions, posterior: the mentions and their posterior, which is recalibrated if the model is. labels (M,): the
    entities that `decision` chose. recalibration: the recalibration of the confidence in entities, if there is one.
    threshold: the lowest probability of the pairs that are shown. notes: mentions that were left out.
    """

    document: Document
    mentions: tuple[Mention, ...]
    posterior: CorefPosterior
    labels: Integers
    decision: Decision
    threshold: float
    recalibration: CoreferenceRecalibration | None
    recipe: dict[str, Any]
    notes: tuple[str, ...] = ()

    @cached_property
    def confidence(self) -> Floats:
        """(M,): the confidence in each mention as a member of its entity."""
        if self.recalibration is None:
            return mention_confidence(self.posterior, self.labels)
        return self.recalibration.mention_confidence(self.posterior, self.labels, decision=self.decision)

    @cached_property
    def gold(self) -> Integers | None:
        """(M,): the labels of the annotated entities; None if not all mentions of the document have an entity."""
        mentions = self.document.mentions
        if mentions is None or any(mention.entity is None for mention in mentions):
            return None
        return mention_entities(self.document, self.mentions)

    @property
    def pairs(self) -> Integers:
        """(N, 2): the positions of both mentions of each pair that is shown, the earlier mention first."""
        return self._shown[0]

    @property
    def probabilities(self) -> Floats:
        """(N,): the probability of each pair that is shown."""
        return self._shown[1]

    @cached_property
    def _shown(self) -> tuple[Integers, Floats]:
        together = self.posterior.pair_probability()
        later, earlier = np.tril_indices(len(self.posterior), k=-1)
        kept = together[later, earlier] >= self.threshold
        return np.column_stack([earlier[kept], later[kept]]), together[later[kept], earlier[kept]]

    @property
    def entities(self) -> list[list[int]]:
        """The positions of the mentions of each entity; entities with several mentions come first."""
        return sorted(clusters_from(self.labels, range(len(self.labels))), key=lambda members: len(members) == 1)

    @property
    def number(self) -> CountDistribution:
        """The distribution of the number of entities."""
        return self.posterior.number_of_entities()

    @property
    def several(self) -> float:
        """The expected number of entities with several mentions."""
        return float((self.posterior.antecedents.new - self.posterior.singleton_probability()).sum())

    def confidence_of(self, members: Sequence[int]) -> float:
        """Return the mean pair probability within an entity or, for a singleton, the probability of being one.

        The value is recalibrated if there is a recalibration.
        """
        return float(self.confidence[members].mean())

    def words_of(self, place: int) -> str:
        """Return the words of the mention with the index `place`."""
        return " ".join(self.document.words_of(self.mentions[place]))

    def _repr_html_(self) -> str:
        links: dict[int, list[str]] = {}
        order = np.argsort(-self.probabilities, kind="stable")
        for (earlier, later), p in zip(self.pairs[order].tolist(), self.probabilities[order].tolist(), strict=True):
            links.setdefault(later, []).append(f"{self.words_of(earlier)}: {p:.2f}")
        titles = {
            place: "; ".join([f"confidence {self.confidence[place]:.2f}", *links.get(place, [])[:MAX_LINKS]])
            for place in range(len(self.mentions))
        }
        text = mentions_html(self.document, self.mentions, self.labels.tolist(), titles)
        return text + Result._repr_html_(self)

    def annotated(self, *, singletons: bool = True) -> Document:
        """Return the document annotated with these entities, numbered from 1; singletons: include singletons."""
        entities = [cluster for cluster in clusters_from(self.labels, self.mentions) if singletons or len(cluster) > 1]
        mentions = [
            replace(mention, entity=str(number), type=None)
            for number, members in enumerate(entities, start=1)
            for mention in members
        ]
        return replace(self.document, mentions=tuple(sorted(mentions)))

    def to_dict(self) -> dict[str, Any]:
        """The JSON form: mentions, entities and pairs; mentions are given by index, entities are numbered from 1."""
        low, high = self.number.interval(LEVEL)
        columns = {column.name: column.of(()) for column in self.columns()}
        return {
            "recipe": self.recipe,
            "name": self.document.name,
            "number_of_entities": {"mean": self.number.mean, "low": low, "high": high, "level": LEVEL},
            "entities_of_several_mentions": {"mean": self.several},
            "confidence_recalibrated": self.recalibration is not None,
            "mentions": [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)],
            "entities": [
                {"entity": number, "mentions": members, "confidence": self.confidence_of(members)}
                for number, members in enumerate(self.entities, start=1)
            ],
            "pairs": [
                {"first": i, "second": j, "probability": p}
                for (i, j), p in zip(self.pairs.tolist(), self.probabilities.tolist(), strict=True)
            ],
        }

    def pair_columns(self) -> dict[str, list[Any]]:
        """Return the displayed pairs, as columns.

        The columns are the document, the probability, whether both mentions are in one chosen entity and in one gold
        entity (None without gold), and the index, sentence, words and text of both mentions.
        """
        first, second = self.pairs.T
        columns: dict[str, list[Any]] = {
            "document": [self.document.name] * len(self.pairs),
            "probability": self.probabilities.tolist(),
            "same_entity": (self.labels[first] == self.labels[second]).astype(np.int64).tolist(),
            "coreferent": [None] * len(self.pairs)
            if self.gold is None
            else (self.gold[first] == self.gold[second]).astype(np.int64).tolist(),
        }
        for side, places in zip(SIDES, (first.tolist(), second.tolist()), strict=True):
            columns[side] = places
            for name in ("sentence", "start", "end"):
                columns[f"{side}_{name}"] = [getattr(self.mentions[place], name) for place in places]
            columns[f"{side}_text"] = [self.words_of(place) for place in places]
        return columns

    def columns(self) -> Sequence[Column]:
        """Return the columns of the table, which has one row per mention."""
        places = range(len(self.mentions))
        number_of = {place: number for number, members in enumerate(self.entities, start=1) for place in members}
        spans = {name: [getattr(mention, name) for mention in self.mentions] for name in ("sentence", "start", "end")}
        return [
            Column("mention", PLACE, values=list(places)),
            *(Column(name, PLACE, values=positions) for name, positions in spans.items()),
            Column("text", WORDS, values=[self.words_of(place) for place in places]),
            Column("entity", PLACE, values=[number_of[place] for place in places]),
            Column("new", NUMBER, values=self.posterior.antecedents.new.tolist()),
            Column("confidence", NUMBER, values=self.confidence.tolist()),
        ]

    def entity_table(self) -> Table:
        """Return a table of the first entities with several mentions, and the number of further entities."""
        several = [members for members in self.entities if len(members) > 1]
        rows = [
            [f"{number}", f"{self.confidence_of(members):.3f}", _shorten(" · ".join(map(self.words_of, members)))]
            for number, members in enumerate(several[:ENTITIES_SHOWN], start=1)
        ]
        notes = [f"… and {len(several) - len(rows)} more of several mentions"] if len(several) > len(rows) else []
        if not rows:
            notes = ["every mention is an entity of its own"]
        elif self.recalibration is None:
            notes.append(NOT_RECALIBRATED)
        return Table(("entity", "confidence", "mentions"), rows, words=("mentions",), notes=notes)

    @property
    def description(self) -> str:
        """The number of entities, and the first of them."""
        low, high = self.number.interval(LEVEL)
        table = self.entity_table()
        counts = f"{counted(len(self.mentions), 'mention')}, {counted(len(self.entities), 'entity', 'entities')}"
        expected = f"expected {self.number.mean:.1f}, {low} to {high} with {LEVEL:.0%} probability"
        shown = str(table) if table.rows else table.notes[0]
        return "\n".join([f"{in_a_line(self.document.name)}: {counts} ({expected})", shown, *self.footnotes()])

    @checks_axes
    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the pair probabilities of mentions that are in a shown pair, by entity, on axes (new ones if None).

        Raises InputError without pairs.
        """
        from howsure_text.figures import draw_pairs

        if ax is None:
            return self.figure().axes[0]
        together, names, entities = self._figure_content()
        return draw_pairs(together, names, entities=entities, ax=ax)

    def figure(self) -> Figure:
        """The figure of `plot`, with the scale of its colours."""
        from howsure_text.figures import pair_figure

        together, names, entities = self._figure_content()
        return pair_figure(together, names, entities=entities)

    def _figure_content(self) -> tuple[Floats, list[str], list[int]]:
        """The content of the figure: pair probabilities, the words of the mentions, and their entities."""
        linked = set(self.pairs.ravel().tolist())
        order = [place for members in self.entities for place in members if place in linked]
        if not order:
            name = self.document.name
            if len(self.mentions) < 2:
                text = "one mention" if self.mentions else "no mention"
                raise InputError(f"document {name} has {text}; a figure draws pairs.")
            raise InputError(
                f"document {name} has no pair of mentions above the `threshold`. Choose a lower `threshold`."
            )
        together = self.posterior.pair_probability()[np.ix_(order, order)]
        return together, [self.words_of(place) for place in order], self.labels[order].tolist()


def resolve(
    document: Document | None = None,
    *,
    model: AntecedentModel | None = None,
    mentions: Source | None = None,
    scores: AntecedentScores | None = None,
    misplaced: Misplaced = "error",
    recalibration: CoreferenceRecalibration | None = None,
    decision: Decision = "best",
    threshold: float = 0.05,
) -> ResolvedDocument:
    """Resolve coreference: the entities of a document, and the probability of every pair of mentions.

    document: a document, which must be parsed for a model; it may be omitted if `scores` contain the text. model: the
    model (default: the small English model of the package). mentions: "gold" or "detected" (default: as in the model's
    training). scores: the antecedent scores of another model, instead of `model`. misplaced: as in
    `posterior_from_scores`. recalibration: the recalibration of these scores (a model contains its own). decision:
    choose entities by the "best" antecedent of each mention, or by "minimum-risk". threshold: the lowest probability of
    the pairs that are shown.

    >>> scores = AntecedentScores(
    ...     id="a", words=["Ann", "saw", "herself"], mentions=[(0, 1), (2, 3)], scores=[[], [2.0]], null=0.0
    ... )
    >>> found = resolve(scores=scores)
    >>> found.to_frame()[["text", "entity", "confidence"]].values.tolist()
    [['Ann', 1, 0.8807970779778823], ['herself', 1, 0.8807970779778823]]
    """
    check_sides(document, model=model, mentions=mentions, scores=scores, recalibration=recalibration)
    check_threshold(threshold)
    if decision not in DECISIONS:
        raise unknown_name("decision", str(decision), DECISIONS, place="decision")
    notes: tuple[str, ...] = ()
    recipe: dict[str, Any] = {"howsure": __version__}
    if scores is not None:
        scored = scored_document(scores, document, misplaced=misplaced)
        document, document_mentions, posterior = scored.document, scored.mentions, scored.posterior
        posterior = posterior if recalibration is None else recalibration.apply(posterior)
        notes = (scored.left_out_text(),) if scored.left_out else ()
        recipe |= {"scores": scores.id, "misplaced": misplaced}
    else:
        assert document is not None
        model = AntecedentModel.pretrained() if model is None else model
        parsed = ParsedDocument.of(document)
        document_mentions = select_mentions(parsed, source=mentions or model.mentions)
        posterior, recalibration = model.posterior(parsed, mentions=document_mentions), model.recalibration_
        recipe |= {"model": model.source_, "mentions": mentions or model.mentions}
    return ResolvedDocument(
        document=document,
        mentions=document_mentions,
        posterior=posterior,
        labels=posterior.labels(choose_entities(posterior, decision)),
        decision=decision,
        threshold=float(threshold),
        recalibration=recalibration,
        recipe=recipe | {"decision": decision, "threshold": float(threshold)},
        notes=notes,
    )


def check_threshold(threshold: float) -> None:
    """Raise InputError unless it is a probability."""
    check_number(threshold, name="threshold", low=0, high=1)


def check_sides(document: object, *, model: object, mentions: object, scores: object, recalibration: object) -> None:
    """Raise InputError unless there is a text and either a model or the scores of another model."""
    if scores is None and recalibration is not None:
        raise InputError(
            "`recalibration` applies to `scores` only, because a model contains its recalibration. Recalibrate `model` "
            "instead."
        )
    if scores is None and document is None:
        raise InputError("either `document` or `scores`, the scores of another model, must be given.")
    if scores is not None and (model is not None or mentions is not None):
        raise InputError("`scores` come from another model and name its mentions; leave `model` and `mentions` out.")


def _shorten(text: str) -> str:
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 1]}…"
