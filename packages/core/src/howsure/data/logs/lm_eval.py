"""Logs of lm-evaluation-harness: DIR/<model>/samples_<task>_<date>.jsonl, with a line for each document and filter.

Versions 0.4.0 to 0.4.13 write the same content, but later versions write numbers and indices as strings, and arguments
as mappings.
"""

from __future__ import annotations

import ast
import io
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from typing import Any

import msgspec

from howsure.data.logs.item_documents import content_hash
from howsure.data.logs.log_file import (
    GROUP,
    LONGEST_LINE,
    Beginning,
    Block,
    Columns,
    LogFormat,
    Row,
    Source,
    listed,
    number,
    parsed_line,
    struct_type,
    with_scores,
)
from howsure.errors import quote
from howsure.inputs.matching import HASH_KIND_END
from howsure.inputs.numbers_and_names import parse_number

FILE = re.compile(r"samples_(?P<task>.+?)(?:_(?P<date>\d{4}-\d\d-\d\d[T\d.-]*))?\.jsonl.*")
DELIMITER = " "  # between a question and a choice, unless a task says otherwise
KEYS = {"doc_id", "target", "resps", "filtered_resps"}
POSITION, TEXT = "position", "text"


@dataclass(frozen=True, slots=True)
class Setting:
    """The settings of a file, from its name and from the results file in its folder."""

    model: str | None
    task: str | None
    prompt: str | None
    delimiter: str


def recognises(beginning: Beginning) -> bool:
    """Whether the first line has the keys of a sample."""
    return beginning.record.keys() >= KEYS


def rows(source: Source) -> Iterator[Row]:
    """Yield a row for each line, or a block for several: choices with log-likelihoods or a generated text; metrics."""
    setting = _setting(source)
    meaning = cache(partial(_meaning_of_targets, source, setting))
    for first, text in source.chunks():
        block = _block(text, setting, meaning)
        if block is not None:
            yield block
            continue
        for line, record in source.records_in(first, text):
            if missing := KEYS - record.keys():
                lacking = ", ".join(sorted(missing))
                raise source.fault(line, f"it lacks {lacking}, which a sample of lm-evaluation-harness has.")
            names = {"model": setting.model, "task": setting.task, "prompt": setting.prompt}
            row: Row = {"item": record["doc_id"], **names, "run": record.get("filter"), "item_hash": _document(record)}
            row |= _answer(record, setting, meaning)
            row = with_scores(row, _metrics(record, source))
            row["doc"] = record.get("doc")
            yield row


# The lines of a log usually have the same form. Then they are converted together, with the same result.


class Request(msgspec.Struct, gc=False):
    """A request for the likelihood of a choice; its question is not used."""

    arg_1: str


def _block(text: bytes, setting: Setting, meaning: Callable[[], str]) -> Block | None:
    """Convert lines of the same form together; None if the form differs, or is that of an early version."""
    try:
        first = parsed_line(text.partition(b"\n")[0])
        is_choice = len(first["filtered_resps"]) > 1
        decode = _typed_decoder(tuple(first), is_choice)
        samples = [decode(line) for line in io.BytesIO(text)]
        if len(text) >= LONGEST_LINE or not (text.isascii() or text.decode()):
            return None
        columns = dict(zip(first, zip(*map(msgspec.structs.astuple, samples), strict=True), strict=True))
        nothing = (None,) * len(samples)
        scores = {name: columns[name] for name in first["metrics"] if columns.get(name, nothing) != nothing}
        types = {type(value) for values in scores.values() for value in set(values)}
        same_metrics = isinstance(first["metrics"], list) and columns["metrics"].count(first["metrics"]) == len(samples)
        if not same_metrics or not types <= {int, float, bool}:
            return None
        names = {"model": setting.model, "task": setting.task, "prompt": setting.prompt}
        block = {
            "item": columns["doc_id"],
            **{name: (value,) * len(samples) for name, value in names.items()},
            "run": columns.get("filter", nothing),
            "item_hash": tuple([f"doc_hash{HASH_KIND_END}{doc_hash}" for doc_hash in columns["doc_hash"]]),
            **(_choices(columns, setting, meaning()) if is_choice else _generated(columns)),
        }
        block = with_scores(block, {name: tuple(map(float, values)) for name, values in scores.items()})
        return Block(block | {"doc": columns.get("doc", nothing)})
    except (ValueError, TypeError, LookupError, OverflowError, RecursionError):
        return None


@lru_cache
def _typed_decoder(keys: tuple[str, ...], is_choice: bool) -> Callable[[bytes], Any]:
    """Return a decoder of samples with these keys and the types of this version; unused values are skipped."""
    if is_choice:
        types: dict[str, Any] = {"filtered_resps": list[tuple[float, Any]], "arguments": dict[str, Request]}
    else:
        types = {"filtered_resps": list[str], "arguments": msgspec.Raw}
    sample = struct_type(keys, resps=msgspec.Raw, doc_hash=str, **types)
    return msgspec.json.Decoder(sample, strict=False).decode  # numbers may be strings


