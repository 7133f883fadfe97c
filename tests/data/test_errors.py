"""Wrong input of every kind: the message names the file, the column, the row and the value, and says what to do."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import howsure
from howsure.errors import InputError
from howsure.files import archive
from tests.data.opened import opened
from tests.data.writers import Columns, write, write_bytes

GOOD: Columns = {"uid": [f"u{row}" for row in range(8)], "gold": [0, 1] * 4, "prob": [0.5] * 8}


def refused(path: Path | str | list[str], **options: Any) -> str:
    options = {"label": "gold", "prob": "prob", **options}
    paths = path if isinstance(path, list) else [str(path)]
    with pytest.raises(InputError) as caught, opened(*paths, **options) as predictions:
        predictions.pairs()
    return str(caught.value)


def changed(column: str, row: int, value: object) -> Columns:
    return {
        name: [value if (name, at) == (column, row) else held for at, held in enumerate(values)]
        for name, values in GOOD.items()
    }


FORMATS = ("dev.csv", "dev.tsv.gz", "dev.jsonl", "dev.parquet", "dev.npz")
VALUES = [
    (
        "prob",
        1.7,
        {},
        r"^prob must lie in \[0, 1\]; row 4 of .*{file} \(counted from 1.*\) holds 1\.7\. Are these logits",
    ),
    (
        "prob",
        -3.5,
        {},
        r"row 4 of .*{file} .* holds -3\.5\. Are these logits\? Given\('logits', \.\.\.\) reads them\.$",
    ),
    (
        "prob",
        1.0000001,
        {},
        r"row 4 of .*{file} .* holds 1\.0000001\. Rounding\? Clip or round it in your own pipeline",
    ),
    ("prob", float("inf"), {}, r"prob must lie in \[0, 1\]; row 4 .*{file} .* holds [Ii]nf"),
    ("prob", float("nan"), {}, r"prob must not be missing; row 4 of .*{file} .*skip_missing=True"),
    (
        "gold",
        2,
        {},
        r"gold must have two values; it holds 0 \(4\), 1 \(3\), 2 \(1\).*missing_values=\['2'\].*positive",
    ),
    ("gold", -1, {}, r"gold must have two values; it holds 0 \(4\), 1 \(3\), -1 \(1\)"),
    ("gold", 2, {"positive": "1"}, r"gold must have two values.*2 \(1\)"),
    ("gold", 2, {"positive": "7"}, r"'7' is not a value of gold; it holds 0 \(4\), 1 \(3\), 2 \(1\)"),
    (
        "gold",
        2,
        {"missing_values": ["2"]},
        r"row 4 of .*{file} .* holds '2', which counts as missing.*skip_missing=True \(1",
    ),
]


IN_FORMATS = [
    (file, *one) for file in FORMATS for one in (VALUES if file in ("dev.csv", "dev.parquet") else VALUES[::4])
]


@pytest.mark.parametrize(("file", "column", "value", "options", "message"), IN_FORMATS)
def test_a_bad_value_in_any_format(
    file: str, column: str, value: object, options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    """Of text, CSV stands for all values; of typed columns, Parquet does."""
    path = write(tmp_path / file, changed(column, 3, value))
    assert re.search(message.replace("{file}", re.escape(file)), refused(path, **options))


@pytest.mark.parametrize(
    ("file", "column"),
    [(file, column) for file in ("dev.csv", "dev.parquet") for column in ("gold", "prob", "uid", "weight")]
    + [("dev.jsonl", "prob")],
)
def test_a_missing_value_names_its_row(file: str, column: str, tmp_path: Path) -> None:
    columns = {
        **changed(column, 5, None),
        "weight": [None if column == "weight" and row == 5 else 1 for row in range(8)],
    }
    message = refused(write(tmp_path / file, columns), group="uid", weight="weight")
    assert re.match(rf"{column} must not be missing; row 6 of .*{file} .*holds nothing\. .*skip_missing=True", message)


TEXTS = [
    ("prob", "high", r"prob must be numbers; row 4 of .* holds 'high'"),
    ("prob", "NaN", r"prob must not be missing; row 4"),
    ("prob", "0,5", r"holds '0,5'\. Write a decimal point"),
    ("gold", "maybe", r"gold must have two values; .*'maybe' \(1\)"),
    ("gold", 0.5, r"gold must have two values; .*'0\.5' \(1\)"),
    ("prob", "nan", r"prob must not be missing; row 4"),
    ("prob", " ", r"prob must not be missing; row 4 .*holds nothing"),
]


@pytest.mark.parametrize(
    ("file", "column", "value", "message"),
    [("dev.csv", *one) for one in TEXTS] + [("dev.jsonl", *one) for one in TEXTS[:2]],
)
def test_a_bad_text(file: str, column: str, value: object, message: str, tmp_path: Path) -> None:
    assert re.search(message, refused(write(tmp_path / file, changed(column, 3, value))))


def test_two_unknown_labels_need_a_positive_one(tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv", {"gold": ["wrong", "right", "right"], "prob": [0.1, 0.2, 0.3]})
    assert refused(path) == (
        "gold must be 0 or 1; it holds 'right' (2), 'wrong' (1). "
        "Say which is positive: pos_label='right' or pos_label='wrong'."
    )
    assert refused(path, positive="rihgt").endswith("Did you mean pos_label='right'?")


def test_a_label_that_is_no_answer_is_never_silently_negative(tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv", {"gold": ["correct", "wrong", "unparseable"], "prob": [0.1, 0.2, 0.3]})
    message = refused(path, positive="correct")
    assert "'correct' (1), 'unparseable' (1), 'wrong' (1)" in message
    assert "missing_values=['wrong']" in message or "missing_values=['unparseable']" in message


@pytest.mark.parametrize("file", FORMATS)
def test_a_misspelt_column(file: str, tmp_path: Path) -> None:
    path = write(tmp_path / file, GOOD)
    expected = f"no column 'gold_label' in {path}; it has uid, gold, prob. Did you mean gold?"
    assert refused(path, label="gold_label") == expected
    assert "no column 'wheight'" in refused(path, weight="wheight")
    assert "Did you mean prob?" in refused(path, prob="Prob")


@pytest.mark.parametrize("file", [*FORMATS, "dev.json"])
def test_columns_that_differ_only_in_case(file: str, tmp_path: Path) -> None:
    path = write(tmp_path / file, {"Gold": [1, 0], "gold": [0, 1], "prob": [0.5, 0.5], "PROB": [0.1, 0.1]})
    assert refused(path) == f"{path} has columns named alike, but for case: Gold, gold. Rename them."
    assert "Gold, gold" in refused(path, prob="Gold")
    path = write(tmp_path / f"fine-{file}", {"gold": [1, 0], "gold_1": [0, 0], "prob": [0.5, 0.5], "prob_1": [1, 1]})
    with howsure.read(path).predictions("gold", "prob", groups="prob_1") as predictions:
        assert predictions.pairs().labels.tolist() == [1, 0]


def test_a_column_that_stands_there_twice(tmp_path: Path) -> None:
    path = write_bytes(tmp_path / "x.csv.gz", b"gold,gold,prob\n1,0,0.5\n")
    assert refused(path) == f"{path} has columns named alike: gold, gold. Rename them."


def test_keys_that_differ_only_in_case_in_different_rows(tmp_path: Path) -> None:
    path = write_bytes(tmp_path / "x.jsonl", b'{"Gold": 1, "prob": 0.5}\n{"gold": 1, "prob": 0.5}\n')
    assert refused(path) == f"{path} has columns named alike, but for case: Gold, gold. Rename them."


def test_the_fields_of_a_parquet_column_are_no_columns(tmp_path: Path) -> None:
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


def test_paths_that_lead_nowhere(tmp_path: Path) -> None:
    path = write(tmp_path / "dev.jsonl", GOOD)
    assert refused(tmp_path / "dev.json").endswith(f"Did you mean {path}?")
    assert refused(tmp_path / "no" / "dev.json") == f"no file {tmp_path / 'no' / 'dev.json'}."
    assert refused(tmp_path / "*.csv") == f"no file matches {tmp_path / '*.csv'}."
    assert refused(tmp_path).startswith(f"{tmp_path} is a directory; name its files, for example")
    assert "no file is named" in refused([])
    assert f"{path} is named twice" in refused([str(path), str(tmp_path / "*.jsonl")])
    assert "no file https://example.org/x.parquet" in refused("https://example.org/x.parquet")


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
    path.write_bytes(b"this is no such file, \x00\x01 at all")
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


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("gold,prob\n1,0.5\n1\n", "x.csv"),
        ("gold,prob\n" + "1,0.5\n" * 30_000 + "1,0.5,7\n", r"line 30,002 of .*x.csv has 3 values, not 2 as the header"),
        (
            "gold,prob\n1,0.5\n0,é\n",
            "line 3 of .*x.csv is not UTF-8 text. Save it as UTF-8 \\(in a spreadsheet: CSV UTF-8\\).",
        ),
        ("1,0.5\n0,0.7\n", "no column 'gold' in .*x.csv; it has 1, 0.5"),
    ],
)
def test_damaged_csv(content: str, message: str, tmp_path: Path) -> None:
    path = write_bytes(tmp_path / "x.csv", content.encode("latin-1"))
    assert re.search(message, refused(path))


def test_damaged_json_lines(tmp_path: Path) -> None:
    path = write_bytes(tmp_path / "x.jsonl", b'{"gold": 1, "prob": 0.5}\n{"gold": 1, "prob": \n')
    assert re.search(r"x\.jsonl cannot be read: .*Malformed JSON", refused(path))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1, -2], r"w must be finite and not negative; row 2 of .* holds -2"),
        ([1, float("inf")], r"row 2 of .* holds [Ii]nf"),
        ([0, 0], "w is 0 in every row"),
    ],
)
def test_weights_that_are_none(values: list[float], message: str, tmp_path: Path) -> None:
    path = write(tmp_path / "x.parquet", {"gold": [0, 1], "prob": [0.5, 0.5], "w": [float(value) for value in values]})
    assert re.search(message, refused(path, weight="w"))
    path = write(tmp_path / "x.csv", {"gold": [0, 1], "prob": [0.5, 0.5], "w": [1, "heavy"]})
    assert re.search(r"w must be numbers; row 2 of .* holds 'heavy'", refused(path, weight="w"))


def test_a_column_of_another_type(tmp_path: Path) -> None:
    path = write(tmp_path / "x.parquet", {"gold": [0, 1], "prob": [True, False], "list": [[0.5], [0.5]]})
    assert refused(path) == "prob must be a column of numbers; its type is BOOLEAN."
    assert "list must be a column of numbers" in refused(path, prob="list")


def test_all_rows_missing(tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv", {"gold": [0, 1], "prob": [None, None]})
    assert "every row of" in refused(path, skip_missing=True)
    assert "(prob: 2); nothing is left" in refused(path, skip_missing=True)


def test_arrays_that_are_no_columns(tmp_path: Path) -> None:
    import numpy as np

    path = tmp_path / "x.npz"
    np.savez(path, gold=np.array([0, 1]), prob=np.array([0.5]))
    assert refused(path) == f"the arrays of {path} must have the same length; they have gold 2, prob 1."
    np.savez(path, gold=np.array([0, 1]), prob=np.zeros((2, 2, 2)))
    assert "prob in" in refused(path)
    np.savez(path, gold=np.array([0, "a", None], dtype=object), prob=np.zeros(3))
    assert "never unpickled" in refused(path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"prob": None}, "name the probability in one way"),
        ({"probs": ["a", "b"]}, "name the probability in one way"),
        ({"reduce": "top-label"}, "reduce=... needs the probabilities of several classes"),
        ({"prob": None, "probs": ["prob", "gold"]}, "several classes need reduce=..."),
        ({"prob": None, "probs": ["prob"], "reduce": "top-label"}, "probs=[...] must name two columns or more"),
        ({"prob": None, "probs": ["prob", "prob"], "reduce": "top-label"}, "probs=[...] must name two columns or more"),
        ({"prob": None, "probs": ["a", "b"], "reduce": "a", "positive": "1"}, "pos_label=... does not go with"),
        ({"prob": None, "probs": ["a", "b"], "reduce": "class-wise", "group": "uid"}, "the class is the group"),
    ],
)
def test_requests_that_contradict_themselves(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    assert message in refused(write(tmp_path / "x.csv", GOOD), **options)


def test_an_npz_that_unpacks_to_far_too_much_is_refused_and_what_nobody_needs_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "LEAST_MOST", 1 << 22)
    path = tmp_path / "x.npz"
    np.savez_compressed(path, y=[1, 0], q=[0.5, 0.25], bomb=np.zeros((1 << 19) + 1))
    assert path.stat().st_size < 1 << 14
    with howsure.read(path).predictions("y", "q") as predictions:
        assert predictions.n == 2
    with pytest.raises(InputError, match=r"x\.npz cannot be read: bomb\.npy unpacks to .* far too many for the size"):
        howsure.read(path).predictions("y", "bomb")


@pytest.mark.parametrize("type", ["complex", "V3", "m8[s]", "i4,f4"])
def test_arrays_of_other_types_are_no_columns(type: str, tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", y=np.zeros(3, type), q=np.zeros(3))
    with pytest.raises(InputError, match=r"x\.npz cannot be read: y must hold numbers or text; it holds"):
        howsure.read(tmp_path / "x.npz").predictions("y", "q")
