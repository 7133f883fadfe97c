"""Notes of results: their severity, by which the displayed ones are chosen, and common notes of several results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import fields, is_dataclass
from operator import is_
from typing import Any

from howsure.errors import InPython, Surface, render_text, shortened

MAX_NOTES = 3  # of a result that are displayed by default
DETAIL, NOTE, WARNING, FINDING = range(4)  # how it was made; a limit; numbers may be wrong; a requested result


class Note(str):
    """A sentence below a result. severity: DETAIL, NOTE, WARNING or FINDING. template: see `marked_note`."""

    severity: int
    template: str | None

    def __new__(cls, text: str, severity: int = NOTE, template: str | None = None) -> Note:
        """A sentence and its severity."""
        note = super().__new__(cls, text)
        note.severity = severity
        note.template = template
        return note

    def spelled(self, surface: Surface) -> Note:
        """The note with the parameters that it names as a surface writes them."""
        return self if self.template is None else Note(render_text(self.template, surface), self.severity)


def marked_note(template: str, severity: int = NOTE) -> Note:
    """A note on parameters, which are in backticks: a string in the words of Python, which other surfaces spell anew.

    >>> marked_note("Models are not ranked: name the item of each row (`id`).")
    'Models are not ranked: name the item of each row (id).'
    """
    return Note(render_text(template, InPython()), severity, template)


def after(before: str, note: str) -> Note:
    """A note after a text, such as the names that it concerns."""
    template = note.template if isinstance(note, Note) else None
    return Note(f"{before}{note}", severity(note), None if template is None else f"{before}{template}")


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
    return [after(f"{shortened(names)}: ", note) for note, names in about.items()]


def with_spelled_notes(value: Any, surface: Surface) -> Any:
    """A result, or a part of it, whose notes name parameters as a surface writes them."""
    if isinstance(value, Note):
        return value.spelled(surface)
    if isinstance(value, tuple | list):
        items = [with_spelled_notes(item, surface) for item in value]
        return value if all(map(is_, items, value)) else type(value)(items)
    if isinstance(value, dict):
        items = [with_spelled_notes(item, surface) for item in value.values()]
        return value if all(map(is_, items, value.values())) else dict(zip(value, items, strict=True))
    if not is_dataclass(value) or isinstance(value, type):
        return value
    parts = {field.name: getattr(value, field.name) for field in fields(value)}
    spelled = {name: with_spelled_notes(part, surface) for name, part in parts.items()}
    changed = {name: part for name, part in spelled.items() if part is not parts[name]}
    other = copy(value) if changed else value
    for name, part in changed.items():
        object.__setattr__(other, name, part)  # the dataclass is frozen
    return other