def _choices(columns: Columns, setting: Setting, meaning: str) -> Columns:
    """Return what `_answer` returns, for choices. Raises ValueError or LookupError for another form."""
    pairs, counts = columns["filtered_resps"], tuple(map(len, columns["filtered_resps"]))
    texts = [
        [requests[key].arg_1 for key in _request_keys(count)]
        for requests, count in zip(columns["arguments"], counts, strict=True)
    ]
    if min(counts) < 2 or 1 in map(len, map(set, texts)) or "acc_mutual_info" in columns:
        raise ValueError("choices that differ only in their contexts")
    classes = tuple([[text.removeprefix(setting.delimiter) for text in row] for row in texts])
    targets: Sequence[Any] = list(zip(columns["target"], counts, strict=True))
    if meaning == POSITION:
        rights = {target: _right(target[0], None, target[1], meaning) for target in set(targets)}
        right = [rights[target] for target in targets]
    else:
        right = [_right(target, row, len(row), meaning) for (target, _), row in zip(targets, classes, strict=True)]
    return {
        "classes": classes,
        "log_probabilities": tuple([[value for value, _ in row] for row in pairs]),
        "target": tuple([position for (position,) in right]),
    }


def _generated(columns: Columns) -> Columns:
    """Return what `_answer` returns for generated texts; ValueError if a line has several."""
    answers = tuple([response for (response,) in columns["filtered_resps"]])
    return {"prediction": answers, "target": tuple(map(str, columns["target"]))}


def _setting(source: Source) -> Setting:
    match = FILE.fullmatch(os.path.basename(source.name))
    task = match["task"] if match else None
    results = source.sibling(f"results_{match['date']}.json") if match else None
    results = results if isinstance(results, dict) else {}
    config = _nested(results, "configs", str(task))
    shots = _nested(results, "n-shot").get(str(task))
    delimiter = config.get("target_delimiter", DELIMITER)
    return Setting(
        results.get("model_name") or (os.path.basename(source.folder) or None),
        task,
        None if shots is None else f"{shots}-shot",
        delimiter if isinstance(delimiter, str) else DELIMITER,
    )


