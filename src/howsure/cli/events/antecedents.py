"""Which model says what corefers: options of the commands that find events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from howsure.errors import InputError


def coreference_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--coreference` and `--misplaced`."""
    misplaced = click.option(
        "--misplaced",
        type=click.Choice(["error", "leave-out"]),
        default="error",
        show_default=True,
        help="What to do about mentions of --coreference that cross sentences, or begin or end inside a word.",
    )
    scores = click.option(
        "--coreference", metavar="FILE", help="Antecedent scores of any other model instead of --model, by document id."
    )
    return scores(misplaced(function))


def antecedent_model(model: str | None, coreference: str | None, misplaced: Any) -> Any:
    """The model of a file, the scores of a file, or the model in the package.

    Raises InputError if both are named, or as they do.
    """
    from howsure.coreference.antecedent_model import AntecedentModel
    from howsure.events.extraction.scored_coreference import ScoredCoreference

    if coreference is None:
        return AntecedentModel.pretrained() if model is None else AntecedentModel.load(model)
    if model is not None:
        raise InputError("--coreference has the scores of another model; leave --model out.")
    return ScoredCoreference(coreference, misplaced=misplaced)
