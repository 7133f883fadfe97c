"""The entities that a model finds: how many, how far their probabilities can be trusted, and a list of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure import __version__
from howsure.calibration.curve import curve_of
from howsure.calibration.results import CalibrationCurve
from howsure.calibration.table import by_group
from howsure.calibration.words import kind
from howsure.cli.calibration.output import adjusted_p_values
from howsure.cli.sequences.input import LAYERS, load_model, read_words
from howsure.cli.terminal.output import json_text, table_text
from howsure.data.logs.arrays import ModelArrays, label_names_of, read_model_arrays
from howsure.errors import InputError
from howsure.inputs.naming import counted
from howsure.inputs.pairs import Integers
from howsure.sequences.entities import EntitySpans, within_grammar
from howsure.sequences.tag_posterior import TagPosterior
from howsure.sequences.token_labels import IGNORED, gold_tags
from howsure.show.numbers import all_digits, number, p_text
from howsure.show.table import Table
from howsure.stats.multiplicity import ADJUSTED

# What `howsure sequences spans` reads: the logits of a token classifier, or sentences and a tagger.

Tags = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Labelled:
    """A posterior, gold labels if they are known, and the model's own answer where a grammar may have changed it."""

    name: str
    posterior: TagPosterior
    gold: Tags | None
    own: Tags | None = None
    grammar: str | None = None
    words: Tags | None = None

    @property
    def changed(self) -> int:
        """The number of sentences in which the most probable sequence is not the model's own answer."""
        best = self.posterior.names(self.posterior.viterbi())
        return 0 if self.own is None else sum(a != b for a, b in zip(best, self.own, strict=True))


def from_logits(path: str, *, targets: str | None, labels: str | None, grammar: str | None) -> Labelled:
    """The posterior of the logits in a file.

    Raises InputError if the labels have no names, or the arrays do not fit.
    """
    arrays = read_model_arrays(path, targets=targets)
    names = label_names_of(labels) if labels is not None else arrays.label_names
    if names is None:
        raise InputError(
            f"{path} does not name its labels; give --labels, separated by commas in the order of the logits, or the "
            "config.json of the model."
        )
    label_ids = _of_words(arrays)
    others = {"word_ids": arrays.word_ids, "mask": arrays.mask} if label_ids is None else {"label_ids": label_ids}
    counting: dict[str, Any] = next(({name: array} for name, array in others.items() if array is not None), {})
    crf: dict[str, Any] = {"transitions": arrays.transitions, "start": arrays.start, "end": arrays.end}
    posterior = TagPosterior.from_logits(arrays.logits, labels=names, grammar=grammar, **counting, **crf)
    gold = None if label_ids is None else gold_tags(label_ids, labels=names)
    if grammar is None:
        return Labelled(path, posterior, gold)
    free = TagPosterior.from_logits(arrays.logits, labels=names, **counting, **crf)
    return Labelled(path, posterior, gold, free.names(free.viterbi()), grammar.upper())


def _of_words(arrays: ModelArrays) -> Integers | None:
    """The numbers of the right labels, without those of later subwords and of what is masked, if the file says so."""
    if arrays.label_ids is None:
        return None
    counts = np.ones(arrays.label_ids.shape, dtype=bool)
    for name, array in (("word_ids", arrays.word_ids), ("mask", arrays.mask)):
        if array is not None and array.shape != counts.shape:
            raise InputError(
                f"{name} of {arrays.name} must have the shape of label_ids, {counts.shape}; {array.shape}."
            )
    if arrays.mask is not None:
        counts &= arrays.mask != 0
    if arrays.word_ids is not None:
        before = np.concatenate([np.full((*counts.shape[:-1], 1), -1), arrays.word_ids[..., :-1]], axis=-1)
        counts &= (arrays.word_ids >= 0) & (arrays.word_ids != before)
    return np.where(counts, arrays.label_ids, IGNORED)


