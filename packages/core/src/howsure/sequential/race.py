"""`race_models`: find the best of several models; a model that is shown to be worse is dropped and not evaluated
further.

For each model, a sequence of bets tests the hypothesis that the model is (one of) the best. Each item is a bet that the
current leader of the other models scores higher. If the model is at least as good as all others, no bet has a positive
expected gain, whichever model leads. A model is dropped when e-Holm rejects its hypothesis: its wealth exceeds 1 / size
by the sum of the amounts by which the remaining models with less wealth fall short of 1 / size. The probability that
any of the best models is ever dropped is at most `size`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from howsure import __version__
from howsure.data.sources import Files
from howsure.errors import InputError, quote
from howsure.inputs.arguments import Randomness, check_arguments
from howsure.inputs.frames import AS_READ, Source, is_frame
from howsure.inputs.numbers_and_names import check_bounds, check_level, check_scales, counted, highest_first
from howsure.inputs.pairs import Floats, Integers
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.result import Estimate, Rows, as_json
from howsure.sequential.evaluation_order import (
    ItemOrder,
    OrderedItem,
    columns_by_role,
    draw_order,
    refuse_repeated,
    texts,
)
from howsure.sequential.sequence import BETTING, blocks, checked_scores
from howsure.show.table import COUNT, ESTIMATE, WORDS, Column
from howsure.stats.betting import BettingMean, Units, wealth
from howsure.stats.mean_score import share_bounds

FIRST_UNITS = 500  # units that most races need; more are used if necessary
BEST, RACING, DROPPED = "best", "in the race", "dropped"


@dataclass(frozen=True, slots=True)
class Racer:
    """A model in a race: its outcome (best, in the race, or dropped), the number of its items used, and its mean."""

    model: str
    outcome: str
    n: int
    mean: Estimate


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Race(Rows[Racer]):
    """The result of `race_models`: the remaining models, then the dropped models, the most recently dropped first.

    n: the number of items until there was a verdict, or so far. items_total: the number of items of the benchmark.
    answers: the number of answers of all models that the race used. recipe: everything needed to repeat it.
    """

    rows: tuple[Racer, ...] = as_json("models")
    n: int
    items_total: int
    answers: int
    recipe: Mapping[str, Any]

    named = "model"
    title = "Race of models"

    def columns(self) -> Sequence[Column]:
        """Models, their status, the numbers of items used, and their means."""
        return [Column("model", WORDS), Column("outcome", WORDS), Column("n", COUNT), Column("mean", ESTIMATE)]

    @property
    def left(self) -> tuple[str, ...]:
        """The models that are not dropped: evaluate the next items only with them."""
        return tuple(row.model for row in self.rows if row.outcome != DROPPED)

    @property
    def answer(self) -> str:
        """The best model, or the remaining ones, and the number of items used."""
        left, all_of_them = self.left, self.items_total * len(self.rows)
        best = f"{left[0]} is the best" if len(left) == 1 else f"{len(left)} models are left: {', '.join(left)}"
        return (
            f"{best}, after {self.n:,} of {counted(self.items_total, 'item')} and {self.answers:,} of {all_of_them:,} "
            f"answers ({self.answers / all_of_them:.0%})."
        )

    def footnotes(self) -> Sequence[str]:
        """The verdict, the numbers of items and answers used, and the assumptions."""
        return [
            self.answer,
            f"With probability {self.rows[0].mean.level:g}, none of the best models on these {self.items_total:,} "
            "items is ever dropped, however often you look.",
            *self.recipe_notes,
        ]


def race_models(
    score: ArrayLike | str,
    *,
    id: ArrayLike | str,
    model: ArrayLike | str | None = None,
    order: ItemOrder | Source | IntoFrame | None = None,
    clusters: ArrayLike | str | None = None,
    bounds: tuple[float, float] | None = None,
    level: float = 0.95,
    rng: Randomness = None,
    data: Source | IntoFrame | None = None,
) -> Race:
    """Find the best of several models with early stopping: evaluate items in the order drawn, and drop worse models.

    With probability `level`, none of the best models of the benchmark is ever dropped, however often you look. Call the
    function again whenever there are new answers, and evaluate the next items with the remaining models. The intervals
    of the means are valid at all times, each separately.

    score (n,): the score of each answer.
    id (n,): the item; each model has one score for it.
    model (n,): the model that gave it (default: in files, each file is a model).
    order: the order drawn, of all items of the benchmark, or the file that howsure score order wrote. Without it, all
    models must have all items, and an order is drawn to report how many items a race would have needed.
    clusters (n,): the cluster of each item, such as its document; if `order` is a file, a column of this file.
    bounds: the lowest and the highest possible score; not needed if all scores are 0 or 1.
    level: the probability that none of the best models is ever dropped.
    rng: seed of the order, if none is given.

    >>> scores, items = [1, 1, 1, 0] * 50 + [1, 0, 1, 0] * 50 + [0, 0, 1, 0] * 50, list(range(200)) * 3
    >>> race = race_models(scores, model=["a"] * 200 + ["b"] * 200 + ["c"] * 200, id=items, rng=1)
    >>> [(row.model, row.outcome, row.n) for row in race]
    [('a', 'best', 30), ('b', 'dropped', 30), ('c', 'dropped', 18)]

    Raises InputError naming the model, item and row that violated a rule.
    """
    check_arguments(race_models, locals())
    level = check_level(level)
    if model is None:
        if not isinstance(data, Files):
            raise InputError("{parameter} must be given, because a race is between several models.", "model")
        model, data = "file", replace(data, by_file=True)
    roles = {"score": score, "model": model, "id": id}
    roles |= {"clusters": clusters} if clusters is not None and order is None else {}
    columns, named, rows = columns_by_role(roles, data, scores=("score",))
    measure = rows.measures.get(named["score"])
    if measure is not None and measure.lower_is_better is not False:
        raise InputError(
            "{parameter} must be a score whose higher values are better; {named} is not. A race finds the model "
            "with the highest mean.",
            "score",
            named=named["score"],
        )
    with rows.locating_errors():
        scores = checked_scores(columns["score"], named["score"])
        ends = check_bounds(bounds) if bounds is not None else share_bounds(scores)
        if ends is None:
            raise InputError(
                "{parameter} must be given, the lowest and the highest possible score, because scores are not all 0 or "
                "1.",
                "bounds",
            )
        check_scales({named["score"]: scores}, rows.provenance.get("percentages", ()), ends)
        checked_scores(scores, named["score"], bounds=ends)
        models, items = (texts(columns[role], len(scores), named[role]) for role in ("model", "id"))
        names = list(dict.fromkeys(models))
        if len(names) < 2:
            raise InputError(
                "{parameter} must name two or more models; it names only {names!r}.", named["model"], names=names[0]
            )
        if order is None:
            units = texts(columns["clusters"], len(scores), named["clusters"]) if clusters is not None else items
            of = dict(zip(items, units, strict=True))
            drawn = draw_order(list(of), clusters=None if clusters is None else list(of.values()), rng=rng)
        else:
            drawn = _as_drawn(order, clusters)
        table = _by_position(scores, models, items, names, drawn, named["id"])
    if order is None:
        _refuse_gaps(table, names, drawn, len(drawn))
    sizes = np.array(blocks([item.cluster or item.id for item in drawn])[1])
    sums = np.add.reduceat((table - ends[0]) / (ends[1] - ends[0]), sizes.cumsum() - sizes)
    stops = drops(sums, sizes, 1 - level)
    left = [i for i, stop in enumerate(stops) if stop is None]
    if len(left) > 1:
        evaluated = np.flatnonzero(~np.isnan(table[:, left]).all(axis=1))
        _refuse_gaps(table[:, left], [names[i] for i in left], drawn, int(evaluated.max(initial=-1)) + 1)
    last = int(_complete(sums[:, left]).min()) if len(left) > 1 else max(stop or 0 for stop in stops)
    racers = []
    for i, (name, stop) in enumerate(zip(names, stops, strict=True)):
        units_ = Units(sums[: stop or last, i], sizes[: stop or last].astype(float), float(sizes.max()), len(sizes))
        n, mean = int(units_.sizes.sum()), BettingMean(units_, ends)
        low, high = mean.bounds((1 - level) / 2)
        outcome = DROPPED if stop else BEST if len(left) == 1 else RACING
        racers.append(Racer(name, outcome, n, Estimate(mean.value, low, high, level=level, method=BETTING, n=n)))
    recipe: dict[str, Any] = {
        "howsure": __version__,
        "method": BETTING,
        **(dict(rows.provenance) or {"n": len(scores)}),
    }
    recipe |= {AS_READ.get(role, role): column for role, column in roles.items()} if data is not None else {}
    return Race(
        rows=tuple(sorted(racers, key=_place)),
        n=int(sizes[:last].sum()),
        items_total=len(drawn),
        answers=sum(row.n for row in racers),
        recipe=recipe | {"bounds": ends, "level": level, "order_seed": drawn.recipe.get("seed")},
    )


def _place(row: Racer) -> tuple[bool, int, float, tuple[int, float, str, str]]:
    """The sort key of a model: the remaining ones first, then those dropped last; among these, the highest mean."""
    return (row.outcome == DROPPED, -row.n, *highest_first(row.mean.value, row.model))


def drops(sums: Floats, sizes: Integers, size: float) -> list[int | None]:
    """Return the number of units after which each model is dropped; None for a model that is not dropped.

    sums (units, models): the sum of each model's scores, between 0 and 1, in each unit (item or cluster) of the
    benchmark, in the order drawn; NaN if the model was not evaluated. sizes (units,): the numbers of items. size: the
    probability that a best model is ever dropped.

    >>> drops(np.repeat([[1.0, 0.0]], 20, axis=0), np.ones(20, dtype=int), 0.05)
    [None, 7]
    """
    limit, stops = FIRST_UNITS, _drops(sums[:FIRST_UNITS], sizes, size)
    while stops.count(None) > 1 and limit < len(sums):
        limit *= 4
        stops = _drops(sums[:limit], sizes, size)
    return stops


def _drops(sums: Floats, sizes: Integers, size: float) -> list[int | None]:
    """Compute `drops` from the given units, which may be only the first units of the benchmark."""
    until, racing = _complete(sums), np.ones(sums.shape[1], dtype=np.bool_)
    stops: list[int | None] = [None] * len(racing)
    start, games, leaders = 0, *_games(sums, sizes, until)
    while racing.sum() > 1:
        ends = int(until[racing].min())
        over = games[start:ends, racing] - 1 / size
        lost = over + np.minimum(over, 0.0).sum(axis=1, keepdims=True) >= 0
        if not lost.any():
            break
        row = int(lost.any(axis=1).argmax())
        start += row
        losers = np.flatnonzero(racing)[lost[row] & (np.arange(lost.shape[1]) != over[row].argmin())]
        racing[losers], until[losers] = False, start + 1
        for loser in losers.tolist():
            stops[loser] = start + 1
        if np.isin(leaders[start + 1 :, racing], losers).any():
            games, leaders = _games(sums, sizes, until)
    return stops


def _games(sums: Floats, sizes: Integers, until: Integers) -> tuple[Floats, Integers]:
    """Return the wealth of the bets against each model after each unit, and the opponent in each bet.

    Each bet is that the opponent, the leader of the other models before the unit, scores higher than the model. until:
    for each model, the number of units on which it was evaluated.
    """
    units = np.arange(len(sums))[:, None]
    sums = np.nan_to_num(sums)
    before = np.vstack([np.zeros_like(sums[:1]), sums.cumsum(axis=0)[:-1]])
    standing = np.where(units < until, before, -np.inf)
    first = standing.argmax(axis=1, keepdims=True)
    np.put_along_axis(standing, first, -np.inf, axis=1)
    leaders = np.where(np.arange(sums.shape[1]) == first, standing.argmax(axis=1, keepdims=True), first)
    largest, left = float(sizes.max()), np.asarray(len(sizes) - units, dtype=np.float64)
    values = 0.5 + (np.take_along_axis(sums, leaders, axis=1) - sums) / (2 * largest)
    past = units / 2 + (np.take_along_axis(before, leaders, axis=1) - before) / (2 * largest)
    return wealth(values, (len(sizes) / 2 - past) / left, left), leaders


def _complete(sums: Floats) -> Integers:
    """Return, for each model, the number of units before the first unit without its scores."""
    missing = np.isnan(sums)
    return np.where(missing.any(axis=0), missing.argmax(axis=0), len(sums))


def _as_drawn(order: ItemOrder | Source | IntoFrame, clusters: Any) -> ItemOrder:
    """Return the order as an `ItemOrder`: unchanged, or read from a file that `howsure score order` wrote."""
    if isinstance(order, ItemOrder):
        if clusters is not None:
            raise InputError("`order=...` contains the clusters; leave `clusters` out.", "order")
        return order
    if not is_frame(order):
        raise InputError(
            "`order=...` must come from howsure.draw_order, or be the file that howsure score order "
            "wrote, by howsure.read; it is a {type}.",
            type=type(order).__name__,
        )
    roles = {"id": "id", "position": "position"} | ({} if clusters is None else {"clusters": clusters})
    columns, named, rows = columns_by_role(roles, order)
    with rows.locating_errors():
        n = len(columns["id"])
        items = texts(columns["id"], n, "id")
        refuse_repeated(items, "id")
        if texts(columns["position"], n, "position") != [str(i) for i in range(1, n + 1)]:
            raise InputError("position must count the items from 1; give the file that howsure score order wrote.")
        units = texts(columns["clusters"], n, named["clusters"]) if clusters is not None else [None] * n
    listed = (OrderedItem(i, *item) for i, item in enumerate(zip(items, units, strict=True), 1))
    return ItemOrder(rows=tuple(listed), recipe={})


def _by_position(
    scores: Floats, models: Sequence[str], items: Sequence[str], names: Sequence[str], drawn: ItemOrder, name: str
) -> Floats:
    """Return a table of scores (items in the order drawn, models), with NaN for missing scores."""
    places, columns = {item.id: item.position - 1 for item in drawn}, {name: i for i, name in enumerate(names)}
    scores_ = np.full((len(drawn), len(names)), np.nan)
    for row, (item, model) in enumerate(zip(items, models, strict=True)):
        if item not in places:
            raise InputError("{parameter} must name items of the order; {row} is {item!r}.", name, row=row, item=item)
        if not np.isnan(scores_[places[item], columns[model]]):
            raise InputError(
                "{parameter} must name each item of a model once; {row} repeats {item!r} for {model!r}. "
                "Give an item with several runs the mean of its scores.",
                name,
                row=row,
                item=item,
                model=model,
            )
        scores_[places[item], columns[model]] = scores[row]
    return scores_


def _refuse_gaps(table: Floats, names: Sequence[str], drawn: ItemOrder, n: int) -> None:
    """Raise InputError if a model lacks one of the first n items."""
    for position, column in np.argwhere(np.isnan(table[:n])).tolist():
        raise InputError(
            f"models in the race must have all items in the order drawn; {quote(names[column])} lacks "
            f"{quote(drawn.rows[position].id)}, at position {position + 1:,}, but has scores of later items. Score the "
            "items in the drawn order."
        )
