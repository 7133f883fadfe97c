"""Compare models with a baseline."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Sized

from howsure.errors import InputError, shown
from howsure.inputs.numbers import check_bounds, check_within
from howsure.significance.family import Family, compare_family, family_of, one_baseline
from howsure.significance.metrics.metric import Metric, tasks_of
from howsure.significance.metrics.requested import Requested, named_metrics, requested_metrics
from howsure.significance.metrics.scores import score_metric
from howsure.significance.resampling.choices import BY_ORDER, OF_MEANS, Choices, check_choices, seed_of, usual_interval
from howsure.significance.resampling.subsampling import USUAL
from howsure.significance.results import Comparison
from howsure.significance.systems.reading import Systems, read_systems
from howsure.significance.systems.rows import read_rows
from howsure.significance.systems.scores import ScoredRows, read_scores
from howsure.significance.systems.views import view_notes
from howsure.stats.mean_score import share_bounds
from howsure.stats.randomness import Randomness

BASELINE = "baseline"


def compare(
    y_true: object = None,
    baseline: object = None,
    model: object = None,
    *,
    data: object = None,
    id: str | Sequence[str] | None = None,
    run: str | None = None,
    target: str | None = None,
    prediction: str | None = None,
    score: str | Sequence[str] | None = None,
    pos_label: object = None,
    scores: object = None,
    lower_is_better: bool = False,
    bounds: tuple[float, float] | None = None,
    all_pairs: bool = False,
    skip_missing: bool = False,
    metrics: str | Metric | Sequence[str | Metric] | None = None,
    method: str | None = None,
    n_resamples: int = 10_000,
    alternative: str = "two-sided",
    clusters: object = None,
    runs: object = None,
    strata: object = None,
    interval: str | None = "usual",
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
    `{name: predictions}`; predictions are one value or row per item, or `Runs([...])` of several runs. Metrics of
    several kinds can be mixed: of probabilities, those of labels take the most probable class.

    Scores that each item already has (exact match, a judge's grade): `scores={name: one number per item}`, a data frame
    with a column per model, or `Runs`. A table with one row per model, item and run: `data=` a data frame or
    `{name: column}`, with the names of its columns: `model`, `id` (several columns identify an item together), `run`,
    and `target` and `prediction`, or `score` (numbers; or `pos_label`, the value that counts as 1); `clusters` and
    `strata` name columns too. Every model must have every item, unless `skip_missing`. In both cases, `baseline` names
    a model; without it, every pair is tested and p adjusted for all of them, and the pairs with the model that is best
    in the first metric are shown (`all_pairs`: all of them). The result's `means` are the models' own.

    `method` determines how p is computed:

    - `gaffke` (default for scores that have bounds): Gaffke's test of the paired differences of a mean (a score,
      accuracy), by item or cluster, with its own interval. For scores of 0 and 1 without clusters it is McNemar's exact
      test; it also holds where clusters are right or wrong as a whole, and where large differences are too rare to have
      been seen. `bounds=(LOW, HIGH)` says how low and high a score can be; those of scores that are all 0 or 1, and
      those of metrics of labels, are known.
    - `student` (default for other scores): Student's t of the paired differences of a mean (also log loss), by item or
      cluster, with its own interval and Hall's correction for skewness. The standard error is √(C/(C - 1) Σ e²)/n, with
      e the sum of the deviations of each of C clusters (or items); for the interval and p, that of the jackknife if it
      is larger, and as if one more item differed. It supposes that no differences exist that are both large and too
      rare to have been seen.
    - `permutation` (default otherwise): for each item, a coin flip decides which system is which. Exact if the systems
      are exchangeable (by enumeration if there are few outcomes, else (c + 1)/(B + 1) with c of B draws at least as
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
    Source: Miller (2024); Noreen (1989); Chung & Romano (2013); Davison & Hinkley (1997); Berg-Kirkpatrick et al.
    (2012); Fornaciari et al. (2022).
    """
    beside: dict[str, object] = {"id": id, "run": run, "target": target, "prediction": prediction, "score": score}
    beside |= {"pos_label": pos_label, "skip_missing": skip_missing or None}
    held = None
    if scores is not None:
        _refuse("scores=", beside | {"y_true": y_true, "model": model, "data": data, "runs": runs, "ids": ids})
        held = read_scores(scores, clusters=clusters, strata=strata)
    elif data is not None:
        _refuse("data=", {"y_true": y_true, "runs": runs, "ids": ids})
        held = read_rows(
            data, model=model, id=id, run=run, target=target, prediction=prediction, score=score, pos_label=pos_label,
            clusters=clusters, strata=strata, skip_missing=skip_missing, labels=labels,
            tasks=tasks_of(named_metrics(metrics) or ()),
        )  # fmt: skip
    else:
        if baseline is None and model is None:
            raise InputError(
                "give y_true, baseline and model; or data=..., a table with one row per model and item; or scores=..., "
                "a column for each model."
            )
        _refuse(
            "arrays",
            beside | {"lower_is_better": lower_is_better or None, "all_pairs": all_pairs or None, "bounds": bounds},
        )
    if held is None:
        family, requested, notes, by_order = _of_arrays(
            y_true, baseline, model, metrics=metrics, method=method, clusters=clusters, runs=runs, strata=strata,
            target_class=target_class, labels=labels, ids=ids, baseline_name=baseline_name,
        )  # fmt: skip
    else:
        family, by_order, notes = None, {}, list(held.notes)
        requested = _of_rows(held, metrics, method, target_class, lower_is_better, bounds)
    is_score = requested[0].systems.task == "score"
    unknown = [metric.name for one in requested for metric in one.metrics if metric.bounds is None]
    if method == "gaffke" and unknown:
        raise InputError(
            f"method='gaffke' needs the bounds of {unknown[0]}; say the lowest and the highest value that is possible, "
            "bounds=[0, 1], or choose method='student'."
        )
    several = sum(len(one.metrics) for one in requested)
    usual = "student" if len(unknown) == several else "gaffke"  # of a score without bounds it is Student's t, too
    chosen = method or (usual if is_score else "permutation")
    share = USUAL if chosen == "boostsa" and sample_size is None else sample_size
    how = usual_interval(chosen) if interval == "usual" else interval
    choices = Choices(chosen, n_resamples, alternative, how, level, adjust, two_way, share, bug_compatible)
    check_choices(choices, requested[0].systems, [metric for one in requested for metric in one.metrics])
    notes += view_notes(requested[0].source, {one.systems.task for one in requested})
    if family is None:
        if baseline is not None and not isinstance(baseline, str):
            raise InputError(f"baseline must be the name of a model, or left out; it is {shown(baseline)}.")
        family = family_of(requested, baseline=baseline, all_pairs=all_pairs, alternative=alternative)
    seed = seed_of(rng)
    with_means = held is not None or chosen in OF_MEANS
    return compare_family(
        requested, family, choices, seed, with_means=with_means, notes=notes, progress=progress, recipe=by_order
    )


