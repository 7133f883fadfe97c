"""What the page asks of the labels of a store: the corrected counts and comparisons, each estimated once."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

from howsure.events.corrected.corrected_comparison import corrected_comparison
from howsure.events.corrected.corrected_series import UNITS, CorrectedSeries, corrected_series
from howsure.events.corrected.labelled_pairs import TooFewLabelsError
from howsure.events.corrected.sentences import raw_alone
from howsure.events.labels.labelling import labelling_of
from howsure.events.store.reading import Store, chosen_actors, rows_of

MOST_KEPT = 16  # series of a store
COLUMNS = {"corrected": "estimate", "low": "low", "high": "high", "read": "labelled"}
Kept = OrderedDict[tuple[Any, ...], CorrectedSeries]
_KEPT: WeakKeyDictionary[Store, Kept] = WeakKeyDictionary()
_LOCK = Lock()


def corrected(store: Store, *, by: str = "quarter", level: float = 0.95, unit: str = "documents") -> dict[str, Any]:
    """By actor the columns of the corrected series, its totals, and what to know of it; `reason` if there is none.

    Raises InputError as `corrected_series` does.
    """
    held = series_of_labels(store, by=by, level=level, unit=unit)
    if isinstance(held, str):
        return {"reason": held}
    plain = held.to_dict()
    series: dict[str, dict[str, list[Any]]] = {actor: {name: [] for name in COLUMNS} for actor in held.actors}
    for row in plain["rows"]:
        for name, field in COLUMNS.items():
            series[row["actor"]][name].append(row[field])
    totals = {row["actor"]: {name: row[field] for name, field in COLUMNS.items()} for row in plain["totals"]}
    return {"series": series, "totals": totals, "said": plain["said"], "checks": plain["checks"]}


def corrected_pair(
    store: Store, first: str, second: str, *, by: str = "quarter", level: float = 0.95
) -> dict[str, Any]:
    """By period P(T_A > T_B) by the corrected counts, and in all; `reason` if there is none.

    Raises InputError for an actor that the store does not know, or the same one twice.
    """
    held = series_of_labels(store, by=by, level=level, unit="documents")
    if isinstance(held, str):
        return {"reason": held}
    pair = chosen_actors(store, [first, second])
    lacking = [actor for actor in pair if actor not in held.actors]
    if lacking:
        return {"reason": raw_alone(pair, lacking)}
    found = corrected_comparison(held, pair[0], pair[-1]).to_dict()
    return {"rows": found["rows"], "total": found["total"]}


def series_of_labels(store: Store, *, by: str, level: float, unit: str) -> CorrectedSeries | str:
    """The corrected series of all actors that readers were asked about, or why there is none.

    It is kept until a label changes; the last few of a store are.
    """
    if labelling_of(store) is None:
        return "No document of this store has a label."
    if unit not in UNITS:
        return f"No corrected counts of {unit}: readers said of documents which actors act in them."
    key = (by, level, unit, *_version(store))
    with _LOCK:
        kept = _KEPT.setdefault(store, OrderedDict())
        if key in kept:
            kept.move_to_end(key)
            return kept[key]
    try:
        found = corrected_series(store, by=by, level=level, unit=unit)
    except TooFewLabelsError as error:
        return f"No corrected counts yet: {error}"
    assert found is not None
    with _LOCK:
        kept[key] = found
        while len(kept) > MOST_KEPT:
            kept.popitem(last=False)
    return found


def _version(store: Store) -> tuple[int, int]:
    """What grows with every answer and every draw."""
    ((entry, drawn),) = rows_of(
        store,
        "SELECT (SELECT coalesce(max(entry), 0) FROM answers), (SELECT count(*) FROM label_sample)",
    )
    return int(entry), int(drawn)
