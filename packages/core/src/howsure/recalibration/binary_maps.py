"""Maps (functions from probabilities to calibrated ones) of one probability per row, one class for each method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from howsure.errors import InputError
from howsure.inputs.pairs import Floats, Integers
from howsure.recalibration.map_base import Parameters, ProbabilityMap, number, numbers, refuse_one_value, uncertain
from howsure.recalibration.map_input import Binary, Labelled, Scores
from howsure.stats.logistic import fit_logistic, sigmoid


@dataclass(frozen=True, slots=True)
class Unchanged(ProbabilityMap):
    """q' = q."""

    method: ClassVar = "none"
    formula: ClassVar = "q' = q"

    @classmethod
    def fit(cls, data: Labelled) -> Self:
        """Return the map, which has no parameters."""
        return cls()

    def apply(self, scores: Scores) -> Floats:
        """The probabilities, unchanged."""
        return scores.probabilities


# Temperature scaling of one probability per row: its log-odds divided by T.

SEPARATED = (
    "there is no best temperature, because every prediction is on the right side of 1/2 and a lower temperature is "
    "always better. Give more rows, or rows of other data."
)
REVERSED = (
    "there is no best temperature above 0, because label 1 is rarer the higher its probability is. Are these the "
    "probabilities of label 0? If not, use `method='platt'`, which can reverse the order."
)


@dataclass(frozen=True, slots=True)
class Temperature(ProbabilityMap):
    """q' = σ(logit(q) / T), T > 0: T above 1 makes probabilities less extreme; 0, ½ and 1 remain unchanged."""

    temperature: float

    names: ClassVar = ("T",)
    method: ClassVar = "temperature"
    formula: ClassVar = "q' = 1 / (1 + exp(-log(q / (1 - q)) / T))"

    @classmethod
    def fit(cls, data: Labelled) -> Self:
        """Return the map with the T that minimises the log loss."""
        odds, labels, weight = uncertain(data)
        sign = np.where(labels == 1, odds, -odds)
        counted = weight > 0
        if not odds[counted].any():
            raise InputError("every probability is 1/2, which no temperature changes. Use `method='platt'`.", "method")
        if (sign[counted] >= 0).all():
            raise InputError(SEPARATED)
        if weight @ sign <= 0:  # derivative of the log likelihood at 1 / T = 0
            raise InputError(REVERSED)
        zero = np.zeros(1)
        fit = fit_logistic(odds[:, None], labels.astype(np.float64), weight, penalty=zero, centre=zero)
        return cls(float(1.0 / fit.coefficients[0]))

    @classmethod
    def read(cls, parameters: Parameters, k: int) -> Self:
        return cls(number(parameters, "T", above=0.0))

    def apply(self, scores: Scores) -> Floats:
        assert isinstance(scores, Binary)
        return sigmoid(scores.log_odds / self.temperature)


