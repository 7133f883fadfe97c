"""`howsure demo`: the main jobs on bundled data."""

from __future__ import annotations

import contextlib
import importlib.resources
from collections.abc import Iterator
from pathlib import Path

import click

from howsure.cli.calibration.main import curve_command
from howsure.cli.events.main import command as events_command
from howsure.cli.output import emit
from howsure.data.writing import write_whole
from howsure.errors import InputError

FILES = ("predictions.csv", "news.conllu", "actors.tsv")
STORE = "news.duckdb"
JUDGED = ("predictions.csv", "--label", "label", "--prob", "probability", "--group", "model", "--cluster", "tweet")
DRAWN = ("--figure", "curve.png", "--report", "report.html")
EVENTS = (
    ("extract", "news.conllu", "--lexicon", "actors.tsv", "--store", STORE, "--workers", "1"),
    ("series", STORE, "--by", "year"),
    ("report", STORE, "events.html"),
)


@click.command("demo")
@click.option("--output", metavar="FOLDER", default="demo-output", show_default=True, help="Where the files go.")
def command(output: str) -> None:
    """Judge three taggers on tweets, and count the attacks in invented news."""
    folder = Path(output)
    if not folder.is_dir() and folder.exists():
        raise InputError(f"--output must name a folder; {output} is a file.")
    folder.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        bundled = importlib.resources.files("howsure") / "data" / "demo" / name
        write_whole(bundled.read_bytes(), str(folder / name))
    (folder / STORE).unlink(missing_ok=True)  # what is left of an earlier demo
    emit(f"In {output} this is run:\n", None)
    with contextlib.chdir(folder):
        for called, name, arguments in _commands():
            emit(f"\n    howsure {name} {' '.join(arguments)}\n\n", None)
            called.main(list(arguments), standalone_mode=False)
    emit(f"\nOpen {folder / 'report.html'} and {folder / 'events.html'} in a browser.\n", None)


def _commands() -> Iterator[tuple[click.Command, str, tuple[str, ...]]]:
    yield curve_command, "calibration", JUDGED + DRAWN
    for arguments in EVENTS:
        yield events_command, "events", arguments
