"""Documents with the values of their fields, from files: responses of an API, JSON objects by id, or a wide table."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from howsure.data.logs.decisions import KINDS, answer_row, named_entries, right_answers, typed_answers
from howsure.data.logs.log_file import Source, listed, mapping
from howsure.data.logs.openai import BATCH, ITEMS, response_body
from howsure.data.logs.tokens import choice_tokens, output_tokens
from howsure.data.structured.json_values import (
    ROLES,
    VALUE,
    FieldValue,
    field_values,
    generic_path,
    unfenced,
    value_positions,
    value_text,
)
from howsure.data.structured.served import UNKNOWN, Served, ServedSoFar
from howsure.data.structured.value_probabilities import SpelledTokens, json_texts
from howsure.data.tables.named_files import SUFFIXES, File, named_files, parquet_source, reading_files, text_source
from howsure.data.tables.table import column_names
from howsure.errors import InputError, quote
from howsure.files.input_files import parsed_json
from howsure.inputs.checks import is_missing
from howsure.inputs.numbers_and_names import natural_order
from howsure.inputs.source_names import format_suffix, source_name

IDS = ("document", "document_id", "doc_id", *ITEMS, "id", "file", "key")
OF_OBJECT = (*(key for key in IDS if key != "document"), "document")  # which may be a field where there is another id
WRAPPERS = ("gold", "fields", "values", "prediction", "output", "answer", "target", "truth")  # around all fields
NOT_JSON = "its content is not JSON ({}). {}"
CUT_OFF = "The response was cut off at its limit of tokens: raise it."
SKIP = "Or count such documents as not predicted with `skip_missing=True`"
NO_JSON = "Ask for JSON, for example by response_format."
REFUSED = "The model refused to answer."


@dataclass(frozen=True, slots=True)
class Document:
    """The values of a document's fields by path. place: its file and line. labels: true values of typed answers."""

    name: str
    place: str
    values: Mapping[str, FieldValue]
    labels: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Documents:
    """Documents by name. without_values: requests that failed, and responses that were skipped. served: the models and
    questions. has_key: whether the key or column that the user named was found."""

    by_name: Mapping[str, Document]
    files: tuple[str, ...]
    without_values: tuple[str, ...] = ()
    served: Served = UNKNOWN
    has_key: bool = False


@dataclass(slots=True)
class _Reader:
    """Options for reading documents; `read_documents` explains them."""

    whole: Collection[str]
    choices: Mapping[str, Sequence[str]]
    fields: Collection[str]
    skip_missing: bool
    key: str | None = None
    has_key: bool = False
    without_values: list[str] = field(default_factory=list)
    served: ServedSoFar = field(default_factory=ServedSoFar)

    def document(self, record: Mapping[str, Any], place: str, *, stem: str | None) -> Document:
        """Read the document in a record, which is a response of an API or an object with an id.

        stem: the name of a file that contains only this record. It is the document's name if the record has no id.

        Raises ValueError for a record without an id or with invalid content.
        """
        keys = self.find_keys(record)
        own_id = str(record[keys[0]]) if keys is not OF_OBJECT and _is_id(record[keys[0]]) else None
        typed, answers = typed_answers(record)
        if answers and all(mapping(answer).get("type") in KINDS for _, answer in answers):
            document = _checked_name(own_id or _id_of_request(record, typed) or stem or typed.get("id"))
            self.served.add(typed.get("model"), _question_texts(record, typed))
            labels = {question: value_text(label) for question, label in right_answers(record).items()}
            return Document(document, place, dict(_typed_values(answers)), labels)
        body = response_body(record)
        self.served.add(mapping(body).get("model"), [])
        if body is not None or record.keys() >= BATCH:
            name = own_id or _id_of_request(record, body) or stem or mapping(body).get("id")
            values = self._response(_checked_name(name), body)
        elif stem is not None:
            name, values = stem, self._read_object(record)
        else:
            key = next((key for key in keys if _is_id(record.get(key))), None)
            name = record.get(key) if key is not None else None
            rest = {other: value for other, value in record.items() if other != key}
            wrapped = [rest[name] for name in WRAPPERS if len(rest) == 1 and isinstance(rest.get(name), dict)]
            values = self._read_object(wrapped[0] if wrapped else rest) if _checked_name(name) else {}
        return Document(_checked_name(name), place, values)

    def find_keys(self, names: Collection[str]) -> Sequence[str]:
        """Return the keys or columns that may name documents; only the user's, if it is among the names."""
        if self.key is None or self.key not in names:
            return OF_OBJECT
        self.has_key = True
        return (self.key,)

    def _read_object(self, content: Mapping[str, Any]) -> Mapping[str, FieldValue]:
        return {value.path: value for value in field_values(content, whole=self.whole).values()}

    def _response(self, name: str, body: Mapping[str, Any] | None) -> Mapping[str, FieldValue]:
        """Return the values in the content of a response; {} if the request failed or the response is skipped."""
        try:
            if body is not None:
                return {value.path: value for value in self._values(*content_and_tokens(body))}
        except ValueError:
            if not self.skip_missing:
                raise
        self.without_values.append(name)
        return {}

    def _values(self, text: str, tokens: list[Any] | None, advice: str) -> Iterator[FieldValue]:
        json_text, start = unfenced(text)
        try:
            positions = value_positions(json_text, whole=self.whole)
            content = parsed_json(json_text)
        except ValueError as error:
            raise ValueError(f"{NOT_JSON.format(error, advice)} {SKIP}") from error
        spelled = None if tokens is None else SpelledTokens.of(tokens, text)
        for place, value in field_values(content, whole=self.whole).items():
            if spelled is None or place not in positions or value.confidence is not None:
                yield value
                continue
            begin, end = (start + position for position in positions[place])
            closed = json_texts(self.choices.get(value.field, ()))
            probability = spelled.probability(begin, end, choices=closed)
            yield FieldValue(value.path, value.text, probability.p, probability.unseen)


