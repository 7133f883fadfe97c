"""`howsure recalibrate`: fit a map from probabilities to calibrated ones, judge it, and apply it."""

from __future__ import annotations

import click

from howsure.cli.recalibrate.evaluate import evaluate_command
from howsure.cli.recalibrate.fit import apply_command, fit_command
from howsure.cli.terminal.commands import Group


@click.group("recalibrate", cls=Group)
def command() -> None:
    """Mend a model's probabilities: learn a map from labelled rows (fit), see whether it helps (evaluate), and change
    others by it (apply)."""


command.add_command(fit_command)
command.add_command(evaluate_command)
command.add_command(apply_command)

__all__ = ["command"]
