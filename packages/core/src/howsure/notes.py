"""Notes of results: their severity, by which the displayed ones are chosen, and common notes of several results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import fields, is_dataclass
from functools import cache
from operator import is_
from typing import Any

from howsure.errors import InPython, Surface, render_text, shortened

MAX_NOTES = 3  # of a result that are displayed by default
DETAIL, NOTE, WARNING, FINDING = range(4)  # a method; a limit of a result; possibly wrong numbers; a requested result


class Note(str):
    """A sentence below a result. template: see `marked_note`. sentence: the note without "note: " (see `footnote`)."""

    severity: int
    template: str | None
    sentence: str

    def __new__(cls, text: str, severity: int = NOTE, template: str | None = None, sentence: str | None = None) -> Note:
        """Create a note from a sentence, its severity and, if the sentence names parameters, its template."""
        note = super().__new__(cls, text)
        note.severity = severity
        note.template = template
        note.sentence = text if sentence is None else sentence
        return note

    def spelled(self, surface: Surface) -> Note:
        """Return the note with its parameters as a surface writes them, such as options on the command line."""
        return self if self.template is None else Note(render_text(self.template, surface), self.severity)


def marked_note(template: str, severity: int = NOTE) -> Note:
    """Return a note that names parameters, each in backticks. The text has their Python names; `spelled` replaces them.

    >>> marked_note("Models are not ranked: name the item of each row (`id`).")
    'Models are not ranked: name the item of each row (id).'
    """
    return Note(render_text(template, InPython()), severity, template)


def footnote(note: str, severity: int = NOTE) -> Note:
    """Return a note as a line below a table, which begins with "note: ".

    >>> footnote("A tie counts as half."), footnote("A tie counts as half.").sentence
    ('note: A tie counts as half.', 'A tie counts as half.')
    """
    return Note(f"note: {note}", severity, sentence=note)


def after(before: str, note: str) -> Note:
    """Return a note with a text in front of it, such as the names of the groups that have the note."""
    template = note.template if isinstance(note, Note) else None
    return Note(f"{before}{note}", severity(note), None if template is None else f"{before}{template}")


def severity(note: str) -> int:
    """Return the severity of a note; NOTE for a plain string.

    >>> severity(Note("Only 12 clusters: the interval may be too narrow.", WARNING)) > severity("A tie counts as half.")
    True
    """
    return note.severity if isinstance(note, Note) else NOTE


def most_serious_first(notes: Iterable[str]) -> list[str]:
    """Sort notes by decreasing severity; notes of equal severity stay in order.

    >>> most_serious_first([Note("Drawn with seed 1.", DETAIL), "A tie counts as half."])
    ['A tie counts as half.', 'Drawn with seed 1.']
    """
    return sorted(notes, key=severity, reverse=True)


def notes_by_name(notes_of_groups: Iterable[tuple[str, Sequence[str]]]) -> list[str]:
    """Return each note once, preceded by the names of the groups that have it. The note of a group named "note" becomes
    a footnote.

    >>> notes_by_name([("NN", ["one bin only"]), ("VB", []), ("IN", ["one bin only"]), ("IN", ["one bin only"])])
    ['NN, IN: one bin only']
    """
    about: dict[str, dict[str, None]] = {}
    for name, notes in notes_of_groups:
        for note in notes:
            about.setdefault(note, {})[name] = None
    return [
        footnote(note, severity(note)) if set(names) == {"note"} else after(f"{shortened([*names])}: ", note)
        for note, names in about.items()
    ]


def with_spelled_notes(value: Any, surface: Surface) -> Any:
    """Return a result, or a part of it, whose notes name parameters as `surface` (Python or commands) does."""
    if isinstance(value, Note):
        return value.spelled(surface)
    if isinstance(value, tuple | list):
        items = [with_spelled_notes(item, surface) if type(item) not in PLAIN else item for item in value]
        return value if all(map(is_, items, value)) else type(value)(items)
    if isinstance(value, dict):
        items = with_spelled_notes(tuple(value.values()), surface)
        return value if all(map(is_, items, value.values())) else dict(zip(value, items, strict=True))
    changed = {}
    for name in _field_names(value.__class__):
        part = getattr(value, name)
        if type(part) not in PLAIN and (spelled := with_spelled_notes(part, surface)) is not part:
            changed[name] = spelled
    other = copy(value) if changed else value
    for name, part in changed.items():
        object.__setattr__(other, name, part)  # the dataclass is frozen
    return other


PLAIN = (str, int, float, bool, type(None))  # types of values without notes


@cache
def _field_names(kind: type) -> tuple[str, ...]:
    """The names of the fields of a dataclass; () for other types."""
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()