def read_documents(
    paths: Sequence[str | os.PathLike[str]],
    *,
    whole: Collection[str] = (),
    choices: Mapping[str, Sequence[str]] | None = None,
    fields: Collection[str] = (),
    skip_missing: bool = False,
    key: str | None = None,
) -> Documents:
    """Read documents with the values of their fields from files.

    A file contains responses of OpenAI's API or vLLM with JSON content, JSON objects with an id, or a table with a row
    per document and a column per field. A folder contains JSON files that are named after their documents.

    whole: fields whose arrays or objects are one value. choices: the possible values of closed fields. fields: when
    true values are read, the fields of the predictions; a table with these columns has a row per document.
    skip_missing: responses that are not JSON have no values instead of raising an error. key: the key of objects, or
    the column of a table, that names documents, if it exists.

    Raises InputError, which names the file and line, for content that cannot be read and for a repeated document.
    """
    reader = _Reader(whole, choices or {}, fields, skip_missing, key)
    by_name: dict[str, Document] = {}
    with tempfile.TemporaryDirectory() as spool:
        files = named_files(_unfolded(paths), format=None, spool=Path(spool))
        for file in files:
            for document in _documents(reader, file, is_alone=len(files) == 1):
                earlier = by_name.setdefault(document.name, document)
                if earlier is not document:
                    raise InputError(
                        f"document {quote(document.name)} is in {earlier.place} and in {document.place}. Give each "
                        "document once."
                    )
    names = tuple(file.name for file in files)
    return Documents(by_name, names, tuple(reader.without_values), reader.served.served, reader.has_key)


def _unfolded(paths: Sequence[str | os.PathLike[str]]) -> list[str]:
    """The paths, with folders replaced by the files in them."""
    files: list[str] = []
    for path in [os.fspath(named) for named in paths]:
        if not os.path.isdir(path):
            files.append(path)
            continue
        names = sorted((n for n in os.listdir(path) if format_suffix(n) in SUFFIXES), key=natural_order)
        if not names:
            raise InputError(f"the folder {path} has no JSON files.")
        files += [os.path.join(path, name) for name in names]
    return files


def _documents(reader: _Reader, file: File, *, is_alone: bool) -> Iterator[Document]:
    source = Source(file, unique_keys=True)
    if file.format not in ("json", "jsonl"):
        yield from _table_documents(reader, source)
        return
    content = source.document() if file.format == "json" else None
    for record, place, stem in _placed_records(source, content, is_alone=is_alone):
        try:
            if not isinstance(record, dict):
                raise ValueError(f"it must be a JSON object; it is {quote(record)}")
            yield reader.document(record, place, stem=stem)
        except ValueError as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"{place}: {error}.") from error


def _placed_records(source: Source, content: Any, *, is_alone: bool) -> Iterator[tuple[Any, str, str | None]]:
    """Yield each record, its place, and the name of the file or the key if it contains only this record."""
    file = source.file
    if is_alone and isinstance(content, dict) and _is_by_name(content):
        for name, record in content.items():
            yield record, f"{quote(name)} of {file.name}", name
    elif isinstance(content, dict):
        yield content, file.name, source_name(file.name)
    else:
        is_lines = file.format == "jsonl"
        for number, record in source.records() if is_lines else enumerate(listed(content) or [content], start=1):
            yield record, f"{'line' if is_lines else 'record'} {number:,} of {file.name}", None


def _is_by_name(content: Mapping[str, Any]) -> bool:
    """Return whether an object contains documents by name: several objects with a common key, all or no responses."""
    records = list(content.values())
    if len(records) < 2 or not all(isinstance(record, dict) for record in records) or typed_answers(content)[1]:
        return False
    common = set.intersection(*map(set, records))
    return bool(common) and VALUE not in common and len({response_body(record) is None for record in records}) == 1


