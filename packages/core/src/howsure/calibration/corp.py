"""Calibration curves without bins (CORP): isotonic regression, its consistency band, and decomposed scores."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from howsure import __version__
from howsure.calibration.calibration_errors import cluster_weights
from howsure.calibration.clustered_error import clustered_standard_errors, effective_numbers
from howsure.calibration.curve_text import (
    BOTH,
    NONE_SEEN,
    NOT_LOCATED,
    OVERCONFIDENT,
    UNDERCONFIDENT,
    kind_named,
    rounded,
    summary,
    verdicts_by_kind,
)
from howsure.calibration.decomposition import (
    MIN_ROWS,
    Fit,
    ScoreDecomposition,
    decomposed,
    has_rare_label,
    rows_of_steps,
)
from howsure.calibration.isotonic import (
    Consistency,
    Ordered,
    by_content,
    consistency,
    isotonic_steps,
    ordered,
    smooth_ece,
)
from howsure.calibration.scores import (
    base_rate_words,
    heading,
    is_certain,
    right_extremes,
    score_words,
    with_score_keys,
    wrong_extremes,
)
from howsure.calibration.slots import Slots
from howsure.calibration.squared_error import cluster_sums
from howsure.errors import InputError
from howsure.inputs.arguments import Randomness, generator_from, seed_in_recipe, with_seed
from howsure.inputs.numbers_and_names import (
    check_integer,
    check_level,
    count_equal_first,
    counted,
    equal_values_text,
    highest_first,
)
from howsure.inputs.pairs import Floats, Integers, Pairs
from howsure.inputs.parameter_types import Axes, Figure
from howsure.result import Arrays, Estimate, Result, as_json, plain_dict
from howsure.show.axes import checks_axes
from howsure.show.table import (
    COUNT,
    HIGHER,
    LOWER,
    NUMBER,
    P_VALUE,
    WORDS,
    Column,
    digits,
    interval,
    number,
    p_in_words,
    with_ends,
)
from howsure.stats.clusters import few_clusters
from howsure.stats.proportions import normal_quantile, wilson_interval

# Isotonic calibration curves in words and as a table.

CORRECTED = ", corrected for fitting"  # because of this correction, the interval may not contain the value
MIN_SIDE_SHARE = 0.25  # smallest ratio of the smaller to the larger side outside the band at which both are reported


def figures_in_words(curve: CorpCurve) -> list[tuple[str, str]]:
    """The name and text of each figure of a curve."""
    steps, chance = curve.steps, curve.by_chance
    by_chance = f"a calibrated model: {_five_decimals(chance.value)} on average, up to {_five_decimals(chance.high)}"
    band = f"below it for {curve.band.below:.1%} of the pairs, above for {curve.band.above:.1%}"
    return [
        ("miscalibration", f"{_estimate_and_interval(curve.brier.miscalibration, of=CORRECTED)} ({by_chance})"),
        ("discrimination", _estimate_and_interval(curve.brier.discrimination, of=CORRECTED)),
        ("uncertainty", _estimate_and_interval(curve.brier.uncertainty)),
        ("calibrated?", f"{p_in_words(curve.p_value)} ({_simulated(curve)})"),
        ("band", f"{band} ({1 - chance.level:.0%} expected of a calibrated model)"),
        ("smooth ECE", str(curve.smooth_ece)),
        ("pairs", f"{curve.n:,} in {len(steps):,} step{'s' if len(steps) > 1 else ''}"),
        (base_rate_words([curve]), f"{curve.base_rate:.4f}"),
        (score_words("brier", curve.reduction), str(curve.brier)),
        (score_words("log_loss", curve.reduction), str(curve.log_loss)),
    ]


def _simulated(curve: CorpCurve) -> str:
    times = curve.recipe["n_simulations"]
    as_large = round(curve.p_value * (times + 1)) - 1
    return f"{as_large or 'none'} of {times:,} simulated curves are as miscalibrated"


def _five_decimals(value: float | None) -> str:
    """Format a miscalibration with five decimals, since squared gaps are small."""
    return number(value, 5)


def _estimate_and_interval(estimate: Estimate, *, of: str = "") -> str:
    ends = "" if estimate.low is None else f"{of} {interval(estimate.low, estimate.high, 5)}"
    return number(estimate.value, 5) + ends


def kind(curve: CorpCurve) -> str:
    """Return the verdict in one to three words."""
    if curve.p_value > 1 - curve.by_chance.level:
        return NONE_SEEN
    below, above = curve.band.below, curve.band.above
    if below == above == 0.0:
        return NOT_LOCATED
    if min(below, above) >= MIN_SIDE_SHARE * max(below, above):
        return kind_named(BOTH, curve)
    return kind_named(OVERCONFIDENT if below > above else UNDERCONFIDENT, curve)


def verdict(curve: CorpCurve) -> str:
    """One sentence: whether miscalibration is detected, and where the curve is outside its band."""
    verdict_kind, p = kind(curve), p_in_words(curve.p_value)
    if verdict_kind == NONE_SEEN:
        return f"no miscalibration detected: calibrated models often have such a curve ({p})"
    if verdict_kind == NOT_LOCATED:
        return f"miscalibrated ({p}), but the curve is inside its band everywhere"
    both, over, under = (kind_named(name, curve) for name in (BOTH, OVERCONFIDENT, UNDERCONFIDENT))
    side_texts = [
        _side_clause(curve, name, side) for name, side in ((over, -1), (under, 1)) if verdict_kind in (both, name)
    ]
    return f"{'; '.join(side_texts)} ({p})"


def corp_answer(curves: Sequence[CorpCurve]) -> str:
    """The first line of output: the miscalibration of a single curve or the smallest of several, and the verdicts."""
    if len(curves) == 1:
        curve = curves[0]
        of = "" if curve.name is None else f" of {curve.name}"
        return f"Miscalibration{of} {_five_decimals(curve.brier.miscalibration.value)}; {verdict(curve)}."
    ordered = sorted(curves, key=lambda curve: highest_first(-curve.brier.miscalibration.value, curve.name))
    equal = count_equal_first([curve.brier.miscalibration.value for curve in ordered])
    names, value = [str(curve.name) for curve in ordered], _five_decimals(ordered[0].brier.miscalibration.value)
    smallest = f"{names[0]} has the smallest miscalibration, {value}"
    if equal > 1:
        what = "equal miscalibration"
        smallest = equal_values_text(names[:equal], value, extreme="smallest", of_all=len(names), what=what)
    return f"{smallest}; {verdicts_by_kind([(str(curve.name), kind(curve)) for curve in curves])}."


def _side_clause(curve: CorpCurve, name: str, side: int) -> str:
    """Return a clause: how many pairs, in which range, have the curve below (side -1) or above (1) its band."""
    band = curve.band
    outside = band.frequency < band.low - 1e-12 if side < 0 else band.frequency > band.high + 1e-12
    share = band.below if side < 0 else band.above
    if not outside.any():
        return f"{name} for {share:.1%} of the pairs"
    at, frequency = band.at[outside], band.frequency[outside]
    start, end = rounded(float(at[0]), float(at[-1]))
    farthest = int(np.argmax(np.abs(frequency - at)))
    says, happens = rounded(float(at[farthest]), float(frequency[farthest]))
    where = f"at {start}" if start == end else f"between {start} and {end}"
    return (
        f"{name} for {share:.1%} of the pairs, {where}: where the prediction is {says}, the curve's frequency is "
        f"{happens}"
    )


def interval_legend(curves: Sequence[CorpCurve]) -> str:
    """The legend of the interval in a table."""
    level = 100 * curves[0].by_chance.level
    why = "it can be below the miscalibration of these pairs, because the curve fits noise, too"
    return f"{level:g}% interval of the miscalibration, corrected for fitting; {why}"


def corp_columns(curves: Sequence[CorpCurve]) -> list[Column]:
    """Return columns of results for isotonic curves, one row per curve."""
    reduction = curves[0].reduction
    brier, log = (heading(score_words(score, reduction)) for score in ("brier", "log_loss"))
    saved, fine = "by how much the isotonic curve would lower the Brier score", digits(5)
    chance = "the mean miscalibration of a calibrated model with these predictions"
    miscalibration = Column("miscalibration", fine, "", LOWER, saved, lambda curve: curve.brier.miscalibration)
    kept = "by how much the Brier score of the curve is lower than that of the base rate"
    return [
        Column("group", WORDS, get=lambda curve: curve.name or "all"),
        Column("n", COUNT),
        Column("base_rate", NUMBER, base_rate_words(curves)),
        *with_ends(miscalibration, of_ends=f"with high, the {interval_legend(curves)}"),
        Column("by_chance", fine, "", "", chance, lambda curve: curve.by_chance.value, detail=True),
        Column("discrimination", fine, "", HIGHER, kept, lambda curve: curve.brier.discrimination.value),
        Column("uncertainty", NUMBER, get=lambda curve: curve.brier.uncertainty.value, detail=True),
        Column("brier", NUMBER, brier, LOWER, get=lambda curve: curve.brier.score.value, detail=True),
        Column("log_loss", NUMBER, log, LOWER, get=lambda curve: curve.log_loss.score.value, detail=True),
        Column("p_value", P_VALUE, "p", "", "probability of such a curve if predictions are calibrated, by simulation"),
        Column("verdict", WORDS, get=kind),
    ]


# The result of `calibration_curve(…, method="corp")`.


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpSteps(Arrays):
    """The steps of an isotonic curve: arrays (steps,), in ascending order of predictions and of frequencies.

    count, weight: the number of pairs and their weight. lower, upper: the smallest and the largest prediction.
    mean_prob: the mean prediction. frequency: the label frequency, which is the curve's value, with its interval [low,
    high].
    """

    count: Integers = as_json("n")
    weight: Floats = as_json(None)
    lower: Floats
    upper: Floats
    mean_prob: Floats
    frequency: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True, slots=True)
class ConsistencyBand(Arrays):
    """The range of curves that a calibrated model would show: arrays with an entry for each of at most 200 predictions.

    at: the predictions. frequency: the curve at these predictions. low, high: the band; it has its level at each point
    separately, not for the whole curve. below, above: the proportion of the total weight where the curve is below
    (overconfident) or above the band.
    """

    at: Floats
    frequency: Floats
    low: Floats
    high: Floats
    below: float = as_json(None)
    above: float = as_json(None)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CorpCurve(Result):
    """The result of `calibration_curve(…, method="corp")`: a curve without bins.

    steps: the curve, by isotonic regression. band: the consistency band, where the curve of a calibrated model is
    expected. brier, log_loss: mean scores, decomposed as miscalibration - discrimination + uncertainty. by_chance: mean
    and range of the Brier score's miscalibration in curves simulated from a calibrated model with these predictions.
    smooth_ece: the smooth calibration error, in units of probability. p_value: that of the hypothesis that the
    predictions are calibrated, from the same simulation. base_rate: frequency of label 1. n: number of pairs. histogram
    (2, 64): weight by label (0, 1) and prediction, in 64 bars over [0, 1]. notes: caveats. recipe: everything needed to
    repeat the analysis. name: the group, or None. reduction, positive: as in `CalibrationCurve`.
    """

    name: str | None = as_json("group", default=None)
    n: int
    base_rate: float
    p_value: float
    by_chance: Estimate = as_json("miscalibration_by_chance")
    smooth_ece: Estimate
    brier: ScoreDecomposition
    log_loss: ScoreDecomposition
    notes: tuple[str, ...] = ()
    steps: CorpSteps
    band: ConsistencyBand
    histogram: Floats = as_json(None)
    reduction: str | None = as_json(None, default=None)
    positive: str | None = as_json(None, default=None)
    recipe: dict[str, Any]

    title = "Calibration without bins"
    derived: ClassVar = {"below_band": "log_loss", "above_band": "below_band", "verdict": "above_band"}

    @property
    def below_band(self) -> float:
        """The proportion of the total weight where the curve is below its band."""
        return self.band.below

    @property
    def above_band(self) -> float:
        """The proportion of the total weight where the curve is above its band."""
        return self.band.above

    def verdict(self) -> str:
        """One sentence: whether miscalibration is detected, and where the curve is outside its band."""
        return verdict(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the curve as a dictionary for JSON, the same that the command line writes."""
        return with_score_keys(plain_dict(self), self.reduction)

    def frame_columns(self) -> dict[str, Any]:
        """The columns of the data frame: the steps of the curve."""
        return self.steps.arrays()

    def columns(self) -> Sequence[Column]:
        """One row with the figures of the curve."""
        return corp_columns([self])[0 if self.name is not None else 1 :]

    @property
    def description(self) -> str:
        """The figures of the curve, aligned, with the verdict, the notes and the recipe."""
        return summary(self, "calibration curve without bins", figures_in_words(self), self.verdict())

    @checks_axes
    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the curve with the band of a calibrated model on matplotlib axes (new ones if None) and return them."""
        from howsure.figures.corp import draw_corp

        return draw_corp([self], ax=ax)

    def figure(self, *, title: str | None = None) -> Figure:
        """The curve, as a matplotlib figure to save."""
        from howsure.figures.corp import corp_figure

        return corp_figure([self], title=title)


# The calibration curve without bins: `calibration_curve(…, method="corp")`.

SIMULATIONS = 100
POSITIONS = 200  # predictions at which the band is stored


def fit_corp(
    pairs: Pairs | Slots,
    *,
    n_simulations: int = SIMULATIONS,
    level: float = 0.95,
    rng: Randomness = None,
    name: str | None = None,
) -> CorpCurve:
    """Fit the isotonic calibration curve of checked pairs, or of sums of pairs that were streamed.

    n_simulations: number of simulated curves from which the band and the p-value are computed. It must be at least 2 /
    (1 - level) - 1, so that one simulated curve is beyond each end of the band.
    """
    level, times = check_level(level), checked_simulations(n_simulations, level)
    weightless, unit = 0, 1.0
    if isinstance(pairs, Pairs):
        unit, n_before = pairs.weight_unit, len(pairs)
        pairs = by_content(pairs.with_positive_weight())
        weightless = n_before - len(pairs)
    else:
        weightless = pairs.weightless
    rows = ordered(pairs)
    starts = isotonic_steps(rows)
    steps, effective = _steps(pairs, rows, starts, level, unit)
    n = int(rows.times.sum())
    recipe = {"howsure": __version__, "n": n, "method": "corp", "steps": len(steps), "n_simulations": times}
    rng = with_seed(rng)
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
    """Check that the number of simulated curves suffices for a band of this level, and return it."""
    least = math.ceil(2 / (1 - level) - 1 - 1e-9)
    times = check_integer(n_simulations, name="n_simulations", most=100_000)
    if times < least:
        raise InputError(
            "{parameter} must be at least {least} for a band of level {level:g}, so that one simulated "
            "curve is outside each end; it is {times}.",
            "n_simulations",
            least=least,
            level=level,
            times=times,
        )
    return times


def level_of_steps(level: float) -> float:
    """Return the nominal level at which Wilson's interval of a step covers the true frequency with probability `level`.

    Because the steps depend on the labels, √n (frequency - truth) / σ is not normal. Its distribution is the same
    wherever the true curve increases (Deng, Han & Zhang 2021). In simulations, its quantiles are the normal quantiles z
    times 0.77 + 0.154 z.
    """
    from scipy.special import ndtr

    z = normal_quantile(level)
    return float(2 * ndtr(z * max(1.0, 0.77 + 0.154 * z)) - 1)


def _steps(
    pairs: Pairs | Slots, rows: Ordered, starts: Integers, level: float, unit: float
) -> tuple[CorpSteps, Floats]:
    """Return the steps with their intervals, and the effective number of pairs of each step."""
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


def _band(consistency: Consistency) -> ConsistencyBand:
    """Return the band at up to 200 predictions: half of them equally spaced in rank, half equally spaced in value."""
    share = consistency.weight / consistency.weight.sum()
    below, above = consistency.frequency < consistency.low - 1e-12, consistency.frequency > consistency.high + 1e-12
    last = len(consistency.at) - 1
    chosen = np.arange(last + 1)
    if last >= POSITIONS:
        of_pairs = np.linspace(0, last, POSITIONS // 2).round().astype(np.int64)
        of_range = np.searchsorted(consistency.at, np.linspace(consistency.at[0], consistency.at[-1], POSITIONS // 2))
        chosen = np.union1d(of_pairs, np.minimum(of_range, last))
    at, frequency, low, high = (
        column[chosen] for column in (consistency.at, consistency.frequency, consistency.low, consistency.high)
    )
    return ConsistencyBand(at, frequency, low, high, float(share[below].sum()), float(share[above].sum()))


def _notes(pairs: Pairs | Slots, rows: Ordered, base_rate: float, weightless: int) -> Iterator[str]:
    if base_rate in (0.0, 1.0):
        yield f"every label is {int(base_rate)}, so discrimination carries no information"
    if has_rare_label(rows):
        yield _rare_label(rows, int(base_rate < 0.5))
    if weightless:
        yield f"{counted(weightless, 'pair')} of weight 0 {'is' if weightless == 1 else 'are'} ignored"
    if isinstance(pairs, Pairs) and pairs.clusters is not None and (few := few_clusters(cluster_weights(pairs))):
        yield few
    if rows.infinite_rows:
        yield f"{wrong_extremes(rows.infinite_rows)}, so the log loss is infinite"
    elif certain := int(rows.times @ is_certain(rows.q)):
        yield f"{right_extremes(certain)}, so it has no interval; judge these predictions by the Brier score"
    if len(rows.starts) == 1:
        yield "every prediction is the same, so the curve is one point"
    if not rows.exact:
        yield "predictions that differ by less than about 2 parts in 10,000 count as equal"


def _rare_label(rows: Ordered, label: int) -> str:
    has_label = rows.y == label
    count_text = counted(int(rows.times @ has_label), "pair")
    where = "" if rows.clusters is None else f" in {counted(len(np.unique(rows.clusters[has_label])), 'cluster')}"
    unit = "pairs" if rows.clusters is None else "pairs and clusters"
    return (
        f"the scores and their parts have no intervals: label {label} has {count_text}{where}, and intervals need "
        f"{MIN_ROWS} {unit} of equal weight of each label; label more"
    )
