"""Calibration of ordered levels, such as grades from 1 to 5: a curve for each cut point, and their joint error."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from howsure import __version__
from howsure.calibration.bins import bin_pairs
from howsure.calibration.calibration_errors import debiased_estimate
from howsure.calibration.clustered_error import clustered_mse
from howsure.calibration.curve import binned_curve
from howsure.calibration.curve_text import HIGHER_LEVEL, LEGENDS, kind, verdict, verdicts_by_kind
from howsure.calibration.results import CalibrationCurve
from howsure.calibration.scores import ScoreParts
from howsure.calibration.squared_error import cluster_sums
from howsure.errors import InputError
from howsure.inputs.arguments import check_arguments
from howsure.inputs.frames import Source
from howsure.inputs.numbers_and_names import check_level, parse_number, shortened
from howsure.inputs.pairs import (
    CLASS_WISE,
    PROB,
    PROBS_COLUMN,
    UNNAMED,
    Integers,
    Pairs,
    Probabilities,
    as_probabilities,
)
from howsure.inputs.pairs_from import pairs_from
from howsure.inputs.parameter_types import ArrayLike, Axes, Figure, IntoFrame
from howsure.notes import notes_by_name
from howsure.result import Estimate, Rows, as_json
from howsure.show.axes import checks_axes
from howsure.show.table import LOWER, NUMBER, P_VALUE, WORDS, Column, with_ends
from howsure.stats.clusters import ItemGroups
from howsure.stats.mean_score import MeanScore, mean_score
from howsure.stats.p_values import ADJUSTED, adjust_p_values


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class OrdinalCalibration(Rows[CalibrationCurve]):
    """The result of `ordinal_calibration`: iterate over the curves of cut points, or index it by name, such as "> 3".

    levels: all levels, in order. error: the root mean squared gap over all cut points, with equal weight. rps: the mean
    ranked probability score with its interval. rps_parts: its decomposition, summed over cut points. bias: the mean
    difference between the expected and the true level, in units of the levels if these are numbers, otherwise in ranks.
    p_adjusted: the p-value of each cut point, adjusted for the number of cut points.
    """

    levels: tuple[str, ...]
    n: int
    error: Estimate
    rps: Estimate
    rps_parts: ScoreParts
    bias: Estimate
    rows: tuple[CalibrationCurve, ...] = as_json("cut_points")
    p_adjusted: tuple[float, ...]
    recipe: dict[str, Any]

    title = "Calibration of ordered levels"
    suggested: ClassVar = {"figure": "ordinal.svg"}

    def columns(self) -> Sequence[Column]:
        """One row a cut point."""
        level = f"{100 * self.error.level:g}%"
        several = len(self.rows) > 1
        legend = "of calibrated predictions" + (
            f", adjusted for the cut points ({ADJUSTED['holm']})" if several else ""
        )
        kinds = [kind(curve, p) for curve, p in zip(self.rows, self.p_adjusted, strict=True)]
        return [
            Column("cut_point", WORDS, get=lambda curve: curve.name),
            Column("predicted", NUMBER, get=_mean_probability, legend="mean probability of a higher level"),
            Column("frequency", NUMBER, get=lambda curve: curve.base_rate, legend="share of rows at a higher level"),
            *with_ends(
                Column("error", NUMBER, better=LOWER, legend=LEGENDS["error"]),
                of_ends=f"with high, the {level} interval of the error",
            ),
            Column("brier", NUMBER, "Brier", LOWER, get=lambda curve: curve.brier.score),
            Column("p_value", P_VALUE, "p", legend=legend, values=self.p_adjusted),
            Column("miscalibration", WORDS, values=kinds),
        ]

    @property
    def answer(self) -> str:
        """The error over all cut points, and the kind of miscalibration at each cut point."""
        kinds = [(curve.name or "", kind(curve, p)) for curve, p in zip(self.rows, self.p_adjusted, strict=True)]
        return f"The calibration error of all cut points is {self.error}; {verdicts_by_kind(kinds)}."

    def footnotes(self) -> Sequence[str]:
        """Lines below the table: the answer, the bias, the score's parts, and the verdict on each cut point."""
        parts = self.rps_parts
        in_parts = f"{parts.calibration:.4f} calibration + {parts.refinement:.4f} refinement"
        rows_and_p = zip(self.rows, self.p_adjusted, strict=True)
        return [
            self.answer,
            f"Expected minus true level: {self.bias}; n = {self.n:,}.",
            f"Ranked probability score: {self.rps} = {in_parts} {parts.within_bin:+.4f} within bins.",
            *(f"{curve.name}: {verdict(curve, p)}" for curve, p in rows_and_p),
            *notes_by_name((curve.name or "", curve.notes) for curve in self.rows),
            *self.recipe_notes,
        ]

    @checks_axes
    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the curves of all cut points, at most eight, on matplotlib axes (new ones if None)."""
        from howsure.figures.calibration import draw_curves

        return draw_curves(self.rows, ax=ax)

    def figure(self) -> Figure:
        """Return a matplotlib figure with one panel for each cut point's curve."""
        from howsure.figures.curves import curve_figure

        return curve_figure(self.rows, panels=len(self.rows) > 1)


