"""Convert files of JSON objects to rows.

Elements of a JSON array that are not objects are left out. Elements of a list, or several columns, may become rows.
"""

from __future__ import annotations

import itertools
import json
import os
from array import array
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from howsure.data.grade_exports import GradeExport, detect_export, grade_columns, has_grades, is_table
from howsure.data.logs.log_file import Beginning, Source, json_lines, listed, mapping, number
from howsure.data.pivot import Values, columns_of_rows, pivoted
from howsure.data.tables.named_files import SPELLED, File, is_export_header, objects_source, reading_files, text_source
from howsure.errors import InputError, parameter, quote
from howsure.inputs.numbers_and_names import counted, parse_number, shortened, unknown_name
from howsure.inputs.repeated_items import SOURCE_ROW, candidates

Tell = Callable[[str], None]


def rows_as_objects(
    files: Sequence[File],
    explode: str | None,
    spool: Path,
    tell: Tell,
    *,
    recognise: bool = True,
    pivot: str | None = None,
    grades_are_labels: bool = False,
    keep_empty: bool = False,
    names: Collection[str] = (),
) -> tuple[File, ...]:
    """Return the files. Files in which rows are left out or created are rewritten as JSON lines in `spool`.

    recognise: whether to convert exports of grades, unless the requested columns (`names`) are columns of the file.
    pivot: the columns of item, rater and grade, which become one column per rater. grades_are_labels: whether grades
    are labels, which cannot be averaged. keep_empty: whether a row whose list to explode is empty remains, with a
    missing value instead of the list.
    """
    if explode is not None and pivot is not None:
        raise InputError("`explode=...` makes rows of columns and `pivot=...` columns of rows. Use one of them.")
    names = {*names, *(pivot or "").replace(" ", "").split(",")}
    exports = [_export(file, names) if recognise and explode is None else None for file in files]
    if pivot is not None:
        notes = list[str]()
        parts = [_columns(*both, notes.append) for both in zip(files, exports, strict=True)]
        name = files[0].name if len(files) == 1 else f"{files[0].name} and {len(files) - 1:,} more"
        columns = parts[0] if len(parts) == 1 else _concatenate(parts)
        columns = pivoted(columns, pivot, name, notes.append, are_labels=grades_are_labels)
        copy = _write_columns(columns, spool / "pivoted.jsonl", name, f"the pivoted {name}")
        for note in notes:  # only if there was no error
            tell(note)
        return (replace(copy, columns=tuple(columns)),)
    if any(exports):
        return tuple(
            file
            if export is None
            else _write_columns(
                _columns(file, export, tell), spool / f"rows-{at}.jsonl", file.name, f"the grades of {file.name}"
            )
            for at, (file, export) in enumerate(zip(files, exports, strict=True))
        )
    if explode is None and (joined := _joined(files, spool / "rows.jsonl", tell)) is not None:
        return (joined,)
    several = len(files) > 1
    return tuple(
        _rewritten(file, explode, spool / f"rows-{at}.jsonl", tell, several=several, keep_empty=keep_empty)
        for at, file in enumerate(files)
    )


def _write_columns(columns: Mapping[str, Values], path: Path, name: str, place: str) -> File:
    """Write columns as JSON lines. place: the name of the table in messages about its rows."""
    with open(path, "wb") as copy:
        for start in range(0, len(next(iter(columns.values()), ())), CHUNK):
            part = {column: tuple(values[start : start + CHUNK]) for column, values in columns.items()}
            copy.write(json_lines(part, len(next(iter(part.values())))))
    copied = File(str(path), name, "jsonl")
    named = replace(copied, name=place)
    return replace(copied, origin=lambda row: (named, row, ""))


def _export(file: File, names: Collection[str]) -> GradeExport | None:
    """Detect the export format of a file of grades; None for other files, or if the file has the requested columns."""
    beginning = Beginning(file)
    if file.format == "parquet" and detect_export(dict.fromkeys(beginning.columns)) is None:
        return None
    start = beginning.text.partition(b"\n")[0] if file.format in ("csv", "tsv") else beginning.text
    if file.format != "parquet" and not is_export_header(start.decode("utf-8", "replace")):
        return None
    if file.format == "json" and os.path.getsize(file.path) > LARGEST_KEYED:
        return None
    try:
        first = next(_export_records(file), {})
        export = None if is_table(first, names) else detect_export(first)
        return export if export is not None and has_grades(export, _export_records(file)) else None
    except InputError:  # which is reported where the file is read as a table
        return None


