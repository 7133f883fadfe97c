"""`howsure reproduce`: a table or figure of the papers, run again."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import click

from howsure.cli.terminal.commands import Group
from howsure.cli.terminal.options import PROCESSES
from howsure.cli.terminal.progress import progress
from howsure_papers.command.output import Output, output_options

SOURCES = "2015: Nguyen & O'Connor; thesis: Nguyen's; Fornaciari: Fornaciari et al. 2022."
TEXT = f"Reproduce a table or figure of the papers, alongside the papers' statements.\n\n{SOURCES}"


@click.group("reproduce", cls=Group, help=TEXT)
def command() -> None:
    """Its commands are below."""


def as_list(context: click.Context, parameter: click.Parameter, value: str | None) -> list[str] | None:
    """Names with commas between them, each once."""
    return None if value is None else list(dict.fromkeys(name.strip() for name in value.split(",")))


Option = Callable[[Callable[..., None]], Callable[..., None]]


def only_option(names: str) -> Option:
    """--only, of the parts of an experiment."""
    said = f"Of {names} (default: all)."
    return click.option("--only", callback=as_list, metavar="NAME[,NAME]…", help=said)


AT_LEAST_ONE = click.IntRange(min=1)
DATA = click.option("--data", metavar="FOLDER", help="Folder of data sets (default: HOWSURE_DATA).")
SEED = click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Random seed.")
LIMIT = click.option(
    "--limit", type=AT_LEAST_ONE, help="Read only the first texts or sentences of each part: a quick look."
)
RUNS = click.option("--runs", type=AT_LEAST_ONE, default=20, show_default=True, help="Number of samples per setting.")
OF_LITBANK = click.option(
    "--parser",
    metavar="PIPELINE",
    help="spaCy pipeline for LitBank (default: models/en_ud_small next to the data folder).",
)
PARSER = click.option(
    "--parser", metavar="NAME|PATH", help="spaCy pipeline (default: models/en_ud_small next to the data folder)."
)
WORKERS = click.option(
    "--workers", type=PROCESSES, metavar="N", help="Number of processes (default: one per processor)."
)
SAMPLES = click.option(
    "--samples",
    type=click.IntRange(min=2),
    default=50,
    show_default=True,
    help="Samples of labels in each decisive setting; others get fewer.",
)
STORES = click.option(
    "--stores", metavar="FOLDER", help="Keep the events stores in this folder, and use those that are there."
)
READING = (DATA, LIMIT, SEED)
PAIRS = (DATA, OF_LITBANK, LIMIT, SEED)
NEWS = (DATA, only_option("wikipedia, reuters, muc4, synthetic"), PARSER, LIMIT, SEED, WORKERS)
LABELS = (DATA, only_option("muc4, police, llms, simulated"), SAMPLES, STORES, PARSER, LIMIT, SEED, WORKERS)
EXPERIMENTS: tuple[tuple[str, str, str, tuple[Option, ...], str], ...] = (  # name, module, progress, options, text
    ("synthetic", "synthetic", "samples", (RUNS, SEED), "Bin size and sample size (thesis, Figures 4.7–11)."),
    ("binning", "binning", "", (SEED,), "Equal-width against adaptive bins (2015, Figure 1)."),
    (
        "sentiment",
        "sentiment.experiment",
        "models",
        READING,
        "Naive Bayes against logistic regression (2015, Figure 2).",
    ),
    ("tweets", "tweets.experiment", "models", READING, "HMMs against CRFs on tags of tweets (thesis, Figures 4.4–6)."),
    ("tagging", "tagging.experiment", "models", READING, "HMM against CRF on tags (2015, Figures 3 and 4 a)."),
    ("tag-pairs", "tagging.pairs", "models", READING, "HMM against CRF on pairs of tags (2015, Figure 4 b)."),
    ("coreference", "coreference.experiment", "models", PAIRS, "Pairs of mentions in coreference (2015, Figure 5)."),
    ("boostsa", "boostsa.experiment", "tests", READING, "BooStSa's p by share and size (Fornaciari, Figures 1 and 2)."),
    ("events", "events.experiment", "steps", NEWS, "Attacks in the news, by country (2015, Figure 6)."),
    ("counts", "counts.experiment", "samples", LABELS, "Counts from few labels, against true ones (beyond papers)."),
)


def reproduces(name: str, module: str, steps: str, options: Sequence[Option], text: str) -> None:
    """Add a command: `reproduce_NAME` of a module of howsure_papers, loaded when it is run; `steps_of_NAME` says how
    many of its `steps` there will be."""

    def run(output: Output, **asked: Any) -> None:
        found, key = import_module(f"howsure_papers.{module}"), name.replace("-", "_")
        reproduce = getattr(found, f"reproduce_{key}")
        given = {option: value for option, value in asked.items() if value is not None}
        if not steps:
            output.show(reproduce(**given))
            return
        steps_of = getattr(found, f"steps_of_{key}")
        total = steps_of(**{one: given[one] for one in inspect.signature(steps_of).parameters if one in given})
        with progress(steps, total=total) as advance:
            result = reproduce(**given, advance=advance)
        output.show(result)

    shown = output_options(run)
    for option in reversed(options):
        shown = option(shown)
    command.command(name, short_help=text, help=f"{text}\n\n{SOURCES}")(shown)


for experiment in EXPERIMENTS:
    reproduces(*experiment)
