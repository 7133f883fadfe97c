"""What a tagger's probabilities are worth: its pairs, its evaluation, and before and after a change."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from howsure import __version__
from howsure.calibration.comparison import compare_calibration
from howsure.calibration.curve import curve_of
from howsure.calibration.results import CalibrationCurve
from howsure.calibration.scores import score_columns, scores_of_all_classes
from howsure.calibration.table import by_group
from howsure.calibration.words import kind
from howsure.cli.calibration.output import adjusted_p_values
from howsure.cli.sequences.input import Corpus, Tags
from howsure.cli.terminal.output import json_text, table_text
from howsure.errors import InputError
from howsure.inputs.classes import TOP_LABEL
from howsure.inputs.naming import counted, shortened, unknown_name
from howsure.inputs.pairs import Floats, Integers, Pairs
from howsure.sequences.calibration_pairs import KEEP, count_unknown, frequent_transitions, tag_pairs, transition_pairs
from howsure.sequences.entities import entity_spans
from howsure.sequences.tag_posterior import TagPosterior
from howsure.sequences.tagger import Tagger
from howsure.sequences.temperatures import GoldLikelihood, Temperatures, Unseen, gold_codes
from howsure.sequences.token_labels import EntityLabels
from howsure.show.numbers import UNDEFINED, all_digits, interval, number, p_text
from howsure.show.table import Table
from howsure.stats.estimate import Estimate
from howsure.stats.multiplicity import ADJUSTED

# Calibration pairs of a tagger's posterior, with the sentence and the token that each speaks of.


def pairs_of_tags(
    posterior: TagPosterior, gold: Tags, *, tags: Sequence[str], unknown_tags: str
) -> tuple[Pairs, Integers]:
    """The pairs of all tags, or of some, and the number of each pair's token in its sentence.

    Raises InputError for a tag that the model does not have.
    """
    check_unknown(gold, posterior.labels or (), unknown_tags)
    found = tag_pairs(posterior, gold, unknown_tags=unknown_tags)
    for tag in tags:
        if tag not in found.group_names:
            raise unknown_name("tag", tag, found.group_names, place="the model")
    found = _numbered(found, gold)
    tokens = np.tile(_tokens(gold), len(found.group_names))
    if not tags:
        return found, tokens
    assert found.groups is not None
    names = tuple(dict.fromkeys(tags))
    place = {found.group_names.index(name): i for i, name in enumerate(names)}
    rows = np.flatnonzero(np.isin(found.groups, list(place)))
    groups = np.array([place[code] for code in found.groups[rows].tolist()], dtype=np.int64)
    return _some_pairs(found, rows, groups, names), tokens[rows]


def pairs_of_transitions(posterior: TagPosterior, gold: Tags, *, n: int, unknown_tags: str) -> tuple[Pairs, Integers]:
    """The pairs of the n most frequent tag pairs that the model knows, and the number of each one's first token."""
    check_unknown(gold, posterior.labels or (), unknown_tags)
    known = set(posterior.labels or ())
    wanted = [step for step in frequent_transitions(gold, n + len(known) ** 2) if known.issuperset(step)][:n]
    found = _numbered(transition_pairs(posterior, gold, pairs=wanted, unknown_tags=unknown_tags), gold, shorter=1)
    return found, np.tile(_tokens(gold, shorter=1), len(found.group_names))


def check_unknown(gold: Tags, labels: Sequence[str], unknown_tags: str) -> None:
    """Raise InputError for gold tags that the model does not know, unless they are to be kept."""
    unknown = count_unknown(gold, labels)
    if unknown and unknown_tags != KEEP:
        held = shortened(f"{tag} ({n:,})" for tag, n in unknown.most_common())
        raise InputError(
            f"the model does not know the gold tags of {counted(unknown.total(), 'token')}: {held}. "
            "Do they belong to another tag set? To keep such tokens, with none of the model's tags, use "
            "--unknown-tags keep."
        )


