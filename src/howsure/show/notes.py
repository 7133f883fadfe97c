"""Notes of several results, shown together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from howsure.inputs.numbers_and_names import shortened


def notes_by_name(notes_of_groups: Iterable[tuple[str, Sequence[str]]]) -> list[str]:
    """Each note once, preceded by the names of the groups it concerns.

    >>> notes_by_name([("NN", ["one bin only"]), ("VB", []), ("IN", ["one bin only"])])
    ['NN, IN: one bin only']
    """
    about: dict[str, list[str]] = {}
    for name, notes in notes_of_groups:
        for note in notes:
            about.setdefault(note, []).append(name)
    return [f"{shortened(names)}: {note}" for note, names in about.items()]
