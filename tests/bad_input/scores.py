"""The files of wrong scores of models."""

from __future__ import annotations

from tests.bad_input.files import CSV, Files

ANSWERS = {"it.csv": b"right,answer,model,item\n1,A,x,1\n0,A,x,2\n1,B,y,1\n,B,y,2\n"}
VOTES = {"it.csv": b"left,right,won\nx,y,a\ny,x,draw\nx,y,a\n", "self.csv": b"left,right,won\nx,y,a\ny,y,b\n"}
TEXTS = {
    "it.jsonl": b'{"true":"B-A O","said":"B-A B-"}\n{"true":"O","said":"O"}\n',
    "gold.txt": b"a b\nc\n",
    "one.txt": b"a b\n",
}

SCORE = Files(
    ANSWERS,
    {
        "tags that are not tags of entities": TEXTS,
        "a text for a ranking": TEXTS,
        "files of unlike numbers of texts": TEXTS,
        "an unknown winner": VOTES,
        "a battle of a model with itself": VOTES,
        "an order of items that repeat": CSV,
        "a race without bounds": CSV,
        "a race that repeats items": CSV,
        "a plan without bounds": CSV,
        "models of which one never won back": VOTES,
    },
)


def log(*rows: str) -> dict[str, bytes]:
    """Write two models on three items, one row each. One row replaces the last one, or two rows replace those of the
    second model."""
    lines = ["base,q1,0,1", "base,q2,1,1", "base,q3,0,0", "large,q1,1,1", "large,q2,1,1", "large,q3,1,0"]
    if rows:
        lines[3 if len(rows) > 1 else 5 :] = rows
    return {"log.csv": "\n".join(["model,uid,score,gold", *lines, ""]).encode()}


BY_MODEL = Files(
    log(),
    {
        "an item that a model lacks": log("large,q1,1,1", "large,q2,1,1"),
        "a repeated item": log("large,q1,1,1"),
        "a grade in words": log("large,q3,right,0"),
        "targets that differ between models": log("large,q3,1,1"),
    },
)
