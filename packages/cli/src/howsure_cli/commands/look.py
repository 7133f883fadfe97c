"""`howsure look`: describe a file, and propose commands that can evaluate it."""

from __future__ import annotations

import click

from howsure_cli.look import look
from howsure_cli.terminal.commands import Command
from howsure_cli.terminal.derived import command_help, finish
from howsure_cli.terminal.options import encoding_option, explode_option, from_option, output_options

EXAMPLES = """
howsure look answers.csv
howsure look results/
howsure look "results/**/samples_*.jsonl"
"""


@click.command("look", cls=Command, help=command_help(look, EXAMPLES), context_settings={"max_content_width": 110})
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@from_option
@explode_option
@encoding_option
@output_options
def command(
    files: tuple[str, ...],
    input_format: str | None,
    explode: str | None,
    encoding: str | None,
    form: str,
    output: str | None,
) -> None:
    finish(look(files, format=input_format, explode=explode, encoding=encoding), name="look", form=form, output=output)
