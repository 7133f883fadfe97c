"""Evaluation of a coreference model on documents: pair calibration, scores, and sums by document."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from howsure.calibration.curve import binned_curve
from howsure.calibration.results import CalibrationCurve
from howsure.data.documents.document import Document, Mention
from howsure.inputs.pairs import Floats, Integers, Labels, Pairs
from howsure.result import Estimate
from howsure_papers.intervals import LEVEL, jackknife_estimate, unbounded
from howsure_text.coreference import CoreferenceScores, CorefPosterior, coreference_scores, pairs_from_posteriors
from howsure_text.coreference.detection import mention_entities

BIN_SIZE, SAMPLES = 5_000, 1_000
MIN_BINS = 20  # minimum number of bins; with fewer pairs, bins are smaller
NEAR_ZERO, HALF = 0.05, 0.5
# doubtful pairs have such probabilities; near and far: distances in mentions
DOUBTFUL, NEAR, FAR = (0.15, 0.85), 20, 60


@dataclass(frozen=True)
class Judged:
    """The predictions of a model for all pairs of mentions, exact and from samples, and their evaluation.

    pairs, sampled: P(i ~ j) of the same pairs, exact and from samples (none without a seed); clusters are documents.
    apart: the distance of the two mentions of each pair, in mentions. new: the probability that a mention is new, and
    whether it is the first of its gold entity. scores: the scores of the 1-best clusters, without singletons. nats,
    mentions (D,): the log-probability of the gold clustering of each document, and its number of mentions. entities
    (D, 3): the gold number of entities, and the ends of the posterior interval of that number.
    """

    pairs: Pairs
    sampled: Floats
    apart: Integers
    new: Pairs
    scores: Sequence[CoreferenceScores]
    nats: Floats
    mentions: Integers
    entities: Integers = field(repr=False)

    @property
    def total(self) -> CoreferenceScores:
        return sum(self.scores, CoreferenceScores())

    @cached_property
    def curve(self) -> CalibrationCurve:
        """The curve of the exact pair probabilities."""
        return binned_curve(self.pairs, bin_size=choose_bin_size(self.pairs))

    @cached_property
    def sampled_curve(self) -> CalibrationCurve:
        """The curve of the frequencies among the samples."""
        drawn = Pairs(self.pairs.labels, self.sampled, clusters=self.pairs.clusters)
        return binned_curve(drawn, bin_size=choose_bin_size(drawn))

    @cached_property
    def away_from_zero(self) -> Estimate:
        """The calibration error of the pairs with P(i ~ j) > .05."""
        return binned_curve(self.pairs.select(self.pairs.probabilities > NEAR_ZERO)).error

    @cached_property
    def error_of_new(self) -> Estimate:
        """The calibration error of P(mention is new)."""
        return binned_curve(self.new).error

    @cached_property
    def sums(self) -> Floats:
        """Return sums for each document, from which the measures of any set of documents can be computed.

        A row has twelve sums of coreference scores, the log-probability in nats, the number of mentions, and nine sums
        over pairs.
        """
        assert self.pairs.clusters is not None
        q, y, document = self.pairs.probabilities, self.pairs.labels.astype(np.float64), self.pairs.clusters
        high = q > HALF
        doubtful = (q > DOUBTFUL[0]) & (q < DOUBTFUL[1])
        columns = [(q - y) ** 2, y, np.ones_like(q), np.where(high, q - y, 0.0), high]
        for chosen in (doubtful & (self.apart < NEAR), doubtful & (self.apart >= FAR)):
            columns += [np.where(chosen, q - y, 0.0), chosen]
        of_pairs = [np.bincount(document, column, minlength=len(self.nats)) for column in columns]
        of_scores = [
            [
                part
                for score in (scores.muc, scores.b_cubed, scores.ceaf_e)
                for part in (score.right_of_predicted, score.predicted, score.right_of_gold, score.gold)
            ]
            for scores in self.scores
        ]
        return np.column_stack([np.array(of_scores), self.nats, self.mentions, *of_pairs])

    @property
    def inside(self) -> int:
        """The number of documents whose gold number of entities is in the 95 % interval."""
        truth, low, high = self.entities.T
        return int(((low <= truth) & (truth <= high)).sum())


def judge(posteriors: Sequence[CorefPosterior], documents: Sequence[Document], *, seed: int | None = None) -> Judged:
    """Compare posteriors with the documents' annotations. seed: also evaluate 1,000 samples."""
    mentions = [[mention for mention in posterior.mentions if isinstance(mention, Mention)] for posterior in posteriors]
    labels = [
        mention_entities(document, mentions_of_document)
        for document, mentions_of_document in zip(documents, mentions, strict=True)
    ]
    exact = pairs_from_posteriors(posteriors, labels)
    counts = [posterior.number_of_entities().interval(LEVEL) for posterior in posteriors]
    sampled = np.empty(0)
    if seed is not None:
        sampled = pairs_from_posteriors(posteriors, labels, samples=SAMPLES, rng=seed).probabilities
    return Judged(
        pairs=exact,
        sampled=sampled,
        apart=np.concatenate([_mention_distances(len(label)) for label in labels]),
        new=Pairs(
            np.concatenate([_first_mention_labels(label) for label in labels]),
            np.concatenate([posterior.antecedents.new for posterior in posteriors]),
            clusters=np.repeat(np.arange(len(labels)), [len(label) for label in labels]),
        ),
        scores=[
            coreference_scores(gold_clusters(document), posterior.best_antecedent_clusters(), singletons=False)
            for document, posterior in zip(documents, posteriors, strict=True)
        ],
        nats=np.array(
            [posterior.log_prob(document_labels) for posterior, document_labels in zip(posteriors, labels, strict=True)]
        ),
        mentions=np.array([len(label) for label in labels]),
        entities=np.array(
            [
                [len(set(document_labels.tolist())), *count]
                for document_labels, count in zip(labels, counts, strict=True)
            ]
        ),
    )


