"""Processing a batch of documents, in this process or another: parse, extract, convert to rows."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from howsure.coreference.mentions.selection import MOST_MENTIONS
from howsure.data.documents.document import Document
from howsure.data.parses.parsed_document import ParsedDocument
from howsure.events.actors.lexicon import Lexicon
from howsure.events.corpus.documents import InputDocument
from howsure.events.corpus.filters import EMPTY, TOO_LONG, Filter
from howsure.events.corpus.parsers import parser_of
from howsure.events.extraction.one_document import Model, document_seed, extract
from howsure.events.extraction.rows import Rows, Tables
from howsure.events.extraction.scored_coreference import candidate_mentions
from howsure.events.rules.rule import Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """The processing of every document. `parser` is the name or path of a spaCy pipeline; None if documents are already
    parsed."""

    parser: str | None
    model: Model
    lexicon: Lexicon
    rule: Rule
    samples: int = 100
    seed: int = 0
    filter: Filter = field(default_factory=Filter)


@dataclass(frozen=True, slots=True)
class Batch:
    """The result of a batch: rows of the tables, and the seconds taken by parsing and by the rest.

    mentions_left_out: those of the scores of another model that the documents cannot have.
    """

    tables: Tables
    read: int
    seconds_parsing: float
    seconds_rest: float
    mentions_left_out: int = 0


class Worker:
    """Does the work, batch by batch."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.mentions_left_out = 0
        self.parser = parser_of(work.parser)

    def __call__(self, batch: Sequence[InputDocument]) -> Batch:
        """The rows of a batch, independent of earlier batches."""
        rows, kept, ready = Rows(), list[InputDocument](), list[Any]()
        started = time.perf_counter()
        for document in batch:
            reason, prepared, _ = self.prepared(document)
            if reason is None:
                kept.append(document)
                ready.append(prepared)
            else:
                rows.leave_out(document, reason)
        parsed = self.parser.parse(ready)
        self.mentions_left_out = 0
        between = time.perf_counter()
        for source, found in zip(kept, parsed, strict=True):
            self.add(rows, source, found)
        tables = rows.tables()
        seconds = between - started, time.perf_counter() - between
        return Batch(tables, len(batch), *seconds, self.mentions_left_out)

    def prepared(self, document: InputDocument) -> tuple[str | None, Any, Sequence[str]]:
        """The reason to leave out a document, or None, its input for the parser, and its words."""
        work = self.work
        reason = work.filter.reason(document)
        if reason is not None:
            return reason, None, ()
        found = self.parser.words(document)
        if found is None:
            return TOO_LONG, None, ()
        return work.filter.reason_of_words(found[1], work.lexicon), *found

    def add(self, rows: Rows, source: InputDocument, document: Document) -> None:
        """The extraction of a parsed document, as rows."""
        work = self.work
        parsed = ParsedDocument.of(document)
        mentions, left_out = candidate_mentions(work.model, parsed)
        self.mentions_left_out += left_out
        if not document.sentences or len(mentions) > MOST_MENTIONS:
            rows.leave_out(source, TOO_LONG if document.sentences else EMPTY)
            return
        rng = document_seed(work.seed, source.id)
        model, lexicon, rule = work.model, work.lexicon, work.rule
        found = extract(
            parsed, model=model, lexicon=lexicon, rule=rule, samples=work.samples, rng=rng, mentions=mentions
        )
        rows.add(source, found)
