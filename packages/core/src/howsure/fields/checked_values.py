"""Predicted and true values of the fields of documents: reading them from files, frames and arrays, and matching."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.data.sources import Files
from howsure.data.structured.json_values import ROLES, FieldValue, generic_path, value_text
from howsure.data.structured.served import UNKNOWN, Served
from howsure.errors import InputError, quote
from howsure.fields.equality import SET, Equality, comparison_notes, field_equalities
from howsure.inputs.checks import as_column, check_same_length, is_missing, missing, not_a_number, probability_advice
from howsure.inputs.frames import Kind, Rows, Source, frame_names, is_frame, not_a_column_name, read_columns
from howsure.inputs.numbers_and_names import counted, shortened
from howsure.inputs.pairs import Floats, Integers, Pairs

Flags = npt.NDArray[np.bool_]
NULL = "null"
SUFFIX = re.compile(r"\.[A-Za-z]{3,5}$")  # of files


@dataclass(frozen=True, slots=True)
class ReadValues:
    """Predicted values of the fields of documents, and the true values if they are known.

    predicted, gold: values by document and path. read: names of files and counts, for a recipe. served: the models that
    answered, and the questions.
    """

    predicted: Mapping[str, Mapping[str, FieldValue]]
    gold: Mapping[str, Mapping[str, str | None]] | None
    provenance: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    served: Served = UNKNOWN


@dataclass(frozen=True, slots=True)
class CheckedValues:
    """n predicted values of documents, matched with the true values.

    document, field (n,): indices in `documents` and `fields`. path, value, gold (n,): the path of the value, the
    predicted string (None if missing or null), and the true string (None if the document has no such value). right
    (n,): whether the predicted and the true string are equal, as compared by `equalities`. predicted (n,): whether
    there is a prediction, including null. confidence (n,): the probability of the value; NaN if unknown. unseen (n,):
    for fields with known choices, 1 minus the sum of the probabilities that the listed alternatives of the tokens give
    to the choices; otherwise NaN.
    """

    documents: tuple[str, ...]
    fields: tuple[str, ...]
    document: Integers
    field: Integers
    path: Sequence[str]
    value: Sequence[str | None]
    gold: Sequence[str | None]
    right: Flags
    predicted: Flags
    confidence: Floats
    unseen: Floats
    equalities: Mapping[str, Equality]
    provenance: Mapping[str, Any]
    notes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.right)

    def select_values(self, flags: Flags) -> CheckedValues:
        """Return the selected values, without the documents and fields that have no selected value."""
        rows = np.flatnonzero(flags)
        fields, field = np.unique(self.field[rows], return_inverse=True)
        documents, document = np.unique(self.document[rows], return_inverse=True)
        columns: dict[str, Any] = {
            name: [getattr(self, name)[row] for row in rows] for name in ("path", "value", "gold")
        }
        columns |= {name: getattr(self, name)[rows] for name in ("right", "predicted", "confidence", "unseen")}
        return replace(
            self,
            documents=tuple(self.documents[code] for code in documents),
            fields=tuple(self.fields[code] for code in fields),
            document=document,
            field=field,
            **columns,
        )

    def pairs(self, rows: Flags) -> Pairs:
        """Return the selected values with a confidence as (right, confidence) pairs, with documents as clusters."""
        some = rows & ~np.isnan(self.confidence)
        clusters = document_clusters(self.document[some])
        return Pairs(self.right[some].astype(np.uint8), self.confidence[some], clusters=clusters)


def document_clusters(documents: Integers) -> Integers | None:
    """Return the documents of values as clusters, numbered from 0; None if no document has several values."""
    distinct, codes = np.unique(documents, return_inverse=True)
    return codes if len(distinct) < len(codes) else None


def read_values(
    document: Any,
    field: Any,
    value: Any,
    confidence: Any,
    gold: Any,
    data: Any,
    *,
    compare: Mapping[str, str] | None = None,
    choices: Mapping[str, Sequence[str]] | None = None,
) -> ReadValues:
    """Read the values of documents from arrays, from a table with a row per value, or from files of documents."""
    columns = {"document": document, "field": field, "value": value, "confidence": confidence}
    columns["gold"] = None if isinstance(gold, Source) else gold
    if data is None:
        if isinstance(gold, Source):
            raise InputError(
                "`gold` is read from files, so the predictions must also be read from files: `data=howsure.read(...)`."
            )
        return _read_table(columns, None, Rows({}))
    if not is_frame(data):
        raise InputError("{parameter} must be a data frame, or files opened by howsure.read.", "data")
    for role, name in columns.items():
        if name is not None and not isinstance(name, str):
            raise not_a_column_name(role, name)
    named = _named_columns(columns, data)
    if {"document", "field"} <= named.keys():
        kinds = dict.fromkeys(named.values(), Kind.OPTIONAL)
        kinds |= {name: Kind.VERBATIM for role, name in named.items() if role in ("value", "gold")}
        rows = read_columns(data, kinds)
        columns_by_role = {role: rows[name] for role, name in named.items()}
        with rows.locating_errors():
            table = _read_table(columns_by_role, named, rows)
        return table if not isinstance(gold, Source) else _with_gold(table, gold, compare, key=document)[0]
    if not isinstance(data, Files):
        raise InputError("name the columns of the document, the field and the value: `document='id', field='name'`.")
    return _read_files(data, gold, compare, choices, key=document)


def _named_columns(columns: Mapping[str, Any], data: Any) -> dict[str, str]:
    """Return the column of each role ("document", "field", ...): the user's, otherwise one with a common name."""
    named = {role: name for role, name in columns.items() if name is not None}
    if isinstance(data, Files) and "field" not in named:
        from howsure.data.structured.long_tables import long_table_columns

        available = long_table_columns(data.paths)
    else:
        available = [] if isinstance(data, Source) else frame_names(data)
    by_name = {name.casefold(): name for name in available}
    recognised = {role: next((by_name[n] for n in names if n in by_name), None) for role, names in ROLES.items()}
    if "field" in named or (recognised["document"] and recognised["field"]):
        named |= {role: name for role, name in recognised.items() if name is not None and role not in named}
    return named


