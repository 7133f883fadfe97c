"""`SequentialComparison`, `SequentialScore`: add scores in the order drawn; the verdict is valid after each item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from howsure.errors import InputError, quote
from howsure.files.serialization import Head
from howsure.inputs.frames import Source
from howsure.inputs.numbers_and_names import is_number
from howsure.inputs.pairs import Floats
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.sequential.evaluation_order import ItemOrder
from howsure.sequential.sequence import AGAIN, ScoreSequence, SequentialStatus
from howsure.stats.betting import Units

UNDECIDED, CANNOT_TELL = "undecided", "cannot tell"


class SequentialComparison(ScoreSequence):
    """A comparison of two models that is valid after each item: add their scores in the order drawn, and stop at any
    time.

    The items must come in random order (`draw_order`), not in the order of a file or of arriving answers. With
    probability at least `level`, no verdict is ever wrong, and the interval contains the true difference, first -
    second, at all times. The tests are the betting tests of Waudby-Smith & Ramdas (2024).

    items_total: the number of items of the benchmark; the verdict is then about their mean. Without it, the verdict is
    about the mean of an infinite population.
    clusters_total: the number of clusters of the benchmark.
    largest_cluster: the size of the largest cluster; a cluster counts as a whole once it is complete.
    bounds: the lowest and the highest possible score.
    level: 1 minus the probability that a verdict is ever wrong.
    order: the order drawn (`draw_order`), which replaces the three numbers above; items out of order are refused.

    >>> comparison = SequentialComparison(items_total=1000)
    >>> comparison.add([1, 1, 1, 0, 1] * 8, [0, 0, 1, 0, 0] * 8)
    >>> comparison
    first: 40 items of 1,000, decided after 12
      difference of means 0.6000 [0.3353, 0.8071] (first 0.8000, second 0.2000)
      the verdict is about the mean of these 1,000 items, over the runs evaluated
      the 95% interval is valid however often you look

    Raises InputError for a setting that cannot be.
    """

    roles = "first", "second"
    head = Head(
        "howsure sequential comparison",
        2,
        ("kind", "version"),
        "the state of a comparison",
        "this is not the state of a comparison. Name the file that SequentialComparison.save wrote.",
        AGAIN,
    )

    def add(
        self,
        first: ArrayLike | str,
        second: ArrayLike | str,
        *,
        id: ArrayLike | str | None = None,
        clusters: ArrayLike | str | None = None,
        data: Source | IntoFrame | None = None,
    ) -> None:
        """Add the scores of both models on the next items, (n,) or, with several runs of each item, (n, runs).

        first, second: the scores. id: the items, each once. clusters: the cluster of each item. data: a data frame or
        files, whose columns the other arguments name.

        Raises InputError naming the row and the value; the comparison then remains unchanged.
        """
        self._add({"first": first, "second": second}, id, clusters, data)

    @property
    def _within(self) -> tuple[float, float]:
        width = self.bounds[1] - self.bounds[0]
        return -width, width

    def _values(self) -> Floats:
        differences = np.array(self._scores["first"]) - np.array(self._scores["second"])
        return np.asarray((differences / (self.bounds[1] - self.bounds[0]) + 1) / 2)

    def status(self) -> SequentialStatus:
        """The verdict and the estimate so far."""
        n = int(self._units().sizes.sum())
        means = {role: float(np.mean(self._scores[role][:n])) if n else np.nan for role in self.roles}
        return self._status(**means)

    def _asked(self) -> tuple[float, float, tuple[str, str, str]]:
        return 0.0, (1 - self.level) / 2, ("first", "second", UNDECIDED)


class SequentialScore(ScoreSequence):
    """A test of a mean score against a limit that is valid after each item: add scores in the order drawn.

    The outcome is "pass" if the mean is above `min_score`, and "fail" if it is below. The probability of ever
    passing a mean below the limit is at most 1 - level, and so is that of failing a mean above it. Without a limit
    there is only the interval. The other settings are those of `SequentialComparison`.

    min_score: the limit.
    predicted: the predicted score of each item of the benchmark, by the item's name, such as the mean score of other
    models on it. Predictions must be fixed beforehand, without answers of this model. The better they are, the fewer
    items are needed; verdicts are valid even if predictions are bad. Items are named by `id`.

    >>> score = SequentialScore(min_score=0.8)
    >>> score.add([1] * 60)
    >>> score.outcome, score.status().decided_after
    ('pass', 22)

    Raises InputError for a setting that cannot be.
    """

    roles = ("score",)
    head = Head(
        "howsure sequential score",
        2,
        ("kind", "version"),
        "the state of a score",
        "this is not the state of a score. Name the file that SequentialScore.save wrote.",
        AGAIN,
    )

    def __init__(
        self,
        *,
        min_score: float | None = None,
        predicted: Mapping[str, float] | None = None,
        items_total: int | None = None,
        clusters_total: int | None = None,
        largest_cluster: int | None = None,
        bounds: tuple[float, float] = (0.0, 1.0),
        level: float = 0.95,
        order: ItemOrder | None = None,
    ) -> None:
        if predicted is not None and not (hasattr(predicted, "items") and len(predicted)):
            raise InputError(
                "predicted must map every item of the benchmark to its predicted score, such as "
                f"{{'q1': 0.9, 'q2': 0.4}}; it is {quote(predicted)}."
            )
        if predicted is not None and items_total is None and order is None:
            items_total = len(predicted)
        super().__init__(
            items_total=items_total,
            clusters_total=clusters_total,
            largest_cluster=largest_cluster,
            bounds=bounds,
            level=level,
            order=order,
        )
        if min_score is not None and not (is_number(min_score) and self.bounds[0] < min_score < self.bounds[1]):
            raise InputError(
                f"`min_score` must be between the bounds, {self.bounds[0]:g} and {self.bounds[1]:g}; "
                f"it is {min_score!r}."
            )
        self.min_score = min_score
        self.predicted = None if predicted is None else self._checked_predictions(predicted)

    def _checked_predictions(self, predicted: Mapping[str, float]) -> dict[str, float]:
        if self.largest_cluster is not None:
            raise InputError("predicted is for items without clusters; leave it out.")
        predictions = {str(item): value for item, value in predicted.items()}
        if len(predictions) != self.items_total:
            raise InputError(
                f"predicted must have a score for each of the {self.items_total:,} items of the benchmark; it has "
                f"{len(predictions):,}."
            )
        for item, value in predictions.items():
            if not (is_number(value) and self.bounds[0] <= value <= self.bounds[1]):
                low, high = self.bounds
                raise InputError(
                    f"predicted scores must be between {low:g} and {high:g}; that of {quote(item)} is {value!r}."
                )
        self._check_predicted([item.id for item in self.order.rows] if self.order else [], predictions)
        return {item: float(value) for item, value in predictions.items()}

    def _check_predicted(self, items: Sequence[str], predicted: Mapping[str, float]) -> None:
        unknown = [item for item in items if item not in predicted]
        if unknown:
            raise InputError(f"predicted must have a score for every item; it has none for {quote(unknown[0])}.")

    def _check_given(self, others: Mapping[str, Any]) -> None:
        super()._check_given(others)
        if self.predicted is not None and "id" not in others:
            raise InputError("id must name each item, because `predicted` has the predictions by name of the item.")

    def _check_order(self, items: Sequence[str], name: str) -> None:
        super()._check_order(items, name)
        if self.predicted is not None:
            self._check_predicted(items, self.predicted)

    def _units(self) -> Units:
        units = super()._units()
        if self.predicted is None:
            return units
        every = self._scaled(list(self.predicted.values()))
        so_far = self._scaled([self.predicted[item] for item in self._items])
        return replace(units, predicted=so_far, of_all=(float(every.mean()), float(every.min()), float(every.max())))

    def _state(self) -> dict[str, Any]:
        state = super()._state()
        return {**state, "settings": {**state["settings"], "predicted": self.predicted}}

    @property
    def recipe(self) -> dict[str, Any]:
        """The settings, and the version."""
        return {**super().recipe, **({} if self.predicted is None else {"predicted": True})}

    def _settings(self) -> dict[str, Any]:
        return {"min_score": self.min_score, **super()._settings()}

    def add(
        self,
        score: ArrayLike | str,
        *,
        id: ArrayLike | str | None = None,
        clusters: ArrayLike | str | None = None,
        data: Source | IntoFrame | None = None,
    ) -> None:
        """Add the scores of the next items, as in `SequentialComparison.add`."""
        self._add({"score": score}, id, clusters, data)

    def _values(self) -> Floats:
        return self._scaled(self._scores["score"])

    def _scaled(self, values: Sequence[float]) -> Floats:
        return np.asarray((np.array(values, np.float64) - self.bounds[0]) / (self.bounds[1] - self.bounds[0]))

    def status(self) -> SequentialStatus:
        """The verdict and the estimate so far."""
        return self._status()

    def _asked(self) -> tuple[float, float, tuple[str, str, str]]:
        if self.min_score is None:
            return self.bounds[0], (1 - self.level) / 2, (UNDECIDED,) * 3
        return self.min_score, 1 - self.level, ("pass", "fail", CANNOT_TELL)
