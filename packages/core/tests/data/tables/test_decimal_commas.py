"""Decimal commas are read where they can be nothing else, by every command, and written back; never guessed."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cli.running import howsure as run

import howsure
from howsure.errors import InputError
from howsure.inputs.frames import Kind
from howsure.inputs.numbers_and_names import comma_advice, parse_number

NOTE = "Read with decimal commas (0,5 is a half): "


def written(path: Path, columns: dict[str, list[str]], separator: str = ";") -> Path:
    """A CSV of these lines, unchanged."""
    rows = [separator.join(columns), *(separator.join(row) for row in zip(*columns.values(), strict=True))]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def numbers(folder: Path, *columns: list[str], file: str = "x.csv") -> list[list[float]]:
    """Columns as they are read."""
    named = dict(zip("ab", columns, strict=False))
    numbers_read = howsure.read(written(folder / file, named)).rows(dict.fromkeys(named, Kind.NUMBER))
    return [numbers_read[name].tolist() for name in named]


@pytest.mark.parametrize(
    ("column", "values"),
    [
        (["0,87", "1", "0"], [0.87, 1.0, 0.0]),
        (["12,5", "-3", " 4,25 "], [12.5, -3.0, 4.25]),
        (["8,7e-05", ",5", "+1,0"], [8.7e-5, 0.5, 1.0]),
        (["1,234", "0,500"], [1.234, 0.5]),  # the second says what the first one is
        (["1234,567", "1,000"], [1234.567, 1.0]),
    ],
)
def test_a_comma_that_can_be_nothing_else_is_a_decimal_one(
    column: list[str], values: list[float], tmp_path: Path
) -> None:
    assert numbers(tmp_path, column) == [values]


def test_another_column_decides_what_a_comma_is(tmp_path: Path) -> None:
    assert numbers(tmp_path, ["1,234", "2,500"], ["0,5", "1"]) == [[1.234, 2.5], [0.5, 1.0]]


@settings(max_examples=6)
@given(st.lists(st.floats(0, 1, allow_subnormal=False), min_size=1, max_size=30))
def test_a_column_with_commas_is_the_column_with_points(
    tmp_path_factory: pytest.TempPathFactory, values: list[float]
) -> None:
    values = [0.5, *values]  # whose comma is a decimal one in any case
    spelled = [repr(value).replace(".", ",") for value in values]
    assert numbers(tmp_path_factory.getbasetemp(), spelled) == [values]


def test_advice_names_both_meanings_of_a_comma() -> None:
    for text in ("1,234", "0,5", "a, b", "half"):
        advice = comma_advice(text)
        assert bool(advice) == ("," in text and any(letter.isdigit() for letter in text))
        if "thousands" in advice:
            assert all(parse_number(word.rstrip(".")) for word in advice.split("write ")[1].split(" or "))


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("1.234,5", "write 1234.5, or 1234,5 in"),
        ("-1,234.5", "write -1234.5."),
        ("1,234,567", "write 1234567."),
        ("1.234.567", "write 1234567."),
        ("1.035", "write 1035, or 1,0350 if"),
    ],
)
def test_advice_leaves_out_separators_of_thousands(text: str, advice: str) -> None:
    assert advice in comma_advice(text)


@pytest.mark.parametrize(
    ("separator", "other"), [(";", "0,5"), (";", "x"), ("\t", "0,5")], ids=["commas", "semicolons", "tabs"]
)
@pytest.mark.parametrize("kind", [Kind.NUMBER, Kind.SCORE, Kind.MEASURE, Kind.GRADE])
def test_a_point_that_may_separate_thousands_is_refused(separator: str, other: str, kind: Kind, tmp_path: Path) -> None:
    path = written(
        tmp_path / f"x.{'tsv' if separator == chr(9) else 'csv'}", {"n": ["643", "1.035"], "o": [other] * 2}, separator
    )
    with pytest.raises(InputError, match=r"row 2 of .*is '1\.035'\. Its point may .*: write 1035, or 1,0350 if"):
        howsure.read(path).rows({"n": kind})


def test_a_key_of_later_rows_does_not_disturb_the_search(tmp_path: Path) -> None:
    rows = [{"a": f"0,{k:03}"} | ({"trace": "x"} if k >= 150 else {}) for k in range(400)]
    (tmp_path / "x.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert howsure.read(tmp_path / "x.jsonl").rows({"a": Kind.NUMBER})["a"][150] == 0.15


@pytest.mark.parametrize("suffix", ["jsonl", "json", "parquet"])
def test_texts_of_other_formats_follow_the_same_rules(suffix: str, tmp_path: Path) -> None:
    texts, numbers = tmp_path / f"x.{suffix}", tmp_path / f"y.{suffix}"
    for path, n in ((texts, ["643", "1.035"]), (numbers, [643, 1.035])):
        frame = pd.DataFrame({"n": n, "p": ["0,5", "0,25"]})
        if suffix == "parquet":
            frame.to_parquet(path)
        else:
            frame.to_json(path, orient="records", lines=suffix == "jsonl")
    with pytest.raises(InputError, match=r"row 2 of .*is '1\.035'\. Its point may .*: write 1035, or 1,0350 if"):
        howsure.read(texts).rows({"n": Kind.NUMBER})
    assert howsure.read(texts).rows({"p": Kind.NUMBER})["p"].tolist() == [0.5, 0.25]
    assert howsure.read(numbers).rows({"n": Kind.NUMBER})["n"].tolist() == [643, 1.035]  # numbers have decimal points
    assert "Read with decimal commas (0,5 is a half): p." in str(howsure.look(texts))


def test_grades_with_points_that_may_separate_thousands_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "x.csv", {"a": ["643", "1.035"], "b": ["643", "644"], "c": ["0,5", "1"]})
    with pytest.raises(InputError, match="Its point may separate thousands or decimals"):
        howsure.rater_agreement(raters=["a", "b"], scale="interval", data=howsure.read(path))


@pytest.mark.parametrize(
    ("separator", "column", "values"),
    [
        (",", ["643", "1.035"], [643, 1.035]),  # no decimal commas
        (";", ["1.0350", "2.643"], [1.035, 2.643]),  # four digits: a decimal point
        (";", ["0.123", "1.000"], [0.123, 1.0]),
        (";", ["1035", "643"], [1035, 643]),
        (";", ["1,0350", "643"], [1.035, 643]),
    ],
)
def test_other_points_and_commas_are_decimal(
    separator: str, column: list[str], values: list[float], tmp_path: Path
) -> None:
    path = written(tmp_path / "x.csv", {"n": column, "o": ["x", "y"]}, separator)
    assert howsure.read(path).rows({"n": Kind.NUMBER})["n"].tolist() == values


def test_names_keep_points_that_may_separate_thousands(tmp_path: Path) -> None:
    path = written(tmp_path / "x.csv", {"id": ["999", "1.000"], "p": ["0,5", "1"]})
    rows = howsure.read(path).rows({"id": Kind.VALUES, "p": Kind.NUMBER})
    assert (rows["id"].tolist(), rows["p"].tolist()) == (["999", "1.000"], [0.5, 1.0])


def test_a_column_with_thousands_does_not_hide_decimal_commas_of_another(tmp_path: Path) -> None:
    path = written(tmp_path / "x.csv", {"n": ["643", "1.035"], "p": ["0,5", "1"]})
    assert howsure.read(path).rows({"n": Kind.NAMES, "p": Kind.NUMBER})["p"].tolist() == [0.5, 1.0]
    assert "n has 1.035. Its point may separate thousands or decimals: " in str(howsure.look(path))


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The same rows with points and with commas, in folders of their own."""
    draw = random.Random(7)
    q = [round(draw.random(), 4) for _ in range(120)]
    columns: dict[str, list[str]] = {
        "gold": [str(float(draw.random() < p)) for p in q],
        "prob": [repr(p) for p in q],
        "other": [repr(round(min(1.0, p * 1.1), 4)) for p in q],
        "weight": [f"{1 + draw.random():.3f}" for _ in q],
        "day": [f"2026-01-{1 + row // 8:02}" for row in range(120)],
    }
    commas = {name: [value.replace(".", ",") for value in column] for name, column in columns.items()}
    folder = tmp_path_factory.mktemp("twins")
    for name in ("points", "commas"):
        (folder / name).mkdir()
    return {
        "points": written(folder / "points" / "news.csv", columns, ","),
        "commas": written(folder / "commas" / "news.csv", commas),
    }


