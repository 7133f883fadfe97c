"""Near misses and natural order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.inputs.naming import natural_order, nearest, shortened, unknown_name


def test_numbers_come_first_and_by_value() -> None:
    names = ["b10", "b09", "b9", "a", "10", "9", "-1", "2.5", "B1", "", "b", "nan"]
    assert sorted(names, key=natural_order) == ["-1", "2.5", "9", "10", "", "B1", "a", "b", "b09", "b9", "b10", "nan"]


@given(st.lists(st.text(max_size=6) | st.integers().map(str) | st.floats().map(str), max_size=20))
def test_the_order_is_one_order_of_any_names(names: list[str]) -> None:
    once = sorted(names, key=natural_order)
    names.reverse()
    assert sorted(names, key=natural_order) == once
    assert sorted(once) == sorted(names)


@pytest.mark.parametrize(
    ("name", "expected"), [("gold_label", "gold"), ("PROB", "prob"), ("prb", "prob"), ("zzz", None), ("", None)]
)
def test_the_nearest_name(name: str, expected: str | None) -> None:
    assert nearest(name, ["uid", "gold", "prob"]) == expected


def test_an_unknown_name_without_a_near_one() -> None:
    message = str(unknown_name("column", "zzz", ["gold", "prob"], place="dev.jsonl"))
    assert message == "no column 'zzz' in dev.jsonl; it has gold, prob."


def test_long_lists_are_shortened() -> None:
    assert shortened([]) == ""
    assert shortened(range(12)) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11"
    assert shortened(range(2000), limit=2) == "0, 1 and 1,998 more"


def test_numbers_of_any_length_are_sorted_by_value() -> None:
    long = "9" * 5_000
    names = [f"x{long}", "x010", "x9", f"x1{long}", "x10", "x٣"]
    assert sorted(names, key=natural_order) == ["x9", "x010", "x10", f"x{long}", f"x1{long}", "x٣"]
