"""Answers in the order of confidence, the areas under the ROC and risk–coverage curves, and their intervals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from howsure.errors import InputError
from howsure.inputs.checks import Codes
from howsure.inputs.pairs import Floats, Integers, Labels, Pairs
from howsure.result import Estimate
from howsure.stats.clusters import MIN_CONTRIBUTORS, effective_contributors, ends_with_added_cluster, kish
from howsure.stats.proportions import normal_quantile, t_quantile

BLOCK = 16_384  # positions that are computed at a time

# Answers in the order of their confidence, with ties together: the input of every selective measure.


@dataclass(frozen=True, slots=True)
class Ranked:
    """Answers by distinct confidence, the highest first.

    confidence (K,): the distinct values. n, errors (K,): the numbers of answers and of wrong answers with this
    confidence. clusters (N,): codes 0 … C-1, each in use; None if every answer is its own cluster. place (N,), only
    with clusters: the position of each answer's confidence. correct (N,), only with clusters: 1 if the answer is right,
    else 0.
    """

    confidence: Floats
    n: Codes
    errors: Codes
    clusters: Integers | None
    place: Codes
    correct: Labels

    @property
    def total(self) -> int:
        return int(self.n.sum())

    @property
    def wrong(self) -> int:
        return int(self.errors.sum())

    @property
    def n_clusters(self) -> int:
        """The number of clusters; without clusters, of answers."""
        return self.total if self.clusters is None else int(self.clusters.max()) + 1

    @property
    def effective_contributors(self) -> float:
        """The effective number of clusters with right answers or with wrong answers, whichever is smaller.

        Without clusters, it is the number of right or of wrong answers, whichever is smaller.
        """
        if self.clusters is None:
            return float(min(self.wrong, self.total - self.wrong))
        return min(effective_contributors(self.by_kind(kind)) for kind in (0, 1))

    @property
    def cluster_share(self) -> float:
        """1 / the effective number of clusters; if all were equally large, the share of one cluster."""
        return 1 / self.total if self.clusters is None else 1 / kish(np.bincount(self.clusters))

    def by_kind(self, kind: int) -> Integers:
        """The number of right (1) or wrong (0) answers of each cluster."""
        assert self.clusters is not None
        return np.bincount(self.clusters[self.correct == kind], minlength=self.n_clusters)

    def blocks(self) -> Iterator[Block]:
        """Yield blocks of adjacent positions, from the last block to the first."""
        end, end_errors = self.total, self.wrong
        for start in reversed(range(0, len(self.n), BLOCK)):
            block = slice(start, start + BLOCK)
            n, errors = self.n[block].astype(np.int64), self.errors[block].astype(np.int64)
            end, end_errors = end - int(n.sum()), end_errors - int(errors.sum())
            yield Block(start, n, errors, end + np.cumsum(n) - n, end_errors + np.cumsum(errors) - errors)


@dataclass(frozen=True, slots=True)
class Block:
    """Adjacent positions from `start` on.

    n, errors: the numbers of answers and of errors at each position. The other arrays count those at earlier positions.
    """

    start: int
    n: Integers
    errors: Integers
    before: Integers
    errors_before: Integers

    @property
    def rate(self) -> Floats:
        """The error rate at each position."""
        return np.asarray(self.errors / self.n)


def ranked(pairs: Pairs) -> Ranked:
    """Rank checked pairs. A label says whether the answer is right, and a probability is the model's confidence."""
    if pairs.weights is not None:
        raise InputError(
            "{parameter} is not supported here: coverage and risk count answers, and the guarantee of a "
            "threshold is about counts. Leave `sample_weight` out.",
            "sample_weight",
        )
    order = np.argsort(pairs.probabilities)[::-1]
    values, labels = pairs.probabilities[order], pairs.labels[order]
    is_first = np.append(True, values[1:] != values[:-1])
    clusters, place = _codes(pairs.clusters), np.zeros(0, dtype=np.int32)
    whole = np.int32 if len(values) < 2**31 else np.int64
    if clusters is not None:
        place = np.empty(len(values), dtype=whole)
        place[order] = np.cumsum(is_first, dtype=whole) - 1
    del order
    starts = np.flatnonzero(is_first)
    right = np.add.reduceat(labels, starts, dtype=whole)
    n = np.diff(starts, append=len(values)).astype(whole)
    confidence = np.abs(values if len(starts) == len(values) else values[starts])
    return Ranked(confidence, n, n - right, clusters, place, pairs.labels)


