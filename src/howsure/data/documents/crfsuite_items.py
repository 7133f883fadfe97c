"""Files of crfsuite: one label and the attributes of one item per line, separated by tabs, with a blank line after each
sequence."""

from __future__ import annotations

import math
import os
import re
from itertools import groupby

from howsure.data.documents.document import Strings
from howsure.files.text import read_text
from howsure.inputs.numbers import spelled_number

ESCAPED = re.compile(r"\\([\\:])")
WITH_VALUE = re.compile(r"((?:[^\\:]|\\.|\\$)*)(?::(.*))?", re.DOTALL)

Item = dict[str, float]


def read_attributes(path: str | os.PathLike[str]) -> tuple[list[list[Item]], list[Strings]]:
    """The items of every sequence, each attribute with its value (1 if none is given), and their labels.

    `name:0.5` is the attribute `name` with value 0.5; a colon in a name is written `\\:`, a backslash `\\\\`. An
    attribute that occurs twice counts twice.

    Raises InputError naming the line whose value is not a number, or whose label is blank.
    Source: http://www.chokkan.org/software/crfsuite/manual.html (data format).
    """
    text = read_text(path)
    sequences, labels = [], []
    for is_sequence, lines in groupby(enumerate(text.content.split("\n"), start=1), key=lambda one: bool(one[1])):
        if not is_sequence:
            continue
        items: list[Item] = []
        names: list[str] = []
        for number, line in lines:
            label, *attributes = line.split("\t")
            if not label.strip():
                raise text.fault(number, "an item must begin with its label; a line between sequences must be empty.")
            item: Item = {}
            for attribute in attributes:
                name, value = _parsed(attribute)
                if not math.isfinite(value):
                    raise text.fault(number, f"what follows a colon is the attribute's value, a number: {attribute!r}.")
                item[name] = item.get(name, 0.0) + value
            items.append(item)
            names.append(_plain(label))
        sequences.append(items)
        labels.append(tuple(names))
    return sequences, labels


def _parsed(attribute: str) -> tuple[str, float]:
    """Name and value; NaN if the value is not a number."""
    found = WITH_VALUE.fullmatch(attribute)
    assert found is not None
    name, value = found.groups()
    number = 1.0 if value is None else spelled_number(value)
    return _plain(name), math.nan if number is None else number


def _plain(name: str) -> str:
    return ESCAPED.sub(r"\1", name)
