"""Pairs in files: what was written is what `howsure calibration` reads, and a file is whole or not there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import howsure
from howsure.data.predictions.write_pairs import write_pairs
from howsure.errors import InputError
from howsure.inputs.pairs import Pairs

NAMES = ("it's", "$,", 'a "b"')


@pytest.fixture(scope="module")
def pairs() -> Pairs:
    rng = np.random.default_rng(0)
    n = 130_000  # more than DuckDB writes at a time
    return Pairs(
        (rng.random(n) < 0.3).view(np.uint8),
        rng.random(n),
        groups=rng.integers(3, size=n),
        group_names=NAMES,
        clusters=np.sort(rng.integers(n // 20, size=n)),
    )


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_what_was_written_is_read(pairs: Pairs, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"pairs.{suffix}"
    more = {"token": np.arange(len(pairs)) % 7}
    write_pairs(pairs, path, group="tag", cluster="sentence", more=more)
    with howsure.read(path).predictions("label", "probability", groups="tag", clusters="sentence") as predictions:
        found = predictions.pairs()
    np.testing.assert_array_equal(found.labels, pairs.labels)
    np.testing.assert_array_equal(found.probabilities, pairs.probabilities)
    assert pairs.groups is not None
    assert found.groups is not None
    assert found.clusters is not None
    assert pairs.clusters is not None
    np.testing.assert_array_equal(np.array(found.group_names)[found.groups], np.array(NAMES)[pairs.groups])
    assert len(set(zip(found.clusters.tolist(), pairs.clusters.tolist(), strict=True))) == len(set(found.clusters))
    assert len(set(found.clusters)) == len(set(pairs.clusters))
    with howsure.read(path).predictions("label", "probability", clusters="token") as predictions:
        np.testing.assert_array_equal(predictions.pairs().clusters, more["token"])


def test_only_what_there_is_is_written(tmp_path: Path) -> None:
    write_pairs(Pairs(np.array([1], dtype=np.uint8), np.array([0.25])), tmp_path / "one.csv")
    assert (tmp_path / "one.csv").read_text() == "label,probability\n1,0.25\n"


@pytest.mark.parametrize("name", ["pairs.xlsx", "pairs", "no/folder.parquet"])
def test_where_nothing_can_be_written(pairs: Pairs, name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"name a file|there is no folder"):
        write_pairs(pairs, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_column_of_another_length(pairs: Pairs, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="every column must have 130,000 rows; token has 3"):
        write_pairs(pairs, tmp_path / "pairs.parquet", more={"token": np.arange(3)})
    assert list(tmp_path.iterdir()) == []
