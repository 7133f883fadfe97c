"""Wrong inputs of `howsure score` and what is said to them: part of the table of `bad_input.py`."""

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
    Wrong("a plan for no items", "score plan dev.csv --score prob --against weight --items-total 0", CSV),
    Wrong("a plan without bounds", "score plan dev.csv --score prob --against weight --items-total 50", CSV),
    Wrong("a model that won everything", f"score battles it.csv {BATTLES} --where \"won = 'a'\"", VOTES),
    Wrong("models of which one never won back", f"score battles it.csv {BATTLES} --tie draw", VOTES),
]
