"""Choose the regression of labels on predictions that predicts new labels best: bins, local or isotonic regression.

A calibration curve is a regression of labels on predictions. Bins that are too large hide errors, and bins that are too
small show noise (Nguyen & O'Connor 2015, footnote 7). The expected squared difference between held-out labels and the
curve of the other pairs is the squared error of the curve plus a constant, so the bin size that minimises it is the
best size for this number of pairs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

import numpy as np

from howsure import __version__
from howsure.calibration.bins import boundaries_of_sorted
from howsure.errors import InputError
from howsure.inputs.arguments import Randomness, check_arguments, generator_from
from howsure.inputs.frames import Source
from howsure.inputs.numbers_and_names import check_integer, check_level, counted, is_number
from howsure.inputs.pairs import Floats, Integers, Pairs, Probabilities
from howsure.inputs.pairs_from import pairs_from
from howsure.inputs.parameter_types import ArrayLike, Axes, IntoFrame
from howsure.result import Rows
from howsure.show.axes import checks_axes
from howsure.show.table import NUMBER, WORDS, Column, digits
from howsure.stats.proportions import wilson_interval

BINS, LOCAL, ISOTONIC = "bins", "local regression", "isotonic regression"
SPANS = (0.02, 0.05, 0.1, 0.2, 0.4, 0.7, 1.0)
STEPS = 1.4  # ratio of successive bin sizes
CURVE_POINTS, TRIED_POINTS = 100, 40
FOLDS = 10
TINY = 1e-280  # smaller predictions count as 0, because slopes between them overflow
DIGITS = 12  # to which frequencies are rounded, so that a frequency of only labels 1 is exactly 1
MIN_EFFECTIVE = 4.0  # minimum effective number of pairs or clusters in a window for an interval
Curve = Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True)
class TriedCurve:
    """A calibration curve that `cross_validate_curve` tried, and its mean loss for held-out labels.

    method: "bins", "local regression" or "isotonic regression". setting: the bin size, the span, or None. loss: the
    mean squared difference between held-out labels and the curve. difference: this loss minus the smallest loss.
    standard_error: the standard error of the difference.
    """

    method: str
    setting: float | None
    loss: float
    difference: float
    standard_error: float


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CurveChoice(Rows[TriedCurve]):
    """The result of `cross_validate_curve`: iterate over it to get the regressions that were tried.

    best: the regression with the smallest loss. bin_size: the best bin size. span: the best span of local regression.
    """

    best: TriedCurve
    bin_size: int
    span: float
    rows: tuple[TriedCurve, ...]
    recipe: Mapping[str, Any] = field(default_factory=dict, compare=False)

    named = ""
    title = "Cross-validated squared loss of calibration curves"

    def table_rows(self) -> Sequence[object]:
        """The regressions, those with the smallest losses first."""
        return sorted(self.rows, key=attrgetter("loss"))

    def columns(self) -> Sequence[Column]:
        """One row a regression."""
        return [
            Column("method", WORDS),
            Column("setting", WORDS, get=_setting, legend="bin size, or share of the pairs in a window"),
            Column("loss", NUMBER),
            Column("difference", NUMBER, legend="to the smallest loss"),
            Column("standard_error", NUMBER, legend="of the difference"),
        ]

    @property
    def answer(self) -> str:
        """The method with the smallest loss, those whose loss differs by no more than chance, and the best settings."""
        settings = f"the best bin size is {self.bin_size:,}, the best span {self.span:g}"
        alike = [
            method
            for method in dict.fromkeys(row.method for row in self.rows)
            if method != self.best.method
            and any(row.method == method and row.difference <= 2 * row.standard_error for row in self.rows)
        ]
        verb = "predict" if self.best.method == BINS else "predicts"
        best = f"{self.best.method[0].upper()}{self.best.method[1:]} {verb} held-out labels best"
        also = f" ({' and '.join(alike)} not detectably worse)" if alike else ""
        return f"{best}{also}; {settings}."


def _setting(row: TriedCurve) -> str:
    return "" if row.setting is None else f"{row.setting:,.0f}" if row.method == BINS else f"{row.setting:g}"


@dataclass(frozen=True, slots=True)
class LocalPoint:
    """A point of a local regression: a prediction, the estimated frequency of label 1, and its pointwise interval.

    effective: the effective number of pairs, or of clusters, in the window. low, high: None if `effective` is below 4.
    """

    probability: float
    frequency: float
    low: float | None
    high: float | None
    effective: float


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class LocalRegression(Rows[LocalPoint]):
    """The result of `local_regression`: iterate over it to get the points of the curve.

    n: number of pairs. span: the proportion of the pairs in each window. level: the level of the intervals of each
    single point.
    """

    n: int
    span: float
    level: float
    rows: tuple[LocalPoint, ...]
    recipe: Mapping[str, Any] = field(default_factory=dict, compare=False)

    named = ""
    title = "Local regression of labels on predictions"

    def columns(self) -> Sequence[Column]:
        """One row a point."""
        numbers = [Column(name, NUMBER) for name in ("probability", "frequency", "low", "high")]
        return [*numbers, Column("effective", digits(1), legend="effective number of pairs or clusters in the window")]

    @property
    def answer(self) -> str:
        """At how many points the curve differs from the predictions."""
        intervals = [row for row in self.rows if row.low is not None and row.high is not None]
        if not intervals:
            return "The windows have too few pairs or clusters for intervals."
        outside = sum(not row.low <= row.probability <= row.high for row in intervals)  # type: ignore[operator]
        points = counted(len(intervals), "point")
        each = f"the {100 * self.level:g}% interval of the point excludes the prediction"
        return f"At {outside:,} of {points} of the curve, {each} (neighbouring windows overlap)."

    @property
    def notes(self) -> tuple[str, ...]:
        """Which points have no interval."""
        without = sum(row.low is None for row in self.rows)
        if not without:
            return ()
        points = counted(len(self.rows), "point")
        few = f"fewer than {MIN_EFFECTIVE:g} effective pairs or clusters in the window; try a larger span"
        return (f"No interval at {without:,} of {points}: {few}.",)

    def footnotes(self) -> Sequence[str]:
        """Which points have no interval, and the span."""
        window = f"Each window has {self.span:.0%} of {counted(self.n, 'pair')}, or more if predictions are equal."
        return [*self.notes, *self.recipe_notes, window]

    @checks_axes
    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the curve and its intervals on matplotlib axes (new ones if None) and return them."""
        from howsure.figures.local_regression import draw_local_regression

        return draw_local_regression(self, ax=ax)


