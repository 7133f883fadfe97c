"""Wrong logs of evaluation programs and what is said to them: part of the table of `bad_input.py`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.cli.bad_input import Wrong
from tests.data.logs.writers import (
    decisions_by_name,
    helm_state,
    helm_stats,
    human_eval,
    inspect_header,
    inspect_sample,
    lm_eval_sample,
    lm_eval_text,
    promptfoo,
    zip_of_zstd,
)

JUDGE = "calibration log.jsonl"
SAMPLE = lm_eval_sample(0, [-1.0, -2.0], 0)
STATE = helm_state("id1", "A", "A") | {"output_mapping": {"A": {"of": "no"}, "B": "yes"}}
LONG = 30 * "a long text"
OTHER = lm_eval_sample(1, [-1.0, -2.0, -3.0], 1, choices="abc")


def lines(*records: Mapping[str, Any], end: str = "") -> dict[str, bytes]:
    return {"log.jsonl": ("".join(json.dumps(one) + "\n" for one in records) + end).encode()}


def members(*, status: str = "success", version: int = 2, **samples: object) -> dict[str, bytes]:
    header = inspect_header(status=status, version=version)
    held = [(f"samples/{name}_epoch_1.json", json.dumps(one).encode()) for name, one in samples.items()]
    return {"log.eval": zip_of_zstd([*held, ("header.json", json.dumps(header).encode())])}


def changed(**values: object) -> dict[str, Any]:
    return SAMPLE | values


UNNESTED = {"it.jsonl": b'{"id": 1, "grade": 1}\n'}
SUMMED: dict[str, Any] = {
    "DeepEval": {"testRunLink": "https://example.org"},
    "LiveCodeBench": [{"pass@1": 0.5, "detail": {"pass@1": {"0": 0.5}}}, {"0": [[True]]}, [["{}"]]],
    "MMLU-Pro": {"law": {"corr": 1.0, "wrong": 1.0, "acc": 0.5}},
    "Every Eval Ever": {"schema_version": "0.2.1", "source_metadata": {}, "model_info": {}, "evaluation_results": []},
}

LOGGED = [
    Wrong("a log that is cut off", JUDGE, lines(SAMPLE, end='{"doc_id": 1, "do')),
    Wrong("a line of another program", JUDGE, lines(SAMPLE, {"id": 1})),
    Wrong("a log without probabilities", JUDGE, lines(lm_eval_text(0, "a", "b"))),
    Wrong("a log with half a character", f"{JUDGE} --from lm-eval", {"log.jsonl": b'{"doc_id": "q\xed\xa0\x80"}\n'}),
    Wrong(
        "a document that is cut off inside a letter",
        "calibration log.json --from helm",
        {"log.json": '{"request_states": [{"instance": "é'.encode()[:-1]},
    ),
    Wrong(
        "choices that are no texts",
        "calibration log.json",
        {"log.json": json.dumps({"adapter_spec": {}, "request_states": [STATE]}).encode()},
    ),
    Wrong(
        "a version that is true",
        "calibration log.json --from inspect",
        {"log.json": json.dumps(inspect_header() | {"version": True, "samples": []}).encode()},
    ),
    Wrong(
        "a long text where a number should stand",
        JUDGE,
        lines(changed(filtered_resps=[[LONG, "False"], ["-2.0", "False"]])),
    ),
    Wrong(
        "a log-likelihood that is no number",
        JUDGE,
        lines(changed(filtered_resps=[["high", "False"], ["-2.0", "False"]])),
    ),
    Wrong(
        "a target that may mean two choices", JUDGE, lines(lm_eval_sample(0, [-1.0, -2.0], 1, choices="10", scores={}))
    ),
    Wrong("classes of questions that differ", f"{JUDGE} --reduce class-wise", lines(SAMPLE, OTHER)),
    Wrong("tokens that the log does not count", f"{JUDGE} --normalise tokens", lines(SAMPLE)),
    Wrong("a normalisation that does not exist", f"{JUDGE} --normalise words", lines(SAMPLE)),
    Wrong(
        "a normalisation of a table",
        "calibration log.jsonl --from jsonl --target acc --prob acc --normalise bytes",
        lines(SAMPLE),
    ),
    Wrong("a table that is called a log", "calibration log.jsonl --from lm-eval", lines({"gold": 1, "prob": 0.5})),
    Wrong("an item twice", JUDGE, lines(SAMPLE, SAMPLE)),
    Wrong(
        "an archive of a run that is cut off",
        "calibration log.eval",
        {"log.eval": members(q1=inspect_sample("q1", "A", "A"))["log.eval"][:-30]},
    ),
    Wrong(
        "a run that did not end", "calibration log.eval", {"log.eval": zip_of_zstd([("_journal/start.json", b"{}")])}
    ),
    Wrong("a log of a later version", "calibration log.eval", members(version=3, q1=inspect_sample("q1", "A", "A"))),
    Wrong("a log without samples", "calibration log.eval", members()),
    Wrong(
        "probabilities that are all 1",
        "calibration per_instance_stats.json",
        {"per_instance_stats.json": json.dumps([helm_stats("id1", max_prob=1.0, exact_match=0.0)]).encode()},
    ),
    Wrong(
        "confidence taken for a probability", "calibration log.jsonl --prob confidence", lines(decisions_by_name("r1"))
    ),
    Wrong(
        "probabilities of a decision that do not add to 1",
        "calibration log.jsonl",
        lines({"model": "m", "answers": {"tone": {"type": "choice", "probabilities": {"a": 0.5, "b": 0.25}}}}),
    ),
    Wrong(
        "a label that is none of the answers",
        "calibration log.jsonl --labels-from labels.csv",
        {**lines(decisions_by_name("r1")), "labels.csv": b"id,question,label\nr1,spam,sad\n"},
    ),
    Wrong(
        "two labels of one answer",
        "calibration log.jsonl --labels-from labels.csv",
        {**lines(decisions_by_name("r1")), "labels.csv": b"id,question,label\nr1,spam,yes\nr1,spam,no\n"},
    ),
    Wrong(
        "a table of labels without items",
        "calibration log.jsonl --labels-from labels.csv",
        {**lines(decisions_by_name("r1")), "labels.csv": b"question,label\nspam,yes\n"},
    ),
    Wrong(
        "a table of labels beside a table",
        "calibration it.jsonl --target y --prob p --labels-from labels.csv",
        {"it.jsonl": b'{"y": 1, "p": 0.5}\n', "labels.csv": b"id,label\nr1,1\n"},
    ),
    Wrong(
        "a filter of a log that leaves nothing",
        "score log.jsonl --where \"run = 'strict'\"",
        lines(lm_eval_text(0, "a", "b")),
    ),
    Wrong("a field to explode that is no list", "score it.jsonl --score grade --explode grade", UNNESTED),
    Wrong("a list to explode that no row has", "score it.jsonl --score grade --explode judgments", UNNESTED),
    Wrong("a log to explode", "score log.jsonl --explode doc", lines(SAMPLE)),
    Wrong(
        "a version of a model that is no alias",
        "score log.jsonl --model-version jev-2",
        lines(decisions_by_name("r1")),
    ),
    Wrong("a version of the model of another log", "score log.jsonl --model-version small", lines(SAMPLE)),
    Wrong(
        "a version of the model of a table",
        "score it.jsonl --score grade --model-version small",
        {"it.jsonl": b'{"id": 1, "grade": 1}\n'},
    ),
    Wrong("a line of another layout", "score log.jsonl", lines(human_eval(True), {"task_id": "q", "completion": ""})),
    Wrong(
        "a log of prompts that are not told apart",
        "significance log.jsonl --score success",
        lines(*(promptfoo(True, model=model, prompt=prompt) for model in ("m", "n") for prompt in "ab")),
    ),
    *(
        Wrong(f"a summary of {program}", "score summary.json", {"summary.json": json.dumps(held).encode()})
        for program, held in SUMMED.items()
    ),
]
