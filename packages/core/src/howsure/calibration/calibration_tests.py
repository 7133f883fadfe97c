"""`calibration_test`: tests of the hypothesis that events occur as often as predicted."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from howsure import __version__
from howsure.calibration.binned_test import binned_test, merged_edges, simulation_test
from howsure.calibration.bins import bin_pairs, by_cells, sorted_rows
from howsure.calibration.calibration_errors import groups_together
from howsure.calibration.clustered_tests import clustered_test, cox_test, cumulative_test
from howsure.calibration.engines.pairs_or_sums import pairs_or_sums
from howsure.calibration.slots import Slots, sum_by_slot
from howsure.errors import InputError
from howsure.inputs.arguments import Randomness, check_arguments, generator_from, seed_in_recipe, with_seed
from howsure.inputs.frames import Source
from howsure.inputs.numbers_and_names import MAX_SIMULATIONS, check_integer
from howsure.inputs.pairs import Pairs, Probabilities
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.result import AMONG, Result, as_json
from howsure.show.table import COUNT, NUMBER, WORDS, Column, p_in_words

METHODS = ("simulation", "spiegelhalter", "binned", "cox", "cumulative")
OF_SUMS = ("simulation", "binned")  # methods that can use sums; "simulation" only without weights


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CalibrationTest(Result):
    """A test of the hypothesis that events occur as often as predicted.

    statistic: the test statistic. p_value: the probability of a statistic at least as extreme under calibration.
    p_error: the Monte Carlo standard error of the p-value, 0 if it is exact or asymptotic. estimates: for "cox", the
    fitted `intercept` and `slope`. recipe: everything needed to repeat the test. notes: remarks on how rows were read.
    """

    method: str
    statistic: float
    p_value: float
    p_error: float
    estimates: dict[str, float] = as_json(AMONG, default_factory=dict)
    n: int
    recipe: dict[str, Any] = field(compare=False)
    notes: tuple[str, ...] = ()

    def columns(self) -> Sequence[Column]:
        """One row."""
        numbers = [Column(name, NUMBER) for name in ("statistic", "p_value", "p_error")]
        fitted = [Column(name, NUMBER, values=[estimate]) for name, estimate in self.estimates.items()]
        return [Column("method", WORDS), *numbers, *fitted, Column("n", COUNT)]

    @property
    def description(self) -> str:
        """The statistic and the p-value, in one line."""
        p, error = p_in_words(self.p_value), f" (simulated: ± {self.p_error:.4f})" if self.p_error else ""
        fitted = "".join(f", {name} {estimate:.4f}" for name, estimate in self.estimates.items())
        summary = f"statistic {self.statistic:.6g}{fitted}, {p}{error}"
        return f"test of calibration by {self.method}: {summary}, n = {self.n:,}"


def calibration_test(
    y_true: ArrayLike | str | Pairs | None = None,
    y_prob: ArrayLike | str | Probabilities | None = None,
    *,
    method: str = "simulation",
    n_simulations: int = 999,
    bin_size: int | str = "auto",
    n_bins: int | None = None,
    binning: str = "adaptive",
    sample_weight: ArrayLike | str | None = None,
    clusters: ArrayLike | str | None = None,
    pos_label: Hashable = None,
    data: Source | IntoFrame | None = None,
    rng: Randomness = None,
) -> CalibrationTest:
    """Test whether events occur as often as predicted.

    method: "simulation" draws labels from the predictions `n_simulations` times and computes the squared error of the
    same bins; p = (c + 1) / (B + 1), where c of the B draws have at least the error of the data. The test is exact for
    any n, with ties and rare labels. Without weights or clusters, each bin's number of labels 1 is drawn from its exact
    distribution, which is equivalent. For more than 131,072 pairs, bins are made of whole cells. "spiegelhalter"
    compares Z = Σ (y - q)(1 - 2q) / √(Σ (1 - 2q)² q (1 - q)) with a standard normal (two-sided). It does not detect
    errors that are equal on both sides of one half. "binned" compares Hosmer and Lemeshow's Σ gap_b² / variance_b with
    a chi-square or, if labels are rare, with the distribution of their number. It is fast. "cox" is the
    likelihood-ratio test of a = 0, b = 1 in log-odds(y) = a + b log-odds(q). It detects predictions that are too
    extreme, not extreme enough, or shifted. A wrong prediction of exactly 0 or 1 refutes calibration (p = 0); a correct
    one carries no information. "cumulative" compares max_t |Σ_{q ≤ t} (y - q)| / n with the maximum of a Brownian
    motion. It needs no bins and detects long runs of errors with the same sign.

    `Pairs` may replace y_true and y_prob; their weights and clusters are used, and their groups are pooled.
    sample_weight (n,): how much each pair counts; the variance of its label remains q (1 - q). clusters (n,): identify
    correlated pairs. The p-value then comes from a sign-flip test: each cluster's sum of y - q gets a random sign,
    `n_simulations` times, or all sign assignments are used if these are fewer. The test is exact if the errors of
    clusters are symmetric. The smallest possible p is 2^(1 - clusters), so with fewer than 6 clusters no result is
    significant at level 0.05.

    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> q = rng.random(500)
    >>> calibration_test(rng.random(500) < q, q, rng=0).p_value > 0.05
    True
    >>> calibration_test(rng.random(500) < q**3, q, rng=0).p_value
    0.001
    >>> bold = calibration_test(rng.random(500) < q**0.5 / (q**0.5 + (1 - q) ** 0.5), q, method="cox")
    >>> bold.p_value < 0.001, 0.4 < bold.estimates["slope"] < 0.7
    (True, True)

    Raises InputError for invalid pairs, an unknown method, or a single cluster.
    Source: Spiegelhalter (1986); Hosmer & Lemeshow (1980); Cox (1958); Arrieta-Ibarra et al. (2022); simulation:
    Vaicenavicius et al. (2019).
    """
    check_arguments(calibration_test, locals())
    if method not in METHODS:
        raise InputError(f"method must be one of {', '.join(map(repr, METHODS))}, not {method!r}")
    pairs = pairs_or_sums(
        y_true,
        y_prob,
        data=data,
        sample_weight=sample_weight,
        clusters=clusters,
        pos_label=pos_label,
        in_memory=method not in OF_SUMS or (method == "simulation" and sample_weight is not None),
    )
    how: Any = {"n_simulations": n_simulations, "bin_size": bin_size, "n_bins": n_bins, "binning": binning, "rng": rng}
    if isinstance(pairs, Slots):
        return check_sums(pairs, method=method, **how)
    result = check_calibration(pairs, method, **how)
    together = groups_together(pairs)
    if together is not None:
        result = replace(result, recipe=result.recipe | {"note": together})
    return replace(result, notes=pairs.notes)


def check_calibration(
    pairs: Pairs,
    method: str,
    *,
    n_simulations: int = 999,
    bin_size: int | str = "auto",
    n_bins: int | None = None,
    binning: str = "adaptive",
    rng: Randomness = None,
) -> CalibrationTest:
    """Compute `calibration_test` for checked pairs."""
    whole = len(pairs)
    pairs = _weighted_pairs(pairs)
    times = check_integer(n_simulations, name="n_simulations", most=MAX_SIMULATIONS)
    rng = with_seed(rng)
    if method == "simulation" and pairs.weights is None and by_cells(pairs, whole):
        return check_sums(
            sum_by_slot(pairs),
            method=method,
            n_simulations=times,
            bin_size=bin_size,
            n_bins=n_bins,
            binning=binning,
            rng=rng,
        )
    recipe: dict[str, Any] = {"howsure": __version__, "method": method, "n": len(pairs)}
    binned = None
    if method in ("simulation", "binned"):
        binned = bin_pairs(pairs, binning=binning, bin_size=bin_size, n_bins=n_bins, whole=whole)
        recipe |= {"binning": binning, "bin_size": binned.bin_size}
        recipe |= {"ties": "cells"} if by_cells(pairs, whole) else {}
    recipe |= {"weighted": pairs.weights is not None, "clustered": pairs.clusters is not None}
    if method == "simulation" or pairs.clusters is not None:
        recipe |= {"n_simulations": times, "seed": seed_in_recipe(rng)}
    estimates: dict[str, float] = {}
    statistic_and_p: tuple[float, ...] = ()
    if method == "cox":
        fit = cox_test(pairs)
        statistic_and_p, estimates = (fit.statistic, fit.p_value), {"intercept": fit.intercept, "slope": fit.slope}
    elif method == "cumulative":
        statistic_and_p = cumulative_test(pairs)
    elif method == "spiegelhalter":
        z = spiegelhalter_z(pairs)
        statistic_and_p = z, two_sided(z)
    elif binned is not None and method == "binned":
        statistic_and_p = binned_test(binned)
    # a prediction of 0 or 1 was wrong, which refutes calibration even if pairs are correlated
    refuted = bool(statistic_and_p) and math.isinf(statistic_and_p[0])
    if pairs.clusters is not None and not refuted and (not statistic_and_p or statistic_and_p[0] != 0.0):
        edges = None if binned is None else binned.inner if method == "simulation" else merged_edges(binned)
        statistic_and_p = clustered_test(pairs, method, edges=edges, times=times, rng=generator_from(rng))
    elif binned is not None and method == "simulation":
        statistic_and_p = simulation_test(pairs, binned, times=times, rng=generator_from(rng))
    return _as_test(statistic_and_p, method=method, n=len(pairs), recipe=recipe, estimates=estimates)


def check_sums(
    slots: Slots,
    *,
    method: str = "binned",
    n_simulations: int = 999,
    bin_size: int | str = "auto",
    n_bins: int | None = None,
    binning: str = "adaptive",
    rng: Randomness = None,
) -> CalibrationTest:
    """Compute `calibration_test` for sums of pairs. Raises InputError for a method that needs the pairs themselves."""
    is_weighted, times = (
        slots.weights is not None,
        check_integer(n_simulations, name="n_simulations", most=MAX_SIMULATIONS),
    )
    if method not in OF_SUMS or (method == "simulation" and is_weighted):
        needs = " of weighted pairs" if method == "simulation" else ""
        advice = f"method={method!r}{needs} needs the pairs themselves: give them to calibration_test."
        problem = advice if method in METHODS else f"method must be 'binned' or 'simulation', not {method!r}."
        raise InputError(
            "a summary contains only sums: {problem} Sums suffice for `method='binned'` and, without weights, for "
            "`method='simulation'`.",
            problem=problem,
        )
    binned = bin_pairs(slots, binning=binning, bin_size=bin_size, n_bins=n_bins)
    recipe: dict[str, Any] = {"howsure": __version__, "method": method, "n": len(slots), "binning": binning}
    recipe |= {"bin_size": binned.bin_size, "ties": "cells", "weighted": is_weighted, "clustered": False}
    if method == "binned":
        return _as_test(binned_test(binned), method=method, n=len(slots), recipe=recipe)
    rng = with_seed(rng)
    recipe |= {"n_simulations": times, "seed": seed_in_recipe(rng)}
    simulated = simulation_test(slots, binned, times=times, rng=generator_from(rng))
    return _as_test(simulated, method=method, n=len(slots), recipe=recipe)


def _as_test(statistic_and_p: Sequence[float], **about: Any) -> CalibrationTest:
    """Build the result from a statistic, its p-value and, if it was simulated, the p-value's Monte Carlo error."""
    statistic, p, p_error = (*statistic_and_p, 0.0)[:3]
    return CalibrationTest(statistic=statistic, p_value=p, p_error=p_error, **about)


