"""Wrong inputs of `howsure recalibrate`: part of the table of `bad_input.py`."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from howsure import recalibrate
from howsure.sequences import HMMTagger
from tests.cli.bad_input import CSV, Wrong, table

FIT = "recalibrate fit dev.csv --target gold --prob prob --output map.json"
APPLY = "recalibrate apply dev.csv --map map.json --prob prob --output out.csv"
KNOWN = [0, 1] * 40, [0.2, 0.7] * 20 + [0.4, 0.9] * 10 + [0.6, 0.3] * 10


def a_map(**held: Any) -> bytes:
    """A map of temperature scaling, perhaps with something else in it."""
    text = recalibrate(*KNOWN, method="temperature").to_json()
    return json.dumps(json.loads(text) | held).encode()


CLASSES = {"parameters": {"T": 2.0}, "classes": ["no", "yes"]}
GROUPS = {"parameters": None, "groups": {"de": {"T": 2.0}}}
WITH_MAP = CSV | {"map.json": a_map()}

RECALIBRATE = [
    Wrong("a map of another name", FIT.replace("map.json", "map.txt"), CSV),
    Wrong(
        "a map over its rows",
        "recalibrate fit dev.json --target gold --prob prob --output dev.json",
        {"dev.json": b'[{"gold": 1, "prob": 0.5}]'},
    ),
    Wrong("a method for classes", f"{FIT} --method vector", CSV),
    Wrong("labels of one kind", FIT, {"dev.csv": b"gold,prob\n1,0.5\n1,0.7\n"}),
    Wrong("logits as probabilities to recalibrate", FIT, {"dev.csv": table(prob=(12, 1.7))}),
    Wrong("a certainty that is wrong", f"{FIT} --method platt", {"dev.csv": b"gold,prob\n1,0.5\n0,0.7\n0,1\n1,0.4\n"}),
    Wrong("a floor in per cent", f"{FIT} --floor 5", CSV),
    Wrong("bins of another method", f"{FIT} --method platt --bins 3", CSV),
    Wrong("a penalty below 0", f"{FIT} --penalty -1", CSV),
    Wrong("separated labels", f"{FIT} --method temperature", {"dev.csv": b"gold,prob\n1,0.9\n0,0.2\n"}),
    Wrong(
        "a probability of the other label",
        f"{FIT} --method temperature",
        {"dev.csv": b"gold,prob\n1,0.2\n0,0.9\n1,0.6\n"},
    ),
    Wrong("groups that are too small", f"{FIT} --group lang", {"dev.csv": b"gold,prob,lang\n1,0.2,de\n0,0.9,de\n"}),
    Wrong("more folds than documents", f"{FIT} --cluster doc", {"dev.csv": b"gold,prob,doc\n1,0.2,a\n0,0.9,b\n"}),
    Wrong("no map", APPLY, CSV),
    Wrong("a map that is none", APPLY, CSV | {"map.json": b"{}"}),
    Wrong("a map that was cut off", APPLY, CSV | {"map.json": a_map()[:10]}),
    Wrong("a map of a later version", APPLY, CSV | {"map.json": a_map(version=2)}),
    Wrong("a map with a wrong temperature", APPLY, CSV | {"map.json": a_map(parameters={"T": -1})}),
    Wrong("a map of classes for one number", APPLY, CSV | {"map.json": a_map(**CLASSES)}),
    Wrong(
        "a map of other classes",
        "recalibrate apply dev.csv --map map.json --probs gold,prob --output out.csv",
        CSV | {"map.json": a_map(**CLASSES)},
    ),
    Wrong(
        "classes for a map of one number",
        "recalibrate apply dev.csv --map map.json --probs gold,prob --output out.csv",
        WITH_MAP,
    ),
    Wrong("a map of groups without groups", APPLY, CSV | {"map.json": a_map(**GROUPS)}),
    Wrong(
        "a group that the map does not know",
        f"{APPLY} --group lang",
        {"dev.csv": b"gold,prob,lang\n1,0.2,de\n0,0.9,en\n", "map.json": a_map(**GROUPS)},
    ),
    Wrong(
        "groups for a map without",
        f"{APPLY} --group lang",
        {"dev.csv": b"gold,prob,lang\n1,0.2,de\n0,0.9,en\n", "map.json": a_map()},
    ),
    Wrong("a new column that is there", f"{APPLY} --new-name gold", WITH_MAP),
    Wrong("an output over the input", APPLY.replace("out.csv", "dev.csv"), WITH_MAP),
    Wrong("an output over the map", APPLY.replace("--output out.csv", "--output map.json"), WITH_MAP),
    Wrong("an output of another format", APPLY.replace("out.csv", "out.parquet"), WITH_MAP),
    Wrong("a probability that is missing", APPLY, {"dev.csv": b"gold,prob\n1,0.2\n0,\n", "map.json": a_map()}),
    Wrong("a logit where the map is applied", APPLY, {"dev.csv": table(prob=(12, 1.7)), "map.json": a_map()}),
]


JUDGE = "recalibrate evaluate dev.csv --target gold --prob prob"
TINY = {"dev.csv": b"gold,prob,doc\n1,0.9,a\n0,0.4,a\n1,0.7,a\n0,0.2,a\n1,0.3,a\n0,0.6,a\n"}
LONE = {"dev.csv": b"gold,prob\n1,0.9\n0,0.4\n0,0.7\n0,0.2\n0,0.3\n0,0.6\n"}
SURE = {"dev.csv": b"gold,prob\n1,0.9\n0,1\n1,0.7\n0,0.2\n1,0.3\n0,0.6\n"}

EVALUATED = [
    Wrong("two folds", f"{JUDGE} --folds 2", CSV),
    Wrong("fewer rows than folds", f"{JUDGE} --method platt --folds 7", TINY),
    Wrong("one cluster to cross-fit", f"{JUDGE} --method platt --cluster doc", TINY),
    Wrong("a label that a single row has", f"{JUDGE} --method platt", LONE),
    Wrong("an unknown method of two", f"{JUDGE} --method platt,magic", CSV),
    Wrong("a method named twice", f"{JUDGE} --method platt,platt", CSV),
    Wrong("a method and a map", f"{JUDGE} --map map.json --method platt", WITH_MAP),
    Wrong("a map that is not there", f"{JUDGE} --map other.json", CSV),
    Wrong("a map of classes for one probability", f"{JUDGE} --map map.json", CSV | {"map.json": a_map(**CLASSES)}),
    Wrong("a map of groups to judge without groups", f"{JUDGE} --map map.json", CSV | {"map.json": a_map(**GROUPS)}),
    Wrong("no margin to judge by", f"{JUDGE} --margin 0", CSV),
    Wrong("too many repetitions", f"{JUDGE} --repeats 1000", CSV),
    Wrong("a certain error without a floor", f"{JUDGE} --method platt --folds 3", SURE),
    Wrong("an axis of no figure", f"{JUDGE} --axis logit", CSV),
]


RIGHT = b"the\tD\ndog\tN\nsings\tV\n\nthe\tD\ncat\tN\nruns\tV\n"
CALL = "sequences recalibrate hmm.npz dev.tsv --output better.npz"
CANNOT = (
    "the likelihood hardly changes with it, as it does where the model is right almost everywhere or knows nothing. "
    "Give more sentences with gold tags, none of them from training"
)


@cache
def model() -> bytes:
    """An HMM of two sentences."""
    rows = [one.split("\n") for one in RIGHT.decode().strip().split("\n\n")]
    words, tags = ([[line.split("\t")[at] for line in one] for one in rows] for at in (0, 1))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "hmm.npz"
        HMMTagger().fit(words, tags).save(path)
        return path.read_bytes()


def files(dev: bytes, name: str = "dev.tsv") -> dict[str, bytes]:
    return {"hmm.npz": model(), name: dev}


UNTAGGED = b"1\tthe\t_\tDET\t_\t_\t_\t_\t_\t_\n2\tdog\t_\tNOUN\t_\t_\t_\t_\t_\t_\n\n"
TEMPERED = [
    Wrong(
        "sentences without gold tags",
        "sequences recalibrate hmm.npz dev.conllu --output better.npz",
        files(UNTAGGED, "dev.conllu"),
    ),
    Wrong("gold tags of another tag set", CALL, files(b"the\tDET\ndog\tNOUN\n\na\tDET\n")),
    Wrong(
        "gold tags none of which the model knows",
        f"{CALL} --unknown-tags keep",
        files(b"the\tDET\ndog\tNOUN\n\na\tDET\n"),
    ),
    Wrong("no sentences", CALL, files(b"")),
    Wrong("sentences on which the model is always right", CALL, files(RIGHT)),
    Wrong("the same with one temperature", f"{CALL} --keep-answers", files(RIGHT)),
    Wrong(
        "a single sentence",
        f"{CALL} --keep-answers",
        files(b"the\tD\ndog\tN\nsings\tV\nthe\tD\ncat\tV\nsings\tV\n"),
    ),
    Wrong("one part", f"{CALL} --folds 1", files(RIGHT)),
    Wrong(
        "the model and the sentences in the wrong order",
        "sequences recalibrate dev.tsv hmm.npz --output better.npz",
        files(RIGHT),
    ),
    Wrong("a model that would replace itself", "sequences recalibrate hmm.npz dev.tsv --output hmm.npz", files(RIGHT)),
]
