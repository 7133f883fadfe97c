"""The area under the risk–coverage curve, and its excess over that of a perfect order."""

from __future__ import annotations

import math

import numpy as np

from howsure.inputs.pairs import Floats
from howsure.selective.intervals import logit_interval, undefined, variance_of
from howsure.selective.ranked import Ranked
from howsure.stats.clusters import ends_with_one_more
from howsure.stats.estimate import Estimate


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
    found = np.empty((len(counts), 2))
    for column, loss in enumerate((1.0, 0.0)):
        whole = np.where(before > 0, (loss - rate) * ratio - rest * shrink, 0.0)
        below = np.append(np.cumsum(whole[:0:-1])[::-1], 0.0)
        inside = np.where(  # ∫ (l - R(u)) / u · (u - N) / m du over the tie
            before > 0,
            ((loss - rate) * (counts - before * ratio) - rest * (ratio - before * shrink)) / counts,
            loss - rate,
        )
        found[:, column] = here - area + below + inside
    return found


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
    seen, size = 1 - value if mirrored else value, misplaced * ranks.cluster_share
    few, many = ends_with_one_more(seen, variance, size, ranks.carriers, level=level)
    few, many = (1 - many, 1 - few) if mirrored else (few, many)
    return max(min(low, few), 0.0), min(max(high, many), 1.0)


def _worst(share: float) -> float:
    """The AURC of a share of wrong answers at the top: s (1 - log s)."""
    return min(share * (1 - math.log(share)), 1.0) if share > 0.0 else 0.0


def _before(ranks: Ranked) -> tuple[np.typing.NDArray[np.int64], Floats, Floats]:
    """The answers and the errors before each place, and the share of errors at it."""
    before = np.cumsum(ranks.n) - ranks.n
    return before, (np.cumsum(ranks.errors) - ranks.errors).astype(np.float64), ranks.errors / ranks.n
