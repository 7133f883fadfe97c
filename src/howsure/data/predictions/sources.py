"""Where the probabilities of a row stand: one number, several columns, or a column of lists; perhaps on a log scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from howsure.data.predictions.class_mappings import holds_lists, with_keys
from howsure.data.tables.columns import Column
from howsure.data.tables.table import Table
from howsure.errors import InputError
from howsure.inputs.log_scale import LOG_PROBABILITIES, LOGITS
from howsure.inputs.naming import shortened

ONE, SEVERAL, LISTS = "one", "several", "lists"
VERBALISED = "verbalised"
SOURCES = ("prob", "probs", "probs_column", LOGITS, LOG_PROBABILITIES, VERBALISED)
WAYS = "prob='COL', probs=['COL', 'COL', …], probs_column='COL', logits='COL', logprobs='COL' or verbalised='COL'"


@dataclass(frozen=True, slots=True)
class Source:
    """The columns of probabilities, the parameter that names them, and on which scale they are (None: as they are)."""

    role: str
    names: tuple[str, ...]
    kind: str
    scale: str | None = None
    columns: tuple[Column, ...] = ()

    @property
    def shown(self) -> str | list[str]:
        """The names as the user gave them."""
        return list(self.names) if self.kind == SEVERAL else self.names[0]

    def found(self, table: Table, only: str) -> Source:
        """The source with its columns; of logits, whether the one column holds lists."""
        columns = tuple(table.columns[name] for name in self.names)
        if self.kind != LISTS:
            return replace(self, columns=columns)
        column = with_keys(table, columns[0], only)
        lists = self.role == "probs_column" or holds_lists(table, column, only)
        return replace(self, kind=LISTS if lists else ONE, columns=(column,))


def source_of(**given: str | Sequence[str] | None) -> Source:
    """The source that parameters name: those of SOURCES.

    Raises InputError if it is not exactly one, or a column is named twice.
    """
    named = {role: names for role, names in given.items() if names is not None}
    if len(named) != 1:
        raise InputError(f"name the probability in one way: {WAYS}.")
    ((role, names),) = named.items()
    scale = role if role in (LOGITS, LOG_PROBABILITIES) else None
    listed = (names,) if isinstance(names, str) else tuple(names)
    kind = ONE if role in ("prob", VERBALISED) else SEVERAL if role == "probs" or len(listed) > 1 else LISTS
    if kind == SEVERAL and len(set(listed)) != max(2, len(listed)):
        raise InputError(f"{role}=[...] must name two columns or more, each once; it names {shortened(listed)}.")
    return Source(role, listed, kind, scale)
