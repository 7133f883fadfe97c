"""A level for each cell, pooled within its domain: how far the proxy is off there, by a grid instead of a chain."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from howsure.inputs.pairs import Floats, Integers
from howsure.stats.logistic import sigmoid

LEVELS = np.arange(-60, 61) / 10.0  # θ, in logits
MEANS = np.arange(-16, 17) / 4.0  # μ
SPREADS = np.array([0.05, 0.2, 0.4, 0.6, 0.8, 1.0, 1.3, 1.7, 2.2])  # τ
SPREAD_OF_MEANS = 1.5
SCALE_OF_SPREADS = 0.5
TAILS = 3.0  # degrees of freedom of the levels: a cell may be far from the others


@dataclass(frozen=True, slots=True)
class CellLevels:
    """The posterior of the level of each cell (cells, levels), and of the spread τ of each domain (domains, τ).

    agreement (cells,): how likely the labels of a cell are under the law of the other cells of its domain, relative to
    the same law moved to where they are likeliest: e^(-z²/2) if both are normal and z standard deviations apart.
    """

    posterior: Floats
    spread: Floats
    agreement: Floats

    @property
    def expected_spread(self) -> Floats:
        """E τ of each domain."""
        held: Floats = self.spread @ SPREADS
        return held


def cell_levels(
    logits: Floats,
    labels: Floats,
    cell: Integers,
    n_cells: int,
    domain_of_cell: Integers,
    weight: Floats | None = None,
) -> CellLevels:
    """The posterior of θ_c given labelled units with P(y = 1) = σ(logit + θ_c), each counting as `weight` units.

    θ_c ~ μ_a + τ_a t₃ within domain a. μ_a has density ∝ N(μ; 0, 1.5²) √Σ m (1 - m), the sum over the labelled units
    of the domain at level μ: without Jeffreys' root, upper ends are too low where few labels are positive (Firth 1993).
    τ_a has density ∝ τ exp(-τ²/(2 · 0.5²)): few cells with few labels each cannot tell a small τ from none, and a
    density above 0 at none covers cells that drift too rarely (Chung et al. 2013).

    On grids: L_c(θ) the likelihood of the cell's labels, Z_ch = Σ_θ L_c(θ) g_h(θ) for each hyperparameter h = (μ, τ),
    w_h ∝ π_h Π_c Z_ch over the cells of the domain, and q_c(θ) = Σ_h w_h L_c(θ) g_h(θ) / Z_ch. The law of the others is
    p_c(θ) ∝ Σ_h w_h g_h(θ) / Z_ch, and the agreement of the cell Σ_θ L_c(θ) p_c(θ) / max_δ Σ_θ L_c(θ) p_c(θ - δ).
    """
    log_likelihood = np.zeros((n_cells, len(LEVELS)))
    eta = logits[:, None] + LEVELS
    of_unit = labels[:, None] * eta - np.logaddexp(0.0, eta)
    np.add.at(log_likelihood, cell, of_unit if weight is None else weight[:, None] * of_unit)
    log_likelihood -= log_likelihood.max(axis=1, keepdims=True)
    likelihood = np.exp(log_likelihood)
    densities, log_prior = _hyperparameters()
    evidence = likelihood @ densities.T  # (cells, h)
    n_domains = int(domain_of_cell.max()) + 1
    information = _log_root_information(logits, domain_of_cell[cell], n_domains, weight)
    posterior = np.empty_like(likelihood)
    spreads, agreement = np.empty((n_domains, len(SPREADS))), np.empty(n_cells)
    for domain in range(len(spreads)):
        members = np.flatnonzero(domain_of_cell == domain)
        log_weight = log_prior + information[domain] + np.log(evidence[members]).sum(axis=0)
        weight = np.exp(log_weight - log_weight.max())
        weight /= weight.sum()
        posterior[members] = likelihood[members] * ((weight / evidence[members]) @ densities)
        spreads[domain] = weight.reshape(len(MEANS), len(SPREADS)).sum(axis=0)
        log_others = log_weight - np.log(evidence[members])
        others = np.exp(log_others - log_others.max(axis=1, keepdims=True))
        law = (others / others.sum(axis=1, keepdims=True)) @ densities
        agreement[members] = [_agreement(*both) for both in zip(likelihood[members], law, strict=True)]
    return CellLevels(posterior / posterior.sum(axis=1, keepdims=True), spreads, agreement)


def _agreement(likelihood: Floats, law: Floats) -> float:
    return float(likelihood @ law / np.correlate(likelihood, law, mode="full").max())


def _log_root_information(logits: Floats, domain: Integers, n_domains: int, weight: Floats | None) -> Floats:
    """log √Σ m (1 - m) over the labelled units of each domain, at the μ of each hyperparameter; 0 without labels."""
    m = sigmoid(logits[:, None] + MEANS)
    of_unit = m * (1.0 - m)
    found = np.zeros((n_domains, len(MEANS)))
    np.add.at(found, domain, of_unit if weight is None else weight[:, None] * of_unit)
    found[found.sum(axis=1) == 0] = 1.0
    return np.repeat(0.5 * np.log(found), len(SPREADS), axis=1)


@cache
def _hyperparameters() -> tuple[Floats, Floats]:
    """g_h(θ) of each h = (μ, τ), (h, levels), and log π_h with the width of each cell of the grid."""
    mean, spread = (axis.reshape(-1, 1) for axis in np.meshgrid(MEANS, SPREADS, indexing="ij"))
    z = (LEVELS - mean) / spread
    density = (1.0 + z * z / TAILS) ** (-(TAILS + 1) / 2)
    density /= density.sum(axis=1, keepdims=True)
    width = np.gradient(SPREADS)
    log_prior = -0.5 * (mean / SPREAD_OF_MEANS) ** 2 + np.log(spread) - 0.5 * (spread / SCALE_OF_SPREADS) ** 2
    return density, (log_prior + np.log(np.tile(width, len(MEANS)))[:, None]).ravel()