@dataclass(frozen=True, slots=True)
class Platt(ProbabilityMap):
    """q' = σ(a + b logit(q)). A slope b below 0 reverses the order. For b > 0, probabilities of 0 and 1 remain
    unchanged.

    Labels 1 and 0 are replaced by the targets (n₁ + 1) / (n₁ + 2) and 1 / (n₀ + 2), where n₁ and n₀ are the numbers
    (sums of weights) of labels 1 and 0, as in Platt (1999) and scikit-learn. So a fit exists even if a threshold
    separates the labels.
    """

    intercept: float
    slope: float

    names: ClassVar = ("a", "b")
    method: ClassVar = "platt"
    formula: ClassVar = "q' = 1 / (1 + exp(-(a + b * log(q / (1 - q)))))"

    @classmethod
    def fit(cls, data: Labelled) -> Self:
        """Return the map with the a and b that minimise the log loss.

        Raises InputError if there is no minimum.
        """
        odds, labels, weight = uncertain(data)
        refuse_one_value(odds, least=2, method=cls.method)
        positive_weight = float(weight @ labels)
        zeros = float(weight.sum()) - positive_weight
        targets = np.where(labels == 1, (positive_weight + 1.0) / (positive_weight + 2.0), 1.0 / (zeros + 2.0))
        design = np.column_stack([np.ones(len(odds)), odds])
        centre = np.array([np.log((positive_weight + 1.0) / (zeros + 1.0)), 0.0])
        fit = fit_logistic(design, targets, weight, penalty=np.zeros(2), centre=centre)
        return cls(float(fit.coefficients[0]), float(fit.coefficients[1]))

    def shrunk(self, data: Labelled, penalty: float) -> Self:
        """Fit a map to the rows of `data`, with a and b shrunk towards the a and b of this map.

        The term ½ penalty (Δa² + Δb²) is added to the log loss of the rows. It is a normal prior of variance 1 /
        penalty.
        """
        assert isinstance(data.scores, Binary)
        if np.isinf(data.scores.log_odds).all():
            return self
        odds, labels, weight = uncertain(data)
        design = np.column_stack([np.ones(len(odds)), odds])
        centre = np.array([self.intercept, self.slope])
        fit = fit_logistic(design, labels.astype(np.float64), weight, penalty=np.full(2, penalty), centre=centre)
        return type(self)(float(fit.coefficients[0]), float(fit.coefficients[1]))

    @classmethod
    def read(cls, parameters: Parameters, k: int) -> Self:
        return cls(number(parameters, "a"), number(parameters, "b"))

    def apply(self, scores: Scores) -> Floats:
        assert isinstance(scores, Binary)
        if self.slope == 0.0:
            return np.full(len(scores), float(sigmoid(np.array([self.intercept]))[0]))
        return sigmoid(self.intercept + self.slope * scores.log_odds)


# Beta calibration: separate slopes for log q and log(1 - q).

LARGEST = 1e4  # largest slope of labels that are not separated


@dataclass(frozen=True, slots=True)
class Beta(ProbabilityMap):
    """q' = σ(c + a log q - b log(1 - q)) with a, b ≥ 0, which preserves the order (Kull, Silva Filho & Flach 2017)."""

    of_one: float
    of_zero: float
    intercept: float

    names: ClassVar = ("a", "b", "c")
    method: ClassVar = "beta"
    formula: ClassVar = "q' = 1 / (1 + exp(-(c + a * log(q) - b * log(1 - q))))"

    @classmethod
    def fit(cls, data: Labelled) -> Self:
        """Return the map with the a, b and c that minimise the log loss.

        Raises InputError if the loss has no minimum, because there are too few distinct probabilities or a threshold
        separates the labels.
        """
        odds, labels, weight = uncertain(data)
        refuse_one_value(odds[weight > 0], least=3, method=cls.method)
        _refuse_separated(odds[weight > 0], labels[weight > 0])
        fit = _slopes(odds, labels.astype(np.float64), weight)
        return cls(float(fit[1]), float(fit[2]), float(fit[0]))

    @classmethod
    def read(cls, parameters: Parameters, k: int) -> Self:
        return cls(number(parameters, "a", least=0.0), number(parameters, "b", least=0.0), number(parameters, "c"))

    def apply(self, scores: Scores) -> Floats:
        assert isinstance(scores, Binary)
        log_one, minus_log_zero = _logs(scores.log_odds)
        log_odds = np.full(len(scores), self.intercept)
        for slope, column in ((self.of_one, log_one), (self.of_zero, minus_log_zero)):
            log_odds += slope * column if slope > 0 else 0.0
        return sigmoid(log_odds)


def _logs(odds: Floats) -> tuple[Floats, Floats]:
    """log q and -log(1 - q), from log-odds."""
    return -np.logaddexp(0.0, -odds), np.logaddexp(0.0, odds)


