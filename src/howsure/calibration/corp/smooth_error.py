"""The smooth ECE: the calibration error of a curve that a kernel smooths, with no bandwidth to choose.

The residuals y - q are smoothed over [0, 1] by a Gaussian kernel that is reflected at both ends: smECE_σ = ∫ |r_σ(t)|
dt with r_σ(t) = Σ w K_σ(t, q) (y - q) / Σ w falls with the bandwidth σ, and the smooth ECE is where it equals σ
(Błasiok & Nakkiran 2023). It is a calibration error in units of probability that is continuous in the predictions.

Noise adds to it, so a calibrated model's is above 0. By the triangle inequality, and because smECE_σ falls with σ, the
smooth ECE of the sample is away from that of the population by at most ∫ |noise_σ(t)| dt at the sample's own σ. The
interval is that bound, at the quantile of simulated noise: on the wide side, unless the model is calibrated.
"""

from __future__ import annotations

import numpy as np

from howsure.calibration.corp.ordered import Ordered
from howsure.inputs.pairs import Floats
from howsure.stats.estimate import Estimate

PLACES = 1 << 12  # of a grid over [0, 1]; a residual is divided between the two nearest
HALVINGS = 30
SIMULATIONS = 199
AT_ONCE = 1 << 21  # random numbers


def smooth_ece(pairs: Ordered, *, level: float, rng: np.random.Generator) -> Estimate:
    """The smooth ECE with an interval for its value in the population; None for pairs of a single cluster."""
    total, n = float(pairs.weight.sum()), int(pairs.times.sum())
    value = fixed_point(on_grid(pairs.q, pairs.weight * (pairs.y - pairs.q)) / total)
    single = n < 2 if pairs.clusters is None else len(np.unique(pairs.clusters)) < 2
    if single:
        return Estimate(value, None, None, level, "smooth", n)
    reach = float(np.quantile(smoothed_errors(_noise(pairs, rng) / total, value), level, method="weibull"))
    return Estimate(value, max(value - reach, 0.0), min(value + reach, 1.0), level, "smooth", n)


def fixed_point(masses: Floats) -> float:
    """The bandwidth that equals its own smoothed error."""
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if smoothed_errors(masses, middle) > middle else (low, middle)
    return (low + high) / 2 if high > 2.0**-HALVINGS else 0.0


def smoothed_errors(masses: Floats, bandwidth: float) -> Floats:
    """∫ |r_σ(t)| dt of residuals on the grid, of each row.

    Smoothing with the reflected kernel is the heat equation without flow at the ends: each cosine is damped.
    """
    from scipy.fft import dct, idct

    width = np.full(PLACES + 1, 1.0 / PLACES)
    width[[0, -1]] /= 2
    damping = np.exp(-((np.pi * np.arange(PLACES + 1) * bandwidth) ** 2) / 2)
    smoothed = idct(dct(masses / width, type=1, axis=-1) * damping, type=1, axis=-1)
    return np.asarray(np.abs(smoothed) @ width)


def on_grid(q: Floats, values: Floats) -> Floats:
    """Values at predictions, divided between the two nearest places."""
    left = np.minimum((q * PLACES).astype(np.int64), PLACES - 1)
    right = q * PLACES - left
    masses = np.bincount(left, weights=values * (1 - right), minlength=PLACES + 1)
    return np.asarray(masses + np.bincount(left + 1, weights=values * right, minlength=PLACES + 1))


def _noise(pairs: Ordered, rng: np.random.Generator) -> Floats:
    """Simulated sums of noise at each place: the residuals of a row, or of a cluster, times a normal number.

    Where rare labels happen to be even rarer, residuals look smaller than a calibrated model's; they count as its.
    """
    residual = pairs.w * (pairs.y - pairs.q)
    spread = float((pairs.times * pairs.w**2) @ (pairs.q * (1 - pairs.q)))
    if 0 < (found := float(pairs.times @ residual**2)) < spread:
        residual = residual * np.sqrt(spread / found)
    if pairs.clusters is None:
        scale = np.sqrt(on_grid(pairs.q, pairs.times * residual**2))
        return rng.standard_normal((SIMULATIONS, PLACES + 1)) * scale
    from scipy.sparse import csr_array

    left = np.minimum((pairs.q * PLACES).astype(np.int64), PLACES - 1)
    right = pairs.q * PLACES - left
    number = int(pairs.clusters.max()) + 1
    place = np.concatenate([left, left + 1])
    held = np.concatenate([residual * (1 - right), residual * right])
    sums = csr_array((held, (place, np.tile(pairs.clusters, 2))), shape=(PLACES + 1, number))
    step = max(1, AT_ONCE // number)
    sizes = [min(step, SIMULATIONS - first) for first in range(0, SIMULATIONS, step)]
    return np.concatenate([(sums @ rng.standard_normal((number, size))).T for size in sizes])