def _numbered(pairs: Pairs, gold: Tags, *, shorter: int = 0) -> Pairs:
    """The pairs with the numbers of sentences (from 1) as clusters, also where some without tokens are passed over."""
    assert pairs.clusters is not None
    lengths = np.array([max(len(tags) - shorter, 0) for tags in gold])
    return replace(pairs, clusters=1 + np.flatnonzero(lengths)[pairs.clusters])


def _some_pairs(pairs: Pairs, rows: Integers, groups: Integers, names: tuple[str, ...]) -> Pairs:
    assert pairs.clusters is not None
    return Pairs(
        pairs.labels[rows],
        pairs.probabilities[rows],
        groups=groups,
        group_names=names,
        clusters=pairs.clusters[rows],
    )


def _tokens(gold: Tags, *, shorter: int = 0) -> Integers:
    """The number of each token in its sentence, from 1."""
    return np.concatenate([np.arange(1, max(len(tags) - shorter, 0) + 1) for tags in gold])


# How good a tagger is, and how far what it says of its tags can be trusted.

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


# What a tagger's probabilities are worth before and after a change: errors, losses and accuracy, in pairs.

TOP, EVERY, PAIRS, ENTITIES = "error, most probable tag", "error, every tag", "error, pairs of tags", "error, entities"
SEEN, UNSEEN = "… of seen words", "… of unseen words"
TAG_LOSS, SEQUENCE_LOSS = "-log P of gold tags", "-log P of gold sequences"
ACCURACY = "accuracy"
PANELS = (TOP, PAIRS)


@dataclass(frozen=True, slots=True)
class Judged:
    """A posterior against gold tags: calibration pairs by what they speak of; the -log P of each token and sentence,
    and the hits of the best sequence of each sentence."""

    pairs: Mapping[str, Pairs]
    of_tokens: Floats
    of_sequences: Floats
    hits: Floats
    lengths: Floats
    level: float


@dataclass(frozen=True, slots=True)
class Row:
    """A figure before and after, and after - before where both are on the same rows."""

    name: str
    before: Estimate
    after: Estimate
    difference: Estimate | None
    squares: Estimate | None = None  # the difference of the squared errors


@dataclass(frozen=True, slots=True)
class BeforeAfter:
    """Errors and means by name, curves of both by what they speak of, tokens that are in no loss, and sizes."""

    errors: list[Row]
    means: list[Row]
    curves: Mapping[str, tuple[CalibrationCurve, CalibrationCurve]]
    left_out: int
    sentences: int
    tokens: int

    @property
    def accuracy(self) -> Estimate:
        """After - before of the share of right tags in the most probable sequences."""
        return self._difference(ACCURACY)

    @property
    def gain(self) -> Estimate:
        """After - before of what the temperatures are fitted by: the loss of tags."""
        return self._difference(TAG_LOSS)

    def _difference(self, name: str) -> Estimate:
        (row,) = (one for one in self.means if one.name == name)
        assert row.difference is not None
        return row.difference


def judged(
    posterior: TagPosterior, gold: Tags, *, unseen: Unseen | None, tag_pairs: int, unknown_tags: str, level: float
) -> Judged:
    """Everything that is asked of one posterior."""
    found = {TOP: _tag_pairs(posterior, gold, unknown_tags, reduce=TOP_LABEL)}
    if unseen is not None:
        words = np.concatenate([np.empty(0, bool), *unseen])
        found |= {name: _top_pairs(found[TOP], rows) for name, rows in ((SEEN, ~words), (UNSEEN, words)) if rows.any()}
    found[EVERY] = _tag_pairs(posterior, gold, unknown_tags)
    if any(len(tags) > 1 for tags in gold):
        found[PAIRS] = pairs_of_transitions(posterior, gold, n=tag_pairs, unknown_tags=unknown_tags)[0]
    if _are_entities(posterior):
        spans = entity_spans(posterior, gold, unknown_tags=unknown_tags)
        if spans.chosen.any():
            found[ENTITIES] = spans.pairs()
    losses = GoldLikelihood.of(posterior._potentials, gold_codes(posterior, gold, unknown_tags=KEEP), None).at(1, 1, 1)
    best = posterior.names(posterior.viterbi())
    hits = [sum(a == b for a, b in zip(ours, theirs, strict=True)) for ours, theirs in zip(best, gold, strict=True)]
    sizes = [float(len(tags)) for tags in gold]
    return Judged(found, losses.of_tokens, losses.of_sequences, np.array(hits, float), np.array(sizes), level)


