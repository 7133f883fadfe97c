"""Which map: the simplest whose cross-fitted log loss is, within one standard error, that of the best."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from howsure.errors import InputError, parameter
from howsure.inputs.pairs import Floats
from howsure.recalibration.fitted import fit, out_of_fold
from howsure.recalibration.folds import folds_of
from howsure.recalibration.labelled import Labelled, of_label
from howsure.recalibration.methods import Method
from howsure.stats.estimate import finite_or_none


@dataclass(frozen=True, slots=True)
class Candidate:
    """What a method scored: its cross-fitted log_loss (None: infinite, or no fit), by how much it is `above` that of
    the best, and the standard_error of this difference; why it was `refused`, and whether it was `taken`."""

    method: str
    log_loss: float | None
    above: float | None
    standard_error: float | None
    refused: str | None = None
    taken: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "method": self.method, "log_loss": self.log_loss, "above": self.above,
            "standard_error": self.standard_error, "refused": self.refused, "taken": self.taken,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Choice:
    """The method chosen among candidates, and the seconds that the choice took."""

    method: Method
    candidates: tuple[Candidate, ...]
    seconds: float | None = None

    def to_dict(self) -> list[dict[str, Any]]:
        """The JSON form, without the time that it took."""
        return [one.to_dict() for one in self.candidates]


def chosen(
    data: Labelled,
    methods: Sequence[Method],
    *,
    folds: int,
    small: Sequence[str],
    rng: np.random.Generator,
    advance: Callable[[int], None] = lambda steps: None,
) -> Choice:
    """Fit each method without each fold, and take the first whose log loss is at most one standard error above the
    least; `methods` stand in the order of what they may do, "none" first.

    The standard error is that of the paired difference, of whole clusters. The log loss of the method taken is that of
    a winner, and so a little too low: cross-fit the choice itself to know what it is worth (`evaluate_recalibration`).

    Raises InputError if no method has a finite log loss.
    """
    started = time.perf_counter()
    fold = folds_of(data, folds, rng)
    losses: list[Floats | None] = []
    refused: list[str | None] = []
    for method in methods:
        try:
            losses.append(_losses(data, fold, method, small, advance))
            refused.append(None)
        except InputError as error:
            losses.append(None)
            refused.append(str(error.at(lambda row: f"row {row + 1:,} of those used")))
    means = [np.inf if one is None else float(data.weight @ one / data.weight.sum()) for one in losses]
    best = int(np.argmin(means))
    if not np.isfinite(means[best]):
        raise InputError(
            "every method has an infinite log loss, or no fit: probabilities of exactly 0 or 1 are wrong somewhere. "
            f"Say {parameter('floor', 1e-6)} to move all probabilities into [floor, 1 - floor]."
        )
    least = losses[best]
    assert least is not None
    found, taken = [], best
    for place, (method, one) in enumerate(zip(methods, losses, strict=True)):
        above = spread = None
        if one is not None and np.isfinite(means[place]):
            above, spread = means[place] - means[best], standard_error(data, one - least)
            taken = min(taken, place) if above <= spread else taken
        found.append(Candidate(str(method), finite_or_none(means[place]), above, spread, refused[place]))
    found[taken] = replace(found[taken], taken=True)
    return Choice(methods[taken], tuple(found), time.perf_counter() - started)


def _losses(data: Labelled, fold: Any, method: Method, small: Sequence[str], advance: Callable[[int], None]) -> Floats:
    """The log loss of each row, by the map that was fitted without its fold; 0 where a row weighs nothing."""
    found = out_of_fold(data, fold, lambda others: fit(others, method, small), advance=advance)
    return log_losses(found, data)


def log_losses(probabilities: Floats, data: Labelled) -> Floats:
    """The log loss of each row (n,), 0 where a row weighs nothing."""
    with np.errstate(divide="ignore"):
        losses = -np.log(of_label(probabilities, data.labels))
    return np.where(data.weight > 0, losses, 0.0)


def standard_error(data: Labelled, difference: Floats) -> float:
    """That of the weighted mean of differences, of rows or of whole clusters."""
    share = data.weight / data.weight.sum()
    parts = share * (difference - share @ difference)
    if data.clusters is not None:
        parts = np.bincount(data.clusters, weights=parts)
        parts = parts[np.bincount(data.clusters) > 0]
    n = len(parts)
    return float(np.sqrt(parts @ parts * n / max(n - 1, 1)))
