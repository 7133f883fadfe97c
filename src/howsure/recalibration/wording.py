"""A map in words, and as a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from howsure.inputs.naming import counted, shortened
from howsure.result import table_of
from howsure.show.harmless import in_a_line
from howsure.show.numbers import number
from howsure.show.table import Table

if TYPE_CHECKING:
    from howsure.recalibration.results import RecalibrationMap

TITLES = {
    "none": "No map: the probabilities stay as they are",
    "temperature": "Temperature scaling",
    "platt": "Platt scaling",
    "beta": "Beta calibration",
    "isotonic": "Isotonic regression",
    "histogram": "Histogram binning",
    "venn-abers": "Venn–Abers prediction",
    "vector": "Vector scaling of log-probabilities",
    "dirichlet": "Dirichlet calibration (matrix scaling of log-probabilities)",
}
SHOWN = 6  # numbers of a list


def description(found: RecalibrationMap) -> str:
    """What a map is, in a sentence or two, for whoever finds its file."""
    if found.classes:
        of = f"p, the probabilities of the {len(found.classes)} classes of a row, in the order of `classes`"
    else:
        of = "q, the probability of label 1" + ("" if found.positive is None else f" ({found.positive})")
    groups = " Each group has parameters of its own, by its name." if found.groups else ""
    pooled = " The groups in `pooled_groups` take `map_of_all`." if found.fitted.small else ""
    return f"{TITLES[found.method]}. It maps {of}, to calibrated ones by `formula`.{groups}{pooled} Lists count from 0."


def map_in_words(found: RecalibrationMap) -> str:
    """The method, the formula, the parameters and the notes."""
    lines = [f"{TITLES[found.method]}, fitted to {counted(int(found.recipe.get('n') or 0), 'row')}", found.formula]
    if found.classes:
        lines.append(f"classes: {in_a_line(shortened(found.classes))}")
    if found.groups:
        lines += [f"{in_a_line(name)}: {_listed(held)}" for name, held in list(found.parameters.items())[:SHOWN]]
        lines += [f"… and {len(found.groups) - SHOWN:,} more groups"] if len(found.groups) > SHOWN else []
    elif found.parameters:
        lines.append(_listed(found.parameters))
    if found.choice is not None:
        lines.append("chosen by cross-fitted log loss: " + ", ".join(
            f"{one.method} {'–' if one.log_loss is None else f'{one.log_loss:.5f}'}" for one in found.choice.candidates
        ))  # fmt: skip
    return "\n".join([*lines, *(f"note: {in_a_line(note)}" for note in found.notes)])


def map_table(found: RecalibrationMap, columns: Mapping[str, Any]) -> Table:
    """What each candidate scored; or the parameters, if there was no choice."""
    if found.choice is None:
        table = table_of(columns)
        return Table(table.headings, table.rows, words=table.words, notes=found.notes)
    rows = [
        [
            one.method,
            *("–" if held is None else f"{held:.5f}" for held in (one.log_loss, one.above, one.standard_error)),
            "taken" if one.taken else "",
        ]
        for one in found.choice.candidates
    ]
    headings = ["method", "log loss", "above the least", "standard error", "choice"]
    return Table(headings, rows, words=("method", "choice"), notes=found.notes)


def _listed(parameters: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {_shown(value)}" for name, value in parameters.items())


def _shown(value: Any) -> str:
    if not isinstance(value, list):
        return number(value)
    more = f", … {len(value):,} in all" if len(value) > SHOWN else ""
    return f"[{', '.join(_shown(one) for one in value[:SHOWN])}{more}]"
