"""Outputs of neural models as arrays, and outputs of the library transformers."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.data.logs.log_file import Beginning, LogFormat, Row, Source, class_name, find_class, names_class
from howsure.errors import InputError, parameter, quote
from howsure.files.archive import MAGIC, NUMBERS, TEXTS, ZIP, Archive, read_array, unpacking
from howsure.files.input_files import opened, parsed_json, read_text
from howsure.inputs.numbers_and_names import TRUTHS, natural_order, parse_number, shortened

# The output of a neural model, saved as arrays: logits, indices of the true labels, potentials of a CRF.
# `Trainer.predict` of transformers returns `predictions` and `label_ids`; if they are saved by numpy.savez, these names
# are recognised.

Array = npt.NDArray[Any]
NAMES = {  # names of arrays by content; the first existing one is used
    "logits": ("logits", "predictions"),
    "label_ids": ("label_ids", "labels", "targets"),
    "label_names": ("label_names", "classes", "labels"),
    "word_ids": ("word_ids",),
    "mask": ("mask", "attention_mask"),
    "transitions": ("transitions",),
    "start": ("start", "start_transitions"),
    "end": ("end", "end_transitions"),
}
KINDS = {"label_names": TEXTS, "label_ids": NUMBERS}  # `labels` may be names or indices


@dataclass(frozen=True, slots=True)
class ModelArrays:
    """The arrays of a file; an array that is not in the file is None."""

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
    """Read the arrays of an .npz file, or the logits of an .npy file. targets: an .npy file of true label indices."""
    with opened(path) as file, unpacking(path):
        start = file.read(len(MAGIC))
        file.seek(0)
        if start == MAGIC:
            arrays: dict[str, Any] = {"logits": _whole(file, path)}
        elif start.startswith(ZIP):
            arrays = _arrays_with_known_names(Archive(file), path)
        else:
            raise InputError(f"{path} is not an .npz or .npy file. Save the arrays with numpy.savez or numpy.save.")
    if targets is not None:
        if "label_ids" in arrays:
            raise InputError(f"{path} already contains the true labels. Leave out {parameter('targets', targets)}.")
        arrays["label_ids"] = read_label_numbers(targets)
    return ModelArrays(path, **arrays)


def read_label_numbers(path: str) -> Array:
    """Read the indices of true labels from an .npy file. Raises InputError if they are not integers."""
    with opened(path) as file, unpacking(path):
        numbers = _whole(file, path)
    if numbers.dtype.kind not in "iu":
        raise InputError(f"{path} must contain integers, the indices of labels; it contains {numbers.dtype}.")
    return numbers


def parse_label_names(text: str) -> tuple[str, ...]:
    """Read the names of labels from a string with commas, or from id2label in a model's config.json.

    >>> parse_label_names("O,B-PER, I-PER")
    ('O', 'B-PER', 'I-PER')
    """
    if not text.endswith(".json"):
        return tuple(name.strip() for name in text.split(","))
    try:
        named = parsed_json(read_text(text).content)["id2label"]
        by_number = {int(number): str(name) for number, name in named.items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{text} is not the config.json of a model: it has no id2label by number.") from error
    if sorted(by_number) != list(range(len(by_number))):
        raise InputError(f"id2label of {text} must name the labels 0, 1, …; it names {shortened(sorted(by_number))}.")
    return tuple(by_number[number] for number in range(len(by_number)))


def _whole(file: Any, path: str) -> Array:
    file.seek(0, 2)
    size = file.tell()
    file.seek(0)
    return read_array(file, size, name=path)


def _arrays_with_known_names(archive: Archive, path: str) -> dict[str, Any]:
    arrays_by_role: dict[str, Any] = {}
    for role, names in NAMES.items():
        for name in names:
            array = archive.array(name, kinds=f"{NUMBERS}{TEXTS}") if name in archive.arrays else None
            if array is not None and array.dtype.kind in KINDS.get(role, NUMBERS):
                arrays_by_role[role] = array
                break
    if "logits" not in arrays_by_role:
        listed_arrays = shortened(archive.arrays) or "none"
        raise InputError(
            f"{path} has no logits: an array named {' or '.join(NAMES['logits'])}; its arrays are {listed_arrays}."
        )
    if "label_names" in arrays_by_role:
        arrays_by_role["label_names"] = _texts(arrays_by_role["label_names"], path)
    return arrays_by_role


def _texts(array: Array, path: str) -> tuple[str, ...]:
    if array.ndim != 1:
        raise InputError(f"the names of the labels in {path} must be one row of strings; their shape is {array.shape}.")
    return tuple(str(name) for name in array.astype(np.str_))


# Outputs of transformers: arrays of `Trainer.predict` saved by numpy.savez, and outputs of pipelines as JSON.

IGNORED = -100  # label of an ignored token
TARGETS = ("target", "gold", "label", "labels")  # names of the true label in user data; the first existing one is used
SCORED, TAGGED = {"label", "score"}, ({"entity", "score"}, {"entity_group", "score"})
SUM_OFF_BY = 1e-3


def recognises(beginning: Beginning) -> bool:
    """Whether a file contains the arrays of a Trainer, or lists of labels with scores."""
    members = {name.removesuffix(".npy") for name in beginning.members}
    if members:
        return "label_ids" in members and not members.isdisjoint(NAMES["logits"])
    if beginning.record:
        return _scores_in(beginning.record) is not None
    keys, start = set(beginning.keys[:8]), b"".join(beginning.text[:64].split())
    tagged = any(needed | {"word"} <= keys for needed in TAGGED)
    return start.startswith((b"[[", b"[{")) and (tagged or (start.startswith(b"[[{") and keys == SCORED))


def rows(source: Source) -> Iterator[Row]:
    """Yield a row for each labelled text or token with its logits, or for each text with its scores."""
    if source.file.format == "npz" or source.name.endswith(".npy"):
        yield from _predicted(source)
        return
    records = source.records() if source.file.format == "jsonl" else enumerate(_listed(source), start=1)
    for line, record in records:
        try:
            yield _scored(record) | {"item": line}
        except ValueError as error:
            raise source.fault(line, f"{error}.") from error


def _predicted(source: Source) -> Iterator[Row]:
    """Yield rows from the arrays of `Trainer.predict`."""
    arrays = read_model_arrays(source.file.path, targets=_find_labels_file(source))
    logits, targets = arrays.logits, arrays.label_ids
    if targets is None:
        raise InputError(f"{source.name} has no `label_ids`, the indices of the true labels. Save them too.")
    if targets.dtype.kind not in "iu":
        raise InputError(
            f"`label_ids` of {source.name} must be integers, the indices of classes; they are {targets.dtype}. If a "
            "text has several labels, give each its own column; the output of a regression has no probabilities."
        )
    if logits.ndim not in (2, 3) or logits.shape[:-1] != targets.shape:
        raise InputError(
            f"{source.name} must contain logits (texts, classes) or (sentences, tokens, classes), and a label for each "
            f"row; their shapes are {logits.shape} and {targets.shape}."
        )
    if logits.shape[-1] < 2:
        raise InputError(
            f"{source.name} has {logits.shape[-1]} number per row: a score, not the probabilities of classes."
        )
    names = (
        {}
        if (class_names := _class_names(source, arrays.label_names, logits.shape[-1])) is None
        else {"classes": class_names}
    )
    flat, numbers = logits.reshape(-1, logits.shape[-1]), targets.reshape(-1)
    counting = np.flatnonzero(numbers != IGNORED) if logits.ndim == 3 else np.arange(len(numbers))
    wrong = counting[(numbers[counting] < 0) | (numbers[counting] >= logits.shape[-1])]
    if len(wrong):
        at = ", ".join(str(index) for index in np.unravel_index(int(wrong[0]), targets.shape))
        raise InputError(
            f"`label_ids` of {source.name} must be indices of the {logits.shape[-1]} classes, from 0; at [{at}] is "
            f"{numbers[wrong[0]]}."
        )
    wrong = counting[~np.isfinite(flat[counting]).all(axis=1)]
    if len(wrong):
        at = ", ".join(str(index) for index in np.unravel_index(int(wrong[0]), targets.shape))
        raise InputError(f"the logits of {source.name} must be finite numbers, but those at [{at}] are not.")
    width = targets.shape[1] if logits.ndim == 3 else 1
    for row in counting.tolist():
        sentence, token = divmod(row, width)
        place = {"item": row} if logits.ndim == 2 else {"item": f"{sentence}:{token}", "document": sentence}
        yield {**place, "target": int(numbers[row]), "logits": flat[row].tolist(), **names}


def _find_labels_file(source: Source) -> str | None:
    """Return the path of the true labels, a file with a known name next to the logits; None for an .npz file."""
    if not source.name.endswith(".npy"):
        return None
    candidates = [os.path.join(source.folder, f"{name}.npy") for name in NAMES["label_ids"]]
    path_ = next((path for path in candidates if os.path.isfile(path)), None)
    if path_ is None:
        raise InputError(
            f"{source.name} is one array, and there is no label_ids.npy next to it. Save both together: "
            "numpy.savez('x.npz', predictions=…, label_ids=…)."
        )
    return path_


def _class_names(source: Source, own_names: Sequence[str] | None, size: int) -> list[str] | None:
    """Return the names of the classes, from the archive or from config.json in its folder; None if unknown."""
    if own_names is not None:
        if len(own_names) != size:
            raise InputError(f"{source.name} has {len(own_names)} names of labels, but {size} classes.")
        return list(own_names)
    config = source.sibling("config.json")
    named = config.get("id2label") if isinstance(config, dict) else None
    if not isinstance(named, dict) or len(named) != size:
        return None
    class_names = [name for number in range(size) if isinstance(name := named.get(str(number)), str)]
    return class_names if len(class_names) == size else None


def _listed(source: Source) -> Iterator[Any]:
    """Yield the outputs in a JSON document: lists of labels with scores, or dictionaries."""
    items = source.document()
    if not isinstance(items, list):
        raise InputError(f"{source.name} must contain a list with the output for each text.")
    yield from ({"scores": item} if isinstance(item, list) or _is_scored(item) else item for item in items)


def _scored(record: Any) -> Row:
    """Return the classes of a text with their probabilities, and the true class if the record names it."""
    scores_ = _scores_in(record) if isinstance(record, Mapping) else None
    if scores_ is None:
        raise ValueError("it has no list of {label, score}, as text-classification pipelines with top_k=None write")
    scores = [scores_] if isinstance(scores_, Mapping) else scores_
    if any(keys <= score.keys() for score in scores for keys in TAGGED):
        raise ValueError(
            "a token-classification pipeline writes the best label only, and no tokens labelled O, "
            "so there is no posterior. Save the logits with Trainer.predict, and use `howsure sequences spans`"
        )
    by_class = {str(score["label"]): _probability(score["score"]) for score in scores}
    if len(by_class) < len(scores):
        raise ValueError(f"two of its scores have the same label: {shortened(score['label'] for score in scores)}")
    more = {name: value for name, value in record.items() if value is not scores_}
    target = next((record[name] for name in TARGETS if _is_target(record.get(name))), None)
    if len(by_class) == 1:
        ((label, probability),) = by_class.items()
        right = {} if target is None else {"target": target, "correct": int(_is_right(target, label))}
        return more | {"prediction": label, "probability": probability} | right
    if abs(sum(by_class.values()) - 1.0) > SUM_OFF_BY:
        raise ValueError(
            f"its scores sum to {sum(by_class.values()):.4g}, not to 1. Write the scores of all classes (top_k=None); "
            "scores of labels that do not exclude each other (sigmoid) are one column each"
        )
    classes = sorted(by_class, key=natural_order)
    right = {} if target is None else {"target": _position(target, classes)}
    return more | {"classes": classes, "probabilities": [by_class[name] for name in classes]} | right


def _is_target(value: Any) -> bool:
    return isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))


def _position(target: str | float, classes: Sequence[str]) -> int:
    """Return the index of the class that a target names, as 1 names LABEL_1."""
    index = find_class(target, classes)
    index = find_class(f"LABEL_{class_name(target)}", classes) if index is None else index
    if index is None:
        raise ValueError(f"its label {quote(target)} is not one of the classes {shortened(classes)}")
    return index


def _is_right(target: str | float, predicted: str) -> bool:
    """Whether a target names the only class with a score.

    Raises ValueError if a number or truth value cannot be compared with the class, as 1 and POSITIVE.
    """
    number = predicted.removeprefix("LABEL_")
    is_comparable = predicted.lower() in TRUTHS if isinstance(target, bool) else parse_number(number) is not None
    if not isinstance(target, str) and not is_comparable:
        raise ValueError(
            f"its label {quote(target)} cannot be compared with the predicted class {quote(predicted)}. Write the name "
            "of the class as the label"
        )
    return names_class(target, predicted) or names_class(f"LABEL_{class_name(target)}", predicted)


def _probability(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value <= 1.0:
        raise ValueError(f"a score must be a probability; it is {value!r}")
    return float(value)


def _is_scored(value: Any) -> bool:
    """Whether a value is a label with its score."""
    return isinstance(value, Mapping) and (value.keys() == SCORED or any(keys <= value.keys() for keys in TAGGED))


def _scores_in(record: Mapping[str, Any]) -> Any:
    """Return the first value that is a label with its score, or a list of these; None if there is none."""
    for value in record.values():
        if _is_scored(value) or (isinstance(value, list) and value and all(map(_is_scored, value))):
            return value
    return None


HUGGING_FACE = LogFormat("hf", "transformers", recognises, rows)
