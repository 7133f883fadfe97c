"""`look`: recognise a file and the possible roles of its columns, and propose commands."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any, ClassVar

from howsure import __version__
from howsure.data.column_roles import FEW, NUMBERS, OBJECTS, ONE, REPEATED, TEXTS, TWO, SeenColumn, seen_column
from howsure.data.logs.conversion import input_files
from howsure.data.logs.openai import OPENAI
from howsure.data.sources import Paths, named_paths
from howsure.data.tables.connections import Connection
from howsure.data.tables.database import Database, identifier, in_json_text, leading_column, notes_on_numbers, reading
from howsure.data.tables.named_files import (
    SPELLED,
    SUFFIXES,
    File,
    as_texts,
    equal_names,
    equal_names_message,
    header_source,
    objects_source,
    parquet_source,
    paths_read,
    separator_option,
    text_source,
    unique_names,
    written_names,
)
from howsure.data.tables.named_files import TEXTS as TEXT_FORMATS
from howsure.data.tables.table import archive_columns, copy_archives
from howsure.data.tables.title_rows import why_one_column
from howsure.errors import InputError
from howsure.files.input_files import parsed_json
from howsure.inputs.arguments import check_arguments
from howsure.inputs.checks import LIKELY_PERCENT
from howsure.inputs.label_spelling import spellings
from howsure.inputs.numbers_and_names import counted, parse_number, shortened
from howsure.inputs.source_names import format_suffix
from howsure.result import Rows, as_json
from howsure.show.table import COUNT, WORDS, Column
from howsure_cli.column_words import (
    CHANCES,
    GROUPS,
    ITEMS,
    LABELS,
    MODELS,
    PLAIN,
    PREDICTIONS,
    RATERS,
    SCORES,
    VERDICTS,
    YES,
    names_id,
)
from howsure_cli.document_commands import are_in_english
from howsure_cli.field_commands import (
    STATED,
    WITHOUT_GOLD,
    calibration_with_labels,
    fields_in_files,
    fields_in_rows,
    has_json_content,
    has_stated_confidence,
)
from howsure_cli.log_commands import propose_for_log
from howsure_cli.pair_commands import files_of_lines, scores_by_gold_table
from howsure_cli.table_commands import MAX_COMMANDS, is_unlabelled, propose_for_table
from howsure_cli.table_notes import (
    DOCUMENTS,
    OTHER_LANGUAGE,
    PAIR,
    SUMMARY,
    TAGS,
    TO_LABEL,
    UNLABELLED,
    WITHOUT_LABELS,
    are_tags,
    date_notes,
    decision_notes,
    direction_notes,
    labels_notes,
    last_totals,
    lists_inside,
    lists_note,
    lists_of_objects,
    names_among_values,
    names_below_title,
    other_scores_notes,
    summary_of_means,
    tags_notes,
    target_notes,
    thousands_notes,
    totals_note,
    unanswered_notes,
    with_points,
    with_proportions,
    without_totals,
)
from howsure_cli.terminal.output import shell_word
from howsure_cli.text_pairs import case_notes
from howsure_cli.typed_commands import Proposal, TypedFiles, glob_pattern, typed_files

__all__ = ["Look", "look"]

NO_ROLE = (
    "No columns are clearly right answers and predictions, probabilities, scores, or labels of several raters. If some "
    "are, name them yourself. Otherwise add them: predictions need right answers, and labels those of a second rater."
)
NESTED = (
    "{} holds objects that differ from row to row: write a row for each answer, such as "
    '{{"id": "q1", "model": "m", "score": 1}}.'
)
WHICH = "It is unclear from the columns which of these you mean:"
RESPELLED = "Once labels are spelled the same way in all columns: "
MIN_COLUMNS, MAX_COPIES = 3, 0.05  # of tables with exact copies, and their proportion among all rows
MOST = 0.95  # of the rows, whose values differ in a column that names them
MIN_TEXT = 20  # characters of the texts in a column, on average, whose rows are not the same by chance
MAX_CODES = 4  # values of a column of any name that may contain labels
MAX_ROWS = 20_000  # rows that are looked at
SAMPLE = 1_000  # rows of JSON that show which columns are texts
MAX_PARTS = 60  # of objects, that are shown as columns
MAX_FILES = 1_000  # of which rows are looked at
MAX_LISTS = 4  # of a document, that are looked at


def look(files: Paths, *, format: str | None = None, explode: str | None = None, encoding: str | None = None) -> Look:
    """Describe a file: the program that wrote it, the possible role and missing values of each column, useful commands.

    The first 20,000 rows of at most 1,000 tables are read, or the first 20,000 rows of each log. Values inside objects
    in a table have names such as verdict.right.

    files: one or several paths, globs or folders of tables (CSV, TSV, JSON lines, Parquet, .npz) or of logs.
    format: the format of the files, if their names do not show it.
    explode: a list column of a table, such as judgments, whose elements become rows; or columns, such as ann,bob, whose
        values become rows.
    encoding: of text files, such as windows-1252 (default: UTF-8).

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "dev.csv")
    >>> with open(path, "w") as file:
    ...     _ = file.write("gold,score\\n" + "1,0.9\\n0,0.2\\n1,0.7\\n0,0.4\\n" * 50)
    >>> [(column.name, column.kind, column.could_be) for column in look(path)]
    [('gold', 'two values', 'label, score, group'), ('score', 'within [0, 1]', 'probability, score')]

    Raises InputError for a file that cannot be read, and for a summary, which contains no answers.
    """
    check_arguments(look, locals())
    paths = named_paths(files)
    if format is None and explode is None and encoding is None and (lines := files_of_lines(paths)) is not None:
        return Look(
            what=lines.what,
            n=lines.n,
            whole=True,
            rows=lines.columns,
            proposals=tuple(lines.commands),
            notes=tuple(lines.notes),
            recipe={"howsure": __version__, "files": [*paths], "rows": lines.n},
        )
    with closing(Database()) as database:
        notes = list[str]()
        how: dict[str, Any] = {"format": format, "explode": explode, "encoding": encoding}
        named, log = input_files(paths, **how, spool=database.folder, most=MAX_ROWS, tell=notes.append)
        database.allow_only(paths_read(named))
        most, numbers = MAX_ROWS * (1 if log is None else len(named)), set[str]()
        tables = list(_first_tables(database.connection, named, most=most, numbers=numbers))
        alike = [] if log is not None else _columns_alike(database.connection, named[0], tables[0][0])
        rows = _one_table(tables)
        is_csv = log is None and named[0].format in ("csv", "tsv")
        written = rows
        rows, commas = with_points(rows, numbers) if log is None else (rows, [])
        if commas or (is_csv and separator_option(named[0], database.connection).endswith("';'")):
            notes += thousands_notes(written, numbers)
        rows, percent = with_proportions(_with_parts(*rows)) if log is None else (rows, [])
        n_totals = last_totals(rows) if log is None and len(named) == 1 else 0
        totals, rows = rows[len(rows) - n_totals :], rows[: len(rows) - n_totals]
        columns = tuple(
            seen_column(name, [row[place] for row in rows[1:]]) for place, name in enumerate(map(str, rows[0]))
        )
        n = len(rows) + len(totals) - 1 if log is None else log.rows
        typed = typed_files(paths, format, explode, encoding)
        of_log = [] if log is None else [*propose_for_log(log, named, typed)]  # while its rows can be read again
    lists = lists_of_objects(columns) if log is None and explode is None else []
    is_object = log is None and explode is None and n == len(named)  # each file, perhaps around its rows
    documents = fields_in_files(paths) if is_object else []
    inside, is_respelled = None, False
    if is_object and not documents and len(lists) == 1 and not any(c.missing for c in columns if c.name == lists[0]):
        with suppress(InputError):  # lists without elements
            inside = look(files, format=format, explode=lists[0], encoding=encoding)
    if is_object and not documents and n == 1 and not (inside and inside.commands):
        inside = _look_inside(files, rows, format, encoding) or inside
    if inside is not None:
        return inside
    of_fields = log is not None and not of_log and log.format is OPENAI and has_json_content(named[0].name)
    notes += [*map(lists_note, lists[:1]), *(log.notes if log and not of_fields else ())]
    notes += notes_on_numbers(commas, percent)
    notes += _missing_value_notes(columns)
    percentages = [*_percentage_notes(columns, rows[1:])]
    notes += [*percentages, *_spelling_notes(columns, rows[1:])]
    data_first = names_among_values(rows) if is_csv else []
    if is_comment := log is None and columns[0].name.startswith("#"):
        notes.append(f"The first line of {named[0].name} begins with #. If it is a comment, remove it.")
    if log is not None:
        commands = of_log
        if of_fields:
            commands = fields_in_files(paths) or [c for file in named for c in fields_in_files([file.name])]
            commands = commands[:MAX_COMMANDS]
            notes += [] if commands else [WITHOUT_GOLD]
        elif not commands and log.filled_rows.get("probabilities"):
            commands = calibration_with_labels(named[0].name, typed)
            notes += [] if commands else [WITHOUT_LABELS]
        what = f"a log of {log.format.program}"
    elif means := summary_of_means(columns, n):
        commands, what = list[Proposal](), f"a table of {SPELLED[_written_format(named[0])]}"
        notes.append(means)
    else:
        alike = [] if are_tags(columns) else alike
        of_alike = [f"{named[0].name} has {equal_names_message(names)} Rename them to use them." for names in alike]
        unusable = {name.casefold() for names in alike for name in names}
        places = [at for at, name in enumerate(rows[0]) if leading_column(name, ()).casefold() not in unusable]
        around = [
            at for at in places if explode and columns[at].kind == ONE and not columns[at].name.startswith(explode)
        ]
        places = [at for at in places if at not in around]  # not what a document says around its list of rows
        usable = [[row[at] for at in places] for row in rows[1:]]
        kinds = _kinds(named, tables)
        commands = scores_by_gold_table([file.name for file in named], tables)
        notes = [] if commands else notes  # on columns that only one of both has
        if len(kinds) > 1 and not commands:
            commands = documents or fields_in_files(paths)
            if not commands:
                notes.append(f"The files have different columns ({_kinds_text(kinds)}): give files of one kind.")
                notes += [PAIR.format(*map(shell_word, paths))] if len(paths) == 2 else []
                commands = [
                    typed_files([glob_pattern([file.name for file in kind])], format, explode).command("look")
                    for kind in kinds[:MAX_COMMANDS]
                ]
        elif not commands:
            table_columns = [columns[at] for at in places]
            commands = documents or fields_in_rows(table_columns, usable, typed)
            commands = commands or propose_for_table(table_columns, usable, typed, files=len(named))
            if (respelled := _with_one_spelling(table_columns, usable)) != usable:
                cells = zip(table_columns, zip(*respelled, strict=True), strict=True)
                respelled_columns = [seen_column(column.name, values) for column, values in cells]
                others = propose_for_table(respelled_columns, respelled, typed, files=len(named))
                is_respelled = bool(others) and others[0] not in commands and others[0].command != "judge agreement"
                if is_respelled:
                    notes.append(f"{RESPELLED}{others[0]}")
                    commands = [proposal for proposal in commands if proposal in others]
            if totals and (only := without_totals(rows[0], rows[1:], totals)) is not None:
                commands = [proposal.and_where(only) for proposal in commands]
        if explode is None and not is_object:
            commands = commands or fields_in_files(paths)
        if lists and not commands:
            commands = _commands_inside(files, lists[0], format, encoding, typed)
            notes = notes if commands else [note for note in notes if note != lists_note(lists[0])]
        what = f"a table of {SPELLED[_written_format(named[0])]}"
        notes += of_alike
        are_battles = any(proposal.command == "score battles" for proposal in commands)  # may be repeated
        notes += _copies_notes(columns, rows[1:]) if len(named) == 1 and not (explode or are_battles) else []
        notes += [totals_note(named[0].name, n, totals)] if totals else []
        notes += [*date_notes(columns, rows[1:], commands), *decision_notes(commands)]
        notes += direction_notes(columns, commands)
        notes += other_scores_notes(columns, commands)
        notes += [*target_notes(commands), *tags_notes(columns, commands), *unanswered_notes(columns, commands)]
        notes += case_notes(columns, rows[1:], commands)
        is_coded = commands and commands[0].is_undecided and commands[0].options.get("positive")
        if is_coded and not data_first:
            notes += [UNLABELLED] if is_unlabelled(columns) else labels_notes(columns, commands[0])
        notes += [STATED] if not commands and has_stated_confidence([column.name for column in columns]) else []
        extracted = {proposal.options["text"] for proposal in commands if proposal.command == "events extract"}
        places = [at for at, name in enumerate(rows[0]) if name in extracted]
        if not are_in_english(row[at] or "" for row in rows[1 : SAMPLE + 1] for at in places):
            commands = [proposal for proposal in commands if proposal.command != "events extract"]
            notes.append(OTHER_LANGUAGE)
        notes += [DOCUMENTS for proposal in commands if proposal.command.startswith("events")]
        notes += [TO_LABEL for proposal in commands if proposal.command == "counts sample"]
        notes += [] if commands or not are_tags(columns) else [TAGS]
    if is_csv and (names := names_below_title(rows)):
        notes.append(
            f"The first line of {named[0].name} has one value, {columns[0].name!r}; the names of the columns seem to "
            f"be in a later line: {shortened(names)}. Remove the lines before it."
        )
    if data_first:
        commands = []  # which would name columns by values
        notes.append(
            f"The first line of {named[0].name} seems to be data, such as {shortened(map(repr, data_first))}. Add a "
            "first line with the names of the columns."
        )
    if (
        len(columns) == 1
        and not is_comment
        and (reason := why_one_column(columns[0].name, [row[0] for row in rows[1:] if row[0]])) is not None
    ):
        notes.append(f"{named[0].name} has only one column: {reason}")
    elif not n:
        notes.append(f"{named[0].name} has the names of columns and no rows. Was it cut off?")
    elif not (
        commands
        or data_first
        or alike
        or percentages
        or {WITHOUT_GOLD, STATED, WITHOUT_LABELS, SUMMARY, TAGS, OTHER_LANGUAGE} & {*notes}
        or is_respelled
    ):
        whole = [column.name for column in columns if column.kind in (OBJECTS, ONE) and column.examples[0][:1] == "{"]
        nested = [name for name in whole if not any(column.name.startswith(f"{name}.") for column in columns)]
        notes.append(NESTED.format(nested[0]) if nested else UNLABELLED if is_unlabelled(columns) else NO_ROLE)
    recipe = {"howsure": __version__, "files": [file.name for file in named], "rows": n}
    return Look(
        what=what,
        n=n,
        whole=(n < MAX_ROWS if log is None else n < MAX_ROWS * len(named)) and len(tables) == len(named),
        rows=columns,
        proposals=tuple(commands),
        notes=(*(file.note for file in named if file.note), *notes),
        recipe=recipe,
    )


def _look_inside(files: Paths, rows: Sequence[Sequence[Any]], format: str | None, encoding: str | None) -> Look | None:
    """Return the result of `look` for the longest list of objects in a single document for which there are commands;
    None if there is no such list."""
    cells = {str(name): cell for name, cell in zip(*rows, strict=True) if str(cell)[:1] in ("{", "[")}
    lists = [entry for name, cell in cells.items() for entry in lists_inside(name, parsed_json(cell))]
    for _, name in sorted(lists, key=lambda entry: -entry[0])[:MAX_LISTS]:
        with suppress(InputError):  # objects of which some are not rows
            inside = look(files, format=format, explode=name, encoding=encoding)
            if any(proposal.command != "look" for proposal in inside.proposals):
                others = [other for _, other in lists if other != name]
                return replace(inside, notes=(*inside.notes, *map(lists_note, others[:1])))
    return None


def _commands_inside(
    files: Paths, name: str, format: str | None, encoding: str | None, typed: TypedFiles
) -> list[Proposal]:
    """Return commands for the objects in the lists of a column, or the look at them; [] if these are not rows."""
    try:
        inside = look(files, format=format, explode=name, encoding=encoding)
    except InputError:
        return []
    return list(inside.proposals) or [typed.command("look", explode=name)]


def _written_format(file: File) -> str:
    """The format of a file by its name, even if a copy of its rows is read."""
    return file.format if file.origin is None else SUFFIXES.get(format_suffix(file.name), file.format)


def _first_tables(
    connection: Connection, files: Sequence[File], *, most: int, numbers: set[str]
) -> Iterator[list[list[Any]]]:
    """Yield, for each file, the names of its columns and its first rows, until there are `most` rows of all files.

    The names of columns with values other than strings, such as numbers in JSON, are added to `numbers`.
    """
    for file in files[:MAX_FILES]:
        table = _first_rows(connection, file, numbers)
        yield table[: most + 1]
        most -= len(table) - 1
        if most <= 0:
            return


def _first_rows(connection: Connection, file: File, numbers: set[str]) -> list[list[Any]]:
    """The names of the columns of a file, then its first rows as texts."""
    with reading(file.name, file.path):
        if file.format == "npz":
            names = list(archive_columns(file))
            connection.execute("DROP TABLE IF EXISTS looked_at")
            copy_archives(connection, [file], names, into="looked_at")
            source, stored = "looked_at", list(unique_names(names).values())
        else:
            source = parquet_source([file]) if file.format == "parquet" else header_source(file)
            types = {str(name): type for name, type, *_ in connection.execute(f"DESCRIBE FROM {source}").fetchall()}
            stored = list(types)
            if file.format in ("json", "jsonl"):
                tests = (f"bool_and(json_type({identifier(name)}) IN ('VARCHAR', 'NULL'))" for name in stored)
                query = f"SELECT {', '.join(tests)} FROM (FROM {source} LIMIT {SAMPLE})"
                are_texts = dict(zip(stored, connection.execute(query).fetchall()[0], strict=True))
            else:
                are_texts = {name: type == "VARCHAR" for name, type in types.items()}
            numbers.update(name for name, is_text in are_texts.items() if not is_text)
            names = written_names(connection, file, stored)
        values = [f"CAST({identifier(name)} AS VARCHAR)" for name in stored]
        if file.format in ("json", "jsonl") and equal_names(names):  # of which DuckDB reads only one
            source, values = objects_source(file), [in_json_text("json", [name]) for name in names]
        elif file.format in TEXT_FORMATS:
            source = text_source(file, as_texts(names) if file.format in ("json", "jsonl") else "")
        heads = names if len(set(names)) == len(names) else stored
        query = f"SELECT {', '.join(values)} FROM {source} LIMIT {MAX_ROWS}"
        return [heads, *map(list, connection.execute(query).fetchall())]


def _columns_alike(connection: Connection, file: File, names: Sequence[str]) -> list[list[str]]:
    """The columns of a file whose names differ only in case or not at all, together."""
    with reading(file.name, file.path):
        return equal_names(written_names(connection, file, names))


def _with_parts(heads: list[Any], *rows: list[Any]) -> list[list[Any]]:
    """Return the table with further columns: one for each number, truth value and string that most objects of a column
    contain."""
    parts: dict[str, list[Any]] = {}
    objects = Counter[str]()  # of each column
    column_of_part: dict[str, str] = {}
    has_objects = [any(row[at] is not None and row[at][:1] == "{" for row in rows) for at in range(len(heads))]
    for at, row in enumerate(rows if len(rows) > 1 and any(has_objects) else ()):
        for head, cell in compress(zip(heads, row, strict=True), has_objects):
            if not (content := _object(cell)) or len(content) > MAX_PARTS:  # which maps names to values
                continue
            objects[head] += 1
            for name, value in _object_leaves(head, content):
                if name in parts or len(parts) < MAX_PARTS:
                    parts.setdefault(name, [None] * len(rows))[at] = value
                    column_of_part[name] = head
    least = {name: 0.8 * objects[column] for name, column in column_of_part.items()}
    parts = {name: cells for name, cells in parts.items() if len(rows) - cells.count(None) > least[name]}
    if not parts:
        return [heads, *rows]
    return [[*heads, *parts], *([*row, *(part[at] for part in parts.values())] for at, row in enumerate(rows))]


def _object_leaves(name: str, content: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The numbers, truth values and texts of an object and of the objects in it, with names such as verdict.right."""
    for key, value in content.items():
        if isinstance(value, dict) and not key.isdecimal():  # numbers are names of items, not of fields
            yield from _object_leaves(f"{name}.{key}", value)
        elif not (value is None or isinstance(value, dict | list)):
            is_plain = isinstance(value, float | int) and not isinstance(value, bool) and math.isfinite(value)
            yield f"{name}.{key}", value if isinstance(value, str) else repr(value) if is_plain else json.dumps(value)


