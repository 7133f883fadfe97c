"""Wrong inputs of `howsure recalibrate evaluate` and what is said to them: part of the table of `bad_input.py`."""

from __future__ import annotations

from tests.cli.bad_input import COUNTED, CSV, Wrong
from tests.cli.bad_input_recalibrate import CLASSES, GROUPS, WITH_MAP, a_map

JUDGE = "recalibrate evaluate dev.csv --target gold --prob prob"
TINY = {"dev.csv": b"gold,prob,doc\n1,0.9,a\n0,0.4,a\n1,0.7,a\n0,0.2,a\n1,0.3,a\n0,0.6,a\n"}
LONE = {"dev.csv": b"gold,prob\n1,0.9\n0,0.4\n0,0.7\n0,0.2\n0,0.3\n0,0.6\n"}
SURE = {"dev.csv": b"gold,prob\n1,0.9\n0,1\n1,0.7\n0,0.2\n1,0.3\n0,0.6\n"}

EVALUATED = [
    Wrong("two folds", f"{JUDGE} --folds 2",
          "folds must be a whole number from 3 to 100 to evaluate a map; it is 2. Two folds do not show how much the "
          "maps depend on the rows that they share.", CSV),
    Wrong("fewer rows than folds", f"{JUDGE} --method platt --folds 7",
          "folds must be at most the number of rows; it is 7, there are 6.", TINY),
    Wrong("one cluster to cross-fit", f"{JUDGE} --method platt --cluster doc",
          "folds must be at most the number of clusters; it is 5, there are 1.", TINY),
    Wrong("a label that a single row has", f"{JUDGE} --method platt",
          "the label '1' lies in one row alone, and cross-fitting needs each label in two or more: a map fitted "
          "without this row would know nothing of it.", LONE),
    Wrong("an unknown method of two", f"{JUDGE} --method platt,magic",
          "no method 'magic' in howsure.recalibrate; it has auto, none, temperature, platt, beta, venn-abers, "
          "isotonic, histogram, vector, dirichlet.", CSV),
    Wrong("a method named twice", f"{JUDGE} --method platt,platt",
          "--method must be a list of different names, one or more; it holds platt, platt.", CSV),
    Wrong("a method and a map", f"{JUDGE} --map map.json --method platt",
          "--method is for maps that are fitted here, and --map names one that is.", WITH_MAP),
    Wrong("a map that is not there", f"{JUDGE} --map other.json", "no file other.json.", CSV),
    Wrong("a map of classes for one probability", f"{JUDGE} --map map.json",
          "the map is one of several classes, no, yes; these rows have one probability.",
          CSV | {"map.json": a_map(**CLASSES)}),
    Wrong("a map of groups to judge without groups", f"{JUDGE} --map map.json",
          "--group must say the group of each row: the map has de.",
          CSV | {"map.json": a_map(**GROUPS)}),
    Wrong("no margin to judge by", f"{JUDGE} --margin 0",
          "margin must lie above 0 and below 1; it is 0.0. Write 0.01, say.", CSV),
    Wrong("too many repetitions", f"{JUDGE} --repeats 1000",
          "--repeats must be a whole number from 1 to 100, not 1000", CSV),
    Wrong("a certain error without a floor", f"{JUDGE} --method platt --folds 3",
          f"probabilities are 0 or 1 and wrong in 1 row, the first of them row 2 of dev.csv {COUNTED}: their log "
          "loss is infinite whatever the map does to log-odds. Say --floor 1e-6 to move all probabilities into [floor, "
          "1 - floor], or use another method: --method isotonic needs no log-odds.", SURE),
    Wrong("an axis of no figure", f"{JUDGE} --axis logit",
          "--axis is for a figure, and none is drawn; name its file by --figure.", CSV),
]  # fmt: skip
