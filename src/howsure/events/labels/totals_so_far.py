"""How wide the intervals of the totals of read documents are by now, and what one more hour of reading buys."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from howsure.counts.design import labels_total
from howsure.counts.label_sample import allocation, further_allocation
from howsure.counts.planning import LEAST_LABELS as TO_PLAN
from howsure.counts.units import LEAST_LABELS, Units, read_units
from howsure.errors import InputError
from howsure.events.labels.answers import CHANCES, SettledLabels, reading_order, settled_labels
from howsure.events.labels.draw import label_spread
from howsure.events.labels.readers import first_coder, progress
from howsure.events.series.labelled_pairs import LEAST, joined_strata
from howsure.events.store.reading import Store, rows_of, title_of
from howsure.inputs.numbers_and_names import counted
from howsure.inputs.pairs import Floats, Integers
from howsure.stats.proportions import normal_quantile

# How wide the intervals of the totals are by now: by the design of the draw alone, without any model.

LEVEL = 0.95


def intervals(store: Store) -> dict[str, Any]:
    """For each actor the interval of its number of documents, from what is labelled; None where that cannot tell.

    `more`: how many documents are to be read, in their order, until there is one: 10, and two in each stratum. `hour`:
    what `one_more_hour` says.
    """
    held = settled_labels(store)
    assert held is not None
    more, population = labels_to_come(held, reading_order(store)), _days(store)
    told = [] if more else [_interval(store, held, actor, population) for actor in held.actors]
    return {"level": LEVEL, "population": len(population), "more": more, "actors": told, "hour": one_more_hour(store)}


def _days(store: Store) -> dict[int, int]:
    """The documents in their order, and their days, as numbers."""
    return dict(rows_of(store, "SELECT document, epoch(date) FROM documents ORDER BY document"))


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


def _interval(store: Store, held: SettledLabels, actor: str, days: dict[int, int]) -> dict[str, Any]:
    labels = np.full(len(days), np.nan)
    places = np.searchsorted(list(days), held.documents)
    labels[places] = held.labels[:, held.actors.index(actor)]
    low: float | None
    high: float | None
    try:
        units = _units(held, labels, places, days)
        inside = np.ones(len(units.labelled), dtype=np.bool_)
        found = labels_total(units.draw, units.labels, inside, units=len(units), level=LEVEL)
        low, high = found.low, found.high
    except InputError:  # too many strata have too few answers that are clear and agree, for this actor
        low = high = None
    return {"code": actor, "title": title_of(store, actor), "low": low, "high": high}


def _units(held: SettledLabels, labels: Floats, places: Integers, days: dict[int, int]) -> Units:
    score, is_clear = np.zeros(len(days)), np.isfinite(labels)  # no model has a say
    if held.design != CHANCES:
        strata = np.array([held.strata[number] for number in days])
        usable, day = np.flatnonzero(is_clear), np.array(list(days.values()), dtype=np.float64)
        return read_units(labels, score, strata=joined_strata(strata, score, day, places, usable, least=LEAST)[0])
    inclusion = np.full(len(days), np.nan)
    read = is_clear.sum() / held.drawn  # the first part of a sample is a fair sample of it
    inclusion[places] = held.inclusion * read
    return read_units(labels, score, inclusion=inclusion)


# What one more hour of reading buys.

LEAST_OF_EACH = 5  # labels of either kind, to say how far labels vary


def one_more_hour(store: Store) -> str:
    """How many documents the first coder reads in an hour, and how wide the interval of the first actor would be then.

    These documents are the drawn ones that wait, in their order, then those that a further draw would hold. The width
    is 2 z √V, V = Σ_h N_h (N_h - n_h) s_h² / n_h (Cochran 1977, section 5.6), with s_h of `label_spread` and n_h the
    labels of stratum h by then. Where the interval lies is not said, for it would sway who reads. Empty before the
    first answer, and where no more can be drawn: all are read, or they were drawn elsewhere with given chances.
    """
    held, coder = settled_labels(store), first_coder(store)
    left = 0 if held is None else len(held.strata) - len(held.documents)
    if held is None or coder is None or left <= 0:
        return ""
    pace, order, title = progress(store, coder), reading_order(store), title_of(store, held.actors[0])
    n = min(pace.an_hour, left)
    if n == left:
        return f"One more hour is all of the {counted(left, 'document')} left: then the counts are exact"
    hour = f"One more hour is about {counted(n, 'document')} (at {pace.at}); "
    names = sorted(set(held.strata.values()))
    spread, is_clear = label_spread(held, names), np.isfinite(held.labels[:, 0])
    if spread is None:
        least = f"before {TO_PLAN} documents have a label, nobody can tell what it buys"
        return f"{hour}{least}: {counted(int(is_clear.sum()), 'has', 'have')} one"
    acting = int(np.nansum(held.labels[:, 0]))
    now = _interval(store, held, held.actors[0], _days(store))
    size, drawn, had = (
        _by_stratum(held, names, of) for of in (list(held.strata), order, held.documents[is_clear].tolist())
    )
    read = set(held.documents.tolist())
    waiting = [one for one in order if one not in read]
    further = _by_stratum(held, names, waiting[:n])
    if (lacking := n - len(waiting)) > 0:
        wanted = allocation(size, spread, len(order) + lacking)
        further += further_allocation(wanted, drawn, size, lacking)
    then = np.maximum(had + further * is_clear.mean(), 1.0)
    width = 2.0 * normal_quantile(LEVEL) * float(np.sqrt((size * np.maximum(size - then, 0) * spread**2 / then).sum()))
    few = min(acting, int(is_clear.sum()) - acting) < LEAST_OF_EACH
    if now["low"] is None or few or width >= now["high"] - now["low"]:
        return f"{hour}what it buys, nobody can tell: too few labels say how often {title} acts, or does not"
    wide = f"about {width:,.0f} wide, now {np.ceil(now['high']) - np.floor(now['low']):,.0f}"
    return f"{hour}the interval of {title} in all, by the labels alone, would be {wide}"


def _by_stratum(held: SettledLabels, names: list[str], documents: list[int]) -> Integers:
    found = Counter(held.strata[one] for one in documents)
    return np.array([found[name] for name in names], dtype=np.int64)