def _read_table(columns: Mapping[str, Any], named: Mapping[str, str] | None, rows: Rows) -> ReadValues:
    names = {role: role if named is None else named.get(role, role) for role in ROLES}
    columns_by_role = {
        role: as_column(column, name=names[role]) for role, column in columns.items() if column is not None
    }
    for role in ("document", "field", "value"):
        if role not in columns_by_role:
            raise InputError(
                "{parameter} is needed: the column that contains the {role} of each value.", role, role=role
            )
    check_same_length(**{names[role]: column for role, column in columns_by_role.items()})
    predicted: dict[str, dict[str, FieldValue]] = {}
    gold: dict[str, dict[str, str | None]] = {}
    lists = {role: column.tolist() for role, column in columns_by_role.items()}
    for row, (document, path) in enumerate(zip(lists["document"], lists["field"], strict=True)):
        for role, cell in (("document", document), ("field", path)):
            if is_missing(cell):
                raise missing(names[role], row)
        document_name, path_name = str(document), str(path)
        if path_name in predicted.setdefault(document_name, {}):
            raise InputError(
                "document {document} has the field {path} twice, again in {again}. Number the elements of arrays: "
                "items[0].price, items[1].price.",
                document=quote(document_name),
                path=path_name,
                again=f"row {row}",
            )
        probability = (
            _probability(lists["confidence"][row], row, names["confidence"]) if "confidence" in lists else None
        )
        predicted[document_name][path_name] = FieldValue(path_name, _text(lists["value"][row]), probability)
        if "gold" in lists:
            if is_missing(lists["gold"][row]):
                raise missing(
                    names["gold"], row, remedy="Write null if the document has no such value, or leave the row out."
                )
            gold.setdefault(document_name, {})[path_name] = _text(lists["gold"][row])
    return ReadValues(predicted, gold if "gold" in lists else None, dict(rows.provenance), rows.notes)


