"""Labels carried over to a store of the same documents, such as one counted again by another rule."""

from __future__ import annotations

from typing import Any

from howsure.events.labels.labelling import Labelling, labelling_of
from howsure.events.store.arrow import types_of
from howsure.events.store.event_store import EventStore
from howsure.events.store.reading import Store, rows_of
from howsure.events.store.schema import LABEL_TABLES


def carry_labels(source: Store, target: EventStore) -> Labelling | None:
    """Copy draws, strata and answers of a store to one without labels; None if there are none, or it has some.

    Of documents that the target does not hold, the strata and answers stay behind: within the strata, the others were
    drawn at random all the same.
    """
    asked = labelling_of(source)
    if asked is None or labelling_of(target) is not None:
        return None
    kept = {number for (number,) in rows_of(target, "SELECT document FROM documents")}
    with target.transaction():
        target.add_label_tables()
        target.append({table: _rows(source, table, kept) for table in LABEL_TABLES})
    return asked


def _rows(source: Store, table: str, kept: set[int]) -> dict[str, list[Any]]:
    """The columns of a table, of its documents that are kept."""
    names = list(types_of(table))
    rows = rows_of(source, f"SELECT {', '.join(names)} FROM {table}")
    if "document" in names:
        place = names.index("document")
        rows = [row for row in rows if row[place] in kept]
    return {name: [row[at] for row in rows] for at, name in enumerate(names)}
