"""Comparison of a tagger's probabilities before and after a change: calibration errors, losses and accuracy."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from howsure import __version__
from howsure.calibration.comparison import compare_calibration
from howsure.calibration.curve import binned_curve
from howsure.calibration.results import CalibrationCurve
from howsure.errors import InputError
from howsure.inputs.numbers_and_names import counted
from howsure.inputs.pairs import TOP_LABEL, Bools, Floats, Pairs
from howsure.inputs.parameter_types import Axes, Figure
from howsure.result import Estimate, Result, as_json
from howsure.show.axes import checks_axes
from howsure.show.table import ESTIMATE, FRAME, TABLE, WORDS, Column, Kind, interval, number
from howsure.stats.clusters import ItemGroups, ratio_error
from howsure.stats.mean_score import Bounds, mean_difference, mean_score
from howsure.stats.proportions import t_quantile
from howsure_text.sequences.calibration_pairs import frequent_transitions, tag_pairs, transition_pairs
from howsure_text.sequences.entities import entity_spans
from howsure_text.sequences.sentences import ERROR, KEEP
from howsure_text.sequences.tag_posterior import TagPosterior
from howsure_text.sequences.temperatures import GoldLikelihood, Unseen, check_unseen, gold_codes
from howsure_text.sequences.token_labels import EntityLabels

TOP, EVERY, PAIRS, ENTITIES = "error, most probable tag", "error, every tag", "error, pairs of tags", "error, entities"
SEEN, UNSEEN = "… of seen words", "… of unseen words"
TAG_LOSS, SEQUENCE_LOSS = "-log P of gold tags", "-log P of gold sequences"
ACCURACY = "accuracy"
OVER_SENTENCES = "mean over sentences"
PANELS = (TOP, PAIRS)
SQUARES = "²"
NOTE = f"{SQUARES}: difference of the squared errors, because one of the errors is not clearly above 0."
HELPS, HARMS, UNKNOWN = "helps", "makes it worse", "cannot tell"
Tags = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Change:
    """A quantity before and after a change.

    difference: after - before, if both are computed from the same rows. squared_difference: for calibration errors, the
    difference of their squares.
    """

    name: str
    before: Estimate
    after: Estimate
    difference: Estimate | None
    squared_difference: Estimate | None = None

    @property
    def shown(self) -> str | None:
        """The difference or the difference of squares, whichever is known."""
        if self.difference is not None and self.difference.low is not None:
            return _signed(self.difference)
        if self.squared_difference is not None and self.squared_difference.low is not None:
            return f"{SQUARES} {_signed(self.squared_difference)}"
        if self.difference is not None and self.squared_difference is None:
            return number(self.difference.value, sign=True)
        return None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PosteriorComparison(Result):
    """The result of `compare_posteriors`.

    errors: calibration errors of the most probable tags (of seen and unseen words), of every tag, of pairs of
    consecutive tags, and of entities. means: -log P of gold tags and of gold sequences, per token, and the accuracy of
    the most probable sequences; their intervals are by sentences. curves: the calibration curves before and after, by
    kind of prediction (most probable tag, pairs of tags). left_out: the number of tokens that are left out of -log P.
    sentences, tokens: the numbers of sentences and tokens used.
    """

    derived: ClassVar = {"outcome": "means"}

    sentences: int
    tokens: int
    left_out: int
    errors: tuple[Change, ...]
    means: tuple[Change, ...]
    curves: Mapping[str, tuple[CalibrationCurve, CalibrationCurve]] = as_json(None)
    recipe: dict[str, Any]

    description = ""

    def __getitem__(self, name: str) -> Change:
        """Return the row with this name."""
        for row in self.table_rows():
            if row.name == name:
                return row
        raise KeyError(name)

    @property
    def accuracy(self) -> Estimate:
        """The change (after - before) of the proportion of right tags in the most probable sequences."""
        return self._difference(ACCURACY)

    @property
    def gain(self) -> Estimate:
        """The change (after - before) of -log P of gold tags per token, the objective of fitting temperatures."""
        return self._difference(TAG_LOSS)

    @property
    def outcome(self) -> str:
        """Return the verdict by the interval of the gain: the change "helps", "makes it worse", or "cannot tell"."""
        low, high = self.gain.low, self.gain.high
        if low is None or high is None or low <= 0 <= high:
            return UNKNOWN
        return HELPS if high < 0 else HARMS

    @property
    def sentence(self) -> str:
        """A sentence on the effect of the change."""
        verbs = {
            HELPS: "the temperatures help",
            HARMS: "the temperatures make it worse; keep the model as it is",
            UNKNOWN: "no gain is shown; the model may stay as it is",
        }
        return f"{TAG_LOSS} changes by {_signed(self.gain)} per token: {verbs[self.outcome]}"

    def verdict(self) -> str:
        """A sentence on the effect of the change, and whether the accuracy decreased."""
        lines = [self.sentence]
        if self.accuracy.high is not None and self.accuracy.high < 0:
            kept = "one temperature for everything (keep_answers) keeps the most probable sequences"
            lines.append(f"accuracy changes by {_signed(self.accuracy)}: {kept}")
        return "\n".join(lines)

    def sizes(self) -> str:
        """The numbers of sentences and tokens that are used."""
        left = f"; {counted(self.left_out, 'token')} in no -log P" if self.left_out else ""
        return f"{counted(self.sentences, 'sentence')}, {counted(self.tokens, 'token')}{left}"

    def table_rows(self) -> Sequence[Change]:
        """The errors, then the means."""
        return (*self.errors, *self.means)

    def columns(self) -> Sequence[Column]:
        """Before, after, and the difference."""
        return [
            Column("figure", WORDS, get=lambda row: row.name),
            Column("before", ESTIMATE),
            Column("after", ESTIMATE),
            Column("difference", Kind(str), "after - before", get=lambda row: row.shown, only=TABLE),
            Column("difference", ESTIMATE, only=FRAME),
        ]

    @property
    def notes(self) -> tuple[str, ...]:
        """The meaning of marks in the table."""
        return (NOTE,) if any(SQUARES in (row.shown or "") for row in self.table_rows()) else ()

    def footnotes(self) -> Sequence[str]:
        """The sizes, the meaning of marks, and the effect of the change."""
        return [*self.notes, f"{self.sizes()}.", *self.verdict().splitlines()]

    @checks_axes
    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the curves of the most probable tag, before and after, on axes (new ones if None)."""
        from howsure.figures.curves import draw_curves

        return draw_curves(self.curves[TOP.removeprefix("error, ")], ax=ax)

    def figure(self) -> Figure:
        """The curves before and after, with a panel for each kind of prediction."""
        from howsure.figures.compared_curves import before_after_figure

        return before_after_figure(self.curves)

    def _difference(self, name: str) -> Estimate:
        difference = self[name].difference
        assert difference is not None
        return difference


