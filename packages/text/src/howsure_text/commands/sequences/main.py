"""`howsure sequences`: train taggers, tag, evaluate, and recalibrate."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import click

from howsure.errors import InputError
from howsure.inputs.numbers_and_names import counted
from howsure_cli.command_line import check_memory
from howsure_cli.terminal.commands import Group, OutputFile
from howsure_cli.terminal.options import (
    as_names,
    binning_options,
    choice_option,
    figure_option,
    level_option,
    output_options,
    raw_option,
    seed_option,
)
from howsure_cli.terminal.output import emit, emit_result, is_raw, json_text, progress, say
from howsure_text.commands.sequences.input import (
    ITEMS,
    TEXT,
    adjust_option,
    column_option,
    input_option,
    load_model,
    read_corpus,
    read_words,
    unknown_tags_option,
    warn_of_training,
)
from howsure_text.commands.sequences.spans import MAX_PATHS, spans_command
from howsure_text.sequences.potentials import ImpossibleError

SAMPLE_BYTES = 150  # minimum memory of a row of samples

OPTIONS_OF = {
    "hmm": ("pseudocount_transition", "pseudocount_emission", "unknown"),
    "crf": ("features", "trainer", "c2", "max_iterations", "rng"),
}


class Sequences(Group):
    """The group of commands, whose error messages count sentences from 1."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except ImpossibleError as error:
            raise error.counted_from_one() from None


@click.group(cls=Sequences, context_settings={"max_content_width": 110})
def command() -> None:
    """Sequences: train taggers, and get the probability of every tag."""


@command.command("train", short_help="Train a tagger on tagged sentences.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--output", type=OutputFile(), required=True, metavar="MODEL")
@click.option("--dev", metavar="FILE")
@choice_option("--tagger", of=OPTIONS_OF, default="crf", help="Kind of model.")
@column_option
@input_option()
@click.option(
    "--features",
    callback=as_names,
    metavar="NAME,…",
    help="CRF: basic (default), advanced, or names of feature families.",
)
@click.option("--trainer", type=click.Choice(["lbfgs", "adagrad"]), help="CRF: the trainer (default: lbfgs).")
@click.option("--c2", type=float, metavar="C", help="CRF: the L2 penalty (default: 0.1).")
@click.option("--max-iterations", type=click.IntRange(min=1), metavar="N", help="CRF: maximum number of iterations.")
@click.option("--seed", "rng", type=click.IntRange(min=0), metavar="N")
@click.option("--pseudocount-transition", type=float, metavar="A", help="HMM: added to every transition (default: 1).")
@click.option("--pseudocount-emission", type=float, metavar="A", help="HMM: added to every word of a tag (default: 1).")
@click.option(
    "--unknown",
    metavar="POLICY",
    help="HMM: how unseen words are treated: shape (default), uniform, pseudocount or error.",
)
def train_command(
    files: tuple[str, ...],
    output: str,
    dev: str | None,
    tagger: str,
    column: str | int,
    input_format: str | None,
    **options: Any,
) -> None:
    """Train a tagger on the tagged sentences of FILE... (CoNLL-U, or one word and tag per line; plain or gzip).

    A CRF can also learn from files in crfsuite's data format (--from crfsuite), using their attributes.

    \b
    howsure sequences train train.conllu --dev dev.conllu --features advanced --output model.npz
    howsure sequences train train.tsv --tagger hmm --pseudocount-emission 0.1 --output model.npz

    Ctrl-C ends the training of a CRF and keeps the best weights so far.
    """
    from howsure_text.commands.sequences.output import training_text
    from howsure_text.sequences.crf import MAX_ITERATIONS

    overrides = {name: value for name, value in options.items() if value is not None}
    model = _untrained(tagger, overrides, items=input_format == ITEMS)
    train = read_corpus(files, form=input_format, model=model, column=column)
    tags = train.tags(column)
    judged = None if dev is None else read_corpus([dev], form=input_format, model=model, column=column)
    judged_tags = None if judged is None else judged.tags(column)
    most = MAX_ITERATIONS[options["trainer"] or "lbfgs"] if tagger == "crf" else 1
    with (
        warnings.catch_warnings(record=True) as warned,
        progress("iterations, at most", total=options["max_iterations"] or most) as advance,
    ):
        warnings.simplefilter("always")
        model.fit(train.words, tags, **({"advance": advance} if tagger == "crf" else {}))
    model.save(output)
    for warning in warned:
        say(f"howsure: {warning.message}")
    emit(training_text(model, train, tags, output, judged, judged_tags), None)


