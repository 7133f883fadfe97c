"""The calibration report: words first, then a table, figures, the bins, the recipe, and how to read it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from howsure.calibration.corp_results import CorpCurve
from howsure.calibration.corp_results import figures_in_words as corp_figures
from howsure.calibration.results import Bins, CalibrationCurve
from howsure.calibration.scores import base_rate_words, score_columns, scores_of_all_classes
from howsure.calibration.words import (
    NONE_SEEN,
    NOT_LOCATED,
    OVERCONFIDENT,
    TOO_LITTLE,
    UNDERCONFIDENT,
    UNKNOWN_SIZE,
    figures_in_words,
    kind,
    recipe_rows,
    verdict,
)
from howsure.errors import InputError
from howsure.figures.calibration import corp_figure, curve_figure, error_figure, histogram_figure
from howsure.figures.files import inline_svg
from howsure.report.pages import page_template
from howsure.result import cell
from howsure.show.numbers import interval, p_text
from howsure.show.table import Table
from howsure.stats.multiplicity import ADJUSTED, adjust_p_values

if TYPE_CHECKING:
    from matplotlib.figure import Figure


# Calibration curves as the cells of a report's tables.


def table_of_curves(curves: Sequence[CalibrationCurve], names: Sequence[str], *, adjust: str | None) -> Table:
    """One row a curve, the largest error first; p-values of several curves are adjusted for their number."""
    level = f"{100 * curves[0].error.level:g} %"
    scores = score_columns(curves)
    headings = ["curve", "pairs", base_rate_words(curves), f"error [{level} interval]", _p_heading(len(curves), adjust)]
    headings += [*(name for name, _ in scores), "miscalibration"]
    p_values = adjust_p_values([curve.p_value for curve in curves], method=adjust)
    order = sorted(range(len(curves)), key=lambda i: _rank(curves[i].error.value))
    rows = [
        [
            names[i],
            cell(curve.n),
            cell(curve.base_rate),
            cell(curve.error),
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


PICTURED_UP_TO = 24  # curves with a picture each; the table holds all of them
VERDICTS_UP_TO = 12
COMPARED_UP_TO = 100  # rows of the figure of errors
IN_A_SENTENCE = {
    NONE_SEEN: "without detected miscalibration",
    TOO_LITTLE: "with too little data to tell",
    UNKNOWN_SIZE: "miscalibrated by an unknown amount",
    NOT_LOCATED: "miscalibrated, but not in any single bin",
}


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure as inline SVG, and the sentence under it."""

    svg: Markup
    caption: str


@dataclass(frozen=True, slots=True)
class WithoutBins:
    """The isotonic curve of the same pairs."""

    verdict: str
    figures: list[tuple[str, str]]
    picture: Picture


@dataclass(frozen=True, slots=True)
class Section:
    """Everything about one curve."""

    name: str
    verdict: str
    figures: list[tuple[str, str]]
    notes: tuple[str, ...]
    pictures: list[Picture]
    bins: Table
    without_bins: WithoutBins | None


def calibration_report(
    curves: Sequence[CalibrationCurve],
    *,
    title: str,
    subtitle: str | None = None,
    table_rows: Sequence[Mapping[str, object]] | None = None,
    notes: Sequence[str] = (),
    adjust: str | None = "holm",
    command: str | None = None,
    corp: Sequence[CorpCurve] = (),
) -> str:
    """Everything about some calibration curves as one HTML page that needs no network and runs no script.

    table_rows: rows (heading → value) to show instead of the page's own table of the curves. notes: what else must be
    said, such as skipped rows. adjust: how the p-values of several curves are adjusted ("holm", "bh", None).
    command: what was typed, to be copied. corp: curves without bins of the same groups, shown beside. Up to 24 curves
    are drawn, those with most pairs, and the page says so; the table holds all.

    Raises InputError if there is no curve, or if the rows of the table differ in their columns.
    """
    if len(curves) == 0:
        raise InputError("curves must hold at least one calibration curve; it is empty.")
    names, without_bins = _names(curves), {curve.name: curve for curve in corp}
    p_values = adjust_p_values([curve.p_value for curve in curves], method=adjust).tolist()
    shown = largest(curves)
    page = page_template("calibration.html")
    return page.render(
        title=title,
        subtitle=subtitle,
        opening=_opening(curves, names, p_values),
        verdicts=[(names[i], verdict(curves[i], p_values[i])) for i in shown]
        if 1 < len(curves) <= VERDICTS_UP_TO
        else [],
        notes=[*scores_of_all_classes(curves), *notes],
        table_of_curves=table_of_rows(table_rows) if table_rows else table_of_curves(curves, names, adjust=adjust),
        pictures=_overview(curves, names, shown),
        sections=[
            _section(curves[i], names[i], f"s{i}", without_bins.get(curves[i].name), pictured=len(curves) > 1)
            for i in shown
        ],
        recipe=recipe_rows(curves),
        command=command,
    )


