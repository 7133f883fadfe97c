"""The accuracy of a tagger and the calibration of its tags and entities, overall and by type."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar

import numpy as np

from howsure.calibration.curve import binned_curve
from howsure.calibration.curve_text import kind
from howsure.calibration.results import CalibrationCurve
from howsure.calibration.scores import score_columns, scores_of_all_classes
from howsure.calibration.table import by_group
from howsure.inputs.numbers_and_names import counted
from howsure.inputs.pairs import Pairs
from howsure.result import Rows, chosen_columns, fitted_text
from howsure.show.table import COUNT, FRAME, NUMBER, P_VALUE, WORDS, Column, Table, in_a_line, number
from howsure.stats.p_values import ADJUSTED, adjust_p_values
from howsure_text.sequences.calibration_pairs import tag_pairs
from howsure_text.sequences.entities import EntitySpans
from howsure_text.sequences.sentences import ERROR, count_unknown
from howsure_text.sequences.tag_posterior import TagPosterior

ALL = "all"
Tags = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class TagCalibration:
    """The calibration of one tag, or of all tags.

    tokens: the number of tokens with this gold tag. right: the number of these whose tag is right in the most probable
    sequence. curve: the calibration curve of P(token has the tag). p_adjusted: the p-value of the curve, adjusted for
    the number of tags; unadjusted in the row of all tags.
    """

    name: str
    tokens: int
    right: int
    curve: CalibrationCurve
    p_adjusted: float

    @property
    def recall(self) -> float | None:
        """The proportion of the tag's tokens that are predicted correctly; None without tokens."""
        return self.right / self.tokens if self.tokens else None

    def to_dict(self) -> dict[str, Any]:
        """The JSON form: that of the curve, and the counts."""
        return _curve_to_dict(self.curve, self.p_adjusted) | {
            "tokens": self.tokens,
            "right": self.right,
            "recipe": self.curve.recipe,
        }


@dataclass(frozen=True, slots=True)
class EntityCalibration:
    """The calibration of the entities of one type, or of all entities.

    gold, predicted, hits: the numbers of gold entities, predicted entities, and entities that are both. curve: the
    calibration curve of the probabilities. p_adjusted: the p-value of the curve, adjusted for the number of types;
    unadjusted in the row of all entities.
    """

    name: str
    gold: int
    predicted: int
    hits: int
    curve: CalibrationCurve
    p_adjusted: float

    @property
    def precision(self) -> float | None:
        """The proportion of the predicted entities that are right; None without predicted entities."""
        return self.hits / self.predicted if self.predicted else None

    @property
    def recall(self) -> float | None:
        """The proportion of the gold entities that are predicted; None without gold entities."""
        return self.hits / self.gold if self.gold else None

    @property
    def f1(self) -> float | None:
        """2 hits / (gold + predicted)."""
        both = self.gold + self.predicted
        return 2 * self.hits / both if both else None

    @property
    def mean_probability(self) -> float:
        bins = self.curve.bins
        return float(np.average(bins.mean_prob, weights=bins.count))

    def to_dict(self) -> dict[str, Any]:
        """The JSON form: that of the curve, and the counts."""
        counts = {"gold": self.gold, "predicted": self.predicted, "hits": self.hits}
        more = {"mean_probability": self.mean_probability, **counts, "recipe": self.curve.recipe}
        return {"type": self.name} | _curve_to_dict(self.curve, self.p_adjusted) | more


Row = TypeVar("Row", TagCalibration, EntityCalibration)


