"""`howsure check`: exit codes, formats, files; the numbers of the library."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from tests.cli.running import howsure as run
from tests.data.logs.writers import inspect_header, inspect_sample, lm_eval_text, write_lm_eval

HOSTILE = '<b>"fr"&'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two files of predictions: dev.csv with the columns new, old and lang; old.csv with the other model's."""
    rng = np.random.default_rng(1)
    q = rng.uniform(0.05, 0.95, 3000).round(4)
    gold = (rng.random(3000) < q).astype(int)
    old = np.clip(q + 0.15 * np.sin(2 * np.pi * q), 0, 1).round(4)
    names = np.array(["de", "en", HOSTILE])[np.arange(3000) % 3]
    place = tmp_path_factory.mktemp("check")
    rows = [
        f'{i},{g},{a},{b},"{c.replace(chr(34), chr(34) * 2)}"'
        for i, (g, a, b, c) in enumerate(zip(gold, q, old, names, strict=True))
    ]
    (place / "dev.csv").write_text("\n".join(["uid,gold,new,old,lang", *rows, ""]))
    turned = np.random.default_rng(2).permutation(3000)
    (place / "old.csv").write_text("\n".join(["uid,gold,new", *(f"{i},{gold[i]},{old[i]}" for i in turned), ""]))
    return place


@pytest.fixture(autouse=True)
def _there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)


NEW = ("check", "calibration", "dev.csv", "--target", "gold", "--prob", "new")
OLD = ("check", "calibration", "dev.csv", "--target", "gold", "--prob", "old")


@pytest.mark.long
def test_a_file_and_a_column_are_the_same_model() -> None:
    column = json.loads(run(*NEW, "--better-than", "old", "--format", "json").out)
    file = json.loads(run(*NEW, "--better-than", "old.csv", "--id", "uid", "--format", "json").out)
    from_column, other = (outcome["verdicts"][0] for outcome in (column, file))
    assert from_column["p_pass"] == pytest.approx(other["p_pass"], rel=1e-9)
    assert from_column["estimate"]["value"] == pytest.approx(other["estimate"]["value"], rel=1e-9)


def test_files_are_written_and_escaped(tmp_path: Path) -> None:
    xml, page = tmp_path / "check.xml", tmp_path / "summary.md"
    page.write_text("before\n")
    typed = (*OLD, "--group", "lang", "--max-error", "0.05", "--junit", xml, "--summary", page)
    done = run(*typed)
    assert done.code == 1
    suites = ElementTree.fromstring(xml.read_text())
    cases = list(suites.iter("testcase"))
    assert [case.get("name") for case in cases] == [
        f"calibration error < 0.05 [{group}]" for group in (HOSTILE, "de", "en")
    ]
    assert suites.get("failures") == str(sum(case.find("failure") is not None for case in cases)) == "3"
    assert cases[0].find("failure").get("message").startswith("calibration error is 0.")  # type: ignore[union-attr]
    text = page.read_text()
    assert text.startswith("before\n### howsure check: fail\n\n| rule |")
    assert "<b>" not in text.replace("\\<b>", "")
    run(*typed)
    assert page.read_text().count("### howsure check") == 2


def test_undecided_check_is_a_skipped_test_in_junit(tmp_path: Path) -> None:
    run(*NEW, "--max-error", "0.01", "--junit", tmp_path / "check.xml")
    suites = ElementTree.fromstring((tmp_path / "check.xml").read_text())
    assert (suites.get("skipped"), suites.get("failures")) == ("1", "0")
    assert "more rows would decide it" in str(next(suites.iter("skipped")).get("message"))


@pytest.mark.long
def test_missing_rows_of_the_other_model_need_skip_missing(tmp_path: Path) -> None:
    lines = Path("old.csv").read_text().splitlines()
    part = tmp_path / "part.csv"
    part.write_text("\n".join([*lines[:2501], ""]))
    typed = (*NEW, "--better-than", part, "--id", "uid")
    done = run(*typed)
    assert done.code == 2
    assert "500 rows only of dev.csv, 0 only of" in done.err
    assert "left out because the other model has no such row: 500 rows of dev.csv" in run(*typed, "--skip-missing").out


