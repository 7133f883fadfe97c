"""Figure 1 of Nguyen & O'Connor (2015): bins of equal width against adaptive bins on a skewed distribution."""

from __future__ import annotations

from functools import partial

import numpy as np

from howsure.calibration.curve import binned_curve
from howsure.calibration.simulation import simulate_pairs
from howsure.figures.calibration import curve_figure, histogram_figure
from howsure.inputs.pairs import Floats, Pairs
from howsure.show.table import COUNT, Column, digits
from howsure_papers.reproduction import (
    NAME,
    Advance,
    Drawing,
    ExperimentResult,
    Finding,
    experiment,
    ignore_progress,
    numbers,
)

TOKENS = 33_306  # words of the paper's test set
BETA = (0.05, 0.32)  # most words are certainly not NN, some certainly are: base rate 0.135
SLIGHTLY_OFF = 0.02


@experiment("Bins of equal width against adaptive bins (Nguyen & O'Connor 2015, Figure 1)", steps=lambda: 1)
def reproduce_binning(*, seed: int = 0, advance: Advance = ignore_progress) -> ExperimentResult:
    """Reproduce Figure 1: bins of width .02 and .1, and adaptive bins of 1,000, on 33,306 skewed predictions.

    The paper's predictions (of the tag NN) are not public; these are drawn from a Beta distribution as skewed as its
    panel (a), with slightly miscalibrated labels. Intervals are the paper's normal ones.
    """
    result = in_bins(simulate_pairs(TOKENS, *BETA, transform=SLIGHTLY_OFF, rng=seed), seed=seed)
    advance(1)
    note = (
        "The paper's predictions (of the tag NN) are not public; these are simulated from a Beta distribution as "
        "skewed as the paper's panel (a), with slightly miscalibrated labels. The intervals of bins are the paper's "
        "normal intervals. The same of a tagger of ours, on fewer words, is on the page of taggers."
    )
    recipe = {"pairs": TOKENS, "beta": list(BETA), "k": SLIGHTLY_OFF, "seed": seed}
    return result + ExperimentResult(notes=[note], recipe=recipe)


def in_bins(pairs: Pairs, *, seed: int, where: str = "", key: str = "") -> ExperimentResult:
    """Return the panels of Figure 1 for these pairs, and whether the paper's findings are true for them.

    where: the name of the pairs, if a page shows several data sets. key: makes the names of the figures unique.
    """
    q = pairs.probabilities
    ends = float(np.mean((q < 0.05) | (q > 0.95)))
    judged = partial(binned_curve, pairs, interval="nguyen-oconnor", rng=seed)
    curves = {
        "b": judged(binning="uniform", n_bins=50, name="equal width .02"),
        "c": judged(binning="uniform", n_bins=10, name="equal width .1"),
        "d": judged(bin_size=1_000, name="adaptive, 1,000 per bin"),
    }
    widths: dict[str, Floats] = {panel: curve.bins.high - curve.bins.low for panel, curve in curves.items()}
    widest = {panel: float(of_bins.max()) for panel, of_bins in widths.items()}
    fewest = {panel: int(curve.bins.count.min()) for panel, curve in curves.items()}
    wide = (
        f"widest interval {widest['b']:.2f} at width .02 and {widest['c']:.2f} at .1; the emptiest bins contain "
        f"{fewest['b']} and {fewest['c']} pairs"
    )
    small = f"widest interval {widest['d']:.2f}; every bin contains at least {fewest['d']:,} pairs"
    narrow = widest["d"] < min(widest["b"], widest["c"]) and fewest["d"] >= 1_000
    skew = f"{ends:.0%} of the predictions lie within 0.05 of 0 or 1"
    of = f", {where}" if where else ""
    bcd = f"Figure 1 (b), (c), (d){of}: calibration curves from bins of width .02 and .1, and from adaptive bins."
    return ExperimentResult(
        findings=(
            Finding("1 (a)", "predictions are skewed: many near 0 or 1", skew, ends > 0.8, where),
            Finding(
                "1 (b, c)", "bins of equal width can have wide intervals", wide, widest["b"] > 2 * widest["d"], where
            ),
            Finding("1 (d)", "adaptive bins give small intervals and capture the distribution", small, narrow, where),
        ),
        tables=[
            numbers(
                ": ".join(filter(None, ["Bins and the widths of their intervals", where])),
                curves,
                Column("panel", NAME, get=lambda panel: panel),
                Column("bins", NAME, get=lambda panel: curves[panel].name),
                Column("of them", COUNT, get=lambda panel: len(curves[panel].bins)),
                Column("fewest pairs", COUNT, get=lambda panel: fewest[panel]),
                Column("widest interval", digits(3), get=lambda panel: widest[panel]),
                Column("mean interval", digits(3), get=lambda panel: float(widths[panel].mean())),
                Column("Algorithm 1", digits(4), get=lambda panel: curves[panel].algorithm1_error.value),
            )
        ],
        drawings=[
            Drawing(
                f"figure-1{key}-a",
                f"Figure 1 (a){of}: where the predictions lie.",
                lambda: histogram_figure(curves["d"]),
            ),
            Drawing(f"figure-1{key}-bcd", bcd, lambda: curve_figure(list(curves.values()), panels=True)),
        ],
    )
