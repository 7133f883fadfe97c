"""`howsure demo`: the main job on bundled data."""

from __future__ import annotations

import contextlib
import importlib.resources
from pathlib import Path

import click

from howsure.cli.calibration import curve_command
from howsure.cli.output import emit
from howsure.data.writing import write_whole
from howsure.errors import InputError

PREDICTIONS = "predictions.csv"


@click.command("demo")
@click.option("--output", metavar="FOLDER", default="demo-output", show_default=True, help="Where the files go.")
def command(output: str) -> None:
    """Judge the calibration of three taggers on tweets: a table, a figure and a report."""
    folder = Path(output)
    if not folder.is_dir() and folder.exists():
        raise InputError(f"--output must name a folder; {output} is a file.")
    folder.mkdir(parents=True, exist_ok=True)
    bundled = importlib.resources.files("howsure") / "data" / "demo" / PREDICTIONS
    write_whole(bundled.read_bytes(), str(folder / PREDICTIONS))
    arguments = [PREDICTIONS, "--label", "label", "--prob", "probability", "--group", "model", "--cluster", "tweet"]
    drawn = ["--figure", "curve.png", "--report", "report.html"]
    emit(f"In {output} this is run:\n\n    howsure calibration {' '.join([*arguments, *drawn])}\n\n", None)
    with contextlib.chdir(folder):
        curve_command.main([*arguments, *drawn], standalone_mode=False)
    emit(f"\nThe figure is {folder / 'curve.png'}, the report {folder / 'report.html'}: open it in a browser.\n", None)
