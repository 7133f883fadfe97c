"""Syntax: roles, nested mentions, and the path between heads."""

from __future__ import annotations

import numpy as np

from howsure.coreference.mentions.mention_facts import ROLE_CODES
from howsure.coreference.model.features.family import Candidates, Family, Matrix, bucket
from howsure.data.parses import grammar

N_ROLES = len(ROLE_CODES)
APPOSITION, PREDICATE, CONJUNCT, POSSESSOR, MODIFIER = (
    ROLE_CODES[role]
    for role in (grammar.APPOSITION, grammar.PREDICATE, grammar.CONJUNCT, grammar.POSSESSOR, grammar.MODIFIER)
)
SUBJECTS = [ROLE_CODES[role] for role in (grammar.SUBJECT, grammar.PASSIVE_SUBJECT)]


def roles(pairs: Candidates) -> Matrix:
    """Role of both."""
    return pairs.both("role", N_ROLES)


def antecedent_role(pairs: Candidates) -> Matrix:
    """Role of the antecedent, with its distance: subjects of the last sentences are likely topics."""
    role: Matrix = pairs.mentions.role[None, :] * 4
    return role + bucket(pairs.sentences_between, ends=(0, 1, 3))


def parallel(pairs: Candidates) -> Matrix:
    """Whether the roles are the same, and whether the governors are the same word, in the same and other sentences."""
    governor = pairs.mentions.governor_word
    same_word = pairs.same("governor_word") & (governor[:, None] > 0) & ~pairs.same("governor")
    return pairs.same("role") + 2 * same_word + 4 * bucket(pairs.sentences_between, ends=(0, 2))


def nesting(pairs: Candidates) -> Matrix:
    """One mention inside the other: no, the mention in the antecedent or around it, with the inner one's role."""
    a = pairs.mentions
    inside = (a.start[:, None] >= a.start[None, :]) & (a.end[:, None] <= a.end[None, :])
    around = (a.start[:, None] <= a.start[None, :]) & (a.end[:, None] >= a.end[None, :]) & ~inside
    role = np.where(inside, a.role[:, None], a.role[None, :])
    kind = np.select([role == APPOSITION, role == POSSESSOR, role == MODIFIER, role == CONJUNCT], [1, 2, 3, 4], 0)
    code: Matrix = np.where(inside, 1 + kind, np.where(around, 6 + kind, 0)) + 11 * pairs.same("head")
    return code


def path(pairs: Candidates) -> Matrix:
    """The path between the heads: apposition, predicate, enumeration, one governs the other, the same governor."""
    a = pairs.mentions
    over = a.governor[:, None] == a.head[None, :]  # the antecedent's head governs the mention's
    under = a.head[:, None] == a.governor[None, :]
    sisters = pairs.same("governor") & (a.governor[:, None] >= 0) & ~pairs.same("head")
    mine, other = a.role[:, None], a.role[None, :]
    subject_of = np.isin(other, SUBJECTS)
    kind = np.select(
        [over & (mine == APPOSITION), over & (mine == CONJUNCT), over & (mine == POSSESSOR), over,
         under & (mine == PREDICATE) & subject_of, under & (other == POSSESSOR), under & (other == APPOSITION), under,
         sisters & (mine == PREDICATE) & subject_of, sisters & subject_of, sisters],
        [1, 2, 3, 4, 5, 6, 7, 8, 5, 9, 10], 0,
    )  # fmt: skip
    owns_sister = (a.grand_governor[:, None] == a.governor[None, :]) & (a.governor[None, :] >= 0)
    own_phrase = owns_sister & (mine == POSSESSOR) & subject_of  # she lost her keys
    code: Matrix = np.where((kind == 0) & own_phrase, 11, kind) * 3 + a.case[:, None]
    return code


def lengths(pairs: Candidates) -> Matrix:
    """Length of both, in words."""
    length = bucket(pairs.mentions.end - pairs.mentions.start, ends=(1, 2, 4))
    code: Matrix = length[:, None] * 4 + length[None, :]
    return code


FAMILIES = (
    Family("roles", N_ROLES**2, roles, conjunction="types"),
    Family("antecedent's role", N_ROLES * 4, antecedent_role),
    Family("parallel", 12, parallel),
    Family("nesting", 22, nesting),
    Family("path", 36, path),
    Family("lengths", 16, lengths),
)
