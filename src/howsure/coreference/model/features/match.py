"""The similarity of the words of two mentions."""

from __future__ import annotations

import numpy as np

from howsure.coreference.model.features.family import Candidates, Family, Matrix, bucket, nearer

NEAR_ENDS = (0, 1, 3, 8, 20)


def match_level(pairs: Candidates) -> Matrix:
    """From no word in common to the same words: none, some, contained, head, head and contained, all."""
    shared = pairs.shared("words")
    size = np.diag(shared)
    contained = (shared > 0) & ((shared == size[:, None]) | (shared == size[None, :]))
    level = np.where(contained, 2, np.minimum(shared, 1))
    level = np.where(pairs.same_head, 3 + contained, level)
    return np.where(pairs.same_text, 5, level)


def match(pairs: Candidates) -> Matrix:
    """The level of the match with the distance in sentences: matches reach farther than other evidence."""
    return match_level(pairs) * (len(NEAR_ENDS) + 1) + bucket(pairs.sentences_between, ends=NEAR_ENDS)


def containment(pairs: Candidates) -> Matrix:
    """Which mention contains all words of the other, and whether they share a head."""
    shared = pairs.shared("words")
    size = np.diag(shared)
    within, around = (shared == size[:, None]) & (shared > 0), (shared == size[None, :]) & (shared > 0)
    code: Matrix = within * 1 + around * 2 + pairs.same_head * 4
    return code


def names(pairs: Candidates) -> Matrix:
    """Capitalised words in common: nothing to compare, none, one contains the other's, some, all."""
    shared = pairs.shared("names")
    size = np.diag(shared)
    comparable = (size[:, None] > 0) & (size[None, :] > 0)
    within, around = shared == size[:, None], shared == size[None, :]
    code: Matrix = comparable * np.select([within & around, within, around, shared > 0], [5, 2, 3, 4], 1)
    return code


def modifiers(pairs: Candidates) -> Matrix:
    """Under a common head: modifiers of neither, of one, the same, contained, overlapping, different."""
    shared = pairs.shared("modifiers")
    size = np.diag(shared)
    mine, other = size[:, None], size[None, :]
    kind = np.select(
        [(mine == 0) & (other == 0), mine == 0, other == 0, (shared == mine) & (shared == other), shared == mine,
         shared == other, shared > 0],
        [1, 2, 3, 4, 5, 6, 7], 8,
    )  # fmt: skip
    code: Matrix = pairs.same_head * kind
    return code


def numerals(pairs: Candidates) -> Matrix:
    """Numbers in both mentions: no, shared, or different."""
    shared = pairs.shared("numerals")
    size = np.diag(shared)
    return np.where((size[:, None] > 0) & (size[None, :] > 0), np.where(shared > 0, 1, 2), 0)


def acronym(pairs: Candidates) -> Matrix:
    """Whether the initials are the same but the words are not."""
    initials = pairs.mentions.initials
    return (pairs.same("initials") & (initials[:, None] > 0) & ~pairs.same_text).astype(np.int64)


def nearest_match(pairs: Candidates) -> Matrix:
    """The number of mentions between them with the same head as both; 0 if the heads differ."""
    return pairs.same_head * (1 + bucket(nearer(pairs.same_head & pairs.earlier), ends=(0, 1, 3)))


def seen_before(pairs: Candidates) -> Matrix:
    """How often the antecedent's head was mentioned before it, if the heads match and if they do not."""
    before = bucket((pairs.same_head & pairs.earlier).sum(axis=1), ends=(0, 1, 3))
    return before[None, :] + 4 * pairs.same_head


FAMILIES = (
    Family("match", 6 * (len(NEAR_ENDS) + 1), match),
    Family("containment", 8, containment),
    Family("names", 6, names),
    Family("modifiers", 9, modifiers),
    Family("numerals", 3, numerals),
    Family("acronym", 2, acronym),
    Family("nearest match", 5, nearest_match),
    Family("seen before", 8, seen_before),
)
