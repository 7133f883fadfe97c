"""Maximum likelihood strengths of models from battles: the model of Bradley, Terry and Davidson."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from howsure.errors import InputError
from howsure.inputs.pairs import Floats, Integers
from howsure.scores.ranks import Flags

MAX_LOG_ODDS = 30.0  # largest log odds; larger finite estimates would need more battles than is feasible
MAX_CONDITION = 1e12  # condition number of the information above which rounding may hide that a strength diverges
MAX_STEPS, LOOSE_TOLERANCE, TOLERANCE = 200, 1e-8, 1e-12
FIRST, TIE, SECOND = 0, 1, 2  # outcomes


@dataclass(frozen=True, slots=True)
class Strengths:
    """The log strengths of m models, which add up to 0, and the covariance (m + 2, m + 2) of all parameters. The
    parameters are the strengths, the log propensity to tie (-inf without ties), and the increase in log odds due to
    being shown first.

    If two models differ by d log odds, the probabilities that the better one wins, that the other wins, and that they
    tie are proportional to exp(d / 2), exp(-d / 2) and exp(tie) (Davidson 1970; Davidson & Beaver 1977).
    """

    theta: Floats
    tie: float
    first: float
    covariance: Floats

    def points(self) -> tuple[Floats, Floats]:
        """Return expected points (win 1, tie ½) of each model against a random other model, with standard errors."""
        m = len(self.theta)
        at = _outcome_probabilities(self.theta[:, None] - self.theta, self.tie)
        is_other = ~np.eye(m, dtype=bool)
        share = (0.5 + at.mean)[is_other].reshape(m, m - 1).mean(axis=1)
        slopes = np.where(is_other, at.dd, 0.0) / (m - 1)
        gradient = np.column_stack(
            [np.diag(slopes.sum(axis=1)) - slopes, np.where(is_other, at.dt, 0.0).sum(axis=1) / (m - 1), np.zeros(m)]
        )
        return share, np.sqrt(((gradient @ self.covariance) * gradient).sum(axis=1))

    def equal_models(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """For two equally strong models: points of the first, and the probability of a tie, with standard errors."""
        at = _outcome_probabilities(np.array(self.first), self.tie)
        estimates = []
        for value, by_tie, by_first in ((0.5 + at.mean, at.dt, at.dd), (at.tied, at.tt, at.dt)):
            gradient = np.array([by_tie, by_first])
            estimates.append((float(value), float(np.sqrt(gradient @ self.covariance[-2:, -2:] @ gradient))))
        return estimates[0], estimates[1]


@dataclass(frozen=True, slots=True)
class _OutcomeProbabilities:
    """For models that differ by d log odds: the mean of (win - loss) / 2, the probability of a tie, and the variances
    and covariance of both, which are also their derivatives.
    """

    mean: Floats
    tied: Floats
    dd: Floats
    dt: Floats
    tt: Floats
    log: tuple[Floats, Floats, Floats]  # the probabilities of the outcomes


def _outcome_probabilities(d: Floats, tie: float) -> _OutcomeProbabilities:
    log = np.stack([d / 2, np.full_like(d, tie), -d / 2])
    log = log - np.logaddexp.reduce(log, axis=0)
    first, tied, second = np.exp(log)
    mean = (first - second) / 2
    return _OutcomeProbabilities(
        mean, tied, (first + second) / 4 - mean**2, -tied * mean, tied * (1 - tied), (log[0], log[1], log[2])
    )


def log_win_probability(d: Floats, tie: float) -> Floats:
    """The log probability that a model wins if it is d log odds stronger."""
    return _outcome_probabilities(np.asarray(d, dtype=np.float64), tie).log[FIRST]


def expected_points(d: Floats, tie: float) -> Floats:
    """The expected points of a model that is d log odds stronger: 1 for a win, 1/2 for a tie."""
    return 0.5 + _outcome_probabilities(np.asarray(d, dtype=np.float64), tie).mean


def tie_probability(d: Floats, tie: float) -> Floats:
    """The probability of a tie with a model that is d log odds weaker."""
    return _outcome_probabilities(np.asarray(d, dtype=np.float64), tie).tied


def fit_strengths(
    first: Integers,
    second: Integers,
    outcome: Integers,
    units: Integers | None = None,
    *,
    m: int,
    position_effect: bool = False,
    share: Floats | None = None,
) -> Strengths:
    """Estimate the strengths of m models from battles by maximum likelihood.

    first, second (n,): the codes of both models of each battle. outcome (n,): FIRST, TIE or SECOND. units (n,): the
    codes of clusters. share (n,): instead of outcomes, the fraction of each battle that the first model gets, from 0 to
    1. The quasi-likelihood of Papke & Wooldridge (1996), without ties, is then maximised.

    Newton's method is applied to sums by pair of models. The covariance is the sandwich estimator, with battles or
    clusters of battles as units.
    """
    swapped = np.zeros(len(first), dtype=bool) if position_effect else first > second
    pairs, pair_of_battle = _Pairs.of(np.where(swapped, second, first), np.where(swapped, first, second), m)
    outcome = np.where(swapped, SECOND - outcome, outcome)
    if share is not None:
        share = np.where(swapped, 1 - share, share)
    counts = pairs.count(pair_of_battle, outcome, share)
    ties = bool(counts[TIE].any())
    free = np.append(np.ones(m, dtype=bool), [ties, position_effect])
    theta, tie, lead = _maximize_likelihood(pairs, counts, free)
    at = _outcome_probabilities(pairs.differences(theta) + lead, tie)
    bread = np.linalg.inv(_information(pairs, counts.sum(axis=0), at, free))
    # the likelihood scores of a battle, for d and for the propensity to tie
    score_of_d, score_of_tie = (
        np.stack([0.5 - at.mean, -at.mean, -0.5 - at.mean]),
        np.stack([-at.tied, 1 - at.tied, -at.tied]),
    )
    if share is None and units is None:
        sums = (
            (counts * score * other).sum(axis=0)
            for score, other in ((score_of_d, score_of_d), (score_of_d, score_of_tie), (score_of_tie, score_of_tie))
        )
        meat = pairs.sum_products(*sums) * (len(first) / max(len(first) - 1, 1))
    else:
        if share is None:
            score_of_battle, tie_score = score_of_d[outcome, pair_of_battle], score_of_tie[outcome, pair_of_battle]
        else:
            score_of_battle, tie_score = share - 0.5 - at.mean[pair_of_battle], np.zeros(len(first))
        codes = np.arange(len(first)) if units is None else units
        battle_pairs = pairs.first[pair_of_battle], pairs.second[pair_of_battle]
        meat = _clustered_meat(*battle_pairs, score_of_battle, tie_score, codes, m)
    covariance = bread @ (meat * np.outer(free, free)) @ bread
    return Strengths(theta, tie, lead, covariance * np.outer(free, free))


@dataclass(frozen=True, slots=True)
class _Pairs:
    """The pairs of m models that have battles, by the codes of both models (pairs,)."""

    first: Integers
    second: Integers
    m: int

    @classmethod
    def of(cls, first: Integers, second: Integers, m: int) -> tuple[_Pairs, Integers]:
        """Return the distinct pairs of models and, for each battle, the index of its pair (n,).

        first, second (n,): the codes of the two models of each battle. m: the number of models.
        """
        code = first.astype(np.int64) * m + second
        pair_codes = np.flatnonzero(np.bincount(code, minlength=m * m))
        index = np.empty(m * m, dtype=np.int64)
        index[pair_codes] = np.arange(len(pair_codes))
        return cls(*np.divmod(pair_codes, m), m), index[code]

    def count(self, pair_of_battle: Integers, outcome: Integers, share: Floats | None) -> Floats:
        """The numbers (3, pairs) of wins of the first model, ties, and wins of the second model."""
        k = len(self.first)
        if share is None:
            counts = np.bincount(outcome * k + pair_of_battle, minlength=3 * k).reshape(3, k)
            return np.asarray(counts, dtype=np.float64)
        of_first, of_second = (np.bincount(pair_of_battle, part, minlength=k) for part in (share, 1 - share))
        return np.stack([of_first, np.zeros(k), of_second])

    def differences(self, theta: Floats) -> Floats:
        """The lead of the first model of each pair in log odds (pairs,)."""
        return np.asarray(theta[self.first] - theta[self.second])

    def net_sums(self, values: Floats) -> Floats:
        """Return each model's (m,) sum of values over pairs in which it is first, minus those in which it is second."""
        of_first, of_second = (np.bincount(model, values, minlength=self.m) for model in (self.first, self.second))
        return np.asarray(of_first - of_second)

    def sum_products(self, dd: Floats, dt: Floats, tt: Floats) -> Floats:
        """Sums over pairs of products of likelihood scores by parameter (m + 2, m + 2): of d, and of ties."""
        m = self.m
        information = np.zeros((m + 2, m + 2))
        information[self.first, self.second] = -dd
        information[:m, :m] += information[:m, :m].T.copy()
        np.fill_diagonal(information[:m, :m], -information[:m, :m].sum(axis=1))
        information[:m, m] = information[m, :m] = self.net_sums(dt)
        information[:m, m + 1] = information[m + 1, :m] = self.net_sums(dd)
        information[m:, m:] = [[tt.sum(), dt.sum()], [dt.sum(), dd.sum()]]
        return information


