"""Finding the events of another rule in the documents of a store, with the stored parse."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from howsure.data.documents.document import Document, Sentence
from howsure.errors import InputError
from howsure_events.corpus import ALL, Filter, InputDocument, Part
from howsure_events.extraction.extract_document import LAYERS, VOICES, Model
from howsure_events.extraction.extract_events import Advance, ExtractionReport, fill_store, lexicon_recipe, model_digest
from howsure_events.extraction.processes import Work
from howsure_events.labels.answers import Labelling, find_labelling
from howsure_events.lexicon import Lexicon
from howsure_events.rule import Rule
from howsure_events.store.event_store import EventStore
from howsure_events.store.store_queries import REMEDY, Store, is_imported, query_rows
from howsure_events.store.tables import LABEL_TABLES, column_types
from howsure_text.coreference.antecedent_model import AntecedentModel


def carry_labels(source: Store, target: EventStore) -> Labelling | None:
    """Copy the draws, strata and answers of a store to another store of the same documents; return their question.

    Strata and answers of documents that the target does not contain are not copied; within a stratum, the others are
    still a random sample. Returns None, and copies nothing, if the source has no labels or the target has some.
    """
    labelling = find_labelling(source)
    if labelling is None or find_labelling(target) is not None:
        return None
    kept = {number for (number,) in query_rows(target, "SELECT document FROM documents")}
    with target.transaction():
        target.append({table: _rows(source, table, kept) for table in LABEL_TABLES})
    return labelling


def _rows(source: Store, table: str, kept: set[int]) -> dict[str, list[Any]]:
    """Return the columns of a table, without rows of documents that are not kept."""
    names = list(column_types(table))
    rows = query_rows(source, f"SELECT {', '.join(names)} FROM {table}")
    if "document" in names:
        place = names.index("document")
        rows = [row for row in rows if row[place] in kept]
    return {name: [row[at] for row in rows] for at, name in enumerate(names)}


FETCHED = 256  # documents read at a time
NEEDED: dict[str, tuple[str, ...]] = {  # settings that recounting needs, with their fields
    "rule": ("labels",),
    "model": ("name", "digest"),
    "lexicon": ("name", "stemming", "match_case"),
    "filters": tuple(Filter.__slots__),
}
HEADERS = """
    SELECT document, id, date, title, category, story, reason FROM (
        SELECT document, id, date, title, category, story, NULL AS reason FROM documents
        UNION ALL SELECT document, id, date, NULL, NULL, NULL, reason FROM left_out)
    WHERE document BETWEEN $low AND $high ORDER BY document"""
PARSES = f"""
    SELECT document, words, spaces, {", ".join((*LAYERS, *VOICES))} FROM sentences
    WHERE document BETWEEN $low AND $high ORDER BY document, sentence"""


class StoredCorpus:
    """All documents recorded in a store, with their parse, in input order; they can be read from any position."""

    def __init__(self, store: EventStore) -> None:
        self.store = store
        self.total = store.next_document

    def documents(self, start: int = 0, part: Part = ALL) -> Iterator[InputDocument]:
        """Yield the documents of a part from a position on, with only a few in memory at a time."""
        for low in range(start, self.total, FETCHED):
            bounds = {"low": low, "high": low + FETCHED - 1}
            parses: dict[int, list[Sentence]] = {}
            for document, *layers in query_rows(self.store, PARSES, **bounds):
                parses.setdefault(document, []).append(_sentence(*layers))
            for number, name, date, title, category, story, reason in query_rows(self.store, HEADERS, **bounds):
                parsed = Document(name, tuple(parses.get(number, ()))) if reason is None else None
                day = None if date is None else date.isoformat()
                input_document = InputDocument(number, name, day, title, category, "", story=story)
                if part.holds(number):
                    yield replace(input_document, parsed=parsed, left_out=reason)


def recount_events(
    store: EventStore,
    path: str | os.PathLike[str],
    *,
    rule: Rule,
    model: Model | None = None,
    since: str | None = None,
    until: str | None = None,
    workers: int = 1,
    advance: Advance | None = None,
) -> ExtractionReport:
    """Write a store at `path` with the documents of `store` and the events that another rule finds in them.

    Nothing is parsed again, because the store contains the parse, the names of actors and the settings. The result has
    the same rows as that of `extract_events` with this rule, and can be resumed in the same way. Labels are copied:
    they say which actors act in a document according to the coders' question, and do not depend on the rule.

    model: the antecedent model with which the store was made; by default the bundled one. since, until: documents of
    other days are left out.

    Raises InputError if the store is unfinished or is the file at `path`, if its settings are incomplete, if the rule
    expects other labels than those of the parse, if the model differs, or if the days extend beyond those of the store;
    also the errors of `extract_events`.
    """
    target, chosen = Path(path), AntecedentModel.pretrained() if model is None else model
    _check(store, target, rule, chosen)
    was = store.settings
    filters = _narrowed(Filter(**{name: was["filters"][name] for name in Filter.__slots__}), since, until)
    lexicon = stored_lexicon(store)
    work = Work(
        parser=None, model=chosen, lexicon=lexicon, rule=rule, samples=was["samples"], seed=was["seed"], filter=filters
    )
    changed = {
        "rule": rule.to_dict(),
        "lexicon": lexicon_recipe(lexicon),
        "filters": {name: getattr(filters, name) for name in Filter.__slots__},
    }
    kept = {name: value for name, value in was.items() if name not in ("version", "howsure", "finished")}
    report = fill_store(
        StoredCorpus(store), target, work=work, settings={**kept, **changed}, workers=workers, advance=advance
    )
    if not report.interrupted and find_labelling(store) is not None:
        with EventStore.open(target, read_only=False) as made:
            carry_labels(store, made)
    return report


def stored_lexicon(store: EventStore) -> Lexicon:
    """Return the lexicon of actors with which a store was made."""
    settings = store.settings.get("lexicon")
    if not isinstance(settings, Mapping) or "names" not in store.settings:
        raise InputError(f"{store.path} does not contain the names of its actors; extract the events again.")
    entries = [(str(code), str(name)) for code, name in store.settings["names"]]
    titles: dict[str, str] = store.settings["actors"]
    return Lexicon(entries, settings["stemming"], settings["match_case"], titles=titles, name=settings["name"])


def stored_label_scheme(store: EventStore) -> str:
    if is_imported(store.settings):
        raise InputError(
            f"{store.path} cannot be counted again: its events were imported, so it has no parse to which another rule "
            "could be applied. Import the scores of another question into a store of its own."
        )
    for name in ("finished", "names", "actors", "samples", "seed", *NEEDED):
        labels, fields = store.settings.get(name), NEEDED.get(name)
        if labels is None or (fields and not (isinstance(labels, Mapping) and labels.keys() >= set(fields))):
            raise InputError(f"{store.path} cannot be counted again: {name} is incomplete in its settings. {REMEDY}.")
    return str(store.settings["rule"]["labels"])


def _narrowed(filters: Filter, since: str | None, until: str | None) -> Filter:
    """Return the filters of a store, restricted to fewer days."""
    narrower = Filter(since=since, until=until)
    for name, day, was in (("since", narrower.since, filters.since), ("until", narrower.until, filters.until)):
        if day and was and (day < was if name == "since" else day > was):
            raise InputError(f"{name} must be within the days of the store; it is {day}, and the store's is {was}.")
    return replace(filters, since=narrower.since or filters.since, until=narrower.until or filters.until)


def _check(store: EventStore, target: Path, rule: Rule, model: Any) -> None:
    labels = stored_label_scheme(store)
    if not store.settings["finished"]:
        raise InputError(f"{store.path} is not finished: run its extract command again, then recount it.")
    if target.exists() and target.samefile(store.path):
        raise InputError(f"{target} is the store that is counted again; name another store.")
    if rule.function is None and rule.labels != labels:
        raise InputError(
            f"the parse uses {labels!r} labels, but the rule expects {rule.labels!r}; set labels: {labels}."
        )
    was = store.settings["model"]
    if model_digest(model) != was["digest"]:
        raise InputError(f"{store.path} was made with the model {was['name']}. Pass this model.")


def _sentence(words: list[str], spaces: list[bool], *layers: Any) -> Sentence:
    """Return a sentence as originally parsed."""
    parse = {name: None if layer is None else tuple(layer) for name, layer in zip(LAYERS, layers, strict=False)}
    voices = {name: voice for name, voice in zip(VOICES, layers[len(LAYERS) :], strict=True) if voice is not None}
    return Sentence(tuple(words), spaces=tuple(spaces), metadata=voices, **parse)