def _refuse(way: str, given: Mapping[str, object]) -> None:
    wrong = [name for name, value in given.items() if value is not None]
    if wrong and way == "arrays":
        raise InputError(f"{wrong[0]} is for tables in long form or scores: give data=... or scores=... with it.")
    if wrong:
        raise InputError(f"{wrong[0]} cannot be given with {way}; leave one of them out.")


def _of_arrays(
    y_true: object, baseline: object, model: object, *, metrics: object, method: str | None, clusters: object,
    runs: object, strata: object, target_class: object, labels: Sequence[object] | None, ids: object,
    baseline_name: str,
) -> tuple[Family | None, list[Requested], list[str], dict[str, str]]:  # fmt: skip
    """Targets, the baseline's predictions and the models', a column each."""
    models = dict(model) if isinstance(model, Mapping) else {"model": model}
    if not models or baseline_name in models:
        raise InputError(f"model must name one model or more, and none {baseline_name!r}; it names {list(models)}.")
    asked = named_metrics(metrics)
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
    requested = requested_metrics(asked, systems, method=method, target_class=target_class)
    by_order = {"items": BY_ORDER} if runs is not None and ids is None else {}
    return one_baseline(baseline_name, list(models)), requested, [], by_order


def _of_rows(
    held: ScoredRows, metrics: object, method: str | None, target_class: object, lower_is_better: bool,
    bounds: tuple[float, float] | None,
) -> list[Requested]:  # fmt: skip
    """Scores, each its own metric; or predictions and the metrics asked for."""
    if not held.of_scores:
        if lower_is_better:
            raise InputError("lower_is_better=True is for scores; every metric of predictions knows its direction.")
        if bounds is not None:
            raise InputError("bounds are for scores; every metric of predictions knows its own. Leave bounds out.")
        (systems,) = held.systems.values()
        return requested_metrics(named_metrics(metrics), systems, method=method, target_class=target_class)
    if metrics is not None or target_class is not None:
        raise InputError("metrics are for predictions; a score is compared by its mean. Leave metrics out.")
    found = []
    for place, (name, systems) in enumerate(held.systems.items()):
        ends = _bounds_of(systems, bounds)
        metric = score_metric(name, lower_is_better=lower_is_better, bounds=ends)
        found.append(Requested(systems, (metric,), systems, (place,)))
    return found


def _bounds_of(systems: Systems, bounds: tuple[float, float] | None) -> tuple[float, float] | None:
    """The bounds of scores: those given, those of shares if all scores are 0 or 1 and both occur, or None."""
    if bounds is None:
        both = {float(value) for held in systems.predictions.values() for value in (held.min(), held.max())} == {
            0.0,
            1.0,
        }
        return share_bounds(*systems.predictions.values()) if both else None
    ends = check_bounds(bounds)
    for name, runs in systems.predictions.items():
        for run in runs:
            check_within(run[:, 0], ends, name=name)
    return ends
