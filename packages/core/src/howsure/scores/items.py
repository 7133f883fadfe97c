"""`score_items`: which models a benchmark can distinguish, and which of its items are uninformative or contradict the
others.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from howsure import __version__
from howsure.errors import InputError, parameter, quote
from howsure.inputs.arguments import check_arguments
from howsure.inputs.frames import Source
from howsure.inputs.numbers_and_names import check_level, counted
from howsure.inputs.pairs import Floats, Integers
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.scores.item_results import BenchmarkItem, BenchmarkItems
from howsure.scores.ranks import Flags
from howsure.scores.score_table import score_bounds
from howsure.scores.scored_rows import (
    ScoredRows,
    check_distinct_runs,
    check_missing_score,
    clusters_of_items,
    read_scored_rows,
)
from howsure.stats.clusters import ItemGroups
from howsure.stats.mean_score import Bounds, mean_difference
from howsure.stats.p_values import adjust_p_values
from howsure.worst_rows import Show, check_worst

MIN_MODELS = 5  # minimum number of models for estimating discrimination
EXACT_MODELS = 200  # with more models, ranks are tested by a normal approximation
ROUNDING = 1e-9  # relative


def score_items(
    score: ArrayLike | str | None = None,
    *,
    model: ArrayLike | str | None = None,
    id: ArrayLike | str | None = None,
    run: ArrayLike | str | None = None,
    clusters: ArrayLike | str | None = None,
    pos_label: Hashable = None,
    missing_score: float | None = None,
    show: Show = (),
    level: float = 0.95,
    data: Source | IntoFrame | None = None,
) -> BenchmarkItems:
    """Estimate which gaps between models a benchmark can detect, and how well each of its items distinguishes models.

    An item is dead if all models have the same score on it. Its discrimination is the correlation, over models, of its
    score with the mean of the other items. The discrimination is negative if weak models do better on the item than
    strong ones; then its key may be wrong.

    score (n,): a number per row, such as whether the answer is right; a log names its scores itself.
    model (n,): the model of each row (default: in files, each file is a model).
    id (n,): the item of each row.
    run (n,): the repeated run of each row.
    clusters (n,): the cluster of each item, such as its document; items of a cluster may be correlated.
    pos_label: the value that counts as 1, every other as 0.
    missing_score: the score of a row without one, such as 0 for unanswered questions (default: an error).
    show: columns to show of each item, such as question,answer.
    level: confidence level of the tests: 1 minus the probability of a false finding.

    Items that some model lacks are left out. Neighbours are models next to each other in the order of their means. They
    are compared by Student's t test of their paired differences, with Holm's adjustment over neighbours. A gap is
    detectable if the unadjusted test finds it with probability 0.8 (the median over neighbours). An item contradicts
    the rest if an exact Mann-Whitney test shows that the models with the higher score on it are weaker on the others,
    with Holm's adjustment over items.

    >>> import numpy as np
    >>> skill, ease = np.linspace(-2, 2, 12)[:, None], np.linspace(-2, 2, 40)
    >>> right = (skill + ease > 0).astype(int)
    >>> right[:, 7] = 1 - right[:, 33]  # a wrong key
    >>> items = score_items(right.ravel(), model=np.repeat(np.arange(12), 40), id=np.tile(np.arange(40), 12))
    >>> [(row.item, round(row.discrimination, 2), row.contradicts) for row in items[:2]]
    [('7', -0.66, False), ('1', 0.45, False)]

    Raises InputError naming the parameter, row and value that violated a rule.
    Sources: Lord & Novick (1968) for the item-rest correlation; Mann & Whitney (1947); Holm (1979).
    """
    check_arguments(score_items, locals())
    level = check_level(level)
    check_missing_score(missing_score, data)
    look = check_worst(1, show, data)
    roles = {"model": model, "groups": None, "clusters": clusters, "id": id, "run": run}
    rows = read_scored_rows(
        score, roles, data=data, pos_label=pos_label, may_miss=missing_score is not None, macro=False, worst=look
    )
    name = rows.only_score
    for role in ("model", "id"):
        if role not in rows.coded:
            what = "model" if role == "model" else "item"
            raise InputError(
                f"{parameter(role)} is missing. Give the {what} of each row: items are compared by the scores of "
                "several models."
            )
    with rows.locating_errors():
        table = _ScoresByItem.of(rows, name, missing_score)
    groups = ItemGroups.of(table.scores.shape[1], clusters=table.units)
    neighbours = _neighbours(table, groups, level)
    discrimination, contradicts = _discrimination(table.scores, level)
    names, is_dead = rows.coded["id"].names, np.ptp(table.scores, axis=0) == 0.0
    unknown_last = np.where(np.isnan(discrimination), math.inf, discrimination)
    order = np.lexsort((table.first, table.scores.mean(axis=0), unknown_last, is_dead))
    shown_columns = look.read_at(rows.rows, table.first) if look is not None and rows.rows is not None and show else {}
    columns = list(show)
    items = tuple(
        BenchmarkItem(
            item=names[table.items[position]],
            mean=float(table.scores[:, position].mean()),
            discrimination=None if math.isnan(discrimination[position]) else float(discrimination[position]),
            is_dead=bool(is_dead[position]),
            contradicts=bool(contradicts[position]),
            shown={column: shown_columns[column][position] for column in columns},
        )
        for position in order.tolist()
    )
    m = len(table.scores)
    recipe: dict[str, Any] = {
        "howsure": __version__,
        **rows.provenance,
        "missing_score": missing_score,
        "show": columns,
    }
    notes = [*rows.notes]
    if table.left_out:
        notes.append(f"Left out: {counted(table.left_out, 'item')} that some model lacks.")
    if m < MIN_MODELS:
        notes.append(f"Discrimination is not computed: it needs {MIN_MODELS} models, and there are {m}.")
    return BenchmarkItems(
        rows=items,
        score=name,
        n=len(items),
        models=m,
        neighbours=neighbours.number,
        told_apart=neighbours.told_apart,
        detectable=neighbours.detectable,
        smallest_significant=neighbours.smallest_significant,
        notes=tuple(notes),
        recipe=recipe | {"test_level": level},
    )


@dataclass(frozen=True, slots=True)
class _ScoresByItem:
    """Mean scores over runs (m models, n items that all models have), the clusters of items, the codes of items and the
    first row of each, and the bounds of scores if known.
    """

    scores: Floats
    units: Integers | None
    items: Integers
    first: Integers
    left_out: int
    bounds: Bounds | None

    @classmethod
    def of(cls, rows: ScoredRows, name: str, missing_score: float | None) -> _ScoresByItem:
        values = rows.scores[name]
        is_missing = np.isnan(values)
        if missing_score is not None:
            values = np.where(is_missing, missing_score, values)
        elif is_missing.any() and not rows.skip:
            raise InputError("missing", name, row=int(is_missing.argmax()), remedy="missing_score")
        kept = np.flatnonzero(~np.isnan(values))
        model, item = (rows.coded[role].codes[kept].astype(np.int64) for role in ("model", "id"))
        n_items = len(rows.coded["id"].names)
        cell = model * n_items + item
        check_distinct_runs(rows, kept, np.unique(cell, return_inverse=True)[1])
        shape = (len(rows.coded["model"].names), n_items)
        times = np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)
        models = times.any(axis=1)
        if models.sum() < 2:
            raise InputError(
                f"there is {counted(int(models.sum()), 'model')}; items can only be evaluated with two models or more."
            )
        complete = np.asarray((times[models] > 0).all(axis=0))
        if n_items < 2:
            raise InputError("there is 1 item; two items or more are needed.")
        if complete.sum() < 2:
            incomplete = quote(rows.coded["id"].names[int((~complete).argmax())])
            raise InputError(
                "two or more items must have a score of every model; "
                f"{'1 item has' if complete.any() else 'no item has'}, "
                f"and {incomplete} lacks a score. Keep only models with the same items."
            )
        sums = np.bincount(cell, values[kept], minlength=shape[0] * shape[1]).reshape(shape)
        scores = sums[models][:, complete] / times[models][:, complete]
        codes, first, item_of_row = np.unique(item, return_index=True, return_inverse=True)
        units = clusters_of_items(rows, kept, first, item_of_row)
        of_complete = complete[codes]
        return cls(
            scores,
            None if units is None else units[of_complete],
            codes[of_complete],
            kept[first[of_complete]],
            int(n_items - complete.sum()),
            score_bounds(rows, name, values[kept], None),
        )


@dataclass(frozen=True, slots=True)
class _Neighbours:
    number: int
    told_apart: int
    detectable: float | None
    smallest_significant: float | None


def _neighbours(table: _ScoresByItem, groups: ItemGroups, level: float) -> _Neighbours:
    """Test the difference of each two models that are next to each other in the order of means. Return the number of
    significant differences and the detectable gap."""
    order = np.argsort(-table.scores.mean(axis=1), kind="stable")
    p_values, gaps, significant = [], [], []
    n = table.scores.shape[1]
    binary = bool(np.isin(table.scores, (0.0, 1.0)).all())
    for a, b in pairwise(order):
        test = mean_difference(table.scores[a], table.scores[b], groups)
        p_values.append(test.p_value("two-sided"))
        gaps.append(test.detectable(level, "two-sided"))
        if binary and table.units is None:
            discordant = int(np.count_nonzero(table.scores[a] != table.scores[b]))
            significant.append(_smallest_significant(discordant, n, level))
    is_finite = [math.isfinite(p) for p in p_values]
    p = np.where(is_finite, p_values, 1.0)
    adjusted = adjust_p_values(p)
    finite = [gap for gap in gaps if math.isfinite(gap)]
    detectable = float(np.median(finite)) if finite else None
    if detectable is not None and table.bounds is not None and detectable > table.bounds[1] - table.bounds[0]:
        detectable = None
    return _Neighbours(
        len(p_values),
        int(np.count_nonzero(adjusted <= 1 - level)),
        detectable,
        float(np.median(significant)) if significant and math.isfinite(np.median(significant)) else None,
    )


def _smallest_significant(discordant: int, n: int, level: float) -> float:
    """Return the smallest difference of two accuracies that is significant in the exact McNemar test with this many
    discordant items; infinite if no difference is.

    >>> _smallest_significant(20, 100, 0.95), _smallest_significant(5, 100, 0.95)
    (0.1, inf)
    """
    from scipy.special import bdtr

    fewer = np.arange(discordant // 2 + 1)
    rejected = fewer[2 * bdtr(fewer, discordant, 0.5) <= 1 - level]
    return float((discordant - 2 * rejected[-1]) / n) if len(rejected) else math.inf


def _discrimination(scores: Floats, level: float) -> tuple[Floats, Flags]:
    """Return, for each item (n,), the correlation of its score with the mean of the other items over models (NaN if the
    item is dead), and whether it contradicts the other items.
    """
    m, n = scores.shape
    result, contradicts = np.full(n, math.nan), np.zeros(n, dtype=bool)
    if m < MIN_MODELS:
        return result, contradicts
    centred = scores - scores.mean(axis=0)
    rest = centred.sum(axis=1, keepdims=True) - centred
    squares = (centred**2).sum(axis=0), (rest**2).sum(axis=0)
    live = (np.ptp(scores, axis=0) > 0) & (squares[1] > ROUNDING * m)
    covariance = (centred * rest).sum(axis=0)
    result[live] = (covariance / np.sqrt(squares[0] * squares[1], where=live, out=np.ones(n)))[live]
    live_items = np.flatnonzero(live)
    if len(live_items):
        p = np.array([_p_contradicts(centred[:, item_index] > 0.0, rest[:, item_index]) for item_index in live_items])
        contradicts[live_items] = adjust_p_values(p) <= 1 - level
    return result, contradicts


def _p_contradicts(upper: Flags, rest: Floats) -> float:
    """Return the one-sided p-value of "the models with the higher scores on an item are not weaker on the other items".

    upper: a mask of the models with the higher score. rest: the mean of each model on the other items. The statistic is
    the sum of the ranks of the masked models, compared with a random assignment. Tied models get the higher ranks, so
    that p is not too small.
    """
    m, k = len(upper), int(upper.sum())
    order = np.lexsort((upper, np.round(rest, 9)))
    rank_sum = int((np.flatnonzero(upper[order]) + 1).sum())
    least = k * (k + 1) // 2
    if m <= EXACT_MODELS:
        counts = _rank_sums(m)[k]
        return min(float(counts[: rank_sum - least + 1].sum() / counts.sum()), 1.0)
    from scipy.special import ndtr

    mean, error = k * (m + 1) / 2, math.sqrt(k * (m - k) * (m + 1) / 12)
    return max(float(ndtr((rank_sum + 0.5 - mean) / error)), 1 / math.comb(m, k))


@cache
def _rank_sums(m: int) -> Mapping[int, Floats]:
    """Return, for each k, the relative number of ways in which k of the ranks 1 to m have the sum k (k + 1) / 2 + s,
    for s = 0, 1, ….

    >>> _rank_sums(4)[2].tolist()  # 1 + 2, 1 + 3, 1 + 4 or 2 + 3, 2 + 4, 3 + 4
    [1.0, 1.0, 2.0, 1.0, 1.0]
    """
    ways: dict[int, Floats] = {0: np.ones(1)}
    for rank in range(1, m + 1):
        for k in range(min(rank, m), 0, -1):
            before, shift = ways.get(k - 1), rank - k  # how much the largest rank adds to the excess over 1 + … + k
            size = k * (rank - k) + 1
            total = np.zeros(size)
            if k in ways:
                total[: len(ways[k])] += ways[k]
            if before is not None:
                total[shift : shift + len(before)] += before
            ways[k] = total
    return ways
