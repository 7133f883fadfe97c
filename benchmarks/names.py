"""How much longer does `mean_scores` take with names of models and items than with numbers?

make bench JOB=names

Twenty models answer the same items; rows are in any order.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from growth import Job, print_growth, print_numpy_import

import howsure

MODELS = 20


def named(n: int, *, shuffled: bool) -> tuple[Job, Job]:
    """Return two jobs: the scores of n rows with names of models and items, and with numbers."""
    rng = np.random.default_rng(0)
    model, item = (codes.ravel() for codes in np.indices((MODELS, n // MODELS)))
    if shuffled:
        order = rng.permutation(n)
        model, item = model[order], item[order]
    score = rng.random(n)
    names, ids = (np.char.add(word, codes.astype(str)) for word, codes in (("model ", model), ("question ", item)))
    return tuple(partial(howsure.mean_scores, score, model=a, id=b, rng=0) for a, b in ((names, ids), (model, item)))


def main() -> None:
    """Print how the time grows with the rows, in order and shuffled."""
    print_numpy_import()
    floor, goal = "models and items as numbers", "none"
    for shuffled in (False, True):
        title = f"mean_scores, rows of {MODELS} models{', shuffled' if shuffled else ''}"
        sizes = (250_000, 500_000, 1_000_000)
        print_growth(title, sizes, partial(named, shuffled=shuffled), floor=floor, goal=goal)


if __name__ == "__main__":
    main()