def _codes(clusters: Integers | None) -> Integers | None:
    if clusters is None:
        return None
    distinct, codes = np.unique(clusters, return_inverse=True)
    if len(distinct) == len(clusters):
        return None
    if len(distinct) == 1:
        raise InputError(
            "all answers are in one cluster, so chance variation is unknown. At least 2 clusters are needed."
        )
    return codes.astype(np.int64)


# Intervals of a measure of ranked answers, from the influence of each answer on the measure (the change of the measure
# if one more such answer is added).


def influence_variance(ranks: Ranked, influences: Iterable[tuple[Block, Floats]]) -> float:
    """Return the variance of a measure from influences i (positions, 2), the change of the measure due to a wrong (0)
    and due to a right (1) answer at each position of a block.

    For independent answers, the variance is n / (n - 1) Σ i². With C clusters, it is C / (C - 1) Σ_c (Σ i)², where the
    inner sum is over the answers of cluster c.
    """
    many, squares = ranks.n_clusters, 0.0
    if ranks.clusters is None:
        for block, influence in influences:
            squares += float(influence[:, 0] ** 2 @ block.errors + influence[:, 1] ** 2 @ (block.n - block.errors))
    else:
        sums, order = np.zeros(many), np.lexsort((ranks.correct, ranks.place))  # whatever the order of the rows
        for block, influence in influences:
            rows = order[block.before[0] : block.before[-1] + block.n[-1]]
            values = influence[ranks.place[rows] - block.start, ranks.correct[rows]]
            sums += np.bincount(ranks.clusters[rows], values, minlength=many)
        sums.sort()
        squares = float(sums @ sums)
    return many / (many - 1) * squares if many > 1 else math.nan


def logit_interval(
    value: float, variance: float, *, level: float, degrees_of_freedom: float
) -> tuple[float, float] | tuple[None, None]:
    """Both ends of an interval by Student's t on the logit scale, on which measures near 0 or 1 are less skewed.

    logit(value) ± t · √variance / (value (1 - value)); (None, None) at 0 and 1, or without a variance.
    """
    from scipy.special import expit, logit

    if not (0.0 < value < 1.0 and variance > 0.0):
        return None, None
    reach = t_quantile(level, max(degrees_of_freedom, 1.0)) * math.sqrt(variance) / (value * (1 - value))
    middle = float(logit(value))
    return float(expit(middle - reach)), float(expit(middle + reach))


def undefined(level: float, method: str, n: int) -> Estimate:
    """The estimate NaN for a measure that the answers do not determine."""
    return Estimate(math.nan, None, None, level, method, n)


# The area under the ROC curve of confidence for correctness.


def estimate_auroc(ranks: Ranked, *, level: float) -> Estimate:
    """P(a right answer is more confident than a wrong one) + ½ P(they are equally confident), with an interval.

    The variance is DeLong, DeLong & Clarke-Pearson's (1988), from midranks or, with clusters, Obuchowski's (1997). The
    interval uses Student's t on the logit scale with Satterthwaite's degrees of freedom or, with clusters, m - 1, where
    m is the effective number of clusters that contribute (`effective_contributors`). If m is below 2, there is no
    interval. If all right answers are above all wrong ones, the lower end is tail^(1/m); without clusters, m is here
    the smaller of the numbers of right and of wrong answers. With a smaller AUROC, it would be improbable that m
    comparisons all succeed.
    """
    wrong = ranks.wrong
    right = ranks.total - wrong
    if not (wrong and right):
        return undefined(level, "DeLong", ranks.total)
    value = sum(float(wins @ (block.n - block.errors)) for block, wins, _ in placements(ranks)) / right
    if ranks.clusters is not None and ranks.effective_contributors < MIN_CONTRIBUTORS:
        return Estimate(value, None, None, level, "Obuchowski", ranks.total)
    if value in (0.0, 1.0):
        end = ((1 - level) / 2) ** (1 / ranks.effective_contributors)
        low, high = (end, 1.0) if value == 1.0 else (0.0, 1 - end)
        return Estimate(value, low, high, level, "exact bound", ranks.total)
    variance, degrees, factor = variance_of_area(ranks, value)
    low, high = logit_interval(value, variance, level=level, degrees_of_freedom=degrees)
    low = min(value if low is None else low, lowest_area(value, right, wrong, factor, level))
    high = max(value if high is None else high, 1 - lowest_area(1 - value, right, wrong, factor, level))
    return Estimate(value, low, high, level, "DeLong" if ranks.clusters is None else "Obuchowski", ranks.total)


