"""Wrong tables by model, and what `howsure significance` says to them: part of the table of `bad_input.py`."""

from __future__ import annotations

from tests.cli.bad_input import Wrong


def log(*rows: str) -> dict[str, bytes]:
    """Two models on three items, once each; one row instead of the last, or two instead of the second model's."""
    held = ["base,q1,0,1", "base,q2,1,1", "base,q3,0,0", "large,q1,1,1", "large,q2,1,1", "large,q3,1,0"]
    if rows:
        held[3 if len(rows) > 1 else 5 :] = rows
    return {"log.csv": "\n".join(["model,uid,score,gold", *held, ""]).encode()}


BY = "significance log.csv --model model --id uid"
BY_MODEL = [
    Wrong("a score without the item", "significance log.csv --model model --score score", log()),
    Wrong("a score without the model", "significance log.csv --id uid --score score", log()),
    Wrong("a table by model without answers", BY, log()),
    Wrong("a single model", f"{BY} --score score --where \"model = 'base'\"", log()),
    Wrong("an item that a model lacks", f"{BY} --score score", log("large,q1,1,1", "large,q2,1,1")),
    Wrong("an item that stands twice", f"{BY} --score score", log("large,q1,1,1")),
    Wrong("a grade in words", f"{BY} --score score", log("large,q3,right,0")),
    Wrong("a value that no grade has", f"{BY} --score score --positive right", log()),
    Wrong("a baseline that no row has", f"{BY} --score score --against bsae", log()),
    Wrong("models instead of their column", f"{BY} --score score --model larg", log()),
    Wrong("a baseline beside all pairs", f"{BY} --score score --against base --all-pairs", log()),
    Wrong("one side against the best of the data", f"{BY} --score score --alternative better", log()),
    Wrong("a metric of a score", f"{BY} --score score --metric accuracy", log()),
    Wrong("a score beside predictions", f"{BY} --score score --target gold --prediction gold", log()),
    Wrong("targets that differ between models", f"{BY} --target gold --prediction score", log("large,q3,1,1")),
    Wrong("a test of means for what is none", f"{BY} --target gold --prediction score --method student", log()),
    Wrong("groups of which each has one model", f"{BY} --score score --group model", log()),
    Wrong("a group that is missing", f"{BY} --score score --group kind", log()),
    Wrong("groups of files of labels", "significance --targets g.txt --against a.txt --model b.txt --group kind", {}),
    Wrong(
        "an option of tables by model elsewhere",
        "significance log.csv --target gold --against gold --model score --all-pairs",
        log(),
    ),
    Wrong(
        "scores in columns with runs",
        "significance log.csv --against score --model gold --metric score --run uid",
        log(),
    ),
    Wrong(
        "a direction of what is no score",
        "significance log.csv --target gold --against gold --model score --lower-is-better",
        log(),
    ),
    Wrong(
        "files compared by file, whose items all differ",
        "significance log.csv log.csv --id uid --score score --across-files separate",
        log(),
    ),
    Wrong("a file of what is true without its column", f"{BY} --prediction score --targets log.csv", log()),
    Wrong(
        "a file of what is true with an item twice",
        f"{BY} --target gold --prediction score --targets log.csv --metric accuracy",
        log(),
    ),
]
