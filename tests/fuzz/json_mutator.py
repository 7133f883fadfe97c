"""Mutate JSON files: change types, keys and depths, insert half characters, and renew checksums.

Changed bytes nearly always give a text that is not JSON and is rejected at once. These mutations nearly always give
JSON, but of a shape that the reader does not expect.
"""

from __future__ import annotations

import copy
import json
import math
import random
from collections.abc import Iterator
from typing import Any

from tests.fuzz.envelopes import Envelope

HALF = "\ud800"  # half a character, as an escape or as raw bytes
DEEP, TWICE = "#deep", "#twice"  # marks that become what json.dumps cannot write
DEPTH = 100_000
VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    2,
    0.5,
    -0.0,
    1.5,
    1e308,
    -1e-320,
    2**31,
    2**63,
    -(2**64),
    10**400,
    math.nan,
    math.inf,
    -math.inf,
    "",
    " ",
    "A",
    "0",
    "1e400",
    "nan",
    "\x00",
    "[1, [2]]",
    "\u202e\u2028\ufeff",
    "é" * 400,
    HALF,
    f"a{HALF}b",
    [],
    {},
    [[]],
    [None],
    [{}],
    {"": None},
    {"a": {"a": {"a": []}}},
    ["a", 1, None, []],
    [[1], [1, 2]],
    [0.5, 0.5],
    [1],
    {"0": 1},
    {"name": None},
    DEEP,
)
NAMES = ("", "0", "id", "name", "value", "text", "label", "A", "__class__", "é", HALF, "\x00", "x" * 300)
RAW = 0.4  # of the texts have their characters as they are, not as escapes


def mutated(content: bytes, envelope: Envelope, rng: random.Random) -> bytes | None:
    """Return a file with one to three changes to a JSON document or line in it; None if the changed parts cannot be
    joined again."""
    parts = envelope.unpack(content)
    documents_of_parts = {
        name: part_documents for name, part in parts.items() if (part_documents := documents_of(part)) is not None
    }
    name = rng.choice(sorted(documents_of_parts))
    documents, lines = documents_of_parts[name]
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(documents))
        documents[at] = changed(documents[at], rng)
    part = (b"\n" if lines else b"").join(text_of(document, rng) for document in documents)
    try:
        return envelope.pack({**parts, name: part + b"\n" if lines else part})
    except Exception:  # a table cannot hold two types in a column; a database takes no half character
        return None


def documents_of(part: bytes) -> tuple[list[Any], bool] | None:
    """Return the JSON documents in bytes, and whether they are lines; None if the bytes are not JSON."""
    for texts in ([part], [line for line in part.split(b"\n") if line.strip()]):
        try:
            return [json.loads(text) for text in texts], len(texts) > 1
        except ValueError:
            continue
    return None


def changed(value: Any, rng: random.Random) -> Any:
    """Return a JSON value with one change, at any depth."""
    value = copy.deepcopy(value)
    places = list(_places(value))
    if not places or rng.random() < 0.02:
        return _other(value, [], rng)
    container, key = rng.choice(_by_depth(places, rng))
    others = [parent[name] for parent, name in places]
    way = rng.randrange(8)
    if way == 0:
        del container[key]
    elif way == 1 and isinstance(container, dict):
        name = rng.choice([*NAMES, *container, key.swapcase(), f"{key}{TWICE}"])
        container[name] = copy.deepcopy(container[key]) if TWICE in name else container.pop(key)
    elif way == 1:
        container.insert(key, copy.deepcopy(container[key]))
    elif way == 2 and len(container) > 1:
        other = rng.choice(list(container) if isinstance(container, dict) else range(len(container)))
        container[key], container[other] = container[other], container[key]
    elif way == 3:
        container[key] = rng.choice(
            ([container[key]], {"value": container[key]}, [container[key]] * 2, [[container[key]]])
        )
    elif way == 4 and isinstance(container[key], list | dict) and container[key]:
        inner = container[key]
        container[key] = rng.choice(list(inner.values()) if isinstance(inner, dict) else inner)
    else:
        container[key] = _other(container[key], others, rng)
    return value


def _by_depth(places: list[tuple[Any, Any]], rng: random.Random) -> list[tuple[Any, Any]]:
    """Return a position: in half of the cases any position; else a position in a container that is drawn first, so that
    long lists do not hide other containers."""
    if rng.random() < 0.5:
        return places
    chosen = rng.choice(list({id(container): container for container, _ in places}.values()))
    return [place for place in places if place[0] is chosen]


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Return every position in a value: the container and the key or index."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield value, key
        yield from _places(inner)


def _other(value: Any, others: list[Any], rng: random.Random) -> Any:
    """Return a replacement for a value: a value of the same kind, a value from another position, or a value of any
    kind."""
    way = rng.randrange(4)
    if way == 0 and others:
        return copy.deepcopy(rng.choice(others))
    if way == 1 and isinstance(value, str):
        half = len(value) // 2
        return rng.choice(
            (value[:half], value + HALF, value[:half] + HALF + value[half:], value * 3, value.upper(), [value])
        )
    if way == 1 and isinstance(value, int | float) and not isinstance(value, bool):
        return rng.choice((-value, str(value), value + 1, bool(value), [value], f"{value}e300", float(str(value)[:9])))
    if way == 1 and isinstance(value, list) and value:
        return rng.choice(
            (value[:-1], value[::-1], value + value[:1], {str(at): element for at, element in enumerate(value)})
        )
    if way == 1 and isinstance(value, dict) and value:
        return rng.choice((list(value), list(value.values()), dict.fromkeys(value), [value]))
    return copy.deepcopy(rng.choice(VALUES))


def text_of(value: Any, rng: random.Random) -> bytes:
    """Return a value as JSON, including what no Python value can express: a repeated key, a depth of 100,000, half a
    character."""
    text = json.dumps(value, ensure_ascii=rng.random() > RAW)
    text = text.replace(TWICE, "").replace(f'"{DEEP}"', "[" * DEPTH + "]" * DEPTH)
    return text.encode("utf-8", "surrogatepass")
