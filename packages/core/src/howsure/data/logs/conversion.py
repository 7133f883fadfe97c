"""Rewrite logs as JSON lines with named columns, which are then read like any table."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain, compress, groupby, islice
from pathlib import Path
from typing import Any

import numpy as np

from howsure.data.logs.item_documents import Contradiction, contradiction_in
from howsure.data.logs.labels import Labels
from howsure.data.logs.log_detection import LOGS, check_format, check_tables, detected, log_format, unfolded
from howsure.data.logs.log_file import (
    NAMED,
    OF_CLASSES,
    Block,
    Columns,
    LogFormat,
    Row,
    Source,
    Unread,
    garbage_collection_paused,
    json_lines,
    parsed_line,
    rows_to_columns,
    single_rows,
)
from howsure.data.logs.tokens import NONE, WAYS, with_probabilities
from howsure.data.object_rows import rows_as_objects
from howsure.data.tables.database import chunks
from howsure.data.tables.named_files import COPIES, File, copied_rows, named_files, reading_files
from howsure.data.tables.table import open_table
from howsure.data.tables.where import Condition, as_literal
from howsure.errors import InputError, parameter, quote
from howsure.files.input_files import missing_file
from howsure.inputs.frames import DOCUMENT, EXCEPTION, ITEM, ITEM_HASH, MODEL, RUN, TASK
from howsure.inputs.measures import Measure, measure_named
from howsure.inputs.numbers_and_names import check_choice, counted, parse_number, part_of, shortened
from howsure.inputs.pairs import CLASS_WISE, PROB, PROBS_COLUMN, TOP_LABEL, UNNAMED, Probabilities
from howsure.notes import WARNING, marked_note

WORD = re.compile(r"\w+")
MAX_VALUES = 10_000  # most distinct values that are stored of a column that separates rows
ALWAYS_NEEDED = frozenset(NAMED)
NUMERIC = frozenset((int, float, bool))
BATCH = 256  # rows
MASS = "class_mass"  # the probability of the answers among all tokens


@dataclass
class Log:
    """A description of the contents of logs, collected while they are rewritten."""

    format: LogFormat
    normalise: str  # empty if the log has no log-likelihoods
    model_version: str | None = None
    notes: list[str] = field(default_factory=list)
    files: int = 0
    rows: int = 0
    filled_rows: dict[str, int] = field(default_factory=dict)  # number of rows with a value, by column
    numbers: dict[str, None] = field(default_factory=dict)  # columns that contain a number somewhere
    measures: dict[str, Measure] = field(default_factory=dict)  # measures of the scores, by name
    first_scores: dict[Any, str] = field(default_factory=dict)  # the first score of quality in a row, by task
    names_before: dict[Any, set[str]] = field(default_factory=dict)  # the scores before it in rows, by task
    values: dict[str, dict[Any, None]] = field(default_factory=dict)  # values of the columns that separate rows
    ways: dict[tuple[Any, ...], dict[Any, None]] = field(default_factory=dict)  # of scoring, by model, task, prompt
    lengths: set[int] = field(default_factory=set)  # lengths of the lists of probabilities
    classes: tuple[str, ...] | None = None
    alike: bool = True  # whether all rows have the same classes
    answers: dict[str, int] = field(default_factory=dict)  # number of rows that name one of their classes, by column
    exceptions: Counter[str] = field(default_factory=Counter)  # number of rows without a result, by reason
    unread: dict[str, Unread] = field(default_factory=dict)  # scores that are not numbers, by name
    documents: dict[int, int] = field(default_factory=dict, repr=False)  # document hash by item hash
    may_contradict: bool = False  # whether an item has two documents
    reread: Callable[[], Iterator[tuple[str, Row]]] = field(default=lambda: iter(()), repr=False)  # files and rows

    def __post_init__(self) -> None:
        self.values = {name: {} for name in (*self.format.group, RUN)}

    def has(self, *columns: str) -> bool:
        """Whether every row has a value in these columns."""
        return self.rows > 0 and all(self.filled_rows.get(name) == self.rows for name in columns)

    def varies(self, column: str) -> bool:
        """Whether a column has different values."""
        return len(self.values.get(column, ())) > 1

    @property
    def group(self) -> tuple[str, ...]:
        """The columns with different values that separate rows which must not be pooled."""
        return tuple(name for name in self.format.group if (self.several_ways if name == RUN else self.varies(name)))

    def repeats_items(self, parts: Collection[str]) -> bool:
        """Whether an item may have several rows in a group, because other columns differ."""
        runs = () if RUN in self.format.group else (RUN,)
        return any(self.varies(column) for column in {*self.group, *runs} - {"task", *parts})

    def suggest_condition(self, column: str) -> str:
        """Return a condition, as users type it, that selects one value of a column.

        If the column names the way in which answers are scored, and the selected one does not occur in every
        task of the log, the condition excludes the others instead.
        """
        values = (self.several_ways if column == RUN else ()) or self.values[column]
        kept, *others = [value for value in values if value is not None]
        if column == RUN and not all(kept in ways for ways in self.ways.values()):
            return parameter("where", " and ".join(f"{column} <> {as_literal(other)}" for other in others))
        return parameter("where", f"{column} = {as_literal(kept)}")

    @property
    def several_ways(self) -> tuple[Any, ...]:
        """The ways (filters) in which the same answers are scored, for the first task that has several."""
        return next((tuple(ways) for ways in self.ways.values() if len(ways) > 1), ())

    def check_ways(self, parts: Collection[str], *, advice: str) -> None:
        """Raise InputError if answers are scored in several ways and no column of `parts` separates these.

        advice: how to separate the ways of scoring.
        """
        if RUN in parts or not self.several_ways:
            return
        ways = shortened(map(repr, self.several_ways))
        raise InputError(
            f"this log of {self.format.program} contains the same answers scored in several ways ({ways}), which are "
            f"never averaged. Choose one, {self.suggest_condition(RUN)}, or {advice}."
        )

    @property
    def class_names(self) -> tuple[str, ...] | None:
        """The names of the classes, if they are the same in every row and not numbers; otherwise None."""
        names = self.classes if self.alike else None
        if names is None or len(set(names)) < len(names) or any(parse_number(name) is not None for name in names):
            return None
        return names

    def names_classes(self, column: str) -> bool:
        """Whether every value of a column is the name of a class."""
        return self.class_names is not None and 0 < self.filled_rows.get(column, 0) == self.answers.get(column)

    @property
    def scores(self) -> tuple[str, ...]:
        """The columns of numbers that the program itself computed: quality scores, costs and counts."""
        return tuple(name for name in self.numbers if name not in NAMED)

    @property
    def quality_scores(self) -> tuple[str, ...]:
        """The scores that measure the quality of an answer."""
        return tuple(name for name in self.scores if self.measure(name).is_quality)

    @property
    def primary_scores(self) -> tuple[str, ...]:
        """The first quality score of each task."""
        return tuple(dict.fromkeys(self.first_scores.values()))

    def measure(self, name: str) -> Measure:
        """Return what a score measures."""
        if name not in self.measures:
            self.measures[name] = measure_named(name, self.format.bounds)
        return self.measures[name]

    @cached_property
    def contradiction(self) -> Contradiction | None:
        """An item that refers to different documents in different files, if there is one."""
        return contradiction_in(self.reread()) if self.may_contradict else None

    def check_items(self) -> None:
        """Raise InputError if an item refers to different documents."""
        if self.contradiction is not None:
            raise self.contradiction.error()

    @cached_property
    def item_column(self) -> str:
        """The column that pairs the rows of several models: the item or, if items are inconsistent, the document."""
        if self.contradiction is None:
            return ITEM
        if not self.contradiction.one_to_one:
            raise self.contradiction.error()
        self.notes.append(f"Note: {self.contradiction.note()}")
        return ITEM_HASH

    def note_repeats_without_items(self) -> None:
        """Add a note if items repeat but some rows have no item, so that repeats cannot be clusters."""
        if ITEM not in self.filled_rows:
            return
        items = Counter(
            tuple(row.get(name) for name in (MODEL, TASK, ITEM))
            for _, row in self.reread()
            if row.get(ITEM) is not None
        )
        for item, repeats in items.most_common(1):
            if repeats > 1:
                rows = f"{part_of(self.rows - items.total(), self.rows, 'row', 'has', 'have')} no item"
                self.notes.append(
                    f"Items repeat ({quote(item[-1])} has {repeats} rows), but {rows}: repeated answers count as "
                    "independent, and the intervals may be too narrow. Read one run at a time."
                )

    def note_runs_as_models(self) -> None:
        """Add a note if a folder of Terminal-Bench contains runs that count as models, as they do not name an agent."""
        if self.format.name != "terminal-bench":
            return
        runs = {(row.get(MODEL), os.path.dirname(os.path.dirname(file))) for file, row in self.reread()}
        folders = {folder for _, folder in runs}
        if "" not in folders and len(runs) > len(folders):
            named = "1 folder" if len(folders) == 1 else f"{len(folders):,} folders"
            self.notes.append(
                marked_note(
                    f"{len(runs):,} runs in {named} count as {len(runs):,} models. If the runs in a folder are of one "
                    f"agent: {parameter('model', 'folder')}.",
                    WARNING,
                )
            )

    def note_unread(self) -> None:
        """Add a note that counts the scores that are not numbers, and says how to read lists of scores."""
        if not self.unread:
            return
        counts = [
            f"{name} ({counted(unread.rows, 'row')}, such as {quote(unread.first)})"
            for name, unread in self.unread.items()
        ]
        lists = [name for name, unread in self.unread.items() if unread.is_list]
        advice = ""
        if lists:
            options = ["`format='jsonl'`", parameter("explode", lists[0]), parameter("score", lists[0])]
            advice = f" For the mean over the elements of a list: {' '.join(options)}, with items as clusters."
        self.notes.append(marked_note(f"Not read, because they are not numbers: {', '.join(counts)}.{advice}"))

    def note_exceptions(self) -> None:
        """Add a note on the rows that ended in an error."""
        if self.exceptions:
            reasons = shortened([f"{name} ({rows:,})" for name, rows in self.exceptions.most_common()], limit=4)
            self.notes.append(
                f"{self.exceptions.total():,} of {self.rows:,} rows ended in an error: {reasons}. For means that count "
                "them as failed or passed: howsure score agents."
            )

    def note_left_out_scores(self, selected: Collection[str], *, costs: bool = True) -> None:
        """Add notes that name scores that were not selected, and costs and counts, which never are by default."""
        others = [name for name in self.quality_scores if name not in selected]
        if others:
            names = shortened(others, limit=len(others))
            self.notes.append(
                marked_note(f"Other scores of this log: {names}. To use one: {parameter('score', others[0])}.")
            )
        left_out = [name for name in self.scores if not self.measure(name).is_quality and name != MASS]
        if left_out and costs:
            names = shortened(left_out, limit=len(left_out))
            example = parameter("score", left_out[0])
            self.notes.append(marked_note(f"Costs and counts are not scores: {names}. To use one, name it: {example}."))

    def describe(self) -> dict[str, Any]:
        """Describe the input for the recipe of a result."""
        normalise = {"normalise": self.normalise} if self.normalise else {}
        version = {} if self.model_version is None else {"model_version": self.model_version}
        return {"format": self.format.name, **normalise, **version} | ({"notes": self.notes} if self.notes else {})

    def note(self, columns: Columns, rows: int) -> None:
        """Count the values of rows with the same columns."""
        self.rows += rows
        nothing = (None,) * rows
        classes = columns.get("classes", nothing)
        first_numbers = dict[str, int]()  # the first row with a number, by column
        for name, values in columns.items():
            types = set(map(type, values))
            if filled := rows - (values.count(None) if type(None) in types else 0):
                self.filled_rows[name] = self.filled_rows.get(name, 0) + filled
            if types & NUMERIC:
                first_numbers[name] = next(row for row, value in enumerate(values) if isinstance(value, (int, float)))
            if str in types and "classes" in columns and name not in NAMED:
                answers = [
                    isinstance(value, str) and value in (names or ())
                    for value, names in zip(values, classes, strict=True)
                ]
                if any(answers):
                    self.answers[name] = self.answers.get(name, 0) + sum(answers)
        self.numbers |= dict.fromkeys(sorted(first_numbers, key=first_numbers.__getitem__))
        self.exceptions.update(str(why) for why in columns.get(EXCEPTION, ()) if why is not None)
        self._note_first_scores(columns, [name for name in columns if name in first_numbers and name not in NAMED])
        for name, values_of_column in self.values.items():
            for value in dict.fromkeys(columns.get(name, nothing)):
                _note_value(values_of_column, value)
        if RUN in self.format.group:
            parts = (columns.get(name, nothing) for name in (*self.format.group, RUN) if name != RUN)
            for part in dict.fromkeys(zip(zip(*parts, strict=True), columns.get(RUN, nothing), strict=True)):
                _note_value(self.ways.setdefault(part[0], {}), part[1])
        self.lengths |= {len(row) for row in columns.get("probabilities", ()) if row is not None}
        if self.classes is None:
            self.classes = next((tuple(names) for names in classes if names is not None), None)
        self.alike = self.alike and all(names is not None and tuple(names) == self.classes for names in classes)
        if not self.may_contradict and ITEM_HASH in columns:
            keys = list(map(hash, zip(columns.get(TASK, nothing), map(str, columns.get(ITEM, nothing)), strict=True)))
            documents = list(map(hash, columns[ITEM_HASH]))
            self.may_contradict = list(map(self.documents.setdefault, keys, documents)) != documents

    def _note_first_scores(self, columns: Columns, numeric: Sequence[str]) -> None:
        """Record the first score of quality in each row, by task."""
        scores = [name for name in numeric if self.measure(name).is_quality]
        if not scores:
            return
        firsts: Sequence[str | None] = [None] * len(columns[scores[0]])
        for name in scores:
            firsts = [
                first or (name if isinstance(value, (int, float)) else None)
                for first, value in zip(firsts, columns[name], strict=True)
            ]
            if None not in firsts:
                break
        tasks = columns.get(TASK, (None,) * len(firsts))
        for task, score in dict.fromkeys(zip(tasks, firsts, strict=True)):
            if score is not None and score != self.first_scores.get(task):
                self._note_first_score(task, score, list(columns))

    def _note_first_score(self, task: Any, score: str, names: list[str]) -> None:
        """Record the first score of a row with these columns, unless the task's recorded score takes precedence."""
        current, place = self.first_scores.get(task), names.index(score)
        if current is None or score in self.names_before[task] or current in names[place:]:
            self.first_scores[task] = score
            self.names_before[task] = set(names[:place])


