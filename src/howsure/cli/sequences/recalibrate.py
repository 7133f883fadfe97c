"""`howsure sequences recalibrate`: a model at the temperatures under which gold tags are most probable."""

from __future__ import annotations

from typing import Any

import click

from howsure.cli.sequences.input import column_option, input_option, load_model, read_corpus, unknown_tags_option
from howsure.cli.terminal.commands import Command, Written
from howsure.cli.terminal.options import figure_option, level_option
from howsure.cli.terminal.output import emit, json_text
from howsure.errors import InputError


@click.command("recalibrate", cls=Command, short_help="Mend a model's probabilities by temperatures.")
@click.argument("model")
@click.argument("dev")
@click.option("--output", type=Written(), required=True, metavar="MODEL2", help="File to write the model to.")
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
@column_option()
@unknown_tags_option(
    "What to do about gold tags unknown to the model; keep: they teach no temperature, and "
    "none of the model's tags is right for them."
)
@input_option()
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
    output: str,
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
    from howsure.sequences import compare_posteriors, cross_tempered

    tagger = load_model(model)
    files = [dev] if test is None else [dev, test]
    read = [read_corpus([file], form=input_format, model=tagger) for file in files]
    words, gold = [one.words for one in read], [one.tags(column) for one in read]
    fit: dict[str, Any] = {"keep_answers": keep_answers, "likelihood": likelihood, "unknown_tags": unknown_tags}
    better = tagger.recalibrate(words[0], gold[0], **fit, level=level)
    if sum(map(bool, gold[0])) < 2:
        raise InputError(f"{dev} holds one sentence; each is compared at temperatures of others, so give several.")
    plain, unseen = tagger.untempered(words[0]), tagger.unseen(words[0])
    after = [cross_tempered(plain, gold[0], unseen=unseen, folds=folds, rng=seed, **fit)]
    after += [better.posterior(one) for one in words[1:]]
    names = (f"{dev}, each sentence at temperatures of others ({folds} parts)", f"{test}, at the temperatures of {dev}")
    how: dict[str, Any] = {"tag_pairs": tag_pairs, "unknown_tags": unknown_tags, "level": level}
    results = {
        name: compare_posteriors(tagger.posterior(one), other, tags, unseen=tagger.unseen(one), **how)
        for name, one, other, tags in zip(names, words, after, gold, strict=False)
    }
    last = list(results.values())[-1]
    if figure is not None:
        from howsure.figures.files import save_figure

        save_figure(last.figure(), figure)
    better.save(output)
    found = better.temperatures_
    assert found is not None
    if form == "json":
        recipe: dict[str, Any] = {"command": "howsure sequences recalibrate", "model": model, "dev": dev, "test": test}
        recipe |= {"column": column, "folds": folds, "seed": seed, "tag_pairs": tag_pairs, **found.recipe}
        compared = [{"on": name} | one.to_dict() for name, one in results.items()]
        said = {"recipe": recipe, "temperatures": found.to_dict(), "comparisons": compared}
        emit(json_text(said | {"outcome": last.outcome, "written_to": output}), None)
        return
    parts = [repr(found)]
    for name, one in results.items():
        parts += ["", f"{name}: {one.sizes()}", one.table().text(), *one.notes]
    emit("\n".join([*parts, "", last.verdict(), f"written to {output}", ""]), None)
