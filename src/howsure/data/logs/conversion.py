"""Logs rewritten as JSON lines in named columns, one for each row of the log, from where they are read as any table."""

from __future__ import annotations

import json
import math
import os
import re
import zipfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from howsure.data.logs.choices import NONE, WAYS, normalised, softmax
from howsure.data.logs.formats import BY_NAME, check_format, detected
from howsure.data.logs.log_format import NAMED, LogFormat, Row
from howsure.data.logs.source import Source
from howsure.data.tables.named_files import File, named_files
from howsure.errors import GIVEN, InputError, parameter, shown
from howsure.inputs.naming import shortened
from howsure.inputs.numbers import spelled_number

WORD = re.compile(r"\w+")
KEYS = ("item", "model", "task", "prompt", "run")
ENCODER = json.JSONEncoder(ensure_ascii=False)
RUN = "run"
MOST_VALUES = 10_000  # of a column that parts rows


@dataclass
class Log:
    """What was found in logs while they were rewritten."""

    format: LogFormat
    normalise: str
    notes: list[str] = field(default_factory=list)
    rows: int = 0
    held: dict[str, int] = field(default_factory=dict)  # how many rows hold something, by column
    values: dict[str, dict[Any, None]] = field(default_factory=dict)  # of the columns that part rows
    ways: dict[tuple[Any, ...], dict[Any, None]] = field(default_factory=dict)  # of scoring, by model, task and prompt
    lengths: set[int] = field(default_factory=set)  # of the lists of probabilities
    classes: tuple[str, ...] | None = None
    alike: bool = True  # whether all rows have these classes
    answers: dict[str, int] = field(default_factory=dict)  # how many rows name one of their classes, by column

    def has(self, *columns: str) -> bool:
        """Whether every row holds something in these columns."""
        return self.rows > 0 and all(self.held.get(name) == self.rows for name in columns)

    def varies(self, column: str) -> bool:
        """Whether a column holds different values."""
        return len(self.values.get(column, ())) > 1

    @property
    def group(self) -> tuple[str, ...]:
        """The columns that part rows which must not be pooled, as far as they differ."""
        return tuple(name for name in self.format.group if (self.several_ways if name == RUN else self.varies(name)))

    def repeats_items(self, parts: Collection[str]) -> bool:
        """Whether an item may have several rows in a group, by what differs beside the columns that part the groups."""
        runs = () if RUN in self.format.group else (RUN,)
        return any(self.varies(one) for one in {*self.group, *runs} - {"task", *parts})

    def choice_of(self, column: str) -> str:
        """The condition that keeps one value of a column, as it would be typed; of several ways of scoring, one that
        loses no task with a way of its own."""
        values = (self.several_ways if column == RUN else ()) or self.values[column]
        kept, *others = [one for one in values if one is not None]
        if column == RUN and not all(kept in ways for ways in self.ways.values()):
            return f'where="{" and ".join(f"{column} <> {_typed(one)}" for one in others)}"'
        return f'where="{column} = {_typed(kept)}"'

    @property
    def several_ways(self) -> tuple[Any, ...]:
        """The ways (filters) in which the same answers are scored, as the first task has them that has several."""
        return next((tuple(ways) for ways in self.ways.values() if len(ways) > 1), ())

    def check_ways(self, parts: Collection[str], *, advice: str) -> None:
        """Raise InputError where the same answers are scored in several ways, and no column of `parts` tells these
        apart; `advice` is how it could."""
        if RUN in parts or not self.several_ways:
            return
        ways = shortened(map(repr, self.several_ways))
        raise InputError(
            f"this log of {self.format.program} holds the same answers scored in several ways ({ways}), which are "
            f"never averaged. Choose one, {self.choice_of(RUN)}, or {advice}."
        )

    @property
    def class_names(self) -> tuple[str, ...] | None:
        """What the positions of the choices are called, if that is the same in every row and no number."""
        names = self.classes if self.alike else None
        if names is None or len(set(names)) < len(names) or any(spelled_number(one) is not None for one in names):
            return None
        return names

    def names_classes(self, column: str) -> bool:
        """Whether every value of a column is the name of a class."""
        return self.class_names is not None and 0 < self.held.get(column, 0) == self.answers.get(column)

    @property
    def scores(self) -> tuple[str, ...]:
        """The columns of numbers that the program itself gave."""
        return tuple(name for name in self.held if name not in NAMED and name != "tokens")

    def describe(self) -> dict[str, Any]:
        """What was read, for the recipe of a result."""
        normalise = {"normalise": self.normalise} if "log_probabilities" in self.held else {}
        return {"format": self.format.name, **normalise} | ({"notes": self.notes} if self.notes else {})

    def note(self, row: Row) -> None:
        """Count what a row holds."""
        self.rows += 1
        for name, value in row.items():
            if value is not None:
                self.held[name] = self.held.get(name, 0) + 1
        seen = {name: self.values.setdefault(name, {}) for name in (*self.format.group, RUN)}
        parts = tuple(row.get(name) for name in self.format.group if name != RUN)
        kept = [(values, row.get(name)) for name, values in seen.items()]
        kept += [(self.ways.setdefault(parts, {}), row.get(RUN))] if RUN in self.format.group else []
        for values, value in kept:
            if len(values) < MOST_VALUES:
                values[value] = None
        if row.get("probabilities") is not None:
            self.lengths.add(len(row["probabilities"]))
        names = row.get("classes")
        for name, value in row.items():
            if name not in NAMED and isinstance(value, str) and value in (names or ()):
                self.answers[name] = self.answers.get(name, 0) + 1
        if names is not None and self.classes is None:
            self.classes = tuple(names)
        self.alike = self.alike and names is not None and tuple(names) == self.classes


