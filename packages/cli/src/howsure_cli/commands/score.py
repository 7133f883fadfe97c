"""`howsure score`: how good is each model, with intervals, ranks and tiers; from scores, or from battles of two."""

from __future__ import annotations

import click

from howsure.data.sources import read
from howsure.scores.agents import score_agents
from howsure.scores.battles import rank_battles
from howsure.scores.items import score_items
from howsure.scores.score_models import mean_scores, pass_at_k, score_models
from howsure.scores.score_table import score_table
from howsure.sequential.order import draw_order
from howsure.sequential.planning import plan_comparison
from howsure.sequential.race import race_models
from howsure_cli.terminal.derived import derived, said_of
from howsure_cli.terminal.options import DefaultGroup, bounds_option

DOCUMENTED_BY = (mean_scores, score_models, pass_at_k)
EXAMPLES = """
howsure score answers.csv --score right
howsure score answers.csv --score right --model model --id question --group subject --macro
howsure score "results/**/samples_*.jsonl"
howsure score base.jsonl large.jsonl --target reference --prediction answer --metric bleu
howsure score base.conll large.conll --targets gold.conll --metric entity_f1
"""
OF_AGENTS = """
howsure score agents jobs
howsure score agents trials.csv --score passed --error error --cost dollars --model agent --id task --run trial
"""
OF_ITEMS = """
howsure score items "results/*/samples_*.jsonl" --show doc.question
howsure score items answers.csv --score right --model model --id question --figure items.svg
"""
OF_BATTLES = """
howsure score battles votes.jsonl --a model_a --b model_b --winner winner --cluster question_id
howsure score battles annotations.csv --a generator_1 --b generator_2 --winner preference --position-effect
"""

OF_ORDER = """
howsure score order benchmark.csv --id question --seed 1 --format csv --output order.csv
"""
OF_RACE = """
howsure score race answers.csv --score right --model model --id question --seed 1
howsure score race answers.csv --score right --model model --id question --order order.csv --format json
"""
OF_PLAN = """
howsure score plan pilot.csv --score large --against small --items-total 5000 --seed 1
"""


@click.group(cls=DefaultGroup, default="table", context_settings={"max_content_width": 110})
def command() -> None:
    """Scores: how good is each model, and which are the best?"""


command.add_command(
    derived(
        "score",
        score_table,
        examples=EXAMPLES,
        documented_by=DOCUMENTED_BY,
        figure=True,
        report=True,
        options={
            "bounds": bounds_option,
            "metrics": click.option("--metric", "metrics", multiple=True, metavar="NAME"),
            "targets": click.option("--targets", metavar="FILE"),
        },
        epilog="See also: howsure score agents, battles, items, order, race, plan --help",
    ),
    "table",
)
command.add_command(
    derived(
        "score agents", score_agents, examples=OF_AGENTS, figure=True, report=True, options={"bounds": bounds_option}
    ),
    "agents",
)
command.add_command(
    derived(
        "score battles",
        rank_battles,
        examples=OF_BATTLES,
        figure=True,
        report=True,
    ),
    "battles",
)
command.add_command(derived("score items", score_items, examples=OF_ITEMS, figure=True, report=True), "items")
command.add_command(derived("score order", draw_order, examples=OF_ORDER), "order")
command.add_command(
    derived(
        "score plan",
        plan_comparison,
        examples=OF_PLAN,
        options={
            "against": click.option(
                "--against", required=True, metavar="COL", help=said_of(plan_comparison)["against"]
            ),
            "bounds": bounds_option,
        },
    ),
    "plan",
)
command.add_command(
    derived(
        "score race",
        race_models,
        examples=OF_RACE,
        options={
            "bounds": bounds_option,
            "order": click.option(
                "--order",
                metavar="FILE",
                callback=lambda context, parameter, value: None if value is None else read(value),
                help=said_of(race_models)["order"],
            ),
        },
    ),
    "race",
)
