"""Notes that name parameters: strings in the words of Python, which the command line spells with its options."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import Any

import pytest

from howsure.errors import InputError, InPython, render_text
from howsure.notes import WARNING, Note, after, marked_note, notes_by_name, severity, with_spelled_notes

TEMPLATE = "Models are not ranked: name the item of each row (`id='COL'`)."


class InCapitals(InPython):
    """A surface that writes parameters in capital letters."""

    def parameter(self, name: str, python: str | None, typed: str | None) -> str:
        return name.upper() if typed is None else f"{name.upper()} {typed}"


@dataclass(frozen=True, slots=True)
class Part:
    name: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Whole:
    rows: tuple[Part, ...]
    recipe: dict[str, Any]
    notes: tuple[str, ...] = ()


def test_a_note_is_a_string_in_the_words_of_python() -> None:
    note = marked_note(TEMPLATE, WARNING)
    assert note == "Models are not ranked: name the item of each row (id='COL')."
    assert note.spelled(InCapitals()) == "Models are not ranked: name the item of each row (ID COL)."
    assert severity(note.spelled(InCapitals())) == severity(after("A: ", note)) == WARNING
    again = pickle.loads(pickle.dumps(note))
    assert (again, again.severity, again.template) == (note, WARNING, TEMPLATE)


def test_text_before_a_note_keeps_its_template() -> None:
    [note] = notes_by_name([("A", [marked_note("give `id`")]), ("B", [marked_note("give `id`")])])
    assert isinstance(note, Note)
    assert (note, note.spelled(InCapitals())) == ("A, B: give id", "A, B: give ID")
    assert after("A: ", "a plain note").template is None


def test_all_notes_of_a_result_are_spelled_and_nothing_else_changes() -> None:
    note, plain = marked_note("give `id`"), "`id` in a plain text"
    untouched = Part("untouched", (plain,))
    whole = Whole((Part("`name`", (note, plain)), untouched), {"notes": [note], "columns": ["`a`"]}, (plain,))
    spelled = with_spelled_notes(whole, InCapitals())
    assert spelled.rows[0] == Part("`name`", ("give ID", plain))
    assert spelled.rows[1] is untouched
    assert (spelled.recipe, spelled.notes) == ({"notes": ["give ID"], "columns": ["`a`"]}, (plain,))
    assert whole.rows[0].notes == ("give id", plain)
    assert with_spelled_notes(untouched, InCapitals()) is untouched


@pytest.mark.parametrize(
    "error",
    [
        InputError("`two_way=True` needs `id`; `row 3` has none."),
        InputError("missing", "id", value="", row=3, remedy="skip"),
        InputError("{before}{error}", before="group 'b': ", error=InputError("{row} lacks {parameter}.", "id", row=3)),
    ],
    ids=["text", "rule", "nested"],
)
def test_the_template_of_an_error_says_what_the_error_says(error: InputError) -> None:
    for surface in (InPython(), InCapitals()):
        assert render_text(error.template, surface) == error.render(surface)
        assert error.inside("a.csv").render(surface) == f"a.csv: {error.render(surface)}"
    assert str(error) == error.render(InPython())
