"""Notes of results: their severity, by which the displayed ones are chosen, and common notes of several results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from howsure.inputs.numbers_and_names import shortened

MAX_NOTES = 3  # of a result that are displayed by default
DETAIL, NOTE, WARNING, FINDING = range(4)  # how it was made; a limit; numbers may be wrong; a requested result


class Note(str):
    """A sentence below a result. severity: DETAIL, NOTE, WARNING or FINDING."""

    severity: int

    def __new__(cls, text: str, severity: int = NOTE) -> Note:
        """A sentence and its severity."""
        note = super().__new__(cls, text)
        note.severity = severity
        return note


def severity(note: str) -> int:
    """The severity of a note; NOTE for a plain sentence.

    >>> severity(Note("Only 12 clusters: the interval may be too narrow.", WARNING)) > severity("A tie counts as half.")
    True
    """
    return note.severity if isinstance(note, Note) else NOTE


def most_serious_first(notes: Iterable[str]) -> list[str]:
    """The notes by their severity; equally serious ones stay in order.

    >>> most_serious_first([Note("Drawn with seed 1.", DETAIL), "A tie counts as half."])
    ['A tie counts as half.', 'Drawn with seed 1.']
    """
    return sorted(notes, key=severity, reverse=True)


def notes_by_name(notes_of_groups: Iterable[tuple[str, Sequence[str]]]) -> list[str]:
    """Each note once, preceded by the names of the groups it concerns.

    >>> notes_by_name([("NN", ["one bin only"]), ("VB", []), ("IN", ["one bin only"])])
    ['NN, IN: one bin only']
    """
    about: dict[str, list[str]] = {}
    for name, notes in notes_of_groups:
        for note in notes:
            about.setdefault(note, []).append(name)
    return [Note(f"{shortened(names)}: {note}", severity(note)) for note, names in about.items()]
