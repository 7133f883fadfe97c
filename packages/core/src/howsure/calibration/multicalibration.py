"""`multicalibration_error`: the largest gap of any group, weighted by the group's size."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from howsure import __version__
from howsure.calibration.features import (
    Feature,
    all_rows_feature,
    pairs_and_features,
    prediction_feature,
    weighted_features,
)
from howsure.calibration.scan import DIAGONAL, DRAWS, MIN_ROWS, Family, compute_residuals, scan
from howsure.errors import InputError
from howsure.inputs.arguments import Randomness, check_arguments, generator_from, seed_in_recipe
from howsure.inputs.frames import Source
from howsure.inputs.numbers_and_names import check_integer, check_level, counted
from howsure.inputs.pairs import Floats, Pairs, Probabilities
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.result import Estimate, Result
from howsure.show.table import COUNT, NUMBER, WORDS, Column, in_a_line, with_ends
from howsure.stats.threads import one_thread

ALL_ROWS = "all rows"
MIN_SCORE = 1e-9  # a sum is not divided by a smaller score


@dataclass(frozen=True, slots=True, repr=False)
class MulticalibrationError(Result):
    """The result of `multicalibration_error`.

    error: the estimate, corrected for selecting the largest of many values, with its interval. plugin: the largest
    observed share × |gap|. group, share, gap: the group with this value, its proportion of the total weight and its gap
    (positive: overconfident). groups: number of groups. recipe: everything needed to repeat the analysis.
    """

    error: Estimate
    plugin: float
    group: str
    share: float
    gap: float
    groups: int
    recipe: dict[str, Any]

    def columns(self) -> Sequence[Column]:
        """One row."""
        return [
            *with_ends(Column("error", NUMBER)),
            Column("plugin", NUMBER),
            Column("group", WORDS),
            Column("share", NUMBER),
            Column("gap", NUMBER),
            Column("groups", COUNT),
        ]

    @property
    def description(self) -> str:
        """The error, and the group with the largest observed gap."""
        return (
            f"multicalibration error {self.error}, the largest share × gap of {counted(self.groups, 'group')}; before "
            f"the correction for noise, {self.plugin:.4f} = {self.share:.4f} × {abs(self.gap):.4f} in "
            f"{in_a_line(self.group)}"
        )


def multicalibration_error(
    y_true: ArrayLike | str | Pairs | None = None,
    y_prob: ArrayLike | str | Probabilities | None = None,
    *,
    features: Mapping[str, ArrayLike] | Sequence[str] | IntoFrame,
    conditions: int = 1,
    min_rows: int = MIN_ROWS,
    sample_weight: ArrayLike | str | None = None,
    clusters: ArrayLike | str | None = None,
    pos_label: Hashable = None,
    level: float = 0.95,
    data: Source | IntoFrame | None = None,
    rng: Randomness = 0,
) -> MulticalibrationError:
    """Estimate the largest share × |gap| of any group: max |Σ w (q - y)| / Σ w, with sums over the group and all rows.

    A group's share is its proportion of the total weight. The error is 0 if predictions are calibrated in every group.
    The groups are: all rows; ranges of predictions; the rows that satisfy one condition on a feature; these rows within
    each range of predictions (multicalibration requires more than a correct mean in every group); and, with
    conditions=2, which takes longer, the rows that satisfy two conditions. The largest of many noisy gaps is biased
    upwards, so the bias is simulated and subtracted. The interval allows for every group that may have the largest
    value (Chernozhukov, Lee & Rosen 2013). The other arguments are those of `find_miscalibrated_groups`.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> q, prompt = rng.random(8000), rng.choice(["first", "second"], 8000)
    >>> labels = rng.random(8000) < np.where(prompt == "second", q**2, q)
    >>> print(multicalibration_error(labels, q, features={"prompt": prompt}))  # doctest: +ELLIPSIS
    multicalibration error 0.08..., the largest share × gap of ... groups; ... = 0.49... × 0.17... in prompt = second

    Raises InputError, which names the parameter, row and value, for an invalid input.
    Source: Hébert-Johnson, Kim, Reingold & Rothblum (2018).
    """
    check_arguments(multicalibration_error, locals())
    checked, columns, _ = pairs_and_features(
        y_true,
        y_prob,
        features=features,
        data=data,
        sample_weight=sample_weight,
        clusters=clusters,
        pos_label=pos_label,
    )
    return estimate_multicalibration(
        checked, columns, conditions=conditions, min_rows=min_rows, level=check_level(level), rng=rng
    )


def estimate_multicalibration(
    raw_pairs: Pairs,
    columns: Mapping[str, Any],
    *,
    conditions: int = 1,
    min_rows: int = MIN_ROWS,
    level: float = 0.95,
    rng: Randomness = 0,
) -> MulticalibrationError:
    """Compute `multicalibration_error` for checked pairs and columns by name."""
    min_rows = check_integer(min_rows, name="min_rows")
    pairs, checked_features = weighted_features(raw_pairs, columns, min_rows=min_rows)
    n, generator = len(pairs), generator_from(rng)
    features = [all_rows_feature(n, ALL_ROWS), prediction_feature(pairs, columns, min_rows=min_rows), *checked_features]
    total = float(n if pairs.weights is None else pairs.weights.sum())
    options: dict[str, Any] = {"min_rows": min_rows, "conditions": 2, "rng": generator}
    if conditions == 1:
        options["pairs"] = [(1, other) for other in range(2, len(features))]
    with one_thread():
        residuals = compute_residuals(pairs, against=DIAGONAL, rng=generator)
        every = _joined(scan(residuals, features, **options))
        if not len(every):
            raise InputError("no group has enough labels: at least 5 of either kind must be expected. Give more rows.")
        width = _quantile(every.largest, 1 - (1 - level) / 10)
        floor = _lower_limit(every, width)
        near = _joined(scan(residuals, features, keep=lambda sums, s: np.abs(sums) + 2 * width * s >= floor, **options))
        value = _corrected(near, generator)
    error = 1 - level
    spread = np.maximum(near.observed, near.deviation)
    high = float((np.abs(near.sums) + NormalDist().inv_cdf(1 - error / 2) * spread).max())
    low = _lower_limit(near, _quantile(near.largest, 1 - error / 2))
    best = int(np.abs(every.sums).argmax())
    estimate = Estimate(value / total, low / total, min(high / total, 1.0), level, "largest of groups", n)
    return MulticalibrationError(
        error=estimate,
        plugin=float(abs(every.sums[best])) / total,
        group=_name(every, best, features),
        share=float(every.weight[best]) / total,
        gap=-float(every.sums[best] / every.weight[best]),
        groups=len(every),
        recipe={
            "howsure": __version__,
            **raw_pairs.described,
            "n": n,
            "features": list(columns),
            "conditions": conditions,
            "min_rows": min_rows,
            "level": level,
            "weighted": pairs.weights is not None,
            "clustered": pairs.clusters is not None,
            "draws": DRAWS,
            "seed": seed_in_recipe(rng),
        },
    )


def _lower_limit(family: Family, width: float) -> float:
    """Return the largest |sum| - width · deviation of any group, at least 0.

    The deviation is the larger of the observed deviation and |sum / score|, which allows for skewness.
    """
    size = np.abs(family.sums)
    spread = np.maximum(family.observed, size / np.maximum(np.abs(family.score), MIN_SCORE))
    return max(0.0, float((size - width * spread).max()))


def _corrected(family: Family, rng: np.random.Generator) -> float:
    """Return the largest |sum| minus a simulated estimate of its upward bias, at least 0.

    The sums are first shrunk by the median of the largest score (to 0 if noise explains them). Then noise is added; the
    bias is the mean increase of the largest |sum|.
    """
    assert family.units is not None
    size = np.abs(family.sums)
    shrunk = np.maximum(size - _quantile(family.largest, 0.5) * family.observed, 0.0)
    noise = rng.standard_normal((DRAWS, len(family.units)), dtype=np.float32) @ family.units
    largest = np.abs(np.where(family.sums < 0, -shrunk, shrunk) + noise * family.observed).max(axis=1)
    return max(0.0, float(size.max() - (largest.mean() - shrunk.max())))


def _quantile(largest: Floats, level: float) -> float:
    return float(np.quantile(largest, level, method="higher"))


def _joined(families: tuple[Family, ...]) -> Family:
    """Merge the families of one and of two conditions, which use the same random draws."""
    return families[0] if len(families) == 1 else families[0].joined(families[1])


def _name(family: Family, row: int, features: list[Feature]) -> str:
    parts = zip(family.features[row].tolist(), family.conditions[row].tolist(), strict=True)
    return " and ".join(features[f].conditions[c] for f, c in parts if f >= 0)
