"""What `howsure significance` shows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from howsure import __version__
from howsure.cli.terminal.output import chosen, json_text, records_csv, table_text
from howsure.inputs.naming import counted, shortened
from howsure.show.recipe import recipe_text
from howsure.show.table import Table
from howsure.significance.results import Comparison, how, verdicts


def comparison_output(result: Comparison, command: str, form: str) -> str:
    """A comparison in one of the formats: JSON and CSV hold all figures, the others those that are read."""
    if form == "json":
        document = result.to_dict()
        return json_text({**document, "recipe": {"command": command, **document["recipe"]}})
    if form == "csv":
        return records_csv([row.to_dict() for row in result])
    comment = "\n".join([recipe_text({"command": command, **result.read}), recipe_text(result.recipe), *result.notes])
    table = replace(result.table(), caption=comment)
    means = [table_text(result.means.table(), form)] if result.means is not None and chosen() is None else []
    if form != "table":
        return "\n".join([*means, table_text(table, form)])
    said = [*verdicts(result), *how(result)]
    return "\n".join([_read(result), "", *means, table_text(table), *said, ""])


def power_output(found: Mapping[str, Any], form: str) -> str:
    """What n items find."""
    plain = {key: None if isinstance(value, float) and math.isnan(value) else value for key, value in found.items()}
    if form == "json":
        return json_text({**plain, "howsure": __version__})
    shown = {"difference": ".4f", "power": ".3f", "n": ",d"}
    cells = [("none" if v is None else format(v, shown[k]) if k in shown else str(v)) for k, v in plain.items()]
    table = Table(list(plain), [cells], caption=f"howsure {__version__}, test of accuracy")
    return table_text(table, form)


def _read(result: Comparison) -> str:
    read = result.read
    files = shortened(read["files"], limit=3)
    if "files_pooled" in read:
        files = f"{read['files_pooled']:,} files pooled ({files})"
    rows = counted(read["rows"], "row") if "rows" in read else counted(result.recipe["n"], "item")
    skipped = sum(read.get("skipped", {}).values())
    against = f", baseline {result[0].against}" if len({row.against for row in result}) == 1 else ""
    return f"{files}: {rows}{f', {skipped:,} skipped' if skipped else ''}{against}"
