"""`howsure sequences spans`: the probability of every entity that a token classifier finds."""

from __future__ import annotations

from typing import Any

import click

from howsure.cli.sequences.input import INPUT_FORMS, LAYERS
from howsure.cli.terminal.commands import Command, Written
from howsure.cli.terminal.options import binning_options, output_options
from howsure.cli.terminal.output import emit, is_raw, say
from howsure.errors import InputError

GRAMMARS = ("bio", "iob1", "bioes")
MOST_PATHS = 1_000  # of a sentence
OF_LOGITS = ("targets", "labels")


@click.command("spans", cls=Command, short_help="Get the probability of every entity, and evaluate it by type.")
@click.argument("model", metavar="LOGITS|MODEL")
@click.argument("file", required=False)
@click.option("--targets", metavar="FILE.npy", help="Logits in an .npy file: the numbers of the right labels.")
@click.option("--labels", metavar="NAME,…|config.json", help="Names of the labels, in the order of the logits.")
@click.option("--grammar", type=click.Choice(GRAMMARS, case_sensitive=False), help="Allow only legal sequences.")
@click.option(
    "--k-best",
    type=click.IntRange(1, MOST_PATHS),
    default=1,
    show_default=True,
    metavar="K",
    help="Take the entities of the K most probable sequences of each sentence.",
)
@click.option("--min-probability", type=click.FloatRange(0, 1), metavar="P", help="And all at least as probable.")
@click.option(
    "--pairs",
    "pairs_file",
    type=Written(),
    metavar="FILE",
    help="Write the entities for `howsure calibration`: .parquet or .csv.",
)
@click.option(
    "--unknown-tags",
    type=click.Choice(["error", "keep"]),
    default="error",
    show_default=True,
    help="Gold entities of a type unknown to the model; keep: they count as missed.",
)
@click.option(
    "--column",
    type=click.Choice(list(LAYERS)),
    default="xpos",
    show_default=True,
    help="MODEL: which CoNLL-U tags to use.",
)
@click.option(
    "--from", "input_format", type=click.Choice(INPUT_FORMS), metavar="FORMAT", help="MODEL: the format of FILE."
)
@binning_options
@click.option(
    "--adjust",
    type=click.Choice(["holm", "bh", "none"]),
    default="holm",
    show_default=True,
    help="Adjustment of the p-values for the number of types.",
)
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
    column: str,
    input_format: str | None,
    adjust: str,
    form: str,
    output: str | None,
    **binning: Any,
) -> None:
    """Get the probability that exactly these tokens are an entity of this type, and evaluate it by type.

    LOGITS is an .npz file with the arrays logits (or predictions) and label_ids, as `Trainer.predict` of transformers
    hands them back; optional are label_names, mask or word_ids, and a CRF's transitions, start, end. Rows with the
    label -100 do not count. Or: MODEL, a tagger trained on labels such as B-PER, and FILE, sentences.

    \b
    howsure sequences spans predictions.npz --labels config.json --grammar bio
    howsure sequences spans crf.npz test.conllu --min-probability 0.01 --pairs entities.csv

    Without gold labels, the entities are listed.
    """
    from howsure.cli.sequences.span_evaluation import (
        entities_output,
        evaluate_spans,
        from_logits,
        from_sentences,
        spans_output,
    )
    from howsure.data.predictions.write_pairs import check_suffix, write_pairs
    from howsure.sequences.entities import entity_spans

    given = {"targets": targets, "labels": labels, "grammar": grammar}
    wrong = [name for name in OF_LOGITS if file is not None and given[name] is not None]
    if wrong:
        raise InputError(f"--{wrong[0]} is for logits; a MODEL with a FILE knows its labels.")
    if pairs_file is not None:
        check_suffix(pairs_file)
    if file is None:
        labelled = from_logits(model, targets=targets, labels=labels, grammar=grammar)
    else:
        labelled = from_sentences(model, file, column=column, form=input_format, grammar=grammar)
    asked: dict[str, Any] = {"k_best": k_best, "min_probability": min_probability, "unknown_tags": unknown_tags}
    found = entity_spans(labelled.posterior, labelled.gold, **asked)
    if found.gold is None:
        if pairs_file is not None:
            raise InputError(
                f"--pairs needs gold labels, which {file or model} does not hold; --output lists the entities."
            )
        emit(
            entities_output(labelled, found, {"command": "howsure sequences spans", "model": model} | given, form),
            output,
        )
        return
    result = evaluate_spans(labelled, found, **{"n_bins" if key == "bins" else key: v for key, v in binning.items()})
    if pairs_file is not None:
        more = {"first": found.start[found.chosen] + 1, "last": found.stop[found.chosen]}
        pairs = found.pairs()
        assert pairs.clusters is not None
        write_pairs(_from_one(pairs), pairs_file, group="type", cluster="sentence", more=more, raw=is_raw())
        options = "--target label --prob probability --group type --cluster sentence"
        say(f"{pairs_file}: {len(pairs):,} entities; howsure calibration {pairs_file} {options}")
    recipe = {"command": "howsure sequences spans", "model": model, "files": [file] if file else [], "adjust": adjust}
    emit(spans_output(result, recipe | given, form), output)


def _from_one(pairs: Any) -> Any:
    """The pairs with sentences counted from 1, as the tokens are."""
    from dataclasses import replace

    return replace(pairs, clusters=pairs.clusters + 1)
