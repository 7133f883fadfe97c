"""An example store, made from the bundled news."""

from __future__ import annotations

import os
import tempfile
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

from howsure.files.atomic_write import write_atomically
from howsure_events.corpus import Fields
from howsure_events.extraction.extract_events import extract_events
from howsure_events.extraction.open_corpus import open_corpus
from howsure_events.extraction.processes import Work
from howsure_events.lexicon import Lexicon
from howsure_events.rule import built_in_rule
from howsure_events.store.event_store import EventStore
from howsure_events.store.integrity import remember_undamaged, store_state
from howsure_text.coreference.antecedent_model import AntecedentModel


def example_store(path: str | os.PathLike[str] | None = None) -> EventStore:
    """Open an example store: 48 invented news items about fictitious states, extracted with the bundled model.

    The store is written to `path` or, by default, to a temporary folder; an existing store at `path` is opened. The
    first call takes 1 second.

    >>> with example_store() as store:
    ...     store.ask("SELECT count(*) FROM documents")
    [(48,)]
    """
    target = Path(tempfile.mkdtemp(), "news.duckdb") if path is None else Path(path)
    if target.exists():
        _extract_to(target)
    else:
        write_atomically(_news(), target)
        remember_undamaged(target, store_state(target))
    return EventStore.open(target)


@cache
def _news() -> bytes:
    """Return the content of the store's file."""
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, "news.duckdb")
        _extract_to(made)
        return made.read_bytes()


def _extract_to(target: Path) -> None:
    with as_file(files("howsure_cli") / "demo") as folder:
        corpus = open_corpus([folder / "news.conllu"], fields=Fields())
        lexicon = Lexicon.read(folder / "actors.tsv")
        work = Work(parser=None, model=AntecedentModel.pretrained(), lexicon=lexicon, rule=built_in_rule("attack"))
        extract_events(corpus, target, work=work)