def ordinal_calibration(
    y_true: ArrayLike | str | None = None,
    y_prob: ArrayLike | Sequence[str] | str | Probabilities | None = None,
    *,
    levels: Sequence[str] | None = None,
    bin_size: int | str = "auto",
    n_bins: int | None = None,
    binning: str = "adaptive",
    clusters: ArrayLike | str | None = None,
    level: float = 0.95,
    data: Source | IntoFrame | None = None,
) -> OrdinalCalibration:
    """Compute the calibration of ordered levels, such as grades: a curve for each cut point between levels.

    With levels 1 to 5 there are four cut points: above 1, above 2, above 3 and above 4. At each, the probability of a
    level above it is compared with the frequency. The error over all cut points is the root mean square of their
    errors. In a pooled curve, a cut point whose probabilities are too high could hide one whose probabilities are too
    low. All pairs of a row are one cluster. The ranked probability score is the sum of the cut points' Brier scores.
    With two levels, all figures are those of `calibration_curve`.

    y_true (n,): the level of each row.
    y_prob (n, K): the probabilities of all levels.
    levels: all levels from the lowest to the highest, in the order of the probabilities; without them, the names of the
    probabilities must be numbers in order.
    binning: bins of equal size (adaptive), or bins of equal width (uniform).
    clusters (n,): the cluster of each row, such as its document; rows of a cluster are correlated.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> q = rng.dirichlet([1, 2, 2], 3000)
    >>> grades = (rng.random((3000, 1)) > q.cumsum(axis=1)).sum(axis=1)
    >>> found = ordinal_calibration(grades, q)
    >>> print([curve.name for curve in found], found.error.low)
    ['> 0', '> 1'] 0.0

    Raises InputError, which names the parameter, row and value, for an invalid input.
    Source: Epstein (1969) for the ranked probability score.
    """
    check_arguments(ordinal_calibration, locals())
    level = check_level(level)
    spec = _level_probabilities(y_prob, levels, of_columns=data is not None)
    if isinstance(data, Source):
        with data.predictions(y_true, spec, clusters=clusters, find_items=True) as predictions:
            pairs, provenance = predictions.pairs(), predictions.describe()
    else:
        pairs = pairs_from(y_true, spec, data=data, clusters=clusters)
        provenance = pairs.described
    names = pairs.group_names
    _check_order(names, named=levels is not None)
    k, n = len(names), len(pairs) // len(names)
    matrix = pairs.probabilities.reshape(k, n)
    codes = pairs.labels.reshape(k, n).argmax(axis=0)
    assert pairs.clusters is not None  # class-wise pairs are clustered by row by default
    cluster_codes = pairs.clusters[:n]
    units = None if clusters is None and len(np.unique(cluster_codes)) == n else cluster_codes
    above = np.minimum(np.cumsum(matrix[::-1], axis=0)[::-1][1:], 1.0)  # probability of a higher level, by cut point
    cuts = [
        Pairs((codes > place).astype(np.uint8), above[place], clusters=units, positive=HIGHER_LEVEL)
        for place in range(k - 1)
    ]
    how: dict[str, Any] = {"bin_size": bin_size, "n_bins": n_bins, "binning": binning}
    curves = tuple(
        binned_curve(pairs, name=f"> {names[place]}", level=level, **how) for place, pairs in enumerate(cuts)
    )
    groups = ItemGroups.of(n, clusters=units)
    scores = ((above - (codes > np.arange(k - 1)[:, None])) ** 2).sum(axis=0)
    numbers = [number for name in names if (number := parse_number(name)) is not None]
    steps = np.array(numbers if len(numbers) == k else range(k), dtype=np.float64)
    bias = mean_score(steps @ matrix - steps[codes], groups, bounds=None)
    return OrdinalCalibration(
        levels=names,
        n=n,
        error=curves[0].error if k == 2 else _error_of_all(cuts, units, level=level, **how),
        rps=_estimate(mean_score(scores, groups, bounds=(0.0, k - 1.0)), level, n),
        rps_parts=_add_scores([curve.brier for curve in curves]),
        bias=_estimate(bias, level, n),
        rows=curves,
        p_adjusted=tuple(float(p) for p in adjust_p_values([curve.p_value for curve in curves], method="holm")),
        recipe={"howsure": __version__, **provenance, "n": n, "levels": list(names), **how, "level": level},
    )


