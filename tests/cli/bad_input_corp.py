"""Wrong inputs of `howsure calibration --method corp` and what is said to them: part of the table of `bad_input.py`."""

from __future__ import annotations

from tests.cli.bad_input import CSV, Wrong, table

CORP = "calibration dev.csv --target gold --prob prob --method corp"
NONE = "belongs to --method bins: a curve without bins has none. Leave out one of the two."

GRADES = {"it.csv": b"gold,low,high\nlow,0.7,0.3\nhigh,0.4,0.6\nbest,0.1,0.9\n"}
ORDINAL = "calibration ordinal it.csv --target gold --probs low,high"

ORDERED = [
    Wrong("levels without an order", ORDINAL, {"it.csv": b"gold,low,high\nlow,0.7,0.3\nhigh,0.4,0.6\n"}),
    Wrong("a level that no probability is of", f"{ORDINAL} --levels low,high", GRADES),
    Wrong("fewer levels than probabilities", f"{ORDINAL} --levels low", GRADES),
    Wrong("one probability for all levels", "calibration ordinal it.csv --target gold --prob low --levels 0,1", GRADES),
]

WITHOUT_BINS = [
    Wrong("a method that does not exist", f"{CORP[:-4]}isotonic", CSV),
    Wrong("a bin size without bins", f"{CORP} --bin-size 100", CSV),
    Wrong("a number of bins without bins", f"{CORP} --bins 15", CSV),
    Wrong("bins of equal width without bins", f"{CORP} --binning uniform", CSV),
    Wrong("an interval of bins without bins", f"{CORP} --interval bootstrap", CSV),
    Wrong("a test of bins without bins", f"{CORP} --test binned", CSV),
    Wrong("simulations with bins", f"{CORP[:-4]}bins --simulations 500", CSV),
    Wrong("too few simulations for the level", f"{CORP} --level 0.99", CSV),
    Wrong("no simulations", f"{CORP} --simulations 0", CSV),
    Wrong("a percentage for a probability without bins", CORP, {"dev.csv": table(prob=(12, 1.7))}),
    Wrong(
        "log-odds of a certain step",
        f"{CORP} --axis logit --figure o.svg",
        {"dev.csv": b"gold,prob\n0,0\n1,0.5\n0,0.75\n1,0.8\n"},
    ),
]
