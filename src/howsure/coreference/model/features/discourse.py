"""Who speaks."""

from __future__ import annotations

import numpy as np

from howsure.coreference.model.features.family import Candidates, Family, Matrix


def speakers(pairs: Candidates) -> Matrix:
    """No speaker named, the same speaker, a different one."""
    speaker = pairs.mentions.speaker
    known = (speaker[:, None] > 0) & (speaker[None, :] > 0)
    return np.where(known, np.where(pairs.same("speaker"), 1, 2), 0)


def persons(pairs: Candidates) -> Matrix:
    """The speakers that the two denote: none known, one known, the same person, two persons."""
    person = pairs.mentions.person
    mine, other = person[:, None] > 0, person[None, :] > 0
    return np.select([mine & other & pairs.same("person"), mine & other, mine, other], [1, 2, 3, 4], 0)


def quotations(pairs: Candidates) -> Matrix:
    """Both outside quotations, in the same one, in different ones, or only one of the two inside."""
    quotation = pairs.mentions.quotation
    mine, other = quotation[:, None] > 0, quotation[None, :] > 0
    return np.select([mine & other & pairs.same("quotation"), mine & other, mine, other], [1, 2, 3, 4], 0)


FAMILIES = (
    Family("speakers", 3, speakers),
    Family("persons", 5, persons),
    Family("quotations", 5, quotations),
)
