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
    inspect_header,
    inspect_sample,
    lm_eval_sample,
    lm_eval_text,
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


LOGGED = [
    Wrong("a log that is cut off", JUDGE,
          "line 2 of log.jsonl: it is cut off; was the program stopped while it wrote?",
          lines(SAMPLE, end='{"doc_id": 1, "do')),
    Wrong("a line of another program", JUDGE,
          "line 2 of log.jsonl: it lacks doc_id, filtered_resps, resps, target, which a sample of "
          "lm-evaluation-harness has.", lines(SAMPLE, {"id": 1})),
    Wrong("a log without probabilities", JUDGE,
          "log.jsonl, a log of lm-evaluation-harness, holds no probabilities of answers; it holds the scores "
          "exact_match, which `howsure significance` compares.", lines(lm_eval_text(0, "a", "b"))),
    Wrong("a log with half a character", f"{JUDGE} --from lm-eval",
          "line 1 of log.jsonl: it is no JSON (it is not UTF-8 text: byte 14 is 0xed).",
          {"log.jsonl": b'{"doc_id": "q\xed\xa0\x80"}\n'}),
    Wrong("a document that is cut off inside a letter", "calibration log.json --from helm",
          "log.json is no JSON (it ends inside a character). Was it cut off?",
          {"log.json": '{"request_states": [{"instance": "é'.encode()[:-1]}),
    Wrong("choices that are no texts", "calibration log.json",
          "sample 1 of log.json: its choices must be texts; one is {'of': 'no'}.",
          {"log.json": json.dumps({"adapter_spec": {}, "request_states": [STATE]}).encode()}),
    Wrong("a version that is true", "calibration log.json --from inspect",
          "log.json is a log of version True of Inspect's; howsure reads version 1 and 2.",
          {"log.json": json.dumps(inspect_header() | {"version": True, "samples": []}).encode()}),
    Wrong("a long text where a number should stand", JUDGE,
          f"line 1 of log.jsonl: filtered_resps must hold log-likelihoods; it holds '{LONG[:79]}…'.",
          lines(changed(filtered_resps=[[LONG, "False"], ["-2.0", "False"]]))),
    Wrong("a log-likelihood that is no number", JUDGE,
          "line 1 of log.jsonl: filtered_resps must hold log-likelihoods; it holds 'high'.",
          lines(changed(filtered_resps=[["high", "False"], ["-2.0", "False"]]))),
    Wrong("a target that may mean two choices", JUDGE,
          "line 1 of log.jsonl: its target is the text of one choice and the position of another, and no line shows "
          "which.", lines(lm_eval_sample(0, [-1.0, -2.0], 1, choices="10", scores={}))),
    Wrong("classes of questions that differ", f"{JUDGE} --reduce class-wise",
          "--reduce class-wise needs the same classes in all rows; log.jsonl has questions of 2 to 3 choices. Use "
          "--reduce top-label.", lines(SAMPLE, OTHER)),
    Wrong("tokens that the log does not count", f"{JUDGE} --normalise tokens",
          "line 1 of log.jsonl: the log does not say how many tokens its choices have.", lines(SAMPLE)),
    Wrong("a normalisation that does not exist", f"{JUDGE} --normalise words",
          "--normalise must be one of none, characters, bytes, tokens; it is 'words'.", lines(SAMPLE)),
    Wrong("a normalisation of a table", "calibration log.jsonl --from jsonl --target acc --prob acc --normalise bytes",
          "--normalise is for log-likelihoods of choices in a log; these files are tables.", lines(SAMPLE)),
    Wrong("a table that is called a log", "calibration log.jsonl --from lm-eval",
          "line 1 of log.jsonl: it lacks doc_id, filtered_resps, resps, target, which a sample of "
          "lm-evaluation-harness has.", lines({"gold": 1, "prob": 0.5})),
    Wrong("an item twice", JUDGE,
          "item must be different in every row; '0' is that of row 1 of log.jsonl (counted from 1) and of row 2 of "
          "log.jsonl (counted from 1). Several rows per item? Name them with --cluster item.", lines(SAMPLE, SAMPLE)),
    Wrong("an archive of a run that is cut off", "calibration log.eval",
          "log.eval is no complete archive. Was it cut off, or is it still being written?",
          {"log.eval": members(q1=inspect_sample("q1", "A", "A"))["log.eval"][:-30]}),
    Wrong("a run that did not end", "calibration log.eval",
          "log.eval is the log of a run that did not end: it holds no header.json. Wait, or run it again.",
          {"log.eval": zip_of_zstd([("_journal/start.json", b"{}")])}),
    Wrong("a log of a later version", "calibration log.eval",
          "log.eval is a log of version 3 of Inspect's; howsure reads version 1 and 2.",
          members(version=3, q1=inspect_sample("q1", "A", "A"))),
    Wrong("a log without samples", "calibration log.eval", "log.eval has no rows.", members()),
    Wrong("probabilities that are all 1", "calibration per_instance_stats.json",
          "per_instance_stats.json, a log of HELM, holds no probabilities of answers; it holds the scores exact_match, "
          "which `howsure significance` compares. per_instance_stats.json: every max_prob is 1: HELM writes that for "
          "models without log-probabilities, so none is read.",
          {"per_instance_stats.json": json.dumps([helm_stats("id1", max_prob=1.0, exact_match=0.0)]).encode()}),
    Wrong("confidence taken for a probability", "calibration log.jsonl --prob confidence",
          "confidence is no probability that the answer is right: vendors compute it from the probabilities in "
          "different ways, and a calibrated model looks underconfident by it. The probabilities themselves "
          "are read by default.",
          lines(decisions_by_name("r1"))),
    Wrong("probabilities of a decision that do not add to 1", "calibration log.jsonl",
          "line 1 of log.jsonl: tone: probabilities must be two or more that add to 1; they are {'a': 0.5, 'b': 0.25}.",
          lines({"model": "m", "answers": {"tone": {"type": "choice", "probabilities": {"a": 0.5, "b": 0.25}}}})),
    Wrong("a label that is none of the answers", "calibration log.jsonl --labels-from labels.csv",
          "line 1 of log.jsonl: the label 'sad' is none of the answers false, true.",
          {**lines(decisions_by_name("r1")), "labels.csv": b"id,question,label\nr1,spam,sad\n"}),
    Wrong("two labels of one answer", "calibration log.jsonl --labels-from labels.csv",
          "labels.csv has two labels for id 'r1' and question 'spam': 'yes' and 'no'.",
          {**lines(decisions_by_name("r1")), "labels.csv": b"id,question,label\nr1,spam,yes\nr1,spam,no\n"}),
    Wrong("a table of labels without items", "calibration log.jsonl --labels-from labels.csv",
          "--labels-from must name a table with a column id or item or custom_id or uid; labels.csv has question, "
          "label.",
          {**lines(decisions_by_name("r1")), "labels.csv": b"question,label\nspam,yes\n"}),
    Wrong("a table of labels beside a table", "calibration it.jsonl --target y --prob p --labels-from labels.csv",
          "--labels-from is for the items of a log; these files are tables, whose labels are a column.",
          {"it.jsonl": b'{"y": 1, "p": 0.5}\n', "labels.csv": b"id,label\nr1,1\n"}),
]  # fmt: skip
