"""The scores so far, in the order drawn, and the settings: the common part of sequential scores and comparisons."""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from howsure import __version__
from howsure.errors import InputError, quote
from howsure.files.atomic_write import Place
from howsure.files.serialization import Head, SavedState, load, save_later, sha256
from howsure.inputs.checks import check_finite, check_numbers
from howsure.inputs.numbers_and_names import check_bounds, check_integer, check_level, check_within, counted
from howsure.inputs.pairs import Floats
from howsure.result import Estimate, Result
from howsure.sequential.evaluation_order import ItemOrder, OrderedItem, columns_by_role, refuse_repeated, texts
from howsure.show.table import COUNT, ESTIMATE, NUMBER, WORDS, Column
from howsure.stats.betting import BettingMean, RunningTests, Units

LIKE, BETTING = "comparison.json", "betting"
AGAIN = "Restore a copy, or begin a new state with all rows."


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SequentialStatus(Result):
    """The verdict and the estimate after the items so far.

    outcome: the verdict. decided_after: the number of items after which it was reached. n: the number of items used;
    waiting: the number of items of a cluster that is not complete yet. items_total: the number of items of the
    benchmark, None for an infinite population. estimate: the estimate of the mean score, or of the difference. first,
    second: the means of both models. mean_of: the population whose mean the verdict is about.
    recipe: the settings, and the version.
    """

    outcome: str
    decided_after: int | None
    n: int
    waiting: int
    items_total: int | None
    estimate: Estimate
    first: float | None = None
    second: float | None = None
    mean_of: str
    recipe: Mapping[str, Any]

    title = "Sequential evaluation"

    def columns(self) -> Sequence[Column]:
        """Return the columns of the only row: the verdict, the items, and the estimate."""
        both = [] if self.first is None else [Column("first", NUMBER), Column("second", NUMBER)]
        shown_as = "mean" if self.first is None else "difference"
        return [
            Column("outcome", WORDS),
            Column("decided_after", COUNT),
            Column("n", COUNT),
            Column("waiting", COUNT),
            Column("items_total", COUNT),
            *both,
            Column("estimate", ESTIMATE, shown_as),
        ]

    @property
    def description(self) -> str:
        """Return the verdict in sentences."""
        of = "" if self.items_total is None else f" of {self.items_total:,}"
        after = "" if self.decided_after is None else f", decided after {self.decided_after:,}"
        models = "" if self.first is None else f" (first {self.first:.4f}, second {self.second:.4f})"
        what = "mean" if self.first is None else "difference of means"
        lines = [
            f"{self.outcome}: {counted(self.n, 'item')}{of}{after}",
            f"{what} {self.estimate}{models}{', adjusted by what was predicted' * ('predicted' in self.recipe)}",
            f"the verdict is about {self.mean_of}",
            f"the {100 * self.estimate.level:g}% interval is valid however often you look",
        ]
        waiting = f"{counted(self.waiting, 'item')} of a cluster that is not complete yet: not used"
        return "\n  ".join([*lines, waiting] if self.waiting else lines)


