"""`howsure selective`: from files of predictions to risk by coverage, and a threshold with a promise."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click
import numpy as np

from howsure.cli.calibration.reading import as_called, opened, reading_options
from howsure.cli.selective.output import selective_json, selective_table, selective_text
from howsure.cli.terminal.commands import Command
from howsure.cli.terminal.options import as_names, figure_option, level_option, output_options, probability_options
from howsure.cli.terminal.output import emit, table_text
from howsure.errors import InputError
from howsure.inputs.classes import TOP_LABEL
from howsure.inputs.pairs import Pairs


def as_shares(ctx: click.Context, param: click.Parameter, value: str | None) -> list[float] | None:
    """Shares of answers, separated by commas."""
    if value is None:
        return None
    shares = []
    for text in value.split(","):
        try:
            share = float(text)
        except ValueError:
            raise click.BadParameter(f"{text!r} is not a number; write shares like 0.5,0.8") from None
        if not 0.0 < share <= 1.0:
            raise click.BadParameter(f"{text.strip()} does not lie above 0 and up to 1; write 0.8 for 80 %")
        shares.append(share)
    return shares


def as_probability(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    """A number strictly between 0 and 1."""
    if value is not None and not 0.0 < value < 1.0:
        raise click.BadParameter(f"{value:g} does not lie strictly between 0 and 1; write 0.05 for 5 %")
    return value


@click.command("selective", cls=Command, context_settings={"max_content_width": 110})
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@probability_options("Column of the model's confidence in its answer.")
@click.option("--reduce", metavar="HOW",
              help="With classes: top-label (default), class-wise, or the name of one class. With --prob, top-label: "
              "p is the probability of one of two labels, and the confidence the larger of p and 1 - p.")  # fmt: skip
@click.option("--classes", callback=as_names, metavar="NAME,NAME,…", help="Class names, in order.")
@click.option("--group", metavar="COL", help="Column of groups (model, subject), one curve each; several: a,b.")
@click.option("--target", "label", metavar="COL",
              help="Column that says whether the answer is right; with classes, of the true label.")  # fmt: skip
@reading_options
@click.option("--coverage", callback=as_shares, metavar="S,S,…",
              help="Accuracy of the most confident shares of answers (default: 0.5,0.8,0.9).")  # fmt: skip
@click.option("--accuracy", callback=as_shares, metavar="A,A,…", help="Largest coverage that has these accuracies.")
@click.option("--risk", type=float, callback=as_probability, metavar="R",
              help="Find the threshold that is promised to keep at most this share of wrong answers.")  # fmt: skip
@click.option("--delta", type=float, callback=as_probability, default=0.1, show_default=True,
              help="Largest probability that this promise is broken.")  # fmt: skip
@click.option("--dependence", type=click.Choice(["estimated", "any"]), default="estimated", show_default=True,
              help="With --cluster and --risk: how answers of a cluster depend on each other.")  # fmt: skip
@level_option
@output_options
@figure_option("Draw the risk–coverage curves (with --risk of one group: the tested thresholds)")
def command(
    files: tuple[str, ...], coverage: list[float] | None, accuracy: list[float] | None, risk: float | None,
    delta: float, dependence: str, level: float, form: str, output: str | None, figure: str | None, **reading: Any,
) -> None:  # fmt: skip
    """What if a model answers only where it is confident? Risk by coverage, AUROC, and a threshold with a promise.

    FILE...: CSV, TSV, JSON lines, Parquet, .npz; plain, .gz or .zst; globs; - is stdin; or logs, see --from.

    \b
    howsure selective answers.csv --target right --prob confidence
    howsure selective answers.csv --target right --prob confidence --group model --cluster question
    howsure selective dev.jsonl --target gold --probs-column probs --risk 0.05
    """
    from howsure.selective.curve import COVERAGES, selective_of
    from howsure.selective.threshold import threshold_of

    either = bool(reading.get("prob")) and reading.get("reduce") == TOP_LABEL
    with opened(files, **(reading | {"reduce": None} if either else reading)) as predictions:
        pairs = predictions.pairs()
        recipe = {"command": "howsure selective", **as_called(predictions.describe())}
        skipped = sum(predictions.skipped.values())
    if either:
        pairs, recipe["reduce"] = of_the_likelier(pairs), TOP_LABEL
    groups = [(None, pairs)] if pairs.groups is None else list(pairs.by_group())
    asked: dict[str, Any] = {"coverage": coverage or COVERAGES, "accuracy": accuracy or (), "level": level}
    curves = [selective_of(group, name=name, **asked) for name, group in groups]
    found = []
    if risk is not None:
        promise: dict[str, Any] = {"risk": risk, "delta": delta, "dependence": dependence, "level": level}
        found = [threshold_of(group, name=name, **promise) for name, group in groups]
    if figure is not None:
        _draw(curves, found, figure)
    if form == "json":
        emit(selective_json(curves, found, recipe=recipe, skipped=skipped), output)
    elif form == "table":
        emit(selective_text(curves, found, recipe=recipe, skipped=skipped), output)
    else:
        emit(table_text(selective_table(curves, found, recipe=recipe, exact=form == "csv"), form), output)


def of_the_likelier(pairs: Pairs) -> Pairs:
    """From the probability of label 1 to that of the likelier label, and whether it is the true one; 0 at one half."""
    says_one = pairs.probabilities > 0.5
    right = (says_one == (pairs.labels == 1)).view(np.uint8)
    return replace(pairs, labels=right, probabilities=np.maximum(pairs.probabilities, 1 - pairs.probabilities))


def _draw(curves: list[Any], found: list[Any], path: str) -> None:
    from howsure.figures.files import save_figure
    from howsure.figures.selective import MOST_CURVES, risk_coverage_figure, threshold_figure

    if len(curves) > MOST_CURVES:
        raise InputError(
            f"--figure holds at most {MOST_CURVES} curves; --group names {len(curves):,}. Choose rows of some of them."
        )
    save_figure(threshold_figure(found[0]) if len(found) == 1 else risk_coverage_figure(curves), path)