def input_files(
    paths: Sequence[str | os.PathLike[str]],
    *,
    format: str | None,
    spool: Path,
    wanted: Iterable[str | None] = (),
    normalise: str | None = None,
) -> tuple[tuple[File, ...], Log | None]:
    """The files that are named, logs among them rewritten in `spool`, and what was found in these; None for tables.

    `format` is a format of tables or of logs, or None to see it from the files. Of what a log holds beyond named
    columns and scores, that is kept whose name is a word of the texts `wanted`. `normalise` says how log-likelihoods of
    choices become probabilities.

    Raises InputError if a file cannot be read, is cut off, or if logs and tables are mixed.
    """
    check_format(format)
    if normalise is not None and normalise not in WAYS:
        raise InputError(f"{parameter('normalise', GIVEN)} must be one of {', '.join(WAYS)}; it is {normalise!r}.")
    is_log = format in BY_NAME
    files = named_files(paths, format=None if is_log else format, spool=spool, by_content=is_log)
    form = BY_NAME[str(format)] if is_log else (detected(files) if format is None else None)
    if form is None:
        _refuse_archives(files)
        if normalise is not None:
            raise InputError(
                f"{parameter('normalise', GIVEN)} is for log-likelihoods of choices in a log; these files are tables."
            )
        return files, None
    log = Log(form, normalise or NONE)
    words = {word for text in wanted if text for word in WORD.findall(text)}
    rewritten = tuple(_rewritten(file, spool / f"log-{at}.jsonl", log, words) for at, file in enumerate(files))
    if normalise is not None and "log_probabilities" not in log.held:
        raise InputError(
            f"{parameter('normalise', GIVEN)} is for log-likelihoods of choices; {files[0].name} holds none."
        )
    return rewritten, log


def _refuse_archives(files: Sequence[File]) -> None:
    """Raise InputError if one of the files is an archive, which only a log may be."""
    for file in files:
        if file.format == "zip" and zipfile.is_zipfile(file.path):
            raise InputError(f"{file.name} is an archive of no program that howsure knows: {', '.join(BY_NAME)}.")
        if file.format == "zip":
            raise InputError(f"{file.name} is no complete archive. Was it cut off, or is it still being written?")


def _rewritten(file: File, path: Path, log: Log, words: Collection[str]) -> File:
    before = log.rows
    with open(path, "w", encoding="utf-8") as copy:
        source = Source(file, log.notes)
        for row in _whole(source, log):
            kept = {name: value for name, value in row.items() if _is_kept(name, value, words)}
            log.note(kept)
            copy.write(ENCODER.encode(kept) + "\n")
    if log.rows == before:
        raise InputError(f"{file.name} has no rows.")
    return File(str(path), file.name, "jsonl")


def _whole(source: Source, log: Log) -> Iterator[Row]:
    """The rows of a log with all that follows from them; what is wrong with one is said with its place."""
    rows, number = log.format.rows(source), 0
    while True:
        number += 1
        try:
            row = next(rows, None)
            whole = None if row is None else _judged(row, log.normalise)
        except InputError:
            raise
        except ValueError as error:
            raise source.fault(number, f"{error}.") from error
        if whole is None:
            return
        yield whole


def _judged(row: Row, way: str) -> Row:
    """A row with the probabilities of its classes, the likeliest of them, and whether that is right."""
    for name in KEYS:
        if isinstance(row.get(name), list | dict):
            raise ValueError(f"{name} must be a text or a number; it is {shown(row[name])}")
    wrong = [one for one in row.get("classes") or () if not isinstance(one, str)]
    if wrong:
        raise ValueError(f"its choices must be texts; one is {shown(wrong[0])}")
    likelihoods, logits = row.get("log_probabilities"), row.get("logits")
    if likelihoods is not None:
        row["probabilities"] = softmax(normalised(likelihoods, row, way))
    elif logits is not None:
        row["probabilities"] = softmax(logits)
    probabilities = row.get("probabilities")
    if isinstance(probabilities, list) and probabilities:
        best = max(range(len(probabilities)), key=probabilities.__getitem__)
        answer = row.setdefault("prediction", best)
        right = row.get("targets", [] if row.get("target") is None else [row["target"]])
        if answer in range(len(probabilities)):
            row.setdefault("probability", probabilities[answer])
        if right:
            row.setdefault("correct", int(answer in right))
    return {name: _plain(value) for name, value in row.items()}


def _plain(value: Any) -> Any:
    """A value that JSON has; what is no number is missing."""
    if isinstance(value, bool):
        return int(value)
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _typed(value: Any) -> str:
    """A value of a column as an expression names it."""
    return "'{}'".format(value.replace("'", "''")) if isinstance(value, str) else str(value)


def _is_kept(name: str, value: Any, words: Collection[str]) -> bool:
    return name in NAMED or name in words or isinstance(value, int | float)


def described(log: Log, files: Sequence[File], roles: Mapping[str, str]) -> str:
    """What was read as what, in a line."""
    names = files[0].name if len(files) == 1 else f"{files[0].name} and {len(files) - 1:,} more"
    listed = ", ".join(f"{role}='{name}'" for role, name in roles.items())
    first = f"{names}: read as a log of {log.format.program}" + (f", with {listed}" if listed else "") + "."
    return "\n".join([first, *log.notes])