def _level_probabilities(y_prob: Any, levels: Sequence[str] | None, *, of_columns: bool) -> Probabilities:
    """Describe the probabilities of all levels, with reduce="class-wise" and the levels as classes."""
    spec = Probabilities(UNNAMED, None) if y_prob is None else as_probabilities(y_prob)
    if y_prob is None and not of_columns:
        raise InputError("not_a_column", "y_prob", type="None")
    if spec.reduce is not None:
        raise InputError(
            "{parameter} cannot be used with ordered levels, because all of them are evaluated; leave it out.", "reduce"
        )
    spec.refuse_prediction()
    names = spec.classes if levels is None else [str(level) for level in levels]
    if names is not None and len(names) < 2:
        raise InputError(f"`levels` must name two levels or more; it names {shortened(names) or 'none'}.")
    if spec.way == PROB and not (isinstance(spec.values, str) and not of_columns):
        spec = Probabilities(PROBS_COLUMN, spec.values)
    return replace(spec, reduce=CLASS_WISE, classes=names)


def _add_scores(parts: Sequence[ScoreParts]) -> ScoreParts:
    score, calibration, refinement, within = (
        math.fsum(getattr(part, name) for part in parts)
        for name in ("score", "calibration", "refinement", "within_bin")
    )
    return ScoreParts(score, calibration, refinement, within)


def _check_order(names: Sequence[str], *, named: bool) -> None:
    numbers = [number for name in names if (number := parse_number(name)) is not None]
    ordered = len(numbers) == len(names) and numbers == sorted(set(numbers))
    if not named and not ordered:
        raise InputError(
            "the probabilities are named {names}, but the order of these levels is unknown. Name them from the "
            "lowest to the highest (`levels=...`).",
            names=list(names),
        )


def _error_of_all(cuts: Sequence[Pairs], units: Integers | None, *, level: float, **how: Any) -> Estimate:
    """Return the debiased error over the bins of all cut points, with equal weight, clustered by row or cluster."""
    n = len(cuts[0])
    bins, start = [], 0
    for pairs in cuts:
        binned = bin_pairs(pairs, whole=n, **how)
        bins.append(binned.assign_bins(pairs.probabilities) + start)
        start += len(binned.sums)
    together = Pairs(
        np.concatenate([pairs.labels for pairs in cuts]),
        np.concatenate([pairs.probabilities for pairs in cuts]),
        clusters=np.tile(np.arange(n) if units is None else units, len(cuts)),
    )
    return debiased_estimate(clustered_mse(cluster_sums(together, np.concatenate(bins), start)), n=n, level=level)


def _estimate(mean_score: MeanScore, level: float, n: int) -> Estimate:
    low, high = mean_score.interval(level)
    is_known = not math.isnan(low)
    return Estimate(
        mean_score.value,
        low if is_known else None,
        high if is_known else None,
        level=level,
        method=mean_score.method,
        n=n,
    )


def _mean_probability(curve: CalibrationCurve) -> float:
    return float(np.average(curve.bins.mean_prob, weights=curve.bins.weight))
