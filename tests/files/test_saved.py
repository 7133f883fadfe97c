"""Everything that is saved is saved and loaded in the same way, and refused in the same words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import howsure
from howsure.errors import InputError
from howsure.files import saved

RNG = np.random.default_rng(0)
Q = RNG.beta(3, 2, 400)
Y = (RNG.random(400) < Q).astype(int)
DAYS = np.datetime64("2026-01-01") + np.arange(400) // 20


def monitor() -> Any:
    found = howsure.CalibrationMonitor()
    found.update(DAYS, Y, Q)
    return found


def summary() -> Any:
    found = howsure.CalibrationSummary()
    found.add(Y, Q)
    return found


def same(one: Any, other: Any) -> bool:
    return bool(repr(one) == repr(other) and getattr(one, "to_json", str)() == getattr(other, "to_json", str)())


SAVED: dict[str, Callable[[], Any]] = {
    "map": lambda: howsure.recalibrate(Y, Q, method="platt"),
    "monitor": monitor,
    "summary": summary,
    "sample": lambda: howsure.sample_for_labels(Q, 50, rng=0),
}


@pytest.mark.parametrize("made", SAVED.values(), ids=SAVED)
def test_what_is_saved_comes_back(made: Callable[[], Any], tmp_path: Path) -> None:
    result = made()
    result.save(tmp_path / "x")
    assert same(type(result).load(tmp_path / "x"), result)


@pytest.mark.parametrize("made", SAVED.values(), ids=SAVED)
def test_what_cannot_be_saved_or_loaded(made: Callable[[], Any], tmp_path: Path) -> None:
    result = made()
    kind = type(result)
    with pytest.raises(InputError, match=r"no file .*lost"):
        kind.load(tmp_path / "lost")
    for wrong in ("", None, 3):
        with pytest.raises(InputError, match="path must be the name of a file, such as '"):
            kind.load(wrong)
        with pytest.raises(InputError, match="path must be the name of a file, such as '"):
            result.save(wrong)
    with pytest.raises(InputError, match="there is no folder"):
        result.save(tmp_path / "no" / "x")
    (tmp_path / "other").write_text('{"a": 1}')
    with pytest.raises(InputError, match=r"other.* (is no|is not|was truncated)"):
        kind.load(tmp_path / "other")


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved, "MOST_BYTES", 10)
    SAVED["map"]().save(tmp_path / "x")
    with pytest.raises(InputError, match="is no recalibration map: it is larger than"):
        howsure.RecalibrationMap.load(tmp_path / "x")