def _table_documents(reader: _Reader, source: Source) -> Iterator[Document]:
    """The documents in a table with a row per document and a column per field, such as items[0].price."""
    with reading_files(source.file) as database:
        names = column_names(database, source.file)
        table = parquet_source([source.file]) if source.file.format == "parquet" else text_source(source.file)
        rows = database.connection.execute(f"SELECT * FROM {table}").fetchall()
    keys = reader.find_keys(names)
    id_name = next((name for key in keys for name in names if key in (name, name.casefold())), None)
    if id_name is None or len(names) < 2:
        raise InputError(
            f"{source.name} must have a column that names the document, such as {IDS[0]} or id, and a column for each "
            f"field; its columns are {', '.join(names)}. Name another one, such as `document={names[0]!r}`."
        )
    by_document: dict[str, dict[str, FieldValue]] = {}
    of_value = _value_columns([name for name in names if name != id_name])
    ids = [str(row[names.index(id_name)]) for row in rows]
    if len(set(ids)) == len(ids) and any(generic_path(name) in reader.fields for name in names if name != id_name):
        of_value = None
    for number, row in enumerate(rows, start=1):
        place, cells = f"row {number:,} of {source.name}", dict(zip(names, row, strict=True))
        name = cells.pop(id_name)
        if is_missing(name):
            raise InputError(f"{place} has no {id_name}.")
        if of_value is not None:
            cells = {str(cells[of_value[0]]): cells[of_value[1]]}
        values = {
            column: FieldValue(column, None if is_missing(cell) or cell == "null" else str(cell))
            for column, cell in cells.items()
        }
        if of_value is None:
            yield Document(str(name), place, values)
        elif values.keys() & by_document.setdefault(str(name), {}).keys():
            raise InputError(f"{place} is a second one of {quote(name)} and {quote(next(iter(values)))}. Keep one.")
        else:
            by_document[str(name)] |= values
    for document, values in by_document.items():
        yield Document(document, source.name, values)


def _value_columns(names: Sequence[str]) -> tuple[str, str] | None:
    """Return the columns of the field and the true value, if a table has only these and its document, or None."""
    by_name = {name.casefold(): name for name in names}
    columns = [next((by_name[name] for name in ROLES[role] if name in by_name), None) for role in ("field", "gold")]
    return None if len(names) > 2 or columns[0] is None or columns[1] is None else (columns[0], columns[1])


def _question_texts(record: Mapping[str, Any], body: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the names and texts of the questions in a record, its request or its response.

    `questions` is a mapping or a list. A question in a list that has no name is named by its number. If a question is
    an object, its text is the object as JSON.
    """
    places = (record, mapping(record.get("request")), mapping(mapping(record.get("request")).get("body")), body)
    questions: Any = next((place["questions"] for place in places if place.get("questions")), {})
    return [
        (name, text if isinstance(text, str) else json.dumps(text, sort_keys=True, ensure_ascii=False))
        for name, text in named_entries([questions] if isinstance(questions, str) else questions)
    ]


def _typed_values(answers: Sequence[tuple[str, Any]]) -> Iterator[tuple[str, FieldValue]]:
    """Yield the values of typed answers: the class of each answer with its probability. A refusal is null, without
    confidence.

    Raises ValueError for invalid probabilities.
    """
    for name, answer in answers:
        row = answer_row(str(mapping(answer).get("type")), mapping(answer))
        if row is None:
            continue
        probabilities = row.get("probabilities")
        if probabilities is None:
            yield name, FieldValue(name, None)
            continue
        place = row.get("prediction", probabilities.index(max(probabilities)))
        yield name, FieldValue(name, row["classes"][place], min(1.0, probabilities[place]))


def _is_id(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip() != ""


def _checked_name(name: Any) -> str:
    if not _is_id(name):
        raise ValueError(f"it has no id. Name its document, in one of {', '.join(IDS[:4])} or id")
    return str(name)


def _id_of_request(record: Mapping[str, Any], body: Mapping[str, Any] | None) -> Any:
    """Return the user's id of a request, from the record with the response, or from the metadata of either."""
    around = {} if body is record else record
    metadata = {**mapping(mapping(body).get("metadata")), **mapping(record.get("metadata"))}
    keys = [key for key in IDS if key != "id"]
    places = [*((record, key) for key in keys), *((metadata, key) for key in IDS), (around, "id")]
    return next((place[key] for place, key in places if _is_id(place.get(key))), None)


def content_and_tokens(body: Mapping[str, Any]) -> tuple[str, list[Any] | None, str]:
    """Return the content of a response, its tokens, and advice for content that is not JSON.

    Raises ValueError for several choices.
    """
    choices = listed(body.get("choices"))
    if not choices:
        parts = [mapping(part) for item in listed(body.get("output")) for part in listed(mapping(item).get("content"))]
        text = "".join(str(part.get("text", "")) for part in parts if part.get("type") == "output_text")
        is_cut_off = body.get("status") == "incomplete"
        return text, output_tokens(body), CUT_OFF if is_cut_off else NO_JSON
    if len(choices) > 1:
        raise ValueError(f"it has {len(choices)} choices; one answer per document is needed")
    choice = mapping(choices[0])
    message = mapping(choice.get("message"))
    content = message.get("content", choice.get("text"))
    advice = CUT_OFF if choice.get("finish_reason") == "length" else REFUSED if message.get("refusal") else NO_JSON
    return content if isinstance(content, str) else "", choice_tokens(choice), advice
