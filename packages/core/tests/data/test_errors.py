"""Wrong input of every kind: the message names the file, the column, the row and the value, and says what to do."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.data.files import Columns, opened, write, write_bytes

import howsure
from howsure.errors import InputError
from howsure.files import archive

GOOD: Columns = {"uid": [f"u{row}" for row in range(8)], "gold": [0, 1] * 4, "prob": [0.5] * 8}


def refused(path: Path | str | list[str], **options: Any) -> str:
    options = {"y_true": "gold", "prob": "prob", **options}
    paths = path if isinstance(path, list) else [str(path)]
    with pytest.raises(InputError) as caught, opened(*paths, **options) as predictions:
        predictions.pairs()
    return str(caught.value)


def changed(column: str, row: int, value: object) -> Columns:
    return {
        name: [value if (name, at) == (column, row) else cell for at, cell in enumerate(values)]
        for name, values in GOOD.items()
    }


FORMATS = ("dev.csv", "dev.tsv.gz", "dev.jsonl", "dev.parquet", "dev.npz")


@pytest.mark.parametrize("file", FORMATS)
def test_a_misspelt_column(file: str, tmp_path: Path) -> None:
    path = write(tmp_path / file, GOOD)
    expected = f"no column 'gold_label' in {path}; it has uid, gold, prob. Did you mean gold?"
    assert refused(path, y_true="gold_label") == expected
    assert "no column 'wheight'" in refused(path, sample_weight="wheight")
    assert "Did you mean prob?" in refused(path, prob="Prob")


@pytest.mark.parametrize("file", [*FORMATS, "dev.json"])
def test_columns_that_differ_only_in_case(file: str, tmp_path: Path) -> None:
    path = write(tmp_path / file, {"Gold": [1, 0], "gold": [0, 1], "prob": [0.5, 0.5], "PROB": [0.1, 0.1]})
    assert refused(path) == f"{path} has columns whose names differ only in case: Gold, gold. Rename them."
    assert "Gold, gold" in refused(path, prob="Gold")
    path = write(tmp_path / f"fine-{file}", {"gold": [1, 0], "gold_1": [0, 0], "prob": [0.5, 0.5], "prob_1": [1, 1]})
    with howsure.read(path).predictions("gold", "prob", groups="prob_1") as predictions:
        assert predictions.pairs().labels.tolist() == [1, 0]


def test_a_duplicate_column(tmp_path: Path) -> None:
    path = write_bytes(tmp_path / "x.csv.gz", b"gold,gold,prob\n1,0,0.5\n")
    assert refused(path) == f"{path} has columns whose names are equal: gold, gold. Rename them."


def test_keys_that_differ_only_in_case_in_different_rows(tmp_path: Path) -> None:
    path = write_bytes(tmp_path / "x.jsonl", b'{"Gold": 1, "prob": 0.5}\n{"gold": 1, "prob": 0.5}\n')
    assert refused(path) == f"{path} has columns whose names differ only in case: Gold, gold. Rename them."


def test_a_key_that_first_occurs_late_is_named_as_written(tmp_path: Path) -> None:
    rows = [b'{"gold": 1, "prob": 0.5}'] * 21_000 + [b'{"gold": 1, "prob": 0.5, "Gold": 0}']
    path = write_bytes(tmp_path / "x.jsonl", b"\n".join(rows))
    assert (
        refused(path, y_true="Gold") == f"{path} has columns whose names differ only in case: gold, Gold. Rename them."
    )


def test_lines_that_end_in_cr_and_in_lf(tmp_path: Path) -> None:
    path = write_bytes(tmp_path / "x.csv", b"gold,prob\r1,0.5\r0,0.5\n1,0.5\r")
    assert refused(path).endswith("some of its lines end in CR, others in LF. Save it with one kind of line end.")


def test_a_quotation_mark_that_is_not_closed(tmp_path: Path) -> None:
    path = write_bytes(tmp_path / "x.csv", b'word,gold,prob\na,1,0.5\n\n",1,0.5\nb,0,0.5\n')
    assert "a value in line 4 begins with a quotation mark and does not end with one" in refused(path)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"PK\x03\x04\x14\0xl/workbook.xml", "a spreadsheet (Excel)"),
        (b"PK\x03\x04\x14\0mimetypeapplication/vnd.oasis.opendocument.spreadsheet", "a spreadsheet (OpenDocument)"),
        (b"PK\x03\x04\x14\0notes.txt", "a zip archive"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a spreadsheet (Excel)"),
        (b"PAR1\x15\x04", "a Parquet file"),
        (b"\x89PNG\r\n\x1a\n", "an image"),
    ],
)
@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".txt"])
def test_a_binary_file_with_the_suffix_of_a_text(content: bytes, kind: str, suffix: str, tmp_path: Path) -> None:
    path = write_bytes(tmp_path / f"x{suffix}", content)
    assert refused(path).startswith(f"{path} is {kind}, not a text file.")


def test_the_fields_of_a_parquet_column_are_not_columns(tmp_path: Path) -> None:
    inner = [{"gold": 0, "GOLD": [{"gold": 1}]}]
    path = write(tmp_path / "x.parquet", {"nested": inner, "gold": [1], "gold_1": [0], "prob": [0.5]})
    with howsure.read(path).predictions("gold", "prob") as predictions:
        assert predictions.pairs().labels.tolist() == [1]


@pytest.mark.parametrize("file", FORMATS)
def test_files_of_different_columns(file: str, tmp_path: Path) -> None:
    write(tmp_path / f"a-{file}", GOOD)
    other = write(tmp_path / f"b-{file}", {"gold": [1], "score": [0.5]})
    assert refused(tmp_path / f"*-{file}").startswith(f"no column 'prob' in {other}; it has gold, score.")


@pytest.mark.parametrize("file", FORMATS)
def test_the_second_of_two_files_is_named(file: str, tmp_path: Path) -> None:
    write(tmp_path / f"a-{file}", GOOD)
    write(tmp_path / f"b-{file}", changed("prob", 2, 1.5))
    assert f"row 3 of {tmp_path / f'b-{file}'} (" in refused(tmp_path / f"*-{file}")


@pytest.mark.parametrize("suffix", [".csv", ".tsv.gz", ".jsonl", ".json", ".parquet", ".npz", ".jsonl.zst"])
def test_a_file_without_a_byte(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"x{suffix}"
    path.write_bytes(b"")
    assert refused(path) == f"{path} is empty."


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet", ".npz"])
def test_a_file_without_a_row(suffix: str, tmp_path: Path) -> None:
    path = write(tmp_path / f"x{suffix}", {"gold": [], "prob": []})
    assert refused(path) == f"{path} has no rows."


@pytest.mark.parametrize("suffix", [".parquet", ".npz", ".jsonl", ".csv.gz", ".csv.zst", ".jsonl.gz"])
def test_a_file_that_is_not_what_its_name_says(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"x{suffix}"
    path.write_bytes(b"some other content, \x00\x01 at all")
    assert str(path) in refused(path)


@pytest.mark.parametrize("file", ["dev.csv.gz", "dev.jsonl.gz", "dev.csv.zst", "dev.parquet", "dev.npz"])
def test_a_file_that_was_cut_off(file: str, tmp_path: Path) -> None:
    columns = {name: values * 5000 for name, values in GOOD.items()}
    path = write(tmp_path / file, columns)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    assert str(path) in refused(path)


def test_a_format_that_cannot_be_known(tmp_path: Path) -> None:
    path = write_bytes(tmp_path / "predictions.txt", b"gold,prob\n1,0.5\n")
    assert ".csv, .tsv, .jsonl, .ndjson, .json, .parquet, .npz, .eval, also with .gz or .zst" in refused(path)
    assert "format=... must be one of csv, tsv" in refused(path, format="excel")
    assert "numpy.savez" in refused(write_bytes(tmp_path / "x.npy", b"\x93NUMPY"))
    with howsure.read(path, format="csv").predictions("gold", "prob") as predictions:
        assert predictions.n == 1


def test_formats_that_cannot_be_mixed(tmp_path: Path) -> None:
    paths = [str(write(tmp_path / name, GOOD)) for name in ("a.csv", "b.parquet")]
    assert "they are csv, parquet" in refused(paths)
    packed = tmp_path / "a.parquet.gz"
    packed.write_bytes(gzip.compress((tmp_path / "b.parquet").read_bytes()))
    assert "parquet inside gzip; unpack it first" in refused(packed)


def test_a_column_of_another_type(tmp_path: Path) -> None:
    path = write(tmp_path / "x.parquet", {"gold": [0, 1], "prob": [True, False], "list": [[0.5], [0.5]]})
    assert refused(path) == "prob must be a column of numbers; its type is BOOLEAN."
    assert "list must be a column of numbers" in refused(path, prob="list")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"prob": None}, "name the probability in one way"),
        ({"prob": ["prob", "gold"]}, "Probabilities('prob', ...) must name one column; it names prob, gold"),
        ({"reduce": "top-label"}, "reduce=... needs the probabilities of several classes"),
        ({"prob": None, "probs": ["prob"], "reduce": "top-label"}, "must name two columns or more, each once"),
        ({"prob": None, "probs": ["prob", "prob"], "reduce": "top-label"}, "must name two columns or more, each once"),
        ({"prob": None, "probs": ["a", "b"], "reduce": "a", "pos_label": "1"}, "pos_label=... does not apply to"),
        ({"prob": None, "probs": ["a", "b"], "reduce": "class-wise", "groups": "uid"}, "each class is a group"),
    ],
)
def test_requests_that_contradict_themselves(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    assert message in refused(write(tmp_path / "x.csv", GOOD), **options)


def test_an_npz_that_unpacks_to_far_too_much_is_refused_and_what_nobody_needs_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "MAX_UNPACKED", 1 << 22)
    path = tmp_path / "x.npz"
    np.savez_compressed(path, y=[1, 0], q=[0.5, 0.25], bomb=np.zeros((1 << 19) + 1))
    assert path.stat().st_size < 1 << 14
    with howsure.read(path).predictions("y", "q") as predictions:
        assert predictions.n == 2
    with pytest.raises(InputError, match=r"x\.npz cannot be read: bomb\.npy unpacks to .* far too many for the size"):
        howsure.read(path).predictions("y", "bomb")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_recognised(encoding: str, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes("id,y\n1,0\n2,1\n".encode(encoding))
    with pytest.raises(InputError, match=f"x.csv is not UTF-8 text. If it is UTF-16, give encoding='{encoding}'"):
        howsure.mean_scores("y", data=howsure.read(tmp_path / "x.csv"))
    assert howsure.mean_scores("y", data=howsure.read(tmp_path / "x.csv", encoding=encoding))[0].mean.value == 0.5


def test_a_line_that_is_too_long_is_told_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("id,y,t\n1,0,a\n2,1," + 3_000_000 * "a" + "\n")
    with pytest.raises(InputError, match=r"x\.csv has a line of more than 2,000,000 bytes. Is it a table\?"):
        howsure.mean_scores("y", data=howsure.read(tmp_path / "x.csv"))