def compare(both: Sequence[TagPosterior], gold: Tags, **how: Any) -> BeforeAfter:
    """Two posteriors of the same sentences, before and after; `how` they are judged."""
    before, after = (judged(one, gold, **how) for one in both)
    errors, curves = [], {}
    for name in (one for one in before.pairs if one in after.pairs):
        curves[name], row = _error(name, before.pairs[name], after.pairs[name], before.level)
        errors.append(row)
    counts = np.isfinite(before.of_tokens) & np.isfinite(after.of_tokens)
    sentences = np.repeat(np.arange(len(before.lengths)), before.lengths.astype(np.int64))[counts]
    whole = np.isfinite(before.of_sequences) & np.isfinite(after.of_sequences) & (before.lengths > 0)

    def by_sentence(tokens: Floats) -> Floats:
        return np.bincount(sentences, tokens, len(whole)).astype(np.float64, copy=False)

    tags = [by_sentence(one.of_tokens[counts]) for one in (before, after)]
    sequences = [np.where(whole, one.of_sequences, 0.0) for one in (before, after)]
    rows = by_sentence(np.ones(len(sentences)))
    means = [
        _mean_row(TAG_LOSS, tags, rows, before.level),
        _mean_row(SEQUENCE_LOSS, sequences, np.where(whole, before.lengths, 0.0), before.level),
        _mean_row(ACCURACY, [before.hits, after.hits], before.lengths, before.level),
    ]
    panels = {name.removeprefix("error, "): curves[name] for name in PANELS if name in curves}
    sizes = int((before.lengths > 0).sum()), int(before.lengths.sum())
    return BeforeAfter(errors, means, panels, int((~counts).sum()), *sizes)


def _error(
    name: str, before: Pairs, after: Pairs, level: float
) -> tuple[tuple[CalibrationCurve, CalibrationCurve], Row]:
    """Both curves, and their errors."""
    if name == ENTITIES:  # each has its own entities
        one, other = (
            curve_of(pairs, name=which, level=level) for which, pairs in (("before", before), ("after", after))
        )
        return (one, other), Row(name, one.debiased_error, other.debiased_error, None)
    found = compare_calibration(after, before, level=level, names=("after", "before"))
    row = Row(name, found.error_b, found.error_a, found.error_difference, found.squared_error_difference)
    return (found.curves[1], found.curves[0]), row


def _mean_row(name: str, both: Sequence[Floats], counts: Floats, level: float) -> Row:
    before, after = both
    one, other, difference = (mean_of(sums, counts, level) for sums in (before, after, after - before))
    return Row(name, one, other, difference)


def mean_of(sums: Floats, counts: Floats, level: float) -> Estimate:
    """Σ sums / Σ counts over sentences, the sentence being the unit of the interval (a ratio's linear one, Student).

    >>> print(mean_of(np.array([2.0, 4.0, 3.0]), np.array([2.0, 4.0, 2.0]), 0.95))
    1.1250 [0.5088, 1.7412]
    """
    from scipy.special import stdtrit

    held = counts > 0
    sums, counts = sums[held], counts[held]
    total, n = float(counts.sum()), len(counts)
    if not n:
        return Estimate(math.nan, None, None, level, "mean over sentences", 0)
    mean = float(sums.sum()) / total
    if n < 2:
        return Estimate(mean, None, None, level, "mean over sentences", n)
    spread = math.sqrt(n / (n - 1) * float(((sums - mean * counts) ** 2).sum())) / total
    reach = float(stdtrit(n - 1, (1 + level) / 2)) * spread
    return Estimate(mean, mean - reach, mean + reach, level, "mean over sentences", n)


def _tag_pairs(posterior: TagPosterior, gold: Tags, unknown_tags: str, **options: Any) -> Pairs:
    return tag_pairs(posterior, gold, unknown_tags=unknown_tags, **options)