def _nested(mapping: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    for key in keys:
        inner = mapping.get(key)
        mapping = inner if isinstance(inner, dict) else {}
    return mapping


def _answer(record: Mapping[str, Any], setting: Setting, meaning: Callable[[], str]) -> Row:
    """Return the choices, their log-likelihoods and the true choice; or the generated text and the reference."""
    likelihoods = _log_likelihoods(record)
    if likelihoods is None:
        response = record["filtered_resps"]
        while isinstance(response, list) and len(response) == 1:
            response = response[0]
        # a pair of a number and a truth value: the target's own
        answer = response if isinstance(response, str) else None
        return {"prediction": answer, "target": str(record["target"])}
    texts = _texts(record, len(likelihoods), setting.delimiter)
    right = _right(record["target"], texts, len(likelihoods), meaning()) or _from_accuracy(record, likelihoods)
    row: Row = {"classes": texts, "log_probabilities": likelihoods}
    return row | ({"target": right[0]} if len(right) == 1 else {"target": None, "targets": right})


def _from_accuracy(record: Mapping[str, Any], likelihoods: Sequence[float]) -> list[int]:
    """Infer the true choice from the accuracy of the likeliest choice.

    This is needed if the target is the common continuation of different contexts. With more than two choices, the true
    choice is known only if the likeliest choice is correct.
    """
    best, accuracy = likelihoods.index(max(likelihoods)), record.get("acc")
    if len(set(_arguments(record, len(likelihoods), 1))) > 1 or accuracy not in (0, 1):
        return []
    return [best] if accuracy == 1 else [1 - best] if len(likelihoods) == 2 else []


def _log_likelihoods(record: Mapping[str, Any]) -> list[float] | None:
    """Return the log-likelihoods of the choices; None if the line is not a question with choices."""
    pairs = record["filtered_resps"]
    if not isinstance(pairs, list) or len(pairs) < 2:
        return None
    if set(map(type, pairs)) != {list} or set(map(len, pairs)) != {2}:
        return None
    numbers = [_number(value) for value, _ in pairs]
    half = len(numbers) // 2
    if "acc_mutual_info" in record and len(numbers) % 2 == 0 and not any(_arguments(record, len(pairs), 0)[half:]):
        numbers = numbers[:half]  # the other half are the choices without a question
    return numbers


def _number(value: Any) -> float:
    number_ = parse_number(value) if isinstance(value, str) else number(value)
    if number_ is None:
        raise ValueError(f"filtered_resps must contain log-likelihoods; it contains {quote(value)}")
    return number_


def _arguments(record: Mapping[str, Any], requests: int, at: int) -> list[Any]:
    """Return one argument of each request ({"gen_args_0": {"arg_0": …}}, or nested lists in old versions), or None."""
    arguments = record.get("arguments")
    if isinstance(arguments, dict):
        name = f"arg_{at}"
        return [
            request.get(name) if isinstance(request := arguments.get(key), dict) else None
            for key in _request_keys(requests)
        ]
    of_requests = [*listed(arguments)[:requests], *[None] * requests][:requests]
    return [request[at] if isinstance(request, list) and at < len(request) else None for request in of_requests]


@cache
def _request_keys(requests: int) -> tuple[str, ...]:
    return tuple(f"gen_args_{number}" for number in range(requests))


def _texts(record: Mapping[str, Any], choices: int, delimiter: str) -> list[str] | None:
    """Return the texts of the choices, without the separator from the question; None if the line has no texts."""
    texts = _arguments(record, choices, 1)
    if set(map(type, texts)) != {str}:
        return None
    if len(set(texts)) == 1:  # only the questions differ
        texts = _arguments(record, choices, 0)
        return texts if set(map(type, texts)) == {str} else None
    return [text.removeprefix(delimiter) for text in texts]


def _right(target: Any, texts: Sequence[str] | None, choices: int, meaning: str) -> list[int]:
    """Return the indices of the true choices; [] if the target is not a choice."""
    if isinstance(target, str) and target.startswith("[") and target.endswith("]"):
        try:
            target = ast.literal_eval(target)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return []
    if isinstance(target, list):
        return [answer for part in target for answer in _right(part, texts, choices, meaning)]
    if meaning == TEXT:
        return [texts.index(str(target))] if texts and str(target) in texts else []
    position = _position(target, choices)
    return [] if position is None else [position]


def _position(target: Any, choices: int) -> int | None:
    value = parse_number(target) if isinstance(target, str) else number(target)
    return int(value) if value is not None and value.is_integer() and 0 <= value < choices else None


def _meaning_of_targets(source: Source, setting: Setting) -> str:
    """Decide by the first informative line whether the targets of a file are indices of choices or their texts.

    If a choice is itself a number, a line may be compatible with both. A line with only one interpretation decides.
    """
    fits, doubtful = {POSITION: True, TEXT: True}, 0
    for line, record in source.records():
        readings = _readings(source, line, record, setting)
        if readings[POSITION] == readings[TEXT]:
            continue
        several = all(readings.values())
        for way, right in readings.items():
            fits[way] = fits[way] and bool(right) and (not several or _agrees(record, right))
        doubtful = doubtful or line
        if not all(fits.values()):
            break
    if doubtful and all(fits.values()):
        raise source.fault(
            doubtful,
            "its target is the text of one choice and the position of another, and no line shows which is meant.",
        )
    return TEXT if fits[TEXT] else POSITION


def _readings(source: Source, line: int, record: Mapping[str, Any], setting: Setting) -> dict[str, list[int]]:
    """Return the true choices under both interpretations of the target."""
    try:
        choices = len(_log_likelihoods(record) or ()) if record.keys() >= KEYS else 0
    except ValueError as error:
        raise source.fault(line, f"{error}.") from error
    texts = _texts(record, choices, setting.delimiter) if choices else None
    return {way: _right(record["target"], texts, choices, way) if choices else [] for way in (POSITION, TEXT)}


def _agrees(record: Mapping[str, Any], right: Sequence[int]) -> bool:
    """Whether the logged accuracy agrees with these true choices."""
    likelihoods, accuracy = _log_likelihoods(record), record.get("acc")
    if likelihoods is None or not isinstance(accuracy, int | float):
        return True
    return (likelihoods.index(max(likelihoods)) in right) == (accuracy == 1)


def _document(record: Mapping[str, Any]) -> str | None:
    """Return the hash of a document: the log's doc_hash or, in early versions, a hash of the document's fields."""
    doc_hash = record.get("doc_hash")
    if isinstance(doc_hash, str):
        return f"doc_hash{HASH_KIND_END}{doc_hash}"
    return content_hash(record.get("doc"), kind="doc")


def _metrics(record: Mapping[str, Any], source: Source) -> Row:
    """Return the metrics of a line; in early versions, which do not list them, every number is a metric."""
    named = record.get("metrics")
    if not isinstance(named, list):
        return {name: value for name, value in record.items() if name not in KEYS and number(value) is not None}
    return source.scores({name: record.get(name) for name in named if isinstance(name, str)})


LM_EVAL = LogFormat("lm-eval", "lm-evaluation-harness", recognises, rows, group=(*GROUP, "run"))