def _mention_distances(m: int) -> Integers:
    """j - i of the pairs of M mentions, in the order of `pairs_from_posteriors`."""
    later, earlier = np.tril_indices(m, k=-1)
    return later - earlier


def _first_mention_labels(labels: Integers) -> Labels:
    """1 for the first mention of each entity, else 0."""
    begins = np.zeros(len(labels), dtype=np.uint8)
    begins[np.unique(labels, return_index=True)[1]] = 1
    return begins


def gold_clusters(document: Document) -> list[list[Mention]]:
    """The annotated entities of a document."""
    clusters: dict[object, list[Mention]] = {}
    for mention in document.mentions or ():
        clusters.setdefault(mention.entity, []).append(mention)
    return list(clusters.values())


def choose_bin_size(pairs: Pairs) -> int | str:
    """Return the bin size of Nguyen & O'Connor if there are pairs for `MIN_BINS` such bins, otherwise the default."""
    return BIN_SIZE if len(pairs) >= MIN_BINS * BIN_SIZE else "auto"


def conll_f1(sums: Floats) -> float:
    """Return the mean F1 of MUC, B³ and CEAF-e, in percent, from a row (or the sum of rows) of `Judged.sums`."""
    correct_predicted, predicted, correct_gold, gold = sums[:12].reshape(3, 4).T
    precision, recall = (
        np.divide(a, b, out=np.zeros(3), where=b > 0) for a, b in ((correct_predicted, predicted), (correct_gold, gold))
    )
    return 100 * float(
        np.divide(2 * precision * recall, precision + recall, out=np.zeros(3), where=precision + recall > 0).mean()
    )


def brier_skill(sums: Floats) -> float:
    """Return 1 - B / B₀, with the Brier score B of the pairs, and B₀ of always predicting the base rate."""
    squared, positive, n = sums[14:17]
    of_base_rate = positive * (1 - positive / n) if n else 0.0
    return 1 - float(squared / of_base_rate) if of_base_rate else float("nan")


def overconfidence(sums: Floats) -> float:
    """The mean of the probability minus the label, over pairs with probabilities above 1/2."""
    return _ratio(sums[17], sums[18])


def overconfidence_near(sums: Floats) -> float:
    """The mean of the probability minus the label, over doubtful pairs of nearby mentions."""
    return _ratio(sums[19], sums[20])


def overconfidence_far(sums: Floats) -> float:
    """The mean of the probability minus the label, over doubtful pairs of distant mentions."""
    return _ratio(sums[21], sums[22])


def nats_per_mention(sums: Floats) -> float:
    """Log-probability of the gold clusterings per mention."""
    return _ratio(sums[12], sums[13])


def _ratio(part: float, whole: float) -> float:
    return float(part / whole) if whole else float("nan")


def over_documents(value: Callable[[Floats], float], first: Judged, other: Judged | None = None) -> Estimate:
    """Return a measure of all documents together, or its difference `first` - `other` on the same documents.

    value: computes the measure from sums over documents. The interval is normal, with the jackknife standard error over
    documents.
    """
    sums = [judged.sums for judged in (first, other) if judged is not None]

    def of(totals: Sequence[Floats]) -> float:
        values = [value(total) for total in totals]
        return values[0] - (values[1] if len(values) > 1 else 0.0)

    totals = [each.sum(axis=0) for each in sums]
    n, method = len(sums[0]), "jackknife over documents"
    rest = np.array([of([total - each[row] for total, each in zip(totals, sums, strict=True)]) for row in range(n)])
    full = of(totals)
    if n < 2 or not np.isfinite([full, *rest]).all():
        return unbounded(full, method, n)
    return jackknife_estimate(full, rest, n=n, method=method)
