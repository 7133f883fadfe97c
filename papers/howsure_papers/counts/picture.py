"""A series that scores alone get wrong, and that labels correct, beside the truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from howsure.counts import CountEstimate, CountEstimates
from howsure.figures.style import dress, literal, new_figure, styled
from howsure.inputs.pairs import Floats
from howsure_papers.counts.incidents import Incidents, population_of
from howsure_papers.counts.trials import drawn_counts, truths

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LABELS = 200
SHOWN = "SLV"
QUESTION = "at"
CAPTION = (
    "Reports of attacks in El Salvador by month (muc4). Dotted: the model's counts with their 95 % band; solid: "
    f"corrected with {LABELS} documents read; dots: the true counts."
)
RAW, CORRECTED, TRUTH = "#b5532a", "#1f6f8b", "#222222"


@dataclass(frozen=True, slots=True)
class Bands:
    """Months, the series from scores alone and the corrected one, and the true counts."""

    months: tuple[str, ...]
    raw: CountEstimates
    corrected: CountEstimates
    truth: Floats


def attacks_by_month(held: Incidents, n: int, *, seed: int) -> Bands:
    """The counts of El Salvador by month from one sample of n documents."""
    population = population_of(held, QUESTION, by="month")
    found = drawn_counts(population, n, ("raw", "auto"), design="stratified", rng=np.random.default_rng(seed))
    true = truths(population)
    months = tuple(row.group[1] for row in _shown(found["auto"]))
    return Bands(months, found["raw"], found["auto"], np.array([float(true[SHOWN, month]) for month in months]))


def bands_figure(drawn: Bands) -> Figure:
    """A figure of both bands and the truth."""
    with styled():
        figure = new_figure(6.6, 3.0)
        draw_bands(drawn, ax=figure.add_subplot())
    return figure


def draw_bands(drawn: Bands, *, ax: Axes) -> Axes:
    """The band of the raw scores, dotted; that of the corrected ones, solid; the truth as dots."""
    dress(ax, grid="y")
    x = np.arange(len(drawn.months))
    for counts, colour, dashes in ((drawn.raw, RAW, ":"), (drawn.corrected, CORRECTED, "-")):
        rows = _shown(counts)
        ax.fill_between(x, [row.low for row in rows], [row.high for row in rows], color=colour, alpha=0.2, linewidth=0)
        ax.plot(x, [row.estimate for row in rows], color=colour, linestyle=dashes, linewidth=1.6)
    ax.plot(x, drawn.truth, "o", color=TRUTH, markersize=4.5, markeredgecolor="white", markeredgewidth=0.6)
    peak = int(np.argmax(drawn.truth))
    for y, text, colour, place in (
        (_shown(drawn.corrected)[peak].estimate, f"corrected with {LABELS} documents read", CORRECTED, (14, 0)),
        (float(drawn.truth[peak]), "truth", TRUTH, (-10, 2)),
        (_shown(drawn.raw)[peak].high, "scores alone", RAW, (-46, 34)),
    ):
        side = "left" if place[0] > 0 else "right"
        line = {"arrowstyle": "-", "color": colour, "linewidth": 0.8}
        ax.annotate(
            text, (peak, y), place, textcoords="offset points", color=colour, ha=side, va="center", fontsize=9,
            arrowprops=line,
        )  # fmt: skip
    step = 3
    ax.set_xticks(x[::step], list(drawn.months[::step]))
    ax.set_ylim(bottom=0)
    ax.set_xlim(-0.3, len(x) - 0.7)
    literal(ax.set_ylabel(""), "reports of attacks a month")
    return ax


def _shown(counts: CountEstimates) -> list[CountEstimate]:
    return [row for row in counts if row.group[0] == SHOWN]
