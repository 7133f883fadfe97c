"""`selective_threshold`: a threshold of confidence with a guarantee for the risk of the answers that it keeps."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Hashable, Iterator
from dataclasses import dataclass

import numpy as np

from howsure import __version__
from howsure.errors import InputError
from howsure.inputs.arguments import check_arguments
from howsure.inputs.frames import Source
from howsure.inputs.numbers_and_names import check_level, counted
from howsure.inputs.pairs import Bools, Floats, Integers, Pairs, Probabilities
from howsure.inputs.pairs_from import pairs_from
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.result import Estimate
from howsure.selective.kept_answers import MAX_POINTS, Kept, cluster_counts, even_places, kept_at
from howsure.selective.ranked_answers import Ranked, ranked
from howsure.selective.results import ANY, ASSUMED, ESTIMATED, Candidates, SelectiveThreshold
from howsure.stats.clusters import few_clusters, ratio_p_value
from howsure.stats.proportions import wilson_interval

# Tests, for many thresholds at once, that the risk of the kept answers is at most a target.

STARTS = 5
FIRST = 0.5  # fraction of delta for the strictest threshold; the other starts divide the rest
MAX_BETS = 40  # number of candidates; a bet visits all clusters
TIMES = np.geomspace(1.0, 1e4, 400)  # multiple of the present clusters
POWER = 0.8  # probability of a guarantee with the number of answers that is reported as needed
HIGHEST_BET = 0.9  # fraction of the wealth that a single cluster of wrong answers would lose


@dataclass(frozen=True, slots=True)
class ThresholdTests:
    """Tested thresholds, from the highest, with p of "the risk exceeds the target", levels, and whether each passed."""

    kept: Kept
    p_value: Floats
    level: Floats
    passed: Bools


def threshold_tests(ranks: Ranked, *, risk: float, delta: float, dependence: str = ESTIMATED) -> ThresholdTests:
    """Test thresholds from the highest down, so that with probability at least 1 - delta, no threshold that passes has
    a risk above `risk`.

    The candidates are at most 200 distinct confidences, evenly spaced in coverage, beginning with the first that could
    pass. The p-value of a candidate is P(Binomial(n, risk) ≤ errors). It is at most delta if and only if Clopper and
    Pearson's upper bound at 1 - delta is at most the risk. With clusters, the p-value comes from `ratio_p_value`
    or, with dependence="any", from a bet (`_log_wealth`). The levels follow the fallback procedure (Wiens
    2003): the first candidate gets delta / 2, and each of four others, evenly spaced, gets delta / 8. The level of a
    candidate that passes is added to that of the next candidate. So only a part of delta is lost if a candidate fails,
    for example because the model is worst where it is most confident.
    """
    bet = dependence == ANY and ranks.clusters is not None
    positions = _candidates(ranks, risk, delta, bet=bet)
    kept = kept_at(ranks, positions)
    p = _bets(ranks, positions, risk, delta) if bet else _p_values(ranks, positions, kept, risk)
    return ThresholdTests(kept, p, *fallback(p, delta * start_weights(len(p))))


def start_weights(n: int) -> Floats:
    """The initial weights of n ordered tests, as fractions of the level that add up to 1."""
    weights = np.zeros(n)
    if n:
        weights[np.linspace(0, n, STARTS, endpoint=False).astype(np.int64)] = (1 - FIRST) / (STARTS - 1)
        weights[0] = FIRST
        weights /= weights.sum()
    return weights


def fallback(p_values: Floats, weights: Floats) -> tuple[Floats, Bools]:
    """The level of each test in order, and whether it rejects.

    The level is the test's own weight plus, if the previous test rejected, the level of the previous test (Wiens 2003).

    >>> levels, passed = fallback(np.array([0.01, 0.06, 0.2]), np.array([0.05, 0.05, 0.0]))
    >>> levels.tolist(), passed.tolist()
    ([0.05, 0.1, 0.1], [True, True, False])
    """
    levels, passed, handed = np.zeros(len(weights)), np.zeros(len(weights), dtype=np.bool_), 0.0
    for i, (p, share) in enumerate(zip(p_values.tolist(), weights.tolist(), strict=True)):
        levels[i] = handed + share
        passed[i] = levels[i] > 0.0 and p <= levels[i]
        handed = levels[i] if passed[i] else 0.0
    return levels, passed


def min_answers(risk: float, level: float) -> int:
    """Return the fewest answers that, all right, show a risk below `risk`: log(level) / log(1 - risk)."""
    return 1 if risk >= 1.0 else math.ceil(math.log(level) / math.log1p(-risk) - 1e-9)


def _candidates(ranks: Ranked, risk: float, delta: float, *, bet: bool) -> Integers:
    """The positions to test: from the first that could pass at the first level if all its answers were right."""
    ends = np.cumsum(ranks.n)
    first = int(np.searchsorted(ends, min_answers(risk, FIRST * delta)))
    if first == len(ends):
        return np.zeros(0, np.int64)
    targets = np.linspace(ends[first], ranks.total, MAX_BETS if bet else MAX_POINTS)
    positions: Integers = np.unique(np.searchsorted(ends, np.floor(targets)))
    if ranks.clusters is None:
        return positions
    for i, (counts, _) in enumerate(cluster_counts(ranks, positions)):
        flawless = np.zeros_like(counts)
        p = math.exp(-_log_wealth(counts, flawless, risk, delta)) if bet else ratio_p_value(counts, flawless, risk)
        if p <= FIRST * delta:
            return positions[i:]
    return np.zeros(0, np.int64)


def _p_values(ranks: Ranked, positions: Integers, kept: Kept, risk: float) -> Floats:
    if ranks.clusters is None:
        return _binomial(kept.risk, kept.n.astype(np.float64), risk)
    return np.array([ratio_p_value(counts, wrong, risk) for counts, wrong in cluster_counts(ranks, positions)])


def _binomial(risk_seen: Floats, n: Floats, risk: float) -> Floats:
    """P(Binomial(n, risk) ≤ seen · n): the incomplete beta function."""
    from scipy.special import betainc

    p = betainc(np.maximum((1 - risk_seen) * n, np.finfo(float).tiny), risk_seen * n + 1, 1 - risk)
    return np.asarray(np.where(risk_seen >= 1, 1.0, p), dtype=np.float64)


def _bets(ranks: Ranked, positions: Integers, risk: float, delta: float) -> Floats:
    logs = [_log_wealth(counts, wrong, risk, delta) for counts, wrong in cluster_counts(ranks, positions)]
    return np.asarray(np.exp(-np.maximum(np.array(logs), 0.0)), dtype=np.float64)


def _log_wealth(counts: Floats, wrong: Floats, risk: float, delta: float) -> float:
    """Return the logarithm of the wealth W = mean over b of Π_c (1 - b (e_c - risk · n_c)).

    W is the capital, starting from 1, after betting against "the risk is larger than `risk`" on each cluster c with n_c
    answers and e_c errors. If the hypothesis is true, the expectation of W is at most 1, so that 1 / W is a p-value
    (Markov's inequality), however the answers of a cluster depend on each other. The three bets b depend only on the
    sizes of clusters, not on the errors. One bet is best for independent answers, one for clusters of equal answers,
    and one is in between. The bets assume that no cluster is larger than the largest kept cluster.
    """
    total, all_ = float(counts.sum()), float((counts**2).sum())
    spread = risk * (1 - risk) * np.array([total, math.sqrt(total * all_), all_])
    most = HIGHEST_BET / ((1 - risk) * float(counts.max()))
    bets = np.minimum(np.sqrt(2 * math.log(1 / delta) / spread), most)
    excess = np.sort(wrong - risk * counts)
    return float(np.logaddexp.reduce([np.log1p(-bet * excess).sum() for bet in bets]) - math.log(len(bets)))


def answers_needed(ranks: Ranked, *, risk: float, delta: float, dependence: str = ESTIMATED) -> int | None:
    """Return the approximate number of answers, similar to these, that would lead to a guarantee with probability
    POWER; None if no threshold has an observed risk below the target.

    Without clusters, or for bets, it is the minimum over thresholds of n = ((z √(risk (1 - risk)) + z' √(r (1 - r))) /
    (risk - r))² / coverage, with the observed risk r = (errors + risk) / (n + 1). With clusters, it is the multiple of
    the present clusters that the test needs.
    """
    from scipy.special import ndtri

    kept = kept_at(ranks, even_places(ranks))
    risk_so_far = (kept.errors + risk) / (kept.n + 1)
    below = risk_so_far < risk
    if not below.any():
        return None
    z, other = float(-ndtri(FIRST * delta)), float(ndtri(POWER))
    if dependence != ANY and ranks.clusters is not None:
        clusters = list(cluster_counts(ranks, even_places(ranks)[below]))

        def is_enough(times: float) -> bool:
            return any(
                ratio_p_value(counts, wrong, risk, times=times, unlucky=other) <= FIRST * delta
                for counts, wrong in clusters
            )

        first = bisect_left(TIMES, True, key=is_enough)
        return _round_up(TIMES[first] * ranks.total) if first < len(TIMES) else None
    r = risk_so_far[below]
    kept_answers = ((z * math.sqrt(risk * (1 - risk)) + other * np.sqrt(r * (1 - r))) / (risk - r)) ** 2
    kept_answers = np.maximum(kept_answers, min_answers(risk, FIRST * delta))
    alone = np.ones(len(kept.n))
    if ranks.clusters is not None:
        alone = np.array([counts.max() for counts, _ in cluster_counts(ranks, even_places(ranks))])
    return _round_up(float((kept_answers * alone[below] / kept.coverage[below]).min()))


def _round_up(needed: float) -> int:
    unit = 10 ** max(int(math.log10(needed)) - 1, 0)
    return int(math.ceil(needed / unit) * unit)


def selective_threshold(
    y_true: ArrayLike | str | Pairs | None = None,
    y_prob: ArrayLike | str | Probabilities | None = None,
    *,
    risk: float,
    delta: float = 0.1,
    clusters: ArrayLike | str | None = None,
    dependence: str = ESTIMATED,
    pos_label: Hashable = None,
    level: float = 0.95,
    data: Source | IntoFrame | None = None,
) -> SelectiveThreshold:
    """Return the lowest confidence threshold for which it is guaranteed that at most a proportion `risk` of the kept
    answers is wrong.

    The guarantee: over data sets like this one, the returned threshold λ has P(wrong | confidence ≥ λ) > risk with
    probability at most `delta`. It holds for any model and any number of answers, also a small one. It refers to new
    answers of the same kind, not to other data.

    y_true (n,): 1 if the answer is right, else 0; any two values with `pos_label`. y_prob (n,): the confidence of the
    answer. `Pairs` may replace both. Thresholds are confidences that occur, so that answers of equal confidence are
    kept or rejected together. They are tested from the highest down (see docs/selective.md), each by the exact binomial
    test. clusters (n,): clusters of answers that may be right or wrong together. With dependence="estimated", the test
    uses the observed differences between clusters and allows for worse clusters of the observed sizes. With "any", the
    test is a bet on whole clusters. It is valid for any dependence within clusters, as long as no cluster is larger
    than the largest one here, but keeps far fewer answers. level: level of the coverage's interval.

    If nothing can be guaranteed, `threshold` is None, and `needed` is the approximate number of answers that would
    suffice.

    Raises InputError, which names the parameter, row and value, for an invalid input.
    Source: Learn then Test (Angelopoulos et al. 2021), with the fallback procedure (Wiens 2003).

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> confidence = rng.random(2000)
    >>> found = selective_threshold(rng.random(2000) < confidence**0.1, confidence, risk=0.05)
    >>> round(found.threshold, 2), found.n_kept
    (0.28, 1434)
    """
    check_arguments(selective_threshold, locals())
    pairs = pairs_from(y_true, y_prob, data=data, clusters=clusters, pos_label=pos_label)
    return choose_threshold(pairs, risk=risk, delta=delta, dependence=dependence, level=level)


def choose_threshold(
    pairs: Pairs,
    *,
    risk: float,
    delta: float = 0.1,
    dependence: str = ESTIMATED,
    level: float = 0.95,
    name: str | None = None,
) -> SelectiveThreshold:
    """Return the threshold for checked pairs. This is the implementation of `selective_threshold`."""
    check_promise(risk, delta, dependence)
    level, ranks = check_level(level), ranked(pairs)
    tests = threshold_tests(ranks, risk=risk, delta=delta, dependence=dependence)
    kept, passed = tests.kept, np.flatnonzero(tests.passed)
    best = int(passed[-1]) if len(passed) else None
    share = 0.0 if best is None else float(kept.coverage[best])
    low, high = wilson_interval(np.array([share]), np.array([kept.effective_total]), level=level)
    clusters = None if ranks.clusters is None else ranks.n_clusters
    return SelectiveThreshold(
        threshold=None if best is None else float(kept.threshold[best]),
        risk=float(risk),
        delta=float(delta),
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
            "howsure": __version__,
            "n": ranks.total,
            "risk": risk,
            "delta": delta,
            "level": level,
            "test": _test(clusters, dependence),
            "candidates": len(kept.n),
            "clusters": clusters,
            "dependence": None if clusters is None else dependence,
        },
        notes=(*_notes(ranks, risk, delta, best, dependence), *pairs.notes),
        name=name,
    )


def check_promise(risk: float, delta: float, dependence: str) -> None:
    """Raise InputError for an invalid risk, delta or dependence."""
    for name, value in {"risk": risk, "delta": delta}.items():
        if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0.0 < value < 1.0:
            raise InputError("not_between", name, value=value, low=0, high=1, remedy="Write 0.05 for 5%.")
    if dependence not in ASSUMED:
        raise InputError(
            "{parameter} must be {estimated!r} or {any!r}, not {dependence!r}",
            "dependence",
            estimated=ESTIMATED,
            any=ANY,
            dependence=dependence,
        )


def _test(clusters: int | None, dependence: str) -> str:
    if clusters is None:
        return "binomial"
    return "bet on clusters" if dependence == ANY else "gamma"


def _notes(ranks: Ranked, risk: float, delta: float, best: int | None, dependence: str) -> Iterator[str]:
    least = min_answers(risk, FIRST * delta)
    if best is None and ranks.total < least:
        yield (
            f"{counted(ranks.total, 'answer')} cannot show a risk of at most {risk:g}: with delta={delta:g}, at "
            f"least {least:,} are needed, even if all are right"
        )
    if ranks.clusters is not None:
        if few := few_clusters(np.bincount(ranks.clusters)):
            yield few
        yield ASSUMED[dependence]
