"""`howsure judge`: what people would have given where a judge graded everything, and how far raters agree."""

from __future__ import annotations

import click

from howsure.cli.terminal.derived import derived
from howsure.cli.terminal.options import DefaultGroup, bounds_option
from howsure.judges.agreement import judge_agreement
from howsure.judges.judged_scores import judged_scores

EXAMPLES = """
howsure judge answers.csv --score judge --target person
howsure judge answers.csv --score judge --target person --model model --id question --bounds 1,5
"""
OF_AGREEMENT = """
howsure judge agreement grades.csv --rater rater --id item --score grade --scale ordinal
howsure judge agreement grades.csv --rater rater --id item --score grade --judge gpt-large
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
command.add_command(derived("judge agreement", judge_agreement, examples=OF_AGREEMENT, report=True), "agreement")
