"""Propose commands for structured answers: documents with fields, in files next to their true values."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from howsure.data.column_roles import SeenColumn
from howsure.data.logs.log_file import Beginning, Source
from howsure.data.logs.openai import response_body
from howsure.data.structured.documents import Document, Documents, content_and_tokens, read_documents
from howsure.data.structured.json_values import ROLES, generic_path, unfenced
from howsure.data.tables.named_files import SUFFIXES, File
from howsure.errors import InputError
from howsure.files.input_files import parsed_json
from howsure.inputs.checks import is_missing
from howsure.inputs.source_names import format_suffix
from howsure_cli.typed_commands import Proposal, TypedFiles

GOLD = {
    "gold",
    "truth",
    "true",
    "target",
    "targets",
    "label",
    "labels",
    "expected",
    "reference",
    "references",
    "ref",
    "refs",
    "human",
    "expert",
}
MAX_BYTES = 20_000_000  # of files whose documents are compared
MAX_CANDIDATES = 5
MAX_RESPONSES = 20  # of which one must be JSON
WITHOUT_GOLD = (
    "The responses contain JSON: howsure fields evaluates each of its fields, with the true values by id, --gold FILE."
)
STATED = (
    "The objects have a value and a confidence: howsure fields evaluates each field, with the true values by id, "
    "--gold FILE."
)


def has_json_content(path: str) -> bool:
    """Whether a file has responses of OpenAI or vLLM, and the content of one of the first is a JSON object."""
    kind = SUFFIXES.get(format_suffix(path)) if os.path.isfile(path) else None
    if kind is None:
        return False
    first = Beginning.of(path, kind).record
    if response_body(first) is None:
        return False
    records = (record for _, record in Source(File(path, path, kind)).records()) if kind == "jsonl" else iter([first])
    return any(_is_json_object(response_body(record)) for record in islice(records, MAX_RESPONSES))


def _is_json_object(body: Mapping[str, Any] | None) -> bool:
    try:
        return body is not None and isinstance(parsed_json(unfenced(content_and_tokens(body)[0])[0]), dict)
    except ValueError:
        return False


def fields_in_files(paths: Sequence[str]) -> list[Proposal]:
    """The command for predicted and true values of the same documents, in files or folders next to each other."""
    documents = None
    for predicted, gold in _candidates(paths):
        true = _documents(gold) if max(map(_size, (predicted, gold))) <= MAX_BYTES else None
        documents = documents or (_documents(predicted) if true else None)  # only if there are true values
        if true and documents and _match(documents.by_name, true.by_name):
            skip_missing = bool(documents.without_values)
            return [Proposal("fields", [predicted], {"gold": gold, "skip_missing": skip_missing})]
    return []


def calibration_with_labels(path: str, typed: TypedFiles) -> list[Proposal]:
    """Return the command for decisions without labels, if a table next to them has the labels; otherwise []."""
    tables = gold_neighbours(path, (".csv", ".tsv", ".parquet"))
    return [typed.command("calibration", labels_from=tables[0])] if tables else []


def has_stated_confidence(names: Collection[str]) -> bool:
    """Whether a column contains objects with a value and a confidence."""
    return any(name.endswith(".confidence") and name.removesuffix("confidence") + "value" in names for name in names)


def fields_in_rows(
    columns: Sequence[SeenColumn], rows: Sequence[Sequence[object]], typed: TypedFiles
) -> list[Proposal]:
    """The command for a table with a row per value of a field, which names all columns as usual."""
    names = [column.name.casefold() for column in columns]
    places = {role: next((names.index(n) for n in usual if n in names), None) for role, usual in ROLES.items()}
    document, field = places["document"], places["field"]
    if document is None or field is None or places["value"] is None or places["gold"] is None:
        return []
    if any(is_missing(row[places["gold"]]) for row in rows):
        return []
    keys = {(row[document], row[field]) for row in rows}
    return [typed.command("fields")] if len(keys) == len(rows) > 1 else []


def _candidates(paths: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Pairs of paths that may be predictions and their true values: by their names, in one folder."""
    if len(paths) == 1 and os.path.isdir(paths[0]):
        inner = [entry.path for entry in os.scandir(paths[0]) if entry.is_dir()]
        if len(inner) == 2:
            paths = inner
    if len(paths) > 2:
        return
    gold = [path for path in paths if is_gold(path)]
    others = [path for path in paths if path not in gold]
    if len(others) == 1:
        gold_files = gold or _neighbours(others[0])
        yield from ((others[0], path) for path in gold_files[:MAX_CANDIDATES])


def _neighbours(path: str) -> list[str]:
    """The files, for one of JSON, or folders next to a path that may be its true values."""
    is_json = os.path.isfile(path) and SUFFIXES.get(format_suffix(path)) in ("json", "jsonl")
    return gold_neighbours(path, SUFFIXES) if is_json or os.path.isdir(path) else []


def gold_neighbours(path: str, suffixes: Collection[str]) -> list[str]:
    """Return the files with one of these suffixes, or the folders, next to a path whose names suggest true values.

    Names that contain the name of the path come first: new-gold.jsonl for new.jsonl.
    """
    is_folder, folder = os.path.isdir(path), os.path.dirname(path.rstrip(os.sep))
    named = sorted(entry.name for entry in os.scandir(folder or ".") if entry.is_dir() == is_folder)
    usable = [name for name in named if is_folder or format_suffix(name) in suffixes]
    stem = os.path.basename(path.rstrip(os.sep)).partition(".")[0]
    return [os.path.join(folder, name) for name in sorted(usable, key=lambda n: stem not in n) if is_gold(name)]


def is_gold(path: str) -> bool:
    name = os.path.basename(path.rstrip(os.sep)).partition(".")[0]
    return not GOLD.isdisjoint(re.findall(r"[a-z]+", name.lower()))


def _size(path: str) -> int:
    if not os.path.isdir(path):
        return os.path.getsize(path)
    return sum(entry.stat().st_size for entry in os.scandir(path) if entry.is_file())


def _match(documents: Mapping[str, Document], true: Mapping[str, Document]) -> bool:
    """Whether every document with true values is predicted, and some field is in both."""
    return bool(true) and true.keys() <= documents.keys() and not _fields(documents).isdisjoint(_fields(true))


def _documents(path: str) -> Documents | None:
    """The documents of a file or folder; None if they cannot be read."""
    try:
        return read_documents([path], skip_missing=True)
    except InputError:
        return None


def _fields(documents: Mapping[str, Document]) -> set[str]:
    return {generic_path(path) for document in documents.values() for path in document.values}