def _note_value(values: dict[Any, None], value: Any) -> None:
    if value not in values and len(values) < MAX_VALUES:
        values[value] = None


def input_files(
    paths: Sequence[str | os.PathLike[str]],
    *,
    format: str | None,
    spool: Path,
    names_needed: Iterable[str | None] = (),
    normalise: str | None = None,
    files: tuple[File, ...] | None = None,
    form_name: str | None = None,
    most: int | None = None,
    labels_from: str | None = None,
    explode: str | None = None,
    pivot: str | None = None,
    grades_are_labels: bool = False,
    keep_empty: bool = False,
    model_version: str | None = None,
    encoding: str | None = None,
    lists: Collection[str] = OF_CLASSES,
    tell: Callable[[str], None] = lambda text: None,
) -> tuple[tuple[File, ...], Log | None]:
    """Return the named files, with logs rewritten in `spool`, and the description of the logs (None for tables).

    format: a format of tables or of logs, or None to detect it. names_needed: beyond standard columns and scores, a
    column of a log is kept if its name is a word in one of these strings. normalise: how log-likelihoods of choices
    become probabilities. files, form_name: the files of the paths and their log format, if known. most: read at most
    this many rows of each log, with all columns. labels_from: a table of true answers. explode: a column of lists in a
    table, whose elements become rows; with `keep_empty`, a row without elements remains. pivot: the columns of item,
    rater and grade in a table with a row for each grade; its raters become columns. model_version: the model behind an
    alias in a log of decisions. encoding: that of text files. lists: the columns with lists by class that a log keeps,
    although they are not among `names_needed`. tell: a function that is called with notes on the table.
    """
    check_format(format)
    if normalise is not None:
        check_choice(normalise, WAYS, name="normalise")
    is_log = format in LOGS
    if files is None:
        paths, form_name = unfolded(paths, format, tell)
        files = named_files(paths, format=None if is_log else format, spool=spool, by_content=is_log, encoding=encoding)
    form = log_format(str(format)) if is_log else None if form_name is None else log_format(form_name)
    if form is None and format is None:
        form = detected(files)
    words = {word for text in names_needed if text for word in WORD.findall(text)}
    if form is None:
        check_tables(files)
        if labels_from is not None:
            raise InputError(
                "`labels_from=...` is for logs, but these files are tables. Name their column of labels instead."
            )
        if normalise is not None:
            raise InputError(
                "`normalise=...` is for log-likelihoods in a log, but these files are tables. Leave it out."
            )
        if model_version is not None:
            raise InputError("`model_version=...` is for logs of decisions, but these files are tables. Leave it out.")
        how: dict[str, Any] = {"pivot": pivot, "grades_are_labels": grades_are_labels, "names": words}
        how |= {"keep_empty": keep_empty}
        return rows_as_objects(files, explode, spool, tell, recognise=format is None, **how), None
    for name, value, of in (("explode", explode, "lists in tables"), ("pivot", pivot, "tables of grades")):
        if value is None:
            continue
        raise InputError(
            f"`{name}=...` is for {of}; {files[0].name} is a log of {form.program}. Read it as a table: "
            f"`format={files[0].format!r}`."
        )
    if model_version is not None and form.name != "decisions":
        raise InputError(
            f"`model_version=...` is for decisions, whose responses may name an alias; {files[0].name} is a log of "
            f"{form.program}."
        )
    log = Log(form, normalise or NONE, model_version)
    if labels_from is not None and not os.path.exists(labels_from):
        raise missing_file(labels_from, [os.path.dirname(file.name) for file in files])
    labels = None if labels_from is None else Labels.read(labels_from, spool)
    kept = partial(_needed_columns, words=words if most is None else None)
    unwritten = OF_CLASSES.difference(lists, words)
    names = [f"log-{at}.jsonl" if len(files) > 1 else COPIES for at in range(len(files))]
    copies = [
        LogCopy(Source(file, log.notes, log.model_version, log.unread), f"{spool}{os.sep}{name}")
        for file, name in zip(files, names, strict=True)
    ]
    with open(spool / COPIES, "wb") as lines, garbage_collection_paused():
        for all_columns, row_copies in _batches(copies, log, most, labels):
            columns = kept(all_columns)
            log.note(columns, len(row_copies))
            text = json_lines({name: columns[name] for name in columns if name not in unwritten}, len(row_copies))
            _note_copied(row_copies, columns, text, lines.tell())
            lines.write(text)
    rewritten = tuple(copy.file for copy in copies if copy.rows)
    if not rewritten:
        raise InputError(f"{files[0].name} has no rows.")
    log.files = len(rewritten)
    log.reread = partial(_rows_with_files, rewritten)
    log.note_unread()
    if len(rewritten) > 1:
        scores = dict.fromkeys(log.scores)  # even if the rows of a file have no such column
        rewritten = tuple(
            replace(file, columns=tuple(dict.fromkeys(file.columns) | scores)) if scores.keys() - file.columns else file
            for file in rewritten
        )
    if "log_probabilities" not in log.filled_rows:
        log.normalise = ""
        if normalise is not None:
            raise InputError(
                f"`normalise=...` is for log-likelihoods of choices, but {files[0].name} has none. Leave it out."
            )
    return rewritten, log