def _export_records(file: File) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a file; in a JSON document, its elements or, as in a page of an API, the elements of `data`."""
    if file.format != "json":
        yield from (record for _, record in _objects(file, lambda text: None))
        return
    document = Source(file).document()
    data = mapping(document).get("data")
    items = data if isinstance(data, list) else document if isinstance(document, list) else [document]
    yield from (item for item in items if isinstance(item, dict))


def _columns(file: File, export: GradeExport | None, tell: Tell) -> dict[str, Values]:
    """Return the columns of a file; the columns of an export have a row for each grade."""
    if export is not None:
        return grade_columns(export, _export_records(file), file.name, tell)
    if file.format not in ("csv", "tsv"):
        return columns_of_rows(record for _, record in _objects(file, tell))
    with reading_files(file) as database:
        columns = database.connection.execute(f"FROM {text_source(file)}").fetchnumpy()
    return {name: values.tolist() for name, values in columns.items()}


def _concatenate(parts: Sequence[Mapping[str, Values]]) -> dict[str, Values]:
    """Concatenate the columns of several files; None for columns that a file lacks."""
    nothing = [[None] * len(next(iter(part.values()), ())) for part in parts]
    names = dict.fromkeys(itertools.chain.from_iterable(parts))
    return {
        name: [value for part, empty in zip(parts, nothing, strict=True) for value in part.get(name, empty)]
        for name in names
    }


MIN_FILES, LARGEST = 3, 1 << 20  # files with one object each that are rows of one table, and the bytes of each


def _joined(files: Sequence[File], path: Path, tell: Tell) -> File | None:
    """Join JSON files with one object each to one table with a row per file; None for other files.

    The result is also None if an object has other fields than every object with a number or truth value, because such
    an object may contain the rows of a model in a list.
    """
    if len(files) < MIN_FILES or any(file.format != "json" or os.path.getsize(file.path) > LARGEST for file in files):
        return None
    documents = [document for document in map(_object, files) if document is not None]
    numbered = {frozenset(document) for document in documents if any(number(v) is not None for v in document.values())}
    if len(documents) < len(files) or any(frozenset(document) not in numbered for document in documents):
        return None
    with open(path, "w", encoding="utf-8") as rows:
        rows.writelines(json.dumps(document, ensure_ascii=False) + "\n" for document in documents)
    folder = os.path.commonpath([os.path.dirname(os.path.abspath(file.name)) for file in files])
    name = os.path.relpath(folder) if not os.path.isabs(files[0].name) else folder
    tell(f"{name}: {len(files):,} files with one object each are the rows of one table.")
    return File(str(path), name, "jsonl", origin=lambda row: (files[row], 0, ""))


def _rewritten(
    file: File, explode: str | None, path: Path, tell: Tell, *, several: bool, keep_empty: bool = False
) -> File:
    """Return the file, or a copy of its rows at `path`. several: whether rows need the name of their file."""
    if explode is None and (keyed := _keyed_objects(file)) is not None:
        with open(path, "w", encoding="utf-8") as copy:
            copy.writelines(
                json.dumps({KEY: key, **record}, ensure_ascii=False) + "\n" for key, record in keyed.items()
            )
        tell(f"{file.name}: {len(keyed):,} objects by their keys are rows; the keys are the column {KEY}.")
        return File(str(path), file.name, "jsonl")
    if explode is None and not (file.format == "json" and _has_others(file)):
        return file

    def place_of_row(row: int) -> int | str:
        return f"{file.name}:{row + 1}" if several else row + 1

    origins = array("q")  # the file's row (from 0) from which each row was made
    with open(path, "w", encoding="utf-8") as copy:
        objects = _objects(file, tell)
        numbered = False  # whether rows get the number of their source row, because no column identifies items
        if explode is not None:
            first = list(itertools.islice(objects, 2))
            numbered = len(first) == 2 and next(candidates([*first[0][1]]), None) is None
            objects = _exploded(file, itertools.chain(first, objects), explode, tell, keep_empty)
        for row, record in objects:
            number_of_row = {SOURCE_ROW: place_of_row(row)} if numbered else {}
            copy.write(json.dumps({**record, **number_of_row}, ensure_ascii=False) + "\n")
            origins.append(row)
    names = explode.split(",") if explode is not None and "," in explode else []

    def origin(row: int) -> tuple[File, int, str]:
        place = row - bisect_left(origins, origins[row])
        of_list = "" if explode is None else f"element {place + 1:,} of {explode}"
        return file, origins[row], f"column {names[place].strip()}" if names else of_list

    return File(str(path), file.name, "jsonl", origin=origin)


KEY, LARGEST_KEYED = "key", 1 << 26  # the column of the keys, and the bytes of a file


def _keyed_objects(file: File) -> Mapping[str, Mapping[str, Any]] | None:
    """Return the rows of a JSON document that maps keys to objects with the same fields; None for other files."""
    if file.format != "json" or os.path.getsize(file.path) > LARGEST_KEYED:
        return None
    document = _object(file)
    if document is None or len(document) < MIN_FILES:
        return None
    fields = [value.keys() for value in document.values() if isinstance(value, dict)]
    alike = len(fields) == len(document) and all(names == fields[0] for names in fields)
    return document if alike and fields[0] and KEY not in fields[0] else None


def _object(file: File) -> dict[str, Any] | None:
    """Return the object of a JSON document; None for other files, such as JSON lines with the suffix .json."""
    if not Beginning(file).text.lstrip().startswith(b"{"):
        return None
    try:
        document = Source(file).document()
    except InputError:  # which is reported where the file is read as a table
        return None
    return document if isinstance(document, dict) else None


def _has_others(file: File) -> bool:
    """Whether a JSON array contains objects and other values."""
    with reading_files(file) as database:
        query = f"SELECT count(DISTINCT json_type(json) = 'OBJECT') FROM {objects_source(file)}"
        return database.connection.execute(query).fetchall() == [(2,)]


def _objects(file: File, tell: Tell) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the objects of a table with their row numbers, from 0."""
    source = Source(file)
    if (keyed := _keyed_objects(file)) is not None:
        yield from enumerate({KEY: key, **record} for key, record in keyed.items())
    elif file.format == "parquet":
        yield from enumerate(source.table())
    elif file.format == "jsonl":
        yield from enumerate(record for _, record in source.records())
    elif file.format == "json":
        document = source.document()
        items = document if isinstance(document, list) else [document]
        objects = [(row, item) for row, item in enumerate(items) if isinstance(item, dict)]
        if len(objects) < len(items):
            lost = f"{len(items) - len(objects):,} of {len(items):,} elements"
            tell(f"{file.name}: {lost} left out, because they are not objects.")
        yield from objects
    elif file.format in ("csv", "tsv"):
        with reading_files(file) as database:
            table = database.connection.execute(f"FROM {text_source(file)}")
            names = [column[0] for column in table.description]
            chunks = iter(lambda: table.fetchmany(CHUNK), [])
            yield from enumerate(dict(zip(names, values, strict=True)) for chunk in chunks for values in chunk)
    else:
        given_format = f"{file.name} is {SPELLED[file.format]}"
        raise InputError(f"`explode` is for tables of CSV, JSON or Parquet; {given_format}.")


