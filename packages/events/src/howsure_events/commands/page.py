"""`howsure events explore` and `howsure events report`: a store as a page, served here or as one file."""

from __future__ import annotations

import contextlib
import webbrowser
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from howsure.inputs.periods import PERIODS
from howsure_cli.terminal.commands import PAGES, Command, OutputFile
from howsure_cli.terminal.options import CLUSTERINGS, as_names, in_order, level_option
from howsure_cli.terminal.output import emit, progress, say
from howsure_events.languages import ENGLISH, LANGUAGES
from howsure_events.store.event_store import EventStore

if TYPE_CHECKING:
    from howsure.regression.results import PredictedRegression
    from howsure_events.explorer import Room, Visitor

EXPOSED = (
    "howsure: other machines can reach the page at {host}, and anyone who has its address with the token can read "
    "{what}; the connection is not encrypted. Without --host, only this machine can reach it."
)

language_option = click.option(
    "--language", type=click.Choice(LANGUAGES), default=ENGLISH, show_default=True, help="Language of the page."
)
serving_options = in_order(
    [
        click.option(
            "--port",
            type=click.IntRange(0, 65535),
            default=8350,
            show_default=True,
            help="Port of the page; 0: any free port.",
        ),
        click.option("--host", default="127.0.0.1", show_default=True, help="Address at which to serve the page."),
        click.option(
            "--name",
            "names",
            multiple=True,
            metavar="HOST",
            help="Another host name for the page, as in the browser's address bar; repeatable.",
        ),
        click.option("--open/--no-open", "show", default=True, show_default=True, help="Open the page in the browser."),
        language_option,
    ]
)


def serve_page(
    store: EventStore,
    *,
    port: int,
    host: str,
    names: tuple[str, ...],
    show: bool,
    language: str,
    what: str,
    links: Callable[[Mapping[Visitor, str]], str],
    room: Room | None = None,
    regression: PredictedRegression | None = None,
) -> None:
    """Serve the page of a store, or its labelling page, until Ctrl-C.

    what: what visitors of the page can read or do, for a warning. links: formats the URLs that open the page.
    """
    from howsure_events.explorer import Address, Opening, serve

    address = Address(host, port, names)
    if not address.is_private:
        say(EXPOSED.format(host=host, what=what))

    def ready(opening: Opening) -> None:
        emit(f"{store.path} is {links(opening.addresses)}\n", None)
        if show:
            webbrowser.open(opening.once)

    serve(store, address, ready=ready, room=room, regression=regression, language=language)


regression_option = click.option(
    "--regression", metavar="FILE", help="Show the table of FILE, which `events regress --format json` wrote of STORE."
)


def _regression(store: EventStore, file: str | None) -> PredictedRegression | None:
    from howsure_events.series.regress_events import saved_regression

    return None if file is None else saved_regression(store, file)


@click.command("explore", cls=Command)
@click.argument("store", metavar="STORE")
@regression_option
@serving_options
def explore_command(store: str, regression: str | None, **serving: Any) -> None:
    """Open a page on this machine for exploring STORE; Ctrl-C ends it.

    \b
    howsure events explore news.duckdb

    Series with intervals, the documents behind each point, their entities sample by sample, and comparisons of actors.
    """
    with EventStore.open(store) as opened, contextlib.suppress(KeyboardInterrupt):
        regression_result = _regression(opened, regression)
        serve_page(opened, what="all documents", links=_shown_at, regression=regression_result, **serving)


def _shown_at(addresses: Mapping[Visitor, str]) -> str:
    (address,) = addresses.values()
    return f"shown at {address} (Ctrl-C ends it)"


@click.command("report", cls=Command)
@click.argument("store", metavar="STORE")
@click.argument("page", type=OutputFile(*PAGES), metavar="OUT.html", required=False)
@click.option("--output", type=OutputFile(*PAGES), metavar="FILE", help="The same as OUT.html.")
@click.option(
    "--actors",
    metavar="A,B,…",
    is_flag=False,
    flag_value="?",  # whose refusal lists the actors
    callback=as_names,
    help="Codes of the actors (default: the 8 with most events).",
)
@click.option(
    "--period",
    metavar="A,B,…",
    callback=as_names,
    help=f"Lengths of period: {', '.join(PERIODS)} (default: all that give at most 600 periods).",
)
@click.option(
    "--documents",
    type=click.IntRange(min=1),
    default=300,
    show_default=True,
    help="Number of texts in the file, the most uncertain first.",
)
@click.option("--samples", type=CLUSTERINGS, default=10, show_default=True)
@level_option
@regression_option
@language_option
def report_command(store: str, page: str | None, output: str | None, regression: str | None, **options: Any) -> None:
    """Write the page of STORE as one file that opens without a network or a server.

    \b
    howsure events report news.duckdb news.html --actors IRQ,USA --documents 100
    """
    from howsure_cli.report.pages import write_report
    from howsure_events.explorer import events_report

    if page is not None and output is not None:
        raise click.UsageError("OUT.html and --output name the same file: give one of them.")
    if (page := page or output) is None:
        raise click.UsageError(f"Name the file to write: howsure events report {store} OUT.html")

    with EventStore.open(store) as opened:
        regression_result = _regression(opened, regression)
        html = events_report(
            opened, regression=regression_result, bar=lambda n, unit: progress(unit, total=n), **options
        )
    write_report(html, page)
    emit(f"{page}: {len(html.encode()) / 1e6:.1f} MB\n", None)
