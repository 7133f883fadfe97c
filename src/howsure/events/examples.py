"""The bundled news as a store, to try things on."""

from __future__ import annotations

import os
import tempfile
from importlib.resources import as_file, files
from pathlib import Path

from howsure.coreference.storage import AntecedentModel
from howsure.events.input import Fields, open_corpus
from howsure.events.lexicon import Lexicon
from howsure.events.parsing import ConlluParser
from howsure.events.pipeline import extract_events, recipe_of
from howsure.events.rules import built_in_rule
from howsure.events.storage import EventStore
from howsure.events.work import Work


def example_store(path: str | os.PathLike[str] | None = None) -> EventStore:
    """An open store of 48 invented news items about states that do not exist, made by the shipped model; 1 second.

    It is written to `path`, or to a temporary folder; a store that stands at `path` already is opened.

    >>> with example_store() as store:
    ...     store.ask("SELECT count(*) FROM documents")
    [(48,)]
    """
    target = Path(tempfile.mkdtemp(), "news.duckdb") if path is None else Path(path)
    with as_file(files("howsure") / "data" / "demo") as folder:
        corpus = open_corpus([folder / "news.conllu"], fields=Fields())
        lexicon = Lexicon.read(folder / "actors.tsv")
        work = Work(parser=None, model=AntecedentModel.pretrained(), lexicon=lexicon, rule=built_in_rule("attack"))
        settings = recipe_of(corpus, work=work, parser=ConlluParser().recipe, lexicon="actors.tsv", model="pretrained")
        extract_events(corpus, target, work=work, settings=settings, workers=1)
    return EventStore.open(target)
