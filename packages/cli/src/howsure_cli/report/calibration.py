"""The calibration report: text first, then a table, figures, the bins, the recipe, and an explanation."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from markupsafe import Markup

from howsure.calibration.corp import CorpCurve
from howsure.calibration.corp import figures_in_words as corp_figures
from howsure.calibration.curve_text import (
    NONE_SEEN,
    NOT_LOCATED,
    OVERCONFIDENT,
    TOO_LITTLE,
    UNDERCONFIDENT,
    UNKNOWN_SIZE,
    figures_in_words,
    kind,
    kind_named,
    recipe_rows,
    verdict,
)
from howsure.calibration.curves import CalibrationCurves, largest_curves
from howsure.calibration.results import CalibrationCurve
from howsure.calibration.scores import scores_of_all_classes
from howsure.errors import InputError
from howsure.figures.calibration import corp_figure, curve_figure, error_figure, histogram_figure
from howsure.figures.files import inline_svg
from howsure.figures.width import figure_width
from howsure.inputs.numbers_and_names import count_equal_first
from howsure.inputs.parameter_types import Figure
from howsure.result import files_read
from howsure.show.table import Table, interval, number
from howsure_cli.report.pages import PHONE, attached_tables, page_template

MAX_TITLE_FILES = 3  # names of files
MAX_VERDICTS = 12
MAX_COMPARED = 100  # rows of the figure of errors
VERDICT_PHRASES = {
    NONE_SEEN: "without detected miscalibration",
    TOO_LITTLE: "with too little data",
    UNKNOWN_SIZE: "miscalibrated by an unknown amount",
    NOT_LOCATED: "miscalibrated, but not in any single bin",
}


def curves_table(result: CalibrationCurves, names: Sequence[str]) -> Table:
    """Return a table with one row per curve, the largest error first."""
    table = result.table()
    order = sorted(range(len(result)), key=lambda i: _rank(result.binned[i].error.value))
    rows = [[names[i], *table.rows[i][1:]] for i in order]
    headings, words = ["curve", *table.headings[1:]], ["curve", *table.words[1:]]
    return replace(table, headings=headings, rows=rows, words=words, notes=())


def bins_table(curve: CalibrationCurve) -> Table:
    """One row per bin, in ascending order of predictions."""
    headings = [
        "pairs",
        "mean prediction",
        "label frequency",
        f"{100 * curve.error.level:g}% interval",
        "relative to the diagonal",
    ]
    rows = [
        [f"{n:,}", number(mean), number(frequency), interval(low, high), _side(curve, mean, low, high)]
        for n, mean, frequency, low, high in zip(
            *(getattr(curve.bins, c).tolist() for c in ("count", "mean_prob", "frequency", "low", "high")), strict=True
        )
    ]
    return Table(headings, rows, words=headings[-1:])


def _rank(error: float) -> float:
    return math.inf if math.isnan(error) else -error


def _side(curve: CalibrationCurve, mean_prob: float, low: float, high: float) -> str:
    if low > mean_prob:
        return f"above: {kind_named(UNDERCONFIDENT, curve)}"
    return f"below: {kind_named(OVERCONFIDENT, curve)}" if high < mean_prob else "on it"


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure as inline SVG, the sentence under it, and the figure for a phone, if there is another one."""

    svg: Markup
    caption: str
    narrow: Markup | None = None


@dataclass(frozen=True, slots=True)
class WithoutBins:
    """The isotonic curve of the same pairs."""

    verdict: str
    figures: list[tuple[str, str]]
    picture: Picture


@dataclass(frozen=True, slots=True)
class Section:
    """The section of the page about one curve."""

    name: str
    verdict: str
    figures: list[tuple[str, str]]
    notes: tuple[str, ...]
    pictures: list[Picture]
    bins: Table
    without_bins: WithoutBins | None


def calibration_report(result: CalibrationCurves, *, title: str | None = None, command: str | None = None) -> str:
    """Return an HTML page about calibration curves. The page needs no network and runs no script.

    result: curves with bins, and possibly curves without bins. command: the command that the user typed. Up to 24
    curves are drawn, those with the most pairs, and the page says so; the table contains all curves.

    Raises InputError without a curve with bins.
    """
    if result.corp:
        result = replace(result, rows=result.other_method, other_method=result.corp)
    curves = result.binned
    if len(curves) == 0:
        raise InputError("curves must contain at least one calibration curve with bins; it contains none.")
    names = _names(curves)
    without_bins = {curve.name: curve for curve in result.other_method if isinstance(curve, CorpCurve)}
    p_values, shown = result.p_adjusted, largest_curves(curves)
    verdicts = [(names[i], verdict(curves[i], p_values[i])) for i in shown]
    pictures = _overview(curves, names, shown)
    sections = [
        _section(curves[i], names[i], f"s{i}", without_bins.get(curves[i].name), pictured=len(curves) > 1)
        for i in shown
    ]
    return page_template("calibration.html").render(
        title=title or _title(result),
        subtitle=None,
        opening=_opening(curves, names, p_values),
        verdicts=verdicts if 1 < len(curves) <= MAX_VERDICTS else [],
        notes=[*scores_of_all_classes(curves), *_input_lines(result)],
        table_of_curves=curves_table(result, names),
        besides=attached_tables(result),
        pictures=pictures,
        sections=sections,
        recipe=recipe_rows(curves),
        command=command,
    )


