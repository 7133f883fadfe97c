"""Logits and log-probabilities give the pairs of their softmax: from columns, lists, mappings and single numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import expit, softmax

import howsure
from howsure.errors import InputError
from howsure.inputs.classes import softmax as ours
from tests.data.opened import opened
from tests.data.writers import write

RNG = np.random.default_rng(0)
SCORES = RNG.normal(0, 30, (40, 3)).round(6)
TARGETS = RNG.integers(0, 3, 40)
NAMES = ("a", "b", "c")
ROWS: dict[str, list[Any]] = {
    "y": [NAMES[target] for target in TARGETS],
    "hit": (TARGETS == 0).astype(int).tolist(),
    "z": SCORES.tolist(),
    **{name: column.tolist() for name, column in zip(NAMES, SCORES.T, strict=True)},
}


@given(arrays(float, (3, 4), elements=st.floats(-1e4, 1e4)))
def test_softmax_is_that_of_scipy(matrix: Any) -> None:
    np.testing.assert_allclose(ours(matrix), softmax(matrix, axis=1), rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize(
    ("suffix", "columns"),
    [(".jsonl", "z"), (".parquet", "z"), (".npz", "z"), (".csv", "z"), (".csv", NAMES), (".npz", NAMES)],
)
def test_logits_of_classes(suffix: str, columns: Any, tmp_path: Path) -> None:
    rows = {**ROWS, "z": [str(one) for one in ROWS["z"]]} if suffix == ".csv" else ROWS
    path = write(tmp_path / f"x{suffix}", rows)
    wanted = softmax(SCORES, axis=1)
    for reduce, probabilities in (("class-wise", wanted.T.ravel()), (None, wanted.max(axis=1))):
        with howsure.read(path).predictions(
            "y", howsure.Given("logits", columns, classes=NAMES, reduce=reduce)
        ) as found:
            pairs = found.pairs()
            np.testing.assert_allclose(pairs.probabilities, probabilities, rtol=1e-12)
            assert found.describe()["logits"] == ("z" if columns == "z" else list(NAMES))
    np.testing.assert_array_equal(pairs.labels, SCORES.argmax(axis=1) == TARGETS)


def test_log_probabilities_are_normalised_and_may_be_minus_infinity(tmp_path: Path) -> None:
    with np.errstate(divide="ignore"):
        logs = np.log(np.array([[0.1, 0.3, 0.0], [0.5, 0.25, 0.25]]))
    rows = {"y": ["a", "b"], "ll": [dict(zip(NAMES, map(float, row), strict=True)) for row in logs]}
    path = write(tmp_path / "x.jsonl", rows)
    with howsure.read(path).predictions("y", howsure.Given("logprobs", "ll", reduce="class-wise")) as found:
        np.testing.assert_allclose(found.pairs().probabilities, [0.25, 0.5, 0.75, 0.25, 0.0, 0.25], rtol=1e-12)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_one_logit_is_a_sigmoid_and_one_log_probability_an_exponential(suffix: str, tmp_path: Path) -> None:
    scores = [-1e3, -2.0, 0.0, 3.0, 1e3]
    path = write(tmp_path / f"x{suffix}", {"y": [0, 1, 0, 1, 1], "z": scores, "ll": [-1e3, -2.0, -1.0, 0.0, 1e-9]})
    for name, column, wanted in (("logits", "z", expit(scores)), ("logprobs", "ll", np.exp([-1e3, -2, -1, 0, 0]))):
        with opened(path, y_true="y", exact_up_to=1, **{name: column}) as found:
            np.testing.assert_allclose(found.pairs().probabilities, wanted, rtol=1e-12)
            assert found.stream is not None


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("logits", float("inf"), "x must be a finite logit; row 2 "),
        ("logprobs", 0.5, "x must be a log-probability, at most 0; row 2 "),
        ("logits", float("nan"), "x must not be missing; row 2 "),
    ],
)
def test_one_number_that_is_none(suffix: str, name: str, value: float, told: str, tmp_path: Path) -> None:
    path = write(tmp_path / f"x{suffix}", {"y": [0, 1], "x": [-1.0, value]})
    with pytest.raises(InputError, match=told):
        opened(path, y_true="y", **{name: "x"}).pairs()
