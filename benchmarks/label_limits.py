"""Wrong verdicts of `check_score` on macro F1 and on the F1 of a class, with the limit at the true value.

In documents of 5 items, the frequencies of two classes ("class"), the accuracy within them ("accuracy") or both
("both") are drawn from beta distributions around their means. In "block", nearly all items of a document are of one
class, too; in "copies", the items of a document have a common chance of being right. A line gives the shares of false
fails and false passes among the sets that have an interval (each at most .05), the share of these sets, and the mean
width of the 90% interval.

python benchmarks/label_limits.py [SETS]
"""

from __future__ import annotations

import sys

import numpy as np

import howsure
from howsure.inputs.pairs import Floats, Integers

RIGHT = np.array([0.65, 0.92])
KINDS = ("independent", "accuracy", "class", "both", "block", "copies")
SIZES = ((20, 0.33), (60, 0.1), (100, 0.2), (300, 0.05), (300, 0.33))


def draw(rng: np.random.Generator, kind: str, n: int, rare: float) -> tuple[Integers, Integers, Integers | None]:
    """Draw the true and predicted classes (n,) and the documents; class 0 is rare."""
    documents = np.arange(n) // 5
    count, frequency = documents.max() + 1, np.full(n, rare)
    if kind in ("class", "both", "block"):
        spread = 0.02 if kind == "block" else 0.3
        frequency = rng.beta(rare * spread, (1 - rare) * spread, size=count)[documents]
    true = (rng.random(n) >= frequency).astype(np.int64)
    right = RIGHT[true]
    if kind in ("accuracy", "both", "block"):
        right = np.stack([rng.beta(0.8 * mean, 0.8 - 0.8 * mean, size=count) for mean in RIGHT], axis=1)
        right = right[documents, true]
    dice = rng.random(count)[documents] if kind == "copies" else rng.random(n)
    return true, np.where(dice < right, true, 1 - true), None if kind == "independent" else documents


def true_values(rare: float) -> Floats:
    """F1 of the rare class and of the other."""
    joint = np.array([rare, 1 - rare])[:, None] * np.array([[RIGHT[0], 1 - RIGHT[0]], [1 - RIGHT[1], RIGHT[1]]])
    return np.asarray(2 * np.diag(joint) / (joint.sum(axis=0) + joint.sum(axis=1)))


def main(sets: int = 300) -> None:
    """Print the table."""
    rng = np.random.default_rng(0)
    for kind in KINDS:
        for n, rare in SIZES:
            values = true_values(rare)
            for metric, truth in (("macro_f1", values.mean()), ("f1", values[0])):
                intervals = []
                for _ in range(sets):
                    true, predicted, documents = draw(rng, kind, n, rare)
                    if np.ptp(true) > 0:
                        chosen = {"f1": 0} if metric == "f1" else metric
                        table = howsure.score_models(true, predicted, metrics=chosen, clusters=documents, level=0.9)
                        intervals.append((table[0].mean.low, table[0].mean.high))
                low, high = np.array([ends for ends in intervals if ends[0] is not None], dtype=float).T
                print(
                    f"{kind:12} n {n:3}  rare {rare:.2f}  {metric:9} fails {np.mean(high < truth):.3f}  passes "
                    f"{np.mean(low > truth):.3f}  intervals {len(low) / sets:.2f}  width {np.mean(high - low):.2f}",
                    flush=True,
                )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
