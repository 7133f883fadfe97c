"""`howsure events label`: draw documents of a store, and read them in the page."""

from __future__ import annotations

import contextlib
import textwrap
import webbrowser
from typing import TYPE_CHECKING, Any

import click

from howsure.cli.events.queries import as_groups
from howsure.cli.terminal.commands import Command
from howsure.cli.terminal.output import emit, say, table_text
from howsure.errors import InputError
from howsure.events.labels.bands import LENGTHS
from howsure.events.labels.draw import DESIGNS, asked_otherwise, draw_documents
from howsure.events.labels.labelling import asked_of, labelling_of
from howsure.events.labels.progress import reading_order
from howsure.events.store.event_store import EventStore
from howsure.events.store.reading import rows_of
from howsure.inputs.naming import counted

if TYPE_CHECKING:
    from howsure.explorer import Address, Room

LABELS = 200
OPTIONS = {"actors": "--actor", "question": "--question", "by": "--by", "design": "--design"}
WRITABLE = (
    "howsure: other machines can reach the page at {host}, and anyone who has its address with the token can read the "
    "documents and answer; the connection is not encrypted. Without --host, only this machine can reach it."
)


def as_codes(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> list[str] | None:
    """Codes or names of actors, in one list; None if none is given."""
    return [code for group in as_groups(context, parameter, values) for code in group] or None


@click.command("label", cls=Command)
@click.argument("path", metavar="STORE")
@click.option("--labels", "n", type=click.IntRange(min=1), metavar="N",
              help=f"Number of documents to read in all (default: {LABELS}, or those drawn before).")  # fmt: skip
@click.option("--actor", "actors", multiple=True, callback=as_codes, metavar="ACTOR[,ACTOR]…",
              help="Actor to ask for, by code or name; at most 9, repeatable (default: most frequent).")  # fmt: skip
@click.option("--question", metavar="TEXT", help="What readers are asked (default: made of the rule).")
@click.option("--by", type=click.Choice(LENGTHS),
              help="Periods that all get labels (default: quarter; longer ones if N is too small).")  # fmt: skip
@click.option("--design", type=click.Choice(DESIGNS), help="Sampling method (default: stratified).")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Random seed of the draw.")
@click.option("--draw-only", is_flag=True, help="Draw, and do not open the page.")
@click.option("--assisted", is_flag=True, help="Show coders what the rule found (default: the text alone).")
@click.option("--port", type=click.IntRange(0, 65535), default=8350, show_default=True,
              help="Port of the page; 0: any free port.")  # fmt: skip
@click.option("--host", default="127.0.0.1", show_default=True, help="Address at which to serve the page.")
@click.option("--name", "names", multiple=True, metavar="NAME",
              help="Another host name for the page, as in the browser's address bar; repeatable.")  # fmt: skip
@click.option("--open/--no-open", "show", default=True, show_default=True, help="Open the page in the browser.")
def label_command(
    path: str, n: int | None, draw_only: bool, assisted: bool, port: int, host: str,
    names: tuple[str, ...], show: bool, **options: Any,
) -> None:  # fmt: skip
    """Draw documents of STORE at random, and read them in a page: which actors act in each? Ctrl-C ends it.

    \b
    howsure events label news.duckdb --labels 200
    howsure events label news.duckdb --actor IRQ,USA --question "Which of these bomb here?"

    Every answer is stored at once: rerun the same command to resume, with a larger N to read more. Documents in which
    the rule found nothing are drawn too, since events that it misses are there.
    """
    with EventStore.open(path, read_only=False) as store, contextlib.suppress(KeyboardInterrupt):
        _draw(store, n, options)
        if not draw_only:
            from howsure.explorer import Address, Room

            _serve(store, Address(host, port, names), Room(store, assisted=assisted), show)


def _draw(store: EventStore, number: int | None, options: dict[str, Any]) -> None:
    """Draw what is lacking to a number of documents in all."""
    drawn = 0 if labelling_of(store) is None else len(reading_order(store))
    stored = int(rows_of(store, "SELECT count(*) FROM documents")[0][0])
    if number is not None and number > stored:
        raise InputError(
            f"--labels must be at most the number of documents in {store.path}, {stored:,}; it is {number:,}."
        )
    wanted = number or drawn or max(min(LABELS, stored), 1)
    if wanted > drawn:
        table = draw_documents(store, wanted - drawn, **options).table()
        emit(
            table_text(table) + "".join(f"{line}\n" for note in table.notes for line in textwrap.wrap(note, 100)), None
        )
        return
    asked = asked_of(store)
    changed = asked_otherwise(store, asked, {name: options[name] for name in OPTIONS})
    if changed is not None:
        raise InputError(
            f"{store.path} has {counted(drawn, 'drawn document')} already, about {', '.join(asked.actors)}: "
            f"{asked.question} Leave {OPTIONS[changed]} out to go on with them."
        )
    emit(f"{counted(drawn, 'document')} drawn before: {asked.question}\n", None)


def _serve(store: EventStore, address: Address, room: Room, show: bool) -> None:
    from howsure.explorer import Opening, serve

    if not address.is_private:
        say(WRITABLE.format(host=address.host))

    def ready(opening: Opening) -> None:
        emit(f"{store.path} is labelled at {opening.address} (Ctrl-C ends it; every answer is stored at once)\n", None)
        if show:
            webbrowser.open(opening.once)

    serve(store, address, ready=ready, room=room)
