"""`howsure reproduce`: reproduce a table or figure of the papers, as text, figures and a page."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from howsure.files.atomic_write import write_atomically
from howsure.inputs.parameter_types import Figure
from howsure_cli.terminal.commands import Group, OutputFile, OutputFolder
from howsure_cli.terminal.options import PROCESSES
from howsure_cli.terminal.output import emit, json_text, progress

if TYPE_CHECKING:
    from howsure_papers.reproduction import Reproduction

SOURCES = "2015: Nguyen & O'Connor; thesis: Nguyen's; Fornaciari: Fornaciari et al. 2022."
TEXT = f"Reproduce a table or figure of the papers, alongside the papers' statements.\n\n{SOURCES}"
PLACES = ("--data", "--format", "--figures", "--page")


@click.group("reproduce", cls=Group, help=TEXT)
def command() -> None:
    """The group of the commands below."""


def as_list(context: click.Context, parameter: click.Parameter, value: str | None) -> list[str] | None:
    """Comma-separated names, without repetitions."""
    return None if value is None else list(dict.fromkeys(name.strip() for name in value.split(",")))


Option = Callable[[Callable[..., None]], Callable[..., None]]


def option(*names: str, **how: Any) -> Option:
    return click.option(*names, **how)


def only_option(names: str) -> Option:
    """--only, of the parts of an experiment."""
    return option("--only", callback=as_list, metavar="NAME[,NAME]…", help=f"Of {names} (default: all).")


def parser_option(metavar: str, what: str) -> Option:
    """--parser, for texts without trees."""
    return option("--parser", metavar=metavar, help=f"{what} (default: models/en_ud_small next to the data folder).")


AT_LEAST_ONE = click.IntRange(min=1)
DATA = option("--data", metavar="FOLDER", help="Folder of data sets (default: HOWSURE_DATA).")
SEED = option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Random seed.")
LIMIT = option("--limit", type=AT_LEAST_ONE, help="Read only the first texts or sentences of each part: a quick look.")
SIMULATIONS = option(
    "--simulations",
    "n_simulations",
    type=AT_LEAST_ONE,
    default=20,
    show_default=True,
    help="Number of samples per setting.",
)
LITBANK_PARSER = parser_option("PIPELINE", "spaCy pipeline for LitBank")
PARSER = parser_option("NAME|PATH", "spaCy pipeline")
WORKERS = option("--workers", type=PROCESSES, metavar="N", help="Number of processes (default: one per processor).")
SAMPLES = option(
    "--samples",
    type=click.IntRange(min=2),
    default=50,
    show_default=True,
    help="Samples of labels in each decisive setting; others get fewer.",
)
STORES = option(
    "--stores", metavar="FOLDER", help="Keep the events stores in this folder, and use those that are there."
)
READING = (DATA, LIMIT, SEED)
NEWS = (DATA, only_option("wikipedia, reuters, muc4, synthetic"), PARSER, LIMIT, SEED, WORKERS)
LABELS = (DATA, only_option("muc4, police, llms, simulated"), SAMPLES, STORES, PARSER, LIMIT, SEED, WORKERS)
OUTPUT = (
    option("--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True),
    option("--figures", type=OutputFolder(), metavar="FOLDER", help="Draw the figures into a folder, as SVG and PNG."),
    option(
        "--page",
        type=OutputFile(".md"),
        metavar="FILE.md",
        help="Write a Markdown page, with its figures and long tables in a folder next to it.",
    ),
)
# For each: its name, the unit of progress, its options, its description. It is `reproduce_NAME` of the module NAME, or
# of the module in MODULES.
MODULES = {"tag_pairs": "tagging"}
EXPERIMENTS: tuple[tuple[str, str, tuple[Option, ...], str], ...] = (
    ("synthetic", "samples", (SIMULATIONS, SEED), "Bin size and sample size (thesis, Figures 4.7–11)."),
    ("binning", "samples", (SEED,), "Equal-width against adaptive bins (2015, Figure 1)."),
    ("sentiment", "models", READING, "Naive Bayes against logistic regression (2015, Figure 2)."),
    ("all-others", "models", READING, "All others, a later test, other tokens (2015, Figure 2)."),
    ("tweets", "models", READING, "HMMs against CRFs on tags of tweets (thesis, Figures 4.4–6)."),
    ("tagging", "models", READING, "HMM against CRF on tags (2015, Figures 3 and 4 a)."),
    ("tag-pairs", "models", READING, "HMM against CRF on pairs of tags (2015, Figure 4 b)."),
    ("tag-variants", "models", READING, "Features, AdaGrad, maximum likelihood (thesis, section 4.1)."),
    (
        "coreference",
        "models",
        (DATA, LITBANK_PARSER, LIMIT, SEED),
        "Pairs of mentions in coreference (2015, Figure 5).",
    ),
    ("boostsa", "tests", READING, "BooStSa's p by share and size (Fornaciari, Figures 1 and 2)."),
    ("sizes", "models and parts", READING, "What sizes of the data do (2015, sections 4.2 and 5.3)."),
    ("small-samples", "tests", (SEED,), "BooStSa's p without a difference (Fornaciari, section 2.3)."),
    ("quantiles", "sets", READING, "Posteriors of continuous quantities (thesis, chapter 2)."),
    ("subtrees", "lengths", (DATA, LIMIT), "Which words make a phrase of a parse (thesis, section 3.4)."),
    ("events", "steps", NEWS, "Attacks in the news, by country (2015, Figure 6)."),
    ("parses", "parts", (DATA, PARSER, LIMIT, SEED), "Uncertain tags and parses of attacks (2015, Appendix 3)."),
    ("counts", "samples", LABELS, "Counts from few labels, against true ones (beyond papers)."),
)


def add_command(name: str, counted: str, options: Sequence[Option], text: str) -> None:
    """Add the command of an experiment, whose module is loaded when it is run."""

    def run(form: str, figures: str | None, page: str | None, **options_given: Any) -> None:
        key = name.replace("-", "_")
        reproduce = getattr(import_module(f"howsure_papers.{MODULES.get(key, key)}"), f"reproduce_{key}")
        options_set = {option: value for option, value in options_given.items() if value is not None}
        steps = reproduce.steps(
            **{
                parameter: options_set[parameter]
                for parameter in inspect.signature(reproduce.steps).parameters
                if parameter in options_set
            }
        )
        with progress(counted, total=steps) as advance:
            result = reproduce(**options_set, advance=advance)
        show(result, form, figures, page)

    shown: Callable[..., None] = run
    for decorate in reversed((*options, *OUTPUT)):
        shown = decorate(shown)
    command.command(name, short_help=text, help=f"{text}\n\n{SOURCES}")(shown)


def show(result: Reproduction, form: str, figures: str | None, page: str | None) -> None:
    """Write the figures to a folder and a page next to them, and print the findings."""
    limit: int | None = click.get_current_context().params.get("limit")
    drawn = result.draw() if figures is not None or page is not None else {}
    if figures is not None:
        save(drawn, Path(figures), ("svg", "png"))
    if page is not None:
        path = Path(page)
        save(drawn, path.with_suffix(""), ("svg",))
        for name, table in result.long_tables().items():
            write_atomically(table.encode(), path.with_suffix("") / name)
        write_atomically(result.page(f"{_typed()} --page {path.name}", path.stem, limit).encode(), path)
    emit(
        json_text(result.to_dict() | {"summary": result.summary(limit)}) if form == "json" else result.text(limit), None
    )


def save(drawn: Mapping[str, Figure], folder: Path, kinds: Sequence[str]) -> None:
    """Write figures to a folder, which is created if it does not exist."""
    from howsure.figures.files import save_figure

    folder.mkdir(parents=True, exist_ok=True)
    for name, figure in drawn.items():
        for kind in kinds:
            save_figure(figure, folder / f"{name}.{kind}")


def _typed() -> str:
    """The command as typed, without its output options."""
    context = click.get_current_context()
    options = [(param.opts[0], param.default, context.params.get(param.name or "")) for param in context.command.params]
    options_set = [(name, value) for name, default, value in options if value not in (default, None)]
    changed = [f"{name} {value}" for name, value in options_set if name not in PLACES]
    return " ".join([context.command_path, *changed])


for declared in EXPERIMENTS:
    add_command(*declared)
