"""What a file may spell as a number: the same for every reader, whatever Python and DuckDB take for one."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import howsure
from howsure.data.documents.columns import read_attributes
from howsure.errors import InputError
from howsure.inputs.numbers import spelled_number, spelled_whole
from howsure.significance.boostsa.storage import read_labels

STRANGE = ("1_0", "٣", "١.٥", "0_1", "1__0", "", "+", "e5", "0x1", "1,5", "--1", "1e", "\u00a03")


@given(st.floats())
def test_what_python_prints_is_read(value: float) -> None:
    found = spelled_number(repr(value))
    assert found is not None
    assert found == value or (math.isnan(found) and math.isnan(value))


@pytest.mark.parametrize("text", STRANGE)
def test_what_is_no_number(text: str) -> None:
    assert spelled_number(text) is None
    assert spelled_whole(text) is None


def test_a_number_of_thousands_of_digits_is_no_whole_number() -> None:
    assert spelled_whole("9" * 5_000) is None
    assert (spelled_whole("-12"), spelled_whole("1.0")) == (-12, None)


@pytest.mark.parametrize("text", ["0_1", "٠", "1_0"])
def test_readers_take_no_strange_number(text: str, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(f"y,q\n1,{text}\n0,0.5\n", encoding="utf-8")
    with (
        pytest.raises(InputError, match="q must be numbers; row 1"),
        howsure.read(path).predictions("y", "q") as one,
    ):
        one.pairs()
    path.write_text(f"y,q\n{text},0.5\n1,0.5\n", encoding="utf-8")
    with pytest.raises(InputError, match="y must be 0 or 1"), howsure.read(path).predictions("y", "q") as one:
        one.pairs()
    items = tmp_path / "items.txt"
    items.write_text(f"N\tw:{text}\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"line 1 of .*a number"):
        read_attributes(items)
    labels = tmp_path / "labels.txt"
    labels.write_text(f"1\n{text}\n", encoding="utf-8")
    assert read_labels(labels).dtype.kind == "U"
