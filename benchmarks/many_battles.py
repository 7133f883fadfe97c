"""How long do strengths and ranks of many models take?

    make bench JOB=many_battles

The strengths of the models are normally distributed, and some models have more battles than others. Goal: 0.8 CPU
seconds for 300,000 battles of 400 models.
"""

from __future__ import annotations

from functools import partial

import choix
import numpy as np
from growth import Job, print_growth, print_numpy_import

import howsure


def battles(models: int, n: int) -> tuple[Job, Job]:
    """Return two jobs: strengths with intervals and ranks, and the strengths alone by choix."""
    rng = np.random.default_rng(0)
    frequency = rng.lognormal(0, 0.7, models)
    first = rng.choice(models, n, p=frequency / frequency.sum())
    second = (first + rng.integers(1, models, n)) % models
    strength = rng.normal(size=models)
    first_won = rng.random(n) < 1 / (1 + np.exp(strength[second] - strength[first]))
    names = np.array([f"model {number}" for number in range(models)])
    winner = np.where(first_won, "model_a", "model_b")
    pairs = np.where(first_won, (first, second), (second, first)).T.tolist()
    return (
        partial(howsure.rank_battles, names[first], names[second], winner, rng=0),
        partial(choix.ilsr_pairwise, models, pairs),
    )


def main() -> None:
    """Print how the time grows with the models, and with the battles."""
    print_numpy_import()
    floor, goal = "choix.ilsr_pairwise: strengths without errors, from codes", "0.8 CPU seconds for 300,000"
    title = "rank_battles: models in 300,000 battles"
    print_growth(title, (100, 200, 400, 800), partial(battles, n=300_000), floor=floor, goal=goal)
    title = "rank_battles: battles of 400 models"
    print_growth(title, (150_000, 300_000, 600_000), partial(battles, 400), floor=floor, goal=goal)


if __name__ == "__main__":
    main()
