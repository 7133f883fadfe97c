"""What a neural model put out, saved as arrays: logits, the numbers of the right labels, potentials of a CRF.

`Trainer.predict` of transformers hands back `predictions` and `label_ids`; saved by numpy.savez, they are read by these
names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.errors import InputError, parameter
from howsure.files.archive import MAGIC, NUMBERS, TEXTS, ZIP, Archive, ArchiveError, read_array
from howsure.files.json_text import parsed_json
from howsure.files.opened import opened
from howsure.files.text import read_text
from howsure.inputs.naming import shortened

Array = npt.NDArray[Any]

NAMES = {  # of the arrays, by what they are; the first that is there counts
    "logits": ("logits", "predictions"),
    "label_ids": ("label_ids", "labels", "targets"),
    "label_names": ("label_names", "classes", "labels"),
    "word_ids": ("word_ids",),
    "mask": ("mask", "attention_mask"),
    "transitions": ("transitions",),
    "start": ("start", "start_transitions"),
    "end": ("end", "end_transitions"),
}
KINDS = {"label_names": TEXTS, "label_ids": NUMBERS}  # where `labels` may be the names or the numbers


@dataclass(frozen=True, slots=True)
class ModelArrays:
    """The arrays of a file; None where it has none."""

    name: str
    logits: Array
    label_ids: Array | None = None
    label_names: tuple[str, ...] | None = None
    word_ids: Array | None = None
    mask: Array | None = None
    transitions: Array | None = None
    start: Array | None = None
    end: Array | None = None


def read_model_arrays(path: str, *, targets: str | None = None) -> ModelArrays:
    """The arrays of an .npz file, or the logits of an .npy file; `targets`: an .npy file with the numbers of the right
    labels.

    Raises InputError naming the file, and what it holds instead.
    """
    with opened(path) as file:
        try:
            start = file.read(len(MAGIC))
            file.seek(0)
            if start == MAGIC:
                found: dict[str, Any] = {"logits": _whole(file, path)}
            elif start.startswith(ZIP):
                found = _named(Archive(file), path)
            else:
                raise InputError(f"{path} is no .npz or .npy file: save the arrays by numpy.savez or numpy.save.")
        except ArchiveError as error:
            raise InputError(f"{path} cannot be read: {error}.") from error
    if targets is not None:
        if "label_ids" in found:
            raise InputError(
                f"{path} holds the numbers of the right labels; {parameter('targets', targets)} names them again."
            )
        found["label_ids"] = read_label_numbers(targets)
    return ModelArrays(path, **found)


def read_label_numbers(path: str) -> Array:
    """The numbers of the right labels in an .npy file.

    Raises InputError if it holds anything else.
    """
    with opened(path) as file:
        try:
            numbers = _whole(file, path)
        except ArchiveError as error:
            raise InputError(f"{path} cannot be read: {error}.") from error
    if numbers.dtype.kind not in "iu":
        raise InputError(f"{path} must hold the numbers of labels, integers; it holds {numbers.dtype}.")
    return numbers


def label_names_of(text: str) -> tuple[str, ...]:
    """The names of labels: separated by commas, or in the config.json of a model, as id2label.

    >>> label_names_of("O,B-PER, I-PER")
    ('O', 'B-PER', 'I-PER')

    Raises InputError for a file without id2label, or one that leaves out a number.
    """
    if not text.endswith(".json"):
        return tuple(name.strip() for name in text.split(","))
    try:
        named = parsed_json(read_text(text).content)["id2label"]
        by_number = {int(number): str(name) for number, name in named.items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{text} is no config.json of a model: it has no id2label by number.") from error
    if sorted(by_number) != list(range(len(by_number))):
        raise InputError(f"id2label of {text} must name the labels 0, 1, …; it names {shortened(sorted(by_number))}.")
    return tuple(by_number[number] for number in range(len(by_number)))


def _whole(file: Any, path: str) -> Array:
    file.seek(0, 2)
    size = file.tell()
    file.seek(0)
    return read_array(file, size, name=path)


def _named(archive: Archive, path: str) -> dict[str, Any]:
    """The arrays of an archive that have one of the names."""
    found: dict[str, Any] = {}
    for role, names in NAMES.items():
        for name in names:
            array = archive.array(name, kinds=f"{NUMBERS}{TEXTS}") if name in archive.arrays else None
            if array is not None and array.dtype.kind in KINDS.get(role, NUMBERS):
                found[role] = array
                break
    if "logits" not in found:
        held = shortened(archive.arrays) or "none"
        raise InputError(
            f"{path} holds no logits: an array named {' or '.join(NAMES['logits'])}; its arrays are {held}."
        )
    if "label_names" in found:
        found["label_names"] = _texts(found["label_names"], path)
    return found


def _texts(array: Array, path: str) -> tuple[str, ...]:
    if array.ndim != 1:
        raise InputError(f"the names of the labels in {path} must be one row of texts; their shape is {array.shape}.")
    return tuple(str(name) for name in array.astype(np.str_))