class Evaluation(Rows[Row]):
    """Base class of both evaluations: `rows`, all classes together, then each class. Index by name or iterate."""

    __slots__ = ()
    recipe: dict[str, Any]
    of: ClassVar[str]  # what a row describes: "tag" or "type"

    @property
    def curves(self) -> list[CalibrationCurve]:
        """The curve of all classes together, then of each class."""
        return [row.curve for row in self.rows]

    def heading(self) -> list[str]:
        """The lines above the table: numbers of sentences and tokens, and the quality of the predictions."""
        raise NotImplementedError

    def text(
        self,
        *,
        columns: Sequence[str] | None = None,
        raw: bool = False,
        most: int | None = None,
        rest: str | None = None,
        width: int | None = None,
    ) -> str:
        """Return the model and files (if known), the heading, the table, and the footnotes as text."""
        table = chosen_columns(self.table(), columns)
        table = table if most is None else table.shortened(most)
        heading = "\n".join(map(in_a_line, self._named_heading()))
        shown = fitted_text(table, raw=raw, rest=rest, width=width if columns is None else None)
        return f"{heading}\n\n{shown}\n" + "\n".join(map(in_a_line, self.footnotes()))

    def _named_heading(self) -> list[str]:
        first, *rest = self.heading()
        named = " on ".join(filter(None, [self.recipe.get("model"), ", ".join(self.recipe.get("files", ()))]))
        return [f"{named}: {first}" if named else first, *rest]

    def _printed(self, columns: Sequence[str] | None) -> Table:
        table = super()._printed(columns)
        return replace(table, caption="\n".join([*self._named_heading(), table.caption]))

    def _adjusted(self) -> str:
        """A sentence on the adjustment of p-values."""
        each, adjust = counted(len(self.rows) - 1, self.of), self.recipe["adjust"]
        if adjust is None:
            return f"p is not adjusted for {each}."
        return f"The p of each {self.of} is adjusted for {each} ({ADJUSTED[adjust]}); the p of all is not adjusted."


@dataclass(frozen=True, slots=True, repr=False)
class TagEvaluation(Evaluation[TagCalibration]):
    """The result of `evaluate_tags`.

    sentences, tokens: the numbers of sentences and of tokens. unknown_tags: the number of tokens whose gold tag the
    model does not know. accuracy: the proportion of right tags, by decoding: "viterbi" (the most probable sequence) and
    "posterior" (word by word). rows: all tags together, then each tag.
    """

    of = "tag"

    sentences: int
    tokens: int
    unknown_tags: int
    accuracy: Mapping[str, float]
    rows: tuple[TagCalibration, ...]
    recipe: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "recipe": self.recipe,
            "sentences": self.sentences,
            "tokens": self.tokens,
            "unknown_tags": self.unknown_tags,
            "accuracy": dict(self.accuracy),
            "all": self.rows[0].to_dict(),
            "tags": [row.to_dict() for row in self.rows[1:]],
        }

    def columns(self) -> Sequence[Column]:
        """Counts, calibration errors and scores, and the direction of miscalibration."""
        return [
            Column("tag", WORDS, get=lambda row: row.name),
            Column("tokens", COUNT),
            Column("recall", NUMBER, "right"),
            *_error_columns(),
            Column(
                "algorithm1_error", NUMBER, "Algorithm 1", get=lambda row: row.curve.algorithm1_error.value, detail=True
            ),
            *self._score_columns(),
            *_verdict_columns(),
        ]

    def _score_columns(self) -> list[Column]:
        """Columns of scores; scores over all classes are equal in every row, so they are shown below the table."""
        shown = {name for name, _ in score_columns(self.curves)}
        return [
            Column(
                re.sub(r"\W", "_", name).lower(),
                NUMBER,
                name,
                values=scores_of_curves,
                only="" if name in shown else FRAME,
                detail=True,
            )
            for name, scores_of_curves in score_columns(self.curves, each=True)
        ]

    def heading(self) -> list[str]:
        """The sizes, and the accuracy."""
        unknown = f", {self.unknown_tags:,} of them with tags unknown to the model" if self.unknown_tags else ""
        return [
            f"{counted(self.sentences, 'sentence')}, {counted(self.tokens, 'token')}{unknown}",
            f"accuracy {self.accuracy['viterbi']:.4f} (most probable sequence), "
            f"{self.accuracy['posterior']:.4f} (word by word)",
        ]

    def footnotes(self) -> list[str]:
        """The scores of all classes together, and the adjustment of p."""
        return [*scores_of_all_classes(self.curves), self._adjusted()]


