"""How good a tagger is, and how far what it says of its tags can be trusted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from howsure import __version__
from howsure.calibration.curve import curve_of
from howsure.calibration.results import CalibrationCurve
from howsure.calibration.scores.multiclass import score_columns, scores_of_all_classes
from howsure.calibration.table import by_group
from howsure.calibration.words.verdict import kind
from howsure.cli.calibration.output import adjusted_p_values
from howsure.cli.sequences.input import Corpus, Tags
from howsure.cli.sequences.pairs import check_unknown
from howsure.cli.terminal.output import json_text, table_text
from howsure.inputs.naming import counted
from howsure.sequences.calibration_pairs import count_unknown, tag_pairs
from howsure.sequences.taggers.tagger import Tagger
from howsure.show.numbers import all_digits, number, p_text
from howsure.show.table import Table
from howsure.stats.multiplicity import ADJUSTED

ALL = "all"
HEADERS = ("tag", "tokens", "right", "error", "low", "high", "Algorithm 1")


@dataclass(frozen=True, slots=True)
class Evaluation:
    """accuracy: by decoding. right: tokens of each gold tag, and how many of them the best sequence has right.

    curves: that of all tags together, then one per tag. unknown: tokens of gold tags that the model does not know.
    """

    accuracy: Mapping[str, float]
    right: Mapping[str, tuple[int, int]]
    curves: list[CalibrationCurve]
    unknown: int
    sentences: int


def evaluate(tagger: Tagger, corpus: Corpus, gold: Tags, *, unknown_tags: str, **binning: Any) -> Evaluation:
    """Accuracy and calibration of a tagger on sentences with gold tags."""
    posterior = tagger.posterior(corpus.words)
    check_unknown(gold, posterior.labels or (), unknown_tags)
    pairs = tag_pairs(posterior, gold, unknown_tags=unknown_tags)
    decoded = {
        "viterbi": posterior.names(posterior.viterbi()),
        "posterior": posterior.names(posterior.posterior_decode()),
    }
    tokens = sum(map(len, gold))
    accuracy = {how: _hits(tags, gold).total() / tokens for how, tags in decoded.items()}
    counts, hits = Counter(tag for tags in gold for tag in tags), _hits(decoded["viterbi"], gold)
    curves = [curve_of(pairs, name=ALL, **binning)]
    curves += [curve_of(group, name=name, **binning) for name, group in by_group(pairs)]
    right = {ALL: (tokens, hits.total())} | {tag: (counts[tag], hits[tag]) for tag in posterior.labels or ()}
    return Evaluation(accuracy, right, curves, count_unknown(gold, posterior.labels or ()).total(), len(gold))


def evaluation_output(found: Evaluation, recipe: dict[str, Any], form: str) -> str:
    """The evaluation in one of the formats."""
    pooled, *each = found.curves
    adjusted = [pooled.p_value, *adjusted_p_values(each, recipe["adjust"])]
    recipe = {**recipe, **{key: pooled.recipe[key] for key in ("howsure", "binning", "level", "clustered")}}
    if form == "json":
        return json_text(_as_dict(found, recipe, adjusted))
    table = _table(found, recipe, adjusted, exact=form == "csv")
    if form != "table":
        return table_text(table, form)
    return "\n".join([*_heading(found, recipe), "", table_text(table).rstrip(), *_notes(found, recipe), ""])


def _heading(found: Evaluation, recipe: Mapping[str, Any]) -> list[str]:
    tokens = found.right[ALL][0]
    unknown = f", {found.unknown:,} of them with tags unknown to the model" if found.unknown else ""
    return [
        f"{recipe['model']} on {', '.join(recipe['files'])}: "
        f"{counted(found.sentences, 'sentence')}, {counted(tokens, 'token')}{unknown}",
        f"accuracy {found.accuracy['viterbi']:.4f} (most probable sequence), "
        f"{found.accuracy['posterior']:.4f} (word by word)",
    ]


def _notes(found: Evaluation, recipe: Mapping[str, Any]) -> list[str]:
    tags, together = counted(len(found.curves) - 1, "tag"), scores_of_all_classes(found.curves)
    if recipe["adjust"] == "none":
        return [*together, f"p is each tag's own, not adjusted for {tags}."]
    return [*together, f"p of the tags is adjusted for {tags} ({ADJUSTED[recipe['adjust']]}); that of all is not."]


def _table(found: Evaluation, recipe: Mapping[str, Any], adjusted: list[float], *, exact: bool) -> Table:
    shown, shown_p = (all_digits, all_digits) if exact else (number, p_text)
    rows, scores = [], score_columns(found.curves, each=exact)
    for i, (curve, p) in enumerate(zip(found.curves, adjusted, strict=True)):
        name = curve.name or ALL
        tokens, right = found.right[name]
        e = curve.debiased_error
        values = (e.value, e.low, e.high, curve.error.value, *(held[i] for _, held in scores))
        share = right / tokens if tokens else None
        rows.append([name, f"{tokens}", shown(share), *map(shown, values), shown_p(p), kind(curve, p)])
    comment = "\n".join([*_heading(found, recipe), f"howsure {__version__}", *_notes(found, recipe)])
    headings = (*HEADERS, *(name for name, _ in scores), "p", "miscalibration")
    return Table(headings, rows, words=("tag", "miscalibration"), caption=comment)


def _as_dict(found: Evaluation, recipe: dict[str, Any], adjusted: list[float]) -> dict[str, Any]:
    curves = [
        curve.to_dict()
        | {"p_adjusted": None if p != p else p, "tokens": found.right[curve.name or ALL][0]}
        | {"right": found.right[curve.name or ALL][1], "recipe": curve.recipe}
        for curve, p in zip(found.curves, adjusted, strict=True)
    ]
    return {
        "recipe": recipe,
        "sentences": found.sentences,
        "tokens": found.right[ALL][0],
        "unknown_tags": found.unknown,
        "accuracy": dict(found.accuracy),
        "all": curves[0],
        "tags": curves[1:],
    }


def _hits(predicted: Tags, gold: Tags) -> Counter[str]:
    """How many tokens of each gold tag have it."""
    return Counter(g for ps, gs in zip(predicted, gold, strict=True) for p, g in zip(ps, gs, strict=True) if p == g)
