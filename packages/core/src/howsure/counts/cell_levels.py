"""A level (bias of the scores in logits) for each cell, pooled within its domain; and single cells without pooling."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from howsure.inputs.classes import softmax
from howsure.inputs.pairs import Floats, Integers
from howsure.stats.logistic import sigmoid
from howsure.stats.proportions import poisson_binomial

# Interval of a population total from a simple random sample, by mid-p tails of the exact distribution.

REACH = 12.0  # standard deviations beyond which the mass of a hypergeometric distribution is negligible
MIN_REACH = 40.0
ROUNDING = 1e-9  # tolerance when comparing a tail with its level, so that results are the same on any machine


def hypergeometric_interval(units: int, n: int, positives: int, *, level: float) -> tuple[int, int]:
    """Return the mid-p interval of the total of `units` units, given a simple random sample of n units.

    It contains the totals for which both mid-p tails exceed (1 - level)/2. Each tail is monotone in the total, so both
    ends are found by bisection. Mid-p intervals are shorter than intervals with guaranteed coverage for every total. At
    level 0.95, their coverage is at least 0.95 on average over totals, and at least 0.92 for every single total (0.84
    at level 0.9). This was computed for all totals of 50 to 1,000 units, of which 10 to 100 were drawn.

    >>> hypergeometric_interval(1000, 50, 0, level=0.95)
    (0, 56)
    """
    if n == 0:
        return 0, units
    tail = (1.0 - level) / 2 * (1.0 + ROUNDING)
    least, most = positives, units - n + positives
    low = find_first(least, most, lambda total: mid_tails(units, n, positives, total)[1] > tail)
    high = -find_first(-most, -least, lambda total: mid_tails(units, n, positives, -total)[0] > tail)
    if low > high:  # at a level near 0: the most likely total
        best = min(max((units + 1) * positives // n, least), most)
        return best, best
    return low, high


def find_first(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """Return the smallest integer in [low, high] for which a monotone condition is true; `high` if it is never true."""
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low


def mid_tails(units: int, n: int, positives: int, total: int) -> tuple[float, float]:
    """Return P(K < k) + P(K = k)/2 and P(K > k) + P(K = k)/2, where K is hypergeometric and k = `positives`.

    K is the number of positives in a sample of n from `units` units, `total` of which are positive.
    """
    from scipy.special import gammaln

    first, last = max(0, n - (units - total)), min(n, total)
    share = total / units
    mean = n * share
    deviation = (mean * (1.0 - share) * (units - n) / max(units - 1, 1)) ** 0.5
    reach = max(REACH * deviation, MIN_REACH)
    if positives < mean - reach:
        return 0.0, 1.0
    if positives > mean + reach:
        return 1.0, 0.0
    k = np.arange(max(first, int(mean - reach)), min(last, int(mean + reach) + 1) + 1, dtype=np.float64)
    rest = units - total
    logs = -gammaln(k + 1) - gammaln(total - k + 1) - gammaln(n - k + 1) - gammaln(rest - n + k + 1)
    mass = np.exp(logs - logs.max())
    mass /= mass.sum()
    half = float(mass[k == positives].sum()) / 2
    return float(mass[k < positives].sum()) + half, float(mass[k > positives].sum()) + half


# A single cell without pooling: its count given its labels, for every level of the proxy in this cell.

NEWTON_STEPS = 60


def conditional_interval(logits: Floats, unlabelled: Floats, positives: int, *, level: float) -> tuple[int, int]:
    """Return the interval of a cell's total T: all t for which both mid-p tails of P(K | T = t) exceed (1 - level)/2.

    K is the number of positive labels. With odds m_i e^θ for labelled (`logits`) and unlabelled units, the total T is
    sufficient for θ, so P(K = k | T = t) = f_S(k) f_U(t - k) / f_D(t), with f the distributions of the sums over
    labelled, unlabelled and all units. This holds at any θ; θ is chosen so that Σ m = t. A constant proxy gives the
    hypergeometric distribution of a simple random sample. Sources: Chen & Liu (1997), for conditional Bernoulli laws.
    """
    tail = (1.0 - level) / 2
    least, most = positives, positives + len(unlabelled)
    low = find_first(least, most, lambda t: _mid_tails(logits, unlabelled, positives, t)[1] > tail)
    high = find_first(-most, -least, lambda t: _mid_tails(logits, unlabelled, positives, -t)[0] > tail)
    return low, -high


def conditional_estimate(logits: Floats, unlabelled: Floats, positives: int) -> float:
    """Return the total for which the expected number of positive labels is the observed number."""
    n, total = len(logits), len(logits) + len(unlabelled)
    if n == 0:
        return float("nan")
    if positives in (0, n):
        return total * positives / n if positives else 0.0
    theta = _tilt(logits, float(positives))
    return positives + float(sigmoid(unlabelled + theta).sum())


def _mid_tails(logits: Floats, unlabelled: Floats, positives: int, total: int) -> tuple[float, float]:
    """Return the mid-p tails P(K < k | T) + P(K = k | T)/2 and P(K > k | T) + P(K = k | T)/2."""
    both = np.concatenate([logits, unlabelled])
    if total in (0, len(both)):
        return 0.5, 0.5
    theta = _tilt(both, float(total))
    labelled_pmf = poisson_binomial(sigmoid(logits + theta)).pmf
    unlabelled_pmf = poisson_binomial(sigmoid(unlabelled + theta)).pmf
    k = np.arange(len(labelled_pmf))
    rest = total - k
    possible = (rest >= 0) & (rest < len(unlabelled_pmf))
    weight = np.where(possible, labelled_pmf * unlabelled_pmf[np.clip(rest, 0, len(unlabelled_pmf) - 1)], 0.0)
    weight /= weight.sum()
    half = weight[positives] / 2
    return float(weight[:positives].sum() + half), float(weight[positives + 1 :].sum() + half)


def _tilt(logits: Floats, total: float) -> float:
    """Return the θ for which Σ σ(logit + θ) = total."""
    low, high = -60.0 - float(logits.max()), 60.0 - float(logits.min())
    for _ in range(NEWTON_STEPS):
        middle = (low + high) / 2
        if float(sigmoid(logits + middle).sum()) < total:
            low = middle
        else:
            high = middle
    return (low + high) / 2


# The level θ of a cell is the bias of the proxy there, in logits. Levels are pooled within domains, on grids, without
# MCMC.

LEVELS = np.arange(-60, 61) / 10.0  # grid of θ, in logits
MEANS = np.arange(-16, 17) / 4.0  # grid of μ, the mean level of a domain
SPREADS = np.array([0.05, 0.2, 0.4, 0.6, 0.8, 1.0, 1.3, 1.7, 2.2])  # grid of τ, the spread of levels in a domain
SPREAD_OF_MEANS = 1.5
SCALE_OF_SPREADS = 1.0  # scale of τ's prior: wide, so that a cell that differs is not pulled far towards the others
SCALE_OF_SIMILAR = 0.5  # scale of τ's prior if cells are assumed to be similar; `agreement` checks this assumption
TAILS = 3.0  # degrees of freedom of the t distribution of levels: few, so that a cell may differ much from the others


@dataclass(frozen=True, slots=True)
class CellLevels:
    """The posterior distribution of levels on a grid; h numbers the pairs of hyperparameters (μ, τ).

    posterior (cells, levels): the posterior of the level of each cell. spread (domains, τ): the posterior of each
    domain's spread τ. domain (cells,): the domain of each cell. likelihood (cells, levels), evidence (cells, h): the
    likelihood of each cell's labels, given the level or the hyperparameters. log_weight (domains, h): the logarithm of
    the posterior of the hyperparameters.
    """

    posterior: Floats
    spread: Floats
    domain: Integers
    likelihood: Floats
    evidence: Floats
    log_weight: Floats

    @property
    def expected_spread(self) -> Floats:
        """The posterior mean of τ of each domain."""
        spread: Floats = self.spread @ SPREADS
        return spread

    @property
    def agreement(self) -> Floats:
        """Return how well the labels of each cell agree with the other cells of its domain, from 0 to 1.

        The agreement is the likelihood of the cell's labels under the level distribution of the other cells, divided by
        its maximum over shifts of this distribution. If both are normal and their means are z standard deviations
        apart, it is e^(-z²/2).
        """
        densities = _level_densities()
        laws = softmax(self.log_weight[self.domain] - np.log(self.evidence)) @ densities
        return np.array([_agreement(*both) for both in zip(self.likelihood, laws, strict=True)])


def cell_levels(
    logits: Floats,
    labels: Floats,
    cell: Integers,
    n_cells: int,
    domain_of_cell: Integers,
    weight: Floats | None = None,
    *,
    scale_of_spreads: float = SCALE_OF_SPREADS,
) -> CellLevels:
    """Compute the posterior of the level θ_c of each cell, given labelled units with P(y = 1) = σ(logit + θ_c).

    weight: the weight of each labelled unit.

    Prior: θ_c ~ μ_a + τ_a t₃ within domain a. μ_a has density ∝ N(μ; 0, 1.5²) √Σ m (1 - m), where the sum is over the
    labelled units of the domain at level μ. Without this root (Jeffreys), upper ends are too low if few labels are
    positive (Firth 1993). τ_a has density ∝ τ exp(-τ²/(2 s²)), s = `scale_of_spreads`. Few cells with few labels each
    cannot distinguish a small τ from 0; if the density at τ = 0 were positive, intervals of cells that drift would
    cover too rarely (Chung et al. 2013).

    Posterior, on grids: let L_c(θ) be the likelihood of the cell's labels, and g_h the density of levels for the
    hyperparameters h = (μ, τ), which have prior π_h. Then Z_ch = Σ_θ L_c(θ) g_h(θ), w_h ∝ π_h Π_c Z_ch over the cells
    of the domain, and the posterior of the level is q_c(θ) = Σ_h w_h L_c(θ) g_h(θ) / Z_ch. The distribution of the
    other cells is p_c(θ) ∝ Σ_h w_h g_h(θ) / Z_ch, and the agreement of the cell is Σ_θ L_c(θ) p_c(θ) / max_δ Σ_θ L_c(θ)
    p_c(θ - δ).
    """
    eta = logits[:, None] + LEVELS
    unit_log_likelihood = labels[:, None] * eta - np.logaddexp(0.0, eta)
    log_likelihood = _sum_by(cell, n_cells, unit_log_likelihood, weight)
    log_likelihood -= log_likelihood.max(axis=1, keepdims=True)
    likelihood = np.exp(log_likelihood)
    densities, log_prior = _level_densities(), _log_prior(scale_of_spreads)
    evidence = likelihood @ densities.T  # (cells, h)
    n_domains = int(domain_of_cell.max()) + 1
    information = _log_root_information(logits, domain_of_cell[cell], n_domains, weight)
    posterior = np.empty_like(likelihood)
    spreads, log_weights = np.empty((n_domains, len(SPREADS))), np.empty((n_domains, len(densities)))
    for domain in range(n_domains):
        members = np.flatnonzero(domain_of_cell == domain)
        log_weights[domain] = log_prior + information[domain] + np.log(evidence[members]).sum(axis=0)
        hyperparameter_weight = softmax(log_weights[None, domain])[0]
        posterior[members] = likelihood[members] * ((hyperparameter_weight / evidence[members]) @ densities)
        spreads[domain] = hyperparameter_weight.reshape(len(MEANS), len(SPREADS)).sum(axis=0)
    posterior /= posterior.sum(axis=1, keepdims=True)
    return CellLevels(posterior, spreads, domain_of_cell, likelihood, evidence, log_weights)


def _sum_by(code: Integers, n_codes: int, rows: Floats, weight: Floats | None) -> Floats:
    """Return the (weighted) sums of the rows with each code; 0 for a code that does not occur."""
    sums = np.zeros((n_codes, rows.shape[1]))
    order = np.argsort(code, kind="stable")
    codes, starts = np.unique(code[order], return_index=True)
    if len(codes):
        sums[codes] = np.add.reduceat((rows if weight is None else weight[:, None] * rows)[order], starts, axis=0)
    return sums


def _agreement(likelihood: Floats, law: Floats) -> float:
    return float(likelihood @ law / np.correlate(likelihood, law, mode="full").max())


def _log_root_information(logits: Floats, domain: Integers, n_domains: int, weight: Floats | None) -> Floats:
    """Return log √Σ m (1 - m) over the labelled units of each domain, at the μ of each h; 0 without labels."""
    m = sigmoid(logits[:, None] + MEANS)
    unit_information = m * (1.0 - m)
    information = _sum_by(domain, n_domains, unit_information, weight)
    information[information.sum(axis=1) == 0] = 1.0
    return np.repeat(0.5 * np.log(information), len(SPREADS), axis=1)


@cache
def _level_densities() -> Floats:
    """Return the density g_h(θ) of levels for each h = (μ, τ), (h, levels)."""
    mean, spread = _hyperparameters()
    z = (LEVELS - mean) / spread
    density = (1.0 + z * z / TAILS) ** (-(TAILS + 1) / 2)
    density /= density.sum(axis=1, keepdims=True)
    return np.asarray(density)


@cache
def _log_prior(scale_of_spreads: float) -> Floats:
    """Return log π_h of each h = (μ, τ), including the width of the grid's interval."""
    mean, spread = _hyperparameters()
    log_prior = -0.5 * (mean / SPREAD_OF_MEANS) ** 2 + np.log(spread) - 0.5 * (spread / scale_of_spreads) ** 2
    return np.asarray((log_prior + np.log(np.tile(np.gradient(SPREADS), len(MEANS)))[:, None]).ravel())


def _hyperparameters() -> tuple[Floats, Floats]:
    """Return μ and τ of each h, (h, 1)."""
    mean, spread = (axis.reshape(-1, 1) for axis in np.meshgrid(MEANS, SPREADS, indexing="ij"))
    return mean, spread
