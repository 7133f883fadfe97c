"""Wrong inputs of `howsure recalibrate evaluate` and what is said to them: part of the table of `bad_input.py`."""

from __future__ import annotations

from tests.cli.bad_input import CSV, Wrong
from tests.cli.bad_input_recalibrate import CLASSES, GROUPS, WITH_MAP, a_map

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
