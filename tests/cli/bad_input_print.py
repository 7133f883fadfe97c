"""Wrong inputs of what is made for print: columns, widths, axes, names of models."""

from __future__ import annotations

from tests.cli.bad_input import CLASSES, CSV, JUDGE, JUDGE_CLASSES, Wrong

FIGURE = f"{JUDGE} --figure curve.svg"
TWO = "calibration compare two.csv --target gold --prob p --prob q"
FILES = {"two.csv": b"gold,p,q\n1,0.9,0.8\n0,0.2,0.4\n1,0.7,0.6\n0,0.4,0.1\n"}
CERTAIN = {"dev.csv": b"gold,prob\n" + b"1,1.0\n" * 6 + b"0,0.3\n1,0.4\n" * 3}
KNOWN = "group, n, base rate, error, low, high, Algorithm 1, ECE, Brier, log loss, p, miscalibration"

PRINTED = [
    Wrong("a column that the table does not have", f"{JUDGE} --format latex --columns group,eror",
          f"no column 'eror' in the table; it has {KNOWN}. Did you mean error?", CSV),
    Wrong("the same, with a figure that is not drawn then", f"{FIGURE} --format csv --columns accuracy",
          "no column 'accuracy' in the table; it has group, n, base rate, error, low, high, Algorithm 1, ECE, Brier, "
          "log loss, p, miscalibration.", CSV),
    Wrong("an empty name of a column", f"{JUDGE} --columns group,,error",
          "Invalid value for '--columns': 'group,,error' holds an empty name", CSV),
    Wrong("columns of JSON", f"{JUDGE} --format json --columns error",
          "--columns is for tables; JSON holds everything. Leave one of the two out.", CSV),
    Wrong("a figure without width", f"{FIGURE} --width 0",
          "--width must be 2 to 20 inches, not 0; one column has about 3.3.", CSV),
    Wrong("a width in millimetres", f"{FIGURE} --width 84",
          "--width must be 2 to 20 inches, not 84; one column has about 3.3.", CSV),
    Wrong("a width with its unit", f"{FIGURE} --width 3.3in",
          "Invalid value for '--width': '3.3in' is not a number.", CSV),
    Wrong("a width of no figure", f"{JUDGE} --width 3.3",
          "--width is for a figure, and none is drawn; name its file by --figure.", CSV),
    Wrong("axes of no figure", f"{JUDGE_CLASSES} --axis logit",
          "--axis is for a figure, and none is drawn; name its file by --figure.", CLASSES),
    Wrong("log-odds of a certain prediction", f"{FIGURE} --bin-size 3 --axis logit",
          "--axis logit shows no mean prediction of exactly 0 or 1; that of bin 3 is 1. Choose --axis linear or "
          "--axis zoom.", CERTAIN),
    Wrong("an axis that there is not", f"{FIGURE} --axis log",
          "Invalid value for '--axis': 'log' is not one of 'auto', 'linear', 'zoom', 'logit'.", CSV),
    Wrong("one name for two models", f"{TWO} --names large",
          "names must be two different ones, of A and of B; they are ['large'].", FILES),
    Wrong("the same name for two models", f"{TWO} --names large,large --figure two.svg",
          "names must be two different ones, of A and of B; they are ['large', 'large'].", FILES),
]  # fmt: skip
