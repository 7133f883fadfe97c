"""A grammar of dependents with valence, by relative frequency, and the exact posterior of every subtree of a parse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from howsure.inputs.pairs import Floats, Integers

Tree = tuple[Integers, Integers]  # the codes of the tags of a sentence, and the positions of the heads, -1 for the root
LEFT, RIGHT = 0, 1


@dataclass(frozen=True, slots=True)
class Grammar:
    """Counts or probabilities of dependents, for T tags.

    root (T,): the tag of the root. child (2, T, T): the tag of a dependent, by its side and the tag of its head. more
    (2, 2, T, 2): whether another dependent follows (last index 1) or not (0). The other indices are the side, whether
    the head already has a dependent on this side, and the tag of the head.
    """

    root: Floats
    child: Floats
    more: Floats

    def __add__(self, pseudocount: float) -> Grammar:
        return Grammar(self.root + pseudocount, self.child + pseudocount, self.more + pseudocount)

    def probabilities(self, *, valence: bool = True) -> Grammar:
        """Return relative frequencies.

        valence: let the probability of another dependent depend on whether the head already has one on this side.
        """
        more = self.more if valence else np.broadcast_to(self.more.sum(axis=1, keepdims=True), self.more.shape)
        return Grammar(*(weights / weights.sum(axis=-1, keepdims=True) for weights in (self.root, self.child, more)))

    def log_likelihood(self, counts: Grammar) -> float:
        both = ((self.root, counts.root), (self.child, counts.child), (self.more, counts.more))
        return float(sum((times * np.log(probabilities)).sum() for probabilities, times in both))


def count_events(trees: Sequence[Tree], tags: int) -> Grammar:
    """Count the events of the grammar in trees, in which a head generates its dependents one by one on each side."""
    root, child, more = np.zeros(tags), np.zeros((2, tags, tags)), np.zeros((2, 2, tags, 2))
    for codes, heads in trees:
        places = np.arange(len(codes))
        np.add.at(root, codes[heads < 0], 1)
        for side, of_side in ((LEFT, (heads > places)), (RIGHT, (heads >= 0) & (heads < places))):
            np.add.at(child[side], (codes[heads[of_side]], codes[of_side]), 1)
            dependents = np.bincount(heads[of_side], minlength=len(codes))
            np.add.at(more[side, 0], (codes, (dependents > 0).astype(int)), 1)
            some = dependents > 0
            np.add.at(more[side, 1, :, 1], codes[some], dependents[some] - 1)
            np.add.at(more[side, 1, :, 0], codes[some], 1)
    return Grammar(root, child, more)


def subtree_posterior(grammar: Grammar, codes: Integers) -> Floats:
    """Return the probability that words i to j are the subtree of word h, over all projective trees of each sentence.

    The result is an array (sentences, words, words, words) with this probability at [:, h, i, j]. It is computed from
    inside probabilities, from narrow to wide spans, and outside probabilities, from wide to narrow spans.
    grammar: probabilities, not counts. codes (sentences, words): the tags of sentences of equal length.
    """
    n = codes.shape[1]
    one_already = 1 - np.eye(n, dtype=np.int64)  # unless a half ends at its head
    child = [part[codes[:, :, None], codes[:, None, :]] for part in grammar.child]
    stop, more = ([part[one_already, codes[:, :, None], answer] for part in grammar.more] for answer in (0, 1))
    # half[side][:, h, e]: head h with dependents on one side up to e; closed: no other follows; growing: one follows.
    # full[:, h, i, j]: head h and all of i to j. dependent[side][:, h, i, j]: any such subtree below h.
    half, dependent = (np.zeros((2, len(codes), *(n,) * dimensions)) for dimensions in (2, 3))
    full, outer, outer_half = np.zeros_like(dependent[0]), np.zeros_like(dependent[0]), np.zeros_like(half)
    closed, growing = np.zeros_like(half), np.zeros_like(half)
    half[:, :, np.arange(n), np.arange(n)] = 1.0
    spans = [(i, i + width) for width in range(n) for i in range(n - width)]
    for i, j in spans:
        here, inner, next_to = slice(i, j + 1), slice(i, j), slice(i + 1, j + 1)
        if i < j:
            half[RIGHT, :, i, j] = (growing[RIGHT, :, i, inner] * dependent[RIGHT, :, i, next_to, j]).sum(axis=1)
            half[LEFT, :, j, i] = (growing[LEFT, :, j, next_to] * dependent[LEFT, :, j, i, inner]).sum(axis=1)
        for side, head, end in ((RIGHT, i, j), (LEFT, j, i)):
            closed[side, :, head, end] = half[side, :, head, end] * stop[side][:, head, end]
            growing[side, :, head, end] = half[side, :, head, end] * more[side][:, head, end]
        full[:, here, i, j] = closed[LEFT, :, here, i] * closed[RIGHT, :, here, j]
        for side, away in ((RIGHT, slice(0, i)), (LEFT, slice(j + 1, n))):
            dependent[side, :, away, i, j] = (child[side][:, away, here] * full[:, None, here, i, j]).sum(axis=2)
    outer[:, :, 0, n - 1] = grammar.root[codes]
    whole = (outer * full).sum(axis=(1, 2, 3), keepdims=True)
    for i, j in reversed(spans):
        here = slice(i, j + 1)
        if i > 0:
            heads = outer_half[RIGHT, :, :i, j] * growing[RIGHT, :, :i, i - 1]
            outer[:, here, i, j] += (heads[:, :, None] * child[RIGHT][:, :i, here]).sum(axis=1)
            further = outer_half[LEFT, :, j, :i] * dependent[LEFT, :, j, :i, i - 1]
            outer_half[LEFT, :, j, i] = more[LEFT][:, j, i] * further.sum(axis=1)
        if j < n - 1:
            heads = outer_half[LEFT, :, j + 1 :, i] * growing[LEFT, :, j + 1 :, j + 1]
            outer[:, here, i, j] += (heads[:, :, None] * child[LEFT][:, j + 1 :, here]).sum(axis=1)
            further = outer_half[RIGHT, :, i, j + 1 :] * dependent[RIGHT, :, i, j + 1, j + 1 :]
            outer_half[RIGHT, :, i, j] = more[RIGHT][:, i, j] * further.sum(axis=1)
        ended = (outer[:, i, : i + 1, j] * closed[LEFT, :, i, : i + 1]).sum(axis=1)
        outer_half[RIGHT, :, i, j] += stop[RIGHT][:, i, j] * ended
        ended = (outer[:, j, i, j:] * closed[RIGHT, :, j, j:]).sum(axis=1)
        outer_half[LEFT, :, j, i] += stop[LEFT][:, j, i] * ended
    return np.asarray(outer * full / whole)


def yields(heads: Integers) -> list[list[int]]:
    """Each word of a tree with all that depends on it, directly or not, in order."""
    children: list[list[int]] = [[] for _ in heads]
    for word in range(len(heads)):
        above = word
        while above >= 0:
            children[above].append(word)
            above = int(heads[above])
    return children
