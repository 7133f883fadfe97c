"""What a text states of its confidence is read by a rule, or not at all."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cli.running import howsure as run
from tests.data.files import write

import howsure
from howsure.data.documents.columns import read_attributes
from howsure.errors import InputError
from howsure.inputs.numbers_and_names import (
    natural_order,
    nearest,
    parse_integer,
    parse_number,
    shortened,
    unknown_name,
)
from howsure.inputs.stated_confidence import NONE, UNCLEAR, stated_confidence
from howsure.significance.boostsa.storage import read_labels


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("The answer is B. I am 85 % sure.", 0.85),
        ("I'm 85% confident", 0.85),
        ("Confidence: 85%", 0.85),
        ("confidence = 85.5 percent", 0.855),
        ("Answer: Paris\nConfidence: 0.85", 0.85),
        ("Probability: .85.", 0.85),
        ("**Confidence:** 85/100", 0.85),
        ("Confidence level: 8 out of 10.", 0.8),
        ("I would say about 60 % likely.", 0.6),
        ("Guess: B\nProbability: 1.0", 1.0),
        ("My confidence is 0", 0.0),
        ("85%", 0.85),
        ("(8/10)", 0.8),
        ("0.85", 0.85),
        ("B\n\n70 %\n", 0.7),
        ("I am 0.9 confident that it is B.", 0.9),
        ("20 % of the patients die. I am 90 % sure of that.", 0.9),
        ("I am 85 % sure. Confidence: 0.85", 0.85),  # twice the same
        ("Certainty: 100 %", 1.0),
    ],
)
def test_what_is_read(text: str, value: float) -> None:
    assert stated_confidence(text) == pytest.approx(value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "B",
        "I am sure.",
        "About 20 % of the patients die.",
        "8 out of 10 doctors agree",
        "It was in 1985.",
        "Confidence: high",
        "Confidence: 85",
        "Step 3 of 10",
        "1",
        "Version 0.85 is out",
        "1/3",
    ],
)
def test_what_states_none(text: str) -> None:
    assert stated_confidence(text) == NONE


@pytest.mark.parametrize(
    "text",
    [
        "I am 80-90 % sure.",
        "80 % to 90 % confident",
        "I am between 70 and 80 % sure.",
        "At least 90 % sure.",
        "I am not 90 % sure.",
        "I'm less than 50% confident",
        "Confidence: >90%",
        "I am 70 % sure of A, 30 % sure of B.",
        "Confidence: 0.7. Confidence: 0.8",
        "There is a 15 % chance that I am wrong.",
        "I am 30 % unsure, to be certain.",
        "Confidence: 150 %",
        "Confidence: 12/10",
        "Confidence: 70 %\nProbability: 0.6",
        "Confidence: 0.7-0.9",
        "Confidence: -5 %",
    ],
)
def test_what_is_unclear(text: str) -> None:
    assert stated_confidence(text) == UNCLEAR


@given(st.text(alphabet="0123456789.,%/ -\nconfideABs!?", max_size=60))
def test_any_text_states_a_probability_or_none(text: str) -> None:
    confidence = stated_confidence(text)
    assert confidence in (NONE, UNCLEAR) or (isinstance(confidence, float) and 0.0 <= confidence <= 1.0)


ROWS: dict[str, list[Any]] = {
    "y": [1, 0, 1, 1, 0],
    "said": ["85 % sure", "I am 60 % sure.", "no idea", "Confidence: 0.5", "80-90 % sure"],
    "n": [1, 2, 3, 4, 5],
}


@pytest.mark.parametrize("suffix", [".csv", ".jsonl.gz", ".parquet", ".npz"])
def test_a_column_of_texts_in_any_format(suffix: str, tmp_path: Path) -> None:
    path = write(tmp_path / f"x{suffix}", ROWS)
    with howsure.read(path, skip_missing=True).predictions(
        "y", howsure.Probabilities("verbalised", "said"), exact_up_to=1
    ) as predictions:
        assert predictions.pairs().probabilities.tolist() == [0.85, 0.6, 0.5]
        assert predictions.describe()["verbalised"] == "said"
        assert predictions.skipped == {"confidence stated in said": 2}
    with howsure.read(path, where="n in (1, 2)").predictions(
        "y", howsure.Probabilities("verbalised", "said")
    ) as predictions:
        assert predictions.pairs().probabilities.tolist() == [0.85, 0.6]
    with pytest.raises(
        InputError,
        match=r"said must state one confidence in every row; row 3 of .* is 'no idea' \(2 in all: 1 state none, 1 "
        r"are unclear\)\. Leave such rows out with skip_missing=True\.",
    ):
        howsure.read(path).predictions("y", howsure.Probabilities("verbalised", "said"))


def test_the_command_says_what_it_left_out(tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv", ROWS)
    done = run("calibration", path, "--target", "y", "--verbalised", "said", "--skip-missing")
    assert done.code == 0
    assert "3 rows, 2 skipped (confidence stated in said: 2)" in done.out


# What a file may spell as a number: the same for every reader, whatever Python and DuckDB take for one.


STRANGE = ("1_0", "٣", "١.٥", "0_1", "1__0", "", "+", "e5", "0x1", "1,5", "--1", "1e", "\u00a03")


@given(st.floats())
def test_what_python_prints_is_read(value: float) -> None:
    number = parse_number(repr(value))
    assert number is not None
    assert number == value or (math.isnan(number) and math.isnan(value))


@pytest.mark.parametrize("text", STRANGE)
def test_what_is_not_a_number(text: str) -> None:
    assert parse_number(text) is None
    assert parse_integer(text) is None


def test_a_number_of_thousands_of_digits_is_not_a_whole_number() -> None:
    assert parse_integer("9" * 5_000) is None
    assert (parse_integer("-12"), parse_integer("1.0")) == (-12, None)


@pytest.mark.parametrize("text", ["0_1", "٠", "1_0"])
def test_readers_refuse_unusual_numbers(text: str, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(f"y,q\n1,{text}\n0,0.5\n", encoding="utf-8")
    with (
        pytest.raises(InputError, match="q must be a number; row 1"),
        howsure.read(path).predictions("y", "q") as predictions,
    ):
        predictions.pairs()
    path.write_text(f"y,q\n{text},0.5\n1,0.5\n", encoding="utf-8")
    with pytest.raises(InputError, match="y must be 0 or 1"), howsure.read(path).predictions("y", "q") as predictions:
        predictions.pairs()
    items = tmp_path / "items.txt"
    items.write_text(f"N\tw:{text}\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"line 1 of .*a number"):
        read_attributes(items)
    labels = tmp_path / "labels.txt"
    labels.write_text(f"1\n{text}\n", encoding="utf-8")
    assert read_labels(labels).dtype.kind == "U"


# Near misses and natural order.


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
