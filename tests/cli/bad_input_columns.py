"""Wrong names of columns, conditions and scales, and what is said to them: part of the table of `bad_input.py`."""

from __future__ import annotations

import json
from typing import Any

from tests.cli.bad_input import CSV, Wrong

ADVICE = (
    "It may hold columns, numbers, 'texts', =, <>, <, <=, >, >=, between, in, like, is null, and, or, not and "
    "parentheses; write a column with spaces in double quotes, a text in single ones."
)


def log(row: int = 1, **change: Any) -> bytes:
    """JSON lines as a log of multiple choice writes them; one row changed."""
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
    return "".join(json.dumps(one) + "\n" for one in rows).encode()


LOG = {"log.jsonl": log()}
WHERE = "calibration dev.csv --target gold --prob prob --where"
LOGITS = "calibration log.jsonl --target gold --logits"

NAMED = [
    Wrong("a condition with a function", f'{WHERE} "lower(model) = 1"', CSV),
    Wrong("a condition that reads a file", f"{WHERE} \"prob > (select max(x) from 'b.csv')\"", CSV),
    Wrong("a condition and a second statement", f'{WHERE} "prob > 0; drop table t"', CSV),
    Wrong("a condition that ends its parenthesis", f'{WHERE} "prob > 0) order by (prob"', CSV),
    Wrong("a condition on no column", f'{WHERE} "1 = 1"', CSV),
    Wrong("a condition that equals null", f'{WHERE} "model = null"', CSV),
    Wrong("an empty condition", f'{WHERE} " "', CSV),
    Wrong("an unknown column in a condition", f"{WHERE} \"modl = 'base'\"", CSV),
    Wrong("a text compared as a number", f'{WHERE} "model > 3"', CSV),
    Wrong("a condition that no row satisfies", f"{WHERE} \"model = 'bass'\"", CSV),
    Wrong("a path without a column", "calibration log.jsonl --target dok.answerKey --probs-column z", LOG),
    Wrong("a path that leads nowhere", "calibration log.jsonl --target doc.answer --probs-column z", LOG),
    Wrong("a path that is none", "calibration log.jsonl --target doc[a] --probs-column z", LOG),
    Wrong("a key of one column twice", f"{WHERE.removesuffix(' --where')} --cluster model,model", CSV),
    Wrong("several columns where one must be", "calibration dev.csv --target gold --prob prob,weight", CSV),
    Wrong("the file's name without --by-file", "calibration log.jsonl --target gold --prob one --group file", LOG),
    Wrong(
        "a column called file beside --by-file",
        "calibration dev.csv --target gold --prob prob --by-file --group file",
        {"dev.csv": b"gold,prob,file\n1,0.5,a\n"},
    ),
    Wrong("probabilities in two ways", f"{LOGITS} z --prob one", LOG),
    Wrong("logits as probabilities", "calibration log.jsonl --target gold --probs-column z", LOG),
    Wrong("one logit as a probability", "calibration log.jsonl --target gold --prob one", LOG),
    Wrong("log-probabilities as probabilities", "calibration log.jsonl --target gold --probs-column ll", LOG),
    Wrong("an infinite logit", f"{LOGITS} z", {"log.jsonl": log(3, z=[0.5, float("-inf")])}),
    Wrong("logits as log-probabilities", "calibration log.jsonl --target gold --logprobs z", LOG),
    Wrong(
        "no possible class",
        "calibration log.jsonl --target gold --logprobs ll",
        {"log.jsonl": log(2, ll=[float("-inf"), float("-inf")])},
    ),
    Wrong("logits of which one is missing", f"{LOGITS} z", {"log.jsonl": log(5, z=[float("nan"), 1.0])}),
    Wrong("a class of one logit", f"{LOGITS} one --reduce top-label", LOG),
]
