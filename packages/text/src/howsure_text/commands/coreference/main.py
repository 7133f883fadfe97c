"""`howsure coreference`: train, predict, report confidence, recalibrate, and score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from howsure.data.documents.brackets import LeftOut
from howsure.data.documents.document import Document, named_part
from howsure.errors import InputError
from howsure.inputs.numbers_and_names import counted
from howsure.inputs.pairs import Integers
from howsure_cli.terminal.commands import PAGES, Group, OutputFile
from howsure_cli.terminal.options import choice_option, figure_option, output_options, raw_option, seed_option
from howsure_cli.terminal.output import emit, emit_result, progress, say
from howsure_text.commands.coreference.input import (
    ResolutionOptions,
    bad_brackets_option,
    decision_option,
    load_model,
    mentions_option,
    misplaced_option,
    model_option,
    parser_option,
    read_distinct_mentions,
    recalibration_option,
    repeated_option,
    report_left_out,
    scores_option,
)
from howsure_text.coreference.coref_posterior import CorefPosterior
from howsure_text.coreference.detection import mention_entities
from howsure_text.coreference.recalibration import WEIGHT_OF_NEW, CoreferenceRecalibration, recalibrate_coreference
from howsure_text.coreference.resolution import check_threshold
from howsure_text.coreference.sharpening import SCORES
from howsure_text.coreference.training import check_folds

TEXT_ELSEWHERE = " The text with its entities in colour: --text FILE.html."
FOLDS, MIN_DOCUMENTS = 4, 8  # folds for the recalibration, unless --folds says otherwise


@click.group(cls=Group, context_settings={"max_content_width": 110})
def command() -> None:
    """Coreference: which mentions refer to the same entity, with probabilities."""


@command.command("train", short_help="Train a model on parsed documents with entities.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--output", type=OutputFile(), required=True, metavar="MODEL")
@click.option("--dev", metavar="FILE")
@mentions_option("detected")
@parser_option
@choice_option(
    "--loss",
    of=["likelihood", "margin"],
    help="Likelihood gives calibrated probabilities; a softmax margin makes them overconfident.",
)
@click.option("--l1", type=float, metavar="L", help="The L1 penalty (default: 0.01).")
@click.option("--passes", type=click.IntRange(min=1), metavar="N", help="Passes over the documents (default: 12).")
@click.option("--folds", type=int, metavar="N")
@seed_option()
@repeated_option
@bad_brackets_option
def train_command(
    files: tuple[str, ...],
    output: str,
    dev: str | None,
    mentions: Any,
    parser: str | None,
    loss: Any,
    l1: float | None,
    passes: int | None,
    folds: int | None,
    seed: int,
    repeated: str,
    left_out: LeftOut | None,
) -> None:
    """Train a model on parsed documents with entities annotated.

    FILE... are CoNLL-U with Entity=, plain or gzip.

    \b
    howsure coreference train train.conllu --dev dev.conllu --output model.npz

    With 8 documents or more, the model is then recalibrated by cross-fitting on these documents, which takes 4 times as
    long. Ctrl-C ends the training and keeps the best weights so far.
    """
    from howsure_text.commands.coreference.output import training_text
    from howsure_text.coreference import AntecedentModel

    options: dict[str, Any] = {"l1": l1, "passes": passes}
    overrides = {name: value for name, value in options.items() if value is not None}
    model = AntecedentModel(mentions=mentions, loss=loss, rng=seed, **overrides)
    how: dict[str, Any] = {"repeated": repeated, "left_out": left_out, "source": mentions, "parser": parser}
    documents = read_distinct_mentions(files, **how)
    development = [] if dev is None else read_distinct_mentions([dev], **how)
    report_left_out(left_out, len(documents) + len(development))
    parts = folds if folds is not None else FOLDS if len(documents) >= MIN_DOCUMENTS else 0
    check_folds(parts or None, len(documents))
    with progress("documents", total=model.passes * len(documents) * max(parts, 1), rate=True) as advance:
        model.fit(documents, development=development, folds=parts or None, advance=advance)
    if model.interrupted_:
        say("howsure: training was interrupted; the best weights so far are kept, and not recalibrated")
    model.save(output)
    emit(training_text(model, documents, development, dev, output), None)


@command.command("predict", short_help="Write documents with the entities that a model finds.")
@click.argument("file", required=False)
@click.option("--output", type=OutputFile(), required=True, metavar="FILE")
@model_option
@scores_option
@recalibration_option
@misplaced_option
@mentions_option(None)
@parser_option
@decision_option
@click.option("--singletons/--no-singletons", default=True, show_default=True)
@repeated_option
@bad_brackets_option
def predict_command(
    file: str | None, output: str, decision: str, singletons: bool, left_out: LeftOut | None, **input_options: Any
) -> None:
    """Write parsed documents with the entities that a model finds.

    \b
    howsure coreference predict parsed.conllu --output entities.conllu
    howsure coreference predict parsed.conllu --decision minimum-risk --output entities.conll
    howsure coreference predict parsed.conllu --scores scores.jsonl --no-singletons --output entities.conllu
    howsure coreference predict letter.txt --parser en_core_web_sm --output entities.conllu
    """
    from howsure_text.commands.coreference.output import predicted_text, writer

    write = writer(output)
    documents, resolved = ResolutionOptions(file=file, left_out=left_out, **input_options).open(decision=decision)
    report_left_out(left_out, len(documents))
    annotated_documents = []
    with progress("documents", total=len(documents)) as advance:
        for resolved_document in resolved:
            annotated_documents.append(resolved_document.annotated(singletons=singletons))
            advance(1)
    write(annotated_documents, output)
    emit(predicted_text(annotated_documents, output), None)


@command.command("posterior", short_help="Write the probabilities of pairs and entities.")
@click.argument("file", required=False)
@click.option("--output", type=OutputFile(), metavar="FILE")
@raw_option
@click.option(
    "--threshold", type=float, default=0.05, show_default=True, help="Lowest probability of the pairs to write."
)
@click.option("--document", "names", multiple=True, metavar="NAME", help="Use only this document. Repeatable.")
@click.option(
    "--samples",
    type=click.IntRange(min=1),
    metavar="N",
    help="Write N clusterings drawn from the model, a row for each mention, as .parquet or .csv.",
)
@seed_option(metavar="N")
@figure_option(advice=TEXT_ELSEWHERE)
@click.option(
    "--text",
    type=OutputFile(*PAGES),
    metavar="FILE",
    help="Write the text with entities in colour and uncertain mentions marked: .html.",
)
@model_option
@scores_option
@recalibration_option
@misplaced_option
@mentions_option(None)
@parser_option
@decision_option
@repeated_option
@bad_brackets_option
def posterior_command(
    file: str | None,
    output: str | None,
    threshold: float,
    samples: int | None,
    seed: int,
    figure: str | None,
    text: str | None,
    decision: str,
    left_out: LeftOut | None,
    **input_options: Any,
) -> None:
    """Write the probabilities of pairs of mentions, of entities and of their number.

    FILE contains parsed documents, CoNLL-U. With --parser it may be plain text (.txt) or any format without a parse.
    With --scores, it needs no parse, and may be left out.

    \b
    howsure coreference posterior parsed.conllu --output posterior.json --text entities.html
    howsure coreference posterior parsed.conllu --document news_7 --figure pairs.svg
    howsure coreference posterior --scores scores.jsonl --output posterior.json
    howsure coreference posterior parsed.conllu --samples 100 --output samples.parquet

    If FILE annotates coreference, so does the column coreferent, and the pairs can be evaluated:

    \b
    howsure coreference posterior gold.conllu --mentions gold --threshold 0 --output pairs.parquet
    howsure calibration pairs.parquet --target coreferent --prob probability --cluster document
    """
    from howsure.figures.files import save_figure
    from howsure_text.commands.coreference.output import (
        check_suffix,
        posterior_text,
        write_posterior,
        write_samples,
        write_text,
    )

    if output is not None:
        check_suffix(output, of_samples=samples is not None)
    elif samples is not None:
        raise InputError("--samples are written to a file; name it with --output.")
    check_threshold(threshold)
    source = ResolutionOptions(file=file, left_out=left_out, **input_options)
    documents, resolved = source.open(decision=decision, threshold=threshold)
    report_left_out(left_out, len(documents))
    if figure is not None and len(documents) > 1:
        documents_in_file = f"{file or source.scores} has {len(documents)}"
        raise InputError(f"--figure draws one document, {documents_in_file}; choose one by --document.")
    resolved_documents = []
    with progress("documents", total=len(documents)) as advance:
        for resolved_document in resolved:
            resolved_documents.append(resolved_document)
            advance(1)
    if figure is not None:
        save_figure(resolved_documents[0].figure(), figure)
    if output is not None and samples is not None:
        write_samples(resolved_documents, output, n=samples, seed=seed)
    elif output is not None:
        recipe: dict[str, Any] = {"file": file, **source.recipe()}
        recipe |= {"threshold": threshold, "decision": decision}
        recipe |= {"left_out": [broken_document.name for broken_document in left_out]} if left_out else {}
        write_posterior(resolved_documents, output, recipe)
    if text is not None:
        write_text(resolved_documents, text)
    emit(posterior_text(resolved_documents, scored=source.scores is not None), None)


@command.command("score", short_help="Score predicted entities against gold entities.")
@click.argument("gold")
@click.argument("predicted")
@click.option("--singletons/--no-singletons", default=True, show_default=True)
@repeated_option
@bad_brackets_option
@output_options
def score_command(
    gold: str, predicted: str, singletons: bool, repeated: str, left_out: LeftOut | None, form: str, output: str | None
) -> None:
    """Score predicted entities against gold entities: MUC, B³, CEAF-e, their mean, LEA, pairs.

    GOLD and PREDICTED may be CoNLL-U with Entity=, CoNLL-2012 columns (LitBank) or three columns (OntoGUM). Documents
    are matched by name, mentions by word position.

    \b
    howsure coreference score gold.conllu entities.conllu --no-singletons
    """
    from howsure_text.coreference.metrics import matched_documents, score_documents

    document_lists = [
        read_distinct_mentions([file], repeated=repeated, left_out=left_out) for file in (gold, predicted)
    ]
    if left_out:  # a name with broken brackets on either side is one document
        left_out = list({document.name: document for document in reversed(left_out)}.values())[::-1]
        broken = {document.name for document in left_out}
        document_lists = [
            [document for document in side if named_part(document) not in broken] for side in document_lists
        ]
    sides = matched_documents(*document_lists, names=(gold, predicted))
    report_left_out(left_out, len(sides[0]))
    scores = score_documents(*sides, singletons=singletons)
    named: dict[str, Any] = {"gold": gold, "predicted": predicted}
    named |= {"left_out": [broken_document.name for broken_document in left_out]} if left_out else {}
    emit_result(replace(scores, inputs=named), form, output)


@command.command("recalibrate", short_help="Recalibrate probabilities by documents with gold entities.")
@click.argument("file")
@click.option("--output", type=OutputFile(), required=True, metavar="FILE")
@click.option("--test", metavar="FILE")
@choice_option("--score", of=SCORES, help="Loss to minimise: squared errors, or minus the log-likelihood.")
@click.option(
    "--weight-of-new",
    type=float,
    default=WEIGHT_OF_NEW,
    show_default=True,
    metavar="W",
    help="Weight of P(mention is new) relative to that of the pairs.",
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
@mentions_option(None)
@parser_option
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
    **input_options: Any,
) -> None:
    """Recalibrate a model with gold entities of documents that it was not trained on.

    Three parameters sharpen its probabilities, so that pairs, counts of entities and samples change together; another
    three correct the confidence in entities. The table compares errors before and after.

    \b
    howsure coreference recalibrate dev.conllu --model model.npz --test test.conllu --output recalibrated.npz
    howsure coreference recalibrate dev.conllu --scores dev.jsonl --output recalibrated.json
    howsure coreference posterior other.conllu --scores other.jsonl --recalibration recalibrated.json
    """
    scored = input_options["scores"] is not None
    if (Path(output).suffix.lower() == ".json") is not scored:
        expected_file = "the recalibration of --scores, a .json file" if scored else "a model, a .npz file"
        raise InputError(f"--output is {expected_file}; it is {output}.")
    recalibration = judged = None
    options: dict[str, Any] = {"score": score, "weight_of_new": weight_of_new, "sharpen": sharpen}
    if scored:
        posteriors, gold = _read_scored(file, left_out, input_options)
        recalibration = judged = recalibrate_coreference(posteriors, gold, **options)
        if test is not None:
            judged = recalibration.judge(*_read_scored(test, left_out, input_options))
        recalibration.save(output)
    else:
        model = load_model(input_options["model"])
        model.mentions = input_options["mentions"] or model.mentions
        recalibrated_model = model.recalibrate(_read(file, left_out, input_options), **options)
        recalibration = judged = recalibrated_model.recalibration_
        if test is not None:
            judged = recalibrated_model.judge_recalibration(_read(test, left_out, input_options), before=model)
        recalibrated_model.save(output)
    assert recalibration is not None
    assert judged is not None
    emit(_recalibration_text(recalibration, judged, file, test, output), None)


def _read(file: str, left_out: LeftOut | None, input_options: Mapping[str, Any]) -> list[Document]:
    how = {name: input_options[name] for name in ("repeated", "parser")}
    documents = read_distinct_mentions([file], left_out=left_out, source=input_options["mentions"], **how)
    report_left_out(left_out, len(documents))
    return documents


def _read_scored(
    file: str, left_out: LeftOut | None, input_options: Mapping[str, Any]
) -> tuple[list[CorefPosterior], list[Integers]]:
    """Return posteriors computed from scores, and labels of the gold entities of a file."""
    _, resolved = ResolutionOptions(file=file, left_out=left_out, **input_options).open()
    resolved_documents = list(resolved)
    report_left_out(left_out, len(resolved_documents))
    posteriors = [resolved_document.posterior for resolved_document in resolved_documents]
    labels = [
        mention_entities(resolved_document.document, resolved_document.mentions)
        for resolved_document in resolved_documents
    ]
    return posteriors, labels


def _recalibration_text(
    recalibration: CoreferenceRecalibration, judged: CoreferenceRecalibration, file: str, test: str | None, output: str
) -> str:
    learnt = counted(recalibration.documents, "document")
    about = "the same documents" if test is None else f"{test}: {counted(judged.documents, 'document')}"
    return f"{output}: recalibrated by {file}, {learnt}\njudged on {about}\n\n{judged.table()}\n"
