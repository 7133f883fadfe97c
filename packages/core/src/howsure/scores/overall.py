"""Overall means: the rows of all groups pooled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from howsure.inputs.checks import Coded
from howsure.inputs.numbers_and_names import counted
from howsure.inputs.pairs import Integers
from howsure.scores.results import OVERALL, ScoreRow
from howsure.scores.scored_rows import ScoredRows

SHARED_ITEMS_NOTE = "Groups share item ids, so each id is a cluster in the overall row and in the macro mean."
MIN_SHARED = 0.75  # the groups share items if at least this proportion of all ids in all groups have a row
SAME_ANSWERS_NOTE = "No overall row: the groups contain the same answers, scored in several ways."


def pool_groups(rows: ScoredRows) -> tuple[ScoredRows, list[str]]:
    """The rows of all groups pooled, with notes. Equal ids in different groups are different items.

    If the groups share ids (`share_items`) and no clusters are given, equal ids form a cluster. This is valid for the
    same items under several conditions, and for different items numbered from 1 in each group.
    """
    coded = dict(rows.coded)
    groups, clusters, notes = coded.pop("groups"), rows.clusters, list[str]()
    if (items := rows.coded.get("id")) is not None:
        keys = items.codes.astype(np.int64) * len(groups.names) + groups.codes
        pairs, codes = np.unique(keys, return_inverse=True)
        item_and_group = zip(*np.divmod(pairs, len(groups.names)), strict=True)
        names = tuple(f"{items.names[item]} of {groups.names[group]}" for item, group in item_and_group)
        coded["id"] = Coded(codes, names)
        if clusters is None and share_items(pairs // len(groups.names), len(groups.names)):
            clusters, notes = items.codes.astype(np.int64), [SHARED_ITEMS_NOTE]
    return replace(rows, coded=coded, clusters=clusters), notes


def share_items(items: Integers, groups: int) -> bool:
    """Whether groups share items, apart from a few gaps. items: the codes of the different items of each group.

    >>> share_items(np.array([0, 1, 2, 0, 1, 0, 1, 2]), 3), share_items(np.array([0, 1, 2, 3, 0]), 2)
    (True, False)
    """
    distinct = len(np.unique(items))
    return len(items) > distinct and len(items) >= MIN_SHARED * distinct * groups


def overall_rows(overall: Sequence[ScoreRow], by_group: Sequence[ScoreRow]) -> list[ScoreRow]:
    """The overall rows, under a name that no group has; models that lack some group get a note."""
    groups = {row.group for row in by_group}
    groups_of: dict[str | None, set[str | None]] = {}
    for row in by_group:
        groups_of.setdefault(row.model, set()).add(row.group)
    name = OVERALL if OVERALL not in groups else f"{OVERALL} (all groups)"
    rows = []
    for row in overall:
        n_missing = len(groups) - len(groups_of.get(row.model, ()))
        notes = [f"{counted(n_missing, 'group')} missing."] if n_missing else []
        rows.append(replace(row, group=name, is_overall=True, notes=(*row.notes, *notes)))
    return rows
