"""Names that DuckDB takes for itself, and folders that look like columns: what stands in a file is what is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import howsure
from howsure.errors import InputError
from tests.data.opened import opened
from tests.data.writers import write

TAKEN = [
    ("filename", "file_row_number", "rowid", "year", "position"),
    ("ROWID", "position", "Filename", "file_row_number", "year"),
]
FORMATS = (".csv", ".tsv", ".jsonl", ".json", ".parquet", ".npz")


@pytest.mark.parametrize(
    ("suffix", "names"),
    [(suffix, names) for suffix in FORMATS for names in (TAKEN if suffix in (".csv", ".parquet") else TAKEN[:1])],
)
def test_a_column_of_any_name_is_the_files_own(suffix: str, names: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "year=2020").mkdir()
    values: list[list[Any]] = [[1, 0, 1], [0.5, 0.25, 0.75], ["a", "b", "a"], ["c", "d", "d"], [1.0, 2.0, 3.0]]
    columns = dict(zip(names, values, strict=True))
    roles = dict(zip(("label", "prob", "group", "cluster", "weight"), names, strict=True))
    path = write(tmp_path / "year=2020" / f"x{suffix}", columns)
    with opened(path, **roles) as predictions:
        pairs = predictions.pairs()
        assert (pairs.labels.tolist(), pairs.probabilities.tolist()) == ([1, 0, 1], [0.5, 0.25, 0.75])
        assert predictions.group_sizes == {"a": 2, "b": 1}
    assert pairs.weights is not None
    assert pairs.clusters is not None
    assert (pairs.weights.tolist(), pairs.clusters.tolist()) == ([1.0, 2.0, 3.0], [0, 1, 1])
    write(path, columns | {roles["prob"]: [0.5, 1.75, 0.75]})
    with (
        pytest.raises(InputError, match=r"row 2 of .* holds 1\.75"),
        opened(path, **roles) as predictions,
    ):
        predictions.pairs()


@pytest.mark.parametrize("suffix", [suffix for suffix in FORMATS if suffix != ".npz"])
def test_a_folder_is_a_column_only_where_the_file_has_none(suffix: str, tmp_path: Path) -> None:
    rows = {"y": [1, 0], "q": [0.5, 0.25]}
    for year in ("2020", "2021"):
        (tmp_path / f"year={year}").mkdir()
        write(tmp_path / f"year={year}" / f"x{suffix}", rows | {"tag": ["a", "b"]})
    files = [tmp_path / "year=*" / f"x{suffix}"]
    with howsure.read(files).predictions("y", "q", groups="year") as predictions:
        assert predictions.group_sizes == {"2020": 2, "2021": 2}
    (tmp_path / "tag=c").mkdir()
    here = tmp_path / "year=2021" / "tag=d"
    here.mkdir()
    write(here / f"x{suffix}", rows | {"tag": ["a", "b"]})
    with howsure.read(here / f"x{suffix}").predictions("y", "q", groups="tag") as predictions:
        assert predictions.group_sizes == {"a": 1, "b": 1}
    with (
        pytest.raises(InputError, match=r"tag is a column of .*x.* and a folder of its path too\. Rename one"),
        howsure.read(here / f"x{suffix}").predictions("y", "q", groups="tag", clusters="year"),
    ):
        pass


def test_rows_of_many_row_groups_and_files_are_found(tmp_path: Path) -> None:
    n = 400_000
    q = np.random.default_rng(0).random(n)
    for number in (1, 2):
        held = {"y": np.arange(n) % 2, "q": np.where((np.arange(n) == 298_765) & (number == 2), 1.5, q)}
        pa.parquet.write_table(pa.table(held), tmp_path / f"part-{number}.parquet", row_group_size=10_000)
    with (
        pytest.raises(InputError, match=r"row 298,766 of .*part-2\.parquet \(counted from 1\) holds 1\.5"),
        howsure.read([tmp_path / "part-*.parquet"]).predictions("y", "q") as predictions,
    ):
        predictions.pairs()