def compare_posteriors(
    before: TagPosterior,
    after: TagPosterior,
    tags: Tags,
    *,
    unseen: Unseen | None = None,
    tag_pairs: int = 20,
    unknown_tags: str = ERROR,
    level: float = 0.95,
) -> PosteriorComparison:
    """Compare the probabilities of a tagger before and after a change, such as a recalibration, with gold tags.

    before, after: posteriors of the same sentences. tags: their gold tags. unseen: for each sentence, whether each of
    its words is unseen in training (T,); the errors of seen and unseen words are then also reported separately.
    tag_pairs: evaluate this many of the most frequent pairs of consecutive tags. unknown_tags: "error", or "keep", as
    in `tag_pairs`.

    To judge temperatures on the sentences that they were fitted to, use `cross_tempered` as `after`. On other
    sentences, use the posterior of the recalibrated tagger.

    >>> rng = np.random.default_rng(0)
    >>> truth = TagPosterior(list(rng.normal(size=(200, 5, 2))), rng.normal(size=(2, 2)), labels=["N", "V"])
    >>> gold = [truth.names(draw[0]) for draw in truth.sample(1, rng=1)]
    >>> compare_posteriors(truth.tempered(0.3), truth, gold).outcome
    'helps'

    Raises InputError as `tag_pairs` and `fit_temperatures` do.
    """
    words = check_unseen(unseen, before.lengths)
    first, other = (
        _Judged.of(posterior, tags, unseen=words, n_pairs=tag_pairs, unknown_tags=unknown_tags)
        for posterior in (before, after)
    )
    errors, curves = [], {}
    for name in (name for name in first.pairs if name in other.pairs):
        curves[name], row = _error(name, first.pairs[name], other.pairs[name], level)
        errors.append(row)
    lengths = first.lengths
    is_counted = np.isfinite(first.of_tokens) & np.isfinite(other.of_tokens)
    sentences = np.repeat(np.arange(len(lengths)), lengths.astype(np.int64))[is_counted]
    is_possible = np.isfinite(first.of_sequences) & np.isfinite(other.of_sequences) & (lengths > 0)

    def by_sentence(tokens: Floats) -> Floats:
        return np.bincount(sentences, tokens, len(is_possible)).astype(np.float64, copy=False)

    losses = [by_sentence(side.of_tokens[is_counted]) for side in (first, other)]
    sequences = [np.where(is_possible, side.of_sequences, 0.0) for side in (first, other)]
    means = (
        _mean_change(TAG_LOSS, losses, by_sentence(np.ones(len(sentences))), level),
        _mean_change(SEQUENCE_LOSS, sequences, np.where(is_possible, lengths, 0.0), level),
        _accuracy_change(first.hits, other.hits, lengths, level),
    )
    return PosteriorComparison(
        errors=tuple(errors),
        means=means,
        curves={name.removeprefix("error, "): curves[name] for name in PANELS if name in curves},
        left_out=int((~is_counted).sum()),
        sentences=int((lengths > 0).sum()),
        tokens=int(lengths.sum()),
        recipe={"howsure": __version__, "tag_pairs": tag_pairs, "unknown_tags": unknown_tags, "level": level},
    )


