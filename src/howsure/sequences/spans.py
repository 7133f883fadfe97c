"""The probability that some consecutive tokens have given tags (thesis, section 3.4.1): forward × path × backward."""

from __future__ import annotations

import math
from typing import NamedTuple

from howsure.sequences.messages import Chain, Messages
from howsure.stats.pairs import Integers


class Span(NamedTuple):
    """The tags of the tokens start, start + 1, … of a sentence."""

    sentence: int
    start: int
    tags: Integers


def span_probability(chain: Chain, found: Messages, rank: int, span: Span) -> float:
    """P(y_start … = tags) in the batch's sentence number `rank`; 1 for no tags."""
    tags = span.tags
    if not len(tags):
        return 1.0
    rows = chain.batch.steps[span.start : span.start + len(tags)] + rank
    log = found.forward[rows[0], tags[0]] + found.backward[rows[-1], tags[-1]]
    for row, before, tag in zip(rows[1:].tolist(), tags[:-1].tolist(), tags[1:].tolist(), strict=True):
        shared = chain.transitions.ndim == 2
        transition = chain.transitions[before, tag] if shared else chain.into(row, row + 1)[0, before, tag]
        log += transition + chain.emissions[row, tag] - found.shift[row]
    return math.exp(min(log, 0.0))
