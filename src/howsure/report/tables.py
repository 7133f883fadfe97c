"""Calibration curves as the cells of a report's tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from howsure.calibration.results import Bins, CalibrationCurve
from howsure.calibration.scores.multiclass import base_rate_words, score_columns
from howsure.calibration.words.verdict import OVERCONFIDENT, UNDERCONFIDENT, kind
from howsure.errors import InputError
from howsure.result import cell
from howsure.show.numbers import interval, p_text
from howsure.show.table import Table
from howsure.stats.multiplicity import ADJUSTED, adjust_p_values


def table_of_curves(curves: Sequence[CalibrationCurve], names: Sequence[str], *, adjust: str | None) -> Table:
    """One row a curve, the largest error first; p-values of several curves are adjusted for their number."""
    level = f"{100 * curves[0].debiased_error.level:g} %"
    scores = score_columns(curves)
    headings = ["curve", "pairs", base_rate_words(curves), f"error [{level} interval]", _p_heading(len(curves), adjust)]
    headings += [*(name for name, _ in scores), "miscalibration"]
    p_values = adjust_p_values([curve.p_value for curve in curves], method=adjust)
    order = sorted(range(len(curves)), key=lambda i: _rank(curves[i].debiased_error.value))
    rows = [
        [
            names[i],
            cell(curve.n),
            cell(curve.base_rate),
            cell(curve.debiased_error),
            p_text(float(p_values[i])),
            *(cell(values[i]) for _, values in scores),
            kind(curve, float(p_values[i])),
        ]
        for i, curve in ((i, curves[i]) for i in order)
    ]
    return Table(headings, rows, words=(headings[0], headings[-1]))


def table_of_rows(rows: Sequence[Mapping[str, object]]) -> Table:
    """Rows made elsewhere, as they are; the first one names the columns."""
    headings = list(rows[0])
    for place, row in enumerate(rows):
        if list(row) != headings:
            raise InputError(f"table_rows must have one set of columns; row {place} has {list(row)}, not {headings}.")
    words = [heading for heading in headings if any(isinstance(row[heading], str) for row in rows)]
    return Table(headings, [[cell(value) for value in row.values()] for row in rows], words=words)


def table_of_bins(bins: Bins, *, level: float) -> Table:
    """One row per bin, in ascending order of predictions."""
    headings = [
        "pairs",
        "mean prediction",
        "label frequency",
        f"{100 * level:g} % interval",
        "relative to the diagonal",
    ]
    rows = [
        [cell(n), cell(mean), cell(frequency), interval(low, high), _side(mean, low, high)]
        for n, mean, frequency, low, high in zip(
            *(getattr(bins, c).tolist() for c in ("count", "mean_prob", "frequency", "low", "high")), strict=True
        )
    ]
    return Table(headings, rows, words=headings[-1:])


def _p_heading(curves: int, adjust: str | None) -> str:
    return "p" if curves == 1 or adjust is None else f"p ({ADJUSTED.get(adjust, adjust)})"


def _rank(error: float) -> float:
    return math.inf if math.isnan(error) else -error


def _side(mean_prob: float, low: float, high: float) -> str:
    if low > mean_prob:
        return f"above: {UNDERCONFIDENT}"
    return f"below: {OVERCONFIDENT}" if high < mean_prob else "on it"
