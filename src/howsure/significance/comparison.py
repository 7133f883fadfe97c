"""The question of the chapter: is a model better than the baseline?"""

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
    """Say whether models are better than a baseline on the same items, by how much, and how sure that is.

    Labels against labels (any type), distributions (n, K) against distributions, or probabilities (n, K) against
    labels; the probabilities of class 1 alone (n,) if `metrics` ask for them. `model` is one model's predictions or
    `{name: predictions}`; predictions are one value or row per item, or `Runs([...])` of several runs.

    `method` says where p comes from:

    - `permutation` (default): in each item a coin decides which system is which. Exact if the systems are exchangeable
      (by enumeration where there are few outcomes, else (c + 1)/(B + 1) with c of B draws at least as extreme), and of
      the right level for many items if merely their values of the metric are equal: a difference other than in a mean
      is divided by its standard error, which is computed anew for every draw. p of calibration errors is about their
      squares, and at least that of the normal law.
    - `bootstrap`: draws of all n items with replacement; c counts the draws whose difference lies at least |d| from d,
      widened as for an interval of level .95, whatever `level` is.
    - `mcnemar`: the mid-p test of accuracy.
    - `boostsa`: the share of sub-samples of `sample_size` of the items (0.05 to 0.5; None: 0.1) whose difference
      exceeds 2d, as in Fornaciari et al. (2022), with the side of cross-entropy and Jensen-Shannon repaired, p = 1
      where d = 0 and no p where d is undefined. It costs nearly all power: on 1,000 items, of which the systems differ
      on a tenth, a true gain of two points is found in 0.15 % of experiments with a share of .1, and in 61 % with the
      exact test. `bug_compatible=True` counts as BooStSa 0.2.13 does, for replication alone.

    The interval of the difference is a full-size bootstrap's: `basic`, `percentile`, `bca` or None, widened for few
    items, few or unequal clusters and small strata (jackknife, Student's t). `alternative` is
    `two-sided`, `better` or `worse` (of the model, whether or not higher is better). `adjust` corrects over all models
    and metrics of the table: `holm`, `bh` or None.

    `clusters` are swapped and drawn as wholes (the sentences of a document); every one of `strata` keeps its size, and
    must hold two items (or clusters) or more. Averages over classes are over those that `y_true` holds, or that
    `labels` names; with probabilities, `labels` names their columns. `notes` of the result say which predictions are
    outside, which classes are never predicted, where clusters are few, and where an interval has no width.
    With `runs`, rows are items × runs, and `ids` say which item (else their order does): an item is drawn or swapped
    with all its runs, and runs are never taken for more items. `two_way=True` (bootstrap) draws runs as well, so that
    the answer is about training again, too. `target_class` adds what `precision`, `recall`, `f1` mean: that class's.

    The result does not depend on the order of rows, the names of labels, the other models and metrics (but for the
    adjusted p), or which system is called the baseline (but for the sign).

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
    """The metrics asked for as a list; None if it is left to the kind of predictions."""
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
            f"target_class (--class) is for {', '.join(OF_CLASS)} of labels; the metrics are "
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
            raise InputError(
                f"{name!r} is of one class: say which by target_class (--class), or ask for 'macro_{name}'."
            )
        first = next(iter(systems.predictions))
        systems.problem(first, first).code(target_class)
        return of_class(name, target_class)
    return find_metric(name, systems.task)
