"""How wide the intervals of the totals are by now: by the design of the draw alone, without any model."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from howsure.counts.design import labels_total
from howsure.counts.population.units import LEAST_LABELS, Units, read_units
from howsure.errors import InputError
from howsure.events.labels.progress import reading_order
from howsure.events.labels.settled import CHANCES, SettledLabels, settled_labels
from howsure.events.store.reading import Store, rows_of, title_of
from howsure.inputs.pairs import Floats

LEVEL = 0.95
LEAST = 2  # labels in each stratum, or all that it has


def intervals(store: Store) -> dict[str, Any]:
    """For each actor the interval of its number of documents, from what is labelled; None where that cannot tell.

    `more`: how many documents are to be read, in their order, until there is one: 10, and two in each stratum.
    """
    held = settled_labels(store)
    assert held is not None
    numbers = [number for (number,) in rows_of(store, "SELECT document FROM documents ORDER BY document")]
    more = labels_to_come(held, reading_order(store))
    told = [] if more else [_interval(store, held, actor, numbers) for actor in held.actors]
    return {"level": LEVEL, "population": len(numbers), "more": more, "actors": told}


def labels_to_come(held: SettledLabels, order: list[int]) -> int:
    """How many more of the drawn documents, in their order, until an interval can be computed."""
    clear = {number for number, labels in zip(held.documents.tolist(), held.labels, strict=True) if labels.size}
    clear -= {n for n, labels in zip(held.documents.tolist(), held.labels, strict=True) if np.isnan(labels).all()}
    population = len(held.strata) if held.strata else len(order)
    lacking = Counter({name: min(LEAST, size) for name, size in Counter(held.strata.values()).items()})
    lacking.subtract(held.strata[number] for number in clear if number in held.strata)
    missing, n_clear, n_more = {name for name, n in lacking.items() if n > 0}, len(clear), 0
    for number in order:
        if not missing and n_clear >= min(LEAST_LABELS, population):
            break
        if number in held.documents:
            continue
        n_more, n_clear = n_more + 1, n_clear + 1
        if number in held.strata:
            lacking[held.strata[number]] -= 1
            missing = {name for name, n in lacking.items() if n > 0}
    return n_more


def _interval(store: Store, held: SettledLabels, actor: str, numbers: list[int]) -> dict[str, Any]:
    labels = np.full(len(numbers), np.nan)
    places = np.searchsorted(numbers, held.documents)
    labels[places] = held.labels[:, held.actors.index(actor)]
    low: float | None
    high: float | None
    try:
        units = _units(held, labels, places, numbers)
        inside = np.ones(len(units.labelled), dtype=np.bool_)
        found = labels_total(units.draw, units.labels, inside, units=len(units), level=LEVEL)
        low, high = found.low, found.high
    except InputError:  # a stratum has too few answers that are clear and agree, for this actor
        low = high = None
    return {"code": actor, "title": title_of(store, actor), "low": low, "high": high}


def _units(held: SettledLabels, labels: Floats, places: Any, numbers: list[int]) -> Units:
    score = np.zeros(len(numbers))  # no model has a say
    if held.design != CHANCES:
        return read_units(score, labels, strata=[held.strata[number] for number in numbers])
    inclusion = np.full(len(numbers), np.nan)
    read = np.isfinite(labels).sum() / held.drawn  # the first part of a sample is a fair sample of it
    inclusion[places] = held.inclusion * read
    return read_units(score, labels, inclusion=inclusion)
