"""Wrong inputs of `howsure selective` and what is said to them: part of the table of `bad_input.py`."""

from __future__ import annotations

from tests.cli.bad_input import CSV, Wrong, table

KEEP = "selective dev.csv --target gold --prob prob"

SELECTIVE = [
    Wrong("a coverage in per cent", f"{KEEP} --coverage 50,80", CSV),
    Wrong("a coverage that is no number", f"{KEEP} --coverage half", CSV),
    Wrong("a coverage of nothing", f"{KEEP} --coverage 0", CSV),
    Wrong("an accuracy above 1", f"{KEEP} --accuracy 1.5", CSV),
    Wrong("a risk in per cent", f"{KEEP} --risk 5", CSV),
    Wrong("a promise that is never broken", f"{KEEP} --risk 0.05 --delta 0", CSV),
    Wrong("weighted answers", f"{KEEP} --weight weight", CSV),
    Wrong("one cluster", f"{KEEP} --cluster one", {"dev.csv": b"gold,prob,one\n1,0.9,a\n0,0.4,a\n"}),
    Wrong(
        "more groups than a figure holds",
        f"{KEEP} --group prob --figure rc.svg",
        {"dev.csv": ("gold,prob\n" + "".join(f"1,0.{i}\n" for i in range(1, 10))).encode()},
    ),
    Wrong("a confidence above 1", KEEP, {"dev.csv": table(prob=(12, 1.7))}),
    Wrong("columns to show of no rows", f"{KEEP} --show gold", CSV),
    Wrong("no worst rows", f"{KEEP} --worst 0", CSV),
    Wrong("a column to show that is not there", f"{KEEP} --worst 5 --show question", CSV),
    Wrong("a reduction of one probability", f"{KEEP} --reduce class-wise", CSV),
]
