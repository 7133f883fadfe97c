"""`howsure selective`: from files of predictions to risk by coverage, and a threshold with a promise."""

from __future__ import annotations

from howsure.cli.terminal.derived import REDUCE, derived
from howsure.selective.curve import selective_table

EXAMPLES = """
howsure selective answers.csv --target right --prob confidence
howsure selective answers.csv --target right --prob confidence --group model --cluster question
howsure selective dev.jsonl --target gold --probs-column probs --risk 0.05
"""
command = derived(
    "selective",
    selective_table,
    examples=EXAMPLES,
    reduce=f"{REDUCE} With --prob, top-label: p is the probability of one of two labels, and the confidence is the "
    "larger of p and 1 - p.",
    figure="Draw the risk–coverage curves (with --risk of one group: the tested thresholds)",
)
