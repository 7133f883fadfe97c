"""A page for any result: its own report if there is one, otherwise its text, table, figure and recipe."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from markupsafe import Markup

from howsure.calibration.curves import CalibrationCurves, pooling_notes
from howsure.calibration.results import CalibrationCurve
from howsure.counts.notes import as_sentence
from howsure.counts.results import CountEstimates
from howsure.fields.field_results import FieldTable
from howsure.figures.counts import is_drawn
from howsure.figures.files import inline_svg
from howsure.figures.significance import CAPTION, difference_svg
from howsure.figures.width import figure_width, wanted_width
from howsure.judges.validation import JudgeValidation
from howsure.notes import Note
from howsure.result import Result, kind_title, recipe_rows, result_recipe
from howsure.scores.agent_results import AgentTable
from howsure.scores.item_results import BenchmarkItems
from howsure.scores.results import ScoreTable
from howsure.selective.results import SelectiveTable
from howsure.show.table import Table
from howsure.significance.results import Comparison, how, verdicts
from howsure_cli.report.calibration import calibration_report
from howsure_cli.report.pages import (
    MAX_ROWS,
    PHONE,
    attached_tables,
    check_report,
    page_template,
    table_html,
    write_report,
)

# The report of estimated counts: the answer in a sentence, then figure, table, checks and recipe.

OPEN_ROWS = 30  # of a long table
PHONE_LEAVES_OUT = ("units", "positive", "share", "method")  # columns
COUNTS_CAPTION = "Estimates with their intervals. x axis: last grouping column; colours: the others."


def counts_report(counts: CountEstimates, *, title: str | None = None, command: str | None = None) -> str:
    """Return an HTML page about estimated counts. The page needs no network and runs no script.

    command: the command that the user typed, for the recipe.
    """
    total, table = counts.total, replace(counts.table(), notes=())
    left_out = {*PHONE_LEAVES_OUT} & {*table.headings}
    kept = [at for at, heading in enumerate(table.headings) if heading not in left_out]
    narrow = replace(
        table,
        headings=[table.headings[at] for at in kept],
        rows=[[row[at] for at in kept] for row in table.rows],
        words=[heading for heading in table.words if heading not in left_out],
    )
    return page_template("counts.html").render(
        title=title or "How many, and how certain is that?",
        subtitle=f"{total.n:,} units, {total.labelled:,} of them labelled",
        answer=counts.answer,
        **(_pictures(counts, COUNTS_CAPTION) if is_drawn(counts) else {"picture": None}),
        table=_capped(table),
        narrow_table=_capped(narrow),
        left_out=", ".join(heading for heading in table.headings if heading in left_out),
        checks=map(as_sentence, counts.checks),
        notes=map(as_sentence, counts.notes),
        recipe=recipe_rows(counts.recipe),
        command=command,
    )


def _capped(table: Table) -> Markup:
    """The table in HTML; if it is long, only its first rows are shown until the reader asks for all."""
    more = len(table.rows) - OPEN_ROWS
    if more <= OPEN_ROWS // 2:
        return Markup(table_html(table))
    label = Markup('<label class="more"><input type="checkbox"> Show all rows (… {:,} more)</label>')
    return Markup('<div class="capped">{}{}</div>').format(Markup(table_html(table)), label.format(more))


# The report of a comparison: words first, then the table, the figure and the recipe.

INTERVALS = {
    "student": "The interval is Student's t, with Hall's correction for skewness, of the mean of these differences, "
    "item by item{clusters}",
    "gaffke": "The interval is Gaffke's of the mean of these differences, item by item{clusters}, within their bounds",
    "jackknife": "The interval is Student's t of how the difference changes without each of the {resampled}",
}
BOOTSTRAP = (
    "The interval is the {interval} bootstrap's, from test sets resampled, with replacement, from the given {resampled}"
)
TESTS = {
    "student": "It is Student's t, with Hall's correction for skewness, of the mean of the differences, item by "
    "item{clusters}: nothing is drawn at random.",
    "gaffke": "It is Gaffke's test of the mean of the differences, item by item{clusters}, within their bounds; "
    "of scores of 0 and 1 without clusters, McNemar's exact test.",
    "jackknife": "It is Student's t of how the difference changes without each of the {resampled}: nothing is drawn at "
    "random.",
    "permutation": "A coin flip decides for each of the {resampled} which system is which; if few outcomes are "
    "possible, all are counted and p is exact.",
    "bootstrap": "It is the proportion of test sets, resampled with replacement from the given {resampled}, whose "
    "difference is at least as far from the observed one as the observed one is from 0.",
    "mcnemar": "Only items that exactly one of the two systems has right count: for each, equally good systems are "
    "equally likely to be right (McNemar, mid-p).",
    "boostsa": "It is BooStSa's: the proportion of sub-samples of the {resampled} whose difference exceeds twice the "
    "observed one. It is not the probability that equally good systems would differ by as much, and detects little.",
}
SIDES = {
    "two-sided": "differ at least as much",
    "better": "differ at least as much in favour of the model",
    "worse": "differ at least as much against the model",
}


def significance_report(
    result: Comparison, *, title: str = "Is the model really better?", command: str | None = None
) -> str:
    """Return an HTML page about a comparison. The page needs no network and runs no script.

    command: the command that the user typed.
    """
    return page_template("significance.html").render(
        title=title,
        subtitle=f"{result.recipe['n']:,} items, {result.baseline}",
        verdicts=verdicts(result),
        how=how(result),
        terms=terms(result.recipe),
        table=Markup("").join(table_html(replace(part, notes=())) for part in (*result.tables_above(), result.table())),
        besides=attached_tables(result),
        **_at_both_widths(lambda: Markup(difference_svg(result)), CAPTION),
        recipe=recipe_rows(result.recipe),
        command=command,
    )


def terms(recipe: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The meaning of the table's columns, for the methods used."""
    wording = {
        "interval": {"bca": "BCa"}.get(str(recipe["interval"]), recipe["interval"]),
        "resampled": recipe["resampled"],
        "clusters": "" if recipe["clusters"] is None else ", added up by cluster",
    }
    interval = recipe["interval"]
    definition = "The model's value minus the baseline's."
    if interval is not None:
        how_wide = INTERVALS.get(interval, BOOTSTRAP).format(**wording)
        definition += f" {how_wide}: it contains the differences compatible with these data."
    test = TESTS[recipe["method"]].format(**wording)
    p = f"The probability that two equally good systems would {SIDES[recipe['alternative']]}. {test}"
    definitions = [
        ("Difference" if interval is None else "Difference and interval", definition),
        ("p", test if recipe["method"] == "boostsa" else p),
    ]
    if recipe["adjust"] is not None:
        definitions.append(
            (
                "Adjusted p",
                "p adjusted for all comparisons: with many models and metrics, some would look better by chance. "
                "** up to .01, * up to .05.",
            )
        )
    return definitions


