"""A posterior over the legal label sequences alone: the others get probability 0, and these share what is left."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from howsure.errors import InputError
from howsure.sequences.entities.entity_labels import EntityLabels
from howsure.sequences.tag_posterior import TagPosterior


def within_grammar(posterior: TagPosterior, grammar: str) -> TagPosterior:
    """The posterior given that the label sequence is legal in a grammar: "BIO", "IOB1" or "BIOES".

    P(y | legal) = P(y) / P(legal) for legal sequences y; 0 for all others. The labels of a CRF that was trained on
    entities say `O I-PER` rarely, but can; `TagPosterior.from_logits` takes a grammar itself.

    >>> import numpy as np
    >>> free = TagPosterior([np.zeros((2, 3))], np.zeros((3, 3)), labels=["O", "B-PER", "I-PER"])
    >>> legal = within_grammar(free, "BIO")
    >>> [np.exp(one.log_prob([["O", "I-PER"]])).round(3).tolist() for one in (free, legal)]
    [[0.111], [0.0]]
    >>> np.exp(legal.log_prob([["B-PER", "I-PER"]])).round(3).tolist()  # one of five
    [0.2]

    Raises InputError for labels that are none of entities, or not of the grammar.
    """
    if posterior.labels is None:
        raise InputError("posterior must name its labels; give TagPosterior labels.")
    start, between, end = EntityLabels(posterior.labels).potentials(grammar)
    held = posterior._potentials
    shape = (-1, posterior.n_tags, posterior.n_tags)
    own = held.transitions if held.shared else [np.reshape(one, shape) for one in held.transitions]
    transitions = own + between if held.shared else [one + between for one in own]
    first, last = (rule if one is None else one + rule for one, rule in ((held.start, start), (held.end, end)))
    return posterior._with(replace(held, transitions=transitions, start=first, end=last))
