"""How many entities a model finds, and how far the probabilities of its entities can be trusted, by type."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure import __version__
from howsure.calibration.curve import curve_of
from howsure.calibration.results import CalibrationCurve
from howsure.calibration.table import by_group
from howsure.calibration.words.verdict import kind
from howsure.cli.calibration.output import adjusted_p_values
from howsure.cli.sequences.span_input import Labelled
from howsure.cli.terminal.output import json_text, table_text
from howsure.inputs.naming import counted
from howsure.sequences.entities.entity_spans import EntitySpans
from howsure.show.numbers import all_digits, number, p_text
from howsure.show.table import Table
from howsure.stats.multiplicity import ADJUSTED

ALL = "all"
HEADERS = (
    "type", "gold", "recall", "entities", "right", "mean probability", "error", "low", "high", "Brier", "log loss", "p",
    "miscalibration",
)  # fmt: skip


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
