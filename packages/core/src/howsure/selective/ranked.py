"""Answers in the order of their confidence, the area under the ROC curve of it, and intervals of such measures."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from howsure.errors import InputError
from howsure.inputs.pairs import Floats, Integers, Pairs
from howsure.result import Estimate
from howsure.stats.clusters import FEWEST, carriers, ends_with_one_more, kish
from howsure.stats.proportions import normal_quantile, t_quantile

# Answers in the order of their confidence, ties together: what every selective measure is computed from.


@dataclass(frozen=True, slots=True)
class Ranked:
    """Answers by their distinct confidences, the highest first.

    confidence (K,): the distinct values. n, errors (K,): the answers with this confidence, and how many of them are
    wrong. place (N,): for each answer, the position of its confidence. correct (N,): 1 where it is right. clusters
    (N,): codes 0 … C-1, each in use; None if every answer is its own.
    """

    confidence: Floats
    n: Integers
    errors: Integers
    place: Integers
    correct: Integers
    clusters: Integers | None

    @property
    def total(self) -> int:
        """The number of answers."""
        return len(self.place)

    @property
    def wrong(self) -> int:
        """The number of wrong answers."""
        return int(self.errors.sum())

    @property
    def n_clusters(self) -> int:
        """The number of clusters; of answers, if each is its own."""
        return self.total if self.clusters is None else int(self.clusters.max()) + 1

    @property
    def carriers(self) -> float:
        """The equivalent number of clusters that hold equally many of the right or of the wrong answers, whichever is
        smaller; of these answers, if each is its own cluster."""
        if self.clusters is None:
            return float(min(self.wrong, self.total - self.wrong))
        return min(carriers(self.by_kind(kind)) for kind in (0, 1))

    @property
    def cluster_share(self) -> float:
        """The share of all answers that is in a cluster, counted as clusters of equal size."""
        return 1 / self.total if self.clusters is None else 1 / kish(np.bincount(self.clusters))

    def by_kind(self, kind: int) -> Integers:
        """The number of right (1) or wrong (0) answers of each cluster."""
        assert self.clusters is not None
        return np.bincount(self.clusters[self.correct == kind], minlength=self.n_clusters)

    def by_cluster(self, values: Floats) -> Floats:
        """Values of the answers, which depend on their place and correctness alone, added up by cluster."""
        if self.clusters is None:
            return values
        order = np.lexsort((self.correct, self.place, self.clusters))  # whatever the order of the rows
        return np.bincount(self.clusters[order], weights=values[order]).astype(np.float64)


def ranked(pairs: Pairs) -> Ranked:
    """Rank checked pairs: the label says whether an answer is right, the probability how confident the model is.

    Raises InputError for weighted pairs.
    """
    if pairs.weights is not None:
        raise InputError(
            "{parameter} is not supported here: coverage and risk count answers, and the guarantee of a "
            "threshold is about counts. Leave `sample_weight` out.",
            "sample_weight",
        )
    values, place = np.unique(-pairs.probabilities, return_inverse=True)
    correct = pairs.labels.astype(np.int64)
    n = np.bincount(place, minlength=len(values))
    right = np.bincount(place[correct == 1], minlength=len(values))
    return Ranked(np.abs(values), n, n - right, place.astype(np.int64), correct, _codes(pairs.clusters))


def _codes(clusters: Integers | None) -> Integers | None:
    if clusters is None:
        return None
    distinct, codes = np.unique(clusters, return_inverse=True)
    if len(distinct) == len(clusters):
        return None
    if len(distinct) == 1:
        raise InputError("clusters must be at least 2; all answers are in one, so nothing shows what chance does.")
    return codes.astype(np.int64)


# Intervals of a measure of ranked answers from the influence of each answer on it.


def variance_of(ranks: Ranked, influence: Floats) -> float:
    """The variance of a measure from `influence` (K, 2): by how much a wrong and a right answer at each place moves it.

    The sum of squares over independent answers, n / (n - 1) Σ i²; with clusters, of their sums: C / (C - 1) Σ_c (Σ i)².
    """
    sums = np.sort(ranks.by_cluster(influence[ranks.place, ranks.correct]))
    many = len(sums)
    return float(many / (many - 1) * (sums @ sums)) if many > 1 else math.nan


def logit_interval(
    value: float, variance: float, *, level: float, degrees_of_freedom: float
) -> tuple[float, float] | tuple[None, None]:
    """Both ends of an interval by Student's t on the logit scale, where a measure near 0 or 1 is less skewed.

    logit(value) ± t · √variance / (value (1 - value)); (None, None) at 0 and 1, or without a variance.
    """
    from scipy.special import expit, logit

    if not (0.0 < value < 1.0 and variance > 0.0):
        return None, None
    reach = t_quantile(level, max(degrees_of_freedom, 1.0)) * math.sqrt(variance) / (value * (1 - value))
    middle = float(logit(value))
    return float(expit(middle - reach)), float(expit(middle + reach))


def undefined(level: float, method: str, n: int) -> Estimate:
    """A measure that the answers do not determine."""
    return Estimate(math.nan, None, None, level, method, n)


# The area under the ROC curve of confidence for correctness.


def auroc_of(ranks: Ranked, *, level: float) -> Estimate:
    """P(a right answer is more confident than a wrong one) + ½ P(they are equally confident), with an interval.

    Its variance is that of DeLong, DeLong & Clarke-Pearson (1988), from midranks, or with clusters Obuchowski's (1997);
    the interval is Student's t on the logit scale with Satterthwaite's degrees of freedom, or with `carriers` less 1:
    there is none below 2 of them. If all right answers are above all wrong ones, the other end is tail^(1/m), m the
    fewer of the two kinds of answers (or their `carriers`): the value below which m comparisons would hardly all
    succeed.
    """
    wrong = ranks.wrong
    right = ranks.total - wrong
    if not (wrong and right):
        return undefined(level, "DeLong", ranks.total)
    wins, losses = placements(ranks)
    value = float(wins @ (ranks.n - ranks.errors)) / right
    if ranks.clusters is not None and ranks.carriers < FEWEST:
        return Estimate(value, None, None, level, "Obuchowski", ranks.total)
    if value in (0.0, 1.0):
        end = ((1 - level) / 2) ** (1 / ranks.carriers)
        low, high = (end, 1.0) if value == 1.0 else (0.0, 1 - end)
        return Estimate(value, low, high, level, "exact bound", ranks.total)
    variance, degrees, factor = variance_of_area(ranks, value, wins, losses)
    low, high = logit_interval(value, variance, level=level, degrees_of_freedom=degrees)
    low = min(value if low is None else low, furthest(value, right, wrong, factor, level))
    high = max(value if high is None else high, 1 - furthest(1 - value, right, wrong, factor, level))
    return Estimate(value, low, high, level, "DeLong" if ranks.clusters is None else "Obuchowski", ranks.total)


def variance_of_area(ranks: Ranked, value: float, wins: Floats, losses: Floats) -> tuple[float, float, float]:
    """The variance, its degrees of freedom, and by which factor clusters enlarge it (1 without)."""
    wrong = ranks.wrong
    right = ranks.total - wrong
    of_right, of_wrong = (
        float(squares @ counts) / (m * max(m - 1, 1))
        for squares, counts, m in (
            ((wins - value) ** 2, ranks.n - ranks.errors, right),
            ((losses - value) ** 2, ranks.errors, wrong),
        )
    )
    alone = of_right + of_wrong
    if ranks.clusters is None:
        parts = of_right**2 / max(right - 1, 1) + of_wrong**2 / max(wrong - 1, 1)
        return alone, alone**2 / parts if parts > 0 else 1.0, 1.0
    variance = variance_of(ranks, np.column_stack([(losses - value) / wrong, (wins - value) / right]))
    return variance, ranks.carriers - 1, max(variance / alone, 1.0) if alone > 0 else 1.0


def furthest(value: float, right: int, wrong: int, factor: float, level: float) -> float:
    """The smallest area θ below `value` with (value - θ)² ≤ z² factor V(θ): where few answers are of one kind, their
    own variance is too small to be believed.

    V is Newcombe's (2006, method 5), the mean of Hanley and McNeil's (1982) over both directions:
    (θ (1 - θ) + (N - 1) (θ / (2 - θ) + 2 θ² / (1 + θ) - 2 θ²)) / (right · wrong), N = (right + wrong) / 2.
    """
    z, many = normal_quantile(level), (right + wrong) / 2

    def within(area: float) -> bool:
        spread = area * (1 - area) + (many - 1) * (area / (2 - area) + 2 * area**2 / (1 + area) - 2 * area**2)
        return (value - area) ** 2 <= z * z * factor * spread / (right * wrong)

    outside, inside = 0.0, value
    for _ in range(60):
        middle = (outside + inside) / 2
        outside, inside = (outside, middle) if within(middle) else (middle, inside)
    return inside


def placements(ranks: Ranked) -> tuple[Floats, Floats]:
    """For each place, the share of wrong answers that a right answer there is above, and the share of right answers
    that are above a wrong answer there; ties count half."""
    right = ranks.n - ranks.errors
    wrong_below = ranks.wrong - np.cumsum(ranks.errors) + ranks.errors / 2
    right_above = np.cumsum(right) - right / 2
    return wrong_below / ranks.wrong, right_above / (ranks.total - ranks.wrong)


# The area under the risk–coverage curve, and its excess over that of a perfect order.


def area_of(ranks: Ranked) -> float:
    """AURC: the mean over i = 1 … n of the share of wrong answers among the i most confident.

    Equal confidences come in random order, and the value is the exact expectation over these orders: in a tie of m
    answers with e errors, after N answers with E errors, the j-th share is on average (E + j e / m) / (N + j), and
    their sum is e + (E - N e / m) (H(N + m) - H(N)), H the harmonic numbers.
    """
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, ranks.total + 1))])
    before, errors_before, rate = _before(ranks)
    parts = ranks.errors + (errors_before - before * rate) * (harmonic[before + ranks.n] - harmonic[before])
    return max(float(parts.sum()) / ranks.total, 0.0)


def least_area(n: int, wrong: int) -> float:
    """The AURC of the order in which every wrong answer comes last: (w - (n - w) (H(n) - H(n - w))) / n."""
    tail = float((1.0 / np.arange(n - wrong + 1, n + 1)).sum())
    return max((wrong - (n - wrong) * tail) / n, 0.0)


def area_influence(ranks: Ranked) -> Floats:
    """By how much n times the AURC moves with a wrong (0) and a right (1) answer at each place, (K, 2).

    Of the limit for many answers, A = ∫ R(u) du over coverage u, R(u) = (E + r (u - N)) / u within a tie at N … N + m
    with errors r m: R at the answer - A + ∫ (l - R(u)) / u du over all below it, l = 1 for a wrong answer; averaged
    over its position within its tie.
    """
    n = ranks.total
    counts, rate = ranks.n / n, ranks.errors / ranks.n
    before = (np.cumsum(ranks.n) - ranks.n) / n
    errors_before = (np.cumsum(ranks.errors) - ranks.errors) / n
    after, rest = before + counts, errors_before - before * rate
    ratio = np.log(np.divide(after, before, out=np.ones_like(after), where=before > 0))
    shrink = np.divide(counts, before * after, out=np.zeros_like(after), where=before > 0)
    here = rate + np.where(before > 0, rest * ratio / counts, 0.0)  # the mean of R within the tie
    area = float(here @ counts)
    influence = np.empty((len(counts), 2))
    for column, loss in enumerate((1.0, 0.0)):
        whole = np.where(before > 0, (loss - rate) * ratio - rest * shrink, 0.0)
        below = np.append(np.cumsum(whole[:0:-1])[::-1], 0.0)
        inside = np.where(  # ∫ (l - R(u)) / u · (u - N) / m du over the tie
            before > 0,
            ((loss - rate) * (counts - before * ratio) - rest * (ratio - before * shrink)) / counts,
            loss - rate,
        )
        influence[:, column] = here - area + below + inside
    return influence


def risk_areas(ranks: Ranked, auroc: Estimate, *, level: float) -> tuple[Estimate, Estimate]:
    """AURC and E-AURC with intervals from the influence of each answer or cluster, by Student's t on the logit scale.

    With clusters, they reach at least as far as Fay and Feuer's, with one more cluster of wrong answers, or of right
    ones if these are rarer; in the excess, it is one whose confidences are as misplaced as the AUROC allows. Without a
    wrong answer, the AURC is 0, and its upper end that of the worst order with as many wrong answers as the exact
    interval of their share allows. The excess is known no better than the AUROC that causes it: relative to its value,
    its upper end is at least as far as that of 1 - AUROC, in a perfect order it is the excess of the worst model with
    the AUROC's lower end, and it has no interval where the AUROC of clusters has none.
    """
    n, wrong = ranks.total, ranks.wrong
    area, least = area_of(ranks), least_area(n, wrong)
    if wrong in (0, n):
        reach = _worst(1 - ((1 - level) / 2) ** ranks.cluster_share)
        ends = (0.0, reach) if wrong == 0 else (1 - reach, 1.0)
        return Estimate(area, *ends, level=level, method="exact bound", n=n), undefined(level, "influence", n)
    influence, rate = area_influence(ranks), wrong / n
    low, high = _ends(ranks, area, influence, 1.0, level, mirrored=rate > 0.5)
    whole = Estimate(area, low, high, level, "influence", n)
    excess = 0.0 if auroc.value == 1.0 else max(area - least, 0.0)
    if ranks.clusters is not None and (auroc.low is None or auroc.high is None):
        return whole, Estimate(excess, None, None, level, "influence", n)
    of_excess = influence + math.log1p(-rate) * (np.array([1.0, 0.0]) - rate)
    low, high = _ends(ranks, excess, of_excess, 1 - (auroc.low or 0.0), level)
    if auroc.low is not None:
        if auroc.value == 1.0:
            low, high = 0.0, _worst((1 - auroc.low) * (1 - rate))
        elif high is not None:
            high = min(max(high, excess * (1 - auroc.low) / (1 - auroc.value)), 1.0)
    return whole, Estimate(excess, low, high, level, "influence", n)


def _ends(
    ranks: Ranked, value: float, influence: Floats, misplaced: float, level: float, *, mirrored: bool = False
) -> tuple[float | None, float | None]:
    """The ends from the influence; `misplaced`: what one more cluster adds, relative to its share of the answers."""
    variance = variance_of(ranks, influence / ranks.total)
    low, high = logit_interval(value, variance, level=level, degrees_of_freedom=ranks.carriers - 1)
    if ranks.clusters is None or low is None or high is None:
        return low, high
    risk, size = 1 - value if mirrored else value, misplaced * ranks.cluster_share
    few, many = ends_with_one_more(risk, variance, size, ranks.carriers, level=level)
    few, many = (1 - many, 1 - few) if mirrored else (few, many)
    return max(min(low, few), 0.0), min(max(high, many), 1.0)


def _worst(share: float) -> float:
    """The AURC of a share of wrong answers at the top: s (1 - log s)."""
    return min(share * (1 - math.log(share)), 1.0) if share > 0.0 else 0.0


def _before(ranks: Ranked) -> tuple[np.typing.NDArray[np.int64], Floats, Floats]:
    """The answers and the errors before each place, and the share of errors at it."""
    before = np.cumsum(ranks.n) - ranks.n
    return before, (np.cumsum(ranks.errors) - ranks.errors).astype(np.float64), ranks.errors / ranks.n
