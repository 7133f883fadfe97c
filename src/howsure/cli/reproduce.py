"""`howsure reproduce`: a table or figure of the papers, run again."""

from __future__ import annotations

from pathlib import Path

import click

from howsure.cli.output import emit, json_text
from howsure.cli.progress import progress
from howsure.cli.tables import Table
from howsure.errors import InputError
from howsure.reproductions import Reproduction, reproduce_binning, reproduce_synthetic, steps_of_synthetic


@click.group("reproduce")
def command() -> None:
    """Run a table or figure of the papers again, beside what the paper says."""


seed_option = click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of all draws."
)
form_option = click.option("--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True)
figures_option = click.option("--figures", metavar="FOLDER", help="Draw the figures into a folder, as SVG and PNG.")


@command.command("synthetic")
@click.option("--runs", type=click.IntRange(min=1), default=20, show_default=True, help="Samples of each setting.")
@seed_option
@form_option
@figures_option
def synthetic(runs: int, seed: int, form: str, figures: str | None) -> None:
    """Bin size and sample size on synthetic pairs (Nguyen's thesis, Figures 4.7–4.11)."""
    check_folder(figures)
    with progress("samples", total=steps_of_synthetic(runs)) as advance:
        result = reproduce_synthetic(runs=runs, seed=seed, advance=advance)
    show(result, form, figures)


@command.command("binning")
@seed_option
@form_option
@figures_option
def binning(seed: int, form: str, figures: str | None) -> None:
    """Bins of equal width against adaptive bins (Nguyen & O'Connor 2015, Figure 1)."""
    check_folder(figures)
    show(reproduce_binning(seed=seed), form, figures)


@command.command("boostsa")
@click.option("--data", metavar="FOLDER", help="Folder of data sets (default: HOWSURE_DATA).")
@seed_option
@form_option
@figures_option
def boostsa(data: str | None, seed: int, form: str, figures: str | None) -> None:
    """BooStSa's p against sub-sample share and test-set size (Fornaciari et al. 2022, Figures 1 and 2)."""
    from howsure.reproductions.boostsa import reproduce_boostsa, steps_of_boostsa

    check_folder(figures)
    with progress("tests", total=steps_of_boostsa()) as advance:
        result = reproduce_boostsa(data=data, seed=seed, advance=advance)
    show(result, form, figures)


def check_folder(figures: str | None) -> None:
    """Say before the work, not after it, that figures cannot be written."""
    if figures is not None and Path(figures).exists() and not Path(figures).is_dir():
        raise InputError(f"--figures must name a folder; {figures} is a file.")


def show(result: Reproduction, form: str, figures: str | None) -> None:
    """Print what was found, and write the figures."""
    if figures is not None:
        from howsure.figures.files import save_figure

        Path(figures).mkdir(parents=True, exist_ok=True)
        for name, figure in result.draw().items():
            for kind in ("svg", "png"):
                save_figure(figure, Path(figures) / f"{name}.{kind}")
    emit(json_text(result.to_dict()) if form == "json" else as_text(result), None)


def as_text(result: Reproduction) -> str:
    """Every table, then the findings: what the paper says, what we found, and whether it holds."""
    parts = [result.title]
    parts += [f"{table.title}\n{Table(table.headers, table.rows).text('table')}".rstrip() for table in result.tables]
    for finding in result.findings:
        holds = "holds" if finding.holds else "does NOT hold"
        parts.append(f"Figure {finding.figure}: {holds}\n  paper: {finding.paper}\n  ours:  {finding.ours}")
    parts.append(", ".join(f"{key} {value}" for key, value in result.recipe.items()))
    return "\n\n".join(parts) + "\n"
