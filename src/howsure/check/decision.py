"""From evidence to verdicts, adjusted for the number of verdicts and of nightly runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure import __version__
from howsure.check.baseline import Entry
from howsure.check.evidence import BELOW, Evidence
from howsure.check.results import CANNOT_TELL, FAIL, PASS, Check, Verdict
from howsure.errors import InputError
from howsure.inputs.checks import check_level
from howsure.inputs.numbers import check_whole
from howsure.stats.estimate import Estimate
from howsure.stats.multiplicity import adjust_p_values

# From evidence to verdicts: pass, fail or cannot tell, adjusted for the number of verdicts and of nightly runs.

MOST_RUNS = 100_000


def check_sizes(level: float, alarms_over: int) -> tuple[float, int]:
    """The level of the tests and the runs that share it.

    Raises InputError for a level of one half or less, and for a number of runs that is no whole number.
    """
    level = check_level(level)
    if level <= 0.5:
        raise InputError(f"level must lie above 0.5: a verdict errs with probability 1 - level; it is {level:g}.")
    return level, check_whole(alarms_over, name="alarms_over", most=MOST_RUNS)


def decided(evidence: Sequence[Evidence], *, level: float, alarms_over: int) -> tuple[Verdict, ...]:
    """The verdicts on rules that are checked together.

    Pass and fail are two families of one-sided tests, each adjusted by Holm's method. All pass together where all of
    their own p-values are at most 1 - level: "some rule is broken" is then rejected at that level without adjustment
    (Berger 1982). P-values of a failure are multiplied by `alarms_over`.
    """
    size = 1 - level
    kept = np.array([one.p_kept for one in evidence])
    broken = np.array([one.p_broken for one in evidence])
    passing = np.minimum(adjust_p_values(kept), kept.max())
    failing = np.minimum(adjust_p_values(broken) * alarms_over, 1.0)
    return tuple(
        _verdict(one, *ps, size=size, alone=size / len(evidence), alarms_over=alarms_over)
        for one, *ps in zip(
            evidence, kept.tolist(), broken.tolist(), passing.tolist(), failing.tolist(), strict=True
        )
    )  # fmt: skip


def _rows_needed(one: Evidence, size: float) -> int | None:
    """More rows than there are, with which a test of this size would probably give a verdict.

    Where the test's own forecast is that these rows suffice, though they do not: as many as bring its bound to the
    limit, if the distance of a bound falls with the root of n.
    """
    needed, value, limit = one.test.rows_needed(one.rule.limit, size), one.test.value, one.rule.limit
    if needed is None or needed > one.n:
        return needed
    low, high = one.test.bounds(size)
    reach, distance = high - value if limit > value else value - low, abs(limit - value)
    return math.ceil(one.n * (reach / distance) ** 2) if reach > distance > 0.0 else one.n + 1


def _verdict(
    one: Evidence, kept: float, broken: float, passing: float, failing: float, *, size: float, alone: float,
    alarms_over: int,
) -> Verdict:  # fmt: skip
    value, limit = one.test.value, one.rule.limit
    outcome = PASS if passing <= size else FAIL if failing <= size else CANNOT_TELL
    low, high = one.test.bounds(size / 2)
    lower, upper = one.test.bounds(size)
    needed = None
    if outcome == CANNOT_TELL and not math.isnan(value):
        seems_kept = (value < limit) == (one.rule.wanted == BELOW)
        needed = _rows_needed(one, alone if seems_kept else alone / alarms_over)
    undefined = math.isnan(value) or math.isnan(low)
    estimate = Estimate(
        value,
        None if undefined else low,
        None if undefined else high,
        round(1 - size, 12),
        "two one-sided tests",
        one.n,
    )
    bound = lower if value > limit else upper
    return Verdict(
        check=one.rule.check,
        rule=str(one.rule),
        group=one.group,
        n=one.n,
        quantity=one.rule.quantity,
        estimate=estimate,
        bound=None if math.isnan(value) or math.isnan(bound) else bound,
        wanted=one.rule.wanted,
        limit=limit,
        p_pass=kept,
        p_fail=broken,
        p_pass_adjusted=passing,
        p_fail_adjusted=failing,
        outcome=outcome,
        more_rows=None if needed is None else needed - one.n,
        notes=(*one.notes, *(one.caveats(size) if one.caveats else ())),
    )


# What one check found: the evidence, and what was read; and the verdicts on several of them together.


@dataclass(frozen=True, slots=True)
class Found:
    """The evidence of one check, its recipe, remarks about what was read, and what a later run may compare with."""

    name: str
    evidence: tuple[Evidence, ...]
    recipe: dict[str, Any]
    notes: tuple[str, ...]
    entries: tuple[Entry, ...]


def checked(found: Sequence[Found], *, level: float, alarms_over: int) -> Check:
    """The verdicts on all evidence together, adjusted for their number."""
    evidence = [one for each in found for one in each.evidence]
    recipe = {"howsure": __version__, "level": level, "alarms_over": alarms_over}
    recipe |= found[0].recipe if len(found) == 1 else {"checks": [each.recipe for each in found]}
    notes = tuple(dict.fromkeys(note for each in found for note in each.notes))
    rows = decided(evidence, level=level, alarms_over=alarms_over)
    return Check(rows=rows, level=level, recipe=recipe, notes=notes)
