"""How good a tagger is, and how far what it says of tags and entities can be trusted: all together, and by type."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np

from howsure.calibration.curve import curve_of
from howsure.calibration.results import CalibrationCurve
from howsure.calibration.scores import score_columns, scores_of_all_classes
from howsure.calibration.table import by_group
from howsure.calibration.words import kind
from howsure.inputs.naming import counted
from howsure.inputs.pairs import Pairs
from howsure.result import Result
from howsure.sequences.calibration_pairs import tag_pairs
from howsure.sequences.entities import EntitySpans
from howsure.sequences.tag_posterior import TagPosterior
from howsure.sequences.words import ERROR, count_unknown
from howsure.show.numbers import all_digits, number, p_text
from howsure.show.preformatted import preformatted
from howsure.show.table import Table
from howsure.stats.multiplicity import ADJUSTED, adjust_p_values

ALL = "all"
Tags = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class TagCalibration:
    """One tag, or all of them: its `tokens` in gold, how many of them the most probable sequence has `right`, the
    calibration curve of P(token has the tag), and its p-value adjusted for the number of tags (not of all)."""

    name: str
    tokens: int
    right: int
    curve: CalibrationCurve
    p_adjusted: float

    @property
    def recall(self) -> float | None:
        """The share of its tokens that are right; None without a token."""
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
    """Entities of one type, or all of them: how many are in `gold`, `predicted`, and both (`hits`), the calibration
    curve of their probabilities, and its p-value adjusted for the number of types (not of all)."""

    name: str
    gold: int
    predicted: int
    hits: int
    curve: CalibrationCurve
    p_adjusted: float

    @property
    def precision(self) -> float | None:
        """The share of the predicted entities that are right; None without any."""
        return self.hits / self.predicted if self.predicted else None

    @property
    def recall(self) -> float | None:
        """The share of the gold entities that are predicted; None without any."""
        return self.hits / self.gold if self.gold else None

    @property
    def f1(self) -> float | None:
        """2 hits / (gold + predicted)."""
        both = self.gold + self.predicted
        return 2 * self.hits / both if both else None

    @property
    def mean_probability(self) -> float:
        """The mean probability of the entities that are judged."""
        bins = self.curve.bins
        return float(np.average(bins.mean_prob, weights=bins.count))

    def to_dict(self) -> dict[str, Any]:
        """The JSON form: that of the curve, and the counts."""
        counts = {"gold": self.gold, "predicted": self.predicted, "hits": self.hits}
        more = {"mean_probability": self.mean_probability, **counts, "recipe": self.curve.recipe}
        return {"type": self.name} | _curve_to_dict(self.curve, self.p_adjusted) | more


Row = TypeVar("Row", TagCalibration, EntityCalibration)


class Evaluation(Result, Generic[Row]):
    """What both evaluations have: `rows`, of which the first is of all together; iterate or index them by name."""

    __slots__ = ()
    rows: tuple[Row, ...]
    recipe: dict[str, Any]
    _HEADINGS: tuple[str, ...]
    _KIND: str

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, name: str) -> Row:
        """The row of a name, or of "all"."""
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(name)

    @property
    def curves(self) -> list[CalibrationCurve]:
        """The curve of all, then that of each."""
        return [row.curve for row in self.rows]

    def heading(self) -> list[str]:
        """The sizes, and how good the predictions are."""
        raise NotImplementedError

    def notes(self) -> list[str]:
        """What is to be known of the figures."""
        raise NotImplementedError

    def table(self, *, exact: bool = False) -> Table:
        """One row for all, and one for each; exact: with all digits, and every score."""
        raise NotImplementedError

    def _adjusted(self) -> str:
        """Of which p-values are adjusted, and how."""
        each, adjust = counted(len(self.rows) - 1, self._KIND), self.recipe["adjust"]
        if adjust is None:
            return f"p is each {self._KIND}'s own, not adjusted for {each}."
        return f"p of the {self._KIND}s is adjusted for {each} ({ADJUSTED[adjust]}); that of all is not."

    def __str__(self) -> str:
        return "\n".join([*self.heading(), "", self.table().text(), *self.notes()])

    def _repr_html_(self) -> str:
        return preformatted(str(self))


@dataclass(frozen=True, slots=True, repr=False)
class TagEvaluation(Evaluation[TagCalibration]):
    """The result of `evaluate_tags`.

    sentences, tokens: how many there are. unknown_tags: tokens of gold tags that the model does not know. accuracy: the
    share of right tags, by decoding: "viterbi" (the most probable sequence) and "posterior" (word by word). rows: all
    tags together, then each.
    """

    sentences: int
    tokens: int
    unknown_tags: int
    accuracy: Mapping[str, float]
    rows: tuple[TagCalibration, ...]
    recipe: dict[str, Any] = field(repr=False)

    _HEADINGS = ("tag", "tokens", "right", "error", "low", "high", "Algorithm 1")
    _KIND = "tag"

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

    def heading(self) -> list[str]:
        """The sizes, and the accuracy."""
        unknown = f", {self.unknown_tags:,} of them with tags unknown to the model" if self.unknown_tags else ""
        return [
            f"{counted(self.sentences, 'sentence')}, {counted(self.tokens, 'token')}{unknown}",
            f"accuracy {self.accuracy['viterbi']:.4f} (most probable sequence), "
            f"{self.accuracy['posterior']:.4f} (word by word)",
        ]

    def notes(self) -> list[str]:
        """The scores of all classes together, and what p is adjusted for."""
        return [*scores_of_all_classes(self.curves), self._adjusted()]

    def table(self, *, exact: bool = False) -> Table:
        """One row for all, and one for each; exact: with all digits, and every score."""
        shown, shown_p = (all_digits, all_digits) if exact else (number, p_text)
        rows, scores = [], score_columns(self.curves, each=exact)
        for i, row in enumerate(self.rows):
            error = row.curve.error
            figures = (
                error.value,
                error.low,
                error.high,
                row.curve.algorithm1_error.value,
                *(held[i] for _, held in scores),
            )
            ends = (shown_p(row.p_adjusted), kind(row.curve, row.p_adjusted))
            rows.append([row.name, f"{row.tokens}", shown(row.recall), *map(shown, figures), *ends])
        headings = (*self._HEADINGS, *(name for name, _ in scores), "p", "miscalibration")
        return Table(headings, rows, words=("tag", "miscalibration"))

    def _columns(self) -> dict[str, Any]:
        rows = self.rows
        counts = {"tag": [r.name for r in rows], "tokens": [r.tokens for r in rows], "right": [r.right for r in rows]}
        return counts | _figures(rows)


@dataclass(frozen=True, slots=True, repr=False)
class EntityEvaluation(Evaluation[EntityCalibration]):
    """The result of `evaluate_entities`.

    spans: the entities that are judged. missed: of each type of which the model brings up no entity, how many are in
    gold. rows: all types together, then each of which there are entities to judge.
    """

    spans: EntitySpans
    missed: Mapping[str, int]
    rows: tuple[EntityCalibration, ...]
    recipe: dict[str, Any] = field(repr=False)

    _HEADINGS = (
        "type",
        "gold",
        "recall",
        "entities",
        "right",
        "mean probability",
        "error",
        "low",
        "high",
        "Brier",
        "log loss",
        "p",
        "miscalibration",
    )
    _KIND = "type"

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

    def heading(self) -> list[str]:
        """The sizes, precision, recall and F1, and what a grammar changed."""
        pooled, recipe = self.rows[0], self.spans.recipe
        shares = {"precision": pooled.precision, "recall": pooled.recall, "F1": pooled.f1}
        lines = [
            f"{counted(recipe['sentences'], 'sentence')}, {counted(recipe['tokens'], 'token')}",
            f"entities: {pooled.gold:,} gold, {pooled.predicted:,} predicted, {pooled.hits:,} of them right; "
            + ", ".join(f"{name} {number(share)}" for name, share in shares.items()),
        ]
        changed = self.spans.changed_by_grammar
        if changed is not None:
            what = f"another answer than the most probable labels in {counted(changed, 'sentence')}"
            lines.append(f"grammar {recipe['grammar']}: {what}")
        return lines

    def notes(self) -> list[str]:
        """Which entities are judged, what p is adjusted for, and which types are missing."""
        k, least = self.spans.recipe["k_best"], self.spans.recipe["min_probability"]
        best = "the most probable sequences" if k == 1 else f"the {k} best sequences"
        chosen = best if least is None else f"{best}, and all of probability {least:g} or more"
        silent = ", ".join(f"{name} ({n:,})" for name, n in sorted(self.missed.items()))
        missed = [f"No entity to judge of the type {silent}: the model brings up none."] if silent else []
        return [f"Judged are the entities of {chosen}.", self._adjusted(), *missed]

    def table(self, *, exact: bool = False) -> Table:
        """One row for all, and one for each type; exact: with all digits."""
        shown, shown_p = (all_digits, all_digits) if exact else (number, p_text)
        rows = []
        for row in self.rows:
            curve, error = row.curve, row.curve.error
            sums = (curve.base_rate, row.mean_probability)
            figures = (*sums, error.value, error.low, error.high, curve.brier.score, curve.log_loss.score)
            ends = (shown_p(row.p_adjusted), kind(curve, row.p_adjusted))
            rows.append([row.name, f"{row.gold}", shown(row.recall), f"{curve.n}", *map(shown, figures), *ends])
        return Table(self._HEADINGS, rows, words=("type", "miscalibration"))

    def _columns(self) -> dict[str, Any]:
        rows = self.rows
        counts = {name: [getattr(row, name) for row in rows] for name in ("gold", "predicted", "hits")}
        means = {"mean_probability": [row.mean_probability for row in rows]}
        return {"type": [row.name for row in rows], **counts, **means, **_figures(rows)}


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
    """Accuracy, and the calibration of P(token has the tag), of all tags together and of each.

    posterior: that of a tagger, `tagger.posterior(sentences)`. tags: the gold tags of each sentence. unknown_tags: as
    in `tag_pairs`. The other arguments are those of `calibration_table`.

    >>> rng = np.random.default_rng(0)
    >>> truth = TagPosterior(list(rng.normal(size=(200, 5, 2))), rng.normal(size=(2, 2)), labels=["N", "V"])
    >>> found = evaluate_tags(truth, [truth.names(draw[0]) for draw in truth.sample(1, rng=1)])
    >>> found.tokens, round(found.accuracy["viterbi"], 3), [row.name for row in found], found["N"].p_adjusted > 0.05
    (1000, 0.763, ['all', 'N', 'V'], True)

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
        accuracy={how: found.total() / tokens.total() for how, found in each.items()},
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
    """Precision, recall, and the calibration of the probabilities of entities, of all together and by type.

    spans: those of `entity_spans`, with gold tags. The other arguments are those of `calibration_table`.

    Raises InputError without gold tags, or if there is no entity to judge.
    """
    pairs = spans.pairs()
    assert spans.gold is not None  # or there were no pairs
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
    """The curve of all pairs and of each group, and their p-values, those of groups adjusted for their number."""
    each = [curve_of(group, name=name, **binning) for name, group in by_group(pairs)]
    adjusted: list[float] = adjust_p_values([curve.p_value for curve in each], method=adjust).tolist()
    pooled = curve_of(pairs, name=ALL, **binning)
    return [pooled, *each], [pooled.p_value, *adjusted]


