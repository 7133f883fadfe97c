"""A slice of `make fuzz` for every day: each seed is read, and what is cut, changed or was once a crash is refused."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

import howsure_events as events
from howsure import data
from howsure.errors import HowsureError
from tests.fuzz import readers
from tests.fuzz.readers import READERS, Reader, run
from tests.fuzz.seeds import SEEDS
from tests.fuzz.trial import CRASHES, crash_of, past_crashes

CHANGES = 2  # of each seed
# Whose seeds other tests read every day, as logs (tests.data.logs), or one reader in another format or envelope.
ALIKE = {
    "tsv",
    "json",
    "csv-zst",
    "log-helm",
    "log-hf",
    "log-hf-arrays",
    "log-inspect-json",
    "log-inspect-zstd",
    "log-lighteval",
    "scores-jsonl",
    "corpus-jsonl",
    "event-store-edits",
}


Seeded = Callable[[str], list[bytes]]


@pytest.fixture(scope="module")
def valid(tmp_path_factory: pytest.TempPathFactory) -> Seeded:
    """The seeds of a reader, made once."""
    return cache(lambda name: SEEDS[name](tmp_path_factory.mktemp("seeds")))


def test_every_reader_has_seeds() -> None:
    assert set(SEEDS) == set(READERS)


def test_what_reads_a_file_is_fuzzed() -> None:
    """By its name in the table, or as a form of `read_documents`."""
    forms = {"read_conllu": "conllu", "read_conll2012": "conll-2012", "read_tagged": "columns"}
    forms |= {"read_three_columns": "three-columns"}
    source = Path(readers.__file__).read_text(encoding="utf-8")
    public = [name for name in (*data.__all__, *events.__all__) if name.startswith(("read_", "open_"))]
    assert len(public) > len(forms)
    assert [name for name in public if name not in source and forms.get(name) not in READERS] == []


@pytest.mark.parametrize(
    "reader",
    [
        pytest.param(each_reader, marks=pytest.mark.long if each_reader.name in ALIKE else (), id=each_reader.name)
        for each_reader in READERS.values()
    ],
)
def test_seeds_are_read(reader: Reader, valid: Seeded, tmp_path: Path) -> None:
    for at, content in enumerate(valid(reader.name)):
        path = tmp_path / f"{at}{reader.suffix}"
        path.write_bytes(content)
        run(reader, path)


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_what_is_changed_is_read_or_refused(reader: Reader, valid: Seeded, tmp_path: Path) -> None:
    rng = random.Random(reader.name)
    assert crash_of(reader, changed(reader, rng.choice(valid(reader.name)), rng), tmp_path) is None


@pytest.mark.slow
def test_several_changes_of_each_seed_are_read_or_refused(valid: Seeded, tmp_path: Path) -> None:
    for reader in READERS.values():
        rng = random.Random(reader.name)
        for content in valid(reader.name) * CHANGES:
            assert crash_of(reader, changed(reader, content, rng), tmp_path) is None, reader.name


def changed(reader: Reader, content: bytes, rng: random.Random) -> bytes:
    """A file with something damaged inside its envelope."""
    return reader.envelope.changed(content, lambda part: damaged(part, rng), rng.randrange(100))


def damaged(content: bytes, rng: random.Random) -> bytes:
    """A byte changed, or a piece left out."""
    place = rng.randrange(len(content) + 1)
    if rng.random() < 0.5:
        return content[:place] + bytes([rng.randrange(256)]) + content[place + 1 :]
    return content[:place] + content[place + rng.randrange(1, 9) :]


@pytest.mark.parametrize(
    ("reader", "path"), past_crashes(), ids=lambda reader_or_path: getattr(reader_or_path, "name", "")
)
def test_past_crashes_stay_fixed(reader: Reader, path: Path, tmp_path: Path) -> None:
    assert crash_of(reader, path.read_bytes(), tmp_path) is None


def test_every_crash_names_its_reader() -> None:
    assert {path.parent.name for path in CRASHES.rglob("*") if path.is_file()} <= set(READERS)


@pytest.mark.parametrize("name", ["csv-gz", "npz", "tagger", "antecedents", "experiments"])
def test_an_envelope_seals_what_it_opened(name: str, valid: Seeded, tmp_path: Path) -> None:
    reader = READERS[name]
    for content in valid(name):
        path = tmp_path / f"again{reader.suffix}"
        path.write_bytes(reader.envelope.pack(reader.envelope.unpack(content)))
        run(reader, path)


def test_trial_distinguishes_refusals_from_crashes(tmp_path: Path) -> None:
    def refuses(path: Path) -> None:
        raise HowsureError(path.name)

    def stumbles(path: Path) -> None:
        raise KeyError(path.name)

    assert crash_of(Reader("refuses", ".txt", refuses), b"x", tmp_path) is None
    crash = crash_of(Reader("stumbles", ".txt", stumbles), b"x", tmp_path)
    assert crash.where.startswith("KeyError at test_readers.py:")