def _title(result: CalibrationCurves) -> str:
    question, files = "How far can these predictions be trusted?", result.recipe.get("files", [])
    if not files:
        return question
    return f"{question} {files_read(result.recipe) if len(files) <= MAX_TITLE_FILES else f'{len(files):,} files'}"


def _input_lines(result: CalibrationCurves) -> list[str]:
    """Lines on the input, if the title does not name it, on rows that were left out, and on adjusted p-values."""
    recipe = result.recipe
    notes = [f"{files_read(recipe)}."] if len(recipe.get("files", [])) > MAX_TITLE_FILES else []
    if result.skipped:
        counts = ", ".join(f"{column}: {number:,}" for column, number in recipe["skipped"].items())
        notes.append(f"{result.skipped:,} rows were skipped: {counts}.")
    if "where" in recipe:
        notes.append(f"{recipe['left_out']:,} rows were left out because they do not satisfy {recipe['where']}.")
    return [*notes, *(f"{note[0].upper()}{note[1:]}." for note in result.input_notes), *result.families()]


def _names(curves: Sequence[CalibrationCurve]) -> list[str]:
    alone = len(curves) == 1
    default = ["all pairs"] if alone else [f"curve {i}" for i in range(1, len(curves) + 1)]
    return [default[i] if curve.name is None else curve.name for i, curve in enumerate(curves)]


def _opening(curves: Sequence[CalibrationCurve], names: Sequence[str], p_values: Sequence[float]) -> str:
    """The first sentence of the page: the verdict, or how many curves have which."""
    if len(curves) == 1:
        sentence = verdict(curves[0])
        return sentence[0].upper() + sentence[1:] + "."
    counts = Counter(kind(curve, p) for curve, p in zip(curves, p_values, strict=True)).most_common()
    parts = [f"{n:,} {VERDICT_PHRASES.get(name, name)}" for name, n in counts]
    with_error = [i for i, curve in enumerate(curves) if not math.isnan(curve.error.value)]
    with_error.sort(key=lambda i: curves[i].error.value)
    sentence = f"Of {len(curves):,} curves: {', '.join(parts)}."
    if not with_error:
        return sentence
    first, last = with_error[0], with_error[-1]
    if count_equal_first([curves[first].error.value, curves[last].error.value]) > 1:
        return f"{sentence} All errors are equal, {curves[first].error.value:.4f}."
    return (
        f"{sentence} The error is largest for {names[last]}, {curves[last].error}, "
        f"and smallest for {names[first]}, {curves[first].error}."
    )


def _picture(figure: Figure, caption: str, prefix: str) -> Picture:
    return Picture(Markup(inline_svg(figure, prefix=prefix, description=caption)), caption)


def _for_both_widths(draw: Callable[[], Figure], caption: str, prefix: str) -> Picture:
    """Draw a figure for a wide screen and for a phone, where a scaled one could not be read."""
    with figure_width(PHONE):
        narrow = _picture(draw(), caption, f"{prefix}-narrow")
    return replace(_picture(draw(), caption, prefix), narrow=narrow.svg)


def _overview(curves: Sequence[CalibrationCurve], names: Sequence[str], shown: Sequence[int]) -> list[Picture]:
    chosen, labels = [curves[i] for i in shown], [names[i] for i in shown]
    caption = "Calibration curve" + ("s" if len(chosen) > 1 else "") + ", with the intervals of the bins."
    if len(chosen) < len(curves):
        caption = f"The {len(chosen)} curves with the most pairs, of {len(curves):,}."
    unnamed = len(curves) == 1 and curves[0].name is None
    draw = partial(curve_figure, chosen, labels=None if unnamed else labels)
    pictures = [_for_both_widths(draw, caption, "curves")]
    if len(curves) == 1:
        pictures.append(_classes(curves[0], "classes"))
    else:
        order = sorted(range(len(curves)), key=lambda i: -curves[i].n)[:MAX_COMPARED]
        rows, row_labels = [curves[i] for i in order], [names[i] for i in order]
        extra = "" if len(order) == len(curves) else f" Those with the most pairs, {len(order)} of {len(curves):,}."
        caption = f"Calibration errors with their intervals, the largest first.{extra}"
        pictures.append(_for_both_widths(partial(error_figure, rows, labels=row_labels), caption, "errors"))
    return pictures


def _classes(curve: CalibrationCurve, prefix: str) -> Picture:
    caption = "The predictions of each true class, P(q | label); every class adds up to 100%."
    return _picture(histogram_figure(curve), caption, prefix)


def _section(curve: CalibrationCurve, name: str, prefix: str, corp: CorpCurve | None, *, pictured: bool) -> Section:
    pictures = []
    if pictured:
        alone = curve_figure([curve], labels=[name])
        pictures = [_picture(alone, f"Calibration of {name}.", f"{prefix}c"), _classes(curve, f"{prefix}h")]
    bins = bins_table(curve)
    return Section(
        name, verdict(curve), figures_in_words(curve), curve.notes, pictures, bins, _without_bins(corp, prefix)
    )


def _without_bins(curve: CorpCurve | None, prefix: str) -> WithoutBins | None:
    if curve is None:
        return None
    caption = "Isotonic regression; in grey, where the curve of a calibrated model would be."
    verdict_text = curve.verdict()
    return WithoutBins(
        f"{verdict_text[0].upper()}{verdict_text[1:]}.",
        corp_figures(curve),
        _picture(corp_figure([curve]), caption, f"{prefix}i"),
    )