def _maximize_likelihood(pairs: _Pairs, counts: Floats, free: Flags) -> tuple[Floats, float, float]:
    n, m = counts.sum(axis=0), pairs.m
    tied = counts[TIE].sum()
    beta = np.zeros(m + 2)
    beta[m] = np.log(2 * tied / (n.sum() - tied)) if tied else -np.inf
    last = np.inf

    def outcome_probabilities(beta: Floats) -> _OutcomeProbabilities:
        return _outcome_probabilities(pairs.differences(beta) + beta[m + 1], float(beta[m]))

    at = outcome_probabilities(beta)
    for _ in range(MAX_STEPS):
        excess = (counts[FIRST] - counts[SECOND]) / 2 - n * at.mean
        gradient = np.concatenate([pairs.net_sums(excess), [(counts[TIE] - n * at.tied).sum(), excess.sum()]])
        information = _information(pairs, n, at, free)
        try:
            step = np.linalg.solve(information, gradient * free)
        except np.linalg.LinAlgError:  # the likelihood is flat far from its maximum
            break
        best = _log_likelihood(counts, at)
        size = 1.0
        while size > TOLERANCE:
            tried = np.where(free, beta + size * step, beta)
            at = outcome_probabilities(tried)
            value = _log_likelihood(counts, at)
            if value >= best - 1e-12 * abs(best):
                break
            size /= 2
        beta = tried
        if np.abs(beta[free]).max() > MAX_LOG_ODDS:
            break
        moved = size * np.abs(step).max()
        if moved < TOLERANCE or (moved < LOOSE_TOLERANCE and moved > last / 2):  # the rest is rounding error
            eigenvalues = np.abs(np.linalg.eigvalsh(information))
            if eigenvalues.max() > MAX_CONDITION * eigenvalues.min():
                break
            beta[:m] -= beta[:m].mean()
            return beta[:m], float(beta[m]), float(beta[m + 1])
        last = moved
    raise no_finite_strengths(position_effect=bool(free[m + 1]))


