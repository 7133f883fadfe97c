"""Saved summaries: small, the same bytes everywhere, and refused when anything in them is not as it was."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from howsure import CalibrationSummaries, CalibrationSummary, InputError, Pairs
from howsure.calibration.saved_summaries import CHECKSUM, Saved, from_bytes, to_bytes
from howsure.calibration.slots import Slots, slots_of
from tests.calibration.samples import language_pairs


@pytest.fixture(scope="module")
def summary() -> CalibrationSummary:
    found = CalibrationSummary()
    found.add(*language_pairs(20_000, np.random.default_rng(0)))
    return found


def signed(content: bytes) -> bytes:
    return content + hashlib.sha256(content).digest()


def edited(content: bytes, **changes: object) -> bytes:
    """The same columns under another head, with a checksum that fits."""
    first, head, columns = content[:-CHECKSUM].split(b"\n", 2)
    return signed(b"\n".join([first, json.dumps(json.loads(head) | changes).encode(), columns]))


def test_bytes_are_pinned() -> None:
    """What one machine saves, each other reads: the bytes of a few pairs never change while the version stays."""
    found = CalibrationSummary()
    found.add([0, 1, 1, 0, 1], [0.1, 0.25, 0.5, 1.0, 1e-9])
    checksum = "530f4319b2d5cbab978ae611f71defa449bf4837de3446c22e9b3cb7d8306839"
    assert hashlib.sha256(found.to_bytes()).hexdigest() == checksum


def test_a_file_comes_back(summary: CalibrationSummary, tmp_path: Path) -> None:
    summary.save(tmp_path / "day.summary")
    again = CalibrationSummary.load(str(tmp_path / "day.summary"))
    assert again == summary
    assert again.curve().to_dict() == summary.curve().to_dict()
    assert (tmp_path / "day.summary").stat().st_size < 16 * len(summary.slots.slot) + 600


@pytest.mark.parametrize("at", [0.0, 0.2, 0.5, 0.999])
def test_what_is_cut_or_changed_is_refused(summary: CalibrationSummary, at: float) -> None:
    content = summary.to_bytes()
    place = int(at * len(content))
    changed = content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
    for damaged in (content[:place], changed):
        with pytest.raises(InputError, match=r"was truncated or changed|is not a calibration summary"):
            CalibrationSummary.from_bytes(damaged)


def test_what_no_pairs_have_is_refused_though_the_checksum_fits(summary: CalibrationSummary) -> None:
    content = summary.to_bytes()
    sizes = [len(summary.slots.slot)]
    for changes in (
        {"slots": [sizes[0] - 1]},
        {"slots": [-1]},
        {"slots": ["many"]},
        {"slots": [10**18]},
        {"bytes": [1, 2, 3]},
        {"bytes": [99] * 6},
        {"names": ["a", "a"]},
        {"names": 3},
        {"names": [None]},
        {"weightless": [-1]},
        {"positive": [7]},
        {"weighted": True},
        {"slots": []},
        {"slots": [10**10], "bytes": [0] * 6},
    ):
        with pytest.raises(InputError, match="was truncated or changed"):
            CalibrationSummary.from_bytes(edited(content, **changes))


@pytest.mark.parametrize(("row", "value"), [(0, 0), (0, 2**36), (1, 2**60), (2, 2**60), (3, 5), (4, 1)])
def test_sums_that_no_pairs_have(row: int, value: int) -> None:
    sums = slots_of(Pairs(np.array([1], dtype=np.uint8), np.array([0.7]))).sums.copy()
    sums[row] = value
    with pytest.raises(InputError, match="it holds sums that no pairs have"):
        from_bytes(to_bytes(Saved([Slots(np.array([70_001]), sums)])))


def test_other_grids_versions_and_kinds_are_refused(summary: CalibrationSummary, tmp_path: Path) -> None:
    content = summary.to_bytes()
    with pytest.raises(InputError, match=r"it counts on 2 cells, this howsure on 27555 cells of the fourth root"):
        CalibrationSummary.from_bytes(edited(content, grid="2 cells"))
    with pytest.raises(InputError, match="has version 2, and this howsure reads 1: install a newer one"):
        CalibrationSummary.from_bytes(content.replace(b"summary 1\n", b"summary 2\n"))
    with pytest.raises(InputError, match="holds one summary without groups: CalibrationSummary reads it"):
        CalibrationSummaries.from_bytes(content)
    with pytest.raises(InputError, match="content is not a calibration summary"):
        CalibrationSummary.from_bytes(b"PK\x03\x04" + content)
    groups = CalibrationSummaries({"NN": summary})
    groups.save(tmp_path / "tags.summary")
    assert CalibrationSummaries.load(tmp_path / "tags.summary") == groups
    with pytest.raises(InputError, match=r"tags.summary holds summaries of groups: CalibrationSummaries reads it"):
        CalibrationSummary.load(tmp_path / "tags.summary")


def test_what_is_no_bytes() -> None:
    with pytest.raises(InputError, match=r"content must be bytes, not a str; CalibrationSummary.load reads a file"):
        CalibrationSummary.from_bytes("monday.summary")  # type: ignore[arg-type]


def test_places_that_are_none(summary: CalibrationSummary, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="path must be the name of a file"):
        summary.save(3)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="it is a folder"):
        summary.save(tmp_path)
    with pytest.raises(InputError, match="no file"):
        CalibrationSummary.load(tmp_path / "none.summary")
