"""A metric: statistics of each row, and a function of the sums of these statistics."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from howsure.errors import InputError
from howsure.inputs.numbers_and_names import unknown_name

if TYPE_CHECKING:
    from howsure.significance.systems import Problem

Floats = npt.NDArray[np.float64]
DOCUMENT = "document"  # the task of metrics of documents (entities, label sets, rankings, texts)
CONTENT_OF_TASK = {
    "hard": "labels",
    "soft": "distributions of labels",
    "probabilistic": "probabilities",
    "score": "scores",
    DOCUMENT: "documents",
}
TASKS = tuple(CONTENT_OF_TASK)


class Rows(Hashable, Protocol):
    """A function of (targets, predictions, problem) that returns the statistics of each row, (rows, statistics)."""

    def __call__(self, targets: Any, predictions: Any, problem: Problem, /) -> Floats: ...


@dataclass(frozen=True, slots=True)
class Quotient:
    """A metric of one class as a ratio of linear combinations of its counts (correct, predicted, true)."""

    above: tuple[int, int, int]
    below: tuple[int, int, int]

    def values(self, counts: Floats) -> Floats:
        """The metric (…, classes) from counts (…, 3, classes); NaN where the denominator is 0."""
        return ratio(combination(counts, self.above), combination(counts, self.below))

    def slopes(self, counts: Floats, values: Floats) -> Floats:
        """The derivatives with respect to the counts: (…, 3, classes); 0 where the denominator is 0."""
        below = combination(counts, self.below)[..., None, :]
        change = np.array(self.above)[:, None] - values[..., None, :] * np.array(self.below)[:, None]
        return np.asarray(np.where(below == 0, 0.0, change / np.where(below == 0, 1.0, below)))


def combination(counts: Floats, coefficients: tuple[int, int, int]) -> Floats:
    """The linear combination of the counts (…, 3, classes) of correct, predicted and true: (…, classes)."""
    terms = [
        counts[..., column, :] if coefficient == 1 else coefficient * counts[..., column, :]
        for column, coefficient in enumerate(coefficients)
        if coefficient
    ]
    return np.asarray(sum(terms[1:], start=terms[0]))


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric: a function of sums of statistics over rows, so that resampling needs only one matrix product.

    rows(targets, predictions, problem): returns k statistics of each row, (n, k). value(sums): computes the metric
    (...) from sums (..., k); NaN if it is undefined. Duplicating all rows must not change the value: add a final column
    of ones and divide by its sum, as a mean does. scale_free: False for a metric that corrects for the number of rows;
    such metrics cannot be added up over runs.

    task: the type of targets and predictions. "hard": both are codes of labels (n,). "soft": both are distributions (n,
    K). "probabilistic": targets are codes (n,); predictions are probabilities (n, K), or (n, 1) if only the
    probabilities of one class are given. "score": targets are zeros and predictions are scores, both (n, 1).
    "document": both are the contents of the documents (n,).

    best: the value of a perfect system; None if it depends on the targets. bounds: the lowest and highest possible
    value (for a mean, of each row); the highest is infinite if only the lowest is known; None if unknown. worst: for
    error rates without an upper bound, the value of entirely wrong rows; otherwise None. score: a function that returns
    the score of each row, higher is better; it is used for the proportion of rows on which a model is better.
    sizes(statistics, times): the size of each row, (n, k) to (n,), such as its number of words, where each row stands
    for several equal ones (`times`); None if all rows have the same size. slopes(sums): derivatives of the value with
    respect to the sums, (…, k) to (…, k); by default, finite differences are used. tested: another metric that is
    tested instead, if this metric is a non-decreasing function of it. infinite_at_zero: whether a row's score is
    infinite if its label has probability 0. class_ratio: for a macro average, the ratio of counts that is averaged over
    classes. pooled_ratio: for one class or a micro average, the ratio of its counts. Metrics with the same `rows` share
    its computation.

    A user-defined metric (the mean absolute error of numeric labels):

    >>> def rows(targets, predictions, problem):
    ...     values = np.asarray(problem.labels, dtype=float)
    ...     errors = np.abs(values[targets] - values[predictions])
    ...     return np.stack([errors, np.ones_like(errors)], axis=-1)
    >>> error = Metric("absolute_error", "hard", rows, mean, higher_is_better=False, best=0.0)
    >>> from howsure.significance.comparison import compare
    >>> print(compare([1, 2, 3, 5], [1, 2, 5, 5], [1, 2, 3, 4], metrics=[error])[0].difference)
    -0.25
    """

    name: str
    task: str
    rows: Rows
    value: Callable[[Floats], Floats]
    higher_is_better: bool = True
    best: float | None = None
    bounds: tuple[float, float] | None = None
    score: Callable[[Any, Any, Problem], Floats] | None = None
    scale_free: bool = True
    slopes: Callable[[Floats], Floats] | None = None
    tested: Metric | None = None
    infinite_at_zero: bool = False
    sizes: Callable[..., Floats] | None = None
    worst: float | None = None
    class_ratio: Quotient | None = None
    pooled_ratio: Quotient | None = None

    @property
    def is_mean(self) -> bool:
        """Whether the value is the mean of a statistic of each row."""
        return self.value is mean

    @property
    def sign(self) -> int:
        """1 if higher is better, else -1."""
        return 1 if self.higher_is_better else -1

    @property
    def possible_range(self) -> tuple[float, float] | None:
        """The lowest and the highest possible value; None unless the lowest is known."""
        return self.bounds if self.bounds is not None and math.isfinite(self.bounds[0]) else None


