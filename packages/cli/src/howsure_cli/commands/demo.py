"""`howsure demo`: run the main commands on bundled data."""

from __future__ import annotations

import contextlib
import importlib.resources
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from howsure.errors import InputError, MissingExtraError
from howsure.files.atomic_write import write_atomically
from howsure_cli.commands.calibration import command as calibration_command
from howsure_cli.commands.score import command as score_command
from howsure_cli.plugins import load, package_command
from howsure_cli.terminal.commands import Command, OutputFolder
from howsure_cli.terminal.output import emit

ANSWERS = [
    f"answers/{model}/samples_quiz_2026-11-20T09-00-00.000000.jsonl" for model in ("ngram-5", "ngram-9", "ngram-14")
]
FILES = (*ANSWERS, "predictions.csv", "news.conllu", "actors.tsv", "labels.csv")
LOGS = "answers/*/samples_*.jsonl"
SCORE_ARGUMENTS = (LOGS, "--figure", "scores.png")
STORE, LABELS = "news.duckdb", "24"
CALIBRATION_ARGUMENTS = (
    "predictions.csv",
    "--target",
    "label",
    "--prob",
    "probability",
    "--group",
    "model",
    "--cluster",
    "tweet",
)
FIGURE, REPORT, PAGE = "curve.png", "report.html", "events.html"
OUTPUT_FILES = ("scores.png", STORE, FIGURE, REPORT, PAGE)
FIGURE_ARGUMENTS = ("--figure", FIGURE, "--report", REPORT)
EVENTS = (
    ("extract", "news.conllu", "--lexicon", "actors.tsv", "--store", STORE, "--workers", "1"),
    ("label", STORE, "--labels", LABELS, "--draw-only"),
    ("labels", "import", STORE, "labels.csv"),
    ("series", STORE, "--period", "year"),
    ("report", STORE, PAGE, "--period", "month,quarter,year"),
)


@click.command("demo", cls=Command)
@click.option("--output", type=OutputFolder(), metavar="FOLDER", default="demo-output", show_default=True)
def command(output: str) -> None:
    """Score three language models by their logs, judge how sure three taggers are of tweets, and count the attacks in
    invented news, corrected by labels."""
    folder = Path(output)
    bundled = {name: (importlib.resources.files("howsure_cli") / "demo" / name).read_bytes() for name in FILES}
    _check_own(folder, bundled)
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in bundled.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        write_atomically(content, folder / name)
    (folder / STORE).unlink(missing_ok=True)  # remains of an earlier demo
    emit(f"Running in {output}:\n", None)
    with contextlib.chdir(folder):
        for click_command, name, arguments in _commands():
            emit(f"\n$ howsure {name} {shlex.join(arguments)}\n", None)
            click_command.main(list(arguments), standalone_mode=False)
    pages = [str(folder / page) for page in (REPORT, PAGE) if (folder / page).exists()]
    emit(f"\nOpen {' and '.join(pages)} in a browser.\nYour own files: howsure look FILE\n", None)


def _check_own(folder: Path, bundled: Mapping[str, bytes]) -> None:
    """Raise InputError if the demo would overwrite files that do not come from an earlier demo."""
    theirs = [name for name, content in bundled.items() if _read(folder / name) not in (None, content)]
    ours = not theirs and all((folder / name).is_file() for name in FILES)
    theirs += [name for name in OUTPUT_FILES if not ours and (folder / name).exists()]
    if theirs:
        raise InputError(
            f"{folder / theirs[0]} does not belong to this demo and would be overwritten; name another --output."
        )


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def _commands() -> Iterator[tuple[click.Command, str, tuple[str, ...]]]:
    yield score_command, "score", SCORE_ARGUMENTS
    yield calibration_command, "calibration", CALIBRATION_ARGUMENTS + FIGURE_ARGUMENTS
    try:
        events_command = load(package_command("events"))
    except MissingExtraError as error:
        emit(f"\n{error}\n", None)
        return
    for arguments in EVENTS:
        yield events_command, "events", arguments