def cross_validate_curve(
    y_true: ArrayLike | str | Pairs | None = None,
    y_prob: ArrayLike | str | Probabilities | None = None,
    *,
    folds: int | None = None,
    sample_weight: ArrayLike | str | None = None,
    clusters: ArrayLike | str | None = None,
    pos_label: Hashable = None,
    rng: Randomness = 0,
    data: Source | IntoFrame | None = None,
) -> CurveChoice:
    """Choose the bin size of a calibration curve by cross-validation, and compare it with regressions without bins.

    folds: number of cross-validation folds, by default 10, or the number of pairs or clusters if that is smaller. The
    labels of each fold are predicted by the curve of the other folds; a cluster is never split. rng: seed of the folds.

    The other arguments are those of `calibration_curve`. Bins of many sizes, local linear regression with several spans
    and isotonic regression (CORP) are compared by the mean squared difference between held-out labels and the curve.

    >>> rng = np.random.default_rng(0)
    >>> q = rng.random(3000)
    >>> choice = cross_validate_curve(rng.random(3000) < q**2, q)
    >>> 50 < choice.bin_size < 600
    True

    Raises InputError for fewer pairs or clusters than folds, or fewer than 2.
    """
    check_arguments(cross_validate_curve, locals())
    roles = {"sample_weight": sample_weight, "clusters": clusters, "pos_label": pos_label}
    pairs, provenance = _read_pairs(y_true, y_prob, data, roles)
    q, y, w, units = _sorted_columns(pairs)
    n_units = int(units.max()) + 1
    folds = min(FOLDS, n_units) if folds is None else check_integer(folds, name="folds", least=2)
    unit = "pair" if pairs.clusters is None else "cluster"
    if n_units < 2:
        raise InputError(f"cross-validation needs at least 2 {unit}s; there is {n_units}.")
    if n_units < folds:
        raise InputError(f"folds must be at most the number of {unit}s, {n_units:,}; it is {folds:,}.")
    parts = (generator_from(rng).permutation(n_units) % folds)[units]
    q = np.where(q < TINY, 0.0, q)
    settings = [
        *((BINS, float(size)) for size in _bin_sizes(len(q))),
        *((LOCAL, span) for span in SPANS),
        (ISOTONIC, None),
    ]
    losses = np.empty((len(settings), len(q)))
    for fold in range(folds):
        held_out = parts == fold
        train = tuple(values[~held_out] for values in (q, y, w))
        for row, (method, setting) in enumerate(settings):
            predicted = _fit(method, setting, *train, share=len(train[0]) / len(q))(q[held_out])
            losses[row, held_out] = (y[held_out] - predicted) ** 2
    means = losses @ w / w.sum()
    best = int(means.argmin())
    rows = []
    for (method, setting), row_losses, mean in zip(settings, losses, means.tolist(), strict=True):
        residuals = w * (row_losses - losses[best] - (mean - means[best]))
        by_unit = np.bincount(units, weights=residuals)
        error = math.sqrt(float(by_unit @ by_unit)) / float(w.sum())
        rows.append(TriedCurve(method, setting, mean, mean - float(means[best]), error))
    chosen = {
        method: min((row for row in rows if row.method == method), key=attrgetter("loss")) for method in (BINS, LOCAL)
    }
    how = {"n": len(pairs), "folds": folds, "seed": rng if is_number(rng) else None}
    return CurveChoice(
        best=rows[best],
        bin_size=int(chosen[BINS].setting or 1),
        span=chosen[LOCAL].setting or 1.0,
        rows=tuple(rows),
        recipe={"howsure": __version__, **provenance, **how},
    )