def _names(curves: Sequence[CalibrationCurve]) -> list[str]:
    alone = len(curves) == 1
    default = ["all pairs"] if alone else [f"curve {i}" for i in range(1, len(curves) + 1)]
    return [default[i] if curve.name is None else curve.name for i, curve in enumerate(curves)]


def largest(curves: Sequence[CalibrationCurve]) -> list[int]:
    """The curves to draw, in their own order."""
    return sorted(sorted(range(len(curves)), key=lambda i: -curves[i].n)[:PICTURED_UP_TO])


def _opening(curves: Sequence[CalibrationCurve], names: Sequence[str], p_values: Sequence[float]) -> str:
    """The first sentence of the page: the verdict, or how many curves have which."""
    if len(curves) == 1:
        sentence = verdict(curves[0])
        return sentence[0].upper() + sentence[1:] + "."
    counts = Counter(kind(curve, p) for curve, p in zip(curves, p_values, strict=True)).most_common()
    parts = [f"{n:,} {IN_A_SENTENCE.get(name, name)}" for name, n in counts]
    known = [i for i, curve in enumerate(curves) if not math.isnan(curve.error.value)]
    known.sort(key=lambda i: curves[i].error.value)
    sentence = f"Of {len(curves):,} curves: {', '.join(parts)}."
    if not known:
        return sentence
    first, last = known[0], known[-1]
    return (
        f"{sentence} The error is largest for {names[last]}, {curves[last].error}, "
        f"and smallest for {names[first]}, {curves[first].error}."
    )


def _picture(figure: Figure, caption: str, prefix: str) -> Picture:
    return Picture(Markup(inline_svg(figure, prefix=prefix, description=caption)), caption)


def _overview(curves: Sequence[CalibrationCurve], names: Sequence[str], shown: Sequence[int]) -> list[Picture]:
    chosen, labels = [curves[i] for i in shown], [names[i] for i in shown]
    caption = "Calibration curve" + ("s" if len(chosen) > 1 else "") + ", with the intervals of the bins."
    if len(chosen) < len(curves):
        caption = f"The {len(chosen)} curves with most pairs, of {len(curves):,}."
    unnamed = len(curves) == 1 and curves[0].name is None
    pictures = [_picture(curve_figure(chosen, labels=None if unnamed else labels), caption, "curves")]
    if len(curves) == 1:
        pictures.append(_classes(curves[0], "classes"))
    else:
        order = sorted(range(len(curves)), key=lambda i: -curves[i].n)[:COMPARED_UP_TO]
        rows, row_labels = [curves[i] for i in order], [names[i] for i in order]
        said = "" if len(order) == len(curves) else f" Those with most pairs, {len(order)} of {len(curves):,}."
        caption = f"Calibration errors with their intervals, the largest first.{said}"
        pictures.append(_picture(error_figure(rows, labels=row_labels), caption, "errors"))
    return pictures


def _classes(curve: CalibrationCurve, prefix: str) -> Picture:
    caption = "The predictions of each true class, P(q | label); every class adds up to 100 %."
    return _picture(histogram_figure(curve), caption, prefix)


def _section(curve: CalibrationCurve, name: str, prefix: str, corp: CorpCurve | None, *, pictured: bool) -> Section:
    pictures = []
    if pictured:
        alone = curve_figure([curve], labels=[name])
        pictures = [_picture(alone, f"Calibration of {name}.", f"{prefix}c"), _classes(curve, f"{prefix}h")]
    bins = table_of_bins(curve.bins, level=curve.error.level)
    return Section(
        name, verdict(curve), figures_in_words(curve), curve.notes, pictures, bins, _without_bins(corp, prefix)
    )


def _without_bins(curve: CorpCurve | None, prefix: str) -> WithoutBins | None:
    if curve is None:
        return None
    caption = "Isotonic regression; in grey, where the curve of a calibrated model would lie."
    said = curve.verdict()
    return WithoutBins(
        f"{said[0].upper()}{said[1:]}.", corp_figures(curve), _picture(corp_figure([curve]), caption, f"{prefix}i")
    )
