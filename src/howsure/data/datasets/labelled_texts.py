"""Texts with a label of 0 or 1 as JSON lines: `{"text": …, "label": 1}`."""

from __future__ import annotations

import os
from io import StringIO
from itertools import islice

from howsure.files.text import read_text
from howsure.files.utf8 import parsed_json


def read_labelled_texts(path: str | os.PathLike[str], *, limit: int | None = None) -> tuple[list[str], list[int]]:
    """The texts in a file of JSON lines (plain or gzip) and their labels, 0 or 1, as for the sentiment tweets.

    `limit`: of the first lines alone; what follows them is not read.

    Raises InputError naming the line that is not an object with a text and a label of 0 or 1.
    """
    text = read_text(path)
    texts, labels = [], []
    lines = (line.rstrip("\n") for line in StringIO(text.content))
    for number, line in enumerate(islice(lines, limit), start=1):
        if not line.strip():
            continue
        try:
            found = parsed_json(line)
        except ValueError as error:
            raise text.fault(number, f"a line must be a JSON object; it is none ({error}).") from None
        if not isinstance(found, dict) or not isinstance(found.get("text"), str):
            raise text.fault(number, f'an object must have a "text"; the line is {line[:60]!r}.')
        label = found.get("label")
        if label not in (0, 1) or not isinstance(label, int):
            raise text.fault(number, f'the "label" must be 0 or 1; it is {label!r}.')
        texts.append(found["text"])
        labels.append(int(label))
    return texts, labels
