"""`howsure coreference recalibrate`: mend a model, or the scores of another, by documents with gold entities."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from howsure.cli.coreference.input import (
    Asked,
    bad_brackets_option,
    load_model,
    misplaced_option,
    model_option,
    read_mentioned,
    repeated_option,
    scores_option,
    tell,
)
from howsure.cli.terminal.commands import Command, Written
from howsure.cli.terminal.output import emit
from howsure.coreference.coref_posterior import CorefPosterior
from howsure.coreference.detection import entities_of
from howsure.coreference.recalibration import (
    WEIGHT_OF_NEW,
    CoreferenceRecalibration,
    recalibrate_coreference,
)
from howsure.coreference.sharpening import SCORES
from howsure.data.documents.brackets import LeftOut
from howsure.data.documents.document import Document
from howsure.errors import InputError
from howsure.inputs.numbers_and_names import counted
from howsure.inputs.pairs import Integers


@click.command("recalibrate", cls=Command, short_help="Mend a model's probabilities by documents with gold entities.")
@click.argument("file")
@click.option(
    "--output",
    type=Written(),
    required=True,
    metavar="FILE",
    help="File to write: the recalibrated model, .npz; with --scores the recalibration, .json.",
)
@click.option("--test", metavar="FILE", help="Other documents with gold entities: the table is then about these.")
@click.option(
    "--score",
    type=click.Choice(SCORES),
    default="squared",
    show_default=True,
    help="What is minimised: squared errors, or minus the log-likelihood.",
)
@click.option(
    "--weight-of-new",
    type=float,
    default=WEIGHT_OF_NEW,
    show_default=True,
    metavar="W",
    help="Weight of P(mention is new) beside that of the pairs.",
)
@click.option(
    "--sharpen/--no-sharpen",
    default=True,
    show_default=True,
    help="Change the probabilities, or only the confidence in entities?",
)
@model_option
@scores_option
@misplaced_option
@repeated_option
@bad_brackets_option
def recalibrate_command(
    file: str,
    output: str,
    test: str | None,
    score: Any,
    weight_of_new: float,
    sharpen: bool,
    left_out: LeftOut | None,
    **asked: Any,
) -> None:
    """Recalibrate a model by documents with gold entities, from which it did not learn.

    Three numbers sharpen its probabilities, so that pairs, counts of entities and samples change together; another
    three mend the confidence in entities. The table shows what this gains and loses.

    \b
    howsure coreference recalibrate dev.conllu --model model.npz --test test.conllu --output mended.npz
    howsure coreference recalibrate dev.conllu --scores dev.jsonl --output mended.json
    howsure coreference posterior other.conllu --scores other.jsonl --recalibration mended.json
    """
    scored = asked["scores"] is not None
    if (Path(output).suffix.lower() == ".json") is not scored:
        wanted = "the recalibration of --scores, a .json file" if scored else "a model, a .npz file"
        raise InputError(f"--output is {wanted}; it is {output}.")
    found = judged = None
    options: dict[str, Any] = {"score": score, "weight_of_new": weight_of_new, "sharpen": sharpen}
    if scored:
        posteriors, gold = _scored(file, left_out, asked)
        found = judged = recalibrate_coreference(posteriors, gold, **options)
        if test is not None:
            judged = found.judge(*_scored(test, left_out, asked))
        found.save(output)
    else:
        model = load_model(asked["model"])
        mended = model.recalibrate(_read(file, left_out, asked), **options)
        found = judged = mended.recalibration_
        if test is not None:
            judged = mended.judge_recalibration(_read(test, left_out, asked), before=model)
        mended.save(output)
    assert found is not None
    assert judged is not None
    emit(_text(found, judged, file, test, output), None)


def _read(file: str, left_out: LeftOut | None, asked: Mapping[str, Any]) -> list[Document]:
    documents = read_mentioned([file], repeated=asked["repeated"], left_out=left_out)
    tell(left_out, len(documents))
    return documents


def _scored(
    file: str, left_out: LeftOut | None, asked: Mapping[str, Any]
) -> tuple[list[CorefPosterior], list[Integers]]:
    """The posteriors of the scores, and the labels of the gold entities of a file."""
    _, resolved = Asked(file=file, left_out=left_out, **asked).open()
    held = list(resolved)
    tell(left_out, len(held))
    return [one.posterior for one in held], [entities_of(one.document, one.mentions) for one in held]


def _text(
    found: CoreferenceRecalibration, judged: CoreferenceRecalibration, file: str, test: str | None, output: str
) -> str:
    learnt = counted(found.documents, "document")
    about = "the same documents" if test is None else f"{test}: {counted(judged.documents, 'document')}"
    return f"{output}: recalibrated by {file}, {learnt}\njudged on {about}\n\n{judged.table()}\n"
