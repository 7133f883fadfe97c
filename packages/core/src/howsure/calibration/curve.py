"""`calibration_curve`, and its implementation on checked pairs."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any, Literal, overload

import numpy as np

from howsure import __version__
from howsure.calibration.bins import Binned, bin_pairs, by_cells, width_edges
from howsure.calibration.calibration_errors import (
    RESAMPLES,
    SAMPLES,
    check_interval,
    debiased_estimate,
    error_notes,
    estimate_squared_error,
    expected_error,
    frequency_errors,
    groups_together,
    infinite_classes,
    plugin_estimates,
    sum_clusters,
)
from howsure.calibration.clustered_error import clustered_standard_errors, effective_numbers
from howsure.calibration.corp import SIMULATIONS, CorpCurve, fit_corp
from howsure.calibration.engines.pairs_or_sums import pairs_or_sums, reading_notes
from howsure.calibration.results import CalibrationCurve, bins_from
from howsure.calibration.scores import brier_parts, log_parts, multiclass_scores
from howsure.calibration.slots import Slots
from howsure.calibration.squared_error import ClusterSums, mean_gaps
from howsure.errors import InputError, Parameter
from howsure.inputs.arguments import Randomness, check_arguments, generator_from, seed_in_recipe, with_seed
from howsure.inputs.frames import Source
from howsure.inputs.numbers_and_names import check_level
from howsure.inputs.pairs import Floats, Pairs, Probabilities
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.result import Estimate
from howsure.stats.proportions import normal_interval, wilson_interval

METHODS = ("bins", "corp")
OF_BINS = {"bin_size": "auto", "n_bins": None, "binning": "adaptive", "interval": "debiased"}
OF_BINS |= {"test": None, "adjust": "holm"}


@overload
def calibration_curve(
    y_true: ArrayLike | str | Pairs,
    y_prob: ArrayLike | str | Probabilities | None = None,
    *,
    method: Literal["bins"] = "bins",
    bin_size: int | str = "auto",
    n_bins: int | None = None,
    binning: str = "adaptive",
    sample_weight: ArrayLike | str | None = None,
    clusters: ArrayLike | str | None = None,
    pos_label: Hashable = None,
    interval: str = "debiased",
    level: float = 0.95,
    rng: Randomness = None,
    data: Source | IntoFrame | None = None,
) -> CalibrationCurve: ...
@overload
def calibration_curve(
    y_true: ArrayLike | str | Pairs,
    y_prob: ArrayLike | str | Probabilities | None = None,
    *,
    method: Literal["corp"],
    n_simulations: int | None = None,
    sample_weight: ArrayLike | str | None = None,
    clusters: ArrayLike | str | None = None,
    pos_label: Hashable = None,
    level: float = 0.95,
    rng: Randomness = None,
    data: Source | IntoFrame | None = None,
) -> CorpCurve: ...
def calibration_curve(
    y_true: ArrayLike | str | Pairs | None = None,
    y_prob: ArrayLike | str | Probabilities | None = None,
    *,
    method: str = "bins",
    bin_size: int | str = "auto",
    n_bins: int | None = None,
    binning: str = "adaptive",
    n_simulations: int | None = None,
    sample_weight: ArrayLike | str | None = None,
    clusters: ArrayLike | str | None = None,
    pos_label: Hashable = None,
    interval: str = "debiased",
    level: float = 0.95,
    rng: Randomness = None,
    data: Source | IntoFrame | None = None,
) -> CalibrationCurve | CorpCurve:
    """Compute the calibration curve (reliability diagram): the mean prediction and label frequency of each bin.

    With method="bins", predictions are sorted and divided into bins of at least `bin_size` pairs that never split equal
    predictions (Algorithm 1). If q̂ is a bin's mean prediction and p̂ its label frequency, `algorithm1_error` is √(Σ
    (|B| / n) (q̂ - p̂)²), and `error` is the same quantity, corrected for the bias due to noise in p̂.

    y_true (n,): bool, 0/1, or any two values with `pos_label`. y_prob (n,): probabilities of the positive label.
    `Pairs` may replace both; their weights and clusters are used, and their groups are pooled, with a note. bin_size:
    pairs per bin, or "auto" for half of n^(2/3). n_bins requests bins of floor(n / n_bins) pairs instead. binning:
    "adaptive", or "uniform" for `n_bins` (15) bins of equal width. sample_weight (n,): weights of the pairs. clusters
    (n,): identifies correlated pairs (a sentence, a document); intervals then allow for correlated labels. interval:
    `error` always has the closed-form "debiased" interval; "nguyen-oconnor" (Algorithm 2, which does not cover; see
    docs/calibration.md) or "bootstrap" add intervals to `algorithm1_error` and `mse`; or "none". data: a data frame;
    the other arguments then name its columns. If a lazy frame (Polars, DuckDB, Ibis, Spark, Dask) has many pairs, its
    own engine adds them up: see docs/engines.md.

    method="corp" uses no bins: the curve is the isotonic regression of the labels on the predictions. The
    result, a `CorpCurve`, also has the consistency band of a calibrated model from `n_simulations` (100) simulated
    curves, and decomposes the Brier score and log loss as miscalibration - discrimination + uncertainty. Options of
    bins are refused with this method.

    Raises InputError, which names the parameter, row and value, for an invalid input.
    Source: Nguyen & O'Connor (2015), Algorithms 1 and 2; ties, debiasing and intervals: docs/calibration.md; CORP:
    Dimitriadis, Gneiting & Jordan (2021), docs/corp.md.

    >>> curve = calibration_curve([0, 1, 1, 1, 0, 1], [0.1, 0.4, 0.8, 0.9, 0.2, 0.7], bin_size=3)
    >>> curve.bins.mean_prob.round(3).tolist(), curve.bins.frequency.round(3).tolist()
    ([0.233, 0.8], [0.333, 1.0])
    >>> round(curve.algorithm1_error.value, 4)
    0.1581
    >>> steps = calibration_curve([0, 1, 1, 1, 0, 1], [0.1, 0.4, 0.8, 0.9, 0.2, 0.7], method="corp", rng=0).steps
    >>> steps.lower.tolist(), steps.frequency.tolist()
    ([0.1, 0.4], [0.0, 1.0])
    """
    check_arguments(calibration_curve, locals())
    of_bins = {"bin_size": bin_size, "n_bins": n_bins, "binning": binning, "interval": interval}
    check_method(method, n_simulations, of_bins)
    check_interval(interval)
    pairs = pairs_or_sums(
        y_true,
        y_prob,
        data=data,
        sample_weight=sample_weight,
        clusters=clusters,
        pos_label=pos_label,
        in_memory=interval == "bootstrap" or (method == "corp" and sample_weight is not None),
    )
    options: Any = (
        of_bins if method == "bins" else {"n_simulations": SIMULATIONS if n_simulations is None else n_simulations}
    )
    curve = (binned_curve if method == "bins" else fit_corp)(pairs, level=check_level(level), rng=rng, **options)
    together = groups_together(pairs)
    notes = reading_notes(pairs) if together is None else (together, *reading_notes(pairs))
    return replace(curve, notes=(*curve.notes, *notes))


def check_method(method: str, n_simulations: int | None, of_bins: Mapping[str, Any]) -> None:
    """Raise InputError for an unknown method, or for an option that belongs to the other method."""
    if method not in METHODS:
        raise InputError(f"method must be one of {', '.join(map(repr, METHODS))}, not {method!r}")
    wrong = [name for name, value in of_bins.items() if value != OF_BINS[name]] if method == "corp" else []
    wrong += ["n_simulations"] if method == "bins" and n_simulations is not None else []
    if wrong:
        other, why = (
            ("bins", "a curve without bins has none") if method == "corp" else ("corp", "bins are not simulated")
        )
        raise InputError(
            "{parameter} belongs to {method}: {why}. Leave out one of the two.",
            wrong[0],
            method=Parameter("method", other),
            why=why,
        )


def binned_curve(
    pairs: Pairs | Slots,
    *,
    bin_size: int | str = "auto",
    n_bins: int | None = None,
    binning: str = "adaptive",
    interval: str = "debiased",
    level: float = 0.95,
    rng: Randomness = None,
    name: str | None = None,
    whole: int = 0,
) -> CalibrationCurve:
    """Compute `calibration_curve` with bins for pairs or sums; `whole` is the number of pairs in the whole input."""
    check_interval(interval)
    level = check_level(level)
    unit, n_before = 1.0, len(pairs)
    if isinstance(pairs, Pairs):
        unit, pairs = pairs.weight_unit, pairs.with_positive_weight()
        weightless = n_before - len(pairs)
    else:
        weightless = pairs.weightless
    binned = bin_pairs(pairs, binning=binning, bin_size=bin_size, n_bins=n_bins, whole=max(n_before, whole))
    s = binned.sums
    n = int(s.count.sum())
    cells = sum_clusters(pairs, binned)
    squared = estimate_squared_error(binned, cells)
    rng = with_seed(rng)
    algorithm1_error, mse = plugin_estimates(pairs, binned, interval, level, generator_from(rng))
    base_rate = float(s.y.sum() / s.w1.sum())
    multiclass = multiclass_scores(pairs)
    return CalibrationCurve(
        bins=bins_from(binned, unit, *_frequency_intervals(binned, cells, interval, level)),
        error=debiased_estimate(squared, n=n, level=level),
        algorithm1_error=algorithm1_error,
        mse=mse,
        ece=expected_error(s, cells, level=level),
        max_error=Estimate(float(np.abs(mean_gaps(s)).max()), None, None, level, "plugin", n),
        brier=brier_parts(binned),
        log_loss=log_parts(binned),
        p_value=squared.p_value,
        base_rate=base_rate,
        n=n,
        histogram=binned.histogram * unit,
        recipe=_recipe(pairs, binned, max(n_before, whole), bin_size, n_bins, binning, interval, level, rng),
        notes=(*error_notes(pairs, binned, squared, weightless=weightless), *infinite_classes(multiclass)),
        name=name,
        reduction=pairs.reduction,
        multiclass=multiclass,
        positive=pairs.positive,
    )


def _frequency_intervals(
    binned: Binned, cells: ClusterSums | None, interval: str, level: float
) -> tuple[Floats, Floats, Floats]:
    """Return the standard error and both interval ends of each bin's label frequency, (bins,) each.

    The interval is Wilson's, or normal for interval="nguyen-oconnor".
    """
    s = binned.sums
    frequency, standard_error = s.y / s.w1, frequency_errors(s)
    effective = s.w1**2 / s.w2
    if cells is not None:
        standard_error = clustered_standard_errors(cells)
        effective = effective_numbers(cells, s.w2, frequency, standard_error)
    if interval == "nguyen-oconnor":
        return standard_error, *normal_interval(frequency, standard_error, level=level)
    return standard_error, *wilson_interval(frequency, effective, level=level)


def _recipe(
    pairs: Pairs | Slots,
    binned: Binned,
    whole: int,
    bin_size: int | str,
    n_bins: int | None,
    binning: str,
    interval: str,
    level: float,
    rng: Randomness,
) -> dict[str, Any]:
    recipe: dict[str, Any] = {"howsure": __version__, "n": int(binned.sums.count.sum()), "binning": binning}
    if binning == "adaptive":
        recipe |= {"bin_size": binned.bin_size}
        recipe |= {"bin_size_rule": "n_bins" if n_bins else "n^(2/3) / 2" if bin_size == "auto" else "given"}
    elif binning == "uniform":
        recipe |= {"widths": len(width_edges(n_bins)) + 1}
    recipe |= {"bins": len(binned.sums), "interval": interval, "level": level}
    if interval in ("nguyen-oconnor", "bootstrap"):
        recipe |= {"samples": SAMPLES if interval == "nguyen-oconnor" else RESAMPLES, "seed": seed_in_recipe(rng)}
    if by_cells(pairs, whole):
        recipe |= {"ties": "cells"}
    clustered = isinstance(pairs, Pairs) and pairs.clusters is not None
    return recipe | {"weighted": pairs.weights is not None, "clustered": clustered}
