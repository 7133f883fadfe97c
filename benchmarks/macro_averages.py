"""Coverage of the intervals of metrics of labels in `score_models`, in regimes with rare classes, and false ranks.

Each set has n items and two models with equal confusion probabilities. A line of the table gives, for a regime and n,
the share of intervals of the first model that contain the metric's true value over the classes that occur, the mean
width, and the share of sets in which one of the two equal models is ranked above the other (at most .05).

python benchmarks/macro_averages.py [SETS]
"""

from __future__ import annotations

import math
import re
import sys

import numpy as np

import howsure
from howsure.inputs.pairs import Floats
from howsure.significance.metrics.labels import PER_CLASS

METRICS = ("macro_f1", "macro_precision", "balanced_accuracy", "weighted_f1", "mcc", "f1[0]")
HARMONIC = 1 / np.arange(1, 21)
REGIMES: dict[str, tuple[Floats, float, float]] = {  # frequencies of classes; accuracy of the others and of the rarest
    "three equal classes": (np.full(3, 1 / 3), 0.8, 0.8),
    "5 % rare, of three": (np.array([0.05, 0.25, 0.7]), 0.8, 0.6),
    "6 % rare, of two": (np.array([0.06, 0.94]), 0.97, 0.77),
    "6 % rare, mostly wrong": (np.array([0.06, 0.3, 0.64]), 0.7, 0.3),
    "nearly all right": (np.array([0.3, 0.3, 0.4]), 0.97, 0.97),
    "ten classes": (np.repeat(np.arange(1, 6), 2) / 30, 0.7, 0.7),
    "twenty, long tail": (HARMONIC[::-1] / HARMONIC.sum(), 0.75, 0.75),
}


def confusion(frequencies: Floats, accuracy: float, of_rarest: float) -> Floats:
    """The probabilities (K, K) of a predicted class, given the true class; errors follow the frequencies."""
    matrix = np.tile(frequencies, (len(frequencies), 1))
    np.fill_diagonal(matrix, 0.0)
    right = np.full(len(frequencies), accuracy)
    right[0] = of_rarest
    matrix *= ((1 - right) / matrix.sum(axis=1))[:, None]
    np.fill_diagonal(matrix, right)
    return matrix


def true_values(joint: Floats, occurring: np.ndarray) -> dict[str, float]:
    """The metrics of the joint probabilities (K, K) of true and predicted classes, averaged over occurring classes."""
    correct, predicted, true = np.diag(joint), joint.sum(axis=0), joint.sum(axis=1)
    counts = np.stack([correct, predicted, true])
    by_class = {name: ratio.values(counts) for name, ratio in PER_CLASS.items()}
    spread = (1 - (predicted**2).sum()) * (1 - (true**2).sum())
    return {
        "macro_f1": by_class["f1"][occurring].mean(),
        "macro_precision": by_class["precision"][occurring].mean(),
        "balanced_accuracy": by_class["recall"][occurring].mean(),
        "weighted_f1": by_class["f1"] @ true,
        "mcc": (correct.sum() - predicted @ true) / math.sqrt(spread),
        "f1[0]": by_class["f1"][0],
    }


def main(sets: int = 300) -> None:
    """Print the table."""
    rng = np.random.default_rng(0)
    print(f"{sets} sets; coverage, width (share without an interval); false ranks of two equal models")
    for name, (frequencies, accuracy, of_rarest) in REGIMES.items():
        matrix = confusion(frequencies, accuracy, of_rarest)
        ends = np.cumsum(matrix, axis=1)
        for n in (40, 100, 300):
            covered, width, without, ranked = (dict.fromkeys(METRICS, 0.0) for _ in range(4))
            for _ in range(sets):
                true = rng.choice(len(frequencies), n, p=frequencies)
                predicted = [(ends[true] < rng.random((n, 1))).sum(axis=1).clip(0, len(frequencies) - 1) for _ in "ab"]
                truth = true_values(frequencies[:, None] * matrix, np.unique(true))
                for metric in METRICS:
                    try:
                        table = howsure.score_models(
                            np.tile(true, 2),
                            np.concatenate(predicted),
                            metrics={"f1": 0} if metric == "f1[0]" else metric,
                            model=np.repeat(["a", "b"], n),
                            id=np.tile(np.arange(n), 2),
                            rng=0,
                        )
                    except howsure.InputError as error:
                        if not re.search("undefined|does not occur", str(error)):  # the rare class: in one item at most
                            raise
                        without[metric] += 1
                        continue
                    row = next(row for row in table if row.model == "a")
                    ranked[metric] += row.ranks in ("1", "2")
                    if row.mean.low is None:
                        without[metric] += 1
                    else:
                        covered[metric] += row.mean.low <= truth[metric] <= row.mean.high
                        width[metric] += row.mean.high - row.mean.low
            print(f"\n{name}, n = {n}")
            for metric in METRICS:
                intervals = max(sets - without[metric], 1)
                print(
                    f"  {metric:18} {covered[metric] / intervals:.3f}  {width[metric] / intervals:.2f} "
                    f"({without[metric] / sets:.2f})  {ranked[metric] / sets:.3f}",
                    flush=True,
                )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