CHUNK = 10_000
COLUMN, VALUE = "column", "value"  # names of the new columns if columns become rows


def _exploded(
    file: File, objects: Iterator[tuple[int, Mapping[str, Any]]], field: str, tell: Tell, keep_empty: bool
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield a row for each element of the list in `field`, which replaces the list. If `field` names several columns,
    yield a row for each column.

    keep_empty: whether a row with an empty list remains, with None instead of the list.
    """
    if "," in field:
        yield from _columns_as_rows(file, objects, field, tell)
        return
    rows, elements, without, fields_seen, check_kind = 0, 0, 0, dict[str, None](), _kind_check(file, field)
    for row, record in _inside_lists(file, objects, field):
        rows = row + 1
        keys = [field] if field in record else field.split(".")
        value: Any = record
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        if value is not None and not isinstance(value, list):
            raise InputError(
                f"{parameter('explode', field)} must name a list; row {row + 1:,} of {file.name} (counted from 1) is "
                f"{quote(value)}."
            )
        fields_seen |= dict.fromkeys(record)
        without += not value
        for place, element in enumerate(listed(value), start=1):
            elements += 1
            check_kind(element, f"element {place:,} in row {row + 1:,}")
            yield row, _with(record, keys, element)
        if keep_empty and not value:
            yield row, _with(record, keys, None) if value == [] else record
    if not elements:
        raise InputError(
            f"{parameter('explode', field)} must name a list; no row of {file.name} has elements there. It has "
            f"{shortened(fields_seen)}."
        )
    kept = "kept as rows without an element" if keep_empty else "left out"
    lacking = f" Rows without elements: {without:,}, {kept}." if without else ""
    made = f"{counted(elements, 'row')}, one for each element of {field}"
    tell(f"{file.name}: {made} in the {counted(rows, 'row')} of the file.{lacking}")


def _inside_lists(
    file: File, objects: Iterable[tuple[int, Mapping[str, Any]]], field: str
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the rows. If a list of objects leads to a field, such as `annotations` in `annotations.result`, a row is
    yielded for each of its objects, or one with None if the list is empty.
    """
    for row, record in objects:
        keys = [] if field in record else field.split(".")[:-1]
        value: Any = record
        for depth, key in enumerate(keys, start=1):
            value = value.get(key) if isinstance(value, Mapping) else None
            if isinstance(value, list):
                elements = [element for element in value if element is not None] or [None]
                if odd := [element for element in elements if not isinstance(element, dict | None)]:
                    raise InputError(
                        f"{parameter('explode', field)} must lead through lists of objects; row {row + 1:,} of "
                        f"{file.name} (counted from 1) has {quote(odd[0])} in {'.'.join(keys[:depth])}."
                    )
                inner = [(row, _with(record, keys[:depth], element)) for element in elements]
                yield from _inside_lists(file, inner, field)
                break
        else:
            yield row, record


def _kind_check(file: File, field: str) -> Callable[[Any, str], None]:
    """Return a function that raises InputError for an element whose kind differs from the first element's; missing
    elements are accepted."""
    kinds: dict[type, str] = {dict: "an object", list: "a list"}
    first: list[str] = []

    def check(element: Any, place: str) -> None:
        if element is None:
            return
        kind = kinds.get(type(element), "a single value")
        first[:] = first or [kind, place]
        if kind != first[0]:
            raise InputError(
                f"{parameter('explode', field)} must name elements of one kind; {first[1]} of {file.name} (counted "
                f"from 1) is {first[0]}, {place} is {kind}: {quote(element)}. Give all the same form."
            )

    return check


def _columns_as_rows(
    file: File, objects: Iterator[tuple[int, Mapping[str, Any]]], fields: str, tell: Tell
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield a row for each of several columns (such as raters), with the column's name and value."""
    names, rows, check_kind = [name.strip() for name in fields.split(",")], 0, _kind_check(file, fields)
    if len({*names}) < len(names) or not all(names):
        raise InputError(f"{parameter('explode', fields)} must name different columns, such as `explode='ann,bob'`.")
    columns_seen, names_seen = dict[str, None](), set[str]()
    for row, record in objects:
        rows += 1
        values = {name: _column_value(record, name) for name in names}
        columns_seen |= dict.fromkeys(record)
        names_seen |= {name for name, value in values.items() if value is not MISSING}
        others = {name: value for name, value in record.items() if name not in names}
        if clash := {COLUMN, VALUE} & others.keys():
            raise InputError(
                f"{parameter('explode', fields)} makes the columns {COLUMN} and {VALUE}, but {file.name} has a column "
                f"{min(clash)}. Rename it."
            )
        for name, value in values.items():
            value = None if value is MISSING else value
            if isinstance(value, list):
                raise InputError(
                    f"{parameter('explode', fields)} makes each of these columns a row, but {name} in row {row + 1:,} "
                    f"of {file.name} (counted from 1) is a list. Name only one list to make its elements rows."
                )
            check_kind(value, f"column {name} in row {row + 1:,}")
            plain = parse_number(value) if isinstance(value, str) else None
            yield row, {**others, COLUMN: name, VALUE: value if plain is None else plain}
    for name in names:
        if name not in names_seen:
            raise unknown_name("column", name, list(columns_seen), place=file.name)
    tell(f"{file.name}: {rows * len(names):,} rows, one for each of {', '.join(names)} in the {counted(rows, 'row')}.")


MISSING = object()


def _column_value(record: Mapping[str, Any], name: str) -> Any:
    """Return the value of a column or of a field in it (`judge.grade`); MISSING if the column does not exist."""
    if name in record or "." not in name:
        return record.get(name, MISSING)
    first, _, rest = name.partition(".")
    inner = record.get(first, MISSING)
    return inner if inner is MISSING else _column_value(inner, rest) if isinstance(inner, dict) and rest else None


def _with(record: Mapping[str, Any], keys: Sequence[str], element: Any) -> dict[str, Any]:
    """Return a copy of a record with one element replaced."""
    key, *inner = keys
    return {**record, key: _with(record[key], inner, element) if inner else element}
