"""Any value of a log may be another one: each reader takes it, or refuses it in a sentence."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import howsure
from howsure.data.logs.conversion import LOGS as FORMATS
from howsure.data.logs.conversion import input_files
from howsure.errors import InputError
from tests.data.logs.samples import LOGS
from tests.fuzz.envelopes import PLAIN, ZIP

VALUES = (None, True, -1, 2.5, 10**400, float("nan"), "x", "", [], [None], {"a": {"b": []}})


def places(value: Any) -> Iterator[tuple[Any, ...]]:
    """The paths to all values within a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (key,)
        yield from ((key, *rest) for rest in places(inner))


def changed(value: Any, place: tuple[Any, ...], new: Any) -> Any:
    """A copy with another value in one place."""
    whole = copy.deepcopy(value)
    inner = whole
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = new
    return whole


def test_every_format_has_a_log() -> None:
    assert set(FORMATS) == {name.partition(" ")[0] for name in LOGS}


@pytest.mark.parametrize("name", LOGS)
def test_the_logs_are_read(name: str, tmp_path: Path) -> None:
    content, write = LOGS[name]
    (file,), log = input_files([write(tmp_path, content)], format=None, spool=tmp_path)
    assert log is not None
    assert log.format.name == name.partition(" ")[0]
    assert Path(file.path).read_text(encoding="utf-8").count("\n") == log.rows > 0


@pytest.mark.parametrize("name", LOGS)
def test_another_value_is_taken_or_refused(name: str, tmp_path: Path) -> None:
    """A few values in each place, every value in some of them."""
    step = 11 if name == "lighteval" else 6  # which opens a database each time
    assert crashes(name, tmp_path, lambda at: VALUES[at % step :: step]) == []


@pytest.mark.long
def test_any_other_value_is_taken_or_refused(tmp_path: Path) -> None:
    assert [one for name in LOGS for one in crashes(name, tmp_path, lambda at: VALUES)] == []


def crashes(name: str, tmp_path: Path, values: Callable[[int], Sequence[Any]]) -> list[str]:
    """What is neither taken nor refused, of the values for the place of each number."""
    content, write = LOGS[name]
    return [
        f"{place} = {value!r:.40}: {error!r}"
        for at, place in enumerate(places(content))
        for value in values(at)
        if (path := written(lambda: write(tmp_path, changed(content, place, value)))) is not None  # noqa: B023
        and (error := crash(path, name, tmp_path)) is not None
    ]


def written(write: Callable[[], Path]) -> Path | None:
    """The file; None where its format has no such value, as a column of Parquet has one type."""
    try:
        return write()
    except (pa.ArrowException, AttributeError, OverflowError):
        return None


def crash(path: Path, name: str, folder: Path) -> Exception | None:
    """What a reader raises that is no sentence about the log."""
    try:
        input_files([path], format=name.partition(" ")[0], spool=folder)
    except InputError:
        pass
    except Exception as error:
        return error
    return None


# Names with half a character as raw bytes (ED A0 80), which Python's JSON lets through: refused in every format.


NAMES = {
    "lm-eval": (b'"doc_id": 0', b'"doc_id": "\xed\xa0\x80"'),
    "inspect": (b'"id": "q1"', b'"id": "\xed\xa0\x80"'),
    "inspect zip": (b'"id": "q1"', b'"id": "\xed\xa0\x80"'),
    "helm": (b'"id": "id1"', b'"id": "\xed\xa0\x80"'),
    "helm stats": (b'"instance_id": "id1"', b'"instance_id": "\xed\xa0\x80"'),
    "openai": (b'"custom_id": "q1"', b'"custom_id": "\xed\xa0\x80"'),
    "hf": (b'"label": "a"', b'"label": "\xed\xa0\x80"'),
}


@pytest.mark.parametrize("name", NAMES)
def test_half_a_character_in_a_name(name: str, tmp_path: Path) -> None:
    content, write = LOGS[name]
    path = write(tmp_path, content)
    envelope = ZIP if path.suffix == ".eval" else PLAIN
    parts = envelope.unpack(path.read_bytes())
    path.write_bytes(envelope.pack({key: part.replace(*NAMES[name]) for key, part in parts.items()}))
    with pytest.raises(InputError, match=r"it is not UTF-8 text: byte [0-9,]+ is 0xed"):
        howsure.read(path, format=name.partition(" ")[0]).predictions()
