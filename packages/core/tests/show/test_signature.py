"""Signatures: whatever a recipe holds, the line is read back as it was written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import howsure
from howsure.data.signature import read_signature
from howsure.result import Result
from howsure.show.signature import LONGEST


@dataclass(frozen=True)
class Made(Result):
    """A result of a recipe."""

    recipe: dict[str, Any]


names = st.text(min_size=1, max_size=8).filter(lambda name: name not in ("howsure", "v", "files", "source", "store"))
values = st.one_of(st.integers(), st.floats(allow_nan=False), st.booleans(), st.none(), st.text(max_size=6))


@given(st.dictionaries(names, values, max_size=6))
def test_what_is_written_is_read(recipe: dict[str, Any]) -> None:
    line = Made(recipe).signature
    assert line.isprintable()
    assert line.isascii()
    signature = read_signature(line)
    texts = {
        key: "yes" if setting is True else str(setting)
        for key, setting in recipe.items()
        if setting not in (None, False, "")
    }
    texts |= {key: str(setting) for key, setting in recipe.items() if setting == 0 and setting is not False}
    apart = ("targets", "command", "second_store", "note")
    assert signature.settings == {key: setting for key, setting in texts.items() if key not in apart}
    assert (signature.kind, signature.version) == ("made", howsure.__version__)


def test_several_values_long_ones_and_another_version() -> None:
    recipe = {
        "howsure": "9.9",
        "levels": ["low|", "high"],
        "far": "x" * (LONGEST + 1),
        "parts": {"a": 1},
        "files": ["a"],
    }
    line = Made(recipe).signature
    assert line == "howsure|made|levels:low%7C+high|v:9.9"
    signature = read_signature(line)
    assert signature.settings == {"levels": "low|+high"}
    assert "another one" in signature.text()


def test_rows_that_agree() -> None:
    pairs = howsure.simulate_pairs(300, 0.5, 0.5, rng=3)
    line = howsure.calibration_curves(pairs.labels, pairs.probabilities, bin_size=20).signature
    assert "|binning:adaptive|" in line
    assert "|bin_size:20|" in line
    assert read_signature(line).settings["n"] == "300"


@pytest.mark.parametrize("metric", ["bleu", "chrf", "chrf++"])
def test_sacrebleus_own_is_inside(metric: str) -> None:
    from sacrebleu.metrics import BLEU, CHRF

    true, first, second = ["a b c d", "x y z"] * 5, ["a b c e", "x y z"] * 5, ["a b", "x y z"] * 5
    scorer = (
        BLEU(references=[true]) if metric == "bleu" else CHRF(word_order=2 * (metric == "chrf++"), references=[true])
    )
    expected = str(scorer.get_signature())
    compared = howsure.resample_models(
        true, first, second, metrics=metric, method="permutation", n_resamples=100, rng=0
    )
    scored = howsure.score_models(y_true=true, prediction=first, metrics=[metric])
    for table in (compared, scored):
        assert read_signature(table.signature).settings[metric] == expected
        assert table.recipe[metric] == expected
