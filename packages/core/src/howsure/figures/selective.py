"""Risk–coverage curves with their bands, and a guaranteed threshold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from howsure.errors import InputError
from howsure.figures.style import (
    FAINT,
    INK,
    QUIET,
    Look,
    dress,
    estimate_text,
    literal,
    literal_legend,
    look,
    new_figure,
    shortened_name,
    use_style,
)

if TYPE_CHECKING:
    from howsure.inputs.pairs import Floats
    from howsure.selective.results import RiskCoverage, SelectiveCurve, SelectiveThreshold

MAX_CURVES = 8
BANDS_UP_TO = 3  # number of curves that are drawn with bands, which would overlap for more
POINTS_UP_TO = 30  # number of thresholds up to which they are marked
STEPS = 40  # drawn points between two thresholds
MIN_COVERAGE = 0.02  # risks at lower coverage do not affect the limits of the axis
NAME_LENGTH = 32


def draw_risk_coverage(curves: Sequence[SelectiveCurve], *, ax: Axes | None = None) -> Axes:
    """Draw the proportion of wrong answers among those kept against the proportion kept, with pointwise bands.

    Marks are possible thresholds. Between them, the line is the expected risk if answers with equal confidence are kept
    in random order.
    """
    if not 0 < len(curves) <= MAX_CURVES:
        raise InputError(f"curves must contain 1 to {MAX_CURVES} curves; there are {len(curves):,}. Choose some.")
    with use_style():
        axes = _new_axes(ax)
        handles = [_draw_curve(axes, curve, look(i), band=len(curves) <= BANDS_UP_TO) for i, curve in enumerate(curves)]
        _finish(axes, [curve.points for curve in curves])
        level = f"{100 * curves[0].aurc.level:g}%"
        if len(curves) > 1:
            names = [
                f"{shortened_name(curve.name or f'curve {i}', NAME_LENGTH)}: AURC {estimate_text(curve.aurc)}"
                for i, curve in enumerate(curves, start=1)
            ]
            heading = f"band: {level} at each threshold" if len(curves) <= BANDS_UP_TO else None
            legend = literal_legend(
                axes,
                handles,
                names,
                loc="upper left",
                handlelength=3.0,
                title=heading,
                title_fontsize=8,
                alignment="left",
            )
            legend.set_zorder(6)
        else:
            (single,) = curves
            caption = f"AUROC {estimate_text(single.auroc)}\nAURC {estimate_text(single.aurc)}\nn = {single.n:,}"
            caption += f"\nband: {level} at each threshold"
            if single.name is not None:
                literal(axes.set_title(""), shortened_name(single.name, 48))
            axes.text(0.02, 0.98, caption, transform=axes.transAxes, va="top", fontsize=8, color=INK, linespacing=1.4)
    return axes


def draw_threshold(selective_threshold: SelectiveThreshold, *, ax: Axes | None = None) -> Axes:
    """Draw the observed risk at the tested thresholds, which of them passed, the target, and the selected threshold."""
    tested = selective_threshold.candidates
    with use_style():
        axes = _new_axes(ax)
        style = look(0)
        axes.axhline(selective_threshold.risk, color=QUIET, linewidth=1.0, linestyle=(0, (6, 3)), zorder=1)
        axes.plot(tested.coverage, tested.risk, color=FAINT, linewidth=1.0, zorder=2)
        for passed, inside in ((True, style.colour), (False, "white")):
            chosen = tested.passed == passed
            axes.plot(
                tested.coverage[chosen],
                tested.risk[chosen],
                style.marker,
                color=style.colour,
                markerfacecolor=inside,
                markersize=3.2,
                markeredgewidth=0.7,
                zorder=3,
            )
        highest = max(
            [selective_threshold.risk, *tested.risk.tolist(), selective_threshold.n_wrong / selective_threshold.n]
        )
        axes.set(xlim=(0.0, 1.02), ylim=(0.0, 1.25 * highest))
        if selective_threshold.threshold is None:
            caption = "no threshold can be guaranteed"
        else:
            axes.axvline(selective_threshold.coverage.value, color=style.colour, linewidth=1.0, zorder=1)
            share = selective_threshold.coverage.value
            caption = f"confidence ≥ {selective_threshold.threshold:.4g} keeps {share:.1%} (line)"
        caption += f"\nfilled: risk ≤ {selective_threshold.risk:g} is promised (delta {selective_threshold.delta:g})"
        axes.text(0.02, 0.98, caption, transform=axes.transAxes, va="top", fontsize=8, color=INK, linespacing=1.4)
    return axes


def _new_axes(ax: Axes | None) -> Axes:
    axes = new_figure(5.4, 3.8).subplots() if ax is None else ax
    dress(axes, grid="y")
    axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    literal(axes.set_xlabel(""), "coverage (answers kept, most confident first)")
    literal(axes.set_ylabel(""), "risk (wrong among those kept)")
    return axes


def _draw_curve(ax: Axes, curve: SelectiveCurve, style: Look, *, band: bool) -> object:
    points = curve.points
    if band:
        if len(points) > POINTS_UP_TO:
            ax.fill_between(points.coverage, points.low, points.high, color=style.colour, alpha=0.18, linewidth=0)
        else:
            ax.vlines(points.coverage, points.low, points.high, color=style.colour, linewidth=1.0, alpha=0.45)
    x, y = _interpolate(points)
    (line,) = ax.plot(x, y, color=style.colour, linewidth=1.3, linestyle=style.dashes, zorder=3)
    if len(points) <= POINTS_UP_TO:
        ax.plot(points.coverage, points.risk, style.marker, color=style.colour, markersize=4.2, zorder=4)
    return line


def _interpolate(points: RiskCoverage) -> tuple[Floats, Floats]:
    """Coverage and risk also between thresholds, where errors are spread evenly over answers with equal confidence."""
    if len(points) > POINTS_UP_TO:
        return points.coverage, points.risk
    n, errors = np.append(0, points.n).astype(np.float64), np.append(0, points.errors).astype(np.float64)
    total = points.n[-1]
    way = np.linspace(0.0, 1.0, STEPS + 1)[1:]
    kept = (n[:-1, None] + np.diff(n)[:, None] * way).ravel()
    wrong = (errors[:-1, None] + np.diff(errors)[:, None] * way).ravel()
    return kept / total, wrong / kept


def _finish(ax: Axes, curves: Sequence[RiskCoverage]) -> None:
    highest = 0.0
    for points in curves:
        shown = points.coverage >= min(MIN_COVERAGE, float(points.coverage[-1]))
        highest = max(highest, float(points.risk[shown].max()), float(points.high[-1]))
    ax.set(xlim=(0.0, 1.02), ylim=(0.0, min(1.5 * max(highest, 0.01), 1.02)))
