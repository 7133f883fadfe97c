"""Wrong inputs of `howsure recalibrate` and what is said to them: part of the table of `bad_input.py`."""

from __future__ import annotations

import json
from typing import Any

from howsure import recalibrate
from tests.cli.bad_input import COUNTED, CSV, Wrong, table

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
    Wrong("a map of another name", FIT.replace("map.json", "map.txt"),
          "--output writes .json; name a file that ends in one of these, not map.txt.", CSV),
    Wrong("a map over its rows", "recalibrate fit dev.json --target gold --prob prob --output dev.json",
          "dev.json is an input of this command and would be overwritten; name another file.",
          {"dev.json": b'[{"gold": 1, "prob": 0.5}]'}),
    Wrong("a method for classes", f"{FIT} --method vector",
          "--method vector is not for one probability per row; for these there are auto, none, temperature, platt, "
          "beta, venn-abers, isotonic, histogram.", CSV),
    Wrong("labels of one kind", FIT,
          "--target must hold two labels or more; all of 2 rows hold '1'. One class alone says nothing about what "
          "probabilities are worth.", {"dev.csv": b"gold,prob\n1,0.5\n1,0.7\n"}),
    Wrong("logits as probabilities to recalibrate", FIT,
          f"prob must lie in [0, 1]; row 12 of dev.csv {COUNTED} holds 1.7. Are these logits? --logits reads them.",
          {"dev.csv": table(prob=(12, 1.7))}),
    Wrong("a certainty that is wrong", f"{FIT} --method platt",
          f"probabilities are 0 or 1 and wrong in 1 row, the first of them row 3 of dev.csv {COUNTED}: their log loss "
          "is infinite whatever the map does to log-odds. Say --floor 1e-6 to move all probabilities into [floor, 1 - "
          "floor], or use another method: --method isotonic needs no log-odds.",
          {"dev.csv": b"gold,prob\n1,0.5\n0,0.7\n0,1\n1,0.4\n"}),
    Wrong("a floor in per cent", f"{FIT} --floor 5",
          "floor must lie above 0 and up to 0.1; it is 5.0. Write 1e-6, say.", CSV),
    Wrong("bins of another method", f"{FIT} --method platt --bins 3",
          "--bins is for --method histogram; with --method platt, leave --bins out.", CSV),
    Wrong("a penalty below 0", f"{FIT} --penalty -1",
          "penalty must be a finite number above 0; it is -1.0. Write 0.001, say.", CSV),
    Wrong("separated labels", f"{FIT} --method temperature",
          "no temperature is best: every prediction is on the right side of 1/2, so that a lower one is always better. "
          "More rows, or rows of other data, would say more.", {"dev.csv": b"gold,prob\n1,0.9\n0,0.2\n"}),
    Wrong("a probability of the other label", f"{FIT} --method temperature",
          "no temperature above 0 is best: the higher the probability, the rarer the label. Does the probability "
          "belong to the other label? --method platt may reverse the order.",
          {"dev.csv": b"gold,prob\n1,0.2\n0,0.9\n1,0.6\n"}),
    Wrong("groups that are too small", f"{FIT} --group lang",
          "groups must have 20 rows of each label for a map of their own; 'de' have fewer ('de': 1). Leave them out, "
          "or say --small-groups pooled: they then take the map of all rows.",
          {"dev.csv": b"gold,prob,lang\n1,0.2,de\n0,0.9,de\n"}),
    Wrong("more folds than documents", f"{FIT} --cluster doc",
          "folds must be at most the number of clusters; it is 5, there are 2.",
          {"dev.csv": b"gold,prob,doc\n1,0.2,a\n0,0.9,b\n"}),
    Wrong("no map", APPLY, "no file map.json.", CSV),
    Wrong("a map that is none", APPLY,
          "map.json: this is no recalibration map: its format is not 'howsure recalibration map'. `recalibrate fit` "
          "writes one.", CSV | {"map.json": b"{}"}),
    Wrong("a map that was cut off", APPLY,
          "map.json: the map cannot be read as JSON: Expecting value: line 1 column 11 (char 10).",
          CSV | {"map.json": a_map()[:10]}),
    Wrong("a map of a later version", APPLY,
          "map.json: the map is of version 2, and this howsure reads version 1.", CSV | {"map.json": a_map(version=2)}),
    Wrong("a map with a wrong temperature", APPLY,
          "map.json: the map's parameter T must be a finite number above 0; it is -1.",
          CSV | {"map.json": a_map(parameters={"T": -1})}),
    Wrong("a map of classes for one number", APPLY,
          "the map is one of 2 classes, no, yes; prob holds one number per row.",
          CSV | {"map.json": a_map(**CLASSES)}),
    Wrong("a map of other classes",
          "recalibrate apply dev.csv --map map.json --probs gold,prob --output out.csv",
          "the map has the classes no, yes, and the columns are gold, prob. If these are only other names, say which "
          "class each column is, in order: --classes A,B,C.", CSV | {"map.json": a_map(**CLASSES)}),
    Wrong("classes for a map of one number",
          "recalibrate apply dev.csv --map map.json --probs gold,prob --output out.csv",
          "the map takes one probability per row; gold, prob hold several. Name one column by --prob COL.", WITH_MAP),
    Wrong("a map of groups without groups", APPLY,
          "--group COL must name the column of groups: the map has one for each group.",
          CSV | {"map.json": a_map(**GROUPS)}),
    Wrong("a group that the map does not know", f"{APPLY} --group lang",
          "groups must be known to the map, which has 'de'; not 'en'.",
          {"dev.csv": b"gold,prob,lang\n1,0.2,de\n0,0.9,en\n", "map.json": a_map(**GROUPS)}),
    Wrong("groups for a map without", f"{APPLY} --group lang",
          "groups must be left out: the map is one of all rows; they hold 'de', 'en'.",
          {"dev.csv": b"gold,prob,lang\n1,0.2,de\n0,0.9,en\n", "map.json": a_map()}),
    Wrong("a new column that is there", f"{APPLY} --new-name gold",
          "dev.csv has a column 'gold' already, which would be written anew; name the new one by --new-name.",
          WITH_MAP),
    Wrong("an output over the input", APPLY.replace("out.csv", "dev.csv"),
          "dev.csv is an input of this command and would be overwritten; name another file.", WITH_MAP),
    Wrong("an output over the map", APPLY.replace("--output out.csv", "--output map.json"),
          "map.json is an input of this command and would be overwritten; name another file.", WITH_MAP),
    Wrong("an output of another format", APPLY.replace("out.csv", "out.parquet"),
          "--output must be of the format of dev.csv, csv; out.parquet is not.", WITH_MAP),
    Wrong("a probability that is missing", APPLY,
          f"prob must not be missing; row 2 of dev.csv {COUNTED} holds nothing. Leave such rows out with "
          "--skip-missing (1 in all).", {"dev.csv": b"gold,prob\n1,0.2\n0,\n", "map.json": a_map()}),
    Wrong("a logit where the map is applied", APPLY,
          f"prob must lie in [0, 1]; row 12 of dev.csv {COUNTED} holds 1.7. Are these logits? --logits reads them.",
          {"dev.csv": table(prob=(12, 1.7)), "map.json": a_map()}),
]  # fmt: skip