@dataclass(frozen=True, slots=True, repr=False)
class EntityEvaluation(Evaluation[EntityCalibration]):
    """The result of `evaluate_entities`.

    spans: the evaluated entities. missed: for each type of which the model proposed no entity, the number of gold
    entities. rows: all types together, then each type with proposed entities.
    """

    of = "type"

    spans: EntitySpans
    missed: Mapping[str, int]
    rows: tuple[EntityCalibration, ...]
    recipe: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        pooled = self.rows[0]
        return {
            "recipe": self.recipe,
            "spans": self.spans.recipe,
            "changed_by_grammar": self.spans.changed_by_grammar,
            "precision": pooled.precision,
            "recall": pooled.recall,
            "f1": pooled.f1,
            "all": pooled.to_dict(),
            "types": [row.to_dict() for row in self.rows[1:]],
            "without_entities": dict(self.missed),
        }

    def columns(self) -> Sequence[Column]:
        """Counts, calibration errors and scores, and the direction of miscalibration."""
        return [
            Column("type", WORDS, get=lambda row: row.name),
            Column("gold", COUNT),
            Column("predicted", COUNT, only=FRAME),
            Column("hits", COUNT, only=FRAME),
            Column("recall", NUMBER),
            Column("entities", COUNT, get=lambda row: row.curve.n),
            Column("right", NUMBER, get=lambda row: row.curve.base_rate),
            Column("mean_probability", NUMBER),
            *_error_columns(),
            Column("brier", NUMBER, "Brier", get=lambda row: row.curve.brier.score),
            Column("log_loss", NUMBER, get=lambda row: row.curve.log_loss.score, detail=True),
            *_verdict_columns(),
        ]

    def heading(self) -> list[str]:
        """Return lines with the sizes, precision, recall and F1, and with the changes that a grammar made."""
        pooled, recipe = self.rows[0], self.spans.recipe
        shares = {"precision": pooled.precision, "recall": pooled.recall, "F1": pooled.f1}
        lines = [
            f"{counted(recipe['sentences'], 'sentence')}, {counted(recipe['tokens'], 'token')}",
            f"entities: {pooled.gold:,} gold, {pooled.predicted:,} predicted, {pooled.hits:,} of them right; "
            + ", ".join(f"{name} {number(share)}" for name, share in shares.items()),
        ]
        changed = self.spans.changed_by_grammar
        if changed is not None:
            what = f"the answer differs from the most probable labels in {counted(changed, 'sentence')}"
            lines.append(f"grammar {recipe['grammar']}: {what}")
        return lines

    def footnotes(self) -> list[str]:
        """The evaluated entities, the adjustment of p, and the missing types."""
        k, least = self.spans.recipe["k_best"], self.spans.recipe["min_probability"]
        best = "the most probable sequences" if k == 1 else f"the {k} best sequences"
        chosen = best if least is None else f"{best}, and all of probability {least:g} or more"
        silent = ", ".join(f"{name} ({n:,})" for name, n in sorted(self.missed.items()))
        missed = [f"No entity to evaluate of the type {silent}: the model proposes none."] if silent else []
        return [f"The entities of {chosen} are evaluated.", self._adjusted(), *missed]


def evaluate_tags(
    posterior: TagPosterior,
    tags: Tags,
    *,
    unknown_tags: str = ERROR,
    bin_size: int | str = "auto",
    n_bins: int | None = None,
    binning: str = "adaptive",
    level: float = 0.95,
    adjust: str | None = "holm",
) -> TagEvaluation:
    """Compute the accuracy of a tagger, and the calibration of P(token has the tag), overall and for each tag.

    posterior: the posterior of a tagger, `tagger.posterior(sentences)`. tags: the gold tags of each sentence.
    unknown_tags: as in `tag_pairs`. The other arguments are those of `calibration_table`.

    >>> rng = np.random.default_rng(0)
    >>> truth = TagPosterior(list(rng.normal(size=(200, 5, 2))), rng.normal(size=(2, 2)), labels=["N", "V"])
    >>> result = evaluate_tags(truth, [truth.names(draw[0]) for draw in truth.sample(1, rng=1)])
    >>> result.tokens, round(result.accuracy["viterbi"], 3), [row.name for row in result], result["N"].p_adjusted > 0.05
    (1000, 0.829, ['all', 'N', 'V'], True)

    Raises InputError as `tag_pairs` and `calibration_table` do.
    """
    pairs = tag_pairs(posterior, tags, unknown_tags=unknown_tags)
    labels = posterior.labels or ()
    best = posterior.names(posterior.viterbi())
    each = {"viterbi": _hits(best, tags), "posterior": _hits(posterior.names(posterior.posterior_decode()), tags)}
    hits, tokens = each["viterbi"], Counter(tag for sentence in tags for tag in sentence)
    curves, adjusted = _judged(pairs, adjust, bin_size=bin_size, n_bins=n_bins, binning=binning, level=level)
    counts = [(tokens.total(), hits.total()), *((tokens[tag], hits[tag]) for tag in pairs.group_names)]
    rows = (
        TagCalibration(curve.name or ALL, n, right, curve, p)
        for curve, (n, right), p in zip(curves, counts, adjusted, strict=True)
    )
    return TagEvaluation(
        sentences=len(tags),
        tokens=tokens.total(),
        unknown_tags=count_unknown(tags, labels).total(),
        accuracy={how: correct.total() / tokens.total() for how, correct in each.items()},
        rows=tuple(rows),
        recipe={"adjust": adjust, "unknown_tags": unknown_tags, **_recipe(curves)},
    )


