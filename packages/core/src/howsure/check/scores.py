"""`check_score`: check whether the mean score is above a limit, or above the mean of another model."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from howsure.check.calibration import model_name
from howsure.check.evidence import (
    ABOVE,
    BELOW,
    NO_BOUNDS,
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
from howsure.check.verdicts import Check, Found, check_size, decide
from howsure.data.logs.scores import FILE, NO_SCORE_COLUMN, primary_score_of_log
from howsure.data.sources import Files
from howsure.errors import ANY_VALUE, LIST_COLUMNS, InputError, parameter
from howsure.inputs.arguments import check_arguments, check_distinct
from howsure.inputs.checks import Coded, as_column, check_clusters, check_codes, check_finite, not_a_number
from howsure.inputs.frames import (
    DOCUMENT,
    ITEM,
    ITEM_HASH,
    RUN,
    TASK,
    Kind,
    Rows,
    Source,
    frame_columns,
    not_a_column_name,
)
from howsure.inputs.long_form import advising_pos_label, positive_scores
from howsure.inputs.matching import paired_by_documents, shared_rows
from howsure.inputs.measures import Measure
from howsure.inputs.numbers_and_names import (
    check_bounds,
    check_scales,
    check_within,
    counted,
    notes_on_numbers,
    percentages,
    proportions,
)
from howsure.inputs.pairs import Floats, Integers
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.inputs.repeated_items import frame_clusters, note_on_models_of_frame
from howsure.notes import marked_note
from howsure.sequential.comparison import SequentialComparison, SequentialScore
from howsure.stats.clusters import ItemGroups, few_clusters
from howsure.stats.mean_score import (
    BoundedMean,
    Bounds,
    MeanScore,
    mean_difference,
    mean_score,
    share_bounds,
    unit_bounds,
)

if TYPE_CHECKING:
    from howsure.data.logs.conversion import Log

KIND, OTHER = "score", "the other model"


def check_score(
    score: ArrayLike | str | None = None,
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

    score (n,): numbers, such as 1 if the answer is right (default: the primary score of a log).
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
    score: ArrayLike | str | None = None,
    *,
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

    sequential: whether the rows are those evaluated so far, in a randomly drawn order; the check may then be repeated
    later.
    """
    level = check_size(level)
    other = other_model(better_than, against, not_worse_than, baseline=baseline is not None)
    other_role = "against" if better_than is None else "better_than"
    if against is not None and not_worse_than is None:
        better_than, against = against, None
    limits = [
        (side, check_limit(limit, name=role, low=-np.inf, high=np.inf))
        for side, role, limit in ((ABOVE, "min_score", min_score), (BELOW, "max_score", max_score))
        if limit is not None
    ]
    if not limits and other is None and baseline is None:
        raise InputError("nothing to check: name a limit, `min_score=0.8`, or another model, `against=...`.")
    check_margin(not_worse_than, most=np.inf)
    ends = None if bounds is None else check_bounds(bounds)
    roles = {"groups": groups, "clusters": clusters, "id": id}
    if score is None and not isinstance(data, Source):
        raise InputError(NO_SCORE_COLUMN)
    if isinstance(data, Source):
        scores = _read_source(data, score, other, ends, roles, pos_label)
    else:
        scores = _read_rows(data, score, other, ends, roles, other_role, pos_label)
    values, units, parts = scores.values, scores.units, scores.parts
    if ends is None:
        _refuse_percentages(values, {"min_score": min_score, "max_score": max_score})
    score = scores.read.get("score", score)
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
    rules = partial(comparison_rules, name, f"difference of {quantity}", side=BELOW if lower_is_better else ABOVE)
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
    recipe = {"check": name, **scores.read, "min_score": min_score, "max_score": max_score}
    recipe |= {"better_than": model_name(better_than), "against": model_name(against), "not_worse_than": not_worse_than}
    recipe |= {"lower_is_better": lower_is_better, "bounds": ends}
    recipe |= {} if pos_label is None else {"pos_label": pos_label}
    recipe |= {"assume_no_rare_losses": True} if assume_no_rare_losses else {}
    recipe |= {"sequential": True, **sizes} if sequential else {}
    result = Found(name, tuple(evidence), recipe, scores.notes, tuple(entries))
    return decide([result], level=level)


