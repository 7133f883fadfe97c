"""The intervals of total counts from the labels so far, and the expected effect of one more hour of labelling."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from howsure.counts.design_totals import labels_total
from howsure.counts.label_sample import allocation, further_allocation
from howsure.counts.planning import MIN_LABELS as MIN_PLANNING_LABELS
from howsure.counts.population import MIN_LABELS, Units, read_units
from howsure.errors import InputError
from howsure.inputs.numbers_and_names import counted
from howsure.inputs.pairs import Floats, Integers
from howsure.stats.proportions import normal_quantile
from howsure_events.labels.answers import CHANCES, SettledLabels, reading_order, settled_labels
from howsure_events.labels.coder_progress import WORDS_A_MINUTE, first_coder, pace_text, progress
from howsure_events.labels.draw_documents import label_spread
from howsure_events.series.labelled_pairs import MIN_STRATUM_LABELS, joined_strata
from howsure_events.store.store_queries import Store, actor_title, query_rows

LEVEL = 0.95  # of intervals that are based on the sampling design alone, without any model


def intervals(store: Store) -> dict[str, Any]:
    """Return the interval of each actor's total number of documents, from the labels so far.

    An interval needs at least 10 labelled documents, and 2 in each stratum. Until there are enough labels, `actors` is
    empty, and `more` is the number of documents that must still be labelled, in reading order. low and high of an actor
    are None if its interval cannot be computed. hour: the result of `hour_ahead`.
    """
    labels = settled_labels(store)
    assert labels is not None
    more, population = labels_to_come(labels, reading_order(store)), _days(store)
    rows = [] if more else [_interval(store, labels, actor, population) for actor in labels.actors]
    return {"level": LEVEL, "population": len(population), "more": more, "actors": rows, "hour": hour_ahead(store)}


def _days(store: Store) -> dict[int, int]:
    """Return the date of each document by its number, in seconds since 1970, in the order of the numbers."""
    return dict(query_rows(store, "SELECT document, epoch(date) FROM documents ORDER BY document"))


def labels_to_come(settled_labels: SettledLabels, order: list[int]) -> int:
    """Return how many more documents must be labelled, in reading order, before intervals can be computed."""
    clear = {
        number
        for number, labels in zip(settled_labels.documents.tolist(), settled_labels.labels, strict=True)
        if labels.size
    }
    clear -= {
        n
        for n, labels in zip(settled_labels.documents.tolist(), settled_labels.labels, strict=True)
        if np.isnan(labels).all()
    }
    population = len(settled_labels.strata) if settled_labels.strata else len(order)
    lacking = Counter(
        {name: min(MIN_STRATUM_LABELS, size) for name, size in Counter(settled_labels.strata.values()).items()}
    )
    lacking.subtract(settled_labels.strata[number] for number in clear if number in settled_labels.strata)
    missing, n_clear, n_more = {name for name, n in lacking.items() if n > 0}, len(clear), 0
    for number in order:
        if not missing and n_clear >= min(MIN_LABELS, population):
            break
        if number in settled_labels.documents:
            continue
        n_more, n_clear = n_more + 1, n_clear + 1
        if number in settled_labels.strata:
            lacking[settled_labels.strata[number]] -= 1
            missing = {name for name, n in lacking.items() if n > 0}
    return n_more


def _interval(store: Store, settled_labels: SettledLabels, actor: str, days: dict[int, int]) -> dict[str, Any]:
    labels = np.full(len(days), np.nan)
    places = np.searchsorted(list(days), settled_labels.documents)
    labels[places] = settled_labels.labels[:, settled_labels.actors.index(actor)]
    low: float | None
    high: float | None
    try:
        units = _units(settled_labels, labels, places, days)
        inside = np.ones(len(units.labelled), dtype=np.bool_)
        estimate = labels_total(units.draw, units.labels, inside, units=len(units), level=LEVEL)
        low, high = estimate.low, estimate.high
    except InputError:  # too many strata have too few answers that are clear and agree, for this actor
        low = high = None
    return {"code": actor, "title": actor_title(store, actor), "low": low, "high": high}


def _units(settled_labels: SettledLabels, labels: Floats, places: Integers, days: dict[int, int]) -> Units:
    score, is_clear = np.zeros(len(days)), np.isfinite(labels)  # scores of 0: no model is used
    if settled_labels.design != CHANCES:
        strata = np.array([settled_labels.strata[number] for number in days])
        usable, day = np.flatnonzero(is_clear), np.array(list(days.values()), dtype=np.float64)
        return read_units(
            labels, score, strata=joined_strata(strata, score, day, places, usable, least=MIN_STRATUM_LABELS)[0]
        )
    inclusion = np.full(len(days), np.nan)
    share_read = is_clear.sum() / settled_labels.drawn  # the documents labelled so far are a random part of the sample
    inclusion[places] = settled_labels.inclusion * share_read
    return read_units(labels, score, inclusion=inclusion)


MIN_OF_EACH = 5  # positive and negative labels each that are needed to estimate how much labels vary


def one_more_hour(store: Store) -> str:
    """Return the result of `hour_ahead` as a sentence; empty if the result is None."""
    hour = hour_ahead(store)
    if hour is None:
        return ""
    documents = hour["documents"]
    if hour["kind"] == "rest":
        return f"One more hour is all of the {counted(documents, 'document')} left: then the counts are exact"
    start = f"One more hour is about {counted(documents, 'document')} (at {pace_text(hour['own_pace'])}); "
    if hour["kind"] == "early":
        least = f"before {hour['least']} documents have a label, its gain cannot be estimated"
        return f"{start}{least}: {counted(hour['labelled'], 'has', 'have')} one"
    if hour["kind"] == "unknown":
        return f"{start}its effect cannot be predicted yet: too few labels show how often {hour['title']} acts"
    wide = f"about {hour['width']:,} wide (now {hour['now']:,})"
    return f"{start}for {hour['title']} in total, from the labels alone, the interval would be {wide}"


def hour_ahead(store: Store) -> dict[str, Any] | None:
    """Predict how many documents the first coder labels in another hour, and the width of the first actor's interval.

    These are the drawn documents without an answer, in reading order, and then documents that a further draw would add.
    The width is 2 z √V with V = Σ_h N_h (N_h - n_h) s_h² / n_h (Cochran 1977, section 5.6): stratum h has N_h documents
    and, after that hour, n_h labels with standard deviation s_h (`label_spread`). The interval itself is not returned,
    because its position could influence the coder. Returns None before the first answer, if no document is left to
    label, or if the labels were imported with inclusion probabilities.
    """
    labels, coder = settled_labels(store), first_coder(store)
    left = 0 if labels is None else len(labels.strata) - len(labels.documents)
    if labels is None or coder is None or left <= 0:
        return None
    pace, order, title = progress(store, coder), reading_order(store), actor_title(store, labels.actors[0])
    n_documents = min(pace.an_hour, left)
    if n_documents == left:
        return {"kind": "rest", "documents": left}
    hour = {"documents": n_documents, "own_pace": pace.own_pace, "words_a_minute": WORDS_A_MINUTE, "title": title}
    names = sorted(set(labels.strata.values()))
    spread, is_clear = label_spread(labels, names), np.isfinite(labels.labels[:, 0])
    if spread is None:
        return {**hour, "kind": "early", "least": MIN_PLANNING_LABELS, "labelled": int(is_clear.sum())}
    acting = int(np.nansum(labels.labels[:, 0]))
    current = _interval(store, labels, labels.actors[0], _days(store))
    size, drawn, labelled = (
        _by_stratum(labels, names, documents)
        for documents in (list(labels.strata), order, labels.documents[is_clear].tolist())
    )
    documents_read = set(labels.documents.tolist())
    waiting = [document for document in order if document not in documents_read]
    further = _by_stratum(labels, names, waiting[:n_documents])
    if (lacking := n_documents - len(waiting)) > 0:
        target = allocation(size, spread, len(order) + lacking)
        further += further_allocation(target, drawn, size, lacking)
    labels_then = np.maximum(labelled + further * is_clear.mean(), 1.0)
    width = (
        2.0
        * normal_quantile(LEVEL)
        * float(np.sqrt((size * np.maximum(size - labels_then, 0) * spread**2 / labels_then).sum()))
    )
    too_few_labels = min(acting, int(is_clear.sum()) - acting) < MIN_OF_EACH
    if current["low"] is None or too_few_labels or width >= current["high"] - current["low"]:
        return {**hour, "kind": "unknown"}
    return {**hour, "kind": "width", "width": round(width), "now": round(current["high"]) - round(current["low"])}


def _by_stratum(settled_labels: SettledLabels, names: list[str], documents: list[int]) -> Integers:
    counts = Counter(settled_labels.strata[document] for document in documents)
    return np.array([counts[name] for name in names], dtype=np.int64)
