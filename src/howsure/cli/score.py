"""`howsure score`: how good is each model, with intervals, ranks and tiers."""

from __future__ import annotations

from howsure.cli.terminal.derived import derived
from howsure.cli.terminal.options import bounds_option
from howsure.scores.score_table import score_table

EXAMPLES = """
howsure score answers.csv --score right
howsure score answers.csv --score right --model model --id question --group subject --macro
howsure score "results/**/samples_*.jsonl"
"""
command = derived(
    "score",
    score_table,
    examples=EXAMPLES,
    figure="Draw the means with their intervals and the ranks",
    report=True,
    options={"bounds": bounds_option},
)
