"""Documents that report the same story, identified by a column or by nearly equal texts."""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from howsure_events.store.store_queries import Store, iterate_rows, query_rows

MIN_SHARED = 0.8  # minimum Jaccard index of the passages of two texts that report one story
WORDS = 5  # words in a passage
FACTOR = np.uint64(0x9E3779B97F4A7C15)
Hashes = npt.NDArray[np.uint64]
BY_COLUMN = """
    SELECT document, min(document) OVER same_story FROM documents
    WHERE story IS NOT NULL AND document IN (SELECT document FROM events)
    WINDOW same_story AS (PARTITION BY story) QUALIFY count(*) OVER same_story > 1 ORDER BY document"""
TEXTS = """
    SELECT document, words FROM sentences WHERE document IN (SELECT document FROM events) ORDER BY document, sentence"""


def find_stories(store: Store) -> dict[int, int]:
    """Return the first document of the story, for each document with an event whose story has several documents.

    Documents of one story have the same value in the column `stories.column` of the settings. If the settings name no
    column, they have nearly equal texts (`same_texts`).
    """
    how = store.settings.get("stories") or {}
    if how.get("column"):
        return {int(document): int(first) for document, first in query_rows(store, BY_COLUMN)}
    return same_texts({document: passages(words) for document, words in _texts(store)})


def passages(words: Sequence[str], *, length: int = WORDS) -> Hashes:
    """Return the distinct sequences of `length` words of a text, as sorted hashes; case and punctuation are ignored.

    A text with fewer words is a single passage.

    >>> len(passages("They attacked at dawn , witnesses said .".split()))
    2
    """
    plain = [word.casefold() for word in words if any(map(str.isalnum, word))]
    if not plain:
        return np.empty(0, dtype=np.uint64)
    codes = np.array([_code(word) for word in plain], dtype=np.uint64)
    length = min(length, len(codes))
    hashes = np.zeros(len(codes) - length + 1, dtype=np.uint64)
    for at in range(length):
        hashes = hashes * FACTOR + codes[at : at + len(hashes)]
    return np.unique(hashes)


def same_texts(texts: Mapping[int, Hashes], *, shared: float = MIN_SHARED) -> dict[int, int]:
    """Return, for each text that has near duplicates, the number of the first text in its group.

    Two texts are in one group if the Jaccard index of their passages is at least `shared`, or if a chain of such pairs
    connects them. Only the rarest passages of each text are compared. Their number is large enough that two nearly
    equal texts always share at least one of them, so no pair is missed.

    >>> dawn = passages("They attacked at dawn on Monday".split())
    >>> noon = passages("It rained at noon on Tuesday".split())
    >>> same_texts({4: dawn, 7: noon, 9: dawn})
    {4: 4, 9: 4}

    Source: Bayardo, Ma & Srikant (2007), Scaling up all pairs similarity search.
    """
    firsts: dict[bytes, int] = {}
    story = {
        number: firsts.setdefault(passages_of_text.tobytes(), number)
        for number, passages_of_text in sorted(texts.items())
        if len(passages_of_text)
    }
    different = {number: texts[number] for number in firsts.values()}

    def first_of(number: int) -> int:
        while story[number] != number:
            number = story[number]
        return number

    for text_number, other in _near(different, shared):
        low, high = sorted((first_of(text_number), first_of(other)))
        story[high] = low
    groups = defaultdict(list)
    for number in story:
        groups[first_of(number)].append(number)
    return {number: first for first, members in sorted(groups.items()) if len(members) > 1 for number in members}


def _near(texts: Mapping[int, Hashes], shared: float) -> Iterator[tuple[int, int]]:
    """Yield the pairs of texts with a Jaccard index of at least `shared`, each pair once."""
    rank = _by_rarity(texts)
    holders: dict[int, list[int]] = defaultdict(list)
    for number in sorted(texts, key=lambda number: (len(texts[number]), number)):
        text_passages = texts[number]
        telling = np.sort(rank(text_passages))[
            : len(text_passages) - math.ceil(shared * len(text_passages)) + 1
        ].tolist()
        candidates = {other for passage in telling for other in holders[passage]}
        for other in sorted(candidates):
            both = len(np.intersect1d(text_passages, texts[other], assume_unique=True))
            if both >= shared * (len(text_passages) + len(texts[other]) - both):
                yield other, number
        for passage in telling:
            holders[passage].append(number)


def _by_rarity(texts: Mapping[int, Hashes]) -> Callable[[Hashes], npt.NDArray[np.int64]]:
    """Return a function that ranks passages by the number of texts that contain them, from the rarest."""
    distinct, counts = np.unique(np.concatenate([*texts.values(), np.empty(0, np.uint64)]), return_counts=True)
    place = np.empty(len(distinct), dtype=np.int64)
    place[np.argsort(counts, kind="stable")] = np.arange(len(distinct))
    return lambda passages: place[np.searchsorted(distinct, passages)]


def _texts(store: Store) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the words of each document with an event."""
    number, words = -1, list[str]()
    for document, sentence in iterate_rows(store, TEXTS):
        if document != number and words:
            yield number, words
            words = []
        number = document
        words.extend(sentence)
    if words:
        yield number, words


@lru_cache(maxsize=1 << 18)
def _code(word: str) -> int:
    """Return a hash of a word that is the same in every process."""
    return int.from_bytes(hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
