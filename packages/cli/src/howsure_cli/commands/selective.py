"""`howsure selective`: risk by coverage from files of predictions, and a guaranteed threshold."""

from __future__ import annotations

from howsure.selective.curve import selective_table
from howsure_cli.terminal.derived import derived

EXAMPLES = """
howsure selective answers.csv --target right --prob confidence
howsure selective preds.csv --target label --prediction pred --prob conf
howsure selective answers.csv --target right --prob confidence --group model --cluster question
howsure selective dev.jsonl --target gold --probs-column probs --risk 0.05
"""
command = derived("selective", selective_table, examples=EXAMPLES, figure=True, report=True)