Part = tuple[str | None, Integers]


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of items, as read.

    values (n,): the scores. units: the clusters of the items. parts: the rows of each group. read: the input, for the
    recipe. theirs (m,): the scores of another model on the shared items; rows (m,): the indices of these items.
    lower_is_better, bounds: as defined by a log. item_column: the column whose repeated items became the clusters,
    because no clusters were named.
    """

    values: Floats
    units: Integers | None
    parts: list[Part]
    read: dict[str, Any]
    theirs: Floats | None = None
    rows: Integers = field(default_factory=lambda: np.zeros(0, np.int64))
    notes: tuple[str, ...] = ()
    lower_is_better: bool = False
    item_column: str | None = None
    bounds: Bounds | None = None


def _read_rows(
    data: Any, score: Any, other: Any, ends: Bounds | None, roles: dict[str, Any], role: str, pos_label: Hashable
) -> Scores:
    """Read the scores in arrays or in a frame, and another model's scores of the same rows."""
    groups, clusters, id = roles.values()
    check_distinct({"score": score, role: other})
    if id is not None:
        raise InputError(
            "`id=...` is only for files, because rows of arrays and frames are matched by position. Leave it out."
        )
    notes: tuple[str, ...] = ()
    item_column: str | None = None
    if clusters is None:
        item_column, notes = frame_clusters(data, [groups], [score, other, groups])
        clusters = item_column
    notes += note_on_models_of_frame(data, "groups", [score, other, groups])
    if data is not None:
        score, other, groups, clusters = frame_columns(data, score=score, other=other, groups=groups, clusters=clusters)
    of_labels = list[str]()
    percent = percentages({} if pos_label is not None else {"score": score, role: other})
    with advising_pos_label(["score"]):
        values = within(check_scores(score, name="score", pos_label=pos_label, notes=of_labels), ends, "score")
    n = len(values)
    codes, names = (None, ()) if groups is None else check_codes(groups, n=n, name="groups", groups=True)
    units = None if clusters is None else check_clusters(clusters, n=n)
    theirs = None
    if other is not None:
        with advising_pos_label([role]):
            theirs = within(check_scores(other, name=role, n=n, pos_label=pos_label, notes=of_labels), ends, role)
    check_scales({"score": values} | ({} if theirs is None else {role: theirs}), percent, ends)
    provenance = {"n": n, "clustered": units is not None}
    return Scores(
        values,
        units,
        list(group_parts(n, codes, names)),
        provenance,
        theirs,
        np.arange(n),
        (*notes, *of_labels, *notes_on_numbers([], percent), *_spellings(codes, names)),
        item_column=item_column,
    )


def _refuse_percentages(values: Floats, limits: Mapping[str, float | None]) -> None:
    """Raise InputError for a limit in percent if all scores are between 0 and 1.

    A limit of at most 10 is allowed, because it may be a limit for grades of which only the lowest occur.
    """
    if not values.size or values.min() < 0 or values.max() > 1:
        return
    for role, limit in limits.items():
        if limit is not None and 10 < limit <= 100:
            raise InputError(
                f"{parameter(role)} is {limit:g}, and every score is between 0 and 1: write {limit / 100:g} for "
                f"{limit:g}%. If higher scores are possible, name their `bounds=...`."
            )