def _slopes(odds: Floats, labels: Floats, weight: Floats) -> Floats:
    """The intercept, a and b that minimise the log loss with a, b ≥ 0.

    If the unconstrained minimum violates the bounds or does not exist, the constrained minimum lies on a bound, because
    the loss is convex.
    """
    columns = np.column_stack([np.ones(len(odds)), *_logs(odds)])
    for faces in (((0, 1, 2),), ((0, 1), (0, 2)), ((0,),)):
        solutions = [_unbounded(columns, labels, weight, used) for used in faces]
        within = [solution for solution in solutions if solution is not None and (solution[1:] >= 0).all()]
        if within:
            return min(within, key=lambda slopes: _loss(columns @ slopes, labels, weight))
    raise AssertionError("an intercept alone has a minimum")


def _unbounded(columns: Floats, labels: Floats, weight: Floats, used: tuple[int, ...]) -> Floats | None:
    """Fit without the bounds: return coefficients of the `used` columns, 0 for the others; None without a minimum."""
    positive_weight = float(weight @ labels)
    centre = np.zeros(len(used))
    centre[0] = np.log(positive_weight / (weight.sum() - positive_weight))
    try:
        fit = fit_logistic(columns[:, used], labels, weight, penalty=np.zeros(len(used)), centre=centre)
    except np.linalg.LinAlgError:
        return None
    slopes = np.zeros(3)
    slopes[list(used)] = fit.coefficients
    return slopes if np.abs(slopes).max() < LARGEST else None


def _loss(eta: Floats, labels: Floats, weight: Floats) -> float:
    return float(weight @ (np.logaddexp(0.0, eta) - labels * eta))


def _refuse_separated(odds: Floats, labels: Integers) -> None:
    """Raise InputError if a threshold on the log-odds (nearly) separates the labels: no finite slope is optimal."""
    positive_odds, negative_odds = odds[labels == 1], odds[labels == 0]
    if positive_odds.min() >= negative_odds.max():
        raise InputError(
            "`method='beta'` has no best slopes: every row of label 1 has a probability at least as high "
            "as every row of label 0. Use `method='platt'`, which has an optimum for such rows.",
            "method",
        )


# Isotonic regression: the increasing step function closest to the labels, interpolated linearly.


@dataclass(frozen=True, slots=True)
class Isotonic(ProbabilityMap):
    """q' is interpolated between the points (x, y), and constant outside them (Zadrozny & Elkan 2002).

    The points are the ends of the blocks of the pool-adjacent-violators algorithm, applied to all probabilities that
    occur. The map equals that of scikit-learn's IsotonicRegression.
    """

    x: Floats
    y: Floats

    names: ClassVar = ("x", "y")
    method: ClassVar = "isotonic"
    formula: ClassVar = (
        "q' = linear interpolation between the points (x[i], y[i]); y[0] below x[0], and the last y above the last x"
    )

    @classmethod
    def fit(cls, data: Labelled) -> Self:
        """Return the increasing function with the smallest squared error, which also has the smallest log loss."""
        from scipy.optimize import isotonic_regression

        assert isinstance(data.scores, Binary)
        q, weight, positive = at_each(data.scores.probabilities, data.labels.astype(np.float64), data.weight)
        fitted = isotonic_regression(positive / weight, weights=weight)
        starts = fitted.blocks[:-1]
        ends = fitted.blocks[1:] - 1
        keep = np.unique(np.concatenate([starts, ends]))
        return cls(q[keep], np.clip(fitted.x[keep], 0.0, 1.0))

    @classmethod
    def read(cls, parameters: Parameters, k: int) -> Self:
        x = numbers(parameters, "x", strictly=True, shares=True)
        y = numbers(parameters, "y", n=len(x), rising=True, shares=True)
        if not len(x):
            raise InputError("the map's parameter x must contain one number or more; it is empty.")
        return cls(x, y)

    def apply(self, scores: Scores) -> Floats:
        assert isinstance(scores, Binary)
        return np.interp(scores.probabilities, self.x, self.y)


