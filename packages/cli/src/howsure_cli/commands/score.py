"""`howsure score`: the scores of models with intervals, ranks and tiers, from scores or from pairwise battles."""

from __future__ import annotations

from functools import cache

import click

from howsure.data.sources import read
from howsure.scores.model_scores import mean_scores, pass_at_k, score_models
from howsure.scores.score_table import score_table
from howsure_cli.terminal.derived import derived, parameter_help
from howsure_cli.terminal.options import DefaultGroup, bounds_option

DOCUMENTED_BY = (mean_scores, score_models, pass_at_k)
EXAMPLES = """
howsure score answers.csv --score right
howsure score answers.csv --score right --model model --id question --group subject --macro
howsure score "results/**/samples_*.jsonl"
howsure score base.jsonl large.jsonl --target reference --prediction answer --metric bleu
howsure score base.conll large.conll --targets gold.conll --metric entity_f1
"""
AGENTS_EXAMPLES = """
howsure score agents jobs
howsure score agents trials.csv --score passed --error error --cost dollars --model agent --id task --run trial
"""
ITEMS_EXAMPLES = """
howsure score items "results/*/samples_*.jsonl" --show doc.question
howsure score items answers.csv --score right --model model --id question --figure items.svg
"""
BATTLES_EXAMPLES = """
howsure score battles votes.jsonl --a model_a --b model_b --winner winner --cluster question_id
howsure score battles annotations.csv --a generator_1 --b generator_2 --winner preference --position-effect
"""

ORDER_EXAMPLES = """
howsure score order benchmark.csv --id question --seed 1 --format csv --output order.csv
"""
RACE_EXAMPLES = """
howsure score race answers.csv --score right --model model --id question --seed 1
howsure score race answers.csv --score right --model model --id question --order order.csv --format json
"""
PLAN_EXAMPLES = """
howsure score plan pilot.csv --score large --against small --items-total 5000 --seed 1
"""


@cache
def table() -> click.Command:
    """The default command."""
    return derived(
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
    )


@cache
def agents() -> click.Command:
    """`howsure score agents`."""
    from howsure.scores.agents import score_agents

    return derived(
        "score agents",
        score_agents,
        examples=AGENTS_EXAMPLES,
        figure=True,
        report=True,
        options={"bounds": bounds_option},
    )


@cache
def battles() -> click.Command:
    """`howsure score battles`."""
    from howsure.scores.battles import rank_battles

    return derived("score battles", rank_battles, examples=BATTLES_EXAMPLES, figure=True, report=True)


@cache
def items() -> click.Command:
    """`howsure score items`."""
    from howsure.scores.items import score_items

    return derived("score items", score_items, examples=ITEMS_EXAMPLES, figure=True, report=True)


@cache
def order() -> click.Command:
    """`howsure score order`."""
    from howsure.sequential.evaluation_order import draw_order

    return derived("score order", draw_order, examples=ORDER_EXAMPLES)


@cache
def plan() -> click.Command:
    """`howsure score plan`."""
    from howsure.sequential.planning import plan_comparison

    against = click.option("--against", required=True, metavar="COL", help=parameter_help(plan_comparison)["against"])
    options = {"against": against, "bounds": bounds_option}
    return derived("score plan", plan_comparison, examples=PLAN_EXAMPLES, options=options)


@cache
def race() -> click.Command:
    """`howsure score race`."""
    from howsure.sequential.race import race_models

    order = click.option(
        "--order",
        metavar="FILE",
        callback=lambda context, parameter, value: None if value is None else read(value),
        help=parameter_help(race_models)["order"],
    )
    return derived("score race", race_models, examples=RACE_EXAMPLES, options={"bounds": bounds_option, "order": order})


@click.group(
    cls=DefaultGroup,
    default="table",
    elsewhere={
        "table": table,
        "agents": agents,
        "battles": battles,
        "items": items,
        "order": order,
        "plan": plan,
        "race": race,
    },
    context_settings={"max_content_width": 110},
)
def command() -> None:
    """Scores: how good is each model, and which are the best?"""
