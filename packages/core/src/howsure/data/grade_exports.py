"""Convert exports of grades to one table: a row for each grade, with the item, the criterion and the rater.

Supported are Langfuse scores, MLflow assessments, Phoenix annotations and OpenTelemetry evaluations.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from howsure.data.pivot import Values
from howsure.files.input_files import parsed_json
from howsure.inputs.numbers_and_names import counted, parse_number, shortened

Record = Mapping[str, Any]
Tell = Callable[[str], None]

RATERS = {  # the kind of rater, by the names of sources in all programs
    **dict.fromkeys(("ANNOTATION", "HUMAN"), "person"),
    **dict.fromkeys(("EVAL", "LLM_JUDGE", "AI_JUDGE", "LLM", "LLM-JUDGE"), "judge"),
}
TRUTHS = {"yes": 1, "true": 1, "no": 0, "false": 0}
COLUMNS = frozenset(("item", "criterion", "rater", "annotator", "grade", "comment", "trace"))
NESTED = frozenset((dict, list))
ASIDE = ("TEXT", "CORRECTION")  # data types of Langfuse that are not grades


@dataclass(frozen=True, slots=True)
class GradeExport:
    """An export format of grades.

    program: the program that writes the format. is_row: whether an object has the format's keys. grades: yields the
    grades of an object, and None for each value that is not a grade.
    """

    program: str
    is_row: Callable[[Record], bool]
    grades: Callable[[Record], Iterator[dict[str, Any] | None]]


def detect_export(record: Record) -> GradeExport | None:
    """Detect the export format of a JSON object or a row of a table by its keys; None if it is not an export."""
    return next((export for export in EXPORTS if export.is_row(record)), None)


def is_table(header: Iterable[str], names: Collection[str]) -> bool:
    """Whether the requested columns are columns of the file itself, not of the table of grades.

    >>> is_table(["name", "source", "value"], {"value", "source"}), is_table(["name", "source"], {"grade"})
    (True, False)
    """
    header = {*header}
    return bool(header & {*names}) and not (COLUMNS - header) & {*names}


def has_grades(export: GradeExport, records: Iterable[Record]) -> bool:
    """Whether any of the objects has a grade of an item."""
    return any(_is_grade(row) for record in records for row in export.grades(record))


def _is_grade(row: Record | None) -> bool:
    return row is not None and row["item"] is not None and row["grade"] is not None


def grade_columns(export: GradeExport, records: Iterable[Record], name: str, tell: Tell) -> dict[str, Values]:
    """Return the columns of a table with a row per grade. tell: a function that is called with notes on the input."""
    rows = [row for record in records for row in export.grades(record)]
    grades = [row for row in rows if row is not None and _is_grade(row)]
    columns: dict[str, Values] = {column: [row[column] for row in grades] for column in (grades[0] if grades else ())}
    n = len(grades)
    by_rater = shortened(f"{rater} {count:,}" for rater, count in Counter(columns.get("rater", ())).most_common())
    items = counted(len({*columns.get("item", ())}), "item")
    tell(f"{name}: {counted(n, 'grade')} of {items} ({by_rater}) from {export.program}.")
    if n < len(rows):
        tell(
            f"{name}: {counted(len(rows) - n, 'row')} without a grade or an item left out; `format=...` "
            "(such as `format='csv'`) reads the file as a table instead."
        )
    filled = {column: values for column, values in columns.items() if any(value is not None for value in values)}
    if "annotator" in filled:
        filled["annotator"] = [who or rater for who, rater in zip(columns["annotator"], columns["rater"], strict=True)]
    return filled


def _row(
    item: Any, criterion: Any, source: Any, grade: Any, *, annotator: Any = None, comment: Any = None, trace: Any = None
) -> dict[str, Any]:
    """Build the row of a grade; `rater` is person, judge or another source. The item defaults to the trace."""
    item = trace if item is None else item
    row = {
        "item": item,
        "criterion": criterion,
        "rater": None if source is None else _rater(str(source)),
        "annotator": annotator or None,
        "grade": _number(grade),
        "comment": comment or None,
        "trace": trace if trace and trace != item else None,
    }
    if NESTED.isdisjoint(map(type, row.values())):
        return row
    return {column: None if type(value) in NESTED else value for column, value in row.items()}


@lru_cache
def _rater(source: str) -> str:
    return RATERS.get(source.upper(), source.lower())


def _number(grade: Any) -> Any:
    """Convert truth values, yes and no to 1 and 0, and strings to numbers; keep other labels. None: no grade."""
    if isinstance(grade, bool):
        return int(grade)
    if not isinstance(grade, str):
        return grade if isinstance(grade, (int, float)) else None
    if grade.casefold() in TRUTHS:
        return TRUTHS[grade.casefold()]
    number = parse_number(grade)
    return (grade or None) if number is None else int(number) if number.is_integer() else number


def _get(record: Record, *names: str) -> Any:
    """Return the first existing value among several spellings of a field; `a.b` is the field b of the object a."""
    for name in names:
        value = record.get(name)
        if value is None and "." in name:
            first, _, rest = name.partition(".")
            outer = record.get(first)
            value = None if outer is None else _get(_object(outer), rest)
        if value is not None and value != "":
            return value
    return None


def _object(value: Any) -> Record:
    """Return an object, which may be a JSON string; {} for anything else."""
    parsed = _parsed(value)
    return parsed if isinstance(parsed, dict) else {}


def _list(value: Any) -> Sequence[Any]:
    parsed = _parsed(value)
    return parsed if isinstance(parsed, list) else []


def _parsed(value: Any) -> Any:
    """Return the value of a string of JSON, or of Python as pandas writes lists and objects to CSV."""
    if isinstance(value, str) and value[:1] in "[{":
        for parse in (parsed_json, ast.literal_eval):
            with suppress(ValueError, SyntaxError, MemoryError, RecursionError):
                return parse(value)
        return None
    return value


# Langfuse: a row of the scores that are exported by its web page, its blob storage or its API; or a trace with its
# scores.


def _is_langfuse(record: Record) -> bool:
    return {"name", "source"} <= record.keys() and bool(record.keys() & {"dataType", "data_type"})


def _langfuse(record: Record) -> Iterator[dict[str, Any] | None]:
    kind = str(_get(record, "dataType", "data_type")).upper()
    if kind in ASIDE:
        yield None
        return
    label = _get(record, "stringValue", "string_value") if kind == "CATEGORICAL" else None
    trace = _get(record, "traceId", "trace_id", "subject.traceId")
    yield _row(
        _get(record, "observationId", "observation_id", "subject.id") or trace or _get(record, "sessionId"),
        record["name"],
        record["source"],
        label if label is not None else _get(record, "value", "stringValue", "string_value"),
        annotator=_get(record, "authorUserId", "author_user_id", "evaluator_id"),
        comment=_get(record, "comment"),
        trace=trace,
    )


def _is_langfuse_trace(record: Record) -> bool:
    trace = _object(record.get("trace")) or record
    return "scores" in trace and "observations" in {**record, **trace}


def _langfuse_trace(record: Record) -> Iterator[dict[str, Any] | None]:
    trace = _object(record.get("trace")) or record
    for score in map(_object, _list(trace.get("scores"))):
        if {"name", "source"} <= score.keys():
            yield from _langfuse({"traceId": trace.get("id"), **score})


# MLflow: a trace with its assessments, as `search_traces` or a trace's `to_json` write it.


def _is_mlflow(record: Record) -> bool:
    return "assessments" in record or "assessments" in _object(record.get("info"))


def _mlflow(record: Record) -> Iterator[dict[str, Any] | None]:
    info = _object(record.get("info"))
    trace = _get(record, "trace_id", "request_id") or _get(info, "trace_id", "request_id")
    for assessment in map(_object, _list(record.get("assessments") or info.get("assessments"))):
        value = _get(assessment, "feedback.value", "expectation.value")
        if assessment.get("valid") is False or value is None:  # replaced by a later assessment, or an error
            yield None
            continue
        yield _row(
            _get(assessment, "span_id") or _get(assessment, "trace_id") or trace,
            _get(assessment, "assessment_name", "name"),
            _get(assessment, "source.source_type"),
            value,
            annotator=_get(assessment, "source.source_id"),
            comment=_get(assessment, "rationale"),
            trace=_get(assessment, "trace_id") or trace,
        )


# Phoenix: an annotation of a span, a trace or a document.


def _is_phoenix(record: Record) -> bool:
    return "annotator_kind" in record


def _phoenix(record: Record) -> Iterator[dict[str, Any] | None]:
    span, document = _get(record, "span_id", "context.span_id", "trace_id"), _get(record, "document_position")
    yield _row(
        span if document is None else f"{span}:{document}",
        _get(record, "annotation_name", "name"),
        record["annotator_kind"],
        _get(record, "result.label", "label", "result.score", "score"),
        annotator=_get(record, "identifier", "user_id"),
        comment=_get(record, "result.explanation", "explanation"),
    )


# OpenTelemetry: evaluation events in logs or spans of OTLP, or one event with its attributes.

EVALUATION = "gen_ai.evaluation."


def _is_otel(record: Record) -> bool:
    return bool(record.keys() & {"resourceLogs", "resourceSpans"}) or EVALUATION + "name" in _attributes(record)


def _otel(record: Record) -> Iterator[dict[str, Any] | None]:
    if record.keys().isdisjoint({"resourceLogs", "resourceSpans"}):
        yield _evaluation(_attributes(record), record)
        return
    for resource in _list(record.get("resourceLogs")):
        for scope in _list(_object(resource).get("scopeLogs")):
            for event in map(_object, _list(_object(scope).get("logRecords"))):
                if EVALUATION + "name" in (attributes := _attributes(event)):
                    yield _evaluation(attributes, event)
    for resource in _list(record.get("resourceSpans")):
        for scope in _list(_object(resource).get("scopeSpans")):
            for span in map(_object, _list(_object(scope).get("spans"))):
                for event in (span, *map(_object, _list(span.get("events")))):
                    if EVALUATION + "name" in (attributes := _attributes(event)):
                        yield _evaluation(attributes, span)


def _attributes(event: Record) -> dict[str, Any]:
    """Return the attributes of an event: an object, a list in OTLP's form, or the event's own fields."""
    listed = _parsed(event.get("attributes"))
    if isinstance(listed, list):
        return {
            str(pair["key"]): next(iter(pair["value"].values()), None)
            for pair in map(_object, listed)
            if isinstance(pair.get("value"), dict) and "key" in pair
        }
    return dict(listed) if isinstance(listed, dict) else dict(event)


def _evaluation(attributes: Record, place: Record) -> dict[str, Any]:
    """Return the grade in an event.

    The convention has no field for the rater. If no attribute names a rater, the name of the evaluation is the rater
    instead of the criterion.
    """
    name, label = attributes[EVALUATION + "name"], _get(attributes, EVALUATION + "score.label")
    source = next((value for key, value in attributes.items() if key in SOURCES and value), None)
    trace = _get(place, "traceId", "trace_id", "context.trace_id")
    return _row(
        _get(place, "spanId", "span_id", "context.span_id") or _get(attributes, "gen_ai.response.id") or trace,
        None if source is None else name,
        name if source is None else source,
        label if label is not None else _get(attributes, EVALUATION + "score.value"),
        comment=_get(attributes, EVALUATION + "explanation"),
        trace=trace,
    )


SOURCES = (EVALUATION + "source", EVALUATION + "source.type", EVALUATION + "evaluator.type", "annotator_kind")

EXPORTS = (
    GradeExport("Langfuse", _is_langfuse, _langfuse),
    GradeExport("Langfuse", _is_langfuse_trace, _langfuse_trace),
    GradeExport("Phoenix", _is_phoenix, _phoenix),
    GradeExport("MLflow", _is_mlflow, _mlflow),
    GradeExport("OpenTelemetry", _is_otel, _otel),
)