@pytest.mark.long
def test_rows_that_were_left_out_are_counted(tmp_path: Path) -> None:
    (tmp_path / "part.csv").write_text("\n".join([*Path("old.csv").read_text().splitlines()[:2501], ""]))
    typed = (*NEW, "--better-than", tmp_path / "part.csv", "--id", "uid", "--skip-missing", "--format", "json")
    content = json.loads(run(*typed).out)
    assert content["verdicts"][0]["n"] == 2500
    assert content["recipe"]["checks"][0]["without_the_other"] == 500


CHECKS = """
[{table}]
alarms-over = 30
junit = "{folder}/check.xml"

[{table}.calibration]
files = ["dev.csv"]
target = "gold"
prob = "new"
max-error = 0.05
skip-missing = true

[[{table}.score]]
name = "first"
files = "dev.csv"
score = "gold"
min-score = 0.3

[[{table}.score]]
name = "second"
files = ["dev.csv"]
score = "gold"
group = "lang"
min-score = 0.2
"""


def test_checks_in_a_file(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for data in ("dev.csv", "old.csv"):
        (tmp_path / data).write_bytes((folder / data).read_bytes())
    monkeypatch.chdir(tmp_path)
    (tmp_path / "howsure.toml").write_text(CHECKS.format(table="check", folder=tmp_path))
    content = json.loads(run("check", "--format", "json").out)
    assert [(verdict["check"], verdict["outcome"]) for verdict in content["verdicts"]] == [
        ("calibration", "pass"),
        ("first", "pass"),
        *[("second", "pass")] * 3,
    ]
    assert (content["recipe"]["alarms_over"], content["level"]) == (30, 0.95)
    assert len(list(ElementTree.fromstring((tmp_path / "check.xml").read_text()).iter("testcase"))) == 5
    typed = json.loads(run("check", "all", "--config", "howsure.toml", "--alarms-over", "2", "--format", "json").out)
    assert typed["recipe"]["alarms_over"] == 2
    alone = json.loads(run(*NEW, "--max-error", "0.05", "--format", "json").out)["verdicts"][0]
    assert content["verdicts"][0]["p_pass"] == alone["p_pass"]
    assert content["verdicts"][0]["p_pass_adjusted"] >= alone["p_pass_adjusted"]  # five verdicts share the level
    (tmp_path / "howsure.toml").unlink()
    (tmp_path / "pyproject.toml").write_text(CHECKS.format(table="tool.howsure.check", folder=tmp_path))
    assert json.loads(run("check", "--format", "json").out)["verdicts"] == content["verdicts"]


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("", "nothing to check: name a limit, min-score = 0.8, or another model, against."),
        ("min-score = 80", "min-score is 80, and every score is between 0 and 1: write 0.8 for 80%"),
        ('min-score = "high"', "min-score: 'high' is not a number."),
        ("min-score = 0.5\nitems-total = 100", "items-total needs sequential = true."),
    ],
)
def test_errors_in_a_file_of_checks_name_its_keys(
    keys: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("one.csv").write_text("s\n" + "0\n1\n" * 20)
    Path("howsure.toml").write_text(f'[check.score]\nfiles = "one.csv"\nscore = "s"\n{keys}\n')
    done = run("check")
    assert done.code == 2
    assert f"[check.score] of howsure.toml: {message}" in done.err


def test_remedies_of_a_file_of_checks_name_its_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("one.csv").write_text("s\n" + "".join(f"{i}\n" for i in range(20)))
    Path("howsure.toml").write_text('[check.score]\nfiles = "one.csv"\nscore = "s"\nmin-score = 5\n')
    assert 'bounds = "LOW,HIGH", or assume that there are no such scores, assume-no-rare-losses = true.' in (
        run("check").out
    )


def test_no_name_breaks_xml_or_markdown(tmp_path: Path) -> None:
    names = ["\x1b[31m", "]]>", "a|b", "[x](javascript:1)", "\ufffe", "&amp;"]
    rows = [json.dumps({"y": i % 2, "name": name}) for name in names for i in range(20)]
    (tmp_path / "dev.jsonl").write_text("\n".join([*rows, ""]))
    xml, page = tmp_path / "check.xml", tmp_path / "summary.md"
    typed = ("check", "score", tmp_path / "dev.jsonl", "--score", "y", "--group", "name", "--min-score", "0.9")
    assert run(*typed, "--junit", xml, "--summary", page).code == 1
    cases = list(ElementTree.fromstring(xml.read_text(encoding="utf-8")).iter("testcase"))
    assert len(cases) == len(names)
    assert any("]]>" in str(case.get("name")) for case in cases)
    text = page.read_text(encoding="utf-8")
    assert "\x1b" not in text
    assert "](java" not in text.replace("\\](java", "")
    assert text.count("\n| ") == len(names) + 2


def test_a_log_names_its_items_and_repetitions(tmp_path: Path) -> None:
    """Epochs of an item are one cluster; another log is matched by item."""
    epochs = [
        inspect_sample(f"q{i}", "A", "A" if i % 4 else "B", letters={"A": 0.5, "B": 0.5}, epoch=epoch)
        for i in range(30)
        for epoch in (1, 2)
    ]
    for name, samples in (("epochs", epochs), ("new", epochs[::2]), ("old", epochs[::2][::-1])):
        (tmp_path / f"{name}.json").write_text(json.dumps({**inspect_header(), "samples": samples}))
    score = json.loads(
        run("check", "score", tmp_path / "new.json", "--score", "choice", "--min-score", "0.2", "--format", "json").out
    )
    assert score["verdicts"][0]["n"] == 30
    twice = json.loads(
        run(
            "check", "score", tmp_path / "epochs.json", "--score", "choice", "--min-score", "0.2", "--format", "json"
        ).out
    )
    assert twice["recipe"]["checks"][0]["cluster"] == "item"
    single, other = (outcome["verdicts"][0]["estimate"] for outcome in (score, twice))
    assert other["high"] - other["low"] == pytest.approx(single["high"] - single["low"], rel=0.1)
    typed = ("check", "score", tmp_path / "new.json", "--score", "choice", "--against", tmp_path / "old.json")
    same = json.loads(run(*typed, "--not-worse-than", "0.3", "--format", "json").out)
    assert (same["verdicts"][0]["estimate"]["value"], same["verdicts"][0]["outcome"]) == (0.0, "pass")


@pytest.mark.long
def test_filters_of_a_log_are_groups_and_never_averaged(tmp_path: Path) -> None:
    """Each filter is compared with the same filter of the other model."""
    logs = []
    for model, share in (("new", 3), ("old", 2)):
        samples = [
            lm_eval_text(item, "3" if item % share or way == "flexible" else "", "3", filter=way)
            for way in ("strict", "flexible")
            for item in range(60)
        ]
        logs.append(write_lm_eval(tmp_path, model, "gsm8k", samples))
    new, old = logs
    command_line = ("check", "score", new, "--score", "exact_match", "--better-than", old, "--format", "json")
    estimates = {
        verdict["group"]: verdict["estimate"]["value"] for verdict in json.loads(run(*command_line).out)["verdicts"]
    }
    assert estimates == {"flexible": 0.0, "strict": pytest.approx(1 / 6)}
    (strict,) = json.loads(run(*command_line, "--where", "run = 'strict'").out)["verdicts"]
    assert strict["estimate"]["value"] == pytest.approx(1 / 6)
    refused = run("check", "score", new, "--score", "exact_match", "--min-score", "0.5", "--group", "task")
    assert refused.code == 2
    assert "or tell them apart, --group task,run." in refused.err
