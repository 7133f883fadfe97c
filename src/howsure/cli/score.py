"""`howsure score`: how good is each model, with intervals, ranks and tiers; from scores, or from battles of two."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any

import click

from howsure.cli.terminal.derived import command_of, derived, finish, result_of, said_of
from howsure.cli.terminal.options import DefaultGroup, bounds_option, figure_option, output_options, report_option
from howsure.errors import InputError, parameter
from howsure.inputs.numbers_and_names import short_names
from howsure.scores.battles import rank_battles
from howsure.scores.results import ScoreTable
from howsure.scores.score_table import score_table

EXAMPLES = """
howsure score answers.csv --score right
howsure score answers.csv --score right --model model --id question --group subject --macro
howsure score "results/**/samples_*.jsonl"
howsure score base.jsonl large.jsonl --target reference --prediction answer --metric bleu
howsure score base.conll large.conll --targets gold.conll --metric entity_f1
"""
OF_BATTLES = """
howsure score battles votes.jsonl --a model_a --b model_b --winner winner --cluster question_id
howsure score battles annotations.csv --a generator_1 --b generator_2 --winner preference --position-effect
"""


@click.group(cls=DefaultGroup, default="table", context_settings={"max_content_width": 110})
def command() -> None:
    """Scores: how good is each model, and which are the best?"""


def run(form: str, output: str | None, targets: str | None, **typed: Any) -> None:
    pictures = {name: typed.pop(name, None) for name in ("figure", "report")}
    result = result_of(score_table, typed) if targets is None else _of_documents(targets, typed)
    finish(result, name="score", form=form, output=output, **pictures)


def _of_documents(targets: str, typed: dict[str, Any]) -> ScoreTable:
    """Each file a model, a document in each of its lines, or sentences of tags; the targets in a file of their own.

    Raises InputError for options of columns, and for a file with another number of documents.
    """
    from howsure.data.documents.read_documents import document_items

    for name in ("y_true", "prediction", "model", "groups", "id", "run", "clusters"):
        if typed[name] is not None:
            raise InputError(f"{parameter('targets')} is for files without columns; leave {parameter(name)} out.")
    true, documents = document_items(targets)
    held = {
        name: document_items(path)[0] for name, path in zip(short_names(typed["files"]), typed["files"], strict=True)
    }
    for name, items in held.items():
        if len(items) != len(true):
            raise InputError(
                f"every file must have the documents of {targets}, which holds {len(true):,}; {name} holds "
                f"{len(items):,}."
            )
    columns: dict[str, Any] = {
        "y_true": true * len(held),
        "prediction": [one for items in held.values() for one in items],
        "model": [name for name, items in held.items() for _ in items],
        "id": [*range(len(true))] * len(held),
        "clusters": None if documents is None else documents * len(held),
    }
    known = inspect.signature(score_table).parameters
    asked = {name: typed[name] for name in known if typed.get(name) is not None and name not in columns}
    found = score_table(**asked, **columns)
    read = {"files": list(typed["files"]), "targets": targets, "rows": len(columns["id"])}
    return replace(found, recipe={**read, **found.recipe})


command.add_command(
    command_of(
        "score",
        score_table,
        run,
        examples=EXAMPLES,
        own=[
            click.option(
                "--targets",
                metavar="FILE",
                help="What is true, in a file like those of the models, by line or sentence.",
            ),
            output_options,
            figure_option("Draw the means with their intervals and the ranks"),
            report_option,
        ],
        options={
            "bounds": bounds_option,
            "metrics": click.option(
                "--metric", "metrics", multiple=True, metavar="NAME", help=said_of(score_table)["metrics"]
            ),
        },
        epilog="See also: howsure score battles --help",
    ),
    "table",
)
command.add_command(
    derived(
        "score battles",
        rank_battles,
        examples=OF_BATTLES,
        figure="Draw the points with their intervals and the ranks",
        report=True,
    ),
    "battles",
)
