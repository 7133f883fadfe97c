"""The options that the commands of `howsure coreference` share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from howsure.coreference.recalibration.chosen_entities import DECISIONS
from howsure.coreference.scored.posterior_from_scores import MISPLACED
from howsure.data.documents.entity_brackets import LeftOut
from howsure.data.documents.read_documents import BAD_BRACKETS, LEAVE_OUT, left_out_text


def mentions_option(default: str | None) -> Callable[..., Any]:
    """`--mentions`."""
    said = "Use the mentions annotated in FILE, or those detected in its parse"
    return click.option("--mentions", type=click.Choice(["gold", "detected"]), default=default,
                        show_default=default is not None,
                        help=f"{said}." if default else f"{said} (default: as the model was trained).")  # fmt: skip


repeated_option = click.option(
    "--repeated-spans", "repeated", type=click.Choice(["error", "first"]), default="error", show_default=True,
    help="What to do about two annotated mentions with the same span; first: keep the first one.",
)  # fmt: skip
bad_brackets_option = click.option(
    "--bad-brackets", "left_out", type=click.Choice(BAD_BRACKETS), default="error", show_default=True,
    callback=lambda ctx, param, value: [] if value == LEAVE_OUT else None,
    help="What to do about a document with unmatched brackets; leave-out: leave it out and report it.",
)  # fmt: skip
model_option = click.option(
    "--model", metavar="MODEL", help="Model file written by train (default: the bundled model)."
)
scores_option = click.option(
    "--scores", metavar="FILE", help="Antecedent scores of any other model instead of --model: JSON lines or .npz."
)
misplaced_option = click.option(
    "--misplaced", type=click.Choice(MISPLACED), default="error", show_default=True,
    help="What to do about scored mentions that cross sentences, or begin or end inside a word of FILE.",
)  # fmt: skip
decision_option = click.option(
    "--decision", type=click.Choice(DECISIONS), default="best", show_default=True,
    help="Entities by the best antecedent of each mention, or by the lowest expected pair loss.",
)  # fmt: skip
recalibration_option = click.option(
    "--recalibration", metavar="FILE",
    help="Recalibration of the --scores, written by recalibrate (a model holds its own).",
)  # fmt: skip


def tell(left_out: LeftOut | None, kept: int) -> None:
    """Say which documents were left out."""
    if left_out:
        click.echo(f"howsure: {left_out_text(left_out, kept)}", err=True)
