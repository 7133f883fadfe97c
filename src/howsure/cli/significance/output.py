"""What `howsure significance` shows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from howsure import __version__
from howsure.cli.terminal.output import chosen, command_line, json_text, records_csv, table_text
from howsure.inputs.naming import counted, shortened
from howsure.show.recipe import recipe_text
from howsure.show.table import Table
from howsure.significance.results import Comparison, how, verdicts


def comparison_output(result: Comparison, recipe: Mapping[str, Any], form: str) -> str:
    """A comparison in one of the formats: JSON and CSV hold all figures, the others those that are read."""
    if form == "json":
        document = result.to_dict()
        return json_text({**document, "recipe": {**recipe, **document["recipe"]}})
    if form == "csv":
        return records_csv([row.to_dict() for row in result])
    table = comparison_table(result, recipe)
    means = [table_text(result.means.table(), form)] if result.means is not None and chosen() is None else []
    if form != "table":
        return "\n".join([*means, table_text(table, form)])
    said = [*verdicts(result), *how(result)]
    return "\n".join([_read(recipe, result), "", *means, table_text(table), *said, ""])


def comparison_table(result: Comparison, recipe: Mapping[str, Any]) -> Table:
    """One row per model and metric."""
    comment = "\n".join([recipe_text(recipe), recipe_text(result.recipe), *result.notes])
    return replace(result.table(), caption=comment)


def power_output(found: Mapping[str, Any], form: str) -> str:
    """What n items find."""
    plain = {key: None if isinstance(value, float) and math.isnan(value) else value for key, value in found.items()}
    if form == "json":
        return json_text({**plain, "howsure": __version__})
    shown = {"difference": ".4f", "power": ".3f", "n": ",d"}
    cells = [("none" if v is None else format(v, shown[k]) if k in shown else str(v)) for k, v in plain.items()]
    table = Table(list(plain), [cells], caption=f"howsure {__version__}, test of accuracy")
    return table_text(table, form)


def write_figure(result: Comparison, path: str) -> None:
    """Draw the differences into a file."""
    from howsure.figures.files import save_figure
    from howsure.figures.significance import difference_figure

    save_figure(difference_figure(result), path)


def write_report(result: Comparison, path: str, recipe: Mapping[str, Any]) -> None:
    """Write the report into a file."""
    from howsure.report.files import write_report as write
    from howsure.report.results import significance_report

    write(significance_report(result, read=recipe, command=command_line()), path)


def _read(recipe: Mapping[str, Any], result: Comparison) -> str:
    files = shortened(recipe["files"], limit=3)
    if "files_pooled" in recipe:
        files = f"{recipe['files_pooled']:,} files pooled ({files})"
    rows = counted(recipe["rows"], "row") if "rows" in recipe else counted(result.recipe["n"], "item")
    skipped = sum(recipe.get("skipped", {}).values())
    baseline = f", baseline {result[0].baseline}" if len({row.baseline for row in result}) == 1 else ""
    return f"{files}: {rows}{f', {skipped:,} skipped' if skipped else ''}{baseline}"
