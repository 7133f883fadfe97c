"""`howsure score`: how good is each model, with intervals, ranks and tiers; from scores, or from battles of two."""

from __future__ import annotations

import click

from howsure.cli.terminal.derived import derived
from howsure.cli.terminal.options import DefaultGroup, bounds_option
from howsure.scores.battles import rank_battles
from howsure.scores.score_table import score_table

EXAMPLES = """
howsure score answers.csv --score right
howsure score answers.csv --score right --model model --id question --group subject --macro
howsure score "results/**/samples_*.jsonl"
"""
OF_BATTLES = """
howsure score battles votes.jsonl --a model_a --b model_b --winner winner --cluster question_id
howsure score battles annotations.csv --a generator_1 --b generator_2 --winner preference --position-effect
"""


@click.group(cls=DefaultGroup, default="table", context_settings={"max_content_width": 110})
def command() -> None:
    """Scores: how good is each model, and which are the best?"""


command.add_command(
    derived(
        "score",
        score_table,
        examples=EXAMPLES,
        figure="Draw the means with their intervals and the ranks",
        report=True,
        options={"bounds": bounds_option},
        epilog="See also: howsure score battles --help",
    ),
    "table",
)
command.add_command(
    derived(
        "score battles",
        rank_battles,
        examples=OF_BATTLES,
        figure="Draw the points with their intervals and the ranks",
        report=True,
    ),
    "battles",
)
