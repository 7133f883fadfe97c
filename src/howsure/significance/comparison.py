"""Compare models with a baseline."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Sized
from dataclasses import replace

from howsure.errors import InputError
from howsure.significance.metrics.labels import of_class
from howsure.significance.metrics.metric import Metric, find_metric, tasks_of
from howsure.significance.notes import notes_of
from howsure.significance.resampling.choices import BY_ORDER, Choices, check_choices, seed_of
from howsure.significance.resampling.differences import differences_of
from howsure.significance.resampling.subsampling import USUAL
from howsure.significance.results import Comparison, Difference
from howsure.significance.systems.reading import Systems, read_systems
from howsure.stats.multiplicity import adjust_p_values
from howsure.stats.randomness import Randomness

DEFAULTS = {
    "hard": ("accuracy", "macro_precision", "macro_recall", "macro_f1"),
    "soft": ("cross_entropy", "jensen_shannon_divergence", "entropy_similarity", "entropy_correlation"),
    "probabilistic": ("log_loss", "brier"),
}
BOOSTSA_SOFT = ("jensen_shannon_distance", "clipped_cross_entropy", "entropy_similarity", "entropy_correlation")
OF_CLASS = ("precision", "recall", "f1")
BASELINE = "baseline"


def compare(
    y_true: object,
    baseline: object,
    model: object,
    *,
    metrics: str | Metric | Sequence[str | Metric] | None = None,
    method: str = "permutation",
    n_resamples: int = 10_000,
    alternative: str = "two-sided",
    clusters: object = None,
    runs: object = None,
    strata: object = None,
    interval: str | None = "basic",
    adjust: str | None = "holm",
    rng: Randomness = None,
    level: float = 0.95,
    target_class: object = None,
    labels: Sequence[object] | None = None,
    ids: object = None,
    two_way: bool = False,
    sample_size: float | None = None,
    bug_compatible: bool = False,
    baseline_name: str = BASELINE,
    progress: Callable[[int, int], None] | None = None,
) -> Comparison:
    """Test whether models are better than a baseline on the same items, and estimate by how much.

    Labels against labels (any type), distributions (n, K) against distributions, or probabilities (n, K) against
    labels; or only the probabilities of class 1 (n,) if the `metrics` need them. `model` is one model's predictions or
    `{name: predictions}`; predictions are one value or row per item, or `Runs([...])` of several runs.

    `method` determines how p is computed:

    - `permutation` (default): for each item, a coin flip decides which system is which. Exact if the systems are
      exchangeable (by enumeration if there are few outcomes, else (c + 1)/(B + 1) with c of B draws at least as
      extreme); with many items, it also has the right level if only their values of the metric are equal: a difference
      that is not one of means is divided by its standard error, recomputed for every draw. For calibration errors, p
      refers to their squares, and is never smaller than that of a normal approximation.
    - `bootstrap`: resamples of all n items with replacement; c counts the resamples whose difference is at least |d|
      away from d, widened as for an interval of level .95, whatever `level` is.
    - `mcnemar`: the mid-p test of accuracy.
    - `boostsa`: the share of sub-samples of `sample_size` of the items (0.05 to 0.5; None: 0.1) whose difference
      exceeds 2d, as in Fornaciari et al. (2022), with the direction of cross-entropy and Jensen-Shannon corrected, p =
      1 where d = 0 and no p where d is undefined. It loses nearly all power: on 1,000 items, on a tenth of which the
      systems differ, a true gain of two points is detected in 0.15 % of experiments with a share of .1, and in 61 %
      with the exact test. `bug_compatible=True` counts as BooStSa 0.2.13 does, for replication only.

    The interval of the difference comes from a full-size bootstrap: `basic`, `percentile`, `bca` or None, widened for
    few items, few or unequal clusters and small strata (jackknife, Student's t). `alternative` is `two-sided`, `better`
    or `worse` (for the model, whether or not higher values are better). `adjust` corrects for all models and metrics of
    the table: `holm`, `bh` or None.

    `clusters` are swapped and resampled as wholes (the sentences of a document); each of the `strata` keeps its size,
    and must contain at least two items (or clusters). Averages over classes are over the classes in `y_true`, or those
    named by `labels`; with probabilities, `labels` names their columns. The result's `notes` report predictions outside
    the classes, classes that are never predicted, small numbers of clusters, and intervals of zero width. With `runs`,
    rows are items × runs, and `ids` identify the item (otherwise the order does): an item is resampled or swapped with
    all its runs, and runs never count as additional items. `two_way=True` (bootstrap) resamples runs as well, so that
    the answer also covers retraining. `target_class` selects the class that `precision`, `recall` and `f1` refer to.

    The result does not depend on the order of the rows, the names of the labels, the other models and metrics (except
    for the adjusted p), or on which system is the baseline (except for the sign).

    >>> y = [0, 1, 1, 0, 1, 0, 1, 1]
    >>> result = compare(y, [0, 1, 0, 1, 0, 0, 1, 0], y, metrics="accuracy", rng=1)
    >>> print(result[0].difference, result[0].p_value, result[0].exact)
    0.5 0.125 True

    Raises InputError naming the parameter, the rule, the value and the row.
    Source: Noreen (1989); Chung & Romano (2013); Davison & Hinkley (1997); Berg-Kirkpatrick et al. (2012);
    Fornaciari et al. (2022).
    """
    models = dict(model) if isinstance(model, Mapping) else {"model": model}
    if not models or baseline_name in models:
        raise InputError(f"model must name one model or more, and none {baseline_name!r}; it names {list(models)}.")
    asked = _asked(metrics)
    if ids is not None and isinstance(y_true, Sized) and (not isinstance(ids, Sized) or len(ids) != len(y_true)):
        raise InputError(f"ids must name every row of y_true, of which there are {len(y_true):,}.")
    systems = read_systems(
        y_true,
        {baseline_name: baseline, **models},
        tasks=tasks_of(asked or ()),
        labels=labels,
        clusters=clusters,
        strata=strata,
        runs=runs,
        ids=ids,
    )
    share = USUAL if method == "boostsa" and sample_size is None else sample_size
    choices = Choices(method, n_resamples, alternative, interval, level, adjust, two_way, share, bug_compatible)
    chosen = _metrics(asked, systems, choices, target_class)
    check_choices(choices, systems, chosen)
    seed = seed_of(rng)
    rows: list[Difference] = []
    for done, name in enumerate(models):
        if progress is not None:
            progress(done, len(models))
        rows += differences_of(systems.problem(baseline_name, name), chosen, choices, seed, (baseline_name, name))
    if progress is not None:
        progress(len(models), len(models))
    adjusted = adjust_p_values([row.p_value for row in rows], method=adjust)
    rows = [replace(row, p_adjusted=float(p)) for row, p in zip(rows, adjusted, strict=True)]
    by_order = {"items": BY_ORDER} if runs is not None and ids is None else {}
    return Comparison(tuple(rows), choices.recipe(systems, seed) | by_order, notes_of(systems, chosen, rows))


def _asked(metrics: object) -> list[str | Metric] | None:
    """The requested metrics as a list; None if they depend on the kind of predictions."""
    if metrics is None:
        return None
    asked = [metrics] if isinstance(metrics, (str, Metric)) else metrics
    if not isinstance(asked, Sequence) or not all(isinstance(one, (str, Metric)) for one in asked):
        raise InputError(f"metrics must be the name of a metric, a Metric, or a list of these; it is {metrics!r}.")
    return list(asked)


def _metrics(
    asked: Sequence[str | Metric] | None, systems: Systems, choices: Choices, target_class: object
) -> list[Metric]:
    if asked is None:
        asked = DEFAULTS[systems.task]
        if choices.method == "mcnemar":
            asked = ("accuracy",)
        elif systems.task == "hard" and target_class is not None:
            asked = (*asked, *OF_CLASS)
        elif systems.task == "soft" and choices.method == "boostsa":
            asked = BOOSTSA_SOFT
    if not asked:
        raise InputError("metrics must name one metric or more; it is empty.")
    if target_class is not None and not (systems.task == "hard" and any(one in OF_CLASS for one in asked)):
        raise InputError(
            f"target_class is for {', '.join(OF_CLASS)} of labels; the metrics are "
            f"{', '.join(str(getattr(one, 'name', one)) for one in asked)}. Ask for one of these, or leave it out."
        )
    found = [_metric(name, systems, target_class) for name in asked]
    twice = [one.name for one in found if sum(one.name == other.name for other in found) > 1]
    if twice:
        raise InputError(f"metrics must differ; {twice[0]} is named twice.")
    return found


def _metric(name: str | Metric, systems: Systems, target_class: object) -> Metric:
    if isinstance(name, Metric):
        if name.task != systems.task:
            raise InputError(f"{name.name} is a metric of {name.task} predictions, but these are {systems.task}.")
        return name
    if name in OF_CLASS and systems.task == "hard":
        if target_class is None:
            raise InputError(f"{name!r} is of one class: say which by target_class, or ask for 'macro_{name}'.")
        first = next(iter(systems.predictions))
        systems.problem(first, first).code(target_class)
        return of_class(name, target_class)
    return find_metric(name, systems.task)
