"""Does the discrimination of `score_items` have the same sign as in item response theory?

    make bench-peers                               # installs girth into .venv-peers, with the other packages
    .venv-peers/bin/python benchmarks/item_signs.py [--sets 20]

Models with normally distributed skills answer 60 items of a two-parameter logistic model. One item in ten has a wrong
key, so its discrimination is negative. For each number of models, the table shows the proportion of items whose sign
agrees between howsure (the correlation with the other items), girth (marginal maximum likelihood) and the simulation,
and the proportion of wrong keys among the items that howsure reports as contradicting the others. girth fits only
discriminations above 0.2. Items at this limit are fitted again with correct and wrong swapped, and are negative if they
then exceed the limit. Items at the limit both times, and items that all models answer alike, have no sign and are left
out.
"""

from __future__ import annotations

import argparse

import numpy as np
import numpy.typing as npt
from girth import twopl_mml
from scipy.special import expit

import howsure

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
MODELS, ITEMS, WRONG_KEYS, LIMIT = (12, 30, 100), 60, 0.1, 0.25


def simulated(rng: np.random.Generator, models: int) -> tuple[Integers, Floats]:
    """Return the answers (models, items), and the discrimination of each item."""
    sign = np.where(rng.random(ITEMS) < WRONG_KEYS, -1.0, 1.0)
    slope, place = sign * np.exp(rng.normal(0.3, 0.4, ITEMS)), rng.normal(0, 1, ITEMS)
    right = rng.random((models, ITEMS)) < expit(slope * (rng.normal(0, 1, models)[:, None] - place))
    return right.astype(np.int64), slope


def girth_signs(right: Integers) -> Floats:
    """Return girth's sign of the discrimination of each item (items,), NaN if it has none."""
    answers = right.T
    at_limit = twopl_mml(answers)["Discrimination"] < LIMIT
    signs = np.where(at_limit, np.nan, 1.0)
    if at_limit.any():
        swapped = twopl_mml(np.where(at_limit[:, None], 1 - answers, answers))["Discrimination"]
        signs[at_limit & (swapped >= LIMIT)] = -1.0
    return signs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--sets", type=int, default=20)
    options = parser.parse_args()
    print("| models | items with a sign | howsure = girth | howsure = truth | girth = truth | wrong keys of reported |")
    print("|---|---|---|---|---|---|")
    for models in MODELS:
        rng = np.random.default_rng([3, models])
        signs, reported = list[Floats](), list[bool]()
        for _ in range(options.sets):
            right, slope = simulated(rng, models)
            live = np.ptp(right, axis=0) > 0
            right, slope = right[:, live], slope[live]
            named = {"model": np.repeat(np.arange(models), len(slope)), "id": np.tile(np.arange(len(slope)), models)}
            items = {int(item.item): item for item in howsure.score_items(right.ravel(), **named)}
            ours = np.array([np.sign(items[place].discrimination or np.nan) for place in range(len(slope))])
            signs.append(np.stack([ours, girth_signs(right), np.sign(slope)]))
            reported += [slope[place] < 0 for place, item in items.items() if item.contradicts]
        all_signs = np.concatenate(signs, axis=1)
        all_signs = all_signs[:, ~np.isnan(all_signs).any(axis=0)]
        agree = [np.mean(all_signs[a] == all_signs[b]) for a, b in ((0, 1), (0, 2), (1, 2))]
        negative = f"{sum(reported)} of {len(reported)}"
        print(
            "|",
            " | ".join([f"{models}", f"{all_signs.shape[1]:,}", *(f"{share:.3f}" for share in agree), negative]),
            "|",
        )


if __name__ == "__main__":
    main()
