"""Evaluations of recalibration in words and tables."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

from howsure.calibration.scores.multiclass import MULTICLASS, score_words
from howsure.calibration.words.notes import notes_by_name
from howsure.recalibration.evaluation.verdict import CANNOT_TELL, IMPROVES, NO_HELP
from howsure.show.numbers import UNDEFINED, interval, number, p_text
from howsure.show.table import LOWER, Table
from howsure.stats.estimate import Estimate
from howsure.stats.multiplicity import ADJUSTED

if TYPE_CHECKING:
    from howsure.recalibration.evaluation.change import Change
    from howsure.recalibration.evaluation.results import RecalibrationEvaluation, RecalibrationTable

HEADINGS = ("quantity", "before", "after", "improvement")
ROWS = ("n", "error before", "error after", "Brier improvement", "p (adjusted)", "verdict")
WIDTH = 104  # of sentences
FINE = 5  # decimals of what is on the scale of squared probabilities
ALIKE = "This is about rows like these: a map mends other data only as far as they err in the same way."


def fine(estimate: Estimate) -> str:
    """An improvement with its interval."""
    if estimate.low is None:
        return UNDEFINED
    ends = interval(estimate.low, estimate.high, FINE, sign=True)
    return f"{number(estimate.value, FINE, sign=True)} {ends}"


def rounded(value: float) -> str:
    """A number of rows with two digits.

    >>> rounded(12345), rounded(87)
    ('12,000', '87')
    """
    return f"{int(float(f'{value:.1e}')):,}"


def verdict_text(result: RecalibrationEvaluation) -> str:
    """Does the map help, in a sentence, and what that supposes in a second line."""
    gain, map_ = result.deciding.improvement, f"recalibration ({result.method})"
    score, least = _deciding_score(result), f"{result.margin**2:g}"
    errors = f"the calibration error goes from {number(result.error_before.value)} to {result.error_after}"
    if result.kind == IMPROVES:
        said = f"{map_} improves these probabilities: {errors}, the {score} falls by {fine(gain)[1:]}."
    elif result.kind == NO_HELP:
        said = (
            f"{map_} does not help: the improvement of the {score}, {fine(gain)}, is less than {least}, which removing "
            f"a calibration error of {result.margin:g} would gain."
        )
    elif result.kind == CANNOT_TELL:
        said = f"too little data to tell whether {map_} helps"
        if gain.low is not None:
            said += (
                f": the improvement of the {score}, {fine(gain)}, may be 0 or more than {least}, which removing a "
                f"calibration error of {result.margin:g} would gain"
            )
        said += f"; about {rounded(result.needed)} rows like these would tell." if result.needed is not None else "."
    else:
        said = f"{map_} makes it worse: the {score} rises, its improvement is {fine(gain)}; {errors}."
    return f"{said[0].upper()}{said[1:]}\n{ALIKE}"


def evaluation_table(result: RecalibrationEvaluation) -> Table:
    """One row per quantity."""
    rows = [["calibration error", str(result.error_before), str(result.error_after), ""]]
    rows += [
        [name, number(one.before, decimals), number(one.after, decimals), fine(one.improvement)]
        for name, one, decimals in _named(result)
    ]
    level = f"{100 * result.error_before.level:g} %"
    legend = {
        "improvement": f"before minus after, with its {level} interval: above 0, recalibration is better",
        "": f"{result.n:,} rows, each after a map that was fitted without it.",
    }
    title = f"Recalibration ({result.method})"
    notes = [f"note: {note}" for note in result.notes]
    return Table(HEADINGS, rows, words=HEADINGS[:1], notes=notes, title=title, legend=legend)


def evaluation_in_words(result: RecalibrationEvaluation) -> str:
    """The verdict, the table and the notes."""
    name = "" if result.name is None else f" of {result.name}"
    head = f"recalibration ({result.method}){name}, {_how(result)}"
    said = [fill(line, WIDTH) for line in result.verdict().splitlines()]
    return "\n".join([head, "", evaluation_table(result).text(), "", *said, *_notes(result)])


def rows_table(found: RecalibrationTable) -> Table:
    """One row per group and method."""
    first = "group" if any(row.name is not None for row in found.rows) else "method"
    cells = [
        [name, f"{row.n:,}", str(row.error_before), str(row.error_after), fine(row.deciding.improvement), p_text(p),
         row.kind]
        for name, row, p in zip(found.names, found.rows, found.p_adjusted, strict=True)
    ]  # fmt: skip
    said = []
    if len(found.rows) > 1:
        how = found.recipe["adjust"]
        adjusted = "nothing is adjusted" if how is None else f"p is adjusted ({ADJUSTED[how]})"
        said = [f"Verdicts are each row's own; {adjusted} for {len(found.rows):,} of them."]
    notes = notes_by_name((name, row.notes) for name, row in zip(found.names, found.rows, strict=True))
    return Table(
        (first, *ROWS), cells, words=(first, "verdict"), notes=[*said, *notes], title="Recalibration",
        better={"error after": LOWER},
        legend={"Brier improvement": "before minus after: above 0, recalibration is better"},
    )  # fmt: skip


def _how(result: RecalibrationEvaluation) -> str:
    folds = result.recipe.get("folds")
    if folds is None:
        return f"{result.n:,} rows that the map was not fitted to"
    clusters = " of whole clusters" if result.recipe["clustered"] else ""
    times = result.recipe["repeats"]
    often = f", {times} times" if times > 1 else ""
    return f"cross-fitted in {folds} folds{clusters}{often}, {result.n:,} rows"


def _deciding_score(result: RecalibrationEvaluation) -> str:
    return score_words("brier", None if result.multiclass_brier is None else MULTICLASS)


def _named(result: RecalibrationEvaluation) -> list[tuple[str, Change, int]]:
    """The changes by their names in words, and the decimals that they need."""
    reduction = result.curves[0].reduction
    rows = [("squared error", result.squared_error, FINE)]
    rows += [(score_words(name, reduction), getattr(result, name), 4) for name in ("brier", "log_loss")]
    of_classes = {"brier": result.multiclass_brier, "log_loss": result.multiclass_log_loss}
    return rows + [(score_words(name, MULTICLASS), one, 4) for name, one in of_classes.items() if one is not None]


def _notes(result: RecalibrationEvaluation) -> list[str]:
    return [f"note: {note}" for note in result.notes]
