"""Formats of logs with scores but without probabilities: where their rows are, and the names of fields."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from howsure.data.logs.item_documents import content_hash
from howsure.data.logs.log_file import NAMED, Beginning, LogFormat, Row, Source, listed, mapping, number, with_scores
from howsure.errors import quote
from howsure.inputs.source_names import source_name

ROW_FAILED = "failed"  # whether a row has no answer or ended in an error; only counted
REQUEST = "request"  # what was asked; rows with an equal request are runs of one item
MODEL_OUTPUTS = re.compile(r"model_outputs_(.+?)(?:_\d+shots?)?")  # files of MMLU-Pro's own release
Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Layout:
    """The structure of a log format, in which each record is an item or contains several items.

    record_keys: the keys of every record, separated by blanks. They must occur in the beginning of a document, unless
    it begins with one of `first_keys`. records: a function that finds the records in a document. rows: a function that
    converts a record. failed: the note on rows that failed.
    """

    name: str
    program: str
    record_keys: str
    rows: Callable[[Record, Source], Iterator[Row]]
    records: Callable[[Any], list[Any]] = listed
    first_keys: tuple[str, ...] = ()
    failed: str = "ended in an error"
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def format(self) -> LogFormat:
        return LogFormat(self.name, self.program, self._recognises, self._rows, bounds=self.bounds)

    def _recognises(self, beginning: Beginning) -> bool:
        needed = set(self.record_keys.split())
        if beginning.file.format != "json":
            return beginning.record.keys() >= needed
        return needed <= set(beginning.keys) or beginning.keys[:1] in [(key,) for key in self.first_keys]

    def _rows(self, source: Source) -> Iterator[Row]:
        """Yield a row for each answer. Several answers to an item in one file are runs of this item."""
        runs_seen, item_by_request, failed = Counter[str](), dict[str, Any](), 0
        for at, record in self._records(source):
            lacking = set(self.record_keys.split()) - record.keys()
            if lacking:
                problem = f"it lacks {', '.join(sorted(lacking))}, which a log of {self.program} has."
                raise source.fault(at, problem)
            extra_columns = {
                name: value for name, value in record.items() if name not in NAMED and number(value) is None
            }
            for row in self.rows(record, source):
                failed += bool(row.pop(ROW_FAILED, False))
                if REQUEST in row:
                    row["item"] = item_by_request.setdefault(json.dumps(row.pop(REQUEST)), row["item"])
                key = json.dumps([row.get(role) for role in ("model", "task", "prompt", "item")])
                yield extra_columns | {"run": runs_seen[key]} | row
                runs_seen[key] += 1
        if failed:
            source.note(f"{failed:,} of {runs_seen.total():,} rows {self.failed}")

    def _records(self, source: Source) -> Iterator[tuple[int, Record]]:
        first = Beginning(source.file).record
        if source.file.format == "jsonl" and (self.records is listed or first.keys() >= set(self.record_keys.split())):
            yield from source.records()
            return
        records = self.records(source.document())
        objects = [(at, record) for at, record in enumerate(records, start=1) if isinstance(record, dict)]
        if len(objects) < len(records):
            lost = f"{len(records) - len(objects):,} of {len(records):,} elements"
            source.note(f"{lost} left out, because they are not objects")
        yield from objects


def _promptfoo(record: Record, source: Source) -> Iterator[Row]:
    provider, test = record.get("provider"), mapping(record.get("testCase"))
    test_and_assert = [test.get("vars", record.get("vars")), test.get("assert")]
    named = {
        "item": record["testIdx"],
        "model": mapping(provider).get("label") or mapping(provider).get("id") or provider or None,
        "prompt": mapping(record.get("prompt")).get("label"),
        ROW_FAILED: record.get("failureReason") == 2,
    }
    scores = {name: record[name] for name in ("success", "score")} | dict(mapping(record["namedScores"]))
    named |= {REQUEST: test_and_assert, "item_hash": content_hash(test_and_assert)} if any(test_and_assert) else {}
    yield with_scores(named, source.scores(scores, keep_missing=True))


def _deepeval(record: Record, source: Source) -> Iterator[Row]:
    metrics = [mapping(metric) for metric in listed(record["metricsData"])]
    scores = {"success": record["success"]} | {str(metric.get("name")): metric.get("score") for metric in metrics}
    named = {"item": record["name"], ROW_FAILED: any(map(_has_error, metrics))}
    named["item_hash"] = content_hash(record.get("input"))
    yield with_scores(named, source.scores(scores, keep_missing=True))


def _alpaca_eval(record: Record, _: Source) -> Iterator[Row]:
    named = {"item": record["instruction"], "model": record["generator_2"]}
    preference = number(record["preference"])  # 1: the first output, 2: the second, 1.5 and formerly 0: neither
    if preference is None:
        yield named | {"win": None, ROW_FAILED: True}
    elif preference == 0 or 1 <= preference <= 2:
        win = 0.5 if preference == 0 else preference - 1
        yield named | {"preference": f"{preference:g}", "win": win}  # a string, because the score is the win
    else:
        raise ValueError(f"preference must be within [1, 2]; it is {quote(preference)}")


def _live_code_bench(record: Record, _: Source) -> Iterator[Row]:
    if "graded_list" not in record:
        raise ValueError(
            "it has no graded_list; name the file _eval_all.json, which LiveCodeBench writes when it evaluates"
        )
    for passed in listed(record["graded_list"]):
        yield {"item": record["question_id"], "passed": number(passed)}


def _mmlu_pro(record: Record, source: Source) -> Iterator[Row]:
    named = {"item": record["question_id"], "task": record["category"], ROW_FAILED: not record["pred"]}
    named["model"] = _mmlu_pro_model(source.name, str(record["category"]))
    named["item_hash"] = content_hash(record.get("question"))
    yield named | {"acc": float(record["pred"] == record["answer"])}


@lru_cache
def _mmlu_pro_model(path: str, category: str) -> str:
    """Return a file's model: the folder's name if the file is of one category or alone, otherwise its own name."""
    stem, folders = source_name(path), os.path.abspath(path).split(os.sep)[:-1]
    of_release = MODEL_OUTPUTS.fullmatch(stem)
    if of_release is not None:
        return of_release[1]
    if folders[-2:-1] == ["CoT"]:  # local models: <model>/CoT/<subjects>/
        return folders[-3]
    is_of_category = category.casefold().replace(" ", "_") in stem.casefold().replace(" ", "_")
    return folders[-1] if is_of_category or not _has_sibling(path) else stem


def _has_sibling(path: str) -> bool:
    """Whether the folder of a file contains another file of answers."""
    folder, name = os.path.split(os.path.abspath(path))
    others = (other for other in os.listdir(folder) if other != name and "summary" not in other) if folder else ()
    return any(".json" in other and not other.startswith(".") for other in others)


def _human_eval(record: Record, _: Source) -> Iterator[Row]:
    yield {"item": record["task_id"], "passed": number(record["passed"])}


def _evalplus(record: Record, _: Source) -> Iterator[Row]:
    base, plus = record["base_status"], record.get("plus_status")
    main = {} if plus is None else {"plus": float(base == plus == "pass")}
    yield {"item": record["task_id"]} | main | {"base": float(base == "pass")}


def _every_eval_ever(record: Record, source: Source) -> Iterator[Row]:
    named = {"item": record["sample_id"], "model": record["model_id"], "task": record["evaluation_name"]}
    evaluation = mapping(record["evaluation"])
    scores = {name: evaluation.get(name) for name in ("score", "is_correct")}
    yield with_scores(named | {ROW_FAILED: _has_error(record)}, source.scores(scores, keep_missing=True))


def _has_error(record: Record) -> bool:
    return bool(record.get("error"))


def _deepeval_cases(document: Any) -> list[Any]:
    run = mapping(mapping(document).get("testRunData", document))
    return listed(run.get("testCases")) + listed(run.get("conversationalTestCases"))


def _promptfoo_results(document: Any) -> list[Any]:
    return listed(mapping(mapping(document).get("results")).get("results"))


def _evalplus_samples(document: Any) -> list[Any]:
    return [sample for samples in mapping(mapping(document).get("eval")).values() for sample in listed(samples)]


LAYOUTS = {
    layout.name: layout.format
    for layout in (
        Layout(
            "promptfoo",
            "promptfoo",
            "testIdx success score namedScores",
            _promptfoo,
            _promptfoo_results,
            ("evalId",),
            "are errors of the run, which count as wrong",
        ),
        Layout(
            "deepeval",
            "DeepEval",
            "name success metricsData",
            _deepeval,
            _deepeval_cases,
            ("testRunData", "testCases", "testFile"),
            "have a metric that failed",
        ),
        Layout(
            "alpaca-eval",
            "AlpacaEval",
            "instruction generator_1 generator_2 preference",
            _alpaca_eval,
            failed="have no preference",
            bounds={"win": (0.0, 1.0)},
        ),
        Layout("livecodebench", "LiveCodeBench", "question_id contest_id output_list", _live_code_bench),
        Layout(
            "mmlu-pro",
            "MMLU-Pro",
            "question_id category answer_index answer pred",
            _mmlu_pro,
            failed="have no answer and count as wrong, although MMLU-Pro itself guesses an answer",
        ),
        Layout("human-eval", "HumanEval", "task_id completion passed", _human_eval),
        Layout("evalplus", "EvalPlus", "task_id solution base_status", _evalplus, _evalplus_samples),
        Layout(
            "every-eval-ever",
            "Every Eval Ever",
            "evaluation_id model_id evaluation_name sample_id evaluation",
            _every_eval_ever,
        ),
    )
}
