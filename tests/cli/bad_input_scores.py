"""Wrong scores of models: part of the table of `bad_input.py`."""

from __future__ import annotations

from tests.cli.bad_input import CSV, Wrong

ANSWERS = {"it.csv": b"right,answer,model,item\n1,A,x,1\n0,A,x,2\n1,B,y,1\n,B,y,2\n"}
COUNTED = "(counted from 1, without the header)"
VOTES = {"it.csv": b"left,right,won\nx,y,a\ny,x,draw\nx,y,a\n", "self.csv": b"left,right,won\nx,y,a\ny,y,b\n"}
BATTLES = "--a left --b right --winner won"
TEXTS = {
    "it.jsonl": b'{"true":"B-A O","said":"B-A B-"}\n{"true":"O","said":"O"}\n',
    "gold.txt": b"a b\nc\n",
    "one.txt": b"a b\n",
}
SAID = "score it.jsonl --target true --prediction said"

SCORE = [
    Wrong("no score", "score it.csv", ANSWERS),
    Wrong("a score of letters", "score it.csv --score answer", ANSWERS),
    Wrong("a missing score", "score it.csv --score right", ANSWERS),
    Wrong("a missing score that counts as nothing", "score it.csv --score right --missing-score nan", ANSWERS),
    Wrong("a mean of groups without groups", "score it.csv --score right --missing-score 0 --macro", ANSWERS),
    Wrong("items that stand twice", "score it.csv --score item --id answer", ANSWERS),
    Wrong("bounds that do not hold", "score it.csv --score item --bounds 0,1", ANSWERS),
    Wrong("tags that are none", f"{SAID} --metric entity_f1", TEXTS),
    Wrong("a text for a ranking", f"{SAID} --metric ndcg@10", TEXTS),
    Wrong("a metric of documents without answers", "score it.jsonl --target true --metric wer", TEXTS),
    Wrong("metrics of two directions", f"{SAID} --metric wer --metric bleu", TEXTS),
    Wrong("files of unlike numbers of texts", "score one.txt --targets gold.txt --metric wer", TEXTS),
    Wrong("a winner that is none", f"score battles it.csv {BATTLES}", VOTES),
    Wrong("a battle of a model with itself", f"score battles self.csv {BATTLES}", VOTES),
    Wrong("an order of items that repeat", "score order dev.csv --id model", CSV),
    Wrong("a race without bounds", "score race dev.csv --score prob --model model --id model", CSV),
    Wrong("a race that repeats items", "score race dev.csv --score prob --model model --id model --bounds 0,1", CSV),
    Wrong("a plan for no items", "score plan dev.csv --score prob --against weight --items-total 0", CSV),
    Wrong("a plan without bounds", "score plan dev.csv --score prob --against weight --items-total 50", CSV),
    Wrong("a model that won everything", f"score battles it.csv {BATTLES} --where \"won = 'a'\"", VOTES),
    Wrong("models of which one never won back", f"score battles it.csv {BATTLES} --tie draw", VOTES),
]


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
