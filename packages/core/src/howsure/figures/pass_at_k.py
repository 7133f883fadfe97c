"""pass@k and pass^k by k: a curve for each model, with intervals that are simultaneous over k."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, NullLocator, PercentFormatter

from howsure.figures.style import FAINT, INK, Look, dress, literal_legend, look, new_figure, shortened_name, styled

if TYPE_CHECKING:
    from howsure.inputs.pairs import Floats
    from howsure.scores.results import ScoreRow

MOST_NAMED = 8
BANDS_UP_TO = 3  # curves; more bands on one another show nothing
APART = 0.012  # of the axis, between the intervals of two curves
NAME_LENGTH = 28


@dataclass(frozen=True, slots=True)
class Curve:
    """pass@k or, `all_right`, pass^k of a model (n,): k, the mean and its interval."""

    model: str
    all_right: bool
    k: Floats
    mean: Floats
    low: Floats
    high: Floats


def curves_of(rows: list[ScoreRow]) -> list[Curve]:
    """The curves of pass@k and pass^k, the best at its first k first; () unless a curve has several k."""
    rows_by_curve: dict[tuple[str, bool], dict[int, ScoreRow]] = {}
    several = len({row.score.rpartition(" pass")[0] for row in rows}) > 1
    for row in rows:
        name, _, kind = row.score.rpartition(" pass")
        parts = (name if several else None, row.group, row.model)
        model = ", ".join(part for part in parts if part is not None) or name
        rows_by_curve.setdefault((model, kind[0] == "^"), {})[int(kind[1:])] = row
    if max(map(len, rows_by_curve.values())) < 2:
        return []
    curves = []
    for (model, all_right), of_k in rows_by_curve.items():
        values = [(k, row.mean.value, row.mean.low, row.mean.high) for k, row in sorted(of_k.items())]
        curves.append(Curve(model, all_right, *np.array(values, dtype=float).T))
    return sorted(curves, key=lambda curve: (curve.all_right, -curve.mean[0]))


def draw_curves(curves: list[Curve], *, level: float, ax: Axes | None = None) -> Axes:
    """Draw curves, those of pass^k with open markers: bands for up to 3 curves, otherwise the interval at each k. Of
    more than 8 models, the best are named, and the others are faint."""
    models = list(dict.fromkeys(curve.model for curve in curves))
    looks = {model: look(i) for i, model in enumerate(models[:MOST_NAMED])}
    ks = np.unique(np.concatenate([curve.k for curve in curves]))
    step = (ks[-1] / ks[0]) ** APART
    with styled():
        axes = new_figure(5.4, 3.8, keep="height").subplots() if ax is None else ax
        axes.set_xscale("log")
        for curve in curves:
            how = looks.get(curve.model)
            if how is None:
                axes.plot(curve.k, curve.mean, color=FAINT, linewidth=0.8, zorder=1)
                continue
            place = models.index(curve.model) - (len(looks) - 1) / 2
            _draw_curve(axes, curve, how, band=len(curves) <= BANDS_UP_TO, shift=step**place)
        axes.xaxis.set_major_locator(FixedLocator(ks.tolist()))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(lambda k, _: f"{k:g}")
        axes.yaxis.set_major_formatter(PercentFormatter(1.0))
        axes.set_ylim(bottom=0.0)
        marks = {f"pass{'^' if curve.all_right else '@'}k": curve.all_right for curve in curves}
        axes.set_xlabel("k")
        axes.set_ylabel(", ".join(marks))
        _name(axes, looks, len(models), marks=marks if len(marks) > 1 else {}, level=level)
        dress(axes, grid="y")
    return axes


def _draw_curve(axes: Axes, curve: Curve, how: Look, *, band: bool, shift: float) -> None:
    inside = "white" if curve.all_right else how.colour
    if band:
        axes.fill_between(curve.k, curve.low, curve.high, color=how.colour, alpha=0.18, linewidth=0)
        shift = 1.0
    else:
        axes.vlines(shift * curve.k, curve.low, curve.high, color=how.colour, linewidth=1.0, alpha=0.6)
    axes.plot(
        shift * curve.k,
        curve.mean,
        color=how.colour,
        linewidth=1.3,
        linestyle=how.dashes,
        zorder=3,
        marker=how.marker,
        markerfacecolor=inside,
        markersize=4.2,
    )


def _name(axes: Axes, looks: dict[str, Look], n: int, *, marks: dict[str, bool], level: float) -> None:
    """A legend below the axes: models, and the meaning of markers and intervals."""
    handles = [Line2D([], [], color=how.colour, linestyle=how.dashes, marker=how.marker) for how in looks.values()]
    handles += [
        Line2D([], [], color=INK, linestyle="", marker="o", mfc="white" if hat else INK) for hat in marks.values()
    ]
    for handle in handles:
        handle.set(linewidth=1.3, markersize=4.2)
    heading = f"{100 * level:g} % intervals, right for all k of a model together"
    heading += f"\nthe best {len(looks)} of {n:,}; the others faint" if n > len(looks) else ""
    named = [*(shortened_name(model, NAME_LENGTH) for model in looks), *marks]
    below: Any = {"loc": "upper center", "bbox_to_anchor": (0.5, 0.0), "borderaxespad": 4.5, "ncols": 2}
    literal_legend(axes, handles, named, **below, handlelength=3.0, title=heading, title_fontsize=8, alignment="left")