def no_finite_strengths(*, position_effect: bool) -> InputError:
    """The error for battles from which finite strengths, or the effect of the position, cannot be estimated."""
    remedy = ", or leave `position_effect=...` out" if position_effect else ""
    return InputError(
        "no finite strengths fit these battles, because no two models won over each other, directly or through others"
        f"{', or the outcome follows from the order' if position_effect else ''}. Add battles{remedy}."
    )


def _log_likelihood(counts: Floats, at: _OutcomeProbabilities) -> float:
    return float(sum((n[n > 0] * log[n > 0]).sum() for n, log in zip(counts, at.log, strict=True)))


def _information(pairs: _Pairs, n: Floats, at: _OutcomeProbabilities, free: Flags) -> Floats:
    """Return the Fisher information of n (pairs,) battles, regular: strengths sum to 0, fixed parameters stay."""
    m = pairs.m
    information = pairs.sum_products(n * at.dd, n * at.dt, n * at.tt) * np.outer(free, free)
    information[:m, :m] += np.trace(information[:m, :m]) / m**2
    information[np.diag_indices(m + 2)] += ~free
    return information


def _clustered_meat(
    first: Integers, second: Integers, score_of_d: Floats, score_of_tie: Floats, units: Integers, m: int
) -> Floats:
    """The sum over clusters of the outer products of their likelihood scores."""
    from scipy.sparse import csr_array

    parameters = np.concatenate([first, second, np.full(len(first), m), np.full(len(first), m + 1)])
    values = np.concatenate([score_of_d, -score_of_d, score_of_tie, score_of_d])
    number = int(units.max()) + 1
    scores = csr_array((values, (np.tile(units, 4), parameters)), shape=(number, m + 2))
    return np.asarray((scores.T @ scores).toarray()) * (number / max(number - 1, 1))
