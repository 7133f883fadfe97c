"""A slice of the JSON part of `make fuzz` for every day: what one who knows JSON changed is read, or refused."""

from __future__ import annotations

import random
from itertools import islice
from pathlib import Path

import pytest

from howsure.errors import HowsureError
from tests.fuzz.envelopes import PLAIN
from tests.fuzz.json_mutator import DEPTH, HALF, changed, documents_of, mutated, text_of
from tests.fuzz.json_readers import JSON_READERS
from tests.fuzz.json_trial import crash_at, inputs_of, seeds_of
from tests.fuzz.readers import READERS, Reader, run
from tests.fuzz.trial import crash_of

FEW, MANY = 200, 2_000  # inputs of a reader
SLOW = {"jsonl", "json", "distributions", "corpus-jsonl", "scores-jsonl", "log-lighteval", "event-store"}
SLOWER = 10  # times fewer, of those that start a database for each input


def crashes(name: str, inputs: int, folder: Path) -> list[str]:
    """What crashed a reader among its first inputs."""
    (folder / "seeds").mkdir()
    made = islice(inputs_of(name, folder / "seeds", seed=0), inputs // (SLOWER if name in SLOW else 1))
    found = (crash_at(name, number, content, folder) for number, content in enumerate(made, 1))
    return [f"{one.where}\n{one.told}" for one in found if one is not None]


@pytest.mark.parametrize("name", JSON_READERS)
def test_changed_json_is_read_or_refused(name: str, tmp_path: Path) -> None:
    assert crashes(name, FEW, tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", JSON_READERS)
def test_much_changed_json_is_read_or_refused(name: str, tmp_path: Path) -> None:
    assert crashes(name, MANY, tmp_path) == []


def test_every_reader_of_json_is_in_the_table(tmp_path: Path) -> None:
    """By its seeds: those that are JSON, or JSON in an envelope."""
    held = {
        name
        for name, reader in READERS.items()
        if any(map(documents_of, reader.envelope.unpack(seeds_of(name, tmp_path)[0]).values()))
    }
    lines_of_numbers = {"labels-txt"}
    assert held - lines_of_numbers <= set(JSON_READERS) | {"event-store-edits"}


@pytest.mark.parametrize("name", JSON_READERS)
def test_an_envelope_packs_what_it_unpacked(name: str, tmp_path: Path) -> None:
    reader = JSON_READERS[name]
    for content in seeds_of(name, tmp_path):
        path = tmp_path / f"again{reader.whole.suffix}"
        path.write_bytes(reader.envelope.pack(reader.envelope.unpack(content)))
        run(reader.whole, path)


def test_the_same_seed_makes_the_same_inputs(tmp_path: Path) -> None:
    one, two = (list(islice(inputs_of("baseline", tmp_path, seed=3), 20)) for _ in range(2))
    assert one == two
    assert len(set(one)) > 15


def test_a_change_leaves_the_rest_as_it_was() -> None:
    rng = random.Random(1)
    held = {"a": [1, 2, {"b": "text"}], "c": None}
    found = [changed(held, rng) for _ in range(200)]
    assert held == {"a": [1, 2, {"b": "text"}], "c": None}
    assert sum(one != held for one in found) > 150
    assert any(one == {**held, "a": [1, 2]} for one in found)


def test_what_json_dumps_cannot_write() -> None:
    rng = random.Random(1)
    texts = {text_of({"a": HALF, "a#twice": "#deep"}, rng) for _ in range(20)}
    assert any(b"\xed\xa0\x80" in text for text in texts)
    assert any(b"\\ud800" in text for text in texts)
    assert all(text.count(b'"a"') == 2 and text.count(b"[") == DEPTH for text in texts)


def test_a_reader_that_stumbles_is_found(tmp_path: Path) -> None:
    def read(path: Path) -> None:
        held = documents_of(path.read_bytes())
        if held is None or not isinstance(held[0][0], dict) or "letters" not in held[0][0]:
            raise HowsureError("refused")
        len(held[0][0]["letters"])

    rng = random.Random(0)
    inputs = (mutated(b'{"letters": ["a", "b"], "more": {"n": 1}}', PLAIN, rng) for _ in range(200))
    found = [crash_of(Reader("made-up", ".json", read), one, tmp_path) for one in inputs if one is not None]
    assert {one.where.partition(" ")[0] for one in found if one is not None} == {"TypeError"}
