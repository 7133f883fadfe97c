"""`threshold_for`: a threshold of confidence with a promise about the risk of what it keeps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from howsure import __version__
from howsure.errors import InputError
from howsure.inputs.checks import check_level
from howsure.inputs.naming import counted
from howsure.inputs.pairs import Pairs
from howsure.inputs.pairs_from import pairs_from
from howsure.selective.ranked import Ranked, ranked
from howsure.selective.results import Candidates, SelectiveThreshold
from howsure.selective.threshold_tests import ANY, ESTIMATED, FIRST, answers_needed, fewest, threshold_tests
from howsure.stats.clusters import few_clusters
from howsure.stats.estimate import Estimate
from howsure.stats.proportions import wilson_interval

ASSUMED = {
    ESTIMATED: "the promise supposes independent clusters whose answers depend on each other as they do here",
    ANY: "the promise supposes independent clusters, none larger than the largest seen",
}


def threshold_for(
    y_true: Any = None,
    y_prob: Any = None,
    *,
    risk: float,
    delta: float = 0.1,
    clusters: Any = None,
    dependence: str = ESTIMATED,
    pos_label: Any = None,
    level: float = 0.95,
    data: Any = None,
) -> SelectiveThreshold:
    """The lowest threshold of confidence that can be promised to keep answers of which at most a share `risk` is wrong.

    The promise: over data sets like this one, the threshold λ found has P(wrong | confidence ≥ λ) > risk with
    probability at most `delta`. It holds for any number of answers and any model, not only for many; it is about new
    answers of the same kind, not about other data.

    y_true (n,): 1 where the answer is right; any two values with `pos_label`. y_prob (n,): its confidence. `Pairs` may
    replace both. Thresholds are confidences that occur, so that answers of equal confidence are kept or given up
    together. They are tested from the highest down (see docs/selective.md), each by the exact binomial test. clusters
    (n,): identifies answers that are right or wrong together. With dependence="estimated", the test then rests on how
    the clusters here differ, and allows for one more cluster of wrong answers; with "any", it is a bet on whole
    clusters, which holds however the answers of a cluster depend on each other, as long as none is larger than the
    largest seen, and promises much less. level: that of the coverage's interval.

    If nothing can be promised, `threshold` is None and `needed` says about how many answers would change that.

    Raises InputError naming the parameter, row and value that violated a rule.
    Source: Learn then Test (Angelopoulos et al. 2021), with the fallback procedure (Wiens 2003).

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> confidence = rng.random(2000)
    >>> found = threshold_for(rng.random(2000) < confidence**0.1, confidence, risk=0.05)
    >>> round(found.threshold, 2), found.n_kept
    (0.28, 1434)
    """
    pairs = pairs_from(y_true, y_prob, data=data, clusters=clusters, pos_label=pos_label)
    return threshold_of(pairs, risk=risk, delta=delta, dependence=dependence, level=level)


def threshold_of(
    pairs: Pairs,
    *,
    risk: float,
    delta: float = 0.1,
    dependence: str = ESTIMATED,
    level: float = 0.95,
    name: str | None = None,
) -> SelectiveThreshold:
    """The threshold of checked pairs: the implementation of `threshold_for`."""
    risk, delta, level = _checked(risk, "risk"), _checked(delta, "delta"), check_level(level)
    ranks = ranked(pairs)
    if dependence not in (ESTIMATED, ANY):
        raise InputError(f"dependence must be {ESTIMATED!r} or {ANY!r}, not {dependence!r}")
    tests = threshold_tests(ranks, risk=risk, delta=delta, dependence=dependence)
    kept, passed = tests.kept, np.flatnonzero(tests.passed)
    best = int(passed[-1]) if len(passed) else None
    share = 0.0 if best is None else float(kept.coverage[best])
    low, high = wilson_interval(np.array([share]), np.array([kept.effective_total]), level=level)
    clusters = None if ranks.clusters is None else ranks.n_clusters
    return SelectiveThreshold(
        threshold=None if best is None else float(kept.threshold[best]),
        risk=risk,
        delta=delta,
        n_kept=0 if best is None else int(kept.n[best]),
        errors=0 if best is None else int(kept.errors[best]),
        coverage=Estimate(share, float(low[0]), float(high[0]), level, "Wilson", ranks.total),
        candidates=Candidates(
            kept.threshold, kept.n, kept.errors, kept.coverage, kept.risk, tests.p_value, tests.level, tests.passed
        ),
        n=ranks.total,
        n_wrong=ranks.wrong,
        needed=None if best is not None else answers_needed(ranks, risk=risk, delta=delta, dependence=dependence),
        recipe={
            "howsure": __version__, "n": ranks.total, "risk": risk, "delta": delta, "level": level,
            "test": _test(clusters, dependence), "candidates": len(kept.n),
            "clusters": clusters, "dependence": None if clusters is None else dependence,
        },
        notes=tuple(_notes(ranks, risk, delta, best, dependence)),
        name=name,
    )  # fmt: skip


def _checked(value: float, name: str) -> float:
    if isinstance(value, (int, float, np.number)) and not isinstance(value, bool) and 0.0 < value < 1.0:
        return float(value)
    raise InputError(f"{name} must lie strictly between 0 and 1; it is {value!r}. Write 0.05 for 5 %.")


def _test(clusters: int | None, dependence: str) -> str:
    if clusters is None:
        return "binomial"
    return "bet on clusters" if dependence == ANY else "gamma"


def _notes(ranks: Ranked, risk: float, delta: float, best: int | None, dependence: str) -> Iterator[str]:
    least = fewest(risk, FIRST * delta)
    if best is None and ranks.total < least:
        yield (
            f"{counted(ranks.total, 'answer')} cannot show a risk of at most {risk:g}: even {least - 1:,} right "
            f"answers and no wrong one could not, at delta={delta:g}"
        )
    if ranks.clusters is not None:
        if few := few_clusters(np.bincount(ranks.clusters)):
            yield few
        yield ASSUMED[dependence]
