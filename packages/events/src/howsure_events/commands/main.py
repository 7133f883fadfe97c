"""`howsure events`: from dated documents to a store of who did what, and how sure that is."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import click

from howsure_cli.terminal.commands import Group
from howsure_cli.terminal.derived import finish
from howsure_cli.terminal.options import CLUSTERINGS, choice_option, in_order, output_options, seed_option
from howsure_cli.terminal.output import emit, json_text, progress
from howsure_events.commands.options import (
    coreference_options,
    date_options,
    days_options,
    store_option,
    workers_option,
)

ELSEWHERE = {  # name -> (file with `NAME_command`, its line in `howsure events --help`)
    "merge": ("stores", "Merge the parts of an input that extract --part made."),
    "import": ("import_scores", "Make a store of the events that another model found."),
    "recount": ("stores", "Count the events of a store under another rule, without parsing again."),
    "series": ("queries", "Show how often actors act in each period, with intervals: as a table, a file or a figure."),
    "compare": ("queries", "Print the probability that one actor acts more often than another."),
    "doubtful": ("queries", "Print the most uncertain documents, with the links they depend on."),
    "regress": ("queries", "Regress whether actors act on covariates, with the labels of documents."),
    "explore": ("page", "Open the page: series, documents, evidence."),
    "report": ("page", "Write the page as one self-contained HTML file."),
    "label": ("labels", "Draw documents, and read them in a page: what the rule misses can be counted then."),
    "labels": ("labels", "Labels of documents: sheets, import, export, and how far coders agree."),
    "parser": ("parser", "List the installed parsers, and how to get one, also without a network."),
    "check": ("stores", "Check whether a store is intact, and report any damage."),
}
STEMMING, LABELS = ("suffixes", "paper", "none"), ("ud", "ud-2014", "clear")
DRAWING = ("figure", "plot", "draw", "chart")
FIRST, LAST = "extract", ("dependencies", "parses")


class Events(Group):
    """The group of commands, in the order in which they are used; commands of other files are imported when run."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [FIRST, *ELSEWHERE, *LAST]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in DRAWING:
            raise click.UsageError(
                f"No such command {cmd_name!r}. To draw the series: howsure events series STORE --figure FILE.pdf", ctx
            )
        if cmd_name not in ELSEWHERE:
            return super().get_command(ctx, cmd_name)
        subcommand = getattr(
            importlib.import_module(f"howsure_events.commands.{ELSEWHERE[cmd_name][0]}"), f"{cmd_name}_command"
        )
        assert isinstance(subcommand, click.Command)
        return subcommand

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        help_by_command = {name: command.get_short_help_str(90) for name, command in self.commands.items()}
        texts = {**help_by_command, **{name: text for name, (_, text) in ELSEWHERE.items()}}
        with formatter.section("Commands"):
            formatter.write_dl([(name, texts[name]) for name in self.list_commands(ctx)])


@click.group(cls=Events, context_settings={"max_content_width": 110})
def command() -> None:
    """Who does what, how often, and how certain that is."""


