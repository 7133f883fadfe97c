"""Whether two mentions can refer to the same thing: number, gender, and the number of agreeing candidates in
between."""

from __future__ import annotations

import numpy as np

from howsure.coreference.mentions.mention_facts import GENDERS, NUMBERS
from howsure.coreference.model.features.family import Candidates, Family, Matrix, Truth, bucket, nearer

RANK_ENDS = (0, 1, 2, 3, 5, 9, 20)
UNKNOWN, MASCULINE, FEMININE, NEUTER, PERSON = range(len(GENDERS))
CLASHES = np.zeros((len(GENDERS),) * 2, dtype=np.bool_)
for one, other in ((MASCULINE, FEMININE), (MASCULINE, NEUTER), (FEMININE, NEUTER), (PERSON, NEUTER)):
    CLASHES[one, other] = CLASHES[other, one] = True


def number(pairs: Candidates) -> Matrix:
    """Number of both."""
    return pairs.both("number", len(NUMBERS))


def gender(pairs: Candidates) -> Matrix:
    """Gender of both."""
    return pairs.both("gender", len(GENDERS))


def agree(pairs: Candidates) -> Truth:
    """Compatible in number and gender."""
    numbers, genders = pairs.mentions.number, pairs.mentions.gender
    opposed = numbers[:, None] + numbers[None, :] == NUMBERS["singular"] + NUMBERS["plural"]
    opposed &= (numbers[:, None] > 0) & (numbers[None, :] > 0)
    possible: Truth = ~opposed & ~CLASHES[genders[:, None], genders[None, :]]
    return possible


def rank(pairs: Candidates) -> Matrix:
    """The number of agreeing mentions between an agreeing antecedent and the mention; 0 if it does not agree."""
    agreeing = agree(pairs) & pairs.earlier
    return agreeing * (1 + bucket(nearer(agreeing), ends=RANK_ENDS))


def same_form_rank(pairs: Candidates) -> Matrix:
    """The same among mentions of the same form: the last he before this he."""
    alike = pairs.same("form") & agree(pairs) & pairs.earlier
    return alike * (1 + bucket(nearer(alike), ends=(0, 1, 2, 5)))


FAMILIES = (
    Family("number", len(NUMBERS) ** 2, number),
    Family("gender", len(GENDERS) ** 2, gender),
    Family("rank", len(RANK_ENDS) + 2, rank),
    Family("rank in form", 6, same_form_rank),
)