def _untrained(tagger: str, options: dict[str, Any], *, items: bool) -> Any:
    """Return an untrained tagger with these options; items: a CRF for the attributes in crfsuite files."""
    from howsure_text.sequences.crf import CRFTagger
    from howsure_text.sequences.hmm import HMMTagger

    wrong = [name for name in options if name not in OPTIONS_OF[tagger]]
    if wrong:
        option = "--seed" if wrong[0] == "rng" else f"--{wrong[0].replace('_', '-')}"
        raise InputError(f"{option} is not an option of --tagger {tagger}.")
    if items and (tagger == "hmm" or "features" in options):
        raise InputError(f"--from {ITEMS} is a file of attributes, for --tagger crf without --features.")
    if options.get("trainer") == "adagrad":
        options = {"rng": 0} | options
    if items:
        return CRFTagger(**options, features=None)
    names = options.get("features")
    if names in (["basic"], ["advanced"]):
        options["features"] = names[0]
    elif names is not None:
        options["features"] = tuple(names)
    return HMMTagger(**options) if tagger == "hmm" else CRFTagger(**options)


@command.command("tag", short_help="Tag sentences, with the probability of every tag.")
@click.argument("model")
@click.argument("file")
@click.option("--output", type=OutputFile(), metavar="FILE")
@choice_option(
    "--method", of=["viterbi", "posterior"], help="The most probable sequence, or the most probable tag of each word."
)
@click.option("--k-best", type=click.IntRange(1, MAX_PATHS), metavar="K")
@click.option("--top", type=click.IntRange(min=1), metavar="N")
@column_option
@input_option(TEXT)
def tag_command(
    model: str,
    file: str,
    output: str | None,
    method: str,
    k_best: int | None,
    top: int | None,
    column: str | int,
    input_format: str | None,
) -> None:
    """Tag the sentences of FILE with MODEL; the result is CoNLL-U with the probability of each tag as P in MISC.

    FILE is text (one sentence per line, with words and punctuation marks separated by spaces as in the training
    sentences), CoNLL-U, in which only the tags change, or two columns; - is standard input.
    MODEL is a file of howsure or of crfsuite; a crfsuite model needs crfsuite's own data format.

    \b
    echo "How sure is it ?" | howsure sequences tag model.npz -
    howsure sequences tag model.npz test.conllu --k-best 3 --output tagged.conllu
    """
    from howsure_text.commands.sequences.output import k_best_text, tagged_text, without_mentions_text

    if k_best is not None and method != "viterbi":
        raise InputError("--k-best gives the most probable sequences; it cannot be combined with --method posterior.")
    tagger = load_model(model)
    corpus = read_words(file, form=input_format, model=tagger, column=column)
    posterior = tagger.posterior(corpus.words)
    if corpus.without_mentions:
        say(without_mentions_text(corpus))
    if k_best is None:
        emit(tagged_text(corpus, posterior, column=column, method=method, top=top), output)
    else:
        emit(k_best_text(corpus, posterior, column=column, k=k_best, top=top), output)


