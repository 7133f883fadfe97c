"""Import of the scores of any model into an events store."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from howsure.errors import InputError
from howsure.inputs.arguments import Randomness, generator_from
from howsure.inputs.numbers_and_names import MAX_CLUSTERINGS, check_integer
from howsure.inputs.pairs import Bools, Floats
from howsure_events.corpus import NO_DATE, Filter, InputDocument
from howsure_events.extraction.extract_document import COLUMNS, Rows, bits, document_seed
from howsure_events.extraction.imported_scores import Score, Scores
from howsure_events.labels.draw_documents import UNNAMED, checked_question
from howsure_events.store.event_store import EventStore, write_store_atomically
from howsure_events.store.store_queries import is_imported
from howsure_events.stories import MIN_SHARED, WORDS, find_stories


def draw_samples(probabilities: Floats, n_samples: int, *, rng: Randomness = None) -> Bools:
    """Draw S independent samples for each of A probabilities: booleans (A, S).

    An event with probability p is in ⌊p S⌋ or ⌊p S⌋ + 1 of the samples, at random, so that the proportion of samples
    differs from p by less than 1/S and equals p on average. Sums over many documents therefore have no rounding bias.

    >>> draw_samples(np.array([0.0, 0.25, 1.0]), 8, rng=0).sum(axis=1).tolist()
    [0, 2, 8]
    """
    generator = generator_from(rng)
    chance = np.asarray(probabilities, dtype=np.float64)[:, np.newaxis]
    ranks = generator.permuted(np.tile(np.arange(n_samples), (len(chance), 1)), axis=1)
    return np.asarray((ranks + generator.random(chance.shape) < chance * n_samples) | (chance >= 1.0))


WORD = re.compile(r"\w+(?:[-'’]\w+)*|[^\w\s]")
END = re.compile(r"[.!?…]+[\"'”’)\]]*\s+|[。！？]+")
Sentence = tuple[list[str], list[bool]]


def split_sentences(text: str) -> list[Sentence]:
    """Split a text into sentences of words without a parser; return the words, and whether a space follows each.

    This is sufficient to show a text. A sentence ends at the end of a line, or with `.`, `!` or `?` unless a small
    letter follows. Only white space is lost.

    >>> split_sentences("They didn't attack. He left.")
    [(['They', "didn't", 'attack', '.'], [True, True, False, True]), (['He', 'left', '.'], [True, False, True])]
    """
    sentences = [_words(part) for line in text.splitlines() for part in _parts(line)]
    return [sentence for sentence in sentences if sentence[0]]


def _parts(line: str) -> list[str]:
    cuts = [end.end() for end in END.finditer(line) if not line[end.end() : end.end() + 1].islower()]
    return [line[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(line)], strict=True)]


def _words(part: str) -> Sentence:
    matches = list(WORD.finditer(part))
    nexts = [match.start() for match in matches[1:]]
    return [match[0] for match in matches], [
        *(after > match.end() for match, after in zip(matches, nexts, strict=False)),
        *([True] if matches else []),
    ]


BATCH = 1_000  # documents that are stored together
EVEN = 0.5  # an event with a higher probability is in the 1-best outcome
Advance = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class ImportReport:
    """The contents of a store after an import.

    with_events: documents with an event of probability above 0. lowest: the minimum, over these documents, of the
    highest probability of an event; NaN without events. left_out: documents without a valid date. empty: documents with
    an empty text. was_there: whether an earlier import had already written the store.
    """

    documents: int
    with_events: int
    lowest: float
    left_out: int
    words: int
    empty: int
    samples: int
    was_there: bool


def import_events(
    scores: Scores,
    path: str | os.PathLike[str],
    *,
    event: str = UNNAMED,
    question: str | None = None,
    samples: int = 100,
    rng: int = 0,
    advance: Advance | None = None,
) -> ImportReport:
    """Write the events that another model found to a store at `path`.

    event: the name of the events. question: the question to coders; by default made from `event`. samples: number of
    samples drawn from each probability, as if all events were independent, including those of one document.

    Probabilities are stored unchanged; the proportion of samples with an event differs from its probability by less
    than 1/samples. An event with a probability above 1/2 is in the 1-best outcome. Texts are split into sentences and
    words, but not parsed, so there are no mentions and no evidence. A store that the same import wrote before is left
    unchanged.

    Raises InputError if `path` is a file that is not a store of this import, or for an invalid option; StoreError if it
    cannot be written.
    """
    n = check_integer(samples, name="samples", least=2, most=MAX_CLUSTERINGS)
    seed = check_integer(rng, name="rng", least=0)
    if not event.strip():
        raise InputError("event must be a name; it is empty.")
    question_settings = {} if question is None else {"question": checked_question(question)}
    settings = {
        "input": scores.recipe,
        "imported": {"probabilities": "given", "samples": "drawn"},
        "parser": "none",
        "rule": {"name": event, **question_settings},
        "lexicon": "none",
        "names": [],
        "actors": {actor: actor for actor in scores.actors},
        "model": "imported",
        "samples": n,
        "seed": seed,
        "filters": {name: getattr(Filter(), name) for name in Filter.__slots__},
        "stories": {"column": scores.corpus.fields.story}
        if scores.corpus.fields.story
        else {"shared": MIN_SHARED, "words": WORDS},
    }
    target = Path(path)
    if target.exists():
        with EventStore.open(target) as store:
            if not is_imported(store.settings):
                raise InputError(f"{target} is a store of extracted events; name another store, or remove it.")
            store.check_settings(settings)
            return _report(store, n, was_there=True)
    with write_store_atomically(target, settings) as store:
        for tables, count in _batches(scores, n, seed):
            store.append(tables)
            if advance is not None:
                advance(count)
        store.finish(find_stories(store))
        return _report(store, n, was_there=False)


def _batches(scores: Scores, n: int, seed: int) -> Iterator[tuple[dict[str, Any], int]]:
    """Yield the rows of a batch of documents, and the number of these documents."""
    scored = groupby(scores.iterate_documents(), key=itemgetter(0))
    number, group = next(scored, (None, iter(())))
    documents = scores.corpus.documents()
    while batch := list(islice(documents, BATCH)):
        rows = Rows()
        for document in batch:
            scores_of_document = list[Score]()
            if number == document.number:
                scores_of_document = [score for _, score in group]
                number, group = next(scored, (None, iter(())))
            _add(rows, document, scores_of_document, n, seed)
        yield rows.tables(), len(batch)


def _add(rows: Rows, document: InputDocument, scores: list[Score], n: int, seed: int) -> None:
    if document.date is None:
        rows.leave_out(document, NO_DATE)
        return
    sentences = split_sentences(document.text)
    metadata = (document.date, document.title, document.category, document.story)
    rows.rows["documents"].append(
        (document.number, document.id, *metadata, sum(len(words) for words, _ in sentences), 0)
    )
    unparsed = [None] * (len(COLUMNS["sentences"]) - 4)
    for at, (words, spaces) in enumerate(sentences):
        rows.rows["sentences"].append((document.number, at, words, spaces, *unparsed))
    if scores:
        probabilities = np.array([score.probability for score in scores])
        present = draw_samples(probabilities, n, rng=np.random.default_rng(document_seed(seed, document.id)))
        for score, drawn in zip(scores, present, strict=True):
            best = score.probability > EVEN
            counts = drawn.astype(np.uint8).tobytes()
            event = (document.number, score.actor, score.probability, bits(drawn), counts, best, int(best))
            rows.rows["events"].append(event)


def _report(store: EventStore, n: int, *, was_there: bool) -> ImportReport:
    counts = "count(*), coalesce(sum(words), 0), count(*) FILTER (words = 0)"
    documents, words, empty = store.ask(f"SELECT {counts} FROM documents")[0]
    highest = "(SELECT max(probability) AS highest FROM events GROUP BY document)"
    with_events, lowest = store.ask(f"SELECT count(*), coalesce(min(highest), 'nan'::DOUBLE) FROM {highest}")[0]
    left_out = store.ask("SELECT count(*) FROM left_out")[0][0]
    return ImportReport(
        int(documents), int(with_events), float(lowest), int(left_out), int(words), int(empty), n, was_there
    )
