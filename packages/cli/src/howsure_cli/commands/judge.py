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
AGREEMENT_EXAMPLES = """
howsure judge agreement grades.csv --rater rater --id item --score grade --scale ordinal --categories 1,2,3
howsure judge agreement grades.csv --rater rater --id item --score grade --judge gpt-large
howsure judge agreement labels.csv --raters ann,bea,judge
howsure judge agreement --spans spans.csv --document doc --rater rater --start start --end end
"""
OF_SPANS = """
howsure judge spans spans.csv --document doc --rater rater --start start --end end --category label
howsure judge spans spans.csv --document doc --rater rater --start start --end end --length characters
"""
SAMPLE_EXAMPLES = """
howsure judge sample answers.csv --score judge --labels 80 --model model --id item --format csv --output to_grade.csv
"""
PLAN_EXAMPLES = """
howsure judge plan answers.csv --score judge --target person --width 0.2 --bounds 1,5
howsure judge plan answers.csv --score judge --correlation 0.7 --width 0.1 --bounds 0,1
"""
TRANSPORT_EXAMPLES = """
howsure judge transport answers.csv --score judge --target person --model model --margin 0.05
howsure judge transport a.csv --score judge --target person --model model --margin 0.2 --bounds 1,5 --against base
"""
VALIDATION_EXAMPLES = """
howsure judge validate answers.csv --score judge --target person
howsure judge validate answers.csv --score judge --target person --min-rate 0.9 --show question,answer
"""
BIAS_EXAMPLES = """
howsure judge bias pairs.csv --score first --swapped second --cluster question
howsure judge bias answers.csv --score judge --target person --length words --family family --own gpt --cluster item
"""
PROMPTS_EXAMPLES = """
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
    """Judges: what would human annotators have given, and how far do raters agree?"""


def add_command(
    name: str,
    function: Callable[..., Result],
    examples: str,
    *,
    figure: bool = False,
    report: bool = True,
    documented_by: Sequence[Callable[..., object]] = (),
    **options: Decorator,
) -> None:
    """Add a command. options: the options of the command that need more than a type."""
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
add_command(
    "scores",
    correct_grades,
    EXAMPLES,
    documented_by=(correct_judge_scores,),
    figure=True,
    bounds=bounds_option,
    against=against_option,
)
add_command("sample", draw_judge_sample, SAMPLE_EXAMPLES, report=False, n=labels_option)
add_command("plan", plan_judge_sample, PLAN_EXAMPLES, report=False, bounds=bounds_option)
add_command("agreement", rater_agreement, AGREEMENT_EXAMPLES)
add_command("spans", span_agreement, OF_SPANS)
add_command("transport", judge_transport, TRANSPORT_EXAMPLES, bounds=bounds_option, against=against_option)
add_command("validate", validate_judge, VALIDATION_EXAMPLES, figure=True)
add_command("bias", judge_bias, BIAS_EXAMPLES, figure=True, bounds=bounds_option)
add_command("prompts", prompt_sensitivity, PROMPTS_EXAMPLES, figure=True, bounds=bounds_option)
