"""What a tagger's probabilities are worth before and after a change: errors, losses and accuracy, in pairs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.calibration.comparison import compare_calibration
from howsure.calibration.curve import curve_of
from howsure.calibration.results import CalibrationCurve
from howsure.cli.sequences.input import Tags
from howsure.cli.sequences.pairs import pairs_of_transitions
from howsure.errors import InputError
from howsure.inputs.classes import TOP_LABEL
from howsure.inputs.pairs import Floats, Pairs
from howsure.sequences.calibration_pairs import KEEP, tag_pairs
from howsure.sequences.entities.entity_labels import EntityLabels
from howsure.sequences.entities.entity_spans import entity_spans
from howsure.sequences.tag_posterior import TagPosterior
from howsure.sequences.tempering.gold_codes import gold_codes
from howsure.sequences.tempering.gold_likelihood import GoldLikelihood
from howsure.sequences.tempering.temperatures import Unseen
from howsure.stats.estimate import Estimate

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
        found |= {name: _some(found[TOP], rows) for name, rows in ((SEEN, ~words), (UNSEEN, words)) if rows.any()}
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


def _some(pairs: Pairs, rows: Any) -> Pairs:
    assert pairs.clusters is not None
    return Pairs(pairs.labels[rows], pairs.probabilities[rows], clusters=pairs.clusters[rows], reduction=TOP_LABEL)


def _are_entities(posterior: TagPosterior) -> bool:
    try:
        return bool(EntityLabels(posterior.labels or ()).type_names)
    except InputError:
        return False
