"""What is behind a series, and beside it: a tidy file, the documents of a point, and corrected counts."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.data.tables.database import Database, copy_to_file, literal
from howsure.errors import InputError
from howsure.events.labels.answers import labelling_of
from howsure.events.series.actor_comparison import ActorComparison
from howsure.events.series.corrected_comparison import corrected_comparison
from howsure.events.series.corrected_series import CORRECTED_UNITS, CorrectedSeries, corrected_series, raw_alone
from howsure.events.series.event_series import EventSeries
from howsure.events.series.extra_features import Scores
from howsure.events.series.labelled_pairs import TooFewLabelsError
from howsure.events.store.documents import StoredDocument, stored_documents
from howsure.events.store.reading import (
    Store,
    actors_in,
    bounds_of,
    chosen_actors,
    rows_of,
    title_of,
)
from howsure.files.whole import check_place, write_whole
from howsure.inputs.numbers import check_whole

# The time series of a store as a tidy table in a file: CSV, with its recipe in a separate file, or Parquet.

SUFFIXES = (".csv", ".parquet")
DATES, WORDS = ("start", "end"), ("actor", "title", "period", "corrected_method")
Paths = tuple[Path, ...]


def export_series(series: EventSeries, path: str | os.PathLike[str], *, raw: bool = False) -> Paths:
    """Write one row per actor and period, by the suffix of `path` as .csv or .parquet; the files written are returned.

    Columns: actor (its code: ISO 3166 alpha-3 for the countries of the lexicon), title, period, start and end (its
    first and last day), n_documents, mean, low, high, variance, monte_carlo_error, best; with a corrected series beside
    it corrected, corrected_low, corrected_high, labelled, positives, corrected_method. The recipe of a CSV file is
    written first, as `<name>.recipe.json`; Parquet stores it as the metadata `howsure.recipe`. Undefined values are
    empty (null). In CSV, names that a spreadsheet would interpret as a formula are preceded by an apostrophe, unless
    `raw`.

    Raises InputError for another suffix, or if the file cannot be written.
    """
    target = check_export(path)
    if target.suffix.lower() == ".parquet":
        write_whole(_parquet(series), target)
        return (target,)
    recipe = recipe_path(target)
    write_whole((json.dumps(_recipe(series), indent=2, ensure_ascii=False) + "\n").encode(), recipe)
    write_whole(f"{series.to_csv(raw=raw)}\n".encode(), target)
    return target, recipe


def _recipe(series: EventSeries) -> dict[str, Any]:
    held = dict(series.recipe)
    return held if series.corrected is None else held | {"corrected": dict(series.corrected.recipe)}


def check_export(path: str | os.PathLike[str]) -> Path:
    """A file to which the series can be written.

    Raises InputError for any other.
    """
    target = Path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise InputError(f"a series is written as {' or '.join(SUFFIXES)}; name a file that ends so, not {path}.")
    check_place(target)
    return target


def recipe_path(path: Path) -> Path:
    """The file with the recipe of a CSV file.

    >>> recipe_path(Path("attacks.csv")).name
    'attacks.recipe.json'
    """
    return path.with_name(f"{path.stem}.recipe.json")


def _parquet(series: EventSeries) -> bytes:
    columns = {name: _array(name, values) for name, values in series.framed().items()}
    recipe = literal(json.dumps(_recipe(series), ensure_ascii=False))
    shown = ", ".join(_selected(name) for name in columns)
    database = Database()
    try:
        target = database.folder / "series.parquet"
        database.connection.register("series", columns)
        options = f"FORMAT parquet, COMPRESSION zstd, KV_METADATA {{'howsure.recipe': {recipe}}}"
        copy_to_file(database.connection, f"SELECT {shown} FROM series", target, options=options)
        return target.read_bytes()
    finally:
        database.close()


def _selected(name: str) -> str:
    if name in DATES:
        return f'"{name}"::DATE AS "{name}"'
    if name in WORDS or name == "n_documents":
        return f'"{name}"'
    return f'CASE WHEN isnan("{name}") THEN NULL ELSE "{name}" END AS "{name}"'


def _array(name: str, values: list[Any]) -> npt.NDArray[Any]:
    if name in WORDS:
        return np.array(values, dtype=object)
    return np.array(values, dtype="datetime64[s]" if name in DATES else None)


# The documents behind a point of a series, and those with uncertain events, with the links they depend on.

LOW, HIGH = 0.2, 0.8  # what lies between is doubtful


def documents_of(store: Store, actor: str, *, at: str) -> list[dict[str, Any]]:
    """The documents of a period, such as "1999-Q1", in which an actor may act, the most probable first; uncertain ones
    are marked.

    Raises InputError for an actor or a period that is not in the store.
    """
    (actor,) = chosen_actors(store, [actor])
    first, last = bounds_of(store, at)
    found = rows_of(
        store,
        "SELECT document, d.id, d.date, d.title, e.probability, e.best FROM events e JOIN documents d USING (document) "
        "WHERE e.actor = $actor AND d.date BETWEEN $first AND $last ORDER BY e.probability DESC, d.date, document",
        actor=actor,
        first=first,
        last=last,
    )
    return [
        {**_named(document, name, date, title), "probability": p, "best": best, "doubtful": LOW <= p <= HIGH}
        for document, name, date, title, p, best in found
    ]


def doubtful_documents(
    store: Store, *, low: float = LOW, high: float = HIGH, actor: str | None = None, limit: int = 50
) -> list[dict[str, Any]]:
    """Documents and actors whose event has a probability in [low, high], closest to 1/2 first, and the reasons.

    `links` are the pairs of mentions that the event depends on (see
    `howsure.events.store.documents.deciding_links`), with their words and their exact
    probability P(i ~ j) of being one entity.

    Raises InputError unless 0 ≤ low ≤ high ≤ 1, or for an actor that is not in the store.
    Source: Nguyen & O'Connor (2015), section 6.3.
    """
    if not 0.0 <= low <= high <= 1.0:
        raise InputError(f"low and high must satisfy 0 ≤ low ≤ high ≤ 1; they are {low} and {high}.")
    actors = list(actors_in(store)) if actor is None else list(chosen_actors(store, [actor]))
    found = rows_of(
        store,
        "SELECT document, d.id, d.date, d.title, e.actor, e.probability, e.best "
        "FROM events e JOIN documents d USING (document) "
        "WHERE e.probability BETWEEN $low AND $high AND list_contains($actors, e.actor) "
        "ORDER BY abs(e.probability - 0.5), document, e.actor LIMIT $limit",
        low=low,
        high=high,
        actors=actors,
        limit=check_whole(limit, name="limit"),
    )
    held = stored_documents(store, {row[0] for row in found})
    return [
        {
            **_named(document, name, date, title),
            "actor": code,
            "actor_title": title_of(store, code),
            "probability": p,
            "best": best,
            "links": links_of(held[document], [code]),
        }
        for document, name, date, title, code, p, best in found
    ]


def links_of(document: StoredDocument, actors: Iterable[str]) -> list[dict[str, Any]]:
    """The links that the events of actors depend on, with the words of both mentions and their exact probability."""
    deciding = [(actor, link) for actor in actors for link in document.links_deciding(actor)]
    exact = document.pair_probability([(link.first, link.second) for _, link in deciding])
    return [
        {
            "actor": actor,
            "mention": link.second,
            "with": link.first,
            "mention_text": document.text_of(link.second),
            "with_text": document.text_of(link.first),
            "probability": probability,
            "with_event": link.with_event,
            "without_event": link.without_event,
            "share": link.share,
        }
        for (actor, link), probability in zip(deciding, exact, strict=True)
    ]


def _named(document: int, name: str, date: Any, title: str | None) -> dict[str, Any]:
    return {"document": document, "id": name, "date": date.isoformat(), "title": title}


# The corrected counts of a store beside its raw ones, where its labels allow them; else the reason why not.


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
    if recipe["unit"] not in CORRECTED_UNITS:
        return None, f"No corrected counts of {recipe['unit']}: readers said of documents which actors act in them."
    options: dict[str, Any] = {name: recipe.get(name) for name in ("period", "unit", "level", "since", "until")}
    try:
        found = corrected_series(store, actors=actors, learn=learn, scores=scores, **options)
    except TooFewLabelsError as error:
        return None, f"No corrected counts yet: {error}"
    if found is None or not found.rows:
        return None, "" if found is None else " ".join(found.said)
    return found, ""
