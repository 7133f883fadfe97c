"""`howsure check`: pass, fail or cannot tell, as a table, a file and an exit code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from howsure.check.results import EXIT_CODES, PASS
from howsure.cli.calibration.main import reading_options
from howsure.cli.check.calibration import calibration_found
from howsure.cli.check.found import Found
from howsure.cli.check.options import Shared, shared_options, split
from howsure.cli.check.output import checked, show
from howsure.cli.terminal.commands import Group
from howsure.cli.terminal.options import as_names, bins_options

CODES = "Exit codes: 0 pass, 1 fail, 3 cannot tell, 2 wrong input."
MARGIN = click.FloatRange(0.0, 1.0, max_open=True)


@click.group(cls=Group, context_settings={"max_content_width": 110}, epilog=CODES)
def command() -> None:
    """Is a limit kept? Verdicts with an exit code: pass, fail, or cannot tell."""


@command.command("calibration", epilog=CODES, short_help="A limit of the calibration error, or another model.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--max-error", type=click.FloatRange(0.0, 1.0, min_open=True, max_open=True), metavar="E",
              help="The calibration error must lie below.")  # fmt: skip
@click.option("--better-than", metavar="FILE|COL",
              help="The error must be smaller than this model's: the same columns of FILE, or column COL.")  # fmt: skip
@click.option("--not-worse-than", type=MARGIN, metavar="MARGIN",
              help="The error must exceed that of the model named by --against by less than this margin.")  # fmt: skip
@click.option("--against", metavar="FILE|COL", help="The other model, for --not-worse-than.")
@click.option("--prob", metavar="COL", help="Column of the predicted probability.")
@click.option("--probs", callback=as_names, metavar="COL,COL,…", help="Columns of class probabilities.")
@click.option("--probs-column", metavar="COL", help="Column containing a list of class probabilities.")
@click.option(
    "--reduce", metavar="HOW", help="With classes: top-label (default), class-wise, or the name of one class."
)
@click.option("--classes", callback=as_names, metavar="NAME,NAME,…", help="Class names, in order.")
@click.option("--group", metavar="COL", help="Column of groups; each must keep the rules.")
@click.option("--target", "labels", multiple=True, metavar="COL",
              help="Column of the true label; twice if each model has its own (is its answer right?).")  # fmt: skip
@reading_options
@bins_options
@shared_options
def calibration_command(**given: Any) -> None:
    """Is the calibration error of the predictions in FILE... below a limit, or below that of another model?

    \b
    howsure check calibration dev.jsonl --target gold --prob score --max-error 0.05
    howsure check calibration dev.jsonl --target gold --prob score --group language --max-error 0.05
    howsure check calibration new.jsonl --target gold --prob score --id uid --better-than old.jsonl
    howsure check calibration dev.csv --target gold --prob new --not-worse-than 0.01 --against old
    """
    own, shared = split(given)
    finish([calibration_found(**own)], shared)


def finish(found: Sequence[Found], shared: Shared) -> None:
    """Show the verdicts, and end with their exit code."""
    check = checked(found, shared)
    show(check, found, shared)
    if check.outcome != PASS:
        click.get_current_context().exit(EXIT_CODES[check.outcome])