def _text(cell: Any) -> str | None:
    """Return a cell as string; None if it is missing or null."""
    if isinstance(cell, np.generic):
        cell = cell.item()
    if isinstance(cell, str):
        return None if cell == NULL or is_missing(cell) else cell
    if isinstance(cell, bool | int | float | list | dict) or cell is None:
        return None if is_missing(cell) else value_text(cell)
    return str(cell)


def _probability(cell: Any, row: int, name: str) -> float | None:
    if is_missing(cell):
        return None
    try:
        value = float(cell)
    except (TypeError, ValueError, OverflowError):
        raise not_a_number(name, cell, row=row) from None
    if not 0.0 <= value <= 1.0:
        advice = probability_advice(value, value)
        raise InputError("{parameter} must be between 0 and 1", name, value=value, row=row, remedy=advice)
    return value


def _read_files(
    data: Files,
    gold: Any,
    compare: Mapping[str, str] | None,
    choices: Mapping[str, Sequence[str]] | None,
    *,
    key: str | None,
) -> ReadValues:
    """Read the values of documents in files of JSON or of API responses, and true values in other files.

    key: the JSON key or column that identifies documents in both.
    """
    documents = data.documents(whole=_fields_compared_as_sets(compare), choices=choices, document=key)
    predicted = {name: document.values for name, document in documents.by_name.items()}
    notes = []
    if failed := documents.without_values:
        notes.append(f"{counted(len(failed), 'document')} without values: {shortened(failed, limit=3)}.")
    provenance = {"files": list(documents.files), "rows": len(predicted)}
    values = ReadValues(predicted, None, provenance, tuple(notes), documents.served)
    if gold is None:
        _check_key(key, data.name, has_key=documents.has_key)
        labels = {name: document.labels for name, document in documents.by_name.items() if document.labels}
        return values if not labels else _matched(values, labels)
    if not isinstance(gold, Source):
        raise InputError(
            "{parameter} must be files with the true values: JSON with ids, a table with a row per document, or a "
            "folder of JSON files; it is {value!r}.",
            "gold",
            value=gold,
        )
    matched, has_key = _with_gold(values, gold, compare, key=key)
    _check_key(key, f"{data.name} and {gold.name}", has_key=documents.has_key or has_key)
    return matched


def _check_key(key: str | None, files: str, *, has_key: bool) -> None:
    """Raise InputError if the key that the user named as `document` occurs in no file."""
    if key is not None and not has_key:
        rule = "{parameter} is {key!r}, which is neither a key nor a column of {files}."
        raise InputError(rule, "document", key=key, files=files)


def _with_gold(
    values: ReadValues, gold: Source, compare: Mapping[str, str] | None, *, key: str | None
) -> tuple[ReadValues, bool]:
    """Add true values from other files; documents without true values are left out.

    Also returns whether these files contain `key`, the key that identifies documents.
    """
    if not isinstance(gold, Files):
        raise InputError("{parameter} must be files opened by howsure.read.", "gold")
    fields = {value.field for by_path in values.predicted.values() for value in by_path.values()}
    gold_documents = gold.documents(whole=_fields_compared_as_sets(compare), fields=fields, document=key)
    documents = gold_documents.by_name
    true = {
        name: {value.path: value.text for value in document.values.values()} for name, document in documents.items()
    }
    if true.keys().isdisjoint(values.predicted):
        true = _under_predicted_names(true, values.predicted)
    unknown = [name for name in true if name not in values.predicted]
    if len(unknown) == len(true):
        raise InputError(
            f"no document of {gold.name} is among the predictions: {quote(next(iter(true), ''))} has true values and "
            f"{quote(next(iter(values.predicted), ''))} has predictions, for example. Documents are matched by their "
            "id, or by the names of files; a suffix such as .pdf is ignored. If another key or column has the ids, "
            "name it by `document`."
        )
    if unknown:
        raise InputError(
            f"{gold.name} has true values of {counted(len(unknown), 'document')} without predictions: "
            f"{shortened(unknown, limit=3)}. Leave them out, or predict them."
        )
    provenance = dict(values.provenance) | {"gold": gold.name}
    return _matched(replace(values, provenance=provenance), true), gold_documents.has_key


