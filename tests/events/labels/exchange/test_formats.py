"""Files of labels as the tools write them: our CSV, Label Studio's three exports, doccano's and Prodigy's lines."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from howsure.errors import InputError
from howsure.events.labels.label_files import read_labels

# As Label Studio exports a project with <Choices name="label" toName="text" choice="multiple">.
TASKS: list[dict[str, Any]] = [
    {
        "id": 101, "data": {"text": "Iraq attacked.", "document": "item-0"}, "project": 1,
        "annotations": [
            {"id": 1, "completed_by": 7, "was_cancelled": False, "ground_truth": False, "lead_time": 4.2, "result": [
                {"value": {"choices": ["IRQ", "NATO"]}, "id": "x", "from_name": "label", "to_name": "text",
                 "type": "choices", "origin": "manual"}]},
            {"id": 2, "completed_by": {"id": 8, "email": "bob@example.org"}, "was_cancelled": False, "result": []},
        ],
        "predictions": [],
    },
    {
        "id": 102, "data": {"text": "?", "document": "item-1"}, "annotations": [
            {"id": 3, "completed_by": 7, "was_cancelled": True, "result": []}],
    },
]  # fmt: skip
MINIMAL = [
    {"text": "a", "document": "item-0", "id": 101, "label": {"choices": ["IRQ", "NATO"]}, "annotator": 7,
     "annotation_id": 1, "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z", "lead_time": 4.2},
    {"text": "b", "document": "item-1", "id": 102, "label": "none", "annotator": 7, "annotation_id": 2},
    {"text": "c", "document": "item-2", "id": 103, "label": "Unclear", "annotator": 7, "annotation_id": 3},
]  # fmt: skip
DOCCANO = [
    {"id": 1, "text": "a", "document": "item-0", "label": ["IRQ", "NATO"], "Comments": []},
    {"id": 2, "text": "b", "meta": {"document": "item-1"}, "label": []},
    {"id": 3, "text": "c", "document": "item-2", "label": ["unclear"]},
]
OPTIONS = [{"id": "IRQ", "text": "Iraq"}, {"id": "NATO", "text": "NATO"}, {"id": "none", "text": "none"}]
CHOICES = [
    {"text": "a", "meta": {"document": "item-0"}, "options": OPTIONS, "_view_id": "choice", "config": {},
     "accept": ["IRQ"], "answer": "accept", "_annotator_id": "news-anna", "_session_id": "news-anna",
     "_input_hash": -1, "_task_hash": 5},
    {"text": "b", "document": "item-1", "options": OPTIONS, "accept": ["none"], "answer": "accept",
     "_annotator_id": "news-anna"},
    {"text": "c", "document": "item-2", "options": OPTIONS, "accept": [], "answer": "ignore",
     "_annotator_id": "news-anna"},
]  # fmt: skip
ONE_BY_ONE = [
    {"text": "a", "document": "item-0", "label": "IRQ", "answer": "accept", "_session_id": "anna"},
    {"text": "a", "document": "item-0", "label": "NATO", "answer": "reject", "_session_id": "anna"},
]
Read = tuple[str, str | None, dict[str, bool], bool, bool]  # document, coder, says, closed, unclear
BOTH = {"IRQ": True, "NATO": True}
LISTED = {"IRQ": False, "NATO": False}


def lines(records: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(one) + "\n" for one in records)


def as_csv(records: list[dict[str, Any]]) -> str:
    """As Label Studio writes CSV: sorted columns, choices as a text or as JSON."""
    out = io.StringIO()
    names = sorted({name for one in records for name in one})
    writer = csv.DictWriter(out, names, quoting=csv.QUOTE_NONNUMERIC, restval="")
    writer.writeheader()
    for one in records:
        held = {name: json.dumps(value) if isinstance(value, dict) else value for name, value in one.items()}
        writer.writerow(held)
    return out.getvalue()


MINIMAL_READ: list[Read] = [
    ("item-0", "7", BOTH, True, False), ("item-1", "7", {}, True, False), ("item-2", "7", {}, True, True),
]  # fmt: skip
KNOWN: dict[str, tuple[str, str, list[Read]]] = {
    "our csv": (
        "document,actor,label,coder\nitem-0,IRQ,1,anna\nitem-0,NATO,0,anna\nitem-1,IRQ,unclear,anna\n\n",
        "csv",
        [
            ("item-0", "anna", {**LISTED, "IRQ": True}, False, False), ("item-1", "anna", {"IRQ": False}, False, True),
        ],
    ),
    "a spreadsheet's csv": (
        "\ufeffdocument;date;actor;label\r\nitem-0;2001-01-01;IRQ;1.0\r\n",
        "csv",
        [("item-0", None, {"IRQ": True}, False, False)],
    ),
    "label studio": (
        json.dumps(TASKS),
        "label-studio",
        [
            ("item-0", "7", BOTH, True, False), ("item-0", "bob@example.org", {}, True, False),
            ("item-1", "7", {}, True, True),
        ],
    ),
    "label studio, minimal": (json.dumps(MINIMAL, indent=1), "label-studio", MINIMAL_READ),
    "label studio, csv": (as_csv(MINIMAL), "label-studio", MINIMAL_READ),
    "doccano": (
        lines(DOCCANO),
        "doccano",
        [("item-0", None, BOTH, True, False), ("item-1", None, {}, True, False), ("item-2", None, {}, True, True)],
    ),
    "prodigy": (
        lines(CHOICES),
        "prodigy",
        [
            ("item-0", "news-anna", {**LISTED, "IRQ": True}, True, False), ("item-1", "news-anna", LISTED, True, False),
            ("item-2", "news-anna", {}, True, True),
        ],
    ),
    "prodigy, one by one": (lines(ONE_BY_ONE), "prodigy", [("item-0", "anna", {**LISTED, "IRQ": True}, False, False)]),
}  # fmt: skip


@pytest.mark.parametrize("what", KNOWN)
def test_a_file_is_read_as_its_tool_wrote_it(what: str, tmp_path: Path) -> None:
    content, kind, wanted = KNOWN[what]
    path = tmp_path / "labels"
    path.write_text(content, encoding="utf-8", newline="")
    answers, found = read_labels(path)
    assert found == kind
    assert [(one.document, one.coder, one.says, one.closed, one.unclear) for one in answers] == wanted


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
    "a broken line": ('{"answer": "accept"}\n{\n', "line 1 must say which document it is of|line 2 of"),
    "a line that is a list": ('{"label": []}\n[1]\n', "line 2 of .* must be a JSON object"),
    "another json": ('{"text": "a", "spans": []}\n', "is in no format of labels that is known"),
    "a task that is a number": ("[1]", "task 1 must be an object; it is '1'"),
    "a task without an id": (
        json.dumps([{"data": {"text": "a"}, "annotations": []}]),
        "under the key 'document' of its",
    ),
    "no result": (json.dumps([{"data": {"document": "a"}, "annotations": [{}]}]), "must have a list result"),
    "no choices": (json.dumps([{"document": "a", "annotator": 1, "mood": "x"}]), "its choices under the key 'label'"),
    "choices that are numbers": (
        json.dumps([{"document": "a", "label": {"choices": [1]}}]),
        "must have choices as texts",
    ),
    "tasks that nobody labelled": (
        json.dumps([{"data": {"document": "a"}, "annotations": []}]),
        "labels holds no answer; nobody labelled its documents",
    ),
    "a list of doccano with a number": ('[{"document": "a", "label": ["IRQ"]}, 1]', "record 2 must be an object"),
    "spans": ('{"document": "a", "label": [[0, 3, "IRQ"]]}\n', "must have a list of texts as its label"),
    "none and one": (
        '{"document": "a", "label": ["IRQ", "none"]}\n',
        "chose 'IRQ' and 'none'; these exclude each other",
    ),
    "an answer": (
        '{"document": "a", "answer": "maybe", "label": "IRQ"}\n',
        "must have the answer accept, reject or ign",
    ),
    "no label of prodigy": ('{"document": "a", "answer": "accept"}\n', "must have options, or an actor as its label"),
    "a label of prodigy twice": (lines(ONE_BY_ONE[:1] * 2), "line 2 labels IRQ in item-0 again"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_file_is_refused_at_its_place(what: str, tmp_path: Path) -> None:
    content, told = WRONG[what]
    path = tmp_path / "labels"
    path.write_text(content)
    with pytest.raises(InputError, match=told) as caught:
        read_labels(path)
    assert "labels" in str(caught.value)