@command.command("posterior", short_help="Write every probability with its label, for `howsure calibration`.")
@click.argument("model")
@click.argument("file")
@click.option("--output", type=OutputFile(), required=True, metavar="FILE")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Use only this tag. Repeatable.")
@click.option("--tag-pairs", type=click.IntRange(min=1), metavar="N")
@click.option("--samples", type=click.IntRange(min=1), metavar="N", help="Write N tag sequences drawn from the model.")
@click.option("--seed", type=click.IntRange(min=0), metavar="N", help="Of --samples. Default: 0.")
@raw_option
@column_option
@unknown_tags_option
@input_option(TEXT)
def posterior_command(
    model: str,
    file: str,
    output: str,
    tags: tuple[str, ...],
    tag_pairs: int | None,
    samples: int | None,
    seed: int | None,
    column: str | int,
    unknown_tags: str,
    input_format: str | None,
) -> None:
    """Write MODEL's probability of every tag of every token of FILE, with its label, for `howsure calibration`.

    The columns are label, probability, tag, sentence and token; sentences and tokens are counted from 1. With
    --samples, FILE needs no tags, and the columns are sample, sentence, token, word and tag.

    \b
    howsure sequences posterior model.npz test.conllu --output pairs.parquet
    howsure calibration pairs.parquet --target label --prob probability --group tag --cluster sentence
    howsure sequences posterior model.npz texts.txt --samples 100 --output samples.parquet
    """
    from howsure.data.predictions.write_pairs import check_suffix, write_columns, write_pairs
    from howsure_text.commands.sequences.output import pairs_text, posterior_pairs, sample_columns

    check_suffix(output)
    if sum((bool(tags), tag_pairs is not None, samples is not None)) > 1:
        raise InputError("--tag, --tag-pairs and --samples cannot be combined; give one of them.")
    if seed is not None and samples is None:
        raise InputError("--seed is only for --samples; give --samples, or leave --seed out.")
    tagger = load_model(model)
    if samples is not None:
        corpus = read_words(file, form=input_format, model=tagger, column=column)
        check_memory(samples * sum(map(len, corpus.words)) * SAMPLE_BYTES, name="--samples", value=samples)
        columns = sample_columns(corpus, tagger.posterior(corpus.words).sample(samples, rng=seed or 0), tagger.labels_)
        write_columns(columns, output, raw=is_raw())
        emit(
            f"{output}: {counted(samples, 'sample')} of {counted(len(corpus.words), 'sentence')} of {corpus.name}\n",
            None,
        )
        return
    corpus = read_corpus([file], form=input_format, model=tagger, column=column)
    gold = corpus.tags(column)
    posterior = tagger.posterior(corpus.words)
    pairs, tokens = posterior_pairs(posterior, gold, tags=tags, n_transitions=tag_pairs, unknown_tags=unknown_tags)
    write_pairs(pairs, output, group="tag", cluster="sentence", more={"token": tokens}, raw=is_raw())
    emit(pairs_text(pairs, corpus.name, output), None)


@command.command("evaluate", short_help="Evaluate a model: accuracy, calibration overall and per tag, scores.")
@click.argument("model")
@click.argument("file")
@column_option
@unknown_tags_option
@input_option()
@binning_options
@adjust_option
@output_options
def evaluate_command(
    model: str,
    file: str,
    column: str | int,
    unknown_tags: str,
    input_format: str | None,
    adjust: str | None,
    form: str,
    output: str | None,
    **binning: Any,
) -> None:
    """Evaluate MODEL on the tagged sentences of FILE: accuracy, calibration overall and per tag, scores.

    \b
    howsure sequences evaluate model.npz test.conllu
    howsure sequences evaluate model.npz test.conllu --bin-size 5000 --format json
    """
    from howsure_text.sequences import evaluate_tags

    tagger = load_model(model)
    corpus = read_corpus([file], form=input_format, model=tagger, column=column)
    gold, posterior = corpus.tags(column), tagger.posterior(corpus.words)
    evaluation = evaluate_tags(posterior, gold, unknown_tags=unknown_tags, adjust=adjust, **binning)
    recipe: dict[str, Any] = {"command": "howsure sequences evaluate", "model": model, "files": [file]}
    recipe |= {"column": column, **warn_of_training(tagger, corpus, file)}
    emit_result(replace(evaluation, recipe=recipe | evaluation.recipe), form, output)


command.add_command(spans_command)


