"""The state of a monitor as a text: JSON with its kind, the number of its form, and a checksum."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from howsure.errors import InputError
from howsure.files.utf8 import is_version, parsed_json
from howsure.inputs.pairs import Integers

KIND, SCHEMA = "howsure monitor", 2
DAMAGED = "Restore a copy, or begin a new state."
LITTLE = np.dtype("<i8")
OLDER = "Begin a new state, and give it the whole log."


def state_text(held: dict[str, Any]) -> str:
    """The text of a state."""
    return json.dumps({"kind": KIND, "schema": SCHEMA, "sha256": _digest(held), "state": held}, ensure_ascii=False)


@contextmanager
def state_of(text: str) -> Iterator[dict[str, Any]]:
    """The state in a text; whatever is wrong with it, also with what is done in the block, is an InputError."""
    try:
        found = parsed_json(text)
        if not isinstance(found, dict) or found.get("kind") != KIND:
            raise InputError("this is not the state of a monitor. Name the file that howsure monitor update wrote.")
        if not is_version(found.get("schema"), SCHEMA):
            raise InputError(
                f"the state has schema {found.get('schema')!s:.20}, and this howsure reads {SCHEMA}. {OLDER}"
            )
        if _digest(found["state"]) != found["sha256"]:
            raise InputError(f"the state does not match its checksum: it was changed or cut off. {DAMAGED}")
        yield found["state"]
    except InputError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, ArithmeticError) as error:
        raise InputError(f"the state of the monitor was changed or cut off ({error!s:.100}). {DAMAGED}") from error


def _digest(held: Any) -> str:
    return hashlib.sha256(json.dumps(held, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def packed(clusters: Integers) -> str:
    """Fingerprints as a text."""
    return base64.b64encode(clusters.astype(LITTLE).tobytes()).decode()


def unpacked(text: str) -> Integers:
    """The fingerprints of a text that `packed` made; ValueError if it is another."""
    found = np.frombuffer(base64.b64decode(text, validate=True), dtype=LITTLE).astype(np.int64)
    if (found[1:] <= found[:-1]).any():
        raise ValueError("clusters are sorted, and each is there once")
    return found