class ScoreSequence(ABC):
    """The scores so far, in the order drawn, and the settings. Both are saved as the state."""

    roles: ClassVar[tuple[str, ...]]
    head: ClassVar[Head]

    def __init__(
        self,
        *,
        items_total: int | None = None,
        clusters_total: int | None = None,
        largest_cluster: int | None = None,
        bounds: tuple[float, float] = (0.0, 1.0),
        level: float = 0.95,
        order: ItemOrder | None = None,
    ) -> None:
        if order is not None:
            if (items_total, clusters_total, largest_cluster) != (None, None, None):
                raise InputError(
                    "`order` contains the numbers of items and clusters. Leave out `items_total` and `clusters_total`."
                )
            items_total, clusters_total, largest_cluster = _order_sizes(order)
        if (clusters_total is None) != (items_total is None) and largest_cluster is not None:
            raise InputError(
                "with clusters, give both {parameter} and `clusters_total`, the numbers of a benchmark, or neither for "
                "an infinite population.",
                "items_total",
            )
        if clusters_total is not None and largest_cluster is None:
            raise InputError(
                "{parameter} needs `largest_cluster`, the number of items of the largest cluster.", "clusters_total"
            )
        for name, value in {"items_total": items_total, "largest_cluster": largest_cluster}.items():
            if value is not None:
                check_integer(value, name=name)
        if clusters_total is not None:
            check_integer(clusters_total, name="clusters_total", most=items_total)
        self.items_total, self.clusters_total, self.largest_cluster = items_total, clusters_total, largest_cluster
        self.bounds, self.level, self.order = check_bounds(bounds), check_level(level), order
        self._scores = {role: array("d") for role in self.roles}
        self._items: dict[str, None] = {}
        self._clusters: list[str] = []
        self._cluster_sizes: dict[str, int] = {}
        self._running = RunningTests()
        self._earlier: set[str] = set()  # SHA-256 of each state that was loaded or saved

    def __len__(self) -> int:
        return len(self._scores[self.roles[0]])

    def _add(self, scores: Mapping[str, Any], id: Any, clusters: Any, data: Any) -> None:
        """Add the next items; if one of them is invalid, none is added."""
        others = {role: column for role, column in (("id", id), ("clusters", clusters)) if column is not None}
        columns, named, rows = columns_by_role({**scores, **others}, data, scores=self.roles)
        with rows.locating_errors():
            means = {role: _means_of_runs(columns[role], self.bounds, named[role]) for role in self.roles}
            n = len(means[self.roles[0]])
            for role, values in means.items():
                if len(values) != n:
                    raise InputError(
                        "{parameter} must have a score for each item, as {roles} has; it has {n_values:,}, and "
                        "{roles} has {n:,}.",
                        named[role],
                        roles=self.roles[0],
                        n_values=len(values),
                        n=n,
                    )
            if self.items_total is not None and len(self) + n > self.items_total:
                raise InputError(
                    "there are more items than `items_total`: {n_before:,} came before, these are {n:,}, and the "
                    "benchmark has {items_total:,}.",
                    n_before=len(self),
                    n=n,
                    items_total=self.items_total,
                )
            self._check_given(others)
            items = texts(columns["id"], n, named["id"]) if "id" in columns else []
            refuse_repeated(items, named.get("id", "id"), self._items)
            units = texts(columns["clusters"], n, named["clusters"]) if "clusters" in columns else []
            self._check_order(items, named.get("id", "id"))
            sizes = self._checked_clusters(units)
        for role, values in means.items():
            self._scores[role].extend(values.tolist())
        self._items |= dict.fromkeys(items)
        self._clusters += units
        self._cluster_sizes |= sizes

    def _check_given(self, others: Mapping[str, Any]) -> None:
        if (self.largest_cluster is not None) != ("clusters" in others):
            both_options = "`clusters=...`", "`largest_cluster=...`"
            raise InputError(
                f"{both_options[0]} and {both_options[1]} belong together, because whole clusters are tested and their "
                "largest size must be known. Give both, or neither."
            )
        if self.order is not None and "id" not in others:
            raise InputError("id must name each item, because items must come in the order drawn.")
        if len(self) and bool(self._items) != ("id" in others):
            raise InputError("{parameter} must be given as before: for all items, or for none.", "id")

    def _check_order(self, items: Sequence[str], name: str) -> None:
        if self.order is None:
            return
        due = self.order.rows[len(self) : len(self) + len(items)]
        for row, (item, expected) in enumerate(zip(items, due, strict=True)):
            if item != expected.id:
                raise InputError(
                    "{parameter} must follow the order drawn; {row} is {item!r}, and position {position:,} of "
                    "the order is {id!r}. Evaluate the items in that order.",
                    name,
                    row=row,
                    item=item,
                    position=expected.position,
                    id=expected.id,
                )

    def _checked_clusters(self, units: Sequence[str]) -> dict[str, int]:
        """Return the sizes of the clusters of these items; the first cluster may continue one of earlier items."""
        if self.largest_cluster is None:
            return {}
        starts, lengths = blocks(units)
        last, sizes = self._clusters[-1] if self._clusters else None, dict[str, int]()
        for start, length in zip(starts, lengths, strict=True):
            name, size = units[start], length
            if start == 0 and name == last:
                size += self._cluster_sizes[name]
            elif name in self._cluster_sizes or name in sizes:
                raise InputError(
                    f"the items of a cluster must follow one another; {quote(name)} occurs again after another cluster."
                )
            if size > self.largest_cluster:
                raise InputError(
                    "{parameter} must be the size of the largest cluster; {name!r} has {size:,} items, more than "
                    "{largest_cluster:,}. Begin again with the largest size that is possible.",
                    "largest_cluster",
                    name=name,
                    size=size,
                    largest_cluster=self.largest_cluster,
                )
            sizes[name] = size
        if self.clusters_total is None:
            return sizes
        n_units = len(self._clusters) + len(units)
        n_names = len(self._cluster_sizes) + sum(name not in self._cluster_sizes for name in sizes)
        if n_names > self.clusters_total or (n_units == self.items_total and n_names < self.clusters_total):
            raise InputError(
                "{parameter} must be the number of clusters of all items; it is {clusters_total:,}, and "
                "these {n_units:,} items are in {n_names:,}.",
                "clusters_total",
                clusters_total=self.clusters_total,
                n_units=n_units,
                n_names=n_names,
            )
        return sizes

    @abstractmethod
    def _values(self) -> Floats:
        """The values between 0 and 1 whose mean is tested."""

    def _units(self) -> Units:
        """The complete units."""
        values = self._values()
        if self.largest_cluster is None:
            return Units(values, np.ones(len(values)), 1.0, self.items_total)
        sizes = np.array(list(self._cluster_sizes.values()), dtype=np.int64)
        starts = np.cumsum(sizes) - sizes
        whole = len(self) == self.items_total or (len(sizes) > 0 and sizes[-1] == self.largest_cluster)
        kept = len(sizes) - (0 if whole or not len(sizes) else 1)
        sums = np.add.reduceat(values, starts)[:kept] if len(starts) else values
        return Units(sums, sizes[:kept].astype(np.float64), float(self.largest_cluster), self.clusters_total)

    def _state(self) -> dict[str, Any]:
        order = None
        if self.order is not None:
            order = [[item.id, item.cluster] for item in self.order.rows], dict(self.order.recipe)
        return {
            "settings": self._settings(),
            "order": order,
            "scores": {role: scores.tolist() for role, scores in self._scores.items()},
            "id": list(self._items) or None,
            "clusters": self._clusters or None,
        }

    def _settings(self) -> dict[str, Any]:
        return {
            "items_total": self.items_total,
            "clusters_total": self.clusters_total,
            "largest_cluster": self.largest_cluster,
            "bounds": self.bounds,
            "level": self.level,
        }

    @property
    def recipe(self) -> dict[str, Any]:
        """The settings, and the version."""
        drawn = {} if self.order is None else {"order_seed": self.order.recipe["seed"]}
        return {"method": BETTING, **self._settings(), **drawn, "howsure": __version__}

    def save(self, path: Place) -> None:
        """Write the state to a file atomically: a new file, or one with an earlier state of this sequence.

        Raises InputError if the file contains anything else, such as a state that another process saved.
        """
        text = SavedState(self.head, AGAIN).text(self._state()).encode()
        save_later(text, path, earlier=self._earlier, like=LIKE)

    @classmethod
    def load(cls, path: Place) -> Self:
        """Read the state from a file.

        Raises InputError if the file does not exist, was changed or truncated, or has another version.
        """

        def parsed(content: bytes) -> Any:
            with SavedState(cls.head, AGAIN).content(content) as state:
                sequence = cls._from_state(state)
                sequence.status()
            sequence._earlier.add(sha256(content))
            return sequence

        loaded: Self = load(path, parsed, like=LIKE, what=cls.head.what)
        return loaded

    @classmethod
    def _from_state(cls, state: Mapping[str, Any]) -> Self:
        settings, scores = dict(state["settings"]), dict(state["scores"])
        expected = cls()._state()["settings"]
        if settings.keys() != expected.keys() or scores.keys() != set(cls.roles):
            raise ValueError(f"its settings are {', '.join(expected)}, and its scores {', '.join(cls.roles)}")
        if state["order"] is not None:
            for name in ("items_total", "clusters_total", "largest_cluster"):
                del settings[name]
            settings["order"] = _order_of_state(*state["order"])
        sequence = cls(**settings)
        if any(map(len, scores.values())):
            sequence._add(scores, state["id"], state["clusters"], None)
        return sequence

    @abstractmethod
    def _asked(self) -> tuple[float, float, tuple[str, str, str]]:
        """Return the limit, the probability that each verdict is ever wrong, and the names of the three verdicts.

        The names are those for "above the limit", "below the limit" and "undecided".
        """

    def _status(self, **means: Any) -> SequentialStatus:
        test = self.test()
        units, outcome = test.verdict(*self._asked())
        low, high = test.bounds((1 - self.level) / 2)
        sizes = test.units.sizes
        n = int(sizes.sum())
        return SequentialStatus(
            outcome=outcome,
            decided_after=None if units is None else int(sizes[:units].sum()),
            n=n,
            waiting=len(self) - n,
            items_total=self.items_total,
            estimate=Estimate(test.value, low, high, level=self.level, method=BETTING, n=n),
            mean_of=self.mean_of,
            recipe=self.recipe,
            **means,
        )

    def test(self) -> BettingMean:
        """The tests of the mean, or of the difference."""
        return BettingMean(self._units(), self._within, self._running)

    @property
    def mean_of(self) -> str:
        """The population whose mean the verdict is about."""
        if self.items_total is None:
            return "the mean of the population from which the items are drawn"
        return f"the mean of these {self.items_total:,} items, over the runs evaluated"

    @property
    def _within(self) -> tuple[float, float]:
        return self.bounds

    @abstractmethod
    def status(self) -> SequentialStatus:
        """The verdict and the estimate so far."""

    @property
    def outcome(self) -> str:
        """The verdict so far."""
        return self.test().verdict(*self._asked())[1]

    @property
    def interval(self) -> tuple[float, float]:
        """The interval so far; the intervals at all times hold simultaneously with probability `level`."""
        estimate = self.status().estimate
        return float(estimate.low or 0.0), float(estimate.high or 0.0)

    def __repr__(self) -> str:
        return self.status().text()


