"""How much time do corrected counts of many cells take?

    make bench JOB=count_series

7 actors in months or weeks of documents, with four features and 300 labelled documents; and 300 cells of single units.
Goal: 1 CPU second for 20,000 documents.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from growth import Job, print_growth, print_numpy_import
from scipy.special import expit

from howsure.counts import draw_label_sample, estimate_counts

ACTORS, LABELLED = 7, 300


def documents(n_documents: int, periods: int) -> tuple[Job, Job]:
    """Return two jobs: the counts of each actor in each period, and a sigmoid of each unit in each of 8 draws."""
    rng = np.random.default_rng(0)
    units = n_documents * ACTORS
    document, actor = np.repeat(np.arange(n_documents), ACTORS), np.tile(np.arange(ACTORS), n_documents)
    period = np.repeat(rng.integers(0, periods, n_documents), ACTORS)
    mentions = rng.poisson(0.8, units)
    features = [np.log1p(mentions), rng.random(units) < 0.2, rng.random(units), np.log1p(rng.poisson(3, units))]
    score = np.where(mentions > 0, rng.beta(0.5, 2, units), 0.0)
    truth = (rng.random(units) < expit(1.2 * features[0] + features[1] - 3)).astype(float)
    sample = draw_label_sample(score, LABELLED, clusters=document, rng=0)
    rows = sample.indices.tolist()
    job = partial(
        estimate_counts,
        dict(zip(rows, truth[rows].tolist(), strict=True)),
        score,
        groups={"actor": actor, "period": period},
        features=features,
        inclusion=dict(zip(rows, sample.inclusion.tolist(), strict=True)),
        strata=dict(zip(rows, sample.stratum[sample.indices], strict=True)),
        clusters=document,
        rng=0,
    )
    return job, partial(expit, rng.normal(size=(8, units)))


def single_units(units: int) -> tuple[Job, Job]:
    """Return two jobs: counts of 300 cells from 1,000 labels drawn at random, and a sigmoid of each unit in each of 8
    draws."""
    rng = np.random.default_rng(0)
    score = np.where(rng.random(units) < 0.3, 0.0, rng.random(units) ** 3)
    rows = rng.choice(units, 1_000, replace=False)
    labels = dict(zip(rows.tolist(), (rng.random(1_000) < score[rows]).astype(float).tolist(), strict=True))
    job = partial(estimate_counts, labels, score, groups={"cell": rng.integers(0, 300, units)}, rng=0)
    return job, partial(expit, rng.normal(size=(8, units)))


def main() -> None:
    """Print the three tables."""
    print_numpy_import()
    floor, goal = "scipy.special.expit of 8 draws of the units", "1 CPU second for 20,000 documents"
    for name, periods in (("60 months", 60), ("260 weeks", 260)):
        title = f"estimate_counts: documents, {ACTORS} actors, {name}"
        print_growth(title, (20_000, 40_000, 80_000), partial(documents, periods=periods), floor=floor, goal=goal)
    title, goal = "estimate_counts: units in 300 cells", "1 CPU second for 100,000 units"
    print_growth(title, (100_000, 200_000, 400_000), single_units, floor=floor, goal=goal)


if __name__ == "__main__":
    main()
