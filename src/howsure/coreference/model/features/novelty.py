"""Whether a mention introduces a new entity: one code per mention."""

from __future__ import annotations

import numpy as np

from howsure.coreference.mentions.mention_columns import Codes
from howsure.coreference.mentions.mention_facts import GENDERS, NUMBERS, ROLE_CODES
from howsure.coreference.model.features.agreement import agree
from howsure.coreference.model.features.family import Candidates, Family, bucket, hashed
from howsure.coreference.model.features.match import match_level

CELLS = 1 << 13
ORDER_ENDS = (0, 1, 3, 7, 15, 30, 60, 120, 240)


def always(pairs: Candidates) -> Codes:
    """One code, for how often each form introduces an entity."""
    return np.zeros(len(pairs), dtype=np.int64)


def order(pairs: Candidates) -> Codes:
    """The number of earlier mentions."""
    return bucket(np.arange(len(pairs)), ends=ORDER_ENDS)


def best_match(pairs: Candidates) -> Codes:
    """The best match among earlier mentions, and how often its head was mentioned."""
    level = (match_level(pairs) * pairs.earlier).max(axis=1, initial=0)
    times = bucket((pairs.same_head & pairs.earlier).sum(axis=1), ends=(0, 1))
    best: Codes = level * 3 + times
    return best


def candidates_near(pairs: Candidates) -> Codes:
    """The number of agreeing mentions in this and the last two sentences."""
    near = agree(pairs) & pairs.earlier & (pairs.sentences_between <= 2)
    return bucket(near.sum(axis=1), ends=(0, 1, 3, 8))


def same_form_before(pairs: Candidates) -> Codes:
    """Whether an earlier mention denotes the same speaker, or an identical pronoun: no, near, or far."""
    person = pairs.mentions.person
    known = (pairs.same("person") & (person[:, None] > 0) & pairs.earlier).any(axis=1)
    alike = pairs.same("text") & pairs.earlier
    near = (alike & (pairs.sentences_between <= 2)).any(axis=1)
    return np.select([known, person > 0, near, alike.any(axis=1)], [1, 2, 3, 4], 0)


def length(pairs: Candidates) -> Codes:
    """Number of words."""
    return bucket(pairs.mentions.end - pairs.mentions.start, ends=(1, 2, 3, 4, 6, 10))


def role(pairs: Candidates) -> Codes:
    """Role, and whether the phrase is a part of another mention."""
    a = pairs.mentions
    inside = (a.start[:, None] >= a.start[None, :]) & (a.end[:, None] <= a.end[None, :])
    nested = inside.sum(axis=1) > 1
    code: Codes = a.role * 2 + nested
    return code


def number_and_gender(pairs: Candidates) -> Codes:
    """Number and gender."""
    return pairs.mentions.number * len(GENDERS) + pairs.mentions.gender


def case_and_quotation(pairs: Candidates) -> Codes:
    """Possessive, reflexive or neither; in a quotation or outside."""
    return pairs.mentions.case * 2 + (pairs.mentions.quotation > 0)


def head(pairs: Candidates) -> Codes:
    """The head, hashed."""
    return hashed(pairs.mentions.head_word, size=CELLS)


def first_word(pairs: Candidates) -> Codes:
    """The first word, hashed."""
    return hashed(pairs.mentions.first_word, size=CELLS)


FAMILIES = (
    Family("new", 1, always),
    Family("new: order", len(ORDER_ENDS) + 1, order),
    Family("new: best match", 18, best_match),
    Family("new: candidates near", 5, candidates_near),
    Family("new: same form before", 5, same_form_before),
    Family("new: length", 7, length),
    Family("new: role", len(ROLE_CODES) * 2, role),
    Family("new: number and gender", len(NUMBERS) * len(GENDERS), number_and_gender),
    Family("new: case and quotation", 6, case_and_quotation),
    Family("new: head", CELLS, head, conjunction="none"),
    Family("new: first word", CELLS, first_word, conjunction="none"),
)
