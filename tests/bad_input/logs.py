"""The files of wrong logs of evaluation programs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

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

from tests.bad_input.files import Files

SAMPLE = lm_eval_sample(0, [-1.0, -2.0], 0)
STATE = helm_state("id1", "A", "A") | {"output_mapping": {"A": {"of": "no"}, "B": "yes"}}
LONG = 30 * "a long text"
OTHER = lm_eval_sample(1, [-1.0, -2.0, -3.0], 1, choices="abc")


def lines(*records: Mapping[str, Any], end: str = "") -> dict[str, bytes]:
    return {"log.jsonl": ("".join(json.dumps(record) + "\n" for record in records) + end).encode()}


def members(*, status: str = "success", version: int = 2, **samples: object) -> dict[str, bytes]:
    header = inspect_header(status=status, version=version)
    entries = [(f"samples/{name}_epoch_1.json", json.dumps(sample).encode()) for name, sample in samples.items()]
    return {"log.eval": zip_of_zstd([*entries, ("header.json", json.dumps(header).encode())])}


def changed(**values: object) -> dict[str, Any]:
    return SAMPLE | values


UNNESTED = {"it.jsonl": b'{"id": 1, "grade": 1}\n'}
SUMMED: dict[str, Any] = {
    "DeepEval": {"testRunLink": "https://example.org"},
    "LiveCodeBench": [{"pass@1": 0.5, "detail": {"pass@1": {"0": 0.5}}}, {"0": [[True]]}, [["{}"]]],
    "MMLU-Pro": {"law": {"corr": 1.0, "wrong": 1.0, "acc": 0.5}},
    "Every Eval Ever": {"schema_version": "0.2.1", "source_metadata": {}, "model_info": {}, "evaluation_results": []},
}

LOGGED = Files(
    lines(SAMPLE),
    {
        "a log that is cut off": lines(SAMPLE, end='{"doc_id": 1, "do'),
        "a line of another program": lines(SAMPLE, {"id": 1}),
        "a log without probabilities": lines(lm_eval_text(0, "a", "b")),
        "a log with half a character": {"log.jsonl": b'{"doc_id": "q\xed\xa0\x80"}\n'},
        "a document that is cut off inside a letter": {"log.json": '{"request_states": [{"instance": "é'.encode()[:-1]},
        "choices that are not texts": {
            "log.json": json.dumps({"adapter_spec": {}, "request_states": [STATE]}).encode()
        },
        "a version that is true": {
            "log.json": json.dumps(inspect_header() | {"version": True, "samples": []}).encode()
        },
        "a long text where a number should stand": lines(changed(filtered_resps=[[LONG, "False"], ["-2.0", "False"]])),
        "a log-likelihood that is not a number": lines(changed(filtered_resps=[["high", "False"], ["-2.0", "False"]])),
        "a target that may mean two choices": lines(lm_eval_sample(0, [-1.0, -2.0], 1, choices="10", scores={})),
        "classes of questions that differ": lines(SAMPLE, OTHER),
        "a table that is called a log": lines({"gold": 1, "prob": 0.5}),
        "an item twice": lines(SAMPLE, SAMPLE),
        "an archive of a run that is cut off": {
            "log.eval": members(q1=inspect_sample("q1", "A", "A"))["log.eval"][:-30]
        },
        "a run that did not end": {"log.eval": zip_of_zstd([("_journal/start.json", b"{}")])},
        "a log of a later version": members(version=3, q1=inspect_sample("q1", "A", "A")),
        "a log without samples": members(),
        "probabilities that are all 1": {
            "per_instance_stats.json": json.dumps([helm_stats("id1", max_prob=1.0, exact_match=0.0)]).encode()
        },
        "confidence taken for a probability": lines(decisions_by_name("r1")),
        "probabilities of a decision that do not add to 1": lines(
            {"model": "m", "answers": {"tone": {"type": "choice", "probabilities": {"a": 0.5, "b": 0.25}}}}
        ),
        "a label that is not one of the answers": {
            **lines(decisions_by_name("r1")),
            "labels.csv": b"id,question,label\nr1,spam,sad\n",
        },
        "two labels of one answer": {
            **lines(decisions_by_name("r1")),
            "labels.csv": b"id,question,label\nr1,spam,yes\nr1,spam,no\n",
        },
        "a table of labels without items": {
            **lines(decisions_by_name("r1")),
            "labels.csv": b"question,label\nspam,yes\n",
        },
        "a table of labels for a table": {"it.jsonl": b'{"y": 1, "p": 0.5}\n', "labels.csv": b"id,label\nr1,1\n"},
        "a field to explode that is not a list": UNNESTED,
        "a list to explode that no row has": UNNESTED,
        "a model version where no alias is used": lines(decisions_by_name("r1")),
        "a version of the model of a table": {"it.jsonl": b'{"id": 1, "grade": 1}\n'},
        "a line of another layout": lines(human_eval(True), {"task_id": "q", "completion": ""}),
        "a log of several prompts without --model prompt": lines(
            *(promptfoo(True, model=model, prompt=prompt) for model in ("m", "n") for prompt in "ab")
        ),
        **{
            f"a summary of {program}": {"summary.json": json.dumps(summary).encode()}
            for program, summary in SUMMED.items()
        },
    },
)
