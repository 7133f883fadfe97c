"""What transformers hands back: `Trainer.predict` saved by numpy.savez, and the output of pipelines as JSON."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from howsure.data.logs.beginning import Beginning
from howsure.data.logs.log_format import LogFormat, Row
from howsure.data.logs.model_arrays import NAMES, read_model_arrays
from howsure.data.logs.source import Source
from howsure.errors import InputError
from howsure.inputs.naming import natural_order, shortened

IGNORED = -100  # the label of a token that does not count
TARGETS = ("target", "gold", "label", "labels")  # what the user calls the right label; the first that is there
SCORED, TAGGED = {"label", "score"}, ({"entity", "score"}, {"entity_group", "score"})
SUM_OFF_BY = 1e-3


def recognises(beginning: Beginning) -> bool:
    """Whether there are arrays of a Trainer, or lists of labels with scores."""
    members = {name.removesuffix(".npy") for name in beginning.members}
    if members:
        return "label_ids" in members and not members.isdisjoint(NAMES["logits"])
    if beginning.record:
        return _scores_in(beginning.record) is not None
    keys, start = set(beginning.keys[:8]), b"".join(beginning.text[:64].split())
    tagged = any(needed | {"word"} <= keys for needed in TAGGED)
    return start.startswith((b"[[", b"[{")) and (tagged or (start.startswith(b"[[{") and keys == SCORED))


def rows(source: Source) -> Iterator[Row]:
    """A row for each text, or for each token that has a label, with logits; or for each text with its scores."""
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
    """The rows of the arrays of `Trainer.predict`."""
    arrays = read_model_arrays(source.file.path, targets=_labels_beside(source))
    logits, targets = arrays.logits, arrays.label_ids
    if targets is None:
        raise InputError(f"{source.name} holds no label_ids, the numbers of the right labels.")
    if targets.dtype.kind not in "iu":
        raise InputError(
            f"label_ids of {source.name} must be numbers of classes, integers; they are {targets.dtype}. Of several "
            "labels per text, each is a column of its own; of a regression no probabilities follow."
        )
    if logits.ndim not in (2, 3) or logits.shape[:-1] != targets.shape:
        raise InputError(
            f"{source.name} must hold logits (texts, classes) or (sentences, tokens, classes), and a label for each "
            f"row; their shapes are {logits.shape} and {targets.shape}."
        )
    if logits.shape[-1] < 2:
        raise InputError(
            f"{source.name} has {logits.shape[-1]} number per row: a score, no classes with probabilities."
        )
    names = {} if (found := _class_names(source, arrays.label_names, logits.shape[-1])) is None else {"classes": found}
    flat, numbers = logits.reshape(-1, logits.shape[-1]), targets.reshape(-1)
    counting = np.flatnonzero(numbers != IGNORED) if logits.ndim == 3 else np.arange(len(numbers))
    wrong = counting[(numbers[counting] < 0) | (numbers[counting] >= logits.shape[-1])]
    if len(wrong):
        at = ", ".join(str(index) for index in np.unravel_index(int(wrong[0]), targets.shape))
        raise InputError(
            f"label_ids of {source.name} must be numbers of the {logits.shape[-1]} classes, from 0; at [{at}] stands "
            f"{numbers[wrong[0]]}."
        )
    wrong = counting[~np.isfinite(flat[counting]).all(axis=1)]
    if len(wrong):
        at = ", ".join(str(index) for index in np.unravel_index(int(wrong[0]), targets.shape))
        raise InputError(f"the logits of {source.name} must be finite numbers; those at [{at}] are not.")
    width = targets.shape[1] if logits.ndim == 3 else 1
    for row in counting.tolist():
        sentence, token = divmod(row, width)
        place = {"item": row} if logits.ndim == 2 else {"item": f"{sentence}:{token}", "document": sentence}
        yield {**place, "target": int(numbers[row]), "logits": flat[row].tolist(), **names}


def _labels_beside(source: Source) -> str | None:
    """The right labels of logits in a file of their own, which stand beside it under one of their names."""
    if not source.name.endswith(".npy"):
        return None
    beside = [os.path.join(source.folder, f"{name}.npy") for name in NAMES["label_ids"]]
    found = next((path for path in beside if os.path.isfile(path)), None)
    if found is None:
        raise InputError(
            f"{source.name} is one array, and no label_ids.npy stands beside it; save both together: "
            "numpy.savez('x.npz', predictions=…, label_ids=…)."
        )
    return found


def _class_names(source: Source, held: Sequence[str] | None, size: int) -> list[str] | None:
    """The names of the classes, from the archive or from the config.json beside it."""
    if held is not None:
        if len(held) != size:
            raise InputError(f"{source.name} names {len(held)} labels for {size} classes.")
        return list(held)
    config = source.beside("config.json")
    named = config.get("id2label") if isinstance(config, dict) else None
    if not isinstance(named, dict) or len(named) != size:
        return None
    found = [name for number in range(size) if isinstance(name := named.get(str(number)), str)]
    return found if len(found) == size else None


def _listed(source: Source) -> Iterator[Any]:
    """The texts of a JSON document: a list for each, or one dictionary for each."""
    held = source.document()
    if not isinstance(held, list):
        raise InputError(f"{source.name} must hold a list with the output for each text.")
    yield from ({"scores": one} if isinstance(one, list) or _is_scored(one) else one for one in held)


def _scored(record: Any) -> Row:
    """The classes of a text and their probabilities, and the right one where the record names it."""
    found = _scores_in(record) if isinstance(record, Mapping) else None
    if found is None:
        raise ValueError(
            "it holds no list of {label, score}, as a text-classification pipeline returns with top_k=None"
        )
    scores = [found] if isinstance(found, Mapping) else found
    if any(keys <= one.keys() for one in scores for keys in TAGGED):
        raise ValueError(
            "a token-classification pipeline keeps the score of the best label alone, and leaves out what it calls O: "
            "of that there is no posterior. Save the logits by Trainer.predict, and use `howsure sequences spans`"
        )
    by_class = {str(one["label"]): _probability(one["score"]) for one in scores}
    if len(by_class) < len(scores):
        raise ValueError(f"two of its scores are of one label: {shortened(one['label'] for one in scores)}")
    more = {name: value for name, value in record.items() if value is not found}
    target = next((record[name] for name in TARGETS if isinstance(record.get(name), str | int)), None)
    if len(by_class) == 1:
        ((label, probability),) = by_class.items()
        right = {} if target is None else {"target": target, "correct": int(str(target) == label)}
        return more | {"prediction": label, "probability": probability} | right
    if abs(sum(by_class.values()) - 1.0) > SUM_OFF_BY:
        raise ValueError(
            f"its scores sum to {sum(by_class.values()):.4g}, not to 1. Write the scores of all classes (top_k=None); "
            "scores of labels that do not exclude each other (sigmoid) are one column each"
        )
    classes = sorted(by_class, key=natural_order)
    right = {} if target is None else {"target": _position(target, classes)}
    return more | {"classes": classes, "probabilities": [by_class[name] for name in classes]} | right


def _position(target: str | int, classes: Sequence[str]) -> int:
    if isinstance(target, str) and target in classes:
        return classes.index(target)
    if f"LABEL_{target}" in classes:
        return classes.index(f"LABEL_{target}")
    raise ValueError(f"its label {target!r} is none of the classes {shortened(classes)}")


def _probability(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value <= 1.0:
        raise ValueError(f"a score must be a probability; it is {value!r}")
    return float(value)


def _is_scored(value: Any) -> bool:
    """Whether this is a label with its score."""
    return isinstance(value, Mapping) and (value.keys() == SCORED or any(keys <= value.keys() for keys in TAGGED))


def _scores_in(record: Mapping[str, Any]) -> Any:
    """The first value that is a list of labels with scores, or one of them; None if there is none."""
    for value in record.values():
        if _is_scored(value) or (isinstance(value, list) and value and all(map(_is_scored, value))):
            return value
    return None


HUGGING_FACE = LogFormat("hf", "transformers", recognises, rows)
