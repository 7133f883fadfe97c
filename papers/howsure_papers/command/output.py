"""What `howsure reproduce` prints, and the page and figures that it writes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from howsure.cli.terminal.commands import Written, WrittenFolder
from howsure.cli.terminal.output import emit, json_text
from howsure.files.whole import write_whole
from howsure_papers import Reproduction
from howsure_papers.command.page import as_page, as_text, summary

PLACES = ("--data", "--format", "--figures", "--page")


@dataclass(frozen=True, slots=True)
class Output:
    """Where the results of an experiment go: `form` on the screen, `figures` into a folder, a `page` of Markdown."""

    form: str
    figures: str | None
    page: str | None

    def show(self, result: Reproduction) -> None:
        """Write the figures and the page, and print what was found."""
        drawn = result.draw() if self.figures is not None or self.page is not None else {}
        if self.figures is not None:
            _save(drawn, Path(self.figures), ("svg", "png"))
        if self.page is not None:
            _write_page(result, drawn, Path(self.page))
        if self.form == "json":
            emit(json_text(result.to_dict() | {"summary": summary(result, _limit())}), None)
        else:
            emit(as_text(result, limit=_limit()), None)


def output_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add --format, --figures and --page to a command, which gets them as one `output`."""

    @click.option("--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True)
    @click.option(
        "--figures", type=WrittenFolder(), metavar="FOLDER", help="Draw the figures into a folder, as SVG and PNG."
    )
    @click.option(
        "--page",
        type=Written(".md"),
        metavar="FILE.md",
        help="Write a Markdown page, with its figures in a folder beside it.",
    )
    @functools.wraps(function)
    def command(*, form: str, figures: str | None, page: str | None, **options: Any) -> None:
        function(output=Output(form, figures, page), **options)

    return command


def _write_page(result: Reproduction, drawn: Mapping[str, Any], page: Path) -> None:
    folder = page.with_suffix("")
    _save(drawn, folder, ("svg",))
    pictures = {name: f"{folder.name}/{name}.svg" for name in drawn}
    command = f"{_command()} --page {page.name}"
    write_whole(as_page(result, command, pictures, limit=_limit()).encode(), page)


def _command() -> str:
    """The command as it was given, without where its results go."""
    context = click.get_current_context()
    options = [(one.opts[0], one.default, context.params.get(one.name or "")) for one in context.command.params]
    given = [(name, value) for name, default, value in options if value not in (default, None)]
    changed = [f"{name} {value}" for name, value in given if name not in PLACES]
    return " ".join([context.command_path, *changed])


def _limit() -> int | None:
    """What the command was given as --limit."""
    limit: int | None = click.get_current_context().params.get("limit")
    return limit


def _save(drawn: Mapping[str, Any], folder: Path, kinds: tuple[str, ...]) -> None:
    from howsure.figures.files import save_figure

    folder.mkdir(parents=True, exist_ok=True)
    for name, figure in drawn.items():
        for kind in kinds:
            save_figure(figure, folder / f"{name}.{kind}")
