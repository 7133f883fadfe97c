"""Logs of lighteval: details/<model>/<date>/details_<task>_<date>.parquet, with a row for each document."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

from howsure.data.logs.item_documents import content_hash
from howsure.data.logs.log_file import Beginning, LogFormat, Row, Source, listed, mapping, numbers, with_scores
from howsure.errors import InputError

FILE = re.compile(r"details_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d:.-]+)\.parquet")
COLUMNS, FORMER = {"doc", "model_response", "metric"}, {"choices", "gold_index", "metrics"}


def recognises(beginning: Beginning) -> bool:
    """Whether a Parquet file has the name and the columns of lighteval's details, in current or older versions."""
    if not os.path.basename(beginning.file.name).startswith("details_"):
        return False
    columns = set(beginning.columns)
    return columns >= COLUMNS or columns >= FORMER


def rows(source: Source) -> Iterator[Row]:
    """Yield a row for each document: the log-likelihoods of its choices or the generated text, and its metrics."""
    match = FILE.fullmatch(os.path.basename(source.name))
    folders = os.path.abspath(source.name).split(os.sep)
    start = folders.index("details") if "details" in folders else None
    model = None if start is None or not source.folder else "/".join(folders[start + 1 : -2])
    for at, row in enumerate(source.table(), start=1):
        if row.keys() >= FORMER:
            raise InputError(
                f"{source.name} has the columns of former versions of lighteval (choices, gold_index, metrics); "
                "evaluate again by a version that writes doc, model_response and metric."
            )
        if not row.keys() >= COLUMNS:
            raise source.fault(at, f"it must have {', '.join(sorted(COLUMNS))}. Are these details of lighteval?")
        doc, response = mapping(row["doc"]), mapping(row["model_response"])
        task = doc.get("task_name") or (match["task"] if match else None)
        named: Row = {"item": doc.get("id") or at - 1, "model": model or None, "task": task, "doc": doc}
        named["item_hash"] = content_hash(doc.get("query"))
        yield with_scores(named | _answer(doc, response), source.scores(mapping(row["metric"])))


def _answer(doc: Mapping[str, Any], response: Mapping[str, Any]) -> Row:
    """Return the choices, their log-likelihoods and the true choices; or the generated text and the reference."""
    choices = [str(choice) for choice in listed(doc.get("choices"))]
    gold = doc.get("gold_index")
    right = [
        index
        for index in (gold if isinstance(gold, list) else [gold])
        if isinstance(index, int) and 0 <= index < len(choices)
    ]
    likelihoods = numbers(response.get("logprobs") or [], "logprobs")
    if len(choices) > 1 and len(likelihoods) in (len(choices), 2 * len(choices)):  # then without a question
        tokens = listed(response.get("output_tokens"))
        row: Row = {"classes": choices, "log_probabilities": likelihoods[: len(choices)]}
        if len(tokens) >= len(choices) and all(isinstance(token, list) for token in tokens):
            row["tokens"] = [len(token_list) for token_list in tokens[: len(choices)]]
        return row | {"target": right[0] if len(right) == 1 else None, "targets": right}
    text = listed(response.get("text"))
    target = choices[right[0]] if len(right) == 1 else None
    return {"target": target, "prediction": text[0] if len(text) == 1 else None}


LIGHTEVAL = LogFormat("lighteval", "lighteval", recognises, rows)
