"""`howsure reproduce`: a table or figure of the papers, run again."""

from __future__ import annotations

from typing import Any

import click

from howsure.cli.terminal.commands import Group
from howsure.cli.terminal.options import PROCESSES
from howsure.cli.terminal.progress import progress
from howsure_papers import reproduce_binning, reproduce_synthetic, steps_of_synthetic
from howsure_papers.command.output import Output, output_options


@click.group("reproduce", cls=Group)
def command() -> None:
    """Reproduce a table or figure of the papers, alongside the papers' statements.

    2015: Nguyen & O'Connor; thesis: Nguyen's; Fornaciari: Fornaciari et al. 2022.
    """


data_option = click.option("--data", metavar="FOLDER", help="Folder of data sets (default: HOWSURE_DATA).")
seed_option = click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Random seed.")
limit_option = click.option(
    "--limit", type=click.IntRange(min=1), help="Read only the first texts or sentences of each part: a quick look."
)


def as_list(context: click.Context, parameter: click.Parameter, value: str | None) -> list[str] | None:
    """Names with commas between them, each once."""
    return None if value is None else list(dict.fromkeys(name.strip() for name in value.split(",")))


@command.command("synthetic", short_help="Bin size and sample size (thesis, Figures 4.7–11).")
@click.option(
    "--runs", type=click.IntRange(min=1), default=20, show_default=True, help="Number of samples per setting."
)
@seed_option
@output_options
def synthetic(runs: int, seed: int, output: Output) -> None:
    """Bin size and sample size on synthetic pairs (Nguyen's thesis, Figures 4.7–4.11)."""
    with progress("samples", total=steps_of_synthetic(runs)) as advance:
        result = reproduce_synthetic(runs=runs, seed=seed, advance=advance)
    output.show(result)


@command.command("binning", short_help="Equal-width against adaptive bins (2015, Figure 1).")
@seed_option
@output_options
def binning(seed: int, output: Output) -> None:
    """Bins of equal width against adaptive bins (Nguyen & O'Connor 2015, Figure 1)."""
    output.show(reproduce_binning(seed=seed))


@command.command("sentiment", short_help="Naive Bayes against logistic regression (2015, Figure 2).")
@data_option
@limit_option
@seed_option
@output_options
def sentiment(data: str | None, limit: int | None, seed: int, output: Output) -> None:
    """Naive Bayes against logistic regression (Nguyen & O'Connor 2015, Figure 2)."""
    from howsure_papers.sentiment.experiment import reproduce_sentiment, steps_of_sentiment

    with progress("models", total=steps_of_sentiment()) as advance:
        result = reproduce_sentiment(data=data, limit=limit, seed=seed, advance=advance)
    output.show(result)


@command.command("tweets", short_help="HMMs against CRFs on tags of tweets (thesis, Figures 4.4–6).")
@data_option
@limit_option
@seed_option
@output_options
def tweets(data: str | None, limit: int | None, seed: int, output: Output) -> None:
    """HMMs against CRFs on the tags of tweets (Nguyen's thesis, Figures 4.4–4.6)."""
    from howsure_papers.tweets.experiment import reproduce_tweets, steps_of_tweets

    with progress("models", total=steps_of_tweets()) as advance:
        result = reproduce_tweets(data=data, limit=limit, seed=seed, advance=advance)
    output.show(result)


@command.command("tagging", short_help="HMM against CRF on tags (2015, Figures 3 and 4 a).")
@data_option
@limit_option
@seed_option
@output_options
def tagging(data: str | None, limit: int | None, seed: int, output: Output) -> None:
    """HMM against CRF on tags (Nguyen & O'Connor 2015, Figures 3 and 4 a)."""
    from howsure_papers.tagging.experiment import reproduce_tagging, steps_of_tagging

    with progress("models", total=steps_of_tagging()) as advance:
        result = reproduce_tagging(data=data, limit=limit, seed=seed, advance=advance)
    output.show(result)


@command.command("tag-pairs", short_help="HMM against CRF on pairs of tags (2015, Figure 4 b).")
@data_option
@limit_option
@seed_option
@output_options
def tag_pairs(data: str | None, limit: int | None, seed: int, output: Output) -> None:
    """HMM against CRF on tag pairs (Nguyen & O'Connor 2015, Figure 4 b)."""
    from howsure_papers.tagging.pairs import reproduce_tag_pairs, steps_of_tag_pairs

    with progress("models", total=steps_of_tag_pairs()) as advance:
        result = reproduce_tag_pairs(data=data, limit=limit, seed=seed, advance=advance)
    output.show(result)


