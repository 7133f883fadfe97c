"""The files of wrong names of columns, conditions and scales."""

from __future__ import annotations

import json
from typing import Any

from tests.bad_input.files import CSV, Files


def log(row: int = 1, **change: Any) -> bytes:
    """Write JSON lines as a log of multiple choice, with one row changed."""
    rows: list[dict[str, Any]] = [
        {
            "doc": {"answerKey": "AB"[i % 2], "id": i},
            "gold": i % 2,
            "z": [0.5, -1.5],
            "ll": [-0.5, -1.5],
            "one": 0.5 * i,
        }
        for i in range(8)
    ]
    rows[row - 1] |= change
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


LOG = {"log.jsonl": log()}

NAMED = Files(
    CSV,
    {
        "a path without a column": LOG,
        "a path to a missing field": LOG,
        "an invalid path in a column": LOG,
        "the file's name without --by-file": LOG,
        "a column named file with --by-file": {"dev.csv": b"gold,prob,file\n1,0.5,a\n"},
        "logits as probabilities": LOG,
        "one logit as a probability": LOG,
        "log-probabilities as probabilities": LOG,
        "an infinite logit": {"log.jsonl": log(3, z=[0.5, float("-inf")])},
        "logits as log-probabilities": LOG,
        "no possible class": {"log.jsonl": log(2, ll=[float("-inf"), float("-inf")])},
        "logits of which one is missing": {"log.jsonl": log(5, z=[float("nan"), 1.0])},
        "a class of one logit": LOG,
    },
)
