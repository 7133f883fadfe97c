"""Files of labels: our CSV, and what Label Studio exports as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from howsure.errors import InputError
from howsure.events.labels.label_files import read_labels

# As Label Studio exports a project with <Choices name="label" toName="text" choice="multiple">.
TASKS: list[dict[str, Any]] = [
    {
        "id": 101,
        "data": {"text": "Iraq attacked.", "document": "item-0"},
        "project": 1,
        "annotations": [
            {
                "id": 1,
                "completed_by": 7,
                "was_cancelled": False,
                "ground_truth": False,
                "lead_time": 4.2,
                "result": [
                    {
                        "value": {"choices": ["IRQ", "NATO"]},
                        "id": "x",
                        "from_name": "label",
                        "to_name": "text",
                        "type": "choices",
                        "origin": "manual",
                    }
                ],
            },
            {"id": 2, "completed_by": {"id": 8, "email": "bob@example.org"}, "was_cancelled": False, "result": []},
        ],
        "predictions": [],
    },
    {
        "id": 102,
        "data": {"text": "?", "document": "item-1"},
        "annotations": [{"id": 3, "completed_by": 7, "was_cancelled": True, "result": []}],
    },
]
Read = tuple[str, str | None, dict[str, bool], bool, bool]  # document, coder, says, closed, unclear
BOTH = {"IRQ": True, "NATO": True}
LISTED = {"IRQ": False, "NATO": False}


KNOWN: dict[str, tuple[str, list[Read]]] = {
    "our csv": (
        "document,actor,label,coder\nitem-0,IRQ,1,anna\nitem-0,NATO,0,anna\nitem-1,IRQ,unclear,anna\n\n",
        [
            ("item-0", "anna", {**LISTED, "IRQ": True}, False, False),
            ("item-1", "anna", {"IRQ": False}, False, True),
        ],
    ),
    "a spreadsheet's csv": (
        "\ufeffdocument;date;actor;label\r\nitem-0;2001-01-01;IRQ;1.0\r\n",
        [("item-0", None, {"IRQ": True}, False, False)],
    ),
    "label studio": (
        json.dumps(TASKS),
        [
            ("item-0", "7", BOTH, True, False),
            ("item-0", "bob@example.org", {}, True, False),
            ("item-1", "7", {}, True, True),
        ],
    ),
}


@pytest.mark.parametrize("what", KNOWN)
def test_a_file_is_read_as_its_tool_wrote_it(what: str, tmp_path: Path) -> None:
    content, wanted = KNOWN[what]
    path = tmp_path / "labels"
    path.write_text(content, encoding="utf-8", newline="")
    answers = read_labels(path)
    assert [(one.document, one.coder, one.says, one.closed, one.unclear) for one in answers] == wanted


def chosen(*values: Any) -> str:
    """A task, answered by these values, each to a question of its own."""
    result = [{"type": "choices", "from_name": str(at), "value": value} for at, value in enumerate(values)]
    return json.dumps([{"data": {"document": "a"}, "annotations": [{"completed_by": 1, "result": result}]}])


@pytest.mark.parametrize(
    ("choice", "wanted"), [("NATO", ({"NATO": True}, False)), ("Nobody", ({}, False)), (" unsure ", ({}, True))]
)
def test_choices_that_name_no_actor(choice: str, wanted: tuple[dict[str, bool], bool], tmp_path: Path) -> None:
    (tmp_path / "labels").write_text(chosen({"choices": [choice]}))
    (one,) = read_labels(tmp_path / "labels")
    assert (one.says, one.unclear) == wanted


WRONG = {
    "no column": ("document,label\na,1\n", "no column 'actor' in"),
    "a label": ("document,actor,label\na,IRQ,2\n", "line 2: label must be 1, 0 or unclear; it is '2'"),
    "no label": ("document,actor,label\na,IRQ,\n", "line 2: label must be 1, 0 or unclear; it is ''"),
    "no document": ("document,actor,label\n,IRQ,1\n", "line 2 must name a document and an actor"),
    "a label twice": ("document,actor,label\na,IRQ,1\na,IRQ,0\n", "line 3 labels IRQ in a again"),
    "half unclear": ("document,actor,label\na,IRQ,1\na,NATO,unclear\n", "a document is unclear for all actors or for"),
    "a chance": ("document,actor,label,inclusion\na,IRQ,1,0\n", "inclusion must be a number above 0 and at most 1"),
    "a decimal comma": ('document,actor,label,inclusion\na,IRQ,1,"0,5"\n', "above 0 and at most 1; it is '0,5'"),
    "two chances": ("document,actor,label,inclusion\na,X,1,.5\na,Y,1,.4\n", "inclusion must be the same in all rows"),
    "a settlement": ("document,actor,label,settles\na,IRQ,1,yes\n", "settles must be 1 or 0; it is 'yes'"),
    "cells": ("document,actor,label\na,IRQ,1,2\n", "line 2 must have 3 cells, as the header; it has 4"),
    "a quote": ('document,actor,label\n"a,IRQ,1\n', "it is not CSV"),
    "a header alone": ("document,actor,label\n", "holds no row below its header"),
    "an empty list": ("[]", "must be a list of tasks that is not empty"),
    "broken json": ("[{]", "is not JSON"),
    "a task without an id": (
        json.dumps([{"data": {"text": "a"}, "annotations": []}]),
        "under the key 'document' of its",
    ),
    "a task that is a number": ("[1]", r"task 1 must have an object data .* read as CSV with document, actor, label"),
    "the other json of label studio": (
        '[{"document": "a", "annotator": 1, "label": "IRQ"}]',
        "must have an object data",
    ),
    "lines of json": ('{"document": "a", "label": ["IRQ"]}\n', "must be a list of tasks that is not empty"),
    "an id that is none": (
        json.dumps([{"data": {"document": True}, "annotations": []}]),
        "must say which document it is",
    ),
    "choices that are numbers": (chosen({"choices": [1]}), "must have choices as texts"),
    "no list of choices": (chosen("IRQ"), "must have choices as texts; it has 'IRQ'"),
    "none and one": (chosen({"choices": ["IRQ", "none"]}), "chose 'IRQ' and 'none'; these exclude each other"),
    "two questions": (chosen({"choices": ["IRQ"]}, {"choices": ["NATO"]}), "answers several questions"),
    "no result": (json.dumps([{"data": {"document": "a"}, "annotations": [{}]}]), "must have a list result"),
    "tasks that nobody labelled": (
        json.dumps([{"data": {"document": "a"}, "annotations": []}]),
        "labels holds no answer; nobody labelled its documents",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_file_is_refused_at_its_place(what: str, tmp_path: Path) -> None:
    content, told = WRONG[what]
    path = tmp_path / "labels"
    path.write_text(content)
    with pytest.raises(InputError, match=told) as caught:
        read_labels(path)
    assert "labels" in str(caught.value)
