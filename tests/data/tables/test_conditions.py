"""Which rows `where` uses: against a brute force in Python, in every format, and nothing but an expression."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import howsure
from howsure.calibration.slots import Slots, cells_of
from howsure.data.tables.database import Database
from howsure.data.tables.named_files import File
from howsure.data.tables.table import Table, open_table
from howsure.data.tables.where import MOST_CHARACTERS, condition, parsed
from howsure.errors import InputError
from howsure.inputs.frames import Kind
from tests.data.opened import opened
from tests.data.writers import write

SUFFIXES = (".csv", ".tsv.gz", ".jsonl", ".parquet", ".npz")
ROWS: dict[str, list[Any]] = {
    "y": [1, 0, 1, 0, 1, 0],
    "q": [0.9, 0.25, 0.5, 1.0, 0.125, 0.0],
    "n": [9, 10, 2, -3, 11, 0],
    "model": ["base", "large", "base", "Base", "it's", "a%b"],
    "odd name": ["u", "v", "u", "v", "u", "v"],
}

Test = dict[str, Any]
COMPARED = {"=": "eq", "<>": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}


SELECTED = [
    ("n > 9", [1, 4]),  # by value, also in text: '10' < '9'
    ("n between 0 and 10", [0, 1, 2, 5]),
    ("n = 10.0 or n = -3", [1, 3]),
    ("10 > n and not model = 'base'", [3, 5]),
    ("model in ('large', 'it''s')", [1, 4]),
    ("model not in ('base')", [1, 3, 4, 5]),
    ("model like 'ba%' or model ilike 'BASE'", [0, 2, 3]),
    ("\"odd name\" = 'u' and q >= .5", [0, 2]),
    ("n < q", [3]),
    ("y = true and q <> 5e-1", [0, 4]),
    ("model is not null and n is null or y", [0, 2, 4]),
    ("((n = 9)) -- the first", [0]),
]


@pytest.mark.parametrize(
    ("suffix", "where", "rows"),
    [(suffix, *one) for suffix in SUFFIXES for one in (SELECTED if suffix == ".parquet" else SELECTED[::4])],
)
def test_rows_are_those_that_satisfy_it(suffix: str, where: str, rows: list[int], tmp_path: Path) -> None:
    path = write(tmp_path / f"x{suffix}", ROWS)
    with howsure.read(path, where=where).predictions("y", "q") as found:
        assert found.pairs().probabilities.tolist() == [ROWS["q"][row] for row in rows]
        assert found.describe()["where"] == where
        assert found.describe()["left_out"] == 6 - len(rows)
        assert found.selection.positions().tolist() == rows


LEAVES = st.one_of(
    st.tuples(st.just("n"), st.sampled_from(list(COMPARED)), st.integers(-4, 12)),
    st.tuples(st.just("model"), st.sampled_from(list(COMPARED)), st.sampled_from(ROWS["model"])),
)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.tuples(st.just("not"), inner), st.tuples(st.sampled_from(["and", "or"]), inner, inner)),
    max_leaves=6,
)


def written(tree: Any) -> str:
    if tree[0] == "not":
        return f"not ({written(tree[1])})"
    if tree[0] in ("and", "or"):
        return f"({written(tree[1])}) {tree[0]} ({written(tree[2])})"
    value = tree[2] if isinstance(tree[2], int) else "'" + tree[2].replace("'", "''") + "'"
    return f"{tree[0]} {tree[1]} {value}"


def holds(tree: Any, row: int) -> bool | None:
    """Brute force, in three values; the fourth n is missing."""
    if tree[0] == "not":
        inner = holds(tree[1], row)
        return None if inner is None else not inner
    if tree[0] in ("and", "or"):
        stops = tree[0] == "or"
        both = (holds(tree[1], row), holds(tree[2], row))
        return stops if stops in both else None if None in both else not stops
    if tree[0] == "n" and row == 3:
        return None
    return bool(getattr(operator, COMPARED[tree[1]])(ROWS[tree[0]][row], tree[2]))


GAP = {**ROWS, "n": [9, 10, 2, None, 11, 0], "q": list(range(6))}


@pytest.fixture(scope="module")
def with_gap(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Table]]:
    """The same rows in texts and in typed columns, open to be asked."""
    folder = tmp_path_factory.mktemp("gap")
    paths = [str(write(folder / f"x{suffix}", GAP)) for suffix in (".csv", ".parquet")]
    database = Database()
    database.allow_only(paths)
    files = [File(path, path, format) for path, format in zip(paths, ("csv", "parquet"), strict=True)]
    yield [open_table(database, (file,), ["q", "n", "model"]) for file in files]
    database.close()


@settings(max_examples=25, deadline=None)
@given(TREES)
def test_any_expression_selects_as_brute_force_does(with_gap: list[Table], tree: Any) -> None:
    wanted = [row for row in range(6) if holds(tree, row)]
    rows = condition(written(tree))
    assert rows is not None
    for table in with_gap:
        if wanted:
            assert [int(str(q)) for (q,) in table.ask("q", rest=f"WHERE {rows.sql(table, ())}")] == wanted
        else:
            with pytest.raises(InputError, match="no row"):
                rows.sql(table, ())


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_columns_are_read_of_the_rows_that_satisfy_it(suffix: str, tmp_path: Path) -> None:
    path = write(tmp_path / f"x{suffix}", GAP)
    found = howsure.read(path, where="not (n > 2) or model = 'Base'").rows({"q": Kind.NUMBER})
    assert found.columns["q"].tolist() == [2, 3, 5]
    assert found.read["left_out"] == 3
    with pytest.raises(InputError, match="no row"):
        howsure.read(path, where="n > 11").rows({"q": Kind.NUMBER})


@pytest.mark.parametrize(
    "where",
    [
        "read_text('/etc/hostname') = 'x'",
        "y = (select 1)",
        "exists (select 1)",
        "y in (select y from x)",
        "cast(n as text) = '9'",
        "n::text = '9'",
        "n + 1 = 9",
        "case when y then true end",
        "row_number() over () = 1",
        "count(*) > 1",
        "n = 9; select 1",
        "n = 9) union all (select 1 from t where (n = 9",
        "n = 9) limit (1",
        "*",
        "columns('n') = 9",
        "n = ?",
        "n = $1",
        "n is not distinct from 9",
        "'x' = 'x'",
        "true",
        "n",
        "n = 'ten'",
        "model like n",
        "model < true",
        "list_filter([1], x -> x) = [1]",
        "n = [1]",
        "regexp_matches(model, 'a')",
        "model ~ 'a'",
        "n = getenv('HOME')",
        "n = current_date",
        "nowhere = 1",
        "not",
        "x" * (MOST_CHARACTERS + 1),
        "(" * 400 + "n = 9" + ")" * 400 + " and",
        "not " * 3_000 + "n = 9",
        "\0",
    ],
)
def test_nothing_else_gets_through(where: str, tmp_path: Path) -> None:
    path = write(tmp_path / "x.parquet", ROWS)
    with pytest.raises(InputError):
        howsure.read(path, where=where).predictions("y", "q")


@settings(max_examples=50, deadline=None)
@given(st.text(alphabet="nq='\"()[]. ;,-*<>0x/\\\n" + "é", max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(InputError):
        parsed(text)


def test_values_treated_as_missing_satisfy_is_null_alone(tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv", {**ROWS, "n": ["9", "none", "2", "", "11", "NaN"]})
    arguments: Test = {"y_true": "y", "prob": "q", "missing_values": ["none"]}
    for where, rows in (("n is null", [1, 3, 5]), ("n > 2", [0, 4]), ("not n > 2", [2]), ("n is not null", [0, 2, 4])):
        with opened(path, where=where, **arguments) as found:
            assert found.selection.positions().tolist() == rows


def test_large_whole_numbers_are_exact(tmp_path: Path) -> None:
    path = write(tmp_path / "x.parquet", {"y": [1, 0], "q": [0.5, 0.25], "n": [2**53, 2**53 + 1]})
    with howsure.read(path, where=f"n = {2**53 + 1}").predictions("y", "q") as found:
        assert found.pairs().probabilities.tolist() == [0.25]


def test_rows_left_out_and_rows_skipped_are_counted_apart(tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv", {**ROWS, "q": ["0.9", "", "0.5", "", "0.1", "0.2"]})
    with howsure.read(path, where="n > 0", skip_missing=True).predictions("y", "q") as found:
        assert (found.n, found.skipped, found.describe()["left_out"]) == (3, {"q": 1}, 2)
        assert found.selection.total == 6
    with pytest.raises(InputError, match=r"row 2 of .* \(1 in all\)"):
        howsure.read(path, where="n > 0").predictions("y", "q")


def test_a_fault_among_rows_left_out_is_none(tmp_path: Path) -> None:
    path = write(tmp_path / "x.parquet", {**ROWS, "q": [0.9, 7.0, 0.5, 0.1, float("nan"), 0.2]})
    with howsure.read(path, where="n <> 10 and n <> 11").predictions("y", "q") as found:
        assert found.n == len(found.pairs()) == 4
    with (
        howsure.read(path, where="n <> 10").predictions("y", "q") as found,
        pytest.raises(InputError, match="row 5 of"),
    ):
        found.pairs()


def test_several_streams_and_groups_keep_to_it(tmp_path: Path) -> None:
    path = write(tmp_path / "x.parquet", ROWS)
    with howsure.read(path, where="n <> 9").predictions("y", "q", groups="odd name", exact_up_to=1) as found:
        assert found.group_sizes == {"u": 2, "v": 3}
        predictions = {"u": [0.5, 0.125], "v": [0.25, 1.0, 0.0]}
        for name, q in predictions.items():
            sums = found.source(name)
            assert isinstance(sums, Slots)
            assert np.repeat(sums.cell, sums.count).tolist() == sorted(cells_of(np.array(q)).tolist())


def test_a_number_that_is_too_large_is_called_that(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="q is compared with 1e400, larger than any number can be"):
        howsure.read([write(tmp_path / "x.parquet", ROWS)], where="q < 1e400").predictions("y", "q")