QUESTIONS: dict[type[Result], str] = {
    AgentTable: "Which agent is best, and at what cost?",
    FieldTable: "Accuracy of each field",
    BenchmarkItems: "What can this benchmark tell apart?",
    JudgeValidation: "Does the judge agree with people?",
    ScoreTable: "Mean scores and ranks",
    SelectiveTable: "How often are the most confident answers right?",
}


def write_result(result: Result, path: str | os.PathLike[str], *, title: str | None = None) -> None:
    check_report(path)
    write_report(result_report(result, title=title), path)


def result_report(result: Result, *, title: str | None = None, command: str | None = None) -> str:
    """Return an HTML page about a result. The page needs no network and runs no script.

    command: the command that the user typed.
    """
    match result:
        case CalibrationCurve():
            notes = pooling_notes(result.recipe)
            alone = CalibrationCurves(rows=(result,), adjust=None, recipe=result.recipe, input_notes=notes)
            return calibration_report(alone, title=title, command=command)
        case CalibrationCurves() if result.binned or result.other_method:
            return calibration_report(result, title=title, command=command)
        case Comparison():
            return significance_report(result, title=title or "Is the model really better?", command=command)
        case CountEstimates():
            return counts_report(result, title=title, command=command)
    table, words = result.table(), _text_without_notes(result)
    shown = replace(table.shortened(MAX_ROWS), caption="", notes=())
    return page_template("result.html").render(
        title=title or QUESTIONS.get(type(result)) or kind_title(result),
        subtitle=None,
        said=words,
        notes=[note.sentence if isinstance(note, Note) else note for note in table.notes if note and note not in words],
        table=_capped(shown) if table.rows else None,
        besides=attached_tables(result),
        **(_pictures(result) if hasattr(result, "figure") or hasattr(result, "plot") else {"picture": None}),
        legend=[(name or "All", text) for name, text in table.legend.items() if name in ("", *table.headings)]
        if table.rows
        else [],
        recipe=recipe_rows(result_recipe(result)),
        command=command,
    )


def _text_without_notes(result: Result) -> list[str]:
    """The verdict of a result, or its text without notes; its answer if it prints a table."""
    if hasattr(result, "verdict"):
        return str(result.verdict()).splitlines()
    if not result.description:
        return [] if result.answer is None else [result.answer]
    below = set(result.footnotes())
    return [line for line in result.own_text().splitlines() if line.strip() and line not in below]


def _pictures(result: Any, caption: str = "") -> dict[str, object]:
    """The figure of a result, for a screen and for a phone, with its caption."""

    def draw() -> Markup:
        figure = result.figure() if hasattr(result, "figure") else result.plot().figure
        prefix = "r" + hashlib.sha256(f"{result!r} {wanted_width()}".encode()).hexdigest()[:8]
        return Markup(inline_svg(figure, prefix=prefix, description=caption or kind_title(result)))

    return _at_both_widths(draw, caption)


def _at_both_widths(draw: Callable[[], Markup], caption: str) -> dict[str, object]:
    """What `draw` returns at its own width, and at that of a phone."""
    with figure_width(PHONE):
        narrow = draw()
    return {"picture": draw(), "narrow_picture": narrow, "caption": caption}