def evaluate_entities(
    spans: EntitySpans,
    *,
    bin_size: int | str = "auto",
    n_bins: int | None = None,
    binning: str = "adaptive",
    level: float = 0.95,
    adjust: str | None = "holm",
) -> EntityEvaluation:
    """Compute precision, recall and the calibration of the probabilities of entities, overall and by type.

    spans: the result of `entity_spans`, with gold tags. The other arguments are those of `calibration_table`.

    Raises InputError without gold tags, or without entities.
    """
    pairs = spans.pairs()
    assert spans.gold is not None  # `spans.pairs` raises an error without gold entities
    types = np.array(spans.types, dtype=object)
    gold, predicted, hits = (
        Counter(types[rows].tolist()) for rows in (spans.gold, spans.predicted, spans.gold & spans.predicted)
    )
    curves, adjusted = _judged(pairs, adjust, bin_size=bin_size, n_bins=n_bins, binning=binning, level=level)
    counts = (gold, predicted, hits)
    sizes = [[each.total() for each in counts], *([each[name] for each in counts] for name in pairs.group_names)]
    rows = tuple(
        EntityCalibration(curve.name or ALL, n_gold, n_predicted, n_hits, curve, p)
        for curve, (n_gold, n_predicted, n_hits), p in zip(curves, sizes, adjusted, strict=True)
    )
    missed = {name: n for name, n in gold.items() if name not in pairs.group_names}
    return EntityEvaluation(spans, missed, rows, recipe={"adjust": adjust, **_recipe(curves)})


def _judged(pairs: Pairs, adjust: str | None, **binning: Any) -> tuple[list[CalibrationCurve], list[float]]:
    """Return the curves of all pairs and of each group, and their p-values, adjusted for the number of groups."""
    each = [binned_curve(group, name=name, **binning) for name, group in by_group(pairs)]
    adjusted: list[float] = adjust_p_values([curve.p_value for curve in each], method=adjust).tolist()
    pooled = binned_curve(pairs, name=ALL, **binning)
    return [pooled, *each], [pooled.p_value, *adjusted]


def _recipe(curves: Sequence[CalibrationCurve]) -> dict[str, Any]:
    return {key: curves[0].recipe[key] for key in ("howsure", "binning", "level", "clustered")}


def _curve_to_dict(curve: CalibrationCurve, p_adjusted: float) -> dict[str, Any]:
    return curve.to_dict() | {"p_adjusted": None if p_adjusted != p_adjusted else p_adjusted}


def _error_columns() -> list[Column]:
    return [
        Column("error", NUMBER, get=lambda row: row.curve.error.value),
        Column("low", NUMBER, get=lambda row: row.curve.error.low),
        Column("high", NUMBER, get=lambda row: row.curve.error.high),
    ]


def _verdict_columns() -> list[Column]:
    return [
        Column("p_adjusted", P_VALUE, "p"),
        Column("miscalibration", WORDS, get=lambda row: kind(row.curve, row.p_adjusted)),
    ]


def _hits(predicted: Tags, gold: Tags) -> Counter[str]:
    """Count for each gold tag the tokens that are predicted correctly."""
    return Counter(g for ps, gs in zip(predicted, gold, strict=True) for p, g in zip(ps, gs, strict=True) if p == g)
