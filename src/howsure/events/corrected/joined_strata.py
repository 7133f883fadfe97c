"""Strata that have too few usable answers, joined with the strata most like them."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from howsure.inputs.pairs import Floats, Integers

MOST = 0.1  # of all documents may be in strata that are joined
PERIOD = re.compile(r", \d{4}(-\w+)?$")  # at the end of the names of strata by band and period


def joined_strata(
    strata: np.ndarray[Any, Any],
    score: Floats,
    day: Floats,
    answered: Integers,
    usable: Integers,
    *,
    least: int,
    most: float = MOST,
) -> tuple[np.ndarray[Any, Any], tuple[str, ...]]:
    """The strata (N,) of all documents after joining, and the names of those that were too small.

    A stratum in which `least` documents (or all) are `answered`, but fewer have a `usable` answer, is joined with the
    one nearest in time of the same band or, if there is none, with the one whose mean score is nearest (collapsed
    strata: Cochran 1977, section 5A.12). answered and usable are places in `strata`; score and day are numbers (N,).
    If such strata hold more than a share `most` of all documents, none is joined: too much would be taken on trust.

    >>> import numpy as np
    >>> strata = np.array(["found, 2001", "found, 2001", "found, 2002", "found, 2002", "silent, 2001"])
    >>> read = np.arange(5)
    >>> held, joined = joined_strata(strata, np.zeros(5), np.arange(5.0), read, read[1:], least=2, most=0.5)
    >>> print(joined, held[0])
    ('found, 2001',) found, 2002
    """
    names, codes = np.unique(strata, return_inverse=True)
    bands = [PERIOD.sub("", str(name)) for name in names]
    needed = np.minimum(np.bincount(codes), least)
    was_read = np.bincount(codes[answered], minlength=len(names)) >= needed
    is_short = was_read & (np.bincount(codes[usable], minlength=len(names)) < needed)
    if is_short[codes].mean() > most:
        return strata, ()
    joined: list[str] = []
    for code in np.flatnonzero(is_short).tolist():
        here = codes == code
        if here[usable].sum() >= min(int(here.sum()), least):
            continue
        others = [one for one in np.unique(codes).tolist() if one != code]
        if not others:
            break
        alike = [one for one in others if bands[one] == bands[code]]
        target = min(alike or others, key=lambda one: _distance(codes, score, day, here, one, in_time=bool(alike)))
        codes = np.where(here, target, codes)
        joined.append(str(names[code]))
    return names[codes], tuple(joined)


def _distance(
    codes: Integers, score: Floats, day: Floats, here: np.ndarray[Any, Any], other: int, *, in_time: bool
) -> tuple[float, float, int]:
    there = codes == other
    apart = [abs(float(held[here].mean() - held[there].mean())) for held in (score, day)]
    return (apart[1], apart[0], other) if in_time else (apart[0], apart[1], other)
