"""A series that scores alone get wrong, and that labels correct, beside the truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from howsure.counts import CountEstimates
from howsure.figures.style import dress, literal, new_figure, styled
from howsure.inputs.pairs import Floats
from howsure.reproductions.counts.incidents import Incidents, population_of
from howsure.reproductions.counts.trials import drawn_counts, truths

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
    months = tuple(row.cell[1] for row in found["auto"] if row.cell[0] == SHOWN)
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
        rows = [row for row in counts if row.cell[0] == SHOWN]
        ax.fill_between(x, [row.low for row in rows], [row.high for row in rows], color=colour, alpha=0.2, linewidth=0)
        ax.plot(x, [row.estimate for row in rows], color=colour, linestyle=dashes, linewidth=1.6)
    ax.plot(x, drawn.truth, "o", color=TRUTH, markersize=4.5, markeredgecolor="white", markeredgewidth=0.6)
    last, corrected, raw = len(x) - 1, _last(drawn.corrected), _last(drawn.raw)
    for y, text, colour in (
        (corrected, f"corrected with\n{LABELS} labels", CORRECTED), (raw, "scores alone", RAW),
        (float(drawn.truth[-1]), "truth", TRUTH),
    ):  # fmt: skip
        ax.annotate(text, (last, y), (8, 0), textcoords="offset points", color=colour, va="center", fontsize=8.5)
    step = 3
    ax.set_xticks(x[::step], list(drawn.months[::step]))
    ax.set_ylim(bottom=0)
    ax.set_xlim(-0.3, last + 0.3)
    literal(ax.set_ylabel(""), "reports of attacks a month")
    return ax


def _last(counts: CountEstimates) -> float:
    return [row.estimate for row in counts if row.cell[0] == SHOWN][-1]