def _object(text: str | None) -> dict[str, Any]:
    """Parse a text as a JSON object; return {} for other texts."""
    try:
        return dict(parsed_json(text)) if text is not None and text.startswith("{") else {}
    except ValueError:
        return {}


def _one_table(tables: Sequence[list[list[Any]]]) -> list[list[Any]]:
    """Return the names of all columns, then the rows of all tables. A value is None if the row's table lacks the
    column."""
    if len(tables) == 1:
        return tables[0]
    names = list(dict.fromkeys(name for table in tables for name in table[0]))
    rows: list[list[Any]] = [names]
    for heads, *table_rows in tables:
        place = {name: at for at, name in enumerate(heads)}
        rows += [[row[place[name]] if name in place else None for name in names] for row in table_rows]
    return rows


def _kinds(files: Sequence[File], tables: Sequence[list[list[Any]]]) -> list[list[File]]:
    """Return the files grouped by their column names, the largest group first. Files that lack a few columns are in the
    same group."""
    kinds = list[tuple[set[Any], list[File]]]()
    for file, (heads, *_) in zip(files, tables, strict=False):
        names = set(heads)
        alike = next((kind for columns, kind in kinds if names <= columns or columns <= names), None)
        if alike is None:
            kinds.append((names, alike := []))
        alike.append(file)
    return sorted((kind for _, kind in kinds), key=len, reverse=True)


