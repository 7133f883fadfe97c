"""Wrong names of columns, conditions and scales, and what is said to them: part of the table of `bad_input.py`."""

from __future__ import annotations

import json
from typing import Any

from tests.cli.bad_input import COUNTED, CSV, Wrong

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
    Wrong(
        "a condition with a function", f'{WHERE} "lower(model) = 1"',
        "--where 'lower(model) = 1' cannot be used: the function lower is none of what it may hold. It may "
    "hold columns, numbers, 'texts', =, <>, <, <=, >, >=, between, in, like, is null, and, or, not and "
    "parentheses; write a column with spaces in double quotes, a text in single ones.", CSV,
    ),
    Wrong(
        "a condition that reads a file", f"{WHERE} \"prob > (select max(x) from 'b.csv')\"",
        "--where \"prob > (select max(x) from 'b.csv')\" cannot be used: subquery is none of what it may hold. "
        + ADVICE, CSV,
    ),
    Wrong(
        "a condition and a second statement", f'{WHERE} "prob > 0; drop table t"',
        '--where \'prob > 0; drop table t\' cannot be used: syntax error at or near ";". It may hold columns, '
    "numbers, 'texts', =, <>, <, <=, >, >=, between, in, like, is null, and, or, not and parentheses; "
    "write a column with spaces in double quotes, a text in single ones.", CSV,
    ),
    Wrong(
        "a condition that ends its parenthesis", f'{WHERE} "prob > 0) order by (prob"',
        "--where 'prob > 0) order by (prob' cannot be used: more than one expression. It may hold columns, "
    "numbers, 'texts', =, <>, <, <=, >, >=, between, in, like, is null, and, or, not and parentheses; "
    "write a column with spaces in double quotes, a text in single ones.", CSV,
    ),
    Wrong(
        "a condition on no column", f'{WHERE} "1 = 1"',
        "--where '1 = 1' cannot be used: 1 is compared with 1, and neither is a column. It may hold columns, "
    "numbers, 'texts', =, <>, <, <=, >, >=, between, in, like, is null, and, or, not and parentheses; "
    "write a column with spaces in double quotes, a text in single ones.", CSV,
    ),
    Wrong(
        "a condition that equals null", f'{WHERE} "model = null"',
        "--where 'model = null' cannot be used: nothing equals null; write `is null` or `is not null`. It may"
    " hold columns, numbers, 'texts', =, <>, <, <=, >, >=, between, in, like, is null, and, or, not and "
    "parentheses; write a column with spaces in double quotes, a text in single ones.", CSV,
    ),
    Wrong(
        "an empty condition", f'{WHERE} " "',
        "--where must be an expression such as --where \"prompt = 'first' and score > 0.5\"; it is empty.", CSV,
    ),
    Wrong(
        "an unknown column in a condition", f"{WHERE} \"modl = 'base'\"",
        "no column 'modl' in dev.csv; it has gold, prob, model, weight. Did you mean model?", CSV,
    ),
    Wrong(
        "a text compared as a number", f'{WHERE} "model > 3"',
        f"--where: model must be a number to be compared with 3; row 1 of dev.csv {COUNTED} holds 'base'. Texts are "
        "compared with a value in single quotes. Is it a non-answer? --missing base.", CSV,
    ),
    Wrong(
        "a condition that no row satisfies", f"{WHERE} \"model = 'bass'\"",
        "no row of dev.csv satisfies --where \"model = 'bass'\". model holds 'base', 'large'. Did you mean 'base'?",
        CSV,
    ),
    Wrong(
        "a path without a column", "calibration log.jsonl --target dok.answerKey --probs-column z",
        "no column 'dok' in log.jsonl; it has doc, gold, z, ll, one. Did you mean doc?", LOG,
    ),
    Wrong(
        "a path that leads nowhere", "calibration log.jsonl --target doc.answer --probs-column z",
        "no row of log.jsonl has anything at doc.answer. doc holds doc.answerKey, doc.id. Did you mean doc.answerKey?",
        LOG,
    ),
    Wrong(
        "a path that is none", "calibration log.jsonl --target doc[a] --probs-column z",
        "'doc[a]' is no path in the column 'doc': write doc.key, doc[0] or doc['a key'].", LOG,
    ),
    Wrong(
        "a key of one column twice", f"{WHERE.removesuffix(' --where')} --cluster model,model",
        "several columns as one key are named once each, with commas between: 'a,b'; it is 'model,model'.", CSV,
    ),
    Wrong(
        "several columns where one must be", "calibration dev.csv --target gold --prob prob,weight",
        "prob,weight must be one column; several are one key for --group, --cluster and --id.", CSV,
    ),
    Wrong(
        "the file's name without --by-file", "calibration log.jsonl --target gold --prob one --group file",
        "no column 'file' in log.jsonl; it has doc, gold, z, ll, one. For the file's own name, set --by-file.", LOG,
    ),
    Wrong(
        "a column called file beside --by-file", "calibration dev.csv --target gold --prob prob --by-file --group file",
        "dev.csv has a column 'file' of its own, and --by-file makes one too. Rename it.",
        {"dev.csv": b"gold,prob,file\n1,0.5,a\n"},
    ),
    Wrong(
        "probabilities in two ways", f"{LOGITS} z --prob one",
        "name the probabilities with exactly one of --prob, --probs, --probs-column, --logits, --logprobs and "
          "--verbalised.", LOG,
    ),
    Wrong(
        "logits as probabilities", "calibration log.jsonl --target gold --probs-column z",
        "z must hold the probabilities of the classes; row 1 of log.jsonl (counted from 1) holds -1.5 for '1', not in "
        "[0, 1]. Are these logits? --logits reads them.", LOG,
    ),
    Wrong(
        "one logit as a probability", "calibration log.jsonl --target gold --prob one",
        "one must lie in [0, 1]; row 4 of log.jsonl (counted from 1) holds 1.5. Are these logits? --logits reads them.",
        LOG,
    ),
    Wrong(
        "log-probabilities as probabilities", "calibration log.jsonl --target gold --probs-column ll",
        "ll must hold the probabilities of the classes; row 1 of log.jsonl (counted from 1) holds -0.5 for '0', not in "
        "[0, 1]. Are these log-probabilities? --logprobs reads them.", LOG,
    ),
    Wrong(
        "an infinite logit", f"{LOGITS} z",
        "z must hold the logits of the classes; row 3 of log.jsonl (counted from 1) holds -inf for '1', not finite. "
        "Where a class is impossible, give log-probabilities: --logprobs takes -inf.",
        {"log.jsonl": log(3, z=[0.5, float("-inf")])},
    ),
    Wrong(
        "logits as log-probabilities", "calibration log.jsonl --target gold --logprobs z",
        "z must hold log-probabilities of the classes; row 1 of log.jsonl (counted from 1) holds 0.5 for '0', not at "
        "most 0. Are these logits? --logits reads them.", LOG,
    ),
    Wrong(
        "no possible class", "calibration log.jsonl --target gold --logprobs ll",
        "ll must hold log-probabilities of the classes; row 2 of log.jsonl (counted from 1) holds -inf for every "
        "class, and no class can be the answer. Leave such rows out first.",
        {"log.jsonl": log(2, ll=[float("-inf"), float("-inf")])},
    ),
    Wrong(
        "logits of which one is missing", f"{LOGITS} z",
        "z must not be missing; row 5 of log.jsonl (counted from 1) holds '[NaN,1.0]'. Leave such rows out with "
        "--skip-missing (1 in all).", {"log.jsonl": log(5, z=[float("nan"), 1.0])},
    ),
    Wrong(
        "a class of one logit", f"{LOGITS} one --reduce top-label",
        "one holds one number per row; --reduce needs several classes.", LOG,
    ),
]  # fmt: skip
