"""`howsure monitor`: from logs to a state, a verdict, a series and metrics."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from tests.cli.running import howsure, printed

from howsure import InputError, read
from howsure.monitoring import CalibrationMonitor

HOSTILE = 'a"b\\c\n<b>\x1b[31m'
READ = ("--date", "time", "--target", "right", "--prob", "p")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of 40 days in two groups; one is miscalibrated from the 21st day on; labels of the last days are late."""
    rng = np.random.default_rng(0)
    directory = tmp_path_factory.mktemp("monitor")
    n = 4000
    q = rng.beta(4, 1.5, n).round(4)
    days = np.datetime64("2026-01-01") + np.arange(n) // 100
    bad = np.arange(n) % 2 == 1
    y = rng.random(n) < np.clip(q - 0.15 * (bad & (np.arange(n) >= 2000)), 0, 1)
    rows = [
        {
            "time": f"{days[i]}T10:00:00Z",
            "right": None if i >= 3800 and i % 5 == 0 else int(y[i]),
            "p": q[i],
            "group": HOSTILE if bad[i] else "fine",
        }
        for i in range(n)
    ]
    (directory / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = howsure("monitor", "update", directory / "s.json", directory / "log.jsonl", *READ, "--group", "group")
    assert (done.code, done.err) == (0, "")
    assert "20 rows without a label, left out" in done.out
    return directory


def test_a_group_that_is_off_alarms(folder: Path) -> None:
    done = howsure("monitor", "status", folder / "s.json")
    assert done.code == 1
    assert "no longer calibrated since about 2026-01-2" in done.out
    assert "\x1b" not in done.out
    content = json.loads(howsure("monitor", "status", folder / "s.json", "--format", "json").out)
    assert [row["outcome"] for row in content["groups"]] == ["alarm", "no alarm"]
    assert content["unlabelled"] == 20


def test_dates_in_another_format_are_the_same_days(folder: Path, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    for row in rows:
        year, month, day = row["time"][:10].split("-")
        row["time"] = f"{day}.{month}.{year}"
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    arguments = ("monitor", "update", tmp_path / "s.json", tmp_path / "log.jsonl", *READ, "--group", "group")
    assert "the dates were read as %d.%m.%Y: 2026-01-01 to 2026-02-09" in howsure(*arguments).out
    assert (tmp_path / "s.json").read_bytes() == (folder / "s.json").read_bytes()
    wrong = howsure(*arguments, "--date-format", "%m.%d.%Y")
    assert wrong.code == 2
    assert "time must contain dates written as %m.%d.%Y; row 1,201 of" in wrong.err


def test_the_command_is_the_class(folder: Path) -> None:
    rows = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    columns: dict[str, list[Any]] = {name: [row[name] for row in rows] for name in rows[0]}
    monitor = CalibrationMonitor()
    monitor.update(columns["time"], columns["right"], columns["p"], groups=columns["group"])
    assert (folder / "s.json").read_text() == monitor.to_json()


@pytest.mark.long
def test_the_class_takes_files_frames_and_tables_as_the_command_does(folder: Path) -> None:
    frame = pd.DataFrame([json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()])
    with duckdb.connect(str(folder / "app.duckdb")) as database:
        database.register("frame", frame)
        database.execute("CREATE TABLE answers AS SELECT * FROM frame")
    of_table = read(folder / "app.duckdb", table="answers")
    for source in (read(folder / "log.jsonl"), of_table, frame):
        monitor = CalibrationMonitor()
        monitor.update("time", "right", "p", groups="group", data=source)
        assert (folder / "s.json").read_text() == monitor.to_json()
    with pytest.raises(InputError, match=r"group must contain dates such as .*; row 1 of .*log.jsonl"):
        monitor.update("group", "right", "p", data=read(folder / "log.jsonl"))


SAMPLE = re.compile(r'([a-z_]+)(?:\{group="((?:[^"\\\n]|\\["\\n])*)"\})? (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)')


def test_metrics_keep_the_rules_of_the_format(folder: Path) -> None:
    """Version 0.0.4: HELP and TYPE before the samples of a name, each sample once, labels escaped."""
    text = printed("monitor", "metrics", folder / "s.json")
    assert text.endswith("\n")
    kind, samples = "", set()
    for line in text.splitlines():
        if line.startswith("# HELP "):
            kind = line.split()[2]
        elif line.startswith("# TYPE "):
            assert line == f"# TYPE {kind} gauge"
        else:
            match = SAMPLE.fullmatch(line)
            assert match, line
            assert match[1] == kind
            assert (match[1], match[2]) not in samples
            samples.add((match[1], match[2]))
    values = {name[0] for name in samples}
    assert {"howsure_calibration_alarm", "howsure_calibration_error", "howsure_monitor_rows"} <= values
    assert any(r"\"b\\c" in (group or "") for _, group in samples)


@pytest.mark.long
def test_a_table_of_a_database_is_as_a_file(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "app.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"CREATE TABLE raw AS FROM read_json('{folder / 'log.jsonl'}')")
        connection.execute('CREATE VIEW "my answers" AS SELECT CAST(time AS DATE) AS time, * EXCLUDE time FROM raw')
        connection.execute(f"CREATE VIEW outside AS FROM read_json('{folder / 'log.jsonl'}')")
    options = (*READ, "--group", "group", "--database", path)
    printed("monitor", "update", tmp_path / "s.json", *options, "--table", "my answers")
    assert (tmp_path / "s.json").read_text() == (folder / "s.json").read_text()
    refused = howsure("monitor", "update", tmp_path / "t.json", *options, "--table", "outside")
    assert refused.code == 2
    assert "cannot be read" in refused.err
    unknown = howsure("monitor", "update", tmp_path / "t.json", *options, "--table", "raws")
    assert "no table 'raws' in" in unknown.err
    assert not (tmp_path / "t.json").exists()


def test_before_any_period_it_cannot_tell(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("time,right,p\n2026-01-01,1,0.8\n")
    printed("monitor", "update", tmp_path / "s.json", tmp_path / "log.csv", *READ)
    done = howsure("monitor", "status", tmp_path / "s.json")
    assert (done.code, done.out) == (3, "no data yet\n")
    assert "howsure_monitor_unlabelled_rows 0.0" in printed("monitor", "metrics", tmp_path / "s.json")


def test_where_concerns_rows_without_a_label_too(folder: Path, tmp_path: Path) -> None:
    options = ("--where", "\"group\" = 'fine'", "--until", "2026-02-09")
    output = printed("monitor", "update", tmp_path / "s.json", folder / "log.jsonl", *READ, *options)
    assert "20 rows without a label" in output
    assert CalibrationMonitor.from_json((tmp_path / "s.json").read_text()).status()["all"].n == 2000 - 20


CONVERSATIONS = "day,right,p,c\n2026-01-01,1,0.8,a\n2026-01-01,1,0.8,7\n"
LATER = "2026-01-02,1,0.8,a\n2026-01-02,0,0.8,b\n2026-01-02,0,0.8,7\n"
CLUSTERED = ("--date", "day", "--target", "right", "--prob", "p", "--cluster", "c")


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_clusters_taken_in_a_night_are_known_in_the_next(tmp_path: Path, kind: str) -> None:
    """Also to the class, whose names are the same ones."""
    outputs = []
    for night, text in enumerate((CONVERSATIONS, CONVERSATIONS + LATER), start=1):
        (tmp_path / "log.csv").write_text(text)
        log = tmp_path / f"log.{kind}"
        if kind == "parquet":
            duckdb.sql(f"COPY (FROM read_csv('{tmp_path / 'log.csv'}')) TO '{log}' (FORMAT parquet)")
        until = ("--until", f"2026-01-0{night}")
        outputs.append(printed("monitor", "update", tmp_path / "s.json", log, *CLUSTERED, *until))
    assert "1 row of 1 new period" in outputs[1]
    assert "2 rows of clusters added in an earlier update, left out" in outputs[1]
    assert "2 of 5 rows were left out, because their clusters began in an earlier update" in printed(
        "monitor", "status", tmp_path / "s.json"
    )
    monitor = CalibrationMonitor.from_json((tmp_path / "s.json").read_text())
    third_night = monitor.update(["2026-01-03"] * 3, [1, 0, 1], [0.8] * 3, clusters=["b", "7", "c"], until="2026-01-03")
    assert (third_night.n, third_night.continued) == (1, 2)


def test_files_that_number_their_clusters_apart_keep_them_apart(tmp_path: Path) -> None:
    """With `separate`, conversation a of another night's file is another one."""
    for night in (1, 2):
        (tmp_path / f"{night}.csv").write_text(f"day,right,p,c\n2026-01-0{night},1,0.8,a\n")
        options = (*CLUSTERED, "--across-files", "separate", "--until", f"2026-01-0{night}")
        output = printed("monitor", "update", tmp_path / "s.json", tmp_path / f"{night}.csv", *options)
        assert "1 row of 1 new period" in output


@pytest.mark.parametrize("command", [("status",), ("update", "log.csv", *READ)])
def test_a_state_that_is_a_device_has_an_end(
    command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("log.csv").write_text("time,right,p\n2026-01-01,1,0.8\n2026-01-02,1,0.8\n")
    Path("s.json").symlink_to("/dev/full")
    done = howsure("monitor", command[0], "s.json", *command[1:])
    assert (done.code, done.out) == (2, "")
    assert "s.json is a device, which may never end; name a file." in done.err
