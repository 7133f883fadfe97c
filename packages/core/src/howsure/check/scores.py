"""`check_score`: check whether the mean score is above a limit, or above the mean of another model."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from howsure.check.calibration import model_name
from howsure.check.evidence import (
    ABOVE,
    BELOW,
    NO_BOUNDS,
    RARE_DOCUMENTS,
    Baseline,
    Entry,
    Evidence,
    MeanSummary,
    Rule,
    check_limit,
    check_margin,
    comparison_rules,
    other_model,
)
from howsure.check.score_input import KIND, Part, read_rows, read_source
from howsure.check.verdicts import Check, Found, check_size, decide
from howsure.data.logs.scores import NO_SCORE_COLUMN
from howsure.errors import ANY_VALUE, InputError, parameter
from howsure.inputs.arguments import check_arguments
from howsure.inputs.frames import Source
from howsure.inputs.numbers_and_names import check_bounds, counted, shortened
from howsure.inputs.pairs import Floats, Integers
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.notes import marked_note
from howsure.scores.label_scores import LABELS
from howsure.scores.prediction_metrics import NO_RARE_WORSE_NOTE
from howsure.scores.results import NotRanked, ScoreRow, ScoreTable
from howsure.scores.score_table import score_table
from howsure.sequential.comparison import SequentialComparison, SequentialScore
from howsure.significance.metrics.labels import PER_CLASS
from howsure.significance.metrics.metric import tasks_of_metrics
from howsure.stats.clusters import ItemGroups, few_clusters
from howsure.stats.jackknife_value import JackknifeValue
from howsure.stats.mean_score import (
    BoundedMean,
    Bounds,
    MeanScore,
    mean_difference,
    mean_score,
    share_bounds,
    unit_bounds,
)

OTHER = "the other model"
ERROR_RATES, PERCENTAGES = ("wer", "cer"), ("bleu", "chrf", "chrf++")
WANTED = {ABOVE: "min_score", BELOW: "max_score"}


def check_score(
    score: ArrayLike | str | ScoreTable | None = None,
    *,
    min_score: float | None = None,
    max_score: float | None = None,
    pos_label: Hashable = None,
    against: ArrayLike | str | Source | Baseline | None = None,
    not_worse_than: float | None = None,
    lower_is_better: bool = False,
    bounds: tuple[float, float] | None = None,
    assume_no_rare_losses: bool = False,
    groups: ArrayLike | str | None = None,
    clusters: ArrayLike | str | None = None,
    id: str | None = None,
    name: str = KIND,
    level: float = 0.95,
    data: Source | IntoFrame | None = None,
) -> Check:
    """Check the mean of a score per item, such as a grade, or 1 if right: pass, fail, or cannot tell.

    score (n,): numbers, such as 1 if the answer is right (default: the primary score of a log); or the result of
        `score_models` for one metric, such as macro F1: each of its models and groups must keep the rules.
    min_score: limit above which the mean must be.
    max_score: limit below which the mean must be.
    pos_label: the value of `score` that counts as 1; every other value counts as 0.
    against (n,): the scores of another model on the same items, whose mean must be lower (with `lower_is_better`:
        higher); for files, a column, or a file with the same columns, whose rows are matched by `id` or position; or
        the `Baseline` of an earlier check.
    not_worse_than: the mean may be worse than that of `against` by less than this.
    lower_is_better: lower scores are better, as for word error rates.
    bounds: the lowest and the highest possible score (default: those that a log defines, or 0 and 1 if all scores are
    between 0 and 1).
    assume_no_rare_losses: without bounds, assume that there are no extreme scores that are too rare to have been
    observed; otherwise no verdict is possible.
    groups (n,): each group must keep the rules; in a log, each model and prompt is a group, over all of its tasks.
    name: name of the check in files, baselines and the history.

    With bounds, the tests are Gaffke's, which are valid even if clusters are right or wrong as a whole, and if large
    losses are rare; for scores of 0 and 1 without clusters, the tests are exact. Without bounds, no verdict is given,
    because no number of rows rules out losses that are too rare to have been observed. With `assume_no_rare_losses`,
    the tests are Student's t, and a note says how large such losses would have to be to change the verdict. Error rates
    are as for `check_calibration`.

    >>> right = [True] * 95 + [False] * 5
    >>> [check_score(right, min_score=limit).outcome for limit in (0.8, 0.93, 0.99)]
    ['pass', 'cannot tell', 'fail']
    >>> grades = [3, 4, 4, 5, 5] * 20
    >>> [check_score(grades, min_score=3.9, bounds=bounds).outcome for bounds in (None, (1, 5))]
    ['cannot tell', 'pass']
    >>> from howsure import score_models
    >>> table = score_models(["a", "b"] * 50, ["a", "b"] * 45 + ["b", "a"] * 5, metrics="macro_f1")
    >>> print(check_score(table, min_score=0.8).answer)
    pass: macro_f1 is 0.9000 [0.8113, 0.9540], above 0.8 (one-sided lower bound 0.8273, p = 0.0149).

    Raises InputError naming the parameter, row and value that violated a rule.
    """
    arguments = check_arguments(check_score, locals())
    if isinstance(against, Baseline):
        arguments |= {"against": None, "baseline": against}
    return run_score_check(**arguments)


def check_score_so_far(
    score: ArrayLike | str | None = None,
    *,
    min_score: float | None = None,
    max_score: float | None = None,
    pos_label: Hashable = None,
    against: ArrayLike | str | Source | None = None,
    not_worse_than: float | None = None,
    lower_is_better: bool = False,
    bounds: tuple[float, float] | None = None,
    clusters: ArrayLike | str | None = None,
    id: str | None = None,
    items_total: int | None = None,
    clusters_total: int | None = None,
    largest_cluster: int | None = None,
    level: float = 0.95,
    data: Source | IntoFrame | None = None,
) -> Check:
    """Do the check of `check_score` sequentially, on the rows evaluated so far in an order drawn at random.

    items_total: the number of items of the benchmark.
    clusters_total: the number of clusters of the benchmark.
    largest_cluster: the number of items of the largest cluster.

    The other parameters are those of `check_score`. Rows must be evaluated in the order of `howsure.draw_order`. The
    check can be repeated after every new row until it passes or fails, and the probability that the verdict is ever
    wrong is still at most 1 - level. The tests are the bets of `howsure.SequentialComparison`.

    >>> right = [True] * 190 + [False] * 10
    >>> check_score_so_far(right, min_score=0.8, items_total=1000).outcome
    'pass'

    Raises InputError naming the parameter, row and value that violated a rule.
    """
    return run_score_check(**check_arguments(check_score_so_far, locals()), sequential=True)


def run_score_check(
    score: ArrayLike | str | ScoreTable | None = None,
    *,
    y_true: str | None = None,
    prediction: str | None = None,
    metrics: str | Sequence[str] = (),
    target_class: Hashable = None,
    targets: str | None = None,
    column: int | None = None,
    min_score: float | None = None,
    max_score: float | None = None,
    pos_label: Hashable = None,
    better_than: ArrayLike | str | Source | None = None,
    not_worse_than: float | None = None,
    against: ArrayLike | str | Source | None = None,
    lower_is_better: bool = False,
    bounds: tuple[float, float] | None = None,
    assume_no_rare_losses: bool = False,
    groups: ArrayLike | str | None = None,
    clusters: ArrayLike | str | None = None,
    id: str | None = None,
    run: str | None = None,
    sequential: bool = False,
    items_total: int | None = None,
    clusters_total: int | None = None,
    largest_cluster: int | None = None,
    baseline: Baseline | None = None,
    name: str = KIND,
    level: float = 0.95,
    data: Source | IntoFrame | None = None,
) -> Check:
    """Check the mean of a score per item, such as a grade or a correct answer (1): pass, fail, or cannot tell.

    This is the implementation of `check_score` and `check_score_so_far`, whose docstrings explain the parameters, and
    of `howsure check score`.

    y_true, prediction, metrics, target_class, targets, column, run: as in `score_table`, whose metric is then checked.
    sequential: the rows are those evaluated so far in the order drawn; the check may be repeated later.
    """
    level = check_size(level)
    limits = [
        (side, check_limit(limit, name=role, low=-np.inf, high=np.inf))
        for side, role, limit in ((ABOVE, "min_score", min_score), (BELOW, "max_score", max_score))
        if limit is not None
    ]
    roles: dict[str, Any] = {"groups": groups, "clusters": clusters, "id": id}
    predictions: dict[str, Any] = {
        "y_true": y_true,
        "prediction": prediction,
        "metrics": metrics or None,
        "target_class": target_class,
    }
    predictions |= {"targets": targets, "column": column, "run": run}
    if isinstance(score, ScoreTable) or any(value is not None for value in predictions.values()):
        unused: dict[str, Any] = {"better_than": better_than, "against": against, "not_worse_than": not_worse_than}
        unused |= {"baseline": baseline, "pos_label": pos_label, "bounds": bounds}
        unused |= {"sequential": sequential or None, "lower_is_better": lower_is_better or None}
        unused |= {"items_total": items_total, "clusters_total": clusters_total, "largest_cluster": largest_cluster}
        if isinstance(score, ScoreTable):
            _refuse_beside_a_metric(unused | roles | predictions | {"data": data}, of_table=True)
            table = score
        else:
            _refuse_beside_a_metric({"score": score} | unused)
            table = score_table(**predictions | {"metrics": metrics} | roles, data=data, rng=0)
        return _check_table(table, limits, name=name, assumed=assume_no_rare_losses, level=level)
    other = other_model(better_than, against, not_worse_than, baseline=baseline is not None)
    other_role = "against" if better_than is None else "better_than"
    if against is not None and not_worse_than is None:
        better_than, against = against, None
    if not limits and other is None and baseline is None:
        raise InputError("nothing to check: name a limit, `min_score=0.8`, or another model, `against=...`.")
    check_margin(not_worse_than, most=np.inf)
    ends = None if bounds is None else check_bounds(bounds)
    if score is None and not isinstance(data, Source):
        raise InputError(NO_SCORE_COLUMN)
    if isinstance(data, Source):
        scores = read_source(data, score, other, ends, roles, pos_label)
    else:
        scores = read_rows(data, score, other, ends, roles, other_role, pos_label)
    values, units, parts = scores.values, scores.units, scores.parts
    _refuse_limits(values, ends, {"min_score": min_score, "max_score": max_score})
    score = scores.provenance.get("score", score)
    quantity = f"mean {score}" if isinstance(score, str) else "mean score"
    lower_is_better = lower_is_better or scores.lower_is_better
    sizes = {"items_total": items_total, "clusters_total": clusters_total, "largest_cluster": largest_cluster}
    known_bounds = ends or scores.bounds
    bets = _Bets(sizes, known_bounds, level) if sequential else None
    if bets is not None and assume_no_rare_losses:
        raise InputError(
            "`sequential=True` needs the bounds of the scores. Leave `assume_no_rare_losses=True` out, and give "
            "`bounds`."
        )
    if bets is None and any(size is not None for size in sizes.values()):
        option = next(size for size, value in sizes.items() if value is not None)
        raise InputError(
            f"{parameter(option, ANY_VALUE)} needs `sequential=True`. Add it, or leave this parameter out."
        )
    if bets is not None and (groups is not None or len(parts) > 1 or baseline is not None):
        raise InputError(
            "`sequential=True` tests all rows together, in the order drawn, against a limit or another model. Leave "
            "`groups=...` and `baseline=...` out."
        )
    if bets is not None and scores.item_column is not None and largest_cluster is None:
        off = "`independent_rows=True`" if isinstance(data, Source) else "leave it out of data"
        raise InputError(
            f"{scores.item_column} repeats, so each item is a cluster. For clusters, `sequential=True` also needs "
            f"`largest_cluster=...` and `clusters_total=...`. If rows are independent: {off}."
        )
    everything = [values] if scores.theirs is None else [values, scores.theirs]
    score_bounds = known_bounds or (share_bounds if assume_no_rare_losses else unit_bounds)(*everything)
    scale = Scale(score_bounds, guessed=known_bounds is None, assumed=assume_no_rare_losses)
    make_evidence = partial(gather_evidence, scale=scale) if bets is None else bets.evidence_of
    rules_of_limits = [Rule(name, quantity, side, limit) for side, limit in limits]
    evidence = [comparison for rule in rules_of_limits for comparison in make_evidence([values], units, parts, rule)]
    entries = [_entry(name, part, values, units, score_bounds) for part in parts]
    rules = partial(
        comparison_rules, name, f"difference of {quantity}", of=quantity, side=BELOW if lower_is_better else ABOVE
    )
    if baseline is not None:
        undecided = None if score_bounds or assume_no_rare_losses else NO_BOUNDS
        for rule in rules(margin=not_worse_than, against=baseline.name):
            evidence += [replace(comparison, undecided=undecided) for comparison in baseline.evidence(entries, rule)]
    if scores.theirs is not None:
        other_name = (model_name(other) if isinstance(data, Source) else None) or OTHER
        margin = not_worse_than if baseline is None or against is not None else None
        rows, kept = scores.rows, None if units is None else units[scores.rows]
        shown = _restrict_groups(parts, rows, len(values))
        for rule in rules(better=better_than is not None, margin=margin, against=other_name):
            evidence += make_evidence([values[rows], scores.theirs], kept, shown, rule)
    recipe = {"check": name, **scores.provenance, "min_score": min_score, "max_score": max_score}
    recipe |= {"better_than": model_name(better_than), "against": model_name(against), "not_worse_than": not_worse_than}
    recipe |= {"lower_is_better": lower_is_better, "bounds": ends}
    recipe |= {} if pos_label is None else {"pos_label": pos_label}
    recipe |= {"assume_no_rare_losses": True} if assume_no_rare_losses else {}
    recipe |= {"sequential": True, **sizes} if sequential else {}
    result = Found(name, tuple(evidence), recipe, scores.notes, tuple(entries))
    return decide([result], level=level)


def _refuse_beside_a_metric(unused: Mapping[str, object], *, of_table: bool = False) -> None:
    """Raise InputError for a parameter that a check of a metric of predictions does not use.

    of_table: whether the metric was computed before, by `score_models`.
    """
    for role, value in unused.items():
        if value is None:
            continue
        if of_table and role in ("data", "groups", "clusters", "id"):
            raise InputError(f"{parameter(role)} belongs to the computation of the table: give it to `score_models`.")
        if role in ("better_than", "against", "not_worse_than", "baseline"):
            advice = "To compare models by a metric of predictions, use `howsure significance`, or `compare_models`."
        else:
            advice = "Leave it out."
        raise InputError(
            f"{parameter(role)} is for the mean of a score, not for a metric of predictions such as macro F1. {advice}"
        )


def _check_table(
    table: ScoreTable, limits: Sequence[tuple[str, float]], *, name: str, assumed: bool, level: float
) -> Check:
    """Check each model and group of a table of one score; its overall row, which pools the groups, is left out."""
    if not limits:
        raise InputError("nothing to check: name a limit, `min_score=0.8`.")
    rows = [row for row in table.rows if not row.is_overall]
    scores = dict.fromkeys(row.score for row in rows)
    if len(scores) > 1:
        raise InputError(f"limits are for one metric; there are {shortened(scores)}. Check each by itself.")
    several_models = len({row.model for row in rows}) > 1
    evidence, undecided = list[Evidence](), 0
    for side, limit in limits:
        rule = Rule(name, rows[0].score, side, limit, unit="item")
        for row in rows:
            if row.test is None:
                raise InputError("`sampled='both'` gives no test of a limit. Leave it out, or choose 'groups'.")
            _check_limit_in_range(getattr(row.test, "within", None), rule)
            _check_percentage(row, rule)
            group = ", ".join(filter(None, (row.model if several_models else None, row.group))) or None
            evidence.append(_evidence_of_row(row, group, rule, row.test, assumed=assumed))
            undecided += evidence[-1].undecided is not None
    entries = [
        Entry(name, each.group, MeanSummary.of(each.test, each.n), {})
        for each in evidence[: len(rows)]
        if isinstance(each.test, MeanScore)
    ]
    kept = {key: value for key, value in table.recipe.items() if key not in ("howsure", "level", "bounds", "seed")}
    recipe = {"check": name, **kept} | {WANTED[side]: limit for side, limit in limits}
    recipe |= {"assume_no_rare_losses": True} if assumed else {}
    notes = tuple(note for note in table.notes if note != NO_RARE_WORSE_NOTE or undecided < len(evidence))
    return decide([Found(name, tuple(evidence), recipe, notes, tuple(entries))], level=level)


def _evidence_of_row(
    row: ScoreRow, group: str | None, rule: Rule, test: MeanScore | JackknifeValue, *, assumed: bool
) -> Evidence:
    """The evidence on a rule from a row of a table.

    It is undecided if the bounds of a mean are unknown, and if documents are of any size, unless rare losses are
    assumed to be absent.
    """
    if isinstance(test, MeanScore):
        undecided = None if assumed or isinstance(test, BoundedMean) else NO_BOUNDS
        caveats = partial(notes_on, np.array([test.value]), None, test, rule, assumed=assumed)
        return Evidence(rule, group, row.n, test, (), caveats, undecided)
    metric = row.score.partition("[")[0]
    of_documents = metric not in PER_CLASS and LABELS not in tasks_of_metrics([metric])
    undecided = None if assumed or not of_documents else RARE_DOCUMENTS
    notes = tuple(str(note) for note in row.notes if not isinstance(note, NotRanked))
    return Evidence(rule, group, row.n, test, notes, undecided=undecided)


def _check_limit_in_range(within: Bounds | None, rule: Rule) -> None:
    """Raise InputError for a limit that every value of a metric keeps or breaks."""
    if within is None or within[0] < rule.limit < within[1]:
        return
    low, high = within
    advice = f" Write {rule.limit / 100:g} for {rule.limit:g}%." if high == 1.0 < rule.limit <= 100 else ""
    raise InputError(
        f"{parameter(WANTED[rule.wanted])} must be between {low:g} and {high:g}, the range of {rule.quantity}; it is "
        f"{rule.limit:g}.{advice}"
    )


def _check_percentage(row: ScoreRow, rule: Rule) -> None:
    """Raise InputError for a limit in percent of an error rate, or as a proportion of a metric from 0 to 100."""
    limit, role = rule.limit, parameter(WANTED[rule.wanted])
    if row.score in ERROR_RATES and row.mean.value <= 1.0 and 2.0 <= limit <= 100.0:
        raise InputError(
            f"{role} is {limit:g}, and {row.score} is {row.mean.value:.4g}, a rate per word or character. Write "
            f"{limit / 100:g} for {limit:g}%."
        )
    if row.score in PERCENTAGES and 0.0 < limit < 1.0:
        raise InputError(f"{role} is {limit:g}, and {row.score} is between 0 and 100: write {100 * limit:g}.")


def _refuse_limits(values: Floats, bounds: Bounds | None, limits: Mapping[str, float | None]) -> None:
    """Raise InputError for a limit outside the bounds or, without bounds, in percent if all scores are between 0 and 1.

    Without bounds, a limit of at most 10 is allowed, because it may be a limit for grades of which only the lowest
    occur.
    """
    for role, limit in limits.items():
        if limit is not None and bounds is not None and not bounds[0] <= limit <= bounds[1]:
            raise InputError(
                f"{parameter(role)} must be between {bounds[0]:g} and {bounds[1]:g}, the bounds of the scores; it is "
                f"{limit:g}."
            )
    if bounds is not None or not values.size or values.min() < 0 or values.max() > 1:
        return
    for role, limit in limits.items():
        if limit is not None and 10 < limit <= 100:
            raise InputError(
                f"{parameter(role)} is {limit:g}, and every score is between 0 and 1: write {limit / 100:g} for "
                f"{limit:g}%. If higher scores are possible, name their `bounds=...`."
            )


def _restrict_groups(groups: Sequence[Part], rows: Integers, n_rows: int) -> list[Part]:
    """Restrict groups to the selected `rows` of n_rows rows; groups without a selected row are left out.

    The rows of a group are returned as indices among the selected rows.
    """
    new_index = np.full(n_rows, -1)
    new_index[rows] = np.arange(len(rows))
    selected = [(name, new_index[group_rows][new_index[group_rows] >= 0]) for name, group_rows in groups]
    return [(name, group_rows) for name, group_rows in selected if len(group_rows)]


def _entry(name: str, part: Part, values: Floats, units: Integers | None, bounds: Bounds | None) -> Entry:
    group, rows = part
    groups = ItemGroups.of(len(rows), clusters=None if units is None else units[rows])
    mean = mean_score(values[rows], groups, bounds=bounds)
    return Entry(name, group, MeanSummary.of(mean, len(rows)), {})


@dataclass(frozen=True, slots=True)
class Scale:
    """The bounds of scores.

    bounds: None if they are unknown. guessed: whether the bounds are a guess. assumed: whether verdicts without bounds
    may assume that there are no extreme scores that are too rare to have been observed.
    """

    bounds: Bounds | None
    guessed: bool
    assumed: bool

    def for_rule(self, rule: Rule, *, paired: bool) -> Scale:
        """Return the scale for a rule: guessed bounds of 0 and 1 are used only if the limit is between them, too."""
        lowest, bounds = (-1.0 if paired else 0.0), self.bounds
        return self if not self.guessed or lowest < rule.limit < 1.0 or bounds is None else replace(self, bounds=None)


def gather_evidence(
    scores: Sequence[Floats], clusters: Integers | None, parts: Iterable[Part], rule: Rule, *, scale: Scale
) -> Iterator[Evidence]:
    """Yield the evidence of each group on a limit or, with the scores of two models, on their difference.

    The evidence is undecided if the bounds are unknown and rare losses are not assumed to be absent.
    """
    paired = len(scores) > 1
    scale = scale.for_rule(rule, paired=paired)
    undecided = None if scale.bounds is not None or scale.assumed else NO_BOUNDS
    for name, rows in parts:
        units = None if clusters is None else clusters[rows]
        made: Any = mean_difference if paired else mean_score
        kept = [values[rows] for values in scores]
        test = made(*kept, ItemGroups.of(len(rows), clusters=units), bounds=scale.bounds)
        shown = kept[0] - kept[1] if paired else kept[0]
        caveats = partial(notes_on, shown, units, test, rule, guessed=scale.guessed, assumed=scale.assumed)
        yield Evidence(rule, name, len(rows), test, caveats=caveats, undecided=undecided)


@dataclass(frozen=True, slots=True)
class _Bets:
    """Sequential tests: the number of items, the bounds of scores, and the level."""

    sizes: Mapping[str, Any]
    bounds: Bounds | None
    level: float

    def evidence_of(
        self, scores: Sequence[Floats], clusters: Integers | None, parts: Iterable[Part], rule: Rule
    ) -> Iterator[Evidence]:
        """Yield the evidence of sequential tests on scores in the order drawn, without groups."""
        bounds = self.bounds or unit_bounds(*scores)
        if bounds is None:
            raise InputError("`sequential=True` needs the `bounds` of scores.")
        made: Any = SequentialScore if len(scores) == 1 else SequentialComparison
        sequence = made(bounds=bounds, level=self.level, **self.sizes)
        sequence.add(*scores, clusters=clusters)
        note = f"the verdict is about {sequence.mean_of}; the rows must be in the order drawn (howsure score order)"
        test = sequence.test()
        yield Evidence(rule, None, int(test.units.sizes.sum()), test, (note,))


def notes_on(
    values: Floats,
    clusters: Integers | None,
    test: MeanScore,
    rule: Rule,
    size: float,
    *,
    guessed: bool = False,
    assumed: bool = False,
) -> tuple[str, ...]:
    """Return caveats for tests of a size: too few rows or clusters, and the assumptions of the test.

    guessed: whether the bounds 0 and 1 were guessed from the scores. assumed: whether rare losses were assumed to be
    absent.
    """
    if isinstance(test, BoundedMean):
        of_shares = bool(np.isin(values, (-1.0, 0.0, 1.0)).all()) and np.ptp(values) > 0.0
        others = "others are possible, as among word error rates" if rule.wanted == BELOW else "others are possible"
        bounds_note = marked_note(
            f"all scores are between 0 and 1, so these are taken as the bounds; if {others}, give `bounds`"
        )
        return (*_too_few(test, rule, size), *((bounds_note,) if guessed and not of_shares else ()))
    notes = []
    if clusters is not None and (few := few_clusters(np.bincount(clusters)[np.unique(clusters)])):
        notes.append(few)
    if len(values) > 1 and not test.error > 0.0:
        notes.append(f"every value is {values[0]:g}, so its variation is unknown")
    elif not np.isnan(test.bounds(size)[0]):
        share, far = test.rare_loss(rule.limit, size)
        notes.append(
            f"{'rare losses are assumed not to exist: ' if assumed else ''}the mean would be {rule.limit:g} if "
            f"{share:.1%} of all values were about {_four_digits(far)}; a sample of this size misses them with "
            f"probability {size:g}"
        )
    return tuple(notes)


def _four_digits(value: float) -> str:
    """Format a number with four digits, without a power of ten if it is below ten million.

    >>> _four_digits(12_144.7), _four_digits(0.25)
    ('12,140', '0.25')
    """
    return f"{float(f'{value:.4g}'):,.0f}" if 1e4 <= abs(value) < 1e7 else f"{value:.4g}"


def _too_few(test: BoundedMean, rule: Rule, size: float) -> Iterator[str]:
    """Yield a note if the rows or clusters are too few to pass even with the best possible scores. The note names the
    number that is needed."""
    low, high = test.within
    if not low < rule.limit < high:
        return
    least = test.least_p(rule.limit, above=rule.wanted == ABOVE)
    if least > size:
        unit = "cluster" if test.clustered else "row"
        share = (rule.limit - low) / (high - low)
        share = share if rule.wanted == ABOVE else 1 - share
        needed = math.ceil(math.log(size) / math.log(share) - 1e-9)
        equal = " of equal size" if test.clustered else ""
        yield (
            f"{counted(int(test.sums.times.sum()), unit)} cannot show this, whatever the scores: even if the rule "
            f"were violated, all could look right with probability {least:.2g}; at least "
            f"{counted(needed, unit)}{equal} are needed"
        )
