"""The part of the probabilities that a calibration curve's axes show, and how: all of them, a corner, or log-odds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FixedFormatter, FixedLocator, MaxNLocator, NullLocator

from howsure.calibration.corp.results import CorpCurve, CorpSteps
from howsure.calibration.results import Bins, CalibrationCurve
from howsure.errors import InputError
from howsure.inputs.pairs import Floats

AUTO, LINEAR, ZOOM, LOGIT = "auto", "linear", "zoom", "logit"
AXES = (AUTO, LINEAR, ZOOM, LOGIT)
CORNER = 0.2  # of the axis: where all bins lie in this share of it, at either end, it is drawn alone
NICE = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
MOST_NINES = 8
APART = 0.13  # of the axis: ticks closer than this would run into each other


@dataclass(frozen=True, slots=True)
class Scale:
    """The probabilities from `low` to `high` on an axis, in equal steps or, if `logit`, in those of their log-odds."""

    low: float = 0.0
    high: float = 1.0
    logit: bool = False

    def at(self, share: float | Floats) -> Floats:
        """The probability at a share of the axis, 0 at `low` and 1 at `high`; shares beyond lie outside."""
        if not self.logit:
            return np.asarray(self.low + np.asarray(share) * (self.high - self.low))
        a, b = _log_odds(self.low), _log_odds(self.high)
        return np.asarray(1.0 / (1.0 + np.exp(-(a + np.asarray(share) * (b - a)))))

    def place(self, x: float, y: float) -> tuple[float, float]:
        """The probabilities at a place given as shares of both axes."""
        return float(self.at(x)), float(self.at(y))

    def share(self, probability: float) -> float:
        """Where a probability lies, as a share of the axis."""
        if not self.logit:
            return (probability - self.low) / (self.high - self.low)
        a, b = _log_odds(self.low), _log_odds(self.high)
        return (_log_odds(probability) - a) / (b - a)

    def clipped(self, values: Floats) -> Floats:
        """Probabilities moved to the ends of the axis where they lie beyond them."""
        return np.clip(values, self.low, self.high)

    def dress(self, ax: Axes, *, bottom: float, top: float, apart: float = APART) -> None:
        """Give axes this scale, limits at shares of it, and ticks that do not run into each other."""
        if self.logit:
            ax.set_xscale("logit", nonpositive="clip")
            ax.set_yscale("logit", nonpositive="clip")
        margin = top - 1.0
        ax.set(xlim=self.at(np.array([-margin, top])), ylim=self.at(np.array([bottom, top])))
        ticks = self.ticks(apart)
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_locator(FixedLocator(ticks))
            axis.set_major_formatter(FixedFormatter([_text(tick, ticks) for tick in ticks]))
            axis.set_minor_locator(NullLocator())

    def ticks(self, apart: float) -> list[float]:
        """Round probabilities, none closer to another than `apart`."""
        if not self.logit:
            most = max(2, min(5, int(1 / apart)))
            found = MaxNLocator(most, steps=[1, 2, 2.5, 5, 10]).tick_values(self.low, self.high)
            return [float(tick) for tick in found if self.low - 1e-9 <= tick <= self.high + 1e-9]
        chosen: list[float] = []
        for tick in _candidates():
            if self.low <= tick <= self.high and all(abs(self.share(tick) - self.share(o)) >= apart for o in chosen):
                chosen.append(tick)
        return sorted(chosen)

    def words(self) -> str:
        """What the label of an axis says of it."""
        if self.logit:
            return " (log-odds scale)"
        return "" if (self.low, self.high) == (0.0, 1.0) else f" (from {self.low:g} to {self.high:g})"


def scale_of(curves: Sequence[CalibrationCurve | CorpCurve], axis: str = AUTO) -> Scale:
    """The scale for some curves. "auto": the corner alone if all bins lie below .2 or above .8, else everything.

    Raises InputError for another axis, or log-odds of a mean prediction of exactly 0 or 1.
    """
    if axis not in AXES:
        raise InputError(f"axis must be one of {', '.join(map(repr, AXES))}, not {axis!r}")
    if axis == LOGIT:
        return _of_log_odds(curves)
    points = np.concatenate([part for held in map(parts_of, curves) for part in (held.mean_prob, held.frequency)])
    low, high = float(points.min()), float(points.max())
    cornered = high <= CORNER or low >= 1.0 - CORNER
    if axis == LINEAR or (axis == AUTO and not cornered):
        return Scale()
    return _around(low, high)


def parts_of(curve: CalibrationCurve | CorpCurve) -> Bins | CorpSteps:
    """The bins of a curve, or the steps of one without bins."""
    return curve.steps if isinstance(curve, CorpCurve) else curve.bins


def _around(low: float, high: float) -> Scale:
    """The smallest round part of [0, 1] that holds a range, with some room."""
    room = 0.08 * max(high - low, 0.002)
    step = next((one for one in NICE if one >= (high - low + 2 * room) / 6), NICE[-1])
    start = max(0.0, math.floor((low - room) / step + 1e-9) * step)
    end = min(1.0, math.ceil((high + room) / step - 1e-9) * step)
    start = 0.0 if start < 0.25 * end else start
    end = 1.0 if 1.0 - end < 0.25 * (1.0 - start) else end
    return Scale(round(start, 6), round(end, 6))


def _of_log_odds(curves: Sequence[CalibrationCurve | CorpCurve]) -> Scale:
    for curve in curves:
        held = parts_of(curve)
        wrong = np.flatnonzero((held.mean_prob <= 0.0) | (held.mean_prob >= 1.0))
        if len(wrong):
            name = "" if curve.name is None else f" of {curve.name}"
            kind = "step" if isinstance(curve, CorpCurve) else "bin"
            raise InputError(
                f"axis='logit' shows no mean prediction of exactly 0 or 1; that of {kind} {wrong[0] + 1}{name} is "
                f"{held.mean_prob[wrong[0]]:g}. Choose axis='linear' or axis='zoom'."
            )
    values = np.concatenate([part for c in map(parts_of, curves) for part in (c.mean_prob, c.frequency, c.low, c.high)])
    inside = values[(values > 0.0) & (values < 1.0)]
    ends = sorted(_candidates())
    low = max((end for end in ends if end <= inside.min()), default=ends[0])
    high = min((end for end in ends if end >= inside.max()), default=ends[-1])
    return Scale(low, high if high > low else ends[-1], logit=True)


def _candidates() -> list[float]:
    """Probabilities for ticks of log-odds, the most wanted first."""
    tails = [10.0**-nines for nines in range(1, MOST_NINES + 1)]
    between = [0.2, 0.05, 0.02]
    return [0.5, *_both(tails), *_both(between)]


def _both(tails: Iterable[float]) -> list[float]:
    return [end for tail in tails for end in (tail, 1.0 - tail)]


def _log_odds(probability: float) -> float:
    return math.log(probability / (1.0 - probability))


def _text(tick: float, ticks: Sequence[float]) -> str:
    """A tick as text, with the decimals of all."""
    if len(ticks) > 1 and min(np.diff(ticks)) > 0.1 - 1e-9:
        return f"{tick:.1f}"
    return f"{tick:.10g}" if tick == 0.0 or tick >= 1e-3 else f"{tick:.0e}".replace("e-0", "e-")