def mean(sums: Floats) -> Floats:
    """The first sum divided by the last: the mean of a statistic, if the last column consists of ones.

    >>> mean(np.array([[3.0, 4.0], [1.0, 4.0]])).tolist()
    [0.75, 0.25]
    """
    return ratio(sums[..., 0], sums[..., -1])


def mean_loss(
    name: str,
    task: str,
    losses: Callable[[Any, Any], Floats],
    *,
    best: float | None = 0.0,
    bounds: tuple[float, float] | None = None,
    infinite_at_zero: bool = False,
) -> Metric:
    """A metric that is the mean of `losses(targets, predictions)` (n,), where lower is better."""

    def rows(targets: Any, predictions: Any, problem: Problem, /) -> Floats:
        values = losses(targets, predictions)
        return np.stack([values, np.ones_like(values)], axis=-1)

    def score(targets: Any, predictions: Any, problem: Problem) -> Floats:
        return -losses(targets, predictions)

    return Metric(
        name,
        task,
        rows,
        mean,
        higher_is_better=False,
        best=best,
        bounds=bounds,
        score=score,
        infinite_at_zero=infinite_at_zero,
    )


def ratio(above: Floats, below: Floats) -> Floats:
    """above / below, NaN where below is 0; without warnings."""
    empty = below == 0
    quotient: Floats = above / np.where(empty, np.nan, below) if np.any(empty) else above / below
    return quotient


_known: dict[tuple[str, str], Metric] = {}
_families: dict[str, Callable[[int], Metric]] = {}


def register(metric: Metric) -> Metric:
    """Register a metric, so that it can be requested by name.

    Raises InputError for an unknown task or a name that is already used for the task.
    """
    if metric.task not in TASKS:
        raise InputError(
            f"the task of a metric must be one of {', '.join(TASKS)}; the task of {metric.name} is {metric.task!r}."
        )
    if _known.setdefault((metric.task, metric.name), metric) != metric:
        raise InputError(
            f"a metric {metric.name!r} of {CONTENT_OF_TASK[metric.task]} already exists. Choose another name."
        )
    return metric


def register_family(name: str, make: Callable[[int], Metric]) -> None:
    """Register metrics that are requested as name@k; each is created on request, and k = 10 immediately."""
    _families[name] = make
    register(make(10))


def _registered_name(name: str) -> str:
    """Create the metric if the name is name@k of a registered family and does not exist yet; return the name."""
    family, _, k = name.partition("@")
    if family in _families and k.isdecimal() and int(k) > 0 and not any(name == other for _, other in _known):
        register(_families[family](int(k)))
    return name


def metric_names(task: str) -> tuple[str, ...]:
    """The names of the metrics for predictions of one kind.

    >>> metric_names("soft")[:2]
    ('cross_entropy', 'clipped_cross_entropy')
    """
    return tuple(name for kind, name in _known if kind == task)


def find_metric(name: str, task: str) -> Metric:
    if (task, _registered_name(name)) in _known:
        return _known[task, name]
    others = [kind for kind, other in _known if other == name]
    if others:
        raise InputError(
            f"{name} is a metric of {CONTENT_OF_TASK[others[0]]}, but these predictions are {CONTENT_OF_TASK[task]}. "
            f"Choose one of {', '.join(metric_names(task))}."
        )
    names, place = metric_names(task), f"the metrics of {CONTENT_OF_TASK[task]}"
    raise unknown_name("metric", name, names, place=place, limit=len(names))


def tasks_of_metrics(names: Iterable[str | Metric]) -> set[str]:
    tasks = set()
    for metric in names:
        name = "" if isinstance(metric, Metric) else _registered_name(metric)
        tasks |= {metric.task} if isinstance(metric, Metric) else {kind for kind, other in _known if other == name}
    return tasks
