"""Options shared by commands of events, and the antecedent model that they select."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from howsure.errors import InputError
from howsure_cli.terminal.commands import OutputFile
from howsure_cli.terminal.options import PROCESSES, choice_option, in_order

Decorated = Callable[..., Any]
BAD_DATES = ("error", "leave-out")

workers_option = click.option("--workers", type=PROCESSES, metavar="N")
date_options = in_order(
    [
        click.option("--date-format", metavar="FORMAT"),
        click.option("--encoding", metavar="NAME"),
        choice_option("--bad-dates", of=BAD_DATES, help="What to do about documents whose date is missing or invalid."),
    ]
)


days_options = in_order([click.option("--since", metavar="DATE"), click.option("--until", metavar="DATE")])
store_option = click.option(  # a store to create, and the log that DuckDB keeps next to it
    "--store", type=OutputFile(also_written=lambda path: (f"{path}.wal",)), metavar="OUT", required=True
)


def coreference_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--coreference` and `--misplaced`."""
    misplaced = choice_option("--misplaced", of=["error", "leave-out"])
    scores = click.option(
        "--coreference", metavar="FILE", help="Antecedent scores of any other model instead of --model, by document id."
    )
    return scores(misplaced(function))


def antecedent_model(model: str | None, coreference: str | None, misplaced: Any) -> Any:
    """Return the antecedent model in a file, the coreference scores in a file, or the bundled model."""
    from howsure_events.extraction.scored_coreference import ScoredCoreference
    from howsure_text.coreference.antecedent_model import AntecedentModel

    if coreference is None:
        return AntecedentModel.pretrained() if model is None else AntecedentModel.load(model)
    if model is not None:
        raise InputError("--coreference has the scores of another model; leave --model out.")
    return ScoredCoreference(coreference, misplaced=misplaced)
