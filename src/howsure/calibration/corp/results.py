"""The result of `calibration_curve(…, method="corp")`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from howsure.calibration.corp.decomposition import ScoreDecomposition
from howsure.calibration.scores.multiclass import score_key
from howsure.inputs.pairs import Floats, Integers
from howsure.result import Result, chosen_columns
from howsure.show.preformatted import preformatted
from howsure.show.table import Table
from howsure.stats.estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STEPS = ("count", "weight", "lower", "upper", "mean_prob", "frequency", "low", "high")
BAND = ("at", "frequency", "low", "high")


@dataclass(frozen=True, slots=True)
class CorpSteps:
    """The steps of an isotonic curve: arrays, one entry per step, in ascending order of predictions and frequencies.

    count, weight: pairs and their weight. lower, upper: the smallest and the largest prediction. mean_prob: the mean
    prediction. frequency: the label frequency, which is the curve's value, with its interval [low, high].
    """

    count: Integers
    weight: Floats
    lower: Floats
    upper: Floats
    mean_prob: Floats
    frequency: Floats
    low: Floats
    high: Floats

    def __len__(self) -> int:
        return len(self.count)


@dataclass(frozen=True, slots=True)
class ConsistencyBand:
    """Where the curve of a calibrated model would lie: arrays, one entry for each of at most 200 predictions.

    at: the predictions. frequency: the curve there. low, high: the band, which holds at each prediction by itself.
    below, above: the share of all pairs' weight where the curve lies below the band (overconfident), and above it.
    """

    at: Floats
    frequency: Floats
    low: Floats
    high: Floats
    below: float
    above: float

    def __len__(self) -> int:
        return len(self.at)


@dataclass(frozen=True, slots=True)
class CorpCurve(Result):
    """The result of `calibration_curve(…, method="corp")`: a curve without bins.

    steps: the curve, isotonic regression. band: where that of a calibrated model would lie. brier, log_loss: mean
    scores of the pairs as miscalibration - discrimination + uncertainty. by_chance: the miscalibration of the Brier
    score that a calibrated model with these predictions would show, the mean and the range of the simulated ones.
    smooth_ece: the error of the curve that a kernel smooths, in units of probability. p_value: of the hypothesis that
    the predictions are calibrated, by the simulations. base_rate: the frequency of label 1. n: the pairs. histogram (2,
    64): weight of the predictions of label 0 and of label 1 in 64 bars over [0, 1]. notes: caveats. recipe: everything
    needed to repeat it. name: the group. reduction, positive: as of `CalibrationCurve`.
    """

    steps: CorpSteps
    band: ConsistencyBand
    brier: ScoreDecomposition
    log_loss: ScoreDecomposition
    by_chance: Estimate
    smooth_ece: Estimate
    p_value: float
    base_rate: float
    n: int
    histogram: Floats = field(repr=False)
    recipe: dict[str, Any] = field(repr=False)
    notes: tuple[str, ...] = ()
    name: str | None = None
    reduction: str | None = None
    positive: str | None = None

    def verdict(self) -> str:
        """Whether the curve is that of a calibrated model, and where it is not, in a sentence."""
        from howsure.calibration.corp.words import verdict

        return verdict(self)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form of a curve, as the command line writes it, too."""
        steps = zip(*(getattr(self.steps, c).tolist() for c in STEPS if c != "weight"), strict=True)
        band = zip(*(getattr(self.band, c).tolist() for c in BAND), strict=True)
        names = [c.replace("count", "n") for c in STEPS if c != "weight"]
        return {
            "recipe": self.recipe,
            "group": self.name,
            "n": self.n,
            "base_rate": self.base_rate,
            "p_value": self.p_value,
            "miscalibration_by_chance": self.by_chance.to_dict(),
            "smooth_ece": self.smooth_ece.to_dict(),
            score_key("brier", self.reduction): self.brier.parts(),
            score_key("log_loss", self.reduction): self.log_loss.parts(),
            "below_band": self.band.below,
            "above_band": self.band.above,
            "verdict": self.verdict(),
            "notes": list(self.notes),
            "steps": [dict(zip(names, row, strict=True)) for row in steps],
            "band": [dict(zip(BAND, row, strict=True)) for row in band],
        }

    def table(self) -> Table:
        """One row with the figures of the curve."""
        from howsure.calibration.corp.words import corp_table

        table = corp_table([self])
        return table if self.name is not None else chosen_columns(table, table.headings[1:])

    def _columns(self) -> dict[str, Any]:
        """The steps."""
        return {name: getattr(self.steps, name) for name in STEPS}

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the curve with the band of a calibrated model on matplotlib axes (new ones if None) and return them."""
        from howsure.figures.corp import draw_corp

        return draw_corp([self], ax=ax)

    def figure(self, *, title: str | None = None) -> Figure:
        """The curve, as a matplotlib figure to save."""
        from howsure.figures.corp import corp_figure

        return corp_figure([self], title=title)

    def __repr__(self) -> str:
        from howsure.calibration.corp.words import summary

        return summary(self)

    def _repr_html_(self) -> str:
        return preformatted(repr(self))