def _kinds_text(kinds: Sequence[Sequence[File]]) -> str:
    described = [f"{kind[0].name}{f' and {len(kind) - 1:,} more' if kind[1:] else ''}" for kind in kinds]
    return shortened(described, limit=3)


def _missing_value_notes(columns: Sequence[SeenColumn]) -> Iterator[str]:
    lacking = [f"{column.name} ({column.missing:,})" for column in columns if column.missing]
    if lacking:
        yield f"Values are missing in {shortened(lacking, limit=6)}."


def _copies_notes(columns: Sequence[SeenColumn], rows: Sequence[Sequence[Any]]) -> Iterator[str]:
    """Yield a note if a few rows are copies of others in several columns, one of which names an item, or if any are
    that contain a text."""
    has_texts = any(c.kind == TEXTS or (c.characters > MIN_TEXT and " " in c.examples[0]) for c in columns)
    nearly_unique = [column for column in columns if column.kind == REPEATED and column.values > MOST * len(rows)]
    names = nearly_unique or [column for column in columns if names_id(column) or column.words & ITEMS]
    is_named = len(columns) >= MIN_COLUMNS and bool(names)
    if not (is_named or has_texts):
        return
    first_rows = dict[tuple[Any, ...], int]()
    copies = [(at, first) for at, row in enumerate(rows) if (first := first_rows.setdefault(tuple(row), at)) != at]
    if 0 < len(copies) <= (1.0 if has_texts else MAX_COPIES) * len(rows):
        at, first = copies[0]
        yield (
            f"Exact copies of other rows: {len(copies):,}; row {at + 1} is row {first + 1} again. Copies count twice "
            "and prevent a comparison by item. Remove them, then look again."
        )


