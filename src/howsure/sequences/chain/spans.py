"""The probability that consecutive tokens have given tags (thesis, section 3.4.1): forward × path × backward."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from howsure.errors import InputError
from howsure.inputs.pairs import Floats, Integers
from howsure.sequences.chain.log_messages import Chain, Messages
from howsure.sequences.chain.potentials import Potentials, possible_messages
from howsure.sequences.chain.workspace import Workspace
from howsure.sequences.features.tagset import TagSet


class Span(NamedTuple):
    """The tags of the tokens start, start + 1, … of a sentence."""

    sentence: int
    start: int
    tags: Integers


def checked_span(span: Any, lengths: Integers, tagset: TagSet, *, where: str) -> Span:
    """A span given by the caller; InputError unless it lies within one of the sentences of these lengths."""
    try:
        sentence, start, tags = span
        sentence, start = operator.index(sentence), operator.index(start)
    except (TypeError, ValueError):
        rule = "must be the number of a sentence, that of a token and a list of tags"
        raise InputError(f"{where} {rule}; it is {span!r}.") from None
    if not 0 <= sentence < len(lengths):
        raise InputError(f"{where}: there is no sentence {sentence}; they are 0 to {len(lengths) - 1}.")
    numbers, length = tagset.numbers(tags, where), int(lengths[sentence])
    if not 0 <= start <= start + len(numbers) <= length:
        raise InputError(
            f"{where}: tokens {start} to {start + len(numbers) - 1} do not lie in sentence {sentence}, "
            f"which has {length}."
        )
    return Span(sentence, start, numbers)


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


def span_probabilities(potentials: Potentials, asked: Sequence[Span]) -> Floats:
    """The probability of each span, from one pass over each sentence that has any."""
    wanted, place = np.unique([span.sentence for span in asked], return_inverse=True)
    of_sentence: list[list[int]] = [[] for _ in wanted]
    for i, at in enumerate(place.tolist()):
        of_sentence[at].append(i)
    probabilities = np.ones(len(asked))

    def of_batch(chain: Chain, workspace: Workspace) -> Sequence[None]:
        found = possible_messages(chain, workspace)
        for rank, sentence in enumerate(chain.batch.sentences.tolist()):
            for i in of_sentence[sentence]:
                probabilities[i] = span_probability(chain, found, rank, asked[i])
        return [None] * len(chain.batch)

    potentials.part(wanted.astype(np.int64)).each(of_batch, None)
    return probabilities
