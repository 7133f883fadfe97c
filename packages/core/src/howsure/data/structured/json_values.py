"""The values of a JSON object by field, with their positions in its text."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from howsure.errors import quote
from howsure.files.input_files import parsed_json
from howsure.inputs.checks import probability_advice

JsonPath = tuple[str | int, ...]
DECODER, ENCODER = json.JSONDecoder(), json.JSONEncoder(ensure_ascii=False)
BLANKS = re.compile(r"[ \t\r\n]*")
FENCED = re.compile(r"\s*```\w*\n(?P<json>.*?)\n?```\s*", re.DOTALL)  # JSON in Markdown
POSITION = re.compile(r"\[\d+\]")
VALUE, CONFIDENCE = "value", "confidence"
ROLES = {  # names of columns that are recognised, of a table with a row per value
    "document": ("document", "document_id", "doc_id", "doc", "invoice_id", "file", "filename", "dokument", "documento"),
    "field": ("field", "field_name", "path", "key", "question", "feld", "campo"),
    "value": ("value", "prediction", "predicted", "predicted_value", "extracted_value", "answer", "wert", "valor"),
    "confidence": ("confidence", "confidence_score", "probability", "prob", "konfidenz", "confianza"),
    "gold": ("gold", "target", "truth", "ground_truth", "label", "expected", "true_value", "wahr", "verdadero"),
}


@dataclass(frozen=True, slots=True)
class FieldValue:
    """The value of a field of a document.

    path: the location of the value, such as items[0].price. text: the value as text; None if it is null or empty.
    confidence: the probability that the value is correct; None if unknown. unseen: for a field with known choices, the
    probability of token alternatives that begin none of the choices; otherwise None.
    """

    path: str
    text: str | None
    confidence: float | None = None
    unseen: float | None = None

    @property
    def field(self) -> str:
        """The field: the path without the positions in arrays.

        >>> FieldValue("items[0].price", "3").field
        'items[].price'
        """
        return generic_path(self.path)


def generic_path(path: str) -> str:
    """The field of a path: items[] for items[0]."""
    return POSITION.sub("[]", path)


def path_text(path: JsonPath) -> str:
    """A path as text.

    >>> path_text(("items", 0, "price"))
    'items[0].price'
    """
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")


def value_text(value: Any) -> str | None:
    """A JSON value as text; None for null, empty lists and empty objects.

    >>> value_text(True), value_text("a"), value_text([1, "b"]), value_text([])
    ('true', 'a', '[1, "b"]', None)
    """
    if value is None or value in ([], {}):
        return None
    return value if isinstance(value, str) else ENCODER.encode(value)


def field_values(content: Any, *, whole: Collection[str] = ()) -> dict[JsonPath, FieldValue]:
    """The values in a JSON object, by their paths in it. Objects {"value": …, "confidence": …} are values with a
    confidence.

    whole: fields whose arrays or objects are one value.

    >>> [(value.path, value.text) for value in field_values({"a": [{"b": 1}], "c": None}).values()]
    [('a[0].b', '1'), ('c', None)]

    Raises ValueError for content that is not an object or array, and for confidences that are not probabilities.
    """
    if not isinstance(content, dict | list):
        raise ValueError(f"it must be a JSON object; it is {quote(content)}")
    return dict(_values(content, (), "", None, whole))


def _values(
    content: Any, place: JsonPath, path: str, confidence: float | None, whole: Collection[str]
) -> Iterator[tuple[JsonPath, FieldValue]]:
    """Yield the values in a JSON value, which is inside of a larger object, each with its location.

    place: the location of the JSON value. path: the location as text after ".", without the keys "value" of objects
    with a confidence.
    """
    name = path.removeprefix(".")
    if isinstance(content, dict) and {VALUE, CONFIDENCE} <= content.keys():
        stated_confidence = _confidence(content[CONFIDENCE], name)
        yield from _values(content[VALUE], (*place, VALUE), path, stated_confidence, whole)
    elif not isinstance(content, dict | list) or not content or (path and whole and generic_path(name) in whole):
        yield place, FieldValue(name, value_text(content), confidence)
    elif isinstance(content, dict):
        for key, part in content.items():
            yield from _values(part, (*place, key), f"{path}.{key}", confidence, whole)
    else:
        for at, part in enumerate(content):
            yield from _values(part, (*place, at), f"{path}[{at}]", confidence, whole)


def _confidence(value: Any, path: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        advice = f". {probability_advice(value, value)}".rstrip(".") if is_number else ""
        raise ValueError(f"the confidence of {path} must be between 0 and 1; it is {quote(value)}{advice}")
    return float(value)


def unfenced(text: str) -> tuple[str, int]:
    """The JSON in a text and its position, without a Markdown fence around it.

    >>> unfenced('```json\\n{}\\n```')
    ('{}', 8)
    """
    fenced = FENCED.fullmatch(text)
    return (text, 0) if fenced is None else (fenced["json"], fenced.start("json"))


def value_positions(text: str, *, whole: Collection[str] = ()) -> Mapping[JsonPath, tuple[int, int]]:
    """Return the start and the end of each value in a JSON text, including quotes.

    For an object or an array, the positions of the values inside it are returned instead.

    >>> value_positions('{"a": [1, "b"]}')
    {('a', 0): (7, 8), ('a', 1): (10, 13)}

    Raises ValueError if the text is not JSON, or an object has the same key twice.
    """
    parsed_json(text, strict=True)
    positions: dict[JsonPath, tuple[int, int]] = {}
    _scan(text, _skip(text, 0), (), whole, positions)
    return positions


def _skip(text: str, at: int) -> int:
    blanks = BLANKS.match(text, at)
    return at if blanks is None else blanks.end()


def _scan(
    text: str, at: int, path: JsonPath, whole: Collection[str], positions: dict[JsonPath, tuple[int, int]]
) -> int:
    """Add the positions of the value at index `at` of valid JSON to `positions`; return the index after the value."""
    is_object = text[at] == "{"
    inside = _skip(text, at + 1)
    is_whole = bool(path) and generic_path(path_text(tuple(part for part in path if part != VALUE))) in whole
    if text[at] not in "{[" or text[inside] in "}]" or is_whole:
        _, end = DECODER.raw_decode(text, at)
        positions[path] = (at, end)
        return end
    place = 0
    while text[at] not in "}]":
        at = _skip(text, at + 1)
        key: str | int = place
        if is_object:
            name, at = DECODER.raw_decode(text, at)
            key, at = str(name), _skip(text, _skip(text, at) + 1)
        at = _skip(text, _scan(text, at, (*path, key), whole, positions))
        place += 1
    return at + 1
