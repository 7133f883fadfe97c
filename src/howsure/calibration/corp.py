"""Calibration curves without bins: isotonic regression, its bands, and the scores that follow from it (CORP)."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from howsure import __version__
from howsure.calibration.clusters import clustered_standard_errors, effective_numbers
from howsure.calibration.corp_results import ConsistencyBand, CorpCurve, CorpSteps
from howsure.calibration.decomposition import FEWEST, Fit, decomposed, has_rare_label, rows_of_steps
from howsure.calibration.error import cluster_sums
from howsure.calibration.isotonic import (
    Consistency,
    Ordered,
    by_content,
    consistency,
    isotonic_steps,
    ordered,
    smooth_ece,
)
from howsure.calibration.scores import wrong_extremes
from howsure.calibration.slots import Slots
from howsure.calibration.words import cluster_weights
from howsure.errors import InputError, parameter
from howsure.inputs.numbers_and_names import check_level, check_whole, counted
from howsure.inputs.pairs import Floats, Integers, Pairs
from howsure.result import Estimate
from howsure.stats.clusters import few_clusters
from howsure.stats.proportions import normal_quantile, wilson_interval
from howsure.stats.randomness import Randomness, generator_from, seed_in_recipe

# The calibration curve without bins: `calibration_curve(…, method="corp")`.

SIMULATIONS = 100
POSITIONS = 200  # at which the band is kept


def corp_of(
    pairs: Pairs | Slots,
    *,
    n_simulations: int = SIMULATIONS,
    level: float = 0.95,
    rng: Randomness = None,
    name: str | None = None,
) -> CorpCurve:
    """The isotonic calibration curve of checked pairs, in memory or streamed.

    n_simulations: curves of a calibrated model that the band and p rest on; at least 2 / (1 - level) - 1, so that
    there is one beyond each end of the band.
    """
    level, times = check_level(level), checked_simulations(n_simulations, level)
    weightless, unit = 0, 1.0
    if isinstance(pairs, Pairs):
        unit, given = pairs.weight_unit, len(pairs)
        pairs = by_content(pairs.that_weigh())
        weightless = given - len(pairs)
    else:
        weightless = pairs.weightless
    rows = ordered(pairs)
    starts = isotonic_steps(rows)
    steps, effective = _steps(pairs, rows, starts, level, unit)
    n = int(rows.times.sum())
    recipe = {"howsure": __version__, "n": n, "method": "corp", "steps": len(steps), "n_simulations": times}
    recipe |= {"level": level, "seed": seed_in_recipe(rng), "exact": rows.exact}
    recipe |= {"weighted": pairs.weights is not None}
    recipe |= {"clustered": isinstance(pairs, Pairs) and pairs.clusters is not None}
    fit = Fit(steps.weight / unit, steps.frequency, effective, steps.frequency[rows_of_steps(starts, len(rows.q))])
    brier, log_loss = decomposed(rows, fit, level=level, recipe=recipe)
    generator = generator_from(rng)
    simulated = consistency(rows, n_simulations=times, level=level, rng=generator)
    low, high = np.quantile(simulated.simulated, [(1 - level) / 2, (1 + level) / 2], method="weibull").tolist()
    mean = float(simulated.simulated.mean())
    base_rate = float(steps.weight @ steps.frequency / steps.weight.sum())
    return CorpCurve(
        steps=steps,
        band=_band(simulated),
        brier=brier,
        log_loss=log_loss,
        by_chance=Estimate(mean, low, high, level, "simulation", n),
        smooth_ece=smooth_ece(rows, level=level, rng=generator),
        p_value=simulated.p_value,
        base_rate=base_rate,
        n=n,
        histogram=rows.histogram * unit,
        recipe=recipe,
        notes=tuple(_notes(pairs, rows, base_rate, weightless)),
        name=name,
        reduction=pairs.reduction,
        positive=pairs.positive,
    )


def checked_simulations(n_simulations: object, level: float) -> int:
    """The number of simulated curves, if a band of this level can rest on so few."""
    least = math.ceil(2 / (1 - level) - 1 - 1e-9)
    times = check_whole(n_simulations, name="n_simulations", most=100_000)
    if times < least:
        raise InputError(
            f"{parameter('n_simulations')} must be at least {least} for a band of level {level:g}, so that one "
            "simulated curve lies "
            f"beyond each end; it is {times}."
        )
    return times


def level_of_steps(level: float) -> float:
    """The level at which Wilson's interval of a step contains the true frequency of a prediction with probability
    `level`.

    Steps are chosen by the labels, so that √n (frequency - truth) / σ is not normal, but it has one distribution
    wherever the true curve increases (Deng, Han & Zhang 2021): simulated, its quantiles are those of the normal
    distribution, z, times .77 + .154 z.
    """
    from scipy.special import ndtr

    z = normal_quantile(level)
    return float(2 * ndtr(z * max(1.0, 0.77 + 0.154 * z)) - 1)


def _steps(
    pairs: Pairs | Slots, rows: Ordered, starts: Integers, level: float, unit: float
) -> tuple[CorpSteps, Floats]:
    """The steps with their intervals, and the effective number of pairs of each."""
    count, weight = rows.by(starts, rows.times).astype(np.int64), rows.by(starts, rows.weight)
    frequency = rows.by(starts, rows.weight * rows.y) / weight
    effective = weight**2 / (squares := rows.by(starts, rows.weight * rows.w))
    upper = rows.q[np.append(starts[1:], len(rows.q)) - 1]
    if isinstance(pairs, Pairs) and pairs.clusters is not None:
        step = np.searchsorted(upper[:-1], pairs.probabilities, side="left")
        cells = cluster_sums(pairs, step, len(starts))
        effective = effective_numbers(cells, squares, frequency, clustered_standard_errors(cells))
    low, high = wilson_interval(frequency, effective, level=level_of_steps(level))
    mean = np.clip(rows.by(starts, rows.weight * rows.q) / weight, rows.q[starts], upper)
    curve: dict[str, Floats] = {"mean_prob": mean, "frequency": frequency, "low": low, "high": high}
    return CorpSteps(count=count, weight=weight * unit, lower=rows.q[starts], upper=upper, **curve), effective


def _band(found: Consistency) -> ConsistencyBand:
    """The band at some predictions: at regular steps of the pairs and of [0, 1], both ends included."""
    share = found.weight / found.weight.sum()
    below, above = found.frequency < found.low - 1e-12, found.frequency > found.high + 1e-12
    last = len(found.at) - 1
    chosen = np.arange(last + 1)
    if last >= POSITIONS:
        of_pairs = np.linspace(0, last, POSITIONS // 2).round().astype(np.int64)
        of_range = np.searchsorted(found.at, np.linspace(found.at[0], found.at[-1], POSITIONS // 2))
        chosen = np.union1d(of_pairs, np.minimum(of_range, last))
    at, frequency, low, high = (column[chosen] for column in (found.at, found.frequency, found.low, found.high))
    return ConsistencyBand(at, frequency, low, high, float(share[below].sum()), float(share[above].sum()))


def _notes(pairs: Pairs | Slots, rows: Ordered, base_rate: float, weightless: int) -> Iterator[str]:
    if base_rate in (0.0, 1.0):
        yield f"every label is {int(base_rate)}: discrimination carries no information"
    if has_rare_label(rows):
        yield _rare_label(rows, int(base_rate < 0.5))
    if weightless:
        yield f"{counted(weightless, 'pair')} of weight 0 {'is' if weightless == 1 else 'are'} ignored"
    if isinstance(pairs, Pairs) and pairs.clusters is not None and (few := few_clusters(cluster_weights(pairs))):
        yield few
    if rows.infinite_rows:
        yield f"{wrong_extremes(rows.infinite_rows)}: the log loss is infinite"
    if len(rows.starts) == 1:
        yield "every prediction is the same: the curve is one point"
    if not rows.exact:
        yield "predictions that differ by less than about 2 parts in 10,000 count as equal"


def _rare_label(rows: Ordered, label: int) -> str:
    own = rows.y == label
    seen = counted(int(rows.times @ own), "pair")
    where = "" if rows.clusters is None else f" in {counted(len(np.unique(rows.clusters[own])), 'cluster')}"
    unit = "pairs" if rows.clusters is None else "pairs and clusters"
    return (
        f"the scores and their parts have no intervals: label {label} has {seen}{where}, and intervals rest on "
        f"{FEWEST} {unit} of equal weight of each label; label more"
    )