def _under_predicted_names(
    true: dict[str, dict[str, str | None]], predicted: Collection[str]
) -> dict[str, dict[str, str | None]]:
    """Return true values under the names of predictions that are equal except for a suffix, such as .pdf."""
    by_stem = {SUFFIX.sub("", name): name for name in predicted}
    renamed = {by_stem.get(SUFFIX.sub("", name), name): texts for name, texts in true.items()}
    return renamed if len(by_stem) == len(predicted) and len(renamed) == len(true) else true


def _matched(values: ReadValues, true: Mapping[str, Mapping[str, str | None]]) -> ReadValues:
    predicted = {name: by_path for name, by_path in values.predicted.items() if name in true}
    left_out = len(values.predicted) - len(predicted)
    notes = (f"{counted(left_out, 'document')} without true values are left out.",) if left_out else ()
    return replace(values, predicted=predicted, gold=true, notes=(*values.notes, *notes))


def _fields_compared_as_sets(compare: Mapping[str, str] | None) -> list[str]:
    """Return the fields whose arrays are read as a single value, because they are compared as sets."""
    return [field for field, written in (compare or {}).items() if str(written) == SET]


def check_values(values: ReadValues, compare: Mapping[str, str] | None = None) -> CheckedValues:
    """Match predicted and true values by document and path; elements of arrays are matched by their position.

    A true value without a prediction counts as wrong, and has no confidence. A predicted value counts as wrong if the
    document has no such value, and is left out if no document has a true value of its field.
    """
    if values.gold is None:
        raise InputError("the true values are missing. Name their files or their column: `gold=...`.")
    _check_forms(values)
    gold_by_field: dict[str, list[str]] = {}
    for true in values.gold.values():
        for path, text in true.items():
            gold_texts = gold_by_field.setdefault(generic_path(path), [])
            if text is not None:
                gold_texts.append(text)
    predicted_fields = dict.fromkeys(value.field for by_path in values.predicted.values() for value in by_path.values())
    if not predicted_fields.keys() & gold_by_field.keys():
        raise InputError(
            f"no field has both predictions ({shortened(predicted_fields, limit=6) or 'none'}) and true values "
            f"({shortened(gold_by_field, limit=6) or 'none'}). Fields are matched by their names."
        )
    with_true_values = dict.fromkeys(_fields(values, gold_by_field))
    fields = tuple(name for name in with_true_values if not _is_above(name, with_true_values))  # no empty arrays
    predicted_by_field: dict[str, list[str]] = {}
    for by_path in values.predicted.values():
        for value in by_path.values():
            if value.text is not None:
                predicted_by_field.setdefault(value.field, []).append(value.text)
    equalities = field_equalities(gold_by_field, compare, fields=fields, predicted=predicted_by_field)
    field_codes = {field: field_code for field_code, field in enumerate(fields)}
    rows = [
        (code, field_codes[row[0]], *row[1:])
        for code, (name, predicted) in enumerate(values.predicted.items())
        for row in _rows(predicted, values.gold.get(name, {}), equalities)
    ]
    columns = list(zip(*rows, strict=True))
    unknown = [field for field in predicted_fields if field not in gold_by_field]
    notes = list(values.notes)
    if unknown:
        notes.append(f"Without true values, not evaluated: {shortened(unknown, limit=6)}.")
    for name, field_code in field_codes.items():
        pairs = [(row[3], row[4], row[5]) for row in rows if row[1] == field_code and None not in (row[3], row[4])]
        wrong = [(value, gold) for value, gold, is_right in pairs if not is_right]
        notes += comparison_notes(name, equalities[name], wrong, len(pairs))
        if name.endswith("[]") and (n_orders := _other_orders(row for row in rows if row[1] == field_code)):
            list_name = name.removesuffix("[]")
            notes.append(
                f"Only the order of {list_name} is wrong in {counted(n_orders, 'document')}: compare {list_name} as a "
                "set if its order does not matter."
            )
    return CheckedValues(
        documents=tuple(values.predicted),
        fields=fields,
        document=np.array(columns[0], dtype=np.int64),
        field=np.array(columns[1], dtype=np.int64),
        path=columns[2],
        value=columns[3],
        gold=columns[4],
        right=np.array(columns[5], dtype=np.bool_),
        predicted=np.array(columns[6], dtype=np.bool_),
        confidence=np.array([math.nan if p is None else p for p in columns[7]], dtype=np.float64),
        unseen=np.array([math.nan if p is None else p for p in columns[8]], dtype=np.float64),
        equalities=equalities,
        provenance=values.provenance,
        notes=tuple(notes),
    )


