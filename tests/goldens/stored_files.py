"""The stored records: one JSON file per room."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.goldens.running import STORED


def read_stored(room: str) -> dict[str, Any]:
    """Return the stored records of a room; {} for a new room."""
    path = STORED / f"{room}.json"
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}


def write_stored(room: str, records: Mapping[str, Any]) -> None:
    """Store the records of a room, with each line of text on its own line."""
    text = json.dumps(records, indent=0, ensure_ascii=False)
    (STORED / f"{room}.json").write_text(text + "\n", encoding="utf-8")
