"""Isotonic calibration curves in words and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from howsure.calibration.scores.multiclass import base_rate_words, heading, score_words
from howsure.calibration.words.verdict import BOTH, NONE_SEEN, NOT_LOCATED, OVERCONFIDENT, UNDERCONFIDENT, rounded
from howsure.show.numbers import all_digits, interval, number, p_in_words, p_text
from howsure.show.table import HIGHER, LOWER, Table
from howsure.stats.estimate import Estimate

if TYPE_CHECKING:
    from howsure.calibration.corp.results import CorpCurve

CORRECTED = ", corrected for fitting"  # so that the interval may lie beside the value
WORTH_SAYING = 0.25  # the smaller side of the band is said if it has this share of the larger


def summary(curve: CorpCurve) -> str:
    """The figures of a curve as a short aligned text, with the verdict, the notes and the recipe."""
    rows = figures_in_words(curve)
    width = max(len(name) for name, _ in rows)
    recipe = ", ".join(f"{name}={value}" for name, value in curve.recipe.items())
    return "\n".join(
        ["calibration curve without bins" + (f" of {curve.name}" if curve.name is not None else "")]
        + [f"  {name:<{width}}  {text}" for name, text in rows]
        + [f"  {curve.verdict()}"]
        + [f"  note: {note}" for note in curve.notes]
        + [f"  recipe: {recipe}"]
    )


def figures_in_words(curve: CorpCurve) -> list[tuple[str, str]]:
    """Name and text of each figure of a curve."""
    steps, chance = curve.steps, curve.by_chance
    by_chance = f"a calibrated model: {_fine(chance.value)} on average, up to {_fine(chance.high)}"
    band = f"below it for {curve.band.below:.1%} of the pairs, above for {curve.band.above:.1%}"
    return [
        ("miscalibration", f"{_whole(curve.brier.miscalibration, 5, of=CORRECTED)} ({by_chance})"),
        ("discrimination", _whole(curve.brier.discrimination, 5, of=CORRECTED)),
        ("uncertainty", _whole(curve.brier.uncertainty, 5)),
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


def _fine(value: float | None) -> str:
    """A miscalibration, which is the square of a gap, with five decimals."""
    return number(value, 5)


def _whole(estimate: Estimate, decimals: int = 4, *, of: str = "") -> str:
    ends = "" if estimate.low is None else f"{of} {interval(estimate.low, estimate.high, decimals)}"
    return number(estimate.value, decimals) + ends


def kind(curve: CorpCurve) -> str:
    """The verdict in one to three words."""
    if curve.p_value > 1 - curve.by_chance.level:
        return NONE_SEEN
    below, above = curve.band.below, curve.band.above
    if below == above == 0.0:
        return NOT_LOCATED
    if min(below, above) >= WORTH_SAYING * max(below, above):
        return BOTH
    return OVERCONFIDENT if below > above else UNDERCONFIDENT


def verdict(curve: CorpCurve) -> str:
    """One sentence: whether the curve is that of a calibrated model, and where it leaves its band."""
    found, p = kind(curve), p_in_words(curve.p_value)
    if found == NONE_SEEN:
        return f"no miscalibration detected: that of a calibrated model would be as large ({p})"
    if found == NOT_LOCATED:
        return f"miscalibrated ({p}), but the curve leaves its band nowhere"
    sides = {OVERCONFIDENT: -1, UNDERCONFIDENT: 1}
    said = [_side(curve, name, side) for name, side in sides.items() if found in (BOTH, name)]
    return f"{'; '.join(said)} ({p})"


def _side(curve: CorpCurve, name: str, side: int) -> str:
    """Where the curve lies on one side of its band."""
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


def interval_of(curves: Sequence[CorpCurve]) -> str:
    """What the interval in a table is one of."""
    level = 100 * curves[0].by_chance.level
    why = "the curve fits noise, too, so that the miscalibration of these pairs may lie above it"
    return f"the {level:g} % interval of the miscalibration, corrected for fitting: {why}"


def corp_table(curves: Sequence[CorpCurve], *, exact: bool = False) -> Table:
    """One row per curve. `exact`: all digits, and nothing for what is unknown."""
    shown, fine, shown_p = (all_digits, all_digits, all_digits) if exact else (number, _fine, p_text)
    rate, reduction = base_rate_words(curves), curves[0].reduction
    brier, log = (heading(score_words(score, reduction)) for score in ("brier", "log_loss"))
    parts = ("miscalibration", "low", "high", "by chance", "discrimination", "uncertainty")
    headings = ("group", "n", rate, *parts, brier, log, "p", "verdict")
    rows = []
    for curve in curves:
        score, found = curve.brier, curve.brier.miscalibration
        small = [fine(value) for value in (found.value, found.low, found.high, curve.by_chance.value)]
        small.append(fine(score.discrimination.value))
        others = (score.uncertainty.value, score.score.value, curve.log_loss.score.value)
        values = [shown(curve.base_rate), *small, *(shown(value) for value in others)]
        rows.append([curve.name or "all", f"{curve.n}", *values, shown_p(curve.p_value), kind(curve)])
    return Table(
        headings,
        rows,
        words=("group", "verdict"),
        title="Calibration without bins" + (f" of {len(curves):,} groups" if len(curves) > 1 else ""),
        better={"miscalibration": LOWER, "discrimination": HIGHER, brier: LOWER, log: LOWER},
        legend={
            "miscalibration": "what the isotonic curve would save of the Brier score",
            "low": f"from here to high, {interval_of(curves)}",
            "by chance": "the mean miscalibration of a calibrated model with these predictions",
            "discrimination": "what the curve saves beyond the base rate",
            "p": "of calibrated predictions, by simulation",
        },
    )
