"""How long does a regression on predicted labels take?

    make bench JOB=many_rows

Four covariates, 500 labels, and clusters of ten rows. Goal: 3 × the least squares of statsmodels with the same robust
standard errors.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import statsmodels.api as sm
from growth import Job, print_growth, print_numpy_import

import howsure

LABELS, COVARIATES, CLUSTER_SIZE = 500, 4, 10


def regression(n: int, *, clusters: bool) -> tuple[Job, Job]:
    """Return two jobs: naive and corrected coefficients with intervals, and statsmodels' with predictions as labels."""
    rng = np.random.default_rng(0)
    covariates = rng.normal(size=(n, COVARIATES))
    truth = (rng.random(n) < 1 / (1 + np.exp(-0.3 * covariates.sum(axis=1)))).astype(float)
    prediction = np.clip(truth + rng.normal(0, 0.3, n), 0, 1)
    people = np.where(np.isin(np.arange(n), rng.choice(n, LABELS, replace=False)), truth, np.nan)
    cluster = np.arange(n) // CLUSTER_SIZE if clusters else None
    columns = {f"x{number}": column for number, column in enumerate(covariates.T)}
    fit = {"cov_type": "cluster", "cov_kwds": {"groups": cluster}} if clusters else {"cov_type": "HC2"}
    return (
        partial(howsure.regress_predicted, people, prediction, covariates=columns, clusters=cluster),
        lambda: sm.OLS(prediction, sm.add_constant(covariates)).fit(**fit).bse,
    )


def main() -> None:
    """Print how the time grows with the rows, without and with clusters."""
    print_numpy_import()
    goal = "3 × the floor"
    for clusters, floor in (
        (False, "statsmodels OLS with HC2 errors"),
        (True, "statsmodels OLS with clustered errors"),
    ):
        title = f"regress_predicted: rows{' in clusters of ten' if clusters else ''}"
        sizes = (100_000, 200_000, 400_000)
        print_growth(title, sizes, partial(regression, clusters=clusters), floor=floor, goal=goal)


if __name__ == "__main__":
    main()
