"""Files of structures, one item per line as JSON, for `howsure calibration structures`."""

from __future__ import annotations

import os
from typing import Any

from howsure.errors import quote
from howsure.files.input_files import parsed_json, read_text
from howsure.inputs.numbers_and_names import nearest

KEYS = {"samples": "samples", "gold": "gold", "weights": "sample_weight", "candidates": "candidates"}  # parameters


def read_structures(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The arguments of `structure_pairs` from a file of JSON lines."""
    text = read_text(path)
    items: dict[str, tuple[int, dict[str, Any]]] = {}
    for number, line in enumerate(text.content.split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = parsed_json(line, strict=True)
        except ValueError as error:
            raise text.fault(number, f"it is not JSON ({error}); write one item per line.") from error
        if not isinstance(record, dict):
            raise text.fault(number, f"it contains {type(record).__name__}, not an object; write one item per line.")
        for name in ("samples", "gold"):
            if not isinstance(record.get(name), list):
                near = nearest(name, [key for key in record if key not in KEYS])
                advice = f" Did you mean {near}?" if near else ""
                raise text.fault(number, f"{name} must be a list; it is {quote(record.get(name))}.{advice}")
        item = str(record.get("id", number))
        if item in items:
            first = items[item][0]
            raise text.fault(
                number, f"it repeats the item {item} of line {first:,}; write all structures of an item in one line."
            )
        items[item] = number, record
    arguments = {}
    for name, parameter in KEYS.items():
        of_items = {item: record[name] for item, (_, record) in items.items() if record.get(name) is not None}
        lacking = next((number for item, (number, _) in items.items() if item not in of_items), None)
        if of_items and lacking is not None:
            raise text.fault(
                lacking, f"{name} are missing, and other lines have them; give them in every line or none."
            )
        if of_items:
            arguments[parameter] = of_items
    return arguments
