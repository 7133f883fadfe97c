"""The distance to the antecedent."""

from __future__ import annotations

import numpy as np

from howsure.coreference.model.features.family import Candidates, Family, Matrix, bucket

MENTION_ENDS = (1, 2, 3, 4, 6, 8, 12, 18, 30, 50, 90, 150)
SENTENCE_ENDS = (0, 1, 2, 3, 4, 6, 9, 14, 22, 40)


def mentions_between(pairs: Candidates) -> Matrix:
    """Distance in mentions, in growing steps."""
    order = np.arange(len(pairs))
    return bucket(order[:, None] - order[None, :], ends=MENTION_ENDS)


def sentences_between(pairs: Candidates) -> Matrix:
    """Distance in sentences, in growing steps."""
    return bucket(pairs.sentences_between, ends=SENTENCE_ENDS)


def place_in_document(pairs: Candidates) -> Matrix:
    """Whether the antecedent is in the first sentence, or in the first three."""
    return np.broadcast_to(bucket(pairs.mentions.sentence, ends=(0, 2)), (len(pairs),) * 2)


FAMILIES = (
    Family("mentions between", len(MENTION_ENDS) + 1, mentions_between),
    Family("sentences between", len(SENTENCE_ENDS) + 1, sentences_between),
    Family("antecedent's place", 3, place_in_document),
)
