"""`howsure sequences recalibrate`: a model at the temperatures under which gold tags are most probable."""

from __future__ import annotations

from typing import Any

import click

from howsure.cli.sequences.input import INPUT_FORMS, LAYERS, load_model, read_corpus
from howsure.cli.terminal.commands import Command, Written
from howsure.cli.terminal.options import figure_option, level_option
from howsure.cli.terminal.output import emit
from howsure.errors import InputError


@click.command("recalibrate", cls=Command, short_help="Mend a model's probabilities by temperatures.")
@click.argument("model")
@click.argument("dev")
@click.option("--output", "out", type=Written(), required=True, metavar="MODEL2", help="File to write the model to.")
@click.option("--test", metavar="FILE", help="Tagged sentences on which to compare both models.")
@click.option(
    "--keep-answers",
    is_flag=True,
    help="One temperature for everything, so that the most probable sequences stay as they are.",
)
@click.option(
    "--likelihood",
    type=click.Choice(["marginal", "joint"]),
    default="marginal",
    show_default=True,
    help="Make each gold tag most probable, or each sentence's gold tags together.",
)
@click.option(
    "--tag-pairs",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    metavar="N",
    help="Compare the N most frequent pairs of consecutive tags.",
)
@click.option(
    "--folds",
    type=click.IntRange(min=2),
    default=5,
    show_default=True,
    metavar="N",
    help="Parts of DEV, each compared at temperatures of the others.",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, metavar="N", help="Seed of the parts."
)
@click.option(
    "--column",
    type=click.Choice(list(LAYERS)),
    default="xpos",
    show_default=True,
    help="Which CoNLL-U tags to use; two-column files count as xpos.",
)
@click.option(
    "--unknown-tags",
    type=click.Choice(["error", "keep"]),
    default="error",
    show_default=True,
    help="What to do about gold tags unknown to the model; keep: they teach no temperature, and "
    "none of the model's tags is right for them.",
)
@click.option(
    "--from",
    "input_format",
    type=click.Choice(INPUT_FORMS),
    metavar="FORMAT",
    help=f"{', '.join(INPUT_FORMS)}; default: by the first lines.",
)
@level_option
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="Format of what is printed.",
)
@figure_option("Draw the curves before and after")
def recalibrate_command(
    model: str,
    dev: str,
    out: str,
    test: str | None,
    keep_answers: bool,
    likelihood: str,
    tag_pairs: int,
    folds: int,
    seed: int,
    column: str,
    unknown_tags: str,
    input_format: str | None,
    level: float,
    form: str,
    figure: str | None,
) -> None:
    """Mend the probabilities of MODEL by temperatures, fitted to the gold tags of DEV, and write it as another model.

    The potentials of single tags and of transitions are divided by a temperature each; an HMM has a third one, for
    words that it did not see in training. Single tags, pairs, entities, samples and best sequences change together.
    DEV must hold no sentence of the training. Before and after are compared on DEV, each sentence at temperatures
    fitted to the others, and on --test.

    \b
    howsure sequences recalibrate model.npz dev.conllu --output better.npz
    howsure sequences recalibrate model.npz dev.conllu --test test.conllu --figure better.png --output better.npz
    """
    from howsure.cli.sequences.taggers import compare, recalibration_json, recalibration_text
    from howsure.sequences.tempering import cross_tempered

    tagger = load_model(model)
    corpus = read_corpus([dev], form=input_format, model=tagger)
    held_out = None if test is None else read_corpus([test], form=input_format, model=tagger)
    gold, gold_test = (None if one is None else one.tags(column) for one in (corpus, held_out))
    assert gold is not None
    fit: dict[str, Any] = {"keep_answers": keep_answers, "likelihood": likelihood, "unknown_tags": unknown_tags}
    better = tagger.recalibrate(corpus.words, gold, **fit, level=level)
    found = better.temperatures_
    assert found is not None
    how: dict[str, Any] = {"tag_pairs": tag_pairs, "unknown_tags": unknown_tags, "level": level}
    if sum(map(bool, gold)) < 2:
        raise InputError(f"{dev} holds one sentence; each is compared at temperatures of others, so give several.")
    crossed = cross_tempered(
        tagger.untempered(corpus.words), gold, unseen=tagger.unseen(corpus.words), folds=folds, rng=seed, **fit
    )
    posteriors = tagger.posterior(corpus.words), crossed
    how["unseen"] = tagger.unseen(corpus.words)
    results = {f"{dev}, each sentence at temperatures of others ({folds} parts)": compare(posteriors, gold, **how)}
    if held_out is not None and gold_test is not None:
        posteriors = tagger.posterior(held_out.words), better.posterior(held_out.words)
        how["unseen"] = tagger.unseen(held_out.words)
        results[f"{test}, at the temperatures of {dev}"] = compare(posteriors, gold_test, **how)
    if figure is not None:
        from howsure.figures.compared_curves import before_after_figure
        from howsure.figures.files import save_figure

        save_figure(before_after_figure(list(results.values())[-1].curves), figure)
    better.save(out)
    recipe: dict[str, Any] = {"command": "howsure sequences recalibrate", "model": model, "dev": dev, "test": test}
    recipe |= {"column": column, "folds": folds, "seed": seed, "tag_pairs": tag_pairs, **found.recipe}
    shown = recalibration_json if form == "json" else recalibration_text
    emit(shown(found, results, recipe, out), None)
