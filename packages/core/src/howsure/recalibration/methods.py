"""Methods of recalibration by name, maps for all rows or for each group, and the automatic choice of a method."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from howsure.calibration.scores import is_certain
from howsure.errors import InputError, Parameter
from howsure.inputs.numbers_and_names import counted, shortened, unknown_name
from howsure.inputs.pairs import Floats, Integers
from howsure.notes import marked_note
from howsure.recalibration.binary_maps import BINS, Beta, Histogram, Isotonic, Platt, Temperature, Unchanged, VennAbers
from howsure.recalibration.class_maps import ClassTemperature, Dirichlet, Ordered, Vector
from howsure.recalibration.map_base import ProbabilityMap
from howsure.recalibration.map_input import Labelled, Scores, assign_folds, label_probabilities, rows_of_all
from howsure.show.table import TABLE, WORDS, Column, digits

# The methods by name.

AUTO = "auto"
PENALTIES = (1e-1, 1e-2, 1e-3, 1e-4)  # penalties of Dirichlet calibration, tried by cross-fitting
SHRINKAGES = (1e3, 1e2, 1e1, 1.0)  # penalties that shrink Platt maps of groups, tried by cross-fitting


BINARY: dict[str, Any] = {  # in the order of flexibility, the least flexible first
    kind.method: kind for kind in (Unchanged, Temperature, Platt, Beta, VennAbers, Isotonic, Histogram)
}
OF_CLASSES: dict[str, Any] = {kind.method: kind for kind in (Unchanged, ClassTemperature, Vector, Dirichlet, Ordered)}
SYNONYMS = {"matrix": "dirichlet", "identity": "none", "sigmoid": "platt"}
METHODS = (AUTO, *dict.fromkeys([*BINARY, *OF_CLASSES]))


@dataclass(frozen=True, slots=True)
class Method:
    """A method with its setting: the number of bins, or the penalty."""

    name: str
    n_bins: int = BINS
    penalty: float | None = None

    def __str__(self) -> str:
        return self.name if self.penalty is None else f"{self.name} (penalty {self.penalty:g})"

    def fit(self, data: Labelled) -> ProbabilityMap:
        """Fit a map to the rows.

        Raises InputError if the method has no optimal map for these rows.
        """
        kind = map_types(data.is_binary)[self.name]
        options: dict[str, Any] = {"n_bins": self.n_bins} if self.name == Histogram.method else {}
        options |= {} if self.penalty is None else {"penalty": self.penalty}
        fitted_map: ProbabilityMap = kind.fit(data, **options)
        return fitted_map


def map_types(binary: bool) -> dict[str, Any]:
    """The class of each map by its method; `binary` maps have one probability per row, the others several classes."""
    return BINARY if binary else OF_CLASSES


def candidates(method: object, *, binary: bool, n_bins: int = BINS, penalty: float | None = None) -> tuple[Method, ...]:
    """The methods among which to choose. There is only one, unless `method` is "auto" or a penalty must be chosen."""
    methods = map_types(binary)
    name = SYNONYMS.get(str(method), str(method))
    if name not in METHODS:
        raise unknown_name("method", name, METHODS, place="howsure.recalibrate")
    if name != AUTO and name not in methods:
        rows = "one probability per row" if binary else "several classes"
        other = ", ".join(methods)
        raise InputError(
            "{method} cannot be used for {rows}. Use one of auto, {other}.",
            method=Parameter("method", name),
            rows=rows,
            other=other,
        )
    check_options([name], n_bins, penalty)
    several = PENALTIES if penalty is None else (penalty,)
    return tuple(
        Method(method, n_bins=n_bins, penalty=penalty_tried)
        for method in ([method for method in methods if method != Ordered.method] if name == AUTO else [name])
        for penalty_tried in (several if method == Dirichlet.method else (None,))
    )


def shrunk_candidates(method: str) -> tuple[Method, ...]:
    """Return the candidates for small groups: "none", and Platt scaling with each strength of shrinkage, strongest
    first.

    Shrinkage moves the map of a group towards the map of all rows.
    """
    name = SYNONYMS.get(str(method), str(method))
    if name not in (AUTO, Platt.method):
        raise InputError(
            "`small_groups='shrunk'` is for `method='platt'` or auto; with {method}, use pooled.",
            method=Parameter("method", name),
        )
    unchanged = [Method(Unchanged.method)] if name == AUTO else []
    return (*unchanged, *(Method(Platt.method, penalty=penalty) for penalty in SHRINKAGES))


def check_options(methods: Sequence[str], n_bins: int, penalty: float | None) -> None:
    """Raise InputError for invalid bins or penalties, or if none of the methods uses them."""
    names = [SYNONYMS.get(str(method), str(method)) for method in methods]
    named = Parameter("method", ",".join(names))
    if isinstance(n_bins, bool) or not isinstance(n_bins, (int, np.integer)) or not 1 <= n_bins <= 100_000:
        raise InputError(
            "{parameter} must be a whole number from 1 to 100,000; it is {n_bins!r}.", "n_bins", n_bins=n_bins
        )
    if n_bins != BINS and not {AUTO, Histogram.method} & set(names):
        raise InputError(
            "{parameter} is for `method='histogram'`; with {named}, leave `n_bins` out.", "n_bins", named=named
        )
    if penalty is None:
        return
    if isinstance(penalty, bool) or not isinstance(penalty, (int, float)) or not 0 < penalty < float("inf"):
        raise InputError(f"penalty must be a finite number above 0; it is {penalty!r}. For example, write 0.001.")
    if not {AUTO, Dirichlet.method} & set(names):
        raise InputError("penalty is for `method='dirichlet'`; with {named}, leave penalty out.", named=named)


# A map of all rows, or one for each group; and the rows of each fold by the maps of the other folds.

MIN_SHARE = 1e-12  # minimum proportion of the weight for the rarer label
MIN_ROWS = (
    20  # minimum number of rows of each label in a group; with several classes, of right and of wrong top classes
)
ERROR: Final = "error"
POOLED: Final = "pooled"
SHRUNK: Final = "shrunk"


@dataclass(frozen=True, slots=True)
class Fitted:
    """Fitted maps: one for each of the groups `names`, or one for all rows.

    small: groups with too few rows, which use `of_all`, the map of all rows.
    """

    maps: tuple[ProbabilityMap, ...]
    names: tuple[str, ...] = ()
    of_all: ProbabilityMap | None = None
    small: tuple[str, ...] = ()

    def group_map(self, name: str) -> ProbabilityMap:
        if name in self.small:
            assert self.of_all is not None
            return self.of_all
        return self.maps[self.names.index(name)]

    def apply(self, scores: Scores, groups: Integers | None, names: Sequence[str]) -> Floats:
        """Return the recalibrated probabilities of rows; `groups` are the indices of their groups in `names`."""
        if not self.names and not self.small:
            return self.maps[0].apply(scores)
        assert groups is not None
        probabilities = np.empty_like(scores.probabilities)
        for code, name in enumerate(names):
            rows = np.flatnonzero(groups == code)
            if len(rows):
                probabilities[rows] = self.group_map(name).apply(scores.select(rows))
        return probabilities


def fit(data: Labelled, method: Method, small: Sequence[str] = ()) -> Fitted:
    """Fit one map for all rows, or one per group; groups in `small` use the map of all rows.

    Raises InputError if the method has no optimal map for the rows of a group.
    """
    if data.groups is None:
        return Fitted((method.fit(data),))
    if method.name == Platt.method and method.penalty is not None:
        of_all, penalty = Platt.fit(data), method.penalty
        own_rows = [data.select(np.flatnonzero(data.groups == code)) for code in range(len(data.group_names))]
        return Fitted(tuple(of_all.shrunk(rows, penalty) for rows in own_rows), data.group_names)
    own_maps = tuple(name for name in data.group_names if name not in small)
    return Fitted(
        tuple(_fit_group(data, method, name) for name in own_maps),
        own_maps,
        method.fit(data) if small else None,
        tuple(small),
    )


def out_of_fold(
    data: Labelled,
    fold: Integers,
    fitted_to: Callable[[Labelled], Fitted],
    *,
    advance: Callable[[int], None] = lambda steps: None,
) -> Floats:
    """The recalibrated probabilities of all rows, each by the map that `fitted_to` fits to the rows of other folds."""
    probabilities = np.empty_like(data.scores.probabilities)
    for number in range(int(fold.max()) + 1):
        rows = np.flatnonzero(fold == number)
        others = np.flatnonzero(fold != number)
        held_out = data.select(rows)
        with rows_of_all(others):
            fitted = fitted_to(data.select(others))
        probabilities[rows] = fitted.apply(held_out.scores, held_out.groups, held_out.group_names)
        advance(1)
    return probabilities


def check_fit(data: Labelled) -> None:
    """Raise InputError if no map can be fitted: only one label occurs, or one label has nearly all of the weight."""
    counts = np.bincount(data.labels[data.weight > 0], minlength=data.k)
    if (counts > 0).sum() > 1:
        share = np.bincount(data.labels, data.weight, minlength=data.k) / data.weight.sum()
        if np.sort(share)[-2] < MIN_SHARE:
            raise InputError(
                "{parameter} leaves only {share:.0e} of the total weight for the labels other than {label!r}. Is it a "
                "weight?",
                "sample_weight",
                label=data.label_names()[int(share.argmax())],
                share=np.sort(share)[-2],
            )
        return
    label = data.label_names()[int(counts.argmax())]
    raise InputError(
        "{parameter} must contain two labels or more; all of {counted} have {label!r}. Probabilities cannot be "
        "recalibrated with a single class.",
        "y_true",
        counted=counted(len(data), "row"),
        label=label,
    )


def small_groups(data: Labelled, how: str) -> tuple[str, ...]:
    """Return the groups with too few rows for their own map, which use the map of all rows."""
    if how not in (ERROR, POOLED, SHRUNK):
        raise unknown_name("small_groups", str(how), (ERROR, POOLED, SHRUNK), place="howsure.recalibrate")
    if data.groups is None or how == SHRUNK:
        return ()
    labels = data.labels
    if not data.is_binary:
        labels = (data.scores.probabilities.argmax(axis=1) == labels).astype(np.int64)
    weighs = data.weight > 0
    rows = np.bincount(data.groups[weighs] * 2 + labels[weighs], minlength=2 * len(data.group_names)).reshape(-1, 2)
    least = rows.min(axis=1)
    too_small = tuple(name for name, number in zip(data.group_names, least, strict=True) if number < MIN_ROWS)
    if too_small and how == ERROR:
        label = "each label" if data.is_binary else "right and of wrong answers"
        raise InputError(
            "groups must have {least_rows} rows of {label} for a map of their own; {shortened} have "
            "fewer ({too_small!r}: {least}). Leave these groups out, or use `small_groups='pooled'` to give "
            "them the map of all rows.",
            least_rows=MIN_ROWS,
            label=label,
            shortened=shortened(map(repr, too_small)),
            too_small=too_small[0],
            least=int(least[data.group_names.index(too_small[0])]),
        )
    return too_small


def _fit_group(data: Labelled, method: Method, name: str) -> ProbabilityMap:
    assert data.groups is not None
    rows = np.flatnonzero(data.groups == data.group_names.index(name))
    with rows_of_all(rows, before=f"group {name!r}: "):
        return method.fit(data.select(rows))


# The choice of a method: the simplest whose cross-fitted log loss is within one standard error of the best.


@dataclass(frozen=True, slots=True)
class Candidate:
    """The result of a method in the automatic choice.

    log_loss: the cross-fitted log loss; None if it is infinite or no map was fitted. above: the difference from the
    smallest log loss, with its standard_error. refused: why no map was fitted, else None. taken: whether the method was
    chosen.
    """

    method: str
    log_loss: float | None
    above: float | None
    standard_error: float | None
    refused: str | None = None
    taken: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """The method that was chosen among the candidates, and the time that the choice took in seconds."""

    method: Method
    candidates: tuple[Candidate, ...]
    seconds: float | None = None

    @property
    def is_possible(self) -> bool:
        """Whether any map could be fitted."""
        return any(not candidate.refused for candidate in self.candidates if candidate.method != Unchanged.method)

    def columns(self) -> list[Column]:
        """The result of each candidate, for tables."""
        of = self.candidates
        marks = ["taken" if candidate.taken else None for candidate in of]
        return [
            Column("method", WORDS, values=[candidate.method for candidate in of], only=TABLE),
            Column("log loss", digits(5), values=[candidate.log_loss for candidate in of], only=TABLE),
            Column("above the least", digits(5), values=[candidate.above for candidate in of], only=TABLE),
            Column("standard error", digits(5), values=[candidate.standard_error for candidate in of], only=TABLE),
            Column("choice", WORDS, values=marks, only=TABLE),
        ]


def choose_method(
    data: Labelled,
    methods: Sequence[Method],
    *,
    folds: int,
    small: Sequence[str],
    rng: np.random.Generator,
    advance: Callable[[int], None] = lambda steps: None,
) -> Choice:
    """Choose the first method whose cross-fitted log loss is at most one standard error above the smallest.

    methods: in order of flexibility, "none" first. The standard error is the standard error of the paired difference,
    by clusters. The log loss of the chosen method is slightly too low, because the method was selected by it;
    `evaluate_recalibration` cross-fits the choice too and gives an unbiased value.
    """
    started = time.perf_counter()
    is_shrunk = any(method.name == Platt.method and method.penalty is not None for method in methods)
    fold = assign_folds(replace(data, groups=None) if is_shrunk else data, folds, rng)
    losses: list[Floats | None] = []
    refused: list[str | None] = []
    for method in methods:
        try:
            losses.append(_losses(data, fold, method, small, advance))
            refused.append(None)
        except InputError as error:
            losses.append(None)
            refused.append(marked_note(error.at(lambda row: f"row {row + 1:,} of those used").template))
    means = [np.inf if loss is None else float(data.weight @ loss / data.weight.sum()) for loss in losses]
    best = int(np.argmin(means))
    if not np.isfinite(means[best]):
        raise InputError(
            "every method has an infinite log loss or cannot be fitted, because some probabilities of exactly 0 or 1 "
            "are wrong. Give `floor=1e-06` to move all probabilities into [floor, 1 - floor].",
            "floor",
        )
    least = losses[best]
    assert least is not None
    tried, best_place = [], best
    for position, (method, candidate_losses) in enumerate(zip(methods, losses, strict=True)):
        above = spread = None
        if candidate_losses is not None and np.isfinite(means[position]):
            above, spread = means[position] - means[best], standard_error(data, candidate_losses - least)
            best_place = min(best_place, position) if above <= spread else best_place
        tried.append(
            Candidate(
                str(method), means[position] if np.isfinite(means[position]) else None, above, spread, refused[position]
            )
        )
    tried[best_place] = replace(tried[best_place], taken=True)
    return Choice(methods[best_place], tuple(tried), time.perf_counter() - started)


def _losses(data: Labelled, fold: Any, method: Method, small: Sequence[str], advance: Callable[[int], None]) -> Floats:
    """Return the log loss of each row, by the map fitted without its fold; 0 for rows of weight 0.

    The loss is infinite if the map changes a probability to exactly 0 or 1, even if this is right for the row, because
    the expected loss is then infinite.
    """
    probabilities = out_of_fold(data, fold, lambda others: fit(others, method, small), advance=advance)
    added = is_certain(probabilities) & ~is_certain(data.scores.probabilities)
    certain = (added if added.ndim == 1 else added.any(axis=1)) & (data.weight > 0)
    return np.where(certain, np.inf, log_losses(probabilities, data))


def log_losses(probabilities: Floats, data: Labelled) -> Floats:
    """The log loss of each row (n,), 0 for rows of weight 0."""
    with np.errstate(divide="ignore"):
        losses = -np.log(label_probabilities(probabilities, data.labels))
    return np.where(data.weight > 0, losses, 0.0)


def standard_error(data: Labelled, difference: Floats) -> float:
    """The standard error of the weighted mean of differences, over rows or whole clusters."""
    share = data.weight / data.weight.sum()
    parts = share * (difference - share @ difference)
    if data.clusters is not None:
        parts = np.bincount(data.clusters, weights=parts)
        parts = parts[np.bincount(data.clusters) > 0]
    n = len(parts)
    return float(np.sqrt(parts @ parts * n / max(n - 1, 1)))