@pytest.mark.parametrize(
    "line",
    [
        "calibration news.csv --target gold --prob prob --weight weight",
        pytest.param("calibration compare news.csv --target gold --prob prob --prob other", marks=pytest.mark.long),
        "check calibration news.csv --target gold --prob prob --max-error 0.5",
        pytest.param("check score news.csv --score prob --min-score 0.1", marks=pytest.mark.long),
        "counts estimate news.csv --prob prob --target gold",
        pytest.param(
            "monitor update state.json news.csv --target gold --prob prob --date day --tolerance 0.1",
            marks=pytest.mark.long,
        ),
        "recalibrate evaluate news.csv --target gold --prob prob --method platt",
        pytest.param("selective news.csv --target gold --prob prob --where prob>0.25", marks=pytest.mark.long),
        "significance news.csv --target gold --against prob --model other --metric brier --resamples 200",
        pytest.param("significance news.csv --against prob --model other --metric score", marks=pytest.mark.long),
    ],
)
def test_a_command_prints_the_same_and_says_what_it_read(
    line: str, twins: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    done = {}
    for name, path in twins.items():
        monkeypatch.chdir(path.parent)
        done[name] = run(*line.split())
    assert done["points"].out
    assert done["commas"].out == done["points"].out
    assert done["commas"].code == done["points"].code
    assert done["points"].err == ""
    assert done["commas"].err.startswith(NOTE)


def test_what_was_read_is_part_of_the_recipe(twins: dict[str, Path]) -> None:
    with howsure.read(twins["commas"]).predictions("gold", "prob", sample_weight="weight") as predictions:
        assert predictions.describe()["decimal_comma"] == ["gold", "weight", "prob"]
    with howsure.read(twins["points"]).predictions("gold", "prob") as predictions:
        assert "decimal_comma" not in predictions.describe()


def test_a_file_comes_back_with_its_commas(twins: dict[str, Path], tmp_path: Path) -> None:
    fitted = str(tmp_path / "map.json")
    out = {name: tmp_path / f"{name}.csv" for name in twins}
    assert (
        run("recalibrate", "fit", twins["points"], "--target", "gold", "--prob", "prob", "--output", fitted).code == 0
    )
    for name, path in twins.items():
        done = run("recalibrate", "apply", path, "--prob", "prob", "--map", fitted, "--output", out[name])
        assert (done.code, done.err) == (0, "" if name == "points" else f"{NOTE}prob.\n")
    assert json.loads(Path(fitted).read_text())
    assert out["commas"].read_text().replace(",", ".").replace(";", ",") == out["points"].read_text()


@pytest.mark.long
def test_a_sheet_of_labels_may_come_back_with_commas(
    twins: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(twins["points"].parent)
    sheet = tmp_path / "sheet.csv"
    assert run("counts", "sample", "news.csv", "--prob", "prob", "--labels", "30", "--output", sheet).code == 0
    head, *rows = sheet.read_text().splitlines()
    sheet.write_text("\n".join([head, *(f"{row}{place % 2}" for place, row in enumerate(rows))]) + "\n")
    spelled = tmp_path / "spelled.csv"
    table = pd.read_csv(sheet)
    table.to_csv(spelled, sep=";", decimal=",", index=False)
    assert ",".join(map(str, table["inclusion"][:1])).replace(".", ",") in spelled.read_text()
    done = [
        run("counts", "estimate", "news.csv", "--prob", "prob", "--labelled", labels_file)
        for labels_file in (sheet, spelled)
    ]
    assert done[0].code == 0
    assert done[1].out == done[0].out.replace(str(sheet), str(spelled))  # in the next command
    assert done[1].err == f"{NOTE}inclusion.\n"