@dataclass(slots=True, eq=False)
class LogCopy:
    """A log that is being rewritten. Its rows follow each other in the file COPIES, from the byte `start`."""

    source: Source
    path: str
    rows: int = 0
    start: int | None = None
    columns: dict[str, None] = field(default_factory=dict)

    @property
    def file(self) -> File:
        name, start = self.source.name, self.start or 0
        return File(self.path, name, "jsonl", columns=tuple(self.columns), rows=self.rows, start=start)


def _note_copied(row_copies: Sequence[LogCopy], columns: Columns, lines: bytes, position: int) -> None:
    """Record the columns of each copied log, and the position at which its rows start.

    row_copies: the log of each line.
    """
    starts = {row_copies[0]: position}
    if row_copies[-1] is not row_copies[0]:
        for copy, length in zip(row_copies, map(len, lines.splitlines(keepends=True)), strict=True):
            starts.setdefault(copy, position)
            position += length
    for copy, start in starts.items():
        copy.start = start if copy.start is None else copy.start
        copy.columns |= dict.fromkeys(columns)


Batch = tuple[Columns, list[LogCopy]]  # columns, and the log of each row


def _batches(copies: Sequence[LogCopy], log: Log, most: int | None, labels: Labels | None) -> Iterator[Batch]:
    """Yield batches of consecutive rows with the same columns, with probabilities.

    A batch contains rows of several logs only if they have no lists of classes. Logs without rows get a note.
    """
    batch, row_copies, names = list[Row](), list[LogCopy](), tuple[str, ...]()

    def whole(columns: Columns, row_copies: list[LogCopy]) -> Batch:
        try:
            return with_probabilities(columns, log.normalise), row_copies
        except ValueError as error:
            raise _first_fault(log, Block(columns).rows(), row_copies) from error

    for copy in copies:
        rows, unlabelled, source = log.format.rows(copy.source), 0, copy.source
        if most is not None or labels is not None:
            rows = islice(chain.from_iterable(map(single_rows, rows)), most)
        while True:
            try:
                row = next(rows, None)
                row = row if row is None or labels is None else labels.of(row)
            except ValueError as error:
                if batch:  # report an error in an earlier row first
                    yield whole(rows_to_columns(batch), row_copies)
                raise error if isinstance(error, InputError) else source.fault(copy.rows + 1, f"{error}.") from error
            if row is None:
                ends = copy is copies[-1] or not OF_CLASSES.isdisjoint(names)
            else:
                ends = isinstance(row, Block) or len(batch) == BATCH or tuple(row) != names
            if batch and ends:
                yield whole(rows_to_columns(batch), row_copies)
                batch, row_copies = [], []
            if row is None:
                break
            if isinstance(row, Block):
                size = len(next(iter(row.values())))
                copy.rows += size
                yield whole(row, [copy] * size)
                continue
            unlabelled += labels is not None and row["target"] is None
            names = tuple(row) if not batch else names
            batch.append(row)
            row_copies.append(copy)
            copy.rows += 1
        if not copy.rows:
            source.note("it has no rows, and is left out")
        elif labels is not None and unlabelled:
            source.note(f"{part_of(unlabelled, copy.rows, 'row', 'has', 'have')} no label in {labels.name}")


