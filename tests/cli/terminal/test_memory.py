"""Numbers that no memory can hold are refused in a sentence, before the work."""

from __future__ import annotations

from pathlib import Path

import pytest

from howsure.cli.terminal.process import check_memory, machine_memory
from howsure.errors import InputError
from tests.cli.running import howsure

ABSURD = 10**14


def test_what_there_is_can_be_had() -> None:
    there = machine_memory()
    assert there is not None
    check_memory(there, name="n", value=1)
    with pytest.raises(InputError, match=r"^n must be small enough for the memory of this machine .*; 7 needs about"):
        check_memory(there + 1, name="n", value=7)


@pytest.mark.parametrize("method", ["permutation", "bootstrap", "boostsa"])
def test_resamples(method: str, tmp_path: Path) -> None:
    path = tmp_path / "dev.csv"
    path.write_text("y,a,b\n" + "".join(f"{i % 2},{i % 3 % 2},{i % 5 % 2}\n" for i in range(200)))
    options = ("--target", "y", "--against", "a", "--model", "b", "--method", method, "--metric", "macro_f1")
    done = howsure("significance", path, *options, "--resamples", ABSURD)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("howsure: --resamples must be small enough for the memory of this machine")


def test_pairs_to_draw() -> None:
    done = howsure("simulate", ABSURD)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("howsure: N must be small enough for the memory of this machine")
