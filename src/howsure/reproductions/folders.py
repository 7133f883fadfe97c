"""Where the data of an experiment lie."""

from __future__ import annotations

from pathlib import Path

from howsure.data.registry import find_dataset


def data_folder(data: str | None, name: str) -> Path:
    """The folder of a data set: in `data` if given, else in HOWSURE_DATA, else where it was downloaded.

    Raises InputError if it is not found.
    """
    return find_dataset(name, data=data)
