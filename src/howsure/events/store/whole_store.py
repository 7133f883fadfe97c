"""A store that appears whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from howsure.events.store.event_store import EventStore, StoreError
from howsure.files.scratch import Scratch
from howsure.files.whole import check_place, sync_folder


@contextmanager
def whole_store(target: Path, settings: Mapping[str, Any]) -> Iterator[EventStore]:
    """A store in a scratch folder beside its place, where it goes when all is in it.

    Raises InputError if no file can be there; StoreError if it cannot be written. Then nothing is kept.
    """
    check_place(target)
    try:
        scratch = Scratch(target.parent)
    except OSError as error:
        raise _unwritten(target, error) from error
    with scratch:
        temporary = scratch.folder / target.name
        try:
            with EventStore.create(temporary, settings) as store:
                yield store
        except StoreError as error:
            raise _unwritten(target, error.__cause__) from error
        os.replace(temporary, target)
        sync_folder(target.parent)


def _unwritten(target: Path, why: BaseException | None) -> StoreError:
    return StoreError(
        f"{target} cannot be written: {why} Nothing is kept; free some space if the disk is full, and rerun the same "
        "command."
    )