def _first_fault(log: Log, rows: Sequence[Row], row_copies: Sequence[LogCopy]) -> InputError:
    """Build the error for the first row without valid probabilities. rows: the last rows that were read."""
    for at, (row, copy) in enumerate(zip(rows, row_copies, strict=True)):
        try:
            with_probabilities(rows_to_columns([row]), log.normalise)
        except ValueError as error:
            number = copy.rows - row_copies[at:].count(copy) + 1
            return error if isinstance(error, InputError) else copy.source.fault(number, f"{error}.")
    raise AssertionError("none of the rows has a fault by itself")


def _needed_columns(columns: Columns, words: Collection[str] | None) -> Columns:
    """Return the columns that users can name: standard columns, numbers, and columns in `words` (None: all)."""
    if words is None:
        return columns
    return {
        name: values
        if name in ALWAYS_NEEDED or name in words or NUMERIC.issuperset(map(type, values))
        else tuple(value if isinstance(value, (int, float)) else None for value in values)
        for name, values in columns.items()
        if name in ALWAYS_NEEDED or name in words or not NUMERIC.isdisjoint(map(type, values))
    }


# Choose default columns of a log for roles that the user did not name.

Roles = dict[str, str | None]  # the column of each role


def with_defaults(
    roles: Roles, y_prob: Probabilities | None, log: Log, files: Sequence[File], *, pairing: bool
) -> tuple[Roles, Probabilities]:
    """Complete the requested columns of a log by a default column for each role that was not named.

    Every model, task and prompt becomes a separate group. Rows are identified by their item; if an item has several
    rows in a group, the item is their cluster. With `pairing`, the log must contain one model, whose rows will be
    matched with another model's. Then rows are not grouped, and the task is part of the item.
    """
    label, probability_spec = _probabilities(roles["y_true"], y_prob, log, files)
    new_roles = roles | {"y_true": label}
    if label is None:
        raise InputError(
            f"`y_true=...` must name the column of the true label; {files[0].name} has no such column by default."
        )
    parts = list(log.group)
    if pairing:
        _refuse_several_models(log, files)
        parts = []
    elif (groups := roles["groups"]) is not None:
        parts = groups.split(",")
        log.check_ways(parts, advice=f"tell them apart, {parameter('groups', ','.join([*parts, RUN]))}")
    elif parts and probability_spec.reduce == CLASS_WISE:
        raise InputError(
            f"with class-wise pairs, each class is a group, but {files[0].name} has several values of "
            f"{', '.join(parts)}. Choose one: {log.suggest_condition(parts[0])}."
        )
    elif parts:
        new_roles["groups"] = ",".join(parts)
    return new_roles | _items(new_roles, log, parts), probability_spec