def _fields(values: ReadValues, gold_by_field: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield the fields with true values: first the predicted ones, in their order, then the others; may repeat."""
    for predicted in values.predicted.values():
        yield from (generic_path(path) for path in predicted if generic_path(path) in gold_by_field)
    yield from (field for field, gold in gold_by_field.items() if gold)


def _rows(
    predicted: Mapping[str, FieldValue], true: Mapping[str, str | None], equalities: Mapping[str, Equality]
) -> Iterator[tuple[Any, ...]]:
    """Yield the values of a document as (field, path, value, gold, right, predicted, confidence, unseen)."""
    for path, value in predicted.items():
        field_name, gold = value.field, true.get(path)
        if field_name not in equalities or (value.text is None and gold is None and _is_above(path, true)):
            continue
        is_right = (
            value.text is gold is None
            if value.text is None or gold is None
            else equalities[field_name].equal(value.text, gold)
        )
        yield field_name, path, value.text, gold, is_right, True, value.confidence, value.unseen
    for path, gold in true.items():
        if path not in predicted and gold is not None:
            yield generic_path(path), path, None, gold, False, False, None, None


def _other_orders(rows: Iterable[tuple[Any, ...]]) -> int:
    """Return the number of documents in which a list has the true values, but in another order."""
    by_document: dict[int, list[tuple[Any, ...]]] = {}
    for row in rows:
        by_document.setdefault(row[0], []).append(row)
    lists = [rows for rows in by_document.values() if not all(row[5] for row in rows)]
    return sum(Counter(row[3] for row in rows) == Counter(row[4] for row in rows) for rows in lists)


def _is_above(path: str, others: Iterable[str]) -> bool:
    """Return whether another path begins with this path, so that this path is an object or array, not a value."""
    return any(other.startswith((f"{path}.", f"{path}[")) for other in others)


def _check_forms(values: ReadValues) -> None:
    """Raise InputError if a field is a value in one document and an object in another; null is allowed for both."""
    first_with: dict[str, str] = {}
    parts: dict[str, str] = {}
    assert values.gold is not None
    predicted = {
        name: {path: value.text for path, value in by_path.items()} for name, by_path in values.predicted.items()
    }
    for where, documents in (("the prediction for", predicted), ("the true values of", values.gold)):
        for name, texts in documents.items():
            place = f"{where} {quote(name)}"
            for path, text in texts.items():
                if text is not None:
                    first_with.setdefault(generic_path(path), place)
                steps = generic_path(path).replace("[]", ".[]").split(".")
                for n in range(1, len(steps)):
                    parts.setdefault(".".join(steps[:n]).replace(".[]", "[]"), place)
    for field_name in first_with.keys() & parts.keys():
        raise InputError(
            f"the field {field_name} is a value in {first_with[field_name]}, but an object or array in "
            f"{parts[field_name]}. It must be the same in all documents."
        )