def _spelling_notes(columns: Sequence[SeenColumn], rows: Sequence[Sequence[Any]]) -> Iterator[str]:
    """Yield a note on each column of labels or groups in which some values differ only in spelling, such as Yes and
    yes."""
    for place, column in enumerate(columns):
        is_named = column.words & (LABELS | PREDICTIONS | SCORES | GROUPS | MODELS | RATERS | VERDICTS)
        if column.kind in (FEW, TWO) and (is_named or 0 < len({*map(str.casefold, column.held)}) <= MAX_CODES):
            counts = Counter(row[place] for row in rows if row[place] in column.held)
            if len(yes := sorted({value.casefold() for value in column.held} & YES - {"1.0"})) > 1:
                yield f"{column.name}: {shortened(map(repr, yes))} may mean the same. Spell them the same way."
            if alike := spellings(counts):
                yield f"{column.name}: {alike}, and would count as different values. Spell them the same way."


def _with_one_spelling(columns: Sequence[SeenColumn], rows: list[list[Any]]) -> list[list[Any]]:
    """The rows, with the most frequent spelling of each label, such as pass for PASS, in columns of the same labels."""
    folded = {
        at: frozenset(map(str.casefold, column.held)) for at, column in enumerate(columns) if column.kind in (FEW, TWO)
    }
    folded = {at: labels for at, labels in folded.items() if len(labels) <= MAX_CODES and not labels <= PLAIN}
    spelled = {(labels, text) for at, labels in folded.items() for text in columns[at].held}
    if len({(labels, text.casefold()) for labels, text in spelled}) == len(spelled):
        return rows
    counts = Counter((labels, row[at]) for at, labels in folded.items() for row in rows if row[at] is not None)
    spelling = {(labels, text.casefold()): text for (labels, text), _ in reversed(counts.most_common())}
    return [
        [spelling[folded[at], cell.casefold()] if at in folded and cell else cell for at, cell in enumerate(row)]
        for row in rows
    ]


