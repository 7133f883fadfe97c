"""Formatting the output of `howsure events`: series, comparisons and uncertain documents."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from howsure.inputs.numbers_and_names import counted
from howsure.result import Result
from howsure.show.table import Table
from howsure_cli.terminal.output import (
    in_options,
    is_verbose,
    json_text,
    name_text,
    result_text,
    shell_word,
    table_text,
)

MAX_ROWS = 200  # of a table in the terminal
REST = "--format csv has them all"
QUESTION = ' --question "Which of these does the text report?"'


def next_steps(path: str, *, has_question: bool = True) -> str:
    """Return the commands to run after a store was made; an event without a name needs a question to coders."""
    label = f"howsure events label {shell_word(path)}{'' if has_question else QUESTION}"
    return f"Next: {label} (read some, to correct the counts), or howsure events explore {shell_word(path)}"


def result_output(result: Result, form: str, output: str | None, *, more: Sequence[str] = (), **named: str) -> str:
    """Format a result. form: the format. more: further notes. named: entries at the beginning of JSON."""
    result = in_options(result)
    if form == "json":
        return json_text({**named, **result.to_dict()})
    if form == "table" and result.answer is not None:
        is_whole = output is not None or is_verbose()
        next_command = [] if is_whole else [f"Next: howsure events explore {shell_word(named['store'])}"]
        return "\n".join([result_text(result, form, output).rstrip("\n"), *more, *next_command, ""])
    if form in ("csv", "signature"):
        return result_text(result, form)
    above = [table_text(table, form) for table in result.tables_above()]
    if form != "table":
        return "\n".join([*above, result_text(result, form)])
    table = result.table().shortened(MAX_ROWS, rest=REST)
    lines = [line for note in (*more, *table.notes) for line in textwrap.wrap(note, 100)]
    return "\n".join([*above, table_text(table), *lines, ""])


def empty_texts(count: int) -> list[str]:
    """Return a line on documents whose text is empty, or an empty list."""
    return [f"  empty text: {counted(int(count), 'document')}, in which no event can be read"] if count else []


def dates_read(settings: Mapping[str, Any]) -> list[str]:
    """Return a line on the date format of a store's input; no line for ISO 8601."""
    way = settings.get("input", {}).get("columns", {}).get("date_format")
    return [] if way is None else [f"  dates were read as {way}"]


def doubtful_output(documents: Sequence[Mapping[str, Any]], form: str, path: str) -> str:
    """Format uncertain documents, with the links on which their events depend."""
    if form == "json":
        return json_text({"store": path, "documents": list(documents)})
    if form != "table":
        headers = ["document", "date", "title", "actor", "probability", "mention", "with", "link_probability"]
        rows = [row for document in documents for row in _link_rows(document)]
        return table_text(Table(headers, rows, words=("document", "date", "title", "actor", "mention", "with")), form)
    if not documents:
        return "no document is that uncertain; see --low and --high\n"
    return "\n".join(line for document in documents for line in _described(document)) + "\n"


def _described(document: Mapping[str, Any]) -> list[str]:
    title = name_text(document["title"] or "")
    heading = f"{document['probability']:.2f}  {document['actor']}  {document['date']}"
    lines = [f"{heading}  {name_text(document['id'])}  {title}".rstrip()]
    for link in document["links"]:
        words = f'"{name_text(link["mention_text"])}" ~ "{name_text(link["with_text"])}"'
        shares = f"{100 * link['with_event']:.0f}% of the samples with the event, {100 * link['without_event']:.0f}%"
        lines.append(f"      {words}, p = {link['probability']:.2f}; together in {shares} without")
    return lines


def _link_rows(document: Mapping[str, Any]) -> list[list[str]]:
    named = [
        document["id"],
        document["date"],
        document["title"] or "",
        document["actor"],
        f"{document['probability']:.4f}",
    ]
    links = [[link["mention_text"], link["with_text"], f"{link['probability']:.4f}"] for link in document["links"]]
    return [[*named, *link] for link in links or [["", "", ""]]]
