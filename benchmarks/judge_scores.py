"""How much time does the correction of a judge's grades take for each model?

    make bench JOB=judge_scores

The judge grades all answers of each model to the same items, and human annotators grade 300 items. Goal: 5 ms for a
model with 1,000 answers.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from growth import Job, print_growth, print_numpy_import

from howsure.judges import correct_judge_scores

LABELLED = 300


def grades(models: int, items: int, *, differences: bool) -> tuple[Job, Job]:
    """Return two jobs: the corrected means of models (with or without differences), and a sort of the judge's grades by
    model."""
    rng, answers = np.random.default_rng(0), models * items
    item = np.tile(np.arange(items), models)
    model = np.repeat([f"model {number}" for number in range(models)], items)
    truth = (rng.random(answers) < np.repeat(np.linspace(0.4, 0.8, models), items)).astype(float)
    judge = np.where(rng.random(answers) < 0.9, truth, 1.0 - truth)
    people = np.where(np.isin(item, rng.choice(items, LABELLED, replace=False)), truth, np.nan)
    job = partial(correct_judge_scores, people, judge, model=model, id=item if differences else None)
    return job, lambda: np.sort(judge.reshape(models, items) + 0.01 * people.reshape(models, items), axis=1)


def main() -> None:
    """Print how the time grows with the models, and with the items."""
    print_numpy_import()
    floor, goal = "a sort of the grades of each model", "5 ms a model of 1,000 answers"
    for name, differences in (("means", False), ("means and differences", True)):
        models = partial(grades, items=1_000, differences=differences)
        print_growth(
            f"correct_judge_scores, {name}: models of 1,000 answers", (25, 50, 100), models, floor=floor, goal=goal
        )
    items = partial(grades, 10, differences=True)
    print_growth(
        "means and differences: answers of each of 10 models", (25_000, 50_000, 100_000), items, floor=floor, goal=goal
    )


if __name__ == "__main__":
    main()