def corpus_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options on the input, on parsing, and on the search for events."""
    options = (
        click.argument("files", nargs=-1, required=True, metavar="FILE..."),
        click.option("--text", metavar="COL"),
        click.option("--date", metavar="COL"),
        click.option("--id", metavar="COL"),
        click.option("--title", metavar="COL"),
        click.option("--category", metavar="COL", help="Column of the category, or key of metadata."),
        click.option("--story", metavar="COL"),
        date_options,
        click.option("--from", "input_format", metavar="FORMAT"),
        click.option("--parser", metavar="NAME|PATH"),
        click.option(
            "--labels",
            type=click.Choice(LABELS),
            default=None,
            help="Label scheme of a built-in rule (default: the pipeline's; ud for CoNLL-U).",
        ),
        click.option("--rule", metavar="NAME|FILE", default="attack", show_default=True),
        click.option("--lexicon", metavar="FILE", help="Names of actors, CODE<TAB>NAME or .csv (default: countries)."),
        choice_option("--stemming", of=STEMMING, help="Endings to strip before lookup in your own lexicon."),
        click.option("--model", metavar="FILE"),
        click.option("--keep", metavar="REGEX", help="Keep documents whose category matches."),
        click.option("--drop", metavar="REGEX", help="Leave out documents whose category matches."),
        days_options,
        click.option("--require-actor", is_flag=True, help="Leave out documents that name no actor."),
    )
    return in_order(options)(function)


@command.command(FIRST)
@corpus_options
@click.option("--samples", type=CLUSTERINGS, default=100, show_default=True)
@seed_option()
@store_option
@workers_option
@click.option(
    "--part",
    metavar="K/N",
    help="Only the K-th of N parts of the documents, such as 3/64, for as many "
    "machines; howsure events merge puts them together.",
)
@coreference_options
def extract_command(store: str, samples: int, seed: int, workers: int | None, part: str | None, **options: Any) -> None:
    """Find events in the documents of FILE..., and write them to a store.

    FILE... are JSON lines, CSV, Parquet (plain, .gz or .zst), or CoNLL-U.

    \b
    howsure events extract news.csv --text body --date published --parser en_core_web_sm --store news.duckdb
    howsure events extract parsed.conllu.gz --rule my_rule.yaml --store news.duckdb
    howsure events extract parsed.conllu --coreference scores.jsonl --store news.duckdb

    If interrupted, by Ctrl-C or a power cut, rerun the same command to resume.
    """
    from howsure_events.commands.setup import interrupted, set_up, summary
    from howsure_events.corpus import Part
    from howsure_events.extraction.extract_events import extract_events, usable_processors

    corpus_part = Part.parse(part)
    corpus, work = set_up(options, samples=samples, seed=seed)
    total = corpus_part.size(corpus.total)
    n = usable_processors(total) if workers is None else workers
    with progress("documents", total=total, rate=True) as advance:
        report = extract_events(corpus, store, work=work, workers=n, part=part, advance=advance)
    if report.interrupted:
        click.echo(interrupted(store, report), err=True)
        raise click.exceptions.Abort
    emit(summary(store, report), None)


@command.command("dependencies")
@corpus_options
@click.option("--limit", type=click.IntRange(min=1), default=2000, show_default=True)
@click.option("--top", type=click.IntRange(min=1), default=20, show_default=True)
@choice_option("--format", "form", of=["table", "json"])
def dependencies_command(limit: int, top: int, form: str, **options: Any) -> None:
    """List how often dependency relations occur in and around mentions of actors, for writing rules.

    First relations from the head of a mention to an actor's name, then what governs the mentions of its entity.
    """
    from howsure_events.commands.setup import dependencies_text, set_up
    from howsure_events.extraction.dependencies import survey_dependencies

    corpus, work = set_up(options)
    with progress("documents", total=min(limit, corpus.total), rate=True) as advance:
        counts = survey_dependencies(corpus, work=work, limit=limit, advance=advance)
    emit(json_text(counts.to_dict()) if form == "json" else dependencies_text(counts, top=top), None)


@command.command("parses")
@corpus_options
@click.option("--tag-model", metavar="MODEL", help="CRF or HMM to sample tags from (default: the parser).")
@click.option("--samples", type=click.IntRange(min=3), default=20, show_default=True)
@click.option("--limit", type=click.IntRange(min=1), default=2000, show_default=True)
@seed_option()
@output_options
def parses_command(
    tag_model: str | None, samples: int, limit: int, seed: int, form: str, output: str | None, **options: Any
) -> None:
    """Sample tags and parses, and report their share of the variance of the number of documents with an event.

    FILE... are texts, as for `extract`, which uses one parse per document; --samples is the number of parses.

    \b
    howsure events parses news.csv --text body --date published --parser en_core_web_sm
    """
    from howsure_events.commands.setup import set_up
    from howsure_events.extraction.uncertain_parses import documents_with_event_words, parse_variance
    from howsure_text.sequences import load_tagger

    tagger = None if tag_model is None else load_tagger(tag_model)
    corpus, work = set_up(options)
    with progress("documents", total=min(limit, corpus.total), rate=True) as advance:
        documents = list(documents_with_event_words(corpus, work=work, limit=limit, advance=advance))
    with progress("parses", total=len(documents) * samples, rate=True) as advance:
        result = parse_variance(
            documents,
            parser=str(work.parser),
            tagger=tagger,
            model=work.model,
            lexicon=work.lexicon,
            rule=work.rule,
            samples=samples,
            rng=seed,
            advance=advance,
        )
    finish(result, name="events parses", form=form, output=output)
