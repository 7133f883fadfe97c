"""Propose commands for files of lines, such as words with tags, and for predictions and true values in two files."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from howsure.data.column_roles import FEW, LISTS, OBJECTS, ONE, TWO, UNIQUE, SeenColumn, seen_column
from howsure.data.documents.read_documents import document_items, is_plain
from howsure.data.documents.tagged_columns import detect_columns, read_columns
from howsure.data.sources import Files
from howsure.data.tables.named_files import SUFFIXES
from howsure.errors import InputError
from howsure.files.input_files import read_text
from howsure.inputs.source_names import format_suffix
from howsure.scores.prediction_metrics import read_document_columns
from howsure_cli.alike_columns import agree
from howsure_cli.column_words import LABELS, MEASURES, PREDICTIONS, names_id, names_prediction
from howsure_cli.field_commands import gold_neighbours, is_gold
from howsure_cli.table_notes import TAG, TAGS
from howsure_cli.typed_commands import Proposal

MAX_BYTES = 20_000_000
MAX_LABEL = 60  # characters of a label in a line of its own
BY_ORDER = "{} was taken as the predictions, {} as the true values: if it is the reverse, exchange them."
MIN_SHARED = 10  # items that two tables share
OTHER_TAGS = (
    "The last column of {} is read as the tags, and the one before it also contains tags. If these are true and "
    "predicted tags, write each with the words to a file of its own."
)


class Lines(NamedTuple):
    """What files of lines are: their number of words or lines, their columns, the commands and notes."""

    what: str
    n: int
    columns: tuple[SeenColumn, ...]
    commands: list[Proposal]
    notes: list[str]


def files_of_lines(paths: Sequence[str]) -> Lines | None:
    """Describe a file of words and tags, or two files of lines, one perhaps of predictions; None for tables."""
    if len(paths) > 2 or not all(os.path.isfile(path) and os.path.getsize(path) <= MAX_BYTES for path in paths):
        return None
    suffixes = [format_suffix(path) for path in paths]
    if any(SUFFIXES.get(suffix, "tsv") != "tsv" for suffix in suffixes):
        return None
    try:
        tagged = [_has_tags(path) for path in paths]
        if not all(tagged) and (len(paths) == 1 or any(tagged) or any(suffix in SUFFIXES for suffix in suffixes)):
            return None
        if not all(tagged) and not all(map(is_plain, paths)):
            return None
        cells, names = _cells(paths[0], is_tagged=tagged[0])
    except InputError:
        if any(suffix in SUFFIXES for suffix in suffixes) or not all(map(_begins_with_tags, paths)):
            return None  # the error is reported where the file is read as a table
        raise
    what = "words and their tags" if tagged[0] else "lines"
    columns = tuple(seen_column(name, values) for name, values in zip(names, cells, strict=True))
    commands, notes = _score_commands(paths, columns[-1], is_tagged=tagged[0])
    notes += _other_tags_notes(paths[0]) if tagged[0] else []
    return Lines(what, len(cells[0]), columns, commands, notes)


def _other_tags_notes(path: str) -> list[str]:
    """A note if the column before the last one also contains tags of entities."""
    rows = _first_rows(path)
    others = {row[-2] for row in rows if len(row) > 2}
    if len(others) < 2 or not all(map(TAG.fullmatch, others)):
        return []
    return [OTHER_TAGS.format(path)]


def _has_tags(path: str) -> bool:
    """Whether the first line is that of a word, and the last column has tags of entities such as B-PER."""
    text = read_text(path)
    return detect_columns(text) is not None and read_columns(text).layout.scheme is not None and not is_plain(path)


def _begins_with_tags(path: str) -> bool:
    """Whether most of the first lines end with a tag, whatever is wrong with later ones."""
    rows = _first_rows(path)
    return sum(len(row) > 1 and TAG.fullmatch(row[-1]) is not None for row in rows) > len(rows) / 2


def _first_rows(path: str) -> list[list[str]]:
    """The words of each of the first lines."""
    with open(path, "rb") as file:
        lines = file.read(1 << 16).decode("utf-8", "replace").split("\n")[:-1]
    return [line.split() for line in lines if line.strip()]


def _cells(path: str, *, is_tagged: bool) -> tuple[list[list[str]], list[str]]:
    if not is_tagged:
        return [[str(line) for line in document_items(path).items]], ["line"]
    tagged = read_columns(read_text(path))
    words, tags = ([cell for sentence in part for cell in sentence] for part in (tagged.words, tagged.tags))
    return [words, tags], ["word", "tag"]


def _score_commands(paths: Sequence[str], column: SeenColumn, *, is_tagged: bool) -> tuple[list[Proposal], list[str]]:
    """Return the command that scores predictions, if the files contain the same documents, and notes."""
    few = column.kind in (TWO, FEW) and all(len(value) <= MAX_LABEL for value in column.held)
    metric = "entity_f1" if is_tagged else "accuracy" if few else "bleu"
    predicted, gold, notes = _which_is_gold(paths)
    if gold is None:
        neighbours = [] if is_gold(paths[0]) else gold_neighbours(paths[0], [format_suffix(paths[0])])
        pairs = [(paths[0], neighbour) for neighbour in neighbours if _fit(paths[0], neighbour)]
    else:
        pairs = [(predicted, gold)] if _fit(predicted, gold) else []
        notes += [] if pairs else [f"{predicted} and {gold} do not have the same documents."]
    commands = [Proposal("score", [guess], {"targets": true, "metric": metric}) for guess, true in pairs[:1]]
    return commands, [*notes, *([TAGS] if is_tagged and not commands else [])]


def _which_is_gold(paths: Sequence[str]) -> tuple[str, str | None, list[str]]:
    """The path of the predictions, the path of the true values or None, and a note if their names do not differ."""
    if len(paths) == 1:
        return paths[0], None, []
    gold = [path for path in paths if is_gold(path)]
    if len(gold) == 1:
        return next(path for path in paths if path not in gold), gold[0], []
    return paths[0], paths[1], [BY_ORDER.format(*paths)]


def _fit(predicted: str, gold: str) -> bool:
    """Whether two files have the same number of documents, each with as many words."""
    try:
        columns, _ = read_document_columns(gold, Files((predicted,)), others={})
    except InputError:
        return False
    pairs = zip(columns["y_true"], columns["prediction"], strict=True)
    return all(len(a) == len(b) for a, b in pairs if isinstance(a, list) and isinstance(b, list))


def scores_by_gold_table(paths: Sequence[str], tables: Sequence[Sequence[Sequence[str | None]]]) -> list[Proposal]:
    """Return the command for two tables with ids, one of predictions and one of true labels, as their names show."""
    if len(paths) != 2 or len(tables) != 2:
        return []
    columns = {
        path: [seen_column(str(name), [row[at] for row in rows]) for at, name in enumerate(names)]
        for path, (names, *rows) in zip(paths, tables, strict=True)
    }
    predicted, gold, by_order = _which_is_gold(paths)
    if by_order:
        predictions = [path for path in paths if any(map(names_prediction, columns[path]))]
        predicted = predictions[0] if len(predictions) == 1 else paths[0]
        gold = next(path for path in paths if path != predicted)
    if gold is None:
        return []
    ids = [column for column in columns[gold] if column.kind == UNIQUE and not column.missing]
    of_models = {column.name: column for column in columns[predicted]}
    item = next((c for c in ids if names_id(c) or c.words & {"id", "item", "index", "key", "text"}), None)
    if item is None or of_models.get(item.name, item).kind != UNIQUE or item.name not in of_models:
        return []
    labels = _answers(columns[gold], but=item.name)
    answers = _answers(columns[predicted], but=item.name)
    shared = [label for label in labels if any(guess.name == label.name for guess in answers)]
    of_item = {path: _by_item(item.name, table) for path, table in zip(paths, tables, strict=True)}
    if of_item[predicted].keys() != of_item[gold].keys() or len(of_item[gold]) < MIN_SHARED:
        return []
    if by_order:  # without a name that says which the true values are: not the columns that are equal in both
        both = [(guess, label) for label in shared for guess in answers if guess.name == label.name]
        differ = [pair for pair in both if _agree(*pair, of_item[predicted], of_item[gold])]
        labels = [label for _, label in differ] or labels
        shared = labels if differ else shared
    if len(shared) > 1 and not any(label.words & LABELS for label in shared):
        return []  # several fields of documents
    pairs = [(guess, label) for label in labels for guess in answers if guess.held & label.held or guess.kind == ONE]
    if by_order and not any(names_prediction(guess) for guess, _ in pairs):
        pairs = [pair for pair in pairs if _agree(*pair, of_item[predicted], of_item[gold])]
    if not pairs:
        return []
    guess, label = next((pair for pair in pairs if names_prediction(pair[0])), pairs[0])
    names = {"target": label.name, "prediction": guess.name, "id": item.name}
    return [Proposal("score", [predicted], {"targets": gold, **names})]


def _answers(columns: Sequence[SeenColumn], *, but: str) -> list[SeenColumn]:
    """The columns that could be labels, those named so first."""
    answers = [c for c in columns if c.kind not in (LISTS, OBJECTS) and c.held and c.name != but and not c.missing]
    answers = [column for column in answers if not (column.words & MEASURES or names_id(column))]
    return sorted(answers, key=lambda column: not column.words & (LABELS | PREDICTIONS))


def _by_item(item: str, table: Sequence[Sequence[str | None]]) -> dict[str | None, dict[str | None, str | None]]:
    names, *rows = table
    records = [dict(zip(names, row, strict=True)) for row in rows]
    return {record[item]: record for record in records}


def _agree(guess: SeenColumn, label: SeenColumn, guesses: Mapping[Any, Any], labels: Mapping[Any, Any]) -> bool:
    """Whether the same items have more often the same values than by chance, and not always."""
    values = (
        [records[item][column.name] for item in labels] for column, records in ((guess, guesses), (label, labels))
    )
    return agree(*values)
