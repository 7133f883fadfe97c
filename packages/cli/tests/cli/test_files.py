"""Input and output: every file format gives the same numbers; what is written is there whole or not at all."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from tests.cli.running import howsure as run
from tests.cli.running import printed
from tests.data.files import piped_input

HOWSURE = Path(sys.executable).parent / "howsure"
JUDGE = ("--target", "gold", "--prob", "prob")


@pytest.fixture(scope="module")
def columns() -> dict[str, Any]:
    rng = np.random.default_rng(11)
    q = rng.beta(0.5, 0.5, 800)
    return {"gold": (rng.random(800) < q).astype(np.int64), "prob": q}


def text_of(columns: dict[str, Any], separator: str) -> str:
    rows = zip(columns["gold"].tolist(), columns["prob"].tolist(), strict=True)
    return "".join(f"{a}{separator}{b!r}\n" for a, b in [("gold", "prob"), *rows]).replace("'", "")


def lines_of(columns: dict[str, Any]) -> str:
    rows = zip(columns["gold"].tolist(), columns["prob"].tolist(), strict=True)
    return "".join(json.dumps({"gold": gold, "prob": prob}) + "\n" for gold, prob in rows)


def write_all(columns: dict[str, Any], folder: Path) -> dict[str, list[Any]]:
    """The same rows in every format; what to name on the command line."""
    texts = {"csv": text_of(columns, ","), "tsv": text_of(columns, "\t"), "jsonl": lines_of(columns)}
    named: dict[str, list[Any]] = {}
    for suffix, text in texts.items():
        for packed, content in {
            "": text.encode(),
            ".gz": gzip.compress(text.encode()),
            ".zst": pa.Codec("zstd").compress(text.encode(), asbytes=True),
        }.items():
            path = folder / f"dev.{suffix}{packed}"
            path.write_bytes(content)
            named[path.name] = [path]
    pa.parquet.write_table(pa.table(columns), folder / "dev.parquet")
    np.savez(folder / "dev.npz", **columns)
    (folder / "parts").mkdir()
    for part in range(3):
        some = {name: column[part * 300 : (part + 1) * 300] for name, column in columns.items()}
        (folder / "parts" / f"part-{part}.csv").write_text(text_of(some, ","))
    named |= {"dev.parquet": [folder / "dev.parquet"], "dev.npz": [folder / "dev.npz"]}
    return named | {"a glob": [folder / "parts" / "*.csv"], "files": sorted((folder / "parts").iterdir())}


@pytest.fixture(scope="module")
def named(columns: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    return write_all(columns, tmp_path_factory.mktemp("files"))


@pytest.fixture(scope="module")
def path(named: dict[str, list[Any]]) -> Path:
    (path,) = named["dev.csv"]
    return path


PACKED = ("dev.tsv.gz", "dev.csv.zst", "dev.jsonl.gz", "dev.jsonl.zst")  # as dev.csv.gz and dev.tsv.zst are


@pytest.mark.long
@pytest.mark.parametrize("several", [7, pytest.param(13, marks=pytest.mark.long)])
def test_every_file_format_gives_the_same_numbers(named: dict[str, list[Any]], several: int) -> None:
    curves_by_file = {
        name: json.loads(printed("calibration", *paths, *JUDGE, "--format", "json"))["curves"]
        for name, paths in named.items()
        if several == 13 or name not in (*PACKED, "dev.tsv", "files")
    }
    assert len(curves_by_file) == several
    assert [name for name, curves in curves_by_file.items() if curves != curves_by_file["dev.csv"]] == []


@pytest.mark.parametrize("name", ["dev.csv", "dev.jsonl", "dev.csv.gz", "dev.npz"])
def test_standard_input(named: dict[str, list[Any]], name: str) -> None:
    (path,) = named[name]
    with piped_input(path.read_bytes()):
        output = printed("calibration", "-", *JUDGE, "--format", "json")
    assert json.loads(output)["curves"] == curves_of(path)


@pytest.mark.long
def test_standard_input_of_the_program(path: Path) -> None:
    """Where it is a file, and the process one of its own."""
    with path.open("rb") as stdin:
        command = [HOWSURE, "calibration", "-", *JUDGE, "--format", "json"]
        done = subprocess.run(command, stdin=stdin, capture_output=True, text=True, check=True)
    assert (json.loads(done.stdout)["curves"], done.stderr) == (curves_of(path), "")


def curves_of(path: Path) -> Any:
    return json.loads(printed("calibration", path, *JUDGE, "--format", "json"))["curves"]


def test_output_is_what_would_be_printed(path: Path, tmp_path: Path) -> None:
    target = tmp_path / "result.json"
    target.write_text("of yesterday")
    arguments = ("calibration", path, *JUDGE, "--format", "json")
    assert printed(*arguments, "--output", target) == ""
    assert target.read_text() == printed(*arguments)
    assert target.stat().st_mode & 0o777 == 0o666 & ~current_umask()
    assert not list(tmp_path.glob(".result*"))


def current_umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_a_link_stays_a_link_and_a_device_a_device(path: Path, tmp_path: Path) -> None:
    (tmp_path / "real.json").write_text("")
    (tmp_path / "link.json").symlink_to(tmp_path / "real.json")
    arguments = ("calibration", path, *JUDGE, "--format", "json", "--output")
    printed(*arguments, tmp_path / "link.json")
    assert (tmp_path / "link.json").is_symlink()
    assert json.loads((tmp_path / "real.json").read_text())["skipped"] == 0
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True) as reader:
        printed(*arguments, pipe)
        shown, _ = reader.communicate()
    assert shown == (tmp_path / "real.json").read_text()
    assert pipe.is_fifo()


def test_a_failure_leaves_the_old_file_and_nothing_else(path: Path, tmp_path: Path) -> None:
    spoilt = path.read_text().splitlines()
    spoilt[-1] = "1,1.7"
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("\n".join(spoilt))
    targets = {
        option: tmp_path / name
        for option, name in {"--output": "r.json", "--figure": "c.svg", "--report": "r.html"}.items()
    }
    for target in targets.values():
        target.write_text("of yesterday")
    before = sorted(tmp_path.rglob("*"))
    done = run("calibration", wrong, *JUDGE, *(word for pair in targets.items() for word in pair))
    assert done.code == 2
    assert "row 800" in done.err
    assert {target.read_text() for target in targets.values()} == {"of yesterday"}
    assert sorted(tmp_path.rglob("*")) == before


def test_a_write_that_fails_is_one_sentence() -> None:
    done = run("simulate", 5, "--output", "/dev/full/x.csv")
    assert (done.code, done.out) == (2, "")
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    for environment in (buffered, buffered | {"PYTHONUNBUFFERED": "1"}):
        with open("/dev/full", "w") as full:
            command = [HOWSURE, "simulate", "5"]
            done = subprocess.run(command, env=environment, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        assert (done.returncode, done.stderr) == (2, "howsure: No space left on device\n")


@pytest.mark.long
def test_full_disk_error_names_the_file(tmp_path: Path) -> None:
    """Where no file may grow; `make drills` does it to every command."""
    target = tmp_path / "pairs.csv"
    target.write_text("of yesterday")
    command = f"ulimit -f 4; exec {HOWSURE} simulate 5000 --output {target}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, f"howsure: {target}: File too large\n")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"pairs.csv": "of yesterday"}


GRADED = "id,model,score\n" + "".join(f"{item},{model},{item % 2}\n" for item in range(20) for model in "ab")


@pytest.mark.parametrize(
    ("command", "column"),
    [
        ("judge sample {} --score score --model model --id id --labels 6", "person"),
        ("counts sample {} --prob score --labels 6", "label"),
    ],
)
def test_a_sheet_with_labels_is_not_replaced(tmp_path: Path, command: str, column: str) -> None:
    (tmp_path / "graded.csv").write_text(GRADED)
    sheet = tmp_path / "sheet.csv"
    typed = f"{command.format(tmp_path / 'graded.csv')} --output {sheet}"
    for _ in range(2):  # an empty sheet may be replaced
        assert run(typed).code == 0
    header, first, second, *others = sheet.read_text().splitlines()
    assert header.endswith(f",{column}")
    labelled = "\n".join([header, f"{first}1", f"{second}0", *others])
    sheet.write_text(labelled)
    refused = run(typed)
    assert refused.code == 2
    assert f"sheet.csv has 2 entries in its column {column}, which the new sheet would delete" in refused.err
    assert sheet.read_text() == labelled


@pytest.mark.parametrize(
    ("name", "more", "beginning"),
    [
        ("means.csv", "", "model,n,"),
        ("means.json", "", "{"),
        ("means.md", "", "| model |"),
        ("means.tex", "", "\\begin{"),
        ("means.txt", "", "a and b"),
        ("means.csv", " --format json", "{"),
    ],
)
def test_the_suffix_chooses_the_format_unless_it_is_typed(tmp_path: Path, name: str, more: str, beginning: str) -> None:
    (tmp_path / "graded.csv").write_text(GRADED)
    printed(f"score {tmp_path / 'graded.csv'} --score score --model model --id id --output {tmp_path / name}{more}")
    assert any(line.startswith(beginning) for line in (tmp_path / name).read_text().splitlines())


def test_columns_are_refused_for_json_by_its_suffix(tmp_path: Path) -> None:
    (tmp_path / "graded.csv").write_text(GRADED)
    typed = f"score {tmp_path / 'graded.csv'} --score score --model model --id id"
    for options in ("--columns n --output {}", "--output {} --columns n"):
        assert "--columns is for tables" in run(f"{typed} {options.format(tmp_path / 'means.json')}").err
