"""`compare_models`, `compare_scores` and `resample_models`: compare models on the same items."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal

from howsure.inputs.arguments import Randomness, check_arguments
from howsure.inputs.frames import Source
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.significance.comparison import Predictions, compare
from howsure.significance.metrics.metric import Metric
from howsure.significance.metrics.requested import metrics_and_class
from howsure.significance.results import Comparison
from howsure.significance.systems import Runs

ALL_PAIRS = "all pairs"  # in place of a baseline
TWO_WAY = "two-way bootstrap"
Metrics = str | Metric | Sequence[str | Metric] | Mapping[str, Hashable]


def compare_models(
    y_true: ArrayLike | str | None = None,
    against: Predictions | str | None = None,
    model: Predictions | str | Sequence[str] | None = None,
    *,
    prediction: str | None = None,
    metrics: Metrics | None = None,
    id: ArrayLike | str | Sequence[str] | None = None,
    run: ArrayLike | str | None = None,
    groups: ArrayLike | str | Sequence[str] | None = None,
    clusters: ArrayLike | str | None = None,
    strata: ArrayLike | str | None = None,
    method: str | None = None,
    alternative: Literal["two-sided", "better", "worse"] = "two-sided",
    level: float = 0.95,
    rng: Randomness = None,
    data: Source | IntoFrame | Mapping[str, ArrayLike] | None = None,
) -> Comparison:
    """Test whether models predict better than a baseline on the same items, and estimate by how much.

    y_true (n,): the true labels, or distributions, (n, K); without `data`, also a file of labels or documents.
    against: the baseline: its predictions or, in a table with a row per model and item, its name (default: the best
        model); "all pairs" compares every two models.
    model: predictions of a model, or of several by name; in such a table, the column of the model's name.
    prediction: column of the predictions, in a table with one row per model and item.
    metrics: a metric, or several; {"f1": "spam"}: a metric of one class.
    id (n,): the item of each row, needed with several runs or a row per model and item; several columns: a,b.
    run (n,): the run (seed) or fold of each row; items are resampled with all their runs.
    groups (n,): the category of each item: also compare the models in each of them; several columns: a,b.
    clusters (n,): what correlated rows belong to, such as the document; several columns: a,b.
    strata (n,): strata, each of which keeps its size.
    method: permutation (default), bootstrap, gaffke, student, jackknife (default for metrics of documents) or mcnemar.
    alternative: two-sided, or a test in one direction: the model is better, or worse.
    level: level of the intervals.
    rng: seed of what is drawn at random.

    `y_true` and the predictions may be labels and labels (any type), distributions (n, K) and distributions, or labels
    and probabilities (n, K). If the `metrics` need probabilities, the probabilities of class 1 (n,) suffice. `against`
    and `model` are the predictions of the baseline and of one model; {name: predictions} names them, and may contain
    several models. Predictions have one value or row per item, or are `Runs([...])` of several runs. Metrics of several
    kinds can be mixed; metrics of labels then use the most probable class.

    With `data` (a frame, {name: column}, or files by `howsure.read`), the other arguments name its columns:

    - a column for each model: `y_true`, `against` and `model`, one or several;
    - a row for each model and item: `model`, `id` (several columns identify an item together), perhaps `run`, and
      `y_true` and `prediction`. Then `against` is the name of a model. Every model must have every item, unless the
      files are read with `skip_missing`.

    Without `against`, every pair of models is tested, and p is adjusted for all pairs (Holm). The pairs with the model
    that is best in the first metric are shown. The `means` of the result are the mean scores of the models. The
    `groups` are the differences in each group, with p adjusted for all groups.

    `method` determines how p is computed:

    - `permutation`: the two systems are swapped at random in each item. The test is exact if the systems are
    exchangeable (by enumeration if there are few outcomes; otherwise p = (c + 1)/(B + 1), where c of B = 10,000 draws
    are at least as extreme). With many items, the test is also valid if only the values of the metric are equal,
    because a difference that is not a difference of means is divided by its standard error, recomputed for every draw.
    For calibration errors, p refers to their squares, and is at least the p-value of a normal approximation.
    - `bootstrap`: resamples of all n items with replacement; c counts the resamples whose difference is at least |d|
      away from the observed difference d. Like the interval, p is widened for few or unequal units by Student's t.
    - `jackknife`: Student's t with the jackknife standard error of the difference, over items or clusters, for the
    interval and for p. The degrees of freedom follow from the effective number of items, (Σ size)² / Σ size² (Kish),
    with sizes such as the number of words or entities. The error is computed as if one more item differed. The method
    is available for every metric that does not depend on the number of items.
    - `gaffke`, `student`: for means (accuracy, log loss), as in `compare_scores`.
    - `mcnemar`: the mid-p test of accuracy.

    With `permutation`, `bootstrap` and `mcnemar`, the interval of the difference comes from a full-size bootstrap,
    widened for few items, few or unequal clusters and small strata (jackknife, Student's t). `resample_models` has the
    settings of the draws. Clusters are swapped and resampled as a whole; each stratum must contain at least two items
    (or clusters). With `run`, there is a row for each item and run, and items are matched by `id` or, without it, by
    order. An item is swapped with all its runs, and runs never count as additional items. Runs may be the folds of a
    cross-validation, which have different items, identified by `id`.

    The result does not depend on the order of the rows or the names of the labels. The other models and metrics affect
    only the adjusted p. Exchanging baseline and model only changes the sign.

    >>> y = [0, 1, 1, 0, 1, 0, 1, 1]
    >>> result = compare_models(y, [0, 1, 0, 1, 0, 0, 1, 0], y, metrics="accuracy", rng=1)
    >>> print(result[0].difference, result[0].p_value, result[0].exact)
    0.5 0.125 True

    Raises InputError, which names the parameter, the rule, the value and the row.
    Source: Noreen (1989); Chung & Romano (2013); Davison & Hinkley (1997); Berg-Kirkpatrick et al. (2012).
    """
    arguments = check_arguments(compare_models, locals())
    if data is None and isinstance(y_true, str):
        arguments |= {"y_true": None, "targets": y_true, "model": [model] if isinstance(model, str) else model}
    return compare(**arguments | _baseline(against) | metrics_and_class(metrics))


def compare_scores(
    score: Mapping[str, ArrayLike | Runs] | IntoFrame | str | Sequence[str] | None = None,
    *,
    against: str | None = None,
    model: str | Sequence[str] | None = None,
    id: ArrayLike | str | Sequence[str] | None = None,
    run: ArrayLike | str | None = None,
    groups: ArrayLike | str | Sequence[str] | None = None,
    clusters: ArrayLike | str | None = None,
    pos_label: Hashable = None,
    lower_is_better: bool = False,
    bounds: tuple[float, float] | None = None,
    method: str | None = None,
    alternative: Literal["two-sided", "better", "worse"] = "two-sided",
    level: float = 0.95,
    rng: Randomness = None,
    data: Source | IntoFrame | Mapping[str, ArrayLike] | None = None,
) -> Comparison:
    """Test whether the mean scores of models differ on the same items, from a number per item, and estimate by how
    much.

    score: the scores of each model by name, {"base": (n,), "large": (n,)}, also `Runs` of several runs, or a data frame
        with a column per model; with `data`, a column or several of a table with one row per model and item.
    against: name of the baseline (default: the best model); "all pairs" compares every two models.
    model: column that names the model; without `score`, `against` and `model` are columns of scores, one per model.
    id: column of the item of each row; several columns: a,b.
    run: column of the run (seed) of each row; the scores of several runs of an item are averaged.
    groups (n,): the category of each item: also compare the models in each of them; several columns: a,b.
    clusters (n,): what correlated items belong to, such as the document; several columns: a,b.
    pos_label: the value of `score` that counts as 1; every other counts as 0.
    lower_is_better: lower scores are better.
    bounds: the lowest and the highest possible score; not needed if all scores are 0 or 1.
    method: gaffke (default of scores with bounds), student (default of others), permutation or bootstrap.
    alternative: two-sided, or a test in one direction: the model is better, or worse.
    level: level of the intervals.
    rng: seed of what is drawn at random.

    A log read by `howsure.read` defines model, item, run and scores. If several files have no column of models, each
    file is a model. Every model must have every item, unless the files are read with `skip_missing`.

    - `gaffke`: Gaffke's test of the paired differences, by item or cluster, with an interval by the same method. For
    scores of 0 and 1 without clusters, it is McNemar's exact test. It is also valid if clusters are right or wrong as a
    whole, and if large differences are too rare to occur in the data.
    - `student`: Student's t of the paired differences, by item or cluster, with an interval by the same method and
    Hall's correction for skewness. The standard error is √(C/(C - 1) Σ e²)/n, with e the sum of the deviations of each
    of C clusters (or items). For the interval and p, the jackknife's standard error is used if it is larger, and the
    error is computed as if one more item differed. The method assumes that large differences are not too rare to occur
    in the data.
    - `permutation`, `bootstrap`: as in `compare_models`.

    Without `against`, every pair of models is tested, and p is adjusted for all pairs (Holm). The pairs with the best
    model are shown. The `means` of the result are the mean scores of the models, the `groups` the differences in each
    group.

    >>> row = compare_scores({"base": [1, 0, 0, 0, 1, 0] * 4, "large": [1, 1, 0, 1, 1, 0] * 4}, against="base")[0]
    >>> print(row.model, round(row.difference, 4), round(row.p_value, 4))
    large 0.3333 0.0078

    Raises InputError, which names the parameter, the rule, the value and the row.
    Source: Miller (2024), for clusters; Gaffke (2005); Hall (1992).
    """
    arguments = check_arguments(compare_scores, locals())
    columns_of_scores = score is None and against is not None and model is not None
    return compare(**arguments | _baseline(against), metrics="score" if columns_of_scores else None)


def resample_models(
    y_true: ArrayLike | str | None,
    against: Predictions | str,
    model: Predictions | str | Sequence[str],
    *,
    metrics: Metrics | None = None,
    run: ArrayLike | str | None = None,
    clusters: ArrayLike | str | None = None,
    strata: ArrayLike | str | None = None,
    classes: Sequence[object] | None = None,
    method: str = "bootstrap",
    n_resamples: int = 10_000,
    sample_size: float | None = None,
    interval: Literal["basic", "percentile", "bca"] | None = "basic",
    level: float = 0.95,
    rng: Randomness = None,
    data: Source | IntoFrame | Mapping[str, ArrayLike] | None = None,
) -> Comparison:
    """Compare models as `compare_models` does, by resampling, with the settings of the random draws.

    y_true, against, model: as in `compare_models`, a column or an array for each model; "score" as the only metric
        compares columns of scores, without `y_true`.
    metrics, run, clusters, strata: as in `compare_models`.
    classes: the classes of rows of probabilities, in order; for labels, those that averages are over (default: those in
        `y_true`).
    method: bootstrap, two-way bootstrap (draws runs as well as items, so that the answer also covers retraining),
        permutation, or boostsa (sub-samples, as in Fornaciari et al. 2022).
    n_resamples: number of draws, from 1 to 10 million.
    sample_size: of boostsa, the share of the items in each sub-sample, from 0.05 to 0.5 (default: 0.1).
    interval: interval of the difference, from a bootstrap: basic, percentile, bca, or None for none.
    level: level of the intervals.
    rng: seed of the draws.

    With `boostsa`, p is the proportion of sub-samples whose difference exceeds 2d, where d is the observed difference.
    Unlike in the program BooStSa, the direction of cross-entropy and Jensen-Shannon divergence is correct, p is 1 if d
    is 0, and p is undefined if d is. The method has hardly any power: on 1,000 items, on a tenth of which the systems
    differ, a true gain of two points is detected in 0.15% of experiments with a sample_size of 0.1, and in 61% with the
    exact test. `howsure.significance.boostsa` has the interface of the program.

    >>> y = [0, 1, 1, 0, 1, 0, 1, 1] * 10
    >>> row = resample_models(y, [0, 1, 0, 1, 0, 0, 1, 0] * 10, y, metrics="accuracy", n_resamples=500, rng=1)[0]
    >>> print(row.difference, row.low > 0.3, row.p_value < 0.01)
    0.5 True True

    Raises InputError, which names the parameter, the rule, the value and the row.
    Source: Efron & Tibshirani (1993); Davison & Hinkley (1997); Fornaciari et al. (2022).
    """
    arguments = check_arguments(resample_models, locals()) | metrics_and_class(metrics)
    if method == TWO_WAY:
        arguments |= {"method": "bootstrap", "two_way": True}
    return compare(**arguments)


def _baseline(against: Any) -> dict[str, Any]:
    """Arguments of `compare` for the baseline; "all pairs" becomes all_pairs=True."""
    is_all = isinstance(against, str) and against == ALL_PAIRS
    return {"against": None, "all_pairs": True} if is_all else {"against": against}
