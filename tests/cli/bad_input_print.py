"""Wrong inputs of what is made for print: columns, widths, axes, names of models."""

from __future__ import annotations

from tests.cli.bad_input import CLASSES, CSV, JUDGE, JUDGE_CLASSES, Wrong

FIGURE = f"{JUDGE} --figure curve.svg"
TWO = "calibration compare two.csv --target gold --prob p --prob q"
FILES = {"two.csv": b"gold,p,q\n1,0.9,0.8\n0,0.2,0.4\n1,0.7,0.6\n0,0.4,0.1\n"}
CERTAIN = {"dev.csv": b"gold,prob\n" + b"1,1.0\n" * 6 + b"0,0.3\n1,0.4\n" * 3}
KNOWN = "group, n, base rate, error, low, high, Algorithm 1, ECE, Brier, log loss, p, miscalibration"

PRINTED = [
    Wrong("a column that the table does not have", f"{JUDGE} --format latex --columns group,eror", CSV),
    Wrong("the same, with a figure that is not drawn then", f"{FIGURE} --format csv --columns accuracy", CSV),
    Wrong("an empty name of a column", f"{JUDGE} --columns group,,error", CSV),
    Wrong("columns of JSON", f"{JUDGE} --format json --columns error", CSV),
    Wrong("a figure without width", f"{FIGURE} --width 0", CSV),
    Wrong("a width in millimetres", f"{FIGURE} --width 84", CSV),
    Wrong("a width with its unit", f"{FIGURE} --width 3.3in", CSV),
    Wrong("a width of no figure", f"{JUDGE} --width 3.3", CSV),
    Wrong("axes of no figure", f"{JUDGE_CLASSES} --axis logit", CLASSES),
    Wrong("log-odds of a certain prediction", f"{FIGURE} --bin-size 3 --axis logit", CERTAIN),
    Wrong("an axis that there is not", f"{FIGURE} --axis log", CSV),
    Wrong("one name for two models", f"{TWO} --names large", FILES),
    Wrong("the same name for two models", f"{TWO} --names large,large --figure two.svg", FILES),
]