def _percentage_notes(columns: Sequence[SeenColumn], rows: Sequence[Sequence[Any]]) -> Iterator[str]:
    """A note on each column that seems to have probabilities in percent, as numbers."""
    for place, column in enumerate(columns):
        if column.kind in (NUMBERS, FEW, REPEATED) and column.words & CHANCES - {"score"}:
            highest = max((parse_number(row[place] or "") or 0.0 for row in rows), default=0.0)
            if LIKELY_PERCENT < highest <= 100.0:
                yield (
                    f"{column.name} goes up to {highest:g}, but probabilities are between 0 and 1. If these are "
                    "percentages, divide them by 100."
                )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Look(Rows[SeenColumn]):
    """The result of `look`: a row per column.

    what: the kind of the files. n: the number of rows that were read; whole: whether these are all rows. proposals:
    commands as values, the most important first; commands: their texts, ready to copy. recipe: the files and settings.
    """

    what: str
    n: int
    whole: bool
    rows: tuple[SeenColumn, ...] = as_json("columns")
    proposals: tuple[Proposal, ...] = as_json(None)
    notes: tuple[str, ...]
    recipe: Mapping[str, Any]

    title = "Columns"
    derived: ClassVar = {"commands": "columns"}
    ends_in_examples = True  # whose table may be cut at the width of a terminal

    @property
    def commands(self) -> tuple[str, ...]:
        """The proposed commands, ready to copy."""
        return tuple(map(str, self.proposals))

    @property
    def input_line(self) -> str:
        """The names, kind and size of the files."""
        files = self.recipe["files"]
        names = files[0] if len(files) == 1 else f"{files[0]} and {len(files) - 1:,} more"
        first = "" if self.whole else "the first "
        return f"{names}: {self.what}; {first}{counted(self.n, 'row')}, {counted(len(self.rows), 'column')}"

    def columns(self) -> Sequence[Column]:
        """The columns of the table: for each column of the files, its content and possible role."""
        return [
            Column("name", WORDS, "column"),
            Column("kind", WORDS, "holds"),
            Column("could_be", WORDS, "could be"),
            Column("missing", COUNT),
            Column("values", COUNT, legend="different values"),
            Column("examples", WORDS, "for example", get=lambda column: ", ".join(column.examples)),
        ]

    def footnotes(self) -> Sequence[str]:
        """The notes, and the commands."""
        proposals = [line for each in self.proposals for line in (f"  {each.question}", f"    {each}")]
        are_alike = len(proposals) > 2 and all(each.is_undecided for each in self.proposals[:2])
        return [*self.notes, *([WHICH if are_alike else "Worth typing next:", *proposals] if proposals else [])]
