"""The documents that each coder reads, the coders' progress, and the estimated time left."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from howsure.inputs.numbers_and_names import check_number, counted
from howsure_events.labels.answers import current_answers, reading_order, require_labelling
from howsure_events.labels.coders import clean_coder_name, coder_names, merged_notes
from howsure_events.store.store_queries import Store, query_rows

OVERLAP = 0.2
FIRST = "SELECT coder FROM answers WHERE NOT settles ORDER BY entry LIMIT 1"


def documents_for(store: Store, coder: str, *, overlap: float = OVERLAP) -> list[int]:
    """Return the documents that a coder reads, in reading order.

    The coder who answered first reads all drawn documents. Every other coder reads the documents that they answered
    before, and a systematic sample of the drawn documents with a random start. Each drawn document is in this sample
    with probability `overlap`; the sample is the same for all these coders.
    """
    labelling = require_labelling(store)
    check_number(overlap, name="overlap", low=0, high=1, open="low")
    name, order, first = coder_names(store).name(clean_coder_name(coder)), reading_order(store), first_coder(store)
    if first in (None, name):
        return order
    offset = np.random.default_rng([int(labelling.draws[0].get("seed", 0)), len("twice")]).random()
    steps = np.floor(np.arange(len(order) + 1) * overlap + offset)
    sampled = {number for number, step in zip(order, np.diff(steps), strict=True) if step}
    own_documents = {answer.document for answer in current_answers(store) if answer.coder == name}
    return [number for number in order if number in sampled or number in own_documents]


def first_coder(store: Store) -> str | None:
    """Return the coder who answered first, who reads all drawn documents; None before the first answer."""
    rows = query_rows(store, FIRST)
    return coder_names(store).name(rows[0][0]) if rows else None


WORDS_A_MINUTE = 238  # of silent reading of prose (Brysbaert 2019, Journal of Memory and Language 109)
SECONDS = 5.0  # to enter an answer
TIMED = 10  # timed answers that are needed to estimate a coder's own pace
BETWEEN = 1.0, 600.0  # seconds between two answers; a longer time is a break, a shorter one no reading
GIVEN_AT = """
    SELECT document, epoch(given) FROM answers
    WHERE coder IN (SELECT unnest($coders)) AND NOT settles AND undoes IS NULL ORDER BY entry"""


@dataclass(frozen=True, slots=True)
class Progress:
    """The number of documents a coder reads, and how many of them are answered, positive and unclear.

    minutes: estimated time for the remaining documents. an_hour: number of documents of mean length that the coder
    reads per hour. own_pace: whether both are based on the coder's own pace instead of the default speed.
    """

    documents: int
    answered: int
    with_event: int
    unclear: int
    words_left: int
    minutes: float
    an_hour: int
    own_pace: bool

    @property
    def time_left(self) -> str:
        if self.minutes < 1.0:
            return "less than a minute"
        if self.minutes < 90.0:
            return f"about {counted(round(self.minutes), 'minute')}"
        return f"about {self.minutes / 60:.1f} hours"

    @property
    def how(self) -> str:
        """The basis of the estimated time."""
        words = f"{counted(self.words_left, 'word')} to read"
        if self.own_pace:
            return f"estimated from {words} and the pace of the answers so far"
        return f"estimated from {words}, at {WORDS_A_MINUTE} a minute, and {SECONDS:g} seconds for each answer"


def progress(store: Store, coder: str, *, overlap: float = OVERLAP) -> Progress:
    """Return a coder's progress with the documents of `documents_for`, and the estimated time left.

    A document of w words takes t = 60 w / 238 + 5 seconds at the default speed. Once 10 intervals between successive
    answers are known, t is multiplied by the coder's pace, the median of interval / t. Intervals of more than 10
    minutes are ignored as breaks.
    """
    spellings, to_read = coder_names(store).of(clean_coder_name(coder)), documents_for(store, coder, overlap=overlap)
    words = dict(query_rows(store, "SELECT document, words FROM documents SEMI JOIN label_sample USING (document)"))
    own_answers = {answer.document: answer for answer in current_answers(store) if answer.coder == spellings[0]}
    left = [number for number in to_read if number not in own_answers]
    times = [(number, float(at)) for number, at in query_rows(store, GIVEN_AT, coders=list(spellings))]
    needed = [
        (after - before) / seconds_for(words[number])
        for (_, before), (number, after) in pairwise(times)
        if BETWEEN[0] <= after - before <= BETWEEN[1]
    ]
    pace = statistics.median(needed) if len(needed) >= TIMED else 1.0
    return Progress(
        documents=len(to_read),
        answered=len(own_answers),
        with_event=sum(bool(answer.acting) for answer in own_answers.values()),
        unclear=sum(answer.unclear for answer in own_answers.values()),
        words_left=sum(words[number] for number in left),
        minutes=pace * sum(seconds_for(words[number]) for number in left) / 60.0,
        an_hour=max(round(3600.0 / (pace * statistics.mean(map(seconds_for, words.values())))), 1) if words else 0,
        own_pace=len(needed) >= TIMED,
    )


def pace_text(own_pace: bool) -> str:
    """Describe the reading speed in words."""
    return "the pace of the answers so far" if own_pace else f"{WORDS_A_MINUTE} words a minute"


def seconds_for(words: int) -> float:
    """The seconds needed to read a document of this many words and to answer.

    >>> round(seconds_for(119))
    35
    """
    return 60.0 * words / WORDS_A_MINUTE + SECONDS


def reading_plan_lines(store: Store, *, overlap: float = OVERLAP) -> Sequence[str]:
    """Return a line for each coder who has answered, with the documents and the time left.

    Before the first answer there is one line, for the first coder. Lines on coders with several spellings follow.
    """
    coders = dict.fromkeys(answer.coder for answer in sorted(current_answers(store), key=lambda answer: answer.at))
    lines = []
    for name in coders or ["nobody"]:
        state = progress(store, name, overlap=overlap)
        left = state.documents - state.answered
        rest = f"{left:,} left, {state.time_left} ({state.how})" if left else "none left"
        lines.append(f"{name} has read {state.answered:,} of {state.documents:,}, {rest}" if coders else rest)
    return lines + merged_notes(coder_names(store).merged)
