"""The standard errors of scores against Inspect AI's own `stderr`, with and without clusters."""

from __future__ import annotations

import numpy as np
import pytest

from howsure.significance.comparison import compare

pytestmark = pytest.mark.programs


@pytest.mark.parametrize("clustered", [False, True])
def test_the_standard_error_is_that_of_inspect(clustered: bool) -> None:
    """Of each model's mean, and of the paired difference."""
    from inspect_ai.scorer import SampleScore, Score, stderr

    rng = np.random.default_rng(0)
    clusters = rng.permutation(np.repeat(np.arange(15), rng.integers(1, 9, 15)))
    a, b = (rng.random(len(clusters)) < right for right in (0.7, 0.6))

    def theirs(values) -> float:
        scores = [
            SampleScore(score=Score(value=float(value)), sample_id=str(row), sample_metadata={"document": int(cluster)})
            for row, (value, cluster) in enumerate(zip(values, clusters, strict=True))
        ]
        return stderr(cluster="document" if clustered else None)(scores)

    comparison = compare(score={"a": a, "b": b}, against="a", clusters=clusters if clustered else None)
    assert [mean.standard_error for mean in comparison.means] == pytest.approx([theirs(a), theirs(b)], rel=1e-12)
    assert comparison[0].standard_error == pytest.approx(theirs(b.astype(float) - a), rel=1e-12)
