"""`howsure check`: pass, fail or cannot tell, as a table, a file and an exit code."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import click

from howsure.check.decision import Found
from howsure.check.results import EXIT_CODES, PASS
from howsure.cli.calibration.reading import reading_options
from howsure.cli.check.checks import found_by_options, score_found, selective_found
from howsure.cli.check.configuration import contexts, named_by, read_configuration, take_shared
from howsure.cli.check.options import (
    NAMES,
    Shared,
    against_options,
    margin_option,
    name_option,
    read_baseline,
    shared_options,
    split,
)
from howsure.cli.check.output import checked, show
from howsure.cli.terminal.options import (
    DefaultGroup,
    across_files_option,
    as_names,
    bins_options,
    bounds_option,
    by_file_option,
    figure_option,
    from_option,
    in_order,
    output_options,
    probability_options,
    where_option,
)
from howsure.cli.terminal.output import emit, json_text, table_text
from howsure.errors import InputError
from howsure.inputs.naming import shortened
from howsure.significance.experiments import Experiments

CODES = "Exit codes: 0 pass, 1 fail, 3 cannot tell, 2 wrong input."
SHARE = click.FloatRange(0.0, 1.0, min_open=True, max_open=True)
FOUND: dict[str, Callable[..., Found]] = {
    "calibration": found_by_options,
    "score": score_found,
    "selective": selective_found,
}
files_argument = click.argument("files", nargs=-1, required=True, metavar="FILE...")


@click.group(cls=DefaultGroup, default="all", context_settings={"max_content_width": 110}, epilog=CODES)
def command() -> None:
    """Is a limit kept? Verdicts with an exit code: pass, fail, or cannot tell."""


def model_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options that name a model's probabilities, and groups."""
    options: list[Callable[[Callable[..., Any]], Callable[..., Any]]] = [
        probability_options("Column of the predicted probability."),
        click.option("--reduce", metavar="HOW",
                     help="With classes: top-label (default), class-wise, or the name of one class."),
        click.option("--classes", callback=as_names, metavar="NAME,NAME,…", help="Class names, in order."),
        click.option("--group", metavar="COL", help="Column of groups, each of which must keep the rules."),
    ]  # fmt: skip
    return in_order(options)(function)


@command.command("all", epilog=CODES, short_help="All checks in howsure.toml or pyproject.toml (the default).")
@click.option("--config", metavar="FILE.toml", help="File of checks (default: howsure.toml, else pyproject.toml).")
@shared_options
def all_command(config: str | None, **_: Any) -> None:
    """Make all checks in howsure.toml, or in pyproject.toml below [tool.howsure.check].

    \b
    howsure check
    howsure check --config nightly.toml --junit check.xml --summary "$GITHUB_STEP_SUMMARY"
    """
    context = click.get_current_context()
    configuration = read_configuration(config, kinds=list(FOUND))
    _, shared = split(take_shared(configuration, context, NAMES))
    checks = contexts(configuration, command.commands, context, shared=NAMES)
    baseline = read_baseline(shared.baseline)
    found, compared = [], False
    for kind, made in checks:
        own = {name: value for name, value in made.params.items() if name not in NAMES}
        compared |= own["not_worse_than"] is not None
        with made, named_by(configuration, kind, made.command):
            found.append(FOUND[kind](**own, baseline=baseline if own["not_worse_than"] is not None else None))
    if baseline is not None and not compared:
        raise InputError(
            f"no check in {configuration.path} is compared with --baseline {shared.baseline}; name the margin in that "
            "which shall be: not-worse-than = 0.01."
        )
    names = [one.name for one in found]
    if len(set(names)) < len(names):
        raise InputError(f'checks must have different names; they are {shortened(names)}. Name them: name = "…".')
    finish(found, shared)


@command.command("calibration", epilog=CODES, short_help="A limit of the calibration error, or another model.")
@files_argument
@click.option("--max-error", type=SHARE, metavar="E", help="The calibration error must lie below.")
@against_options("calibration error")
@click.option("--target", "labels", multiple=True, metavar="COL",
              help="Column of the true label; twice if each model has its own (is its answer right?).")  # fmt: skip