def from_sentences(model: str, file: str, *, column: str, form: str | None, grammar: str | None) -> Labelled:
    """The posterior of a tagger over the sentences of a file; gold is None if none of them has tags."""
    tagger = load_model(model)
    corpus = read_words(file, form=form, model=tagger)
    tagged = any(getattr(sentence, LAYERS[column]) is not None for sentence in corpus.sentences)
    gold, words = corpus.tags(column) if tagged else None, [sentence.words for sentence in corpus.sentences]
    name, free = f"{model} on {corpus.name}", tagger.posterior(corpus.words)
    if grammar is None:
        return Labelled(name, free, gold, words=words)
    own = free.names(free.viterbi())
    return Labelled(name, within_grammar(free, grammar), gold, own, grammar.upper(), words)


# How many entities a model finds, and how far the probabilities of its entities can be trusted, by type.

ALL = "all"
HEADERS = (
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


@dataclass(frozen=True, slots=True)
class SpanEvaluation:
    """gold, predicted, hits: entities by type, and those that are both. curves: of all entities, then of each type."""

    labelled: Labelled
    spans: EntitySpans
    gold: Counter[str]
    predicted: Counter[str]
    hits: Counter[str]
    curves: list[CalibrationCurve]


def evaluate_spans(labelled: Labelled, spans: EntitySpans, **binning: Any) -> SpanEvaluation:
    """Precision, recall and calibration of the entities of a model."""
    assert spans.gold is not None
    pairs = spans.pairs()
    curves = [curve_of(pairs, name=ALL, **binning)]
    curves += [curve_of(group, name=name, **binning) for name, group in by_group(pairs)]
    types = np.array(spans.types, dtype=object)
    gold, predicted, hits = (
        Counter(types[rows].tolist()) for rows in (spans.gold, spans.predicted, spans.gold & spans.predicted)
    )
    return SpanEvaluation(labelled, spans, gold, predicted, hits, curves)


def spans_output(found: SpanEvaluation, recipe: dict[str, Any], form: str) -> str:
    """The evaluation in one of the formats."""
    pooled, *each = found.curves
    adjusted = [pooled.p_value, *adjusted_p_values(each, recipe["adjust"])]
    recipe = {**recipe, **{key: pooled.recipe[key] for key in ("howsure", "binning", "level", "clustered")}}
    if form == "json":
        return json_text(_as_dict(found, recipe, adjusted))
    table = _table(found, recipe, adjusted, exact=form == "csv")
    if form != "table":
        return table_text(table, form)
    return "\n".join([*_heading(found), "", table_text(table).rstrip(), *_notes(found, recipe), ""])


def scores(found: SpanEvaluation) -> dict[str, float | None]:
    """Precision, recall and F1 of the predicted entities; None where there are none to divide by."""
    gold, predicted, hits = (counts.total() for counts in (found.gold, found.predicted, found.hits))
    return {
        "precision": hits / predicted if predicted else None,
        "recall": hits / gold if gold else None,
        "f1": 2 * hits / (gold + predicted) if gold + predicted else None,
    }


def _heading(found: SpanEvaluation) -> list[str]:
    recipe, labelled = found.spans.recipe, found.labelled
    name = f"{labelled.name}: {counted(recipe['sentences'], 'sentence')}, {counted(recipe['tokens'], 'token')}"
    sizes = f"{found.gold.total():,} gold, {found.predicted.total():,} predicted, {found.hits.total():,} of them right"
    shown = ", ".join(f"{key if key != 'f1' else 'F1'} {number(value)}" for key, value in scores(found).items())
    lines = [name, f"entities: {sizes}; {shown}"]
    if labelled.grammar is not None:
        changed = counted(labelled.changed, "sentence")
        lines.append(f"grammar {labelled.grammar}: another answer than the most probable labels in {changed}")
    return lines


def _chosen(recipe: Mapping[str, Any]) -> str:
    best = "the most probable sequences" if recipe["k_best"] == 1 else f"the {recipe['k_best']} best sequences"
    least = recipe["min_probability"]
    return best if least is None else f"{best}, and all of probability {least:g} or more"


def _notes(found: SpanEvaluation, recipe: Mapping[str, Any]) -> list[str]:
    types = counted(len(found.curves) - 1, "type")
    adjust = recipe["adjust"]
    how = f"p is each type's own, not adjusted for {types}."
    if adjust != "none":
        how = f"p of the types is adjusted for {types} ({ADJUSTED[adjust]}); that of all is not."
    judged = {curve.name for curve in found.curves}
    silent = [f"{name} ({n:,})" for name, n in sorted(found.gold.items()) if name not in judged]
    missed = [f"No entity to judge of the type {', '.join(silent)}: the model brings up none."] if silent else []
    return [f"Judged are the entities of {_chosen(found.spans.recipe)}.", how, *missed]


def _table(found: SpanEvaluation, recipe: Mapping[str, Any], adjusted: list[float], *, exact: bool) -> Table:
    shown, shown_p = (all_digits, all_digits) if exact else (number, p_text)
    rows = []
    for curve, p in zip(found.curves, adjusted, strict=True):
        name = curve.name or ALL
        gold, hits = (counts.total() if name == ALL else counts[name] for counts in (found.gold, found.hits))
        e, sums = curve.debiased_error, (curve.base_rate, _mean_probability(curve))
        recall = hits / gold if gold else None
        figures = (*sums, e.value, e.low, e.high, curve.brier.score, curve.log_loss.score)
        rows.append([name, f"{gold}", shown(recall), f"{curve.n}", *map(shown, figures), shown_p(p), kind(curve, p)])
    comment = "\n".join([*_heading(found), f"howsure {__version__}", *_notes(found, recipe)])
    return Table(HEADERS, rows, words=("type", "miscalibration"), caption=comment)


def _mean_probability(curve: CalibrationCurve) -> float:
    bins = curve.bins
    return float(np.average(bins.mean_prob, weights=bins.count))


def _as_dict(found: SpanEvaluation, recipe: dict[str, Any], adjusted: list[float]) -> dict[str, Any]:
    curves = []
    for curve, p in zip(found.curves, adjusted, strict=True):
        name = curve.name or ALL
        counts = {"gold": found.gold[name], "predicted": found.predicted[name], "hits": found.hits[name]}
        more = {"p_adjusted": None if p != p else p, "mean_probability": _mean_probability(curve), **counts}
        curves.append({"type": name} | curve.to_dict() | more | {"recipe": curve.recipe})
    counts = {name: getattr(found, name).total() for name in ("gold", "predicted", "hits")}
    return {
        "recipe": recipe,
        "spans": found.spans.recipe,
        "changed_by_grammar": found.labelled.changed if found.labelled.grammar is not None else None,
        **scores(found),
        "all": curves[0] | counts,
        "types": curves[1:],
        "without_entities": {name: n for name, n in found.gold.items() if name not in {c.name for c in found.curves}},
    }


# The entities of sentences without gold labels: a line each, sentences and words counted from 1.

WORDS = ("type", "predicted", "text")  # aligned to the left


def entities_output(labelled: Labelled, found: EntitySpans, recipe: dict[str, Any], form: str) -> str:
    """The entities in one of the formats."""
    records = [_record(labelled, found, row) for row in range(len(found))]
    if form == "json":
        return json_text({"recipe": found.recipe | recipe, "entities": records})
    names = ("sentence", "first", "last", "type", "probability", "predicted", *(("text",) if labelled.words else ()))
    rows = [[_cell(record[name], exact=form == "csv") for name in names] for record in records]
    return table_text(Table(names, rows, words=WORDS), form)


def _record(labelled: Labelled, found: EntitySpans, row: int) -> dict[str, Any]:
    sentence, start, stop = int(found.sentence[row]), int(found.start[row]), int(found.stop[row])
    text = {} if labelled.words is None else {"text": " ".join(labelled.words[sentence][start:stop])}
    return {
        "sentence": sentence + 1,
        "first": start + 1,
        "last": stop,
        "type": found.types[row],
        "probability": float(found.probability[row]),
        "predicted": bool(found.predicted[row]),
        **text,
    }


def _cell(value: Any, *, exact: bool) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return (all_digits if exact else number)(value) if isinstance(value, float) else str(value)
