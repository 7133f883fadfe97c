"""`howsure judge`: what people would have given where a judge graded everything, and how far raters agree."""

from __future__ import annotations

import click

from howsure.cli.terminal.derived import derived
from howsure.cli.terminal.options import DefaultGroup, as_names, bounds_option
from howsure.judges.agreement import judge_agreement
from howsure.judges.bias import judge_bias
from howsure.judges.judged_scores import judged_scores
from howsure.judges.planning import judge_plan
from howsure.judges.prompts import judge_prompts
from howsure.judges.sample import judge_sample
from howsure.judges.transport import judge_transport

EXAMPLES = """
howsure judge answers.csv --score judge --target person
howsure judge answers.csv --score judge --target person --model model --id question --bounds 1,5
"""
OF_AGREEMENT = """
howsure judge agreement grades.csv --rater rater --id item --score grade --scale ordinal
howsure judge agreement grades.csv --rater rater --id item --score grade --judge gpt-large
"""
OF_SAMPLE = """
howsure judge sample answers.csv --score judge --labels 80 --model model --id item --format csv --output to_grade.csv
"""
OF_PLAN = """
howsure judge plan answers.csv --score judge --target person --width 0.2 --bounds 1,5
howsure judge plan answers.csv --score judge --correlation 0.7 --width 0.1 --bounds 0,1
"""
OF_TRANSPORT = """
howsure judge transport answers.csv --score judge --target person --model model --margin 0.05
howsure judge transport a.csv --score judge --target person --model model --margin 0.2 --bounds 1,5 --against base
"""
OF_BIAS = """
howsure judge bias pairs.csv --score first --swapped second --cluster question
howsure judge bias answers.csv --score judge --target person --length words --family family --own gpt --cluster item
"""
OF_PROMPTS = """
howsure judge prompts grades.csv --score grade --prompt prompt --id item
howsure judge prompts grades.csv --score grade --prompt annotator --id item --run run --cluster document --bounds 1,5
"""

against_option = click.option(
    "--against", metavar="NAME", help="The model that the others are compared with (default: the best one)."
)


@click.group(cls=DefaultGroup, default="scores", context_settings={"max_content_width": 110})
def command() -> None:
    """Judges: what would people have given, and how far do raters agree?"""


command.add_command(
    derived(
        "judge",
        judged_scores,
        examples=EXAMPLES,
        figure="Draw what judge, people and both say of each model",
        report=True,
        options={"bounds": bounds_option, "against": against_option},
        epilog="See also: howsure judge agreement --help",
    ),
    "scores",
)
show_option = click.option(
    "--show", callback=as_names, metavar="COL,COL,…", help="Columns to copy, such as question,answer."
)
labels_option = click.option(
    "--labels", "n", type=click.IntRange(min=1), required=True, help="How many items to draw; without --id, answers."
)
command.add_command(
    derived("judge sample", judge_sample, examples=OF_SAMPLE, options={"n": labels_option, "show": show_option}),
    "sample",
)
command.add_command(derived("judge plan", judge_plan, examples=OF_PLAN, options={"bounds": bounds_option}), "plan")
command.add_command(derived("judge agreement", judge_agreement, examples=OF_AGREEMENT, report=True), "agreement")
map_option = click.option(
    "--against",
    metavar="NAME",
    help="The model from whose answers the map is learned (default: all that agree with each other).",
)
command.add_command(
    derived(
        "judge transport",
        judge_transport,
        examples=OF_TRANSPORT,
        report=True,
        options={"bounds": bounds_option, "against": map_option},
    ),
    "transport",
)
command.add_command(
    derived(
        "judge bias",
        judge_bias,
        examples=OF_BIAS,
        figure="Draw by how much each bias moves a grade",
        report=True,
        options={"bounds": bounds_option},
    ),
    "bias",
)
command.add_command(
    derived(
        "judge prompts",
        judge_prompts,
        examples=OF_PROMPTS,
        figure="Draw the means over prompts and of each of them",
        report=True,
        options={"bounds": bounds_option},
    ),
    "prompts",
)