def known_transitions(posterior: TagPosterior, tags: Tags, n: int) -> list[tuple[str, str]]:
    """Return the n most frequent pairs of consecutive gold tags; pairs with a tag unknown to the model are left out."""
    known_labels = set(posterior.labels or ())
    return [step for step in frequent_transitions(tags, n + len(known_labels) ** 2) if known_labels.issuperset(step)][
        :n
    ]


@dataclass(frozen=True, slots=True)
class _Judged:
    """A posterior compared with gold tags.

    pairs: calibration pairs by kind of prediction. of_tokens, of_sequences: -log P of gold tags of tokens, and of each
    sentence's gold sequence. hits: the number of right tags in the most probable sequence of each sentence.
    """

    pairs: Mapping[str, Pairs]
    of_tokens: Floats
    of_sequences: Floats
    hits: Floats
    lengths: Floats

    @classmethod
    def of(
        cls, posterior: TagPosterior, tags: Tags, *, unseen: Unseen | None, n_pairs: int, unknown_tags: str
    ) -> _Judged:
        top = tag_pairs(posterior, tags, reduce=TOP_LABEL, unknown_tags=unknown_tags)
        pairs_by_name = {TOP: top}
        if unseen is not None:
            new = np.concatenate([np.empty(0, bool), *unseen])
            pairs_by_name |= {
                name: _select_rows(top, rows) for name, rows in ((SEEN, ~new), (UNSEEN, new)) if rows.any()
            }
        pairs_by_name[EVERY] = tag_pairs(posterior, tags, unknown_tags=unknown_tags)
        if any(len(sentence) > 1 for sentence in tags):
            steps = known_transitions(posterior, tags, n_pairs)
            pairs_by_name[PAIRS] = transition_pairs(posterior, tags, pairs=steps, unknown_tags=unknown_tags)
        if _names_entities(posterior):
            spans = entity_spans(posterior, tags, unknown_tags=unknown_tags)
            if spans.chosen.any():
                pairs_by_name[ENTITIES] = spans.pairs()
        codes = gold_codes(posterior, tags, unknown_tags=KEEP)
        losses = GoldLikelihood.of(posterior._potentials, codes, None).at(1, 1, 1)
        best = posterior.names(posterior.viterbi())
        hits = [sum(a == b for a, b in zip(ours, gold, strict=True)) for ours, gold in zip(best, tags, strict=True)]
        sizes = np.array([len(sentence) for sentence in tags], dtype=np.float64)
        return cls(pairs_by_name, losses.of_tokens, losses.of_sequences, np.array(hits, dtype=np.float64), sizes)