def blocks(names: Sequence[str]) -> tuple[list[int], list[int]]:
    """Return the start and the length of each run of equal names."""
    starts = [i for i, name in enumerate(names) if i == 0 or name != names[i - 1]]
    return starts, [end - start for start, end in zip(starts, [*starts[1:], len(names)], strict=True)]


def _order_of_state(items: Sequence[tuple[str, str | None]], recipe: Mapping[str, Any]) -> ItemOrder:
    """Return the order in a saved state; ValueError unless all items have names, and all or none have clusters."""
    kinds = {type(name) for name, _ in items}, {type(cluster) for _, cluster in items}
    if kinds not in (({str}, {str}), ({str}, {type(None)})) or not isinstance(recipe["seed"], int | str | None):
        raise ValueError("an order has the names of its items, and a seed")
    return ItemOrder(rows=tuple(OrderedItem(i, *item) for i, item in enumerate(items, 1)), recipe=recipe)


def _order_sizes(order: ItemOrder) -> tuple[int, int | None, int | None]:
    """Return the numbers of items and clusters of an order, and the size of its largest cluster."""
    if not isinstance(order, ItemOrder):
        raise InputError("`order=...` must come from howsure.draw_order; it is a {order}.", order=type(order))
    names = [item.cluster for item in order.rows]
    if names[0] is None:
        return len(order.rows), None, None
    sizes = blocks([str(name) for name in names])[1]
    return len(order.rows), len(sizes), max(sizes)


def _means_of_runs(scores: Any, bounds: tuple[float, float], name: str) -> Floats:
    """Return the mean score of each item over its runs; raise InputError for a score outside the bounds."""
    runs = np.asarray(scores).T if np.ndim(scores) == 2 else [scores]
    return np.asarray(np.mean([checked_scores(run, name, bounds=bounds) for run in runs], axis=0))


def checked_scores(
    scores: Any, name: str, *, n: int | None = None, bounds: tuple[float, float] | None = None
) -> Floats:
    """Check that scores are finite numbers within the bounds, and return them.

    Raises InputError naming the row and the value.
    """
    values = check_numbers(scores, name=name, n=n)
    check_finite(values, name=name)
    if bounds is not None:
        check_within(values, bounds, name=name)
    return values
