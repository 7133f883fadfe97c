"""What the pages promise: on one machine the same to the last bit, on another the same to 1e-12 of the value."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests import another_machine
from tests.source import FOLDERS, ROOT

WIDE = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
ANOTHER = {"NPY_DISABLE_CPU_FEATURES": " ".join(WIDE), "OPENBLAS_CORETYPE": "Prescott", "PYTHONHASHSEED": "1"}


def printed(environment: dict[str, str]) -> str:
    """The numbers of every chapter, computed in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.another_machine"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, (*FOLDERS, ROOT)))} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every number or text of a JSON value with its place."""
    if isinstance(value, dict | list):
        for key, child in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(child, f"{path}/{key}")
    else:
        yield path, value


@pytest.fixture(scope="module")
def here() -> str:
    return another_machine.numbers()


@pytest.mark.long
def test_on_one_machine_the_same_to_the_last_bit(here: str) -> None:
    """In a process of its own, whose hashes have another order."""
    assert printed({"PYTHONHASHSEED": "3"}).strip() == here


@pytest.mark.long
def test_on_another_machine_the_same_but_for_rounding(here: str) -> None:
    first, second = (dict(leaves(json.loads(text))) for text in (here, printed(ANOTHER)))
    assert first.keys() == second.keys()
    numbers = {place for place, value in first.items() if isinstance(value, float) and np.isfinite(value)}
    assert len(numbers) > 1_000
    assert {place: first[place] for place in first.keys() - numbers} == {
        place: second[place] for place in first.keys() - numbers
    }
    assert {place: second[place] for place in numbers} == pytest.approx(
        {place: first[place] for place in numbers}, rel=1e-12, abs=1e-14
    )