def _read_source(
    source: Source, score: Any, other: Any, ends: Bounds | None, roles: dict[str, Any], pos_label: Hashable
) -> Scores:
    """Read the scores in files, and another model's scores: a column of the same files, or other files."""
    for role, column in {"score": score, **roles}.items():
        if column is not None and not isinstance(column, str):
            raise not_a_column_name(role, column)
    if score is not None and other == score:
        raise InputError(f"{other} is this model's own column; name another model's column.")
    other_source = other if isinstance(other, Source) else None
    scores = [column for column in (score, other if other_source is None else None) if column is not None]
    kinds = dict.fromkeys((column for column in roles.values() if column is not None), Kind.VALUES)
    notes = list[str]()
    choose = partial(_columns_of_log, roles, score=score, matched=other_source is not None, notes=notes)
    cells = None if roles["clusters"] or roles["id"] else [roles["groups"]] if roles["groups"] else []
    kind = Kind.SCORE if pos_label is None else Kind.NAMES
    kinds |= dict.fromkeys(scores, kind) if scores else {FILE: Kind.NAMES}
    named_source = source if scores or not isinstance(source, Files) else replace(source, by_file=True)
    with advising_pos_label(scores):
        table = named_source.rows(
            kinds,
            clusters=roles["clusters"],
            choose=choose,
            chosen_as=lambda role: kind if role == KIND else Kind.NAMES,
            cells=cells,
            pooled="groups",
        )
    score = score or table.chosen.get(KIND)
    if score is None:
        raise InputError(f"{NO_SCORE_COLUMN}{LIST_COLUMNS}")
    groups, clusters, id = (column or table.chosen.get(role) for role, column in roles.items())
    with table.locating_errors():
        numbers = {name: _numbers(table, name, pos_label, notes) for name in dict.fromkeys([score, *scores])}
    values = numbers[score]
    n = len(values)
    units = None if clusters is None else check_clusters(_names(table, clusters), n=n, name=clusters)
    codes, names = (None, ()) if groups is None else check_codes(_names(table, groups), n=n, name=groups, groups=True)
    with table.locating_errors():
        check_scales(numbers, table.read.get("percentages", ()), ends)
        for score_column, column in numbers.items():
            _check_scores(column, ends, score_column)
    rows, match_notes = np.arange(n), list[str]()
    theirs = None if other is None or other_source is not None else numbers[other]
    if other_source is not None:
        kinds = ({} if id is None else {id: Kind.VALUES}) | {score: kind}
        other_table = other_source.rows(kinds, choose=_document_column)
        with other_table.locating_errors():
            their_numbers = _numbers(other_table, score, pos_label, notes)
            _check_scores(their_numbers, ends, score)
        rows, theirs, match_notes = _matched(
            table, other_table, values, their_numbers, id, skip=bool(getattr(source, "skip_missing", False))
        )
    provenance = {name: value for name, value in table.read.items() if scores or name != "by_file"}
    recipe = {**provenance, "score": score, "group": groups, "cluster": clusters, "id": id}
    measure = table.measures.get(score, Measure())
    bounds = measure.known_bounds(values, *([] if theirs is None else [theirs]))
    told_of_rows = (*table.notes, *notes, *match_notes, *_spellings(codes, names))
    item_column = clusters if roles["clusters"] is None else None
    parts = list(group_parts(n, codes, names))
    lower = measure.lower_is_better is True
    return Scores(values, units, parts, recipe, theirs, rows, told_of_rows, lower, item_column, bounds)


def _columns_of_log(
    roles: Mapping[str, str | None], log: Log, *, score: str | None, matched: bool, notes: list[str]
) -> dict[str, str]:
    """Return the columns of a log for the roles that the user did not name.

    The score is the primary score of the log. Each model and prompt is a group over all its tasks; a note is added to
    `notes`. Rows of one document, or of an item with several rows, form a cluster. matched: rows are matched with those
    of another log by their item.
    """
    named = roles["groups"]
    parts = [column for column in log.group if column != TASK] if named is None else named.split(",")
    if named is None and TASK in log.group:
        each = parameter("groups", ",".join(log.group))
        tasks = counted(len(log.values[TASK]), "task")
        notes.append(marked_note(f"{tasks} are judged together; to judge each, {each}"))
    log.check_ways(parts, advice=f"tell them apart, {parameter('groups', ','.join([*parts, RUN]))}")
    repeated = log.repeats_items(parts)
    column_by_role = {"groups": ",".join(parts)} if named is None and parts else {}
    if score is None:
        column_by_role[KIND] = primary_score_of_log(log)
    if roles["clusters"] is None and log.has(DOCUMENT):
        column_by_role["clusters"] = DOCUMENT
    elif roles["clusters"] is None and repeated and log.has(ITEM):
        column_by_role["clusters"] = ",".join(
            [*([TASK] if log.varies(TASK) and TASK not in parts else []), log.item_column]
        )
    if roles["id"] is None and matched and not repeated and log.has(ITEM):
        column_by_role["id"] = ",".join([*(name for name in log.group if name != "model"), ITEM])
        column_by_role |= _document_column(log)
    return column_by_role