def local_regression(
    y_true: ArrayLike | str | Pairs | None = None,
    y_prob: ArrayLike | str | Probabilities | None = None,
    *,
    span: float | None = None,
    sample_weight: ArrayLike | str | None = None,
    clusters: ArrayLike | str | None = None,
    pos_label: Hashable = None,
    level: float = 0.95,
    rng: Randomness = 0,
    data: Source | IntoFrame | None = None,
) -> LocalRegression:
    """A calibration curve by local linear regression of labels on predictions, with an interval for each point.

    span: the proportion of the pairs in the window around each point; by default, it is chosen by cross-validation.

    Pairs in a window are weighted by distance (tricube), a line is fitted, and its value at the point is the frequency
    (Wasserman 2006). A line smooths away some curvature, so the interval contains Wilson's intervals both for the line
    and for a local parabola in the same window (Calonico, Cattaneo & Farrell 2018). Their sample size is the effective
    number of pairs or, with clusters, of clusters, as if all labels in a cluster were equal. The interval is therefore
    valid for any correlation of labels within clusters. A point has no interval if this number is below 4. The other
    arguments are those of `calibration_curve`.

    >>> rng = np.random.default_rng(0)
    >>> q = rng.random(3000)
    >>> curve = local_regression(rng.random(3000) < q**2, q, span=0.4)
    >>> max(abs(point.frequency - point.probability**2) for point in curve) < 0.1
    True

    Raises InputError for a span outside 0 to 1.
    """
    check_arguments(local_regression, locals())
    level = check_level(level)
    if span is not None and not (is_number(span) and 0.0 < span <= 1.0):
        raise InputError(
            f"span, the proportion of pairs in a window, must be greater than 0 and at most 1; it is {span!r}."
        )
    roles = {"sample_weight": sample_weight, "clusters": clusters, "pos_label": pos_label}
    pairs, provenance = _read_pairs(y_true, y_prob, data, roles)
    q, y, w, units = _sorted_columns(pairs)
    if span is None and units.max() == 0:
        unit = "pair" if pairs.clusters is None else "cluster"
        raise InputError(f"there is only 1 {unit}, so no span can be chosen by cross-validation: give `span=`.")
    chosen = cross_validate_curve(pairs, rng=rng).span if span is None else float(span)
    curve = []
    for point in _points(q, CURVE_POINTS).tolist():
        lows, highs, values, sizes = [], [], [], []
        for degree in (1, 2):
            rows, weights = _weights_at(point, q, w, chosen, degree=degree)
            values.append(min(max(round(float(weights @ y[rows]), DIGITS), 0.0), 1.0))
            sizes.append(_effective_number(weights, units[rows]))
            ends = wilson_interval(np.array(values[-1]), np.array(sizes[-1]), level=level)
            lows.append(float(ends[0]))
            highs.append(float(ends[1]))
        effective = min(sizes)
        low, high = (min(lows), max(highs)) if effective >= MIN_EFFECTIVE else (None, None)
        curve.append(LocalPoint(point, values[0], low, high, effective))
    how = {"n": len(pairs), "span": chosen, "chosen": span is None, "level": level}
    recipe = {"howsure": __version__, **provenance, **how}
    return LocalRegression(n=len(pairs), span=chosen, level=level, rows=tuple(curve), recipe=recipe)


