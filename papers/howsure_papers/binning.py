"""Figure 1 of Nguyen & O'Connor (2015): bins of equal width against adaptive bins on a skewed distribution."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from howsure import __version__
from howsure.calibration.curve import curve_of
from howsure.calibration.results import CalibrationCurve
from howsure.calibration.simulation import simulate_pairs
from howsure.figures.calibration import curve_figure, histogram_figure
from howsure.show.table import Table
from howsure_papers.reproduction import Advance, Finding, Reproduction, nobody

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TOKENS = 33_306  # words of the paper's test set
BETA = (0.05, 0.32)  # most words are surely no NN, some surely are: base rate 0.135
SLIGHTLY_OFF = 0.02
NOTES = (
    "The paper's predictions (of the tag NN) are not public; these are simulated from a Beta distribution as skewed "
    "as the paper's panel (a), with slightly miscalibrated labels. The intervals of bins are the paper's normal "
    "intervals.",
)
CAPTIONS = {
    "figure-1-a": "Figure 1 (a): where the predictions lie.",
    "figure-1-bcd": "Figure 1 (b), (c), (d): calibration curves from bins of width .02 and .1, and from adaptive bins.",
}


def reproduce_binning(*, seed: int = 0, advance: Advance = nobody) -> Reproduction:
    """Run Figure 1 again: bins of width .02 and .1, and adaptive bins of 1,000, on 33,306 skewed predictions.

    The paper's predictions (of the tag NN) are not public; these are drawn from a Beta distribution as skewed as its
    panel (a), with slightly miscalibrated labels. Intervals are the paper's normal ones.
    """
    pairs = simulate_pairs(TOKENS, *BETA, transform=SLIGHTLY_OFF, rng=seed)
    q = pairs.probabilities
    judged = partial(curve_of, pairs, interval="nguyen-oconnor", rng=seed)
    curves = {
        "b": judged(binning="uniform", n_bins=50, name="equal width .02"),
        "c": judged(binning="uniform", n_bins=10, name="equal width .1"),
        "d": judged(bin_size=1_000, name="adaptive, 1,000 per bin"),
    }
    advance(1)
    widest = {panel: float((curve.bins.high - curve.bins.low).max()) for panel, curve in curves.items()}
    fewest = {panel: int(curve.bins.count.min()) for panel, curve in curves.items()}
    findings = (
        Finding("1 (a)", "predictions are skewed: many near 0 or 1", _skew(q), _ends(q) > 0.8),
        Finding(
            "1 (b, c)", "bins of equal width can have wide intervals",
            f"widest interval {widest['b']:.2f} at width .02 and {widest['c']:.2f} at .1; the emptiest bins contain "
            f"{fewest['b']} and {fewest['c']} pairs", widest["b"] > 2 * widest["d"],
        ),
        Finding(
            "1 (d)", "adaptive bins give small intervals and capture the distribution",
            f"widest interval {widest['d']:.2f}; every bin contains at least {fewest['d']:,} pairs",
            widest["d"] < min(widest["b"], widest["c"]) and fewest["d"] >= 1_000,
        ),
    )  # fmt: skip

    def draw() -> dict[str, Figure]:
        of_panels = curve_figure(list(curves.values()), panels=True)
        return {"figure-1-a": histogram_figure(curves["d"]), "figure-1-bcd": of_panels}

    rows = [_row(panel, curve, widest[panel]) for panel, curve in curves.items()]
    headers = ("panel", "bins", "of them", "fewest pairs", "widest interval", "mean interval", "Algorithm 1")
    recipe = {"howsure": __version__, "pairs": TOKENS, "beta": list(BETA), "k": SLIGHTLY_OFF, "seed": seed}
    table = Table(headers, rows, headers[:2], caption="Bins and the widths of their intervals")
    title = "Bins of equal width against adaptive bins (Nguyen & O'Connor 2015, Figure 1)"
    return Reproduction("binning", title, findings, (table,), recipe, draw, NOTES, CAPTIONS)


def _row(panel: str, curve: CalibrationCurve, widest: float) -> list[str]:
    widths = curve.bins.high - curve.bins.low
    bins = curve.bins
    return [
        panel, curve.name or "", f"{len(bins)}", f"{bins.count.min():,}", f"{widest:.3f}", f"{widths.mean():.3f}",
        f"{curve.algorithm1_error.value:.4f}",
    ]  # fmt: skip


def _ends(q: np.typing.NDArray[np.float64]) -> float:
    return float(np.mean((q < 0.05) | (q > 0.95)))


def _skew(q: np.typing.NDArray[np.float64]) -> str:
    return f"{_ends(q):.0%} of the predictions lie within 0.05 of 0 or 1"
