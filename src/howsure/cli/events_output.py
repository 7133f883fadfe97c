"""What `howsure events` shows of a store: series, comparisons, doubtful documents."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from howsure.cli.output import json_text
from howsure.cli.tables import Table
from howsure.events.export import csv_text
from howsure.events.store_comparison import ActorComparison
from howsure.events.store_reading import UNCERTAINTY
from howsure.events.store_series import StoreSeries

UNDEFINED = "–"


def series_output(series: StoreSeries, form: str, path: str, left: int) -> str:
    """A series in one of the formats; JSON and CSV hold all digits."""
    if form == "json":
        return json_text({"store": path, **series.to_dict()})
    if form == "csv":
        return csv_text(series)
    share = series.counts.share
    level = f"{100 * series.counts.level:g} % interval"
    headers = ["actor", "title", "period", "documents", "share" if share else series.counts.quantity + " with an event"]
    rows = [
        [
            row.actor,
            printable(series.titles[row.actor]),
            row.period,
            f"{row.n_documents:,}",
            _number(row.mean, 4 if share else 1),
            _interval(row.low, row.high, share or series.counts.interval == "normal", share),
            _number(math.nan if row.best is None else row.best, 4 if share else 0),
        ]
        for row in series.counts.rows
    ]
    table = Table(
        [*headers, level, "1-best"], rows, words=("actor", "title", "period"), comment=_comment(series.recipe)
    )
    if form != "table":
        return table.text(form)
    more = [f"{left:,} more actors: --top or --actor shows them."] if left else []
    return "\n".join([table.text("table"), *more, *_told(series.recipe), ""])


def comparison_output(compared: ActorComparison, form: str, path: str) -> str:
    """A comparison by period in one of the formats; JSON and CSV hold all digits."""
    document = compared.to_dict()
    if form == "json":
        return json_text({"store": path, **document})
    rows = document["rows"]
    if form == "csv":
        cells = [["" if value is None else str(value) for value in row.values()] for row in rows]
        return Table(list(rows[0]), cells).text("csv")
    a, b = compared.first, compared.second
    headers = ["period", "documents", f"P({a} > {b})", "P(equal)", f"P({a} < {b})", "difference"]
    shown = [
        [
            row.period,
            f"{row.n_documents:,}",
            *(_number(p, 3) for p in (row.greater, row.equal, row.less)),
            UNDEFINED if row.n_documents == 0 else f"{row.mean:.1f} [{row.low:g}, {row.high:g}]",
        ]
        for row in compared.rows
    ]
    table = Table(headers, shown, words=("period",), comment=_comment(compared.recipe))
    return table.text(form) if form != "table" else "\n".join([table.text("table"), *_told(compared.recipe), ""])


def doubtful_output(found: Sequence[Mapping[str, Any]], form: str, path: str) -> str:
    """Uncertain documents with the links that they hinge on, in one of the formats."""
    if form == "json":
        return json_text({"store": path, "documents": list(found)})
    if form != "table":
        headers = ["document", "date", "title", "actor", "probability", "mention", "with", "link_probability"]
        rows = [row for one in found for row in _link_rows(one)]
        return Table(headers, rows, words=("document", "date", "title", "actor", "mention", "with")).text(form)
    if not found:
        return "no document is as uncertain as that; see --low and --high\n"
    return "\n".join(line for one in found for line in _described(one)) + "\n"


def printable(text: str) -> str:
    """Text in one line, without what would steer a terminal.

    >>> printable("Iraq \\x1b[31m attacks\\n")
    'Iraq �[31m attacks'
    """
    return "".join(letter if letter.isprintable() else "�" for letter in " ".join(text.split()))


def _described(one: Mapping[str, Any]) -> list[str]:
    title = printable(one["title"] or "")
    lines = [f"{one['probability']:.2f}  {one['actor']}  {one['date']}  {printable(one['id'])}  {title}".rstrip()]
    for link in one["links"]:
        words = f'"{printable(link["mention_text"])}" ~ "{printable(link["with_text"])}"'
        shares = f"{100 * link['with_event']:.0f} % of the samples with the event, {100 * link['without_event']:.0f} %"
        lines.append(f"      {words}, p = {link['probability']:.2f}; together in {shares} without")
    return lines


def _link_rows(one: Mapping[str, Any]) -> list[list[str]]:
    named = [
        printable(one["id"]),
        one["date"],
        printable(one["title"] or ""),
        one["actor"],
        f"{one['probability']:.4f}",
    ]
    links = [
        [printable(link["mention_text"]), printable(link["with_text"]), f"{link['probability']:.4f}"]
        for link in one["links"]
    ]
    return [[*named, *link] for link in links or [["", "", ""]]]


def _interval(low: float, high: float, fractions: bool, share: bool) -> str:
    decimals = 4 if share else int(fractions)
    return UNDEFINED if math.isnan(low) else f"[{low:.{decimals}f}, {high:.{decimals}f}]"


def _number(value: float, decimals: int) -> str:
    return UNDEFINED if math.isnan(value) else f"{value:,.{decimals}f}"


def _told(recipe: Mapping[str, Any]) -> list[str]:
    """What the reader should know before he believes it."""
    store = recipe["store"]
    unfinished = [] if store.get("finished", True) else ["The store is not finished: documents are missing."]
    told = f"{store['samples']} samples a document. The uncertainty is that of {UNCERTAINTY}"
    return [*unfinished, *textwrap.wrap(told, 100)]


def _comment(recipe: Mapping[str, Any]) -> str:
    asked = ", ".join(f"{name} {value}" for name, value in recipe.items() if name not in ("store", "uncertainty"))
    return "\n".join([asked, *_told(recipe)])
