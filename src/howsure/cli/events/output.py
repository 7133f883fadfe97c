"""What `howsure events` shows of a store: series, comparisons, doubtful documents."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from howsure.cli.terminal.output import is_raw, json_text, table_text
from howsure.events.series.actor_comparison import ActorComparison
from howsure.events.series.event_series import StoreSeries
from howsure.events.series.export import csv_text
from howsure.events.store.reading import UNCERTAINTY
from howsure.inputs.naming import counted
from howsure.show.result_table import printable
from howsure.show.table import Table

MOST_ROWS = 200  # of a table that people read


def series_output(series: StoreSeries, form: str, path: str, left: int) -> str:
    """A series in one of the formats; JSON and CSV hold all digits."""
    if form == "json":
        return json_text({"store": path, **series.to_dict()})
    if form == "csv":
        return csv_text(series, raw=is_raw())
    headings, rows = series.table()
    words = ("actor", "title", "period")
    if form != "table":
        return table_text(Table(headings, rows, words=words, caption=_comment(series.recipe)), form)
    table, cut = _readable(headings, rows, words)
    more = [f"{left:,} more actors: --top or --actor shows them."] if left else []
    return "\n".join([f"event: {series.event}", "", table, *cut, *more, *_told(series.recipe), ""])


def comparison_output(compared: ActorComparison, form: str, path: str) -> str:
    """A comparison by period in one of the formats; JSON and CSV hold all digits."""
    document = compared.to_dict()
    if form == "json":
        return json_text({"store": path, **document})
    rows = document["rows"]
    if form == "csv":
        cells = [["" if value is None else str(value) for value in row.values()] for row in rows]
        return table_text(Table(list(rows[0]), cells), "csv")
    headings, shown = compared.table()
    if form != "table":
        return table_text(Table(headings, shown, words=("period",), caption=_comment(compared.recipe)), form)
    table, cut = _readable(headings, shown, ("period",))
    verdict = textwrap.wrap(compared.verdict(), 100)
    return "\n".join([f"event: {compared.event}", "", table, *cut, *verdict, *_told(compared.recipe), ""])


def _readable(headings: Sequence[str], rows: Sequence[Sequence[str]], words: Sequence[str]) -> tuple[str, list[str]]:
    """A table of the first and the last rows where there are more than people read, and what is left out of it."""
    table = Table(headings, rows, words=words).shortened(MOST_ROWS, rest="--format csv holds them all")
    return table_text(table), list(table.notes)


def doubtful_output(found: Sequence[Mapping[str, Any]], form: str, path: str) -> str:
    """Uncertain documents with the links that they hinge on, in one of the formats."""
    if form == "json":
        return json_text({"store": path, "documents": list(found)})
    if form != "table":
        headers = ["document", "date", "title", "actor", "probability", "mention", "with", "link_probability"]
        rows = [row for one in found for row in _link_rows(one)]
        return table_text(Table(headers, rows, words=("document", "date", "title", "actor", "mention", "with")), form)
    if not found:
        return "no document is as uncertain as that; see --low and --high\n"
    return "\n".join(line for one in found for line in _described(one)) + "\n"


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


def _told(recipe: Mapping[str, Any]) -> list[str]:
    """What the reader should know before he believes it."""
    store = recipe["store"]
    unfinished = [] if store.get("finished", True) else ["The store is not finished: documents are missing."]
    told = f"{store['samples']} samples a document. The uncertainty is that of {UNCERTAINTY}"
    return [*unfinished, *textwrap.wrap(told, 100), *textwrap.wrap(_dependence(recipe), 100)]


def _dependence(recipe: Mapping[str, Any]) -> str:
    """What is taken as known of how documents depend on each other."""
    shared, told, rho = (recipe[name] for name in ("documents_of_shared_stories", "shared_stories", "overdispersion"))
    others = f"to have a correlation of {rho:g}" if rho else "to be independent"
    if not shared:
        return f"Different documents are taken {others}."
    said = f"{counted(shared, 'document')} with an event tell {counted(told, 'story', 'stories')}"
    if recipe["stories"] == "apart":
        return f"{said}, and yet all documents are taken {others}."
    return f"{said}: those of a story are taken for one source, different stories {others}."


def _comment(recipe: Mapping[str, Any]) -> str:
    asked = ", ".join(f"{name} {value}" for name, value in recipe.items() if name not in ("store", "uncertainty"))
    return "\n".join([asked, *_told(recipe)])