def _document_column(log: Log) -> dict[str, str]:
    """Return the column of a log that identifies each item's document, if there is one."""
    return {ITEM_HASH: ITEM_HASH} if log.has(ITEM_HASH) else {}


def _names(rows: Rows, column: str) -> Any:
    """Return a column of names; columns that were chosen from a log are coded."""
    values = rows.columns[column]
    return np.asarray(values.names, dtype=object)[values.codes] if isinstance(values, Coded) else values


def _matched(
    rows: Rows, other_rows: Rows, scores: Floats, other_scores: Floats, id: str | None, *, skip: bool
) -> tuple[Integers, Floats, list[str]]:
    """Return the rows that the other model has too, its scores of these rows, and notes."""
    names = ", ".join(rows.read["files"]), ", ".join(other_rows.read["files"])
    ours, theirs = len(scores), len(other_scores)
    if id is None:
        if ours != theirs or rows.read["skipped"] or other_rows.read["skipped"]:
            raise InputError(
                f"both models must be evaluated on the same rows; {names[0]} has {ours:,}, {names[1]} has {theirs:,}. "
                "Match them by `id='COL'`."
            )
        return np.arange(ours), other_scores, []
    keys = [np.asarray(_names(table, id)).astype(np.str_) for table in (rows, other_rows)]
    shared = shared_rows(*keys, names=names, id=id)
    if ITEM_HASH in rows.chosen and ITEM_HASH in other_rows.chosen:
        shared = paired_by_documents(shared, _names(rows, ITEM_HASH), _names(other_rows, ITEM_HASH), ids=keys[0])
    shared.check_all(skip_missing=skip)
    return shared.a, other_scores[shared.b], shared.notes_on_rows


def _numbers(rows: Rows, name: str, pos_label: Hashable, notes: list[str]) -> Floats:
    """Return the scores in a column of files: its numbers, or 1 for `pos_label` and 0 for every other value."""
    column: Any = rows.columns[name]
    return column if pos_label is None else positive_scores(column, pos_label, name, notes)


def _check_scores(values: Floats, ends: Bounds | None, name: str) -> None:
    """Check scores of files in the same way as scores of arrays."""
    check_finite(values, name=name)
    within(values, ends, name)


def within(values: Floats, ends: Bounds | None, name: str) -> Floats:
    """Check that scores are within their bounds, and return them."""
    if ends is not None:
        check_within(values, ends, name=name)
    return values


def _spellings(codes: Integers | None, names: tuple[str, ...]) -> list[str]:
    """Return a note on groups whose names differ only in spelling; [] if there are none."""
    return [] if codes is None else Coded(codes, names).spellings_note("groups")


def group_parts(n: int, codes: Integers | None, names: tuple[str, ...]) -> Iterator[Part]:
    """Yield the rows of each group with its name, or all rows with None."""
    if codes is None:
        yield None, np.arange(n)
    else:
        for code, name in enumerate(names):
            yield name, np.flatnonzero(codes == code)


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
        note = f"the verdict is about {sequence.mean_of}; the rows must come in the order drawn (howsure score order)"
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
            f"all scores are between 0 and 1, which are taken as their bounds; if {others}, give `bounds`"
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
            f"{share:.1%} of all values were about {far:.4g}; a sample of this size misses them with probability "
            f"{size:g}"
        )
    return tuple(notes)


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


def check_scores(
    values: Any, *, name: str, n: int | None = None, pos_label: Hashable = None, notes: list[str] | None = None
) -> Floats:
    """Check scores and return them as finite numbers; True is 1, False is 0.

    pos_label: the value that counts as 1; every other value is 0.
    """
    column = as_column(values, name=name)
    if pos_label is None and (shares := proportions(column)) is not None:
        column = shares
    if n is not None and len(column) != n:
        raise InputError(
            f"{name} must have as many rows as the other columns; it has {len(column):,}, the others have {n:,}."
        )
    if pos_label is not None:
        return positive_scores(column, pos_label, name, [] if notes is None else notes)
    try:
        numbers = column.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        row = next(row for row, value in enumerate(column.tolist()) if not _is_number(value))
        raise not_a_number(name, column[row : row + 1].tolist()[0], row=row) from None
    check_finite(numbers, name=name)
    return np.asarray(numbers)


def _is_number(value: object) -> bool:
    try:
        float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False
    return True
