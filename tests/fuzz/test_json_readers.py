"""A slice of the JSON part of `make fuzz` for every day: what one who knows JSON changed is read, or refused."""

from __future__ import annotations

import ast
import random
import re
import sys
from itertools import islice
from pathlib import Path
from types import CodeType, FrameType

import pytest

from howsure.data.logs.log_detection import LOGS
from howsure.errors import HowsureError
from tests.fuzz.envelopes import PLAIN
from tests.fuzz.json_mutator import DEPTH, HALF, changed, documents_of, mutated, text_of
from tests.fuzz.json_readers import JSON_READERS
from tests.fuzz.json_trial import crash_at, inputs_of, seeds_of
from tests.fuzz.readers import LOG_READERS, READERS, Reader, run
from tests.fuzz.trial import crash_of
from tests.source import FILES, PAPERS

FEW, SOME, MANY = 30, 100, 2_000  # inputs of a reader
SLOW = {
    *("jsonl", "json", "distributions", "corpus-jsonl", "scores-jsonl", "log-lighteval", "event-store"),
    *("look", "saved-regression"),
}
SLOWER = 10  # times fewer for readers that start a database for each input or solve equations


def crashes(name: str, inputs: int, folder: Path, *, after: int = 0) -> list[str]:
    """What crashed a reader among its first inputs, or those that come after some of them."""
    (folder / "seeds").mkdir()
    made = islice(inputs_of(name, folder / "seeds", seed=0), after, inputs // (SLOWER if name in SLOW else 1))
    results = (crash_at(name, number, content, folder) for number, content in enumerate(made, after + 1))
    return [f"{crash.where}\n{crash.traceback_text}" for crash in results if crash is not None]


@pytest.mark.parametrize("name", JSON_READERS)
def test_changed_json_is_read_or_refused(name: str, tmp_path: Path) -> None:
    assert crashes(name, FEW, tmp_path) == []


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in JSON_READERS if name not in SLOW])
def test_more_changed_json_is_read_or_refused(name: str, tmp_path: Path) -> None:
    assert crashes(name, SOME, tmp_path, after=FEW) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", JSON_READERS)
def test_much_changed_json_is_read_or_refused(name: str, tmp_path: Path) -> None:
    assert crashes(name, MANY, tmp_path) == []


def test_every_reader_of_json_is_in_the_table(tmp_path: Path) -> None:
    """By its seeds: those that are JSON, or JSON in an envelope."""
    json_readers = {
        name
        for name, reader in READERS.items()
        if any(map(documents_of, reader.envelope.unpack(seeds_of(name, tmp_path)[0]).values()))
    }
    lines_of_numbers = {"labels-txt"}
    assert json_readers - lines_of_numbers <= set(JSON_READERS) | {"event-store-edits"}


# What parses JSON: functions of the packages and, of its methods, those of these names.
PARSERS = {"parsed_json", "DECODE", "loads", "load", "read_model", "read_records", "fields", "content"}
OWNERS = {"loads": {"json"}, "load": {"json"}, "fields": {"head", "HEAD"}, "content": {"STATE", "SavedState"}}
NOT_READERS = {
    "howsure_cli/field_commands.py _is_json_object": "asks whether the content of a response is an object, in `look`",
    "howsure_cli/look.py _look_inside": "cells of a document that DuckDB has read, in `look`",
    "howsure_cli/span_commands.py _exploded": "cells of a document that DuckDB has read, in `look`",
    "howsure_events/languages/__init__.py texts_in": "files of the package",
    "howsure_cli/terminal/recorded_help.py recorded_help": "a file of the package",
    "howsure/data/tables/database.py _first_bad_line": "runs on a file that DuckDB cannot read",
    "howsure/data/tables/where.py _tree": "what DuckDB writes about a condition",
    "howsure_events/store/event_store.py differs": "settings made in the same call",
    "howsure_text/spacy.py from_bytes": "needs spaCy; what it reads are texts for RecalibrationMap.from_json",
}


def in_package(path: Path) -> str:
    """The path of a file from its package on."""
    return path.as_posix().rpartition("/src/")[2]


