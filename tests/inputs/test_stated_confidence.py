"""What a text states of its confidence is read by a rule, or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import howsure
from howsure.errors import InputError
from howsure.inputs.stated_confidence import NONE, UNCLEAR, stated_confidence
from tests.cli.running import howsure as run
from tests.data.writers import write


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
    ["", "B", "I am sure.", "About 20 % of the patients die.", "8 out of 10 doctors agree", "It was in 1985.",
     "Confidence: high", "Confidence: 85", "Step 3 of 10", "1", "Version 0.85 is out", "1/3"],
)  # fmt: skip
def test_what_states_none(text: str) -> None:
    assert stated_confidence(text) == NONE


@pytest.mark.parametrize(
    "text",
    ["I am 80-90 % sure.", "80 % to 90 % confident", "I am between 70 and 80 % sure.", "At least 90 % sure.",
     "I am not 90 % sure.", "I'm less than 50% confident", "Confidence: >90%", "I am 70 % sure of A, 30 % sure of B.",
     "Confidence: 0.7. Confidence: 0.8", "There is a 15 % chance that I am wrong.", "I am 30 % unsure, to be certain.",
     "Confidence: 150 %", "Confidence: 12/10", "Confidence: 70 %\nProbability: 0.6", "Confidence: 0.7-0.9",
     "Confidence: -5 %"],
)  # fmt: skip
def test_what_is_unclear(text: str) -> None:
    assert stated_confidence(text) == UNCLEAR


@given(st.text(alphabet="0123456789.,%/ -\nconfideABs!?", max_size=60))
def test_any_text_states_a_probability_or_none(text: str) -> None:
    found = stated_confidence(text)
    assert found in (NONE, UNCLEAR) or (isinstance(found, float) and 0.0 <= found <= 1.0)


ROWS: dict[str, list[Any]] = {
    "y": [1, 0, 1, 1, 0],
    "said": ["85 % sure", "I am 60 % sure.", "no idea", "Confidence: 0.5", "80-90 % sure"],
    "n": [1, 2, 3, 4, 5],
}


@pytest.mark.parametrize("suffix", [".csv", ".jsonl.gz", ".parquet", ".npz"])
def test_a_column_of_texts_in_any_format(suffix: str, tmp_path: Path) -> None:
    path = write(tmp_path / f"x{suffix}", ROWS)
    with howsure.read(path, skip_missing=True).predictions(
        "y", howsure.Given("verbalised", "said"), exact_up_to=1
    ) as found:
        assert found.pairs().probabilities.tolist() == [0.85, 0.6, 0.5]
        assert found.describe()["verbalised"] == "said"
        assert found.skipped == {"confidence stated in said": 2}
    with howsure.read(path, where="n in (1, 2)").predictions("y", howsure.Given("verbalised", "said")) as found:
        assert found.pairs().probabilities.tolist() == [0.85, 0.6]
    with pytest.raises(
        InputError,
        match=r"said must state one confidence in every row; row 3 of .* holds 'no idea' \(2 in all: 1 state none, 1 "
        r"are unclear\)\. Leave such rows out with skip_missing=True\.",
    ):
        howsure.read(path).predictions("y", howsure.Given("verbalised", "said"))


def test_the_command_says_what_it_left_out(tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv", ROWS)
    done = run("calibration", path, "--target", "y", "--verbalised", "said", "--skip-missing")
    assert done.code == 0
    assert "3 rows, 2 skipped (confidence stated in said: 2)" in done.out
    done = run("calibration", path, "--target", "y", "--verbalised", "n")
    assert (done.code, done.err.startswith("howsure: n must state one confidence in every row; row 1 ")) == (2, True)
