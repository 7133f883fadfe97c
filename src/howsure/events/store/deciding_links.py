"""The links that an uncertain event depends on: the pairs of mentions that are most informative about it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from howsure.inputs.pairs import Integers

MOST_LINKS = 3
RAREST = 0.05  # share of the samples that must speak for either outcome


@dataclass(frozen=True, slots=True)
class DecidingLink:
    """Mentions first < second are together in the shares `with_event` and `without_event` of the samples.

    `share` is the share of all samples in which the two were counted: 1 for the first link of an event.
    """

    first: int
    second: int
    with_event: float
    without_event: float
    share: float


def deciding_links(
    labels: Integers, event: npt.NDArray[np.bool_], mentions: Iterable[int], *, most: int = MOST_LINKS
) -> list[DecidingLink]:
    """The links that an event depends on, given S clusterings (S, M) and whether each has the event (S,).

    Among the mentions that share an entity with one of `mentions` in some sample, the first link is the pair i, j with
    the largest |P(i ~ j | event) - P(i ~ j | no event)|, estimated from the samples; ties go to the nearest pair, then
    to the first in the text. That link may settle the event where it is present, or where it is absent: the next link
    is sought among the samples of the less settled side, in which the rarer outcome is more frequent. This continues as
    long as either outcome has 5 % of all samples there. A certain event depends on no link.

    >>> labels = np.array([[0, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 0]])
    >>> deciding_links(labels, np.array([True, False, False, True]), [0])
    [DecidingLink(first=0, second=1, with_event=1.0, without_event=0.0, share=1.0)]
    """
    near = _companions(labels, mentions)
    found: list[DecidingLink] = []
    kept = np.ones(len(event), dtype=np.bool_)
    while len(found) < most and _rarer(event[kept]) >= max(RAREST * len(event), 1):
        best = _best_pair(labels[np.ix_(kept, near)], event[kept])
        if best is None:
            break
        first, second = int(near[best[0]]), int(near[best[1]])
        together = labels[:, first] == labels[:, second]
        with_event, without_event = together[kept & event].mean(), together[kept & ~event].mean()
        found.append(DecidingLink(first, second, float(with_event), float(without_event), float(kept.mean())))
        kept = max(kept & together, kept & ~together, key=lambda side: _rarer(event[side]))
    return found


def _rarer(event: npt.NDArray[np.bool_]) -> int:
    """The number of samples with the rarer outcome."""
    return int(min(event.sum(), (~event).sum()))


def _companions(labels: Integers, mentions: Iterable[int]) -> Integers:
    near = np.zeros(labels.shape[1], dtype=np.bool_)
    for mention in set(mentions):
        near |= (labels == labels[:, mention, np.newaxis]).any(axis=0)
    return np.flatnonzero(near)


def _best_pair(labels: Integers, event: npt.NDArray[np.bool_]) -> tuple[int, int] | None:
    """The pair that separates best, in integers, so that ties are exact; None if no pair separates at all."""
    n_present, n_absent = int(event.sum()), int((~event).sum())
    by_mention = np.ascontiguousarray(labels.T)
    weight = np.where(
        event, n_absent, -n_present
    )  # its sum over samples is n_present n_absent (with_event - without_event)
    best, pair = (0, 0), None
    for second in range(1, len(by_mention)):
        gained = np.abs((by_mention[:second] == by_mention[second]) @ weight)
        first = second - 1 - int(gained[::-1].argmax())
        reached = int(gained[first]), first - second
        if (reached[0] and reached > best) or (pair is None and reached[0]):
            best, pair = reached, (first, second)
    return pair
