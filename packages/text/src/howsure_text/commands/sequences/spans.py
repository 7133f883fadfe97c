"""`howsure sequences spans`: the probability of every entity that a token classifier finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from howsure.errors import InputError
from howsure.show.table import Table, all_digits, number
from howsure_cli.terminal.commands import Command, OutputFile
from howsure_cli.terminal.options import binning_options, output_options
from howsure_cli.terminal.output import emit, emit_result, is_raw, json_text, say, table_text
from howsure_text.commands.sequences.input import INPUT_FORMS, adjust_option, column_option, unknown_tags_option

if TYPE_CHECKING:
    from howsure_text.commands.sequences.input import Labelled
    from howsure_text.sequences.entities import EntitySpans

GRAMMARS = ("bio", "iob1", "bioes")
MAX_PATHS = 1_000  # maximum number of best sequences of a sentence


@click.command("spans", cls=Command, short_help="Get the probability of every entity, and evaluate it by type.")
@click.argument("model", metavar="LOGITS|MODEL")
@click.argument("file", required=False)
@click.option(
    "--targets", metavar="FILE.npy", help="File of the indices of the right labels, for logits in an .npy file."
)
@click.option("--labels", metavar="NAME,…|config.json", help="Names of the labels, in the order of the logits.")
@click.option("--grammar", type=click.Choice(GRAMMARS, case_sensitive=False), help="Allow only legal sequences.")
@click.option("--k-best", type=click.IntRange(1, MAX_PATHS), default=1, show_default=True, metavar="K")
@click.option("--min-probability", type=click.FloatRange(0, 1), metavar="P", help="And all at least as probable.")
@click.option(
    "--pairs",
    "pairs_file",
    type=OutputFile(),
    metavar="FILE",
    help="Also write the pairs for `howsure calibration`: .parquet or .csv.",
)
@unknown_tags_option
@column_option
@click.option("--from", "input_format", type=click.Choice(INPUT_FORMS), metavar="FORMAT")
@binning_options
@adjust_option
@output_options
def spans_command(
    model: str,
    file: str | None,
    targets: str | None,
    labels: str | None,
    grammar: str | None,
    k_best: int,
    min_probability: float | None,
    pairs_file: str | None,
    unknown_tags: str,
    column: str | int,
    input_format: str | None,
    adjust: str | None,
    form: str,
    output: str | None,
    **binning: Any,
) -> None:
    """Get the probability that exactly these tokens are an entity of this type, and evaluate it by type.

    LOGITS is an .npz file with the arrays logits (or predictions) and label_ids, as `Trainer.predict` of transformers
    returns them; optional arrays are label_names, mask or word_ids, and a CRF's transitions, start, end. Rows with the
    label -100 are ignored. Alternatively, MODEL is a tagger trained on labels such as B-PER, and FILE contains
    sentences.

    \b
    howsure sequences spans predictions.npz --labels config.json --grammar bio
    howsure sequences spans crf.npz test.conllu --min-probability 0.01 --pairs entities.csv

    Without gold labels, the entities are listed.
    """
    from howsure.data.predictions.write_pairs import check_suffix
    from howsure_text.commands.sequences.input import from_logits, from_sentences
    from howsure_text.sequences import entity_spans, evaluate_entities

    for name, value in (("targets", targets), ("labels", labels)):
        if file is not None and value is not None:
            raise InputError(f"--{name} is for logits; a MODEL with a FILE has its own labels.")
    if pairs_file is not None:
        check_suffix(pairs_file)
    labelled = (
        from_logits(model, targets=targets, labels=labels)
        if file is None
        else from_sentences(model, file, column=column, form=input_format)
    )
    spans = entity_spans(
        labelled.posterior,
        labelled.gold,
        grammar=grammar,
        k_best=k_best,
        min_probability=min_probability,
        unknown_tags=unknown_tags,
    )
    recipe: dict[str, Any] = {"command": "howsure sequences spans", "model": model}
    label_settings = {"targets": targets, "labels": labels, "grammar": grammar}
    if spans.gold is None:
        if pairs_file is not None:
            raise InputError(
                f"--pairs needs gold labels, which {file or model} does not have; --output lists the entities."
            )
        emit(_entities_output(labelled, spans, recipe | label_settings, form), output)
        return
    result = evaluate_entities(spans, adjust=adjust, **binning)
    if pairs_file is not None:
        _write_pairs(spans, pairs_file)
    recipe |= {"files": [file] if file else [], "adjust": adjust, **label_settings}
    emit_result(replace(result, recipe=recipe | result.recipe), form, output)


def _write_pairs(spans: EntitySpans, path: str) -> None:
    """Write calibration pairs of entities with their sentences and tokens, counted from 1."""
    from howsure.data.predictions.write_pairs import write_pairs

    pairs = spans.pairs()
    assert pairs.clusters is not None
    tokens = {"first": spans.start[spans.chosen] + 1, "last": spans.stop[spans.chosen]}
    pairs = replace(pairs, clusters=pairs.clusters + 1)
    write_pairs(pairs, path, group="type", cluster="sentence", more=tokens, raw=is_raw())
    options = "--target label --prob probability --group type --cluster sentence"
    say(f"{path}: {len(pairs):,} entities; howsure calibration {path} {options}")


def _entities_output(labelled: Labelled, spans: EntitySpans, recipe: Mapping[str, Any], form: str) -> str:
    """Return the entities in a format, one per line; sentences and words are counted from 1."""
    records = []
    for row in range(len(spans)):
        sentence, start, stop = int(spans.sentence[row]), int(spans.start[row]), int(spans.stop[row])
        record: dict[str, Any] = {
            "sentence": sentence + 1,
            "first": start + 1,
            "last": stop,
            "type": spans.types[row],
            "probability": float(spans.probability[row]),
            "predicted": bool(spans.predicted[row]),
        }
        if labelled.words is not None:
            record["text"] = " ".join(labelled.words[sentence][start:stop])
        records.append(record)
    if form == "json":
        return json_text({"recipe": {**spans.recipe, **recipe}, "entities": records})
    names = ["sentence", "first", "last", "type", "probability", "predicted"]
    names += [] if labelled.words is None else ["text"]
    rows = [[_cell(record[name], exact=form == "csv") for name in names] for record in records]
    return table_text(Table(names, rows, words=("type", "predicted", "text")), form)


def _cell(value: bool | int | float | str, *, exact: bool) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return (all_digits if exact else number)(value) if isinstance(value, float) else str(value)
