"""Overall means: the rows of all groups pooled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from howsure.inputs.checks import Coded
from howsure.inputs.numbers_and_names import counted
from howsure.scores.results import ScoreRow
from howsure.scores.scored_rows import ScoredRows
from howsure.scores.summary_sentences import OVERALL

SAME_ITEMS_NOTE = "All groups have the same items, so each item is a cluster in the overall row."
SAME_ANSWERS_NOTE = "No overall row: the groups contain the same answers, scored in several ways."


def has_groups(rows: ScoredRows) -> bool:
    """Whether there are several groups."""
    return "groups" in rows.coded and len(rows.coded["groups"].names) > 1


def pool_groups(rows: ScoredRows) -> tuple[ScoredRows, list[str]]:
    """The rows of all groups pooled, with notes. Equal ids in different groups are different items.

    If all groups have the same ids and no clusters are given, equal ids form a cluster. This is valid for the
    same items under several conditions, and for different items numbered from 1 in each group.
    """
    coded = dict(rows.coded)
    groups, clusters, notes = coded.pop("groups"), rows.clusters, list[str]()
    if (items := rows.coded.get("id")) is not None:
        keys = items.codes.astype(np.int64) * len(groups.names) + groups.codes
        pairs, codes = np.unique(keys, return_inverse=True)
        places = zip(*np.divmod(pairs, len(groups.names)), strict=True)
        names = tuple(f"{items.names[item]} of {groups.names[group]}" for item, group in places)
        coded["id"] = Coded(codes, names)
        if clusters is None and len(pairs) == len(items.names) * len(groups.names):
            clusters, notes = items.codes.astype(np.int64), [SAME_ITEMS_NOTE]
    return replace(rows, coded=coded, clusters=clusters), notes


def overall_rows(overall: Sequence[ScoreRow], by_group: Sequence[ScoreRow]) -> list[ScoreRow]:
    """The overall rows, under a name that no group has; models that lack some group get a note."""
    groups = {row.group for row in by_group}
    groups_of: dict[str | None, set[str | None]] = {}
    for row in by_group:
        groups_of.setdefault(row.model, set()).add(row.group)
    name = OVERALL if OVERALL not in groups else f"{OVERALL} (all groups)"
    rows = []
    for row in overall:
        lacking = len(groups) - len(groups_of.get(row.model, ()))
        notes = [f"{counted(lacking, 'group')} missing."] if lacking else []
        rows.append(replace(row, group=name, notes=(*row.notes, *notes)))
    return rows