def parsing_functions() -> set[str]:
    """The functions of howsure that parse JSON, each as its file and name."""
    functions, call = set(), re.compile(rf"\b(?:{'|'.join(PARSERS)})\(")
    for path in (path for path in FILES if PAPERS not in path.parents):
        text = path.read_text(encoding="utf-8")
        for function in ast.walk(ast.parse(text)) if call.search(text) else ():
            if isinstance(function, ast.FunctionDef) and any(map(is_parser, ast.walk(function))):
                functions.add(f"{in_package(path)} {function.name}")
    return functions


def is_parser(node: ast.AST) -> bool:
    """Whether a node of a syntax tree calls what parses JSON."""
    match node:
        case ast.Call(func=ast.Name(name)):
            return name in PARSERS - OWNERS.keys()
        case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name in OWNERS:
            words = {part.id for part in ast.walk(owner) if isinstance(part, ast.Name)}
            words |= {part.attr for part in ast.walk(owner) if isinstance(part, ast.Attribute)}
            return bool(words & OWNERS[name])
    return False


@pytest.mark.long
def test_every_function_that_parses_json_is_reached_by_a_reader(tmp_path: Path) -> None:
    """The seeds of the readers run through each of them; so do the inputs that are made of the seeds."""
    entered = set[CodeType]()

    def record(frame: FrameType, event: str, argument: object) -> None:
        entered.add(frame.f_code)

    for name, reader in JSON_READERS.items():
        folder = tmp_path / name
        folder.mkdir()
        for number, content in enumerate(seeds_of(name, folder)):
            path = folder / f"input-{number}{reader.whole.suffix}"
            path.write_bytes(content)
            sys.settrace(record)  # which is called once a function, as it traces none
            try:
                run(reader.whole, path)
            finally:
                sys.settrace(None)
    places = {f"{in_package(Path(code.co_filename))} {code.co_name}" for code in entered}
    assert parsing_functions() - places == NOT_READERS.keys()


def test_every_format_of_logs_has_a_reader() -> None:
    assert {form for name, (form, _) in LOG_READERS.items() if name in JSON_READERS} == set(LOGS)


@pytest.mark.parametrize("name", [name for name, reader in JSON_READERS.items() if reader.envelope != PLAIN])
def test_an_envelope_packs_what_it_unpacked(name: str, tmp_path: Path) -> None:
    reader = JSON_READERS[name]
    for content in seeds_of(name, tmp_path):
        path = tmp_path / f"again{reader.whole.suffix}"
        path.write_bytes(reader.envelope.pack(reader.envelope.unpack(content)))
        run(reader.whole, path)


def test_the_same_seed_makes_the_same_inputs(tmp_path: Path) -> None:
    first, second = (list(islice(inputs_of("baseline", tmp_path, seed=3), 20)) for _ in range(2))
    assert first == second
    assert len(set(first)) > 15


def test_a_change_leaves_the_rest_as_it_was() -> None:
    rng = random.Random(1)
    original = {"a": [1, 2, {"b": "text"}], "c": None}
    mutants = [changed(original, rng) for _ in range(200)]
    assert original == {"a": [1, 2, {"b": "text"}], "c": None}
    assert sum(mutant != original for mutant in mutants) > 150
    assert any(mutant == {**original, "a": [1, 2]} for mutant in mutants)


def test_what_json_dumps_cannot_write() -> None:
    rng = random.Random(1)
    texts = {text_of({"a": HALF, "a#twice": "#deep"}, rng) for _ in range(20)}
    assert any(b"\xed\xa0\x80" in text for text in texts)
    assert any(b"\\ud800" in text for text in texts)
    assert all(text.count(b'"a"') == 2 and text.count(b"[") == DEPTH for text in texts)


def test_a_reader_that_stumbles_is_found(tmp_path: Path) -> None:
    def read(path: Path) -> None:
        documents = documents_of(path.read_bytes())
        if documents is None or not isinstance(documents[0][0], dict) or "letters" not in documents[0][0]:
            raise HowsureError("refused")
        len(documents[0][0]["letters"])

    rng = random.Random(0)
    inputs = (mutated(b'{"letters": ["a", "b"], "more": {"n": 1}}', PLAIN, rng) for _ in range(200))
    crashes_found = [
        crash_of(Reader("made-up", ".json", read), content, tmp_path) for content in inputs if content is not None
    ]
    assert {crash.where.partition(" ")[0] for crash in crashes_found if crash is not None} == {"TypeError"}