@model_options
@reading_options
@bins_options
@name_option("calibration")
@shared_options
def calibration_command(**given: Any) -> None:
    """Is the calibration error of the predictions in FILE... below a limit, or below that of another model?

    For a limit or a --baseline, FILE... may be saved summaries: see `howsure calibration summary`.

    \b
    howsure check calibration dev.jsonl --target gold --prob score --max-error 0.05
    howsure check calibration dev.jsonl --target gold --prob score --group language --max-error 0.05
    howsure check calibration new.jsonl --target gold --prob score --id uid --better-than old.jsonl
    howsure check calibration dev.csv --target gold --prob new --not-worse-than 0.01 --against old
    """
    one_check("calibration", given)


@command.command("score", epilog=CODES, short_help="A limit of the mean of a score of each item, or another model.")
@files_argument
@click.option("--score", required=True, metavar="COL", help="Column of the score: 0 or 1, or any number.")
@click.option("--min-score", type=float, metavar="S", help="The mean must lie above.")
@click.option("--max-score", type=float, metavar="S", help="The mean must lie below.")
@against_options("mean")
@click.option("--lower-is-better", is_flag=True, help="The other model is worse where its mean is higher.")
@bounds_option
@click.option("--group", metavar="COL", help="Column of groups; each must keep the rules.")
@click.option("--cluster", metavar="COL", help="Column identifying correlated rows, e.g. the document.")
@click.option("--id", metavar="COL", help="Column identifying the item of each row.")
@where_option
@by_file_option
@across_files_option("--cluster")
@click.option("--skip-missing", is_flag=True, help="Leave out rows with missing values, and count them.")
@from_option
@name_option("score")
@shared_options
def score_command(**given: Any) -> None:
    """Is the mean of a score of each item in FILE... above a limit, or above that of another model?

    \b
    howsure check score dev.csv --score exact_match --min-score 0.8
    howsure check score new.jsonl --score rougeL --id uid --not-worse-than 0.01 --against old.jsonl
    """
    one_check("score", given)


@command.command("selective", epilog=CODES, short_help="A limit of the risk of the most confident answers.")
@files_argument
@click.option("--max-risk", type=SHARE, metavar="R", help="The share of wrong answers among those kept must lie below.")
@click.option("--min-coverage", type=click.FloatRange(0.0, 1.0, min_open=True), default=1.0, show_default=True,
              metavar="C", help="The share of the answers that is kept, the most confident first.")  # fmt: skip
@margin_option("risk")
@click.option("--target", "label", metavar="COL", help="Column of the true label: is the answer right?")
@model_options
@reading_options
@name_option("selective")
@shared_options
def selective_command(**given: Any) -> None:
    """Are the most confident answers in FILE... right often enough?

    \b
    howsure check selective dev.jsonl --target right --prob confidence --max-risk 0.05 --min-coverage 0.7
    """
    one_check("selective", given)


@command.command("trend", short_help="What checks found over the dates of a history, with a figure.")
@click.argument("file", metavar="FILE")
@click.option("--check", "name", metavar="NAME", help="One of the checks, by its name (default: all).")
@output_options
@figure_option("Draw a panel for each rule")
def trend_command(file: str, name: str | None, form: str, output: str | None, figure: str | None) -> None:
    """What did checks find, night after night? The results that --experiments FILE has collected.

    \b
    howsure check trend nightly.experiments --figure trend.svg
    """
    if not os.path.isfile(file):
        raise InputError(f"no file {file}; a check with --experiments {file} begins it.")
    trend = Experiments(file).trend(name)
    shown = json_text(trend.to_dict()) if form == "json" else table_text(trend.table(), form)
    if figure is not None:
        from howsure.figures.files import save_figure

        save_figure(trend.figure(), figure)
    emit(shown, output)


def one_check(kind: str, given: dict[str, Any]) -> None:
    """Make the check of a command, and end with its exit code."""
    own, shared = split(given)
    finish([FOUND[kind](**own, baseline=read_baseline(shared.baseline))], shared)


def finish(found: Sequence[Found], shared: Shared) -> None:
    """Show the verdicts, and end with their exit code."""
    if shared.date is not None and shared.experiments is None:
        raise InputError("--date is the day in a history; name its file, --experiments.")
    check = checked(found, shared)
    show(check, found, shared)
    if check.outcome != PASS:
        click.get_current_context().exit(EXIT_CODES[check.outcome])
