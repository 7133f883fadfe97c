"""What `howsure events` shows of a store: series, comparisons, doubtful documents."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from howsure.cli.terminal.output import json_text, name_text, result_text, table_text
from howsure.events.series.actor_comparison import ActorComparison
from howsure.events.series.corrected_comparison import CorrectedComparison
from howsure.events.series.corrected_series import CorrectedSeries
from howsure.events.series.event_series import EventSeries
from howsure.inputs.naming import counted
from howsure.show.table import Table

MOST_ROWS = 200  # of a table that people read
REST = "--format csv holds them all"


def series_output(series: EventSeries, form: str, path: str, left: int, reason: str = "") -> str:
    """A series in one of the formats; JSON and CSV hold all digits. reason: why it is not corrected by labels."""
    if form == "json":
        return json_text({"store": path, **series.to_dict(), **_not_corrected(reason)})
    if form == "csv":
        return result_text(series, form)
    beside = _beside(series.corrected, reason)
    table = replace(series.table(), caption=_comment(series.recipe, beside), notes=())
    if form != "table":
        return table_text(table, form)
    table = table.shortened(MOST_ROWS, rest=REST)
    more = [f"{left:,} more actors: --top or --actor shows them."] if left else []
    told = [*table.notes, *more, *_told(series.recipe, beside)]
    return "\n".join([f"event: {series.event}", "", table_text(table), *told, ""])


def comparison_output(compared: ActorComparison, form: str, path: str, reason: str = "") -> str:
    """A comparison by period in one of the formats; JSON and CSV hold all digits. reason: why it is not corrected."""
    document = compared.to_dict()
    if form == "json":
        return json_text({"store": path, **document, **_not_corrected(reason)})
    if form == "csv":
        return result_text(compared, form)
    corrected = compared.corrected
    beside = _beside(corrected, reason)
    tables = [compared.table()] if corrected is None else [compared.table(), corrected.table()]
    captions = [_comment(compared.recipe, beside), "corrected by labels"]
    tables = [replace(table, caption=said, notes=()) for table, said in zip(tables, captions, strict=False)]
    if form != "table":
        return "\n".join(table_text(table, form) for table in tables)
    raw, *others = (table_text(table.shortened(MOST_ROWS, rest=REST)) for table in tables)
    verdicts = [f"Raw counts. {compared.verdict()}" if beside else compared.verdict()]
    verdicts += [] if corrected is None else [corrected.verdict()]
    shown = ["raw", raw] if beside else [raw]
    shown += [] if corrected is None else ["corrected by labels", *others]
    notes = tables[0].shortened(MOST_ROWS, rest=REST).notes
    wrapped = [line for one in verdicts for line in textwrap.wrap(one, 100)]
    return "\n".join([f"event: {compared.event}", "", *shown, *notes, *wrapped, *_told(compared.recipe, beside), ""])


def doubtful_output(found: Sequence[Mapping[str, Any]], form: str, path: str) -> str:
    """Uncertain documents with the links that they hinge on, in one of the formats."""
    if form == "json":
        return json_text({"store": path, "documents": list(found)})
    if form != "table":
        headers = ["document", "date", "title", "actor", "probability", "mention", "with", "link_probability"]
        rows = [row for one in found for row in _link_rows(one)]
        return table_text(Table(headers, rows, words=("document", "date", "title", "actor", "mention", "with")), form)
    if not found:
        return "no document is that uncertain; see --low and --high\n"
    return "\n".join(line for one in found for line in _described(one)) + "\n"


def _described(one: Mapping[str, Any]) -> list[str]:
    title = name_text(one["title"] or "")
    lines = [f"{one['probability']:.2f}  {one['actor']}  {one['date']}  {name_text(one['id'])}  {title}".rstrip()]
    for link in one["links"]:
        words = f'"{name_text(link["mention_text"])}" ~ "{name_text(link["with_text"])}"'
        shares = f"{100 * link['with_event']:.0f} % of the samples with the event, {100 * link['without_event']:.0f} %"
        lines.append(f"      {words}, p = {link['probability']:.2f}; together in {shares} without")
    return lines


def _link_rows(one: Mapping[str, Any]) -> list[list[str]]:
    named = [one["id"], one["date"], one["title"] or "", one["actor"], f"{one['probability']:.4f}"]
    links = [[link["mention_text"], link["with_text"], f"{link['probability']:.4f}"] for link in one["links"]]
    return [[*named, *link] for link in links or [["", "", ""]]]


def _not_corrected(reason: str) -> dict[str, str]:
    return {"not_corrected": reason} if reason else {}


def _beside(corrected: CorrectedSeries | CorrectedComparison | None, reason: str) -> list[str]:
    """What the reader should know of the corrected counts, and how they were checked; or why there are none."""
    if corrected is None:
        return [reason] if reason else []
    return [" ".join(corrected.said), " ".join(corrected.checks)]


def _told(recipe: Mapping[str, Any], beside: Sequence[str]) -> list[str]:
    """What the reader should know before he believes it."""
    store = recipe["store"]
    unfinished = [] if store.get("finished", True) else ["The store is not finished: documents are missing."]
    told = f"{store['samples']} samples per document. The uncertainty is that of {recipe['uncertainty']}"
    raw = f"Raw counts: {told}" if beside else told
    lines = [line for paragraph in beside for line in textwrap.wrap(paragraph, 100)]
    return [*unfinished, *lines, *textwrap.wrap(raw, 100), *textwrap.wrap(_dependence(recipe), 100)]


def _dependence(recipe: Mapping[str, Any]) -> str:
    """What is taken as known of how documents depend on each other."""
    shared, told, rho = (recipe[name] for name in ("documents_of_shared_stories", "shared_stories", "overdispersion"))
    others = f"to have a correlation of {rho:g}" if rho else "to be independent"
    if not shared:
        return f"Different documents are assumed {others}."
    said = f"{counted(shared, 'document')} with an event tell {counted(told, 'story', 'stories')}"
    if recipe["stories"] == "apart":
        return f"{said}, but all documents are assumed {others}."
    return f"{said}: documents of one story count as one source; different stories are assumed {others}."


def _comment(recipe: Mapping[str, Any], beside: Sequence[str]) -> str:
    asked = ", ".join(f"{name} {value}" for name, value in recipe.items() if name not in ("store", "uncertainty"))
    return "\n".join([asked, *_told(recipe, beside)])