def _weighted_pairs(pairs: Pairs) -> Pairs:
    """Return the pairs of positive weight, with weights divided by the largest. Clusters of one pair are ignored."""
    pairs = pairs.with_positive_weight()
    clusters = pairs.clusters
    if clusters is not None:
        number = len(np.unique(clusters))
        if number == 1 < len(pairs):
            raise InputError(
                "at least 2 clusters are needed, but all pairs are in one cluster. Give other clusters, or none."
            )
        clusters = clusters if number < len(pairs) else None
    weights = None if pairs.weights is None else pairs.weights / pairs.weights.max()
    return Pairs(pairs.labels, pairs.probabilities, weights, clusters=clusters)


def spiegelhalter_z(pairs: Pairs) -> float:
    """Return Spiegelhalter's Z; 0 if the test is uninformative because every prediction is 0, 1 or one half."""
    q, y, w = sorted_rows(pairs)
    lever = 1.0 - 2.0 * q if w is None else w * (1.0 - 2.0 * q)
    variance = float((lever**2 * q * (1 - q)).sum())
    surprise = float(((y - q) * lever).sum())
    if variance == 0.0:
        return 0.0 if surprise == 0.0 else math.copysign(math.inf, surprise)
    return surprise / math.sqrt(variance)


def two_sided(z: float) -> float:
    """The two-sided p-value of a standard normal z."""
    return math.erfc(abs(z) / math.sqrt(2))
