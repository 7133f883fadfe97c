"""Labels of predictions in files: whether each prediction is the true label of its row, in SQL."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from howsure.data.predictions.selection import Selection, enum_sql
from howsure.data.tables.database import Column, literal
from howsure.errors import renumbered_rows
from howsure.inputs.right_answers import MAX_LABELS, Confidences, check_own_confidence, half_on, right_answers


def right_answers_sql(
    selection: Selection,
    label: Column,
    prediction: Column,
    confidence: Column,
    *,
    scale: str | None,
    missing_values: Sequence[str],
) -> tuple[str, list[str]]:
    """Return SQL that is 1 if the prediction of a row is right and 0 otherwise, and notes, as `right_answers` does.

    confidence, scale: the confidence in each prediction. Raises InputError if no prediction is a true label, and if the
    confidence is the probability of one label.
    """
    true, answer = (column.spelled if column.comma or column.percent else column.sql for column in (label, prediction))
    absent = prediction.missing(missing_values)
    text = f"CASE WHEN NOT {absent} THEN {prediction.text} END"
    select = f"any_value({true}), any_value(CASE WHEN NOT {absent} THEN {answer} END), count(*), {label.text}, {text}"
    pairs = selection.ask(select, rest="GROUP BY 4, 5 ORDER BY 3 DESC, 4, 5")
    columns = (np.fromiter(column, object, len(pairs)) for column in zip(*pairs, strict=True))
    trues, answers, times, true_texts, texts = columns

    def place(pair: int) -> str:
        same = f"{label.text} = {literal(str(true_texts[pair]))} AND {text} IS NOT DISTINCT FROM "
        return selection.place(same + ("NULL" if texts[pair] is None else literal(str(texts[pair]))), "1")[0]

    with renumbered_rows(place):
        right, codes, notes = right_answers(trues, answers, times.astype(np.int64), name=prediction.called)
    n_labels = {str(texts[pair]): code for pair, code in enumerate(codes.tolist()) if texts[pair] is not None}
    if len(set(n_labels.values())) == MAX_LABELS:
        by_code = _confidences(selection, text, confidence, n_labels, half_on(scale))
        shown = {"name": confidence.called, "prediction": prediction.name}
        notes += check_own_confidence(by_code, **shown, scale=scale)
    others = [pair for pair in np.flatnonzero(right).tolist() if true_texts[pair] != texts[pair]]
    spelled = [f"{len(true_texts[pair])}:{true_texts[pair]}{texts[pair]}" for pair in others]
    both = f"length({label.text})::VARCHAR || ':' || {label.text} || {text}"
    case = f"WHEN {enum_sql(selection.table.connection, both, spelled)} IS NOT NULL THEN 1" if spelled else ""
    sql = f"CASE WHEN {absent} THEN 0 WHEN {label.text} = {prediction.text} THEN 1 {case} ELSE 0 END"
    return f"CAST({sql} AS UTINYINT)", notes


def _confidences(
    selection: Selection, text: str, confidence: Column, codes: dict[str, int], half: float
) -> list[Confidences]:
    """Return the confidences in each predicted label. text: the prediction in SQL. codes: its label, by text."""
    q = confidence.number
    select = f"{text}, count({q}), min({q}), max({q}), sum({q}), count(*) FILTER ({q} < {half!r})"
    parts: dict[int, list[tuple[float, ...]]] = {}
    for answer, n, *numbers in selection.ask(select, rest=f"AND {text} IS NOT NULL GROUP BY 1"):
        if n:
            parts.setdefault(codes[str(answer)], []).append((float(str(n)), *(float(str(value)) for value in numbers)))
    columns = [tuple(zip(*rows, strict=True)) for rows in parts.values()]
    return [
        Confidences(int(sum(n)), min(low), max(high), sum(total) / sum(n), int(sum(below)))
        for n, low, high, total, below in columns
    ]
