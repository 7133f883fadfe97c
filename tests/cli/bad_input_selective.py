"""Wrong inputs of `howsure selective` and what is said to them: part of the table of `bad_input.py`."""

from __future__ import annotations

from tests.cli.bad_input import COUNTED, CSV, Wrong, table

KEEP = "selective dev.csv --target gold --prob prob"

SELECTIVE = [
    Wrong("a coverage in per cent", f"{KEEP} --coverage 50,80",
          "--coverage must lie above 0 and be at most 1; it is 50.0. Write 0.8 for 80 %.", CSV),
    Wrong("a coverage that is no number", f"{KEEP} --coverage half",
          "Invalid value for '--coverage': 'half' is not a number; write several as 0.5,0.8", CSV),
    Wrong("a coverage of nothing", f"{KEEP} --coverage 0",
          "--coverage must lie above 0 and be at most 1; it is 0.0. Write 0.8 for 80 %.", CSV),
    Wrong("an accuracy above 1", f"{KEEP} --accuracy 1.5",
          "--accuracy must lie above 0 and be at most 1; it is 1.5. Write 0.8 for 80 %.", CSV),
    Wrong("a risk in per cent", f"{KEEP} --risk 5",
          "--risk must lie strictly between 0 and 1; it is 5.0. Write 0.05 for 5 %.", CSV),
    Wrong("a promise that is never broken", f"{KEEP} --risk 0.05 --delta 0",
          "--delta must lie strictly between 0 and 1; it is 0.0. Write 0.05 for 5 %.", CSV),
    Wrong("weighted answers", f"{KEEP} --weight weight",
          "No such option '--weight'. Did you mean '--width'?", CSV),
    Wrong("one cluster", f"{KEEP} --cluster one",
          "clusters must be at least 2; all answers are in one, so nothing shows what chance does.",
          {"dev.csv": b"gold,prob,one\n1,0.9,a\n0,0.4,a\n"}),
    Wrong("more groups than a figure holds", f"{KEEP} --group prob --figure rc.svg",
          "curves must hold 1 to 8 curves; there are 9. Choose some.",
          {"dev.csv": ("gold,prob\n" + "".join(f"1,0.{i}\n" for i in range(1, 10))).encode()}),
    Wrong("a confidence above 1", KEEP,
          f"prob must lie in [0, 1]; row 12 of dev.csv {COUNTED} holds 1.7. Are these logits? --logits reads them.",
          {"dev.csv": table(prob=(12, 1.7))}),
    Wrong("a reduction of one probability", f"{KEEP} --reduce class-wise",
          "--reduce is for several classes; with --prob, there is one probability per row.", CSV),
]  # fmt: skip
