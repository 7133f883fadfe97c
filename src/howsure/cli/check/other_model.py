"""Which file and columns the other model of a check has."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from howsure.data.sources import Files
from howsure.errors import InputError
from howsure.files.opened import identity


def other_files(named: str, files: Sequence[str]) -> Sequence[str] | None:
    """The file that names the other model; None if the name is a column's of the same files.

    Raises InputError if it is the file that is checked.
    """
    if not (os.path.exists(named) or Path(named).suffix or any(mark in named for mark in "*?/")):
        return None
    if [identity(named) or named] == [identity(path) or path for path in files]:
        raise InputError(f"{named} is what is checked; a model is compared with another one.")
    return [named]


def other_model(named: str | None, source: Files) -> Files | str | None:
    """The other model as a source with the same columns, or as a column of the same files."""
    place = None if named is None else other_files(named, source.paths)
    return named if place is None else replace(source, paths=tuple(place))
