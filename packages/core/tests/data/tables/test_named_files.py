"""Standard input, pipes and compression by their bytes; scratch files that go away."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from tests.data.files import SUFFIXES, opened, piped_input, write

import howsure
from howsure.errors import InputError

ROWS = {"y": [1, 0, 1], "q": [0.9, 0.25, 0.5]}


def piped(content: bytes, spool: Path, format: str | None = None) -> str:
    """What is read of standard input, or why nothing is."""
    with piped_input(content):
        try:
            with howsure.read("-", format=format).predictions("y", "q", spool=spool) as predictions:
                outcome = f"{predictions.pairs().probabilities.tolist()} {predictions.describe()['files']}"
        except InputError as error:
            outcome = str(error)
    assert list(spool.iterdir()) == []
    return outcome


@pytest.mark.parametrize("suffix", [".tsv", ".tsv.gz"])
def test_quotation_marks_among_tagged_words_are_words(suffix: str, tmp_path: Path) -> None:
    """Two marks do not enclose the lines between them: all 6 rows are read. Marks that enclose a value are left out."""
    words = ["a", '"', "b", "c", '"', "'s"]
    written = "word\tgold\n" + "".join(f"{word}\t{at % 2}\n\n" for at, word in enumerate(words))
    path = tmp_path / f"x{suffix}"
    path.write_bytes(gzip.compress(written.encode()) if suffix.endswith(".gz") else written.encode())
    assert howsure.mean_scores("gold", data=howsure.read(path))[0].n == 6
    (tmp_path / "y.tsv").write_text('word\tgold\n"a\tb"\t1\nc\t0\n')
    assert howsure.mean_scores("gold", data=howsure.read(tmp_path / "y.tsv"))[0].n == 2


@pytest.mark.parametrize(
    ("values", "enclosed"),
    [
        ({30: '"open', 32: 'close"'}, None),
        ({2: '"enclosed"', 30: '"open', 32: 'close"'}, None),
        ({2: '"enclosed"', 30: '"'}, None),
        ({2: "'tis", 5: '"open', 8: 'close"', 9: '"enclosed"'}, None),
        ({5: '"a ""b"" c', 8: 'd"'}, None),
        ({5: '"""open', 8: 'close"'}, None),
        ({5: '"a" b'}, None),
        ({5: '"enclosed"', 8: '5" disk'}, "enclosed"),
        ({5: '"two\nlines"'}, "two\nlines"),
    ],
)
def test_marks_that_are_not_closed_merge_no_lines(values: dict[int, str], enclosed: str | None, tmp_path: Path) -> None:
    """Marks enclose values only if no line with as many tabs as the header would be merged into another row."""
    path = tmp_path / "x.tsv"
    path.write_text("\n".join(["gold\ttext", *(f"{at % 2}\t{values.get(at, 'some words')}" for at in range(40))]))
    assert howsure.mean_scores("gold", data=howsure.read(path))[0].n == 40
    texts = {str(score.group) for score in howsure.mean_scores("gold", data=howsure.read(path), groups="text")}
    assert texts >= (set(values.values()) if enclosed is None else {enclosed})


def test_a_mark_that_would_merge_lines_in_a_table_with_other_lines_is_refused(tmp_path: Path) -> None:
    lines = ["gold\ttext", *(f"{at % 2}\tsome words" for at in range(20))]
    lines[11], lines[14] = '0\t"open\tx', '1\tclose"'
    path = tmp_path / "x.tsv"
    path.write_text("\n".join(lines))
    with pytest.raises(InputError, match=r"line 12 of .*x\.tsv has a value with a quotation mark that is not"):
        howsure.mean_scores("gold", data=howsure.read(path))


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".json", ".parquet", ".npz", ".csv.gz", ".jsonl.gz"])
def test_standard_input_shows_its_format(suffix: str, tmp_path: Path) -> None:
    path = write(tmp_path / f"x{suffix}", ROWS)
    (tmp_path / "spool").mkdir()
    assert piped(path.read_bytes(), tmp_path / "spool") == "[0.9, 0.25, 0.5] ['standard input']"


def test_standard_input_whose_format_must_be_named(tmp_path: Path) -> None:
    content = write(tmp_path / "x.csv.zst", ROWS).read_bytes()
    (tmp_path / "spool").mkdir()
    assert (
        piped(content, tmp_path / "spool") == "the format of standard input was not recognised; name it: format='csv'."
    )
    assert piped(content, tmp_path / "spool", "csv").startswith("[0.9, 0.25, 0.5]")
    assert piped(b"", tmp_path / "spool") == "standard input is empty."