@command.command("regulariser", short_help="Calibration by regulariser and pseudocount (beyond papers).")
@data_option
@limit_option
@seed_option
@output_options
def regulariser(data: str | None, limit: int | None, seed: int, output: Output) -> None:
    """Calibration as a function of regulariser and pseudocount (beyond the papers)."""
    from howsure_papers.regulariser import reproduce_regulariser, steps_of_regulariser

    with progress("models", total=steps_of_regulariser()) as advance:
        result = reproduce_regulariser(data=data, limit=limit, seed=seed, advance=advance)
    output.show(result)


@command.command("coreference", short_help="Pairs of mentions in coreference (2015, Figure 5).")
@data_option
@click.option(
    "--parser",
    metavar="PIPELINE",
    help="spaCy pipeline for LitBank (default: models/en_ud_small next to the data folder).",
)
@limit_option
@seed_option
@output_options
def coreference(data: str | None, parser: str | None, limit: int | None, seed: int, output: Output) -> None:
    """Pairs of mentions in coreference (Nguyen & O'Connor 2015, Figure 5)."""
    from howsure_papers.coreference.experiment import reproduce_coreference, steps_of_coreference

    with progress("models", total=steps_of_coreference()) as advance:
        result = reproduce_coreference(data=data, parser=parser, limit=limit, seed=seed, advance=advance)
    output.show(result)


@command.command("boostsa", short_help="BooStSa's p by share and size (Fornaciari, Figures 1 and 2).")
@data_option
@limit_option
@seed_option
@output_options
def boostsa(data: str | None, limit: int | None, seed: int, output: Output) -> None:
    """BooStSa's p against sub-sample share and test-set size (Fornaciari et al. 2022, Figures 1 and 2)."""
    from howsure_papers.boostsa.experiment import reproduce_boostsa, steps_of_boostsa

    with progress("tests", total=steps_of_boostsa()) as advance:
        result = reproduce_boostsa(data=data, limit=limit, seed=seed, advance=advance)
    output.show(result)


@command.command("events", short_help="Attacks in the news, by country (2015, Figure 6).")
@data_option
@click.option("--only", callback=as_list, metavar="NAME[,NAME]…",
              help="Of wikipedia, reuters, muc4, synthetic (default: all).")  # fmt: skip
@click.option(
    "--parser", metavar="NAME|PATH", help="spaCy pipeline (default: models/en_ud_small next to the data folder)."
)
@limit_option
@seed_option
@click.option("--workers", type=PROCESSES, metavar="N", help="Number of processes (default: one per processor).")
@output_options
def events(data: str | None, only: list[str] | None, output: Output, **options: Any) -> None:
    """Attacks by country and period, and whether the intervals cover (Nguyen & O'Connor 2015, section 6, Figure 6)."""
    from howsure_papers.events.experiment import EXPERIMENTS, reproduce_events, steps_of_events

    chosen = only or list(EXPERIMENTS)
    with progress("steps", total=steps_of_events(chosen)) as advance:
        result = reproduce_events(data=data, only=chosen, advance=advance, **options)
    output.show(result)


@command.command("counts", short_help="Counts from few labels, against true ones (beyond papers).")
@data_option
@click.option(
    "--only", callback=as_list, metavar="NAME[,NAME]…", help="Of muc4, police, llms, simulated (default: all)."
)
@click.option("--samples", type=click.IntRange(min=2), default=50, show_default=True,
              help="Samples of labels in each decisive setting; others get fewer.")  # fmt: skip
@click.option("--stores", metavar="FOLDER", help="Keep the events stores in this folder, and use those that are there.")
@click.option(
    "--parser", metavar="NAME|PATH", help="spaCy pipeline (default: models/en_ud_small next to the data folder)."
)
@limit_option
@seed_option
@click.option("--workers", type=PROCESSES, metavar="N", help="Number of processes (default: one per processor).")
@output_options
def counts(data: str | None, only: list[str] | None, samples: int, output: Output, **options: Any) -> None:
    """Counts from scores and a few hundred labels: how often their intervals contain the truth (beyond the papers)."""
    from howsure_papers.counts.experiment import EXPERIMENTS, reproduce_counts, steps_of_counts

    chosen = only or list(EXPERIMENTS)
    with progress("samples", total=steps_of_counts(chosen, samples)) as advance:
        result = reproduce_counts(data=data, only=chosen, samples=samples, advance=advance, **options)
    output.show(result)