def _probabilities(
    y_true: str | None, y_prob: Probabilities | None, log: Log, files: Sequence[File]
) -> tuple[str | None, Probabilities]:
    """Return the column of labels, and the form of the probabilities."""
    for name in () if y_prob is None or y_prob.way == UNNAMED else y_prob.columns:
        if name in log.format.refused:
            raise InputError(f"{name} {log.format.refused[name]}.")
    if y_prob is not None and y_prob.way != UNNAMED:
        return y_true or _existing_column(log, "correct" if y_prob.is_one else "target"), y_prob
    reduce, classes = (None, None) if y_prob is None else (y_prob.reduce, y_prob.classes)
    label = y_true or "target"
    of_answer = ("probability", "correct") if label == "target" else ("probability",)
    rows = [log.filled_rows.get(name, 0) for name in ("probabilities", label, *of_answer)]
    several = min(rows) > 0 and min(rows[:2]) >= min(rows[2:])
    alike = len(log.lengths) == 1 or reduce in (None, TOP_LABEL)
    if several and alike and (label == "target" or log.names_classes(label)):
        return label, Probabilities(PROBS_COLUMN, "probabilities", reduce or TOP_LABEL, classes or log.class_names)
    if _existing_column(log, "probability") is None:
        raise _missing_probabilities(log, files)
    if reduce not in (None, TOP_LABEL):
        raise InputError(f"`reduce={reduce!r}` needs the same classes in all rows; {_why_classes_differ(log, files)}.")
    return y_true or _existing_column(log, "correct"), Probabilities(PROB, "probability")


