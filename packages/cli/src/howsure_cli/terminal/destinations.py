"""Options that name files to write: checked before a command runs, and never a file that it reads or writes twice."""

from __future__ import annotations

import codecs
import csv
import glob
import io
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

import click

from howsure.errors import InputError
from howsure.files.atomic_write import HEAD, check_place
from howsure.files.input_files import STANDARD_INPUT, Identity, identity, opened
from howsure.inputs.numbers_and_names import counted

FIGURES = (".svg", ".png", ".pdf")
PAGES = (".html", ".htm")
STORE_LOG_SUFFIX = ".wal"
SNIFFED_BYTES = 1 << 16  # bytes of a file that show whether it is a text
INPUT_WORDS = (
    "FILE",
    "STORE",
    "MODEL",
    "FOLDER",
    "PATH",
    "PIPELINE",
    ".json",
)  # in the help of what names files to read


class OutputFile(click.types.StringParamType):
    """The type of an option or argument that names a file to write.

    suffixes: allowed endings of the name, "" for a name without an ending. advice: an instruction for other endings.
    also_written: a function from the path to further files that are written. appended: lines are added to a text file,
    and its content stays.
    """

    def __init__(
        self,
        *suffixes: str,
        advice: str = "",
        also_written: Callable[[str], Sequence[str]] = lambda path: (),
        appended: bool = False,
    ) -> None:
        self.suffixes, self.advice, self.also_written, self.appended = suffixes, advice, also_written, appended


class OutputFolder(click.types.StringParamType):
    """The type of an option that names a folder to write into; it is created if it does not exist."""


def check_destinations(context: click.Context, *, also_read: Iterable[str | int] = ()) -> None:
    """Raise InputError if a file cannot be written, is also read, or is written twice. This runs before the command.

    also_read: files that the command reads in addition to those in its parameters.
    """
    written: list[tuple[str, str]] = []
    for parameter, path in _values(context):
        if isinstance(parameter.type, OutputFile):
            _check_file(_parameter_name(parameter), path, parameter.type)
            written += [
                (_parameter_name(parameter), destination) for destination in (path, *parameter.type.also_written(path))
            ]
        elif isinstance(parameter.type, OutputFolder) and os.path.exists(path) and not os.path.isdir(path):
            raise InputError(f"{_parameter_name(parameter)} must name a folder; {path} is a file.")
    _check_different(written)
    identities_read = {
        file_identity
        for file_identity in map(identity, chain(possible_inputs(context), also_read))
        if file_identity is not None
    }
    for _, path in written:
        _check_unread(path, identities_read)


def check_labels_kept(path: str | None, sheet: str, *, column: str) -> None:
    """Raise InputError if a sheet to fill in would replace one whose column of labels has more entries."""
    if path is None or not os.path.isfile(path):
        return
    existing = _n_filled(Path(path).read_text("utf-8-sig", "replace"), column)
    if existing > _n_filled(sheet, column):
        raise InputError(
            f"{path} has {counted(existing, 'entry', 'entries')} in its column {column}, which the new sheet would "
            f"delete. Name another file, or delete {path} if you do not need its labels."
        )


def _n_filled(sheet: str, column: str) -> int:
    """The number of rows of a CSV file in which a column is not empty; 0 if it has no such column."""
    separator = max(",;\t", key=sheet.partition("\n")[0].count)
    rows = csv.reader(io.StringIO(sheet, newline=""), delimiter=separator)
    header = next(rows, [])
    at = header.index(column) if column in header else len(header)
    return sum(bool(row[at].strip()) for row in rows if at < len(row))


def is_read(parameter: click.Parameter) -> bool:
    """Whether a parameter may name files that a command reads, according to its help."""
    shown = getattr(parameter, "metavar", None)
    if not isinstance(parameter.type, click.types.StringParamType) or isinstance(
        parameter.type, OutputFile | OutputFolder
    ):
        return False
    return isinstance(parameter, click.Argument) if shown is None else any(word in shown for word in INPUT_WORDS)


