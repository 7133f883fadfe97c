"""The files of wrong inputs of `howsure recalibrate`."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from howsure import recalibrate
from howsure_text.sequences import HMMTagger
from tests.bad_input.files import CSV, Files, table

KNOWN = [0, 1] * 40, [0.2, 0.7] * 20 + [0.4, 0.9] * 10 + [0.6, 0.3] * 10


def a_map(**changes: Any) -> bytes:
    """Write a map of temperature scaling, with changed contents if requested."""
    text = recalibrate(*KNOWN, method="temperature").to_json()
    return json.dumps(json.loads(text) | changes).encode()


CLASSES = {"parameters": {"T": 2.0}, "classes": ["no", "yes"]}
GROUPS = {"parameters": None, "groups": {"de": {"T": 2.0}}}
WITH_MAP = CSV | {"map.json": a_map()}


TINY = {"dev.csv": b"gold,prob,doc\n1,0.9,a\n0,0.4,a\n1,0.7,a\n0,0.2,a\n1,0.3,a\n0,0.6,a\n"}
LONE = {"dev.csv": b"gold,prob\n1,0.9\n0,0.4\n0,0.7\n0,0.2\n0,0.3\n0,0.6\n"}
SURE = {"dev.csv": b"gold,prob\n1,0.9\n0,1\n1,0.7\n0,0.2\n1,0.3\n0,0.6\n"}

EVALUATED = Files(
    CSV,
    {
        "a map over its rows": {"dev.json": b'[{"gold": 1, "prob": 0.5}]'},
        "labels of one kind": {"dev.csv": b"gold,prob\n1,0.5\n1,0.7\n"},
        "logits as probabilities to recalibrate": {"dev.csv": table(prob=(12, 1.7))},
        "a certainty that is wrong": {"dev.csv": b"gold,prob\n1,0.5\n0,0.7\n0,1\n1,0.4\n"},
        "separated labels": {"dev.csv": b"gold,prob\n1,0.9\n0,0.2\n"},
        "a probability of the other label": {"dev.csv": b"gold,prob\n1,0.2\n0,0.9\n1,0.6\n"},
        "groups that are too small": {"dev.csv": b"gold,prob,lang\n1,0.2,de\n0,0.9,de\n"},
        "more folds than documents": {"dev.csv": b"gold,prob,doc\n1,0.2,a\n0,0.9,b\n"},
        "a file that is not a map": {"map.json": b"{}"},
        "a map that was cut off": {"map.json": a_map()[:10]},
        "a map of a later version": {"map.json": a_map(version=2)},
        "a map with a wrong temperature": {"map.json": a_map(parameters={"T": -1})},
        "a map of classes for one number": {"map.json": a_map(**CLASSES)},
        "a map of other classes": {"map.json": a_map(**CLASSES)},
        "classes for a map of one number": WITH_MAP,
        "a map of groups without groups": {"map.json": a_map(**GROUPS)},
        "a group that the map does not know": {
            "dev.csv": b"gold,prob,lang\n1,0.2,de\n0,0.9,en\n",
            "map.json": a_map(**GROUPS),
        },
        "groups for a map without": {"dev.csv": b"gold,prob,lang\n1,0.2,de\n0,0.9,en\n", "map.json": a_map()},
        "a new column that is there": WITH_MAP,
        "an output over the map": WITH_MAP,
        "an output of another format": WITH_MAP,
        "a probability that is missing": {"dev.csv": b"gold,prob\n1,0.2\n0,\n", "map.json": a_map()},
        "a logit where the map is applied": {"dev.csv": table(prob=(12, 1.7)), "map.json": a_map()},
        "fewer rows than folds": TINY,
        "one cluster to cross-fit": TINY,
        "a label that a single row has": LONE,
        "a method and a map": WITH_MAP,
        "a map of classes for one probability": {"map.json": a_map(**CLASSES)},
        "a map of groups to judge without groups": {"map.json": a_map(**GROUPS)},
        "a certain error without a floor": SURE,
    },
)


RIGHT = b"the\tD\ndog\tN\nsings\tV\n\nthe\tD\ncat\tN\nruns\tV\n"


@cache
def model() -> bytes:
    """Write an HMM trained on two sentences."""
    rows = [block.split("\n") for block in RIGHT.decode().strip().split("\n\n")]
    words, tags = ([[line.split("\t")[at] for line in row] for row in rows] for at in (0, 1))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "hmm.npz"
        HMMTagger().fit(words, tags).save(path)
        return path.read_bytes()


def files(dev: bytes, name: str = "dev.tsv") -> dict[str, bytes]:
    return {"hmm.npz": model(), name: dev}


UNTAGGED = b"1\tthe\t_\tDET\t_\t_\t_\t_\t_\t_\n2\tdog\t_\tNOUN\t_\t_\t_\t_\t_\t_\n\n"
TEMPERED = Files(
    files(RIGHT),
    {
        "sentences without gold tags": files(UNTAGGED, "dev.conllu"),
        "gold tags of another tag set": files(b"the\tDET\ndog\tNOUN\n\na\tDET\n"),
        "gold tags that the model does not have": files(b"the\tDET\ndog\tNOUN\n\na\tDET\n"),
        "no sentences": files(b""),
        "a single sentence": files(b"the\tD\ndog\tN\nsings\tV\nthe\tD\ncat\tV\nsings\tV\n"),
    },
)
