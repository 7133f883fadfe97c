"""What `howsure coreference posterior` says: pairs, entities and their number, as text, JSON, table, figure or page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from howsure import __version__
from howsure.cli.coreference.input import Resolved
from howsure.cli.terminal.output import is_raw, json_text, table_text
from howsure.coreference.detection import entities_of
from howsure.data.documents.document import Document, Mention
from howsure.errors import InputError
from howsure.files.whole import write_whole
from howsure.inputs.naming import counted
from howsure.inputs.pairs import Floats, Integers
from howsure.show.harmless import in_a_spreadsheet
from howsure.show.table import Table
from howsure.stats.proportions import CountDistribution

SUFFIXES = {".json": "", ".parquet": "FORMAT parquet, COMPRESSION zstd", ".csv": "FORMAT csv, HEADER true"}
LEVEL = 0.95
WHY_OUTSIDE = """ entities: those of one clustering, which rounds each mention: one that is new with p = 0.6 is a whole
entity there and 0.6 of one in the expected number, so that their number may lie outside the interval.
"""
WHY_SEVERAL = """ entities: those of several mentions, chosen and expected. A scored mention that stands alone may be
no mention at all: most models do not tell the two apart.
"""
NOT_MENDED = """ confidence: not recalibrated, likely too high; howsure coreference recalibrate mends it by documents
with gold entities.
"""
ENTITIES_SHOWN, WIDTH = 8, 80
SIDES, PARTS = ("first", "second"), ("", "_sentence", "_start", "_end", "_text")


@dataclass(frozen=True, slots=True)
class View:
    """A document with a clustering: its labels (M,), the pairs (N, 2) that are shown, and their probabilities (N,).

    together: all pair probabilities (M, M), kept where they are to be drawn. several: the expected number of entities
    with several mentions. confidence (M,): how sure the posterior is of each mention in its entity. gold (M,): the
    annotated entities, None where there are none. mended: whether the confidence is recalibrated.
    """

    document: Document
    mentions: tuple[Mention, ...]
    labels: Integers
    pairs: Integers
    probabilities: Floats
    together: Floats | None
    new: Floats
    confidence: Floats
    number: CountDistribution
    several: float
    gold: Integers | None
    mended: bool

    @property
    def entities(self) -> list[list[int]]:
        """The places of the mentions of each entity, those with several mentions first."""
        clusters: dict[int, list[int]] = {}
        for place, label in enumerate(self.labels.tolist()):
            clusters.setdefault(label, []).append(place)
        return sorted(clusters.values(), key=lambda members: len(members) == 1)

    def confidence_of(self, members: list[int]) -> float:
        """The mean pair probability within an entity; of a lone mention, that it is alone."""
        return float(self.confidence[members].mean())

    def text(self, place: int) -> str:
        """The words of a mention."""
        return " ".join(self.document.words_of(self.mentions[place]))


def view_of(one: Resolved, *, decision: str, threshold: float, drawn: bool = False) -> View:
    """What is shown of a posterior; `drawn`: in a figure or a page, for which all pairs are kept."""
    posterior, document = one.posterior, one.document
    together, labels = posterior.pair_probability(), posterior.labels(one.clusters(decision))
    later, earlier = np.tril_indices(len(posterior), k=-1)
    kept = together[later, earlier] >= threshold
    annotated = document.mentions is not None and all(mention.entity is not None for mention in document.mentions)
    return View(
        document=document,
        mentions=one.mentions,
        labels=labels,
        pairs=np.column_stack([earlier[kept], later[kept]]),
        probabilities=together[later[kept], earlier[kept]],
        together=together if drawn else None,
        new=posterior.antecedents.new,
        confidence=one.confidence(labels, decision),
        mended=one.recalibration is not None,
        number=posterior.number_of_entities(),
        several=float((posterior.antecedents.new - posterior.singleton_probability()).sum()),
        gold=entities_of(document, one.mentions) if annotated else None,
    )


def check_suffix(path: str) -> None:
    """Raise InputError for a file that --output cannot write."""
    if Path(path).suffix.lower() not in SUFFIXES:
        raise InputError(f"--output writes {', '.join(SUFFIXES)}; name a file that ends in one of these, not {path}.")


def posterior_text(views: Sequence[View], *, scored: bool = False) -> str:
    """The number of entities of every document; if there is one document, also its entities.

    `scored`: by a model of which it is not known whether a mention that stands alone is one at all.
    """
    if scored:
        return _scored_text(views)
    rows, outside = [], False
    for view in views:
        low, high = view.number.interval(LEVEL)
        outside |= not low <= len(view.entities) <= high
        shown = f"{view.number.mean:.1f}", f"{low} to {high}", f"{len(view.pairs):,}"
        rows.append([view.document.name, f"{len(view.mentions):,}", f"{len(view.entities):,}", *shown])
    headers = ("document", "mentions", "entities", "expected", "95 %", "pairs")
    text = table_text(Table(headers, rows, words=("document",))) + (WHY_OUTSIDE if outside else "")
    return text if len(views) > 1 else f"{text}\n{_entities_text(views[0])}"


def _scored_text(views: Sequence[View]) -> str:
    """The entities with several mentions, and how many annotated mentions the scores name."""
    rows = []
    for view in views:
        found = sum(len(members) > 1 for members in view.entities)
        shown = f"{found:,}", f"{view.several:.1f}", f"{len(view.pairs):,}"
        rows.append([view.document.name, f"{len(view.mentions):,}", *shown])
    text = table_text(Table(("document", "mentions", "entities", "expected", "pairs"), rows, words=("document",)))
    text += WHY_SEVERAL
    annotated = [view for view in views if view.gold is not None]
    if annotated:
        gold = sum(len(view.document.mentions or ()) for view in annotated)
        known = sum(len(set(view.document.mentions or ()) & set(view.mentions)) for view in annotated)
        text += f"Of {counted(gold, 'annotated mention')}, the scores name {known:,}.\n"
    return text if len(views) > 1 else f"{text}\n{_entities_text(views[0])}"


def _entities_text(view: View) -> str:
    several = [members for members in view.entities if len(members) > 1]
    if not several:
        return "every mention is an entity of its own\n"
    rows = [
        [f"{number}", f"{view.confidence_of(members):.3f}", _cut(" · ".join(map(view.text, members)))]
        for number, members in enumerate(several[:ENTITIES_SHOWN], start=1)
    ]
    more, unmended = len(several) - len(rows), "" if view.mended else NOT_MENDED
    text = table_text(Table(("entity", "confidence", "mentions"), rows, words=("mentions",)))
    return text + (f"… and {more} more of several mentions\n" if more else "") + unmended


def _cut(text: str) -> str:
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 1]}…"


def write_posterior(views: Sequence[View], path: str, recipe: Mapping[str, Any]) -> None:
    """Mentions, pairs and entities as JSON; as Parquet or CSV the pairs."""
    suffix = Path(path).suffix.lower()
    if suffix == ".json":
        documents = [_as_json(view) for view in views]
        write_whole(json_text({"howsure": __version__, **recipe, "documents": documents}).encode(), path)
    else:
        _write_pairs(views, path, suffix)


def _as_json(view: View) -> dict[str, Any]:
    low, high = view.number.interval(LEVEL)
    number_of = {place: number for number, members in enumerate(view.entities, start=1) for place in members}
    mentions = [
        {
            "mention": place,
            "sentence": one.sentence,
            "start": one.start,
            "end": one.end,
            "text": view.text(place),
            "entity": number_of[place],
            "new": float(view.new[place]),
            "confidence": float(view.confidence[place]),
        }
        for place, one in enumerate(view.mentions)
    ]
    entities = [
        {"entity": number, "mentions": members, "confidence": view.confidence_of(members)}
        for number, members in enumerate(view.entities, start=1)
    ]
    pairs = [
        {"first": i, "second": j, "probability": p}
        for (i, j), p in zip(view.pairs.tolist(), view.probabilities.tolist(), strict=True)
    ]
    return {
        "name": view.document.name,
        "number_of_entities": {"mean": view.number.mean, "low": low, "high": high, "level": LEVEL},
        "entities_of_several_mentions": {"mean": view.several},
        "confidence_recalibrated": view.mended,
        "mentions": mentions,
        "entities": entities,
        "pairs": pairs,
    }


def _write_pairs(views: Sequence[View], path: str, suffix: str) -> None:
    """One row per pair: the document, the probability, whether both are one entity here and in gold, and both
    mentions."""
    from howsure.data.tables.database import Database, copy_to_file

    names = ("document", "probability", "same_entity", "coreferent", *(side + part for side in SIDES for part in PARTS))
    shown = in_a_spreadsheet if suffix == ".csv" and not is_raw() else str
    rows = [[shown(x) if isinstance(x, str) else x for x in row] for view in views for row in _rows(view)]
    columns = zip(*rows, strict=True) if rows else ((),) * len(names)
    arrays = {name: np.array(list(column), dtype=_kind(name)) for name, column in zip(names, columns, strict=True)}
    database = Database()
    try:
        target = database.folder / f"pairs{suffix}"
        database.connection.register("pairs", arrays)
        selected = "* REPLACE (nullif(coreferent, -1) AS coreferent)"  # no gold, no label
        copy_to_file(database.connection, f"SELECT {selected} FROM pairs", target, options=SUFFIXES[suffix])
        write_whole(target.read_bytes(), path)
    finally:
        database.close()


def _rows(view: View) -> list[tuple[Any, ...]]:
    sides = [(n, one.sentence, one.start, one.end, view.text(n)) for n, one in enumerate(view.mentions)]
    gold = view.gold
    return [
        (
            view.document.name,
            p,
            int(view.labels[i] == view.labels[j]),
            -1 if gold is None else int(gold[i] == gold[j]),
            *sides[i],
            *sides[j],
        )
        for (i, j), p in zip(view.pairs.tolist(), view.probabilities.tolist(), strict=True)
    ]


def _kind(column: str) -> Any:
    if column == "document" or column.endswith("_text"):
        return object
    return np.float64 if column == "probability" else np.int64


def draw_pairs(view: View, path: str) -> None:
    """Draw the pair probabilities of the mentions that have a pair to show, entity by entity."""
    from howsure.figures.coreference import pair_figure
    from howsure.figures.files import save_figure

    assert view.together is not None
    linked = set(view.pairs.ravel().tolist())
    order = [place for members in view.entities for place in members if place in linked]
    if not order:
        if len(view.mentions) < 2:
            held = "no mention" if not view.mentions else "one mention"
            raise InputError(f"document {view.document.name} has {held}; --figure draws pairs.")
        raise InputError(f"document {view.document.name} has no pair of mentions above the threshold; lower it.")
    names = [view.text(place) for place in order]
    save_figure(pair_figure(view.together[np.ix_(order, order)], names, entities=view.labels[order].tolist()), path)


def write_text(views: Sequence[View], path: str) -> None:
    """The text of the documents as a page, entities in colour."""
    from howsure.report.coreference import MarkedDocument, coreference_page
    from howsure.report.files import write_report

    shown = [
        MarkedDocument(one.document, one.mentions, one.labels, one.together, one.confidence, one.number, one.mended)
        for one in views
        if one.together is not None
    ]
    write_report(coreference_page(shown), path)
