"""Refusing a damaged store: on opening, and when some of its documents are read."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import chain
from pathlib import Path

import numpy as np

from howsure.errors import InputError
from howsure.events.store.integrity import (
    OF_DOCUMENTS,
    Damage,
    schema_damage,
    small_tables,
    table_damage,
)
from howsure.events.store.reading import Store
from howsure.events.store.settings import REMEDY
from howsure.inputs.pairs import Integers

State = tuple[tuple[int, ...], ...]
_WHOLE: dict[Path, State] = {}  # stores that this process found without damage, as they were then


class DamagedStoreError(InputError):
    """A store with contents that no extraction writes."""


def state_of(path: Path) -> State:
    """What changes with each change of a file, and of the log beside it in which DuckDB writes first."""
    held = [one.stat() for one in (path, path.with_name(f"{path.name}.wal")) if one.exists()]
    return tuple((one.st_dev, one.st_ino, one.st_size, one.st_mtime_ns, one.st_ctime_ns) for one in held)


def was_whole(path: Path, state: State) -> bool:
    """Whether this process found a store in this state without damage: it is not checked again at each opening."""
    return _WHOLE.get(path.absolute()) == state


def remember_whole(path: Path, state: State) -> None:
    """Remember that a store was found without damage; `state` is that from before it was opened."""
    _WHOLE[path.absolute()] = state


def check_opened(store: Store) -> None:
    """Check the columns and the small tables of a store that is being opened.

    Raises DamagedStoreError naming the first violated rule.
    """
    _refuse(chain(schema_damage(store), table_damage(store, small_tables(store))), store)


def check_all_of_it(store: Store) -> None:
    """Refuse a store that holds a part of its input only, whose counts would be taken for those of all.

    Raises InputError.
    """
    held = store.settings.get("part")
    if held is not None:
        raise InputError(
            f"{store.path} holds part {held['number']} of {held['of']} of its input, not all of it: put the parts "
            "together with howsure events merge, and ask what that writes."
        )


def check_documents(store: Store, documents: Collection[int], *, tables: Collection[str] = OF_DOCUMENTS) -> None:
    """Check everything in a store about some documents, except the numbers within their clusterings.

    tables: those that are read, if not all.

    Raises DamagedStoreError naming the first violated rule.
    """
    _refuse(table_damage(store, tables, documents=documents), store)


def check_everything(store: Store) -> None:
    """Check all tables of a store that was checked on opening, except the numbers within its clusterings.

    Raises DamagedStoreError naming the first violated rule.
    """
    _refuse(table_damage(store, OF_DOCUMENTS), store)


def _refuse(damage: Iterator[Damage], store: Store) -> None:
    found = next(damage, None)
    if found is not None:
        path = getattr(store, "path", "the store")
        raise DamagedStoreError(f"{path} is damaged: {found}. {REMEDY}; howsure events check {path} says more.")


def are_clusterings(labels: Integers) -> bool:
    """Whether each mention (columns) has the number of the first mention of its entity, in all samples (rows).

    >>> are_clusterings(np.array([[0, 0, 2]])), are_clusterings(np.array([[0, 2, 1]]))
    (True, False)
    """
    n = labels.shape[1]
    if (labels > np.arange(n)).any():
        return False
    return bool((np.take_along_axis(labels, labels, axis=1) == labels).all())