def _top_pairs(pairs: Pairs, rows: Any) -> Pairs:
    assert pairs.clusters is not None
    return Pairs(pairs.labels[rows], pairs.probabilities[rows], clusters=pairs.clusters[rows], reduction=TOP_LABEL)


def _are_entities(posterior: TagPosterior) -> bool:
    try:
        return bool(EntityLabels(posterior.labels or ()).type_names)
    except InputError:
        return False


# What `howsure sequences recalibrate` shows: temperatures, and what they are worth.

HEADINGS = ("before", "after", "after - before")
SQUARES = "²"
NOTE = f"{SQUARES}: of the squared errors, since one of the errors is not clearly above 0."
HELPS, HARMS, UNKNOWN = "helps", "makes it worse", "cannot tell"


def recalibration_text(
    found: Temperatures, results: Mapping[str, BeforeAfter], recipe: Mapping[str, Any], path: str
) -> str:
    """The temperatures, a table for each file, and the verdict by the last one."""
    parts = [repr(found)]
    for name, one in results.items():
        sizes = f"{counted(one.sentences, 'sentence')}, {counted(one.tokens, 'token')}"
        left = f"; {counted(one.left_out, 'token')} in no -log P" if one.left_out else ""
        parts += ["", f"{name}: {sizes}{left}", str(_temperature_table(one))]
    parts += ["", *verdict_lines(results), f"written to {path}", ""]
    return "\n".join(parts)


def recalibration_json(
    found: Temperatures, results: Mapping[str, BeforeAfter], recipe: Mapping[str, Any], path: str
) -> str:
    """The same with all digits."""
    last = list(results.values())[-1]
    return json_text(
        {
            "recipe": dict(recipe),
            "temperatures": found.to_dict(),
            "comparisons": [
                {
                    "on": name,
                    "sentences": one.sentences,
                    "tokens": one.tokens,
                    "left_out": one.left_out,
                    "errors": [_row_as_dict(row) for row in one.errors],
                    "means": [_row_as_dict(row) for row in one.means],
                }
                for name, one in results.items()
            ],
            "verdict": verdict(last.gain),
            "written_to": path,
        }
    )


def verdict(gain: Estimate) -> str:
    """By the interval of after - before: a loss, which is better the smaller it is."""
    if gain.low is None or gain.high is None or gain.low <= 0 <= gain.high:
        return UNKNOWN
    return HELPS if gain.high < 0 else HARMS


def verdict_lines(results: Mapping[str, BeforeAfter]) -> list[str]:
    """What the temperatures are worth, and whether the answers got worse."""
    last = list(results.values())[-1]
    said = {
        HELPS: "the temperatures help",
        HARMS: "the temperatures make it worse; keep the model as it is",
        UNKNOWN: "no gain is shown; the model may stay as it is",
    }[verdict(last.gain)]
    lines = [f"-log P of gold tags changes by {_signed(last.gain)} per token: {said}"]
    if last.accuracy.high is not None and last.accuracy.high < 0:
        lines.append(f"accuracy changes by {_signed(last.accuracy)}: --keep-answers keeps the most probable sequences")
    return lines


def _signed(held: Estimate) -> str:
    return f"{number(held.value, sign=True)} {interval(held.low, held.high, sign=True)}"


def _temperature_table(one: BeforeAfter) -> Table:
    rows = [_cells(row) for row in (*one.errors, *one.means)]
    marked = any(SQUARES in row[-1] for row in rows)
    return Table(("", *HEADINGS), rows, words=("",), notes=[NOTE] if marked else [])


def _cells(row: Row) -> list[str]:
    difference = UNDEFINED
    if row.difference is not None and row.difference.low is not None:
        difference = _signed(row.difference)
    elif row.squares is not None and row.squares.low is not None:
        difference = f"{SQUARES} {_signed(row.squares)}"
    return [row.name, str(row.before), str(row.after), difference]


def _row_as_dict(row: Row) -> dict[str, Any]:
    held = {"before": row.before, "after": row.after, "difference": row.difference, "squared_difference": row.squares}
    return {"name": row.name} | {name: None if one is None else one.to_dict() for name, one in held.items()}