def _recipe(curves: Sequence[CalibrationCurve]) -> dict[str, Any]:
    return {key: curves[0].recipe[key] for key in ("howsure", "binning", "level", "clustered")}


def _curve_to_dict(curve: CalibrationCurve, p_adjusted: float) -> dict[str, Any]:
    return curve.to_dict() | {"p_adjusted": None if p_adjusted != p_adjusted else p_adjusted}


def _figures(rows: Sequence[TagCalibration | EntityCalibration]) -> dict[str, list[Any]]:
    """What a frame holds of each curve."""
    errors = [row.curve.error for row in rows]
    return {
        "recall": [row.recall for row in rows],
        "n": [row.curve.n for row in rows],
        "error": [e.value for e in errors],
        "low": [e.low for e in errors],
        "high": [e.high for e in errors],
        "algorithm1_error": [row.curve.algorithm1_error.value for row in rows],
        "brier": [row.curve.brier.score for row in rows],
        "log_loss": [row.curve.log_loss.score for row in rows],
        "p_adjusted": [row.p_adjusted for row in rows],
        "miscalibration": [kind(row.curve, row.p_adjusted) for row in rows],
    }


def _hits(predicted: Tags, gold: Tags) -> Counter[str]:
    """How many tokens of each gold tag have it."""
    return Counter(g for ps, gs in zip(predicted, gold, strict=True) for p, g in zip(ps, gs, strict=True) if p == g)