@command.command("recalibrate", short_help="Recalibrate probabilities by temperatures.")
@click.argument("model")
@click.argument("dev")
@click.option("--output", type=OutputFile(), required=True, metavar="MODEL2")
@click.option("--test", metavar="FILE")
@click.option(
    "--keep-answers",
    is_flag=True,
    help="Use one temperature for everything, so that the most probable sequences do not change.",
)
@choice_option(
    "--likelihood",
    of=["marginal", "joint"],
    help="Make each gold tag most probable, or each sentence's gold tags together.",
)
@click.option("--tag-pairs", type=click.IntRange(min=1), default=20, show_default=True, metavar="N")
@click.option("--folds", type=click.IntRange(min=2), default=5, show_default=True, metavar="N")
@seed_option(metavar="N")
@column_option
@unknown_tags_option
@input_option()
@level_option
@choice_option("--format", "form", of=["table", "json"])
@figure_option()
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
    column: str | int,
    unknown_tags: str,
    input_format: str | None,
    level: float,
    form: str,
    figure: str | None,
) -> None:
    """Recalibrate MODEL by temperatures, fitted to the gold tags of DEV, and write it as another model.

    The potentials of single tags and of transitions are divided by a temperature each; an HMM has a third temperature,
    for words that do not occur in training. Single tags, pairs, entities, samples and best sequences change together.
    DEV must not contain training sentences. The results before and after are compared on DEV, each sentence at
    temperatures fitted to other sentences, and on --test.

    \b
    howsure sequences recalibrate model.npz dev.conllu --output better.npz
    howsure sequences recalibrate model.npz dev.conllu --test test.conllu --figure better.png --output better.npz
    """
    from howsure_text.sequences import compare_posteriors, cross_tempered

    tagger = load_model(model)
    files = [dev] if test is None else [dev, test]
    corpora = [read_corpus([file], form=input_format, model=tagger, column=column) for file in files]
    words, gold = [corpus.words for corpus in corpora], [corpus.tags(column) for corpus in corpora]
    fit: dict[str, Any] = {"keep_answers": keep_answers, "likelihood": likelihood, "unknown_tags": unknown_tags}
    better = tagger.recalibrate(words[0], gold[0], **fit, level=level)
    for file, corpus in zip(files, corpora, strict=True):
        warn_of_training(tagger, corpus, file)
    if sum(map(bool, gold[0])) < 2:
        raise InputError(
            f"{dev} has one sentence; each sentence is compared at temperatures learned from others, so give several."
        )
    plain, unseen = tagger.untempered(words[0]), tagger.unseen(words[0])
    after = [cross_tempered(plain, gold[0], unseen=unseen, folds=folds, rng=seed, **fit)]
    after += [better.posterior(sentences) for sentences in words[1:]]
    names = (f"{dev}, each sentence at temperatures of others ({folds} parts)", f"{test}, at the temperatures of {dev}")
    how: dict[str, Any] = {"tag_pairs": tag_pairs, "unknown_tags": unknown_tags, "level": level}
    results = {
        name: compare_posteriors(tagger.posterior(sentences), other, tags, unseen=tagger.unseen(sentences), **how)
        for name, sentences, other, tags in zip(names, words, after, gold, strict=False)
    }
    last = list(results.values())[-1]
    if figure is not None:
        from howsure.figures.files import save_figure

        save_figure(last.figure(), figure)
    better.save(output)
    temperatures = better.temperatures_
    assert temperatures is not None
    if form == "json":
        recipe: dict[str, Any] = {"command": "howsure sequences recalibrate", "model": model, "dev": dev, "test": test}
        recipe |= {"column": column, "folds": folds, "seed": seed, "tag_pairs": tag_pairs, **temperatures.recipe}
        compared = [{"on": name} | comparison.to_dict() for name, comparison in results.items()]
        json_fields = {"recipe": recipe, "temperatures": temperatures.to_dict(), "comparisons": compared}
        emit(json_text(json_fields | {"outcome": last.outcome, "written_to": output}), None)
        return
    parts = [repr(temperatures)]
    for name, comparison in results.items():
        parts += ["", f"{name}: {comparison.sizes()}", comparison.table().text(), *comparison.notes]
    emit("\n".join([*parts, "", last.verdict(), f"written to {output}", ""]), None)