def _existing_column(log: Log, column: str) -> str | None:
    return column if column in log.filled_rows else None


def _why_classes_differ(log: Log, files: Sequence[File]) -> str:
    name = files[0].name
    if len(log.lengths) > 1:
        choices = f"{min(log.lengths)} to {max(log.lengths)} choices"
        return f"{name} has questions of {choices}. Use `reduce={TOP_LABEL!r}`"
    if log.lengths:
        return f"{name} has questions with several right choices, or none. Use `reduce={TOP_LABEL!r}`"
    return f"{name} has one probability per row, that of the answer"


def _missing_probabilities(log: Log, files: Sequence[File]) -> InputError:
    name, scores = files[0].name, log.quality_scores
    content = f"; it contains the scores {shortened(scores)}, which `howsure significance` compares" if scores else ""
    notes = "".join(f" {note}" for note in log.notes)
    return InputError(f"{name}, a log of {log.format.program}, has no probabilities of answers{content}.{notes}")


def _refuse_several_models(log: Log, files: Sequence[File]) -> None:
    runs = () if RUN in log.format.group else (RUN,)
    for column in (*log.group, *runs):
        if column != TASK and log.varies(column):
            raise InputError(
                f"each side of a comparison must be one model, but {files[0].name} has several values of {column}. "
                f"Choose one: {log.suggest_condition(column)}."
            )