def _read_pairs(y_true: Any, y_prob: Any, data: Any, roles: dict[str, Any]) -> tuple[Pairs, dict[str, Any]]:
    """Return the pairs with a positive weight, and the description of their files for a recipe."""
    if isinstance(data, Source):
        with data.predictions(y_true, y_prob, find_items=True, **roles) as predictions:
            return predictions.pairs().with_positive_weight(), predictions.describe()
    pairs = pairs_from(y_true, y_prob, data=data, **roles)
    return pairs.with_positive_weight(), pairs.described


def _sorted_columns(pairs: Pairs) -> tuple[Floats, Floats, Floats, Integers]:
    """Return predictions, labels, weights and cluster codes (or a number for each pair), sorted by prediction."""
    order = np.argsort(pairs.probabilities, kind="stable")
    weights = np.ones(len(pairs)) if pairs.weights is None else pairs.weights
    units = np.arange(len(pairs)) if pairs.clusters is None else np.unique(pairs.clusters, return_inverse=True)[1]
    return pairs.probabilities[order], pairs.labels[order].astype(np.float64), weights[order], units[order]


def _effective_number(weights: Floats, units: Integers) -> float:
    """Return the number of equally weighted pairs or clusters whose mean is as precise as the weighted mean."""
    by_unit = np.bincount(units, weights=weights)
    return float(1 / max(weights @ weights, by_unit @ by_unit))


def _bin_sizes(n: int) -> list[int]:
    """Return bin sizes from 2 pairs to all pairs, about equally spaced on the log scale."""
    steps = int(math.log(max(n / 2, 1), STEPS))
    return sorted({max(round(n / STEPS**step), 2) for step in range(steps + 1)})


def _fit(method: str, setting: float | None, q: Floats, y: Floats, w: Floats, *, share: float) -> Curve:
    """Fit a curve to sorted pairs, which are a proportion `share` of all pairs. The bin size is reduced accordingly."""
    if method == BINS:
        assert setting is not None
        edges = boundaries_of_sorted(q, bin_size=max(round(setting * share), 1))
        bins = np.searchsorted(edges, q, side="left")
        frequency = np.bincount(bins, weights=w * y) / np.bincount(bins, weights=w)
        return lambda new: frequency[np.searchsorted(edges, new, side="left")]
    if method == LOCAL:
        assert setting is not None
        points = _points(q, TRIED_POINTS)
        values = [
            float(weights @ y[rows]) for rows, weights in (_weights_at(x, q, w, setting) for x in points.tolist())
        ]
        return lambda new: np.interp(new, points, np.clip(values, 0.0, 1.0))
    from scipy.optimize import isotonic_regression

    distinct, starts = np.unique(q, return_index=True)
    weight = np.add.reduceat(w, starts)
    steps = isotonic_regression(np.add.reduceat(w * y, starts) / weight, weights=weight).x
    return lambda new: np.interp(new, distinct, steps)


def _points(q: Floats, n: int) -> Floats:
    """Return at most n distinct points: quantiles of the sorted predictions."""
    return np.unique(q[np.linspace(0, len(q) - 1, n).round().astype(np.int64)])


def _weights_at(x: float, q: Floats, w: Floats, span: float, *, degree: int = 1) -> tuple[slice, Floats]:
    """Return the window around x, and the weight of each of its labels in the local polynomial's value at x.

    q is sorted. The window contains the nearest proportion `span` of all pairs, and further pairs at the same distance.
    """
    k = min(max(math.ceil(span * len(q)), 2), len(q))
    position = int(np.searchsorted(q, x))
    distances = np.abs(q[max(position - k, 0) : position + k] - x)
    width = float(np.partition(distances, k - 1)[k - 1])
    rows = slice(int(np.searchsorted(q, x - width, side="left")), int(np.searchsorted(q, x + width, side="right")))
    scaled = (q[rows] - x) / max(width, 1e-300)
    kernel = w[rows] * (1 - np.minimum(np.abs(scaled) / (1 + 1e-9), 1.0) ** 3) ** 3
    powers = np.vander(scaled, degree + 1, increasing=True)
    weighted = powers * kernel[:, None]
    weights: Floats = weighted @ np.linalg.pinv(powers.T @ weighted, hermitian=True)[:, 0]
    return rows, weights