def at_each(q: Floats, labels: Floats, weight: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the distinct probabilities in ascending order and, for each of them, the total weight of its rows and the
    weight of its rows with label 1. Probabilities of weight 0 are left out.

    >>> at_each(np.array([0.5, 0.2, 0.5]), np.array([1.0, 0.0, 0.0]), np.ones(3))
    (array([0.2, 0.5]), array([1., 2.]), array([0., 1.]))
    """
    distinct, index = np.unique(q, return_inverse=True)
    total = np.bincount(index, weights=weight).astype(np.float64)
    positive = np.bincount(index, weights=weight * labels).astype(np.float64)
    keep = total > 0
    return distinct[keep], total[keep], positive[keep]


# Inductive Venn–Abers prediction: two isotonic regressions, one for each label that a new row may have.

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class VennAbers(ProbabilityMap):
    """q' = p₁ / (1 - p₀ + p₁), where p₀ and p₁ are the values at q of isotonic regressions with an additional row (q,
    label 0) or (q, label 1) (Vovk, Petej & Fedorova 2015). q' is never 0 or 1.

    Both are step functions of q. p₀ is low[i], where i is the number of values in `from` that are at most q; p₁ is
    high[j], where j is the number of values in `upto` that are below q.
    """

    starts: Floats
    low: Floats
    ends: Floats
    high: Floats

    names: ClassVar = ("from", "low", "upto", "high")
    method: ClassVar = "venn-abers"
    formula: ClassVar = (
        "q' = p1 / (1 - p0 + p1); p0 = low[i], where i is how many of from are at most q; "
        "p1 = high[j], where j is how many of upto are below q"
    )

    @classmethod
    def fit(cls, data: Labelled) -> Self:
        """Fit both regressions, for every possible q of a new row."""
        assert isinstance(data.scores, Binary)
        q, weight, positive = at_each(data.scores.probabilities, data.labels.astype(np.float64), data.weight)
        high = with_label_one(weight, positive)
        low = 1.0 - with_label_one(weight[::-1], (weight - positive)[::-1])[::-1]
        last = np.flatnonzero(np.append(np.diff(high) > 0, True))
        first = np.flatnonzero(np.insert(np.diff(low) > 0, 0, True))
        return cls(q[first], np.concatenate([[0.0], low[first]]), q[last], np.concatenate([high[last], [1.0]]))

    @classmethod
    def read(cls, parameters: Parameters, k: int) -> Self:
        starts = numbers(parameters, "from", strictly=True, shares=True)
        ends = numbers(parameters, "upto", strictly=True, shares=True)
        low = numbers(parameters, "low", n=len(starts) + 1, rising=True, shares=True)
        high = numbers(parameters, "high", n=len(ends) + 1, rising=True, shares=True)
        fitted = cls(starts, low, ends, high)
        below, above = fitted.both(np.unique(np.concatenate([[0.0, 1.0], starts, ends])))
        if (below > above).any() or (below == 1.0).any() or (above == 0.0).any():
            raise InputError("the map's parameters low and high must give p0 ≤ p1, p0 < 1 and p1 > 0.")
        return fitted

    def apply(self, scores: Scores) -> Floats:
        """The probabilities of label 1 (n,), from both regressions."""
        assert isinstance(scores, Binary)
        low, high = self.both(scores.probabilities)
        return np.asarray(high / (1.0 - low + high))

    def both(self, q: Floats) -> tuple[Floats, Floats]:
        """Return p₀ and p₁ for the probabilities q."""
        low = self.low[np.searchsorted(self.starts, q, side="right")]
        return np.asarray(low), np.asarray(self.high[np.searchsorted(self.ends, q, side="left")])


def with_label_one(weight: Floats, positive: Floats) -> Floats:
    """For each of m ascending scores, add a row with this score, label 1 and weight 1, and return the value of the
    isotonic regression at the score.

    weight, positive (m,): for each score, the total weight of its rows, and the weight of its rows with label 1.
    Implements algorithms 1 and 2 of Vovk, Petej & Fedorova (2015). The added row is a step (1, 1) in the path of
    cumulative sums. The step moves to the right past one score at a time, while a stack holds the corners of the
    greatest convex minorant of the path to the right of the step.

    >>> with_label_one(np.ones(3), np.array([0.0, 1.0, 0.0])).round(3).tolist()
    [0.5, 0.667, 0.667]
    """
    x = np.concatenate([[0.0], np.cumsum(weight)]).tolist()
    y = np.concatenate([[0.0], np.cumsum(positive)]).tolist()
    stack = _corners([(-1.0, -1.0), *zip(x, y, strict=True)])
    probabilities = np.empty(len(weight))
    for score in range(len(weight)):
        top, following = stack[-1], stack[-2]
        probabilities[score] = (following[1] - top[1]) / (following[0] - top[0])
        point = (x[score + 1] - 1.0, y[score + 1] - 1.0)  # the path with the step after this score
        if _turn(top, point, following) <= 0:
            continue  # on or above the line
        stack.pop()
        while len(stack) > 1 and _turn(point, stack[-1], stack[-2]) <= 0:
            stack.pop()
        stack.append(point)
    return np.clip(np.maximum.accumulate(probabilities), 0.0, 1.0)


def _corners(path: list[Point]) -> list[Point]:
    """The corners of the greatest convex minorant of a path, from the last to the first."""
    stack: list[Point] = []
    for point in path:
        while len(stack) > 1 and _turn(stack[-2], stack[-1], point) <= 0:
            stack.pop()
        stack.append(point)
    return stack[::-1]


def _turn(first: Point, second: Point, third: Point) -> float:
    """A number above 0 if, of three points from left to right, the second is below the line through the other two."""
    return (second[0] - first[0]) * (third[1] - first[1]) - (second[1] - first[1]) * (third[0] - first[0])


# Histogram binning: the frequency of label 1 in each of some bins of equal size.

BINS = 15


@dataclass(frozen=True, slots=True)
class Histogram(ProbabilityMap):
    """q' is the frequency of label 1 in the bin of q (Zadrozny & Elkan 2001).

    A bin contains the probabilities from its edge up to the next edge, which is excluded. Bins have equal weight as far
    as ties allow. Empty bins are dropped, so that ties can reduce the number of bins.
    """

    edges: Floats
    values: Floats

    names: ClassVar = ("edges", "values")
    method: ClassVar = "histogram"
    formula: ClassVar = "q' = values[i], where i is how many of the edges are at most q"

    @classmethod
    def fit(cls, data: Labelled, *, n_bins: int = BINS) -> Self:
        """Return the map with the frequencies in at most `n_bins` bins."""
        assert isinstance(data.scores, Binary)
        q, weight, positive = at_each(data.scores.probabilities, data.labels.astype(np.float64), data.weight)
        middle = np.cumsum(weight) - weight / 2.0
        bins = np.minimum((middle / weight.sum() * n_bins).astype(np.int64), n_bins - 1)
        first = np.flatnonzero(np.diff(bins, prepend=-1))
        edges = q[first[1:]]
        return cls(edges, np.add.reduceat(positive, first) / np.add.reduceat(weight, first))

    @classmethod
    def read(cls, parameters: Parameters, k: int) -> Self:
        edges = numbers(parameters, "edges", strictly=True, shares=True)
        return cls(edges, numbers(parameters, "values", n=len(edges) + 1, shares=True))

    def apply(self, scores: Scores) -> Floats:
        assert isinstance(scores, Binary)
        return np.asarray(self.values[np.searchsorted(self.edges, scores.probabilities, side="right")])
