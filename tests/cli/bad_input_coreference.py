"""Wrong inputs of `howsure coreference recalibrate` and what is said to them: part of the table of `bad_input.py`."""

from __future__ import annotations

from tests.cli.bad_input import Wrong

SENTENCE = "1\tAnn\t_\tPROPN\tNNP\t_\t2\tnsubj\t_\tEntity=(1)\n2\tsings\t_\tVERB\tVBZ\t_\t0\troot\t_\t_\n\n"


def documents(*names: str, entities: bool = True) -> bytes:
    """CoNLL-U documents of two sentences, in which Ann sings."""
    text = "".join(f"# newdoc id = {name}\n{SENTENCE * 2}" for name in names)
    return (text if entities else text.replace("Entity=(1)", "_")).encode()


SCORES = "".join(
    f'{{"id": "{name}", "words": [["Ann", "sings"], ["Ann", "sings"]], "mentions": [[0, 1], [2, 3]], '
    '"scores": [[], [1.0]], "null": 0}\n'
    for name in "ab"
).encode()
GOLD = {"gold.conllu": documents("a", "b"), "scores.jsonl": SCORES}
MEND = "coreference recalibrate gold.conllu"
SCORED = "coreference posterior gold.conllu --scores scores.jsonl --recalibration mended.json"

MENDED = [
    Wrong("a model in a JSON file", f"{MEND} --output mended.json", GOLD),
    Wrong("a recalibration of scores in a model file", f"{MEND} --scores scores.jsonl --output mended.npz", GOLD),
    Wrong("a recalibration by one document", f"{MEND} --output mended.npz", {"gold.conllu": documents("a")}),
    Wrong(
        "a recalibration by documents without entities",
        f"{MEND} --output mended.npz",
        {"gold.conllu": documents("a", "b", entities=False)},
    ),
    Wrong("a recalibration by pairs that all corefer", f"{MEND} --scores scores.jsonl --output mended.json", GOLD),
    Wrong("a weight below 0", f"{MEND} --weight-of-new -1 --output mended.npz", GOLD),
    Wrong(
        "scores that lack a document of the recalibration",
        f"{MEND} --scores scores.jsonl --output mended.json",
        {**GOLD, "gold.conllu": documents("a", "b", "c")},
    ),
    Wrong(
        "a recalibration beside a model",
        "coreference posterior gold.conllu --recalibration mended.json --output o.json",
        {**GOLD, "mended.json": b"{}"},
    ),
    Wrong("a recalibration that is none", SCORED, {**GOLD, "mended.json": b"{}"}),
    Wrong("a recalibration that is no JSON", SCORED, {**GOLD, "mended.json": b"links = 1.2"}),
    Wrong("more folds than documents allow", "coreference train gold.conllu --folds 2 --output model.npz", GOLD),
    Wrong("one fold", "coreference train gold.conllu --folds 1 --output model.npz", GOLD),
]
