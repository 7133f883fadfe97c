"""The area under the ROC curve of confidence for correctness."""

from __future__ import annotations

import numpy as np

from howsure.inputs.pairs import Floats
from howsure.selective.intervals import logit_interval, undefined, variance_of
from howsure.selective.ranked import Ranked
from howsure.stats.clusters import FEWEST
from howsure.stats.estimate import Estimate
from howsure.stats.proportions import normal_quantile


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
