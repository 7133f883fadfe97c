"""`howsure judge`: estimates of human grades from a judge's grades, and agreement of raters."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import click

from howsure.judges.agreement import rater_agreement
from howsure.judges.bias import judge_bias
from howsure.judges.correct_judge_scores import correct_grades, correct_judge_scores
from howsure.judges.judge_sample import draw_judge_sample
from howsure.judges.planning import plan_judge_sample
from howsure.judges.prompts import prompt_sensitivity
from howsure.judges.span_agreement import span_agreement
from howsure.judges.transport import judge_transport
from howsure.judges.validation import validate_judge
from howsure.result import Result
from howsure_cli.terminal.derived import derived
from howsure_cli.terminal.options import Decorator, DefaultGroup, bounds_option

EXAMPLES = """
howsure judge answers.csv --score judge --target person
howsure judge answers.csv --score judge --target person --model model --id question --bounds 1,5
"""
OF_AGREEMENT = """
howsure judge agreement grades.csv --rater rater --id item --score grade --scale ordinal --categories 1,2,3
howsure judge agreement grades.csv --rater rater --id item --score grade --judge gpt-large
"""
OF_SPANS = """
howsure judge spans spans.csv --document doc --rater rater --start start --end end --category label
howsure judge agreement --spans spans.csv --document doc --rater rater --start start --end end --length characters
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
OF_VALIDATION = """
howsure judge validate answers.csv --score judge --target person
howsure judge validate answers.csv --score judge --target person --min-rate 0.9 --show question,answer
"""
OF_BIAS = """
howsure judge bias pairs.csv --score first --swapped second --cluster question
howsure judge bias answers.csv --score judge --target person --length words --family family --own gpt --cluster item
"""
OF_PROMPTS = """
howsure judge prompts grades.csv --score grade --prompt prompt --id item
howsure judge prompts grades.csv --score grade --prompt annotator --id item --run run --cluster document --bounds 1,5
"""

against_option = click.option("--against", metavar="NAME")


class JudgeGroup(DefaultGroup):
    """The group of judges, in which `agreement --spans` is `spans`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args[:1] == ["agreement"] and "--spans" in args:
            args = ["spans", *(word for word in args[1:] if word != "--spans")]
        return super().parse_args(ctx, args)


@click.group(cls=JudgeGroup, default="scores", context_settings={"max_content_width": 110})
def command() -> None:
    """Judges: what would people have given, and how far do raters agree?"""


def add(
    name: str,
    function: Callable[..., Result],
    examples: str,
    *,
    figure: bool = False,
    report: bool = True,
    documented_by: Sequence[Callable[..., object]] = (),
    **options: Decorator,
) -> None:
    """Add a command; options: those that need more than a type."""
    command_name = "judge" if name == "scores" else f"judge {name}"
    made = derived(
        command_name,
        function,
        examples=examples,
        figure=figure,
        report=report,
        options=options,
        documented_by=documented_by,
    )
    command.add_command(made, name)


labels_option = click.option("--labels", "n", type=click.IntRange(min=1), required=True, metavar="N")
add(
    "scores",
    correct_grades,
    EXAMPLES,
    documented_by=(correct_judge_scores,),
    figure=True,
    bounds=bounds_option,
    against=against_option,
)
add("sample", draw_judge_sample, OF_SAMPLE, report=False, n=labels_option)
add("plan", plan_judge_sample, OF_PLAN, report=False, bounds=bounds_option)
add("agreement", rater_agreement, OF_AGREEMENT)
add("spans", span_agreement, OF_SPANS)
add("transport", judge_transport, OF_TRANSPORT, bounds=bounds_option, against=against_option)
add("validate", validate_judge, OF_VALIDATION, figure=True)
add("bias", judge_bias, OF_BIAS, figure=True, bounds=bounds_option)
add("prompts", prompt_sensitivity, OF_PROMPTS, figure=True, bounds=bounds_option)