def _items(roles: Roles, log: Log, parts: Sequence[str]) -> Roles:
    """Return the column that identifies rows or, if items repeat, clusters of rows."""
    clusters: Roles = {"clusters": DOCUMENT} if log.has(DOCUMENT) and roles["clusters"] is None else {}
    has_clusters = bool(clusters) or roles["clusters"] is not None
    if ITEM not in log.filled_rows or (log.repeats_items(parts) and has_clusters):
        return clusters
    task = [TASK] if log.varies(TASK) and TASK not in parts else []
    if log.repeats_items(parts):
        return {"clusters": ",".join([*task, log.item_column])}
    return clusters | ({} if roles["id"] is not None else {"id": ",".join([*task, ITEM])})


# The description of a log, restricted to the rows that an expression selects, which determine default columns.


def log_of_selected_rows(
    log: Log,
    files: Sequence[File],
    rows: Condition | None,
    *,
    by_file: bool = False,
    missing_values: Sequence[str] = (),
) -> Log:
    """Describe the rows of rewritten logs (`files`) that satisfy a condition; without a condition, all rows."""
    if rows is None:
        return log
    selected = Log(log.format, log.normalise, log.model_version, log.notes, log.files)
    with reading_files(*files) as database:
        table = open_table(database, tuple(files), rows.names, by_file=by_file)
        is_selected = f"CAST({rows.sql(table, missing_values)} AS BIGINT)"
        query = f"SELECT {is_selected} FROM {table.numbered} ORDER BY {table.position}"
        marks = np.concatenate([part for (part,) in chunks(table.connection, query, [np.int64])])
        selected.reread = partial(_rows_with_files, files, marks.tolist())
        for _, alike in groupby((row for _, row in selected.reread()), key=tuple):
            while batch := list(islice(alike, BATCH)):
                selected.note(rows_to_columns(batch), len(batch))
    return selected


def _rows_with_files(files: Sequence[File], marks: Sequence[int] | None = None) -> Iterator[tuple[str, Row]]:
    """Yield the rows (or the marked rows) of rewritten logs, each with the name of its file."""
    for file, line in copied_rows(files) if marks is None else compress(copied_rows(files), marks):
        yield file.name, parsed_line(line)
