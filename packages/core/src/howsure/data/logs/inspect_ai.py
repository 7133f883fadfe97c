"""Logs of Inspect AI: .eval (a zip of JSON files, one for each sample and epoch) and .json.

The first logs, of 2024, are JSON without an `eval_id`. The earliest (version 1) have one `score` in each sample, and
the name of its scorer in `results.scorer`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from howsure.data.logs.item_documents import content_hash
from howsure.data.logs.log_file import Beginning, LogFormat, Row, Source, listed, mapping, number, with_scores
from howsure.data.logs.tokens import answer_probability, text_probability
from howsure.errors import InputError, quote
from howsure.files.input_files import is_version
from howsure.inputs.frames import EXCEPTION
from howsure.inputs.numbers_and_names import parse_number

HEADER, START, SAMPLE = "header.json", "_journal/start.json", re.compile(r"samples/.+_epoch_\d+\.json")
VERSIONS = (1, 2)
KEYS = {"version", "status", "eval"}  # the first keys of a document
NAMES = {"eval_id", "run_id", "task_id"}  # ids of a run; all documents have the last two
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
VALUES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}  # correct, incorrect, partial, no answer
WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


def recognises(beginning: Beginning) -> bool:
    """Whether an archive has the members of an Inspect log, or a document begins like an Inspect log."""
    if beginning.members:
        return HEADER in beginning.members or START in beginning.members
    keys = set(beginning.keys)
    return beginning.file.format == "json" and keys >= KEYS and not keys.isdisjoint(NAMES)


def rows(source: Source) -> Iterator[Row]:
    """Yield a row for each sample and epoch: the answer, its scores, and its probability."""
    if not source.is_archive:
        document = mapping(source.document())
        yield from _rows(document, iter(listed(document.get("samples"))), source)
        return
    with source.archive() as archive:
        if HEADER not in archive.members:
            raise InputError(
                f"{source.name} is the log of a run that did not end: it has no {HEADER}. Wait, or run it again."
            )
        names = [name for name in archive.members if SAMPLE.fullmatch(name)]
        samples = (source.member(archive, name) for name in names)
        yield from _rows(mapping(source.member(archive, HEADER)), samples, source)


def _rows(header: Mapping[str, Any], samples: Iterator[Any], source: Source) -> Iterator[Row]:
    evaluation = mapping(header.get("eval"))
    _check(header, source)
    scorer = mapping(mapping(header.get("results")).get("scorer")).get("name")
    last_line = 0
    for at, sample in enumerate(samples, start=1):
        if not isinstance(sample, dict) or "id" not in sample or "target" not in sample:
            raise source.fault(at, "it has no id or no target. Is this a log of Inspect?")
        last_line = at
        yield {"model": evaluation.get("model"), "task": evaluation.get("task")} | _row(sample, scorer, source)
    status = header.get("status", "started")
    if status != "success":
        source.note(f"the run ended with status {status!r}: {last_line:,} samples are in its log")


def _check(header: Mapping[str, Any], source: Source) -> None:
    version = header.get("version")
    if not is_version(version, *VERSIONS):
        raise InputError(
            f"{source.name} is a log of version {quote(version)} of Inspect's; howsure reads version 1 and 2."
        )


def _row(sample: Mapping[str, Any], scorer: Any, source: Source) -> Row:
    """Return the row of a sample. scorer: the name of the scorer of the single score in samples of version 1."""
    single_score = {scorer if isinstance(scorer, str) else "score": sample["score"]} if "score" in sample else {}
    scores = mapping(sample.get("scores")) or single_score
    row: Row = {"item": sample["id"], "run": sample.get("epoch"), "metadata": sample.get("metadata")}
    row["item_hash"] = content_hash(_question(sample.get("input")))
    choices, targets = sample.get("choices"), sample["target"]
    targets = targets if isinstance(targets, list) else [targets]
    tokens = _tokens(sample)
    answer = _answer(scores)
    if isinstance(choices, list) and len(choices) > 1:
        row |= _choice(choices, targets, answer, tokens)
    else:
        row |= {"target": targets[0] if len(targets) == 1 else None, "prediction": answer}
    row |= text_probability(tokens)
    row[EXCEPTION] = _exception(sample)
    return with_scores(row, _scores(scores, source))


def _exception(sample: Mapping[str, Any]) -> str | None:
    """Return the error or the limit that ended a sample without a score; None for a sample with a score."""
    if mapping(sample.get("scores")) or "score" in sample:
        return None
    reason = mapping(sample.get("error")).get("message") or mapping(sample.get("limit")).get("type")
    return None if reason is None else str(reason).strip().partition("\n")[0][:80]


def _question(question: Any) -> Any:
    """Return the question of a sample: a string, or messages without their ids, which differ between runs."""
    if not isinstance(question, list):
        return question
    return [[mapping(message).get("role"), mapping(message).get("content")] for message in question]


def _choice(choices: list[Any], targets: list[Any], answer: str | None, tokens: list[Any]) -> Row:
    """Return the index of the true choice, and the log-probabilities of the letters at the answer's token."""
    letters = LETTERS[: len(choices)]
    row: Row = {"classes": [str(choice) for choice in choices]}
    right = [letters.index(str(target)) for target in targets if str(target) in letters and len(str(target)) == 1]
    row |= {"target": right[0]} if len(right) == 1 else {"target": None, "targets": right}
    if answer is None or answer not in letters or len(answer) != 1:
        return row
    chosen = letters.index(answer)
    return row | {"prediction": chosen, "correct": int(chosen in right)} | answer_probability(tokens, answer, letters)


def _answer(scores: Mapping[str, Any]) -> str | None:
    """Return the answer that scorers extracted, if all agree; otherwise None."""
    answers = [mapping(score).get("answer") for score in scores.values()]
    texts = {answer.strip() for answer in answers if isinstance(answer, str)}
    return texts.pop() if len(texts) == 1 else None


def _tokens(sample: Mapping[str, Any]) -> list[Any]:
    """Return the tokens of the answer with their log-probabilities; [] if there are none."""
    choices = listed(mapping(sample.get("output")).get("choices"))
    return listed(mapping(mapping(choices[0]).get("logprobs")).get("content")) if choices else []


def _scores(scores: Mapping[str, Any], source: Source) -> dict[str, float | None]:
    """Return the scores as numbers; several values of a scorer are named scorer.value. Count other values."""
    values: dict[str, Any] = {}
    for name, score in scores.items():
        value = mapping(score).get("value")
        values |= {f"{name}.{key}": part for key, part in value.items()} if isinstance(value, dict) else {name: value}
    return source.scores(values, _number)


def _number(value: Any) -> float | None:
    """Return the number that Inspect averages; None for a string that is not a number, which Inspect counts as 0."""
    if not isinstance(value, str):
        return number(value)
    return VALUES[value] if value in VALUES else WORDS.get(value.lower(), parse_number(value))


INSPECT = LogFormat("inspect", "Inspect AI", recognises, rows)
