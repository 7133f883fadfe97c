"""The experiments store: what is written stays written."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
from tests.significance.made_systems import distributions, labels

from howsure.errors import InputError
from howsure.significance import Experiments, Runs
from howsure.significance.comparison import compare
from tests.source import CORE

WRITER = """
import sys
import numpy as np
from howsure.significance import Experiments
store = Experiments(sys.argv[1])
for run in range(10**6):
    store.add("base", run, np.full(20_000, run), y_true=np.zeros(20_000, dtype=int))
    print(run, flush=True)
"""


def filled(path: Path) -> Experiments:
    targets, a, b = labels(60, 3, 1)
    store = Experiments(path)
    rng = np.random.default_rng(0)
    for run in range(3):
        order = rng.permutation(60)
        ids = [f"item {k}" for k in order]
        store.add("base", f"seed {run}", np.roll(a, run)[order], y_true=targets[order], id=ids, epochs=run)
        if run < 2:
            store.add("large", f"seed {run}", np.roll(b, run)[order], id=ids)
    return store


def test_what_was_added_is_compared_by_item(tmp_path: Path) -> None:
    store = filled(tmp_path / "store")
    targets, a, b = labels(60, 3, 1)
    again = Experiments(tmp_path / "store")
    assert again.conditions == {"base": ("seed 0", "seed 1", "seed 2"), "large": ("seed 0", "seed 1")}
    assert [run.epochs for run in again.runs("base")] == [0, 1, 2]
    options = {"rng": 1, "n_resamples": 100}
    expected = compare(
        targets, Runs([np.roll(a, k) for k in range(3)]), {"large": Runs([np.roll(b, k) for k in range(2)])}, **options
    )
    for comparison in (store.compare("base", **options), again.compare("base", ["large"], **options)):
        assert [row.p_value for row in comparison] == [row.p_value for row in expected]
        assert comparison[0].against == "base"


def test_distributions_and_several_processes(tmp_path: Path) -> None:
    """Two stores on one file see what the other wrote."""
    targets, a, b = distributions(30, 3, 0)
    first_store, other = Experiments(tmp_path / "store"), Experiments(tmp_path / "store")
    first_store.add("a", 0, a, y_true=targets)
    other.add("b", 0, b)
    with pytest.raises(InputError, match="run '0' of 'b' already exists"):
        first_store.add("b", 0, b)
    row = first_store.compare("a", metrics="total_variation", n_resamples=10)[0]
    assert row.model_value == pytest.approx(0.5 * np.abs(targets - b).sum(axis=1).mean())


@pytest.mark.long
def test_a_kill_loses_nothing_that_was_written(tmp_path: Path) -> None:
    """A process that writes is killed (signal 9) at two moments; every run it reported is there, and it goes on."""
    path = tmp_path / "store"
    reported = -1
    for lines in (1, 3):
        program = WRITER.replace("range(10**6)", f"range({reported + 1}, 10**6)")
        environment = os.environ | {"PYTHONPATH": str(CORE.parent)}
        with subprocess.Popen([sys.executable, "-c", program, path], stdout=subprocess.PIPE, env=environment) as writer:
            assert writer.stdout is not None
            for _ in range(lines):
                acknowledged = int(writer.stdout.readline())
            os.kill(writer.pid, signal.SIGKILL)
        runs_read = [int(name) for name in Experiments(path).conditions["base"]]
        assert runs_read == list(range(len(runs_read)))
        assert runs_read[-1] >= acknowledged
        reported = runs_read[-1]
    assert set(Experiments(path).runs("base")[-1].predictions) == {reported}


def test_a_line_cut_anywhere_costs_that_line_alone(tmp_path: Path) -> None:
    filled(tmp_path / "whole")
    content = (tmp_path / "whole").read_bytes()
    last = content[:-1].rfind(b"\n") + 1
    for cut in (*range(last, last + 30), len(content) - 2, len(content) - 1):
        path = tmp_path / "cut"
        path.write_bytes(content[:cut])
        store = Experiments(path)
        assert store.conditions["base"] == ("seed 0", "seed 1")
        store.add("base", "again", list(store.y_true), id=list(store.id))
        assert Experiments(path).conditions["base"] == ("seed 0", "seed 1", "again")


def test_a_damaged_store_is_not_read(tmp_path: Path) -> None:
    filled(tmp_path / "store")
    content = bytearray((tmp_path / "store").read_bytes())
    content[40] ^= 1
    (tmp_path / "store").write_bytes(content)
    with pytest.raises(InputError, match="store, line 1 is damaged"):
        Experiments(tmp_path / "store")


def test_a_whole_last_line_that_is_damaged_is_refused_and_kept(tmp_path: Path) -> None:
    store = filled(tmp_path / "store")
    content = bytearray(store.path.read_bytes())
    content[-5] ^= 1
    store.path.write_bytes(content)
    with pytest.raises(InputError, match=f"store, line {content.count(10)} is damaged"):
        Experiments(store.path)
    assert store.path.read_bytes() == content


def test_names_and_epochs_are_plain_before_they_are_written(tmp_path: Path) -> None:
    store, other = Experiments(tmp_path / "store"), Experiments(tmp_path / "store")
    with pytest.raises(InputError, match=r"epochs must be a whole number or None; 1\.5 is not"):
        store.add("base", 0, [0, 1], y_true=[0, 1], epochs=1.5)  # type: ignore[arg-type]
    assert not store.path.exists()
    store.add(7, 0, [0, 1], y_true=[0, 1], epochs=np.int64(3))  # type: ignore[arg-type]
    assert other.y_true == (0, 1)
    assert Experiments(store.path).id == ("0", "1")
    assert [run.epochs for run in other.runs("7")] == [3]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"prediction": [0, 1]}, "id must name the same items as before: they lack 2"),
        ({"prediction": [0, 1, 1], "id": ["0", "1", "x"]}, "lack 2 and have x"),
        ({"prediction": [0, 1, 1], "id": ["0", "1", "1"]}, "id must be different in every row; '1' occurs 2 times"),
        ({"prediction": [0, 1, 1], "id": ["0"]}, "id must have as many rows"),
        ({"prediction": [0, 1, 1], "y_true": [0, 1, 1]}, "the target of '2' was 0 before and is 1 now"),
        ({"prediction": [0, 1, 1], "y_true": [0, 1]}, "y_true must have as many rows"),
        ({"prediction": [0, 1, None]}, "prediction must not have missing values; row 2"),
        ({"prediction": [[0.5, 0.6]] * 3}, "sum to 1"),
    ],
)
def test_what_does_not_match_is_not_written(tmp_path: Path, arguments: dict[str, object], message: str) -> None:
    store = Experiments(tmp_path / "store")
    store.add("base", 0, [0, 1, 1], y_true=[0, 1, 0])
    before = store.path.read_bytes()
    with pytest.raises(InputError, match=message):
        store.add("large", 0, **arguments)
    assert store.path.read_bytes() == before


def test_what_is_not_there_is_reported(tmp_path: Path) -> None:
    store = Experiments(tmp_path / "store")
    store.add("base", 0, [0, 1], y_true=[0, 1])


IDS, TRUE = ["a", "b", "c"], [0, 1, 1]
FIRST = {"kind": "targets", "ids": IDS, "targets": TRUE}
ADDED = {"kind": "run", "condition": "base", "run": "1", "epochs": None, "ids": IDS, "predictions": TRUE}


def written(path: Path, *contents: object) -> Path:
    """A store of records as they are, each with its checksum; text as it is."""
    lines = [record.encode() if isinstance(record, str) else json.dumps(record).encode() for record in contents]
    path.write_bytes(b"".join(f"{zlib.crc32(line):08x} ".encode() + line + b"\n" for line in lines))
    return path


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ("[" * 100_000, "it is nested too deeply"),
        ("{" + "[" * 100_000, "line 2 is not a record"),
        ('{"kind": "run", "condition": "\\ud800"}', "a lone surrogate"),
        ([1, 2], "its kind is not one of targets, run and point"),
        ({}, "its kind is not one of targets, run and point"),
        ({"kind": ["run"]}, "its kind is not one of targets, run and point"),
        ({**ADDED, "schema": 2}, "its schema is 2, but this version of howsure reads 1; install a newer version"),
        ({key: value for key, value in ADDED.items() if key != "epochs"}, "it lacks 'epochs'"),
        ({key: value for key, value in ADDED.items() if key != "ids"}, "it lacks 'ids'"),
        ({**ADDED, "condition": 3}, "condition and run must be strings"),
        ({**ADDED, "run": None}, "condition and run must be strings"),
        ({**ADDED, "epochs": 1.5}, "epochs a whole number"),
        ({**ADDED, "ids": "abc"}, "its ids must be different strings"),
        ({**ADDED, "ids": ["a", "a", "b"]}, "its ids must be different strings"),
        ({**ADDED, "ids": [["a"], "b", "c"]}, "its ids must be different strings"),
        ({**ADDED, "ids": ["a", "b", "x"]}, "its ids differ from the ids of the targets"),
        ({**ADDED, "predictions": [1, 2]}, "as many values as ids"),
        ({**ADDED, "predictions": {"a": 1}}, "as many values as ids"),
        ({**ADDED, "predictions": [1, None, 2]}, "it must not have missing values"),
        ({**ADDED, "predictions": [1, "x", 2]}, "text and numbers"),
        ({**ADDED, "predictions": [{}, {}, {}]}, "not a record of a store"),
        ({**ADDED, "predictions": [[[1]], [[1]], [[2]]]}, "not a record of a store"),
        (FIRST, "the targets occur twice"),
    ],
)
def test_records_of_another_shape_are_refused(record: object, message: str, tmp_path: Path) -> None:
    path = written(tmp_path / "store", FIRST, record)
    kept = path.read_bytes()
    with pytest.raises(InputError, match=message) as error:
        Experiments(path)
    assert f"{path}, line 2 is not a record" in str(error.value)
    assert path.read_bytes() == kept


def test_records_that_come_first_or_twice_and_older_ones(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"line 1 is not a record.*its ids differ from the ids of the targets"):
        Experiments(written(tmp_path / "store", ADDED))
    with pytest.raises(InputError, match=r"line 3 is not a record.*run '1' of 'base' occurs twice"):
        Experiments(written(tmp_path / "store", FIRST, ADDED, ADDED))
    with pytest.raises(InputError, match=r"line 1 is not a record.*its schema is '1'"):
        Experiments(written(tmp_path / "store", {**FIRST, "schema": "1"}))
    store = Experiments(written(tmp_path / "store", FIRST, ADDED))  # as stores without a schema were written
    assert store.conditions == {"base": ("1",)}
    store.add("base", "2", TRUE, id=IDS)
    new = Experiments(tmp_path / "new")
    new.add("base", "1", TRUE, y_true=TRUE)
    assert b'"schema": 1' in (tmp_path / "new").read_bytes()
