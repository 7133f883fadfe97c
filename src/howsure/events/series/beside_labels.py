"""The corrected counts of a store beside its raw ones, where its labels allow them; else the reason why not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from howsure.events.corrected.corrected_comparison import corrected_comparison
from howsure.events.corrected.corrected_series import UNITS, CorrectedSeries, corrected_series
from howsure.events.corrected.extra_features import Scores
from howsure.events.corrected.labelled_pairs import TooFewLabelsError
from howsure.events.corrected.sentences import raw_alone
from howsure.events.labels.labelling import labelling_of
from howsure.events.series.actor_comparison import ActorComparison
from howsure.events.series.event_series import EventSeries
from howsure.events.store.reading import Store


def series_beside_labels(
    store: Store, series: EventSeries, *, learn: bool = False, scores: Scores | None = None
) -> tuple[EventSeries, str]:
    """A series with the corrected one of the same actors, periods, unit and level; or as it is, and the reason.

    The reason is empty where the store has no labels: nobody asked for a correction.
    """
    found, reason = _corrected(store, series.actors, series.recipe, learn, scores)
    return (series if found is None else series.beside(found)), reason


def comparison_beside_labels(
    store: Store, compared: ActorComparison, *, learn: bool = False, scores: Scores | None = None
) -> tuple[ActorComparison, str]:
    """A comparison with that by the corrected counts; or as it is, and the reason."""
    pair = (compared.first, compared.second)
    found, reason = _corrected(store, pair, compared.recipe, learn, scores)
    if found is None:
        return compared, reason
    if found.not_asked:
        return compared, raw_alone(pair, found.not_asked)
    return compared.beside(corrected_comparison(found, *pair)), ""


def _corrected(
    store: Store, actors: tuple[str, ...], recipe: Mapping[str, Any], learn: bool, scores: Scores | None
) -> tuple[CorrectedSeries | None, str]:
    if labelling_of(store) is None:
        return None, ""
    if recipe["unit"] not in UNITS:
        return None, f"No corrected counts of {recipe['unit']}: readers said of documents which actors act in them."
    options: dict[str, Any] = {name: recipe.get(name) for name in ("by", "unit", "level", "since", "until")}
    try:
        found = corrected_series(store, actors=actors, learn=learn, scores=scores, **options)
    except TooFewLabelsError as error:
        return None, f"No corrected counts yet: {error}"
    if found is None or not found.rows:
        return None, "" if found is None else " ".join(found.said)
    return found, ""
