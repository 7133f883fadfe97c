"""From the texts of an experiment to a store of events."""

from __future__ import annotations

import json
import os
from pathlib import Path

from howsure.coreference.storage import AntecedentModel
from howsure.errors import InputError
from howsure.events.input import Fields, open_corpus
from howsure.events.lexicon import Lexicon
from howsure.events.parsing import SpacyParser
from howsure.events.pipeline import ExtractionReport, extract_events, recipe_of
from howsure.events.rules import Rule
from howsure.events.work import Work
from howsure.data.registry import VARIABLE
from howsure.reproductions.events_corpora import News
from howsure.reproductions.reproduction import Advance

PIPELINE = "en_ud_small"
SAMPLES = 100


def default_parser(data: str | None) -> str:
    """The small pipeline in the folder `models` beside that of the data sets."""
    folder = data or os.environ.get(VARIABLE)
    if folder is None:
        raise InputError(f"name a spaCy pipeline, --parser en_core_web_sm, or set {VARIABLE}.")
    return str(Path(folder).parent / "models" / PIPELINE)


def store_events(
    news: News, path: Path, *, parser: str, rule: Rule, lexicon: Lexicon, seed: int, workers: int, advance: Advance
) -> ExtractionReport:
    """Parse the items and write what the rule finds in S samples of each to a store; `advance` is told of items."""
    texts = path.with_suffix(".jsonl")
    rows = ({"id": one.id, "date": one.date, "title": one.title, "text": one.text} for one in news.items)
    texts.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    corpus = open_corpus([texts], fields=Fields(id="id", date="date", title="title", text="text"))
    work = Work(
        parser=parser, model=AntecedentModel.pretrained(), lexicon=lexicon, rule=rule, samples=SAMPLES, seed=seed
    )
    pipeline = SpacyParser(parser)
    recipe = recipe_of(corpus, work=work, parser=pipeline.recipe, lexicon="countries", model="pretrained")
    return extract_events(corpus, path, work=work, settings=recipe, workers=workers, advance=advance)
