"""Wrong inputs of `howsure calibration --method corp` and what is said to them: part of the table of `bad_input.py`."""

from __future__ import annotations

from tests.cli.bad_input import COUNTED, CSV, Wrong, table

CORP = "calibration dev.csv --target gold --prob prob --method corp"
NONE = "belongs to --method bins: a curve without bins has none. Leave out one of the two."

WITHOUT_BINS = [
    Wrong("a method that does not exist", f"{CORP[:-4]}isotonic",
          "Invalid value for '--method': 'isotonic' is not one of 'bins', 'corp'.", CSV),
    Wrong("a bin size without bins", f"{CORP} --bin-size 100", f"--bin-size {NONE}", CSV),
    Wrong("a number of bins without bins", f"{CORP} --bins 15", f"--bins {NONE}", CSV),
    Wrong("bins of equal width without bins", f"{CORP} --binning uniform", f"--binning {NONE}", CSV),
    Wrong("an interval of bins without bins", f"{CORP} --interval bootstrap", f"--interval {NONE}", CSV),
    Wrong("a test of bins without bins", f"{CORP} --test binned", f"--test {NONE}", CSV),
    Wrong("simulations with bins", f"{CORP[:-4]}bins --simulations 500",
          "--simulations belongs to --method corp: bins are not simulated. Leave out one of the two.", CSV),
    Wrong("too few simulations for the level", f"{CORP} --level 0.99",
          "--simulations must be at least 199 for a band of level 0.99, so that one simulated curve lies beyond each "
          "end; it is 100.", CSV),
    Wrong("no simulations", f"{CORP} --simulations 0",
          "--simulations must be a whole number from 1 to 100000, not 0", CSV),
    Wrong("a percentage for a probability without bins", CORP,
          f"prob must lie in [0, 1]; row 12 of dev.csv {COUNTED} holds 1.7. Are these logits? --logits reads them.",
          {"dev.csv": table(prob=(12, 1.7))}),
    Wrong("log-odds of a certain step", f"{CORP} --axis logit --figure o.svg",
          "--axis logit shows no mean prediction of exactly 0 or 1; that of step 1 is 0. Choose --axis linear or "
          "--axis zoom.", {"dev.csv": b"gold,prob\n0,0\n1,0.5\n0,0.75\n1,0.8\n"}),
]  # fmt: skip