def _values(context: click.Context) -> Iterator[tuple[click.Parameter, str]]:
    """The values of each parameter as texts; for a source, its paths."""
    for parameter in context.command.params:
        value = context.params.get(parameter.name or "")
        for text in value if isinstance(value, tuple | list) else getattr(value, "paths", (value,)):
            if isinstance(text, str):
                yield parameter, text


def possible_inputs(context: click.Context) -> Iterator[str | int]:
    """Possible input files by path; standard input by its number."""
    if "data" in context.params and context.params["data"] is None:
        from howsure_cli.datasets import VARIABLE, downloads_folder  # loaded for the commands that need it

        yield from (os.environ.get(VARIABLE, ""), str(downloads_folder()))
    for parameter, text in _values(context):
        if is_read(parameter):
            if text == STANDARD_INPUT:
                yield 0
            elif glob.has_magic(text) and not os.path.exists(text):
                for path in glob.iglob(text, recursive=True):
                    yield from (path, *_companion_files(path))
            else:
                yield from (text, *_companion_files(text))


def _companion_files(path: str) -> Iterator[str]:
    """Files in the folder of a log that its reader may use: labels, names of classes, settings."""
    folder, name = os.path.split(path)
    if name.endswith((".npy", ".npz")):
        from howsure.data.logs.arrays import NAMES  # loaded where there is such a log

        for file_name in (*(f"{label}.npy" for label in NAMES["label_ids"]), "config.json"):
            yield os.path.join(folder, file_name)
    elif name.startswith("samples_"):
        yield from glob.iglob(os.path.join(glob.escape(folder), "results_*.json"))


def _parameter_name(parameter: click.Parameter) -> str:
    return parameter.opts[0] if isinstance(parameter, click.Option) else (parameter.name or "").upper()


def _check_file(by: str, path: str, kind: OutputFile) -> None:
    if not path:
        raise InputError(f"{by} must name a file; the name is empty.")
    if path == STANDARD_INPUT:
        raise InputError(f"{by} must name a file, not {path}; a command without --output writes to standard output.")
    if Path(path).suffix.lower() == STORE_LOG_SUFFIX:
        store = path[: -len(STORE_LOG_SUFFIX)]
        raise InputError(
            f"{by} must not name {path}: DuckDB keeps the last changes of {store} there. Name another file."
        )
    if kind.suffixes and Path(path).suffix.lower() not in kind.suffixes:
        suffixes = ", ".join(filter(None, kind.suffixes))
        raise InputError(f"{by} writes {suffixes}; name a file that ends in one of these, not {path}.{kind.advice}")
    check_place(path)
    if kind.appended and os.path.isfile(path):
        _check_text(by, path)


def _check_text(by: str, path: str) -> None:
    """Raise InputError if a file is not plain text, because appending lines would damage it."""
    with opened(path) as file:
        beginning = file.read(SNIFFED_BYTES)
    text = codecs.getincrementaldecoder("utf-8")()
    try:
        is_text = not beginning or "\0" not in text.decode(beginning)
    except UnicodeDecodeError:
        is_text = False
    if not is_text or beginning.lstrip().startswith((b"{", b"[")) or HEAD.match(beginning):
        raise InputError(f"{by} appends Markdown to a text file, and {path} is not one. Name another file.")


def _check_different(written: Sequence[tuple[str, str]]) -> None:
    """Raise InputError if two options name one file: the second would replace the first."""
    first: dict[object, str] = {}
    for by, path in written:
        target = identity(path) or os.path.realpath(path).casefold()  # some file systems take A for a
        if target in first and (os.path.isfile(path) or not os.path.exists(path)):  # a device takes both
            raise InputError(f"{first[target]} and {by} must name different files; both name {path}.")
        first[target] = by


def _check_unread(path: str, identities_read: set[Identity]) -> None:
    """Raise InputError if an existing file would be replaced although it, or a folder that contains it, is read."""
    if not os.path.isfile(path):  # a device or a pipe takes all
        return
    if identity(path) in identities_read:
        raise InputError(f"{path} is an input of this command and would be overwritten; name another file.")
    for folder in Path(os.path.realpath(path)).parents:
        if identity(folder) in identities_read:
            raise InputError(
                f"{path} is in {folder}, which is an input of this command and would be overwritten; name another."
            )
