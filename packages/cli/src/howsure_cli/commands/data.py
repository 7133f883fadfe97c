"""`howsure data`: the data sets of the experiments, their descriptions, locations and downloads."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import click

from howsure.inputs.numbers_and_names import counted
from howsure.show.table import Table
from howsure_cli.datasets import DEMO, HOST, DataSet, data_set, data_sets, demo_data_set, downloads_folder, located
from howsure_cli.terminal.commands import Group, OutputFolder
from howsure_cli.terminal.options import choice_option
from howsure_cli.terminal.output import cut_table, emit, json_text, progress, table_text, terminal_width

form_option = choice_option("--format", "form", of=["table", "json"])
HEADERS = ("name", "size", "found", "what", "licence")


@click.group("data", cls=Group)
def command() -> None:
    """List, download and cite the data sets of the experiments."""


@command.command("list")
@form_option
def list_command(form: str) -> None:
    """List all data sets and their locations.

    The location is bundled, HOWSURE_DATA (the folder that this variable names), downloaded, or not here.
    """
    datasets = [demo_data_set(), *data_sets().values()]
    if form == "json":
        emit(json_text([_described(dataset) for dataset in datasets]), None)
        return
    rows = [
        [dataset.name, _size(dataset.bytes), _location(dataset)[0], dataset.what, dataset.licence]
        for dataset in datasets
    ]
    table = table_text(Table(HEADERS, rows, words=("name", "found", "licence", "what")))
    emit(cut_table(table, terminal_width()), None)


@command.command("show")
@click.argument("name")
@form_option
def show_command(name: str, form: str) -> None:
    """Show source, licence, citation and files of a data set."""
    dataset = demo_data_set() if name == DEMO else data_set(name)
    described = _described(dataset)
    if form == "json":
        emit(json_text(described), None)
        return
    facts = {
        "licence": dataset.terms or dataset.licence,
        "cite": dataset.citation,
        "source": dataset.page,
        "files": dataset.recipe,
        "found": described["folder"] or described["found"],
        "fetch": f"howsure data get {name}" if dataset.can_be_fetched else "no; its files were made from others",
    }
    lines = [f"{dataset.name}: {dataset.what}", ""]
    for key, value in ((key, value) for key, value in facts.items() if value):
        first, *rest = textwrap.wrap(value, 91, break_long_words=False, break_on_hyphens=False)
        lines += [f"{key:9}{first}", *(f"{'':9}{line}" for line in rest)]
    rows = [[file.name, f"{file.bytes:,}", file.sha256] for file in dataset.files]
    emit("\n".join([*lines, "", table_text(Table(("file", "bytes", "SHA-256"), rows, words=("file",)))]), None)


@command.command("get")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option(
    "--to",
    "folder",
    type=OutputFolder(),
    metavar="FOLDER",
    help="Folder to write into (default: the user's cache; for demo, the current folder).",
)
@click.option("--from", "host", metavar="ADDRESS")
def get_command(names: tuple[str, ...], folder: str | None, host: str | None) -> None:
    """Download data sets.

    An interrupted download resumes where it stopped. Every file is verified by its SHA-256. With --to, a data set that
    this machine already has is copied, unless --from names a site. `howsure data get demo` writes
    the example data to the folder demo.
    """
    from howsure_cli.datasets import copy_data_set, copy_demo, fetch_data_set

    datasets = [data_set(name) for name in dict.fromkeys(names) if name != DEMO]
    if DEMO in names:
        target = Path(folder or ".") / DEMO
        written, total = len(copy_demo(target)), len(demo_data_set().files)
        exist = "" if written == total else f"; {counted(total - written, 'file')} existed and kept their content"
        emit(f"{DEMO}: {written} of {total} files written into {target}{exist}\n", None)
    root = Path(folder) if folder is not None else downloads_folder() if datasets else Path()
    for dataset in datasets:
        target = root / dataset.name
        place = located(dataset.name) if folder is not None and host is None else None
        if place is not None and place[1].resolve() != target.resolve():
            files, action = copy_data_set(dataset, place[1], target), "copied"
        else:
            with progress(dataset.name, total=sum(file.download_bytes for file in dataset.files)) as advance:
                files, action = fetch_data_set(dataset, target, host=host or HOST, advance=advance), "fetched"
        emit(f"{dataset.name}: {len(files)} of {len(dataset.files)} files {action} into {target}\n", None)


def _location(dataset: DataSet) -> tuple[str, str | None]:
    if dataset.name == DEMO:
        return "bundled", None
    where = located(dataset.name)
    return ("not here", None) if where is None else (where[0], str(where[1]))


def _size(count: int) -> str:
    return f"{count / 1e6:.1f} MB" if count >= 100_000 else f"{count / 1e3:.0f} kB"


def _described(dataset: DataSet) -> dict[str, Any]:
    location, folder = _location(dataset)
    return {
        "name": dataset.name,
        "what": dataset.what,
        "licence": dataset.licence,
        "terms": dataset.terms,
        "citation": dataset.citation,
        "source": dataset.page,
        "recipe": dataset.recipe,
        "bytes": dataset.bytes,
        "found": location,
        "folder": folder,
        "can_be_fetched": dataset.can_be_fetched,
        "files": [{"name": file.name, "bytes": file.bytes, "sha256": file.sha256} for file in dataset.files],
    }