def _select_rows(pairs: Pairs, rows: Bools) -> Pairs:
    assert pairs.clusters is not None
    return Pairs(pairs.labels[rows], pairs.probabilities[rows], clusters=pairs.clusters[rows], reduction=TOP_LABEL)


def _names_entities(posterior: TagPosterior) -> bool:
    try:
        return bool(EntityLabels(posterior.labels or ()).type_names)
    except InputError:
        return False


def _error(
    name: str, before: Pairs, after: Pairs, level: float
) -> tuple[tuple[CalibrationCurve, CalibrationCurve], Change]:
    if name == ENTITIES:  # before and after have different entities
        first, second = binned_curve(before, name="before", level=level), binned_curve(after, name="after", level=level)
        return (first, second), Change(name, first.error, second.error, None)
    comparison = compare_calibration(after, against=before, level=level, names=("after", "before"))
    row = Change(
        name, comparison.error_b, comparison.error_a, comparison.error_difference, comparison.squared_error_difference
    )
    return (comparison.curves[1], comparison.curves[0]), row


def _mean_change(name: str, both: Sequence[Floats], counts: Floats, level: float) -> Change:
    before, after = both
    first, other, difference = (mean_over_sentences(sums, counts, level) for sums in (before, after, after - before))
    return Change(name, first, other, difference)


def _accuracy_change(before: Floats, after: Floats, lengths: Floats, level: float) -> Change:
    """Return the row with the accuracies before and after, and their difference.

    The accuracies have Gaffke's intervals, which have a positive width even if all tags of the sample are right. The
    difference has the interval of `mean_difference`, which is not too narrow even if few items differ.
    """
    has_tokens = lengths > 0
    sizes = lengths[has_tokens].astype(np.int64)
    groups = ItemGroups.of(int(sizes.sum()), clusters=np.repeat(np.arange(len(sizes)), sizes))
    first, other = (np.repeat(hits[has_tokens] / sizes, sizes) for hits in (before, after))
    bounds: Bounds = 0.0, 1.0
    sides = [mean_score(values, groups, bounds=bounds) for values in (first, other)]
    rows = [Estimate(m.value, *m.interval(level), level, OVER_SENTENCES, len(sizes)) for m in sides]
    ends: tuple[float | None, float | None] = None, None  # if no answer changed, the variance of changes is unknown
    if (first != other).any():
        ends = mean_difference(other, first, groups, level=level).interval(level)
    change = Estimate(rows[1].value - rows[0].value, *ends, level, OVER_SENTENCES, len(sizes))
    return Change(ACCURACY, rows[0], rows[1], change)


def mean_over_sentences(sums: Floats, counts: Floats, level: float) -> Estimate:
    """Return Σ sums / Σ counts over sentences, with Student's interval; its error is the linearised one of a ratio.

    >>> print(mean_over_sentences(np.array([2.0, 4.0, 3.0]), np.array([2.0, 4.0, 2.0]), 0.95))
    1.1250 [0.5088, 1.7412]
    """
    has_tokens = counts > 0
    sums, counts = sums[has_tokens], counts[has_tokens]
    total, n = float(counts.sum()), len(counts)
    if n < 2:
        mean = float(sums.sum()) / total if n else math.nan
        return Estimate(mean, None, None, level, OVER_SENTENCES, n)
    mean = float(sums.sum()) / total
    half_width = t_quantile(level, n - 1) * ratio_error(sums, counts)
    return Estimate(mean, mean - half_width, mean + half_width, level, OVER_SENTENCES, n)


def _signed(estimate: Estimate) -> str:
    return f"{number(estimate.value, sign=True)} {interval(estimate.low, estimate.high, sign=True)}"
