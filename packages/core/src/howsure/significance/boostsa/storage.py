"""BooStSa's files: targets and predictions as txt, csv, tsv or npy; outcomes.json; results.tsv."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from howsure.errors import InputError
from howsure.files.archive import NUMBERS, TEXTS, ZIP, ArchiveError, read_array
from howsure.files.atomic_write import write_text
from howsure.files.input_files import describe_invalid_bytes, parsed_json
from howsure.inputs.numbers_and_names import parse_integer, parse_number
from howsure.significance.checked_systems import check_predictions

SEPARATORS = {".txt": None, ".csv": ",", ".tsv": "\t"}
Outcomes = dict[str, dict[str, Any]]


def read_labels(path: str | os.PathLike[str]) -> Any:
    """Labels (one per line) or rows of probabilities, from a .txt, .csv, .tsv or .npy file; nothing is unpickled."""
    label_file = _file(path)
    suffix = label_file.suffix.lower()
    if suffix == ".npy":
        return check_predictions(_array(label_file), name=str(path))
    if suffix not in SEPARATORS:
        raise InputError(f"{path} must end in .txt, .csv, .tsv or .npy.")
    lines = _lines(label_file)
    rows = [line.split(SEPARATORS[suffix]) if SEPARATORS[suffix] else [line] for line in lines]
    widths = [len(row) for row in rows]
    if len(set(widths)) > 1:
        bad_line = next(k for k, width in enumerate(widths) if width != widths[0])
        raise InputError(
            f"{path}, line {bad_line + 1} has {widths[bad_line]} values, line 1 has {widths[0]}. Correct this line."
        )
    if widths[0] == 1:
        texts = [row[0].strip() for row in rows]
        if len(texts) > 1 and not _is_number(texts[0]) and all(_is_number(text) for text in texts[1:]):
            raise InputError(
                f"{path}, line 1 is {texts[0]!r}, but all other lines are numbers. If line 1 is a header, remove it."
            )
        return check_predictions(_labels(texts), name=str(path))
    for k, row in enumerate(rows):
        for value in row:
            if not _is_number(value):
                raise InputError(
                    f"{path}, line {k + 1} contains {value!r}, which is not a number. If this line is a header, remove "
                    "it."
                )
    return check_predictions(np.array(rows, dtype=np.float64), name=str(path))


def read_outcomes(path: str | os.PathLike[str]) -> Outcomes:
    """The experiments in an outcomes.json: `{h0: {exp_idxs, preds, targs, idxs, epochs, h1: {name: {…}}}}`."""
    content = _file(path).read_bytes()
    try:
        outcomes = parsed_json(content)
    except ValueError as error:
        raise InputError(f"{path} is not JSON: {error}.") from error
    try:
        for condition in outcomes.values():
            for part in (condition, *condition["h1"].values()):
                runs = {len(part[key]) for key in ("exp_idxs", "preds", "targs", "idxs")}
                if len(runs) != 1:
                    raise ValueError(part)
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise InputError(
            f"{path} is not an outcomes.json of BooStSa, which has the form "
            "{h0: {exp_idxs, preds, targs, idxs, epochs, h1: {name: {the same keys}}}} with lists of equal length."
        ) from error
    return dict(outcomes)


def _array(path: Path) -> Any:
    """The array in a .npy file, of numbers or text."""
    with path.open("rb") as file:
        if file.read(2) == ZIP:
            raise InputError(f"{path} is an archive of arrays (.npz), not one array; save it by numpy.save.")
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        try:
            return read_array(file, size, name="the array", kinds=NUMBERS + TEXTS)
        except ArchiveError as error:
            raise InputError(f"{path} is not a plain numpy array: {error}.") from error


def _file(path: str | os.PathLike[str]) -> Path:
    label_file = Path(path)
    if not label_file.is_file():
        raise InputError(
            f"{path} is a folder; name a file." if label_file.is_dir() else f"the file {path} does not exist."
        )
    return label_file


def write_outcomes(outcomes: Outcomes, folder: str) -> None:
    write_text(json.dumps(outcomes, allow_nan=False), Path(folder) / "outcomes.json")


def write_results(name: str, table: Any, folder: str) -> None:
    """A table of results, a data frame, as BooStSa writes it: tabs, the condition's name in the first column."""
    write_text(table.to_csv(sep="\t", lineterminator="\n"), Path(folder) / name)


def check_folder(folder: str) -> None:
    """Check, before any computation, that a folder exists."""
    if folder and not Path(folder).is_dir():
        raise InputError(f"`dir_out` must be a folder that exists; {folder!r} does not exist. Create it first.")


def _lines(path: Path) -> list[str]:
    try:
        lines = path.read_text(encoding="utf-8-sig").rstrip("\n").split("\n")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} cannot be read: {describe_invalid_bytes(error)}. Save it as UTF-8.") from error
    for k, line in enumerate(lines):
        if not line.strip():
            raise InputError(f"{path}, line {k + 1} is empty; every line must contain a label or a row.")
    return lines


def _labels(texts: list[str]) -> list[Any]:
    """Return labels as whole numbers if all of them are whole numbers, otherwise as strings."""
    whole = [parse_integer(text) for text in texts]
    if None not in whole:
        return whole
    return [float(text) for text in texts] if all(_is_number(text) for text in texts) else list(texts)


def _is_number(text: str) -> bool:
    return parse_number(text) is not None