def test_damaged_standard_input_is_called_so(tmp_path: Path) -> None:
    (tmp_path / "spool").mkdir()
    message = piped(b"\x1f\x8bno gzip at all", tmp_path / "spool")
    assert message.startswith("standard input cannot be read: ")
    columns = {"y": [0, 1] * 5000, "q": np.random.default_rng(1).random(10_000).tolist()}
    for suffix in (".csv.gz", ".jsonl.gz", ".parquet"):
        content = write(tmp_path / f"x{suffix}", columns).read_bytes()
        message = piped(content[: len(content) // 2], tmp_path / "spool")
        assert message.startswith(("standard input cannot be read: ", "standard input cannot be unpacked: "))
        assert str(tmp_path) not in message


def test_a_pipe_is_read_like_standard_input(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen([sys.executable, "-c", f"open({str(pipe)!r}, 'w').write('y,q\\n1,0.5\\n')"]) as writer:
        with howsure.read(pipe).predictions("y", "q") as predictions:
            assert predictions.pairs().labels.tolist() == [1]
        assert writer.wait() == 0


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_scratch_files_go_away(suffix: str, tmp_path: Path) -> None:
    path = write(tmp_path / f"x{suffix}", ROWS)
    spool = tmp_path / "spool"
    spool.mkdir()
    predictions = howsure.read(path).predictions("y", "q", spool=spool)
    pairs = predictions.pairs()
    assert len(list(spool.iterdir())) == 1
    del predictions
    assert list(spool.iterdir()) == []
    assert pairs.labels.tolist() == [1, 0, 1]
    with suppress(InputError):
        howsure.read(path).predictions("y", "Q", spool=spool)
        raise AssertionError("there is no column Q")
    assert list(spool.iterdir()) == []


def test_globs_take_files_in_natural_order_and_subfolders(tmp_path: Path) -> None:
    for number in (10, 9, 1):
        (tmp_path / f"d{number % 2}").mkdir(exist_ok=True)
        write(tmp_path / f"d{number % 2}" / f"part-{number}.csv", {"y": [1], "q": [number / 10]})
    write(tmp_path / "part-2.csv", {"y": [1], "q": [0.2]})
    (tmp_path / "part-3.csv").mkdir()

    def probabilities_in(pattern: str) -> list[float]:
        with howsure.read(tmp_path / pattern).predictions("y", "q") as predictions:
            return predictions.pairs().probabilities.tolist()

    assert probabilities_in("d1/part-*.csv") == [0.1, 0.9]
    assert sorted(probabilities_in("**/*.csv")) == [0.1, 0.2, 0.9, 1.0]
    assert probabilities_in("part-*.csv") == [0.2]


@pytest.mark.parametrize("suffix", [suffix for suffix in SUFFIXES if suffix.count(".") == 1])
def test_a_format_that_is_named_counts_more_than_the_suffix(suffix: str, tmp_path: Path) -> None:
    path = write(tmp_path / f"x{suffix}", ROWS)
    renamed = path.rename(tmp_path / "predictions.txt")
    name = {".ndjson": "jsonl"}.get(suffix, suffix[1:])
    with howsure.read(renamed, format=name).predictions("y", "q") as predictions:
        assert predictions.n == 3


# Names that DuckDB takes for itself, and folders that look like columns: only the content of a file is read.


RESERVED_NAMES = [
    ("filename", "file_row_number", "rowid", "year", "position"),
    ("ROWID", "position", "Filename", "file_row_number", "year"),
]
FORMATS = (".csv", ".tsv", ".jsonl", ".json", ".parquet", ".npz")


@pytest.mark.parametrize(
    ("suffix", "names"),
    [
        (suffix, names)
        for suffix in FORMATS
        for names in (RESERVED_NAMES if suffix in (".csv", ".parquet") else RESERVED_NAMES[:1])
    ],
)
def test_a_column_of_any_name_is_the_files_own(suffix: str, names: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "year=2020").mkdir()
    values: list[list[Any]] = [[1, 0, 1], [0.5, 0.25, 0.75], ["a", "b", "a"], ["c", "d", "d"], [1.0, 2.0, 3.0]]
    columns = dict(zip(names, values, strict=True))
    roles = dict(zip(("y_true", "prob", "groups", "clusters", "sample_weight"), names, strict=True))
    path = write(tmp_path / "year=2020" / f"x{suffix}", columns)
    with opened(path, **roles) as predictions:
        pairs = predictions.pairs()
        assert (pairs.labels.tolist(), pairs.probabilities.tolist()) == ([1, 0, 1], [0.5, 0.25, 0.75])
        assert predictions.group_sizes == {"a": 2, "b": 1}
    assert (pairs.weights.tolist(), pairs.clusters.tolist()) == ([1.0, 2.0, 3.0], [0, 1, 1])
    write(path, columns | {roles["prob"]: [0.5, 1.75, 0.75]})
    with pytest.raises(InputError, match=r"row 2 of .* is 1\.75"), opened(path, **roles) as predictions:
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
        pytest.raises(InputError, match=r"tag is both a column of .*x.* and a folder name in its path\. Rename one"),
        howsure.read(here / f"x{suffix}").predictions("y", "q", groups="tag", clusters="year"),
    ):
        pass


@pytest.mark.long
def test_rows_of_many_row_groups_and_files_are_found(tmp_path: Path) -> None:
    n = 400_000
    q = np.random.default_rng(0).random(n)
    for number in (1, 2):
        columns = {"y": np.arange(n) % 2, "q": np.where((np.arange(n) == 298_765) & (number == 2), 1.5, q)}
        pa.parquet.write_table(pa.table(columns), tmp_path / f"part-{number}.parquet", row_group_size=10_000)
    with (
        pytest.raises(InputError, match=r"row 298,766 of .*part-2\.parquet \(counted from 1\) is 1\.5"),
        howsure.read([tmp_path / "part-*.parquet"]).predictions("y", "q") as predictions,
    ):
        predictions.pairs()


TOKENS = {"id": [1, 2, 3], "right": [1, 0, 1], "top": [{"Yes": -0.1, "yes": -2.5, "nested": {"A": 1, "a": 2}}] * 3}
OBJECTS = [suffix for suffix in SUFFIXES if suffix.startswith((".json", ".ndjson"))]


@pytest.mark.long
@pytest.mark.parametrize("suffix", OBJECTS)
def test_keys_of_tokens_may_differ_only_in_case(suffix: str, tmp_path: Path) -> None:
    source = howsure.read(write(tmp_path / f"x{suffix}", TOKENS))
    assert [howsure.mean_scores(name, data=source)[0].mean.value for name in ("top.Yes", "top.yes")] == [-0.1, -2.5]
    names = ["top.Yes", "top.yes", "top.nested.A", "top.nested.a", "right"]
    columns = [column.tolist() for column in source.columns(names)]
    assert columns == [[-0.1] * 3, [-2.5] * 3, [1] * 3, [2] * 3, [1, 0, 1]]
    assert {"top.Yes", "top.yes"} <= {column.name for column in howsure.look(str(tmp_path / f"x{suffix}"))}


def test_classes_that_differ_only_in_case(tmp_path: Path) -> None:
    columns = {"gold": ["Yes", "yes", "yes", "yes"], "votes": [{"Yes": 0.25, "yes": 0.75}] * 4}
    source = howsure.read(write(tmp_path / "x.jsonl", columns))
    with source.predictions("gold", howsure.Probabilities("probs_column", "votes")) as predictions:
        pairs = predictions.pairs()
    assert (pairs.labels.tolist(), pairs.probabilities.tolist()) == ([0, 1, 1, 1], [0.75] * 4)


@pytest.mark.long
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_look_shows_columns_that_differ_only_in_case_and_proposes_none(suffix: str, tmp_path: Path) -> None:
    columns = {"id": list(range(60)), "right": [0, 1] * 30, "Right": [1, 1, 0] * 20, "won": [0, 0, 1, 0] * 15}
    path = write(tmp_path / f"x{suffix}", columns)
    overview = howsure.look(path)
    assert [(column.name, column.missing) for column in overview] == [(name, 0) for name in columns]
    assert (
        f"{path} has columns whose names differ only in case: right, Right. Rename them to use them." in overview.notes
    )
    assert [command for command in overview.commands if "--score won" not in command] == []
    assert howsure.mean_scores("won", data=howsure.read(path))[0].mean.value == 0.25


def test_fields_of_parquet_that_differ_only_in_case_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "x.parquet", {"top": [{"in": {"Yes": -0.1, "yes": -2.5}, "n": 1}] * 3, "right": [1, 0, 1]})
    with pytest.raises(InputError, match=r"the column top of .* has fields whose names differ only in case: Yes, yes"):
        howsure.mean_scores("top.in.yes", data=howsure.read(path))
    assert howsure.mean_scores("right", data=howsure.read(path))[0].n == 3


def test_a_key_twice_in_a_row(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"right": 1}\n{"right": 1, "right": 0}\n')
    for open_file in (howsure.look, lambda path: howsure.mean_scores("right", data=howsure.read(path))):
        with pytest.raises(InputError, match=r"a row of .* has the key 'right' twice"):
            open_file(path)


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_no_column_is_lost_where_names_differ_only_in_case(suffix: str, tmp_path: Path) -> None:
    path = write(tmp_path / f"x{suffix}", {"p": [0.1, 0.5], "note": ["a", "b"], "Note": ["c", "d"]})
    with pytest.raises(InputError, match=r"note, Note\. One of them would be lost\. Rename them\."):
        howsure.read(path).to_extend("p")
