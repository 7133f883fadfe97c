"""The dependency relations in and around entities of actors, over a corpus, for writing rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

from howsure.coreference.mentions.detection import detect_mentions
from howsure.coreference.mentions.selection import MOST_MENTIONS
from howsure.coreference.posterior.decisions import best_antecedents
from howsure.data.documents.document import Document
from howsure.data.parses.parsed_document import ParsedDocument
from howsure.events.corpus.documents import Corpus, InputDocument
from howsure.events.extraction.dependencies import DependencyCounts, count_dependencies
from howsure.events.extraction.worker import Work, Worker
from howsure.events.parts.part import BATCH


def survey_dependencies(
    corpus: Corpus, *, work: Work, limit: int | None = None, advance: Callable[[int], None] | None = None
) -> DependencyCounts:
    """The counts of `count_dependencies` over the documents that are kept, the first `limit` of the input.

    The entities are those of the 1-best clustering. Documents that name no actor contribute nothing.
    """
    worker, counts = Worker(work), DependencyCounts()
    documents = islice(corpus.documents(), limit)
    while batch := list(islice(documents, BATCH)):
        for document in worker.parser.parse(_naming(batch, worker)):
            counts += _counts(document, work)
        if advance is not None:
            advance(len(batch))
    return counts


def _naming(batch: Sequence[InputDocument], worker: Worker) -> list[Any]:
    """The parser's input for documents that are kept and name an actor."""
    ready = []
    for document in batch:
        reason, prepared, words = worker.prepared(document)
        if reason is None and worker.work.lexicon.match(words):
            ready.append(prepared)
    return ready


def _counts(document: Document, work: Work) -> DependencyCounts:
    parsed = ParsedDocument.of(document)
    mentions = detect_mentions(parsed)
    if len(mentions) > MOST_MENTIONS:
        return DependencyCounts()
    entities = best_antecedents(work.model.posterior(parsed, mentions=mentions).antecedents)
    return count_dependencies(parsed, mentions, entities.tolist(), lexicon=work.lexicon, rule=work.rule)
