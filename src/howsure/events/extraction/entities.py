"""The rule applied to clusterings of mentions: the actors that have an acting entity, in all samples at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.errors import InputError
from howsure.events.extraction.descriptions_and_acts import Bools, Facts
from howsure.inputs.pairs import Integers


@dataclass(frozen=True, slots=True)
class Evidence:
    """In the marked samples (S,), the mention `agent` acts and belongs to `actor` because `description` is in its
    entity."""

    actor: str
    agent: int
    description: int
    samples: Bools


def entity_counts(clusters: npt.ArrayLike, facts: Facts) -> Integers:
    """The number of acting entities of each actor, for S clusterings of M mentions: (S, A) integers.

    `clusters` (S, M) contains, for each sample and mention, a number that is the same for mentions of one entity. An
    entity E counts for c = facts.actors[a] if f(c, E): some mention of E is described as c, none as another actor,
    and some mention of E acts. Time and memory are O(S · agents · (descriptions + A)).

    >>> facts = Facts(("IRQ",), np.array([[True], [False], [False]]), np.array([False, True, False]), (), ())
    >>> entity_counts([[0, 0, 2], [0, 1, 2]], facts).tolist()
    [[1], [0]]

    Raises InputError if `clusters` is not whole numbers of shape (S, M). Source: Nguyen & O'Connor (2015), Eq. 3.
    """
    samples = _checked(clusters, facts)
    counts = np.zeros((len(samples), len(facts.actors)), dtype=np.int64)
    agents = np.flatnonzero(facts.agent)
    for order, agent in enumerate(agents):
        earlier = samples[:, agents[:order]] == samples[:, agent, np.newaxis]
        counts += _affiliated(samples, facts, int(agent))[1] & ~earlier.any(axis=1, keepdims=True)
    return counts


def evidence_of(clusters: npt.ArrayLike, facts: Facts) -> list[Evidence]:
    """The mentions that make the event true, and in which samples: an acting mention and one that describes its entity.

    `entity_counts(...)[s, a]` is above 0 if and only if an `Evidence` of that actor marks sample s.

    Raises InputError if `clusters` is not whole numbers of shape (S, M).
    """
    samples = _checked(clusters, facts)
    found = []
    for agent in np.flatnonzero(facts.agent).tolist():
        same, affiliated = _affiliated(samples, facts, agent)
        for place, mention in enumerate(_described(facts).tolist()):
            for actor in np.flatnonzero(facts.described[mention]).tolist():
                marked = same[:, place] & affiliated[:, actor]
                if marked.any():
                    found.append(Evidence(facts.actors[actor], agent, mention, marked))
    return found


def _affiliated(samples: Integers, facts: Facts, agent: int) -> tuple[Bools, Bools]:
    """Whether each described mention is in the entity of one that acts (S, D), and the single actor to which the entity
    belongs (S, A)."""
    mentions = _described(facts)
    same: Bools = samples[:, mentions] == samples[:, agent, np.newaxis]
    named: Bools = same @ facts.described[mentions]
    return same, named & (named.sum(axis=1, keepdims=True) == 1)


def _described(facts: Facts) -> Integers:
    return np.flatnonzero(facts.described.any(axis=1))


def _checked(clusters: npt.ArrayLike, facts: Facts) -> npt.NDArray[Any]:
    samples = np.asarray(clusters)
    if samples.ndim != 2 or samples.shape[1] != len(facts.agent) or samples.dtype.kind not in "iu":
        raise InputError(
            f"clusters must be whole numbers of shape (samples, mentions), here (any, {len(facts.agent)}); "
            f"they are {samples.dtype} of shape {samples.shape}."
        )
    return samples
