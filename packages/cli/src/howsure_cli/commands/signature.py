"""`howsure signature`: read the line that `--format signature` printed."""

from __future__ import annotations

import click

from howsure.data.signature import read_signature
from howsure_cli.terminal.commands import Command
from howsure_cli.terminal.derived import finish
from howsure_cli.terminal.options import output_options


@click.command("signature", cls=Command)
@click.argument("text", metavar="TEXT")
@output_options
def command(text: str, form: str, output: str | None) -> None:
    """Print the settings of the result whose signature this is.

    TEXT: the line that `--format signature` printed, in quotes.
    """
    finish(read_signature(text), name="signature", form=form, output=output)
