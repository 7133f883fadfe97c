"""What `howsure calibration compare` shows."""

from __future__ import annotations

from howsure import __version__
from howsure.calibration.comparison import CalibrationComparison
from howsure.cli.output import json_text
from howsure.cli.tables import Table

Names = tuple[str, str]


def comparison_json(result: CalibrationComparison, names: Names) -> str:
    """Names of the models and everything that was found."""
    return json_text({"a": names[0], "b": names[1], "howsure": __version__, **result.to_dict()})


def comparison_text(result: CalibrationComparison, names: Names) -> str:
    """The figures, and one sentence."""
    e = result.squared_error_difference
    if e.low is None or e.high is None:
        said = "Too little data to compare."
    elif e.low > 0:
        said = "B is better calibrated than A."
    elif e.high < 0:
        said = "A is better calibrated than B."
    else:
        said = "No difference in calibration to be seen: the interval of the squared errors' difference holds 0."
    table = comparison_table(result, names).text("table")
    return f"A: {names[0]}\nB: {names[1]}\n{result.n:,} pairs; differences are A - B\n\n{table}\n{said}\n"


def comparison_table(result: CalibrationComparison, names: Names) -> Table:
    """One row a figure."""
    estimates = {
        "error of A": result.error_a,
        "error of B": result.error_b,
        "difference of errors": result.error_difference,
        "difference of squared errors": result.squared_error_difference,
        "difference of Brier scores": result.brier_difference,
        "difference of log losses": result.log_loss_difference,
    }
    rows = []
    for name, e in estimates.items():
        if e is None or e.low is None or e.high is None:
            rows.append([name, "–", "–", "–"])
        else:
            rows.append([name, *(f"{x:.5f}" for x in (e.value, e.low, e.high))])
    comment = f"howsure {__version__}; A {names[0]}; B {names[1]}; n {result.n}; level {result.recipe['level']}"
    return Table(("figure", "value", "low", "high"), rows, words=("figure",), comment=comment)
