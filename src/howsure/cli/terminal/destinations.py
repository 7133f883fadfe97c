"""Where a command writes: checked before the work, and never over what it reads or writes besides."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import click

from howsure.errors import InputError
from howsure.files.opened import Identity, identity
from howsure.files.standard_input import STANDARD_INPUT
from howsure.files.whole import check_place

FIGURES = (".svg", ".png", ".pdf")
PAGES = (".html", ".htm")
READ = ("FILE", "STORE", "MODEL", "FOLDER", "PATH", "PIPELINE", ".json")  # in the help of what names files to read


class Written(click.types.StringParamType):
    """The type of an option or argument that names a file to write.

    `suffixes`: the name ends in one of these. `advice`: what to do for another suffix. `beside`: further files that are
    written with it, by its name.
    """

    def __init__(
        self, *suffixes: str, advice: str = "", beside: Callable[[str], Sequence[str]] = lambda path: ()
    ) -> None:
        self.suffixes, self.advice, self.beside = suffixes, advice, beside


class WrittenFolder(click.types.StringParamType):
    """The type of an option that names a folder to write into; it is made where there is none."""


def check_destinations(context: click.Context) -> None:
    """Raise InputError where a file cannot be written, or is read, or is written twice; before anything is done."""
    written: list[tuple[str, str]] = []
    for parameter, path in _values(context):
        if isinstance(parameter.type, Written):
            _check_file(_called(parameter), path, parameter.type)
            written += [(_called(parameter), one) for one in (path, *parameter.type.beside(path))]
        elif isinstance(parameter.type, WrittenFolder) and os.path.exists(path) and not os.path.isdir(path):
            raise InputError(f"{_called(parameter)} must name a folder; {path} is a file.")
    _check_different(written)
    read = {one for one in map(identity, _sources(context)) if one is not None}
    for _, path in written:
        _check_unread(path, read)


def is_read(parameter: click.Parameter) -> bool:
    """Whether a parameter may name what a command reads, as its help says."""
    shown = getattr(parameter, "metavar", None)
    if not isinstance(parameter.type, click.types.StringParamType) or isinstance(
        parameter.type, Written | WrittenFolder
    ):
        return False
    return isinstance(parameter, click.Argument) if shown is None else any(word in shown for word in READ)


def _values(context: click.Context) -> Iterator[tuple[click.Parameter, str]]:
    """Every text that a parameter was given."""
    for parameter in context.command.params:
        value = context.params.get(parameter.name or "")
        for one in value if isinstance(value, tuple | list) else (value,):
            if isinstance(one, str):
                yield parameter, one


def _sources(context: click.Context) -> Iterator[str | int]:
    """What may be read, by its path; standard input by its number."""
    for parameter, text in _values(context):
        if is_read(parameter):
            if text == STANDARD_INPUT:
                yield 0
            elif glob.has_magic(text) and not os.path.exists(text):
                yield from glob.iglob(text, recursive=True)
            else:
                yield text


def _called(parameter: click.Parameter) -> str:
    return parameter.opts[0] if isinstance(parameter, click.Option) else (parameter.name or "").upper()


def _check_file(by: str, path: str, kind: Written) -> None:
    if not path:
        raise InputError(f"{by} must name a file; the name is empty.")
    if path == STANDARD_INPUT:
        raise InputError(f"{by} must name a file, not {path}; a command without --output writes to standard output.")
    if kind.suffixes and Path(path).suffix.lower() not in kind.suffixes:
        known = ", ".join(kind.suffixes)
        raise InputError(f"{by} writes {known}; name a file that ends in one of these, not {path}.{kind.advice}")
    check_place(path)


def _check_different(written: Sequence[tuple[str, str]]) -> None:
    """Raise InputError where two options name one file: the second would replace the first."""
    first: dict[object, str] = {}
    for by, path in written:
        target = identity(path) or os.path.realpath(path).casefold()  # some file systems take A for a
        if target in first and (os.path.isfile(path) or not os.path.exists(path)):  # a device takes both
            raise InputError(f"{first[target]} and {by} must name different files; both name {path}.")
        first[target] = by


def _check_unread(path: str, read: set[Identity]) -> None:
    """Raise InputError where a file that there is would be replaced, though it, or a folder around it, is read."""
    if not os.path.isfile(path):  # a device or a pipe takes all
        return
    if identity(path) in read:
        raise InputError(f"{path} is an input of this command and would be overwritten; name another file.")
    for folder in Path(os.path.realpath(path)).parents:
        if identity(folder) in read:
            raise InputError(
                f"{path} lies in {folder}, which is an input of this command and would be overwritten; name another."
            )