def variance_of_area(ranks: Ranked, value: float) -> tuple[float, float, float]:
    """The variance, its degrees of freedom, and the factor by which clusters increase it (1 without clusters)."""
    wrong = ranks.wrong
    right = ranks.total - wrong
    of_right = of_wrong = 0.0
    for block, wins, losses in placements(ranks):
        of_right += float((wins - value) ** 2 @ (block.n - block.errors))
        of_wrong += float((losses - value) ** 2 @ block.errors)
    of_right, of_wrong = of_right / (right * max(right - 1, 1)), of_wrong / (wrong * max(wrong - 1, 1))
    alone = of_right + of_wrong
    if ranks.clusters is None:
        parts = of_right**2 / max(right - 1, 1) + of_wrong**2 / max(wrong - 1, 1)
        return alone, alone**2 / parts if parts > 0 else 1.0, 1.0
    influences = (
        (block, np.column_stack([(losses - value) / wrong, (wins - value) / right]))
        for block, wins, losses in placements(ranks)
    )
    variance = influence_variance(ranks, influences)
    return variance, ranks.effective_contributors - 1, max(variance / alone, 1.0) if alone > 0 else 1.0


def lowest_area(value: float, right: int, wrong: int, factor: float, level: float) -> float:
    """The smallest area θ below `value` with (value - θ)² ≤ z² factor V(θ), used because the observed variance is
    unreliable with few right or few wrong answers.

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


def placements(ranks: Ranked) -> Iterator[tuple[Block, Floats, Floats]]:
    """For each position of a block, the proportion of wrong answers below a right answer there, and the proportion of
    right answers above a wrong answer there; ties count half.
    """
    wrong = ranks.wrong
    right = ranks.total - wrong
    for block in ranks.blocks():
        wrong_below = wrong - block.errors_before - block.errors / 2
        right_above = block.before - block.errors_before + (block.n - block.errors) / 2
        yield block, wrong_below / wrong, right_above / right


# The area under the risk–coverage curve, and its excess over that of a perfect order.


def area_under_curve(ranks: Ranked) -> float:
    """Return the AURC: the mean over i = 1 … n of the error rate among the i most confident answers.

    For ties, the value is the exact expectation over random orders. In a tie of m answers with e errors, after N
    answers with E errors, the j-th error rate is on average (E + j e / m) / (N + j). The sum of these rates is e + (E -
    N e / m) (H(N + m) - H(N)), with the harmonic numbers H.
    """
    total = 0.0
    for block in ranks.blocks():
        rest = block.errors_before - block.before * block.rate
        total += float((block.errors + rest * _harmonic_sums(block.before, block.n)).sum())
    return max(total / ranks.total, 0.0)


def _harmonic_sums(before: Integers, n: Integers) -> Floats:
    """1 / (N + 1) + … + 1 / (N + n), for N `before`.

    >>> _harmonic_sums(np.array([0, 10, 10]), np.array([2, 1, 2])).round(6).tolist()
    [1.5, 0.090909, 0.174242]
    """
    from scipy.special import digamma

    sums = 1.0 / (before + 1)
    ties = np.flatnonzero(n > 1)
    sums[ties] = digamma(before[ties] + n[ties] + 1.0) - digamma(before[ties] + 1.0)
    return np.asarray(sums)


def least_area(n: int, wrong: int) -> float:
    """The AURC of the order in which every wrong answer comes last: (w - (n - w) (H(n) - H(n - w))) / n."""
    tail = float(_harmonic_sums(np.array([n - wrong]), np.array([wrong]))[0]) if wrong else 0.0
    return max((wrong - (n - wrong) * tail) / n, 0.0)


def area_influence(ranks: Ranked) -> Iterator[tuple[Block, Floats]]:
    """Yield, for each block of positions, the influence on the AURC of a wrong (0) and of a correct (1) answer
    (positions, 2).

    The influence is defined for the limit of many answers, A = ∫ R(u) du over coverage u, where R(u) = (E + r (u - N))
    / u within a tie from N to N + m with r m errors. The influence of an answer is R at the answer - A + ∫ (l - R(u)) /
    u du over all u below the answer, where l is 1 for a wrong answer and 0 for a correct one, averaged over the
    possible positions of the answer within its tie.
    """
    n, below = ranks.total, np.zeros(2)
    area = sum(float(_ratios(block, n)[4] @ block.n) for block in ranks.blocks()) / n
    for block in ranks.blocks():
        before, rest, ratio, shrink, here = _ratios(block, n)
        counts, rate, is_after = block.n / n, block.rate, before > 0
        influence = np.empty((len(counts), 2))
        for column, loss in enumerate((1.0, 0.0)):
            whole = np.where(is_after, (loss - rate) * ratio - rest * shrink, 0.0)
            after = np.cumsum(np.append(below[column], whole[::-1]))[::-1]
            inside = np.where(  # ∫ (l - R(u)) / u · (u - N) / m du over the tie
                is_after,
                ((loss - rate) * (counts - before * ratio) - rest * (ratio - before * shrink)) / counts,
                loss - rate,
            )
            influence[:, column] = here - area + after[1:] + inside
            below[column] = after[0]
        yield block, influence


def _ratios(block: Block, n: int) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """For each position, in the notation of `area_influence`: the coverage N before it, E - r N, log((N + m) / N), m /
    (N (N + m)), and the mean of R within its tie."""
    counts, rate, before = block.n / n, block.rate, block.before / n
    after, rest = before + counts, block.errors_before / n - before * rate
    ratio = np.log(np.divide(after, before, out=np.ones_like(after), where=before > 0))
    shrink = np.divide(counts, before * after, out=np.zeros_like(after), where=before > 0)
    return before, rest, ratio, shrink, rate + np.where(before > 0, rest * ratio / counts, 0.0)


def risk_areas(ranks: Ranked, auroc: Estimate, *, level: float) -> tuple[Estimate, Estimate]:
    """Estimate AURC and E-AURC (the excess) with intervals from the influence of each answer or cluster, by Student's t
    on the logit scale.

    With clusters, the intervals are at least as wide as Fay and Feuer's with one more cluster of wrong answers (or of
    right answers, if these are rarer). For the excess, the confidences in this cluster are as misplaced as the AUROC
    allows. Without a wrong answer, the AURC is 0. The upper end is then the AURC of the worst order with as many wrong
    answers as the exact interval of their proportion allows. The excess is never more precise than the AUROC: relative
    to the estimate, its upper end is at least as far away as the upper end of 1 - AUROC is. In a perfect order, the
    upper end is the excess of the worst model with the lower end of the AUROC. With clusters, the excess has no
    interval if the AUROC has none.
    """
    n, wrong = ranks.total, ranks.wrong
    area, least = area_under_curve(ranks), least_area(n, wrong)
    if wrong in (0, n):
        reach = _worst(1 - ((1 - level) / 2) ** ranks.cluster_share)
        ends = (0.0, reach) if wrong == 0 else (1 - reach, 1.0)
        return Estimate(area, *ends, level=level, method="exact bound", n=n), undefined(level, "influence", n)
    rate = wrong / n
    low, high = _ends(ranks, area, np.zeros(2), 1.0, level, mirrored=rate > 0.5)
    whole = Estimate(area, low, high, level, "influence", n)
    excess = 0.0 if auroc.value == 1.0 else max(area - least, 0.0)
    if ranks.clusters is not None and (auroc.low is None or auroc.high is None):
        return whole, Estimate(excess, None, None, level, "influence", n)
    of_least = math.log1p(-rate) * (np.array([1.0, 0.0]) - rate)
    low, high = _ends(ranks, excess, of_least, 1 - (auroc.low or 0.0), level)
    if auroc.low is not None:
        if auroc.value == 1.0:
            low, high = 0.0, _worst((1 - auroc.low) * (1 - rate))
        elif high is not None:
            high = min(max(high, excess * (1 - auroc.low) / (1 - auroc.value)), 1.0)
    return whole, Estimate(excess, low, high, level, "influence", n)


def _ends(
    ranks: Ranked, value: float, added: Floats, misplaced: float, level: float, *, mirrored: bool = False
) -> tuple[float | None, float | None]:
    """Return the ends of an interval, from the influence on the AURC. added (2,): for the excess, the influence on the
    least possible area. misplaced: the increase due to one more cluster, relative to this cluster's proportion of the
    answers.
    """
    n = ranks.total
    variance = influence_variance(
        ranks, ((block, (influence + added) / n) for block, influence in area_influence(ranks))
    )
    low, high = logit_interval(value, variance, level=level, degrees_of_freedom=ranks.effective_contributors - 1)
    if ranks.clusters is None or low is None or high is None:
        return low, high
    risk, size = 1 - value if mirrored else value, misplaced * ranks.cluster_share
    few, many = ends_with_added_cluster(risk, variance, size, ranks.effective_contributors, level=level)
    few, many = (1 - many, 1 - few) if mirrored else (few, many)
    return max(min(low, few), 0.0), min(max(high, many), 1.0)


def _worst(share: float) -> float:
    """The AURC if all wrong answers, a proportion s, come first: s (1 - log s)."""
    return min(share * (1 - math.log(share)), 1.0) if share > 0.0 else 0.0
