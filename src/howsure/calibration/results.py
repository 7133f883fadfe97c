"""The calibration curve: bins with their label frequencies, and all figures derived from them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from howsure.calibration.bins.bins import Binned
from howsure.calibration.scores import ScoreParts
from howsure.inputs.frames import to_frame
from howsure.inputs.pairs import Floats, Integers
from howsure.stats.estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BIN_COLUMNS = ("count", "weight", "mean_prob", "frequency", "standard_error", "low", "high", "upper")


@dataclass(frozen=True, slots=True)
class Bins:
    """Arrays, one entry per bin in ascending order of predictions.

    count, weight: pairs and their weight. mean_prob: mean prediction. frequency: label frequency, with standard_error
    and interval [low, high]. upper: the largest prediction that belongs to the bin.
    """

    count: Integers
    weight: Floats
    mean_prob: Floats
    frequency: Floats
    standard_error: Floats
    low: Floats
    high: Floats
    upper: Floats

    def __len__(self) -> int:
        return len(self.count)


@dataclass(frozen=True, slots=True)
class CalibrationCurve:
    """The result of `calibration_curve`.

    bins: the curve. debiased_error: the headline, the root mean squared gap between predictions and label frequencies
    corrected for the bias due to noise, with its interval. error, mse: Algorithm 1's value and its square, with an
    interval only from Algorithm 2 or a bootstrap. ece, max_error: mean and largest absolute gap. brier, log_loss:
    scores in parts. p_value: of the hypothesis that the predictions are calibrated. base_rate: the frequency of label
    1. n: the pairs. histogram (2, 64): weight of the predictions of label 0 and of label 1 in 64 bars over [0, 1].
    notes: caveats. recipe: everything needed to repeat it. name: the group.
    """

    bins: Bins
    debiased_error: Estimate
    error: Estimate
    mse: Estimate
    ece: Estimate
    max_error: Estimate
    brier: ScoreParts
    log_loss: ScoreParts
    p_value: float
    base_rate: float
    n: int
    histogram: Floats = field(repr=False)
    recipe: dict[str, Any] = field(repr=False)
    notes: tuple[str, ...] = ()
    name: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The JSON form of a curve, as the command line writes it, too."""
        bins = zip(
            *(getattr(self.bins, c).tolist() for c in ("count", "mean_prob", "frequency", "low", "high")), strict=True
        )
        return {
            "recipe": self.recipe,
            "group": self.name,
            "n": self.n,
            "base_rate": self.base_rate,
            "debiased_error": self.debiased_error.to_dict(),
            "error": self.error.to_dict(),
            "mse": self.mse.to_dict(),
            "ece": self.ece.value,
            "max_error": self.max_error.value,
            "p_value": None if math.isnan(self.p_value) else self.p_value,
            "brier": self.brier.parts(),
            "log_loss": self.log_loss.parts(),
            "notes": list(self.notes),
            "bins": [dict(zip(("n", "mean_prob", "frequency", "low", "high"), row, strict=True)) for row in bins],
        }

    def to_frame(self, backend: str | None = None) -> Any:
        """The bins as a data frame (pandas, else polars, else pyarrow; or the `backend` named)."""
        return to_frame({name: getattr(self.bins, name) for name in BIN_COLUMNS}, backend=backend)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the curve on matplotlib axes (new ones if None) and return them."""
        from howsure.figures.calibration import draw_curves

        return draw_curves([self], ax=ax)

    def __repr__(self) -> str:
        from howsure.calibration.verdict import summary

        return summary(self)

    def _repr_html_(self) -> str:
        from howsure.figures.calibration import curve_html

        return curve_html(self)


def bins_from(binned: Binned, unit: float, standard_error: Floats, low: Floats, high: Floats) -> Bins:
    """The public form of bins, with weights in the user's own `unit`."""
    s = binned.sums
    mean_prob = np.clip(s.q / s.w1, 0.0, 1.0)  # a sum of sums may end 1e-16 outside
    return Bins(s.count, s.w1 * unit, mean_prob, s.y / s.w1, standard_error, low, high, binned.upper)
